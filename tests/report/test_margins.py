"""Labels fit into their image without being measured: held here against matplotlib's own measure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from probe.report import Report
from probe.report.drawing import draw, house_style
from probe.report.margins import margins, place
from probe.report.styles import assign


def gaps(axes: Axes) -> list[float]:
    """Measure the points left, below, right and above that nothing is drawn on."""
    figure = axes.get_figure(root=True)
    assert isinstance(figure, Figure)
    drawn = axes.get_tightbbox(FigureCanvasAgg(figure).get_renderer())
    assert drawn is not None
    points = 72 / figure.dpi
    width, height = figure.bbox.size
    return [points * gap for gap in (drawn.x0, drawn.y0, width - drawn.x1, height - drawn.y1)]


@pytest.mark.parametrize(
    "shown",
    [
        {"xlim": (0, 1), "ylim": (0, 1), "xlabel": "position", "ylabel": "share"},
        {"xlim": (0, 10_000), "ylim": (-0.25, 0.0), "xlabel": "position"},
        {"xlim": (100, 0), "ylim": (90_000, 0), "ylabel": "two\nlines"},
        {"xscale": "log", "xlim": (1, 1000), "yscale": "log", "ylim": (1e-3, 1e3), "xlabel": "period"},
        {"ylim": (0.0, 1e-9), "ylabel": "in units of the offset above"},
        {"xticks": [], "yticks": [], "xlabel": "position", "ylabel": "position"},
        {"xlabel": "two\nlines"},
    ],
)
def test_the_room_is_what_the_labels_take(shown: dict[str, Any]) -> None:
    with house_style():
        axes = Figure(figsize=(3, 2.5)).add_axes((0.1, 0.1, 0.8, 0.8))
        axes.set(**shown)
        place(axes, margins([axes]))
        assert gaps(axes) == pytest.approx([4.0] * 4, abs=3.5)


def test_several_images_get_the_room_of_the_widest() -> None:
    with house_style():
        narrow, wide = (Figure(figsize=(3, 2)).add_axes((0.1, 0.1, 0.8, 0.8)) for _ in range(2))
        narrow.set(ylim=(0, 9))
        wide.set(ylim=(0, 90_000), xlabel="position")
        assert margins([narrow, wide]) == pytest.approx(margins([wide]))
        assert margins([wide]).left - margins([narrow]).left == pytest.approx(4 * 0.64 * 8.096, abs=0.01)
        assert margins([wide]).bottom - margins([narrow]).bottom == pytest.approx(3.0 + 8.832, abs=0.01)


def test_no_label_of_a_registered_figure_is_cut(report: Report) -> None:
    kept: list[tuple[str, Axes]] = []
    styles = assign(report.shown)
    with house_style():
        for name, result in report.encodings[0].results.items():
            for spec in result.figures:

                def drawing(one: Any, axes: Axes, style: Any, spec: Any = spec) -> None:
                    kept.append((spec.name, axes))
                    spec.draw(one, axes, style)

                draw(replace(spec, draw=drawing), name, report.shown, styles)
        assert len(kept) > 20
        for figure, axes in kept:
            assert min(gaps(axes)) > -0.5, figure
