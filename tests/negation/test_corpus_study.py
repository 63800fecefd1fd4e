"""The study as a whole: the same bytes whoever does the work, and no work lost."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

from corpus_texts import sentences

from jatdae.errors import DataError, RequestError
from jatdae.negation.corpus.counting import TYPES
from jatdae.negation.corpus.engines import LocalEngine
from jatdae.negation.corpus.files import read_study
from jatdae.negation.corpus.settings import StudySettings
from jatdae.negation.corpus.study import review_study, run_study
from jatdae.runtime import Progress

FILES = {
    "study.json", "sentences.jsonl", "review.csv", "review.jsonl", "report.md", "report.ko.md", "types.svg",
    "clauses.svg",
}  # fmt: skip


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Three thousand sentences in passages of five, two files."""
    folder = tmp_path_factory.mktemp("corpus")
    texts = sentences(3_000)
    passages = [" ".join(texts[start : start + 5]) for start in range(0, len(texts), 5)]
    (folder / "written.txt").write_text("\n".join(passages[:400]) + "\n", encoding="utf-8")
    rows = (json.dumps({"text": passage}, ensure_ascii=False) for passage in passages[400:])
    (folder / "spoken.jsonl").write_text("\n".join(rows), encoding="utf-8")
    return folder


def study(corpus, out, *, workers=1, **settings):
    given = StudySettings((str(corpus),), **{"sample": 400, **settings})
    with LocalEngine(workers) as engine:
        return run_study(given, out, engine, Progress(quiet=True))


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def studied(corpus, tmp_path_factory):
    """A study in a folder of its own, and its figures."""
    out = tmp_path_factory.mktemp("studied") / "study"
    return out, study(corpus, out)


def test_a_study_writes_its_files_and_nothing_else(studied):
    out, figures = studied

    assert set(bytes_of(out)) == FILES
    assert figures.sentences == 400
    assert 0.15 < figures.rate.value < 0.45
    assert figures.rate_by_cluster.clusters == 3
    assert sum(share.occurrences for share in figures.types) == figures.occurrences
    assert sum(share.occurrences for share in figures.clauses) == figures.occurrences


def test_the_same_seed_gives_the_same_bytes_with_any_number_of_workers(corpus, studied, tmp_path):
    study(corpus, tmp_path / "again", workers=2)

    assert bytes_of(tmp_path / "again") == bytes_of(studied[0])


def test_another_seed_gives_another_sample(corpus, studied, tmp_path):
    study(corpus, tmp_path / "other", seed=1)

    assert (tmp_path / "other" / "sentences.jsonl").read_bytes() != (studied[0] / "sentences.jsonl").read_bytes()


def test_no_file_tells_where_it_was_made(corpus, studied):
    for name, data in bytes_of(studied[0]).items():
        assert str(corpus).encode() not in data, name


def test_the_counts_by_cluster_read_back_and_add_up(studied):
    out, figures = studied

    distribution = read_study(out)

    assert distribution.clusters == figures.clusters
    assert distribution.totals("types") == {
        share.label: share.occurrences for share in figures.types if share.occurrences
    }
    assert sum(distribution.totals("clauses").values()) == figures.occurrences
    assert read_study(out / "study.json") == distribution


def test_copulas_and_lexical_negation_stand_apart_from_the_rate(studied):
    out, figures = studied

    rows = [json.loads(line) for line in (out / "sentences.jsonl").read_text(encoding="utf-8").splitlines()]
    counted = [row for row in rows if any(one["type"] in TYPES and not one["confirmation"] for one in row["negations"])]

    assert figures.negative == len(counted)
    assert {share.label: share.occurrences for share in figures.apart}["아니다"] > 0


def test_the_reports_show_both_languages_examples_and_charts(studied):
    english = (studied[0] / "report.md").read_text(encoding="utf-8")
    korean = (studied[0] / "report.ko.md").read_text(encoding="utf-8")
    chart = (studied[0] / "types.svg").read_text(encoding="utf-8")

    assert "## Negation rate" in english
    assert "## 부정문 비율" in korean
    for report in (english, korean):
        assert "### 안 단형\n\n- " in report
        assert "<b>" in report
        assert "(types.svg)" in report
    assert "안 단형" in chart
    assert "sans-serif" in chart


def test_whole_clusters_are_studied_where_that_is_asked_for(corpus, tmp_path):
    figures = study(corpus, tmp_path / "study", clusters=1, splitter="rules", method="rules")

    assert [cluster.sentences for cluster in figures.clusters] == [1_000]
    assert figures.rate_by_cluster.low is None
    assert figures.clauses == ()
    assert not (tmp_path / "study" / "clauses.svg").exists()


def test_overlong_sentences_are_dropped_and_duplicates_noted(tmp_path):
    lines = ["나는 안 간다.", "나는 안 간다.", "비가 온다. " + "가" * 500]
    (tmp_path / "a.txt").write_text("\n".join(lines), encoding="utf-8")

    figures = study(tmp_path / "a.txt", tmp_path / "study")

    assert (figures.sentences, figures.duplicates) == (3, 1)
    about = json.loads((tmp_path / "study" / "study.json").read_text(encoding="utf-8"))
    assert (about["drawn"], about["overlong"]) == (4, 1)
    assert "중복" in (tmp_path / "study" / "review.csv").read_text(encoding="utf-8-sig")


