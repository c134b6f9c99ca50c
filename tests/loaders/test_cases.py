"""Checkpoints that once went wrong, each with the right answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from probe.errors import ProbeError
from probe.loaders import Located, open_source

CASES = Path(__file__).parents[1] / "cases"
EXPECTED: list[dict[str, Any]] = json.loads((CASES / "expected.json").read_text(encoding="utf-8"))
ROUNDED = 1e-7

readable = [case for case in EXPECTED if "error" not in case]
refused = [case for case in EXPECTED if "error" in case]


def pick(encodings: tuple[Located, ...], key: str | None) -> Located:
    (found,) = (
        one for one in encodings[: 1 if key is None else None] if key is None or one.description.provenance.key == key
    )
    return found


@pytest.mark.parametrize("case", readable, ids=lambda case: case["source"])
def test_the_right_rows_come_out(case: dict[str, Any]) -> None:
    source = open_source(CASES / case["source"])
    for wanted in case.get("tables", []):
        located = pick(source.encodings, wanted.get("key"))
        shown = located.description.to_dict()
        for name in ("stored_shape", "row_offset", "shape"):
            assert shown[name] == wanted.get(name, shown[name])
        assert shown["prefix_tokens"] == wanted.get("prefix_tokens", 0)
        assert shown["grid"] == wanted.get("grid")
        assert shown["scheme"] == case.get("scheme", "learned_absolute")
        table = located.read().array
        assert list(table.shape) == shown["shape"]
        for row, name in ((table[0], "first"), (table[-1], "last")):
            if name in wanted:
                seen = row if len(wanted[name]) == len(row) else np.r_[row[:4], row[-2:]]
                np.testing.assert_allclose(seen, wanted[name], rtol=0, atol=case.get("tolerance", 0) + ROUNDED)


@pytest.mark.parametrize("case", readable, ids=lambda case: case["source"])
def test_every_table_is_listed_once_and_what_is_odd_is_said(case: dict[str, Any]) -> None:
    source = open_source(CASES / case["source"])
    tables = case.get("tables", [{}])
    stored = [one for one in source.encodings if one.description.stored]
    assert len(stored) == sum(1 for table in tables if table.get("key", "") is not None) or not stored
    said = "\n".join([*source.warnings, *(text for one in source.encodings for text in one.description.warnings)])
    for word in case.get("warnings", []):
        assert word in said


@pytest.mark.parametrize("case", refused, ids=lambda case: case["source"])
def test_what_cannot_be_read_is_refused_in_words(case: dict[str, Any]) -> None:
    with pytest.raises(ProbeError) as caught:
        open_source(CASES / case["source"])
    for word in case["error"]:
        assert word in str(caught.value)
    assert caught.value.hint


def test_every_folder_has_its_answer() -> None:
    folders = {path.name for path in CASES.iterdir() if path.is_dir()}
    assert folders == {case["source"].partition("/")[0] for case in EXPECTED}
