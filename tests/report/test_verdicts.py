"""The sentences of the verdict: said only when a score beats its nulls, with the numbers of that score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
import pytest

from probe.analyzers import NullComparison, Result, Score, names
from probe.analyzers.registry import get
from probe.encodings import PositionTable
from probe.report import build_report
from probe.report.findings import _PLAN, verdict
from probe.sinusoids import sinusoidal

from .conftest import learned, noise


class Found:
    """Stands for a result: its scores, its shape, nothing else."""

    shape = (512, 384)

    def __init__(self, scores: Mapping[str, Score], conclusion: str | None = None) -> None:
        self.scores = scores
        self.conclusion = conclusion

    def summary(self) -> Mapping[str, Score]:
        return self.scores


def score(value: float, mean: float, p_value: float = 0.01, null: str = "shuffled") -> Score:
    against = NullComparison(null=null, draws=99, mean=mean, low=mean, high=mean, p_value=p_value)
    return Score(value=value, against=(against,))


def said(**results: dict[str, Score]) -> str:
    found: Any = {name: Found(scores) for name, scores in results.items()}
    return verdict(cast("dict[str, Result]", found), draws=99)


def test_numbers_come_from_the_score_and_its_null() -> None:
    assert said(sinusoid={"vaswani_r2": score(0.624, 0.163)}) == (
        "About 62 % of what tells positions apart lies in the frequencies of sin/cos; the same rows in random order "
        "would give 16 %."
    )
    assert said(pca={"variance_top_10": score(0.885, 0.16, null="gaussian")}) == (
        "Ten of its 384 directions carry 88 % of what tells positions apart; a table of noise would give 16 %. "
        "That says nothing of their order."
    )


def test_a_score_that_falls_short_is_not_spoken_of() -> None:
    text = said(sinusoid={"vaswani_r2": score(0.624, 0.6, p_value=0.05)}, pca={"variance_top_10": score(0.9, 0.1)})
    assert "sin/cos" not in text
    assert text.startswith("Ten of its 384 directions carry 90 %")
    nothing = said(sinusoid={"vaswani_r2": score(0.624, 0.6, p_value=0.3)})
    assert nothing == "Nothing here tells it from a table without position: no score beats its nulls."


def test_what_leaves_no_doubt_is_said_alone() -> None:
    found: Any = {
        "neighbors": Found({"centred_cosine_next": score(0.97, 0.0)}),
        "sinusoid": Found({"vaswani_r2": score(1.0, 0.3)}, conclusion="It is the formula."),
    }
    assert verdict(found, draws=99) == "It is the formula."


def test_neighbours_come_first_and_are_held_against_random_order() -> None:
    ordered = said(sinusoid={"vaswani_r2": score(0.5, 0.1)}, neighbors={"centred_cosine_next": score(0.8, 0.0)})
    assert ordered.index("Neighbouring positions look alike") < ordered.index("About 50 %")
    assert "0.80, against 0.00 for the same rows in random order" in ordered
    faint = said(neighbors={"centred_cosine_next": score(0.1, 0.0)})
    assert faint.startswith("Neighbouring positions look a little more alike than chance allows")
    shared = said(neighbors={"centred_cosine_next": score(0.65, 0.63)})
    assert shared.startswith("Neighbouring positions look a little more alike than chance allows")


def test_smooth_tables_are_not_called_sinusoidal() -> None:
    trend = np.arange(128.0)[:, None] * np.random.default_rng(0).standard_normal(32)
    squared = np.square(np.linspace(-1, 1, 128))[:, None] * np.random.default_rng(1).standard_normal(32)
    tables = [PositionTable.from_array(trend + 1e-3 * squared, label="trend")]
    (analysed,) = build_report(tables, draws=39).encodings
    assert "sinusoidal" not in analysed.verdict
    assert "as it does in any table that is smooth enough" in analysed.verdict


def test_a_real_sinusoid_is_named_with_its_convention() -> None:
    (analysed,) = build_report([PositionTable.from_array(sinusoidal(64, 32), label="sines")], draws=39).encodings
    assert analysed.verdict.startswith("The table is exactly sinusoidal: every value follows the sin/cos formula")


def test_one_outlying_row_makes_no_order() -> None:
    table = np.random.default_rng(0).standard_normal((64, 32))
    table[0] *= 100
    for seed in range(4):
        (analysed,) = build_report([PositionTable.from_array(table, label="outlier")], draws=39, seed=seed).encodings
        assert "belongs to their order" not in analysed.verdict


def test_other_scores_that_beat_their_nulls_are_not_hidden() -> None:
    text = said(pca={"stable_rank": score(2.0, 30.0)})
    assert text == "Some of its scores beat their nulls, though none of those that speak plainly."


def test_an_unknown_null_is_called_by_its_name() -> None:
    assert "the rotated null would give" in said(sinusoid={"vaswani_r2": score(0.5, 0.1, null="rotated")})


@pytest.mark.parametrize(("draws", "words"), [(0, "No null was drawn"), (19, "With 19 draws of each null, none")])
def test_without_enough_draws_nothing_is_claimed(draws: int, words: str) -> None:
    report = build_report([learned("a")], only=["pca"], draws=draws)
    assert report.encodings[0].verdict.startswith(words)


def test_noise_is_not_given_a_code_of_position() -> None:
    (analysed,) = build_report([noise("noise")], draws=39).encodings
    for claim in ("Neighbouring positions look alike", "All that tells", "Ten of its"):
        assert claim not in analysed.verdict


def test_the_plan_speaks_of_scores_that_exist() -> None:
    for clause in (clause for group in _PLAN for clause in group):
        if clause.analyzer in names():
            assert clause.score in {spec.name for spec in get(clause.analyzer).result_type.specs}
