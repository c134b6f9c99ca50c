"""Is a table sinusoidal, to rounding error, and in which convention? The inverse of :mod:`probe.sinusoids`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from probe.numerics.turning import Turning, measure_turning, significand_bits, turns_once
from probe.sinusoids import VASWANI, Convention, Divisor, Layout, sinusoidal
from probe.wording import in_percent, with_commas

Floats = npt.NDArray[np.float64]
Verdict = Literal["exactly sinusoidal", "close to sinusoidal, not exactly", "not sinusoidal"]

CLOSE = 0.9
_ROUND = 3
_FEWEST_ROWS = 4
_FEWEST_TO_BE_CLOSE = 8
_FITTED = 0.1
_SINGLE = 2.0**-24
_FEW_UNITS = 8.0
_UNITS = {"bfloat16": 2.0**-8, "float16": 2.0**-11, "float32": 2.0**-24, "float64": 2.0**-53}
"""Half the spacing of numbers near 1."""

_PRECISIONS = {8: "bfloat16", 11: "float16", 24: "float32", 53: "float64"}
_SMALLEST = {8: 0.0, 11: 2.0**-24, 24: 0.0, 53: 0.0}
_IN_WORDS: dict[Layout, str] = {
    "interleaved": "sine and cosine in turn",
    "halves": "sines first, then cosines",
    "halves_cosine_first": "cosines first, then sines",
}
_OTHER_WAY_ROUND: dict[Layout, Layout] = {"halves": "halves_cosine_first"}


@dataclass(frozen=True, kw_only=True)
class SinusoidMatch:
    """Which sin/cos formula does a table follow, and how closely?

    Attributes
    ----------
    layout : {"interleaved", "halves", "halves_cosine_first"}
    divisor : {"d/2", "d/2-1"}
    base : float or None
        None where there is one frequency only, which any base gives.
    offset : int
        Added to the position.
    amplitude : float
        What the formula is multiplied by.
    r2 : float
        Share of the variance between positions that the formula accounts for, column by column.
    maximum_deviation : float
        Largest difference from the formula, as a share of the amplitude.
    precision : str
        The narrowest of bfloat16, float16, float32 and float64 that holds every value.
    exact : bool
        Whether every difference is within the rounding of that precision.
    zero_rows : tuple of int
        Rows that are all zero (a padding index) and were left out.

    Notes
    -----
    Rounding allows each value a relative error of 2 units of its precision, and each angle 4 units of float32
    per position, because many tables were computed in float32 before they were stored. A tenth of a unit more
    covers what the fitted base and amplitude inherit of the rounding.
    """

    layout: Layout
    divisor: Divisor
    base: float | None
    offset: int
    amplitude: float
    r2: float
    maximum_deviation: float
    precision: str
    exact: bool
    zero_rows: tuple[int, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """In words."""
        return "exactly sinusoidal" if self.exact else "close to sinusoidal, not exactly"

    @property
    def sentence(self) -> str:
        """The verdict and the formula, as the rest of a sentence that begins "The table is"."""
        base = "" if self.base is None else f" with base {with_commas(self.base)}"
        spelling = f"{_IN_WORDS[self.layout]}, divisor {self.divisor}, positions counted from {self.offset}"
        if self.exact:
            stored = self.maximum_deviation <= _FEW_UNITS * _UNITS[self.precision]
            rounding = self.precision if stored else "angles in float32"
            return (
                f"{self.verdict}: every value follows the sin/cos formula{base} ({spelling}), to the rounding of "
                f"{rounding}."
            )
        return (
            f"{self.verdict}: the sin/cos formula{base} ({spelling}) accounts for {in_percent(self.r2)} of what tells "
            f"positions apart, and values stray from it by up to {with_commas(100 * self.maximum_deviation)} % of its "
            "amplitude."
        )

    def to_dict(self) -> dict[str, Any]:
        """Every field, as JSON."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def recognise(table: npt.ArrayLike) -> SinusoidMatch | None:
    """Which sin/cos formula does a table follow?

    Parameters
    ----------
    table : array_like, shape (position, dimension)
        Finite values.

    Returns
    -------
    SinusoidMatch or None
        None when no convention of :class:`probe.sinusoids.Convention` accounts for nine tenths of the variance
        between positions, value by value. A sinusoid whose dimensions were mixed or reordered is not recognised.

    Notes
    -----
    The frequencies, the offset and the amplitude are measured, the table is made anew from the convention and
    compared. Any base goes with either divisor (only the ratio of frequencies is seen): 10,000 is preferred where
    it fits, then a base of at most three digits, then the paper's divisor.

    Examples
    --------
    >>> match = recognise(sinusoidal(64, 16, Convention(layout="halves", divisor="d/2-1", offset=2)))
    >>> match.layout, match.divisor, match.base, match.offset, match.exact
    ('halves', 'd/2-1', 10000.0, 2, True)
    """
    values = np.asarray(table, dtype=np.float64)
    layouts = [layout for layout in _layouts(values.shape[1]) if _may_turn(values, layout)]
    rows = np.flatnonzero(values.any(axis=1)) if layouts else np.empty(0, dtype=np.intp)
    if len(rows) < max(_FEWEST_ROWS, len(values) // 2):
        return None
    known = _Known(values, rows)
    matches = [match for layout in layouts if (match := _match(known, layout)) is not None]
    return max(matches, key=lambda match: (match.exact, match.r2), default=None)


def _may_turn(values: Floats, layout: Layout) -> bool:
    """Whether the first pair of columns turns by about a radian per position: a glance that dismisses most tables."""
    half = values.shape[1] // 2
    if half == 0:
        return False
    first, second = values[:, 0], values[:, 1 if layout == "interleaved" else half]
    scale = max(float(np.abs(first).max()), float(np.abs(second).max()))
    pair: npt.NDArray[np.complex128] = (second + 1j * first)[:, None]
    return scale > 0.0 and turns_once(pair / scale, np.arange(len(values)))


class _Known:
    """The rows that are not zero, scaled to a largest magnitude of 1, and how precise they are."""

    def __init__(self, values: Floats, rows: npt.NDArray[np.intp]) -> None:
        self.bits = significand_bits(values)
        self.scale = float(np.abs(values).max())
        self.rows, self.length = rows, len(values)
        self.values = values[rows] / self.scale
        self.dimensions = values.shape[1]
        centred = self.values - self.values.mean(axis=0)
        self.variance = float(np.square(centred).sum())
        self.zero_rows = tuple(int(row) for row in np.setdiff1d(np.arange(len(values)), rows))

    def pairs(self, layout: Layout) -> npt.NDArray[np.complex128]:
        half = self.dimensions // 2
        if layout == "interleaved":
            return self.values[:, 1 : 2 * half : 2] + 1j * self.values[:, 0 : 2 * half : 2]
        return self.values[:, half : 2 * half] + 1j * self.values[:, :half]


def _layouts(dimensions: int) -> tuple[Layout, ...]:
    return ("halves", "interleaved") if dimensions == 2 else ("interleaved", "halves")


def _match(known: _Known, layout: Layout) -> SinusoidMatch | None:
    turning = measure_turning(known.pairs(layout), known.rows)
    if turning is None:
        return None
    if turning.clockwise:
        if layout not in _OTHER_WAY_ROUND:
            return None
        layout = _OTHER_WAY_ROUND[layout]
    elif known.dimensions == 2:
        layout = "interleaved"
    tried = []
    for convention in dict.fromkeys(_spellings(known.dimensions, layout, turning)):
        match = _compared(known, convention)
        if match.exact:
            return match
        tried.append(match)
    closest = max(match.r2 for match in tried)
    if closest < CLOSE or len(known.rows) < _FEWEST_TO_BE_CLOSE:
        return None
    slack = 9 * (1 - closest) / known.values.size  # three standard errors of one fitted parameter
    return next(match for match in tried if closest - match.r2 <= slack)


def _spellings(dimensions: int, layout: Layout, turning: Turning) -> Iterator[Convention]:
    """Conventions with these frequencies, the most usual first."""
    half = dimensions // 2
    steps: dict[Divisor, float] = {"d/2": dimensions / 2}
    if half > 1:
        steps["d/2-1"] = half - 1
    if half == 1:
        yield Convention(layout=layout, offset=turning.offset)
        return
    bases = {divisor: float(np.exp(min(turning.step * count, 700.0))) for divisor, count in steps.items()}
    near = [divisor for divisor, base in bases.items() if abs(np.log(base / VASWANI.base)) < 0.1]
    for divisor in near:
        yield Convention(layout=layout, divisor=divisor, offset=turning.offset)
    for digits in range(1, _ROUND + 1):
        for divisor, base in bases.items():
            yield Convention(layout=layout, divisor=divisor, base=float(f"{base:.{digits}g}"), offset=turning.offset)
    yield Convention(layout=layout, base=bases["d/2"], offset=turning.offset)


def _compared(known: _Known, convention: Convention) -> SinusoidMatch:
    """Hold the values against the formula."""
    formula = sinusoidal(known.length, known.dimensions, convention)[known.rows]
    amplitude = float(np.vdot(formula, known.values) / np.vdot(formula, formula))
    missed = known.values - amplitude * formula
    centred = missed - missed.mean(axis=0)
    unit = max(2.0 * 2.0**-known.bits, 2 * _SINGLE)
    angle_error = _FITTED * unit + 4 * _SINGLE * (1 + np.abs(known.rows + convention.offset))[:, None]
    allowed = amplitude * (unit * np.abs(formula) + angle_error) + _SMALLEST[known.bits] / known.scale
    single = known.dimensions // 2 == 1
    return SinusoidMatch(
        layout=convention.layout,
        divisor=convention.divisor,
        base=None if single else convention.base,
        offset=convention.offset,
        amplitude=amplitude * known.scale,
        r2=1.0 - float(np.square(centred).sum()) / known.variance,
        maximum_deviation=float(np.abs(missed).max() / abs(amplitude)) if amplitude else 0.0,
        precision=_PRECISIONS[known.bits],
        exact=bool((np.abs(missed) <= allowed).all()),
        zero_rows=known.zero_rows,
    )
