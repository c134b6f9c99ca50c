"""From tables to a report: every analyzer on every table, and the sinusoid beside them."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import version
from typing import TypedDict, Unpack

from probe.analyzers import Analyzer, Result, run, select
from probe.defaults import DEFAULT_DRAWS
from probe.encodings import Description, PositionTable, Provenance
from probe.errors import ProbeError
from probe.report.findings import DRAWS_FOR_A_TWENTIETH, REFERENCE_VERDICT, verdict
from probe.report.model import AnalysedTable, Report
from probe.sinusoids import VASWANI, sinusoidal


class Circumstances(TypedDict, total=False):
    """What a report says of its making beside its numbers.

    Attributes
    ----------
    command : str or None
        The command line that makes the report again.
    warnings : sequence of str
        What was noticed while loading.
    """

    command: str | None
    warnings: Sequence[str]


def build_report(
    tables: Sequence[PositionTable],
    *,
    only: Sequence[str] | None = None,
    draws: int = DEFAULT_DRAWS,
    seed: int = 0,
    progress: Callable[[str, str], None] | None = None,
    **circumstances: Unpack[Circumstances],
) -> Report:
    """How do these position tables compare, with each other and with sin/cos?

    Parameters
    ----------
    tables : sequence of PositionTable
        One is a comparison with the sinusoid alone.
    only : sequence of str, optional
        Analyzers by name; all that take a position table otherwise.
    draws, seed : int
        Tables drawn of each null, and their seed; 0 draws none.
    progress : callable, optional
        ``progress(label, stage)`` is told of each stage as it begins.
    **circumstances
        The keys of :class:`Circumstances`: ``command``, ``warnings``.

    Returns
    -------
    Report

    Raises
    ------
    ProbeError
        If there is no table, or no analyzer of a name.
    TableError
        If a table cannot be analysed: one row, values that are not finite, rows all alike.
    """
    if not tables:
        raise ProbeError("There is no position table to report on.", "Name at least one source.")
    analyzers = _analyzers(only, draws, seed)
    named = uniquely_labelled(tables)
    tell = progress or (lambda label, stage: None)
    analysed = []
    for table in named:
        results = run(analyzers, table, draws=draws, seed=seed, progress=partial(tell, table.label))
        analysed.append(AnalysedTable(table=table, results=results, verdict=verdict(results, draws)))
    return Report(
        encodings=tuple(analysed),
        reference=_reference(analysed, analyzers),
        draws=draws,
        seed=seed,
        environment=environment(),
        warnings=(*circumstances.get("warnings", ()), *_doubts(draws)),
        command=circumstances.get("command"),
    )


def _analyzers(only: Sequence[str] | None, draws: int, seed: int) -> list[Analyzer[Result]]:
    chosen = [kind(draws=draws, seed=seed) for kind in select(only) if PositionTable in kind.accepts]
    if not chosen:
        raise ProbeError(
            f"None of the analyzers {', '.join(only or ())} takes a position table.",
            "`probe list analyzers` names all.",
        )
    return chosen


def _doubts(draws: int) -> list[str]:
    if draws == 0:
        return ["No null was drawn, so no score can be told from chance."]
    if draws + 1 <= DRAWS_FOR_A_TWENTIETH:
        return [
            f"With {draws} draws of each null no p-value is below {1 / (draws + 1):.2g}, so no score can beat them."
        ]
    return []


def uniquely_labelled(tables: Sequence[PositionTable]) -> list[PositionTable]:
    """Tables under labels of which no two are alike: by component where that tells them apart, else by number."""
    labels = [table.label for table in tables]
    shared = {label for label, count in Counter(labels).items() if count > 1}
    labels = [f"{label} · {t.component}" if label in shared else label for label, t in zip(labels, tables, strict=True)]
    taken: set[str] = set()
    named = []
    for label, table in zip(labels, tables, strict=True):
        number, unique = 2, label
        while unique in taken:
            number, unique = number + 1, f"{label} ({number})"
        taken.add(unique)
        named.append(table if unique == table.label else table.labelled(unique))
    return named


def _reference(analysed: Sequence[AnalysedTable], analyzers: Sequence[Analyzer[Result]]) -> AnalysedTable | None:
    """Make a sinusoid of the first learned table's size, without nulls, unless the comparison has one."""
    if any(one.is_reference for one in analysed):
        return None
    positions, dimensions = analysed[0].table.shape
    label = f"sinusoidal:{positions}x{max(dimensions, 2)}"
    provenance = Provenance(reference=label, label=label, component="reference", format="reference")
    description = Description(
        component="reference",
        scheme="sinusoidal",
        provenance=provenance,
        dtype="float64",
        stored=False,
        parameters=VASWANI.to_dict(),
    )
    table = PositionTable(description=description, array=sinusoidal(positions, max(dimensions, 2)))
    taken = [one.table for one in analysed]
    table = uniquely_labelled([*taken, table])[-1]
    return AnalysedTable(table=table, results=run(analyzers, table, draws=0), verdict=REFERENCE_VERDICT)


def environment() -> dict[str, str]:
    """Versions of what the numbers depend on; no time, host or path, so that the same input gives the same bytes."""
    return {
        "probe": version("position-probe"),
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "scipy": version("scipy"),
    }
