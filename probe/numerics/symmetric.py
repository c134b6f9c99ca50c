"""Eigenvalues of a symmetric matrix and its leading eigenvectors, from one reduction to tridiagonal form.

``scipy.linalg.eigh`` reduces the matrix anew at each call. All eigenvalues and a few eigenvectors are both
wanted of every table that is drawn, and the reduction is most of the cost of either.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.linalg

Floats = npt.NDArray[np.float64]

_BLOCK = 64
_SMALLEST = 3
"""Below this many rows there is nothing to reduce."""


class SymmetricSpectrum:
    """A symmetric matrix, reduced once.

    Parameters
    ----------
    matrix : ndarray, shape (n, n)
        Symmetric and finite, in double or single precision; its lower triangle is read.

    Examples
    --------
    >>> SymmetricSpectrum(np.diag([1.0, 3.0, 2.0])).eigenvalues.tolist()
    [3.0, 2.0, 1.0]
    """

    def __init__(self, matrix: Floats) -> None:
        self._side = matrix.shape[0]
        self._matrix = matrix
        if self._side >= _SMALLEST:
            names = ("sytrd", "sytrd_lwork", "sterf", "ormqr")
            found: Any = scipy.linalg.get_lapack_funcs(names, (matrix,))
            reduce, find_work, self._values_of, self._turn = found
            work, _ = find_work(self._side, lower=1)
            reduced = reduce(matrix, lower=1, lwork=int(work))
            self._reflectors, self._diagonal, self._beside, self._factors, _ = reduced

    @cached_property
    def eigenvalues(self) -> Floats:
        """Every eigenvalue, largest first."""
        if self._side < _SMALLEST:
            values: Floats = scipy.linalg.eigh(self._matrix, eigvals_only=True)
        else:
            values, _ = self._values_of(self._diagonal, self._beside)
        return values[::-1]

    def leading(self, count: int) -> tuple[Floats, Floats]:
        """Give the ``count`` largest eigenvalues, and their eigenvectors as columns, largest first."""
        bounds = (self._side - count, self._side - 1)
        if self._side < _SMALLEST:
            return _descending(*scipy.linalg.eigh(self._matrix, subset_by_index=bounds))
        values, reduced = scipy.linalg.eigh_tridiagonal(
            self._diagonal, self._beside, select="i", select_range=bounds, check_finite=False
        )
        return _descending(values, self._expanded(np.asarray(reduced)))

    def _expanded(self, reduced: npt.NDArray[np.floating]) -> Floats:
        """Carry eigenvectors of the tridiagonal matrix back: the reflectors leave the first row alone."""
        turned, _, _ = self._turn(
            "L",
            "N",
            np.asfortranarray(self._reflectors[1:, :-1]),
            self._factors,
            np.asfortranarray(reduced[1:]),
            _BLOCK * max(reduced.shape[1], 1),
        )
        return np.vstack([reduced[:1], turned])


def _descending(values: npt.NDArray[np.floating], vectors: npt.NDArray[np.floating]) -> tuple[Floats, Floats]:
    return values[::-1].astype(np.float64, copy=False), vectors[:, ::-1].astype(np.float64, copy=False)
