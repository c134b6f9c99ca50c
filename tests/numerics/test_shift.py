import numpy as np
import pytest

from probe.numerics.shift import fits, held_out_r2, linear_shifts, turning
from probe.numerics.view import TableView
from probe.sinusoids import sinusoidal


def autoregressive(positions: int, dimensions: int, correlation: float = 0.9, seed: int = 0) -> np.ndarray:
    noise = np.random.default_rng(seed).standard_normal((positions, dimensions))
    table = noise.copy()
    for place in range(1, positions):
        table[place] = correlation * table[place - 1] + np.sqrt(1 - correlation**2) * noise[place]
    return table


def shifts(table: np.ndarray, *offsets: int) -> dict[int, float]:
    return {shift.offset: shift.r2 for shift in linear_shifts(TableView(table), offsets)}


@pytest.mark.parametrize("shape", [(512, 768), (512, 64), (128, 768), (64, 768), (64, 16), (64, 8), (37, 9), (48, 2)])
def test_a_sinusoid_shifts_linearly_however_far(shape: tuple[int, int]) -> None:
    assert shifts(sinusoidal(*shape), 1, 4, 16) == pytest.approx({1: 1.0, 4: 1.0, 16: 1.0}, abs=1e-6)


def test_smooth_noise_shifts_nearly_linearly_too() -> None:
    found = shifts(autoregressive(512, 768), 1, 4)
    assert 0.97 < found[1] < 0.995
    assert 0.84 < found[4] < 0.95


def test_rows_without_order_do_not_shift_at_all() -> None:
    found = shifts(np.random.default_rng(0).standard_normal((512, 64)), 1, 16)
    assert all(-0.2 < r2 < 0.0 for r2 in found.values())


def test_one_outlying_row_does_not_swamp_the_rest() -> None:
    table = autoregressive(512, 64)
    clean = shifts(table, 1, 16)
    beside = 0.01 * np.random.default_rng(1).standard_normal((512, 1))
    beside[0] = 100.0  # a direction that hardly any other row has: without a ridge 16 positions on score −89
    assert shifts(np.concatenate([table, beside], axis=1), 1, 16) == pytest.approx(clean, abs=0.05)


def test_offsets_that_leave_too_few_pairs_are_left_out() -> None:
    assert list(shifts(sinusoidal(25, 8), 1, 4, 16, 64)) == [1, 4]
    assert list(shifts(sinusoidal(26, 8), 1, 4, 16, 64)) == [1, 4, 16]
    assert not fits(10, 1)
    assert shifts(sinusoidal(10, 8), 1) == {}


def test_held_out_r2_is_that_of_five_separate_fits() -> None:
    scores = TableView(autoregressive(100, 12)).component_scores(12)
    expected = []
    for count in (3, 7):
        before, after = scores[:-4, :count], scores[4:, :count]
        fold = np.arange(96) % 5  # blocks of 100 // 64 = 1 position
        missed = 0.0
        for held in range(5):
            train = fold != held
            design = np.column_stack([np.ones(96), before])
            operator = np.linalg.lstsq(design[train], after[train], rcond=None)[0]
            missed += np.square(after[~train] - design[~train] @ operator).sum()
        expected.append(1 - missed / np.square(after - after.mean(axis=0)).sum())
    np.testing.assert_allclose(held_out_r2(scores, 4, [3, 7]), expected, rtol=1e-9)


def test_nothing_to_predict_scores_nothing() -> None:
    table = np.zeros((40, 2))
    table[0] = 1.0
    assert shifts(table, 1) == {1: 0.0}


@pytest.mark.parametrize("dimensions", [4, 6])
def test_eigenvalues_of_one_step_are_the_frequencies(dimensions: int) -> None:
    angles = np.outer(np.arange(200), np.array([1.0, 0.5, 0.2])[: dimensions // 2])
    mixing = np.linalg.qr(np.random.default_rng(2).standard_normal((dimensions, dimensions)))[0]
    values = turning(TableView(np.concatenate([np.sin(angles), np.cos(angles)], axis=1) @ mixing))
    np.testing.assert_allclose(np.abs(values), 1.0, atol=1e-9)
    np.testing.assert_allclose(np.sort(np.abs(np.angle(values)))[::-2], [1.0, 0.5, 0.2][: dimensions // 2], atol=1e-9)


def test_damping_is_the_modulus() -> None:
    place = np.arange(120)[:, None]
    decaying = 0.97**place * np.concatenate([np.sin(0.4 * place), np.cos(0.4 * place)], axis=1)
    np.testing.assert_allclose(np.abs(turning(TableView(decaying))), 0.97, atol=1e-9)
