"""What a report holds: tables with their results, side by side, and how they were come by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from probe.analyzers import Result
from probe.encodings import Description, PositionTable
from probe.errors import ProbeError
from probe.outputs import written_whole

if TYPE_CHECKING:
    import pandas as pd

SCHEMA = "probe.report/1"
Target = str | PathLike[str]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class AnalysedTable:
    """A position table, and what every analyzer found in it.

    Attributes
    ----------
    table : PositionTable
        Under a label that is unique within the report.
    results : mapping of str to Result
        By the analyzer's name, in report order.
    verdict : str
        What the results come to, in a few sentences for a reader who knows none of the methods.
    """

    table: PositionTable
    results: Mapping[str, Result]
    verdict: str

    @property
    def label(self) -> str:
        """How the report calls it."""
        return self.table.label

    @property
    def description(self) -> Description:
        """Where it comes from and how it is stored."""
        return self.table.description

    @property
    def is_reference(self) -> bool:
        """Whether it is a sin/cos table made from the formula, not read from a model."""
        return self.table.scheme == "sinusoidal" and self.table.provenance.format == "reference"

    def to_dict(self) -> dict[str, Any]:
        """One element of the report's ``encodings``: strict JSON values only."""
        return {
            "label": self.label,
            **self.description.to_dict(),
            "provenance": self.table.provenance.to_dict(),
            "verdict": self.verdict,
            "results": {name: result.to_dict() for name, result in self.results.items()},
        }

    def __repr__(self) -> str:
        return f"<AnalysedTable {self.label}: {', '.join(self.results)}>"


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Report:
    """How do these position tables compare, with each other and with sin/cos?

    Attributes
    ----------
    encodings : tuple of AnalysedTable
        In the order in which they were given.
    reference : AnalysedTable or None
        A sinusoid of the first table's size, added for comparison; None where one was given.
    draws, seed : int
        Draws of each null, and their seed.
    environment : mapping of str to str
        Versions that the numbers depend on.
    warnings : tuple of str
        What the reader should know before trusting the report.
    command : str or None
        The command line that makes it again.

    Examples
    --------
    >>> from probe.report.build import build_report
    >>> from probe.encodings import PositionTable
    >>> from probe.sinusoids import sinusoidal
    >>> table = PositionTable.from_array(sinusoidal(32, 8), label="mine")
    >>> report = build_report([table], only=["pca"], draws=0)
    >>> [analysed.label for analysed in report.encodings], report.to_dict()["schema"]
    (['mine'], 'probe.report/1')
    """

    encodings: tuple[AnalysedTable, ...]
    reference: AnalysedTable | None = None
    draws: int
    seed: int
    environment: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    command: str | None = None

    @property
    def shown(self) -> tuple[AnalysedTable, ...]:
        """Every table that the figures show: the encodings, and the reference if one was added."""
        return self.encodings if self.reference is None else (*self.encodings, self.reference)

    def to_dict(self) -> dict[str, Any]:
        """The whole report as strict JSON values: the page's twin."""
        from probe.report.comparison import comparison

        return {
            "schema": SCHEMA,
            "encodings": [analysed.to_dict() for analysed in self.encodings],
            "comparison": comparison(self),
            "environment": dict(self.environment),
            "nulls": {"draws": self.draws, "seed": self.seed},
            "command": self.command,
            "warnings": list(self.warnings),
        }

    def findings_frame(self) -> pd.DataFrame:
        """Tidy view: one row for each table, analyzer and score."""
        import pandas as pd

        frames = [result.to_frame() for analysed in self.encodings for result in analysed.results.values()]
        return pd.concat(frames, ignore_index=True)

    @overload
    def to_html(self, path: None = None) -> str: ...
    @overload
    def to_html(self, path: Target) -> None: ...
    def to_html(self, path: Target | None = None) -> str | None:
        """Make one self-contained page; as a string unless a path is given."""
        from probe.report.page import render_page

        return _deliver(render_page(self), path)

    @overload
    def to_json(self, path: None = None) -> str: ...
    @overload
    def to_json(self, path: Target) -> None: ...
    def to_json(self, path: Target | None = None) -> str | None:
        """Make the page's JSON twin; as a string unless a path is given."""
        from probe.report.json_text import render_json

        return _deliver(render_json(self.to_dict()), path)

    @overload
    def to_markdown(self, path: None = None) -> str: ...
    @overload
    def to_markdown(self, path: Target) -> None: ...
    def to_markdown(self, path: Target | None = None) -> str | None:
        """Make the findings and scores as Markdown; as a string unless a path is given."""
        from probe.report.markdown import render_markdown

        return _deliver(render_markdown(self), path)

    def write(self, path: Target) -> None:
        """Write the report in the format that the file's suffix names.

        Raises
        ------
        ProbeError
            If the suffix is none of ``.html``, ``.json`` and ``.md``, or the file cannot be written.
        """
        writers = {".html": self.to_html, ".json": self.to_json, ".md": self.to_markdown}
        writers[check_suffix(path)](path)

    def __repr__(self) -> str:
        return f"<Report {', '.join(analysed.label for analysed in self.encodings)}>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th scope='row' style='text-align:left'>{escape(analysed.label)}</th>"
            f"<td style='text-align:left'>{escape(analysed.verdict)}</td></tr>"
            for analysed in self.encodings
        )
        return f"<table><thead><tr><th>table</th><th>finding</th></tr></thead><tbody>{rows}</tbody></table>"


SUFFIXES = (".html", ".json", ".md")


def check_suffix(path: Target) -> str:
    """Which format does this file name ask for?

    Raises
    ------
    ProbeError
        If its suffix names no format that a report is written in.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        named = f"the suffix {suffix}" if suffix else "no suffix"
        raise ProbeError(
            f"{path} has {named}, which is no format of a report.",
            f"Name a file that ends in {_listed(SUFFIXES)}, such as {Path(path).with_suffix('.html')}.",
        )
    return suffix


def _listed(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}"


def _deliver(text: str, path: Target | None) -> str | None:
    if path is None:
        return text
    target = Path(path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with written_whole(target) as scratch:
            scratch.write_bytes(text.encode("utf-8", errors="backslashreplace"))
    except OSError as error:
        raise ProbeError(
            f"{path} cannot be written: {error.strerror or error}.",
            "Check the rights and the space there, or choose another folder. What was there before is untouched.",
        ) from error
    return None
