"""trueup drives any coding agent until your own checks prove the work is done."""

__version__ = "0.1.0"
