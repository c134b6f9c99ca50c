"""Loaders: from a source to an encoding, one tensor at a time."""

from probe.loaders.located import Located
from probe.loaders.sources import OpenSource, load, load_all, open_source

__all__ = ["Located", "OpenSource", "load", "load_all", "open_source"]
