"""The demonstration treebank as fixtures; every test uses the stand-in stages."""

from support.fixtures import demo_dev, demo_train, stand_in_stages

__all__ = ["demo_dev", "demo_train", "stand_in_stages"]
