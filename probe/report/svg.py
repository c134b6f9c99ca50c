"""From a matplotlib figure to the small, repeatable SVG that a page carries in an ``<img>``."""

from __future__ import annotations

import base64
import io
import re
from typing import TYPE_CHECKING

from probe.report.styles import themed_hues

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLORS_IN_A_RASTER = 64
_FONTS = "system-ui,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif"

_PATH = re.compile(r' d="([^"]*)"')
_AROUND_A_COMMAND = re.compile(r" ?([A-Za-z]) ?")
_POINT = re.compile(r"-?\d+\.\d+")
_EMBEDDED_PNG = re.compile(r"data:image/png;base64,([A-Za-z0-9+/=\s]+)")
_FONT_FAMILY = re.compile(r" ?font-family: [^\";]*;?")
_UNUSED = re.compile(r'(?<=<g) id="[^"]*"| transform="rotate\(-?0 [^"]*\)"')
_LINES_ONLY = re.compile(r"[MLz\d. -]*")
_PREAMBLE = re.compile(r"<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->|<metadata>.*?</metadata>", re.DOTALL)
_STYLE = re.compile(r"<style type=\"text/css\">.*?</style>", re.DOTALL)
_BETWEEN_TAGS = re.compile(r">\s+<")


def to_svg(figure: Figure, raster_dpi: int) -> str:
    """Write a figure as SVG: text as text, no date, coordinates to a tenth of a point, two sets of colours.

    Notes
    -----
    The reader's browser sets the text in its own fonts. Ink and model colours turn to their dark tones under
    ``prefers-color-scheme: dark``, so the image sits on a light and on a dark page alike.
    """
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", dpi=raster_dpi, metadata={"Date": None}, transparent=True)
    return _shrunk(buffer.getvalue())


def data_uri(svg: str) -> str:
    """Put an SVG into a ``data:`` address."""
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode("ascii")


def _shrunk(svg: str) -> str:
    svg = _PREAMBLE.sub("", svg)
    svg = _STYLE.sub(f"<style>{_rules(svg)}</style>", svg, count=1)
    svg = _PATH.sub(lambda match: f' d="{_rounded(match[1])}"', svg)
    svg = _EMBEDDED_PNG.sub(lambda match: _with_fewer_colors(match[1]), svg)
    svg = _UNUSED.sub("", _FONT_FAMILY.sub("", svg))
    return _BETWEEN_TAGS.sub("><", svg).strip()


def _rounded(path: str) -> str:
    short = _POINT.sub(lambda match: f"{float(match[0]):.1f}".removesuffix(".0"), path)
    short = _AROUND_A_COMMAND.sub(r"\1", " ".join(short.split()))
    return short.replace("L", " ") if _LINES_ONLY.fullmatch(short) else short  # a line after M needs no letter


def _rules(svg: str) -> str:
    """Set the fonts, and give each themed colour that the figure uses its dark tone."""
    rules = "".join(
        f'[style*="{kind}: {hue.light}"]{{{kind}:{hue.dark}!important}}'
        for hue in themed_hues()
        for kind in ("stroke", "fill")
        if f"{kind}: {hue.light}" in svg
    )
    dark = f"@media(prefers-color-scheme:dark){{{rules}}}"
    return f"*{{stroke-linejoin:round;stroke-linecap:butt}}text{{font-family:{_FONTS}}}{dark}"


def _with_fewer_colors(encoded: str) -> str:
    """Encode a raster image again with a palette, a third of its size and no visible difference."""
    from PIL import Image

    with Image.open(io.BytesIO(base64.b64decode(encoded))) as image:
        reduced = image.convert("RGBA").quantize(_COLORS_IN_A_RASTER, method=Image.Quantize.FASTOCTREE)
    buffer = io.BytesIO()
    reduced.save(buffer, format="PNG")
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")
