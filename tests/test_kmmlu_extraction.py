"""Which letter does a reply state? The cases hold a reply, the letter, and the reason."""

from __future__ import annotations

import csv
import time
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jatdae.benchmarks.kmmlu.extraction import (
    EXTRACTION_VERSION,
    Extraction,
    cot_reproduction_filter,
    cut_direct,
    extract_answer,
    extract_with_options,
    strict_letter,
    strict_match,
)
from jatdae.korean.reasoning import visible_text

CASES = Path(__file__).parent / "cases" / "kmmlu_extraction.tsv"


def _cases() -> list[tuple[str, str | None, str]]:
    rows = CASES.read_text(encoding="utf-8").rstrip("\n").split("\n")[1:]
    fields = (row.split("\t") for row in rows)
    return [(output.replace("\\n", "\n"), expected or None, note) for output, expected, note in fields]


@pytest.mark.parametrize(("output", "expected", "note"), _cases())
def test_a_reply_states_this_letter(output: str, expected: str | None, note: str) -> None:
    assert extract_answer(output) == expected, note


def test_the_case_file_is_whole() -> None:
    notes = [note for _, _, note in _cases()]
    assert sum(note.startswith(("[direct]", "[cot]")) for note in notes) == 147
    assert {f"[rule {number}]" for number in range(1, 9)} <= {note[:8] for note in notes}
    assert EXTRACTION_VERSION


@pytest.mark.parametrize(
    ("output", "letters", "expected"),
    [
        ("정답: E", "ABCDE", "E"),
        ("정답은 ⑤번입니다.", "ABCDE", "E"),
        ("정답은 5번", "ABCD", None),
        ("정답: E", "ABCD", None),
        ("⑩", "ABCDEFGHIJ", "J"),
        ("정답: 10번", "ABCDEFGHIJ", "J"),
        ("정답: I", "ABCDEFGHIJ", "I"),
        ("I choose G.", "ABCDEFGHIJ", "G"),
        ("정답: C", "AB", None),
        ("\\boxed{5}", "ABCDE", "E"),
    ],
)
def test_numbers_and_letters_follow_the_count_of_options(output: str, letters: str, expected: str | None) -> None:
    assert extract_answer(output, letters) == expected


# -- properties: what must not matter

# fmt: off
_PIECES = st.sampled_from([
    "정답", "답", "은 ", "는 ", ": ", "A", "B", "(C)", "④", "3번", "입니다", "이다", "가 ", "와 ", "아니라 ",
    "\n", "\n\n", " ", ".", "?", "[", "질문:", "문제 2:", "answer is ", "not ", "\\boxed{", "}", "*", "，", "Ｂ",
    "각", "é", "라면", "<b>", "것은 ", "①", "또는 ", ")",
])
_SEEDS = [
    "정답은 ", "(", "A와 ", "A", "질문:\n", "정답: A\n질문: \n", "\\boxed{", "<answer>A ", "정답은 A가 아니라 ",
    "A?", "A. x\n", " ", "\n", "질문 1의 정답은 ", "</think>", "<think>", "<|channel|>final<|message|>", "**",
    "① ", "정답은A", "answer is ", "the ", "\\text{", "<b ", "A, ",
]
# fmt: on
_REPLIES = st.one_of(st.text(), st.lists(_PIECES, max_size=30).map("".join))


@given(_REPLIES, st.sampled_from(["AB", "ABCD", "ABCDE", "ABCDEFGHIJ"]))
@settings(max_examples=500)
def test_any_text_gives_a_letter_or_none(reply: str, letters: str) -> None:
    assert extract_answer(reply, letters) in (None, *letters)
    extraction = extract_with_options(reply, ["3", "5", "각", reply], letters, value_reading=True, cue_text=True)
    assert extraction.letter in (None, *letters)


@given(_REPLIES)
@settings(max_examples=500)
def test_the_unicode_form_does_not_matter(reply: str) -> None:
    composed, decomposed = (unicodedata.normalize(form, reply) for form in ("NFC", "NFD"))
    assert extract_answer(composed) == extract_answer(decomposed)


@given(_REPLIES, st.text(alphabet=" \n\t\r\u3000", max_size=5))
@settings(max_examples=500)
def test_trailing_white_space_does_not_matter(reply: str, blanks: str) -> None:
    assert extract_answer(reply + blanks) == extract_answer(reply)


@given(_REPLIES, _REPLIES.filter(lambda thought: "<" not in thought))
@settings(max_examples=300)
def test_finished_reasoning_before_the_reply_does_not_matter(reply: str, thought: str) -> None:
    assert extract_answer(f"<think>{thought}</think>{reply}") == extract_answer(reply)


@pytest.mark.parametrize(
    "output", [output for output, expected, _ in _cases() if expected and "analysis" not in output]
)
def test_an_unfinished_thought_has_no_answer(output: str) -> None:
    assert extract_answer(output + "\n<think>") is None


