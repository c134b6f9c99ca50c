"""Shares of a spectrum, and components that turn together."""

from __future__ import annotations

import numpy as np
import pytest

from probe.numerics.components import components_for, quadrature_pairs

TURN = 2 * np.pi * np.arange(120) / 12


@pytest.mark.parametrize(("share", "count"), [(0.4, 1), (0.5, 1), (0.51, 2), (0.9, 3), (1.0, 4)])
def test_components_for_a_share(share: float, count: int) -> None:
    assert components_for(np.array([5.0, 3.0, 1.5, 0.5]), share) == count


def test_a_circle_is_a_pair() -> None:
    (pair,) = quadrature_pairs(np.stack([1.1 * np.cos(TURN), np.sin(TURN)], axis=1))
    assert (pair.first, pair.second, pair.period) == (0, 1, 12.0)
    assert pair.phase_gap == pytest.approx(90.0)
    assert pair.amplitude_ratio == pytest.approx(1.1)


@pytest.mark.parametrize(
    "second",
    [np.cos(TURN), np.sin(2 * TURN), 0.5 * np.sin(TURN), np.zeros(120)],
    ids=["in phase", "another period", "too small", "empty"],
)
def test_what_is_no_pair(second: np.ndarray) -> None:
    assert quadrature_pairs(np.stack([np.cos(TURN), second], axis=1)) == ()


def test_no_component_is_in_two_pairs() -> None:
    columns = [np.cos(TURN), np.sin(TURN), np.cos(TURN), np.sin(TURN)]
    assert [pair.first for pair in quadrature_pairs(np.stack(columns, axis=1))] == [0, 2]
    assert [pair.first for pair in quadrature_pairs(np.stack(columns[:3], axis=1))] == [0]


def test_three_positions_make_no_period() -> None:
    assert quadrature_pairs(np.eye(3)) == ()
