"""Sequences that hold no frequency above one radian per position: a small basis for all of them at once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy.linalg

Floats = npt.NDArray[np.float64]

BAND = 1.0
"""Highest angular frequency, in radians per position: a sin/cos encoding starts at 1, whatever its base."""

_ROOT_HALF = np.sqrt(0.5)


def slepian(positions: int, band: float = BAND) -> Floats:
    """Which few sequences span everything below a frequency?

    Parameters
    ----------
    positions : int
    band : float
        Radians per position.

    Returns
    -------
    ndarray, shape (position, sequence)
        Orthonormal columns, the best concentrated first, even and odd about the middle in turn.

    Notes
    -----
    Discrete prolate spheroidal sequences: ``positions · band / π`` of them, and a few more, hold
    every sine and cosine of the band to rounding error. They are eigenvectors of a tridiagonal matrix.

    References
    ----------
    Slepian 1978, "Prolate spheroidal wave functions, Fourier analysis, and uncertainty V".
    """
    place = np.arange(positions, dtype=np.float64)
    diagonal = np.square((positions - 1 - 2 * place) / 2) * np.cos(band)
    beside = place[1:] * (positions - place[1:]) / 2
    spare = 6 + (2 / np.pi**2) * 18 * np.log(positions + 10)  # the transition is as wide as log n
    count = min(positions, int(np.ceil(positions * band / np.pi + spare)))
    _, vectors = scipy.linalg.eigh_tridiagonal(
        diagonal, beside, select="i", select_range=(positions - count, positions - 1), lapack_driver="stemr"
    )
    return np.ascontiguousarray(vectors[:, ::-1])


def fold(columns: Floats) -> tuple[Floats, Floats]:
    """Split columns into the parts that are even and odd about the middle row.

    Returns
    -------
    even, odd : ndarray, shapes (ceil(n / 2), column) and (floor(n / 2), column)
        Coordinates in an orthonormal basis: sums of squares and inner products are kept.

    Examples
    --------
    >>> even, odd = fold(np.array([[1.0], [5.0], [3.0]]))
    >>> (even**2).sum().round(6).item(), (odd**2).sum().round(6).item()
    (33.0, 2.0)
    """
    half, extra = divmod(len(columns), 2)
    front, back = columns[:half], columns[half + extra :][::-1]
    even = (front + back) * _ROOT_HALF
    if extra:
        even = np.concatenate([even, columns[half : half + 1]])
    return even, (front - back) * _ROOT_HALF


def unfold(even: Floats, odd: Floats) -> Floats:
    """Put even and odd parts together again: the inverse of :func:`fold`."""
    half = len(odd)
    front, back = even[:half] + odd, even[:half] - odd
    return np.concatenate([front * _ROOT_HALF, even[half:], back[::-1] * _ROOT_HALF])
