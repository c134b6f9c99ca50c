"""How much room do the labels around a pair of axes take?

Reckoned from their letters: measuring them would lay out every figure twice, and would not be exact either,
because the reader's browser sets the text in fonts of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

_DIGIT, _POINT, _LINE, _NEXT_LINE = 0.64, 0.32, 1.0, 1.4
"""Widths of a digit and a decimal point, heights of a line and of one more, in font sizes of a wide sans serif."""

_MARKUP = re.compile(r"\\[a-zA-Z]+|[${}^_]")

_GAP = 4.0
"""Points between the outermost label and the edge of the image."""

_SHARE = 0.8
"""How much of an image's length is axes, about: enough to tell how far a label at their end sticks out."""


class Margins(NamedTuple):
    """Points between the axes and the edges of their image."""

    left: float
    bottom: float
    right: float
    top: float


def margins(every: Sequence[Axes]) -> Margins:
    """Give the room that the widest labels of any of these axes take on each side."""
    return Margins(*(max(sides) + _GAP for sides in zip(*map(_around, every), strict=True)))


def place(axes: Axes, room: Margins) -> None:
    """Put axes into their figure with this room around them."""
    width, height = _size(axes)
    across, up = width - room.left - room.right, height - room.bottom - room.top
    axes.set_position((room.left / width, room.bottom / height, across / width, up / height))


def figure_of(axes: Axes) -> Figure:
    """Give the figure that axes are drawn in."""
    from matplotlib.figure import Figure

    figure = axes.get_figure(root=True)
    assert isinstance(figure, Figure)
    return figure


def _size(axes: Axes) -> tuple[float, float]:
    width, height = figure_of(axes).get_size_inches()
    return 72 * width, 72 * height


def _around(axes: Axes) -> Margins:
    import matplotlib as mpl

    width, height = _size(axes)
    size = mpl.rcParams["xtick.labelsize"]
    across, up = _ticks(axes.xaxis), _ticks(axes.yaxis)
    over = [size * _letters(label) / 2 - (1 - at) * _SHARE * width for at, label in across]
    above = [size * _LINE / 2 - (1 - at) * _SHARE * height for at, _ in up]
    offset = size * _LINE if axes.yaxis.get_major_formatter().get_offset() else 0.0
    return Margins(
        left=_depth(axes.yaxis, size * max((_letters(label) for _, label in up), default=0.0)),
        bottom=_depth(axes.xaxis, size * _LINE if across else 0.0),
        right=max([0.0, *over]),
        top=max([offset, *above]),
    )


def _letters(label: str) -> float:
    """Reckon the width of a tick's label in font sizes, without the marks of TeX that are not drawn."""
    if label.startswith("$"):
        label = _MARKUP.sub("", label)
    points = label.count(".") + label.count(",")
    return _POINT * points + _DIGIT * (len(label) - points)


def _ticks(axis: Axis) -> list[tuple[float, str]]:
    """Give where each tick within the limits stands, as a share of the axis, and its label."""
    places = axis.get_majorticklocs()
    labels = axis.get_major_formatter().format_ticks(places.tolist())
    start, end = axis.get_transform().transform(np.asarray(axis.get_view_interval()))
    shares = (axis.get_transform().transform(places) - start) / (end - start)
    return [(at, str(label)) for at, label in zip(shares, labels, strict=True) if -1e-6 <= at <= 1 + 1e-6]


def _depth(axis: Axis, of_ticks: float) -> float:
    """Give how far an axis reaches outwards, with tick labels of this depth."""
    import matplotlib as mpl

    depth = mpl.rcParams["xtick.major.size"] + mpl.rcParams["xtick.major.pad"] + of_ticks if of_ticks else 0.0
    text = axis.label.get_text()
    if not text:
        return depth
    height: float = mpl.rcParams["axes.labelsize"] * (_LINE + _NEXT_LINE * text.count("\n"))
    return depth + axis.labelpad + height
