"""The harmonic test: its statistic by the book, its level on noise, its eye for a line."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from scipy.signal.windows import dpss

from probe.numerics.harmonic import Band, bands, cauchy_combination, line_shares, p_values, p_values_at


def white(count: int, positions: int, seed: int) -> np.ndarray:
    series = np.random.default_rng(seed).standard_normal((count, positions))
    return (series / series.std(axis=1, keepdims=True)).astype(np.float32)


def by_the_book(series: np.ndarray, frequency: float, half_width: float, tapers: int) -> float:
    """Thomson's F with a loop and the F distribution of scipy."""
    places = np.arange(len(series))
    windows = dpss(len(series), half_width, tapers)
    transforms = [np.sum(window * series * np.exp(-2j * np.pi * frequency * places)) for window in windows]
    sums = [window.sum() if order % 2 == 0 else 0.0 for order, window in enumerate(windows)]
    amplitude = sum(s * y for s, y in zip(sums, transforms, strict=True)) / sum(s * s for s in sums)
    noise = sum(abs(y - amplitude * s) ** 2 for s, y in zip(sums, transforms, strict=True))
    statistic = (tapers - 1) * abs(amplitude) ** 2 * sum(s * s for s in sums) / noise
    return float(scipy.stats.f.sf(statistic, 2, 2 * tapers - 2))


def test_p_values_follow_the_book() -> None:
    series = white(3, 128, seed=0)
    low, high = bands(128)
    for band, half_width, tapers in ((low, 3, 5), (high, 6, 11)):
        grid = p_values(series, band)
        for index in (0, 7, len(band.frequencies) - 1):
            frequency = float(band.frequencies[index])
            alone, shares = p_values_at(series, band, frequency), line_shares(series, band, frequency)
            for row in range(3):
                expected = by_the_book(series[row].astype(float), frequency, half_width, tapers)
                assert alone[row] == pytest.approx(grid[row, index], rel=1e-3)
                assert shares[row] < 1e-3 or alone[row] == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("which", [0, 1])
def test_p_values_of_noise_are_uniform(which: int) -> None:
    band = bands(256)[which]
    frequency = float(band.frequencies[len(band.frequencies) // 2])
    noise = white(4000, 256, seed=1)
    p_value, shares = p_values_at(noise, band, frequency), line_shares(noise, band, frequency)
    testable = p_value[shares >= 1e-3]
    assert abs(np.mean(p_value < 0.05) - 0.05) < 0.012
    assert abs(np.mean(p_value < 0.01) - 0.01) < 0.006
    assert (p_value[shares < 1e-3] == 0.5).all() and testable.size > 2000


def test_a_line_gives_its_share_of_the_energy() -> None:
    frequency = 0.1234
    wave = np.sqrt(2) * np.cos(2 * np.pi * frequency * np.arange(512) + 1)
    series = (wave[None] * [[0.6]] + 0.8 * white(1, 512, seed=2)).astype(np.float32)
    band = bands(512)[1]
    p_value, share = p_values_at(series, band, frequency), line_shares(series, band, frequency)
    assert share[0] == pytest.approx(0.36, abs=0.08)
    assert p_value[0] < 1e-12


def test_bands_keep_clear_of_the_ends_of_the_spectrum() -> None:
    assert bands(31) == ()
    for positions in (32, 64, 100, 512):
        tested = bands(positions)
        grid = np.concatenate([band.frequencies for band in tested])
        assert (np.diff(grid) > 0).all()
        widths = [(len(band.sums) + 1) / 2 / positions for band in tested]
        assert grid[0] > widths[0] and grid[-1] < 0.5 - widths[-1]
        np.testing.assert_allclose(np.square(tested[0].tapers).sum(axis=1), 1.0, rtol=1e-5)
    assert isinstance(tested[0], Band) and not tested[0].tapers.flags.writeable


def test_the_combination_holds_its_level_whatever_the_dependence() -> None:
    generator = np.random.default_rng(3)
    shared, own = generator.standard_normal((20_000, 1)), generator.standard_normal((20_000, 10))
    for weight in (0.0, 0.7, 1.0):
        p_value = scipy.stats.norm.sf(weight * shared + np.sqrt(1 - weight**2) * own)
        assert np.mean(cauchy_combination(p_value, axis=1) < 0.01) == pytest.approx(0.01, abs=0.003)


def test_one_tiny_p_value_carries_the_combination() -> None:
    assert cauchy_combination(np.array([1e-12] + [1.0] * 99), axis=0) == pytest.approx(1e-10, rel=0.01)
    assert 0 < cauchy_combination(np.array([1e-300, 0.5]), axis=0) < 1e-200


@pytest.mark.parametrize(
    ("positions", "half_width", "count"), [(512, 6.0, 11), (64, 4.0, 7), (33, 2.0, 3), (96, 3.0, 5)]
)
def test_the_tapers_are_scipys(positions: int, half_width: float, count: int) -> None:
    from scipy.signal.windows import dpss

    from probe.numerics.harmonic import slepian_tapers

    np.testing.assert_allclose(
        slepian_tapers(positions, half_width, count), dpss(positions, half_width, count), atol=1e-12
    )
