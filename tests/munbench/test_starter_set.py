"""The bundled starter set is what it claims to be: complete, balanced, clean Korean, and this project's own."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import jatdae
from jatdae.benchmarks.munbench.checks import run_checks
from jatdae.benchmarks.munbench.length_specs import named_ranges, parse_length
from jatdae.benchmarks.munbench.reading import read_dataset
from jatdae.benchmarks.munbench.records import (
    DOMAINS,
    FORMS,
    PHENOMENA,
    SUBTYPES,
    Dataset,
    EmotionItem,
    LiteraryItem,
    MunItem,
    NuanceItem,
    SlopEntry,
)
from jatdae.benchmarks.munbench.validation import validate
from jatdae.korean.slop import SlopMatcher
from jatdae.korean.slop_review import entry_faults, nested_phrases

MINI = Path(jatdae.__file__).parent / "benchmarks" / "munbench" / "mini"

FORMS_OF_GROUP = {
    "01": {"단편소설 장면"},
    "02": {"수필"},
    "03": {"시"},
    "04": {"대화문", "독백"},
    "05": {"장르물"},
    "06": {"제약 스토리"},
}
WEIGHTS = {
    1: {
        "눈치·정·체면 독해": 0.22,
        "감정의 결 세분화": 0.18,
        "존댓말 층위·어법 적절성": 0.17,
        "절제·진정성 (아부 방지)": 0.16,
        "인물 일관성·몰입": 0.15,
        "관계 항해·상황 적절성": 0.12,
    },
    2: {
        "절제와 진정성 (신파·과잉감정·아부 회피)": 0.22,
        "이미지의 신선함 (클리셰·LLM 슬롭 회피)": 0.20,
        "목소리와 문체 (고유한 화자·리듬)": 0.18,
        "보여주기 (장면화·서브텍스트)": 0.15,
        "어법과 존댓말·화계 적절성": 0.10,
        "형식·제약 준수 (분량·장르·필수 요소)": 0.10,
        "여운과 구조적 완결성": 0.05,
    },
    3: {
        "경어 층위 전환 정확성": 0.22,
        "층위 전환의 자연성(억지스러움 없음)": 0.18,
        "반어·서브텍스트 해석": 0.18,
        "관용구·연어의 자연 구사": 0.15,
        "문화 기본값 유지(비명시 상황의 한국 규범)": 0.15,
        "절제·진정성(과잉 검증·아부 배격)": 0.12,
    },
}
FACTORS = {  # in the order of SUBTYPES
    "경어 층위 전환 정확성": (1, 0.5, 1, 1),
    "층위 전환의 자연성(억지스러움 없음)": (1, 1, 1, 1),
    "반어·서브텍스트 해석": (0, 0.5, 0.5, 1),
    "관용구·연어의 자연 구사": (0.5, 1, 0.5, 0.5),
    "문화 기본값 유지(비명시 상황의 한국 규범)": (0.5, 0, 1, 0.5),
    "절제·진정성(과잉 검증·아부 배격)": (1, 1, 1, 1),
}
FAMILIES = {"설명체 마무리", "번역투", "공허한 강조", "감정·장면 클리셰", "로맨스 클리셰", "비서 말투"}
KOREA = ("한국", "우리나라")
FEELINGS = re.compile("서운|섭섭|억울|외로|외롭|미안|부끄|민망|속상|서럽|서러|질투|부러|불안|자존심|체면")
SHARED = 20
"""Characters in a row that must not be found in the published files."""


@cache
def dataset() -> Dataset:
    return read_dataset(MINI)


def document(name: str) -> Any:
    return json.loads((MINI / name).read_text(encoding="utf-8"))


def emotion() -> list[EmotionItem]:
    return [item for item in dataset().items if isinstance(item, EmotionItem)]


def literary() -> list[LiteraryItem]:
    return [item for item in dataset().items if isinstance(item, LiteraryItem)]


def nuance(subtype: str) -> list[NuanceItem]:
    return [item for item in dataset().items if isinstance(item, NuanceItem) and item.subtype == subtype]


def shown_to_contestant(item: MunItem) -> Iterator[str]:
    if isinstance(item, EmotionItem):
        yield from (item.setup_public or item.setup, item.model_role, item.interlocutor_public or item.interlocutor)
        yield from (*item.turns, item.analysis_question)
    elif isinstance(item, LiteraryItem):
        yield from (item.prompt, *item.constraints)
    else:
        yield item.prompt
        if item.variant is not None:
            yield item.variant.text


def quoted(text: str) -> list[str]:
    return re.findall("'([^']+)'", text)


def texts_of(value: Any) -> Iterator[str]:
    """The strings in a value, names of fields left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for child in value if isinstance(value, list) else value.values():
            yield from texts_of(child)


