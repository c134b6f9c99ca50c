"""Similarity of rows by how far apart they stand, and each row's nearest other."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy.fft

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

_TIE = 1e-12
_TINY = 1e-150
_BLOCK = 256


def inverse_lengths(array: Floats, floor: Floats | float = 0.0) -> tuple[Floats, Mask]:
    """What brings each row to length one, as far as it has a direction?

    Parameters
    ----------
    array : ndarray, shape (position, dimension)
    floor : ndarray, shape (position,), or float
        Length up to which a row counts as having no direction.

    Returns
    -------
    factors, directed : ndarray, shape (position,)
        One over the length, 0 where there is no direction; and which rows have one.
    """
    lengths = np.sqrt(np.vecdot(array, array))
    directed = lengths > np.maximum(floor, _TINY)
    return np.divide(1.0, lengths, out=np.zeros_like(lengths), where=directed), directed


def mean_of_neighbours(array: Floats, factors: Floats) -> float | None:
    """What is the mean cosine of a row and the next, where both have a direction? None without such a pair.

    Examples
    --------
    >>> mean_of_neighbours(np.array([[2.0, 0.0], [3.0, 0.0], [0.0, 0.0]]), np.array([1 / 2, 1 / 3, 0.0]))
    1.0
    """
    weights = factors[1:] * factors[:-1]
    pairs = np.count_nonzero(weights)
    products = np.vecdot(array[1:], array[:-1])
    return float(products @ weights / pairs) if pairs else None


def mean_by_offset(rows: Floats, usable: Mask, furthest: int) -> Floats:
    """What is the mean inner product of rows at each distance?

    Parameters
    ----------
    rows : ndarray, shape (position, dimension)
        Zero where not usable.
    usable : ndarray of bool, shape (position,)
        Pairs count when both rows do.
    furthest : int
        The largest offset.

    Returns
    -------
    ndarray, shape (furthest + 1,)
        NaN at an offset without a pair.

    Notes
    -----
    An autocorrelation by Fourier transform: n log n in time, and no array of n × n.
    """
    size = scipy.fft.next_fast_len(len(rows) + furthest, real=True)
    power = np.zeros(size // 2 + 1)
    for start in range(0, rows.shape[1], _BLOCK):
        spectrum = scipy.fft.rfft(rows[:, start : start + _BLOCK], size, axis=0)
        power += np.square(spectrum.real).sum(axis=1)
        power += np.square(spectrum.imag).sum(axis=1)
    sums = scipy.fft.irfft(power, size)[: furthest + 1]
    return _over_pairs(sums, usable)


def mean_by_offset_of_gram(gram: Floats, usable: Mask, furthest: int) -> Floats:
    """Give the same from a matrix of inner products that is there already, by summing its diagonals."""
    count = len(gram)
    slanted = np.zeros(count * (count + 1))
    slanted[: count * count] = np.triu(gram).ravel()
    sums = slanted.reshape(count, count + 1).sum(axis=0)  # entry (i, j) stands in column j − i
    return _over_pairs(sums[: furthest + 1], usable)


def _over_pairs(sums: Floats, usable: Mask) -> Floats:
    if usable.all():
        return sums / (len(usable) - np.arange(len(sums)))
    size = scipy.fft.next_fast_len(len(usable) + len(sums), real=True)
    spectrum = scipy.fft.rfft(usable.astype(np.float64), size)
    pairs = np.rint(scipy.fft.irfft(np.square(np.abs(spectrum)), size)[: len(sums)])
    return np.divide(sums, pairs, out=np.full_like(sums, np.nan), where=pairs > 0)


def mean_of_pairs(rows: Floats, usable: Mask) -> float | None:
    """What is the mean inner product of two different unit rows, over all pairs? None without a pair."""
    count = int(usable.sum())
    if count < 2:
        return None
    total = rows.sum(axis=0)
    return float((total @ total - count) / (count * (count - 1)))


def nearest_rows(rows: Floats, usable: Mask, asked: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """Which other row is nearest to each of those asked for?

    Parameters
    ----------
    rows : ndarray, shape (position, dimension)
        Unit rows.
    usable : ndarray of bool, shape (position,)
        Rows that can be a neighbour.
    asked : ndarray of int
        Positions, each usable.

    Returns
    -------
    ndarray of int, shape (len(asked),)
        A neighbouring position wins a tie; −1 where there is no other row.

    Notes
    -----
    A block of rows at a time: quadratic in time, not in memory.
    """
    found = [
        nearest_in(rows[block] @ rows.T, usable, block)
        for block in (asked[start : start + _BLOCK] for start in range(0, len(asked), _BLOCK))
    ]
    return np.concatenate(found) if found else np.zeros(0, dtype=np.intp)


def nearest_in(cosines: Floats, usable: Mask, asked: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """Find the nearest from the cosines of the asked rows with every row, shape (asked, position); overwrites them."""
    places = np.arange(len(asked))
    if not usable.all():
        cosines[:, ~usable] = -np.inf
    cosines[places, asked] = -np.inf
    nearest = cosines.argmax(axis=1)
    best = cosines[places, nearest]
    for step in (1, -1):
        beside = asked + step
        inside = (beside >= 0) & (beside < cosines.shape[1])
        value = np.where(inside, cosines[places, np.clip(beside, 0, cosines.shape[1] - 1)], -np.inf)
        nearest = np.where(inside & (value >= best - _TIE), beside, nearest)
    return np.where(np.isfinite(best), nearest, -1)


def half_decay(means: Floats) -> int | None:
    """At which offset do the means first fall below half of what they are at offset 1?

    Parameters
    ----------
    means : ndarray, shape (offset,)
        From offset 0 on.

    Returns
    -------
    int or None
        None where offset 1 is not positive, or the means stay above.

    Examples
    --------
    >>> half_decay(np.array([1.0, 0.8, 0.6, 0.3]))
    3
    """
    if len(means) < 3 or not means[1] > 0.0:
        return None
    below = np.flatnonzero(means[2:] < means[1] / 2)
    return int(below[0]) + 2 if below.size else None
