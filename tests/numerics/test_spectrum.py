"""Power along the positions: where it peaks, and what a mean or a trend does to that."""

from __future__ import annotations

import numpy as np
import pytest

from probe.numerics.spectrum import (
    PeakBins,
    detrend,
    local_periods,
    parabola_peak,
    peak_bins,
    power_spectrum,
    trend_share,
)

PLACES = np.arange(128.0)


def test_detrend_takes_off_what_polyfit_would() -> None:
    array = np.random.default_rng(0).standard_normal((50, 3)).cumsum(axis=0)
    fits = [np.polyval(np.polyfit(np.arange(50), column, 1), np.arange(50)) for column in array.T]
    np.testing.assert_allclose(detrend(array), array - np.stack(fits, axis=1), atol=1e-10)


def test_a_mean_and_a_trend_hide_a_period_of_16() -> None:
    wave = np.sin(2 * np.pi * PLACES / 16)
    table = np.stack([wave + 0.1 * PLACES + 20, wave - 0.08 * PLACES + 30], axis=1)
    assert peak_bins(table) == PeakBins(raw=0, centred=1, detrended=8)


def test_a_straight_line_has_no_peak() -> None:
    line = np.outer(PLACES, [1.0, -2.0]) + 5
    assert peak_bins(line).detrended is None
    assert trend_share(line - line.mean(axis=0), detrend(line)) == 1.0


@pytest.mark.parametrize("positions", [16, 17])
def test_power_is_one_sided_and_sums_to_one(positions: int) -> None:
    array = np.random.default_rng(1).standard_normal((positions, 2))
    power = power_spectrum(array, np.ones(positions))
    two_sided = np.square(np.abs(np.fft.fft(array, axis=0))).sum(axis=1)
    assert power.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(power[1], 2 * two_sided[1] / two_sided.sum())
    np.testing.assert_allclose(power[0], two_sided[0] / two_sided.sum())
    assert not power_spectrum(np.zeros((8, 2)), np.ones(8)).any()


def test_a_chirp_is_followed_along_the_table() -> None:
    position = np.arange(512.0)
    frequency = 1 / 8 - position / 512 * (1 / 8 - 1 / 16)  # from a period of 8 to one of 16
    phase = 2 * np.pi * np.cumsum(frequency)
    centres, periods = local_periods(np.stack([np.cos(phase), np.sin(phase)], axis=1))
    np.testing.assert_allclose(periods, 1 / np.interp(centres, position, frequency), rtol=0.03)
    assert centres[0] == 31.5 and len(centres) == 15


def test_a_monotone_spectrum_or_a_short_table_has_no_local_period() -> None:
    assert local_periods(np.linspace(0, 1, 64)[:, None] ** 3)[1].size == 0
    assert local_periods(np.sin(np.arange(12.0))[:, None])[0].size == 0


def test_the_parabola_peaks_where_its_derivative_is_zero() -> None:
    def height(place: float) -> float:
        return 3 - (place - 0.2) ** 2

    assert parabola_peak(height(-1), height(0), height(1)) == pytest.approx(0.2)
    assert parabola_peak(1.0, 0.0, 1.0) == 0.0
