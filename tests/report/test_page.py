"""The page: whole in one file, in order, escaped, small, and the same bytes each time."""

from __future__ import annotations

import base64
import itertools
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from probe.analyzers import get
from probe.encodings import PositionTable
from probe.report import Report, build_report
from probe.report.page import typeset

from .conftest import HOSTILE, learned

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
LOADING = {"src", "href", "srcset", "data", "action", "poster", "background", "xlink:href", "formaction", "style"}
OUTSIDE = re.compile(r"(?:[a-z][a-z+.-]*:)?//", re.IGNORECASE)


class Page(HTMLParser):
    """Reads a page into its elements, each with its attributes and text, and refuses tags that do not match."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str], list[str]]] = []
        self._open: list[tuple[str, dict[str, str], list[str]]] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs), f"an attribute twice in <{tag}>"
        element = (tag, {name: value or "" for name, value in attrs}, [])
        self.elements.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open and self._open[-1][0] == tag, f"</{tag}> closes <{self._open[-1][0]}>"
        self._open.pop()

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element[2].append(data)

    def all(self, *tags: str) -> list[tuple[dict[str, str], str]]:
        return [
            ("".join([]) or attributes, " ".join("".join(text).split()))
            for tag, attributes, text in self.elements
            if tag in tags
        ]


@pytest.fixture(scope="session")
def parsed(page: str) -> Page:
    return Page(page)


def pictures(page: Page) -> Iterator[str]:
    for attributes, _ in page.all("img"):
        head, _, body = attributes["src"].partition(",")
        assert head == "data:image/svg+xml;base64"
        yield base64.b64decode(body, validate=True).decode()


def section(page: Page, name: str) -> str:
    """One section's text, with plain spaces."""
    return {attributes["id"]: text for attributes, text in page.all("section")}[name].replace("\u00a0", " ")


def test_nothing_is_asked_of_the_outside(page: str, parsed: Page) -> None:
    assert not {tag for tag, _, _ in parsed.elements} & {"script", "link", "iframe", "object", "embed", "base", "form"}
    for tag, attributes, _ in parsed.elements:
        for name in LOADING & set(attributes):
            value = attributes[name]
            assert value.startswith(("data:image/", "#")) or not OUTSIDE.search(value), (tag, name, value[:80])
        assert not [name for name in attributes if name.startswith("on")]
        assert "refresh" not in attributes.get("http-equiv", "")
    policy = [one["content"] for one, _ in parsed.all("meta") if one.get("http-equiv") == "Content-Security-Policy"]
    assert policy == ["default-src 'none'; img-src data:; style-src 'unsafe-inline'"]
    ((_, css),) = parsed.all("style")
    assert "@import" not in css
    assert "url(" not in css
    assert not OUTSIDE.search(css)


def test_pictures_ask_nothing_either(parsed: Page) -> None:
    for svg in pictures(parsed):
        inside = Page(svg)
        for tag, attributes, _ in inside.elements:
            assert tag not in {"script", "foreignobject", "a"}
            for name in ("href", "xlink:href", "src"):
                assert attributes.get(name, "#").startswith(("#", "data:image/png;base64,"))
        references = re.findall(r"url\(([^)]*)\)", svg)
        assert all(target.startswith("#") for target in references)
        assert set(re.findall(r"\w+://[^\"' <>]*", svg)) <= {
            "http://www.w3.org/2000/svg",
            "http://www.w3.org/1999/xlink",
        }


def test_headings_are_in_order_under_one_h1(parsed: Page) -> None:
    levels = [int(tag[1]) for tag, _, _ in parsed.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))


