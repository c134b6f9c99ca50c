"""What is a file really? Its first bytes say, whatever its name."""

from __future__ import annotations

from dataclasses import dataclass

from probe.errors import FormatError

HEAD = 64
"""How many of the first bytes are looked at."""


@dataclass(frozen=True)
class Kind:
    """What a file turned out to be.

    Attributes
    ----------
    name : str
        ``safetensors``, ``torch-zip``, ``torch-legacy``, ``npy`` or, for what cannot be read, ``other``.
    what : str
        In words.
    advice : str
        What to do with it instead, where it cannot be read.
    """

    name: str
    what: str
    advice: str = ""


TORCH = ("torch-zip", "torch-legacy")
"""Names of the kinds that torch.load opens."""

UNKNOWN = Kind("other", "no weights file that probe knows", "Name a safetensors, PyTorch or NumPy file.")
"""What no signature tells."""

_CONVERT = "Load it with the framework that wrote it and save it as safetensors."
_SIGNATURES: tuple[tuple[bytes, Kind], ...] = (
    (b"PK\x03\x04", Kind("torch-zip", "a PyTorch zip archive")),
    (b"\x80\x02", Kind("torch-legacy", "a PyTorch pickle")),
    (b"\x80\x03", Kind("torch-legacy", "a PyTorch pickle")),
    (b"\x80\x04", Kind("torch-legacy", "a PyTorch pickle")),
    (b"\x80\x05", Kind("torch-legacy", "a PyTorch pickle")),
    (b"\x93NUMPY", Kind("npy", "a NumPy array")),
    (
        b"version https://git-lfs",
        Kind(
            "other", "a Git LFS pointer, not the file itself", "Run `git lfs pull` in the repository, or download it."
        ),
    ),
    (b"GGUF", Kind("other", "a GGUF file, which probe cannot read yet", "Use the checkpoint it was converted from.")),
    (b"\x89HDF", Kind("other", "an HDF5 file (Keras, TensorFlow)", _CONVERT)),
    (b"\x89PNG", Kind("other", "a PNG picture", "Name a weights file.")),
    (b"\xff\xd8\xff", Kind("other", "a JPEG picture", "Name a weights file.")),
    (b"%PDF", Kind("other", "a PDF document", "Name a weights file.")),
    (b"\x1f\x8b", Kind("other", "a gzip archive", "Unpack it, then name the file inside.")),
)


def kind_of(head: bytes, size: int) -> Kind:
    """Tell a file by its first bytes and its size in bytes.

    Examples
    --------
    >>> kind_of(b"PK\\x03\\x04...", 1000).name
    'torch-zip'
    """
    for signature, kind in _SIGNATURES:
        if head.startswith(signature):
            return kind
    if size == 0:
        return Kind("other", "empty", "Fetch or copy it again.")
    if len(head) >= 9 and head[8:9] == b"{":
        return Kind("safetensors", "a safetensors file")
    return UNKNOWN


class ImpostorError(FormatError):
    """A file is not what its name says.

    Attributes
    ----------
    kind : Kind
        What it is.
    """

    def __init__(self, name: str, kind: Kind) -> None:
        super().__init__(f"{name} is {kind.what}.", kind.advice or "Name a weights file.")
        self.kind = kind


def refuse(name: str, kind: Kind) -> ImpostorError:
    """Make the error for a file that cannot be read as what it is."""
    return ImpostorError(name, kind)
