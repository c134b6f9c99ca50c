"""Spectral lines: periods that stand out of a smooth spectrum, over all dimensions together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import scipy.fft

from probe.numerics.harmonic import Band, bands, cauchy_combination, line_shares, p_values, p_values_at
from probe.numerics.spectrum import detrend, parabola_peak

Floats = npt.NDArray[np.float64]
Singles = npt.NDArray[np.float32]

LEVEL = 0.01
"""Corrected p-value below which a period counts as a line."""

_MIXTURES = 16
_SCREENED = 24
_CHUNK = 64


@dataclass(frozen=True, kw_only=True)
class Line:
    """A period that the table repeats at.

    Attributes
    ----------
    period : float
        In positions.
    p_value : float
        Over all dimensions together, multiplied by the number of frequencies tested.
    energy_share : float
        Share of the centred energy in the sine and cosine of this period, were it the only one.
    dimensions : int
        How many dimensions show it by themselves: p below .05 over the number of dimensions.
    """

    period: float
    p_value: float
    energy_share: float
    dimensions: int


def period_limits(positions: int) -> tuple[float, float] | None:
    """The shortest and the longest period that can be told from a trend on so many positions."""
    tested = [frequency for band in bands(positions) for frequency in band.frequencies]
    return (1.0 / tested[-1], 1.0 / tested[0]) if tested else None


def find_lines(centred: Floats) -> tuple[Line, ...]:
    """Which periods stand out of their neighbourhood in the spectrum?

    Parameters
    ----------
    centred : ndarray, shape (position, dimension)
        The table less its column means.

    Returns
    -------
    tuple of Line
        The one with most energy first; empty where no period is significant, or none can be tested.

    Notes
    -----
    Each dimension is tested by itself, and the p-values of a frequency are combined over dimensions by
    the Cauchy combination. A cheap screen comes first: mixtures of all dimensions with fixed random signs,
    which see a line spread over many, and the dimensions whose own spectra peak most sharply, with a
    p-value multiplied by the number of dimensions, which see a line that sits in a few. Only where the
    screen finds a line is every dimension tested. Frequencies count by Bonferroni over the whole grid.
    """
    series = _standardised(centred)
    tested = bands(len(centred)) if len(series) else ()
    if not tested:
        return ()
    count = sum(band.frequencies.size for band in tested)
    corrected = [count * p_value for p_value in _screen(series, tested)]
    if min(float(p_value.min()) for p_value in corrected) >= LEVEL:
        return ()
    if len(series) > _SCREENED + _MIXTURES:
        for band, p_value in zip(tested, corrected, strict=True):
            np.minimum(p_value, 2 * count * _over_all(series, band), out=p_value)
    found = [
        _describe(series, centred, tested[place], index, float(corrected[place][index]))
        for place, index in _peaks(corrected, tested, len(centred))
    ]
    return tuple(sorted(found, key=lambda line: -line.energy_share))


def energy_share(centred: Floats, periods: tuple[float, ...]) -> float:
    """Share of the centred energy in the sines and cosines of these periods together, beside the trend."""
    if not periods:
        return 0.0
    waves = _waves(len(centred), np.array(periods))
    left, sizes, _ = np.linalg.svd(detrend(waves), full_matrices=False)
    basis = left[:, sizes > 1e-6 * sizes[0]]
    scale = np.abs(centred).max()
    scaled = centred / scale
    return float(np.square(basis.T @ scaled).sum() / np.square(scaled).sum())


def _waves(positions: int, periods: Floats) -> Floats:
    angles = 2 * np.pi * np.arange(positions)[:, None] / periods
    return np.concatenate([np.cos(angles), np.sin(angles)], axis=1)


def _standardised(centred: Floats) -> Singles:
    """Detrended columns of unit variance, as rows; those that are straight lines are left out."""
    positions = len(centred)
    ramp = np.arange(positions) - (positions - 1) / 2
    slopes = ramp @ centred / (ramp @ ramp)
    sizes = np.square(centred).sum(axis=0)
    spread = np.sqrt(np.maximum(sizes - slopes**2 * (ramp @ ramp), 0.0) / positions)
    live = spread > 1e-5 * np.sqrt(sizes / positions)
    scale = np.divide(1.0, spread, out=np.zeros_like(spread), where=live)
    series: Singles = (centred * scale).astype(np.float32).T.copy()
    series -= np.outer((slopes * scale).astype(np.float32), ramp.astype(np.float32))
    return series if live.all() else series[live]


@lru_cache(maxsize=8)
def _signs(dimensions: int) -> Singles:
    signs: Singles = np.random.default_rng(dimensions).choice(np.array([-1, 1], np.float32), (_MIXTURES, dimensions))
    signs.setflags(write=False)
    return signs


def _screen(series: Singles, tested: tuple[Band, ...]) -> list[Floats]:
    """P-values of each band's frequencies, from a few series where there are many."""
    dimensions = len(series)
    if dimensions <= _SCREENED + _MIXTURES:
        return [cauchy_combination(p_values(series, band), axis=0) for band in tested]
    mixtures = _signs(dimensions) @ _in_standing_order(series)
    mixtures /= np.maximum(np.sqrt(np.mean(np.square(mixtures), axis=1, keepdims=True)), np.float32(1e-6))
    sharpest = np.argpartition(-_sharpness(series, tested[0]), _SCREENED)[:_SCREENED]
    together = np.concatenate([mixtures, series[sharpest]])
    screened = []
    for band in tested:
        p_value = p_values(together, band)
        dense = cauchy_combination(p_value[:_MIXTURES], axis=0)
        sparse = dimensions * p_value[_MIXTURES:].min(axis=0)
        screened.append(2.0 * np.minimum(dense, sparse))
    return screened


