"""The forms of a negation project: the sheets' rules, checks while typing, two people never in each other's way."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from annotation_app import TOKEN, Served, serving

from jatdae.negation.construction.item import OPTIONS
from jatdae.negation.construction.project import Project
from jatdae.negation.construction.states import State

sys.path.insert(0, str(Path(__file__).parents[1] / "negation"))
from construction_project import make_project
from construction_texts import TEXTS

if TYPE_CHECKING:
    from playwright.sync_api import Page

NEGATED = "민호는 새벽마다 강가를 달리지 않거나 누나는 저녁에 체육관에서 수영을 배우지 않는다."
LOCAL = "민호는 새벽마다 강가를 달리지 않고 누나는 저녁에 체육관에서 수영을 배운다."


def opened(folder: Path) -> Project:
    return Project.open(folder, "2030-05-01T09:30:00+00:00")


def refined(number: int) -> dict[str, str]:
    one = TEXTS[number]
    whole = {"original_sentence": one.merged, "contradiction": one.contradiction, "paraphrase": one.paraphrase}
    return {**whole, "standard_negation": NEGATED, "local_negation": LOCAL, "local_negation_type": "대등절 일부"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server; `project` starts the log anew for each test."""
    folder = tmp_path_factory.mktemp("negation")
    with serving(tmp_path_factory.mktemp("store"), make_project(folder / "project")) as running:
        yield running


@pytest.fixture
def project(served: Served) -> Project:
    """Item 1, refined by kim, and items 2 and 3, corrected by kim. Ids grow, as the log does."""
    assert served.project is not None
    made = opened(served.project)
    start = max((int(idx) for idx in made.journal.items), default=0)
    with made.journal.writing("kim", made.time) as draft:
        for idx, item in list(draft.items.items()):
            if item.state not in (State.DROPPED, State.RELEASED):
                draft.change(idx, {"reason": "지난 검사"}, State.DROPPED)
        draft.change(str(start + 1), refined(1), State.REFINED)
        for number in (2, 3):
            draft.change(str(start + number), {"original_sentence": TEXTS[number].merged}, State.CORRECTED)
    return made


def ids(project: Project) -> list[str]:
    return [item.idx for item in project.kept()]


def begin(page: Page, served: Served, person: str) -> None:
    page.goto(f"{served.url}/negation/?token={TOKEN}")
    page.click(f"button[value={person}]")
    page.wait_for_selector(f".rater:has-text('{person}')")


def open_item(page: Page, served: Served, idx: str) -> None:
    page.goto(f"{served.url}/negation/author/{idx}")
    page.wait_for_selector("#remarks[aria-busy=false]")


def test_an_author_sees_what_the_checks_say_while_typing_and_decides(
    open_page: Any, served: Served, project: Project
) -> None:
    watched = open_page(locale="ko-KR")
    page = watched.page
    _, second, third = ids(project)
    begin(page, served, "kim")
    open_item(page, served, second)

    page.fill("[name=standard_negation]", " 할머니가 담근 간장은 맛이 깊지 않다")
    page.wait_for_selector("#remarks .is-error:has-text('표준 부정문: 앞이나 뒤에 빈칸이 있습니다.')")
    assert page.locator("[data-field=standard_negation] .is-error").count() == 1
    # An error keeps the item from going on; the text stays.
    page.check("input[name=decision][value=done]")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#told.wrong")
    assert page.input_value("[name=standard_negation]").startswith(" 할머니")
    assert project.item(second).state is State.CORRECTED
    page.fill("[name=standard_negation]", "할머니가 담근 간장은 맛이 깊지 않거나 동네 사람들이 자주 얻어 가지 않는다.")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(f"**/author/{third}")

    item = project.item(second)
    assert item.state is State.NEGATED and "kim" in item.people
    # An edit without a decision is kept, and an item that is dropped needs a reason.
    page.fill("[name=note]", "다시 볼 것")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#told:has-text('✓')")
    assert (project.item(third)["note"], project.item(third).state) == ("다시 볼 것", State.CORRECTED)
    page.check("input[name=decision][value=drop]")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#told.wrong:has-text('빼는 까닭')")
    page.fill("[name=reason]", "문장이 어색하다.")
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/author")
    assert project.item(third).state is State.DROPPED
    assert [error for error in watched.errors if "422" not in error] == []
    assert not watched.outward


def test_two_authors_on_one_item_never_overwrite_one_another(open_page: Any, served: Served, project: Project) -> None:
    _, second, _ = ids(project)
    pages = {}
    for person in ("kim", "lee"):
        pages[person] = open_page(locale="ko-KR").page
        begin(pages[person], served, person)
        open_item(pages[person], served, second)
    kim, lee = pages["kim"], pages["lee"]
    kim.fill("[name=paraphrase]", "김이 쓴 문장이다.")
    lee.fill("[name=paraphrase]", "이가 쓴 문장이다.")
    lee.fill("[name=note]", "이의 메모")

    kim.keyboard.press("Control+Enter")
    kim.wait_for_selector("#told:has-text('✓')")
    lee.keyboard.press("Control+Enter")
    lee.wait_for_selector("#conflict:has-text('kim 님이')")

    # Kim's text is stored and shown beside Lee's, which is untouched, also after the page is loaded again.
    assert project.item(second)["paraphrase"] == "김이 쓴 문장이다."
    assert "김이 쓴 문장이다." in lee.locator("[data-field=paraphrase] .stored").inner_text()
    assert lee.locator("[data-field=note] .stored").is_visible()
    lee.reload()
    assert lee.input_value("[name=paraphrase]") == "이가 쓴 문장이다."
    assert lee.input_value("[name=note]") == "이의 메모"
    # Having seen both, Lee saves on purpose.
    lee.keyboard.press("Control+Enter")
    lee.wait_for_selector("#told:has-text('✓')")
    item = project.item(second)
    assert (item["paraphrase"], item["note"]) == ("이가 쓴 문장이다.", "이의 메모")
    changes = [event for event in project.journal.events() if event.item == second and "paraphrase" in event.changes]
    assert [(event.by, event.changes["paraphrase"]) for event in changes] == [
        ("kim", ("", "김이 쓴 문장이다.")),
        ("lee", ("김이 쓴 문장이다.", "이가 쓴 문장이다.")),
    ]


