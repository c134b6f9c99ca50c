"""Means by offset and nearest rows, against loops over every pair."""

from __future__ import annotations

import numpy as np
import pytest

from probe.numerics.offsets import (
    half_decay,
    inverse_lengths,
    mean_by_offset,
    mean_by_offset_of_gram,
    mean_of_neighbours,
    mean_of_pairs,
    nearest_in,
    nearest_rows,
)


@pytest.fixture
def table() -> np.ndarray:
    table = np.random.default_rng(0).standard_normal((23, 5)).cumsum(axis=0)
    table[[4, 5, 17]] = 0.0
    return table


def pairs_at(table: np.ndarray, offset: int) -> list[float]:
    return [
        float(first @ second / np.linalg.norm(first) / np.linalg.norm(second))
        for first, second in zip(table[: len(table) - offset], table[offset:], strict=True)
        if first.any() and second.any()
    ]


def test_means_by_offset_are_means_over_the_pairs_that_have_a_cosine(table: np.ndarray) -> None:
    factors, directed = inverse_lengths(table)
    rows = table * factors[:, None]
    assert np.flatnonzero(~directed).tolist() == [4, 5, 17]
    expected = [np.mean(pairs_at(table, offset)) for offset in range(12)]
    np.testing.assert_allclose(mean_by_offset(rows, directed, 11), expected, atol=1e-12)
    np.testing.assert_allclose(mean_by_offset_of_gram(rows @ rows.T, directed, 11), expected, atol=1e-12)
    assert mean_of_neighbours(table, factors) == pytest.approx(expected[1])


def test_the_mean_of_pairs_is_that_of_the_matrix_off_its_diagonal(table: np.ndarray) -> None:
    kept = table[table.any(axis=1)]
    cosines = np.corrcoef(np.vstack([kept.T, -kept.T]).T)  # correlation of mirrored rows is their cosine
    off_diagonal = cosines[~np.eye(len(kept), dtype=bool)].mean()
    factors, directed = inverse_lengths(table)
    assert mean_of_pairs(table * factors[:, None], directed) == pytest.approx(off_diagonal)


def test_pairs_that_are_not_there() -> None:
    rows = np.array([[1.0], [0.0], [1.0], [0.0]])
    directed = rows[:, 0] > 0
    means = mean_by_offset(rows, directed, 2)
    assert np.isnan(means[1]) and means[2] == pytest.approx(1.0)
    assert mean_of_neighbours(rows, rows[:, 0]) is None
    assert mean_of_pairs(rows[:2], directed[:2]) is None


def test_nearest_rows_by_hand() -> None:
    angles = np.radians([0.0, 10.0, 50.0, 12.0, 48.0])
    rows = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    everyone = np.ones(5, dtype=bool)
    assert nearest_rows(rows, everyone, np.arange(5)).tolist() == [1, 3, 4, 1, 2]
    without = np.array([True, True, True, False, True])
    assert nearest_rows(rows, without, np.array([0, 1, 2, 4])).tolist() == [1, 0, 4, 2]


def test_blocks_do_not_matter_and_neighbours_win_ties() -> None:
    rows = np.tile(np.eye(3), (200, 1))[:500]
    rows[250] = rows[251]
    everyone, places = np.ones(500, dtype=bool), np.arange(500)
    nearest = nearest_rows(rows, everyone, places)
    np.testing.assert_array_equal(nearest, nearest_in(rows @ rows.T, everyone, places))
    assert nearest[250] == 251 and nearest[251] == 250
    assert nearest[300] == 0 and nearest[0] == 3


def test_a_row_alone_has_no_nearest() -> None:
    assert nearest_rows(np.eye(3), np.array([False, True, False]), np.array([1])).tolist() == [-1]


def test_rows_no_longer_than_the_floor_have_no_direction() -> None:
    factors, directed = inverse_lengths(np.array([[1e30], [1e-10], [-2.0], [0.0]]), np.array([0.0, 0.0, 2.0, 0.0]))
    assert directed.tolist() == [True, True, False, False]
    assert factors.tolist() == pytest.approx([1e-30, 1e10, 0.0, 0.0], rel=1e-12)


@pytest.mark.parametrize(
    ("means", "offset"),
    [
        ([1.0, 0.8, 0.39], 2),
        ([1.0, 0.8, 0.4, 0.5, 0.3], 4),
        ([1.0, 0.8, 0.7], None),
        ([1.0, -0.1, -0.5], None),
        ([1.0, 0.0, -0.5], None),
        ([1.0, 0.5], None),
        ([1.0, np.nan, 0.1], None),
        ([1.0, 0.8, np.nan, 0.1], 3),
    ],
)
def test_half_decay(means: list[float], offset: int | None) -> None:
    assert half_decay(np.array(means)) == offset
