import itertools

import ml_dtypes
import numpy as np
import pytest

from probe.recognition import recognise
from probe.sinusoids import Convention, sinusoidal

LAYOUTS = ("interleaved", "halves", "halves_cosine_first")
TYPES = {"float64": np.float64, "float32": np.float32, "float16": np.float16, "bfloat16": ml_dtypes.bfloat16}


def noise(shape: tuple[int, int], seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape)


@pytest.mark.parametrize("precision", TYPES)
@pytest.mark.parametrize("divisor", ["d/2", "d/2-1"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_convention_is_recognised_to_rounding(layout: str, divisor: str, precision: str) -> None:
    for shape, offset, scaled in itertools.product([(64, 16), (64, 9), (200, 34)], [0, 1, 2, 37, -1], [False, True]):
        convention = Convention(layout=layout, divisor=divisor, offset=offset)
        amplitude = shape[1] ** -0.5 if scaled else 1.0
        table = (amplitude * sinusoidal(*shape, convention)).astype(TYPES[precision]).astype(np.float64)
        match = recognise(table)
        assert match is not None, (shape, offset)
        assert match.exact, (shape, offset, match)
        assert (match.layout, match.divisor, match.base, match.offset) == (layout, divisor, 10_000.0, offset)
        assert match.amplitude == pytest.approx(amplitude, rel=1e-2)
        assert match.precision == precision


@pytest.mark.parametrize("precision", TYPES)
@pytest.mark.parametrize("base", [20.0, 500.0, float(np.exp(8.0)), 1e6])
def test_any_base_is_recognised(base: float, precision: str) -> None:
    table = sinusoidal(64, 8, Convention(base=base)).astype(TYPES[precision]).astype(np.float64)
    match = recognise(table)
    assert match is not None
    assert match.exact
    assert (match.layout, match.divisor, match.offset) == ("interleaved", "d/2", 0)
    assert match.base == pytest.approx(base, rel=1e-3 if precision == "bfloat16" else 1e-4)


@pytest.mark.parametrize("shape", [(512, 768), (512, 2), (8, 4), (4, 16), (2048, 64)])
def test_size_does_not_matter(shape: tuple[int, int]) -> None:
    match = recognise(sinusoidal(*shape))
    assert match is not None
    assert match.exact
    assert match.base == (None if shape[1] == 2 else 10_000.0)


def test_a_table_made_in_float32_is_exact() -> None:
    step = np.exp(np.arange(0, 256, 2, dtype=np.float32) * np.float32(-np.log(10_000.0) / 256))
    angles = np.arange(2048, dtype=np.float32)[:, None] * step
    match = recognise(np.concatenate([np.sin(angles), np.cos(angles)], axis=1))
    assert match is not None
    assert match.exact
    assert match.maximum_deviation > 2.0**-22  # more than the rounding of the values themselves
    assert match.layout == "halves"


def test_a_zero_row_is_left_out() -> None:
    table = sinusoidal(50, 16, Convention(layout="halves", divisor="d/2-1"))
    table[1] = 0.0
    match = recognise(table)
    assert match is not None
    assert (match.exact, match.zero_rows, match.offset) == (True, (1,), 0)
    after_padding = recognise(np.concatenate([np.zeros((1, 16)), sinusoidal(49, 16)]))
    assert after_padding is not None
    assert (after_padding.exact, after_padding.zero_rows, after_padding.offset) == (True, (0,), -1)


@pytest.mark.parametrize("scale", [1e30, 1e-30])
def test_scale_does_not_matter(scale: float) -> None:
    match = recognise(scale * sinusoidal(64, 16))
    assert match is not None
    assert match.exact
    assert match.amplitude == pytest.approx(scale)


@pytest.mark.parametrize("shape", [(512, 64), (64, 8)])
@pytest.mark.parametrize("share", [0.001, 0.01, 0.1])
def test_an_altered_sinusoid_is_close_and_not_exact(shape: tuple[int, int], share: float) -> None:
    convention = Convention(layout="halves", offset=2)
    table = sinusoidal(*shape, convention)
    added = noise(shape)
    table += share * np.linalg.norm(table) / np.linalg.norm(added) * added
    match = recognise(table.astype(np.float32))
    assert match is not None
    assert (match.exact, match.layout, match.divisor, match.base, match.offset) == (
        False, "halves", "d/2", 10_000.0, 2,
    )  # fmt: skip
    assert match.verdict == "close to sinusoidal, not exactly"
    assert 1 - match.r2 == pytest.approx(share**2 * 1.5, rel=0.6)
    assert "accounts for" in match.sentence


def test_a_table_whose_rows_shrank_is_not_exact() -> None:
    match = recognise(sinusoidal(128, 32) * np.linspace(1.0, 0.99, 128)[:, None])
    assert match is not None
    assert not match.exact


def grid_sinusoid() -> np.ndarray:
    """Rows and columns of a 4 × 6 grid, half of the dimensions each."""
    rows, columns = np.divmod(np.arange(24), 6)
    axis = sinusoidal(6, 8)
    return np.concatenate([axis[rows], axis[columns]], axis=1)


@pytest.mark.parametrize(
    "table",
    [
        noise((512, 64)),
        noise((64, 8)).cumsum(axis=0),
        np.eye(64, 8),
        np.arange(64.0)[:, None] * np.ones(8),
        grid_sinusoid(),
        sinusoidal(64, 16)[:, ::-1],
        sinusoidal(64, 16) + 0.7 * noise((64, 16)),
        sinusoidal(3, 8),
        np.ones((9, 1)),
    ],
    ids=["gaussian", "walk", "eye", "line", "grid", "reversed", "drowned", "three rows", "one column"],
)
def test_other_tables_are_not_claimed(table: np.ndarray) -> None:
    assert recognise(table) is None
