"""A table together with what several analyzers need of it, each piece computed once and shared."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from probe.numerics.symmetric import SymmetricSpectrum

Floats = npt.NDArray[np.float64]
Fact = TypeVar("Fact")

RANK_TOLERANCE = 1e-6
"""Singular values below this share of the largest count as zero."""


class TableView:
    """A float64 table with its centred form, Gram matrix and principal components.

    Parameters
    ----------
    array : array_like, shape (position, dimension)
        Finite values; at least two rows.

    Notes
    -----
    Decompositions go through the smaller of the two Gram matrices, which costs a fraction of the
    singular values of the table itself. Squaring halves the digits: singular values under 1e-7 of
    the largest are not resolved.
    """

    def __init__(self, array: npt.ArrayLike) -> None:
        self.array: Floats = np.asarray(array, dtype=np.float64)
        self.positions, self.dimensions = self.array.shape
        self._components: dict[int, Floats] = {}
        self._facts: dict[str, Any] = {}

    def once(self, name: str, compute: Callable[[], Fact]) -> Fact:
        """Compute a fact about this table at the first call, and give the same at each later one."""
        if name not in self._facts:
            self._facts[name] = compute()
        return cast(Fact, self._facts[name])

    @cached_property
    def mean(self) -> Floats:
        """Column means, shape (dimension,)."""
        mean: Floats = self.array.mean(axis=0)
        return mean

    @cached_property
    def centred(self) -> Floats:
        """The table less its column means, shape (position, dimension)."""
        return self.array - self.mean

    @cached_property
    def deviations(self) -> Floats:
        """Standard deviation of each column, shape (dimension,)."""
        variances: Floats = np.square(self.centred).mean(axis=0)
        return np.sqrt(variances)

    @cached_property
    def energy(self) -> float:
        """Sum of squares of the centred table."""
        return float(np.vdot(self.centred, self.centred))

    @cached_property
    def gram(self) -> Floats:
        """Inner products of the centred rows, shape (position, position)."""
        return self.centred @ self.centred.T

    @cached_property
    def _small_gram(self) -> Floats:
        return self.gram if self.positions <= self.dimensions else self.centred.T @ self.centred

    @cached_property
    def _spectrum(self) -> SymmetricSpectrum:
        return SymmetricSpectrum(self._small_gram)

    @cached_property
    def eigenvalues(self) -> Floats:
        """Squared singular values of the centred table, largest first, none negative."""
        return np.clip(self._spectrum.eigenvalues, 0.0, None)

    @cached_property
    def rank(self) -> int:
        """How many singular values exceed ``RANK_TOLERANCE`` of the largest."""
        return int(np.count_nonzero(self.eigenvalues > RANK_TOLERANCE**2 * self.eigenvalues[0]))

    def component_scores(self, count: int) -> Floats:
        """Leading principal component scores, shape (position, min(count, smaller side)).

        Column i is the i-th left singular vector times its singular value. Signs are fixed: the entry
        of largest magnitude is positive.
        """
        side = self._small_gram.shape[0]
        count = min(count, side)
        if count not in self._components:
            self._components[count] = self._leading_components(count)
        return self._components[count]

    def _leading_components(self, count: int) -> Floats:
        values, vectors = self._spectrum.leading(count)
        if self.positions <= self.dimensions:
            scores: Floats = vectors * np.sqrt(np.clip(values, 0.0, None))
        else:
            scores = self.centred @ vectors
        peaks = scores[np.abs(scores).argmax(axis=0), np.arange(count)]
        return scores * np.where(peaks < 0.0, -1.0, 1.0)

    def permuted(self, order: npt.NDArray[np.intp]) -> TableView:
        """View the same rows in another order, without decomposing them again."""
        return _PermutedView(self, order)


class NoiseView(TableView):
    """Noise, in single precision: its scores need no more, and take two thirds of the time.

    Parameters
    ----------
    centred : ndarray of float32, shape (position, dimension)
        Its columns have mean 0.
    mean : ndarray, shape (dimension,)
        The column means of the table.
    """

    def __init__(self, centred: npt.NDArray[np.float32], mean: Floats) -> None:
        super().__init__(np.empty((0, 0)))
        self.positions, self.dimensions = centred.shape
        self.array = cast(Floats, centred + mean.astype(np.float32))
        self.__dict__.update(centred=centred, mean=mean)


class _PermutedView(TableView):
    """Rows in another order: the eigenvalues stay, everything indexed by position moves along."""

    def __init__(self, parent: TableView, order: npt.NDArray[np.intp]) -> None:
        super().__init__(parent.array[order])
        self._parent, self._order = parent, order

    @cached_property
    def mean(self) -> Floats:
        return self._parent.mean

    @cached_property
    def energy(self) -> float:
        return self._parent.energy

    @cached_property
    def gram(self) -> Floats:
        return self._parent.gram[np.ix_(self._order, self._order)]

    @cached_property
    def eigenvalues(self) -> Floats:
        return self._parent.eigenvalues

    def component_scores(self, count: int) -> Floats:
        return self._parent.component_scores(count)[self._order]
