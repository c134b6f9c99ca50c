"""safetensors: a header that lists every tensor, and each tensor's own bytes behind it.

The header is read here rather than by the safetensors package, because a file on a server is read by the
same code as one on disk: eight bytes, the header, and then just the bytes of the tensor that is wanted.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from probe.errors import FormatError
from probe.loaders.checkpoints.base import ByteReader, TensorInfo
from probe.loaders.checkpoints.magic import HEAD, UNKNOWN, kind_of, refuse

_LENGTH_BYTES = 8
_LARGEST_HEADER = 100_000_000
"""The format's own limit."""


@dataclass(frozen=True)
class _Type:
    """How the values of a dtype are stored: the name shown, and where numpy finds it."""

    name: str
    bits: int
    numpy: str
    module: str = "numpy"


_TYPES = {
    "F64": _Type("float64", 64, "float64"),
    "F32": _Type("float32", 32, "float32"),
    "F16": _Type("float16", 16, "float16"),
    "BF16": _Type("bfloat16", 16, "bfloat16", "ml_dtypes"),
    "F8_E4M3": _Type("float8_e4m3fn", 8, "float8_e4m3fn", "ml_dtypes"),
    "F8_E5M2": _Type("float8_e5m2", 8, "float8_e5m2", "ml_dtypes"),
    "F8_E8M0": _Type("float8_e8m0fnu", 8, "float8_e8m0fnu", "ml_dtypes"),
    "I64": _Type("int64", 64, "int64"),
    "I32": _Type("int32", 32, "int32"),
    "I16": _Type("int16", 16, "int16"),
    "I8": _Type("int8", 8, "int8"),
    "U64": _Type("uint64", 64, "uint64"),
    "U32": _Type("uint32", 32, "uint32"),
    "U16": _Type("uint16", 16, "uint16"),
    "U8": _Type("uint8", 8, "uint8"),
    "BOOL": _Type("bool", 8, "bool"),
    "C64": _Type("complex64", 64, "complex64"),
}


class SafetensorsFile:
    """One safetensors file.

    Parameters
    ----------
    reader : ByteReader
        Bytes by range, from disk or from a server.

    Raises
    ------
    FormatError
        If the file is truncated, is something else under this name, or its header contradicts itself.
    """

    format = "safetensors"

    def __init__(self, reader: ByteReader) -> None:
        self._reader = reader
        self._data_start, header = self._header()
        self.metadata: Mapping[str, str] = header.pop("__metadata__", None) or {}
        self._spans: dict[str, tuple[int, int]] = {}
        self.tensors: Mapping[str, TensorInfo] = {name: self._entry(name, item) for name, item in header.items()}

    def _header(self) -> tuple[int, dict[str, Any]]:
        size, name = self._reader.size, self._reader.name
        length = int.from_bytes(self._reader.read(0, min(_LENGTH_BYTES, size)), "little")
        if size <= _LENGTH_BYTES or not 2 <= length <= size - _LENGTH_BYTES:
            self._refuse_impostor()
            raise self._truncated(_LENGTH_BYTES + max(length, 2))
        if length > _LARGEST_HEADER:
            raise FormatError(
                f"{name} is no safetensors file: its header would be {length:,} bytes long.",
                "Check that the file is what its name says.",
            )
        try:
            header = json.loads(self._reader.read(_LENGTH_BYTES, length))
        except (ValueError, RecursionError) as error:
            raise FormatError(
                f"{name} is no safetensors file: its header is no JSON.", "Check that the file is what its name says."
            ) from error
        if not isinstance(header, dict):
            raise FormatError(f"{name} is no safetensors file: its header lists no tensors.", "Fetch it again.")
        return _LENGTH_BYTES + length, header

    def _refuse_impostor(self) -> None:
        """Say what the file really is, where its first bytes tell."""
        size = self._reader.size
        kind = kind_of(self._reader.read(0, min(HEAD, size)), size)
        cut_short = 0 < size <= _LENGTH_BYTES and kind is UNKNOWN
        if kind.name != "safetensors" and not cut_short:
            raise refuse(self._reader.name, kind)

    def _truncated(self, needed: int) -> FormatError:
        return FormatError(
            f"{self._reader.name} is truncated: its header asks for {needed:,} bytes, the file has "
            f"{self._reader.size:,}.",
            "Fetch or copy it again.",
        )

    def _entry(self, name: str, item: Any) -> TensorInfo:
        try:
            kind, shape = _TYPES.get(item["dtype"]), tuple(int(side) for side in item["shape"])
            start, end = (int(place) for place in item["data_offsets"])
            dtype = kind.name if kind else str(item["dtype"]).lower()
        except (KeyError, TypeError, ValueError) as error:
            raise self._contradiction(name, "its entry is malformed") from error
        if min((*shape, start), default=start) < 0 or end < start:
            raise self._contradiction(name, "its shape or place is negative")
        if kind and end - start != math.prod(shape) * kind.bits // 8:
            raise self._contradiction(name, f"{end - start:,} bytes cannot hold {shape} of {dtype}")
        if self._data_start + end > self._reader.size:
            raise self._truncated(self._data_start + end)
        self._spans[name] = (self._data_start + start, end - start)
        return TensorInfo(name, dtype, shape, self._reader.name)

    def _contradiction(self, tensor: str, why: str) -> FormatError:
        return FormatError(
            f"The header of {self._reader.name} contradicts itself at {tensor}: {why}.", "Fetch or copy the file again."
        )

    @property
    def bytes_read(self) -> int:
        """Bytes read or moved so far."""
        return self._reader.bytes_read

    def read(self, name: str) -> npt.NDArray[np.generic]:
        """The values of one tensor: floats as float32 or wider, whole numbers as they are.

        Raises
        ------
        FormatError
            If its dtype is not known.
        """
        info = self.tensors[name]
        kind = next((kind for kind in _TYPES.values() if kind.name == info.dtype), None)
        if kind is None:
            raise FormatError(
                f"{name} in {self._reader.name} is stored as {info.dtype}, which probe cannot read.",
                "Save the model in float32, float16 or bfloat16.",
            )
        start, length = self._spans[name]
        stored = np.frombuffer(self._reader.read(start, length), dtype=_numpy_dtype(kind)).reshape(info.shape)
        narrow = kind.module == "ml_dtypes" or kind.name == "float16"
        return stored.astype(np.float32) if narrow else stored


def _numpy_dtype(kind: _Type) -> np.dtype[Any]:
    if kind.module == "numpy":
        return np.dtype(kind.numpy).newbyteorder("<")
    import ml_dtypes  # only where a table needs it

    narrow: type = getattr(ml_dtypes, kind.numpy)
    return np.dtype(narrow)
