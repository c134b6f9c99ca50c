"""What every registered analyzer keeps to, whoever wrote it."""

from __future__ import annotations

import dataclasses
import inspect
import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure

import probe
from probe import analyzers
from probe.analyzers import Analyzer, Result, Style, get, names, registry
from probe.encodings import Description, OffsetKernel, PositionTable, Provenance
from probe.errors import ProbeError, TableError

KEYS = {
    "pca": "variance_top_2 variance_top_10 stable_rank participation_ratio components_for_90 components_for_95",
    "fourier": "line_count line_energy_share strongest_period",
    "sinusoid": "vaswani_r2 best_base best_base_r2 shift_r2_1 shift_r2_16 cka",
    "neighbors": "cosine_next centred_cosine_next nearest_is_adjacent half_decay_offset",
}
HOSTILE = "<script>alert('a')</script> & \"b\""

every_analyzer = pytest.mark.parametrize("name", names())


def table(positions: int = 70, dimensions: int = 10) -> np.ndarray:
    generator = np.random.default_rng(11)
    waves = np.sin(np.arange(positions)[:, None] * np.geomspace(1, 0.02, dimensions) + np.arange(dimensions))
    return waves + 0.3 * generator.standard_normal((positions, dimensions)) + 0.5


@pytest.fixture(scope="module")
def results() -> dict[str, Result]:
    named = PositionTable.from_array(table(), label=HOSTILE)
    return analyzers.run([get(name)() for name in names()], named, draws=4)


def leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in leaves(item)]
    if isinstance(value, list):
        return [leaf for item in value for leaf in leaves(item)]
    return [value]


def test_the_four_questions_are_registered() -> None:
    assert {"pca", "fourier", "neighbors"} <= set(names())
    assert [get(name).order for name in names()] == sorted(get(name).order for name in names())


@every_analyzer
def test_it_says_what_it_asks_and_how_it_misleads(name: str) -> None:
    analyzer = get(name)
    assert analyzer.name == name and analyzer.question.endswith("?")
    assert len(analyzer.method) > 80 and len(analyzer.misleads) > 80
    assert issubclass(analyzer, Analyzer) and issubclass(analyzer.result_type, Result)
    assert analyzer.result_type.kind == name
    for spec in analyzer.result_type.specs:
        assert spec.label and spec.meaning.endswith(".")
    for doc in (analyzer.__doc__, analyzer.result_type.__doc__):
        assert doc and doc.strip()


@every_analyzer
def test_its_function_is_exported_under_its_name_and_takes_its_parameters(name: str) -> None:
    function = getattr(analyzers, name)
    assert function is getattr(probe, name)
    assert inspect.isfunction(function)
    assert function.__doc__ and function.__doc__.startswith(get(name).question)
    parameters = {field.name: field.default for field in dataclasses.fields(get(name))}
    signature = inspect.signature(function).parameters
    assert next(iter(signature)) == "table"
    assert {key: value.default for key, value in signature.items() if key != "table"} == parameters


@every_analyzer
def test_its_scores_have_the_names_that_comparisons_rely_on(name: str, results: dict[str, Result]) -> None:
    summary = results[name].summary()
    assert " ".join(summary) == KEYS.get(name, " ".join(summary))
    for key, score in summary.items():
        assert score.value is None or math.isfinite(score.value), key
        assert score.value is not None or score.reason, key
        assert score.against or score.reason, f"{key} has neither a null nor a reason"
        for null in score.against:
            assert 1 / 5 <= null.p_value <= 1 and null.low <= null.mean <= null.high, key


@every_analyzer
def test_its_json_is_strict_and_survives_a_round_trip(name: str, results: dict[str, Result]) -> None:
    body = results[name].to_dict()
    text = json.dumps(body, allow_nan=False)
    assert json.loads(text) == body
    assert (body["kind"], body["schema"]) == (name, f"probe.{name}/1")
    assert list(body["scores"]) == list(results[name].summary())
    assert body["shape"] == [70, 10] and body["source"]["label"] == HOSTILE
    assert all(isinstance(leaf, (str, int, float, bool, type(None))) for leaf in leaves(body))


@every_analyzer
def test_its_result_cannot_be_changed(name: str, results: dict[str, Result]) -> None:
    result = results[name]
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.shape = (1, 1)  # type: ignore[misc]  # that is the point
    for field in dataclasses.fields(result):
        value = getattr(result, field.name)
        if isinstance(value, np.ndarray):
            assert not value.flags.writeable, field.name
    assert result == result and isinstance(hash(result), int)
    with pytest.raises(dataclasses.FrozenInstanceError):
        get(name)().seed = 1  # type: ignore[misc]  # that is the point


