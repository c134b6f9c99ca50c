"""A file on disk as a ByteReader."""

from __future__ import annotations

from pathlib import Path

from probe.errors import FormatError


class LocalFile:
    """Bytes by range of one file.

    Parameters
    ----------
    path : Path
    name : str, optional
        How messages call it; the file's own name otherwise.

    Raises
    ------
    OSError
        If the file cannot be opened.
    """

    def __init__(self, path: Path, name: str | None = None) -> None:
        self.path = path
        self.name = name or path.name
        self.size = path.stat().st_size
        self.bytes_read = 0

    def read(self, start: int, length: int) -> bytes:
        """Exactly ``length`` bytes from ``start``.

        Raises
        ------
        FormatError
            If the file ends before.
        """
        with self.path.open("rb") as file:
            file.seek(start)
            found = file.read(length)
        self.bytes_read += len(found)
        if len(found) < length:
            raise FormatError(
                f"{self.name} is truncated: it ends at byte {self.size:,}, and {start + length:,} are needed.",
                "Fetch or copy it again.",
            )
        return found
