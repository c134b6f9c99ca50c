"""A hub on the loopback interface: serves repositories from memory, counts bytes, and fails on demand."""

from __future__ import annotations

import hashlib
import json
import re
import struct
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pytest

COMMIT = "0123456789abcdef0123456789abcdef01234567"
_RESOLVE = re.compile(r"/(?P<repository>[^/]+(?:/[^/]+)?)/resolve/(?P<revision>[^/]+)/(?P<file>.+)")
_LISTING = re.compile(r"/api/models/(?P<repository>[^/]+(?:/[^/]+)?)(?:/revision/(?P<revision>[^/]+))?")


@dataclass
class Faults:
    """What the server does wrong."""

    ranges: bool = True  # whether it honours them
    failures: int = 0  # how many GET requests of weights it answers with 503 first
    break_offs: int = 0  # how many GET requests of weights it breaks off half-way
    refusal: tuple[int, str] | None = None  # status and X-Error-Code of every answer
    plain_404: bool = False  # no X-Error-Code on what is absent
    hub_headers: bool = True  # whether it sends X-Repo-Commit
    redirect_to: str | None = None  # another host that has the weights


@dataclass
class Hub:
    """A running server.

    Attributes
    ----------
    repositories : dict
        Repository to file name to content.
    body_bytes : Counter
        Bytes of GET response bodies, by file name.
    requests : list
        (method, path, headers) of everything that came.
    """

    url: str
    commit: str = COMMIT
    repositories: dict[str, dict[str, bytes]] = field(default_factory=dict)
    body_bytes: Counter[str] = field(default_factory=Counter)
    requests: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    faults: Faults = field(default_factory=Faults)

    def forget(self) -> None:
        """Count anew."""
        self.body_bytes.clear()
        self.requests.clear()

    @property
    def moved(self) -> int:
        """All body bytes."""
        return sum(self.body_bytes.values())

    def asked(self, part: str) -> list[str]:
        """Methods of the requests whose path has the part."""
        return [method for method, path, _ in self.requests if part in path]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub: Hub

    def log_message(self, *_: object) -> None:
        """Silence."""

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def _answer(self, body: bool) -> None:
        hub, path = self.hub, unquote(self.path)
        hub.requests.append((self.command, path, {k.lower(): v for k, v in self.headers.items()}))
        if hub.faults.refusal is not None:
            return self._refuse(*hub.faults.refusal)
        if found := _RESOLVE.fullmatch(path):
            return self._resolve(found["repository"], found["revision"], found["file"], body)
        if found := _LISTING.fullmatch(path):
            return self._list(found["repository"])
        return self._refuse(404, "")

    def _refuse(self, status: int, code: str) -> None:
        headers = {"X-Error-Code": code} if code and not self.hub.faults.plain_404 else {}
        if self.hub.faults.hub_headers and code == "EntryNotFound":
            headers["X-Repo-Commit"] = self.hub.commit
        self._send(status, headers, b"", "")

    def _list(self, repository: str) -> None:
        files = self.hub.repositories.get(repository)
        if files is None:
            return self._refuse(404, "RepoNotFound")
        siblings = [{"rfilename": name} for name in files]
        listing = {"id": repository, "sha": self.hub.commit, "siblings": siblings, "tags": [], "private": False}
        return self._send(200, {"Content-Type": "application/json"}, json.dumps(listing).encode(), "listing")

    def _resolve(self, repository: str, revision: str, name: str, body: bool) -> None:
        hub = self.hub
        if repository not in hub.repositories:
            return self._refuse(404, "RepoNotFound")
        if revision not in ("main", hub.commit):
            return self._refuse(404, "RevisionNotFound")
        if name not in hub.repositories[repository]:
            return self._refuse(404, "EntryNotFound")
        content = hub.repositories[repository][name]
        headers = {"ETag": f'"{hashlib.sha256(content).hexdigest()}"', "Accept-Ranges": "bytes"}
        if hub.faults.hub_headers:
            headers["X-Repo-Commit"] = hub.commit
        if hub.faults.redirect_to and not name.endswith(".json"):
            target = f"{hub.faults.redirect_to}{self.path}"
            linked = {"Location": target, "X-Linked-Size": str(len(content)), "X-Linked-Etag": headers["ETag"]}
            return self._send(302, headers | linked, b"", name)
        return self._deliver(name, content, headers, body)

    def _deliver(self, name: str, content: bytes, headers: dict[str, str], body: bool) -> None:
        faults = self.hub.faults
        if body and not name.endswith(".json") and faults.failures:
            faults.failures -= 1
            return self._send(503, {}, b"", name)
        status, wanted = 200, re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if wanted and faults.ranges:
            first, last = int(wanted[1]), min(int(wanted[2] or len(content)), len(content) - 1)
            if first >= len(content):
                return self._send(416, {"Content-Range": f"bytes */{len(content)}"}, b"", name)
            status, headers = 206, headers | {"Content-Range": f"bytes {first}-{last}/{len(content)}"}
            content = content[first : last + 1]
        if not body:
            return self._send(status, headers | {"Content-Length": str(len(content))}, b"", name)
        if not name.endswith(".json") and faults.break_offs:
            faults.break_offs -= 1
            headers |= {"Content-Length": str(len(content))}
            self.close_connection = True
            content = content[: len(content) // 2]
        return self._send(status, headers, content, name)

    def _send(self, status: int, headers: dict[str, str], content: bytes, name: str) -> None:
        self.send_response(status)
        for key, value in ({"Content-Length": str(len(content))} | headers).items():
            self.send_header(key, value)
        self.end_headers()
        for start in range(0, len(content), 4096):
            piece = content[start : start + 4096]
            self.hub.body_bytes[name] += len(piece)  # first, so that a client that has it finds it counted
            try:
                self.wfile.write(piece)
            except OSError:  # the client hung up, as it should when it gets more than it asked for
                self.close_connection = True
                return


@contextmanager
def serve(**repositories: dict[str, bytes]) -> Iterator[Hub]:
    """Run a hub until the block ends."""
    handler = type("Handler", (_Handler,), {})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    hub = Hub(f"http://127.0.0.1:{server.server_address[1]}", repositories=dict(repositories))
    handler.hub = hub  # type: ignore[attr-defined]  # made just above
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def point_at(monkeypatch: pytest.MonkeyPatch, url: str, home: Path) -> None:
    """Make huggingface_hub, which reads the environment once, use this hub and an empty home."""
    from huggingface_hub import constants

    settings = {
        "ENDPOINT": url,
        "HUGGINGFACE_CO_URL_TEMPLATE": url + "/{repo_id}/resolve/{revision}/{filename}",
        "HF_HOME": str(home),
        "HF_HUB_CACHE": str(home / "hub"),
        "HF_TOKEN_PATH": str(home / "token"),
        "HF_HUB_OFFLINE": False,
        "HF_HUB_DISABLE_TELEMETRY": True,
        "HF_HUB_DOWNLOAD_TIMEOUT": 5,
    }
    for name, value in settings.items():
        monkeypatch.setattr(constants, name, value)
    for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"):
        monkeypatch.delenv(name, raising=False)


def safetensors_bytes(tensors: dict[str, np.ndarray]) -> bytes:
    """A file of float32 tensors, laid out by hand."""
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    blocks, offset = [], 0
    for name, values in tensors.items():
        block = values.astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(values.shape), "data_offsets": [offset, offset + len(block)]}
        offset += len(block)
        blocks.append(block)
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + b"".join(blocks)


def header_bytes(content: bytes) -> int:
    """Length of a safetensors file's header, its length field included."""
    return 8 + struct.unpack("<Q", content[:8])[0]


POSITIONS = "bert.embeddings.position_embeddings.weight"


def tag_table(rows: int = 64, columns: int = 8) -> np.ndarray:
    """Values that tell their own row and column."""
    return np.arange(rows)[:, None] + np.arange(columns)[None, :] / 64.0


def bert(rows: int = 64, columns: int = 8, words: int = 1000) -> dict[str, np.ndarray]:
    """The tensors around a position table, the table in the middle."""
    width = np.zeros((columns, columns))
    layers = {f"bert.encoder.layer.{n}.attention.self.query.weight": width for n in range(4)}
    return {
        "bert.embeddings.word_embeddings.weight": np.zeros((words, columns)),
        POSITIONS: tag_table(rows, columns),
        **layers,
    }


CONFIG = json.dumps(
    {"model_type": "bert", "max_position_embeddings": 64, "hidden_size": 8, "num_hidden_layers": 4}
).encode()