def own_files() -> list[Path]:
    return sorted(MINI.rglob("*.json"))


# the whole folder


def test_the_validator_finds_nothing_at_all_in_it():
    assert [str(finding) for finding in validate(MINI).findings] == []


@pytest.mark.parametrize("path", own_files(), ids=lambda path: path.name)
def test_every_file_is_composed_unicode_and_ends_in_one_line_feed(path: Path):
    text = path.read_bytes().decode("utf-8")
    assert unicodedata.is_normalized("NFC", text)
    assert text.endswith("\n") and not text.endswith("\n\n")
    assert "\r" not in text and "  " not in " ".join(texts_of(json.loads(text)))


def test_the_manifest_counts_what_is_there():
    manifest = document("manifest.json")
    counts = manifest["counts"]
    assert manifest["licence"] == "Apache-2.0"
    assert counts["items"] == len(dataset().items)
    assert counts["1"] == Counter(item.domain for item in emotion())
    assert counts["2"] == Counter(item.form for item in literary())
    assert counts["3"] == {subtype: len(nuance(subtype)) for subtype in SUBTYPES}
    kinds = Counter(item.variant.kind for subtype in SUBTYPES for item in nuance(subtype) if item.variant)
    assert manifest["variants"] == kinds
    assert manifest["slop_entries"] == len(dataset().slop.entries)


def test_ids_say_the_group_and_are_numbered_from_one_within_it():
    numbers: dict[str, list[int]] = {}
    for item in dataset().items:
        numbers.setdefault(item.id[:5], []).append(int(item.id[6:]))
    assert all(found == list(range(1, len(found) + 1)) for found in numbers.values())
    assert all(DOMAINS[int(item.id[3:5]) - 1] == item.domain for item in emotion())
    assert all(item.form in FORMS_OF_GROUP[item.id[3:5]] for item in literary())
    assert all(SUBTYPES[int(item.id[3:5]) - 1] == subtype for subtype in SUBTYPES for item in nuance(subtype))


@pytest.mark.parametrize("item", dataset().items, ids=lambda item: item.id)
def test_notes_for_the_judge_tell_a_strong_answer_from_the_usual_failures(item: MunItem):
    variant = item.variant if isinstance(item, NuanceItem) else None
    for notes in filter(None, (item.judge_notes, variant.judge_notes if variant else None)):
        strong, _, failures = notes.partition("자주 보이는 실패:")
        assert strong.startswith("잘 쓴 ") and len(strong) >= 40
        assert failures.count(".") >= 3


@pytest.mark.parametrize("item", dataset().items, ids=lambda item: item.id)
def test_what_the_contestant_reads_is_plain_korean_without_the_expressions_of_the_list(item: MunItem):
    text = "\n".join(shown_to_contestant(item))
    assert not re.search("[A-Za-z<>{}`“”‘’]", text)
    assert SlopMatcher(dataset().slop.entries).find(text) == []


# track 1


def test_role_plays_cover_every_domain_and_every_tag_twice():
    assert len(emotion()) >= 8
    assert all(count >= 2 for count in Counter(item.domain for item in emotion()).values())
    assert {item.domain for item in emotion()} == set(DOMAINS)
    tags = Counter(tag for item in emotion() for tag in item.phenomena)
    assert set(tags) == set(PHENOMENA) and min(tags.values()) >= 2


