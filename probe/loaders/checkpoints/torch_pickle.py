"""PyTorch pickles, zip and legacy: opened with ``weights_only``, so that nothing in them is executed."""

from __future__ import annotations

import pickle
import re
import struct
import warnings
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from probe.errors import FormatError, MissingDependencyError
from probe.loaders.checkpoints.base import TensorInfo
from probe.loaders.checkpoints.magic import HEAD, kind_of, refuse
from probe.values import to_numpy

if TYPE_CHECKING:
    import torch

_NOT_WEIGHTS = re.compile(r"optim|sched|scaler|rng_state|callbacks|loops|exp_avg", re.IGNORECASE)
"""Branches of a training checkpoint that hold tensors of the same shapes and are no weights."""

_REFUSED = re.compile(r"GLOBAL ([\w.]+)")
_DEEPEST = 12
_DAMAGE = (
    RuntimeError, EOFError, zipfile.BadZipFile, struct.error, LookupError, ValueError, TypeError, AttributeError,
    AssertionError, OverflowError, MemoryError, OSError,
)  # fmt: skip
"""What torch's unpickler raises on bytes that were changed or are missing: it takes them at their word."""


class TorchPickleFile:
    """One PyTorch file of named tensors, however nested.

    Parameters
    ----------
    path : Path
    name : str, optional
        How messages call it.

    Raises
    ------
    FormatError
        If the file is truncated, is something else, or asks for code to be run.
    """

    format = "torch-pickle"

    def __init__(self, path: Path, name: str | None = None) -> None:
        self._path, self._name = path, name or path.name
        content = self._load()
        if not isinstance(content, Mapping):
            raise FormatError(
                f"{self._name} holds one {type(content).__name__}, not a dictionary of named tensors.",
                "Save the model's state_dict() instead.",
            )
        self._tensors = _named(content)
        self.tensors: Mapping[str, TensorInfo] = {
            key: TensorInfo(key, str(value.dtype).removeprefix("torch."), tuple(value.shape), self._name)
            for key, value in self._tensors.items()
        }

    def _load(self) -> Any:
        try:
            import torch
        except ImportError as error:
            raise MissingDependencyError(
                f"Reading {self._name}, a PyTorch pickle, needs torch, which is not installed.",
                "Run `pip install torch`, or name a safetensors file.",
            ) from error
        with self._path.open("rb") as file:
            kind = kind_of(file.read(HEAD), self._path.stat().st_size)
        if kind.name not in ("torch-zip", "torch-legacy"):
            raise refuse(self._name, kind)
        by_path = kind.name == "torch-zip" and self._path.suffix != ".safetensors"  # torch.load believes that suffix
        try:
            with warnings.catch_warnings():  # torch remarks on the pickle's protocol, which says nothing of the tensors
                warnings.simplefilter("ignore", UserWarning)
                if by_path:
                    return torch.load(self._path, map_location="cpu", weights_only=True, mmap=True)
                with self._path.open("rb") as file:
                    return torch.load(file, map_location="cpu", weights_only=True)
        except pickle.UnpicklingError as error:
            raise self._refusal(error) from None
        except _DAMAGE as error:
            raise self._damaged(error) from error

    def _refusal(self, error: pickle.UnpicklingError) -> FormatError:
        named = _REFUSED.search(str(error))
        if named is None:
            return self._damaged(error)
        return FormatError(
            f"{self._name} is unsafe and was refused: it asks for {named[1]}, and only tensors are ever read from a "
            "pickle.",
            "Nothing in it was run. Use a safetensors file, or save the plain state_dict() from a source you trust.",
        )

    def _damaged(self, error: Exception) -> FormatError:
        first = (
            str(error).strip().partition("\n")[0].partition(" In PyTorch 2.6")[0].rstrip(".") or type(error).__name__
        )
        return FormatError(
            f"{self._name} ({self._path.stat().st_size:,} bytes) is truncated or damaged, or no PyTorch file: {first}.",
            "Fetch or copy it again.",
        )

    @property
    def bytes_read(self) -> int:
        """The size of the file: a pickle cannot be read in part."""
        return self._path.stat().st_size

    def read(self, name: str) -> npt.NDArray[np.generic]:
        """The values of one tensor: floats as float32 or wider, whole numbers as they are."""
        return to_numpy(self._tensors[name])


def _named(content: Mapping[Any, Any]) -> dict[str, torch.Tensor]:
    """Name every tensor as its own state dict does, and by its whole path where two would share a name."""
    named: dict[str, torch.Tensor] = {}
    for path, tensor in _walk(content, ()):
        name = path[-1]
        named["/".join(path) if name in named else name] = tensor
    return named


def _walk(content: Mapping[Any, Any], path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], torch.Tensor]]:
    import torch

    for key, value in content.items():
        here = (*path, str(key))
        if isinstance(value, torch.Tensor):
            yield here, value
        elif isinstance(value, Mapping) and len(path) < _DEEPEST and not _NOT_WEIGHTS.search(here[-1]):
            yield from _walk(value, here)
