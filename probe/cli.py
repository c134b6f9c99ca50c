"""The ``probe`` command: parses, calls the library, prints."""

from __future__ import annotations

import gc
import importlib
import json
import re
import shlex
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import Any, NoReturn

import click

from probe import __version__
from probe.defaults import DEFAULT_DRAWS
from probe.errors import ProbeError

_RARELY = 200_000
"""New objects between collections of garbage: a command is short, and importing what draws makes many that stay."""


class Command(click.Group):
    """A group that turns an expected failure into a paragraph and an exit code."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a subcommand; 1 for an expected failure, 130 when interrupted."""
        try:
            return super().invoke(ctx)
        except ProbeError as problem:
            if ctx.params.get("debug"):
                raise
            _fail(problem.message, problem.hint, 1)
        except KeyboardInterrupt:
            _fail("Interrupted.", None, 130)
        except BrokenPipeError:
            sys.stderr.close()  # the reader went away; nothing is left to say
            sys.exit(0)
        except OSError as problem:
            if ctx.params.get("debug"):
                raise
            where = f"{problem.filename}: " if problem.filename else ""
            _fail(f"{where}{problem.strerror or problem}.", "Run again with `probe --debug …` to see where.", 1)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as problem:
            if ctx.params.get("debug"):
                raise
            _fail(
                f"Unexpected {type(problem).__name__}: {problem}",
                "This is a fault of probe's own. Run again with `probe --debug …` and report what it prints.",
                1,
            )


def _fail(message: str, hint: str | None, code: int) -> NoReturn:
    click.echo(f"Error: {message}", err=True)
    if hint:
        click.echo(f"Hint: {hint}", err=True)
    sys.exit(code)


@click.group(cls=Command, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="probe")
@click.option("--debug", is_flag=True, help="Show the traceback of a failure.")
def main(debug: bool) -> None:
    """Look inside the positional embeddings of pretrained models.

    A SOURCE is a model on the Hugging Face Hub (bert-base-uncased), a folder, a weights file,
    package:NAME/FOLDER inside an installed Python package, or a reference table such as
    sinusoidal:512x768 or random:512x768?seed=0.
    """
    gc.set_threshold(_RARELY)


_revision = click.option("--revision", metavar="R", help="Branch, tag or commit of a hub repository.")
_offline = click.option("--offline", is_flag=True, help="Ask the hub's cache alone, never the network.")
_component = click.option("--component", metavar="NAME", help="Only this part of the model (text, encoder …).")
_as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON on stdout.")


def _analysis(command: Callable[..., None]) -> Callable[..., None]:
    """Add the arguments that ``analyze`` and ``compare`` share."""
    options: Sequence[Callable[..., Any]] = (
        click.argument("sources", nargs=-1, required=True, metavar="SOURCE..."),
        click.option(
            "-o", "--output", "outputs", multiple=True, type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
            help="Write here; .html (its JSON twin is written beside it), .json or .md. Default: reports/NAME.html.",
        ),
        click.option("--only", metavar="NAMES", help="Only these analyzers, comma separated; see `probe list`."),
        _component,
        click.option("--label", "labels", multiple=True, metavar="TEXT", help="A name for each source, in order."),
        _revision,
        _offline,
        click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Seeds the nulls."),
        click.option(
            "--draws", default=DEFAULT_DRAWS, show_default=True, type=click.IntRange(min=0),
            help="Tables drawn of each null; 0 draws none.",
        ),
        _as_json,
    )  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


@main.command()
@_analysis
def analyze(**options: Any) -> None:
    """Analyse the position tables of SOURCE... and write a report.

    Prints the findings and writes reports/NAME.html with its JSON twin beside it. Several sources
    make a comparison.
    """
    _analyze(**options)


@main.command()
@_analysis
def compare(**options: Any) -> None:
    """Compare two or more sources: `analyze` by another name."""
    if len(options["sources"]) < 2:
        raise click.UsageError("A comparison takes two or more sources; for one, use `probe analyze`.")
    _analyze(**options)


