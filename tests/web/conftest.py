"""A real browser for pages: headless Chromium, watched for errors and for requests that would leave the machine."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from viewports import WIDE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@dataclass(slots=True)
class Watched:
    """A page and what went wrong on it: console errors, exceptions, requests to other machines."""

    page: Page
    errors: list[str] = field(default_factory=list)
    outward: list[str] = field(default_factory=list)

    def assert_clean(self) -> None:
        assert not self.errors
        assert not self.outward


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium of the system; the tests that need it are skipped where it is absent.

    For one module: while the driver lives, an event loop runs in this thread, and tests of other modules start
    their own.
    """
    playwright = pytest.importorskip("playwright.sync_api")
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("no Chromium here; install the package chromium to test pages")
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=found, args=list(QUIET))
        yield running
        running.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator:
    """`open_page(viewport=WIDE, locale="en-US")` gives a watched page in a fresh profile."""
    contexts = []

    def opened(viewport: dict[str, int] = WIDE, locale: str = "en-US") -> Watched:
        context = browser.new_context(viewport=viewport, locale=locale)
        contexts.append(context)
        watched = Watched(context.new_page())
        watched.page.on("console", lambda said: watched.errors.append(said.text) if said.type == "error" else None)
        watched.page.on("pageerror", lambda error: watched.errors.append(str(error)))
        watched.page.on("request", lambda request: _note_outward(watched, request.url))
        return watched

    yield opened
    for context in contexts:
        context.close()


def _note_outward(watched: Watched, url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme in ("http", "https", "ws", "wss") and parts.hostname not in ("127.0.0.1", "localhost", "::1"):
        watched.outward.append(url)


@pytest.fixture
def shots(tmp_path: Path) -> Path:
    """A folder for screenshots."""
    folder = tmp_path / "shots"
    folder.mkdir()
    return folder
