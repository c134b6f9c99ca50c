"""The benchmark holds its bounds, and the script it compares with is one that runs."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from benchmarks import run as benchmark
from benchmarks.make_checkpoint import make
from benchmarks.run import SCRIPT, Contestant, Run

ROOT = Path(__file__).parents[1]
QUICK = Contestant("quick", (), Fraction(1, 2), 80)


def test_a_ratio_is_the_median_of_the_rounds_and_not_that_of_the_clocks() -> None:
    script = [Run(10.0, 0, 0), Run(20.0, 0, 0), Run(40.0, 0, 0)]  # a machine that becomes busier
    quick = [Run(2.0, 0, 0), Run(4.0, 0, 0), Run(9.0, 0, 0)]
    assert benchmark.ratio({SCRIPT: script, QUICK: quick}, QUICK) == pytest.approx(0.2)


def test_a_bound_that_is_kept_is_not_reported() -> None:
    assert benchmark.missed({SCRIPT: [Run(10, 9, 600)], QUICK: [Run(5, 5, 79.9)]}) == []


def test_a_bound_that_is_missed_is_named_with_both_numbers() -> None:
    slow, large = benchmark.missed({SCRIPT: [Run(10, 9, 600)], QUICK: [Run(5.1, 5, 81)]})
    assert "0.510" in slow and "1/2" in slow
    assert "81 MB" in large and "80 MB" in large


def test_the_table_puts_measured_beside_bound() -> None:
    rows = benchmark.table({SCRIPT: [Run(9, 8, 700)], QUICK: [Run(3, 2.5, 60)]}).splitlines()
    assert rows[2] == "| the script | 9.00 s | 8.00 s | 700 MB | 1 |  |"
    assert rows[3] == "| quick | 3.00 s | 2.50 s | 60 MB | 1/3.0 | ≤ 1/2, < 80 MB |"


def test_writing_replaces_what_is_between_the_markers_alone() -> None:
    before = f"a\n{benchmark.BEGIN}\nold\n{benchmark.END}\nb\n"
    assert benchmark.written_into(before, "new") == f"a\n{benchmark.BEGIN}\nnew\n{benchmark.END}\nb\n"
    with pytest.raises(ValueError, match="lacks the markers"):
        benchmark.written_into("a\nb\n", "new")


def test_the_child_alone_is_measured(tmp_path: Path) -> None:
    """From a parent as small as the benchmark itself, whose memory a child is charged with."""
    code = "block = bytearray(300_000_000); block[::4096] = b'x' * len(block[::4096])"
    script = f"""
import sys
from pathlib import Path
from benchmarks.run import measure
run = measure([sys.executable, "-S", "-c", {code!r}], Path({str(tmp_path)!r}))
print(run.wall, run.cpu, run.memory)
"""
    done = subprocess.run([sys.executable, "-S", "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    wall, cpu, memory = map(float, done.stdout.split())
    assert 300 < memory < 340
    assert 0 < cpu < wall * 2


def test_a_command_that_fails_ends_the_benchmark_with_what_it_said(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="out of luck"):
        benchmark.measure([sys.executable, "-c", "raise SystemExit('out of luck')"], tmp_path)


def test_the_script_runs_on_a_small_model(tmp_path: Path) -> None:
    folder = make(
        tmp_path / "small", num_hidden_layers=1, hidden_size=64, num_attention_heads=2, intermediate_size=64,
        vocab_size=99,
    )  # fmt: skip
    assert sorted(path.name for path in folder.iterdir()) == ["config.json", "model.safetensors"]
    done = subprocess.run(
        [sys.executable, ROOT / "benchmarks" / "naive.py", folder, tmp_path / "figures"],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "512 positions x 64" in done.stdout
    assert len(list((tmp_path / "figures").glob("*.png"))) == 4
