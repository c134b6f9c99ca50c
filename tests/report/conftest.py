"""Tables and reports that several test files look at."""

from __future__ import annotations

import numpy as np
import pytest

from probe.encodings import Description, PositionTable, Provenance
from probe.report import Report, build_report
from probe.sinusoids import sinusoidal

HOSTILE = "<script>alert(1)</script>\"'&"


def learned(label: str, *, seed: int = 0, shape: tuple[int, int] = (64, 24), component: str = "text") -> PositionTable:
    """A table like a learned one: a sinusoid in unknown directions under noise."""
    generator = np.random.default_rng(seed)
    positions, dimensions = shape
    mixed = sinusoidal(positions, dimensions) @ generator.standard_normal((dimensions, dimensions))
    array = (mixed + 2.0 * generator.standard_normal(shape)).astype(np.float32)
    provenance = Provenance(
        reference=f"models/{label}",
        label=label,
        component=component,
        format="safetensors",
        file="model.safetensors",
        tensor="embeddings.position_embeddings.weight",
        key="embeddings.position_embeddings.weight",
        revision="0123abc",
    )
    description = Description(
        component=component,
        scheme="learned_absolute",
        provenance=provenance,
        stored_shape=(positions + 2, dimensions),
        row_offset=2,
        dtype="float16",
        warnings=("the config says 66 rows",) if seed == 1 else (),
    )
    return PositionTable(description=description, array=array)


def noise(label: str, shape: tuple[int, int] = (64, 24)) -> PositionTable:
    return PositionTable.from_array(np.random.default_rng(5).standard_normal(shape), label=label)


@pytest.fixture(scope="session")
def report() -> Report:
    """Two learned tables, one with a hostile name, under every registered analyzer."""
    return build_report(
        [learned("tiny-bert"), learned(HOSTILE, seed=1)],
        draws=20,
        command=f"probe analyze models/tiny-bert '{HOSTILE}'",
        warnings=["a shard is absent <b>"],
    )


@pytest.fixture(scope="session")
def page(report: Report) -> str:
    return report.to_html()
