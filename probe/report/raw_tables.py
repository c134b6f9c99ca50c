"""The tables themselves, as heat maps on the same axes and colours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from probe.report.drawing import DrawnFigure, panels
from probe.report.headings import size
from probe.report.model import AnalysedTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LIMIT = 2.5
_MOST_POSITIONS = 512
_MOST_DIMENSIONS = 96

READING = (
    "Each column is a position and each row one dimension, in standard deviations of the whole table: red above its "
    "mean, blue below. Tables with many dimensions show {shown} of them, evenly spaced. The sinusoid runs from its "
    "fastest wave at the top to its slowest at the bottom; a learned table keeps no such order among its dimensions."
)


def draw_tables(shown: Sequence[AnalysedTable]) -> DrawnFigure:
    """Draw every table: position across, dimension down."""

    def drawing(one: AnalysedTable) -> Callable[[Axes], None]:
        return lambda axes: _draw(one, axes)

    alts = {one.label: f"The table of {one.label} as a map, {size(one.table.shape)} values." for one in shown}
    drawings: Mapping[str, Sequence[Callable[[Axes], None]]] = {one.label: [drawing(one)] for one in shown}
    pictures, scale = panels(drawings, alts, shares_axes=False)
    return DrawnFigure(
        name="values",
        title="Values",
        reading=READING.format(shown=_MOST_DIMENSIONS),
        pictures=pictures,
        scale=scale,
    )


def _draw(one: AnalysedTable, axes: Axes) -> None:
    import seaborn as sns

    positions, dimensions = one.table.shape
    values = one.table.array.astype(np.float64)
    standardised = (values - values.mean()) / (values.std() or 1.0)
    rows = _spread(positions, _MOST_POSITIONS)
    columns = _spread(dimensions, _MOST_DIMENSIONS)
    axes.imshow(
        standardised[np.ix_(rows, columns)].T,
        cmap=sns.color_palette("vlag", as_cmap=True),
        vmin=-_LIMIT,
        vmax=_LIMIT,
        aspect="auto",
        extent=(-0.5, positions - 0.5, dimensions - 0.5, -0.5),
    )
    axes.set(xlabel="position", ylabel="dimension")


def _spread(length: int, most: int) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """Give evenly spaced indices, all of them when they are few."""
    return np.arange(min(length, most)) * length // min(length, most)
