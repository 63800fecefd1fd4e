"""The app in a real browser: every page, keys, both languages, narrow windows, and text that would like to act."""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import SimpleNamespace
from urllib.parse import urlencode

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from app_server import running_app
from viewports import NARROW

from jatdae.stats import proportion
from jatdae.store import Store, request_key
from jatdae.types import Completion, Generate, Message, OptionScore, Outcome, Protocol, Result, Sample, Score, Scores

HOSTILE = (
    "<img src=x onerror=alert(1)><script>document.title='taken'</script> ![x](http://192.0.2.1/x.png) "
    "\x1b[31mred\x1b[0m \u202eright to left \ud800 </pre></script> {{ 7 * 7 }}"
)
LONG = "긴 줄 " * 35_000
FACTS = {"fingerprint": "f" * 64, "data_hash": "d" * 64, "task_version": "1"}


def fill(store: Store) -> None:
    """Two models on one task of 120 items, with odd texts among them."""
    for number in range(2):
        model = SimpleNamespace(key=f"key{number}", reference=f"hf:org/모형-{number}", facts={"weights": f"w{number}"})
        store.remember_model(model)
        run = store.start_run(f"jatdae run kmmlu --model {model.reference}", {"jatdae": "0.1.0"}, {"cores": "2"})
        protocol = Protocol(mode="letter", shots=5)
        result = store.start_result(run, task="kmmlu", model_key=model.key, mode="letter", protocol=protocol, **FACTS)
        samples = [sample(store, model.key, at, number) for at in range(120)]
        store.add_samples(result, samples)
        rights = [float(one.outcome is Outcome.RIGHT) for one in samples]
        store.finish_result(
            result,
            Result(
                task="kmmlu",
                model=model.reference,
                protocol=protocol,
                title=f"KMMLU {HOSTILE if number else ''}",
                headline="acc",
                estimates={"acc": proportion(rights)},
                rates={"unparsed": proportion([0.0] * 120)},
                floors={"best constant letter": proportion([1.0, 0.0, 0.0, 0.0])},
                breakdown={"subject": {"law": proportion(rights[:60]), "math": proportion(rights[60:])}},
                items=120,
                complete=True,
                notes=(HOSTILE,),
                model_key=model.key,
                **FACTS,
            ),
        )
        store.end_run(run, "done")


def sample(store: Store, model_key: str, at: int, number: int) -> Sample:
    right = at % (2 + number) == 0
    text = HOSTILE if at == 1 else LONG if at == 2 else f"{at}번 질문: 알맞은 것은?"
    request = Generate((Message("user", text),)) if at < 3 else Score(text, (" A", " B"))
    answer = Completion(text, "stop", 5, 9, reasoning=HOSTILE) if at < 3 else scores(right)
    key = request_key(model_key, request)
    store.remember(model_key, [(key, request, answer)])
    return Sample(
        f"item/{at:03}",
        Outcome.RIGHT if right else Outcome.WRONG,
        HOSTILE if at == 1 else "A",
        "A" if right else "B",
        {"acc": float(right)},
        group="law" if at < 60 else "math",
        requests=(key,),
        detail={"note": text},
    )


def scores(right: bool) -> Scores:
    return Scores((OptionScore(-1.0, 1, right), OptionScore(-2.0 if right else -0.5, 1, not right)), 12)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("app") / "store"
    with Store.open(folder) as store:
        fill(store)
    with running_app(folder) as url:
        yield url


def base(address: str) -> str:
    return address.partition("/?")[0]


@pytest.fixture
def enter(open_page, address):
    """A page that has come in by the printed address."""

    def entered(**how):
        watched = open_page(**how)
        watched.page.goto(address)
        return watched

    return entered


def test_the_way_from_a_run_to_what_the_model_said(enter, address) -> None:
    watched = enter()
    page = watched.page

    page.get_by_role("link", name="KMMLU").last.click()
    assert "50.00 [" in page.content()
    page.get_by_role("link", name="See the samples").click()
    page.get_by_label("wrong").check()
    page.get_by_role("button", name="Search").click()
    assert page.locator(".samples tbody .outcome.right").count() == 0
    assert page.locator(".samples tbody tr").count() == 50
    page.get_by_role("link", name="Next page").click()
    assert page.locator(".samples tbody tr").count() == 10
    page.get_by_role("link", name="item/103").click()

    assert "103번 질문" in page.locator("main").inner_text()
    assert page.locator("table.options tbody tr").count() == 2
    watched.assert_clean()


