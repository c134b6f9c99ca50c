"""What a spectrum of singular values and the leading components say."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class QuadraturePair:
    """Two neighbouring components that go round together.

    Attributes
    ----------
    first, second : int
        Their places, from 0.
    period : float
        Positions for one turn, from the peak bin of the first one's spectrum.
    phase_gap : float
        Degrees between them at that frequency, from 90 (a circle) to 180: a component's sign is arbitrary.
    amplitude_ratio : float
        Singular value of the first over that of the second.
    """

    first: int
    second: int
    period: float
    phase_gap: float
    amplitude_ratio: float


def components_for(eigenvalues: Floats, share: float) -> int:
    """How many of the leading eigenvalues carry this share of their sum?

    Examples
    --------
    >>> components_for(np.array([5.0, 3.0, 2.0]), 0.75)
    2
    """
    cumulative = np.cumsum(eigenvalues)
    return int(np.searchsorted(cumulative, share * cumulative[-1] * (1 - 1e-12)) + 1)


def quadrature_pairs(
    scores: Floats, phase_slack: float = 20.0, amplitude_slack: float = 0.25
) -> tuple[QuadraturePair, ...]:
    """Which neighbouring components turn together?

    Parameters
    ----------
    scores : ndarray, shape (position, component)
    phase_slack : float
        Degrees by which the phase gap may miss 90.
    amplitude_slack : float
        How far the ratio of singular values may exceed 1.

    Returns
    -------
    tuple of QuadraturePair
        No component is in two pairs.
    """
    positions, count = scores.shape
    if positions < 4:
        return ()
    spectrum = np.fft.rfft(scores, axis=0)
    peaks = np.abs(spectrum[1:]).argmax(axis=0) + 1
    sizes = np.linalg.norm(scores, axis=0)
    pairs: list[QuadraturePair] = []
    taken = -1
    for first in range(count - 1):
        second = first + 1
        if first <= taken or peaks[first] != peaks[second] or sizes[second] == 0.0:
            continue
        turn = np.angle(spectrum[peaks[first], first] * np.conj(spectrum[peaks[first], second]), deg=True)
        gap, ratio = max(abs(float(turn)), 180.0 - abs(float(turn))), float(sizes[first] / sizes[second])
        if gap - 90.0 <= phase_slack and ratio <= 1 + amplitude_slack:
            period = positions / int(peaks[first])
            pairs.append(
                QuadraturePair(first=first, second=second, period=period, phase_gap=gap, amplitude_ratio=ratio)
            )
            taken = second
    return tuple(pairs)
