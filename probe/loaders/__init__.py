"""Loaders: from a source to its encodings.

``open_source`` says what a source holds without reading a table, ``load`` reads the one encoding in use,
``load_all`` reads every one.
"""

from __future__ import annotations

from probe.loaders.located import Located
from probe.loaders.sources import OpenSource, load, load_all, open_source

__all__ = ["Located", "OpenSource", "load", "load_all", "open_source"]
