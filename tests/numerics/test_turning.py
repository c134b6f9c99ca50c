import numpy as np
import pytest

from probe.numerics.turning import measure_turning, significand_bits


@pytest.mark.parametrize(
    ("values", "bits"),
    [
        ([0.1], 53),
        ([float(np.float32(0.1))], 24),
        ([float(np.float16(0.1))], 11),
        ([1.0 + 2.0**-7], 8),
        ([1.0 + 2.0**-8], 11),
        ([1e30], 53),
        ([float(np.float32(1e30))], 24),
        ([0.0, -2.0], 8),
    ],
)
def test_precision_is_the_narrowest_that_holds_the_values(values: list[float], bits: int) -> None:
    assert significand_bits(np.array(values)) == bits


def pairs(rows: np.ndarray, ratio: float, count: int, offset: int) -> np.ndarray:
    return np.exp(1j * np.outer(rows + offset, ratio ** np.arange(count)))


@pytest.mark.parametrize("offset", [-3, 0, 2, 700])
@pytest.mark.parametrize("ratio", [0.97, 0.5, 0.02])
def test_ratio_and_offset_are_measured(ratio: float, offset: int) -> None:
    rows = np.delete(np.arange(90), [0, 17])
    measured = measure_turning(pairs(rows, ratio, 6, offset), rows)
    assert measured is not None
    assert measured.step == pytest.approx(-np.log(ratio), abs=1e-9)
    assert (measured.offset, measured.clockwise) == (offset, False)


def test_noise_moves_the_ratio_little() -> None:
    rows = np.arange(200)
    noise = np.random.default_rng(0).standard_normal((200, 32, 2)) @ [1, 1j]
    measured = measure_turning(pairs(rows, 0.8, 32, 5) + 0.1 * noise, rows)
    assert measured is not None
    assert measured.step == pytest.approx(-np.log(0.8), rel=2e-3)
    assert measured.offset == 5


def test_the_other_way_round_is_seen() -> None:
    rows = np.arange(50)
    measured = measure_turning(1j * np.conj(pairs(rows, 0.5, 4, 1)), rows)
    assert measured is not None
    assert (measured.clockwise, measured.offset) == (True, 1)


def test_what_does_not_turn_by_a_radian_is_dismissed() -> None:
    rows = np.arange(64)
    assert measure_turning(pairs(rows, 0.5, 4, 0) ** 2, rows) is None
    assert measure_turning(np.random.default_rng(1).standard_normal((64, 4)).astype(complex), rows) is None
