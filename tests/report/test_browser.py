"""The page in a real browser, where there is one: it renders, complains of nothing and asks nobody."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from PIL import Image

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")


def opened(html: str, folder: Path, width: int) -> tuple[Path, str, list[str]]:
    """Open a page without a network: its picture, the browser's log, and what the page itself asked for."""
    file, shot, log = folder / "page.html", folder / "page.png", folder / "net.json"
    file.write_text(html, encoding="utf-8")
    done = subprocess.run(
        [
            str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
            "--disable-component-update", "--disable-sync", "--no-first-run", "--hide-scrollbars",
            "--enable-logging=stderr", "--host-resolver-rules=MAP * ~NOTFOUND", f"--log-net-log={log}",
            f"--user-data-dir={folder / 'profile'}", f"--window-size={width},1400", f"--screenshot={shot}",
            file.as_uri(),
        ],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    events = [event.get("params", {}) for event in json.loads(log.read_text(encoding="utf-8"))["events"]]
    asked = {params["url"] for params in events if "url" in params and "file://" in params.get("site_for_cookies", "")}
    return shot, done.stderr, sorted(asked)


@pytest.mark.parametrize("width", [1200, 400])
def test_a_browser_draws_the_page_and_asks_for_nothing(page: str, tmp_path: Path, width: int) -> None:
    shot, log, asked = opened(page, tmp_path, width)
    assert "CONSOLE" not in log
    assert asked == []
    with Image.open(shot) as image:
        assert image.size == (width, 1400)
        colors = image.convert("RGB").getcolors(1_000_000)
        assert colors is not None
        assert len(colors) > 50


def test_the_watch_sees_a_page_that_asks_and_complains(tmp_path: Path) -> None:
    html = "<!doctype html><img src='http://outside.invalid/a.png'><script>console.error('no')</script>"
    _, log, asked = opened(html, tmp_path, 400)
    assert "CONSOLE" in log
    assert asked == ["http://outside.invalid/a.png"]
