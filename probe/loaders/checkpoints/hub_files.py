"""The files of one hub repository: from the cache where they are there, by range or whole where they are not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from probe.errors import FormatError, HubError
from probe.loaders.checkpoints.base import ByteReader
from probe.loaders.checkpoints.hub_cache import HubCache
from probe.loaders.checkpoints.hub_errors import (
    FileAbsentError,
    HubFile,
    RangesIgnoredError,
    broken_connection,
    refusal,
    transport_error,
)
from probe.loaders.checkpoints.remote_file import RemoteFile


class HubFiles:
    """Reads files of one commit of a repository.

    Parameters
    ----------
    repository : str
        ``org/name``, or a bare name.
    revision : str, optional
        Branch, tag or commit; the default branch if left out.
    offline : bool
        Read the cache alone.

    Attributes
    ----------
    commit : str or None
        What the revision turned out to be: settled by the first file that is read, kept by the others.
    warnings : list of str
        What was noticed on the way.
    """

    def __init__(self, repository: str, revision: str | None = None, *, offline: bool = False) -> None:
        self.repository = repository
        self.revision = revision
        self.offline = offline
        self.cache = HubCache(repository, revision)
        self.commit: str | None = None
        self.warnings: list[str] = []
        self._whole_files = 0
        self._readers: list[ByteReader] = []
        if offline:
            if guess := self.cache.settle():
                self.warnings.append(guess)
            self.commit = self.cache.commit

    @property
    def remedy(self) -> str:
        """What to do where files are missing or contradict one another."""
        return f"Tell the owners of {self.repository}, or name another revision with --revision."

    @property
    def bytes_read(self) -> int:
        """Bytes read from files or moved over the network so far."""
        return self._whole_files + sum(reader.bytes_read for reader in self._readers)

    def cached(self, filename: str) -> Path | None:
        """The file in the cache, at the commit in use or else at the one that the cache knows."""
        found = self.cache.find(filename, self.commit)
        if found is not None:
            self.commit = self.commit or self.cache.commit
        return found

    def reader(self, filename: str) -> ByteReader:
        """Ranges of a file, which is not downloaded.

        Raises
        ------
        FileAbsentError
            If the repository has no such file.
        HubError
            If it cannot be had for another reason.
        """
        if found := self.cached(filename):
            return self._local(found, filename)
        self._require_network(filename)
        try:
            remote = RemoteFile(self._file(filename))
        except RangesIgnoredError:
            found = self.path(filename)
            self.warnings.append(
                f"The server cannot send parts of {filename}: the whole file, {found.stat().st_size / 1e6:,.1f} MB, "
                "was downloaded into the hub's cache."
            )
            return self._local(found, filename)
        except FileAbsentError as absent:
            self.commit = self.commit or absent.commit
            raise
        self._readers.append(remote)
        self.commit = self.commit or remote.commit
        # Only now is the commit known, and with it whether the cache holds the file after all.
        found = self.cached(filename)
        return self._local(found, filename) if found else remote

    def _local(self, path: Path, filename: str) -> ByteReader:
        from probe.loaders.checkpoints.local_file import LocalFile

        reader = LocalFile(path, name=filename)
        self._readers.append(reader)
        return reader

    def path(self, filename: str) -> Path:
        """A whole file in the hub's cache, downloaded into it if it is not there.

        Raises
        ------
        FileAbsentError
            If the repository has no such file.
        HubError
            If it cannot be had for another reason.
        """
        found = self.cached(filename)
        if found is None:
            self._require_network(filename)
            found = self._download(filename)
            self.commit = self.commit or self._commit_of(found)
        self._whole_files += found.stat().st_size
        return found

    def text(self, filename: str) -> bytes:
        """A small file, through the cache unless the server lacks the headers that the cache lives on."""
        from huggingface_hub.errors import FileMetadataError

        try:
            return self.path(filename).read_bytes()
        except HubError as error:
            if not isinstance(error.__cause__, FileMetadataError):
                raise
        remote = RemoteFile(self._file(filename))
        self._readers.append(remote)
        return remote.read(0, remote.size)

    def json(self, filename: str) -> dict[str, Any]:
        """A JSON object."""
        try:
            content = json.loads(self.text(filename))
        except ValueError as error:
            raise FormatError(
                f"{filename} of {self.repository} is no JSON: {error}.",
                f"Tell the owners of {self.repository}, or name another revision with --revision.",
            ) from error
        if not isinstance(content, dict):
            raise FormatError(f"{filename} of {self.repository} holds no JSON object.")
        return content

    def _file(self, filename: str) -> HubFile:
        return HubFile(self.repository, filename, self.revision, self.commit)

    def _require_network(self, filename: str) -> None:
        if self.commit is not None and self.cache.knows_absent(filename, self.commit):
            raise self._file(filename).error("{repository} has no file {file}.", None, FileAbsentError)
        if self.offline:
            raise self.cache.missing(filename)

    def _download(self, filename: str) -> Path:
        from huggingface_hub import hf_hub_download
        from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

        # By the branch's name where the cache does not know the commit yet, so that it learns it.
        known = self.commit if self.commit == self.cache.commit else None
        file = self._file(filename)
        try:
            return Path(hf_hub_download(self.repository, filename, revision=known or self.revision))
        except HfHubHTTPError as error:
            raise refusal(file, error.response.status_code, error.response.headers) from error
        except LocalEntryNotFoundError as error:
            cause = error.__cause__
            if isinstance(cause, HfHubHTTPError):
                raise refusal(file, cause.response.status_code, cause.response.headers) from cause
            raise broken_connection(file, cause if isinstance(cause, Exception) else None) from cause
        except transport_error() as error:
            raise broken_connection(file, error) from error
        except OSError as error:
            raise file.error(
                "{file} of {repository} could not be saved in the hub's cache: {reason}.",
                "Check the space and the rights there ({folder}), or set HF_HOME to another folder.",
                reason=error,
                folder=self.cache.root,
            ) from error

    def _commit_of(self, path: Path) -> str | None:
        """The snapshot that a path in the cache belongs to."""
        parts = path.relative_to(self.cache.root).parts if path.is_relative_to(self.cache.root) else ()
        return parts[2] if parts[1:2] == ("snapshots",) else None