@every_analyzer
def test_it_shows_itself_in_one_line_and_in_escaped_html(name: str, results: dict[str, Result]) -> None:
    result = results[name]
    assert "\n" not in repr(result) and result.finding in repr(result)
    assert not result.finding[0].islower() and result.finding.endswith(".")
    html = result._repr_html_()
    assert "<script>" not in html and "&lt;script&gt;" in html
    assert all(spec.name in result.summary() for spec in result.specs) and "<table>" in html


@every_analyzer
def test_its_frame_has_a_row_for_each_score(name: str, results: dict[str, Result]) -> None:
    frame = results[name].to_frame()
    assert frame["score"].tolist() == list(results[name].summary())
    assert set(frame["model"]) == {HOSTILE} and set(frame["analyzer"]) == {name}


@every_analyzer
def test_it_draws_on_the_axes_it_is_given_and_leaves_pyplot_alone(name: str, results: dict[str, Result]) -> None:
    from matplotlib import pyplot

    result = results[name]
    open_before = pyplot.get_fignums()
    assert len({spec.name for spec in result.figures}) == len(result.figures) > 0
    for spec in result.figures:
        axes = Figure().subplots()
        assert result.plot(axes, figure=spec.name, style=Style(color="#123456", label="mine")) is axes
        assert axes.get_xlabel() and axes.get_ylabel() and not axes.get_title(), spec.name
        assert axes.has_data(), spec.name
        assert spec.title and spec.reading.endswith(".") and spec.layout in {"overlay", "panels"}
        if spec.layout == "overlay":  # a second model fits on the same axes
            result.plot(axes, figure=spec.name, style=Style(color="#654321", linestyle="--", label="other"))
            assert axes.get_legend_handles_labels()[1] == ["mine", "other"]
    assert result.plot().figure is not None
    assert pyplot.get_fignums() == open_before
    with pytest.raises(ProbeError, match="no figure named 'nothing'") as caught:
        result.plot(figure="nothing")
    assert result.figures[0].name in (caught.value.hint or "")


@every_analyzer
def test_it_draws_a_table_of_two_rows(name: str) -> None:
    result = getattr(analyzers, name)(np.array([[0.0, 1.0], [1.0, 3.0]]), draws=0)
    for spec in result.figures:
        figure = Figure()
        result.plot(figure.subplots(), figure=spec.name)
        figure.canvas.draw()


@every_analyzer
def test_the_same_seed_gives_the_same_result(name: str) -> None:
    function = getattr(analyzers, name)
    first, again = (function(table(), draws=3, seed=5).to_dict() for _ in range(2))
    assert first == again


@every_analyzer
def test_neither_the_table_nor_the_global_random_state_is_touched(name: str) -> None:
    array = table()
    before, state = array.copy(), np.random.get_state()[1].copy()
    getattr(analyzers, name)(array, draws=2)
    np.testing.assert_array_equal(array, before)
    np.testing.assert_array_equal(np.random.get_state()[1], state)


@every_analyzer
def test_scores_do_not_depend_on_units_or_the_order_of_dimensions(name: str) -> None:
    def values(array: np.ndarray) -> dict[str, float | None]:
        return {key: score.value for key, score in getattr(analyzers, name)(array, draws=0).summary().items()}

    expected = values(table())
    for other in (table() * 1e30, table() * 2.0**-40, table()[:, ::-1]):
        assert values(other) == pytest.approx(expected, rel=1e-5, abs=1e-9)


@every_analyzer
def test_half_precision_and_tensors_are_read_as_tables(name: str) -> None:
    torch = pytest.importorskip("torch")
    half = table().astype(np.float16)
    function = getattr(analyzers, name)
    expected = function(half.astype(np.float64), draws=0).to_dict()["scores"]
    assert function(half, draws=0).to_dict()["scores"] == expected
    parameter = torch.nn.Parameter(torch.from_numpy(half))
    assert function(parameter, draws=0).to_dict()["scores"] == expected


@every_analyzer
@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (np.array([[1.0, 2.0], [np.nan, 1.0]]), "NaN in 1 of its 2 rows"),
        (np.ones((1, 3)), "holds 1 position"),
        (np.ones((4, 3)), "identical"),
        (np.ones(4), "is no table"),
        (np.array([["a", "b"], ["c", "d"]]), "is no table"),
        ("bert-base-uncased", "is a name, not a table"),
    ],
    ids=["nan", "one row", "constant", "vector", "text", "name"],
)
def test_it_refuses_what_is_no_table_in_words(name: str, broken: Any, words: str) -> None:
    with pytest.raises(TableError) as caught:
        getattr(analyzers, name)(broken)
    assert words in caught.value.message and caught.value.hint


