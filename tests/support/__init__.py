"""Helper modules that several tests import."""
