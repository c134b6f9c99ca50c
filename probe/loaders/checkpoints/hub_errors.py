"""What the hub's refusals mean, in words: from a status or a broken connection to one HubError."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from probe.errors import HubError


class FileAbsentError(HubError):
    """The repository is there, this file of it is not (or a plain 404 leaves that open).

    Attributes
    ----------
    commit : str or None
        The commit that lacks it, where the hub says it.
    """

    commit: str | None = None


class RangesIgnoredError(HubError):
    """The server sends whole files where a range was asked for."""


class UnreachableError(HubError):
    """No answer came: no network, no such host, a refused connection, a time-out."""


@dataclass(frozen=True)
class HubFile:
    """A file of a hub repository, as it is asked for.

    Attributes
    ----------
    repository, filename : str
        ``org/name`` and the path inside it.
    revision : str or None
        A branch, tag or commit as the user named it; None is the default branch.
    commit : str or None
        What the revision turned out to be, once that is known: requests name it, messages do not.
    """

    repository: str
    filename: str
    revision: str | None = None
    commit: str | None = None

    @property
    def url(self) -> str:
        """Where the hub serves it."""
        from huggingface_hub import hf_hub_url

        return hf_hub_url(self.repository, self.filename, revision=self.commit or self.revision)

    @property
    def fetch_command(self) -> str:
        """The command that puts it into the hub's cache, its config beside it."""
        names = ["config.json", self.filename] if self.filename != "config.json" else ["config.json"]
        revision = [] if self.revision is None else ["--revision", self.revision]
        return " ".join(["hf", "download", self.repository, *names, *revision])

    def error(self, message: str, hint: str | None, kind: type[HubError] = HubError, **facts: object) -> HubError:
        """An error about this file; ``{names}`` in the texts are filled in."""
        words = {"repository": self.repository, "file": self.filename, "revision": self.revision or "main"}
        words |= {"endpoint": endpoint(), "command": self.fetch_command, **{k: str(v) for k, v in facts.items()}}
        hint = None if hint is None else hint.format_map(words)
        return kind(message.format_map(words), hint, repository=self.repository, filename=self.filename)


def endpoint() -> str:
    """The hub's address: HF_ENDPOINT, or the public one."""
    from huggingface_hub import constants

    return constants.ENDPOINT


_NO_FOLDER = "If you meant a folder: no folder {repository} is here."
_ABSENT_REPOSITORY = (
    "The hub has no model repository {repository}, or it is private.",
    "Check the spelling of {repository}; if it is private, run `hf auth login` (or set HF_TOKEN) first. " + _NO_FOLDER,
)
_BY_CODE = {
    "GatedRepo": (
        "{repository} is gated: only accounts that accepted its terms may read it.",
        "Accept the terms at {endpoint}/{repository}, run `hf auth login` (or set HF_TOKEN), then try again.",
    ),
    "RepoNotFound": _ABSENT_REPOSITORY,
    "RevisionNotFound": (
        "{repository} has no revision {revision}.",
        "Name a branch, tag or commit listed at {endpoint}/{repository}, or leave --revision out.",
    ),
}
_BY_STATUS = {
    401: (
        "The hub refuses {repository} without a valid login: it is private, gated or not there, or the token is bad.",
        "Check the spelling of {repository}, and the token (`hf auth whoami`, `hf auth login` or HF_TOKEN).",
    ),
    403: (
        "The hub forbids reading {file} of {repository} (403).",
        "Ask its owner for access, or use a token that may read it (`hf auth login` or HF_TOKEN).",
    ),
    429: (
        "The hub limits requests and turned {file} of {repository} away (429).",
        "Wait some minutes, or log in with `hf auth login`: the limits of an account are wider.",
    ),
}
_ABSENT_FILE = ("{repository} has no file {file} at revision {revision}.", None)
_SERVER_FAILS = (
    "The hub failed on {file} of {repository}: status {status}, again and again.",
    "Try again later, or run `{command}` and then repeat the command with --offline.",
)
_OTHER_STATUS = (
    "The hub answered {file} of {repository} with status {status}.",
    "Try again later; if HF_ENDPOINT is set ({endpoint}), check that a hub answers there.",
)


def refusal(file: HubFile, status: int, headers: Mapping[str, str]) -> HubError:
    """Why did the hub answer with this status, and what can the user do?"""
    code = headers.get("X-Error-Code", "")
    if code in _BY_CODE:
        message, hint = _BY_CODE[code]
    elif status in (404, 410):
        absent = FileAbsentError(file.error(*_ABSENT_FILE).message, repository=file.repository, filename=file.filename)
        absent.commit = headers.get("X-Repo-Commit")
        return absent
    elif status in _BY_STATUS:
        message, hint = _BY_STATUS[status]
    else:
        message, hint = _SERVER_FAILS if status >= 500 else _OTHER_STATUS
    return file.error(message, hint, status=status)


def absent_repository(file: HubFile) -> HubError:
    """The error for a repository that is not there."""
    return file.error(*_ABSENT_REPOSITORY)


_OFFLINE_HELP = "Files in the hub's cache are read with --offline. " + _NO_FOLDER
# Looked up by the names of an error's classes: httpx and httpx2 share them, and which of the two is
# installed is the business of huggingface_hub.
_BY_TRANSPORT = {
    "TimeoutException": (
        "The hub at {endpoint} gave no answer in time for {file} of {repository}.",
        "Check the network, or try again later. " + _OFFLINE_HELP,
    ),
    "ProxyError": (
        "The proxy refused the way to the hub at {endpoint} for {file} of {repository}.",
        "Check HTTPS_PROXY and NO_PROXY. " + _OFFLINE_HELP,
    ),
    "ConnectError": (
        "The hub at {endpoint} cannot be reached ({reason}), so {file} of {repository} cannot be read.",
        "Check the network, or HF_ENDPOINT if it is set. " + _OFFLINE_HELP,
    ),
    "UnsupportedProtocol": (
        "HF_ENDPOINT is {endpoint}, which is no web address, so {file} of {repository} cannot be read.",
        "Give HF_ENDPOINT as https://HOST, or unset it.",
    ),
}
_BROKEN_OFF = (
    "The connection broke off again and again while {file} of {repository} was read.",
    "Try again, or run `{command}`, which resumes where it stopped, and repeat the command with --offline.",
)


def broken_connection(file: HubFile, error: Exception | None) -> HubError:
    """Why did no answer, or half an answer, arrive?"""
    names = [] if error is None else [parent.__name__ for parent in type(error).__mro__]
    for name, (message, hint) in _BY_TRANSPORT.items():
        if name in names:
            return file.error(message, hint, UnreachableError, reason=error)
    return file.error(*_BROKEN_OFF)


def is_connect_timeout(error: Exception) -> bool:
    """Whether nobody answered at all, so that asking again would only double the wait."""
    return "ConnectTimeout" in [parent.__name__ for parent in type(error).__mro__]


def transport_error() -> type[Exception]:
    """What the HTTP library raises when a request fails: the class that huggingface_hub's own error extends."""
    from huggingface_hub.errors import HfHubHTTPError

    parents: list[type[Exception]] = [c for c in HfHubHTTPError.__mro__[1:] if c.__name__ == "HTTPError"]
    return parents[0]
