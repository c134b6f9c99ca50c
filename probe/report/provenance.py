"""Where does each table of a report come from? The facts by which its numbers can be had again."""

from __future__ import annotations

from probe.report.headings import scheme_words, size
from probe.report.model import AnalysedTable

FACTS = (
    "source", "format", "revision", "file", "tensor", "scheme", "stored shape", "rows in use", "row offset", "dtype",
    "sha256 of the rows",
)  # fmt: skip


def facts(analysed: AnalysedTable) -> tuple[str | None, ...]:
    """Give a table's facts in the order of ``FACTS``; None where it has none."""
    source, description = analysed.table.provenance, analysed.description
    return (
        source.reference,
        source.format,
        source.revision,
        source.file,
        source.tensor,
        scheme_words(description.scheme) if description.stored else f"{scheme_words(description.scheme)}, computed",
        size(description.stored_shape),
        rows_in_use(analysed),
        str(description.row_offset),
        description.dtype,
        source.sha256,
    )


def rows_in_use(analysed: AnalysedTable) -> str:
    """Say which stored rows are the positions.

    The first is ``row_offset``; there are as many as the table has positions.
    """
    positions = analysed.table.shape[0]
    if not analysed.description.stored:
        return f"{positions:,}"
    first = analysed.description.row_offset
    return f"{positions:,}: stored rows {first} to {first + positions - 1}"
