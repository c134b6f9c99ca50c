"""Analyzers: one question a file, each held against tables that hold no position.

Every module of this folder that registers an analyzer is found here; ``from probe.analyzers import pca``
gives the function for notebooks, ``get("pca")`` the class behind it.
"""

from __future__ import annotations

from probe.analyzers import registry
from probe.analyzers.contract import Analyzer, FigureSpec, Result, Style
from probe.analyzers.nulls import NULLS, run
from probe.analyzers.registry import get, names, select
from probe.analyzers.scores import NullComparison, Score, ScoreSpec

registry.discover()
globals().update(registry.functions())  # a module's name becomes its function, as in `from probe.analyzers import pca`

__all__ = [
    "NULLS",
    "Analyzer",
    "FigureSpec",
    "NullComparison",
    "Result",
    "Score",
    "ScoreSpec",
    "Style",
    "get",
    "names",
    "run",
    "select",
]
