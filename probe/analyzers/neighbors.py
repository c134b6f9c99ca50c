"""Do near positions look alike?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from probe.analyzers.contract import Analyzer, FigureSpec, Result, Style, TableLike, kept_from_json
from probe.analyzers.registry import register
from probe.analyzers.scores import Score, ScoreSpec
from probe.defaults import DEFAULT_DRAWS
from probe.encodings import Provenance
from probe.numerics.offsets import (
    half_decay,
    inverse_lengths,
    mean_by_offset,
    mean_by_offset_of_gram,
    mean_of_neighbours,
    mean_of_pairs,
    nearest_in,
    nearest_rows,
)
from probe.numerics.rows import RowWarnings, row_warnings
from probe.numerics.view import TableView
from probe.wording import in_percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MAPPED = 4096
_WHOLE = 2048
_SAMPLED = 512
_DRAWN = 1024
_NAMED = 6
_ROUNDING = 1e-13

Floats = npt.NDArray[np.float64]


def _draw_map(result: NeighborsResult, axes: Axes, style: Style) -> None:
    from seaborn import color_palette

    positions = result.shape[0]
    if result.similarity_map is None:
        axes.text(0.5, 0.5, f"{positions:,} positions:\nno map", ha="center", va="center", transform=axes.transAxes)
        axes.set(xlabel="position", ylabel="position", xticks=[], yticks=[])
        return
    image = axes.imshow(
        _averaged(result.similarity_map, _DRAWN), cmap=color_palette("vlag", as_cmap=True), vmin=-1.0, vmax=1.0,
        extent=(-0.5, positions - 0.5, positions - 0.5, -0.5), interpolation="antialiased", rasterized=True,
    )  # fmt: skip
    axes.set(xlabel="position", ylabel="position")
    if axes.figure is not None:
        axes.figure.colorbar(image, ax=axes, label="cosine, centred", shrink=0.85)


def _averaged(square: npt.NDArray[np.float32], largest: int) -> npt.NDArray[np.float32]:
    """Average blocks until neither side is above ``largest``; a last, partial block averages what it has."""
    step = -(-len(square) // largest)
    if step == 1:
        return square
    edges = np.arange(0, len(square), step)
    sizes = np.diff(np.append(edges, len(square))).astype(np.float32)
    sums: npt.NDArray[np.float32] = np.add.reduceat(np.add.reduceat(square, edges, axis=0), edges, axis=1)
    sums /= np.outer(sizes, sizes)
    return sums


def _draw_by_offset(result: NeighborsResult, axes: Axes, style: Style) -> None:
    import seaborn as sns

    means = result.centred_cosine_by_offset[1:]
    shown = np.isfinite(means)
    axes.set(xscale="log", xlabel="offset (positions)", ylabel="mean cosine, centred")
    axes.xaxis.set_major_formatter("{x:g}")
    sns.lineplot(
        x=result.offsets[1:][shown], y=means[shown], ax=axes, color=style.color, linestyle=style.linestyle,
        label=style.label, linewidth=1.2, estimator=None, sort=False,
    )  # fmt: skip
    if result.centred_mean_cosine is not None:
        axes.axhline(result.centred_mean_cosine, color="0.6", linewidth=0.8, linestyle=(0, (1.0, 2.0)), zorder=0)


_FIGURES = (
    FigureSpec(
        name="similarity_map",
        title="Similarity map",
        reading="Cosine of every pair of positions, after the mean row is taken off. A bright diagonal means that "
        "neighbours are alike; parallel stripes are repeats; squares are blocks that were trained apart; white rows "
        "are like no other, or empty.",
        layout="panels",
        draw=_draw_map,
    ),
    FigureSpec(
        name="similarity_by_offset",
        title="Similarity by offset",
        reading="Mean cosine of two positions against how far apart they are, up to half the table. The dotted line is "
        "chance: the same mean with the rows in any order.",
        layout="overlay",
        draw=_draw_by_offset,
    ),
)

_SPECS = (
    ScoreSpec(
        name="cosine_next",
        label="cosine of neighbours",
        meaning="Mean cosine of a row and the next one, as they are; a mean that all rows share makes it high by "
        "itself.",
        form="share",
    ),
    ScoreSpec(
        name="centred_cosine_next",
        label="the same, centred",
        meaning="Mean cosine of a row and the next one after the mean row is taken off: 0 if order means nothing.",
        form="share",
    ),
    ScoreSpec(
        name="nearest_is_adjacent",
        label="nearest row is next to it",
        meaning="Share of rows whose most similar other row, by centred cosine, is the one before or after.",
        form="share",
    ),
    ScoreSpec(
        name="half_decay_offset",
        label="half-decay offset",
        meaning="First offset at which the mean centred cosine is below half of what it is between neighbours.",
        form="positions",
        without_null="where neighbours are no more alike than chance nothing decays; the centred cosine of neighbours "
        "tests that",
    ),
)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class NeighborsResult(Result):
    """Do near positions look alike? Cosines without units, inner products in the table's units squared.

    Attributes
    ----------
    offsets : ndarray of int, shape (offset,)
        From 0 to half the table.
    cosine_by_offset, centred_cosine_by_offset : ndarray, shape (offset,)
        Mean cosine of two rows so far apart, as they are and less the mean row; NaN without such a pair.
    inner_product_by_offset, centred_inner_product_by_offset : ndarray, shape (offset,)
        Mean inner product, likewise. Zero rows count here.
    mean_cosine, centred_mean_cosine : float or None
        Mean cosine of all pairs of different rows: what an offset gives by chance.
    nearest : ndarray of int, shape (position,)
        The most similar other row by centred cosine, a neighbour winning a tie; −1 where there is none.
    similarity_map : ndarray of float32, shape (position, position), or None
        Centred cosines, 0 where a row has no direction; None above 4,096 positions. Not in the JSON.
    rows : RowWarnings
        Zero rows, runs of identical rows and copies.

    Notes
    -----
    Raw cosines mislead when the rows share a large mean: every pair is then alike. Centred ones sum to
    about zero over all pairs, so that closeness at small offsets must be paid for elsewhere; −1/(n − 1)
    is what unrelated rows of equal length give. Rows of zeros have no direction and are left out of every
    cosine.
    """

    offsets: npt.NDArray[np.int64]
    cosine_by_offset: Floats
    centred_cosine_by_offset: Floats
    inner_product_by_offset: Floats
    centred_inner_product_by_offset: Floats
    mean_cosine: float | None
    centred_mean_cosine: float | None
    nearest: npt.NDArray[np.int64]
    similarity_map: npt.NDArray[np.float32] | None = kept_from_json()  # noqa: RUF009, it gives a field
    rows: RowWarnings

    kind = "neighbors"
    specs = _SPECS
    figures = _FIGURES

    @property
    def finding(self) -> str:
        """How alike neighbours are, held against chance."""
        score = self.scores["centred_cosine_next"]
        adjacent = self.scores["nearest_is_adjacent"].value
        if score.value is None or adjacent is None:
            return "Too few rows have a direction for neighbours to be compared."
        if any(score.value <= null.high for null in score.against):
            return f"Neighbours are no more alike than any two positions (mean centred cosine {score.value:.2f})."
        chance = (
            ""
            if score.null_mean is None
            else f" ({round(score.null_mean, 2) + 0.0:.2f} in random order)".replace("-", "−")
        )
        text = (
            f"Neighbours have a mean centred cosine of {score.value:.2f}{chance}, and the row most like a given one is "
            f"next to it {in_percent(adjacent)} of the time"
        )
        decay = self.scores["half_decay_offset"].value
        return f"{text}." if decay is None else f"{text}; half of the likeness is gone {decay:,.0f} positions apart."


@register
@dataclass(frozen=True, kw_only=True)
class Neighbors(Analyzer[NeighborsResult]):
    """Cosines and inner products by offset, and the nearest row of each."""

    name: ClassVar[str] = "neighbors"
    question: ClassVar[str] = "Do near positions look alike?"
    method: ClassVar[str] = (
        "Cosines of rows as they are, and after the mean row is taken off; rows of zeros are left out. The half-decay "
        "offset is the first, from 2 to half the table, whose mean centred cosine is below half of that at offset 1. "
        "The nearest row is that of the highest centred cosine, a neighbour winning a tie; on tables of more than "
        "2,048 positions the score asks it of 512 evenly spaced rows."
    )
    misleads: ClassVar[str] = (
        "A large mean shared by all rows makes every raw cosine high: read the centred ones. A smooth drift makes "
        "neighbours alike without any code of position. Copied rows are each other's nearest, however far apart."
    )
    order: ClassVar[int] = 40
    result_type: ClassVar[type[Result]] = NeighborsResult

    def measure(self, view: TableView) -> Mapping[str, float | None]:
        """Give the four scalars: two means over neighbours, the nearest rows, the decay."""
        factors, _ = inverse_lengths(view.array)
        centred_factors, directed = _centred_lengths(view)
        furthest, asked = view.positions // 2, np.flatnonzero(directed)
        if view.positions <= _WHOLE:
            cosines = view.gram * centred_factors[:, None] * centred_factors
            means = mean_by_offset_of_gram(cosines, directed, furthest)
            nearest = nearest_in(cosines[directed], directed, asked)
        else:
            rows = view.centred * centred_factors[:, None]
            means = mean_by_offset(rows, directed, furthest)
            asked = asked[np.linspace(0, len(asked) - 1, min(_SAMPLED, len(asked))).astype(np.intp)]
            nearest = nearest_rows(rows, directed, asked)
        nearest, asked = nearest[nearest >= 0], asked[nearest >= 0]
        return {
            "cosine_next": mean_of_neighbours(view.array, factors),
            "centred_cosine_next": mean_of_neighbours(view.centred, centred_factors),
            "nearest_is_adjacent": float(np.mean(np.abs(nearest - asked) == 1)) if asked.size else None,
            "half_decay_offset": half_decay(means),
        }

    def interpret(self, view: TableView, source: Provenance, scores: Mapping[str, Score]) -> NeighborsResult:
        """Add the means by offset, the map, the nearest rows, and a word on rows that hold nothing of their own."""
        factors, raw_directed = inverse_lengths(view.array)
        centred_factors, directed = _centred_lengths(view)
        raw, rows = view.array * factors[:, None], view.centred * centred_factors[:, None]
        furthest, everywhere = view.positions // 2, np.ones(view.positions, dtype=np.bool_)
        nearest = np.full(view.positions, -1, dtype=np.int64)
        nearest[directed] = nearest_rows(rows, directed, np.flatnonzero(directed))
        facts = row_warnings(view)
        return NeighborsResult(
            source=source,
            shape=(view.positions, view.dimensions),
            scores=scores,
            warnings=_warnings(facts, view.positions),
            offsets=np.arange(furthest + 1),
            cosine_by_offset=mean_by_offset(raw, raw_directed, furthest),
            centred_cosine_by_offset=mean_by_offset(rows, directed, furthest),
            inner_product_by_offset=mean_by_offset(view.array, everywhere, furthest),
            centred_inner_product_by_offset=mean_by_offset(view.centred, everywhere, furthest),
            mean_cosine=mean_of_pairs(raw, raw_directed),
            centred_mean_cosine=mean_of_pairs(rows, directed),
            nearest=nearest,
            similarity_map=_map(rows) if view.positions <= _MAPPED else None,
            rows=facts,
        )

    def undefined(self, view: TableView, score: str) -> str:
        """Say which pairs are missing, or that the likeness does not fall to half."""
        if score == "half_decay_offset":
            return (
                f"the mean centred cosine is not positive between neighbours, or does not fall below half of that "
                f"within {view.positions // 2} positions"
            )
        if score == "nearest_is_adjacent":
            return "fewer than two rows have a direction"
        return "no two neighbouring rows both have a direction"


def _centred_lengths(view: TableView) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Rows of zeros have no direction here either, nor has a row that is the mean but for rounding."""
    lengths = np.sqrt(np.vecdot(view.array, view.array))
    floor = np.where(lengths > 0.0, _ROUNDING * (lengths + np.linalg.norm(view.mean)), np.inf)
    return inverse_lengths(view.centred, floor)


