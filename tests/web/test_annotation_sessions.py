"""Whole annotation sessions in a real browser, by keyboard, against a real server process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from annotation_app import TOKEN, Served, serving
from annotation_texts import OTHER, TELLING, make_set

from jatdae.judging.annotation.units import compared
from jatdae.store import Store
from jatdae.store.annotations import Annotation, Annotations

if TYPE_CHECKING:
    from playwright.sync_api import Page

NARROW = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for all tests but that which kills it; each finds it without answers."""
    store = tmp_path_factory.mktemp("store")
    make_set(store, "rubric", 2)
    make_set(store, "pairs", 3, "짝")
    with serving(store) as served:
        yield served


@pytest.fixture
def served(running: Served) -> Iterator[Served]:
    with Store.open(running.store) as store, store.writing() as connection:
        connection.execute("DELETE FROM annotations")
    yield running


def answers(served: Served, name: str) -> list[Annotation]:
    with Store.open(served.store) as store:
        tables = Annotations(store)
        return tables.history(tables.set(name).id)


def begin(page: Page, served: Served, rater: str) -> None:
    """Open the app and say who rates, by keyboard alone."""
    page.goto(f"{served.url}/annotate/?token={TOKEN}")
    tab_to(page, "input[name=rater]")
    page.keyboard.type(rater)
    page.keyboard.press("Enter")
    page.wait_for_selector(f".rater:has-text('{rater}')")


def tab_to(page: Page, selector: str) -> None:
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"no {selector} can be reached by the Tab key")


def start(page: Page, name: str) -> None:
    tab_to(page, f"a.primary[href$='{name_in_address(name)}']")
    page.keyboard.press("Enter")
    page.wait_for_selector("#rating")


def name_in_address(name: str) -> str:
    from urllib.parse import quote

    return quote(name)


def place(page: Page) -> int:
    return int(page.url.rsplit("/", 1)[1])


def save(page: Page) -> None:
    before = page.url
    page.keyboard.press("Enter")
    page.wait_for_function("before => location.href !== before", arg=before)
    page.wait_for_load_state()


def test_a_rubric_session_by_keyboard_alone(open_page: Any, served: Served) -> None:
    watched = open_page(locale="ko-KR")
    page = watched.page
    begin(page, served, "김서연")
    start(page, "봄편지")

    # Four texts of two criteria: the first with 7 and 10 points, then back, and 3 in place of 7.
    assert place(page) == 1
    page.keyboard.press("7")
    page.keyboard.press("-")
    save(page)
    assert place(page) == 2
    page.keyboard.press("z")
    page.wait_for_url("**/1")
    assert page.locator("#told").inner_text().startswith("저장된 답입니다")
    assert page.locator("input[name=c0]:checked").get_attribute("value") == "7"
    page.keyboard.press("ArrowUp")
    page.keyboard.press("3")
    save(page)
    # Enter with a criterion left out says so and saves nothing.
    page.keyboard.press("5")
    page.keyboard.press("Enter")
    page.wait_for_selector("#told.wrong")
    assert page.locator("fieldset.current").get_attribute("data-criterion") == "1"
    page.keyboard.press("0")
    # A comment, typed with keys that are shortcuts elsewhere.
    page.keyboard.press("c")
    page.keyboard.type("zs 3점은 아님")
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/3")
    for _ in range(2):
        page.keyboard.type("89")
        save(page)
    page.wait_for_selector(".finished")

    told = answers(served, "봄편지")
    assert [list(one.value["scores"].values()) for one in told] == [[7, 10], [3, 10], [5, 0], [8, 9], [8, 9]]
    assert told[2].value["comment"] == "zs 3점은 아님"
    assert {one.rater for one in told} == {"김서연"}
    assert told[0].unit == told[1].unit and len({one.unit for one in told}) == 4
    watched.assert_clean()


