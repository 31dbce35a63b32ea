"""Scores that equal the official programs', digit for digit."""
