"""Unary chains, predicted: section 4.4 of the paper."""
