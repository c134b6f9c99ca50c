"""Models inside models, models that nobody knows, and names that mislead."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers

from probe import load
from probe.encodings import PositionTable
from probe.errors import TableNotFoundError
from probe.loaders import open_source
from probe.loaders.names import distinct_parts, key_of, looks_like_table
from tests.loaders.files import tagged, write_folder
from tests.loaders.tiny_models import build, configured, shrink

BERT = {"model_type": "bert", "max_position_embeddings": 16}
ROBERTA = {"model_type": "roberta", "max_position_embeddings": 16, "pad_token_id": 1}
SUFFIX = "embeddings.position_embeddings.weight"


def shown(tmp_path: Path, tensors: dict[str, np.ndarray], config: dict[str, Any]) -> dict[str, tuple[int, float]]:
    """Component → row offset and first value."""
    source = open_source(write_folder(tmp_path / "m", tensors, config))
    tables = {one.description.component: one.read() for one in source.encodings}
    return {name: (table.description.row_offset, float(table.array[0, 0])) for name, table in tables.items()}


class TestModelsInsideModels:
    def test_an_encoder_and_a_decoder_with_rules_of_their_own(self, tmp_path: Path) -> None:
        tensors = {f"encoder.{SUFFIX}": tagged(base=100), f"decoder.roberta.{SUFFIX}": tagged(base=200)}
        config = {"model_type": "encoder-decoder", "encoder": BERT, "decoder": ROBERTA}
        assert shown(tmp_path, tensors, config) == {"encoder": (0, 100.0), "decoder": (2, 202.0)}

    def test_a_reader_of_pictures(self, tmp_path: Path) -> None:
        """TrOCR: a ViT sees, a decoder of BART's kind writes."""
        tensors = {
            "encoder.embeddings.position_embeddings": tagged(17, base=100)[None],
            "decoder.model.decoder.embed_positions.weight": tagged(18, base=200),
        }
        config = {
            "model_type": "vision-encoder-decoder",
            "encoder": {"model_type": "vit", "image_size": [16, 64], "patch_size": 8},
            "decoder": {"model_type": "trocr", "max_position_embeddings": 16},
        }
        assert shown(tmp_path, tensors, config) == {"vision": (0, 100.0), "decoder": (2, 202.0)}
        table = load(tmp_path / "m", component="vision")
        assert isinstance(table, PositionTable)
        assert (table.grid, table.prefix_tokens) == ((2, 8), 1)

    def test_a_known_part_beside_an_unknown_one(self, tmp_path: Path) -> None:
        tensors = {
            "language_model.model.decoder.embed_positions.weight": tagged(18),
            "vision_model.embeddings.position_embedding": tagged(17, base=500)[None],
        }
        config = {
            "model_type": "seer-9",
            "text_config": {"model_type": "opt", "max_position_embeddings": 16},
            "vision_config": {"model_type": "seer-9-vision", "image_size": 16, "patch_size": 4},
        }
        assert shown(tmp_path, tensors, config) == {"text": (2, 2.0), "vision": (0, 500.0)}
        warnings = {
            one.description.component: one.description.warnings for one in open_source(tmp_path / "m").encodings
        }
        assert warnings["text"] == ()
        assert any("guess" in warning for warning in warnings["vision"])

    def test_transformers_own_composite(self, tmp_path: Path) -> None:
        config = transformers.EncoderDecoderConfig.from_encoder_decoder_configs(
            shrink(configured("bert")(), {}), shrink(configured("bert")(), {})
        )
        transformers.EncoderDecoderModel(config).save_pretrained(tmp_path)
        assert {one.description.component for one in open_source(tmp_path).encodings} == {"encoder", "decoder"}


class TestGuesses:
    def test_an_unknown_model_says_what_was_guessed(self, tmp_path: Path) -> None:
        config = {"model_type": "novel", "max_position_embeddings": 16}
        table = load(write_folder(tmp_path, {"body.pos_embedding.weight": tagged()}, config))
        np.testing.assert_array_equal(table.array, tagged())
        (warning,) = table.warnings
        assert "guess" in warning and "body.pos_embedding.weight" in warning

    def test_two_rows_over_a_round_number_are_pointed_out(self, tmp_path: Path) -> None:
        table = load(write_folder(tmp_path, {"embed_positions.weight": tagged(130)}, {"model_type": "novel"}))
        assert table.shape[0] == 130
        assert "two more than 128" in table.warnings[0]

    def test_an_unknown_type_with_a_known_root_is_numbered_like_it(self, tmp_path: Path) -> None:
        table = load(write_folder(tmp_path, {f"roberta.{SUFFIX}": tagged()}, {"model_type": "my-roberta"}))
        assert table.description.row_offset == 2
        assert "guess" in table.warnings[0] and "my-roberta" in table.warnings[0]

    def test_a_padding_id_outside_the_table_is_not_believed(self, tmp_path: Path) -> None:
        for pad in (50_256, -1, "x"):
            table = load(write_folder(tmp_path, {f"roberta.{SUFFIX}": tagged()}, {**ROBERTA, "pad_token_id": pad}))
            assert table.description.row_offset == 2
            assert any("pad_token_id" in warning for warning in table.warnings)