def _in_standing_order(series: Singles) -> Singles:
    """Bring series into an order and signs of their own, the same however columns were ordered, signed or reversed."""
    cubes = np.square(series) * series
    order = np.argsort(np.vecdot(cubes, series), kind="stable")
    signs = np.where(cubes.sum(axis=1) < 0.0, np.float32(-1.0), np.float32(1.0))
    ordered: Singles = (series * signs[:, None])[order]
    return ordered


def _sharpness(series: Singles, lowest: Band) -> Singles:
    """How far does each series' sharpest peak rise over the bins around it? A guide, not a test."""
    positions = series.shape[1]
    taper = np.sin(np.pi * (np.arange(positions) + 0.5) / positions).astype(np.float32) ** 2
    spectrum = scipy.fft.rfft(series * taper, axis=1)
    power = np.square(spectrum.real) + np.square(spectrum.imag)
    padded = np.pad(power, ((0, 0), (9, 9)), mode="edge")
    far, near = _sums(padded, 19), _sums(padded[:, 7:-7], 5)
    background = np.maximum(far - near, 0.0) / 14 + 1e-3 * power.sum(axis=1, keepdims=True)
    first = round(float(lowest.frequencies[0]) * positions)
    sharpness: Singles = (power[:, first:] / background[:, first:]).max(axis=1)
    return sharpness


def _sums(series: Singles, width: int) -> Singles:
    """Sums over every stretch of so many bins, by doubling."""
    bins = series.shape[1] - width + 1
    total = np.zeros((len(series), bins), dtype=np.float32)
    stretch, size, start = series, 1, 0
    while size <= width:
        if width & size:
            total += stretch[:, start : start + bins]
            start += size
        stretch = stretch[:, :-size] + stretch[:, size:]
        size *= 2
    return total


def _over_all(series: Singles, band: Band) -> Floats:
    """Cauchy combination over every dimension, a few at a time."""
    chunks = [p_values(series[start : start + _CHUNK], band) for start in range(0, len(series), _CHUNK)]
    return cauchy_combination(np.concatenate(chunks), axis=0)


def _peaks(p_value: list[Floats], tested: tuple[Band, ...], positions: int) -> list[tuple[int, int]]:
    """Band and grid place of the significant frequencies, most significant first, one cycle or more apart."""
    candidates = sorted(
        (float(value), place, int(index))
        for place, values in enumerate(p_value)
        for index, value in zip(np.flatnonzero(values < LEVEL), values[values < LEVEL], strict=True)
    )
    chosen: list[tuple[int, int]] = []
    taken: list[float] = []
    for _, place, index in candidates:
        frequency = float(tested[place].frequencies[index])
        if all(abs(frequency - other) * positions >= 1.0 for other in taken):
            chosen.append((place, index))
            taken.append(frequency)
    return chosen


def _describe(series: Singles, centred: Floats, band: Band, index: int, p_value: float) -> Line:
    """Refine a line's frequency on the dimensions that show it, and say how much of the table it is."""
    frequency, step = float(band.frequencies[index]), 1.0 / band.padded
    alone = p_values_at(series, band, frequency)
    seen = alone < 0.05 / len(alone)
    shown = series[seen] if seen.any() else series
    heights = [np.log(line_shares(shown, band, frequency + move * step).sum()) for move in (-1, 0, 1)]
    period = 1.0 / (frequency + step * parabola_peak(*heights))
    return Line(
        period=period, p_value=p_value, energy_share=energy_share(centred, (period,)), dimensions=int(seen.sum())
    )
