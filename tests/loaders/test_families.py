"""Every row of the families, held against the model that transformers builds: its file and its own forward."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import PreTrainedModel

from probe.encodings import PositionTable
from probe.loaders import open_source
from probe.loaders.families import FAMILIES, OTHER_SCHEMES, Family, listing
from tests.loaders.files import tagged
from tests.loaders.tiny_models import FIRST_STATES, build, first_states, tensor_of

BUILT_ELSEWHERE = {"open_clip"}  # no model of transformers; the cases have its checkpoint
ROWS = [family for family in FAMILIES if family.model_type not in BUILT_ELSEWHERE]
STEPS = "decision_transformer"  # three tokens a step: it has a test of its own


def named(family: Family) -> str:
    return f"{family.model_type}-{family.component}"


each_row = pytest.mark.parametrize("family", ROWS, ids=named)


@lru_cache(maxsize=4)
def model_of(model_type: str, pad: int | None) -> PreTrainedModel:
    return build(model_type) if pad is None else build(model_type, pad_token_id=pad)


def tag(table: torch.Tensor) -> np.ndarray:
    """Write row + column/64 into the rows of a live table."""
    rows, columns = table.shape[-2:]
    values = tagged(rows, columns)
    with torch.no_grad():
        table.copy_(torch.from_numpy(values).reshape(table.shape))
    return values


def opened(model: PreTrainedModel, folder: Path, component: str) -> tuple[PositionTable, list[str]]:
    model.save_pretrained(folder)
    source = open_source(folder)
    (located,) = source.select(component)
    table = located.read()
    assert isinstance(table, PositionTable)
    return table, [one.description.component for one in source.encodings]


@each_row
def test_the_file_gives_the_rows_in_position_order(family: Family, tmp_path: Path) -> None:
    model = build(family.model_type)
    live = tensor_of(model, family.tensor)
    stored = any(name.endswith(family.tensor) for name in model.state_dict())
    expected = tag(live) if stored else live.numpy().copy()
    table, components = opened(model, tmp_path, family.component)
    assert len(components) == len(set(components))
    assert set(components) == {row.component for row in FAMILIES if row.model_type == family.model_type}
    offset = table.row_offset
    if family.rule != "pad+1":
        assert offset == family.rule
    np.testing.assert_allclose(
        table.array, expected[offset : offset + table.shape[0]], rtol=0, atol=0 if stored else 1e-5
    )
    assert table.description.stored is stored
    if stored:
        assert offset + table.shape[0] == len(expected)
        assert [warning for warning in table.warnings if "guess" in warning] == []
        assert [warning for warning in table.warnings if "believed" in warning] == []


@pytest.mark.parametrize(
    ("family", "pad"),
    [
        (family, pad)
        for family in ROWS
        for pad in (None, 3)
        if not (pad and family.image) and family.model_type != STEPS
    ],
    ids=lambda value: named(value) if isinstance(value, Family) else f"pad {value or 'as usual'}",
)
def test_perturbing_a_stored_row_moves_the_position_that_probe_says(family: Family, pad: int | None) -> None:
    model = model_of(family.model_type, pad)
    offset = open_source(model).select(family.component)[0].description.row_offset
    table = tensor_of(model, family.tensor)
    rows = table.reshape(table.shape[-2:])
    before = first_states(model, family.component)
    for row in range(offset + 4):
        with torch.no_grad():
            kept = rows[row].clone()
            rows[row] += torch.linspace(1, 5, rows.shape[1])
        moved = (first_states(model, family.component) - before).abs().amax(-1) > 1e-5
        with torch.no_grad():
            rows[row] = kept
        registers = getattr(model.config, "num_register_tokens", 0) if row >= family.prefix_tokens else 0
        expected = [] if row < offset else [row - offset + registers]
        assert moved.nonzero().flatten().tolist() == expected, f"stored row {row}, offset {offset}"


@pytest.mark.parametrize("family", [family for family in ROWS if family.image], ids=named)
def test_a_picture_has_as_many_tokens_as_prefix_and_grid_say(family: Family, tmp_path: Path) -> None:
    model = build(family.model_type)
    table, _ = opened(model, tmp_path, "vision")
    assert table.grid == (4, 4)
    assert table.prefix_tokens == family.prefix_tokens
    assert table.shape[0] == family.prefix_tokens + 16
    tokens = first_states(model, "vision").shape[0]
    registers = getattr(model.config, "num_register_tokens", 0)
    assert tokens == table.shape[0] + registers


def test_steps_are_told_apart_by_their_own_table_and_not_by_wpe() -> None:
    model = build(STEPS, state_dim=4, act_dim=2, max_ep_len=12)
    assert [one.description.component for one in open_source(model).encodings] == ["timestep"]

    def states() -> torch.Tensor:
        with torch.no_grad():
            return model(
                states=torch.zeros(1, 3, 4), actions=torch.zeros(1, 3, 2), rewards=torch.zeros(1, 3, 1),
                returns_to_go=torch.zeros(1, 3, 1), timesteps=torch.arange(3)[None],
                attention_mask=torch.ones(1, 3), output_hidden_states=True,
            ).hidden_states[0][0]  # fmt: skip

    before = states()
    for suffix, moved in (("embed_timestep.weight", [3, 4, 5]), ("wpe.weight", [])):
        row = tensor_of(model, suffix)[1]
        with torch.no_grad():
            row += torch.linspace(1, 5, len(row))
        changed = (states() - before).abs().amax(-1) > 1e-5
        assert changed.nonzero().flatten().tolist() == moved
        with torch.no_grad():
            row -= torch.linspace(1, 5, len(row))


@pytest.mark.parametrize("model_type", sorted(OTHER_SCHEMES))
def test_a_family_has_tables_or_another_scheme(model_type: str) -> None:
    assert model_type not in {family.model_type for family in FAMILIES}


def test_no_two_rows_are_for_one_part_of_a_model() -> None:
    assert len({named(family) for family in FAMILIES}) == len(FAMILIES)
    assert {family.component for family in FAMILIES} - {"timestep"} == set(FIRST_STATES)


def test_the_listing_has_every_row_and_its_rule() -> None:
    rules = {(row.model_type, row.component): row.rule for row in listing()}
    assert len(rules) == len(FAMILIES)
    assert rules["roberta", "text"] == "pad id + 1"
    assert (rules["opt", "text"], rules["bert", "text"]) == ("2", "0")
