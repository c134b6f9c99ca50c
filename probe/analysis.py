"""From sources to a report: open each, read its tables, hold them against the nulls, lay them side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from probe.defaults import DEFAULT_DRAWS
from probe.encodings import PositionTable
from probe.errors import ProbeError, TableNotFoundError
from probe.loaders import OpenSource, open_source
from probe.report import Report, build_report


@dataclass(frozen=True, kw_only=True)
class Selection:
    """Which encodings of the sources to take, and under what names.

    Attributes
    ----------
    component : str or None
        Only this one of each source.
    labels : sequence of str
        One for each source, in order, or none at all.
    revision : str or None
        A hub revision, for every source that is on the hub.
    offline : bool
        Whether to ask the hub's cache alone.
    """

    component: str | None = None
    labels: Sequence[str] = ()
    revision: str | None = None
    offline: bool = False


def analyze(
    sources: Any,
    *,
    only: Sequence[str] | None = None,
    draws: int = DEFAULT_DRAWS,
    seed: int = 0,
    command: str | None = None,
    progress: Callable[[str, str], None] | None = None,
    **selection: Any,
) -> Report:
    """How do the positions of these models compare, with one another and with sin/cos?

    Parameters
    ----------
    sources : str, path, module, array, PositionTable, or a list of them
        Every table that a source uses becomes a row of the comparison.
    only : sequence of str, optional
        Names of analyzers; all of them otherwise.
    draws, seed : int
        Tables drawn of each null, and their seed.
    command : str, optional
        The command line that makes the report again, to be printed in it.
    progress : callable, optional
        Told a label and a stage as each begins.
    **selection
        The fields of :class:`Selection`: ``component``, ``labels``, ``revision``, ``offline``.

    Returns
    -------
    Report
        With ``to_html``, ``to_json``, ``to_markdown``, ``to_dict`` and ``findings_frame``.

    Raises
    ------
    ProbeError
        If a source cannot be opened or a table cannot be analysed. All sources are read before the
        first is analysed.

    Examples
    --------
    >>> report = analyze(["sinusoidal:64x16", "random:64x16?seed=1"], only=["pca"], draws=0)
    >>> [encoding.label for encoding in report.encodings]
    ['sinusoidal:64x16', 'random:64x16?seed=1']
    """
    listed = list(sources) if isinstance(sources, (list, tuple)) else [sources]
    tables, warnings = read_tables(listed, Selection(**selection), progress)
    return build_report(
        tables, only=only, draws=draws, seed=seed, command=command, warnings=warnings, progress=progress
    )


def read_tables(
    sources: Sequence[Any], selection: Selection, progress: Callable[[str, str], None] | None = None
) -> tuple[list[PositionTable], list[str]]:
    """Read every table that the sources use, with what was noticed on the way.

    Raises
    ------
    ProbeError
        If there are not as many labels as sources, or a source holds no table to analyse.
    """
    if selection.labels and len(selection.labels) != len(sources):
        raise ProbeError(
            f"{len(selection.labels)} labels were given for {len(sources)} sources.",
            "Give one --label for each source, in the same order, or none.",
        )
    tables: list[PositionTable] = []
    warnings: list[str] = []
    for number, source in enumerate(sources):
        label = selection.labels[number] if selection.labels else None
        opened = open_source(source, revision=selection.revision, offline=selection.offline, label=label)
        if progress is not None:
            progress(opened.label, "reading")
        tables += _tables_of(opened, selection.component, warnings)
        warnings += [f"{opened.label}: {warning}" for warning in opened.warnings]
    return tables, warnings


def _tables_of(opened: OpenSource, component: str | None, warnings: list[str]) -> list[PositionTable]:
    """Read the tables of one source; encodings that have no table are named in the warnings."""
    encodings = [located.read() for located in opened.select(component)]
    tables = [encoding for encoding in encodings if isinstance(encoding, PositionTable)]
    for encoding in encodings:
        if not isinstance(encoding, PositionTable):
            warnings.append(f"{opened.label}: {encoding.component} is {encoding.scheme}, which has no table to analyse")
    if not tables:
        schemes = ", ".join(sorted({encoding.scheme for encoding in encodings})) or "none"
        raise TableNotFoundError(
            f"{opened.label} has no position table to analyse (its scheme: {schemes}).",
            f"`probe show {opened.reference}` lists what it holds.",
        )
    if len(tables) == 1:
        return tables
    return [table.labelled(f"{opened.label} · {table.component}") for table in tables]
