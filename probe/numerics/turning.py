"""How fast do pairs of columns turn, and where do they start? The arithmetic of recognising a sin/cos table."""

from __future__ import annotations

import cmath
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Complexes = npt.NDArray[np.complex128]

_SLACK = 0.1
_COHERENCE = 0.5
_STEEPEST = 50.0


@dataclass(frozen=True, kw_only=True)
class Turning:
    """Pairs that turn at geometric frequencies, the first at one radian per position.

    Attributes
    ----------
    step : float
        ``−ln`` of the ratio of neighbouring frequencies; 0 for a single pair.
    offset : int
        What is added to the position.
    clockwise : bool
        Whether the first column of each pair leads: the two are the other way round.
    """

    step: float
    offset: int
    clockwise: bool


def significand_bits(values: Floats) -> int:
    """In which precision do the values fit: 8 bits (bfloat16), 11 (float16), 24 (float32) or 53 (float64)?

    Examples
    --------
    >>> significand_bits(np.array([0.1])), significand_bits(np.array([0.5, 3.0]))
    (53, 8)
    """
    with np.errstate(over="ignore", under="ignore"):
        single = values.astype(np.float32)
        half = values.astype(np.float16)
    if not np.array_equal(single, values):
        return 53
    if not (np.ascontiguousarray(single).view(np.uint32) & 0xFFFF).any():
        return 8
    return 11 if np.array_equal(half, values) else 24


def measure_turning(pairs: Complexes, rows: npt.NDArray[np.intp]) -> Turning | None:
    """At which frequencies, from which position, do these pairs turn?

    Parameters
    ----------
    pairs : ndarray of complex, shape (row, pair)
        Cosine column plus i times sine column, the highest frequency first.
    rows : ndarray of int, shape (row,)
        Position of each row, ascending; some may be missing.

    Returns
    -------
    Turning or None
        None when the first pair does not turn by one radian per position.

    Notes
    -----
    ``angle Σ conj(z[p]) z[p + L]`` is L times the frequency, up to whole turns. L = 1 gives a first guess of the
    ratio, and each doubling of L refines it. The offset is read from the phases, from the slowest pair, where it
    is unambiguous and coarse, to the fastest.
    """
    if not turns_once(pairs, rows):
        return None
    clockwise = bool(_lagged(pairs[:, :1], rows, 1)[0].imag < 0)
    turning = 1j * np.conj(pairs) if clockwise else pairs
    step = _geometric_step(turning, rows)
    frequencies = np.exp(-step * np.arange(pairs.shape[1]))
    offset = _whole_offset(_phases(turning, rows, frequencies), frequencies)
    for _ in range(3):
        step = _anchored(step, turning, rows + offset)
    return Turning(step=step, offset=offset, clockwise=clockwise)


def turns_once(pairs: Complexes, rows: npt.NDArray[np.intp]) -> bool:
    """Whether the first pair turns steadily, by about one radian per position, either way round."""
    product = complex(_lagged(pairs[:, :1], rows, 1)[0])
    energy = float(np.square(np.abs(pairs[:, 0])).sum())
    return abs(product) >= _COHERENCE * energy and abs(abs(cmath.phase(product)) - 1.0) <= _SLACK


def _phases(pairs: Complexes, places: npt.NDArray[np.intp], frequencies: Floats) -> Floats:
    """Angle of each pair at place 0."""
    return np.asarray(np.angle(np.einsum("rp,rp->p", pairs, np.exp(-1j * np.outer(places, frequencies)))))


def _lagged(pairs: Complexes, rows: npt.NDArray[np.intp], lag: int) -> Complexes:
    """``Σ conj(z[p]) z[p + lag]`` over the rows that are there."""
    _, front, back = np.intersect1d(rows + lag, rows, assume_unique=True, return_indices=True)
    return np.asarray(np.einsum("rp,rp->p", np.conj(pairs[front]), pairs[back]))


def _geometric_step(pairs: Complexes, rows: npt.NDArray[np.intp]) -> float:
    """``−ln`` of the ratio of neighbouring frequencies, given that the first is 1."""
    index = np.arange(pairs.shape[1], dtype=np.float64)
    products = _lagged(pairs, rows, 1)
    guess = np.angle(products)
    usable = (guess > 0) & (index > 0)
    if not usable.any():
        return 0.0
    weight = (np.abs(products) * guess**2)[usable]
    step = -float((weight * index[usable] * np.log(guess[usable])).sum() / (weight * index[usable] ** 2).sum())
    step = _bounded(step)
    lag, longest = 1, max(1, int(rows[-1] - rows[0]) // 2)
    while True:
        step = _refined(step, index, _lagged(pairs, rows, lag), lag)
        if lag == longest:
            return _refined(step, index, products, lag)
        lag = min(2 * lag, longest)
        products = _lagged(pairs, rows, lag)


def _refined(step: float, index: Floats, products: Complexes, lag: int) -> float:
    """One Gauss–Newton step on the angles turned in ``lag`` positions."""
    frequencies = np.exp(-step * index)
    missed = np.angle(products * np.exp(-1j * lag * frequencies))
    return _bounded(step + _least_squares(-index * lag * frequencies, missed, np.abs(products)))


def _anchored(step: float, pairs: Complexes, places: npt.NDArray[np.intp]) -> float:
    """One Gauss–Newton step on the angles turned since place 0, a long lever where the offset is large."""
    index = np.arange(pairs.shape[1], dtype=np.float64)
    frequencies = np.exp(-step * index)
    missed = _phases(pairs, places, frequencies)
    return _bounded(step + _least_squares(-index * frequencies * places.mean(), missed, np.ones_like(index)))


def _least_squares(slope: Floats, missed: Floats, weight: Floats) -> float:
    scale = float((weight * slope**2).sum())
    return 0.0 if scale == 0.0 else float((weight * slope * missed).sum()) / scale


def _bounded(step: float) -> float:
    return min(max(step, 0.0), _STEEPEST)


def _whole_offset(phases: Floats, frequencies: Floats) -> int:
    """The integer that turns every pair to its phase; the smallest of those that fit alike."""
    estimate = 0.0
    for phase, frequency in zip(phases[::-1], frequencies[::-1], strict=True):
        if abs(phase) > 1e-12:  # below that the pair has not moved, and says nothing
            estimate += float(_wrapped(phase - estimate * frequency) / frequency)
    near = round(estimate) if abs(estimate) < 2**31 else 0
    candidates = np.array(
        sorted({*range(-64, 1025), *range(near - 2, near + 3)}, key=lambda offset: (abs(offset), -offset))
    )
    misses = np.sqrt(np.square(_wrapped(phases - np.outer(candidates, frequencies))).mean(axis=1))
    return int(candidates[np.flatnonzero(misses <= 2 * misses.min() + 1e-7)[0]])


def _wrapped(angles: Floats) -> Floats:
    return np.asarray((angles + np.pi) % (2 * np.pi) - np.pi)
