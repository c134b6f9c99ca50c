"""What moves when a checkpoint is read from the hub, and what does not."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from probe.errors import FormatError, HubError
from probe.loaders.checkpoints import remote_file
from probe.loaders.checkpoints.hub import open_hub
from tests.loaders.hub_server import (
    COMMIT,
    CONFIG,
    POSITIONS,
    Faults,
    Hub,
    bert,
    header_bytes,
    point_at,
    safetensors_bytes,
    serve,
    tag_table,
)

REPOSITORY = "example-org/tiny-bert"
WEIGHTS = safetensors_bytes(bert())
TABLE_BYTES = 64 * 8 * 4


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Hub]:
    monkeypatch.setattr(remote_file, "WAITS", (0.01, 0.01, 0.01))
    with serve(**{REPOSITORY: {"config.json": CONFIG, "model.safetensors": WEIGHTS}}) as running:
        point_at(monkeypatch, running.url, tmp_path / "home")
        yield running


def snapshot(
    home: Path, repository: str = REPOSITORY, commit: str = COMMIT, ref: str | None = "main", **files: bytes
) -> None:
    """Lay files into the hub's cache as huggingface_hub does."""
    folder = home / "hub" / f"models--{repository.replace('/', '--')}"
    (folder / "snapshots" / commit).mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / "snapshots" / commit / name).write_bytes(content)
    if ref:
        (folder / "refs").mkdir(exist_ok=True)
        (folder / "refs" / ref).write_text(commit)


def weights_in(home: Path) -> list[Path]:
    return [path for path in home.rglob("*") if path.is_file() and path.stat().st_size >= len(WEIGHTS)]


class TestBytes:
    def test_header_config_and_table_are_all_that_moves(self, hub: Hub, tmp_path: Path) -> None:
        checkpoint = open_hub(REPOSITORY)
        header = header_bytes(WEIGHTS)
        assert checkpoint.tensors[POSITIONS].shape == (64, 8)
        assert hub.moved == header + len(CONFIG)
        assert np.array_equal(checkpoint.read(POSITIONS), tag_table())
        assert hub.moved == header + len(CONFIG) + TABLE_BYTES
        assert checkpoint.bytes_read == hub.moved
        assert hub.asked("model.safetensors") == ["GET", "GET", "GET"]
        assert not hub.asked("/api/")
        assert not weights_in(tmp_path)
        assert checkpoint.warnings == []

    def test_what_it_says_of_itself(self, hub: Hub) -> None:
        checkpoint = open_hub(REPOSITORY)
        assert (checkpoint.reference, checkpoint.format, checkpoint.revision) == (REPOSITORY, "safetensors", COMMIT)
        assert checkpoint.config["model_type"] == "bert"
        assert checkpoint.tensors[POSITIONS].file == "model.safetensors"
        assert list(checkpoint.tensors) == list(bert())

    def test_a_large_file_costs_no_more(self, hub: Hub) -> None:
        content = safetensors_bytes(bert(rows=512, columns=96, words=50_000))
        hub.repositories[REPOSITORY]["model.safetensors"] = content
        checkpoint = open_hub(REPOSITORY)
        assert np.array_equal(checkpoint.read(POSITIONS), tag_table(512, 96).astype(np.float32))
        assert hub.moved <= header_bytes(content) + len(CONFIG) + 1.05 * 512 * 96 * 4
        assert len(content) > 15e6

    def test_the_second_run_has_the_config(self, hub: Hub) -> None:
        open_hub(REPOSITORY)
        hub.forget()
        open_hub(REPOSITORY).read(POSITIONS)
        assert hub.moved == header_bytes(WEIGHTS) + TABLE_BYTES
        assert not hub.asked("config.json")

    def test_a_moved_branch_brings_its_own_config(self, hub: Hub) -> None:
        open_hub(REPOSITORY)
        hub.commit = "f" * 40
        hub.repositories[REPOSITORY]["config.json"] = b'{"model_type": "other"}'
        checkpoint = open_hub(REPOSITORY)
        assert (checkpoint.revision, checkpoint.config) == ("f" * 40, {"model_type": "other"})

    def test_later_requests_name_the_commit_of_the_first(self, hub: Hub) -> None:
        open_hub(REPOSITORY, revision="main").read(POSITIONS)
        paths = [path for _, path, _ in hub.requests if "model.safetensors" in path]
        assert ["/main/" in path for path in paths] == [True, False, False]
        assert all(f"/{COMMIT}/" in path for path in paths[1:])

    def test_no_config_is_no_error(self, hub: Hub) -> None:
        del hub.repositories[REPOSITORY]["config.json"]
        checkpoint = open_hub(REPOSITORY)
        assert (checkpoint.config, checkpoint.warnings) == ({}, [])

    def test_a_server_without_commits(self, hub: Hub) -> None:
        hub.faults.hub_headers = False
        checkpoint = open_hub(REPOSITORY)
        assert checkpoint.config["model_type"] == "bert"
        assert checkpoint.revision is None
        assert np.array_equal(checkpoint.read(POSITIONS), tag_table())


