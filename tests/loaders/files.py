"""Small checkpoints, written byte by byte where the tests need them wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save

KEY = "bert.embeddings.position_embeddings.weight"
WORDS = "bert.embeddings.word_embeddings.weight"


def tagged(rows: int = 16, columns: int = 4, base: float = 0.0) -> np.ndarray:
    """Row + column/64: every value tells where it was stored."""
    return (base + np.arange(rows)[:, None] + np.arange(columns) / 64).astype(np.float32)


def bert(rows: int = 16, columns: int = 4) -> dict[str, np.ndarray]:
    return {WORDS: np.full((7, columns), -1, np.float32), KEY: tagged(rows, columns)}


def config(**fields: Any) -> dict[str, Any]:
    return {"model_type": "bert", "max_position_embeddings": 16, "hidden_size": 4, **fields}


def write_folder(
    folder: Path, tensors: Mapping[str, np.ndarray] | None = None, settings: dict[str, Any] | None = None
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.safetensors").write_bytes(save(dict(tensors or bert())))
    (folder / "config.json").write_text(json.dumps(config() if settings is None else settings))
    return folder


def with_header(header: Any, data: bytes = b"", length: int | None = None) -> bytes:
    """A safetensors file with this header, true or not; ``length`` is what it claims to be long."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return (len(text) if length is None else length).to_bytes(8, "little") + text + data


def write_shards(folder: Path, shards: Mapping[str, Mapping[str, np.ndarray]], placed: Mapping[str, str]) -> Path:
    """Shards and the index that places tensors in them, rightly or not."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, tensors in shards.items():
        (folder / name).write_bytes(save(dict(tensors)))
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": dict(placed)}))
    (folder / "config.json").write_text(json.dumps(config()))
    return folder
