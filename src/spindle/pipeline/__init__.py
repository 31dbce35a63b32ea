"""Train, parse, save and load: the stages of the paper put together."""
