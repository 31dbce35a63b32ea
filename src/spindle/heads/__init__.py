"""Finding the head of every constituent."""
