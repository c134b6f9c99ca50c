"""probe looks inside the positional embeddings of pretrained models.

>>> import probe
>>> table = probe.load("sinusoidal:64x16")
>>> table.shape
(64, 16)

``load`` and ``load_all`` read encodings from a source, each analyzer answers one question
(``probe.pca(table)``), and ``analyze`` lays several models side by side in a report. Everything is
imported when it is first asked for, so that ``import probe`` costs next to nothing.
"""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "load": "probe.loaders",
    "load_all": "probe.loaders",
    "analyze": "probe.analysis",
    "Report": "probe.report",
    "PositionTable": "probe.encodings",
    "OffsetKernel": "probe.encodings",
    "ProbeError": "probe.errors",
}

if TYPE_CHECKING:
    from probe.analysis import analyze
    from probe.encodings import OffsetKernel, PositionTable
    from probe.errors import ProbeError
    from probe.loaders import load, load_all
    from probe.report import Report

__all__ = ["OffsetKernel", "PositionTable", "ProbeError", "Report", "analyze", "load", "load_all"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    is_submodule = importlib.util.find_spec(f"{__name__}.{name}") is not None  # `from probe import cli` asks here first
    if not name.startswith("_") and not is_submodule:
        analyzers = importlib.import_module("probe.analyzers")
        if name in analyzers.names():
            return getattr(analyzers, name)
    raise AttributeError(f"module 'probe' has no attribute {name!r}")


def __dir__() -> list[str]:
    analyzers = importlib.import_module("probe.analyzers")
    return sorted({*globals(), *__all__, *analyzers.names()})
