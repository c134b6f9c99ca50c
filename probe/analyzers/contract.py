"""What an analyzer is and what it gives back: the contract that the CLI and the reports lean on."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeVar, cast

import numpy as np
import numpy.typing as npt

from probe.analyzers.scores import Score, ScoreSpec
from probe.defaults import DEFAULT_DRAWS
from probe.encodings import OffsetKernel, PositionTable, Provenance
from probe.errors import ProbeError, TableError
from probe.values import table_from_values

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from probe.numerics.view import TableView

TableLike = PositionTable | npt.ArrayLike


@dataclass(frozen=True, kw_only=True)
class Style:
    """How one model is drawn, the same in every figure of a report."""

    color: str = "#1f6f8b"
    linestyle: str | tuple[int, tuple[float, ...]] = "-"
    label: str | None = None


@dataclass(frozen=True, kw_only=True)
class FigureSpec:
    """A picture that a result can draw of itself.

    Attributes
    ----------
    name : str
        Unique within the analyzer: ``explained_variance``.
    title, reading : str
        Its heading, and a sentence on how to read it.
    layout : {"overlay", "panels"}
        Whether several models share one pair of axes or stand side by side.
    draw : callable
        ``draw(result, axes, style)``: draws one result, with axis labels, and sets no limits that another
        result would break.
    shares_axes : bool
        Whether panels have the same limits on both axes.
    """

    name: str
    title: str
    reading: str
    layout: Literal["overlay", "panels"]
    draw: Callable[[Any, Axes, Style], None]
    shares_axes: bool = True


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Result(ABC):
    """Findings of one analyzer on one table: numbers with their nulls, and pictures of them.

    Attributes
    ----------
    source : Provenance
        Which table it is.
    shape : (int, int)
        Positions and dimensions that were analysed.
    scores : mapping of str to Score
        The scalars that a comparison shows.
    warnings : tuple of str
        What limits the reading of this result.
    """

    kind: ClassVar[str]
    specs: ClassVar[tuple[ScoreSpec, ...]]
    figures: ClassVar[tuple[FigureSpec, ...]]

    source: Provenance
    shape: tuple[int, int]
    scores: Mapping[str, Score]
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for spec in fields(self):
            value = getattr(self, spec.name)
            if isinstance(value, np.ndarray):
                sealed = value.view()
                sealed.setflags(write=False)
                object.__setattr__(self, spec.name, sealed)

    @property
    @abstractmethod
    def finding(self) -> str:
        """One sentence that says what was found, for a reader who does not know the method."""

    @property
    def conclusion(self) -> str | None:
        """A sentence after which nothing more needs to be said of the table; None where there is more to say."""
        return None

    def summary(self) -> dict[str, Score]:
        """The scalars that a comparison shows, in a fixed order."""
        return {spec.name: self.scores[spec.name] for spec in self.specs}

    def to_frame(self) -> pd.DataFrame:
        """Tidy view: one row for each score."""
        import pandas as pd

        rows = [
            {
                "model": self.source.label,
                "component": self.source.component,
                "analyzer": self.kind,
                "score": name,
                "value": score.value,
                "null": score.null,
                "null_mean": score.null_mean,
                "null_low": score.null_low,
                "null_high": score.null_high,
                "p_value": score.p_value,
            }
            for name, score in self.summary().items()
        ]
        return pd.DataFrame(rows)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the pictures, as strict JSON values (no NaN, no Infinity)."""
        body: dict[str, Any] = {"kind": self.kind, "schema": f"probe.{self.kind}/1", "finding": self.finding}
        for spec in fields(self):
            if spec.metadata.get("json", True):
                body[spec.name] = to_json(getattr(self, spec.name))
        body["scores"] = {name: score.to_dict() for name, score in self.summary().items()}
        return body

    def plot(self, ax: Axes | None = None, *, figure: str | None = None, style: Style | None = None) -> Axes:
        """Draw one of its figures and return the axes.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure otherwise.
        figure : str, optional
            Which one; the analyzer's first otherwise.
        style : Style, optional
            Colour, line style and label.

        Raises
        ------
        ProbeError
            If there is no figure of that name.
        """
        named = {spec.name: spec for spec in self.figures}
        chosen = self.figures[0] if figure is None else named.get(figure)
        if chosen is None:
            raise ProbeError(f"{self.kind} draws no figure named {figure!r}.", f"It draws {', '.join(named)}.")
        if ax is None:
            from matplotlib.figure import Figure

            ax = Figure(figsize=(6.0, 4.0), layout="constrained").subplots()
        chosen.draw(self, ax, style or Style(label=self.source.label))
        return ax

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.source.label}: {self.finding}>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th scope='row' style='text-align:left'>{escape(spec.label)}</th>"
            f"<td>{escape(format_value(self.scores[spec.name].value, spec.form))}</td>"
            f"<td>{escape(format_null(self.scores[spec.name], spec.form))}</td></tr>"
            for spec in self.specs
        )
        return (
            f"<div><p><strong>{escape(self.source.label)} · {escape(self.kind)}</strong><br>{escape(self.finding)}</p>"
            f"<table><thead><tr><th>score</th><th>value</th><th>null</th></tr></thead><tbody>{rows}</tbody></table></div>"
        )


