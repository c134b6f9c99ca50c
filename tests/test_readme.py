"""The pages are tests: their commands parse, what they show is what is printed, their links lead somewhere."""

from __future__ import annotations

import contextlib
import doctest
import re
import shlex
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from benchmarks.run import BEGIN, END
from probe import analyzers
from probe.cli import main

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
README = (ROOT / "README.md").read_text(encoding="utf-8")
SAME = doctest.OutputChecker()


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, and where it stands."""

    page: str
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def blocks(page: str, *languages: str) -> Iterator[Block]:
    text = (ROOT / page).read_text(encoding="utf-8")
    for found in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        if found[1] in languages:
            yield Block(page, text.count("\n", 0, found.start()) + 1, found[1], found[2])


def commands(block: Block) -> Iterator[tuple[str, str]]:
    """Each command of a block, and what stands under it; a line that ends in a backslash goes on."""
    text = block.text.replace("\\\n", " ")
    if block.language == "console":
        for session in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            command, _, output = session.partition("\n")
            yield command, output.rstrip("\n")
    else:
        for line in filter(None, map(str.strip, text.splitlines())):
            yield line, ""


SHELL = [(block, command, output) for page in PAGES for block in blocks(page, "sh", "console")
         for command, output in commands(block)]  # fmt: skip
SESSIONS = [one for one in SHELL if one[0].language == "console"]
PYTHON = [block for page in PAGES for block in blocks(page, "python")]


def named(case: object) -> str:
    return str(case)[:60]


@pytest.mark.parametrize(("block", "command", "output"), SHELL, ids=named)
def test_every_command_line_exists(block: Block, command: str, output: str) -> None:
    words = shlex.split(command, comments=True)
    while words and re.fullmatch(r"[A-Z_]+=\S+", words[0]):
        words = words[1:]
    if not words:
        return
    program, *arguments = words
    if program == "probe":
        if arguments[0].startswith("-"):
            assert arguments in (["--help"], ["--version"])
            return
        command_ = main.commands[arguments[0]]
        command_.make_context(arguments[0], arguments[1:], parent=click.Context(main))
    elif program == "make":
        targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
        assert [word for word in arguments if "=" not in word and word not in targets] == []
    else:
        assert program in {"git", "cd", "pip", "python", "python3", ".", "open"}, f"{block}: who knows {program}?"


def printed_by(command: str) -> str:
    """What a session shows under a command: stdout and stderr as they come, without trailing space."""
    program, *arguments = shlex.split(command)
    assert program == "probe", f"a session shows what probe prints, and not {program}"
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    return "\n".join(line.rstrip() for line in done.output.rstrip().splitlines())


@pytest.mark.parametrize(("block", "command", "output"), SESSIONS, ids=named)
def test_every_session_prints_what_it_shows(
    block: Block, command: str, output: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, minilm: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    printed = printed_by(command)
    same = SAME.check_output(output + "\n", printed + "\n", doctest.ELLIPSIS)
    assert same, f"{block} is out of date; `make readme` renews it:\n{printed}"


@pytest.mark.parametrize("page", PAGES)
def test_python_blocks_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, minilm: Path) -> None:
    """A page's blocks run one after the other, in one namespace; with prompts they are doctests."""
    monkeypatch.chdir(tmp_path)
    space: dict[str, object] = {}
    for block in blocks(page, "python"):
        if ">>>" in block.text:
            test = doctest.DocTestParser().get_doctest(block.text, space, str(block), page, block.line)
            outcome = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, clear_globs=False)
            assert outcome.failed == 0, block
            space = test.globs
        else:
            exec(compile(block.text, str(block), "exec"), space)


def test_the_readme_shows_both_ways_of_working() -> None:
    assert len(SESSIONS) >= 2
    assert any(block.page == "README.md" for block in PYTHON)
    assert any(command.startswith("make demo") for _, command, _ in SHELL)
    assert any(command.startswith("make test") for _, command, _ in SHELL)


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    anchors = {
        re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in re.findall(r"^#+ (.+)$", text, re.M)
    }
    for target in re.findall(r"(?<!`)\[[^\]]+\]\(([^)\s]+)\)", text):
        if target.startswith("#"):
            assert target[1:] in anchors, target
        elif not target.startswith("https://"):
            assert (ROOT / target.partition("#")[0]).exists(), target


def test_every_analyzer_is_in_the_table_with_its_question() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| ([^|]+?) \|", README, re.MULTILINE))
    assert rows == {name: analyzers.get(name).question for name in analyzers.names()}


def test_the_measured_table_is_there() -> None:
    measured = README.partition(BEGIN)[2].partition(END)[0]
    assert "| the script |" in measured
    assert "| `probe show` |" in measured


def test_the_readme_succeeds_within_one_screen() -> None:
    """Set-up and the first command stand in the first 50 lines."""
    screen = "\n".join(README.splitlines()[:50])
    assert "make demo" in screen
    assert "$ probe" in screen


def renew() -> None:
    """Put what the commands print now into the sessions of every page."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for page in PAGES:
            text = (ROOT / page).read_text(encoding="utf-8")
            for block in blocks(page, "console"):
                fresh = "".join(f"$ {command}\n{printed_by(command)}\n" for command, _ in commands(block))
                text = text.replace(block.text, fresh)
            (ROOT / page).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    renew()
