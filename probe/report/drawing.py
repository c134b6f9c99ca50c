"""Figures of a report: every table on the same axes and colours, drawn with seaborn on free-standing figures.

A figure is one image (tables laid over each other) or one image for each table (side by side). Names of
tables are never drawn: the page writes them beside the images, where any script and any length can be set.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from probe.analyzers import FigureSpec, Style
from probe.report.margins import figure_of, margins, place
from probe.report.model import AnalysedTable
from probe.report.styles import GRID, INK, TableStyle
from probe.report.svg import data_uri, to_svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

OVERLAY_LIMIT = 6
"""More tables than this are not laid over each other: each is drawn with the sinusoid alone."""

SHARP_DPI, COARSE_DPI = 96, 72
"""Of what is rasterised: maps and clouds of points. A page of many tables takes the coarse one."""

_OVERLAY, _PANEL, _SQUARE = (6.6, 3.3), (2.9, 2.45), (2.9, 2.75)
"""Sizes in inches: tables over each other, side by side, and side by side with equal axes."""

_MANY_POINTS = 150
_MOST_STRETCH = 4.0
_FEW_DECADES = 60.0
_RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_LEAST_PLAIN, _MOST_PLAIN = 1e-4, 1e6
_Draw = Callable[["Axes"], None]


@dataclass(frozen=True, kw_only=True)
class Picture:
    """One image: its address, its size in CSS pixels, what it shows, and whose it is (None when shared)."""

    source: str
    width: int
    height: int
    alt: str
    label: str | None = None


@dataclass(frozen=True, kw_only=True)
class ColorScale:
    """What the colours of a map mean.

    Attributes
    ----------
    low, high : float or None
        The ends of the scale; None where each table has its own, because their units are too far apart.
    colors : tuple of str
        From the low end to the high one.
    label : str
        What is measured.
    """

    low: float | None
    high: float | None
    colors: tuple[str, ...]
    label: str = ""


@dataclass(frozen=True, kw_only=True)
class DrawnFigure:
    """A figure of the report, ready for the page."""

    name: str
    title: str
    reading: str
    pictures: tuple[Picture, ...]
    scale: ColorScale | None = None
    overlay: bool = False


@contextmanager
def house_style() -> Iterator[None]:
    """Draw in the report's own style, and leave the global one as it was."""
    import matplotlib as mpl
    import seaborn as sns

    ours: Any = {
        **sns.axes_style("ticks"),
        **sns.plotting_context("paper", font_scale=0.92),
        "axes.edgecolor": INK.light,
        "axes.labelcolor": INK.light,
        "axes.spines.right": False,
        "axes.spines.top": False,
        "axes.grid": True,
        "axes.axisbelow": True,
        "axes.labelpad": 3.0,
        "axes.linewidth": 0.7,
        "figure.facecolor": "none",
        "axes.facecolor": "none",
        "font.family": ["DejaVu Sans"],
        "grid.color": GRID.light,
        "grid.linewidth": 0.6,
        "image.interpolation": "auto",
        "lines.linewidth": 1.3,
        "path.simplify": True,
        "path.simplify_threshold": 0.2,
        "svg.fonttype": "none",
        "svg.hashsalt": "probe",
        "text.color": INK.light,
        "xtick.color": INK.light,
        "ytick.color": INK.light,
        "xtick.major.size": 3.0,
        "ytick.major.size": 3.0,
        "xtick.minor.size": 0.0,
        "ytick.minor.size": 0.0,
        "xtick.major.width": 0.7,
        "ytick.major.width": 0.7,
    }
    with mpl.rc_context(ours), warnings.catch_warnings():
        # Text stays text, so the browser finds the glyphs that the measuring font lacks.
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        yield


def draw(
    spec: FigureSpec, analyzer: str, shown: Sequence[AnalysedTable], styles: Mapping[str, TableStyle]
) -> DrawnFigure:
    """Draw one figure of an analyzer for every table: over each other, or side by side."""

    def drawing(one: AnalysedTable) -> _Draw:
        style: Style = styles[one.label].for_drawing
        return lambda axes: spec.draw(one.results[analyzer], axes, style)

    findings = {one.label: one.results[analyzer].finding for one in shown}
    if spec.layout == "overlay" and len(shown) <= OVERLAY_LIMIT:
        alt = f"{spec.title}. " + " ".join(f"{label}: {finding}" for label, finding in findings.items())
        ordered = sorted(shown, key=lambda one: not one.is_reference)
        return DrawnFigure(
            name=spec.name,
            title=spec.title,
            reading=spec.reading,
            pictures=(overlay([drawing(one) for one in ordered], alt),),
            overlay=True,
        )
    drawings = {one.label: [drawing(one)] for one in shown}
    if spec.layout == "overlay":
        beside = next((one for one in shown if one.is_reference), None)
        for label, layers in drawings.items():
            if beside is not None and label != beside.label:
                layers.insert(0, drawing(beside))
    alts = {label: f"{spec.title}, {label}. {finding}" for label, finding in findings.items()}
    pictures, scale = panels(drawings, alts, shares_axes=spec.shares_axes)
    return DrawnFigure(name=spec.name, title=spec.title, reading=spec.reading, pictures=pictures, scale=scale)


