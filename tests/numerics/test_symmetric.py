"""One reduction gives what scipy's own decompositions give."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

from probe.numerics.symmetric import SymmetricSpectrum


def matrix(side: int, rank: int | None = None) -> np.ndarray:
    factor = np.random.default_rng(side).standard_normal((side, rank or 2 * side))
    return factor @ factor.T


@pytest.mark.parametrize("side", [1, 2, 3, 4, 7, 65, 300])
def test_eigenvalues_are_scipys(side: int) -> None:
    expected = scipy.linalg.eigvalsh(matrix(side))[::-1]
    np.testing.assert_allclose(SymmetricSpectrum(matrix(side)).eigenvalues, expected, atol=1e-12 * expected[0])


@pytest.mark.parametrize(("side", "count"), [(1, 1), (2, 1), (3, 3), (4, 2), (65, 16), (300, 16), (300, 300)])
def test_leading_vectors_are_eigenvectors_and_orthonormal(side: int, count: int) -> None:
    values, vectors = SymmetricSpectrum(matrix(side)).leading(count)
    assert vectors.shape == (side, count)
    np.testing.assert_allclose(matrix(side) @ vectors, vectors * values, atol=1e-11 * values[0])
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(count), atol=1e-12)
    assert (np.diff(values) <= 0).all()


def test_a_matrix_of_low_rank_with_equal_eigenvalues() -> None:
    basis = np.linalg.qr(np.random.default_rng(0).standard_normal((40, 6)))[0]
    values, vectors = SymmetricSpectrum(basis @ basis.T).leading(6)
    np.testing.assert_allclose(values, 1.0, atol=1e-13)
    np.testing.assert_allclose(vectors @ vectors.T, basis @ basis.T, atol=1e-12)
