"""Figures: the same axes and colours for every table, no global state, no warnings, small files."""

from __future__ import annotations

import base64
import io
import itertools
import re
from collections.abc import Callable

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

from probe.analyzers import FigureSpec, Style
from probe.report import Report, build_report
from probe.report.drawing import OVERLAY_LIMIT, draw, house_style, overlay, panels
from probe.report.styles import HUES, INK, REFERENCE_HUE, assign
from probe.report.svg import to_svg

from .conftest import learned


def svg_of(source: str) -> str:
    return base64.b64decode(source.partition(",")[2]).decode()


def remembering(kept: list[Axes], act: Callable[[Axes], object]) -> Callable[[Axes], None]:
    def drawing(axes: Axes) -> None:
        kept.append(axes)
        act(axes)

    return drawing


def test_panels_share_limits_and_colours() -> None:
    kept: list[Axes] = []
    maps = {"a": np.array([[0.0, 1.0], [1.0, 0.0]]), "b": np.array([[-1.0, 2.0, 0.0]] * 3)}
    drawings = {
        name: [remembering(kept, lambda axes, values=values: axes.imshow(values, cmap="vlag", aspect="auto"))]  # type: ignore[misc]  # one lambda a map
        for name, values in maps.items()
    }
    with house_style():
        pictures, scale = panels(drawings, {"a": "A", "b": "B"}, shares_axes=True)
    assert [(picture.label, picture.alt) for picture in pictures] == [("a", "A"), ("b", "B")]
    assert [axes.get_xlim() for axes in kept] == [(-0.5, 2.5)] * 2
    assert [axes.get_ylim() for axes in kept] == [(2.5, -0.5)] * 2
    assert [axes.images[0].get_clim() for axes in kept] == [(-1.0, 2.0)] * 2
    assert scale is not None
    assert (scale.low, scale.high) == (-1.0, 2.0)
    assert len(set(scale.colors)) == 9
    assert kept[0].get_position().bounds == pytest.approx(kept[1].get_position().bounds)


def test_maps_in_units_far_apart_keep_their_own_colours_and_say_so() -> None:
    kept: list[Axes] = []
    drawings = {
        str(size): [remembering(kept, lambda axes, size=size: axes.imshow([[0.0, size]], aspect="auto"))]  # type: ignore[misc]  # one lambda a map
        for size in (0.01, 1.0)
    }
    with house_style():
        _, scale = panels(drawings, {"0.01": "", "1.0": ""}, shares_axes=True)
    assert [axes.images[0].get_clim() for axes in kept] == [(0.0, 0.01), (0.0, 1.0)]
    assert scale is not None
    assert (scale.low, scale.high) == (None, None)


def test_a_colour_bar_moves_to_the_page() -> None:
    """A result drawn alone has a bar of its own; on the page one scale serves every map."""
    kept: list[Axes] = []

    def with_bar(axes: Axes) -> None:
        axes.figure.colorbar(axes.imshow([[-1.0, 1.0]], aspect="auto"), ax=axes, label="cosine")

    with house_style():
        _, scale = panels({"a": [remembering(kept, with_bar)]}, {"a": ""}, shares_axes=True)
    assert scale is not None
    assert (scale.low, scale.high, scale.label) == (-1.0, 1.0, "cosine")
    assert kept[0].figure.axes == kept


def test_logarithmic_axes_are_labelled_in_plain_digits() -> None:
    for limits, expected in (((1, 1000), "100"), ((1e-7, 1), "10⁻⁶"), ((3, 30), "5")):
        with house_style():
            picture = overlay([lambda axes, limits=limits: axes.set(yscale="log", ylim=limits)], "")  # type: ignore[misc]  # one lambda a case
        assert f">{expected}</text>" in svg_of(picture.source)


def test_panels_that_share_no_axes_keep_their_own() -> None:
    kept: list[Axes] = []
    drawings = {
        str(end): [remembering(kept, lambda axes, end=end: axes.plot([0, end], [0, 1]))]  # type: ignore[misc]  # one lambda a line
        for end in (1, 10)
    }
    with house_style():
        _, scale = panels(drawings, {"1": "", "10": ""}, shares_axes=False)
    assert scale is None
    assert kept[0].get_xlim()[1] < 2 < 9 < kept[1].get_xlim()[1]


def test_a_large_map_is_pixels_and_few_bytes() -> None:
    import seaborn as sns

    values = np.random.default_rng(0).standard_normal((512, 512))
    with house_style():
        pictures, _ = panels(
            {"a": [lambda axes: sns.heatmap(values, ax=axes, cbar=False)]}, {"a": ""}, shares_axes=True
        )
    assert len(pictures[0].source) < 200_000
    embedded = re.findall(r"data:image/png;base64,([^\"]+)", svg_of(pictures[0].source))
    assert len(embedded) == 1
    with Image.open(io.BytesIO(base64.b64decode(embedded[0]))) as image:
        assert image.mode == "P"
        assert min(image.size) > 150