class TestShards:
    FIRST, SECOND = "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"

    @pytest.fixture
    def sharded(self, hub: Hub) -> dict[str, bytes]:
        tensors = bert()
        heavy = {name: values for name, values in tensors.items() if name != POSITIONS}
        placed = dict.fromkeys(heavy, self.SECOND) | {POSITIONS: self.FIRST}
        files = {
            "config.json": CONFIG,
            "model.safetensors.index.json": json.dumps({"metadata": {}, "weight_map": placed}).encode(),
            self.FIRST: safetensors_bytes({POSITIONS: tensors[POSITIONS]}),
            self.SECOND: safetensors_bytes(heavy),
        }
        hub.repositories[REPOSITORY] = files
        return files

    def test_one_shard_is_opened(self, hub: Hub, sharded: dict[str, bytes]) -> None:
        checkpoint = open_hub(REPOSITORY)
        assert set(checkpoint.tensors) == set(bert())
        assert checkpoint.tensors[POSITIONS].file == self.FIRST
        assert np.array_equal(checkpoint.read(POSITIONS), tag_table())
        assert not hub.asked(self.SECOND)
        index = len(sharded["model.safetensors.index.json"])
        assert hub.moved == header_bytes(sharded[self.FIRST]) + TABLE_BYTES + len(CONFIG) + index

    def test_a_moved_branch_is_followed_in_spite_of_a_cached_index(self, hub: Hub, sharded: dict[str, bytes]) -> None:
        open_hub(REPOSITORY)
        hub.commit = "f" * 40
        sharded[self.FIRST] = safetensors_bytes({POSITIONS: tag_table() + 7})
        checkpoint = open_hub(REPOSITORY)
        assert np.array_equal(checkpoint.read(POSITIONS), tag_table() + 7)
        assert checkpoint.revision == "f" * 40

    def test_a_cached_shard_is_read_there(self, hub: Hub, sharded: dict[str, bytes], tmp_path: Path) -> None:
        cached = {name: sharded[name] for name in ("model.safetensors.index.json", self.FIRST, "config.json")}
        snapshot(tmp_path / "home", **cached)
        assert np.array_equal(open_hub(REPOSITORY).read(POSITIONS), tag_table())
        assert hub.requests == []

    def test_an_absent_shard_is_named(self, hub: Hub, sharded: dict[str, bytes]) -> None:
        del sharded[self.FIRST]
        with pytest.raises(FormatError, match=f"index.json of {REPOSITORY} names {self.FIRST}, which is not there"):
            open_hub(REPOSITORY).read(POSITIONS)

    def test_the_wrong_shard_is_mended_with_a_warning(self, hub: Hub, sharded: dict[str, bytes]) -> None:
        placed = dict.fromkeys(bert(), self.SECOND) | {"bert.encoder.layer.0.attention.self.query.weight": self.FIRST}
        sharded["model.safetensors.index.json"] = json.dumps({"weight_map": placed}).encode()
        checkpoint = open_hub(REPOSITORY)
        assert np.array_equal(checkpoint.read(POSITIONS), tag_table())
        assert any("index" in text and self.FIRST in text for text in checkpoint.warnings)

    @pytest.mark.parametrize("name", ["../../other/model.safetensors", "/etc/passwd", "..\\up.safetensors", "C:\\x"])
    def test_an_index_cannot_leave_the_folder(self, hub: Hub, sharded: dict[str, bytes], name: str) -> None:
        sharded["model.safetensors.index.json"] = json.dumps({"weight_map": {POSITIONS: name}}).encode()
        with pytest.raises(FormatError, match="outside its folder"):
            open_hub(REPOSITORY)


