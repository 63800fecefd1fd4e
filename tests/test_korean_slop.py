"""Counting expressions that models overuse: the published way, the standard way, and the review of a list."""

from __future__ import annotations

import json
import re
import time
import unicodedata
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jatdae.benchmarks.munbench.records import SlopEntry
from jatdae.errors import RequestError
from jatdae.korean.particles import particle_alternants
from jatdae.korean.slop import SlopCount, SlopMatcher, pooled, slop_compat
from jatdae.korean.slop_review import entry_faults, has_empty_slot, nested_phrases

# text, characters, literal hits, literal value per 1,000, standard hits
WORKED = [
    ("마음 한켠이 시렸다. 심장이 쿵 내려앉았다.", 24, 2, 83.33, 2),
    ("입가에 옅은 미소를 머금었다.", 16, 2, 125.0, 1),
    ("바로 이러한 이유로 나는 갔다.", 17, 2, 117.65, 1),
    ("정적이 흐르고 햇살이 부서지고 눈시울이 붉어지고 있었다.", 31, 3, 96.77, 3),
    ("정적이 흘렀다. 햇살이 부서졌다. 눈시울이 붉어졌다.", 29, 0, 0.0, 3),
    ("마음\n한켠", 5, 0, 0.0, 1),
    (unicodedata.normalize("NFD", "마음 한켠이 시렸다."), 23, 0, 0.0, 1),
]
CUT_AT_STEMS = (
    *("마음 한켠", "심장이 쿵", "옅은 미소", "미소를 머금", "이러한 이유로", "바로 이러한 이유로"),
    *("정적이 흐르", "햇살이 부서지", "눈시울이 붉어지"),
)
SECOND_VERSION = (
    SlopEntry("a", "literal", "마음 한켠", "감정"),
    SlopEntry("b", "stem", "심장이 쿵 내려앉", "감정"),
    SlopEntry("c", "literal", "옅은 미소", "감정"),
    SlopEntry("d", "stem", "미소를 머금", "감정"),
    SlopEntry("e", "regex", "(?:바로 )?이러한 이유로", "설명"),
    SlopEntry("f", "stem", "정적이 흐르", "장면"),
    SlopEntry("g", "stem", "햇살이 부서지", "장면"),
    SlopEntry("h", "stem", "눈시울이 붉어지", "감정"),
)


def literal(*phrases: str) -> list[SlopEntry]:
    return [SlopEntry(str(place), "literal", phrase) for place, phrase in enumerate(phrases)]


@pytest.fixture(scope="module")
def published(upstream: Path) -> list[str]:
    return json.loads((upstream / "munbench" / "data" / "slop_list.json").read_text(encoding="utf-8"))["phrases"]


@pytest.mark.parametrize(("text", "characters", "hits", "value", "_standard"), WORKED)
def test_given_a_worked_text_when_counted_literally_then_hits_and_rate_are_as_published(
    text: str, characters: int, hits: int, value: float, _standard: int
) -> None:
    assert len(text) == characters
    found, rate = slop_compat(text, CUT_AT_STEMS)
    assert (found, round(rate, 2)) == (hits, value)


@pytest.mark.parametrize(("text", "characters", "hits", "value", "standard"), WORKED)
def test_given_the_published_list_when_a_worked_text_is_counted_then_both_columns_come_out(
    text: str, characters: int, hits: int, value: float, standard: int, published: list[str]
) -> None:
    found, rate = slop_compat(text, published)
    assert (found, round(rate, 2)) == (hits, value)
    assert len(SlopMatcher(literal(*published), cut_at_stems=True).find(text)) == standard


@pytest.mark.parametrize("entries", [literal(*CUT_AT_STEMS), SECOND_VERSION], ids=["version 1", "version 2"])
@pytest.mark.parametrize(("text", "_characters", "_hits", "_value", "standard"), WORKED)
def test_given_self_written_entries_when_a_worked_text_is_counted_in_the_standard_way_then_hits_are_as_required(
    text: str, _characters: int, _hits: int, _value: float, standard: int, entries: list[SlopEntry]
) -> None:
    assert len(SlopMatcher(entries, cut_at_stems=True).find(text)) == standard


def test_given_no_text_or_an_empty_phrase_when_counted_literally_then_there_is_no_hit() -> None:
    assert slop_compat("", CUT_AT_STEMS) == (0, 0.0)
    assert slop_compat("정적이 흐르고", ["", "정적"]) == (1, 1000 / 7)


def test_given_a_decomposed_text_when_counted_then_the_rate_is_over_its_composed_length() -> None:
    count = SlopMatcher(literal("마음 한켠")).count(unicodedata.normalize("NFD", "마음 한켠이 시렸다."))
    assert count == SlopCount(strong=1, weak=0, characters=11)
    assert count.strong_per_1000 == pytest.approx(90.909, abs=1e-3)


