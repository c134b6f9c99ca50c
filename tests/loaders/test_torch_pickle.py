"""PyTorch files as training leaves them: nested, wrapped, cut off, and with code inside."""

from __future__ import annotations

import json
import os
import pickle
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from probe import load, load_all
from probe.errors import FormatError, ProbeError
from probe.loaders import open_source
from tests.loaders.files import KEY, config, tagged

WPE = "transformer.wpe.weight"
BOTH = pytest.mark.parametrize("zipped", [True, False], ids=["zip", "legacy"])


def saved(path: Path, content: Any, *, zipped: bool = True) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save(content, path, _use_new_zipfile_serialization=zipped)
    return path


def tensors(rows: int = 16, columns: int = 4) -> dict[str, torch.Tensor]:
    return {WPE: torch.from_numpy(tagged(rows, columns)), "transformer.wte.weight": torch.zeros(7, columns)}


@BOTH
def test_both_ages_of_file_are_read(tmp_path: Path, zipped: bool) -> None:
    source = open_source(saved(tmp_path / "ckpt.pt", tensors(), zipped=zipped))
    assert source.format == "torch-pickle"
    (located,) = source.encodings
    np.testing.assert_array_equal(located.read().array, tagged())


@BOTH
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_narrow_floats_are_widened(tmp_path: Path, dtype: torch.dtype, zipped: bool) -> None:
    table = load(saved(tmp_path / "c.pt", {WPE: torch.from_numpy(tagged()).to(dtype)}, zipped=zipped))
    assert table.array.dtype == (np.float64 if dtype == torch.float64 else np.float32)
    np.testing.assert_array_equal(table.array, torch.from_numpy(tagged()).to(dtype).double().numpy())
    assert table.description.dtype == str(dtype).removeprefix("torch.")


@BOTH
def test_views_are_read_as_the_model_sees_them(tmp_path: Path, zipped: bool) -> None:
    """Transposed storage, a slice of a larger one: the strides count, not the bytes."""
    for view in (
        torch.from_numpy(tagged().T.copy()).T,
        torch.from_numpy(np.hstack([np.full((16, 3), 9, np.float32), tagged()]))[:, 3:],
    ):
        assert not view.is_contiguous()
        table = load(saved(tmp_path / "view.pt", {WPE: view}, zipped=zipped))
        np.testing.assert_array_equal(table.array, tagged())


@pytest.mark.parametrize(
    "prefix",
    [
        "",
        "module.",
        "_orig_mod.",
        "module._orig_mod.",
        "_orig_mod.module.",
        "_fsdp_wrapped_module._orig_mod.module.",
        "module.module.",
    ],
)
def test_wrappers_are_taken_off_the_key_in_any_order(tmp_path: Path, prefix: str) -> None:
    (only,) = load_all(saved(tmp_path / "c.pt", {f"{prefix}{name}": value for name, value in tensors().items()}))
    assert (only.provenance.tensor, only.provenance.key) == (f"{prefix}{WPE}", WPE)


def test_wrappers_inside_are_taken_off_too(tmp_path: Path) -> None:
    name = "model._fsdp_wrapped_module.transformer._checkpoint_wrapped_module.wpe.weight"
    assert load(saved(tmp_path / "c.pt", {name: torch.from_numpy(tagged())})).provenance.key == f"model.{WPE}"


@BOTH
@pytest.mark.parametrize(
    "nest", [["model"], ["state_dict"], ["model_state_dict"], ["checkpoint", "model", "state_dict"]]
)
def test_a_training_checkpoint_gives_its_model_not_its_optimizer(tmp_path: Path, nest: list[str], zipped: bool) -> None:
    content: dict[str, Any] = dict(tensors())
    for name in reversed(nest):
        content = {name: content}
    moments = {"exp_avg": torch.full((16, 4), 7.0), "exp_avg_sq": torch.full((16, 4), 8.0)}
    content |= {
        "optimizer": {"state": {0: moments}, "param_groups": [{"lr": 1e-3, "params": [0]}]},
        "optimizer_state_dict": {"state": {WPE: torch.full((16, 4), 7.0)}},
        "scheduler": {"last": torch.zeros(3)},
        "iteration": 5,
    }
    (only,) = load_all(saved(tmp_path / "ckpt.pt", content, zipped=zipped))
    np.testing.assert_array_equal(only.array, tagged())


def test_two_copies_are_two_components(tmp_path: Path) -> None:
    """An averaged copy beside the model: both are listed, each by where it is."""
    content = {"model": tensors(), "ema": {name: value + 1000 for name, value in tensors().items()}}
    encodings = load_all(saved(tmp_path / "ckpt.pt", content))
    first = {encoding.component: float(encoding.array[0, 0]) for encoding in encodings}
    assert len(first) == 2
    assert sorted(first.values()) == [0.0, 1000.0]


