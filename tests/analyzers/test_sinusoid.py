import json
from pathlib import Path

import numpy as np
import pytest
import torch

from probe.analyzers.contract import as_table
from probe.analyzers.sinusoid import LONGEST, Sinusoid, sinusoid
from probe.errors import TableError
from probe.numerics.view import TableView
from probe.sinusoids import Convention, sinusoidal

KEYS = ["vaswani_r2", "best_base", "best_base_r2", "shift_r2_1", "shift_r2_16", "cka"]


def noise(shape: tuple[int, int], seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape)


@pytest.fixture(scope="module")
def reactions(rxnfp: Path) -> np.ndarray:
    tensors = torch.load(rxnfp / "pytorch_model.bin", weights_only=True, map_location="cpu")
    (table,) = (tensor for name, tensor in tensors.items() if name.endswith("position_embeddings.weight"))
    return np.array(table.numpy())


def test_a_learned_table_has_the_published_share(reactions: np.ndarray) -> None:
    result = sinusoid(reactions, draws=19)
    score = result.scores["vaswani_r2"]
    assert score.value == pytest.approx(0.625, abs=5e-4)
    assert result.vaswani_rank == 84
    assert result.vaswani_chance == pytest.approx(0.164, abs=5e-4)
    assert score.null_mean == pytest.approx(0.164, abs=5e-3)
    assert score.beats_all(0.051)
    assert result.verdict == "not sinusoidal"
    assert result.convention is None
    assert "63 % of what tells positions apart" in result.finding
    assert "16 % would by chance" in result.finding
    assert result.scores["best_base_r2"].value > 0.8


def test_the_sinusoid_scores_one_throughout() -> None:
    result = sinusoid(sinusoidal(512, 768), draws=0)
    assert list(result.summary()) == KEYS
    values = {name: score.value for name, score in result.summary().items()}
    assert values.pop("best_base") == 10_000.0
    assert values == pytest.approx(dict.fromkeys(values, 1.0), abs=1e-6)
    assert result.vaswani_rank == 147
    assert result.vaswani_chance == pytest.approx(0.288, abs=5e-4)
    np.testing.assert_allclose(result.shift_r2, 1.0, atol=1e-5)
    np.testing.assert_allclose(result.fitted, result.table, atol=1e-5)
    assert result.warnings == ()


def test_gaussian_tables_score_what_chance_gives() -> None:
    result = sinusoid(noise((512, 256)), draws=19)
    assert result.scores["vaswani_r2"].value == pytest.approx(0.166, abs=5e-3)
    assert not result.scores["best_base_r2"].beats_all()
    assert any("No base explains more than chance" in warning for warning in result.warnings)
    assert result.scores["best_base"].against == ()
    assert "no value of it speaks" in str(result.scores["best_base"].reason)


@pytest.mark.parametrize("base", [20.0, 2980.957987, 10_000.0, 10.0**5.05])
def test_best_base_is_the_one_a_sinusoid_was_made_with(base: float) -> None:
    table = sinusoidal(256, 32, Convention(base=base, offset=2)).astype(np.float32)
    result = sinusoid(table, draws=0)
    assert result.verdict == "exactly sinusoidal"
    assert result.scores["best_base"].value == pytest.approx(base, rel=1e-5)
    assert result.scores["best_base_r2"].value == pytest.approx(1.0, abs=1e-9)


def test_a_wide_short_sinusoid_shows_its_base_in_its_columns() -> None:
    result = sinusoid(sinusoidal(64, 256, Convention(base=3000.0)), draws=0)
    assert result.scores["best_base"].value == 3000.0


def test_mixed_dimensions_keep_every_score_and_lose_the_layout() -> None:
    table = sinusoidal(128, 32) + 0.1 * noise((128, 32))
    mixing = np.linalg.qr(noise((32, 32), 1))[0]
    analyzer = Sinusoid()
    plain = analyzer.measure(TableView(table))
    for changed in (1e3 * table @ mixing, table[:, ::-1], 1e30 * table, 1e-30 * table):
        assert analyzer.measure(TableView(changed)) == pytest.approx(plain, rel=1e-6)
    mixed = sinusoid(sinusoidal(128, 32) @ mixing, draws=0)
    assert mixed.verdict == "not sinusoidal"
    assert any("whose dimensions were mixed" in warning for warning in mixed.warnings)