def test_the_page_has_language_title_landmarks_and_working_links(page: str, parsed: Page) -> None:
    assert page.startswith('<!doctype html>\n<html lang="en">')
    ((_, title),) = parsed.all("title")
    assert title == f"The positions of tiny-bert and {HOSTILE} beside sin/cos"
    ((_, heading),) = parsed.all("h1")
    assert heading == title
    for landmark in ("header", "nav", "main"):
        assert len(parsed.all(landmark)) >= 1
    ids = [attributes["id"] for _, attributes, _ in parsed.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for attributes, _ in parsed.all("a"):
        assert attributes["href"].removeprefix("#") in ids
    for _, attributes, _ in parsed.elements:
        assert attributes.get("aria-labelledby", ids[0]) in ids


def test_each_picture_says_what_it_shows(report: Report, parsed: Page) -> None:
    alts = [attributes["alt"] for attributes, _ in parsed.all("img")]
    assert len(alts) > len(report.encodings[0].results)
    assert len(set(alts)) == len(alts)
    findings = [result.finding for one in report.shown for result in one.results.values()]
    for finding in findings:
        assert [alt for alt in alts if finding in alt], finding
    for attributes, _ in parsed.all("img"):
        assert int(attributes["width"]) > 100
        assert int(attributes["height"]) > 100


def test_each_analyzer_has_a_section_with_all_that_it_owes(report: Report, parsed: Page) -> None:
    sections = [attributes["id"] for attributes, _ in parsed.all("section")]
    assert sections[:2] == ["the-findings", "the-tables"]
    assert sections[-1] == "the-method"
    for name, result in report.encodings[0].results.items():
        text = section(parsed, name)
        kind = get(name)
        for owed in (kind.question, kind.misleads, kind.method, result.finding, *(f.title for f in result.figures)):
            assert " ".join(owed.split()) in text


def test_findings_come_before_scores_and_scores_stand_beside_their_nulls(report: Report, parsed: Page) -> None:
    text = section(parsed, "the-findings")
    for one in report.encodings:
        assert text.index(one.verdict) < text.index("Every score beside its nulls")
    score = report.encodings[0].results["pca"].summary()["variance_top_2"]
    assert score.value is not None and score.null_mean is not None
    assert f"{score.value:.3f}" in text
    assert f"gaussian {score.null_mean:.3f} ({score.null_low:.3f} to {score.null_high:.3f}), p = 0.048" in text
    assert "shuffled not drawn: the order of the rows does not enter a principal component analysis" in text
    assert "20 that keep the rows, but not their order" in text


def test_a_figure_begins_with_its_caption(parsed: Page) -> None:
    tags = [tag for tag, _, _ in parsed.elements]
    assert tags.count("figcaption") == tags.count("figure") > 1
    assert all(tags[place + 1] == "figcaption" for place, tag in enumerate(tags) if tag == "figure")


def test_tables_tell_what_their_cells_belong_to(parsed: Page) -> None:
    tables = parsed.all("table")
    assert len(parsed.all("caption")) == len(tables)
    assert all(attributes.get("scope") in {"col", "row", "rowgroup"} for attributes, _ in parsed.all("th"))


def test_provenance_has_every_fact_and_the_command(report: Report, parsed: Page) -> None:
    text = section(parsed, "the-method")
    for one in report.shown:
        assert one.table.sha256 in text
    tensor = "embeddings.position_embeddings.weight"
    rows = "64: stored rows 2 to 65"
    for fact in (tensor, rows, "safetensors", "float16", "0123abc", "66 × 24", "models/tiny-bert"):
        assert fact in text
    ((_, command),) = parsed.all("code")
    assert command == report.command
    assert f"probe {report.environment['probe']}" in text


def test_warnings_are_on_the_page_as_text(parsed: Page) -> None:
    text = section(parsed, "the-findings")
    assert "a shard is absent <b>" in text
    assert "the config says 66 rows" in text


def test_a_hostile_name_is_escaped_everywhere(page: str, parsed: Page) -> None:
    assert "<script" not in page
    assert "alert(1)" in page
    names = [text for _, text in parsed.all("h3") if "alert" in text]
    assert names == [HOSTILE]
    assert [attributes for attributes, _ in parsed.all("img") if HOSTILE in attributes["alt"]]
    for svg in pictures(parsed):
        assert "alert" not in svg


def test_a_model_keeps_its_colour_on_both_kinds_of_page(parsed: Page) -> None:
    ((_, css),) = parsed.all("style")
    tones = re.findall(r"\.t(\d)\{--hue:(#[0-9a-f]{6})\}", css)
    assert len(tones) == 6
    assert len({tone for _, tone in tones}) == 6
    light = dict(tones[:3])
    drawn = "".join(pictures(parsed))
    for tone in light.values():
        assert f"stroke: {tone}" in drawn
        assert f'[style*="stroke: {tone}"]' in drawn


@pytest.fixture(scope="module")
def three_tables() -> list[PositionTable]:
    return [learned(f"model-{seed}", seed=seed, shape=(512, 384)) for seed in range(3)]


def test_three_tables_of_512_rows_stay_small(three_tables: list[PositionTable]) -> None:
    assert len(build_report(three_tables, draws=0).to_html().encode()) < 1_200_000


SCRIPT = """
import sys
from tests.report.conftest import learned
from probe.report import build_report
report = build_report([learned("a"), learned("b", seed=1)], draws=3, command="probe analyze a b")
sys.stdout.write(report.to_html() + report.to_json() + report.to_markdown())
"""


def test_the_same_input_gives_the_same_bytes_in_any_process() -> None:
    root = Path(__file__).parents[2]
    outputs = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            cwd=root,
            env={**os.environ, "PYTHONHASHSEED": seed, "TZ": zone, "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            check=True,
        ).stdout
        for seed, zone in (("0", "UTC"), ("4711", "Asia/Tokyo"))
    }
    assert len(outputs) == 1
    assert len(outputs.pop()) > 10_000


def test_rendering_twice_gives_the_same_bytes(report: Report, page: str) -> None:
    assert report.to_html() == page


def test_one_table_alone_makes_a_whole_page() -> None:
    page = Page(build_report([learned("alone")], draws=0).to_html())
    ((_, title),) = page.all("h1")
    assert title == "The positions of alone beside sin/cos"
    assert "at the first one" not in "".join(text for _, text in page.all("header"))
    assert "No null was drawn" in "".join(text for _, text in page.all("main"))


def test_twelve_tables_make_a_whole_page() -> None:
    tables = [learned(f"model-{number}", seed=number, shape=(8, 4)) for number in range(12)]
    page = Page(build_report(tables, only=["pca"], draws=0).to_html())
    ((_, title),) = page.all("h1")
    assert title == "The positions of twelve tables beside sin/cos"
    whose = [text for attributes, text in page.all("p") if attributes.get("class") == "who"]
    figures = len(build_report(tables[:1], only=["pca"], draws=0).encodings[0].results["pca"].figures)
    assert whose == ([f"model-{number}" for number in range(12)] + ["sinusoidal:8x4"]) * (figures + 1)


def test_tables_of_odd_sizes_make_a_page() -> None:
    tables = [learned("two rows", shape=(2, 3)), learned("wide", shape=(5, 300)), learned("long", shape=(1100, 2))]
    assert Page(build_report(tables, draws=0).to_html()).all("img")


def test_numbers_keep_their_units() -> None:
    assert typeset("90 % of 512 × 384, p = 0.01") == "90\u00a0% of 512\u00a0×\u00a0384, p\u00a0=\u00a00.01"
