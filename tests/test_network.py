"""The network is closed to the tests and to what they start, and loopback is open to both.

The address that must be refused is 127.0.0.2: were the guard broken, nothing would leave the machine.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

CONNECT = "import socket, sys; socket.create_connection((sys.argv[1], int(sys.argv[2])), 5).close()"


@pytest.fixture
def port() -> Iterator[int]:
    with socket.create_server(("0.0.0.0", 0)) as server:  # both addresses would answer
        yield server.getsockname()[1]


def start(host: str, port: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", CONNECT, host, str(port)], capture_output=True, text=True)


def test_loopback_is_open_to_tests_and_to_their_children(port: int) -> None:
    socket.create_connection(("127.0.0.1", port), 5).close()
    done = start("127.0.0.1", port)
    assert done.returncode == 0, done.stderr


def test_any_other_address_is_closed_to_tests(port: int) -> None:
    with pytest.raises((RuntimeError, UserWarning), match=r"127\.0\.0\.2"):  # pytest-socket warns, then raises
        socket.create_connection(("127.0.0.2", port), 5)


def test_any_other_address_is_closed_to_their_children(port: int) -> None:
    done = start("127.0.0.2", port)
    assert done.returncode == 1
    assert "loopback only, not to 127.0.0.2" in done.stderr


def test_names_are_not_even_looked_up_by_their_children() -> None:
    assert "loopback only, not to hub.invalid" in start("hub.invalid", 80).stderr


def test_no_test_opens_the_network_again() -> None:
    opened = re.compile(r"enable_socket|socket_enabled|allow_hosts|closed_network")
    allowed = {"conftest.py", Path(__file__).name}
    files = [path for path in Path(__file__).parent.rglob("*.py") if path.name not in allowed]
    assert [str(path) for path in files if opened.search(path.read_text(encoding="utf-8"))] == []


def test_the_hub_cache_is_empty_and_nobody_is_signed_in() -> None:
    from huggingface_hub import constants, get_token

    assert Path(constants.HF_HOME).name.startswith("probe-tests-")
    assert get_token() is None
    assert os.environ["OMP_NUM_THREADS"] == "1"
