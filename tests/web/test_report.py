"""The HTML report in a real browser: it stands alone, draws, sorts, finds, speaks two languages; nothing in it acts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("vl_convert")

from large_store import build_large_store
from test_app_browsing import HOSTILE, fill
from viewports import NARROW, WIDE

from jatdae.cli import run_app
from jatdae.store import Store


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report on two models of one task, with odd texts in names, notes and samples."""
    folder = tmp_path_factory.mktemp("report")
    with Store.open(folder / "store") as store:
        fill(store)
    out = folder / "report.html"
    assert run_app(["report", "--store", str(folder / "store"), "--out", str(out)]) == 0
    return out


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report on six results with 45 subjects."""
    folder = tmp_path_factory.mktemp("large")
    build_large_store(folder / "store", samples=12_000, a_result=2_000)
    out = folder / "report.html"
    assert run_app(["report", "--store", str(folder / "store"), "--out", str(out), "--lang", "ko"]) == 0
    return out


@pytest.fixture
def see(open_page):
    def seen(file: Path, **how):
        watched = open_page(**how)
        watched.page.goto(file.as_uri())
        watched.page.wait_for_selector(".language:not([hidden]) .chart svg")
        return watched

    return seen


def shown(page, selector: str):
    return page.locator(f".language:not([hidden]) {selector}")


def test_it_asks_nobody_and_draws_every_chart(see, large) -> None:
    requests: list[str] = []
    watched = see(large)
    watched.page.on("request", lambda request: requests.append(request.url))
    page = watched.page
    page.wait_for_timeout(1500)

    boxes = shown(page, ".chart").count()
    assert boxes >= 4
    assert shown(page, ".chart svg").count() == boxes
    assert shown(page, ".chart svg path, .chart svg rect").count() > 100
    assert not requests
    watched.assert_clean()


def test_sorting_by_score_and_by_name_with_the_keyboard(see, report) -> None:
    page = see(report).page
    header = shown(page, ".leaderboard th button").filter(has_text="score")
    scores = shown(page, ".leaderboard table.sortable tbody td:nth-child(7)")

    header.focus()
    page.keyboard.press("Enter")
    falling = [float(text.split()[0]) for text in scores.all_inner_texts()]
    page.keyboard.press("Enter")
    rising = [float(text.split()[0]) for text in scores.all_inner_texts()]

    assert falling == sorted(falling, reverse=True)
    assert rising == sorted(rising)
    assert falling != rising
    assert header.locator("xpath=..").get_attribute("aria-sort") == "ascending"


def test_samples_are_found_by_text_and_outcome(see, report) -> None:
    page = see(report).page
    before = shown(page, ".sample").count()

    shown(page, ".finder .outcome").select_option("wrong")
    wrong = shown(page, ".sample").count()
    shown(page, ".finder .text").fill("item/001")

    assert 0 < wrong < before
    rows = shown(page, ".sample summary").all_inner_texts()
    assert rows
    assert all("item/001" in row and row.startswith("wrong") for row in rows)
    assert shown(page, ".found").inner_text() == f"{len(rows)} fit"


def test_the_language_switch_changes_all_and_keeps_the_focus(see, report) -> None:
    page = see(report).page

    shown(page, ".switch").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".language:not([hidden])[lang=ko] .chart svg")

    assert page.locator("html").get_attribute("lang") == "ko"
    assert page.title() == "잣대 보고서"
    assert shown(page, "h2").first.inner_text() == "순위표"
    assert page.evaluate("document.activeElement.className") == "switch"


@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["wide", "narrow"])
def test_the_page_is_never_wider_than_the_window(see, large, viewport) -> None:
    watched = see(large, viewport=viewport)

    assert watched.page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
    watched.assert_clean()


def test_texts_that_would_act_are_shown_and_do_nothing(see, report) -> None:
    watched = see(report)
    page = watched.page
    said: list[str] = []
    page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))

    shown(page, ".finder .text").fill("item/001")
    for sample in shown(page, ".sample summary").all():
        sample.click()
    page.wait_for_timeout(300)

    assert not said
    assert page.title() == "Jatdae report"
    assert page.locator("main img").count() == 0
    assert "<img src=x onerror=alert(1)>" in shown(page, ".sample pre").first.inner_text()
    assert "␛[31mred" in shown(page, ".notes").inner_text()
    watched.assert_clean()


def test_it_prints_with_its_tables_open(see, report) -> None:
    page = see(report).page

    data = page.pdf()

    assert data.startswith(b"%PDF")
    assert len(data) > 20_000
    assert page.evaluate("[...document.querySelectorAll('figure details')].every((one) => one.open)")


def test_the_same_store_gives_the_same_bytes_and_every_figure_has_its_interval(report, tmp_path: Path) -> None:
    again = tmp_path / "again.html"
    assert run_app(["report", "--store", str(report.parent / "store"), "--out", str(again)]) == 0

    text = again.read_text(encoding="utf-8")
    assert text == report.read_text(encoding="utf-8")
    assert "50.00 [41.19, 58.81] n=120" in text
    assert HOSTILE[:30] not in text


def test_markdown_and_json_say_the_same(report, tmp_path: Path, capsys) -> None:
    store = ["--store", str(report.parent / "store")]

    assert run_app(["report", *store, "--format", "md", "--lang", "ko"]) == 0
    markdown = capsys.readouterr().out
    assert run_app(["report", *store, "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)

    assert "# 잣대 보고서" in markdown
    assert "50.00 \\[41.19, 58.81\\] n=120" in markdown or "50.00 [41.19, 58.81] n=120" in markdown
    assert [one["result"]["estimates"]["acc"]["value"] for one in told["results"]] == [0.5, pytest.approx(1 / 3)]
    assert told["comparisons"][0]["difference"]["corrected_p"] >= told["comparisons"][0]["difference"]["p"]


def test_what_cannot_be_reported_is_one_line(tmp_path: Path, capsys) -> None:
    with Store.open(tmp_path / "store"):
        pass

    assert run_app(["report", "--store", str(tmp_path / "store"), "--out", str(tmp_path / "x.html")]) == 2
    assert "no finished result fits" in capsys.readouterr().err
    assert run_app(["report", "--store", str(tmp_path / "store")]) == 2
    assert "--out" in capsys.readouterr().err
