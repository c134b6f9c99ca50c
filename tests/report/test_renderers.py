"""The report as JSON and as Markdown, and the file names that choose between the formats."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

from probe.errors import ProbeError
from probe.report import Report, build_report, check_suffix
from probe.report.json_text import render_json

from .conftest import HOSTILE, learned

SHOWN_BY_SHOW = {
    "component", "scheme", "stored", "tensor", "key", "stored_shape", "row_offset", "shape", "prefix_tokens", "grid",
    "dtype", "unused", "parameters", "warnings",
}  # fmt: skip


def strict(text: str) -> Any:
    def refuse(constant: str) -> None:
        raise ValueError(constant)

    return json.loads(text, parse_constant=refuse)


def test_the_twin_is_strict_json_with_the_agreed_keys(report: Report) -> None:
    twin = strict(report.to_json())
    assert twin == report.to_dict()
    assert twin["schema"] == "probe.report/1"
    assert {"schema", "encodings", "comparison", "environment", "warnings"} <= set(twin)
    assert twin["warnings"] == ["a shard is absent <b>"]
    first, second = twin["encodings"]
    assert set(first) >= SHOWN_BY_SHOW | {"label", "results", "verdict", "provenance"}
    assert (first["label"], second["label"]) == ("tiny-bert", HOSTILE)
    assert (first["stored_shape"], first["shape"], first["row_offset"]) == ([66, 24], [64, 24], 2)
    assert first["provenance"]["sha256"] == report.encodings[0].table.sha256
    for name, result in first["results"].items():
        assert result["kind"] == name
        assert list(result["scores"]) == list(report.encodings[0].results[name].summary())


def test_the_comparison_holds_every_score_of_every_table(report: Report) -> None:
    comparison = strict(report.to_json())["comparison"]
    labels = ["tiny-bert", HOSTILE, "sinusoidal:64x24"]
    assert comparison["models"] == labels[:2]
    assert comparison["reference"] == labels[2]
    assert comparison["reference_added"] is True
    assert [row["score"] for row in comparison["scores"]] == [
        name for result in report.encodings[0].results.values() for name in result.summary()
    ]
    top = next(row for row in comparison["scores"] if row["score"] == "variance_top_2")
    score = report.encodings[0].results["pca"].summary()["variance_top_2"]
    assert list(top["values"]) == labels
    assert score.value is not None
    assert top["values"]["tiny-bert"]["value"] == pytest.approx(score.value, rel=1e-5)
    assert top["values"]["tiny-bert"]["beats_all_nulls"] is score.beats_all()
    assert top["values"][labels[2]]["null"] is None


def test_json_is_laid_out_for_reading_and_refuses_what_is_not_finite() -> None:
    value = {"a": [1.5, 2], "b": {}, "c": [{"d": None}], "e": [[1], []], "é": "</script>"}
    text = render_json(value)
    assert json.loads(text) == value
    assert '"a": [1.5, 2]' in text
    assert text.isascii()
    for bad in (math.nan, math.inf):
        with pytest.raises(ValueError, match="not JSON compliant"):
            render_json({"a": [bad]})


def test_markdown_tables_are_well_formed_and_escaped(report: Report) -> None:
    text = report.to_markdown()
    assert text.startswith("# The positions of tiny-bert and ")
    assert "<script" not in text.split("## Made by")[0]
    blocks = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
    assert len(blocks) == len(report.encodings[0].results) + 1
    for block in blocks:
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
        assert len(widths) == 1, block
        assert set(block.splitlines()[1]) <= set("| -")


def test_a_bar_and_a_fence_in_a_name_break_no_markdown() -> None:
    report = build_report([learned("a|b `c` *d*")], only=["pca"], draws=0, command="probe analyze '```'")
    text = report.to_markdown()
    assert r"a\|b \`c\` \*d\*" in text
    assert "\n````\nprobe analyze '```'\n````" in text


def test_the_suffix_chooses_the_format(report: Report, tmp_path: Path) -> None:
    for name in ("new/a.html", "a.JSON", "a.md"):
        report.write(tmp_path / name)
    assert (tmp_path / "new/a.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert strict((tmp_path / "a.JSON").read_text(encoding="utf-8"))["schema"] == "probe.report/1"
    assert (tmp_path / "a.md").read_text(encoding="utf-8").startswith("# The positions")
    assert report.to_json(tmp_path / "b.json") is None


@pytest.mark.parametrize(("name", "named"), [("out.pdf", "the suffix .pdf"), ("out", "no suffix")])
def test_another_suffix_is_refused_in_words(report: Report, name: str, named: str) -> None:
    with pytest.raises(ProbeError) as caught:
        report.write(name)
    assert caught.value.message == f"{name} has {named}, which is no format of a report."
    assert caught.value.hint == "Name a file that ends in .html, .json or .md, such as out.html."
    assert check_suffix("x.html") == ".html"


def test_a_file_that_cannot_be_written_is_said(report: Report, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    with pytest.raises(ProbeError, match=r"a\.md cannot be written"):
        report.write(tmp_path / "file" / "a.md")


def test_a_name_that_is_no_unicode_still_makes_every_format(tmp_path: Path) -> None:
    report = build_report([learned("caf\udce9")], only=["pca"], draws=0)
    for suffix in (".html", ".json", ".md"):
        report.write(tmp_path / f"a{suffix}")
        assert "caf" in (tmp_path / f"a{suffix}").read_text(encoding="utf-8")


def test_the_frame_is_tidy(report: Report) -> None:
    frame = report.findings_frame()
    assert set(frame["model"]) == {"tiny-bert", HOSTILE}
    assert not frame.duplicated(["model", "analyzer", "score"]).any()
    assert len(frame) == 2 * sum(len(result.specs) for result in report.encodings[0].results.values())
    assert frame.query("score == 'variance_top_2'")["null"].unique().tolist() == ["gaussian"]


def test_a_notebook_shows_names_escaped(report: Report) -> None:
    html = report._repr_html_()
    assert "tiny-bert" in html
    assert "<script" not in html
    assert repr(report) == f"<Report tiny-bert, {HOSTILE}>"
