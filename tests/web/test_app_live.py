"""A run in another process, watched while it goes on and after it was killed."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from app_server import running_app

from jatdae.store import Store
from jatdae.store.progress import note_progress, progress_of_runs

TESTS = Path(__file__).parents[1]


def slow_run(store: Path) -> subprocess.Popen[bytes]:
    """An evaluation of the bundled items by a model that takes a fifth of a second for each."""
    script = f"""
        import sys
        sys.path.insert(0, {str(TESTS)!r})
        from sleeping_model import SleepingModel
        from jatdae import evaluate
        evaluate("kmmlu", SleepingModel(0.2), mode="letter", data="mini", store={str(store)!r}, quiet=True)
    """
    return subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)])


def test_the_bar_of_a_running_evaluation_moves_and_gives_way_to_figures(open_page, tmp_path: Path) -> None:
    watched = open_page()
    page = watched.page
    running = slow_run(tmp_path / "store")
    with Store.open(tmp_path / "store") as store:
        while not progress_of_runs(store):
            time.sleep(0.1)

    with running_app(tmp_path / "store") as address:
        page.goto(address)
        bar = page.locator("article.run progress")
        first = float(bar.get_attribute("value") or 0)
        deadline = time.monotonic() + 30
        while float(bar.get_attribute("value") or 0) <= first:
            assert time.monotonic() < deadline
            time.sleep(0.2)
        assert "kmmlu letter" in page.locator(".live-text").inner_text()
        page.wait_for_selector("article.run tbody tr .name", timeout=60_000)

    assert running.wait(60) == 0
    assert page.locator("article.run progress").count() == 0
    watched.assert_clean()


def test_a_run_that_was_killed_is_said_to_be_silent(open_page, tmp_path: Path) -> None:
    from datetime import UTC, datetime

    long_ago = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
    with Store.open(tmp_path / "store", clock=lambda: long_ago) as store:
        run = store.start_run("jatdae run kmmlu", {}, {})
        note_progress(store, run, "kmmlu letter 5-shot", 7, 32)

    with running_app(tmp_path / "store") as address:
        page = open_page(locale="en-US").page
        page.goto(address)

        assert "no sign of life since 2026-01-02 03:04" in page.locator(".live-text").inner_text()