class TestPickles:
    def test_a_pickle_is_downloaded_once_into_the_cache(self, hub: Hub, tmp_path: Path) -> None:
        torch = pytest.importorskip("torch")
        torch.save({POSITIONS: torch.tensor(tag_table(), dtype=torch.float32)}, tmp_path / "w.bin")
        content = (tmp_path / "w.bin").read_bytes()
        hub.repositories[REPOSITORY] = {"config.json": CONFIG, "pytorch_model.bin": content}
        checkpoint = open_hub(REPOSITORY)
        assert np.array_equal(checkpoint.read(POSITIONS), tag_table())
        assert checkpoint.revision == COMMIT
        assert hub.body_bytes["pytorch_model.bin"] == len(content)
        hub.forget()
        assert np.array_equal(open_hub(REPOSITORY).read(POSITIONS), tag_table())
        assert hub.requests == []

    def test_nothing_in_it_is_executed(self, hub: Hub, tmp_path: Path) -> None:
        class Trap:
            def __reduce__(self) -> tuple[object, tuple[str]]:
                return os.mkdir, (str(tmp_path / "sprung"),)

        hub.repositories[REPOSITORY] = {"pytorch_model.bin": pickle.dumps({POSITIONS: Trap()}, protocol=2)}
        with pytest.raises(FormatError):
            open_hub(REPOSITORY).read(POSITIONS)
        assert not (tmp_path / "sprung").exists()


