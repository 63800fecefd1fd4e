"""Official scoring of predictions made elsewhere."""

from __future__ import annotations

import csv
import json
import unicodedata
from pathlib import Path

import pytest
from kmmlu_folder import TEST, write_subject

from jatdae.benchmarks.kmmlu.external import score_predictions
from jatdae.benchmarks.kmmlu.subjects import SUBJECTS
from jatdae.benchmarks.scored import Submission
from jatdae.benchmarks.scoring import score_kmmlu
from jatdae.benchmarks.sources import Source
from jatdae.errors import DataError, RequestError

OUTPUTS = Path("kmmlu") / "model_outputs"


@pytest.mark.parametrize(
    ("name", "title", "micro", "macro", "unanswered"),
    [
        ("kmmlu_hard_llama-3-1-8b-instruct_5shot.csv", "KMMLU-HARD", 0.158138, 0.155580, 1_240),
        ("kmmlu_hard_claude-haiku-4-5.csv", "KMMLU-HARD", 0.430068, 0.431998, 4),
        ("kmmlu_gpt-35-turbo-230613.csv", "KMMLU, 34,870 of 35,030 items", 0.403011, 0.398643, 10),
    ],
)
def test_public_outputs_score_as_published(
    upstream: Path, name: str, title: str, micro: float, macro: float, unanswered: int
) -> None:
    score = score_predictions(upstream / OUTPUTS / name)
    assert score.micro.value == pytest.approx(micro, abs=5e-7)
    assert score.macro.value == pytest.approx(macro, abs=5e-7)
    assert (score.unanswered, score.title, len(score.subjects)) == (unanswered, title, 45)
    assert score.reextracted is not None
    assert score.reextracted.version
    assert score.reextracted.changed.value < 0.05


def test_missing_rows_are_named_and_the_figure_is_incomplete(upstream: Path) -> None:
    score = score_predictions(upstream / OUTPUTS / "kmmlu_gpt-35-turbo-230613.csv")
    assert not score.complete
    assert score.missing == {
        "Biology": 20,
        "Environmental-Science": 20,
        "Industrial-Engineer": 20,
        "Information-Technology": 20,
        "Law": 40,
        "Materials-Engineering": 20,
        "Telecommunications-and-Wireless-Technology": 20,
    }
    assert any(warning.startswith("incomplete: 34,870 of 35,030 rows") for warning in score.warnings)


def test_a_high_rate_without_an_answer_is_warned_about(upstream: Path) -> None:
    score = score_predictions(upstream / OUTPUTS / "kmmlu_hard_llama-3-1-8b-instruct_5shot.csv", name="kmmlu-hard")
    assert score.complete
    assert score.no_answer.value == pytest.approx(1_240 / 4_104)
    assert "30.21 % of rows have no answer as logged and count as wrong" in score.warnings


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_replies_alone_are_enough_and_subjects_may_be_spelled_in_any_way(tmp_path: Path) -> None:
    lines = [
        {"category": "korean history", "answer": "B", "response": "정답은 B입니다."},
        {"category": "Korean_History", "answer": 3, "response": "잘 모르겠습니다."},
        {"subject": "LAW", "answer": "A", "response": "A가 아니라 D"},
    ]
    path = write(tmp_path / "pred.jsonl", "\n".join(json.dumps(line, ensure_ascii=False) for line in lines))
    score = score_predictions(path)
    assert {name: estimate.value for name, estimate in score.subjects.items()} == {"Korean-History": 0.5, "Law": 0.0}
    assert (score.macro.value, score.unanswered, score.reextracted) == (0.25, 1, None)
    assert score.title == "KMMLU, partial: 2 of 45 subjects, 3 of 35,030 items"


def test_a_file_without_replies_is_scored_as_logged(tmp_path: Path) -> None:
    score = score_predictions(write(tmp_path / "p.csv", "category,answer,pred\nLaw,A,A\nLaw,B,2\nLaw,C,[invalid]\n"))
    assert (score.micro.value, score.unanswered, score.reextracted) == (pytest.approx(2 / 3), 1, None)


