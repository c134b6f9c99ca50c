"""The command line: what it prints where, what it writes, and how it fails."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from safetensors.numpy import save_file

from probe import analyzers
from probe.cli import main

KEY = "bert.embeddings.position_embeddings.weight"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def strict(text: str) -> Any:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} in JSON")

    return json.loads(text, parse_constant=refuse)


def write_bert(folder: Path, table: np.ndarray) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    rows, width = table.shape
    save_file(
        {KEY: table, "bert.embeddings.word_embeddings.weight": np.zeros((5, width), np.float32)},
        folder / "model.safetensors",
    )
    config = {"model_type": "bert", "hidden_size": width, "max_position_embeddings": rows}
    (folder / "config.json").write_text(json.dumps(config))
    return folder


@pytest.fixture
def bert(tmp_path: Path) -> Path:
    table = np.random.default_rng(0).standard_normal((48, 12)).astype(np.float32)
    return write_bert(tmp_path / "tiny-bert", table)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_help_names_every_command() -> None:
    result = run("--help")
    assert result.exit_code == 0
    for command in ("analyze", "compare", "show", "export", "list", "explain"):
        assert f"\n  {command} " in result.output


def test_show_prints_the_object_of_the_contract(bert: Path) -> None:
    shown = strict(run("show", bert, "--json").stdout)
    assert shown["schema"] == "probe.show/1"
    (encoding,) = shown["encodings"]
    assert encoding["tensor"] == encoding["key"] == KEY
    assert (encoding["stored_shape"], encoding["row_offset"], encoding["shape"]) == ([48, 12], 0, [48, 12])
    assert encoding["component"] == "text"
    assert shown["source"]["format"] == "safetensors"


def test_show_reads_the_header_and_not_the_table(bert: Path) -> None:
    moved = strict(run("show", bert, "--json").stdout)["source"]["bytes_read"]
    assert moved < 48 * 12 * 4


def test_show_words_the_same_for_a_reader(bert: Path) -> None:
    result = run("show", bert)
    assert "text: learned_absolute" in result.stdout
    assert "48 × 12 float32" in result.stdout
    assert KEY in result.stdout


def test_analyze_prints_findings_and_writes_the_page_with_its_twin(bert: Path, tmp_path: Path) -> None:
    result = run("analyze", bert, "--draws", 3, "--only", "pca")
    assert result.exit_code == 0, result.output
    assert "tiny-bert" in result.stdout
    assert "variance in 2 components" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert "Wrote reports/tiny-bert.html" in result.stderr
    twin = strict((tmp_path / "reports" / "tiny-bert.json").read_text(encoding="utf-8"))
    assert twin["schema"] == "probe.report/1"
    assert list(twin["encodings"][0]["results"]) == ["pca"]
    assert (tmp_path / "reports" / "tiny-bert.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_analyze_json_is_the_twin_and_writes_nothing(bert: Path, tmp_path: Path) -> None:
    result = run("analyze", bert, "--draws", 2, "--json")
    twin = strict(result.stdout)
    assert list(twin["encodings"][0]["results"]) == list(analyzers.names())
    assert not (tmp_path / "reports").exists()


def test_the_suffix_chooses_the_format(bert: Path, tmp_path: Path) -> None:
    result = run("analyze", bert, "--draws", 0, "--only", "pca", "-o", "a.md", "-o", "b.json")
    assert result.exit_code == 0, result.output
    assert strict((tmp_path / "b.json").read_text(encoding="utf-8"))["schema"] == "probe.report/1"
    assert "| " in (tmp_path / "a.md").read_text(encoding="utf-8")
    assert not (tmp_path / "a.json").exists()


def test_an_unknown_suffix_is_refused_before_anything_is_read() -> None:
    result = run("analyze", "no-such-source/at-all", "-o", "x.docx")
    assert result.exit_code == 1
    assert ".docx" in result.stderr
    assert ".html" in result.stderr


def test_a_twin_never_overwrites_a_file_that_is_no_report(bert: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_text('{"precious": true}')
    result = run("analyze", bert, "--draws", 0, "--only", "pca", "-o", "mine.html")
    assert result.exit_code == 1
    assert "mine.json" in result.stderr
    assert strict((tmp_path / "mine.json").read_text()) == {"precious": True}


def test_labels_name_the_rows_and_are_counted(bert: Path) -> None:
    named = ("--label", "<A>", "--label", "波")
    twin = strict(run("compare", bert, "sinusoidal:48x12", "--draws", 0, "--only", "pca", *named, "--json").stdout)
    assert [encoding["label"] for encoding in twin["encodings"]] == ["<A>", "波"]
    result = run("compare", bert, "sinusoidal:48x12", "--label", "one")
    assert result.exit_code == 1
    assert "1 label" in result.stderr and "2 sources" in result.stderr


def test_compare_wants_two() -> None:
    result = run("compare", "sinusoidal:48x12")
    assert result.exit_code == 2
    assert "two or more" in result.stderr


def test_export_writes_rows_in_position_order(bert: Path, tmp_path: Path) -> None:
    result = run("export", bert, "-o", "table.npy")
    assert result.exit_code == 0, result.output
    assert result.stdout == ""
    expected = np.random.default_rng(0).standard_normal((48, 12)).astype(np.float32)
    np.testing.assert_array_equal(np.load(tmp_path / "table.npy"), expected)


def test_export_refuses_a_suffix_it_cannot_write(bert: Path) -> None:
    result = run("export", bert, "-o", "table.xls")
    assert result.exit_code == 1
    assert ".npy" in result.stderr


def test_list_names_analyzers_and_families() -> None:
    both = run("list").stdout
    assert all(name in both for name in analyzers.names())
    assert "roberta" in both
    assert "roberta" not in run("list", "analyzers").stdout
    assert "Which periods" not in run("list", "families").stdout


@pytest.mark.parametrize("name", analyzers.names())
def test_explain_covers_question_scores_nulls_and_misreadings(name: str) -> None:
    text = run("explain", name).stdout
    analyzer = analyzers.get(name)
    assert analyzer.question in text
    assert all(spec.name in text for spec in analyzer.result_type.specs)
    assert all(null.name in text for null in analyzers.NULLS)
    assert "How it can mislead" in text
    assert max(map(len, text.splitlines())) <= 100


def test_explain_guesses_what_was_meant() -> None:
    result = run("explain", "furier")
    assert result.exit_code == 1
    assert "Did you mean fourier?" in result.stderr


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (np.zeros((1, 8), np.float32), ["1 position", "two rows"]),
        (np.full((9, 8), 0.5, np.float32), ["identical"]),
        (np.where(np.eye(9, 8, dtype=bool), np.nan, 1).astype(np.float32), ["NaN", "position 0"]),
    ],
)
def test_tables_that_cannot_be_analysed(tmp_path: Path, rows: np.ndarray, words: list[str]) -> None:
    result = run("analyze", write_bert(tmp_path / "odd", rows), "--json")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith("Error: ")
    assert "\nHint: " in result.stderr
    assert all(word in result.stderr for word in words)


def test_a_component_that_is_not_there_lists_those_that_are(bert: Path) -> None:
    result = run("analyze", bert, "--component", "vision")
    assert result.exit_code == 1
    assert "vision" in result.stderr and "text" in result.stderr


@pytest.mark.parametrize("command", ["show", "analyze"])
def test_no_such_folder(command: str) -> None:
    result = run(command, "./nowhere")
    assert result.exit_code == 1
    assert "nowhere" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_fault_of_our_own_is_a_paragraph_unless_debugging(bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: object, **options: object) -> None:
        raise ZeroDivisionError("seven")

    monkeypatch.setattr("probe.loaders.open_source", broken)
    result = run("show", bert)
    assert result.exit_code == 1
    assert "Unexpected ZeroDivisionError: seven" in result.stderr
    assert "--debug" in result.stderr
    assert isinstance(run("--debug", "show", bert).exception, ZeroDivisionError)


def test_ctrl_c_exits_130(bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("probe.loaders.open_source", interrupted)
    assert run("show", bert).exit_code == 130


def test_a_reader_who_stops_reading_loses_no_report(tmp_path: Path) -> None:
    command = f"{sys.executable} -m probe analyze sinusoidal:32x8 --draws 0 --only pca -o kept.json | head -c 1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert "Traceback" not in done.stderr
    assert strict((tmp_path / "kept.json").read_text())["schema"] == "probe.report/1"


def test_python_m_probe_is_the_command() -> None:
    done = subprocess.run([sys.executable, "-m", "probe", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("probe, version ")
