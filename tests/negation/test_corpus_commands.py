"""`detect` and `study` as the command line calls them."""

from __future__ import annotations

import io
import json
import sys

import pytest

pytest.importorskip("altair")

from corpus_texts import sentences

from jatdae.cli.negation_study import detect_command, study_command
from jatdae.errors import DataError, RequestError

STUDY = {
    "sample": 30, "clusters": None, "seed": 2025, "max_chars": 400, "splitter": "kiwi", "method": "morphemes",
    "field": "text", "review": None, "engine": "local", "workers": 1, "offline": True, "as_json": True, "quiet": True,
}  # fmt: skip


def detect(*texts, method="morphemes", as_json=True):
    return detect_command(texts, method=method, workers=1, as_json=as_json)


def test_sentences_are_given_back_with_their_negations(capsys):
    assert detect("지수는 커피를 안 마신다.", "비가 온다.") == 0

    told = json.loads(capsys.readouterr().out)
    assert [len(row["negations"]) for row in told["sentences"]] == [1, 0]
    found = told["sentences"][0]["negations"][0]
    assert (found["type"], found["marker"], found["start"]) == ("안 단형", "안", 8)


def test_a_file_or_standard_input_gives_a_sentence_a_line(tmp_path, capsys, monkeypatch):
    (tmp_path / "a.txt").write_text("나는 안 간다.\n\n비가 온다.\n", encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("나는 못 간다.\n".encode())))

    detect(str(tmp_path / "a.txt"), "-", as_json=False)

    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if not line.startswith(" ")] == ["나는 안 간다.", "비가 온다.", "나는 못 간다."]
    assert sum(line.startswith("  ") for line in lines) == 2


def test_the_rules_miss_what_strings_cannot_tell(capsys):
    detect("안 간다.", "나는 안 간다.", method="rules")

    told = json.loads(capsys.readouterr().out)
    assert [len(row["negations"]) for row in told["sentences"]] == [0, 1]


@pytest.mark.parametrize("text", ["", "a\0b 안 갔다", "\ud800 안 갔다", "\x1b[31m안 갔다"])
def test_odd_sentences_do_no_harm(capsys, text):
    if text:
        detect(text, as_json=False)
        assert "\x1b" not in capsys.readouterr().out
    else:
        with pytest.raises(RequestError, match="no sentence"):
            detect(text)


def test_a_file_that_is_not_there_is_no_sentence(monkeypatch):
    with pytest.raises(RequestError, match="no such file"):
        detect("none.txt")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff")))
    with pytest.raises(DataError, match="standard input"):
        detect("-")


def test_a_study_prints_its_figures_and_takes_a_review(tmp_path, capsys):
    (tmp_path / "a.txt").write_text("\n".join(sentences(60)), encoding="utf-8")

    assert study_command([str(tmp_path / "a.txt")], out=tmp_path / "study", **STUDY) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["figures"]["sentences"] == 30
    again = {**STUDY, "review": tmp_path / "study" / "review.csv", "as_json": False}
    assert study_command([], out=tmp_path / "study", **again) == 0
    assert "of 30 sentences are negative" in capsys.readouterr().out
    with pytest.raises(RequestError, match="--review"):
        study_command([str(tmp_path / "a.txt")], out=tmp_path / "study", **again)
    with pytest.raises(RequestError, match="no corpus"):
        study_command([], out=tmp_path / "study", **STUDY)