@pytest.mark.parametrize("shape", [(100, 15), (100, 16)])
def test_cka_is_that_of_the_gram_matrices(shape: tuple[int, int]) -> None:
    table = noise(shape).cumsum(axis=0)
    grams = [(centred := part - part.mean(axis=0)) @ centred.T for part in (table, sinusoidal(*shape))]
    expected = np.vdot(grams[0], grams[1]) / np.prod([np.linalg.norm(gram) for gram in grams])
    assert Sinusoid().measure(TableView(table))["cka"] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("table", "verdict", "words"),
    [
        (sinusoidal(64, 16), "exactly sinusoidal", ("base 10,000", "sine and cosine in turn", "counted from 0")),
        (
            sinusoidal(64, 16) + 0.02 * noise((64, 16)),
            "close to sinusoidal, not exactly",
            ("accounts for 99.", "not exactly"),
        ),
        (noise((64, 16)), "not sinusoidal", ("of what tells positions apart", "by chance")),
    ],
    ids=["exact", "close", "not"],
)
def test_the_verdict_is_in_the_finding(table: np.ndarray, verdict: str, words: tuple[str, ...]) -> None:
    result = sinusoid(table, draws=0)
    assert result.verdict == verdict
    assert f"is {verdict}" in result.finding
    assert all(word in result.finding for word in words)


@pytest.mark.parametrize(
    ("shape", "missing", "reason"),
    [
        ((3, 8), KEYS, "too small: it takes 4 positions and 2 dimensions"),
        ((30, 1), ["vaswani_r2", "best_base", "best_base_r2", "cka"], "too small"),
        ((30, 2), ["best_base", "best_base_r2"], "one frequency, which is 1 whatever the base"),
        ((5, 64), ["best_base", "best_base_r2"], "span all there is"),
        ((20, 8), ["shift_r2_16"], "a shift by 16 leaves a table of 20 × 8 fewer than 10 pairs of rows"),
    ],
)
def test_what_is_not_defined_says_why(shape: tuple[int, int], missing: list[str], reason: str) -> None:
    result = sinusoid(noise(shape), draws=3)
    absent = [name for name, score in result.summary().items() if score.value is None]
    assert set(missing) <= set(absent)
    assert all(score.reason for score in result.summary().values() if score.value is None)
    assert reason in str(result.scores[missing[0]].reason)


@pytest.mark.parametrize("shape", [(2, 1), (4, 2), (5, 3), (9, 200), (12, 5), (64, 8)])
def test_small_tables_give_strict_json_and_every_figure(shape: tuple[int, int]) -> None:
    result = sinusoid(1e30 * noise(shape), draws=2)
    body = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert body["schema"] == "probe.sinusoid/1"
    assert list(body["scores"]) == KEYS
    assert "table" not in body
    for figure in result.figures:
        axes = result.plot(figure=figure.name)
        assert axes.get_xlabel()
        assert axes.get_ylabel()
        assert not axes.get_title()


def test_the_convention_is_in_the_json() -> None:
    table = as_table(sinusoidal(64, 16, Convention(layout="halves", divisor="d/2-1", offset=2)).astype(np.float16))
    convention = sinusoid(table, draws=0).to_dict()["convention"]
    assert (convention["layout"], convention["divisor"], convention["base"]) == ("halves", "d/2-1", 10_000.0)
    assert (convention["offset"], convention["exact"], convention["precision"]) == (2, True, "float16")


def test_a_very_long_table_is_fitted_on_its_beginning() -> None:
    result = sinusoid(sinusoidal(LONGEST + 5, 2), draws=0)
    assert result.fitted_positions == LONGEST
    assert "R² and CKA are those of the first 4,096 of 4,101 positions." in result.warnings
    assert result.scores["cka"].value == pytest.approx(1.0)


def test_zero_rows_and_large_spaces_are_warned_of() -> None:
    table = sinusoidal(16, 64)
    table[3] = 0.0
    warnings = " ".join(sinusoid(table, draws=0).warnings)
    assert "Rows that are all zero (position 3)" in warnings
    assert "R² says little" in warnings


def test_a_table_without_differences_is_refused() -> None:
    with pytest.raises(TableError, match="identical"):
        sinusoid(np.ones((8, 4)))
