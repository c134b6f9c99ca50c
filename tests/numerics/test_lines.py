"""Lines: found where they were planted, and not in noise, however smooth."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.ndimage
import scipy.signal

from probe.numerics.lines import Line, energy_share, find_lines, period_limits
from probe.sinusoids import sinusoidal


def lines_of(table: np.ndarray) -> tuple[Line, ...]:
    return find_lines(table - table.mean(axis=0))


def smooth_series(kind: str, positions: int, count: int, generator: np.random.Generator) -> np.ndarray:
    noise = generator.standard_normal((positions + 400, count))
    if kind.startswith("ar"):
        return scipy.signal.lfilter([1.0], [1.0, -float(kind[2:])], noise, axis=0)[400:]
    if kind == "walk":
        return noise[400:].cumsum(axis=0)
    return scipy.ndimage.gaussian_filter1d(noise, float(kind[2:]), axis=0, mode="wrap")[200:-200]


@pytest.mark.parametrize("mixed", [False, True], ids=["independent", "eight series mixed into all"])
@pytest.mark.parametrize("shape", [(512, 64), (128, 200)], ids=str)
def test_at_most_one_table_in_twenty_without_a_period_is_called_periodic(shape: tuple[int, int], mixed: bool) -> None:
    positions, dimensions = shape
    generator = np.random.default_rng([positions, mixed])
    called = tables = 0
    for kind in ("ar0", "ar0.5", "ar0.9", "ar0.99", "walk", "se5", "se20", "se60"):
        for _ in range(15):
            table = smooth_series(kind, positions, 8 if mixed else dimensions, generator)
            if mixed:
                table = table @ generator.standard_normal((8, dimensions))
            called += bool(lines_of(table))
            tables += 1
    assert called <= 0.05 * tables


@pytest.mark.parametrize(("dimensions", "correlation", "period"), [(64, 0.5, 8.3), (768, 0.9, 9.7), (768, 0.99, 33.0)])
def test_a_line_ten_decibels_below_red_noise_is_found(dimensions: int, correlation: float, period: float) -> None:
    found = 0
    for seed in range(8):
        generator = np.random.default_rng(seed)
        noise = smooth_series(f"ar{correlation}", 512, dimensions, generator)
        phases = generator.uniform(0, 2 * np.pi, dimensions)
        wave = np.sqrt(0.2) * np.cos(2 * np.pi * np.arange(512)[:, None] / period + phases)
        found += any(abs(line.period / period - 1) < 0.02 for line in lines_of(noise / noise.std(axis=0) + wave))
    assert found >= 6


def test_two_columns_of_768_are_seen_and_counted() -> None:
    table = np.random.default_rng(5).standard_normal((512, 768))
    angle = 2 * np.pi * np.arange(512) / 13.7
    table[:, 100] += 2 * np.cos(angle)
    table[:, 700] += 2 * np.sin(angle)
    (line,) = lines_of(table)
    assert line.period == pytest.approx(13.7, rel=0.002)
    assert line.dimensions == 2
    assert line.energy_share == pytest.approx(2 * 2 / (768 + 2 * 2) + 2 / 512, abs=0.003)


@pytest.mark.parametrize("shape", [(512, 768), (512, 384), (64, 16)], ids=str)
def test_the_sinusoidal_table_is_periodic_at_its_own_periods(shape: tuple[int, int]) -> None:
    positions, dimensions = shape
    true = 2 * np.pi * 10_000.0 ** (np.arange(dimensions // 2) / (dimensions / 2))
    lines = lines_of(sinusoidal(positions, dimensions))
    assert lines
    for line in lines:  # within half a cycle over the table, which is all that neighbours let be resolved
        assert np.abs(1 / line.period - 1 / true).min() * positions < 0.5
        assert line.p_value < 0.01
    assert [line.energy_share for line in lines] == sorted((line.energy_share for line in lines), reverse=True)


def test_the_order_and_the_scale_of_the_columns_do_not_matter() -> None:
    table = sinusoidal(256, 128) + 0.3 * np.random.default_rng(6).standard_normal((256, 128))
    lines = lines_of(table)
    for other in (table[:, ::-1], 1e30 * table, -1e-20 * table):
        again = lines_of(other)
        assert [line.period for line in again] == pytest.approx([line.period for line in lines], rel=1e-4)
        assert [line.dimensions for line in again] == [line.dimensions for line in lines]
    assert lines_of(table * np.geomspace(1e-3, 1e3, 128))[0].p_value < 0.01


def test_shuffled_rows_hold_no_line() -> None:
    table = sinusoidal(512, 256)
    orders = [np.random.default_rng(seed).permutation(512) for seed in range(10)]
    assert sum(bool(lines_of(table[order])) for order in orders) <= 1


def test_what_cannot_be_tested_holds_no_line() -> None:
    assert lines_of(np.sin(np.arange(31.0))[:, None]) == ()
    assert lines_of(np.outer(np.arange(64.0), np.ones(60))) == ()
    assert period_limits(31) is None
    shortest, longest = period_limits(512) or (0, 0)
    assert 2.0 < shortest < 2.06 and longest == pytest.approx(128, rel=0.02)


def test_energy_of_lines_together_is_what_least_squares_adds_to_a_trend() -> None:
    generator = np.random.default_rng(8)
    places = np.arange(120.0)
    table = generator.standard_normal((120, 3)) + np.outer(np.sin(places / 2), [3.0, 1.0, 0.0]) + places[:, None] / 50

    def left_over(periods: tuple[float, ...]) -> float:
        waves = [wave(2 * np.pi * places / period) for period in periods for wave in (np.sin, np.cos)]
        design = np.stack([np.ones(120), places, *waves], axis=1)
        return float(np.square(table - design @ np.linalg.lstsq(design, table, rcond=None)[0]).sum())

    centred = table - table.mean(axis=0)
    for periods in ((4 * np.pi,), (4 * np.pi, 10.0, 33.3)):
        gained = (left_over(()) - left_over(periods)) / np.square(centred).sum()
        assert energy_share(centred, periods) == pytest.approx(gained, rel=1e-9)
    assert energy_share(centred, (10.0, 10.0)) == pytest.approx(energy_share(centred, (10.0,)))
    assert energy_share(centred, ()) == 0.0


def test_lines_do_not_depend_on_the_signs_or_the_order_of_columns_or_on_reversal() -> None:
    generator = np.random.default_rng(3)
    waves = np.cos(2 * np.pi * np.arange(256)[:, None] / 11.3 + generator.uniform(0, 6, 96))
    table = 0.35 * waves + np.cumsum(0.3 * generator.standard_normal((256, 96)), axis=0)
    table -= table.mean(axis=0)
    told = [[round(line.period, 6) for line in find_lines(same)] for same in (
        table,
        table * generator.choice([-1.0, 1.0], 96),
        table[:, generator.permutation(96)],
        table[::-1],
    )]  # fmt: skip
    assert told[0]
    assert told == [told[0]] * 4