@pytest.mark.parametrize("item", emotion(), ids=lambda item: item.id)
def test_a_role_play_has_three_lines_and_calls_the_contestant_by_its_name(item: EmotionItem):
    given_name = re.split("[ ,]", item.model_role)[0][-2:]
    assert len(item.turns) == 3
    assert all(70 <= len(turn) <= 190 for turn in item.turns)
    for text in (item.setup, item.setup_public or item.setup):
        assert given_name in text
    assert not any(word in text for text in shown_to_contestant(item) for word in ("모델", "당신"))


@pytest.mark.parametrize("item", emotion(), ids=lambda item: item.id)
def test_a_role_play_does_not_tell_the_contestant_what_it_should_infer(item: EmotionItem):
    shown = f"{item.setup_public or item.setup} {item.interlocutor_public or item.interlocutor}"
    assert FEELINGS.findall(shown) == []


def test_at_least_one_role_play_keeps_the_background_for_the_judge():
    kept = [item for item in emotion() if item.setup_public and item.interlocutor_public]
    assert kept and all(item.setup != item.setup_public for item in kept)


# track 2


def test_commissions_cover_every_form_equally_and_measure_in_three_units():
    counts = Counter(item.form for item in literary())
    assert set(counts) == set(FORMS) and set(counts.values()) == {2}
    specs = [parse_length(item.length_spec) for item in literary()]
    assert {bound.unit for spec in specs if spec for bound in spec.bounds} == {"char", "line", "stanza"}
    assert len({item.length_spec for item in literary()}) >= 7


@pytest.mark.parametrize("item", literary(), ids=lambda item: item.id)
def test_a_commission_states_its_length_in_one_place_and_its_constraints_as_a_list(item: LiteraryItem):
    assert 3 <= len(item.constraints) <= 5
    assert list(named_ranges(" ".join((item.prompt, *item.constraints)))) == []
    spec = parse_length(item.length_spec)
    assert spec is not None
    assert all((bound.unit == "char") == (item.form != "시") for bound in spec.bounds)
    assert "쓰세요" in item.prompt
    assert item.targeted_weakness.endswith("버릇")


# track 3


def test_tasks_cover_every_subtype_with_the_variants_that_it_takes():
    assert {subtype: len(nuance(subtype)) for subtype in SUBTYPES} == dict.fromkeys(SUBTYPES, 4)
    assert not any(item.variant for item in nuance("register"))
    assert all(item.variant for subtype in ("idiom", "culture-pair") for item in nuance(subtype))


@pytest.mark.parametrize("item", nuance("culture-pair"), ids=lambda item: item.id)
def test_a_culture_pair_differs_by_the_country_alone(item: NuanceItem):
    assert item.variant is not None and item.variant.kind == "culture_implied"
    assert any(word in item.prompt for word in KOREA)
    assert not any(word in item.variant.text for word in KOREA)
    changes = [
        (item.prompt[a:b], item.variant.text[c:d])
        for kind, a, b, c, d in SequenceMatcher(None, item.prompt, item.variant.text, autojunk=False).get_opcodes()
        if kind != "equal"
    ]
    assert changes == [("한국의 ", "")]


@pytest.mark.parametrize("item", nuance("idiom"), ids=lambda item: item.id)
def test_an_idiom_is_quoted_in_both_prompts_and_checked_in_both(item: NuanceItem):
    assert item.variant is not None and item.variant.kind == "decontextualised"
    assert quoted(item.prompt) == quoted(item.variant.text) and len(quoted(item.prompt)) == 1
    assert len(item.variant.text) < 0.7 * len(item.prompt)
    assert item.variant.expected and item.variant.judge_notes
    counted = [check for check in dataset().checks[item.id] if check.type == "count_range"]
    assert counted and all(result.ok for result in run_checks(quoted(item.prompt)[0], counted))
    assert not any(result.ok for result in run_checks("아무 말도 없는 글", counted))


def test_one_idiom_is_a_trap_for_those_who_confuse_it():
    traps = [item for item in nuance("idiom") if "귀감" in item.expected_behavior]
    assert [quoted(item.prompt) for item in traps] == [["타산지석"]]


