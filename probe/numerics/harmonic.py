"""Thomson's multitaper test for a line: is a frequency stronger than its neighbourhood explains?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import scipy.fft
import scipy.linalg

Floats = npt.NDArray[np.float64]
Singles = npt.NDArray[np.float32]

SHORTEST = 32
"""Positions below which no frequency is far enough from both ends of the spectrum."""

_WIDEST = 6.0
_FLOOR = 1e-3


@dataclass(frozen=True, eq=False, kw_only=True)
class Band:
    """A stretch of frequencies and the tapers that test it.

    Attributes
    ----------
    tapers : ndarray, shape (taper, position)
        Slepian sequences of unit energy; half of them (the odd ones) sum to zero.
    sums : ndarray, shape (taper,)
        Their sums: what each taper makes of a pure line.
    frequencies : ndarray, shape (frequency,)
        Cycles per position, an even grid finer than the resolution.
    padded : int
        Length of the transform whose bins the grid is.
    """

    tapers: Singles
    sums: Singles
    frequencies: Floats
    padded: int

    @property
    def freedom(self) -> int:
        """Tapers less one: half the degrees of freedom of the noise."""
        return len(self.sums) - 1


@lru_cache(maxsize=8)
def bands(positions: int) -> tuple[Band, ...]:
    """Which frequencies can be tested on so many positions, and with which tapers?

    Parameters
    ----------
    positions : int

    Returns
    -------
    tuple of Band
        From low to high: narrow tapers next to the trend, wide ones, with more of them, everywhere else.
        Empty below ``SHORTEST`` positions.

    Notes
    -----
    With half-bandwidth W, frequencies below W + 1/n mix with the trend and their own mirror image, and
    those above 1/2 − W with their image there, so neither are tested. W is 6/n from 96 positions on
    (11 tapers), and half of that (5 tapers) in the lower band.
    """
    if positions < SHORTEST:
        return ()
    wide = min(_WIDEST, positions / 16)
    padded = scipy.fft.next_fast_len(positions * max(4, 512 // positions), real=True)
    edges = [wide + 1, positions / 2 - wide]
    found = [_band(positions, wide, padded, (edges[0], edges[1]))]
    if wide >= 4:
        found.insert(0, _band(positions, wide / 2, padded, (wide / 2 + 1, edges[0])))
    return tuple(found)


def _band(positions: int, half_width: float, padded: int, cycles: tuple[float, float]) -> Band:
    start, stop = (math.ceil(edge * padded / positions) for edge in cycles)
    tapers = slepian_tapers(positions, half_width, round(2 * half_width) - 1).astype(np.float32)
    sums = tapers.sum(axis=1)
    sums[1::2] = 0.0
    band = Band(tapers=tapers, sums=sums, frequencies=np.arange(start, stop) / padded, padded=padded)
    for array in (band.tapers, band.sums, band.frequencies):
        array.setflags(write=False)
    return band


def slepian_tapers(positions: int, half_width: float, count: int) -> Floats:
    """Which sequences keep most of their energy within ``half_width / positions`` of zero frequency?

    Parameters
    ----------
    positions : int
    half_width : float
        Half the bandwidth, in cycles over the sequence.
    count : int

    Returns
    -------
    ndarray, shape (count, positions)
        Of unit energy, most concentrated first; the even ones have a positive sum, the odd ones begin upward.

    Notes
    -----
    Eigenvectors of the tridiagonal matrix that commutes with the concentration problem. The same sequences as
    ``scipy.signal.windows.dpss``, without the half second that importing scipy.signal takes.

    References
    ----------
    Slepian 1978, "Prolate spheroidal wave functions, Fourier analysis, and uncertainty V".
    """
    places = np.arange(positions)
    diagonal = ((positions - 1 - 2 * places) / 2.0) ** 2 * np.cos(2 * np.pi * half_width / positions)
    beside = places[1:] * (positions - places[1:]) / 2.0
    _, vectors = scipy.linalg.eigh_tridiagonal(
        diagonal, beside, select="i", select_range=(positions - count, positions - 1)
    )
    tapers = vectors[:, ::-1].T.astype(np.float64)
    tapers[0::2] *= np.where(tapers[0::2].sum(axis=1) < 0, -1.0, 1.0)[:, None]
    leading = (tapers[1::2] * (positions - 1 - 2 * places)).sum(axis=1)
    tapers[1::2] *= np.where(leading < 0, -1.0, 1.0)[:, None]
    return tapers


def p_values(series: Singles, band: Band) -> Floats:
    """How likely is each frequency's prominence where there is no line?

    Parameters
    ----------
    series : ndarray of float32, shape (series, position)
        Detrended, each of unit variance.
    band : Band

    Returns
    -------
    ndarray, shape (series, frequency)
        From the F distribution with 2 and 2K − 2 degrees of freedom for K tapers. A line that would carry
        less than a thousandth of a series' energy gets 1/2, which says nothing: below that a smooth
        series has only leakage and rounding.

    Notes
    -----
    With y_k the transform under taper k and V_k the taper's sum, the line's amplitude is
    ``μ = Σ V_k y_k / Σ V_k²`` and ``F = (K − 1) |μ|² Σ V_k² / Σ |y_k − μ V_k|²``.

    References
    ----------
    Thomson 1982, "Spectrum estimation and harmonic analysis"; Percival & Walden 1993, section 10.10.
    """
    first = round(band.frequencies[0] * band.padded) if band.frequencies.size else 0
    stop = first + band.frequencies.size
    total = np.zeros((len(series), band.frequencies.size), dtype=np.float32)
    amplitude = np.zeros_like(total, dtype=np.complex64)
    for taper, weight in zip(band.tapers, band.sums, strict=True):
        transform = scipy.fft.rfft(series * taper, band.padded, axis=1)[:, first:stop]
        total += np.square(transform.real) + np.square(transform.imag)
        if weight:
            amplitude += weight * transform
    return _tail(amplitude, total, band)


def p_values_at(series: Singles, band: Band, frequency: float) -> Floats:
    """How likely is the prominence of one frequency, on the grid or off it? One value for each series."""
    transform = _turned(series, band.tapers, frequency)
    total = (np.square(transform.real) + np.square(transform.imag)).sum(axis=0)
    return _tail(band.sums @ transform, total, band)


def line_shares(series: Singles, band: Band, frequency: float) -> Floats:
    """What would a line at one frequency carry of each series' energy?"""
    amplitude = _turned(series, (band.sums @ band.tapers)[None], frequency)[0]
    shares: Floats = 2.0 * np.square(np.abs(amplitude) / float(np.square(band.sums).sum()), dtype=np.float64)
    return shares


