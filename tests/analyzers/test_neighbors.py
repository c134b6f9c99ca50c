"""Neighbours: the cosines of real and built tables, with their warnings."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from matplotlib.figure import Figure

from probe.analyzers import neighbors
from probe.encodings import PositionTable
from probe.numerics.view import TableView
from probe.sinusoids import sinusoidal


def smooth(positions: int, dimensions: int, seed: int = 0) -> np.ndarray:
    walk = np.random.default_rng(seed).standard_normal((positions, dimensions)).cumsum(axis=0)
    return walk - walk.mean(axis=0)


def values(table: np.ndarray) -> dict[str, float | None]:
    return {name: score.value for name, score in neighbors(table, draws=0).summary().items()}


def test_the_sinusoid_falls_off_as_its_sum_of_cosines_does() -> None:
    result = neighbors(sinusoidal(512, 768), draws=0)
    by_formula = np.cos(np.outer(result.offsets, 10_000.0 ** (-np.arange(384) / 384))).mean(axis=1)
    np.testing.assert_allclose(result.cosine_by_offset, by_formula, atol=1e-9)
    np.testing.assert_allclose(result.inner_product_by_offset, 384 * by_formula, atol=1e-6)
    assert result.cosine_by_offset[1] == pytest.approx(0.9734, abs=5e-5)
    assert result.cosine_by_offset[10] == pytest.approx(0.6800, abs=5e-5)
    assert result.summary()["nearest_is_adjacent"].value == 1.0


def test_scores_are_what_scikit_learn_and_loops_give() -> None:
    from sklearn.metrics.pairwise import cosine_similarity

    table = smooth(60, 7) + 4.0
    result = neighbors(table, draws=0)
    raw, centred = cosine_similarity(table), cosine_similarity(table - table.mean(axis=0))
    got = {name: score.value for name, score in result.summary().items()}
    assert got["cosine_next"] == pytest.approx(np.diagonal(raw, 1).mean())
    assert got["centred_cosine_next"] == pytest.approx(np.diagonal(centred, 1).mean())
    others = np.where(np.eye(60, dtype=bool), -2.0, centred).argmax(axis=1)
    np.testing.assert_array_equal(result.nearest, others)
    assert got["nearest_is_adjacent"] == pytest.approx(np.mean(np.abs(others - np.arange(60)) == 1))
    means = np.array([np.diagonal(centred, offset).mean() for offset in range(31)])
    np.testing.assert_allclose(result.centred_cosine_by_offset, means, atol=1e-12)
    assert got["half_decay_offset"] == next(offset for offset in range(2, 31) if means[offset] < means[1] / 2)
    assert result.similarity_map is not None
    np.testing.assert_allclose(result.similarity_map, centred, atol=1e-5)
    off_diagonal = ~np.eye(60, dtype=bool)
    assert result.mean_cosine == pytest.approx(raw[off_diagonal].mean())
    assert result.centred_mean_cosine == pytest.approx(centred[off_diagonal].mean())


def test_zero_rows_are_left_out_and_named() -> None:
    table = smooth(64, 8, seed=3)
    whole = table.copy()
    table[[0, 20]] = 0.0
    result = neighbors(table, draws=19)
    unit = whole / np.linalg.norm(whole, axis=1, keepdims=True)
    kept = [p for p in range(63) if not {p, p + 1} & {0, 20}]
    expected = np.mean([unit[p] @ unit[p + 1] for p in kept])
    assert result.summary()["cosine_next"].value == pytest.approx(expected, rel=1e-12)
    assert result.nearest[[0, 20]].tolist() == [-1, -1]
    assert result.warnings == ("2 rows of zeros, at positions 0, 20: no direction, left out of every cosine.",)


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda table: np.tile(table[:32], (4, 1)), ["repeats itself every 32 positions", "96 rows are exact copies"]),
        (lambda table: np.concatenate([table[:64], np.tile(table[63], (64, 1))]), ["Positions 63 to 127", "identical"]),
        (lambda table: np.concatenate([table[:100], table[70:98]]), ["28 rows duplicate", "30 positions before"]),
    ],
)
def test_copies_are_warned_of(build, words: list[str]) -> None:
    (warning,) = neighbors(build(smooth(128, 8)), draws=0).warnings
    assert all(word in warning for word in words)


def test_a_table_of_its_own_rows_gets_no_warning() -> None:
    assert neighbors(smooth(64, 4), draws=0).warnings == ()


def test_a_shared_mean_raises_raw_cosines_alone() -> None:
    noise = np.random.default_rng(1).standard_normal((200, 32))
    scores = neighbors(noise + 3.0, draws=39).summary()
    assert scores["cosine_next"].value > 0.85
    assert scores["centred_cosine_next"].value == pytest.approx(0.0, abs=0.05)
    assert scores["cosine_next"].p_value > 0.05 and scores["centred_cosine_next"].p_value > 0.05


def test_findings_say_what_was_found() -> None:
    noise = np.random.default_rng(1).standard_normal((100, 16))
    assert "no more alike than any two positions" in neighbors(noise, draws=19).finding
    found = neighbors(sinusoidal(64, 16), draws=5).finding
    assert "0.84" in found and "next to it 100 % of the time" in found and "3 positions apart" in found


def test_order_is_what_the_shuffled_null_takes_away() -> None:
    score = neighbors(smooth(80, 6), draws=19).summary()["centred_cosine_next"]
    assert [null.null for null in score.against] == ["gaussian", "shuffled"]
    assert score.p_value == pytest.approx(1 / 20)
    assert score.null_mean == pytest.approx(-1 / 79, abs=0.06)


def test_scores_without_a_value_say_why() -> None:
    lonely = np.zeros((5, 2))
    lonely[2] = 1.0
    summary = neighbors(lonely, draws=3).summary()
    assert summary["cosine_next"].value is None
    assert summary["cosine_next"].reason == "no two neighbouring rows both have a direction"
    assert summary["nearest_is_adjacent"].reason == "fewer than two rows have a direction"
    opposite = neighbors(np.array([[1.0], [2.0]]), draws=0).summary()
    assert opposite["centred_cosine_next"].value == -1.0
    assert "not positive between neighbours" in (opposite["half_decay_offset"].reason or "")


def test_large_tables_go_without_a_square_array() -> None:
    table = smooth(5000, 3)
    result = neighbors(table, draws=0)
    assert result.similarity_map is None
    assert "map" in result.plot(figure="similarity_map").texts[0].get_text()
    sampled = np.linspace(0, 4999, 512).astype(int)
    adjacent = np.abs(result.nearest[sampled] - sampled) == 1
    assert result.summary()["nearest_is_adjacent"].value == pytest.approx(adjacent.mean())


def test_the_two_ways_to_the_scores_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    table = smooth(150, 5)
    whole = values(table)
    monkeypatch.setattr(sys.modules["probe.analyzers.neighbors"], "_WHOLE", 10)
    assert values(table) == pytest.approx(whole)


def test_the_map_is_averaged_in_blocks_when_large_and_keeps_its_limits() -> None:
    result = neighbors(smooth(1500, 3), draws=0)
    (image,) = result.plot(Figure().subplots(), figure="similarity_map").images
    assert image.get_clim() == (-1.0, 1.0)
    drawn = np.asarray(image.get_array())
    assert drawn.shape == (750, 750)
    assert result.similarity_map is not None
    assert drawn[3, 8] == pytest.approx(result.similarity_map[6:8, 16:18].mean(), abs=1e-6)


def test_the_map_stays_out_of_json() -> None:
    assert "similarity_map" not in neighbors(smooth(30, 3), draws=0).to_dict()


def test_a_centred_row_of_zeros_has_no_direction() -> None:
    result = neighbors(np.array([[0.0], [1.0], [2.0], [5.0]]), draws=0)  # the mean is 2, and row 0 is zero
    assert result.nearest.tolist() == [-1, 3, -1, 1]


def test_a_table_has_the_same_answer_as_its_array() -> None:
    table = smooth(40, 4)
    named = neighbors(PositionTable.from_array(table, label="walk"), draws=0)
    assert named.source.label == "walk" and named.summary()["cosine_next"].value == values(table)["cosine_next"]
    assert TableView(table).positions == named.shape[0]
