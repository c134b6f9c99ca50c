"""What is written takes nothing away."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from probe.cli import main
from probe.encodings import PositionTable
from probe.export import export
from probe.outputs import written_whole

from .test_cli import write_bert


@pytest.mark.parametrize(
    "arguments",
    [
        ("export", "{model}", "-o", "{model}/model.safetensors"),
        ("export", "{model}/model.safetensors", "-o", "{model}/model.safetensors"),
        ("analyze", "{model}", "-o", "{model}/config.json", "--draws", "0", "--only", "pca"),
    ],
)
def test_no_output_replaces_a_file_of_its_source(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    model = write_bert(tmp_path / "bert", np.random.default_rng(0).standard_normal((16, 4)).astype(np.float32))
    before = {path.name: path.read_bytes() for path in model.iterdir()}
    result = CliRunner().invoke(main, [word.format(model=model) for word in arguments])
    assert result.exit_code == 1
    assert "would overwrite a file of the source" in result.stderr
    assert {path.name: path.read_bytes() for path in model.iterdir()} == before


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "kept.npy"
    target.write_bytes(b"good")
    with pytest.raises(OSError, match="full"), written_whole(target) as scratch:
        scratch.write_bytes(b"half")
        raise OSError("the disk is full")
    assert [path.name for path in tmp_path.iterdir()] == ["kept.npy"]
    assert target.read_bytes() == b"good"


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.npy").write_bytes(b"old")
    (tmp_path / "link.npy").symlink_to(tmp_path / "real.npy")
    export(PositionTable.from_array(np.eye(3)), tmp_path / "link.npy")
    assert (tmp_path / "link.npy").is_symlink()
    np.testing.assert_array_equal(np.load(tmp_path / "real.npy"), np.eye(3))
