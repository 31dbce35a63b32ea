"""Dependency parsers: the protocol, and every backend."""
