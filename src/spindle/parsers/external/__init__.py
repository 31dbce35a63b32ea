"""Adapters for the dependency parsers of other people."""
