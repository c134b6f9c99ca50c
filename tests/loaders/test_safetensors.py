"""safetensors files as they are found: whole, cut off, mislabelled, lying."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from safetensors.numpy import save

from probe import load
from probe.encodings import PositionTable
from probe.errors import FormatError, ProbeError
from probe.loaders import open_source
from probe.loaders.checkpoints.local_file import LocalFile
from probe.loaders.checkpoints.safetensors import SafetensorsFile
from tests.loaders.files import KEY, WORDS, bert, tagged, with_header, write_folder

WHOLE = save(bert())
DATA_START = 8 + int.from_bytes(WHOLE[:8], "little")


def opened(tmp_path: Path, content: bytes) -> SafetensorsFile:
    path = tmp_path / "model.safetensors"
    path.write_bytes(content)
    return SafetensorsFile(LocalFile(path))


def test_show_reads_the_header_and_load_adds_the_table_alone(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "m")
    settings = (folder / "config.json").stat().st_size
    source = open_source(folder)
    assert source.bytes_read == DATA_START + settings
    (located,) = source.encodings
    table = located.read()
    assert source.bytes_read == DATA_START + settings + 16 * 4 * 4
    np.testing.assert_array_equal(table.array, tagged())
    assert (table.provenance.file, table.provenance.tensor) == ("model.safetensors", KEY)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_each_width_comes_out_as_float32_or_wider(tmp_path: Path, dtype: str) -> None:
    stored = tagged(8, 4).astype(getattr(ml_dtypes, dtype, dtype))
    table = load(write_folder(tmp_path / "m", {KEY: stored}))
    assert isinstance(table, PositionTable)
    assert table.description.dtype == dtype
    assert table.array.dtype == (np.float64 if dtype == "float64" else np.float32)
    np.testing.assert_array_equal(table.array, stored.astype(np.float64))


def test_every_truncation_is_named_and_none_reads_a_wrong_table(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    for length in [*range(0, 40), *range(DATA_START - 3, DATA_START + 3), *range(DATA_START + 5, len(WHOLE), 17)]:
        path.write_bytes(WHOLE[:length])
        with pytest.raises(FormatError) as caught:
            load(path)
        assert "model.safetensors" in caught.value.message
        assert ("empty" if length == 0 else "truncated") in caught.value.message, length
        if length >= 9:
            assert f"{length:,}" in caught.value.message
    path.write_bytes(WHOLE)
    np.testing.assert_array_equal(load(path).array, tagged())


FINE = {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]}


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({**FINE, "shape": [2, 3]}, "contradicts"),
        ({**FINE, "shape": [-2, -2]}, "negative"),
        ({**FINE, "data_offsets": [16, 0]}, "negative"),
        ({**FINE, "data_offsets": [-16, 0]}, "negative"),
        ({**FINE, "data_offsets": [0]}, "malformed"),
        ({**FINE, "shape": "2x2"}, "malformed"),
        ({"dtype": "F32"}, "malformed"),
        ([1, 2], "malformed"),
        ({**FINE, "data_offsets": [1000, 1016]}, "truncated"),
    ],
)
def test_a_header_that_lies_about_a_tensor(tmp_path: Path, entry: Any, said: str) -> None:
    with pytest.raises(FormatError, match=said) as caught:
        opened(tmp_path, with_header({KEY: entry}, bytes(16)))
    assert caught.value.hint


@pytest.mark.parametrize(
    "content",
    [
        with_header(b"{" + b"[" * 100_000, bytes(16)),
        with_header(b"{not json", bytes(16)),
        with_header(b"{\xff\xfe}", bytes(16)),
        with_header({}, length=2**63),
        with_header({}, length=150_000_000),
        with_header(b'"a string"', bytes(16)),
    ],
    ids=["deep", "no json", "no utf-8", "huge", "over the limit", "no object"],
)
def test_a_header_that_is_none(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(FormatError, match=r"model\.safetensors"):
        opened(tmp_path, content)


def test_tensors_may_overlap_nothing_else_is_read(tmp_path: Path) -> None:
    two = with_header({"a": FINE, KEY: {**FINE, "data_offsets": [16, 32]}}, np.arange(8, dtype=np.float32).tobytes())
    file = opened(tmp_path, two)
    np.testing.assert_array_equal(file.read(KEY), [[4, 5], [6, 7]])


def test_an_unknown_dtype_hurts_only_who_asks_for_it(tmp_path: Path) -> None:
    whole = with_header({"odd": {**FINE, "dtype": "F4_NEW"}, KEY: FINE}, bytes(16))
    file = opened(tmp_path, whole)
    assert file.read(KEY).shape == (2, 2)
    with pytest.raises(FormatError, match="f4_new"):
        file.read("odd")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n", "LFS"),
        (b"GGUF\x03\x00\x00\x00" + bytes(64), "GGUF"),
        (b"\x89PNG\r\n\x1a\n" + bytes(64), "PNG"),
        (b"The quick brown fox jumps over the lazy dog.", "no weights file"),
        (b"<!DOCTYPE html><html><head><title>Sign in</title></head></html>", "no weights file"),
        (b"", "empty"),
    ],
    ids=["lfs", "gguf", "png", "text", "html", "empty"],
)
@pytest.mark.parametrize("name", ["model.safetensors", "pytorch_model.bin"])
def test_a_file_that_is_something_else(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    (tmp_path / name).write_bytes(content)
    for source in (tmp_path, tmp_path / name):
        with pytest.raises(ProbeError) as caught:
            load(source)
        assert said.lower() in caught.value.message.lower()
        assert name in caught.value.message
        assert caught.value.hint


def eight_bits(tmp_path: Path, **scale: np.ndarray) -> Path:
    stored = (tagged(8, 4) * 8).astype(ml_dtypes.float8_e4m3fn)
    return write_folder(tmp_path / "m", {KEY: stored, **{KEY + suffix: values for suffix, values in scale.items()}})


@pytest.mark.parametrize("suffix", ["_scale", "_scale_inv"])
@pytest.mark.parametrize("shape", [(), (1,), (8, 1), (1, 4), (2, 1)], ids=str)
def test_eight_bits_are_multiplied_by_the_scale_beside_them(
    tmp_path: Path, suffix: str, shape: tuple[int, ...]
) -> None:
    scale = (np.arange(max(1, int(np.prod(shape)))) + 0.5).astype(np.float32).reshape(shape)
    table = load(eight_bits(tmp_path, **{suffix: scale}))
    stored = (tagged(8, 4) * 8).astype(ml_dtypes.float8_e4m3fn).astype(np.float32)
    blocks = np.repeat(scale, 4, axis=0) if shape == (2, 1) else scale  # a block of four rows each
    np.testing.assert_allclose(table.array, stored * blocks, rtol=1e-6)
    assert table.description.dtype == "float8_e4m3fn"


def test_eight_bits_without_a_scale_are_read_with_a_warning(tmp_path: Path) -> None:
    table = load(eight_bits(tmp_path))
    assert any("scale" in warning and "float8_e4m3fn" in warning for warning in table.warnings)


def test_a_scale_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="_scale"):
        load(eight_bits(tmp_path, _scale=np.ones(5, np.float32)))


def test_the_other_tensors_keep_their_names(tmp_path: Path) -> None:
    assert set(opened(tmp_path, WHOLE).tensors) == {KEY, WORDS}
