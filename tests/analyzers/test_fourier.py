"""Fourier: periods that stand out, naive peaks that do not, and what is said of both."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

from probe.analyzers import fourier
from probe.errors import ProbeError
from probe.sinusoids import sinusoidal


def walk(positions: int = 512, dimensions: int = 64, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((positions, dimensions)).cumsum(axis=0)


def test_the_sinusoidal_table_is_periodic_and_beats_its_nulls() -> None:
    result = fourier(sinusoidal(512, 768), draws=19)
    scores = result.summary()
    assert result.periodic and scores["line_count"].value == len(result.lines) > 20
    assert [null.p_value for null in scores["line_count"].against] == [0.05, 0.05]
    assert 0.3 < scores["line_energy_share"].value < 0.7
    assert scores["strongest_period"].value == result.lines[0].period == pytest.approx(113.7, rel=0.02)
    assert result.finding.startswith("Its strongest repeat comes every 114 positions")
    assert scores["strongest_period"].null is None and "their number" in scores["strongest_period"].reason


@pytest.mark.parametrize("draw", [lambda: walk(), lambda: np.random.default_rng(2).standard_normal((512, 96))])
def test_a_walk_and_noise_are_not_periodic_though_they_have_a_tallest_bin(draw) -> None:
    result = fourier(draw(), draws=0)
    assert not result.periodic and result.lines == ()
    assert result.peaks.centred >= 1
    assert result.finding == "No period stands out from what smoothness alone would give."
    scores = result.summary()
    assert scores["line_count"].value == 0 and scores["line_energy_share"].value == 0
    assert scores["strongest_period"].value is None and scores["strongest_period"].reason == "no period stands out"


def test_a_trend_and_a_mean_do_not_hide_a_period() -> None:
    place = np.arange(128.0)[:, None]
    table = np.sin(2 * np.pi * (place / 16 + np.arange(8) / 8)) + 0.1 * place + 20.0
    result = fourier(table + 0.05 * np.random.default_rng(0).standard_normal(table.shape), draws=0)
    assert (result.peaks.raw, result.peaks.centred, result.peaks.detrended) == (0, 1, 8)
    (line,) = result.lines
    assert line.period == pytest.approx(16, rel=0.002) and line.dimensions == 8
    energy = 0.5 / (0.5 + 0.1**2 * (128**2 - 1) / 12)  # of the sine, and of the line under it
    assert line.energy_share == pytest.approx(energy, rel=0.05)
    assert result.trend_share == pytest.approx(1 - energy, rel=0.02)


def test_power_sums_to_what_the_trend_leaves() -> None:
    result = fourier(walk(), draws=0)
    assert result.power.sum() == pytest.approx(1 - result.trend_share)
    assert result.frequencies[[0, 1, -1]].tolist() == [0.0, 1 / 512, 0.5]


def test_the_window_shapes_the_spectrum_and_not_the_test() -> None:
    table = sinusoidal(128, 32)
    hann, plain = fourier(table, draws=0), fourier(table, window="boxcar", draws=0)
    assert hann.lines == plain.lines
    assert not np.allclose(hann.power, plain.power)


@pytest.mark.parametrize("window", ["hannn", "kaiser", ""])
def test_a_window_that_is_none(window: str) -> None:
    with pytest.raises(ProbeError, match=f"no window named '{window}'") as caught:
        fourier(walk(), window=window)
    assert "hann" in (caught.value.hint or "")


def test_a_short_table_says_that_it_is_too_short() -> None:
    result = fourier(sinusoidal(31, 16), draws=5)
    assert result.tested_periods is None and not result.periodic
    assert result.finding == "With 31 positions the table is too short to tell a period from a trend."
    score = result.summary()["line_count"]
    assert score.value is None and "31 positions are too few" in score.reason and "32" in score.reason


def test_bent_stripes_are_no_line_but_show_their_local_period(rxnfp) -> None:
    torch = pytest.importorskip("torch")
    tensors = torch.load(rxnfp / "pytorch_model.bin", weights_only=True, map_location="cpu")
    (table,) = (value for name, value in tensors.items() if name.endswith("position_embeddings.weight"))
    result = fourier(table, draws=0)
    assert not result.periodic
    assert result.local_periods.size >= 12 and 8 < np.median(result.local_periods) < 12


def test_lines_reach_the_json_as_numbers() -> None:
    body = fourier(sinusoidal(64, 16), draws=0).to_dict()
    (line,) = body["lines"]
    assert set(line) == {"period", "p_value", "energy_share", "dimensions"} and line["dimensions"] == 2
    assert line["period"] == pytest.approx(2 * np.pi, rel=0.001)
    assert body["peaks"]["raw"] == 0


def test_lines_are_ringed_in_the_spectrum() -> None:
    result = fourier(sinusoidal(64, 16), draws=0)
    axes = result.plot(Figure().subplots(), figure="spectrum")
    curve, rings = axes.lines
    assert rings.get_xdata()[0] == pytest.approx(2 * np.pi, rel=0.001)
    assert len(curve.get_xdata()) == 32 and curve.get_xdata().max() == pytest.approx(64)
    assert len(fourier(walk(), draws=0).plot(Figure().subplots()).lines) == 1


@pytest.mark.parametrize("name", ["boxcar", "hann", "hamming", "blackman"])
def test_the_usual_windows_are_scipys(name: str) -> None:
    from scipy.signal import get_window

    from probe.analyzers.fourier import _window

    np.testing.assert_allclose(_window(name, 37), get_window(name, 37), atol=1e-15)
