"""Folders: shards and their index, configs, and what stands where weights should."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import save

from probe import load
from probe.errors import FormatError, ProbeError, SourceError, TableNotFoundError
from probe.loaders import open_source
from tests.loaders.files import KEY, WORDS, bert, config, tagged, write_folder, write_shards

FIRST, SECOND = "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"
PLACED = {WORDS: FIRST, KEY: SECOND}
SHARDS = {FIRST: {WORDS: bert()[WORDS]}, SECOND: {KEY: tagged()}}


class TestShards:
    def test_only_the_shard_with_the_table_is_opened(self, tmp_path: Path) -> None:
        folder = write_shards(tmp_path, SHARDS, PLACED)
        (folder / FIRST).write_bytes(b"never looked at")
        source = open_source(folder)
        (located,) = source.encodings
        assert located.description.provenance.file == SECOND
        np.testing.assert_array_equal(located.read().array, tagged())
        assert source.warnings == ()

    def test_a_missing_shard_that_is_needed(self, tmp_path: Path) -> None:
        folder = write_shards(tmp_path, SHARDS, PLACED)
        (folder / SECOND).unlink()
        with pytest.raises(FormatError, match=SECOND):
            open_source(folder)

    def test_a_missing_shard_that_is_not(self, tmp_path: Path) -> None:
        folder = write_shards(tmp_path, SHARDS, PLACED)
        (folder / FIRST).unlink()
        source = open_source(folder)
        np.testing.assert_array_equal(source.select()[0].read().array, tagged())
        assert any(FIRST in warning for warning in source.warnings)

    def test_an_index_buffer_in_a_missing_shard_is_not_needed(self, tmp_path: Path) -> None:
        ids = KEY.replace("position_embeddings.weight", "position_ids")
        folder = write_shards(tmp_path, SHARDS, {**PLACED, ids: FIRST})
        (folder / FIRST).unlink()
        np.testing.assert_array_equal(load(folder).array, tagged())

    def test_an_index_that_names_the_wrong_shard(self, tmp_path: Path) -> None:
        source = open_source(write_shards(tmp_path, SHARDS, {WORDS: FIRST, KEY: FIRST, "other": SECOND}))
        np.testing.assert_array_equal(source.select()[0].read().array, tagged())
        assert any("index" in warning and FIRST in warning and SECOND in warning for warning in source.warnings)

    def test_a_tensor_that_no_shard_holds(self, tmp_path: Path) -> None:
        with pytest.raises(FormatError, match="position_embeddings") as caught:
            load(write_shards(tmp_path, {FIRST: SHARDS[FIRST]}, {WORDS: FIRST, KEY: FIRST}))
        assert FIRST in caught.value.message

    @pytest.mark.parametrize(
        "shard",
        ["../secret.safetensors", "/etc/secret.safetensors", "..\\secret.safetensors", "a/../../secret", "C:secret"],
    )
    def test_an_index_may_not_leave_its_folder(self, tmp_path: Path, shard: str) -> None:
        (tmp_path / "secret.safetensors").write_bytes(save({KEY: tagged(base=500)}))
        folder = write_shards(tmp_path / "model", {}, {KEY: shard})
        with pytest.raises(FormatError, match="outside its folder"):
            load(folder)

    @pytest.mark.parametrize("content", ["{}", '{"weight_map": []}', "[]", "{", '{"weight_map": {}}', ""])
    def test_an_index_that_is_none(self, tmp_path: Path, content: str) -> None:
        (tmp_path / "model.safetensors.index.json").write_text(content)
        with pytest.raises(FormatError, match=r"model\.safetensors\.index\.json"):
            load(tmp_path)

    def test_pickled_shards(self, tmp_path: Path) -> None:
        torch.save({WORDS: torch.zeros(7, 4)}, tmp_path / "pytorch_model-00001-of-00002.bin")
        torch.save({KEY: torch.from_numpy(tagged())}, tmp_path / "pytorch_model-00002-of-00002.bin")
        placed = {WORDS: "pytorch_model-00001-of-00002.bin", KEY: "pytorch_model-00002-of-00002.bin"}
        (tmp_path / "pytorch_model.bin.index.json").write_text(json.dumps({"weight_map": placed}))
        source = open_source(tmp_path)
        assert source.format == "torch-pickle"
        np.testing.assert_array_equal(source.select()[0].read().array, tagged())


class TestConfigs:
    def test_no_config_is_no_error(self, tmp_path: Path) -> None:
        folder = write_folder(tmp_path)
        (folder / "config.json").unlink()
        table = load(folder)
        np.testing.assert_array_equal(table.array, tagged())
        assert table.warnings == ()

    def test_a_config_without_model_type_leaves_it_to_the_names(self, tmp_path: Path) -> None:
        """``roberta.`` before the table says that two rows are reserved; ``bert.`` says that none is."""
        name = KEY.replace("bert.", "roberta.")
        table = load(write_folder(tmp_path, {name: tagged()}, {"hidden_size": 4, "pad_token_id": 1}))
        assert (table.row_offset, table.shape, table.warnings) == (2, (14, 4), ())
        np.testing.assert_array_equal(table.array, tagged()[2:])

    @pytest.mark.parametrize("content", ["{", "[1]", "null", '"bert"'])
    def test_a_config_that_is_none_is_named(self, tmp_path: Path, content: str) -> None:
        folder = write_folder(tmp_path)
        (folder / "config.json").write_text(content)
        with pytest.raises(ProbeError, match=r"config\.json"):
            load(folder)

    def test_a_config_of_strange_values_never_ends_in_a_traceback(self, tmp_path: Path) -> None:
        for field in ("pad_token_id", "model_type", "max_position_embeddings", "image_size", "text_config"):
            for value in (None, -1, 10**12, "x", [1], {"a": 1}, 1.5, True, []):
                for kind in ("bert", "roberta", "clip", "m2m_100"):
                    settings = config(model_type=kind) | {field: value}
                    try:
                        load(write_folder(tmp_path, settings=settings))
                    except ProbeError as error:
                        assert error.hint

    def test_the_table_is_believed_where_the_config_disagrees(self, tmp_path: Path) -> None:
        table = load(write_folder(tmp_path, settings=config(max_position_embeddings=512)))
        assert table.shape == (16, 4)
        assert any("512" in warning and "16" in warning for warning in table.warnings)

    def test_a_table_that_the_config_says_is_not_used(self, tmp_path: Path) -> None:
        source = open_source(write_folder(tmp_path, settings=config(position_embedding_type="relative_key")))
        (located,) = source.encodings
        assert located.description.unused
        assert any("not used" in warning for warning in located.description.warnings)


class TestWhatIsNoModel:
    @pytest.mark.parametrize(
        ("name", "said", "hint"),
        [
            ("tf_model.h5", "TensorFlow", "safetensors"),
            ("bert_model.ckpt.index", "TensorFlow", "safetensors"),
            ("flax_model.msgpack", "Flax", "safetensors"),
            ("model.onnx", "ONNX", "made from"),
            ("model.gguf", "GGUF", "made from"),
        ],
    )
    def test_other_frameworks_are_named(self, tmp_path: Path, name: str, said: str, hint: str) -> None:
        (tmp_path / name).write_bytes(b"\0" * 70)
        (tmp_path / "config.json").write_text("{}")
        with pytest.raises(FormatError, match=said) as caught:
            load(tmp_path)
        assert name in caught.value.message
        assert hint in (caught.value.hint or "")

    def test_an_adapter_names_its_base(self, tmp_path: Path) -> None:
        (tmp_path / "adapter_model.safetensors").write_bytes(save({"lora_A.weight": np.zeros((2, 2), np.float32)}))
        (tmp_path / "adapter_config.json").write_text('{"base_model_name_or_path": "example-org/base"}')
        with pytest.raises(FormatError, match="adapter") as caught:
            load(tmp_path)
        assert "example-org/base" in (caught.value.hint or "")

    def test_an_empty_folder_and_one_with_other_things(self, tmp_path: Path) -> None:
        with pytest.raises(SourceError, match="no files at all"):
            load(tmp_path)
        (tmp_path / "README.md").write_text("hello")
        (tmp_path / "checkpoint-500").mkdir()
        with pytest.raises(SourceError, match=r"README\.md") as caught:
            load(tmp_path)
        assert "checkpoint-500" in (caught.value.hint or "")

    def test_several_weights_files_are_a_choice(self, tmp_path: Path) -> None:
        for name in ("a.safetensors", "b.safetensors"):
            (tmp_path / name).write_bytes(save(bert()))
        with pytest.raises(SourceError, match=r"a\.safetensors, b\.safetensors") as caught:
            load(tmp_path)
        assert "a.safetensors" in (caught.value.hint or "")

    def test_one_file_of_an_unusual_name_is_taken(self, tmp_path: Path) -> None:
        (tmp_path / "weights.safetensors").write_bytes(save(bert()))
        (tmp_path / "optimizer.pt").write_bytes(b"not looked at")
        np.testing.assert_array_equal(load(tmp_path).array, tagged())

    def test_no_table_says_what_was_looked_at(self, tmp_path: Path) -> None:
        tensors = {"encoder.layers.0.rel_pos_h": tagged(), WORDS: tagged()}
        with pytest.raises(TableNotFoundError, match="2 tensors") as caught:
            load(write_folder(tmp_path, tensors, {"model_type": "novel"}))
        assert "rel_pos_h" in caught.value.message
        assert "novel" in caught.value.message
