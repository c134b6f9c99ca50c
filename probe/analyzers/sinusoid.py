"""How much of it is the sin/cos encoding?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from probe.analyzers.contract import Analyzer, Result, TableLike
from probe.analyzers.registry import register
from probe.analyzers.scores import Score
from probe.analyzers.sinusoid_figures import FIGURES
from probe.analyzers.sinusoid_scores import SCORES
from probe.defaults import DEFAULT_DRAWS
from probe.encodings import Provenance
from probe.numerics.base_search import BaseFit, BaseGrid
from probe.numerics.shift import FEWEST_PAIRS, fits, linear_shifts, turning
from probe.numerics.sinusoid_fit import linear_cka
from probe.numerics.view import TableView
from probe.recognition import SinusoidMatch, Verdict, recognise
from probe.sinusoids import VASWANI, Convention, frequencies, sinusoidal
from probe.wording import in_percent, with_commas

Floats = npt.NDArray[np.float64]

OFFSETS = (1, 4, 16, 64)
LONGEST = 4096
_FEWEST_POSITIONS = 4
_NOTHING_LEFT = 1e-6
_ACCIDENT = 0.05


@dataclass(frozen=True, eq=False)
class _Reference:
    """What every table of one size is held against."""

    grid: BaseGrid
    table: Floats
    compressed: Floats
    norm: float

    @property
    def rank(self) -> int:
        return int(self.grid.spaces.ranks[self.grid.usual])


@lru_cache(maxsize=4)
def _reference(positions: int, dimensions: int) -> _Reference:
    a_decade = 10 if positions <= 1024 else 5
    bases = 10.0 ** (np.arange(a_decade, 7 * a_decade + 1) / a_decade)
    grid = BaseGrid(positions, bases, lambda base: frequencies(dimensions, Convention(base=base)), VASWANI.base)
    table = sinusoidal(positions, dimensions)
    table -= table.mean(axis=0)
    table /= np.linalg.norm(table)
    compressed = grid.spaces.compress(table)
    norm = float(np.sqrt(grid.spaces.alignment(compressed, compressed)))
    return _Reference(grid=grid, table=table, compressed=compressed, norm=norm)


@dataclass(frozen=True, eq=False)
class _Fit:
    """How a table stands to the sines and cosines of one grid of bases."""

    reference: _Reference
    centred: Floats
    base_r2: Floats
    best: BaseFit | None
    cka: float

    @property
    def vaswani_r2(self) -> float:
        return float(self.base_r2[self.reference.grid.usual])


def _match_of(view: TableView) -> SinusoidMatch | None:
    return view.once("convention", lambda: recognise(view.array))


def _fit_of(view: TableView) -> _Fit | None:
    return view.once("sinusoidal fit", lambda: _fit(view, _match_of(view)))


def _fit(view: TableView, match: SinusoidMatch | None) -> _Fit | None:
    if view.positions < _FEWEST_POSITIONS or view.dimensions < 2:
        return None
    centred = view.centred
    if view.positions > LONGEST:
        centred = view.centred[:LONGEST] - view.centred[:LONGEST].mean(axis=0)
    largest = np.abs(centred).max()
    if largest == 0.0:
        return None
    centred = centred / largest
    reference = _reference(*centred.shape)
    grid = reference.grid
    whole = view.positions <= min(view.dimensions, LONGEST)
    compressed = grid.spaces.compress_gram(view.gram) if whole else grid.spaces.compress(centred)
    best = grid.best(compressed, _shown(match, view.dimensions)) if view.dimensions > 2 else None
    return _Fit(
        reference=reference,
        centred=centred,
        base_r2=grid.spaces.shares(compressed),
        best=best,
        cka=_cka(view, centred, compressed, reference),
    )


def _shown(match: SinusoidMatch | None, dimensions: int) -> tuple[float, Floats] | None:
    """The base that the columns show, and its frequencies."""
    if match is None or match.base is None:
        return None
    convention = Convention(layout=match.layout, divisor=match.divisor, base=match.base)
    return match.base, frequencies(dimensions, convention)


def _cka(view: TableView, centred: Floats, compressed: Floats, reference: _Reference) -> float:
    """Linear CKA with the reference; from the compressed tables where the eigenvalues are those of the whole."""
    if view.dimensions % 2 or len(centred) < view.positions:
        return linear_cka(centred, reference.table)
    spread = float(np.linalg.norm(view.eigenvalues) / view.eigenvalues.sum())
    return reference.grid.spaces.alignment(compressed, reference.compressed) / (spread * reference.norm)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class SinusoidResult(Result):
    """How much of it is the sin/cos encoding? Shares of one, without units.

    Attributes
    ----------
    verdict : {"exactly sinusoidal", "close to sinusoidal, not exactly", "not sinusoidal"}
        Whether the formula gives the table, value by value.
    convention : SinusoidMatch or None
        Which formula: layout, divisor, base, offset, and how far the values deviate from it.
    vaswani_rank : int
        Dimensions of the space of the Transformer's frequencies.
    vaswani_chance : float
        ``rank / (n − 1)``, what a random table has in it on average.
    bases, base_r2, base_ranks : ndarray, shape (base,)
        The grid of bases, R² on the space of each, and its rank.
    best_base_rank : int
        Dimensions of the space of the best base; 0 where there is none.
    shift_offsets, shift_r2, shift_components : ndarray, shape (offset,)
        Shifts in positions that fit the table, held-out R², and principal components it took.
    eigenvalues_real, eigenvalues_imaginary : ndarray, shape (component,)
        Of the operator that shifts the leading components by one position.
    fitted_positions : int
        Positions that R² and CKA were measured on: the first 4,096 at most.
    table, fitted : ndarray, shape (position, dimension)
        The centred table, scaled to a largest magnitude of 1, and its projection on the best base's space.

    Notes
    -----
    Misleads when the space is large: with many dimensions its frequencies are so dense that they span whatever is
    smooth, which the rank and the nulls show. Principal components of smooth noise shift almost linearly too.
    """

    verdict: Verdict
    convention: SinusoidMatch | None
    vaswani_rank: int
    vaswani_chance: float | None
    bases: Floats
    base_r2: Floats
    base_ranks: npt.NDArray[np.intp]
    best_base_rank: int
    shift_offsets: npt.NDArray[np.intp]
    shift_r2: Floats
    shift_components: npt.NDArray[np.intp]
    eigenvalues_real: Floats
    eigenvalues_imaginary: Floats
    fitted_positions: int
    table: Floats = field(metadata={"json": False})
    fitted: Floats = field(metadata={"json": False})

    kind = "sinusoid"
    specs = SCORES
    figures = FIGURES

    @property
    def conclusion(self) -> str | None:
        """That it is the formula itself, where every value says so."""
        exact = self.convention is not None and self.convention.exact
        return self.finding if exact else None

    @property
    def finding(self) -> str:
        """The verdict, the formula or the share in its space, and what chance would give."""
        if self.convention is not None:
            return f"The table is {self.convention.sentence}"
        score = self.scores["vaswani_r2"]
        if score.value is None:
            return f"A table of {self.shape[0]} × {self.shape[1]} is too small to be held against sines and cosines."
        chance = score.null_mean if score.null_mean is not None else self.vaswani_chance
        return (
            f"The table is not sinusoidal in any known layout: {in_percent(score.value)} of what tells positions apart "
            "lies in the space that sines and cosines of the Transformer's frequencies span; "
            f"{in_percent(chance or 0.0)} would by chance."
        )


@register
@dataclass(frozen=True, kw_only=True)
class Sinusoid(Analyzer[SinusoidResult]):
    """Sines and cosines of geometric frequencies, and the linear shift that they make possible."""

    name: ClassVar[str] = "sinusoid"
    question: ClassVar[str] = "How much of it is the sin/cos encoding?"
    method: ClassVar[str] = (
        "R² is the share of the centred table's energy on the span of the centred sinusoidal table of the same size "
        "(singular values above 1e-6 of the largest), of rank r; a random table has r/(n − 1) on average. The best "
        "base, of a grid from 10 to 10 million, is the one with the highest R² adjusted for its rank, "
        "1 − (1 − R²)(n − 1)/(n − 1 − r), refined where that exceeds 0.75. The shift R² is that of the best linear "
        "operator from each row to the row k positions on, fitted on the scores of the leading components (16, or more "
        "where more predict better; those of all rows) and tried on held-out blocks of positions. CKA is "
        "‖XᵀY‖²/(‖XᵀX‖‖YᵀY‖). A table is exactly sinusoidal when the formula, with the "
        "base, offset and amplitude it shows, gives back every value to rounding error, and close when it accounts "
        "for nine tenths of the variance."
    )
    misleads: ClassVar[str] = (
        "Sines and cosines of many dense frequencies span whatever is smooth: hold R² against r/(n − 1) and the nulls. "
        "A shift of a smooth random series is nearly linear too (AR(1) noise with correlation 0.9 reaches 0.98 at "
        "k = 1 and 0.8 at k = 64), so a high shift R² proves no sinusoid: a sinusoid gives 1 to rounding."
    )
    order: ClassVar[int] = 30
    result_type: ClassVar[type[Result]] = SinusoidResult

    def measure(self, view: TableView) -> Mapping[str, float | None]:
        """Give R² on the sines, the best base, the linear shifts and CKA."""
        fit = _fit_of(view)
        shifts = {shift.offset: shift.r2 for shift in linear_shifts(view, (1, 16))}
        best = None if fit is None else fit.best
        return {
            "vaswani_r2": None if fit is None else fit.vaswani_r2,
            "best_base": None if best is None else best.base,
            "best_base_r2": None if best is None else best.r2,
            "shift_r2_1": shifts.get(1),
            "shift_r2_16": shifts.get(16),
            "cka": None if fit is None else fit.cka,
        }

    def interpret(self, view: TableView, source: Provenance, scores: Mapping[str, Score]) -> SinusoidResult:
        """Add the curve over bases, the convention, every shift and the fitted table."""
        match = _match_of(view)
        fit = _fit_of(view)
        shifts = linear_shifts(view, OFFSETS)
        turns = turning(view) if fits(view.positions, 1) else np.empty(0, dtype=np.complex128)
        return SinusoidResult(
            source=source,
            shape=(view.positions, view.dimensions),
            scores=scores,
            warnings=_warnings(view, fit, match),
            verdict="not sinusoidal" if match is None else match.verdict,
            convention=match,
            shift_offsets=np.array([shift.offset for shift in shifts], dtype=np.intp),
            shift_r2=np.array([shift.r2 for shift in shifts], dtype=np.float64),
            shift_components=np.array([shift.components for shift in shifts], dtype=np.intp),
            eigenvalues_real=turns.real,
            eigenvalues_imaginary=turns.imag,
            **_fit_fields(fit),
        )

    def undefined(self, view: TableView, score: str) -> str:
        """Say what the table lacks."""
        size = f"a table of {view.positions} × {view.dimensions}"
        if score.startswith("shift"):
            offset = score.rpartition("_")[2]
            return f"a shift by {offset} leaves {size} fewer than {FEWEST_PAIRS} pairs of rows"
        if view.positions < _FEWEST_POSITIONS or view.dimensions < 2:
            return f"{size} is too small: it takes {_FEWEST_POSITIONS} positions and 2 dimensions"
        if view.dimensions == 2:
            return "two dimensions hold one frequency, which is 1 whatever the base"
        return f"for {size} the sines and cosines of every base span all there is"


def _fit_fields(fit: _Fit | None) -> dict[str, Any]:
    """The fields of a result that a fit fills."""
    empty = np.empty(0)
    if fit is None:
        return {
            "vaswani_rank": 0, "vaswani_chance": None, "bases": empty, "base_r2": empty,
            "base_ranks": np.empty(0, dtype=np.intp), "best_base_rank": 0, "fitted_positions": 0,
            "table": np.empty((0, 0)), "fitted": np.empty((0, 0)),
        }  # fmt: skip
    grid, best = fit.reference.grid, fit.best
    chosen = grid.frequencies_of(VASWANI.base) if best is None else best.frequencies
    return {
        "vaswani_rank": fit.reference.rank,
        "vaswani_chance": fit.reference.rank / (len(fit.centred) - 1),
        "bases": grid.bases,
        "base_r2": fit.base_r2,
        "base_ranks": grid.spaces.ranks,
        "best_base_rank": 0 if best is None else best.rank,
        "fitted_positions": len(fit.centred),
        "table": fit.centred,
        "fitted": grid.spaces.fit(fit.centred, chosen),
    }


def _warnings(view: TableView, fit: _Fit | None, match: SinusoidMatch | None) -> tuple[str, ...]:
    found = []
    if match is not None and match.zero_rows:
        listed = ", ".join(str(row) for row in match.zero_rows[:3]) + (" …" if len(match.zero_rows) > 3 else "")
        found.append(f"Rows that are all zero (position {listed}) were left out of the comparison with the formula.")
    if fit is None:
        return tuple(found)
    count = len(fit.centred)
    if count < view.positions:
        found.append(f"R² and CKA are those of the first {count:,} of {view.positions:,} positions.")
    if fit.reference.rank > (count - 1) / 2:
        found.append(
            f"The Transformer's sines and cosines span {fit.reference.rank} of the {count - 1} directions that "
            f"{count} positions have: most of any table lies there, so R² says little."
        )
    if match is None and fit.best is not None and fit.best.adjusted_r2 > 1 - _NOTHING_LEFT:
        found.append(
            f"All of the table lies in the space of sines and cosines with base {with_commas(fit.best.base)}, though "
            "its columns are not those of the formula: so would a sinusoid whose dimensions were mixed, and a very "
            "smooth table."
        )
    if fit.best is not None and fit.best.adjusted_r2 < _ACCIDENT:
        found.append("No base explains more than chance does: the best base is an accident.")
    elif fit.best is not None and fit.best.base in (fit.reference.grid.bases[0], fit.reference.grid.bases[-1]):
        found.append(f"The best base, {with_commas(fit.best.base)}, is at the end of the grid: it may lie beyond.")
    return tuple(found)


def sinusoid(table: TableLike, *, seed: int = 0, draws: int = DEFAULT_DRAWS) -> SinusoidResult:
    """How much of it is the sin/cos encoding?

    Parameters
    ----------
    table : PositionTable or array_like, shape (position, dimension)
    seed, draws : int
        Seed and number of draws of each null; 0 draws none.

    Returns
    -------
    SinusoidResult

    Raises
    ------
    TableError
        If the table has fewer than two rows, a value that is not finite, or no difference between rows.

    Notes
    -----
    Misleads when smoothness is taken for sines: frequencies as dense as those of a wide table span whatever is
    smooth, and a shift of smooth noise is nearly linear. Hold every number against its null.

    References
    ----------
    Vaswani et al. 2017, "Attention Is All You Need", section 3.5 (arXiv 1706.03762), for the formula and for the
    shift as a linear map; Kornblith et al. 2019 (arXiv 1905.00414) for CKA.

    Examples
    --------
    >>> from probe.sinusoids import sinusoidal
    >>> result = sinusoid(sinusoidal(64, 16), draws=0)
    >>> result.verdict, result.convention.base, round(result.scores["shift_r2_16"].value, 6)
    ('exactly sinusoidal', 10000.0, 1.0)
    """
    return Sinusoid(seed=seed, draws=draws)(table)
