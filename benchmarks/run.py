"""How long do whole commands take, beside the script that one would write by hand?

    python -m benchmarks.run [--rounds N] [--write]

Every round runs each command once, in turn, so that a busy moment falls on all of them; a ratio is the median over the
rounds of the ratios within a round. The first round warms the disk cache up and does not count. Exits 1 when a bound
is missed; ``--write`` puts the table into the README.

Only the standard library is imported here: a child is charged with its parent's memory at the moment it starts, so a
large parent would hide how small a child is.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

ROOT = Path(__file__).parents[1]
SCRATCH = Path(__file__).parent / ".scratch"
BEGIN, END = "<!-- benchmark: begin -->", "<!-- benchmark: end -->"
MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Contestant:
    """A whole command, and what is promised of it.

    Attributes
    ----------
    name : str
        As the table prints it.
    command : tuple of str
        Run in the scratch folder.
    time_bound : Fraction or None
        At most this share of the script's wall time.
    memory_bound : float or None
        Megabytes at the peak.
    """

    name: str
    command: tuple[str, ...]
    time_bound: Fraction | None = None
    memory_bound: float | None = None


@dataclass(frozen=True)
class Run:
    """One run of one command: seconds on the clock, seconds on all cores, megabytes at the peak."""

    wall: float
    cpu: float
    memory: float


PYTHON = sys.executable
PROBE = (PYTHON, "-m", "probe")
SCRIPT = Contestant("the script", (PYTHON, str(Path(__file__).with_name("naive.py")), "bert-base", "naive"))
CONTESTANTS = (
    SCRIPT,
    Contestant("`probe show`", (*PROBE, "show", "bert-base"), Fraction(1, 15), 80),
    Contestant("`probe analyze --json`", (*PROBE, "analyze", "bert-base", "--json"), Fraction(1, 2)),
    Contestant("`probe analyze -o report.html`", (*PROBE, "analyze", "bert-base", "-o", "report.html"), Fraction(2, 3)),
)


def measure(command: Sequence[str], folder: Path) -> Run:
    """Run a command to its end; what it prints goes to a file and is shown if it fails."""
    log = folder / "last-run.log"
    environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
    with log.open("wb") as output:
        start = time.perf_counter()
        child = subprocess.Popen(command, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{log.read_text(errors='replace')}")
    peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return Run(wall, usage.ru_utime + usage.ru_stime, peak / MEGABYTE)


def compete(rounds: int, folder: Path) -> dict[Contestant, list[Run]]:
    """Run everybody in turn, round by round, after one round that does not count."""
    runs: dict[Contestant, list[Run]] = {contestant: [] for contestant in CONTESTANTS}
    for number in range(rounds + 1):
        print(f"round {number} of {rounds}" if number else "warming up", file=sys.stderr)
        for contestant in CONTESTANTS:
            run = measure(contestant.command, folder)
            if number:
                runs[contestant].append(run)
    return runs


def ratio(runs: Mapping[Contestant, Sequence[Run]], contestant: Contestant) -> float:
    """What share of the script's wall time does it take?"""
    return statistics.median(one.wall / script.wall for one, script in zip(runs[contestant], runs[SCRIPT], strict=True))


def peak(runs: Sequence[Run]) -> float:
    """How much memory did its largest run take, in megabytes?"""
    return max(run.memory for run in runs)


def missed(runs: Mapping[Contestant, Sequence[Run]]) -> list[str]:
    """Which bounds were missed, and by how much?"""
    found = []
    for one in runs:
        if one.time_bound is not None and ratio(runs, one) > one.time_bound:
            found.append(f"{one.name} took {ratio(runs, one):.3f} of the script's time; the bound is {one.time_bound}.")
        if one.memory_bound is not None and peak(runs[one]) >= one.memory_bound:
            found.append(f"{one.name} took {peak(runs[one]):.0f} MB; the bound is {one.memory_bound:.0f} MB.")
    return found


def table(runs: Mapping[Contestant, Sequence[Run]]) -> str:
    """Lay the runs out as a Markdown table: medians, the peak of memory, and measured beside bound."""
    lines = [
        "| command | time | CPU time | peak memory | share of the script's time | bound |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for one, its in runs.items():
        wall = statistics.median(run.wall for run in its)
        cpu = statistics.median(run.cpu for run in its)
        bounds = [f"≤ {one.time_bound}"] if one.time_bound is not None else []
        bounds += [f"< {one.memory_bound:.0f} MB"] if one.memory_bound is not None else []
        share = "1" if one is SCRIPT else f"1/{1 / ratio(runs, one):.1f}"
        cells = [one.name, f"{wall:.2f} s", f"{cpu:.2f} s", f"{peak(its):.0f} MB", share, ", ".join(bounds)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def circumstances(rounds: int) -> str:
    """Say where and how it was measured."""
    return (
        f"Medians of {rounds} interleaved rounds after a warm-up, CPython {platform.python_version()}, "
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, files in the disk cache."
    )


def written_into(document: str, text: str) -> str:
    """Replace what stands between the markers.

    Raises
    ------
    ValueError
        If the document lacks them.
    """
    before, begin, rest = document.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"The document lacks the markers {BEGIN} and {END}.")
    return f"{before}{BEGIN}\n{text}\n{END}{after}"


def main() -> int:
    """Measure, print, and say what was missed."""
    parser = argparse.ArgumentParser(description="Whole commands beside the script that one would write by hand.")
    parser.add_argument("--rounds", type=int, default=5, help="how often each command is measured (default 5)")
    parser.add_argument("--write", action="store_true", help="put the table into README.md")
    options = parser.parse_args()
    SCRATCH.mkdir(exist_ok=True)
    maker = Path(__file__).with_name("make_checkpoint.py")
    subprocess.run([PYTHON, str(maker), str(SCRATCH / "bert-base")], check=True)
    runs = compete(options.rounds, SCRATCH)
    shutil.rmtree(SCRATCH / "naive")
    text = f"{table(runs)}\n\n{circumstances(options.rounds)}"
    print(text)
    if options.write:
        readme = ROOT / "README.md"
        readme.write_text(written_into(readme.read_text(encoding="utf-8"), text), encoding="utf-8")
    problems = missed(runs)
    for problem in problems:
        print(f"Missed: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
