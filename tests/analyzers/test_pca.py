"""PCA: against scikit-learn, and against numbers known of real tables."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from probe.analyzers import pca
from probe.analyzers.pca import PCAResult
from probe.sinusoids import sinusoidal


def values(result: PCAResult) -> dict[str, float]:
    return {name: float(score.value or 0) for name, score in result.summary().items()}


@pytest.fixture(scope="module")
def pretrained(rxnfp: Path) -> np.ndarray:
    torch = pytest.importorskip("torch")
    tensors = torch.load(rxnfp / "pytorch_model.bin", weights_only=True, map_location="cpu")
    (table,) = (value for name, value in tensors.items() if name.endswith("position_embeddings.weight"))
    return table.numpy()


@pytest.mark.parametrize("shape", [(50, 8), (8, 50), (30, 30)], ids=str)
def test_scikit_learn_agrees(shape: tuple[int, int]) -> None:
    from sklearn.decomposition import PCA

    table = np.random.default_rng(0).standard_normal(shape) * np.geomspace(1, 9, shape[1]) + 5
    result = pca(table, components=4, draws=0)
    oracle = PCA(svd_solver="full").fit(table)
    ratios = oracle.explained_variance_ratio_
    kept = min(len(ratios), len(result.explained_variance_ratio))
    np.testing.assert_allclose(result.explained_variance_ratio[:kept], ratios[:kept], atol=1e-12)
    along = oracle.transform(table)[:, :4]
    along *= np.sign((along * result.components).sum(axis=0))
    np.testing.assert_allclose(result.components, along, atol=1e-7 * np.abs(along).max())
    got = values(result)
    assert got["variance_top_2"] == pytest.approx(ratios[:2].sum())
    assert got["stable_rank"] == pytest.approx(1 / ratios[0])
    assert got["participation_ratio"] == pytest.approx(1 / np.square(ratios).sum())
    assert got["components_for_90"] == np.argmax(np.cumsum(ratios) >= 0.9) + 1
    assert got["components_for_95"] == np.argmax(np.cumsum(ratios) >= 0.95) + 1


def test_known_numbers_of_a_pretrained_bert(pretrained: np.ndarray) -> None:
    result = pca(pretrained, draws=0)
    got = values(result)
    assert pretrained.shape == (512, 256)
    assert got["variance_top_2"] == pytest.approx(0.244, abs=5e-4)
    assert result.explained_variance_ratio[:3].sum() == pytest.approx(0.356, abs=5e-4)
    assert got["variance_top_10"] == pytest.approx(0.715, abs=5e-4)
    assert got["stable_rank"] == pytest.approx(8.04, abs=5e-3)
    assert got["participation_ratio"] == pytest.approx(15.5, abs=0.05)
    assert (got["components_for_90"], got["components_for_95"]) == (40, 89)
    pair = result.pairs[0]
    assert (pair.first, pair.second) == (0, 1)
    assert pair.period == pytest.approx(9.66, abs=5e-3)
    assert pair.phase_gap == pytest.approx(90.6, abs=0.05)
    assert pair.amplitude_ratio == pytest.approx(1.018, abs=5e-4)
    assert result.finding == "10 directions carry 71 % of what tells positions apart, of 256; 90 % takes 40."


def test_known_numbers_of_the_sinusoid() -> None:
    result = pca(sinusoidal(512, 768), draws=0)
    got = values(result)
    assert got["variance_top_2"] == pytest.approx(0.232, abs=5e-4)
    assert result.explained_variance_ratio[:3].sum() == pytest.approx(0.290, abs=5e-4)
    assert got["variance_top_10"] == pytest.approx(0.487, abs=5e-4)
    assert got["stable_rank"] == pytest.approx(6.80, abs=5e-3)
    assert got["participation_ratio"] == pytest.approx(24.1, abs=0.05)
    assert (got["components_for_90"], got["components_for_95"]) == (90, 111)


def test_structure_beats_the_gaussian_null_on_the_right_side(pretrained: np.ndarray) -> None:
    for name, score in pca(pretrained, draws=19).summary().items():
        (against,) = score.against
        assert against.null == "gaussian" and against.p_value == 0.05, name
        assert "order" in score.unchanged_by["shuffled"]
    assert score.value < against.low  # components_for_95: fewer than noise takes


def test_the_gaussian_null_of_noise_is_no_surprise() -> None:
    noise = np.random.default_rng(4).standard_normal((120, 40))
    assert all(score.p_value > 0.01 for score in pca(noise, draws=99).summary().values())


def test_one_dimension_is_all_there_is() -> None:
    result = pca(np.array([[1.0], [2.0], [4.0]]), draws=3)
    assert values(result) == pytest.approx(
        {"variance_top_2": 1, "variance_top_10": 1, "stable_rank": 1, "participation_ratio": 1,
         "components_for_90": 1, "components_for_95": 1}
    )  # fmt: skip
    assert result.components.shape == (3, 1)


def test_a_large_mean_does_not_count() -> None:
    table = np.random.default_rng(5).standard_normal((60, 12))
    assert values(pca(table + 100.0, draws=0)) == pytest.approx(values(pca(table, draws=0)), rel=1e-6)


def test_how_many_components_are_kept() -> None:
    table = np.random.default_rng(6).standard_normal((60, 12))
    assert pca(table, components=3, draws=0).components.shape == (60, 3)
    assert pca(table, draws=0).components.shape == (60, 12)