def test_texts_from_outside_cannot_write_markup(tmp_path):
    (tmp_path / "a.txt").write_text("나는 <script>alert(1)</script> [링크](http://x) 안 간다.\n", encoding="utf-8")

    study(tmp_path / "a.txt", tmp_path / "study", splitter="line")

    report = (tmp_path / "study" / "report.md").read_text(encoding="utf-8")
    assert "&lt;script&gt;" in report
    assert "<script>" not in report
    assert "](http://" not in report


def test_a_review_changes_the_figures_and_its_verdicts_are_kept(corpus, tmp_path):
    out = tmp_path / "study"
    before = study(corpus, out)
    text = (out / "review.csv").read_text(encoding="utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    chosen = next(row for row in rows if row["type"] == "안 단형")
    chosen["verdict"] = "reject"
    with (out / "review.csv").open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows(rows)

    after = review_study(out, out / "review.csv")

    assert after.occurrences == before.occurrences - 1
    assert "1 rejected" in (out / "report.md").read_text(encoding="utf-8")
    assert sum(read_study(out).totals("types").values()) == after.occurrences
    once = bytes_of(out)
    review_study(out, out / "review.jsonl")
    assert bytes_of(out) == once, "the new sheets carry the verdicts, and the findings are those of the detector"
    with pytest.raises(RequestError, match="verdicts"):
        study(corpus, out)
    assert bytes_of(out) == once


def test_a_faulty_sheet_leaves_the_study_as_it_is(corpus, studied, tmp_path):
    before = bytes_of(studied[0])
    (tmp_path / "sheet.csv").write_bytes(before["review.csv"].replace(b",yes,,,,", b",yes,,perhaps,,", 1))

    with pytest.raises(DataError):
        review_study(studied[0], tmp_path / "sheet.csv")

    assert bytes_of(studied[0]) == before


SCRIPT = """
import sys
from pathlib import Path
from jatdae.negation.corpus.engines import open_engine
from jatdae.negation.corpus.settings import StudySettings
from jatdae.negation.corpus.study import run_study
from jatdae.runtime import Progress

if __name__ == "__main__":
    with open_engine(sys.argv[3], int(sys.argv[4])) as engine:
        run_study(StudySettings((sys.argv[1],), sample=int(sys.argv[5])), Path(sys.argv[2]), engine, Progress())
"""


def start(folder, corpus, out, engine, workers, sample):
    script = folder / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    command = [sys.executable, str(script), str(corpus), str(out), engine, str(workers), str(sample)]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


def test_a_study_that_was_killed_goes_on_where_it_was(corpus, tmp_path):
    out = tmp_path / "killed"
    running = start(tmp_path, corpus, out, "local", 1, 1_500)
    while len(list((out / ".work").glob("*.json"))) < 3 and running.poll() is None:
        time.sleep(0.01)
    os.kill(running.pid, signal.SIGKILL)
    running.communicate()
    kept = {path.name: path.stat().st_mtime_ns for path in (out / ".work").glob("*.json")}
    assert len(kept) >= 3
    assert not (out / "study.json").exists()

    _, told = start(tmp_path, corpus, out, "local", 1, 1_500).communicate(timeout=120)

    assert f"{250 * (len(kept) - 1):,} from the store" in told
    study(corpus, tmp_path / "whole", sample=1_500)
    assert bytes_of(out) == bytes_of(tmp_path / "whole")


@pytest.mark.slow
def test_a_study_on_ray_gives_the_same_bytes(corpus, studied, tmp_path):
    pytest.importorskip("ray")

    running = start(tmp_path, corpus, tmp_path / "on-ray", "ray", 2, 400)
    _, told = running.communicate(timeout=150)

    assert running.returncode == 0, told
    assert bytes_of(tmp_path / "on-ray") == bytes_of(studied[0])


@pytest.mark.parametrize(
    "settings", [{"sample": 0}, {"max_chars": 0}, {"clusters": 0}, {"seed": -1}, {"method": "x"}, {"splitter": "x"}]
)
def test_a_setting_that_cannot_be_is_refused(corpus, tmp_path, settings):
    with pytest.raises(RequestError):
        study(corpus, tmp_path / "study", **settings)

    assert not (tmp_path / "study").exists()


def test_an_empty_corpus_and_a_folder_without_a_study_are_told(tmp_path):
    (tmp_path / "a.txt").write_text("\n \n", encoding="utf-8")

    with pytest.raises(RequestError, match="no sentence"):
        study(tmp_path / "a.txt", tmp_path / "study")
    with pytest.raises(RequestError, match="no study"):
        read_study(tmp_path)
    (tmp_path / "study.json").write_text('{"format": "else"}', encoding="utf-8")
    with pytest.raises(DataError, match="format"):
        read_study(tmp_path)