def test_given_whitespace_runs_and_decomposed_letters_when_found_then_offsets_point_into_the_composed_text() -> None:
    text = unicodedata.normalize("NFD", "긴 밤, \t마음 \n\n 한켠이 시렸고\r\n정적이  흘러갔다")
    composed = unicodedata.normalize("NFC", text)
    hits = SlopMatcher(literal("마음 한켠", "정적이 흐르"), cut_at_stems=True).find(text)
    assert [hit.text for hit in hits] == ["마음 \n\n 한켠", "정적이  흘러"]
    assert all(composed[hit.start : hit.end] == hit.text for hit in hits)


def test_given_a_literal_entry_when_the_list_is_not_cut_at_stems_then_only_its_spelling_is_found() -> None:
    matcher = SlopMatcher(literal("정적이 흐르"))
    assert matcher.find("정적이 흐르고") and not matcher.find("정적이 흘렀다")


def test_given_a_list_cut_at_stems_when_a_phrase_ends_in_a_noun_or_an_ending_then_it_stays_literal() -> None:
    matcher = SlopMatcher(literal("온몸에 소름", "작은 걸음이", "두 손을 모으는"), cut_at_stems=True)
    assert [
        hit.text for hit in matcher.find("온몸에 소름이. 작은 걸음이. 작은 걸음인. 두 손을 모으는. 두 손을 모은다.")
    ] == [
        "온몸에 소름",
        "작은 걸음이",
        "두 손을 모으는",
    ]


def test_given_overlapping_hits_when_found_then_the_longest_stays_wherever_it_starts() -> None:
    entries = literal("가나다", "다라마바", "바사", "마바")
    assert [hit.text for hit in SlopMatcher(entries).find("가나다라마바사")] == ["다라마바"]


def test_given_hits_side_by_side_or_repeated_when_found_then_each_counts_once() -> None:
    assert [hit.start for hit in SlopMatcher(literal("가가", "나나")).find("가가가나나가가가가")] == [0, 3, 5, 7]


def test_given_strong_and_weak_entries_when_counted_and_pooled_then_they_stay_apart() -> None:
    entries = [SlopEntry("s", "literal", "빛의 결"), SlopEntry("w", "literal", "물론", "설명", "weak")]
    matcher = SlopMatcher(entries)
    counts = [matcher.count("물론 물론 빛의 결"), matcher.count("아무 말도 없다"), matcher.count("")]
    total = pooled(counts)
    assert total == SlopCount(strong=1, weak=2, characters=10 + 8)
    assert (total.strong_per_1000, total.weak_per_1000) == (pytest.approx(1000 / 18), pytest.approx(2000 / 18))
    assert counts[2].strong_per_1000 == 0.0


def test_given_a_phrase_that_starts_with_a_particle_when_found_then_its_other_form_is_found_too() -> None:
    matcher = SlopMatcher([SlopEntry("p", "stem", "을 필요로 하"), SlopEntry("q", "literal", "라고 할 만하다")])
    texts = ("변화를 필요로 했다", "사랑을 필요로 합니다", "봄이라고 할 만하다", "겨울라고 할 만하다")
    assert [[hit.text for hit in matcher.find(text)] for text in texts] == [
        ["를 필요로 했"],
        ["을 필요로 합니다"],
        ["이라고 할 만하다"],
        ["라고 할 만하다"],
    ]


@pytest.mark.parametrize(
    ("phrase", "alternants"),
    [
        ("이 아닐 수 없", ("이 아닐 수 없", "가 아닐 수 없")),
        ("이 순간", ("이 순간",)),
        ("와 다르지 않", ("와 다르지 않", "과 다르지 않")),
        ("이라고", ("이라고",)),
        ("마음을 열", ("마음을 열",)),
    ],
)
def test_given_a_phrase_when_its_particle_varies_then_only_a_real_particle_at_the_start_does(
    phrase: str, alternants: tuple[str, ...]
) -> None:
    assert particle_alternants(phrase) == alternants


@given(st.text(max_size=60), st.lists(st.text(min_size=1, max_size=4), max_size=6))
def test_given_any_text_and_phrases_when_found_then_hits_are_apart_in_order_and_where_they_say(
    text: str, phrases: list[str]
) -> None:
    matcher = SlopMatcher(literal(*phrases))
    hits = matcher.find(text)
    composed = unicodedata.normalize("NFC", text)
    assert all(composed[hit.start : hit.end] == hit.text for hit in hits)
    assert all(left.end <= right.start for left, right in pairwise(hits))
    assert matcher.count(text).strong == len(hits)


@given(
    st.text(alphabet="더라 \n", max_size=40), st.lists(st.text(alphabet="더라 \n", min_size=1, max_size=3), max_size=4)
)
def test_given_any_text_when_searched_then_there_is_a_hit_exactly_if_a_phrase_stands_in_it(
    text: str, phrases: list[str]
) -> None:
    spaced, *plain = (re.sub(r"\s+", " ", one) for one in (text, *phrases))
    assert bool(SlopMatcher(literal(*phrases)).find(text)) == any(phrase in spaced for phrase in plain)


