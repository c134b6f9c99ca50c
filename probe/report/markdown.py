"""The report's findings and scores as Markdown, for an issue or a README."""

from __future__ import annotations

import re
from collections.abc import Sequence

from probe.analyzers import Score
from probe.analyzers.contract import format_null, format_value
from probe.report.comparison import analyzer_kinds, score_rows
from probe.report.headings import lede, title
from probe.report.model import Report
from probe.report.provenance import FACTS, facts


def render_markdown(report: Report) -> str:
    """Write the verdicts, each analyzer's scores beside their strictest null, and where the tables come from."""
    parts = [f"# {_text(title(report))}", _text(lede(report)), "## Findings"]
    parts.append("\n".join(f"- **{_text(one.label)}**: {_text(one.verdict)}" for one in report.encodings))
    parts += [_scores(report, kind.name, kind.question) for kind in analyzer_kinds(report)]
    rows = [[one.label, *(fact or "–" for fact in facts(one))] for one in report.shown]
    parts += ["## Provenance", _table(["table", *FACTS], rows)]
    if report.warnings:
        parts += ["## Warnings", "\n".join(f"- {_text(warning)}" for warning in report.warnings)]
    if report.command:
        parts += ["## Made by", _code(report.command)]
    return "\n\n".join(parts) + "\n"


def _scores(report: Report, analyzer: str, question: str) -> str:
    labels = [one.label for one in report.shown]
    rows = [
        [row.spec.label, *(_cell(row.scores[label], row.spec.form) for label in labels)]
        for row in score_rows(report, analyzer)
    ]
    return f"## {_text(question)}\n\n{_table(['score', *labels], rows)}"


def _cell(score: Score, form: str) -> str:
    value = format_value(score.value, form)
    return value if score.headline is None else f"{value} ({format_null(score, form)})"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(
        "| " + " | ".join(cell if cell == "---" else _text(cell) for cell in line) + " |" for line in lines
    )


def _text(text: str) -> str:
    """Escape what Markdown would read as markup, tables and raw HTML included."""
    flat = " ".join(text.split())
    return re.sub(r"([\\`*_\[\]|#])", r"\\\1", flat.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))


def _code(text: str) -> str:
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"
