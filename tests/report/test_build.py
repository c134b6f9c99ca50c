"""What build_report puts together: which tables, which analyzers, which reference, which words."""

from __future__ import annotations

import re

import numpy as np
import pytest

from probe.analyzers import get, names
from probe.encodings import Description, OffsetKernel, PositionTable, Provenance
from probe.errors import ProbeError, TableError
from probe.report import Report, build_report
from probe.report.build import environment
from probe.sinusoids import sinusoidal

from .conftest import learned


def formula(positions: int, dimensions: int) -> PositionTable:
    label = f"sinusoidal:{positions}x{dimensions}"
    provenance = Provenance(reference=label, label=label, component="table", format="reference")
    description = Description(component="table", scheme="sinusoidal", provenance=provenance, stored=False)
    return PositionTable(description=description, array=sinusoidal(positions, dimensions))


def test_every_registered_analyzer_looks_at_every_table(report: Report) -> None:
    expected = [name for name in names() if PositionTable in get(name).accepts]
    for analysed in report.shown:
        assert list(analysed.results) == expected
        for name, result in analysed.results.items():
            assert result.kind == name
            assert result.source.label == analysed.label


def test_only_narrows_and_a_wrong_name_lists_the_right_ones() -> None:
    narrowed = build_report([learned("a")], only=["pca"], draws=0)
    assert list(narrowed.encodings[0].results) == ["pca"]
    with pytest.raises(ProbeError, match="no analyzer named 'pcs'") as caught:
        build_report([learned("a")], only=["pcs"], draws=0)
    assert "Did you mean pca?" in (caught.value.hint or "")


def test_the_sinusoid_is_added_at_the_first_tables_size_without_nulls(report: Report) -> None:
    assert report.reference is not None
    np.testing.assert_array_equal(report.reference.table.array, sinusoidal(64, 24))
    assert report.reference.label == "sinusoidal:64x24"
    assert report.reference.is_reference
    scores = [score for result in report.reference.results.values() for score in result.summary().values()]
    assert all(score.against == () for score in scores)
    assert report.shown == (*report.encodings, report.reference)


def test_no_sinusoid_is_added_where_one_was_given() -> None:
    report = build_report([learned("a"), formula(32, 8)], only=["pca"], draws=0)
    assert report.reference is None
    assert [one.label for one in report.shown] == ["a", "sinusoidal:32x8"]


def test_a_model_that_stores_a_sinusoid_is_still_compared_with_the_formula() -> None:
    stored = PositionTable.from_array(sinusoidal(32, 8), label="whisper", scheme="sinusoidal")
    assert build_report([stored], only=["pca"], draws=0).reference is not None


def test_a_table_of_one_dimension_has_a_reference_of_two() -> None:
    report = build_report([PositionTable.from_array(np.arange(6.0)[:, None], label="thin")], only=["pca"], draws=0)
    assert report.reference is not None
    assert report.reference.table.shape == (6, 2)
    assert "thin" in report.to_html()


def test_labels_are_made_unique_by_component_then_by_number() -> None:
    tables = [
        learned("clip", component="text"),
        learned("clip", component="vision", seed=1),
        learned("clip", component="vision", seed=2),
        learned("sinusoidal:64x24"),
    ]
    report = build_report(tables, only=["pca"], draws=0)
    assert [one.label for one in report.shown] == [
        "clip · text",
        "clip · vision",
        "clip · vision (2)",
        "sinusoidal:64x24",
        "sinusoidal:64x24 · reference",
    ]
    assert report.encodings[1].results["pca"].source.label == "clip · vision"


def test_progress_is_told_each_table_and_stage() -> None:
    told: list[tuple[str, str]] = []
    build_report([learned("a"), learned("b")], only=["pca"], draws=2, progress=lambda *stage: told.append(stage))
    assert ("a", "2 tables of each null") in told
    assert told.index(("a", "pca")) < told.index(("b", "pca"))


def test_the_same_seed_gives_the_same_report_and_another_seed_other_nulls() -> None:
    first, again, other = (build_report([learned("a")], only=["pca"], draws=5, seed=seed) for seed in (1, 1, 2))
    assert first.to_dict() == again.to_dict()
    assert first.to_dict()["comparison"] != other.to_dict()["comparison"]


def test_too_few_draws_are_said() -> None:
    assert build_report([learned("a")], only=["pca"], draws=0).warnings == (
        "No null was drawn, so no score can be told from chance.",
    )
    (doubt,) = build_report([learned("a")], only=["pca"], draws=9).warnings
    assert doubt == "With 9 draws of each null no p-value is below 0.1, so no score can beat them."
    assert build_report([learned("a")], only=["pca"], draws=20).warnings == ()


def test_no_table_and_no_fit_table_are_refused_in_words() -> None:
    with pytest.raises(ProbeError, match="no position table to report on") as caught:
        build_report([])
    assert caught.value.hint == "Name at least one source."
    with pytest.raises(TableError, match="a holds NaN in 1 of its 3 rows, first at position 1"):
        build_report([PositionTable.from_array([[0.0, 1.0], [np.nan, 2.0], [1.0, 1.0]], label="a")], draws=0)


def test_a_relative_encoding_is_refused_in_words() -> None:
    provenance = Provenance(reference="bloom", label="bloom", component="decoder", format="config")
    kernel = OffsetKernel(
        description=Description(component="decoder", scheme="alibi", provenance=provenance),
        array=np.ones((2, 3)),
        offsets=np.arange(3),
    )
    with pytest.raises(TableError, match="bloom is a relative encoding"):
        build_report([kernel], draws=0)  # type: ignore[list-item]  # the mistake under test


def test_the_environment_names_versions_and_nothing_that_changes_by_itself() -> None:
    versions = environment()
    assert list(versions) == ["probe", "python", "numpy", "scipy"]
    assert all(re.match(r"\d+\.\d+", number) for number in versions.values())
