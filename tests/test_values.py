"""Values in memory become tables by one way, or are refused in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import probe
from probe.errors import TableError

ROWS = np.random.default_rng(0).standard_normal((12, 4))


def analysed(values: Any) -> Any:
    return probe.pca(values, draws=0)


@pytest.mark.parametrize("entry", [probe.load, analysed], ids=["load", "pca"])
@pytest.mark.parametrize(
    ("values", "words"),
    [
        (np.ma.masked_where(ROWS > 1.0, ROWS), "are masked"),
        (torch.empty((12, 4), device="meta"), "has no values that can be read"),
        (torch.complex(torch.tensor(ROWS), torch.tensor(ROWS)), "complex128"),
        ([[1.0, 2.0], [3.0]], "cannot be made an array"),
        (object(), "A object is no source"),
    ],
    ids=["masked", "meta", "complex", "ragged", "object"],
)
def test_what_is_no_table_is_refused_alike_wherever_it_enters(
    entry: Callable[[Any], Any], values: Any, words: str
) -> None:
    with pytest.raises(TableError, match=words):
        entry(values)


@pytest.mark.parametrize(
    "values",
    [
        np.ma.masked_array(ROWS),
        torch.tensor(ROWS, requires_grad=True),
        torch.tensor(ROWS).to_sparse(),
        torch.complex(torch.tensor(ROWS), torch.tensor(-ROWS)).conj().imag,
        ROWS[None].tolist(),
    ],
    ids=["unmasked", "grad", "sparse", "negative view", "nested lists"],
)
def test_what_holds_every_value_loads_without_losing_a_digit(values: Any) -> None:
    np.testing.assert_array_equal(probe.load(values).array, ROWS)
    assert analysed(values).shape == (12, 4)
