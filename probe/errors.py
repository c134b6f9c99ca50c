"""What can go wrong for a reason that the user can mend: one message, one hint, exit code 1."""

from __future__ import annotations

from collections.abc import Iterable


class ProbeError(Exception):
    """An expected failure: what is wrong, and what to do about it.

    Parameters
    ----------
    message : str
        One sentence that names the thing at fault.
    hint : str, optional
        What to try next, in the user's own terms.
    """

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message}\nHint: {self.hint}"


class SourceError(ProbeError):
    """The source cannot be opened: it is not there, or it is no checkpoint."""


class FormatError(SourceError):
    """A file is truncated, mislabelled, or in a container that cannot be read."""


class HubError(SourceError):
    """The Hugging Face Hub did not give what was asked for.

    Attributes
    ----------
    repository, filename : str
        What was asked for.
    """

    def __init__(self, message: str, hint: str | None = None, *, repository: str, filename: str) -> None:
        super().__init__(message, hint)
        self.repository = repository
        self.filename = filename


class TableNotFoundError(ProbeError):
    """The checkpoint was read, and it holds no position table that can be recognised."""


class ComponentError(ProbeError):
    """The component asked for is not there, or none was named where there are several.

    Attributes
    ----------
    available : tuple of str
        The components that the source does have.
    """

    def __init__(self, message: str, hint: str | None = None, *, available: Iterable[str] = ()) -> None:
        super().__init__(message, hint)
        self.available = tuple(available)


class TableError(ProbeError):
    """A table was found, and its values cannot be analysed (NaN, a single row, the wrong shape)."""


class MissingDependencyError(ProbeError):
    """An optional package is needed for this and is not installed."""