def test_numbers_as_pandas_writes_them_beside_missing_values(tmp_path: Path) -> None:
    text = "category,answer,pred\nLaw,1.0,1.0\nLaw,2.0,\nLaw,C,3.00\nLaw,4,4.5\n"
    score = score_predictions(write(tmp_path / "p.csv", text))
    assert (score.micro.value, score.unanswered) == (0.5, 2)
    lines = '{"category":"Law","answer":1,"pred":1.0}\n{"category":"Law","answer":2,"pred":NaN}\n'
    score = score_predictions(write(tmp_path / "p.jsonl", lines))
    assert (score.micro.value, score.unanswered) == (0.5, 1)


def test_no_reply_is_too_odd_to_be_scored(tmp_path: Path) -> None:
    """Given a reply in decomposed Hangul, one longer than the csv module's limit, and blank lines."""
    replies = [unicodedata.normalize("NFD", "정답은 B입니다."), "생각해 보면 " * 30_000 + "정답은 B", "정답: B\n\n이다"]
    path = tmp_path / "p.csv"
    csv.field_size_limit(131_072)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["category", "answer", "response"])
        for reply in replies:
            writer.writerow(["Law", "B", reply])
            file.write("\n  \n")
    lines = [json.dumps({"category": "Law", "answer": "B", "response": r}, ensure_ascii=False) for r in replies]
    for given in (path, write(tmp_path / "p.jsonl", "\n\n".join(lines) + "\n\n")):
        score = score_predictions(given)
        assert (score.rows, score.micro.value) == (3, 1.0)


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\x85"])
def test_only_a_line_feed_ends_a_line(tmp_path: Path, mark: str) -> None:
    line = json.dumps({"category": "Law", "answer": "B", "response": f"정답: B{mark}끝"}, ensure_ascii=False)
    score = score_predictions(write(tmp_path / "p.jsonl", f"{line}\r\n{line}\n"))
    assert (score.rows, score.micro.value) == (2, 1.0)


def test_decomposed_hangul_in_an_id_is_still_refused(tmp_path: Path) -> None:
    text = unicodedata.normalize("NFD", "id,category,answer,pred\n법학 1,Law,A,A\n")
    with pytest.raises(DataError, match=r"line 2, field 'id': Hangul is stored as separate letters"):
        score_predictions(write(tmp_path / "p.csv", text))


def test_of_rows_with_one_id_the_last_complete_one_counts(tmp_path: Path) -> None:
    text = "id,category,answer,pred\nq1,Law,A,B\nq1,Law,A,A\nq2,Law,C,C\nq2,Law,C,\n"
    score = score_predictions(write(tmp_path / "p.csv", text))
    assert (score.rows, score.micro.value, score.duplicates) == (2, 1.0, ("q1", "q2"))
    assert any("2 ids have several rows" in warning for warning in score.warnings)


def test_ids_and_data_give_the_right_answers(tmp_path: Path) -> None:
    write_subject(tmp_path / "data", "Law")
    path = write(tmp_path / "p.csv", "id,pred,response\nLaw/test/0,B,B\nLaw/test/1,,0\nLaw/test/2,A,짜다\n")
    score = score_predictions(path, Source(tmp_path / "data"))
    assert score.micro.value == pytest.approx(1 / 3)
    assert score.reextracted is not None
    assert score.reextracted.micro.value == 1.0
    assert TEST[2][1] == 4
    with pytest.raises(DataError, match=r"line 2, field 'answer': no right answer"):
        score_predictions(path)


def test_another_right_answer_than_the_datas_is_reported(tmp_path: Path) -> None:
    write_subject(tmp_path / "data", "Law")
    path = write(tmp_path / "p.csv", "id,category,answer,pred\nLaw/test/0,Law,C,B\n")
    score = score_predictions(path, Source(tmp_path / "data"))
    assert score.micro.value == 1.0
    assert any("1 rows give another right answer" in warning for warning in score.warnings)