def _analyze(
    *, sources: tuple[str, ...], outputs: tuple[Path, ...], only: str | None, as_json: bool, **options: Any
) -> None:
    from probe import terminal
    from probe.analysis import Selection, read_tables
    from probe.outputs import keep_sources
    from probe.report import build_report
    from probe.report.targets import check_targets

    names = [name.strip() for name in only.split(",") if name.strip()] if only else None
    targets = check_targets(outputs)
    keep_sources(targets, sources)
    chosen = {name: options.pop(name) for name in ("component", "labels", "revision", "offline")}
    with _progress() as progress:
        tables, warnings = read_tables(sources, Selection(**chosen), progress)
        if not outputs and not as_json:
            targets = check_targets([Path("reports") / f"{_slug([table.label for table in tables])}.html"])
            keep_sources(targets, sources)
        if any(target.suffix.lower() == ".html" for target in targets):
            _import_ahead("seaborn")
        report = build_report(
            tables, only=names, command=_command_line(), warnings=warnings, progress=progress, **options
        )
    for target in targets:  # before anything is printed: whoever reads stdout may stop reading
        report.write(target)
    for warning in terminal.warnings(report):
        click.echo(f"Warning: {warning}", err=True)
    if as_json:
        click.echo(report.to_json(), nl=False)
    else:
        terminal.findings(report)
    for target in targets:
        click.echo(f"Wrote {target}", err=True)


def _import_ahead(module: str) -> None:
    """Import what the page will be drawn with while the nulls are drawn; a failure shows when it is needed."""

    def quietly() -> None:
        with suppress(Exception):  # whatever it is, it comes again where it can be told
            importlib.import_module(module)

    threading.Thread(target=quietly).start()


def _command_line() -> str:
    return shlex.join(["probe", *sys.argv[1:]])


def _slug(labels: Sequence[str]) -> str:
    """Name a report after its tables; parts of one model share a name."""
    names = dict.fromkeys(re.sub(r"[^\w.-]+", "-", label.partition(" · ")[0]).strip("-.")[:60] for label in labels)
    told = [name or "table" for name in names]
    return "-vs-".join(told[:3]) + (f"-and-{len(told) - 3}-more" if len(told) > 3 else "")


def _progress() -> AbstractContextManager[Callable[[str, str], None] | None]:
    """Tell each stage on stderr, on a terminal only."""
    if sys.stderr is None or not sys.stderr.isatty():
        return nullcontext(None)
    from probe.progress import stages

    return stages()


@main.command()
@click.argument("source")
@_revision
@_offline
@_as_json
def show(source: str, revision: str | None, offline: bool, as_json: bool) -> None:
    """Show which position encodings SOURCE holds, in which tensors and rows."""
    from probe.loaders import open_source

    shown = open_source(source, revision=revision, offline=offline).to_dict()
    if as_json:
        click.echo(json.dumps(shown, ensure_ascii=False, allow_nan=False, indent=2))
        return
    from probe import terminal

    click.echo(terminal.encodings(shown))


@main.command()
@click.argument("source")
@click.option(
    "-o", "--output", required=True, type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help=".npy, .npz, .csv, .parquet or .safetensors.",
)  # fmt: skip
@_component
@_revision
@_offline
def export(source: str, output: Path, component: str | None, revision: str | None, offline: bool) -> None:
    """Write one table of SOURCE to FILE, rows in position order."""
    from probe.encodings import PositionTable
    from probe.export import export as export_table
    from probe.export import writer_for
    from probe.loaders import load
    from probe.outputs import keep_sources

    writer_for(output)
    keep_sources([output], [source])
    table = load(source, component=component, revision=revision, offline=offline)
    if not isinstance(table, PositionTable):
        raise ProbeError(
            f"{table.component} is {table.scheme}: it has no table to write.", f"See `probe show {source}`."
        )
    rows, columns = table.shape
    export_table(table, output)
    click.echo(f"Wrote {output}: {table.component}, {rows} positions × {columns}, {table.array.dtype}", err=True)


@main.command(name="list")
@click.argument("what", type=click.Choice(["families", "analyzers"]), required=False)
def list_(what: str | None) -> None:
    """List the model families or the analyzers that probe knows."""
    from probe import terminal

    if what != "families":
        click.echo(terminal.analyzers())
    if what is None:
        click.echo()
    if what != "analyzers":
        from probe.loaders import families

        click.echo(terminal.families(families.listing()))


@main.command()
@click.argument("analyzer")
def explain(analyzer: str) -> None:
    """Explain what an analyzer asks, what its scores mean and how they can mislead."""
    from probe import terminal

    click.echo(terminal.explanation(analyzer))