def test_sincere_controls_repeat_the_words_and_expect_another_reading():
    controls = [(item, item.variant) for item in nuance("subtext") if item.variant]
    assert len(controls) >= 2
    for item, control in controls:
        assert control.kind == "sincere_control" and control.scorable and control.judge_notes
        assert control.expected != item.expected_behavior
        said = quoted(item.prompt)[-1]
        assert any(line.startswith(said) for line in quoted(control.text))
        assert "풀이한 다음" in control.text and "대답을 쓰세요" in control.text


# rubrics and sidecars


@pytest.mark.parametrize("track", (1, 2, 3))
def test_criteria_bear_the_published_names_and_weights_with_signals_as_lists(track: int):
    criteria = dataset().rubrics[track].criteria
    assert {criterion.name: criterion.weight for criterion in criteria} == WEIGHTS[track]
    assert sum(criterion.weight for criterion in criteria) == pytest.approx(1, abs=1e-9)
    for row in document(f"rubrics/track{track}.json")["criteria"]:
        assert isinstance(row["failure_signals_ko"], list) and len(row["failure_signals_ko"]) >= 3
        assert len(row["description_ko"]) >= 45


def test_criteria_of_the_published_rubrics_have_the_same_names_and_weights(upstream: Path):
    for track, weights in WEIGHTS.items():
        path = upstream / "munbench" / "data" / "rubrics" / f"track{track}.json"
        if not path.is_file():
            pytest.skip(f"no published rubric at {path}")
        published = json.loads(path.read_text(encoding="utf-8"))["criteria"]
        assert {row["name_ko"]: row["weight"] for row in published} == weights


def test_the_matrix_gives_each_subtype_a_factor_for_each_criterion():
    expected = {
        subtype: {name: factors[place] for name, factors in FACTORS.items()} for place, subtype in enumerate(SUBTYPES)
    }
    assert dataset().applicability == expected


def test_checks_cover_many_items_and_tell_a_good_text_from_a_bad_one():
    checks = dataset().checks
    assert len(checks) >= 8
    assert {check.type for found in checks.values() for check in found} >= {
        "must_include", "must_not_include", "min_of", "count_range", "line_range", "char_range", "first_or_last_line"
    }  # fmt: skip
    verdicts = {
        ("T2-01-01", "그는 겉옷을 개켰다. 휴대전화 화면이 어두워졌다."): (True, True, True),
        ("T2-01-01", "겉옷을 보니 슬펐다."): (True, False, False),
        ("T2-03-02", "\n".join(["국은 데워 드세요"] * 14)): (True, True, True),
        ("T2-03-02", "별로 남은 게 없어요"): (True, True, False),
        ("T2-03-02", "별이 밝아요\n새벽에 봐요"): (False, False, False),
        ("T2-04-02", "선배님, 내일 말입니다."): (True,),
        ("T2-04-02", "선배님. 아, 선배님."): (False,),
        ("T2-05-02", "등이 무서웠다."): (False, True),
        ("T2-06-02", "문은 잠겨 있지 않았다.\n갈까?\n문은 잠겨 있지 않았다."): (True, True),
        ("T2-06-02", "문은 잠겨 있지 않았다.\n갈까?\n문은 닫혀 있었다."): (True, False),
        ("T3-01-01", "아침 9시부터 오후 세 시까지 물이 나오지 않습니다."): (True, True),
        ("T3-01-01", "아홉 시부터 물이 안 나오십니다."): (False, False),
        ("T3-01-03", "세일 상품은 환불이 안 되세요."): (False,),
        ("T3-02-02", "호미로 막을 걸 가래로 막게 생겼네."): (True, True, False),
        ("T3-02-04", "부장은 시치미를 뚝 뗐다."): (True, False),
    }
    for (name, text), expected in verdicts.items():
        assert tuple(result.ok for result in run_checks(text, checks[name])) == expected, (name, text)


@pytest.mark.parametrize("item", [*nuance("idiom"), *nuance("culture-pair")], ids=lambda item: item.id)
def test_a_length_named_in_a_task_is_the_one_that_is_checked(item: NuanceItem):
    named = re.findall(r"([0-9]+)~([0-9]+)자로", item.prompt)
    checked = [(str(c.low), str(c.high)) for c in dataset().checks.get(item.id, ()) if c.type == "char_range"]
    assert named == checked
    assert item.variant is None or re.findall(r"([0-9]+)~([0-9]+)자로", item.variant.text) == named