def test_a_pairs_session_by_keyboard_alone_and_each_choice_is_that_of_the_text_shown_there(
    open_page: Any, served: Served
) -> None:
    watched = open_page(locale="ko-KR")
    page = watched.page
    begin(page, served, "정지우")
    start(page, "짝")
    shown = []
    page.keyboard.press("Enter")
    page.wait_for_selector("#told.wrong")
    for key in ("ArrowLeft", "b", "="):
        shown.append((page.get_attribute("#rating", "data-unit"), page.locator(".sides .text").all_inner_texts()))
        page.keyboard.press(key)
        save(page)
    page.wait_for_selector(".finished")

    told = answers(served, "짝")
    assert {one.value["left"] for one in told[:2]} == {"first", "second"}, "the sides of this rater have to differ"
    assert [one.unit for one in told] == [unit for unit, _ in shown]
    with Store.open(served.store) as store:
        tables = Annotations(store)
        bodies = {one.unit: tables.body(tables.set("짝").id, one.unit) for one in told}
        secrets = tables.secrets(tables.set("짝").id)
    for one, key, (unit, texts) in zip(told, ("left", "right", "tie"), shown, strict=True):
        left = bodies[unit][one.value["left"]][0]["text"]
        assert left.split() == texts[0].split()
        other = "second" if one.value["left"] == "first" else "first"
        assert one.value["preferred"] == {"left": one.value["left"], "right": other, "tie": "tie"}[key]
    assert {compared(secret).first for secret in secrets.values()} <= {"openai:가람-7B", OTHER}
    watched.assert_clean()


def test_keys_work_with_a_korean_input_method(open_page: Any, served: Served) -> None:
    watched = open_page(locale="ko-KR")
    page = watched.page
    begin(page, served, "박하은")
    start(page, "짝")

    # With the Korean keyboard on, the key B arrives as the letter ㅠ.
    page.evaluate(
        "document.dispatchEvent("
        "new KeyboardEvent('keydown', {key: 'ㅠ', code: 'KeyB', bubbles: true, cancelable: true}))"
    )

    assert page.locator("input[name=choice]:checked").get_attribute("value") == "right"


def test_two_raters_at_once_lose_nothing_and_meet_orders_of_their_own(open_page: Any, served: Served) -> None:
    pages = {}
    for rater in ("김서연", "이도윤"):
        pages[rater] = open_page(locale="ko-KR").page
        begin(pages[rater], served, rater)
        start(pages[rater], "봄편지")
    said: dict[str, dict[str, list[int]]] = {rater: {} for rater in pages}

    # Turn by turn, both standing on an open unit while the other saves.
    for turn in range(4):
        for rater, page in pages.items():
            scores = [turn, 9 - turn] if rater == "김서연" else [turn + 1, 5]
            page.keyboard.type("".join(map(str, scores)))
            said[rater][page.get_attribute("#rating", "data-unit")] = scores
        before = {rater: page.url for rater, page in pages.items()}
        for page in pages.values():
            page.keyboard.press("Enter")
        for rater, page in pages.items():
            page.wait_for_function("before => location.href !== before", arg=before[rater])
            page.wait_for_load_state()

    told = answers(served, "봄편지")
    assert len(told) == 8
    for rater, expected in said.items():
        assert {one.unit: list(one.value["scores"].values()) for one in told if one.rater == rater} == expected
        assert len(expected) == 4
    assert list(said["김서연"]) != list(said["이도윤"])
    pages["김서연"].goto(f"{served.url}/annotate/")
    assert "이도윤 4/4" in pages["김서연"].locator(".set:has-text('봄편지') .raters").inner_text()


def test_a_killed_server_loses_nothing_that_was_saved_or_chosen(open_page: Any, served: Served) -> None:
    page = open_page(locale="ko-KR").page
    begin(page, served, "김서연")
    start(page, "봄편지")
    page.keyboard.type("46")
    save(page)
    page.keyboard.type("28")

    served.kill()
    page.keyboard.press("Enter")
    page.wait_for_selector("#told.wrong:has-text('저장하지 못했습니다')")
    assert page.locator("input[name=c1]:checked").get_attribute("value") == "8"
    served.start()

    # The window still has what was chosen, even after it is loaded again; Enter saves it.
    page.reload()
    assert page.locator("#told").inner_text() == "저장하지 않은 답을 되살렸습니다."
    save(page)
    told = answers(served, "봄편지")
    assert [list(one.value["scores"].values()) for one in told] == [[4, 6], [2, 8]]

    # Another browser, as after closing this one: the name brings the rater to the first unit without an answer.
    again = open_page(locale="ko-KR").page
    again.goto(f"{served.url}/annotate/?token={TOKEN}")
    again.click("button[name=rater]:has-text('김서연')")
    assert again.locator(".set:has-text('봄편지') #done-count").inner_text() == "2 / 4 마침"
    again.click("a[href$='/annotate/%EB%B4%84%ED%8E%B8%EC%A7%80']")
    again.wait_for_selector("#rating")
    assert place(again) == 3


