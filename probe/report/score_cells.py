"""A score beside its nulls, as the page shows it: the value, a strip that places it, and the null in words."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from probe.analyzers import NullComparison, Score, ScoreSpec
from probe.analyzers.contract import format_value
from probe.report.comparison import ScoreRow

_WIDTH = 100.0


@dataclass(frozen=True, kw_only=True)
class Strip:
    """Where the value and the strictest null's 95 % interval lie on the row's own scale, from 0 to 100."""

    value: float
    low: float | None
    high: float | None

    @property
    def width(self) -> float:
        """Length of the interval, long enough to be seen."""
        return 0.0 if self.low is None or self.high is None else max(self.high - self.low, 1.5)


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One score of one table.

    Attributes
    ----------
    value : str
    beats : bool or None
        Whether it beats every null drawn; None where none was.
    nulls : tuple of str
        Each null in words, strictest first.
    note : str or None
        Why there is no value.
    strip : Strip or None
    """

    value: str
    beats: bool | None
    nulls: tuple[str, ...]
    note: str | None
    strip: Strip | None


@dataclass(frozen=True, kw_only=True)
class CellRow:
    """One score of every table, ready for the page; ``undrawn`` names the nulls it has not, each with its reason."""

    spec: ScoreSpec
    cells: tuple[Cell, ...]
    undrawn: tuple[str, ...]


def cell_row(row: ScoreRow) -> CellRow:
    """Lay out one score across the tables, on one scale."""
    low, high = _scale(row.scores.values())
    return CellRow(
        spec=row.spec,
        cells=tuple(_cell(score, row.spec, low, high) for score in row.scores.values()),
        undrawn=_undrawn(row.spec),
    )


def _undrawn(spec: ScoreSpec) -> tuple[str, ...]:
    """Say which nulls this score has not, and why."""
    if spec.without_null is not None:
        return (f"no null: {spec.without_null}",)
    return tuple(f"{null} not drawn: {reason}" for null, reason in spec.unchanged_by.items())


def _cell(score: Score, spec: ScoreSpec, low: float, high: float) -> Cell:
    return Cell(
        value=format_value(score.value, spec.form),
        beats=score.beats_all() if score.against else None,
        nulls=tuple(_null_words(comparison, spec.form) for comparison in reversed(score.against)),
        note=score.reason if score.value is None else None,
        strip=_strip(score, low, high),
    )


def _null_words(comparison: NullComparison, form: str) -> str:
    low, high = format_value(comparison.low, form), format_value(comparison.high, form)
    interval = f"{low} to {high}" if low != high else low
    return f"{comparison.null} {format_value(comparison.mean, form)} ({interval}), p = {comparison.p_value:.2g}"


def _scale(scores: Iterable[Score]) -> tuple[float, float]:
    ends: list[float] = []
    for score in scores:
        ends += [] if score.value is None else [score.value]
        if score.headline is not None:
            ends += [score.headline.low, score.headline.high]
    return (min(ends), max(ends)) if ends else (0.0, 0.0)


def _strip(score: Score, low: float, high: float) -> Strip | None:
    if score.value is None or not math.isfinite(high - low) or high <= low:
        return None

    def place(value: float) -> float:
        return round(3 + (_WIDTH - 6) * (value - low) / (high - low), 1)

    null = score.headline
    return Strip(
        value=place(score.value),
        low=None if null is None else place(null.low),
        high=None if null is None else place(null.high),
    )
