"""Which files will be written? Checked before the work begins, so that nothing is lost at its end."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from probe.errors import ProbeError
from probe.report.model import SCHEMA, check_suffix

_ENOUGH = 65_536
"""Bytes of a JSON file in which its schema must stand for it to count as a report."""


def check_targets(paths: Sequence[Path]) -> list[Path]:
    """Check the files to write, and add the JSON twin of each page that has none yet.

    Raises
    ------
    ProbeError
        If a suffix names no format, or a twin would take the place of a file that is no report.
    """
    for path in paths:
        check_suffix(path)
    targets = list(dict.fromkeys(paths))
    for page in [path for path in targets if path.suffix.lower() == ".html"]:
        twin = page.with_suffix(".json")
        if twin in targets:
            continue
        if twin.exists() and f'"{SCHEMA}"' not in _beginning(twin):
            raise ProbeError(
                f"The JSON twin of {page} would overwrite {twin}, which is no report of probe's.",
                f"Move {twin.name} away, or give the page another name.",
            )
        targets.append(twin)
    return targets


def _beginning(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(_ENOUGH).decode("utf-8", errors="replace")
