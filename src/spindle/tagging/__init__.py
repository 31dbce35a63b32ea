"""Part-of-speech tags, predicted."""
