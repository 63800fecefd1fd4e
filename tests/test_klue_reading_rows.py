"""Reading KLUE's row files: entities by character, dependency trees by word."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jatdae.benchmarks.klue import read_task
from jatdae.benchmarks.klue.labels import ENTITY_TAGS
from jatdae.benchmarks.klue.reading import findings
from jatdae.benchmarks.klue.records import Entity, TaggedSentence
from jatdae.errors import DataError

COMMENTS = "## 구분자 : \\t\n## 줄 : \\n\n## 문장 : \\n\\n\n## 주석 : ##\n## 컬럼명 : CHAR\tNE_TAG\n"
TREE = ["1\t한별이\t한별 이\tNNP+JKS\t2\tNP_SBJ", "2\t웃는다.\t웃 는다 .\tVV+EF+SF\t0\tVP"]


def tagged(folder: Path, *sentences: tuple[str, str, list[str]], end: str = "\n") -> Path:
    """A file of (header text, plain text, tags)."""
    text = COMMENTS
    for number, (inline, plain, tags) in enumerate(sentences):
        rows = "".join(f"{c}\t{tag}\n" for c, tag in zip(plain, tags, strict=True))
        text += f"## klue-ner-v1_dev_{number:05d}-nsmc\t{inline}\n{rows}{end}"
    path = folder / "klue-ner-v1.1_dev.tsv"
    path.write_text(text, encoding="utf-8", newline="")
    return path


def tree(folder: Path, *rows: str, header: str = "한별이 웃는다.") -> Path:
    path = folder / "klue-dp-v1.1_dev.tsv"
    path.write_text("## 주석\n## klue-dp-v1_dev_00000_airbnb\t" + "\n".join([header, *rows, "", ""]), encoding="utf-8")
    return path


def test_rows_are_read_and_not_the_inline_notation(tmp_path: Path) -> None:
    plain = "<은하 특급> 정말 재밌다"
    tags = ["O", "B-PS", *["I-PS"] * 4, *["O"] * (len(plain) - 6)]
    (sentence,) = read_task("ner", tagged(tmp_path, ("<<은하 특급:PS>> 정말 재밌다", plain, tags)))
    assert sentence.text == plain
    assert sentence.entities == (Entity("PS", 1, 5),)
    assert (sentence.group, sentence.line, sentence.tags[3]) == ("nsmc", 6, "I-PS")
    assert not any(found.count for found in findings("ner", [sentence]))


def test_a_header_that_broke_on_brackets_is_told_with_its_line(tmp_path: Path) -> None:
    good = ("<1편:QT>", "1편", ["B-QT", "I-QT"])
    remnant = ("<1:QT>, 2편:QT>은", "1, 2편:QT>은", ["B-QT", *["O"] * 9])
    moved = ("1:QT>, 2편:QT>은", "1, 2편은", ["B-QT", "O", "O", "B-QT", "I-QT", "O"])
    found = {f.name: f.ids for f in findings("ner", read_task("ner", tagged(tmp_path, good, remnant, moved)))}
    assert found["ner: tag-in-text"] == ("klue-ner-v1_dev_00001-nsmc (line 10)",)
    assert found["ner: inline-differs"] == ("klue-ner-v1_dev_00002-nsmc (line 22)",)


def test_a_tag_that_continues_nothing_is_told_and_kept(tmp_path: Path) -> None:
    (sentence,) = read_task("ner", tagged(tmp_path, ("가나 다라", "가나 다라", ["B-PS", "I-LC", "O", "I-PS", "O"])))
    assert sentence.tags == ("B-PS", "I-LC", "O", "I-PS", "O")
    assert sentence.orphans == (1, 3)
    told = next(f for f in findings("ner", [sentence]) if f.name == "ner: orphan-inside")
    assert told.ids[0] == "klue-ner-v1_dev_00000-nsmc (line 6): I-LC at character 1"


@pytest.mark.parametrize("end", ["\n", "\t\n"])
def test_blanks_odd_separators_and_hashes_are_characters(tmp_path: Path, end: str) -> None:
    plain = " #\u2028\u00a0> "
    first, second = read_task("ner", tagged(tmp_path, (plain, plain, ["O"] * 6), ("가", "가", ["O"]), end=end))
    assert (first.text, second.text) == (plain, "가")
    windows = tmp_path / "windows.tsv"
    windows.write_bytes((tmp_path / "klue-ner-v1.1_dev.tsv").read_bytes().replace(b"\n", b"\r\n"))
    assert read_task("ner", windows) == [first, second]


@pytest.mark.parametrize(
    ("rows", "line", "message"),
    [
        ("가\tB-XX\n", 7, "unknown label 'B-XX'"),
        ("가나\tO\n", 7, "one character, a tab and a tag"),
        ("\tO\n", 7, "one character, a tab and a tag"),
        ("가\tO\n\n나\tO\n", 9, "a row before any line that starts with '## klue-ner'"),
        ("\n", 6, "has no rows"),
    ],
)
def test_a_faulty_row_is_named_by_line(tmp_path: Path, rows: str, line: int, message: str) -> None:
    path = tmp_path / "x.tsv"
    path.write_text(f"{COMMENTS}## klue-ner-v1_dev_00000-nsmc\t가\n{rows}", encoding="utf-8")
    with pytest.raises(DataError, match=message) as caught:
        read_task("ner", path)
    assert caught.value.line == line


@given(st.lists(st.sampled_from(ENTITY_TAGS), min_size=1, max_size=12))
def test_entities_and_orphans_cover_each_tagged_character_once(tags: list[str]) -> None:
    sentence = TaggedSentence("x", tuple("가" * len(tags)), tuple(tags))
    covered = [i for entity in sentence.entities for i in range(entity.start, entity.end + 1)]
    assert sorted([*covered, *sentence.orphans]) == [i for i, tag in enumerate(tags) if tag != "O"]
    assert [entity.start for entity in sentence.entities] == [i for i, tag in enumerate(tags) if tag[0] == "B"]
    for entity, following in itertools.pairwise(sentence.entities):
        assert entity.end < following.start


def test_a_tree_has_words_heads_and_named_labels(tmp_path: Path) -> None:
    (sentence,) = read_task("dp", tree(tmp_path, *TREE))
    assert (sentence.text, sentence.heads, sentence.labels) == ("한별이 웃는다.", (2, 0), ("NP_SBJ", "VP"))
    assert (sentence.lemmas[0], sentence.pos[1], sentence.group) == ("한별 이", ("VV", "EF", "SF"), "airbnb")


@pytest.mark.parametrize(
    ("row", "field", "message"),
    [
        ("2\t웃는다.\t웃 는다 .\tVV+EF+SF\t3\tVP", "HEAD", "head 3 is outside the sentence's 0 to 2"),
        ("2\t웃는다.\t웃 는다 .\tVV+EF+SF\t-1\tVP", "HEAD", "head -1 is outside"),
        ("2\t웃는다.\t웃 는다 .\tVV+EF+SF\t0\troot", "DEPREL", "unknown label 'root'"),
        ("3\t웃는다.\t웃 는다 .\tVV+EF+SF\t0\tVP", "INDEX", "2 is expected, found '3'"),
        ("2\t웃는다.\t\tVV+EF+SF\t0\tVP", "LEMMA", "the value is empty"),
        ("2\t웃는다.\tVV+EF+SF\t0\tVP", None, "5 columns where 6 are expected"),
    ],
)
def test_a_faulty_word_is_named_by_line_and_column(tmp_path: Path, row: str, field: str | None, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        read_task("dp", tree(tmp_path, TREE[0], row))
    assert (caught.value.line, caught.value.field) == (4, field)


def test_odd_trees_are_told_and_kept(tmp_path: Path) -> None:
    rows = ["1\t가\t가\tAV\t2\tNP", "2\t나\t나\tNNG\t1\tNP", "3\t다\t다\tNNG\t3\tNP"]
    records = read_task("dp", tree(tmp_path, *rows, header="가 나다"))
    found = {f.name.removeprefix("dp: "): f.count for f in findings("dp", records)}
    names = ("unknown-pos", "not-one-root", "cycle", "head-to-the-left", "header-differs", "crossing-arcs")
    assert [found[name] for name in names] == [1, 1, 1, 1, 1, 0]
