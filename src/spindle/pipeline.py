"""Train, parse, save and load: all stages around one dependency parser."""