# the list of expressions


def test_the_list_is_of_version_2_large_and_spread_over_families_and_kinds():
    slop = dataset().slop
    assert slop.version == "2" and len(slop.entries) >= 64
    kinds = Counter(entry.kind for entry in slop.entries)
    assert kinds["stem"] >= 20 and kinds["regex"] >= 5 and kinds["literal"] >= 20
    families = Counter(entry.family for entry in slop.entries)
    assert set(families) == FAMILIES and min(families.values()) >= 8
    assert {entry.strength for entry in slop.entries} == {"strong", "weak"}
    assert all(entry.gloss and entry.positives and entry.negatives for entry in slop.entries)


@pytest.mark.parametrize("entry", dataset().slop.entries, ids=lambda entry: entry.id)
def test_an_entry_is_found_in_its_positive_examples_and_in_no_negative_one(entry: SlopEntry):
    assert entry_faults(entry) == []


@pytest.mark.parametrize("entry", [e for e in dataset().slop.entries if e.kind == "stem"], ids=lambda entry: entry.id)
def test_a_stem_shows_a_past_and_another_form_and_ends_in_no_ending(entry: SlopEntry):
    found = [hit.text for text in entry.positives for hit in SlopMatcher([entry]).find(text)]
    assert len(set(found)) >= 2
    assert any(unicodedata.normalize("NFD", text).endswith("\u11bb") for text in found)  # ㅆ below: a past form
    assert not entry.pattern.endswith("다") and " " in entry.pattern


def test_no_expression_stands_within_another():
    assert nested_phrases([entry.pattern for entry in dataset().slop.entries if entry.kind != "regex"]) == []


def test_an_example_is_claimed_by_its_own_entry_alone():
    matcher = SlopMatcher(dataset().slop.entries)
    for entry in dataset().slop.entries:
        for text in entry.positives:
            assert {hit.entry for hit in matcher.find(text)} == {entry.id}


# nothing is taken from the published set


@cache
def published_texts(folder: Path) -> tuple[str, ...]:
    texts = []
    for path in sorted(folder.rglob("*.json")):
        texts.extend(squeezed(text) for text in texts_of(json.loads(path.read_text(encoding="utf-8"))))
    return tuple(texts)


def squeezed(text: str) -> str:
    return re.sub(r"\s+", " ", unicodedata.normalize("NFC", text)).strip()


def runs_of(text: str) -> Iterator[str]:
    return (text[start : start + SHARED] for start in range(len(text) - SHARED + 1))


def shared_runs(own: Sequence[str], published: Sequence[str]) -> set[str]:
    known = {run for text in published for run in runs_of(text)}
    return {run for text in own for run in runs_of(squeezed(text)) if run in known}


def test_shared_runs_are_found_where_there_are_some():
    assert shared_runs(["가" + "나다라마" * 5], ["바" + "나다라마" * 5 + "사"]) == {"나다라마" * 5}
    assert shared_runs(["나다라마" * 4], ["나다라마" * 5]) == set()


def test_no_prose_of_the_published_set_is_repeated(upstream: Path):
    folder = upstream / "munbench"
    if not folder.is_dir():
        pytest.skip(f"no published data at {folder}")
    names = {name for weights in WEIGHTS.values() for name in weights}
    published = [text for text in published_texts(folder) if text not in names]
    own = [text for path in own_files() for text in texts_of(json.loads(path.read_text(encoding="utf-8")))]
    assert shared_runs([text for text in own if text not in names], published) == set()


def test_no_expression_of_the_published_list_is_repeated(upstream: Path):
    path = upstream / "munbench" / "data" / "slop_list.json"
    if not path.is_file():
        pytest.skip(f"no published list at {path}")
    phrases = json.loads(path.read_text(encoding="utf-8"))["phrases"]
    own = {entry.pattern for entry in dataset().slop.entries if entry.kind != "regex"}
    assert [(mine, theirs) for mine in own for theirs in phrases if mine in theirs or theirs in mine] == []