def _turned(series: Singles, tapers: Singles, frequency: float) -> npt.NDArray[np.complex64]:
    """Fourier transform of each tapered series at one frequency, shape (taper, series)."""
    angles = -2 * np.pi * frequency * np.arange(series.shape[1])
    waves = np.concatenate([tapers * np.cos(angles), tapers * np.sin(angles)]).astype(np.float32)
    real, imaginary = np.split(waves @ series.T, 2)
    transform: npt.NDArray[np.complex64] = real + np.complex64(1j) * imaginary
    return transform


def _tail(amplitude: npt.NDArray[np.complex64], total: Singles, band: Band) -> Floats:
    weight = float(np.square(band.sums).sum())
    line = (np.square(amplitude.real) + np.square(amplitude.imag)) / np.float32(weight)
    share = line / np.maximum(total, np.float32(1e-30))
    p_value: Floats = np.power(np.clip(1.0 - share, 1e-7, 1.0, dtype=np.float64), band.freedom)
    return np.where(line * np.float32(2.0 / weight) < _FLOOR, 0.5, p_value)


def cauchy_combination(p_value: Floats, axis: int) -> Floats:
    """How likely are these p-values together, however they depend on one another?

    Parameters
    ----------
    p_value : ndarray
    axis : int
        Along which to combine.

    Notes
    -----
    The mean of ``cot(π p)`` is Cauchy in its tail whatever the dependence, and one tiny value among many
    is enough to carry it. Values above .9 count as .9: one of 1 would otherwise outweigh any other.

    References
    ----------
    Liu & Xie 2020, "Cauchy combination test" (arXiv 1808.09011).

    Examples
    --------
    >>> float(cauchy_combination(np.array([0.01, 0.01]), axis=0).round(6))
    0.01
    """
    statistic = np.mean(1.0 / np.tan(np.pi * np.clip(p_value, 1e-290, 0.9)), axis=axis)
    combined: Floats = np.arctan2(1.0, statistic) / np.pi
    return combined
