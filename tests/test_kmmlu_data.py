"""Reading KMMLU's files: columns by name, subjects in any spelling, faults by file, line and field."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from kmmlu_folder import HEADER, TEST, make_task, write_csv, write_subject

from jatdae.benchmarks.base import find_task, registry
from jatdae.benchmarks.kmmlu.data import files_in, read_questions
from jatdae.benchmarks.kmmlu.findings import flags_of
from jatdae.benchmarks.kmmlu.subjects import CATEGORIES, SUBJECTS, scope_of
from jatdae.errors import DataError, RequestError

LAW = scope_of("kmmlu/law").subjects[0]


def test_the_tables_of_subjects_add_up_to_the_published_totals() -> None:
    assert len(SUBJECTS) == 45
    assert (sum(s.test for s in SUBJECTS), sum(s.hard for s in SUBJECTS)) == (35_030, 4_104)
    sums: dict[str, tuple[int, int, int]] = dict.fromkeys(CATEGORIES, (0, 0, 0))
    for subject in SUBJECTS:
        count, test, hard = sums[subject.category]
        sums[subject.category] = (count + 1, test + subject.test, hard + subject.hard)
    assert sums == {
        "stem": (11, 9_900, 1_100),
        "applied-science": (12, 11_600, 1_200),
        "humss": (11, 5_130, 841),
        "other": (11, 8_400, 963),
    }


def test_a_hundred_names_can_be_run_in_any_spelling() -> None:
    names = [name for name in registry() if name.startswith("kmmlu")]
    assert len(names) == 100
    assert find_task("KMMLU/Korean History").name == "kmmlu/korean-history"
    assert find_task("kmmlu_hard/real_estate").name == "kmmlu-hard/real-estate"
    assert scope_of("kmmlu/stem").size == 9_900
    with pytest.raises(RequestError, match="did you mean 'biology'"):
        scope_of("kmmlu/biologi")


def test_the_order_of_columns_does_not_matter(tmp_path: Path) -> None:
    swapped = (*HEADER[:-2], HEADER[-1], HEADER[-2])
    usual = read_questions(write_csv(tmp_path / "Law-test.csv", TEST), LAW, "test", "kmmlu")
    other = read_questions(write_csv(tmp_path / "b" / "Law-test.csv", TEST, swapped), LAW, "test", "kmmlu")
    assert usual == other
    assert (usual[1].answer, usual[1].options[1], usual[1].id, usual[1].group) == (0, "12.0", "Law/test/1", "Law")


def test_a_missing_column_is_refused_by_name(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "Law-test.csv", TEST, [name for name in HEADER if name != "C"])
    with pytest.raises(DataError, match=r"Law-test.csv, line 1, field 'C'"):
        read_questions(path, LAW, "test", "kmmlu")


def test_human_accuracy_may_be_absent(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "Law-test.csv", TEST, HEADER[:-1])
    assert len(read_questions(path, LAW, "test", "kmmlu")) == 4


def test_blank_lines_are_no_questions_and_do_not_move_the_line_numbers(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "Law-test.csv", TEST)
    lines = path.read_text(encoding="utf-8").split("\n")
    path.write_text("\n".join(["", lines[0], "", *lines[1:], "", "  ", ""]), encoding="utf-8")
    assert [item.id for item in read_questions(path, LAW, "test", "kmmlu")] == [f"Law/test/{n}" for n in range(4)]
    path.write_text("\n".join([lines[0], "", lines[1].replace(",2,", ",7,")]), encoding="utf-8")
    with pytest.raises(DataError, match="line 3, field 'answer'"):
        read_questions(path, LAW, "test", "kmmlu")


@pytest.mark.parametrize("answer", [0, 5])
def test_an_answer_outside_1_to_4_is_refused_with_its_line(tmp_path: Path, answer: int) -> None:
    rows = [TEST[0], (TEST[1][0], answer, *TEST[1][2:])]
    with pytest.raises(DataError, match=rf"Law-test.csv, line 3, field 'answer': answer {answer} is outside 1..4"):
        read_questions(write_csv(tmp_path / "Law-test.csv", rows), LAW, "test", "kmmlu")


def test_an_empty_option_is_refused_with_its_field(tmp_path: Path) -> None:
    rows = [(TEST[0][0], 1, "마른다", " ", "뜨거워진다", "사라진다")]
    with pytest.raises(DataError, match="line 2, field 'B'"):
        read_questions(write_csv(tmp_path / "Law-test.csv", rows), LAW, "test", "kmmlu")


def test_file_names_are_matched_by_the_subjects_spelling(tmp_path: Path) -> None:
    for name in ("korean-history-test", "Korean-History-dev", "real_estate-hard-test", "Math-test", "README-test"):
        write_csv(tmp_path / f"{name}.csv", TEST)
    found = {(subject.config, split): path.name for (subject, split), path in files_in(tmp_path).items()}
    assert found == {
        ("Korean-History", "test"): "korean-history-test.csv",
        ("Korean-History", "dev"): "Korean-History-dev.csv",
        ("Real-Estate", "test"): "real_estate-hard-test.csv",
        ("Math", "test"): "Math-test.csv",
    }


def test_two_files_of_one_subject_are_refused(tmp_path: Path) -> None:
    for name in ("real_estate-test", "real-estate-test"):
        write_csv(tmp_path / f"{name}.csv", TEST)
    with pytest.raises(RequestError, match="are the same subject and split"):
        files_in(tmp_path)


def test_a_folder_without_the_subject_is_refused_and_one_with_some_is_run(tmp_path: Path) -> None:
    write_subject(tmp_path, "Law")
    assert {item.group for item in make_task(tmp_path).items()} == {"Law"}
    with pytest.raises(RequestError, match="KMMLU Biology: no test file"):
        make_task(tmp_path, "kmmlu/biology").items()


def test_kmmlu_is_not_taken_for_hard(tmp_path: Path) -> None:
    write_subject(tmp_path, "Taxation", TEST * 50)
    with pytest.raises(DataError, match=r"200 rows are Taxation of KMMLU, not of KMMLU-HARD; run the task kmmlu"):
        make_task(tmp_path, "kmmlu-hard/taxation").items()


def test_hard_names_its_items_by_its_own_configuration(tmp_path: Path) -> None:
    write_subject(tmp_path / "kmmlu-hard", "real_estate")
    items = make_task(tmp_path, "kmmlu-hard").items()
    assert (items[0].id, items[0].group) == ("real_estate/test/0", "real_estate")


def test_decomposed_hangul_is_refused_but_other_text_passes_unchanged(tmp_path: Path) -> None:
    kept = ("넓이 5㎡ 안의 (주)한빛\u00a0창고  값은?", 1, "￦900", "₩800", " 없다", "①")
    path = write_csv(tmp_path / "Law-test.csv", [kept])
    assert read_questions(path, LAW, "test", "kmmlu")[0].options == ("￦900", "₩800", " 없다", "①")
    broken = (unicodedata.normalize("NFD", "값은 얼마인가?"), *kept[1:])
    with pytest.raises(DataError, match="NFD"):
        read_questions(write_csv(tmp_path / "Law-test.csv", [broken]), LAW, "test", "kmmlu")


@pytest.mark.parametrize(
    ("question", "options", "answer", "flags"),
    [
        ("하루는 몇 시간인가?", ("24", "12", "6", "3"), 0, ()),
        ("하루는? (보기 오류가 있어 고치는 중)", ("24", "12", "6", "3"), 0, ("editor-note",)),
        ("하루는? (예전 정답은 1번이었다)", ("24", "12", "6", "3"), 0, ("states-answer",)),
        ("하루는?", ("없음",) * 4, 2, ("identical-options", "gold-tie")),
        ("그림에서 가장 긴 선은?", ("가", "나", "가", "라"), 0, ("gold-tie", "figure")),
        ("가장 긴 선은?", ("가", "나", "가", "라"), 1, ()),
    ],
)
def test_flags_follow_the_text(question: str, options: tuple[str, ...], answer: int, flags: tuple[str, ...]) -> None:
    assert flags_of(question, options, answer) == flags


def test_all_of_upstream_loads(upstream: Path) -> None:
    task = make_task(upstream)
    items = task.items()
    assert len(items) == 35_030
    assert [sum(item.letter == letter for item in items) for letter in "ABCD"] == [3_458, 10_418, 10_477, 10_677]
    assert len({item.id for item in items}) == 35_030
    assert sum("states-answer" in item.flags for item in items) == 41
    assert [item.id for item in items if "shown-as-example" in item.flags] == ["Korean-History/test/7"]
    folder = upstream / "kmmlu" / "data"
    assert make_task(folder).data_hash == task.data_hash != make_task(folder, "kmmlu/law").data_hash
