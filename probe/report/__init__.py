"""Reports: results side by side, as a page, as JSON and as Markdown."""

from probe.report.build import build_report
from probe.report.model import SUFFIXES, AnalysedTable, Report, check_suffix

__all__ = ["SUFFIXES", "AnalysedTable", "Report", "build_report", "check_suffix"]
