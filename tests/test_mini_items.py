"""The bundled items are what they claim to be: complete, balanced, aligned, clean Korean, and this project's own."""

from __future__ import annotations

import csv
import json
import random
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import jatdae

BENCHMARKS = Path(jatdae.__file__).parent / "benchmarks"
KMMLU = BENCHMARKS / "kmmlu" / "mini"
KONUBENCH = BENCHMARKS / "konubench" / "mini"

SUBJECTS = {  # file name -> Category
    "Biology": "Biology",
    "Electronics-Engineering": "Electronics Engineering",
    "korean-history": "Korean History",
    "Food-Processing": "Food Processing",
}
KMMLU_FILES = {f"{name}-{split}": least for name in SUBJECTS for split, least in (("dev", 5), ("test", 8))}
COLUMNS = ["question", "answer", "A", "B", "C", "D", "Category", "Human Accuracy"]
EXEMPLARS = KMMLU / "kmmlu_hard_cot_dev_exemplars.json"

NEGATION_SIZES = {"train": 12, "val": 12, "test": 26}
STANDARD = ("sn_절1", "sn_절2", "sn_절3")
LOCAL = ("ln_절1", "ln_절2")
OPTIONS = ("standard_negation", "local_negation", "contradiction", "paraphrase")
NEGATION_FIELDS = [
    "idx", "raw_id", "original_sentence", "standard_negation", *STANDARD, "local_negation_type", "local_negation",
    "local_부정요소", *LOCAL, "contradiction", "paraphrase", "note",
]  # fmt: skip
NEGATION_TYPES = {"안 단형", "안 장형", "못 단형", "못 장형", "말다", "아니다", "어휘적"}
CLAUSE_TYPES = {"관형절", "부사절", "명사절", "인용절", "종속절", "대등절 일부"}