@pytest.mark.parametrize("name", ["봄편지", "짝"])
def test_nothing_that_reaches_the_browser_names_a_model(open_page: Any, served: Served, name: str) -> None:
    watched = open_page(locale="ko-KR")
    page = watched.page
    heard: list[str] = []

    def overhear(route: Any) -> None:
        reply = route.fetch(max_redirects=0)
        heard.append(f"{route.request.url} {route.request.headers} {route.request.post_data}")
        heard.append(f"{reply.headers} {reply.text()}")
        route.fulfill(response=reply)

    page.route("**/*", overhear)
    begin(page, served, "김서연")
    start(page, name)
    while page.query_selector("#rating"):
        heard.append(page.content())
        page.keyboard.type("55" if name == "봄편지" else "a")
        save(page)
    page.wait_for_selector(".finished")
    page.wait_for_load_state("networkidle")

    everything = "\n".join(heard).lower()
    assert "번째 편지" in everything and "[가림]" in everything
    for word in TELLING:
        assert word.lower() not in everything, word


def test_hostile_and_long_texts_are_inert_and_folded(open_page: Any, served: Served) -> None:
    watched = open_page(NARROW, locale="ko-KR")
    page = watched.page
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    begin(page, served, "김서연")
    start(page, "봄편지")
    seen = ""
    for number in range(1, 5):
        page.goto(f"{served.url}/annotate/{name_in_address('봄편지')}/{number}")
        seen += page.locator(".answer .text").inner_text()
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        assert "뚫림" not in page.title()
        button = page.locator(".answer button.fold")
        if button.count():
            assert button.inner_text() == "전체 보기 (100,000자)"
            assert page.locator(".answer .reading").bounding_box()["height"] < 500
            page.keyboard.press("f")
            assert page.locator(".answer .reading").bounding_box()["height"] > 5000
            assert button.get_attribute("aria-expanded") == "true"

    assert "<img src=x onerror=alert(1)>" in seen and "{{ 7 * 7 }}" in seen
    assert "\x1b" not in seen and "\u202e" not in seen
    assert not dialogs
    watched.assert_clean()


def test_the_pages_speak_two_languages(open_page: Any, served: Served) -> None:
    page = open_page(locale="en-US").page
    page.goto(f"{served.url}/annotate/?token={TOKEN}")
    assert page.locator("h1").inner_text() == "Human annotation"
    page.goto(f"{served.url}/annotate/?lang=ko")
    assert page.locator("h1").inner_text() == "사람 평가"
    assert page.get_attribute("html", "lang") == "ko"


def test_what_is_no_answer_is_refused_and_stored_nowhere(open_page: Any, served: Served) -> None:
    page = open_page().page
    begin(page, served, "김서연")
    start(page, "봄편지")
    unit = page.get_attribute("#rating", "data-unit")
    url = page.get_attribute("#rating", "data-save")
    send = """([url, body]) => fetch(url, {method: "POST", body}).then(reply => reply.status)"""

    for body in (
        "[]",
        "not JSON",
        "[" * 5000,
        f'{{"rater": "김서연", "unit": "{unit}", "scores": [5, 11]}}',
        f'{{"rater": "", "unit": "{unit}", "scores": [5, 5]}}',
        '{"rater": "김서연", "unit": "없음", "scores": [5, 5]}',
        f'{{"rater": "김서연", "unit": "{unit}", "scores": [5, NaN]}}',
    ):
        assert page.evaluate(send, [url, body]) == 400, body
    assert not answers(served, "봄편지")
