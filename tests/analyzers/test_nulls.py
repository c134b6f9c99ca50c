"""Nulls: what each keeps, how a p-value is counted, and that draws depend on nothing but seed, null and number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from probe.analyzers import get, names, nulls, run
from probe.analyzers.contract import Analyzer, Result
from probe.analyzers.nulls import NULLS, check, compare, describe
from probe.encodings import PositionTable
from probe.errors import TableError
from probe.numerics.view import TableView

GAUSSIAN, SHUFFLED = NULLS[:2]


def table(positions: int = 48, dimensions: int = 6) -> np.ndarray:
    return np.random.default_rng(9).standard_normal((positions, dimensions)).cumsum(axis=0) + 3.0


def scores(results: Mapping[str, Result]) -> dict[str, Any]:
    return {name: result.to_dict()["scores"] for name, result in results.items()}


@pytest.mark.parametrize(
    ("value", "tail", "p_value"),
    [
        (5.0, "high", 1 / 5),  # none of 4 draws reaches it
        (4.0, "high", 2 / 5),  # a tie is as extreme
        (2.5, "high", 3 / 5),
        (0.0, "high", 5 / 5),
        (0.0, "low", 1 / 5),
        (1.0, "low", 2 / 5),
        (9.0, "low", 5 / 5),
    ],
)
def test_p_is_one_plus_the_extreme_over_one_plus_the_draws(value: float, tail: Any, p_value: float) -> None:
    comparison = compare("gaussian", value, [1.0, 2.0, 3.0, 4.0], tail)
    assert comparison is not None
    assert comparison.p_value == pytest.approx(p_value)
    assert (comparison.draws, comparison.mean) == (4, 2.5)
    assert (comparison.low, comparison.high) == pytest.approx((1.075, 3.925))


def test_draws_without_a_value_are_less_extreme_and_not_counted_in_the_mean() -> None:
    comparison = compare("gaussian", 2.0, [None, 3.0, None, 1.0], "high")
    assert comparison is not None
    assert (comparison.draws, comparison.mean, comparison.p_value) == (2, 2.0, 2 / 5)
    assert compare("gaussian", 2.0, [None, None], "high") is None


def test_the_interval_holds_95_of_100_draws() -> None:
    comparison = compare("shuffled", 0.0, [float(number) for number in range(101)], "high")
    assert comparison is not None and (comparison.low, comparison.high) == (2.5, 97.5)


def test_shuffled_keeps_the_rows_and_moves_them() -> None:
    view = TableView(table())
    drawn = SHUFFLED.draw(view, np.random.default_rng(0)).array
    assert not np.array_equal(drawn, view.array)
    assert sorted(map(tuple, drawn)) == sorted(map(tuple, view.array))


def test_gaussian_keeps_mean_and_variance_of_each_dimension_and_nothing_else() -> None:
    array = table(200, 4) * [1.0, 10.0, 0.1, 0.0] + [0.0, -50.0, 7.0, 2.0]
    view = TableView(array)
    drawn = np.stack([GAUSSIAN.draw(view, np.random.default_rng(seed)).array for seed in range(300)])
    drawn = drawn * (array.mean(axis=0)[1] / drawn[..., 1].mean())  # draws are to scale
    for one in drawn:  # every draw, and not only on average
        np.testing.assert_allclose(one.mean(axis=0), array.mean(axis=0), rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(one.std(axis=0), array.std(axis=0), rtol=1e-3, atol=1e-6)
    assert np.ptp(drawn[..., 3]) == 0.0  # a constant dimension stays one
    lagged = np.corrcoef(drawn[:, 1:, 1].ravel(), drawn[:, :-1, 1].ravel())[0, 1]
    assert abs(lagged) < 0.02


def test_no_draws_means_no_null_and_says_so() -> None:
    results = run([get(name)() for name in names()], table(), draws=0)
    for result in results.values():
        for score in result.summary().values():
            assert score.against == () and score.null is None and score.p_value is None
            assert score.reason


def test_the_same_seed_gives_the_same_numbers_and_another_seed_others() -> None:
    first, again, other = (scores(run([get("pca")()], table(), draws=9, seed=seed)) for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_an_analyzer_alone_gets_the_numbers_it_gets_in_company() -> None:
    together = scores(run([get(name)() for name in names()], table(), draws=5, seed=3))
    for name in names():
        assert scores(run([get(name)()], table(), draws=5, seed=3)) == {name: together[name]}


def test_the_number_of_threads_does_not_change_the_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    results = []
    for cores in (1, 2, 8):
        monkeypatch.setattr(nulls.os, "cpu_count", lambda cores=cores: cores)
        results.append(scores(run([get("pca")(), get("neighbors")()], table(), draws=12)))
    assert results[0] == results[1] == results[2]


def test_more_draws_begin_with_the_same_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[bytes]] = []

    class Spy(Analyzer[Result]):
        name, result_type = "pca", get("pca").result_type

        def measure(self, view: TableView) -> dict[str, float | None]:
            seen[-1].append(view.array.tobytes())
            return dict(get("pca")().measure(view))

        def interpret(self, view: TableView, source: Any, scores: Any) -> Result:
            return get("pca")().interpret(view, source, scores)

    monkeypatch.setattr(nulls.os, "cpu_count", lambda: 1)
    for draws in (3, 5):
        seen.append([])
        run([Spy()], table(), draws=draws)
    assert seen[0] == seen[1][:4]
    assert len(set(seen[1])) == 6


def test_what_no_null_can_change_is_named_and_not_drawn() -> None:
    score = run([get("pca")()], table(), draws=3)["pca"].summary()["stable_rank"]
    assert [null.null for null in score.against] == ["gaussian"]
    assert set(score.unchanged_by) == {"shuffled"}


def test_progress_names_each_stage() -> None:
    told: list[str] = []
    run([get("pca")()], table(), draws=2, progress=told.append)
    assert told == ["2 tables of each null", "pca"]


@pytest.mark.parametrize(
    ("array", "words", "hint"),
    [
        (np.ones((1, 4)), "holds 1 position:", "at least two rows"),
        (np.ones((0, 4)), "holds 0 positions:", "at least two rows"),
        (np.array([[1.0, 2], [np.nan, 0], [0, np.nan]]), "NaN in 2 of its 3 rows, first at position 1", "damaged"),
        (np.array([[1.0, 2], [0, -np.inf]]), "infinity in 1 of its 2 rows, first at position 1", "diverged"),
        (np.full((5, 3), 0.1), "All 5 rows of mine are identical", "never trained"),
        (np.ones((5, 0)), "All 5 rows of mine are identical", "never trained"),
    ],
)
def test_a_table_that_cannot_be_analysed_is_refused_in_words(array: np.ndarray, words: str, hint: str) -> None:
    with pytest.raises(TableError) as caught:
        check(PositionTable.from_array(array, label="mine"))
    assert words in caught.value.message and "mine" in caught.value.message
    assert hint in (caught.value.hint or "")


def test_nulls_describe_themselves() -> None:
    assert [row["name"] for row in describe()][:2] == ["gaussian", "shuffled"]
    assert all(row["keeps"] and row["asks"].endswith("?") for row in describe())


def test_noise_in_single_precision_survives_a_mean_that_dwarfs_it() -> None:
    noise = np.random.default_rng(0).standard_normal((64, 16))
    plain, shifted = (run([get("pca")()], array, draws=5) for array in (noise, noise + 1e9))
    for name, score in plain["pca"].summary().items():
        assert shifted["pca"].summary()[name].null_mean == pytest.approx(score.null_mean, rel=1e-3)


@pytest.mark.parametrize("scale", [1e61, 1e-61])
def test_values_whose_squares_would_overflow_are_refused(scale: float) -> None:
    with pytest.raises(TableError, match="cannot be told apart"):
        run([get("pca")()], np.random.default_rng(0).standard_normal((8, 4)) * scale, draws=0)