def csv_rows(name: str) -> list[dict[str, str]]:
    with (KMMLU / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def negation_rows(name: str) -> list[dict[str, Any]]:
    return json.loads((KONUBENCH / f"{name}.json").read_text(encoding="utf-8"))


def exemplars() -> dict[str, list[dict[str, str]]]:
    return json.loads(EXEMPLARS.read_text(encoding="utf-8"))


def all_negation_rows() -> list[dict[str, Any]]:
    return [row for split in NEGATION_SIZES for row in negation_rows(split)]


def texts_in(value: Any) -> Iterator[str]:
    """All text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from texts_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from texts_in(part)


@pytest.mark.parametrize("path", sorted([*KMMLU.iterdir(), *KONUBENCH.iterdir()]), ids=lambda path: path.name)
def test_text_is_composed_and_has_no_stray_white_space(path: Path) -> None:
    raw = path.read_bytes()
    assert not raw.startswith(b"\xef\xbb\xbf"), "byte order mark"
    assert b"\r" not in raw and raw.endswith(b"\n")
    value = csv_rows(path.stem) if path.suffix == ".csv" else json.loads(raw)
    for text in texts_in(value):
        assert unicodedata.normalize("NFC", text) == text
        assert text == text.strip() and "  " not in text, repr(text)
        assert all(char == " " or not char.isspace() for char in text), repr(text)


@pytest.mark.parametrize("name", KMMLU_FILES)
def test_a_subject_file_has_the_official_layout(name: str) -> None:
    rows = csv_rows(name)
    assert list(rows[0]) == COLUMNS
    assert len(rows) == 5 if name.endswith("-dev") else len(rows) >= KMMLU_FILES[name]
    for row in rows:
        assert row["Category"] == SUBJECTS[name.rpartition("-")[0]]
        assert row["answer"] in {"1", "2", "3", "4"} and row["Human Accuracy"] == ""
        assert all(row[letter] for letter in "ABCD") and len({row[letter] for letter in "ABCD"}) == 4, row


def test_no_letter_and_no_length_gives_the_answer_away() -> None:
    for split in ("dev", "test"):
        rows = [row for name in KMMLU_FILES if name.endswith(split) for row in csv_rows(name)]
        gold = Counter(row["answer"] for row in rows)
        assert min(gold[answer] for answer in "1234") >= 0.15 * len(rows), gold
    rows = [row for name in KMMLU_FILES for row in csv_rows(name)]
    longest = sum(gold_is_longest([row[letter] for letter in "ABCD"], int(row["answer"]) - 1) for row in rows)
    assert longest <= 0.4 * len(rows)


def gold_is_longest(options: list[str], gold: int) -> bool:
    return all(len(options[gold]) > len(text) for i, text in enumerate(options) if i != gold)


def test_questions_differ_and_some_are_negated_or_numeric() -> None:
    rows = [row for name in KMMLU_FILES for row in csv_rows(name)]
    questions = [row["question"] for row in rows]
    assert len(set(questions)) == len(questions)
    assert sum(bool(re.search("않는|않은|아닌|잘못", question)) for question in questions) >= 8
    numeric = [row for row in rows if all(re.fullmatch(r"[0-9.]+", row[letter]) for letter in "ABCD")]
    assert len(numeric) >= 4


def test_each_worked_answer_reaches_the_letter_of_its_dev_row() -> None:
    worked = exemplars()
    assert sorted(worked) == sorted(name.lower().replace("-", "_") for name in SUBJECTS)
    for name in SUBJECTS:
        shown, dev = worked[name.lower().replace("-", "_")], csv_rows(f"{name}-dev")
        assert len(shown) == len(dev) == 5
        for example, row in zip(shown, dev, strict=True):
            assert list(example) == ["question", *"ABCD", "target"]
            assert all(example[key] == row[key] for key in ("question", *"ABCD"))
            assert example["target"].endswith(f" 따라서, 정답은 ({'ABCD'[int(row['answer']) - 1]}) 입니다.")
            assert example["target"].count("정답은") == 1
            assert 200 <= len(example["target"]) <= 500


@pytest.mark.parametrize("split", NEGATION_SIZES)
def test_a_negation_item_has_the_fields_and_labels_of_the_benchmark(split: str) -> None:
    rows = negation_rows(split)
    assert len(rows) >= NEGATION_SIZES[split]
    for row in rows:
        assert list(row) == NEGATION_FIELDS
        assert re.fullmatch(r"G?\d+", row["idx"])
        assert row["raw_id"] is None if row["idx"].startswith("G") else isinstance(row["raw_id"], float)
        assert {row[field] for field in (*STANDARD, *LOCAL)} <= {*NEGATION_TYPES, None}
        assert row["note"] in {None, "조건문"}
        given = [row[field] for field in STANDARD if row[field]]
        assert [row[field] for field in STANDARD[: len(given)]] == given, "main clauses are counted from the first"


@pytest.mark.parametrize("split", NEGATION_SIZES)
def test_local_negation_is_there_as_a_whole_or_not_at_all(split: str) -> None:
    for row in negation_rows(split):
        assert (row["local_negation"] is None) == (row["local_negation_type"] is None), row["idx"]
        if row["local_negation"] is None:
            assert row["local_부정요소"] is None and all(row[field] is None for field in LOCAL)
        else:
            assert row["local_negation_type"] in CLAUSE_TYPES
            assert row["local_부정요소"] in row["original_sentence"], row["idx"]


def test_sentences_differ_and_end_with_a_full_stop() -> None:
    for row in all_negation_rows():
        sentences = [row["original_sentence"], *(row[field] for field in OPTIONS if row[field])]
        assert len({squeezed(text) for text in sentences}) == len(sentences), row["idx"]
        assert all(text.endswith(".") and text.count(".") == 1 for text in sentences), row["idx"]


def test_ids_and_passages_are_unique_over_the_splits_and_apart_from_the_release() -> None:
    rows = all_negation_rows()
    passages = [row["raw_id"] for row in rows if row["raw_id"] is not None]
    assert len({row["idx"] for row in rows}) == len(rows)
    assert len(set(passages)) == len(passages)
    assert len({squeezed(row["original_sentence"]) for row in rows}) == len(rows)
    for row in rows:
        number = int(row["idx"].removeprefix("G"))
        assert number > 300 if row["idx"].startswith("G") else number > 5102, row["idx"]


def test_the_items_cover_types_clauses_conditionals_and_imperatives() -> None:
    rows = all_negation_rows()
    assert {row[field] for row in rows for field in STANDARD} == {*NEGATION_TYPES, None}
    assert {row["local_negation_type"] for row in negation_rows("test")} == {*CLAUSE_TYPES, None}
    assert 2 <= sum(row["local_negation"] is None for row in negation_rows("test")) <= 4
    for row in rows:
        assert (row["sn_절1"] == "말다") == row["idx"].startswith("G"), row["idx"]
    for split in NEGATION_SIZES:
        assert any(row["note"] == "조건문" for row in negation_rows(split))
        assert any(row["sn_절1"] == "말다" for row in negation_rows(split))


def test_the_longest_option_is_rarely_the_answer() -> None:
    for split in NEGATION_SIZES:
        rows = negation_rows(split)
        longest = sum(len(row["standard_negation"]) >= max(len(row[f] or "") for f in OPTIONS) for row in rows)
        assert longest <= 0.4 * len(rows), split


def test_every_letter_is_the_answer_of_some_test_items() -> None:
    """The published order: the id's number seeds Python's generator, which shuffles the options once."""
    letters: Counter[str] = Counter()
    rows = negation_rows("test")
    for row in rows:
        options = [field for field in OPTIONS if row[field]]
        random.Random(int(row["idx"].removeprefix("G"))).shuffle(options)
        letters["ABCD"[options.index("standard_negation")]] += 1
    assert min(letters[letter] for letter in "ABCD") >= 0.15 * len(rows), letters


def test_both_forms_of_a_kmmlu_question_share_options_and_have_opposite_answers() -> None:
    negative, positive = negation_rows("kmmlu_neg"), negation_rows("kmmlu_pos")
    assert len(negative) == len(positive) == 8
    for left, right in zip(negative, positive, strict=True):
        assert list(left) == list(right) == ["question", "A", "B", "answer", "Category", "Human Accuracy"]
        assert left["A"] != left["B"] and left["question"] != right["question"]
        assert all(left[key] == right[key] for key in ("A", "B", "Category", "Human Accuracy"))
        assert {left["answer"], right["answer"]} == {0, 1}
    assert 2 <= sum(row["answer"] for row in negative) <= 6


def test_both_forms_of_a_yes_no_question_share_the_paragraph_and_have_opposite_labels() -> None:
    original, negated = negation_rows("kobest_boolq"), negation_rows("kobest_boolq_neg")
    assert len(original) == len(negated) == 8
    for left, right in zip(original, negated, strict=True):
        assert list(left) == list(right) == ["paragraph", "question", "label", "notes"]
        assert left["paragraph"] == right["paragraph"] and left["question"] != right["question"]
        assert {left["label"], right["label"]} == {0, 1}
        assert left["notes"] is None and right["notes"] is None
    assert 2 <= sum(row["label"] for row in original) <= 6


def squeezed(text: str) -> str:
    """The text's letters and digits only."""
    return re.sub(r"[\W_]", "", text)


@cache
def upstream_text(folder: Path) -> str:
    """All upstream questions, sentences and worked answers, squeezed, one a line."""
    lines: list[str] = []
    for path in sorted((folder / "kmmlu" / "data").glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            lines += [row["question"] for row in csv.DictReader(file)]
    for path in [*sorted((folder / "konubench").glob("*.json")), *sorted((folder / "kmmlu").glob("*.json"))]:
        lines += list(texts_in(json.loads(path.read_text(encoding="utf-8"))))
    return "\n".join(squeezed(line) for line in lines)


def own_texts() -> Iterator[str]:
    """Each bundled question, sentence, paragraph and worked answer; not labels, ids or short options."""
    for name in KMMLU_FILES:
        yield from (row["question"] for row in csv_rows(name))
    yield from (example["target"] for shown in exemplars().values() for example in shown)
    for row in all_negation_rows():
        yield from (row[field] for field in ("original_sentence", *OPTIONS) if row[field])
    for name in ("kmmlu_neg", "kmmlu_pos"):
        yield from (row["question"] for row in negation_rows(name))
    for name in ("kobest_boolq", "kobest_boolq_neg"):
        yield from (row[field] for row in negation_rows(name) for field in ("paragraph", "question"))


def test_no_bundled_text_comes_from_the_upstream_data(upstream: Path) -> None:
    known = upstream_text(upstream)
    assert len(known) > 1_000_000, "the upstream files were read"
    assert [text for text in own_texts() if squeezed(text) in known] == []
