"""A weights file on disk, opened as what its first bytes say it is."""

from __future__ import annotations

from pathlib import Path

from probe.loaders.checkpoints.base import ByteReader
from probe.loaders.checkpoints.local_file import LocalFile
from probe.loaders.checkpoints.magic import HEAD, TORCH, kind_of, refuse
from probe.loaders.checkpoints.opened import Container

_CLAIMS = {".safetensors": "safetensors", ".bin": "torch-pickle", ".pt": "torch-pickle", ".pth": "torch-pickle"}
"""What a file's name says of it."""


def open_sniffed(path: Path, filename: str, warnings: list[str], reader: ByteReader | None = None) -> Container:
    """Open a file, whatever its name says.

    Parameters
    ----------
    path : Path
    filename : str
        How messages call it.
    warnings : list of str
        Told where the name is not true.
    reader : ByteReader, optional
        What reads a file that can be read in part; it counts the bytes.

    Raises
    ------
    FormatError
        If it is damaged, or no weights file.
    """
    with path.open("rb") as file:
        kind = kind_of(file.read(HEAD), path.stat().st_size)
    container: Container
    if kind.name == "npy" or path.suffix == ".npz":
        from probe.loaders.checkpoints.numpy_file import NumpyFile

        container = NumpyFile(path, filename)
    elif kind.name in TORCH:
        from probe.loaders.checkpoints.torch_pickle import TorchPickleFile

        container = TorchPickleFile(path, filename)
    elif kind.name == "safetensors" or path.suffix == ".safetensors":
        from probe.loaders.checkpoints.safetensors import SafetensorsFile

        container = SafetensorsFile(reader or LocalFile(path, filename))
    else:
        raise refuse(filename, kind)
    if _CLAIMS.get(path.suffix, container.format) != container.format:
        warnings.append(f"{filename} is {kind.what} under another's name, and was read as what it is.")
    return container
