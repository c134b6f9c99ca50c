"""The shared decompositions, against the singular values of the table itself."""

from __future__ import annotations

import numpy as np
import pytest

from probe.numerics.view import TableView
from probe.sinusoids import sinusoidal

SHAPES = [(40, 12), (12, 40), (5, 1), (2, 3), (9, 9)]


@pytest.fixture(params=SHAPES, ids=str)
def array(request: pytest.FixtureRequest) -> np.ndarray:
    return np.random.default_rng(1).standard_normal(request.param) * 3 + 7


def test_eigenvalues_are_the_squared_singular_values(array: np.ndarray) -> None:
    view = TableView(array)
    singular = np.linalg.svd(array - array.mean(axis=0), compute_uv=False)
    np.testing.assert_allclose(view.eigenvalues, singular**2, rtol=1e-9, atol=1e-9 * singular[0] ** 2)
    assert view.energy == pytest.approx(np.sum(singular**2))
    assert (np.diff(view.eigenvalues) <= 0).all() and (view.eigenvalues >= 0).all()


def test_component_scores_are_singular_vectors_with_a_fixed_sign(array: np.ndarray) -> None:
    count = max(1, min(array.shape) - 1)
    scores = TableView(array).component_scores(count)
    left, singular, _ = np.linalg.svd(array - array.mean(axis=0), full_matrices=False)
    expected = (left * singular)[:, :count]
    expected *= np.sign((expected * scores).sum(axis=0))
    np.testing.assert_allclose(scores, expected, atol=1e-7 * singular[0])
    assert (scores[np.abs(scores).argmax(axis=0), np.arange(count)] > 0).all()


def test_no_more_components_than_the_smaller_side() -> None:
    assert TableView(np.random.default_rng(0).standard_normal((30, 4))).component_scores(16).shape == (30, 4)


@pytest.mark.parametrize("shape", [(40, 12), (12, 40)])
def test_rows_in_another_order_are_the_same_as_a_table_in_that_order(shape: tuple[int, int]) -> None:
    generator = np.random.default_rng(2)
    array, order = generator.standard_normal(shape), generator.permutation(shape[0])
    moved, fresh = TableView(array).permuted(order), TableView(array[order])
    for name in ("array", "mean", "centred", "energy", "gram", "eigenvalues", "rank"):
        np.testing.assert_allclose(getattr(moved, name), getattr(fresh, name), atol=1e-9, err_msg=name)
    np.testing.assert_allclose(moved.component_scores(3), fresh.component_scores(3), atol=1e-7)


def test_the_sinusoid_has_the_rank_that_was_counted_for_it() -> None:
    assert TableView(sinusoidal(512, 768)).rank == 147
    assert TableView(sinusoidal(512, 256)).rank == 84


def test_the_table_is_not_changed() -> None:
    array = np.arange(12.0).reshape(4, 3) ** 2
    before = array.copy()
    view = TableView(array)
    view.component_scores(2), view.eigenvalues, view.gram
    np.testing.assert_array_equal(array, before)
