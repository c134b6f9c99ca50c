"""Scores of several tables side by side: what the page's table of scores and its JSON twin both hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from probe.analyzers import Analyzer, Result, Score, ScoreSpec, get

if TYPE_CHECKING:
    from probe.report.model import Report


@dataclass(frozen=True, kw_only=True)
class ScoreRow:
    """One score of every table shown.

    Attributes
    ----------
    analyzer : str
    spec : ScoreSpec
        What the score is.
    scores : mapping of str to Score
        By the table's label, in the order shown.
    """

    analyzer: str
    spec: ScoreSpec
    scores: Mapping[str, Score]

    def to_dict(self) -> dict[str, Any]:
        """One element of ``comparison.scores``: the value and the strictest null for each table."""
        return {
            "analyzer": self.analyzer,
            "score": self.spec.name,
            "label": self.spec.label,
            "meaning": self.spec.meaning,
            "tail": self.spec.tail,
            "values": {label: _brief(score) for label, score in self.scores.items()},
        }


def _brief(score: Score) -> dict[str, Any]:
    body = score.to_dict()
    kept = ("value", "null", "null_mean", "null_low", "null_high", "p_value")
    return {**{name: body[name] for name in kept}, "beats_all_nulls": score.beats_all()}


def analyzer_kinds(report: Report) -> tuple[type[Analyzer[Result]], ...]:
    """Give the analyzers whose results the report holds, in report order."""
    return tuple(get(name) for name in report.encodings[0].results)


def score_rows(report: Report, analyzer: str) -> tuple[ScoreRow, ...]:
    """Give one analyzer's scores, each across every table shown."""
    summaries = {one.label: one.results[analyzer].summary() for one in report.shown}
    return tuple(
        ScoreRow(
            analyzer=analyzer, spec=spec, scores={label: summary[spec.name] for label, summary in summaries.items()}
        )
        for spec in report.encodings[0].results[analyzer].specs
    )


def comparison(report: Report) -> dict[str, Any]:
    """Give the report's ``comparison``: which tables, which sinusoid, and every score side by side."""
    from probe.analyzers.contract import to_json

    reference = report.reference or next((one for one in report.encodings if one.is_reference), None)
    rows = [row.to_dict() for kind in analyzer_kinds(report) for row in score_rows(report, kind.name)]
    body: dict[str, Any] = to_json(
        {
            "models": [one.label for one in report.encodings],
            "reference": None if reference is None else reference.label,
            "reference_added": report.reference is not None,
            "scores": rows,
        }
    )
    return body
