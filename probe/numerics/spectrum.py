"""What a Fourier transform along the positions says, dimension by dimension."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.fft

Floats = npt.NDArray[np.float64]

_WINDOW = 64
_SHORTEST_WINDOW = 16
_ROUNDING = 1e-20
_RIPPLE = 1e-2


@dataclass(frozen=True, kw_only=True)
class PeakBins:
    """Where the summed power spectrum peaks, cycles over the whole table.

    Attributes
    ----------
    raw : int
        Of the table as it is: 0 whenever the mean outweighs the rest.
    centred : int
        Less the column means: 1 whenever there is a trend.
    detrended : int or None
        Less a straight line in each dimension; None where nothing else is left.
    """

    raw: int
    centred: int
    detrended: int | None


def detrend(array: Floats) -> Floats:
    """Take a straight line, mean and slope, off each column.

    Examples
    --------
    >>> bool(np.abs(detrend(np.array([[1.0], [3.0], [5.0]]))).max() < 1e-12)
    True
    """
    positions = len(array)
    ramp = np.arange(positions) - (positions - 1) / 2
    centred = array - array.mean(axis=0)
    detrended: Floats = centred - np.outer(ramp, ramp @ centred / (ramp @ ramp))
    return detrended


def power_spectrum(array: Floats, taper: Floats) -> Floats:
    """How much of the energy sits at each frequency, summed over dimensions?

    Parameters
    ----------
    array : ndarray, shape (position, dimension)
        Without its mean, or bin 0 shows that.
    taper : ndarray, shape (position,)
        Weights along the positions.

    Returns
    -------
    ndarray, shape (positions // 2 + 1,)
        Shares that sum to 1 over the one-sided bins, or zeros where the taper leaves no energy.
    """
    largest = np.abs(array).max(initial=0.0)
    spectrum = scipy.fft.rfft(array * (taper[:, None] / (largest or 1.0)), axis=0)
    power: Floats = np.einsum("ij,ij->i", spectrum.real, spectrum.real) + np.einsum(
        "ij,ij->i", spectrum.imag, spectrum.imag
    )
    power[1 : (len(array) + 1) // 2] *= 2.0
    total = power.sum()
    return power / total if total > 0.0 else np.zeros_like(power)


def trend_share(centred: Floats, detrended: Floats) -> float:
    """How much of the centred energy is a straight line in each dimension?"""
    scale = np.abs(centred).max()
    left, whole = (float(np.square(array / scale).sum()) for array in (detrended, centred))
    return 1.0 if left < _ROUNDING * whole else max(0.0, 1.0 - left / whole)


def peak_bins(array: Floats) -> PeakBins:
    """Where does the power spectrum peak, before and after the mean and the trend are taken off?"""
    flat = np.ones(len(array))
    centred = array - array.mean(axis=0)
    straightened = detrend(array)
    raw, middle, last = (int(power_spectrum(step, flat).argmax()) for step in (array, centred, straightened))
    straight = trend_share(centred, straightened) == 1.0
    return PeakBins(raw=raw, centred=middle, detrended=None if straight else last)


def local_periods(array: Floats) -> tuple[Floats, Floats]:
    """Which period is strongest in each stretch of the table?

    Parameters
    ----------
    array : ndarray, shape (position, dimension)

    Returns
    -------
    centres, periods : ndarray, shape (window,)
        Windows of an eighth of the table, at least 64 positions or the whole of a shorter table, that
        overlap by half. A window counts when the summed power of its detrended, Hann-weighted dimensions
        has a peak: a bin above both neighbours, at two cycles or more, and above a hundredth of the highest. Those
        without one are left out.
    """
    positions = len(array)
    width = min(positions, max(_WINDOW, positions // 8))
    if width < _SHORTEST_WINDOW:
        return np.zeros(0), np.zeros(0)
    taper = np.sin(np.pi * (np.arange(width) + 0.5) / width) ** 2
    centres, periods = [], []
    for start in range(0, positions - width + 1, max(width // 2, 1)):
        period = _strongest_peak(detrend(array[start : start + width]) * taper[:, None])
        if period is not None:
            centres.append(start + (width - 1) / 2)
            periods.append(period)
    return np.array(centres), np.array(periods)


def _strongest_peak(weighted: Floats, padding: int = 4) -> float | None:
    """Period of the highest local maximum of the summed power, by the parabola through its logarithms."""
    width = len(weighted)
    power = power_spectrum(np.pad(weighted, ((0, (padding - 1) * width), (0, 0))), np.ones(padding * width))
    inner = np.arange(2 * padding, len(power) - 1)
    tall = power[inner] > _RIPPLE * power.max()
    peaks = inner[tall & (power[inner] > power[inner - 1]) & (power[inner] >= power[inner + 1])]
    if peaks.size == 0:
        return None
    best = int(peaks[power[peaks].argmax()])
    return padding * width / (best + parabola_peak(*np.log(np.maximum(power[best - 1 : best + 2], 1e-300))))


def parabola_peak(left: float, middle: float, right: float) -> float:
    """How far from the middle point does the parabola through three points peak, in steps?

    Examples
    --------
    >>> parabola_peak(0.0, 1.0, 1.0)
    0.5
    """
    bend = left - 2 * middle + right
    return 0.0 if bend >= 0.0 else float(np.clip(0.5 * (left - right) / bend, -0.5, 0.5))
