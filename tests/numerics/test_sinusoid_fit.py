import numpy as np
import pytest

from probe.numerics.band import fold, slepian, unfold
from probe.numerics.base_search import BaseGrid
from probe.numerics.sinusoid_fit import FrequencySpaces, adjusted, linear_cka
from probe.sinusoids import Convention, frequencies, sinusoidal


def centred(table: np.ndarray) -> np.ndarray:
    return table - table.mean(axis=0)


def directly(table: np.ndarray, reference: np.ndarray) -> tuple[float, int]:
    """R² and rank the slow way: a full singular value decomposition of the centred sinusoid."""
    left, values, _ = np.linalg.svd(centred(reference), full_matrices=False)
    basis = left[:, values > 1e-6 * values[0]]
    return float(np.square(basis.T @ table).sum() / np.square(table).sum()), basis.shape[1]


@pytest.mark.parametrize("shape", [(512, 768), (512, 256), (65, 16), (200, 40), (24, 64), (4, 4)])
@pytest.mark.parametrize("base", [20.0, 10_000.0])
def test_share_and_rank_are_those_of_a_full_decomposition(shape: tuple[int, int], base: float) -> None:
    table = centred(np.random.default_rng(3).standard_normal(shape).cumsum(axis=0))
    space = FrequencySpaces(shape[0], [frequencies(shape[1], Convention(base=base))])
    share, rank = directly(table, sinusoidal(*shape, Convention(base=base)))
    assert space.ranks.tolist() == [rank]
    np.testing.assert_allclose(space.shares(space.compress(table)), [share], atol=1e-9)


def test_fit_is_the_orthogonal_projection() -> None:
    table = centred(np.random.default_rng(4).standard_normal((51, 8)))
    used = frequencies(8)
    space = FrequencySpaces(51, [used])
    fitted = space.fit(table, used)
    np.testing.assert_allclose(space.fit(fitted, used), fitted, atol=1e-12)
    assert np.vdot(fitted, table - fitted) == pytest.approx(0.0, abs=1e-9)
    assert np.square(fitted).sum() / np.square(table).sum() == pytest.approx(space.shares(space.compress(table))[0])


@pytest.mark.parametrize("positions", [4, 37, 512])
def test_slepian_sequences_hold_every_frequency_up_to_one(positions: int) -> None:
    span = slepian(positions)
    np.testing.assert_allclose(span.T @ span, np.eye(span.shape[1]), atol=1e-11)
    angles = np.outer(np.arange(positions), [0.0, 1e-4, 0.3, 0.77, 1.0])
    waves = np.concatenate([np.sin(angles + 0.4), np.cos(angles)], axis=1)
    np.testing.assert_allclose(span @ (span.T @ waves), waves, atol=1e-6)
    assert positions < 100 or span.shape[1] < 0.4 * positions


@pytest.mark.parametrize("rows", [6, 7])
def test_folding_keeps_inner_products_and_can_be_undone(rows: int) -> None:
    columns = np.random.default_rng(0).standard_normal((rows, 3))
    even, odd = fold(columns)
    np.testing.assert_allclose(even.T @ even + odd.T @ odd, columns.T @ columns)
    np.testing.assert_allclose(unfold(even, odd), columns)


def test_adjusted_r2_is_zero_at_chance_and_hopeless_where_the_space_is_everything() -> None:
    ranks = np.array([84, 84, 511, 600])
    r2 = np.array([84 / 511, 1.0, 1.0, 1.0])
    np.testing.assert_allclose(adjusted(r2, ranks, 512), [0.0, 1.0, -np.inf, -np.inf], atol=1e-12)


def test_cka_by_hand_and_through_gram_matrices() -> None:
    first, second = np.array([[1.0], [-1.0], [0.0]]), np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]])
    grams = [table @ table.T for table in (first, second)]
    expected = np.vdot(grams[0], grams[1]) / (np.linalg.norm(grams[0]) * np.linalg.norm(grams[1]))
    assert linear_cka(first, second) == pytest.approx(expected)
    assert linear_cka(first, second) == pytest.approx(2 / (2 * np.sqrt(10)))


@pytest.mark.parametrize("base", [37.0, 500.0, 2980.957987, 10_000.0, 100_000.0])
def test_base_of_a_sinusoid_is_found_though_its_dimensions_are_mixed(base: float) -> None:
    grid = BaseGrid(
        256, 10.0 ** (np.arange(10, 71) / 10), lambda at: frequencies(32, Convention(base=at)), usual=10_000.0
    )
    mixing = np.linalg.qr(np.random.default_rng(5).standard_normal((32, 32)))[0]
    table = centred(sinusoidal(256, 32, Convention(base=base)) @ mixing)
    found = grid.best(grid.spaces.compress(table))
    assert found is not None
    assert found.base == pytest.approx(base, rel=1e-6)
    assert found.r2 == pytest.approx(1.0, abs=1e-9)


def test_no_base_is_best_where_every_space_holds_everything() -> None:
    grid = BaseGrid(4, np.array([10.0, 100.0]), lambda base: frequencies(64, Convention(base=base)), usual=10.0)
    table = centred(np.random.default_rng(0).standard_normal((4, 64)))
    assert grid.best(grid.spaces.compress(table)) is None