def test_what_cannot_be_scored_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="neither `pred` nor `response`"):
        score_predictions(write(tmp_path / "a.csv", "category,answer\nLaw,A\n"))
    with pytest.raises(DataError, match=r"line 2, field 'category': 'Lew' is no KMMLU subject; did you mean 'law'"):
        score_predictions(write(tmp_path / "b.csv", "category,answer,pred\nLew,A,A\n"))
    with pytest.raises(DataError, match="no predictions"):
        score_predictions(write(tmp_path / "c.csv", "category,answer,pred\n"))
    with pytest.raises(DataError, match="line 2: not valid JSON"):
        score_predictions(write(tmp_path / "d.jsonl", '{"category":"Law","answer":"A","pred":"A"}\n{"cat'))


def test_surplus_rows_are_named_and_a_hard_file_with_a_few_is_still_hard(upstream: Path, tmp_path: Path) -> None:
    published = (upstream / OUTPUTS / "kmmlu_hard_claude-haiku-4-5.csv").read_text(encoding="utf-8")
    extra = "accounting,A,A,A\n" * 3
    score = score_predictions(write(tmp_path / "p.csv", published.rstrip("\n") + "\n" + extra))
    assert (score.release, score.complete, score.surplus) == ("kmmlu-hard", False, {"accounting": 3})
    assert score.title == "KMMLU-HARD, 3 surplus items"
    assert any("3 rows more than published" in warning and "accounting 3" in warning for warning in score.warnings)


def test_a_hundred_rows_of_each_subject_are_not_taken_for_hard(tmp_path: Path) -> None:
    rows = [f"{subject.config},A,A\n" for subject in SUBJECTS for _ in range(100)]
    score = score_predictions(write(tmp_path / "p.csv", "category,answer,pred\n" + "".join(rows)))
    assert score.title == "KMMLU, 4,500 of 35,030 items"


def test_categories_and_subjects_are_given_and_printed(tmp_path: Path) -> None:
    text = "category,answer,pred\nLaw,A,A\nLaw,B,A\nMath,C,C\nHealth,D,A\n"
    path = write(tmp_path / "p.csv", text)
    score = score_predictions(path)
    assert {name: found.value for name, found in score.categories.items()} == {"STEM": 1.0, "HUMSS": 0.5, "Other": 0.0}
    assert score.mean_of_categories.value == 0.5
    printed = {row[0]: row[1] for row in score_kmmlu(Submission("kmmlu", path)).rows}
    assert printed["macro, STEM"] == score.categories["STEM"]
    assert printed["mean of categories"] == score.mean_of_categories
    assert printed["Health"] == score.subjects["Health"]


def test_rows_that_repeat_exactly_are_counted_wherever_they_stand(tmp_path: Path) -> None:
    text = "question,category,answer,pred\n물은?,Law,A,A\n불은?,Law,A,A\n물은?,Law,A,A\n"
    score = score_predictions(write(tmp_path / "p.csv", text))
    assert score.repeated == 1
    assert "1 rows equal an earlier row in every field" in score.warnings


def test_a_note_says_that_the_replies_were_read(tmp_path: Path) -> None:
    score = score_predictions(write(tmp_path / "p.csv", "category,answer,response\nLaw,A,정답은 A\n"))
    assert any("no column `pred`" in warning for warning in score.warnings)


def test_a_json_array_is_read_and_one_that_is_cut_off_says_so(tmp_path: Path) -> None:
    rows = [{"category": "Law", "answer": "A", "pred": "A"}, {"category": "Law", "answer": 2, "pred": None}]
    whole = json.dumps(rows, indent=1)
    score = score_predictions(write(tmp_path / "whole.json", whole))
    assert (score.rows, score.micro.value, score.unanswered) == (2, 0.5, 1)
    for end in (len(whole) - 2, len(whole) // 2, 40):
        with pytest.raises(DataError, match=r"cut\.json, line \d+: not valid JSON: .*cut off"):
            score_predictions(write(tmp_path / "cut.json", whole[:end]))
    lines = "\n".join(json.dumps(row) for row in rows)
    assert score_predictions(write(tmp_path / "lines.json", lines)).rows == 2
    with pytest.raises(DataError, match=r"line 2: not valid JSON: it ends too early"):
        score_predictions(write(tmp_path / "lines.json", lines[:-3]))
    with pytest.raises(DataError, match=r"line 7, field 'category': 'Lew'"):
        score_predictions(write(tmp_path / "bad.json", json.dumps([rows[0], {**rows[1], "category": "Lew"}], indent=0)))
