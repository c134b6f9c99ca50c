"""Which analyzers are there? Every module of this folder that registers one."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from probe.analyzers.contract import Analyzer, Result
from probe.errors import ProbeError

AnalyzerType = TypeVar("AnalyzerType", bound=type[Analyzer[Result]])

_registered: dict[str, type[Analyzer[Result]]] = {}


def register(analyzer: AnalyzerType) -> AnalyzerType:
    """Add an analyzer under its name; a class decorator.

    Raises
    ------
    ValueError
        If the name is taken, is not the module's, or the analyzer lacks a question.
    """
    name = analyzer.name
    if name in _registered and _registered[name].__qualname__ != analyzer.__qualname__:
        raise ValueError(f"an analyzer named {name!r} is registered already: {_registered[name].__qualname__}")
    if analyzer.__module__.rpartition(".")[2] != name:
        raise ValueError(f"analyzer {name!r} lives in {analyzer.__module__}; the module's name must be the same")
    if not analyzer.question.endswith("?"):
        raise ValueError(f"analyzer {name!r} asks no question: {analyzer.question!r}")
    _registered[name] = analyzer
    return analyzer


def discover(package: str = "probe.analyzers") -> None:
    """Import every module of the package, so that each can register itself."""
    for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
        importlib.import_module(f"{package}.{module.name}")


def names() -> tuple[str, ...]:
    """Registered names, in the order in which a report shows them."""
    return tuple(sorted(_registered, key=lambda name: (_registered[name].order, name)))


def get(name: str) -> type[Analyzer[Result]]:
    """Look an analyzer up by name.

    Raises
    ------
    ProbeError
        If there is none of that name; the hint lists those there are.
    """
    if name in _registered:
        return _registered[name]
    close = difflib.get_close_matches(name, _registered, n=1, cutoff=0.5)
    guess = f"Did you mean {close[0]}? " if close else ""
    raise ProbeError(f"There is no analyzer named {name!r}.", f"{guess}The analyzers are {', '.join(names())}.")


def select(only: Iterable[str] | None = None) -> tuple[type[Analyzer[Result]], ...]:
    """Analyzers by name, in report order; all of them when no name is given."""
    chosen = list(only or ())
    for name in chosen:
        get(name)
    return tuple(_registered[name] for name in names() if not chosen or name in chosen)


def functions() -> Iterator[tuple[str, Callable[..., Result]]]:
    """Each analyzer's function for notebooks, by name: ``pca(table)``."""
    for name in names():
        yield name, getattr(importlib.import_module(_registered[name].__module__), name)
