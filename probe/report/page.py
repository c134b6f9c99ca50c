"""The report as one self-contained HTML page: findings first, then a section an analyzer, then how it was made."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from probe.analyzers import Analyzer, Result
from probe.analyzers.nulls import describe
from probe.report import headings
from probe.report.comparison import analyzer_kinds, score_rows
from probe.report.drawing import DrawnFigure, draw, house_style
from probe.report.model import Report
from probe.report.provenance import FACTS, facts
from probe.report.raw_tables import draw_tables
from probe.report.score_cells import CellRow, cell_row
from probe.report.styles import TableStyle, assign

if TYPE_CHECKING:
    from jinja2 import Template

MODELS_AS_COLUMNS = 4
"""With more tables than this, the tables of scores have a row a table."""


@dataclass(frozen=True, kw_only=True)
class Section:
    """One analyzer's part of the page."""

    kind: type[Analyzer[Result]]
    findings: Mapping[str, str]
    warnings: Mapping[str, tuple[str, ...]]
    figures: tuple[DrawnFigure, ...]
    rows: tuple[CellRow, ...]

    @property
    def undrawn(self) -> tuple[str, ...]:
        """Nulls that cannot change any score of this section, each with its reason."""
        return tuple(reason for reason in self.rows[0].undrawn if all(reason in row.undrawn for row in self.rows))


def render_page(report: Report) -> str:
    """Make the page; the same report gives the same bytes."""
    styles = assign(report.shown)
    with house_style():
        values = draw_tables(report.shown)
        sections = [_section(report, kind, styles) for kind in analyzer_kinds(report)]
    return _template().render(
        title=headings.title(report),
        named=headings.named_in_title(report),
        lede=headings.lede(report),
        nulls_sentence=headings.nulls_sentence(report),
        report=report,
        tables=report.shown,
        styles=styles,
        values=values,
        sections=sections,
        as_columns=len(report.shown) <= MODELS_AS_COLUMNS,
        nulls=describe(),
        facts={one.label: facts(one) for one in report.shown},
        fact_names=FACTS,
        size=headings.size,
        scheme_words=headings.scheme_words,
    )


def _section(report: Report, kind: type[Analyzer[Result]], styles: Mapping[str, TableStyle]) -> Section:
    results = {one.label: one.results[kind.name] for one in report.shown}
    return Section(
        kind=kind,
        findings={label: result.finding for label, result in results.items()},
        warnings={label: result.warnings for label, result in results.items() if result.warnings},
        figures=tuple(draw(spec, kind.name, report.shown, styles) for spec in kind.result_type.figures),
        rows=tuple(cell_row(row) for row in score_rows(report, kind.name)),
    )


@cache
def _template() -> Template:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(  # every template is escaped, whatever its suffix
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["typeset"] = typeset
    return environment.get_template("page.html")


def typeset(text: str) -> str:
    """Keep a number and its unit, and ``p = .01``, on one line; write a minus as a minus."""
    text = re.sub(r"(?<![\w.-])-(?=[\d.])", "−", text)
    return re.sub(r"(?<=\d) (?=[%×])|(?<=×) (?=\d)|(?<=\bp) (?=[=<])|(?<=[=<]) (?=[\d.])", "\u00a0", text)