ResultType = TypeVar("ResultType", bound=Result, covariant=True)


@dataclass(frozen=True, kw_only=True)
class Analyzer(ABC, Generic[ResultType]):
    """One question to a table. Parameters are fields; the call is pure.

    Attributes
    ----------
    seed : int
        Seeds the nulls; the same seed gives the same numbers.
    draws : int
        Tables drawn of each null; with n of them no p-value is below 1 / (n + 1). 0 draws none.
    """

    name: ClassVar[str]
    question: ClassVar[str]
    misleads: ClassVar[str]
    method: ClassVar[str]
    accepts: ClassVar[tuple[type, ...]] = (PositionTable,)
    order: ClassVar[int] = 100
    result_type: ClassVar[type[Result]]

    seed: int = 0
    draws: int = DEFAULT_DRAWS

    def __call__(self, table: TableLike) -> ResultType:
        """Analyse a table (or an array, position by dimension) beside its nulls.

        Raises
        ------
        TableError
            If it has fewer than two rows, a value that is not finite, or no difference between rows.
        """
        from probe.analyzers.nulls import run

        results = run((self,), table, draws=self.draws, seed=self.seed)
        return cast(ResultType, results[self.name])

    @abstractmethod
    def measure(self, view: TableView) -> Mapping[str, float | None]:
        """Give the scores alone, of the real table and of each null draw alike; cheap, and None where undefined."""

    @abstractmethod
    def interpret(self, view: TableView, source: Provenance, scores: Mapping[str, Score]) -> ResultType:
        """Give the whole result for the real table."""

    def undefined(self, view: TableView, score: str) -> str:
        """Say why a score has no value on this table."""
        return f"{score} is not defined for a table of {view.positions} × {view.dimensions}"


def as_table(table: TableLike) -> PositionTable:
    """Take a table, or make one of an array.

    Raises
    ------
    TableError
        If it is a kernel, a name, or no two-dimensional array of numbers.
    """
    if isinstance(table, PositionTable):
        return table
    if isinstance(table, OffsetKernel):
        raise TableError(
            f"{table.label} is a relative encoding ({table.scheme}): it has a value for each offset, no row for each "
            "position.",
            "Choose a component with an absolute table; `probe show` lists them.",
        )
    if isinstance(table, str):
        raise TableError(f"{table!r} is a name, not a table.", f"Load it first: probe.load({table!r}).")
    return table_from_values(table)


def to_json(value: Any) -> Any:
    """Turn a value into strict JSON: arrays to lists, floats to six significant digits, nothing infinite."""
    if isinstance(value, np.ndarray):
        return to_json(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): to_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_json(item) for item in value]
    if isinstance(value, (float, np.floating)):
        return float(f"{float(value):.6g}") if math.isfinite(value) else None
    if isinstance(value, np.generic):
        return value.item()
    to_dict = getattr(value, "to_dict", None)
    if to_dict is not None:
        return to_json(to_dict())
    named = getattr(value, "__dataclass_fields__", None)
    return value if named is None else {name: to_json(getattr(value, name)) for name in named}


_FORMATS: dict[str, Callable[[float], str]] = {
    "share": lambda value: f"{value:.3f}",
    "number": lambda value: f"{value:,.3g}" if abs(value) < 1000 else f"{value:,.0f}",
    "count": lambda value: f"{value:,.0f}",
    "positions": lambda value: f"{value:,.3g}" if abs(value) < 1000 else f"{value:,.0f}",
}


def format_value(value: float | None, form: str) -> str:
    """Print a score the way its kind is printed."""
    return "–" if value is None else _FORMATS[form](value)


def format_null(score: Score, form: str) -> str:
    """Print what the strictest null gives, or why there is none."""
    null = score.headline
    if null is None:
        return score.reason or "no null drawn"
    low, high = format_value(null.low, form), format_value(null.high, form)
    return f"{null.null}: {format_value(null.mean, form)} [{low}, {high}], p = {null.p_value:.3f}"


def kept_from_json() -> Any:
    """Keep a large array out of JSON: it can be computed again from the table."""
    return field(metadata={"json": False})
