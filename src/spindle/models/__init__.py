"""The model file: one file that holds everything a parser needs, and nothing that can run."""