def overlay(drawings: Sequence[_Draw], alt: str) -> Picture:
    """Draw every table on one pair of axes."""
    axes = _new_axes(*_OVERLAY)
    for layer in drawings:
        layer(axes)
    _tidy(axes)
    place(axes, margins([axes]))
    return _picture(axes, alt, None, SHARP_DPI)


def panels(
    drawings: Mapping[str, Sequence[_Draw]], alts: Mapping[str, str], *, shares_axes: bool
) -> tuple[tuple[Picture, ...], ColorScale | None]:
    """Draw each table on axes of its own, all with the same limits and colours."""
    drawn: dict[str, Axes] = {}
    for label, layers in drawings.items():
        drawn[label] = axes = _new_axes(*_PANEL)
        for layer in layers:
            layer(axes)
        _tidy(axes)
    every = list(drawn.values())
    if all(axes.get_aspect() != "auto" for axes in every):
        for axes in every:
            figure_of(axes).set_size_inches(*_SQUARE)
    if shares_axes:
        _share_limits(every)
    scale = _share_colors(every)
    room = margins(every[:1] if shares_axes else every)
    for axes in every:
        place(axes, room)
    dpi = SHARP_DPI if len(every) <= OVERLAY_LIMIT else COARSE_DPI
    return tuple(_picture(axes, alts[label], label, dpi) for label, axes in drawn.items()), scale


def _new_axes(width: float, height: float) -> Axes:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height)).add_axes((0.1, 0.1, 0.8, 0.8))


def _tidy(axes: Axes) -> None:
    """Drop what the page says in text, and rasterise what vectors would make heavy."""
    from matplotlib.collections import PathCollection, QuadMesh

    legend = axes.get_legend()
    if legend is not None and not any(not text.get_text().startswith("_") for text in legend.get_texts()):
        legend.remove()
    axes.set_title("")
    axes.minorticks_off()  # their length is nothing, yet each would be made and drawn
    for axis in (axes.xaxis, axes.yaxis):
        if axis.get_scale() == "log":
            _label_decades(axis)
    for collection in axes.collections:
        scattered = isinstance(collection, PathCollection) and len(np.asarray(collection.get_offsets())) > _MANY_POINTS
        if scattered or isinstance(collection, QuadMesh):
            collection.set_rasterized(True)
    if _has_map(axes):
        axes.grid(False)
        for spine in axes.spines.values():
            spine.set_visible(False)


def _label_decades(axis: Axis) -> None:
    """Write 1, 10, 100 rather than powers while they are short, and 2 and 5 between when decades are few."""
    from matplotlib.ticker import FuncFormatter, LogLocator

    low, high = axis.get_view_interval()
    if low <= 0.0:
        return
    if high / low < _FEW_DECADES:
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    plain = low > _LEAST_PLAIN and high < _MOST_PLAIN
    axis.set_major_formatter("{x:g}" if plain else FuncFormatter(lambda value, place: _power(value)))


def _power(value: float) -> str:
    """Write a power of ten with raised digits, which any font has; nothing for what lies between."""
    exponent = np.log10(value) if value > 0 else np.nan
    if not np.isfinite(exponent) or abs(exponent - round(exponent)) > 1e-6:
        return ""
    return "10" + f"{exponent:.0f}".translate(_RAISED)


def _maps(axes: Axes) -> list[Any]:
    from matplotlib.collections import QuadMesh

    return [*axes.images, *(item for item in axes.collections if isinstance(item, QuadMesh))]


def _has_map(axes: Axes) -> bool:
    return bool(_maps(axes))


def _share_limits(every: Sequence[Axes]) -> None:
    for get, put in (("get_xlim", "set_xlim"), ("get_ylim", "set_ylim")):
        limits = [getattr(axes, get)() for axes in every]
        falling = limits[0][0] > limits[0][1]
        low, high = min(min(pair) for pair in limits), max(max(pair) for pair in limits)
        for axes in every:
            getattr(axes, put)((high, low) if falling else (low, high))


def _share_colors(every: Sequence[Axes]) -> ColorScale | None:
    from matplotlib.colors import to_hex

    maps = [item for axes in every for item in _maps(axes)]
    if not maps:
        return None
    ends = [item.get_clim() for item in maps]
    low, high = min(end[0] for end in ends), max(end[1] for end in ends)
    comparable = high - low <= _MOST_STRETCH * min(end[1] - end[0] for end in ends)
    label = ""
    for item in maps:
        if comparable:
            item.set_clim(low, high)
        if item.colorbar is not None:  # one scale for all of them stands on the page
            label = label or item.colorbar.ax.get_ylabel() or item.colorbar.ax.get_xlabel()
            item.colorbar.remove()
    colors = tuple(to_hex(maps[0].cmap(step / 8)) for step in range(9))
    if not comparable:
        return ColorScale(low=None, high=None, colors=colors, label=label)
    return ColorScale(low=float(low), high=float(high), colors=colors, label=label)


def _picture(axes: Axes, alt: str, label: str | None, dpi: int) -> Picture:
    figure = figure_of(axes)
    width, height = (round(96 * length) for length in figure.get_size_inches())
    return Picture(source=data_uri(to_svg(figure, dpi)), width=width, height=height, alt=alt, label=label)
