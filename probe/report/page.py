"""The report as one self-contained HTML page."""

from __future__ import annotations

from probe.report.model import Report


def render_page(report: Report) -> str:
    """Make the page."""
    raise NotImplementedError
