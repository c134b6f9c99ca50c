"""Rows that hold nothing of their own: zeros, runs of one row, blocks copied at a lag."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from probe.numerics.view import TableView


@dataclass(frozen=True, kw_only=True)
class RowWarnings:
    """Rows that a reader should know of before trusting any score.

    Attributes
    ----------
    zero : tuple of int
        Positions whose rows are all zeros: no direction, no cosine.
    runs : tuple of (int, int)
        First and last position of each run of identical neighbouring rows, longest first.
    copies : int
        Rows, not zero, that are bit for bit an earlier row.
    lag : int or None
        How far back most of the copies outside runs come from.
    lag_rows : int
        How many of them come from that far back.
    """

    zero: tuple[int, ...]
    runs: tuple[tuple[int, int], ...]
    copies: int
    lag: int | None
    lag_rows: int


def row_warnings(view: TableView) -> RowWarnings:
    """Which rows are zero, or copies of others?

    Notes
    -----
    Rows are compared exactly (0 equals −0), by hash: the cost is one pass over the table. A row copied
    with the slightest change is not found.
    """
    rows = np.ascontiguousarray(view.array) + 0.0  # turns −0 into 0
    zero: npt.NDArray[np.bool_] = np.logical_not(rows.any(axis=1))
    latest: dict[bytes, int] = {}
    lags: Counter[int] = Counter()
    for position in np.flatnonzero(~zero).tolist():
        key = rows[position].tobytes()
        if key in latest:
            lags[position - latest[key]] += 1
        latest[key] = position
    far = [(count, -lag) for lag, count in lags.items() if lag > 1]
    lag_rows, lag = max(far) if far else (0, 0)
    return RowWarnings(
        zero=tuple(np.flatnonzero(zero).tolist()),
        runs=_runs(rows, zero),
        copies=sum(lags.values()),
        lag=-lag or None,
        lag_rows=lag_rows,
    )


def _runs(rows: npt.NDArray[np.float64], zero: npt.NDArray[np.bool_]) -> tuple[tuple[int, int], ...]:
    same = np.concatenate([[False], (rows[1:] == rows[:-1]).all(axis=1) & ~zero[1:], [False]])
    edges = np.flatnonzero(same[1:] != same[:-1])
    runs = [(int(first), int(last)) for first, last in zip(edges[::2], edges[1::2], strict=True)]
    return tuple(sorted(runs, key=lambda run: (run[0] - run[1], run[0])))
