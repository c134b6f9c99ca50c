"""NumPy files: an array of its own (.npy), or several by name (.npz); never a pickle."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from probe.errors import FormatError
from probe.loaders.checkpoints.base import TensorInfo

_SINGLE = "table"


class NumpyFile:
    """The arrays of one .npy or .npz file; a single array is called ``table``.

    Raises
    ------
    FormatError
        If the file is damaged, or holds Python objects.
    """

    format = "numpy"

    def __init__(self, path: Path, name: str | None = None) -> None:
        self._path, self._name = path, name or path.name
        try:
            self._arrays = _several(path) if path.suffix.lower() == ".npz" else {_SINGLE: _single(path)}
        except (ValueError, EOFError, zipfile.BadZipFile) as error:
            raise FormatError(
                f"{self._name} cannot be read as a NumPy file: {str(error).partition('.')[0]}.",
                "Write it again with numpy.save, as numbers and not as Python objects.",
            ) from error
        self.tensors: Mapping[str, TensorInfo] = {
            key: TensorInfo(key, str(array.dtype), array.shape, self._name) for key, array in self._arrays.items()
        }

    @property
    def bytes_read(self) -> int:
        """The size of the file."""
        return self._path.stat().st_size

    def read(self, name: str) -> npt.NDArray[np.generic]:
        """The values of one array."""
        stored = self._arrays[name]
        return stored.astype(np.float32) if stored.dtype == np.float16 else np.asarray(stored)


def _single(path: Path) -> npt.NDArray[Any]:
    return np.lib.format.open_memmap(path, mode="r")


def _several(path: Path) -> dict[str, npt.NDArray[Any]]:
    with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
        return dict(archive)