@pytest.mark.parametrize(
    "text", ["\ud800 정적이 흘렀다", "\x00정적이 흘렀다\x00", "\u200b정적이 흘렀다", "😀정적이 흘렀다"]
)
def test_given_broken_or_odd_characters_when_found_then_the_hit_stands_where_it_says(text: str) -> None:
    [hit] = SlopMatcher([SlopEntry("f", "stem", "정적이 흐르")]).find(text)
    assert text[hit.start : hit.end] == hit.text == "정적이 흘렀"


def test_given_a_megabyte_and_a_long_list_when_counted_then_it_takes_less_than_five_seconds() -> None:
    stems = [
        f"{noun} {stem}"
        for noun in ("바람이", "달빛이", "침묵이", "그늘이")
        for stem in ("흐르", "스미", "번지", "무겁")
    ]
    entries = [SlopEntry(str(place), "stem", stem) for place, stem in enumerate(stems)] + literal(
        *(f"{chr(0xAC00 + 37 * place)}와 {chr(0xB098 + place)}" for place in range(184))
    )
    text = ("달빛이 스며들고 침묵이 흘렀으며 그늘이 무거운 밤이었다. 바람이 불었다. 아무도 오지 않았다.\n" * 8000)[
        :400_000
    ]
    matcher = SlopMatcher(entries)
    start = time.perf_counter()
    count = matcher.count(text)
    assert time.perf_counter() - start < 5
    assert count.strong > 20_000


def test_given_the_published_list_when_ordinary_news_and_reviews_are_counted_then_the_rate_is_near_that_of_models(
    published: list[str], upstream: Path
) -> None:
    texts = klue_texts(upstream / "klue")
    hits = sum(slop_compat(text, published)[0] for text in texts)
    characters = sum(map(len, texts))
    assert (hits, characters, round(hits * 1000 / characters, 3)) == (40, 347_804, 0.115)


def klue_texts(folder: Path) -> list[str]:
    """The premises of NLI without repeats, the first sentences of STS, and the sentences of NER (all dev)."""
    pairs = json.loads((folder / "klue-nli-v1.1_dev.json").read_text(encoding="utf-8"))
    likeness = json.loads((folder / "klue-sts-v1.1_dev.json").read_text(encoding="utf-8"))
    blocks = (folder / "klue-ner-v1.1_dev.tsv").read_text(encoding="utf-8").split("\n\n")
    rows = [[row for row in block.split("\n") if row and not row.startswith("##")] for block in blocks]
    sentences = ["".join(row.split("\t")[0] for row in block) for block in rows]
    return [*{pair["premise"] for pair in pairs}, *(pair["sentence1"] for pair in likeness), *sentences]


def test_given_the_published_list_when_reviewed_then_one_phrase_is_nested_and_one_lacks_its_noun(
    published: list[str],
) -> None:
    assert len(nested_phrases(published)) == 1
    assert len([phrase for phrase in published if has_empty_slot(phrase)]) == 1


def test_given_phrases_when_reviewed_then_nested_ones_and_empty_slots_are_named() -> None:
    assert nested_phrases(["빛의 결", "고운 빛의 결", "결"]) == [
        ("빛의 결", "고운 빛의 결"),
        ("결", "빛의 결"),
        ("결", "고운 빛의 결"),
    ]
    assert has_empty_slot("어제는 에 관해") and has_empty_slot("여기서 를 통해")
    assert not has_empty_slot("에 관해 말하") and not has_empty_slot("그 이 둘은")


def test_given_an_entry_with_examples_when_reviewed_then_what_its_pattern_misses_or_overdoes_is_said() -> None:
    sound = SlopEntry("f", "stem", "정적이 흐르", positives=("정적이 흘렀다.",), negatives=("강물이 흘렀다.",))
    assert entry_faults(sound) == []
    unsound = SlopEntry("g", "stem", "흐르", positives=("정적이 깊다.",), negatives=("강물이 흘렀다.",))
    assert entry_faults(unsound) == [
        "is not found in its positive example '정적이 깊다.'",
        "is found in its negative example '강물이 흘렀다.'",
    ]
    dictionary_form = SlopEntry("h", "stem", "정적이 흐르다", positives=("정적이 흘렀다.",))
    assert entry_faults(dictionary_form)


def test_given_a_stem_entry_that_is_no_stem_when_a_matcher_is_made_then_the_error_says_so() -> None:
    for pattern in ("wow", "", "흐르!", "흐르\x00르", "\ud800"):
        with pytest.raises(RequestError, match="stem"):
            SlopMatcher([SlopEntry("x", "stem", pattern)])


def test_given_a_regex_entry_when_found_then_empty_matches_are_no_hits() -> None:
    assert SlopMatcher([SlopEntry("x", "regex", "(?=가)")]).find("가가") == []
