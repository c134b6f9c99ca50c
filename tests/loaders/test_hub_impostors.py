"""On the hub, as in a folder, a file is opened as what it is."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
import torch

from probe.errors import FormatError
from probe.loaders import open_source
from tests.loaders.hub_server import CONFIG, POSITIONS, bert, point_at, safetensors_bytes, serve, tag_table

REPOSITORY = "example-org/tiny-bert"


def pickled() -> bytes:
    buffer = io.BytesIO()
    torch.save({POSITIONS: torch.tensor(tag_table(), dtype=torch.float32)}, buffer)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "really"),
    [
        ("pytorch_model.bin", safetensors_bytes(bert()), "safetensors"),
        ("model.safetensors", pickled(), "torch-pickle"),
    ],
)
def test_a_file_under_another_s_name(
    name: str, content: bytes, really: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with serve(**{REPOSITORY: {"config.json": CONFIG, name: content}}) as hub:
        point_at(monkeypatch, hub.url, tmp_path)
        source = open_source(REPOSITORY)
        (located,) = source.encodings
        assert np.array_equal(located.read().array, tag_table())
    assert source.format == really
    assert any(name in warning and "another's name" in warning for warning in source.warnings)


def test_a_pointer_is_no_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"
    with serve(**{REPOSITORY: {"config.json": CONFIG, "model.safetensors": pointer}}) as hub:
        point_at(monkeypatch, hub.url, tmp_path)
        with pytest.raises(FormatError, match="LFS"):
            open_source(REPOSITORY)
