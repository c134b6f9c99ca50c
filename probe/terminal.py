"""What the command line prints: findings, listings and explanations as text that fits 80 columns."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from probe.report import Report

WIDTH = 80
_MODELS_A_TABLE = 4


def console() -> Console:
    """Open a console on stdout: 80 columns, colours only on a terminal and never under NO_COLOR."""
    from rich.console import Console

    return Console(width=WIDTH, highlight=False, soft_wrap=False)


def wrapped(text: str, indent: str = "  ") -> str:
    """Fill a paragraph to the width."""
    return textwrap.fill(text, WIDTH, initial_indent=indent, subsequent_indent=indent)


def findings(report: Report) -> None:
    """Print what a report found: a sentence a model, then the scores beside their nulls."""
    out = console()
    for analysed in report.encodings:
        rows, columns = analysed.table.shape
        out.print(f"[bold]{_plain(analysed.label)}[/bold]  {analysed.table.scheme}, {rows} positions × {columns}")
        out.print(_plain(wrapped(analysed.verdict)))
        out.print()
    for start in range(0, len(report.encodings), _MODELS_A_TABLE):
        with out.capture() as capture:
            out.print(_scores_table(report.encodings[start : start + _MODELS_A_TABLE]))
        for line in capture.get().splitlines():  # rich fills every line up with spaces
            out.out(line.rstrip(), highlight=False)
    out.print(_plain(wrapped(_legend(report), indent="")))


def warnings(report: Report) -> list[str]:
    """List every warning once: of the sources, of the tables, of the results."""
    found = list(report.warnings)
    for analysed in report.encodings:
        found += [f"{analysed.label}: {warning}" for warning in analysed.table.warnings]
        for result in analysed.results.values():
            found += [f"{analysed.label}: {warning}" for warning in result.warnings]
    return list(dict.fromkeys(found))


def _legend(report: Report) -> str:
    if not report.draws:
        return "No null was drawn (--draws 0): nothing says what these scores would be without position."
    return (
        f"* beats every null it was held against (p < .05; {report.draws} draws of each, smallest p "
        f"{1 / (report.draws + 1):.2g}). In brackets: 95 % of draws of the strictest null."
    )


def _scores_table(analysed: Sequence[Any]) -> Any:
    from rich.table import Table

    from probe.analyzers.contract import format_value

    alone = len(analysed) == 1
    table = Table(box=None, padding=(0, 1, 0, 0), show_header=True, header_style="bold")
    table.add_column("score", no_wrap=True)
    for one in analysed:
        table.add_column(_plain(one.label), justify="right", overflow="fold")
    if alone:
        table.add_column("null", justify="right", no_wrap=True)
    for name in analysed[0].results:
        for spec in analysed[0].results[name].specs:
            scores = [one.results[name].scores[spec.name] for one in analysed]
            cells = [f"{format_value(score.value, spec.form)}{'*' if score.beats_all() else ' '}" for score in scores]
            if alone:
                cells.append(_interval(scores[0], spec.form))
            table.add_row(_plain(spec.label), *cells)
    return table


def _interval(score: Any, form: str) -> str:
    from probe.analyzers.contract import format_value

    null = score.headline
    if null is None:
        return ""
    return f"{null.null} \\[{format_value(null.low, form)}, {format_value(null.high, form)}]"


def _plain(text: str) -> str:
    from rich.markup import escape

    return escape(text)


def encodings(shown: dict[str, Any]) -> str:
    """Word the object of ``probe show --json`` for a reader."""
    source = shown["source"]
    lines = [f"{source['reference']}  ({source['format']}, {source['bytes_read']:,} bytes read)"]
    for one in shown["encodings"]:
        lines += ["", f"{one['component']}: {one['scheme']}{'  (stored, never read)' if one['unused'] else ''}"]
        lines += [f"  {name:<14} {value}" for name, value in _facts(one)]
        lines += [wrapped(f"Warning: {warning}") for warning in one["warnings"]]
    lines += [wrapped(f"Warning: {warning}", indent="") for warning in shown["warnings"]]
    return "\n".join(lines)


def _facts(one: dict[str, Any]) -> Iterable[tuple[str, str]]:
    yield "tensor", one["tensor"] or "none: computed from the config"
    if one["stored_shape"] is not None:
        yield "stored", f"{_times(one['stored_shape'])} {one['dtype']}"
    if one["shape"] is not None:
        first = one["row_offset"]
        yield "in use", f"{_times(one['shape'])}, position 0 in row {first}" if first else _times(one["shape"])
    if one["prefix_tokens"] or one["grid"]:
        grid = f", then a grid of {_times(one['grid'])}" if one["grid"] else ""
        yield "tokens", f"{one['prefix_tokens']} before the patches{grid}"
    if one["parameters"]:
        yield "parameters", ", ".join(f"{key} = {value}" for key, value in one["parameters"].items())


def _times(shape: Sequence[int]) -> str:
    return " × ".join(f"{side:,}" for side in shape)


def analyzers() -> str:
    """List every analyzer with its question."""
    from probe.analyzers import get, names

    return "\n".join(f"{name:<12} {get(name).question}" for name in names())


def families(rows: Iterable[Any]) -> str:
    """List the families that are known by name, with the component, scheme, tensor and row rule of each."""
    lines = [f"{'model type':<22} {'component':<10} {'scheme':<17} {'row 0 is':<10} tensor"]
    lines += [f"{row.model_type:<22} {row.component:<10} {row.scheme:<17} {row.rule:<10} {row.tensor}" for row in rows]
    return "\n".join(lines)


def explanation(name: str) -> str:
    """Say what an analyzer asks, how it answers, what its scores mean and how they mislead."""
    from probe.analyzers import NULLS, get

    analyzer = get(name)
    parts = [f"{name}: {analyzer.question}", "", wrapped(analyzer.method), "", "Scores"]
    for spec in analyzer.result_type.specs:
        parts += [f"  {spec.name} ({spec.label})", wrapped(spec.meaning, "      ")]
        if spec.without_null:
            parts.append(wrapped(f"No null: {spec.without_null}.", "      "))
        parts += [wrapped(f"Not held against {null}: {why}.", "      ") for null, why in spec.unchanged_by.items()]
    parts += ["", "Nulls"]
    parts += [wrapped(f"{null.name}: keeps {null.keeps}. {null.asks}") for null in NULLS]
    parts += ["", "How it can mislead", wrapped(analyzer.misleads), "", "In Python"]
    parts.append(f"  probe.{name}{_signature(name)}")
    return "\n".join(parts)


def _signature(name: str) -> str:
    import probe

    parameters = inspect.signature(getattr(probe, name)).parameters.values()
    return "(" + ", ".join(str(one).split(":")[0] + _default(one) for one in parameters) + ")"


def _default(parameter: inspect.Parameter) -> str:
    return "" if parameter.default is inspect.Parameter.empty else f"={parameter.default!r}"
