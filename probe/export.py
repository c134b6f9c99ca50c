"""Write a table to a file: the suffix chooses the format, the rows are in position order."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path

import numpy as np

from probe.encodings import PositionTable
from probe.errors import MissingDependencyError, ProbeError
from probe.outputs import written_whole


def _columns(table: PositionTable) -> list[str]:
    width = len(str(table.shape[1] - 1))
    return [f"dimension_{number:0{width}d}" for number in range(table.shape[1])]


def _write_npy(table: PositionTable, path: Path) -> None:
    with path.open("wb") as file:  # an open file: numpy would add its own suffix to a name
        np.save(file, table.array, allow_pickle=False)


def _write_npz(table: PositionTable, path: Path) -> None:
    with path.open("wb") as file:
        np.savez_compressed(file, table=table.array)


def _write_csv(table: PositionTable, path: Path) -> None:
    digits = 17 if table.array.dtype.itemsize > 4 else 9
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(",".join(["position", *_columns(table)]) + "\n")
        for position, row in enumerate(table.array):
            file.write(f"{position}," + ",".join(f"{value:.{digits}g}" for value in row) + "\n")


def _write_parquet(table: PositionTable, path: Path) -> None:
    if importlib.util.find_spec("pyarrow") is None:
        raise MissingDependencyError(
            f"Writing {path.name} needs the package pyarrow, which is not installed.",
            "Run `pip install pyarrow`, or choose .npy, .npz, .csv or .safetensors.",
        )
    import pandas as pd

    frame = pd.DataFrame(table.array, columns=_columns(table))
    frame.insert(0, "position", np.arange(len(frame)))
    frame.to_parquet(path, index=False)


def _write_safetensors(table: PositionTable, path: Path) -> None:
    from safetensors.numpy import save_file

    origin = table.provenance
    metadata = {"source": origin.reference, "component": origin.component, "tensor": origin.tensor or ""}
    save_file({"table": np.ascontiguousarray(table.array)}, path, metadata=metadata)


WRITERS: dict[str, Callable[[PositionTable, Path], None]] = {
    ".npy": _write_npy,
    ".npz": _write_npz,
    ".csv": _write_csv,
    ".parquet": _write_parquet,
    ".safetensors": _write_safetensors,
}


def writer_for(path: Path) -> Callable[[PositionTable, Path], None]:
    """Choose the writer by the suffix.

    Raises
    ------
    ProbeError
        If there is none for it; the hint lists those there are.
    """
    if path.suffix.lower() not in WRITERS:
        raise ProbeError(
            f"A table cannot be written as {path.name!r}: the suffix {path.suffix or '(none)'} is not known.",
            f"Choose one of {', '.join(WRITERS)}.",
        )
    return WRITERS[path.suffix.lower()]


def export(table: PositionTable, path: str | Path) -> Path:
    """Write a table, position by dimension, in the format that the suffix names.

    Raises
    ------
    ProbeError
        If the suffix is not known or the folder is not there.
    """
    target = Path(path)
    write = writer_for(target)
    if not target.parent.is_dir():
        raise ProbeError(
            f"There is no folder {target.parent} to write {target.name} in.", "Make it first, or choose another."
        )
    with written_whole(target) as scratch:
        write(table, scratch)
    return target