@every_analyzer
def test_it_refuses_a_kernel_with_a_hint(name: str) -> None:
    assert PositionTable in get(name).accepts
    provenance = Provenance(reference="t5", label="t5", component="encoder", format="array")
    description = Description(component="encoder", scheme="relative_bias", provenance=provenance)
    kernel = OffsetKernel(description=description, array=np.ones((2, 3)), offsets=np.arange(-1, 2))
    with pytest.raises(TableError, match="t5 is a relative encoding") as caught:
        getattr(analyzers, name)(kernel)
    assert "absolute" in (caught.value.hint or "")


def odd_tables() -> dict[str, np.ndarray]:
    noise = np.random.default_rng(0).standard_normal((66, 3))
    ramp = np.outer(np.arange(40.0), [1.0, -2.0])
    return {
        "one dimension": noise[:, :1],
        "more dimensions than rows": noise[:4].T.repeat(4, axis=0)[:3] + np.arange(3)[:, None],
        "one row that differs": np.eye(50, 4, dtype=float)[::-1] * 7,
        "zero rows": np.where(np.arange(66)[:, None] % 5 == 0, 0.0, noise),
        "constant columns": np.hstack([noise, np.full((66, 2), 3.3)]),
        "straight lines": ramp,
        "copied rows": np.repeat(noise[:20], 3, axis=0),
        "huge": noise * 1e30,
        "tiny": noise * 1e-30,
        "an outlier": np.vstack([noise[:1] * 1e8, noise[1:]]),
        "whole numbers": np.arange(80).reshape(40, 2) % 7,
    }


@every_analyzer
@pytest.mark.parametrize("kind", odd_tables())
def test_odd_tables_give_numbers_or_reasons(name: str, kind: str) -> None:
    result = getattr(analyzers, name)(odd_tables()[kind], draws=3)
    for key, score in result.summary().items():
        assert score.reason if score.value is None else math.isfinite(score.value), key
    json.dumps(result.to_dict(), allow_nan=False)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.tuples(st.integers(2, 9), st.integers(1, 6)).flatmap(
        lambda shape: st.lists(
            st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0, 3.0]),
            min_size=shape[0] * shape[1],
            max_size=shape[0] * shape[1],
        ).map(lambda cells: np.array(cells).reshape(shape))
    )
)
def test_small_tables_give_numbers_or_reasons_or_are_refused(array: np.ndarray) -> None:
    try:
        results = analyzers.run([get(name)() for name in names()], array, draws=2)
    except TableError as refusal:
        assert "identical" in refusal.message
        assert (array == array[0]).all()
        return
    for result in results.values():
        for key, score in result.summary().items():
            assert score.reason if score.value is None else math.isfinite(score.value), (result.kind, key)
        json.dumps(result.to_dict(), allow_nan=False)


# ---- the registry


def test_a_name_that_is_none_gets_the_nearest_and_the_list() -> None:
    with pytest.raises(ProbeError, match="no analyzer named 'fouriere'") as caught:
        get("fouriere")
    hint = caught.value.hint or ""
    assert hint.startswith("Did you mean fourier?") and all(name in hint for name in names())
    with pytest.raises(ProbeError) as caught:
        get("xyzzy")
    assert "Did you mean" not in (caught.value.hint or "")


def test_selecting_keeps_report_order() -> None:
    assert [analyzer.name for analyzer in registry.select(["neighbors", "pca"])] == ["pca", "neighbors"]
    assert [analyzer.name for analyzer in registry.select()] == list(names())
    with pytest.raises(ProbeError):
        registry.select(["pca", "nothing"])


def test_registering_refuses_a_taken_name_another_module_and_no_question() -> None:
    def analyzer(**attributes: Any) -> type:
        return type("Other", (get("pca"),), {"__qualname__": "Other", **attributes})

    with pytest.raises(ValueError, match="registered already: PCA"):
        registry.register(analyzer())
    with pytest.raises(ValueError, match="module's name must be the same"):
        registry.register(analyzer(name="other"))
    with pytest.raises(ValueError, match="asks no question"):
        registry.register(analyzer(name="other", question="Why.", __module__="somewhere.other"))
    assert "other" not in names()
