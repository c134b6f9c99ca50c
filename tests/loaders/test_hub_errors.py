"""What a user is told when the hub, the network or the cache does not give the weights."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from probe.errors import HubError, SourceError
from probe.loaders.checkpoints import remote_file
from probe.loaders.checkpoints.hub import open_hub
from tests.loaders.hub_server import CONFIG, Hub, bert, point_at, safetensors_bytes, serve
from tests.loaders.test_hub import snapshot

REPOSITORY = "example-org/tiny-bert"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Hub]:
    monkeypatch.setattr(remote_file, "WAITS", (0.01, 0.01, 0.01))
    with serve(**{REPOSITORY: {"config.json": CONFIG, "model.safetensors": safetensors_bytes(bert())}}) as running:
        point_at(monkeypatch, running.url, tmp_path / "home")
        yield running


def refused(repository: str = REPOSITORY, **options: object) -> HubError:
    with pytest.raises(HubError) as caught:
        open_hub(repository, **options)  # type: ignore[arg-type]  # the options vary by test
    assert caught.value.repository == repository
    assert caught.value.hint
    return caught.value


@pytest.mark.parametrize(
    ("status", "code", "message", "hint"),
    [
        (403, "GatedRepo", "is gated", "Accept the terms at"),
        (401, "GatedRepo", "is gated", "hf auth login"),
        (401, "RepoNotFound", "no model repository example-org/tiny-bert, or it is private", "no folder"),
        (401, "", "refuses example-org/tiny-bert without a valid login", "hf auth whoami"),
        (403, "", "forbids reading model.safetensors", "Ask its owner"),
        (404, "RevisionNotFound", "has no revision main", "--revision"),
        (429, "", "limits requests", "hf auth login"),
        (500, "", "failed on model.safetensors of example-org/tiny-bert: status 500", "--offline"),
        (418, "", "status 418", "HF_ENDPOINT"),
    ],
)
def test_each_refusal_has_its_own_words(hub: Hub, status: int, code: str, message: str, hint: str) -> None:
    hub.faults.refusal = (status, code)
    error = refused()
    assert message in error.message
    assert hint in (error.hint or "")
    assert "{" not in str(error)


def test_a_repository_that_is_not_there(hub: Hub) -> None:
    error = refused("example-org/tiny-bart")
    assert error.message == "The hub has no model repository example-org/tiny-bart, or it is private."
    assert "no folder example-org/tiny-bart is here" in (error.hint or "")
    assert len(hub.requests) == 1


def test_a_plain_404_for_everything(hub: Hub) -> None:
    hub.faults.plain_404 = True
    assert "example-org/tiny-bart" in refused("example-org/tiny-bart").message


def test_a_revision_that_is_not_there(hub: Hub) -> None:
    error = refused(revision="v9")
    assert error.message == "example-org/tiny-bert has no revision v9."


@pytest.mark.parametrize("url", ["http://127.0.0.1:9", "http://no-such-host.invalid"])
def test_no_network(hub: Hub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, url: str) -> None:
    if "invalid" in url:  # names are looked up outside of loopback: let the look-up fail at once
        monkeypatch.setattr("socket.getaddrinfo", _no_such_host)
    point_at(monkeypatch, url, tmp_path / "home")
    start = time.monotonic()
    error = refused()
    assert f"The hub at {url} cannot be reached (" in error.message
    assert "no folder example-org/tiny-bert is here" in (error.hint or "")
    assert time.monotonic() - start < 3


def _no_such_host(*_: object, **__: object) -> None:
    import socket

    raise socket.gaierror(-2, "Name or service not known")


def test_an_endpoint_that_is_no_address(hub: Hub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    point_at(monkeypatch, "hub.example", tmp_path / "home")
    assert "HF_ENDPOINT is hub.example, which is no web address" in refused().message


def test_a_silent_server_is_left_after_the_time_out(hub: Hub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import socket

    from huggingface_hub import constants

    with socket.create_server(("127.0.0.1", 0)) as mute:
        point_at(monkeypatch, f"http://127.0.0.1:{mute.getsockname()[1]}", tmp_path / "home")
        monkeypatch.setattr(constants, "HF_HUB_DOWNLOAD_TIMEOUT", 0.1)
        assert "gave no answer in time for model.safetensors" in refused().message


@pytest.mark.parametrize("name", ["a/b/c", "-tiny", "tiny--bert", "with space", "..", "org/name.git"])
def test_a_name_that_no_repository_has(hub: Hub, name: str) -> None:
    with pytest.raises(SourceError, match="no name that the hub could have"):
        open_hub(name)
    assert hub.requests == []


@pytest.mark.parametrize(
    ("files", "message", "hint"),
    [
        ({"tf_model.h5": b"x"}, "TensorFlow weights (tf_model.h5)", "from_tf=True"),
        ({"bert_model.ckpt.index": b"x", "bert_model.ckpt.data-00000-of-00001": b"x"}, "TensorFlow", "from_tf=True"),
        ({"flax_model.msgpack": b"x"}, "Flax weights (flax_model.msgpack)", "from_flax=True"),
        ({"tiny.Q4_0.gguf": b"x"}, "GGUF files (tiny.Q4_0.gguf)", "made from"),
        ({"onnx/model.onnx": b"x"}, "ONNX files (onnx/model.onnx)", "made from"),
        (
            {"unet/model.safetensors": b"x"},
            "unusual names: unet/model.safetensors",
            "hf download example-org/tiny-bert",
        ),
        (
            {"a.safetensors": b"x", "b.safetensors": b"x"},
            "unusual names: a.safetensors, b.safetensors",
            "a.safetensors",
        ),
        ({"README.md": b"x"}, "no model weights: README.md", "/example-org/tiny-bert"),
        ({}, "no model weights: it is empty", "/example-org/tiny-bert"),
    ],
)
def test_what_is_there_instead_is_named(hub: Hub, files: dict[str, bytes], message: str, hint: str) -> None:
    hub.repositories[REPOSITORY] = files
    error = refused()
    assert message in error.message
    assert hint in (error.hint or "")


def test_an_adapter_names_its_base(hub: Hub) -> None:
    config = json.dumps({"base_model_name_or_path": "example-org/the-base"}).encode()
    hub.repositories[REPOSITORY] = {"adapter_config.json": config, "adapter_model.safetensors": b"x"}
    error = refused()
    assert "adapter weights alone" in error.message
    assert "ask for its base model, example-org/the-base." in (error.hint or "")


def test_a_single_file_of_another_name_is_read(hub: Hub) -> None:
    files = hub.repositories[REPOSITORY]
    files["open_clip_model.safetensors"] = files.pop("model.safetensors")
    files["adapter_model.safetensors"] = files["training_args.bin"] = b"x"
    assert len(open_hub(REPOSITORY).tensors) == len(bert())


class TestOffline:
    def test_nothing_cached(self, hub: Hub) -> None:
        error = refused(offline=True)
        assert error.message == (
            "model.safetensors of example-org/tiny-bert is not in the hub's cache, and the network is switched off."
        )
        assert "`hf download example-org/tiny-bert config.json model.safetensors`" in (error.hint or "")
        assert error.filename == "model.safetensors"
        assert hub.requests == []

    def test_the_environment_switches_it_off(self, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
        assert "HF_HUB_OFFLINE" in (refused().hint or "")
        assert hub.requests == []

    def test_only_the_config_is_cached(self, hub: Hub) -> None:
        open_hub(REPOSITORY)
        hub.forget()
        error = refused(offline=True, revision="main")
        assert error.message.startswith("model.safetensors of example-org/tiny-bert is not in the hub's cache")
        assert "`hf download example-org/tiny-bert config.json model.safetensors --revision main`" in (error.hint or "")
        assert hub.requests == []

    def test_another_revision_is_cached(self, hub: Hub, tmp_path: Path) -> None:
        snapshot(tmp_path / "home", commit="a" * 40, **{"model.safetensors": b"x"})
        error = refused(offline=True, revision="v2")
        assert "holds no revision v2 of example-org/tiny-bert" in error.message
        assert "a" * 40 in error.message

    def test_several_snapshots_and_no_ref(self, hub: Hub, tmp_path: Path) -> None:
        for commit in ("a" * 40, "b" * 40):
            snapshot(tmp_path / "home", commit=commit, ref=None, **{"model.safetensors": b"x"})
        error = refused(offline=True)
        assert "a" * 40 in error.message
        assert f"--revision {'b' * 40}" in (error.hint or "")

    @pytest.mark.parametrize(
        "asked", ["Google-BERT/bert-base-uncased", "bert-base-uncased", "google-bert/bert-base-uncase"]
    )
    def test_the_cached_name_is_offered(self, hub: Hub, tmp_path: Path, asked: str) -> None:
        snapshot(tmp_path / "home", "google-bert/bert-base-uncased", **{"model.safetensors": b"x"})
        assert "The cache holds google-bert/bert-base-uncased: name it so." in (refused(asked, offline=True).hint or "")

    def test_unlike_names_are_not_offered(self, hub: Hub, tmp_path: Path) -> None:
        snapshot(tmp_path / "home", "example-org/whisper", **{"model.safetensors": b"x"})
        assert "whisper" not in (refused(offline=True).hint or "")

    def test_a_missing_shard_is_named(self, hub: Hub, tmp_path: Path) -> None:
        index = json.dumps({"weight_map": {"wpe.weight": "model-00002-of-00002.safetensors"}}).encode()
        snapshot(tmp_path / "home", **{"model.safetensors.index.json": index})
        with pytest.raises(HubError, match=r"model-00002-of-00002\.safetensors of example-org/tiny-bert is not in"):
            open_hub(REPOSITORY, offline=True).read("wpe.weight")

    @pytest.mark.parametrize("revision", ["../../../outside", "/etc/hostname"])
    def test_a_revision_cannot_leave_the_cache(self, hub: Hub, tmp_path: Path, revision: str) -> None:
        snapshot(tmp_path / "home", **{"model.safetensors": b"x"})
        (tmp_path / "home" / "outside").write_text("b" * 40)
        assert "holds no revision" in refused(offline=True, revision=revision).message


def test_a_config_that_cannot_be_had_is_a_warning(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.repositories[REPOSITORY]["config.json"] = b"{}"
    monkeypatch.setattr("huggingface_hub.hf_hub_download", _disk_full)
    checkpoint = open_hub(REPOSITORY)
    assert any("config.json of example-org/tiny-bert could not be saved" in text for text in checkpoint.warnings)


def _disk_full(*_: object, **__: object) -> str:
    raise OSError(28, "No space left on device")
