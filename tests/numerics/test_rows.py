"""Rows of zeros, runs, copies at a lag: found exactly, and only when exact."""

from __future__ import annotations

import numpy as np

from probe.numerics.rows import RowWarnings, row_warnings
from probe.numerics.view import TableView


def facts(array: np.ndarray) -> RowWarnings:
    return row_warnings(TableView(array))


def distinct(count: int) -> np.ndarray:
    return np.random.default_rng(count).standard_normal((count, 3))


def test_nothing_is_said_of_rows_that_are_all_their_own() -> None:
    assert facts(distinct(20)) == RowWarnings(zero=(), runs=(), copies=0, lag=None, lag_rows=0)


def test_zero_rows_are_no_copies_of_one_another() -> None:
    table = distinct(10)
    table[[0, 3, 4]] = 0.0
    table[4] = -0.0
    assert facts(table) == RowWarnings(zero=(0, 3, 4), runs=(), copies=0, lag=None, lag_rows=0)


def test_a_tail_that_repeats_its_last_row_is_a_run() -> None:
    table = distinct(12)
    table[7:] = table[6]
    table[2] = table[1]
    assert facts(table) == RowWarnings(zero=(), runs=((6, 11), (1, 2)), copies=6, lag=None, lag_rows=0)


def test_blocks_that_repeat_tell_their_lag() -> None:
    assert facts(np.tile(distinct(8), (4, 1))) == RowWarnings(zero=(), runs=(), copies=24, lag=8, lag_rows=24)


def test_scattered_copies_count_by_their_commonest_lag() -> None:
    table = distinct(30)
    table[20], table[21], table[29] = table[10], table[11], table[2]
    assert facts(table) == RowWarnings(zero=(), runs=(), copies=3, lag=10, lag_rows=2)


def test_almost_a_copy_is_none() -> None:
    table = np.tile(distinct(8), (2, 1))
    table[8:] *= 1 + 1e-15
    assert facts(table).copies == 0


def test_minus_zero_is_zero() -> None:
    assert facts(np.array([[0.0, 1.0], [-0.0, 1.0], [2.0, 1.0]])).runs == ((0, 1),)