def test_keys_go_from_sample_to_sample_and_to_the_search(enter, address) -> None:
    watched = enter()
    page = watched.page
    page.goto(f"{base(address)}/sample/1?{urlencode({'item': 'item/010'})}")

    page.keyboard.press("j")
    page.wait_for_url("**item/011*")
    page.keyboard.press("k")
    page.wait_for_url("**item/010*")
    page.keyboard.press("?")
    assert page.locator("dialog#keys").is_visible()
    page.keyboard.press("Escape")
    page.goto(f"{base(address)}/samples/1")
    page.keyboard.press("/")
    page.keyboard.type("77번")
    page.keyboard.press("Enter")
    page.wait_for_url("**q=77**")

    assert page.locator(".samples tbody tr").count() == 1
    watched.assert_clean()


def test_a_search_reads_prompts_and_a_group_narrows_it(enter, address) -> None:
    page = enter().page

    page.goto(f"{base(address)}/samples/1?{urlencode({'q': '알맞은', 'group': 'math'})}")

    assert page.locator(".samples tbody tr").count() == 50
    page.get_by_role("link", name="Next page").click()
    assert page.locator(".samples tbody tr").count() == 10
    assert page.get_by_role("link", name="Next page").count() == 0


def test_models_side_by_side_and_the_items_that_changed(enter, address) -> None:
    watched = enter()
    page = watched.page

    page.goto(f"{base(address)}/diff?first=1&second=2")
    words = page.locator("main").inner_text()
    assert "is worse by" in words or "no difference can be told" in words
    page.get_by_role("link", name="item/004").click()
    page.wait_for_selector(".side article")

    assert page.locator(".side article").count() == 2
    assert {"모형-0" in text or "모형-1" in text for text in page.locator(".side h2").all_inner_texts()} == {True}
    watched.assert_clean()


@pytest.mark.parametrize("path", ["/", "/run/2", "/result/2", "/samples/2", "/diff?first=1&second=2", "/annotate/"])
@pytest.mark.parametrize("locale", ["ko-KR", "en-US"])
def test_every_page_speaks_both_languages_and_fits_a_phone(enter, address, path, locale) -> None:
    watched = enter(viewport=NARROW, locale=locale)

    watched.page.goto(base(address) + path)

    assert watched.page.locator("html").get_attribute("lang") == locale[:2]
    assert ("잣대" in watched.page.title()) == (locale == "ko-KR")
    assert watched.page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    watched.assert_clean()


def test_the_chosen_language_stays(enter, address) -> None:
    page = enter(locale="en-US").page

    page.get_by_role("link", name="한국어").click()
    page.goto(f"{base(address)}/result/1")

    assert page.get_by_role("link", name="표본 보기").is_visible()


@pytest.mark.parametrize("item", ["item/001", "item/002"])
@pytest.mark.parametrize("place", ["sample", "side"])
def test_text_that_would_act_is_shown_and_does_nothing(enter, address, item, place) -> None:
    watched = enter()
    page = watched.page
    asked = {"item": item, "task": "kmmlu"}
    said: list[str] = []
    page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))

    page.goto(f"{base(address)}/{'sample/2' if place == 'sample' else 'side'}?{urlencode(asked)}")
    page.wait_for_load_state("networkidle")

    assert not said
    assert "taken" not in page.title()
    assert page.locator("main img").count() == 0
    text = page.locator("main").inner_text()
    if item == "item/001":
        assert "<img src=x onerror=alert(1)>" in text
        assert "␛[31mred" in text
        assert "⟨U+202E⟩" in text
        assert "{{ 7 * 7 }}" in text
    else:
        assert re.search(r"the rest, [\d,]+ characters", text)
    watched.assert_clean()


def test_what_is_not_there_is_said_on_a_friendly_page(enter, address) -> None:
    page = enter().page

    for path in ("/run/99", "/result/99", "/sample/1?item=none", "/nothing", "/diff?first=1&second=x"):
        reply = page.goto(base(address) + path)
        assert reply is not None
        assert reply.status == 404
        assert page.get_by_role("link", name="Back to the runs").is_visible()
