"""Tables written to files come back as they were."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file

from probe.encodings import PositionTable
from probe.errors import MissingDependencyError, ProbeError
from probe.export import WRITERS, export


@pytest.fixture
def table() -> PositionTable:
    values = np.random.default_rng(0).standard_normal((7, 11)).astype(np.float32)
    return PositionTable.from_array(values, label="seven")


@pytest.mark.parametrize("suffix", [".npy", ".NPY", ".npz", ".csv", ".safetensors"])
def test_every_format_returns_the_same_rows(table: PositionTable, tmp_path: Path, suffix: str) -> None:
    path = export(table, tmp_path / f"table{suffix}")
    readers = {
        ".npy": lambda: np.load(path),
        ".npz": lambda: np.load(path)["table"],
        ".csv": lambda: pd.read_csv(path, index_col="position", dtype=np.float32).to_numpy(),
        ".safetensors": lambda: load_file(path)["table"],
    }
    np.testing.assert_array_equal(readers[suffix.lower()](), table.array)


def test_float64_survives_a_csv(tmp_path: Path) -> None:
    values = np.random.default_rng(1).standard_normal((3, 2))
    path = export(PositionTable.from_array(values), tmp_path / "wide.csv")
    np.testing.assert_array_equal(np.loadtxt(path, delimiter=",", skiprows=1)[:, 1:], values)


def test_csv_names_positions_and_dimensions(table: PositionTable, tmp_path: Path) -> None:
    frame = pd.read_csv(export(table, tmp_path / "table.csv"))
    assert list(frame.columns[:3]) == ["position", "dimension_00", "dimension_01"]
    assert frame["position"].tolist() == list(range(7))


def test_safetensors_says_where_the_rows_came_from(table: PositionTable, tmp_path: Path) -> None:
    with safe_open(export(table, tmp_path / "table.safetensors"), framework="numpy") as file:
        assert file.metadata()["source"] == "seven"


def test_parquet_without_pyarrow_names_the_package(
    table: PositionTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError, match="pyarrow") as caught:
        export(table, tmp_path / "table.parquet")
    assert "pip install pyarrow" in str(caught.value.hint)


def test_parquet_returns_the_same_rows(table: PositionTable, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    frame = pd.read_parquet(export(table, tmp_path / "table.parquet")).set_index("position")
    np.testing.assert_array_equal(frame.to_numpy(), table.array)


def test_an_unknown_suffix_lists_those_known(table: PositionTable, tmp_path: Path) -> None:
    with pytest.raises(ProbeError, match=r"table\.xlsx.*\.xlsx is not known") as caught:
        export(table, tmp_path / "table.xlsx")
    assert all(suffix in str(caught.value.hint) for suffix in WRITERS)


def test_a_missing_folder_is_named(table: PositionTable, tmp_path: Path) -> None:
    with pytest.raises(ProbeError, match=r"no folder .*nowhere"):
        export(table, tmp_path / "nowhere" / "table.npy")