@pytest.mark.parametrize(
    "name",
    [
        "bert.encoder.layer.0.attention.self.distance_embedding.weight",
        "layoutlm.embeddings.x_position_embeddings.weight",
        "swin.layers.0.blocks.0.attn.relative_position_bias_table",
        "deberta.encoder.rel_embeddings.weight",
        "roformer.encoder.embed_positions.weight",
        "model.query_position_embeddings.weight",
        "shared_image_embedding.positional_embedding",
        "vision.row_position_embeddings.weight",
        "model.layers.0.self_attn.rotary_emb.inv_freq",
        "ibert.embeddings.position_embeddings.weight_integer",
        "vit_mae.decoder.decoder_pos_embed",
        "embeddings.position_ids",
        "composition.weight",
        "embeddings.token_embeddings.weight",
    ],
)
def test_a_look_alike_is_no_table(name: str, tmp_path: Path) -> None:
    assert not looks_like_table(key_of(name), (16, 4))
    with pytest.raises(TableNotFoundError):
        load(write_folder(tmp_path, {name: tagged()}, {"model_type": "novel"}))


@pytest.mark.parametrize("name", ["bert.embeddings.position_embeddings.weight", "wpe.weight", "visual.pos_embed"])
def test_a_table_is_two_dimensional(name: str) -> None:
    assert looks_like_table(name, (16, 4))
    assert looks_like_table(name, (1, 16, 4))
    assert not looks_like_table(name, (16,))
    assert not looks_like_table(name, (2, 16, 4))


@pytest.mark.parametrize(
    ("kind", "words"), [("roformer", "rotary"), ("llama", "rotary"), ("bloom", "alibi"), ("t5", "relative bias")]
)
def test_a_model_that_adds_no_table_is_told_so(kind: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(TableNotFoundError, match=words) as caught:
        load(write_folder(tmp_path, {"encoder.embed_positions.weight": tagged()}, {"model_type": kind}))
    assert kind in caught.value.message


class TestComputed:
    def test_marian_drops_its_table_when_it_is_saved(self, tmp_path: Path) -> None:
        torch.manual_seed(0)
        model = transformers.MarianMTModel(build("marian").config)
        model.save_pretrained(tmp_path)
        source = open_source(tmp_path)
        for located in source.encodings:
            part = getattr(model.model, located.description.component)
            assert not located.description.stored
            np.testing.assert_allclose(located.read().array, part.embed_positions.weight.detach(), atol=1e-5)
            assert "not stored" in located.description.warnings[0]
        assert {one.description.component for one in source.encodings} == {"encoder", "decoder"}

    def test_without_a_length_nothing_is_made_up(self, tmp_path: Path) -> None:
        with pytest.raises(TableNotFoundError):
            load(write_folder(tmp_path, {"shared.weight": tagged()}, {"model_type": "m2m_100", "d_model": 4}))


def test_names_that_tell_tables_apart() -> None:
    assert distinct_parts(["a.x.pos", "b.x.pos"]) == ["a", "b"]
    assert distinct_parts(["m.a.pos", "m.b.pos", "m.c.pos"]) == ["a", "b", "c"]
    assert len(set(distinct_parts(["pos", "m.pos", "m.m.pos"]))) == 3


@pytest.mark.parametrize("names", [("module.wpe.weight", "wpe.weight"), ("a/wpe.weight", "b/wpe.weight", "wpe.weight")])
def test_components_are_always_told_apart(names: tuple[str, ...], tmp_path: Path) -> None:
    tensors = {name: tagged(base=100 * place) for place, name in enumerate(names)}
    found = shown(tmp_path, tensors, {"model_type": "gpt2", "n_positions": 16})
    assert sorted(first for _, first in found.values()) == [100.0 * place for place in range(len(names))]
