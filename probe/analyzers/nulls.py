"""What would a table without position score? The nulls, and the run that holds every score against them.

A null is a way of drawing tables that keep something of the real one and hold no code of position.
Each draw is made once and given to every analyzer, and it depends on the seed, the null and the draw's
number alone: an analyzer gets the same numbers by itself as in a report.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from probe.analyzers.contract import Analyzer, Result, TableLike, as_table
from probe.analyzers.scores import NullComparison, Score, ScoreSpec
from probe.defaults import DEFAULT_DRAWS
from probe.encodings import PositionTable
from probe.errors import TableError
from probe.numerics.view import NoiseView, TableView

_LARGEST = 1e60
_LARGEST_KEPT = 31 * 2**20
Measured = Mapping[str, Mapping[str, float | None]]


@dataclass(frozen=True, kw_only=True)
class Null:
    """A kind of table that holds no position.

    Attributes
    ----------
    name : str
    keeps, asks : str
        What it keeps of the real table, and the question a score answers by beating it.
    draw : callable
        ``draw(view, generator)`` makes one such table.
    """

    name: str
    keeps: str
    asks: str
    draw: Callable[[TableView, np.random.Generator], TableView]


def _gaussian(view: TableView, generator: np.random.Generator) -> TableView:
    noise = generator.standard_normal((view.positions, view.dimensions), dtype=np.float32)
    noise -= noise.mean(axis=0)
    scale = max(float(view.deviations.max()), float(np.abs(view.mean).max()))  # no score depends on it
    noise *= (view.deviations / scale / np.sqrt(np.square(noise).mean(axis=0))).astype(np.float32)
    return NoiseView(noise, view.mean / scale)


def _shuffled(view: TableView, generator: np.random.Generator) -> TableView:
    return view.permuted(generator.permutation(view.positions))


NULLS: tuple[Null, ...] = (
    Null(
        name="gaussian",
        keeps="the mean and the variance of each dimension",
        asks="Is there anything at all?",
        draw=_gaussian,
    ),
    Null(
        name="shuffled",
        keeps="the rows, but not their order",
        asks="Does the order of the rows matter?",
        draw=_shuffled,
    ),
)
"""From the weakest to the strictest; a later one is a row here. The seed of a draw counts its place in this tuple."""


def run(
    analyzers: Sequence[Analyzer[Result]],
    table: TableLike,
    *,
    draws: int = DEFAULT_DRAWS,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> dict[str, Result]:
    """What do these analyzers find in a table, beside its nulls?

    Parameters
    ----------
    analyzers : sequence of Analyzer
        Each draw is shared by all of them.
    table : PositionTable or array_like, shape (position, dimension)
    draws : int
        Tables drawn of each null. With n draws the smallest p-value is 1 / (n + 1): below 20 no score can
        reach p < .05.
    seed : int
    progress : callable, optional
        Told the name of each stage as it begins.

    Returns
    -------
    dict of str to Result
        By the analyzer's name.

    Raises
    ------
    TableError
        If the table cannot be analysed: fewer than two rows, values that are not finite, rows all alike.
    """
    tell = progress or (lambda stage: None)
    _keep_memory()
    checked = check(as_table(table))
    with threadpool_limits(limits=1):
        view = TableView(checked.array)
        measured = {analyzer.name: analyzer.measure(view) for analyzer in analyzers}
        tell(f"{draws} tables of each null")
        samples = _draw(view, analyzers, draws, seed) if draws else {}
        results = {}
        for analyzer in analyzers:
            tell(analyzer.name)
            scores = _scores(analyzer, view, measured[analyzer.name], samples)
            results[analyzer.name] = analyzer.interpret(view, checked.provenance, scores)
    return results


def _keep_memory() -> None:
    """Let the allocator keep what is freed.

    glibc hands arrays of a few MB back to the system when they are freed, and fetching them anew for every draw
    costs a fifth of it; one large array that comes and goes raises that limit. It is never touched.
    """
    np.empty(_LARGEST_KEPT, dtype=np.uint8)


def _draw(view: TableView, analyzers: Sequence[Analyzer[Result]], draws: int, seed: int) -> dict[str, list[Measured]]:
    """Scores of every analyzer on each draw of each null, spread over the cores.

    The nulls take turns: most LAPACK calls of the first hold Python's lock, most arithmetic of the others does not.
    """

    def one(job: int) -> Measured:
        number, index = divmod(job, len(NULLS))
        drawn = NULLS[index].draw(view, np.random.default_rng((seed, index, number)))
        held = (analyzer for analyzer in analyzers if _varies(analyzer, NULLS[index].name))
        return {analyzer.name: analyzer.measure(drawn) for analyzer in held}

    with ThreadPoolExecutor(max_workers=min(os.cpu_count() or 1, 8)) as pool:
        measured = list(pool.map(one, range(draws * len(NULLS))))
    return {null.name: measured[index :: len(NULLS)] for index, null in enumerate(NULLS)}


def _is_drawn(spec: ScoreSpec, null: str) -> bool:
    return spec.without_null is None and null not in spec.unchanged_by


def _varies(analyzer: Analyzer[Result], null: str) -> bool:
    return any(_is_drawn(spec, null) for spec in analyzer.result_type.specs)


def _scores(
    analyzer: Analyzer[Result],
    view: TableView,
    values: Mapping[str, float | None],
    samples: Mapping[str, list[Measured]],
) -> dict[str, Score]:
    scores = {}
    for spec in analyzer.result_type.specs:
        value = values[spec.name]
        against = []
        for null, drawn in samples.items():
            if value is not None and _is_drawn(spec, null):
                comparison = compare(null, value, [draw[analyzer.name][spec.name] for draw in drawn], spec.tail)
                against += [] if comparison is None else [comparison]
        reason = spec.without_null or (None if samples else "no null was drawn")
        if value is None:
            reason = analyzer.undefined(view, spec.name)
        scores[spec.name] = Score(
            value=value, against=tuple(against), unchanged_by=dict(spec.unchanged_by), reason=reason
        )
    return scores


def compare(null: str, value: float, sample: Sequence[float | None], tail: str) -> NullComparison | None:
    """How does a value stand among the same score on the draws of a null?

    Draws without a value count as less extreme; None when no draw has one.
    """
    defined: npt.NDArray[np.float64] = np.array([draw for draw in sample if draw is not None], dtype=np.float64)
    if defined.size == 0:
        return None
    slack = 1e-12 * max(abs(value), float(np.abs(defined).max()))
    extreme = defined >= value - slack if tail == "high" else defined <= value + slack
    low, high = np.percentile(defined, (2.5, 97.5))
    return NullComparison(
        null=null,
        draws=int(defined.size),
        mean=float(defined.mean()),
        low=float(low),
        high=float(high),
        p_value=float((1 + np.count_nonzero(extreme)) / (len(sample) + 1)),
    )


def check(table: PositionTable) -> PositionTable:
    """Refuse what cannot be analysed, and say which rows are at fault."""
    rows, dimensions = table.shape
    if rows < 2:
        raise TableError(
            f"{table.label} holds {rows} position{'' if rows == 1 else 's'}: nothing can be said of order.",
            "An analysis takes at least two rows; `probe show` lists the tensors that the source holds.",
        )
    broken = np.flatnonzero(~np.isfinite(table.array).all(axis=1))
    if broken.size:
        kind = "NaN" if np.isnan(table.array[broken]).any() else "infinity"
        raise TableError(
            f"{table.label} holds {kind} in {broken.size} of its {rows} rows, first at position {broken[0]}.",
            "The checkpoint is damaged, or training diverged; `probe export` writes the rows for a closer look.",
        )
    largest = float(np.abs(table.array).max(initial=0.0))
    if largest > _LARGEST or 0.0 < largest < 1.0 / _LARGEST:
        raise TableError(
            f"The values of {table.label} go up to {largest:.3g}: their squares cannot be told apart.",
            "The checkpoint is damaged; or scale the table, which no score but the inner products depends on.",
        )
    if dimensions < 1 or not (table.array != table.array[0]).any():
        raise TableError(
            f"All {rows} rows of {table.label} are identical: nothing tells its positions apart.",
            "The table was never trained, or it was overwritten; try another revision of the model.",
        )
    return table


def describe() -> list[dict[str, Any]]:
    """Give each null's name, what it keeps and what it asks, for reports and `probe explain`."""
    return [{"name": null.name, "keeps": null.keeps, "asks": null.asks} for null in NULLS]