def _map(rows: Floats) -> npt.NDArray[np.float32]:
    single = rows.astype(np.float32)
    cosines: npt.NDArray[np.float32] = single @ single.T
    return np.clip(cosines, -1.0, 1.0, out=cosines)


def _warnings(facts: RowWarnings, positions: int) -> tuple[str, ...]:
    """Word what the rows show, for a reader of any analysis of this table."""
    said = []
    if facts.zero:
        said.append(
            f"{_counted(len(facts.zero), 'row')} of zeros, at {_listed(facts.zero)}: no direction, left out of every "
            "cosine."
        )
    if facts.runs:
        first, last = facts.runs[0]
        others = len(facts.runs) - 1
        tail = f", and {_counted(others, 'shorter run')}" if others else ""
        said.append(f"Positions {first} to {last} hold identical rows{tail}: copies of one row, no code of position.")
    if facts.lag is not None and facts.lag_rows >= 0.9 * (positions - facts.lag):
        said.append(
            f"The table repeats itself every {facts.lag:,} positions: {facts.lag_rows:,} rows are exact copies of the "
            f"row {facts.lag:,} before."
        )
    elif facts.lag is not None:
        said.append(
            f"{_counted(facts.lag_rows, 'row')} duplicate an earlier row exactly, {facts.lag:,} positions before "
            f"(of {facts.copies:,} copies in all)."
        )
    return tuple(said)


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _listed(positions: tuple[int, ...]) -> str:
    named = ", ".join(str(position) for position in positions[:_NAMED])
    kind = "position" if len(positions) == 1 else "positions"
    return f"{kind} {named}" + (f" and {len(positions) - _NAMED:,} more" if len(positions) > _NAMED else "")


def neighbors(table: TableLike, *, seed: int = 0, draws: int = DEFAULT_DRAWS) -> NeighborsResult:
    """Do near positions look alike?

    Parameters
    ----------
    table : PositionTable or array_like, shape (position, dimension)
    seed, draws : int
        Seed and number of draws of each null; 0 draws none.

    Returns
    -------
    NeighborsResult

    Raises
    ------
    TableError
        If the table has fewer than two rows, a value that is not finite, or no difference between rows.

    Notes
    -----
    Misleads when the rows share a large mean, which makes every raw cosine high; the centred ones do
    without it. Any smooth table has like neighbours, whether or not it tells positions apart for a model.

    References
    ----------
    Wang et al. 2021, "On Position Embeddings in BERT" (ICLR), for similarity as a function of offset.

    Examples
    --------
    >>> from probe.sinusoids import sinusoidal
    >>> result = neighbors(sinusoidal(64, 16), draws=0)
    >>> round(float(result.cosine_by_offset[1]), 3)
    0.936
    """
    return Neighbors(seed=seed, draws=draws)(table)
