"""Adapters for dependency parsers of other projects."""
