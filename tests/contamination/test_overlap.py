"""Overlap with a corpus: what is copied is found wherever it stands, what is not is left alone."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from jatdae.cli import run_app
from jatdae.contamination import ngrams
from jatdae.contamination.ngrams import SHORT, Index, best_by_item, folded, gram_hashes, overlaps
from jatdae.contamination.texts import ItemText

TEXT = "다음 가운데 조선 시대의 과거 제도에 대한 설명으로 알맞은 것을 모두 골라 그 까닭과 함께 짧게 쓰시오."
OTHER = "반도체 공정에서 식각이 끝난 뒤에 남는 감광막을 없애는 단계를 고르시오."


def found(items: dict[str, str], *passages: str):
    index = Index([ItemText(name, text) for name, text in items.items()])
    return best_by_item(overlaps(index, ((f"c:{n}", text) for n, text in enumerate(passages, 1))))


def test_a_copy_is_found_whatever_stands_around_it_and_between_its_words():
    spaced = TEXT.replace(" ", "  ").replace("?", "！")

    best = found({"a": TEXT, "b": OTHER}, "관계없는 글입니다.", f"머리말 {spaced} 꼬리말")

    assert list(best) == ["a"]
    assert (best["a"].coverage, best["a"].shares_long_run, best["a"].place) == (1.0, True, "c:2")


def test_a_light_edit_is_still_found_and_a_paraphrase_is_not():
    edited = TEXT.replace("설명으로", "설명으로서")
    paraphrased = "아래에서 조선의 과거 제도를 바르게 설명한 문장을 하나 고르면?"

    assert found({"a": TEXT}, edited)["a"].coverage > 0.4
    assert found({"a": TEXT}, paraphrased) == {}


def test_half_of_an_item_is_not_enough_without_a_long_run():
    item = TEXT[:25] + "가나다라마바사아자차카타파하" * 3

    assert found({"a": item}, TEXT[:25]) == {}


def test_a_short_item_needs_coverage_and_is_counted_where_it_is_too_short():
    index = Index([ItemText("short", "수도는?"), ItemText("long", TEXT)])

    assert index.too_short() == ["short"]
    assert found({"short": "수도는?"}, "수도는? 서울이다.") == {}


@given(st.text("가나다라 ", min_size=20, max_size=60), st.text("가나다라 ", min_size=20, max_size=200))
def test_what_is_found_is_what_a_plain_search_finds(item, passage):
    text, whole = folded(item), folded(passage)
    if len(text) < SHORT:
        return
    places = [at for at in range(len(text) - SHORT + 1) if text[at : at + SHORT] in whole]

    got = Index([ItemText("a", item)]).find(whole).get(0)

    assert ([] if got is None else got.tolist()) == places


def test_hashes_that_collide_find_nothing(monkeypatch):
    monkeypatch.setattr(ngrams, "gram_hashes", lambda text: gram_hashes(text) * 0)

    assert found({"a": TEXT}, OTHER * 3) == {}


def test_a_run_across_the_blocks_of_a_long_passage_is_found(monkeypatch):
    monkeypatch.setattr(ngrams, "BLOCK", 50)
    filler = "가" * 37

    assert found({"a": TEXT}, filler + TEXT + filler)["a"].shares_long_run


def test_the_command_tells_items_places_and_what_may_be_claimed(tmp_path: Path, capsys):
    items = json.loads(capture(capsys, "list"))["tasks"]
    assert items
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("아무 글.\n" + "\n".join(mini_questions()[:2]) + "\n", encoding="utf-8")

    words = ["audit", "contamination", "ngrams", "kmmlu", "--data", "mini", "--corpus", str(corpus)]
    assert run_app([*words, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert run_app([*words, "--lang", "ko"]) == 0
    korean = capsys.readouterr().out

    overlapping = told["finding"]["overlapping"]
    assert len(overlapping) == 2
    assert {one["place"] for one in overlapping} == {"corpus.txt:2", "corpus.txt:3"}
    assert told["finding"]["share"]["low"] is not None
    assert "말할 수 있는 것" in korean


def capture(capsys, *words: str) -> str:
    assert run_app([*words, "--json"]) == 0
    return capsys.readouterr().out


def mini_questions() -> list[str]:
    from jatdae import load_task

    return [" ".join((item.question, *item.options)) for item in load_task("kmmlu", data="mini").items()]


def test_real_questions_in_lightly_edited_form_are_found_among_other_korean(upstream: Path):
    questions = []
    for name in ("Law", "Biology", "korean-history"):
        with (upstream / "kmmlu" / "data" / f"{name}-test.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        questions += [" ".join((row["question"], *(row[letter] for letter in "ABCD"))) for row in rows]
    sentences = (upstream / "klue" / "klue-nli-v1.1_dev.json").read_text(encoding="utf-8")
    unrelated = [row["premise"] + " " + row["hypothesis"] for row in json.loads(sentences)]
    draw = random.Random(3)
    leaked = set(draw.sample(range(len(questions)), len(questions) // 2))
    edited = [questions[at].replace("은 ", "이 ", 1).replace("을 ", "은 ", 1) for at in sorted(leaked)]
    passages = [*unrelated, *(f"{draw.choice(unrelated)} {text} {draw.choice(unrelated)}" for text in edited)]
    index = Index([ItemText(str(at), text) for at, text in enumerate(questions)])

    best = best_by_item(overlaps(index, ((str(n), text) for n, text in enumerate(passages))))

    hits = {int(name) for name in best}
    recall = len(hits & leaked) / len(leaked)
    print(f"recall {recall:.4f}, others {len(hits - leaked)} of {len(questions) - len(leaked)}")
    assert recall > 0.97
    # Questions repeat in the files themselves: a copy of a leaked one is found as well.
    assert len(hits - leaked) / (len(questions) - len(leaked)) < 0.12
    assert best_by_item(overlaps(index, ((str(n), text) for n, text in enumerate(unrelated)))) == {}