@pytest.mark.parametrize("seed", _SEEDS)
def test_long_monotonous_text_is_quick(seed: str) -> None:
    text = (seed * (100_000 // len(seed) + 1))[:100_000]
    for work in (extract_answer, cot_reproduction_filter, cut_direct):
        start = time.perf_counter()
        work(text)
        assert time.perf_counter() - start < 1


# -- option texts


@pytest.mark.parametrize(
    ("output", "options", "plain", "with_extras"),
    [
        ("정답: 8", "8|12|16|24", Extraction(None, "none"), Extraction("A", "value")),
        ("정답은 3입니다.", "1|2|3|4", Extraction("C", "label"), Extraction("C", "label")),
        ("정답은 3입니다.", "3|5|10|15", Extraction("C", "label", True), Extraction("A", "value", True)),
        ("정답: 심랭 처리", "풀림|불림|뜨임|심랭 처리", Extraction(None, "none"), Extraction("D", "cue-text")),
        ("정답: 처리", "항온 변태 처리|심랭 처리|풀림|불림", Extraction(None, "none"), Extraction(None, "none")),
        ("정답: 복원중", "복원중|복원중|복원중|복원중", Extraction(None, "none"), Extraction(None, "none")),
        ("**심랭 처리**.", "풀림|불림|뜨임|심랭 처리", Extraction("D", "option"), Extraction("D", "option")),
        ("7", "5|6|7|8", Extraction("C", "option"), Extraction("C", "value")),
        ("1,000", "10|100|1000|10000", Extraction(None, "none"), Extraction("C", "value")),
        ("정답은 (B) 3입니다.", "3|5|10|15", Extraction("B", "label"), Extraction("B", "label")),
        ("<think>풀림", "풀림|불림|뜨임|심랭 처리", Extraction(None, "none"), Extraction(None, "none")),
    ],
)
def test_option_texts_help_where_no_label_was_stated(
    output: str, options: str, plain: Extraction, with_extras: Extraction
) -> None:
    texts = options.split("|")
    assert extract_with_options(output, texts) == plain
    assert extract_with_options(output, texts, value_reading=True, cue_text=True) == with_extras


# -- reasoning, the direct cut, and the reproduction of another harness


@pytest.mark.parametrize(
    ("text", "visible"),
    [
        ("정답: A", "정답: A"),
        ("<think>가</think>나", "나"),
        ("가</think>나", "나"),
        ("<think>가", None),
        ("<think>가</think>나<think>다</think>라", "라"),
        ("<Thinking>가</Thinking> 나", " 나"),
        ("<|channel|>analysis<|message|>가<|end|><|channel|>final<|message|>나<|return|>", "나"),
        ("<|channel|>final<|message|>가<|end|><|channel|>analysis<|message|>나", None),
        ("analysis가나assistantfinal다", "다"),
        ("analysis가나", None),
        ("analysis of the load", "analysis of the load"),
    ],
)
def test_only_what_follows_the_reasoning_is_visible(text: str, visible: str | None) -> None:
    assert visible_text(text) == visible


@pytest.mark.parametrize(
    ("output", "cut"),
    [
        ("\n\n", ""),
        ("A\n\n다음 중 옳은 것은?\n정답： C", "A"),
        ("\n\nB", "B"),
        (" B", "B"),
        ("A\n \nB", "A"),
        ("A\r\n\r\nB", "A"),
        ("A\nB", "A\nB"),
        ("<think>\n\n</think>\n\nC\n\nD", "C"),
        ("<think>가\n\n나", "<think>가\n\n나"),
    ],
)
def test_a_direct_output_ends_at_its_first_blank_line(output: str, cut: str) -> None:
    assert cut_direct(output) == cut


@pytest.mark.parametrize("output", ["B", " B", "(B)", "B.", "b", "[B]"])
def test_strict_match_forgives_ascii_punctuation_case_and_spaces(output: str) -> None:
    assert strict_match(output, "B")
    assert strict_letter(output, "ABCD") == "B"


@pytest.mark.parametrize("output", ["B\n", "B입니다", "②", "Ｂ", "B) text", "정답: B", "", "A"])
def test_strict_match_fails_on_anything_more(output: str) -> None:
    assert not strict_match(output, "B")


@pytest.mark.parametrize(
    ("output", "letter"),
    [
        ("따라서, 정답은 (B) 입니다.", "B"),
        ("정답은 C로 보는 것이 맞습니다. 그것이 답입니다.", "C"),
        ("정답은 A입니다. 아니, 정답은 B입니다.", "A"),
        ("정답은\nD입니다.", "D"),
        ("정답은 A다. 정답은 B입니다.", "A"),
        ("정답: C", "[invalid]"),
        ("정답은 C다", "[invalid]"),
        ("정답은 c입니다.", "[invalid]"),
        ("정답은 ②입니다.", "[invalid]"),
        ("정답은 B\n입니다.", "[invalid]"),
        ("정답은 B입니다", "[invalid]"),
        ("정답은 B입니다\n", "[invalid]"),
    ],
)
def test_the_reproduction_filter_has_the_faults_of_the_original(output: str, letter: str) -> None:
    assert cot_reproduction_filter(output) == letter


# -- real replies

_MEASURED = {
    "kmmlu_gpt-35-turbo-230613.csv": 0.999,
    "kmmlu_hard_claude-haiku-4-5.csv": 0.975,
    "kmmlu_hard_llama-3-1-8b-instruct_5shot.csv": 0.965,
}


@pytest.mark.parametrize(("name", "at_least"), _MEASURED.items())
def test_real_replies_agree_with_another_reading_of_them(upstream: Path, name: str, at_least: float) -> None:
    """The other reading takes the first letter of a reply, so the two differ where a solution comes first."""
    path = upstream / "kmmlu" / "model_outputs" / name
    if not path.is_file():
        pytest.skip(f"no {path}")
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    agreed = sum((row["pred"] or None) == extract_answer(row["response"]) for row in rows)
    assert agreed / len(rows) >= at_least
