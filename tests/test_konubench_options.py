"""The options: their order under letters, their kinds, and the fields that the files exchange."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from konubench_files import item, item_of_three, write_json

from jatdae.benchmarks.konubench.data import Record, read_records, split_path
from jatdae.benchmarks.konubench.options import build_question, is_swapped, shuffled_order
from jatdae.benchmarks.sources import Source

GOLD = {
    "2270": "A", "485": "C", "3969": "B", "2244": "D", "2786": "A", "3581": "C", "1433": "D", "1950": "B", "G96": "A",
    "3715": "B", "1436": "B", "261": "C", "2846": "A", "575": "B", "2820": "B", "3553": "A", "3456": "A", "3022": "C",
    "808": "A", "5083": "C",
}  # fmt: skip
"""Gold letters of the first twenty test items, as published."""


def records(upstream: Path, split: str) -> list[Record]:
    return read_records(split_path(Source(upstream), split))


def test_the_first_twenty_gold_letters_are_the_published_ones(upstream: Path) -> None:
    questions = [build_question(record, shuffled=True) for record in records(upstream, "test")[:20]]

    assert {question.id: question.letter for question in questions} == GOLD
    assert {question.id for question in questions if len(question.options) == 3} == {"3715"}


@pytest.mark.parametrize(
    ("split", "counts"),
    [("train", (634, 679, 599, 588)), ("val", (245, 261, 255, 239)), ("test", (336, 335, 279, 334))],
)
def test_gold_letters_are_distributed_as_published(upstream: Path, split: str, counts: tuple[int, ...]) -> None:
    letters = Counter(build_question(record, shuffled=True).letter for record in records(upstream, split))

    assert tuple(letters[letter] for letter in "ABCD") == counts


def test_whole_orders_are_the_published_ones(upstream: Path) -> None:
    test = {record.idx: record for record in records(upstream, "test")}
    expected = {
        "2270": "standard local paraphrase contradiction",
        "485": "paraphrase contradiction standard local",
        "3969": "contradiction standard local paraphrase",
        "3715": "contradiction standard paraphrase",
    }
    for idx, order in expected.items():
        assert [kind for kind, _ in shuffled_order(test[idx])] == order.split()


def test_a_constructed_item_shares_the_permutation_of_its_number(tmp_path: Path) -> None:
    plain, constructed = read_records(write_json(tmp_path / "test.json", [item("96"), item("G96")]))

    assert [kind for kind, _ in shuffled_order(plain)] == [kind for kind, _ in shuffled_order(constructed)]


def test_only_numbers_inside_the_two_blocks_are_exchanged() -> None:
    inside = [
        idx for idx in ("2582", "2583", "3303", "3304", "4304", "4305", "4702", "4703", "G3000") if is_swapped(idx)
    ]

    assert inside == ["2583", "3303", "4305", "4702"]


def test_exchanged_fields_keep_the_text_and_tell_the_true_kind(tmp_path: Path) -> None:
    (record,) = read_records(write_json(tmp_path / "test.json", [item("3000")]))

    stored = build_question(record, shuffled=False)
    repaired = build_question(record, shuffled=False, repair="swap")

    assert stored.kinds == repaired.kinds == repaired.true_kinds == ("standard", "local", "contradiction", "paraphrase")
    assert stored.true_kinds == ("standard", "local", "paraphrase", "contradiction")
    assert stored.options[2:] == repaired.options[:1:-1]
    assert "fields exchanged" in stored.flags


def test_without_a_local_negation_three_options_remain(tmp_path: Path) -> None:
    (record,) = read_records(write_json(tmp_path / "test.json", [item_of_three("G5")]))

    question = build_question(record, shuffled=False)

    assert question.kinds == ("standard", "contradiction", "paraphrase")
    assert question.answer == 0


def test_the_first_of_two_right_texts_is_the_answer_and_is_flagged(tmp_path: Path) -> None:
    same = item("8")["standard_negation"]
    (record,) = read_records(write_json(tmp_path / "test.json", [item("8", local_negation=same)]))

    question = build_question(record, shuffled=True)

    assert question.answer == min(i for i, text in enumerate(question.options) if text == same)
    assert question.flags == ("two right answers",)


def test_edge_blanks_stay_unless_they_are_to_be_stripped(tmp_path: Path) -> None:
    wide = item("8")["standard_negation"] + " "
    (record,) = read_records(write_json(tmp_path / "test.json", [item("8", standard_negation=wide)]))

    assert build_question(record, shuffled=False).options[0] == wide
    assert build_question(record, shuffled=False, strip=True).options[0] == wide.strip()
