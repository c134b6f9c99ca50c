"""How is each table drawn? One colour and line style for a table, in every figure and in the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from probe.analyzers import Style
from probe.report.model import AnalysedTable

Dashes = tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class Hue:
    """A colour in two tones: one for a light page, one for a dark page."""

    light: str
    dark: str


HUES: tuple[Hue, ...] = (
    Hue(light="#0072b2", dark="#5fb0e6"),
    Hue(light="#c4500c", dark="#f2945a"),
    Hue(light="#007f5f", dark="#3cc29a"),
    Hue(light="#a8437e", dark="#e596c2"),
    Hue(light="#946500", dark="#ddb040"),
    Hue(light="#3d4450", dark="#d3d9e2"),
)
"""After Okabe & Ito's colours for colour-blind readers, each darkened or lightened to stand 3:1 off its page."""

REFERENCE_HUE = Hue(light="#777d86", dark="#989ea8")
INK = Hue(light="#565c65", dark="#b3b9c2")
GRID = Hue(light="#e2e4e8", dark="#343a43")
BLACK = Hue(light="#000000", dark="#ffffff")

_DASHES: tuple[Dashes, ...] = ((), (6.0, 2.0), (1.5, 1.5), (6.0, 2.0, 1.5, 2.0), (3.0, 1.0))
_REFERENCE_DASHES: Dashes = (3.5, 2.5)


@dataclass(frozen=True, kw_only=True)
class TableStyle:
    """One table's colour, line style and place.

    Attributes
    ----------
    number : int
        From 1; the page's CSS class is ``t1``, ``t2`` …
    hue : Hue
    dashes : tuple of float
        Lengths of line and gap in line widths; empty for a solid line.
    """

    number: int
    hue: Hue
    dashes: Dashes

    @property
    def for_drawing(self) -> Style:
        """What a result's draw function takes. It carries no label: the page writes names itself, as text."""
        return Style(color=self.hue.light, linestyle=(0, self.dashes) if self.dashes else "-", label=None)

    @property
    def dash_array(self) -> str:
        """The dashes for an SVG ``stroke-dasharray``, for lines two units wide."""
        return " ".join(f"{2 * length:g}" for length in self.dashes) or "none"


def assign(shown: Sequence[AnalysedTable]) -> dict[str, TableStyle]:
    """Give each table its style, by label. The first sinusoid made from the formula is always dashed grey."""
    styles: dict[str, TableStyle] = {}
    place = 0
    reference_seen = False
    for number, one in enumerate(shown, start=1):
        if one.is_reference and not reference_seen:
            reference_seen = True
            styles[one.label] = TableStyle(number=number, hue=REFERENCE_HUE, dashes=_REFERENCE_DASHES)
            continue
        hue, dashes = HUES[place % len(HUES)], _DASHES[place // len(HUES) % len(_DASHES)]
        styles[one.label] = TableStyle(number=number, hue=hue, dashes=dashes)
        place += 1
    return styles


def themed_hues() -> tuple[Hue, ...]:
    """Give every colour that a figure changes on a dark page."""
    return (*HUES, REFERENCE_HUE, INK, GRID, BLACK)