@BOTH
def test_every_truncation_is_an_error_in_words(tmp_path: Path, zipped: bool) -> None:
    path = saved(tmp_path / "ckpt.pt", tensors(), zipped=zipped)
    whole = path.read_bytes()
    for length in [0, 1, 2, 3, 4, 5, 9, 30, *range(50, len(whole), len(whole) // 23), len(whole) - 1]:
        path.write_bytes(whole[:length])
        with pytest.raises(ProbeError) as caught:
            load(path)
        assert "ckpt.pt" in caught.value.message, length
        assert caught.value.hint


@BOTH
def test_changed_bytes_never_end_in_a_traceback(tmp_path: Path, zipped: bool) -> None:
    """Whatever one changed byte leads to, it is a table or an error in words."""
    path = saved(tmp_path / "ckpt.pt", tensors(4, 2), zipped=zipped)
    whole = path.read_bytes()
    chance = np.random.default_rng(0)
    failures = 0
    for _ in range(150):
        content = bytearray(whole)
        content[chance.integers(min(len(whole), 700))] = chance.integers(256)
        path.write_bytes(content)
        try:
            load(path)
        except ProbeError as error:
            assert error.hint
            failures += 1
    assert failures > 30


class Payload:
    """Unpickles by making a folder, unless somebody refuses."""

    def __init__(self, folder: Path) -> None:
        self.folder = str(folder)

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (self.folder,)


@pytest.mark.parametrize("kind", ["zip", "legacy", "bare"])
@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.safetensors"])
def test_code_in_a_pickle_is_named_and_never_run(tmp_path: Path, kind: str, name: str) -> None:
    trap = tmp_path / "executed"
    content = {**tensors(), "extra": Payload(trap)}
    path = tmp_path / name
    if kind == "bare":
        path.write_bytes(pickle.dumps({"a": Payload(trap)}, protocol=2))
    else:
        saved(path, content, zipped=kind == "zip")
    for source in (path, tmp_path):
        with pytest.raises(FormatError) as caught:
            load(source)
        if kind != "bare":
            assert "mkdir" in caught.value.message
            assert "refused" in caught.value.message
    assert not trap.exists()


def test_what_is_no_dictionary_of_tensors(tmp_path: Path) -> None:
    with pytest.raises(ProbeError, match=r"state_dict|Tensor"):
        load(saved(tmp_path / "one.pt", torch.zeros(4, 4)))
    with pytest.raises(ProbeError) as caught:
        load(saved(tmp_path / "list.pt", [1, 2, 3]))
    assert "state_dict" in (caught.value.hint or "")
    with pytest.raises(ProbeError, match="no position table"):
        load(saved(tmp_path / "none.pt", {"epoch": 3}))


def test_a_zip_that_is_no_torch_file(tmp_path: Path) -> None:
    path = tmp_path / "weights.pt"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "nothing here")
    with pytest.raises(FormatError, match=r"weights\.pt"):
        load(path)


def test_a_pickle_under_the_name_of_safetensors_and_the_reverse(tmp_path: Path) -> None:
    """Read as what they are, and said so."""
    from safetensors.numpy import save

    saved(tmp_path / "a" / "model.safetensors", {KEY: torch.from_numpy(tagged())})
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "pytorch_model.bin").write_bytes(save({KEY: tagged()}))
    for folder, really, claimed in (("a", "PyTorch", "model.safetensors"), ("b", "safetensors", "pytorch_model.bin")):
        (tmp_path / folder / "config.json").write_text(json.dumps(config()))
        source = open_source(tmp_path / folder)
        np.testing.assert_array_equal(source.select()[0].read().array, tagged())
        assert any(really in warning and claimed in warning for warning in source.warnings)


def test_empty_shells_of_zero_3_are_named(tmp_path: Path) -> None:
    shells = {KEY: torch.zeros(0), "bert.embeddings.word_embeddings.weight": torch.zeros(0)}
    with pytest.raises(FormatError, match="ZeRO") as caught:
        load(saved(tmp_path / "pytorch_model.bin", shells))
    assert "position_embeddings" in caught.value.message
    assert "zero_to_fp32" in (caught.value.hint or "")


def test_flattened_parameters_are_named(tmp_path: Path) -> None:
    flat = {"model": {"backbone._fsdp_wrapped_module._flat_param": torch.zeros(100)}}
    with pytest.raises(FormatError, match="FSDP"):
        load(saved(tmp_path / "model.pth", flat))


def names(content: Mapping[str, Any]) -> list[str]:
    return sorted(content)


def test_the_container_lists_what_it_holds(tmp_path: Path) -> None:
    from probe.loaders.checkpoints.torch_pickle import TorchPickleFile

    file = TorchPickleFile(saved(tmp_path / "c.pt", {"model": tensors()}))
    assert names(file.tensors) == names(tensors())
    assert file.tensors[WPE].shape == (16, 4)
    assert file.tensors[WPE].dtype == "float32"
