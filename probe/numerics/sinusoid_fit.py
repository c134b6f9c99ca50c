"""How much of a table lies in the space that sines and cosines of given frequencies span?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from probe.numerics.band import fold, slepian, unfold
from probe.numerics.view import RANK_TOLERANCE

Floats = npt.NDArray[np.float64]
Parts = tuple[Floats, Floats]


class FrequencySpaces:
    """The spans of several sets of sines and cosines over the same positions, ready to be held against many tables.

    Parameters
    ----------
    positions : int
    frequency_sets : sequence of ndarray
        Angular frequencies, in radians per position, none above 1; one space for each set.

    Attributes
    ----------
    ranks : ndarray of int, shape (set,)
        Dimensions of each space: singular values of its centred sines and cosines above 1e-6 of the largest.

    Notes
    -----
    Every such space lies in the span U of a few Slepian sequences. A table is therefore projected once,
    ``C = Uᵀ X Xᵀ U``, and its share in space P is an inner product ``⟨P, C⟩`` of small matrices. Counted from the
    middle position, cosines are even and sines odd, which halves the size again: shifting the origin only
    turns each pair (sine, cosine) within itself.
    """

    def __init__(self, positions: int, frequency_sets: Sequence[Floats]) -> None:
        self.positions = positions
        even, odd = fold(slepian(positions))
        self._span: Parts = (even[:, 0::2], odd[:, 1::2])
        self._ones = fold(np.full((positions, 1), positions**-0.5))[0]
        self._triangles = tuple(np.triu_indices(part.shape[1]) for part in self._span)
        self._doubled = np.concatenate([np.where(rows == columns, 1.0, 2.0) for rows, columns in self._triangles])
        projectors = [self.projector(frequencies) for frequencies in frequency_sets]
        self._projectors = np.stack([projector for projector, _ in projectors])
        self.ranks: npt.NDArray[np.intp] = np.array([rank for _, rank in projectors])

    def compress(self, centred: Floats) -> Floats:
        """Reduce a centred table to what :meth:`shares` needs: ``Uᵀ X Xᵀ U``, as shares of the energy."""
        projected = [span.T @ part for span, part in zip(self._span, fold(centred), strict=True)]
        energy = np.vdot(centred, centred)
        return np.asarray(self._pack([part @ part.T for part in projected]) / energy)

    def compress_gram(self, gram: Floats) -> Floats:
        """Give the same from the inner products of the centred rows, which is cheaper where they are known."""
        even, odd = fold(gram)
        blocks = fold(even.T)[0], fold(odd.T)[1]
        parts = [span.T @ block @ span for span, block in zip(self._span, blocks, strict=True)]
        return np.asarray(self._pack(parts) / np.trace(gram))

    def shares(self, compressed: Floats) -> Floats:
        """R² of the table on each space, in the order of the sets."""
        return np.clip(self._projectors @ compressed, 0.0, 1.0)

    def share(self, compressed: Floats, frequencies: Floats) -> tuple[float, int]:
        """R² on the space of other frequencies, and its rank."""
        projector, rank = self.projector(frequencies)
        return float(np.clip(projector @ compressed, 0.0, 1.0)), rank

    def projector(self, frequencies: Floats) -> tuple[Floats, int]:
        """Orthogonal projector on the span of these sines and cosines, packed, and its rank."""
        bases = self._bases(frequencies)
        packed = self._pack([basis @ basis.T for basis in bases]) * self._doubled
        return packed, sum(basis.shape[1] for basis in bases)

    def alignment(self, compressed: Floats, other: Floats) -> float:
        """Product of two compressed tables' Gram matrices, ``⟨C, C′⟩``; one of them must lie in the span."""
        return float(self._doubled * compressed @ other)

    def fit(self, centred: Floats, frequencies: Floats) -> Floats:
        """Project a centred table on these sines and cosines; shape (position, dimension)."""
        parts = []
        for span, basis, part in zip(self._span, self._bases(frequencies), fold(centred), strict=True):
            full = span @ basis
            parts.append(full @ (full.T @ part))
        return unfold(parts[0], parts[1])

    def _tables(self, frequencies: Floats) -> Parts:
        """Centred cosines and sines in the coordinates of the span, shapes (sequence, frequency)."""
        middle = (self.positions - 1) / 2
        places = np.arange((self.positions + 1) // 2) - middle
        turns = circle(places[0], len(places), frequencies)
        weights = np.full((len(places), 1), np.sqrt(2.0))
        if self.positions % 2:
            weights[-1] = 1.0
        cosines = turns.real * weights
        cosines -= self._ones @ (self._ones.T @ cosines)
        sines = turns.imag[: self.positions // 2] * np.sqrt(2.0)
        return self._span[0].T @ cosines, self._span[1].T @ sines

    def _bases(self, frequencies: Floats) -> Parts:
        """Orthonormal bases of the even and odd parts, in the coordinates of the span."""
        tables = self._tables(frequencies)
        decomposed = [_left_singular(part) for part in tables]
        floor = RANK_TOLERANCE * max(values.max(initial=0.0) for values, _ in decomposed)
        even, odd = (vectors[:, values > floor] for values, vectors in decomposed)
        return even, odd

    def _pack(self, matrices: Sequence[Floats]) -> Floats:
        """Upper triangles of the even and odd blocks, in one vector."""
        return np.concatenate([matrix[at] for matrix, at in zip(matrices, self._triangles, strict=True)])


def circle(start: float, count: int, frequencies: Floats) -> npt.NDArray[np.complex128]:
    """``exp(i ω p)`` for p = start, start + 1 …; shape (count, frequency).

    Products of a few exponentials: a tenth of the time of as many sines and cosines, to rounding.

    Examples
    --------
    >>> np.abs(circle(-1.5, 4, np.array([0.3])) - np.exp(0.3j * np.arange(-1.5, 2.0))[:, None]).max() < 1e-15
    np.True_
    """
    step = int(np.ceil(np.sqrt(count)))
    coarse = np.exp(1j * np.outer(start + step * np.arange(-(-count // step)), frequencies))
    fine = np.exp(1j * np.outer(np.arange(step), frequencies))
    turns: npt.NDArray[np.complex128] = (coarse[:, None, :] * fine[None, :, :]).reshape(-1, len(frequencies))
    return turns[:count]


def _left_singular(matrix: Floats) -> tuple[Floats, Floats]:
    """Singular values and left singular vectors, through the smaller Gram matrix."""
    rows, columns = matrix.shape
    if rows <= columns:
        values, vectors = np.linalg.eigh(matrix @ matrix.T)
        return np.sqrt(np.clip(values, 0.0, None)), vectors
    vectors, values, _ = np.linalg.svd(matrix, full_matrices=False)
    return values, vectors


def linear_cka(first: Floats, second: Floats) -> float:
    """How alike are two centred tables, up to rotation and scale?

    Returns
    -------
    float
        ``‖XᵀY‖² / (‖XᵀX‖ ‖YᵀY‖)``, from 0 to 1; the RV coefficient of their Gram matrices.

    References
    ----------
    Kornblith et al. 2019, "Similarity of Neural Network Representations Revisited" (arXiv 1905.00414);
    Robert & Escoufier 1976, "A Unifying Tool for Linear Multivariate Statistical Methods: The RV-Coefficient".
    """
    norms = np.linalg.norm(first.T @ first) * np.linalg.norm(second.T @ second)
    return float(np.square(np.linalg.norm(first.T @ second)) / norms)


def adjusted(r2: Floats, ranks: npt.NDArray[np.intp], positions: int) -> Floats:
    """Discount R² for the dimensions it was given: 0 is what chance gives, 1 is perfect.

    Returns
    -------
    ndarray
        ``1 − (1 − R²)(n − 1) / (n − 1 − rank)``; −inf where the space holds every table.

    Examples
    --------
    >>> adjusted(np.array([0.25, 1.0]), np.array([25, 100]), 101).tolist()
    [0.0, -inf]
    """
    spare = positions - 1 - ranks
    discounted = 1 - (1 - r2) * (positions - 1) / np.maximum(spare, 1)
    return np.where(spare > 0, discounted, -np.inf)