def test_lines_reach_the_page_where_they_were_drawn() -> None:
    """Shortened coordinates stay within a tenth of a point, and nothing of a line is lost."""
    with house_style():
        figure = Figure(figsize=(4, 3))
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set(xlim=(0, 288), ylim=(216, 0))
        axes.plot([10.04, 100.06, 200.0], [20.01, 150.0, 33.33], color="#123456")
        svg = to_svg(figure, 72)
    (path,) = re.findall(r'd="([^"]*)"[^>]*stroke: #123456', svg)
    numbers = [float(word) for word in re.findall(r"-?[\d.]+", path)]
    assert numbers == pytest.approx([10.0, 20.0, 100.1, 150.0, 200.0, 33.3], abs=0.051)


def test_text_stays_text_and_any_script_can_be_set() -> None:
    with house_style():
        picture = overlay([lambda axes: axes.set_xlabel("微调模型 & <b>")], "alt")
    svg = svg_of(picture.source)
    assert "微调模型 &amp; &lt;b&gt;" in svg
    assert "DejaVu" not in svg
    assert "text{font-family:system-ui," in svg


def test_ink_turns_light_on_a_dark_page() -> None:
    with house_style():
        svg = svg_of(overlay([lambda axes: axes.plot([0, 1], color=HUES[0].light)], "").source)
    rules = svg[svg.index("@media(prefers-color-scheme:dark)") : svg.index("</style>")]
    for hue in (INK, HUES[0]):
        assert f'[style*="stroke: {hue.light}"]{{stroke:{hue.dark}!important}}' in rules
        assert f"stroke: {hue.light}" in svg.split("</style>")[1]


def test_names_of_tables_are_never_drawn(report: Report) -> None:
    styles = assign(report.shown)
    assert {style.for_drawing.label for style in styles.values()} == {None}


def test_few_tables_are_laid_over_each_other_and_many_beside_the_sinusoid() -> None:
    drawn: list[tuple[str, str]] = []

    def note(result: object, axes: Axes, style: Style) -> None:
        drawn.append((f"{id(axes.figure)}", result.source.label))  # type: ignore[attr-defined]  # a Result, which the contract leaves open
        axes.plot([0, 1], color=style.color)

    spec = FigureSpec(name="f", title="F", reading="", layout="overlay", draw=note)
    for count in (2, OVERLAY_LIMIT + 1):
        drawn.clear()
        shown = build_report([learned(f"m{n}", shape=(8, 4)) for n in range(count)], only=["pca"], draws=0).shown
        with house_style():
            figure = draw(spec, "pca", shown, assign(shown))
        if count == 2:
            assert figure.overlay
            assert [label for _, label in drawn] == ["sinusoidal:8x4", "m0", "m1"]
            assert all(f"{one.label}: {one.results['pca'].finding}" in figure.pictures[0].alt for one in shown)
            continue
        assert not figure.overlay
        together = [[label for _, label in group] for _, group in itertools.groupby(drawn, key=lambda pair: pair[0])]
        assert together == [*(["sinusoidal:8x4", f"m{n}"] for n in range(count)), ["sinusoidal:8x4"]]


def test_every_registered_figure_draws_without_a_warning(report: Report) -> None:
    styles = assign(report.shown)
    with house_style():
        for name, result in report.encodings[0].results.items():
            for spec in result.figures:
                figure = draw(spec, name, report.shown, styles)
                expected = 1 if figure.overlay else len(report.shown)
                assert len(figure.pictures) == expected, (name, spec.name)


def test_no_figure_is_left_open_and_no_setting_changed(report: Report) -> None:
    import matplotlib.pyplot as plt

    before = dict(mpl.rcParams)
    report.to_html()
    assert plt.get_fignums() == []
    assert dict(mpl.rcParams) == before


def contrast(first: str, second: str) -> float:
    """WCAG 2.2: the ratio of relative luminances."""

    def luminance(color: str) -> float:
        channels = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_lines_stand_off_the_page_and_text_can_be_read(page: str) -> None:
    declared = [dict(re.findall(r"--(\w+):(#[0-9a-f]{6})", block)) for block in re.findall(r":root\{([^}]*)\}", page)]
    light, dark = declared
    for hue in (*HUES, REFERENCE_HUE):
        assert contrast(hue.light, light["page"]) >= 3.0
        assert contrast(hue.dark, dark["page"]) >= 3.0
    for tones, text in ((light, INK.light), (dark, INK.dark)):
        for name in ("ink", "soft", "link", "good", "warn"):
            assert contrast(tones[name], tones["page"]) >= 4.5
        assert contrast(tones["ink"], tones["wash"]) >= 4.5
        assert contrast(text, tones["page"]) >= 4.5


def test_thirty_tables_each_have_a_style_of_their_own() -> None:
    shown = build_report([learned(f"m{n}", shape=(4, 3)) for n in range(30)], only=["pca"], draws=0).shown
    styles = assign(shown)
    assert len({(style.hue, style.dashes) for style in styles.values()}) == 31
    assert styles["sinusoidal:4x3"].hue == REFERENCE_HUE
    assert styles["m0"].hue == HUES[0]