def test_an_item_that_has_moved_on_can_no_longer_be_edited_and_nothing_typed_is_lost(
    open_page: Any, served: Served, project: Project
) -> None:
    _, second, _ = ids(project)
    page = open_page(locale="ko-KR").page
    begin(page, served, "lee")
    open_item(page, served, second)
    page.fill("[name=note]", "늦은 메모")
    with project.journal.writing("kim", project.time) as draft:
        draft.change(second, {"reason": "중복"}, State.DROPPED)

    page.keyboard.press("Control+Enter")

    page.wait_for_selector("#conflict:has-text('다음 단계로 갔습니다(뺌)')")
    assert page.input_value("[name=note]") == "늦은 메모"
    assert project.item(second)["note"] == ""


def test_a_verifier_answers_blind_by_keyboard_then_reviews(open_page: Any, served: Served, project: Project) -> None:
    first, *_ = ids(project)
    watched = open_page(locale="ko-KR")
    page = watched.page
    begin(page, served, "lee")
    # The author's form of an item that waits for a blind answer is not shown unasked.
    page.goto(f"{served.url}/negation/author/{first}")
    assert NEGATED not in page.content()
    page.goto(f"{served.url}/negation/verify")
    page.wait_for_url(f"**/verify/{first}")

    source = page.content()
    for name in (*OPTIONS, "표준 부정문", "국소 부정문", "모순문", "바꿔쓰기", "대등절 일부"):
        assert name not in source, name
    letters = page.locator(".options label:has(.text)")
    right = letters.filter(has_text=NEGATED).locator("input").get_attribute("value")
    assert right in ("A", "B", "C", "D") and letters.count() == 4
    page.keyboard.press("Enter")
    page.wait_for_selector("#told.wrong")
    page.keyboard.press(right.lower())
    page.keyboard.press("Enter")
    page.wait_for_url("**/verify")
    assert (project.item(first)["answer"], project.item(first)["verifier"]) == ("standard_negation", "lee")

    page.goto(f"{served.url}/negation/review")
    assert "표준 부정문" in page.locator(".given").inner_text()
    # A dispute says what is disputed.
    page.check("input[value=dispute]", force=True)
    page.click("button[type=submit]")
    page.wait_for_selector("#told.wrong:has-text('무엇이 문제인지')")
    page.check("input[value=agree]", force=True)
    page.click("button[type=submit]")
    page.wait_for_url("**/review")
    assert project.item(first).state is State.VERIFIED
    assert [error for error in watched.errors if "422" not in error] == []


def test_nobody_verifies_their_own_and_a_stale_blind_answer_is_refused(
    open_page: Any, served: Served, project: Project
) -> None:
    first, *_ = ids(project)
    kim, lee = open_page(locale="ko-KR").page, open_page(locale="ko-KR").page
    begin(kim, served, "kim")
    kim.goto(f"{served.url}/negation/verify")
    assert "기다리는 문항이 없습니다" in kim.locator("main").inner_text()
    send = """([url, body]) => fetch(url, {method: "POST", body, headers: {Accept: "application/json"}})
        .then(async reply => [reply.status, await reply.text()])"""
    forged = json.dumps({"person": "kim", "cells": {"original_sentence": TEXTS[1].merged, "A": "x", "answer": "A"}})
    status, told = kim.evaluate(send, [f"/negation/verify/{first}", forged])
    assert status == 422 and "확인하지 못합니다" in told

    begin(lee, served, "lee")
    lee.goto(f"{served.url}/negation/verify/{first}")
    with project.journal.writing("kim", project.time) as draft:
        draft.change(first, {"contradiction": "민호는 밤마다 산길을 걷는다."}, State.REFINED)
    lee.keyboard.press("a")
    lee.keyboard.press("Enter")
    lee.wait_for_selector("#told.wrong:has-text('그사이에 바뀌었습니다')")
    assert project.item(first)["answer"] == ""


@pytest.mark.parametrize("lang", ["ko", "en"])
def test_a_narrow_window_holds_every_form(open_page: Any, served: Served, project: Project, lang: str) -> None:
    first, *_ = ids(project)
    watched = open_page({"width": 390, "height": 844}, locale="ko-KR")
    page = watched.page
    begin(page, served, "park")
    for path in ("", "author", f"author/{first}?open=yes", "verify", "review"):
        page.goto(f"{served.url}/negation/{path}{'&' if '?' in path else '?'}lang={lang}")
        assert page.evaluate("document.documentElement.scrollWidth") == 390, path
        assert page.get_attribute("html", "lang") == lang
    watched.assert_clean()
