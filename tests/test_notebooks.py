"""The notebooks run from top to bottom, offline, and show what they promise."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))
each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def read(path: Path) -> Any:
    return nbformat.read(path, as_version=4)


def test_there_is_a_first_look() -> None:
    assert "01-first-look" in [path.stem for path in NOTEBOOKS]


@each_notebook
def test_it_is_kept_without_outputs(path: Path) -> None:
    notebook = read(path)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell for cell in code if cell.outputs or cell.execution_count is not None] == []
    assert set(notebook.metadata) <= {"kernelspec", "language_info"}


@each_notebook
def test_every_code_cell_is_introduced(path: Path) -> None:
    kinds = [cell.cell_type for cell in read(path).cells]
    assert kinds[0] == "markdown"
    assert ("code", "code") not in set(itertools.pairwise(kinds))


@each_notebook
def test_it_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, minilm: Path, rxnmapper: Path) -> None:
    monkeypatch.delenv("MPLBACKEND")  # a notebook has a backend of its own
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    notebook = read(path)
    NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    said = [output["text"] for output in outputs if output.get("name") == "stderr"]
    assert said == []  # neither warnings nor progress
    pictures = [cell for cell in notebook.cells if cell.cell_type == "code" and ".plot(" in cell.source]
    assert pictures
    for cell in pictures:
        assert any("image/png" in output.get("data", {}) for output in cell.outputs), cell.source
