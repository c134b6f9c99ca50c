"""A file on the hub as a ByteReader: ranges of it, never the whole."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from probe.errors import FormatError, HubError
from probe.loaders.checkpoints.hub_errors import (
    HubFile,
    RangesIgnoredError,
    broken_connection,
    is_connect_timeout,
    refusal,
    transport_error,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

OPENING_BYTES = 8  # what tells the length of a safetensors header; asking for more would cost more than it saves
WAITS = (0.2, 0.5, 1.0)  # seconds before each new attempt
_RETRIED = frozenset({408, 429, 500, 502, 503, 504})
_CONTENT_RANGE = re.compile(r"bytes (?:(\d+)-\d+|\*)/(\d+)")


class _Response(Protocol):
    """The part of an HTTP response that is used here."""

    @property
    def status_code(self) -> int: ...
    @property
    def headers(self) -> Mapping[str, str]: ...
    @property
    def history(self) -> list[Any]: ...
    def iter_bytes(self) -> Iterator[bytes]: ...


class _TransientError(Exception):
    """An answer that may be another one in a second."""

    def __init__(self, error: HubError) -> None:
        super().__init__(str(error))
        self.error = error


class RemoteFile:
    """Bytes by range of one file of a hub repository.

    The first request asks for eight bytes. It tells whether the server honours ranges, how long the
    file is, and which commit the revision names; later requests ask for that commit, so that a branch
    that moves meanwhile cannot mix two files.

    Parameters
    ----------
    file : HubFile
        The repository, revision and name.

    Attributes
    ----------
    name : str
        The path inside the repository.
    size : int
        Its length in bytes.
    bytes_read : int
        Bytes of response bodies that arrived so far, those of broken-off answers included.
    commit : str or None
        The commit that the file belongs to, where the server says it.

    Raises
    ------
    HubError
        When the hub refuses, cannot be reached, or breaks off more often than it is asked again;
        its child ``RangesIgnoredError`` when the server ignores ranges, before the body is read.
    """

    def __init__(self, file: HubFile) -> None:
        from huggingface_hub.utils import build_hf_headers

        self._file = file
        self._headers = {**build_hf_headers(library_name="position-probe"), "Accept-Encoding": "identity"}
        self.name = file.filename
        self.size = OPENING_BYTES
        self.bytes_read = 0
        self.commit: str | None = None
        self._opening = self._fetch(0, OPENING_BYTES)

    def read(self, start: int, length: int) -> bytes:
        """Exactly ``length`` bytes from ``start``.

        Raises
        ------
        FormatError
            If the file ends before.
        HubError
            If the hub does not deliver them.
        """
        stop = start + length
        if start < 0 or length < 0 or stop > self.size:
            raise FormatError(
                f"{self.name} of {self._file.repository} is truncated: it ends at byte {self.size}, before {stop}.",
                f"Tell the owners of {self._file.repository}, or name another revision with --revision.",
            )
        if stop <= len(self._opening):
            return self._opening[start:stop]
        return self._fetch(start, length)

    def _fetch(self, start: int, length: int) -> bytes:
        """A range over the wire, resumed where an answer broke off."""
        received = bytearray()
        failure: HubError | None = None
        for wait in (0.0, *WAITS):
            time.sleep(wait)
            try:
                self._receive(start, length, received)
            except _TransientError as transient:
                failure = transient.error
                continue
            if len(received) == min(length, self.size - start):
                return bytes(received)
            failure = broken_connection(self._file, None)
        assert failure is not None
        raise failure

    def _receive(self, start: int, length: int, received: bytearray) -> None:
        """One request for what is still lacking, appended to ``received`` as it arrives."""
        first, last = start + len(received), start + length - 1
        try:
            with self._request(first, last) as response:
                self._check(response, first)
                for chunk in response.iter_bytes() if response.status_code == 206 else ():
                    self.bytes_read += len(chunk)
                    received += chunk
                    if len(received) >= length:
                        break
        except transport_error() as error:
            failure = broken_connection(self._file, error)
            if is_connect_timeout(error):
                raise failure from error
            raise _TransientError(failure) from error
        del received[length:]

    def _request(self, first: int, last: int) -> AbstractContextManager[_Response]:
        from huggingface_hub import constants
        from huggingface_hub.utils import get_session

        return get_session().stream(
            "GET",
            self._file.url,
            headers={**self._headers, "Range": f"bytes={first}-{last}"},
            timeout=constants.HF_HUB_DOWNLOAD_TIMEOUT,
            follow_redirects=True,  # to another host without the token: the HTTP library drops it there
        )

    def _check(self, response: _Response, first: int) -> None:
        """Learn what the headers tell; raise unless the body is the range that was asked for."""
        status = response.status_code
        if status in _RETRIED:
            raise _TransientError(refusal(self._file, status, response.headers))
        if status not in (200, 206, 416):
            raise refusal(self._file, status, response.headers)
        where = _CONTENT_RANGE.fullmatch(response.headers.get("Content-Range", ""))
        encoded = response.headers.get("Content-Encoding", "identity") != "identity"
        if where is None or encoded or (status == 206 and where[1] != str(first)):
            raise self._file.error(
                "The server sends {file} of {repository} whole where a part of it was asked for.",
                "Run `{command}`, then repeat the command with --offline.",
                RangesIgnoredError,
            )
        self.size = int(where[2])
        self._pin(response)

    def _pin(self, response: _Response) -> None:
        """Keep to the commit that the hub names (on the redirect, where it sends elsewhere)."""
        if self.commit is None:
            named: list[str | None] = [answer.headers.get("X-Repo-Commit") for answer in (*response.history, response)]
            self.commit = next((commit for commit in named if commit), None)
            self._file = replace(self._file, commit=self.commit)