class TestFaults:
    def test_two_failures_are_sat_out(self, hub: Hub) -> None:
        hub.faults.failures = 2
        assert np.array_equal(open_hub(REPOSITORY).read(POSITIONS), tag_table())

    def test_a_server_that_keeps_failing(self, hub: Hub) -> None:
        hub.faults.failures = 99
        with pytest.raises(HubError, match="status 503, again and again") as caught:
            open_hub(REPOSITORY)
        assert caught.value.filename == "model.safetensors"
        assert hub.asked("model.safetensors") == ["GET"] * 4

    def test_a_broken_answer_is_resumed(self, hub: Hub) -> None:
        checkpoint = open_hub(REPOSITORY)
        before = hub.moved
        hub.faults.break_offs = 2
        assert np.array_equal(checkpoint.read(POSITIONS), tag_table())
        assert hub.moved - before == TABLE_BYTES == checkpoint.bytes_read - before

    def test_an_answer_that_always_breaks(self, hub: Hub) -> None:
        checkpoint = open_hub(REPOSITORY)
        hub.faults.break_offs = 99
        with pytest.raises(HubError, match=f"broke off again and again while model.safetensors of {REPOSITORY}"):
            checkpoint.read(POSITIONS)

    def test_without_ranges_the_file_goes_through_the_cache(self, hub: Hub, tmp_path: Path) -> None:
        content = safetensors_bytes(bert(words=500_000))
        hub.repositories[REPOSITORY]["model.safetensors"] = content
        hub.faults = Faults(ranges=False)
        checkpoint = open_hub(REPOSITORY)
        assert np.array_equal(checkpoint.read(POSITIONS), tag_table())
        assert any(
            "cannot send parts of model.safetensors" in text and "16.0 MB" in text for text in checkpoint.warnings
        )
        # The answer to the ranged request is hung up on: what moved twice is what fits the sockets' buffers.
        assert hub.body_bytes["model.safetensors"] < 1.6 * len(content)
        copies = {
            path.resolve() for path in tmp_path.rglob("*") if path.is_file() and path.stat().st_size == len(content)
        }
        assert len(copies) == 1

    @pytest.mark.parametrize("content", [b"", b"\x05"])
    def test_an_empty_file(self, hub: Hub, content: bytes) -> None:
        hub.repositories[REPOSITORY]["model.safetensors"] = content
        with pytest.raises(FormatError, match=r"model\.safetensors"):
            open_hub(REPOSITORY)

    def test_a_truncated_file(self, hub: Hub) -> None:
        hub.repositories[REPOSITORY]["model.safetensors"] = WEIGHTS[: len(WEIGHTS) // 2]
        with pytest.raises(FormatError, match=r"model\.safetensors"):
            open_hub(REPOSITORY).read(POSITIONS)


class TestToken:
    def test_it_goes_to_the_hub_and_not_to_the_other_host(self, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HF_TOKEN", "hf_secret")
        with serve(**{REPOSITORY: {"model.safetensors": WEIGHTS}}) as other:
            hub.faults.redirect_to = other.url
            checkpoint = open_hub(REPOSITORY)
            assert np.array_equal(checkpoint.read(POSITIONS), tag_table())
            assert checkpoint.revision == COMMIT
            assert {headers.get("authorization") for _, _, headers in hub.requests} == {"Bearer hf_secret"}
            assert len(other.requests) == 3
            assert all("authorization" not in headers for _, _, headers in other.requests)
            assert other.moved == header_bytes(WEIGHTS) + TABLE_BYTES

    def test_no_error_shows_it(self, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HF_TOKEN", "hf_secret")
        hub.faults.refusal = (401, "")
        with pytest.raises(HubError) as caught:
            open_hub(REPOSITORY)
        assert "hf_secret" not in str(caught.value) + repr(caught.value)


class TestCache:
    def test_cached_weights_are_read_there(self, hub: Hub, tmp_path: Path) -> None:
        snapshot(tmp_path / "home", **{"config.json": CONFIG, "model.safetensors": WEIGHTS})
        checkpoint = open_hub(REPOSITORY)
        assert np.array_equal(checkpoint.read(POSITIONS), tag_table())
        assert (hub.requests, checkpoint.revision) == ([], COMMIT)
        assert checkpoint.bytes_read < len(WEIGHTS)

    def test_a_snapshot_without_a_ref_is_found_by_its_commit(self, hub: Hub, tmp_path: Path) -> None:
        snapshot(tmp_path / "home", ref=None, **{"config.json": CONFIG, "model.safetensors": WEIGHTS})
        assert np.array_equal(open_hub(REPOSITORY).read(POSITIONS), tag_table())
        assert hub.moved == 8

    @pytest.mark.parametrize("revision", [None, "main", COMMIT])
    def test_offline(self, hub: Hub, tmp_path: Path, revision: str | None) -> None:
        snapshot(tmp_path / "home", **{"config.json": CONFIG, "model.safetensors": WEIGHTS})
        checkpoint = open_hub(REPOSITORY, revision=revision, offline=True)
        assert np.array_equal(checkpoint.read(POSITIONS), tag_table())
        assert (checkpoint.revision, checkpoint.warnings, hub.requests) == (COMMIT, [], [])

    def test_offline_without_a_ref_takes_the_only_snapshot_and_says_so(self, hub: Hub, tmp_path: Path) -> None:
        snapshot(tmp_path / "home", ref=None, **{"config.json": CONFIG, "model.safetensors": WEIGHTS})
        checkpoint = open_hub(REPOSITORY, offline=True)
        assert np.array_equal(checkpoint.read(POSITIONS), tag_table())
        assert any(COMMIT in text and "only snapshot" in text for text in checkpoint.warnings)
        assert hub.requests == []

    def test_an_unusual_name_is_found_offline_too(self, hub: Hub, tmp_path: Path) -> None:
        snapshot(tmp_path / "home", **{"open_clip_model.safetensors": WEIGHTS})
        checkpoint = open_hub(REPOSITORY, offline=True)
        assert np.array_equal(checkpoint.read(POSITIONS), tag_table())
        assert any("config.json" in text for text in checkpoint.warnings)

    def test_the_cache_serves_where_the_hub_is_down(
        self, hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        snapshot(tmp_path / "home", ref=None, **{"config.json": CONFIG, "model.safetensors": WEIGHTS})
        point_at(monkeypatch, "http://127.0.0.1:9", tmp_path / "home")
        checkpoint = open_hub(REPOSITORY)
        assert np.array_equal(checkpoint.read(POSITIONS), tag_table())
        assert any("read from the hub's cache instead" in text for text in checkpoint.warnings)


def test_the_environment_is_honoured(hub: Hub, tmp_path: Path) -> None:
    """In a process of its own: HF_ENDPOINT and HF_HOME as a user sets them, and nothing heavy imported."""
    code = (
        "import sys; from probe.loaders.checkpoints.hub import open_hub\n"
        f"checkpoint = open_hub({REPOSITORY!r}); print(float(checkpoint.read({POSITIONS!r})[5, 3]))\n"
        "print(sorted({'torch', 'transformers', 'pandas', 'scipy', 'sklearn', 'matplotlib'} & set(sys.modules)))"
    )
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("HF_", "HUGGING"))}
    environment |= {"HF_ENDPOINT": hub.url, "HF_HOME": str(tmp_path / "elsewhere"), "HF_HUB_DISABLE_TELEMETRY": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=60)
    assert done.stdout.split("\n")[:2] == ["5.046875", "[]"], done.stderr
    assert done.stderr == ""
    assert hub.moved == header_bytes(WEIGHTS) + TABLE_BYTES + len(CONFIG)


class TestWholeCommands:
    """`probe show` and `probe analyze` of a hub id, each from an empty cache, move no more than they need."""

    @pytest.mark.parametrize("arguments", [["show"], ["analyze", "--draws", "2"]], ids=["show", "analyze"])
    def test_the_header_the_config_and_the_table(self, hub: Hub, arguments: list[str]) -> None:
        from click.testing import CliRunner

        from probe.cli import main

        result = CliRunner().invoke(main, [*arguments, REPOSITORY, "--json"])
        assert result.exit_code == 0, result.output
        assert json.loads(result.stdout)["encodings"][0]["stored_shape"] == [64, 8]
        assert hub.moved <= header_bytes(WEIGHTS) + len(CONFIG) + 1.05 * TABLE_BYTES
