"""The version of muster: the only place, which the distribution, every report and every image have it from."""

__version__ = "0.1.0"
