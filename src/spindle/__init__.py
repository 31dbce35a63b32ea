"""Spindle turns any trainable dependency parser into a constituent parser."""

__version__ = "0.1.0"
