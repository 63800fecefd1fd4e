"""The leaderboard as people see it: formats of numbers, both languages, names that try to steer a reader's tools."""

from __future__ import annotations

import csv
import io
import json
import random
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest
from board_runs import JUDGES, MODELS, MadeRun, drawn
from hypothesis import given
from hypothesis import strategies as st

from jatdae.benchmarks.munbench.generations import Status
from jatdae.benchmarks.munbench.units import Unit
from jatdae.evaluate.munbench.rating_stage import rate_all
from jatdae.reports.munbench import figures, leaderboard, show_leaderboard, words, write_leaderboard
from jatdae.reports.munbench.board import rounded
from jatdae.reports.munbench.escaping import markdown_text, one_line, spreadsheet_text
from jatdae.types import Estimate

HOSTILE = (
    "openrouter/v/표|칸",
    "openrouter/v/`code` **bold** [link](http://example.org) <b>x</b>",
    "openrouter/v/\x1b[31mred\x1b[0m\x1b]0;title\x07",
    "openrouter/v/two\nlines\r| --- |",
    "openrouter/v/\u202eright-to-left\u200b",
    "openrouter/v/[bold red]rich[/]",
)
SIGNS = "|`*_[]<>&#~\\!$@\n\r\x1b\x9b[]0;\x07\u202e\u200b=+-\ud800\0가"
BIDI = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")
_HEADINGS = re.compile(r"^## .*$", re.MULTILINE)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> MadeRun:
    folder, settings = tmp_path_factory.mktemp("hostile"), {"pairwise": {"anchors": [HOSTILE[0]]}}
    statuses = {(HOSTILE[1], "T1-01-01"): Status.ERROR}
    own = MadeRun(folder, models=HOSTILE, judges=HOSTILE[:2], statuses=statuses, settings=settings).write()
    own.compare(lambda first, second, unit, judge: "A" if first < second else "B")
    with own.work() as work:
        rate_all(work)
        write_leaderboard(leaderboard(work), work.folder.path)
    return own


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> MadeRun:
    own = MadeRun(tmp_path_factory.mktemp("run")).write()
    with own.work() as work:
        write_leaderboard(leaderboard(work), work.folder.path)
    return own


def text(run: MadeRun, name: str) -> str:
    return (run.folder / "results" / name).read_bytes().decode("utf-8")


def tables(markdown: str) -> Iterator[list[list[str]]]:
    """Rows of cells of each table, split at the pipes that a renderer takes for borders."""
    for block in re.split(r"\n{2,}", markdown):
        lines = [line for line in block.splitlines() if line.startswith("|")]
        if lines:
            yield [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def test_numbers_have_the_published_formats() -> None:
    assert figures.spread(8.69, 0.404) == "8.69 ± 0.40"
    assert (figures.score(8.594), figures.rating(1540.4), figures.percent(0.417)) == ("8.59", "1540", "41.7")
    assert (figures.signed(0.07), figures.signed(-2.84), figures.signed(-0.001)) == ("+0.07", "-2.84", "0.00")
    missing = [show(None) for show in (figures.score, figures.rating, figures.percent, figures.signed, figures.full)]
    assert set(missing) == {"—"}


def test_without_an_interval_it_says_so_and_shows_no_zero() -> None:
    alone = Estimate(7.0, None, None, None, 1, 1, "none: one item")
    assert figures.full(alone) == "7.00 n/a n=1"
    assert figures.spread(7.0, None) == "7.00 ± n/a"
    unbeaten = Estimate(1500.0, 90.0, 1320.0, None, 24, 8)
    assert figures.interval(unbeaten, 0) == "[1320, ∞)".replace(")", "]")


def test_the_main_table_shows_the_numbers_of_the_record(run: MadeRun) -> None:
    record = json.loads(text(run, "leaderboard.json"))
    head, _, *lines = next(tables(text(run, "leaderboard.md")))
    assert [line[head.index("Overall")] for line in lines] == [
        f"{row['overall']['value']:.2f}" for row in record["rows"]
    ]
    for line, row in zip(lines, record["rows"], strict=True):
        low, high = row["overall"]["low"], row["overall"]["high"]
        assert line[head.index("95 %")] == rf"\[{low:.2f}, {high:.2f}\]"
        first = row["tracks"]["1"]
        assert line[head.index("T1")] == f"{first['rubric_mean']:.2f} ± {first['rubric_std']:.2f}"
        assert line[head.index("Elo")] == "—"


def test_every_table_and_file_says_that_it_is_provisional(run: MadeRun) -> None:
    record = json.loads(text(run, "leaderboard.json"))
    assert (record["provisional"], record["validated_against_people"]) == (True, False)
    for name, mark in (("leaderboard.md", "(provisional)"), ("leaderboard.ko.md", "(잠정)")):
        headings = _HEADINGS.findall(text(run, name))
        assert len(headings) > 8
        assert all(heading.endswith(mark) for heading in headings)
    assert "not validated against people" in text(run, "leaderboard.md")
    rows = list(csv.DictReader(io.StringIO(text(run, "leaderboard.csv").removeprefix("\ufeff"))))
    assert {row["provisional"] for row in rows} == {"true"}


def test_the_korean_file_has_the_same_tables_in_korean(run: MadeRun) -> None:
    english, korean = (list(tables(text(run, name))) for name in ("leaderboard.md", "leaderboard.ko.md"))
    assert [[len(row) for row in table] for table in english] == [[len(row) for row in table] for table in korean]
    assert [row[3:8] for row in english[0][2:]] == [row[3:8] for row in korean[0][2:]]
    prose = re.sub(r"^\|.*$", "", text(run, "leaderboard.ko.md"), flags=re.MULTILINE)
    assert all(re.search("[가-힣]", line) for line in prose.splitlines() if line.strip())


def test_every_wording_exists_in_both_languages_with_the_same_blanks() -> None:
    for table in (words.BANNERS, words.TITLES, words.NOTES, words.HEADERS, words.MEASURES, words.KINDS):
        for name, (english, korean) in table.items():
            blanks = [{one[1] for one in string.Formatter().parse(side)} - {None} for side in (english, korean)]
            assert blanks[0] == blanks[1], name
            assert english.strip(), name
            assert korean.strip(), name


def test_a_withheld_score_is_a_word_and_no_number(tmp_path: Path) -> None:
    own = MadeRun(tmp_path, statuses={(MODELS[1], "T1-01-01"): Status.ERROR}).write()
    with own.work() as work:
        write_leaderboard(leaderboard(work), work.folder.path)
    head, _, *lines = next(tables(text(own, "leaderboard.md")))
    assert lines[-1][head.index("Overall")] == "withheld"
    assert lines[-1][head.index("95 %")] == "—"
    rows = list(csv.DictReader(io.StringIO(text(own, "leaderboard.csv").removeprefix("\ufeff"))))
    assert (rows[-1]["overall"], rows[-1]["withheld"], rows[-1]["rank"]) == ("", "coverage", "")


def test_hostile_names_stay_in_their_cells(hostile: MadeRun) -> None:
    for name in ("leaderboard.md", "leaderboard.ko.md"):
        markdown = text(hostile, name)
        assert "\x1b" not in markdown
        assert not BIDI.search(markdown)
        assert "<b>" not in markdown
        assert not re.search(r"(?<!\\)\]\(http", markdown)
        assert "://" not in markdown
        assert not re.search(r"(?<!\\)`", markdown)
        for table in tables(markdown):
            assert len({len(row) for row in table}) == 1
        assert next(tables(markdown))[0].count("") == 0
        assert len(next(tables(markdown))) == len(HOSTILE) + 2


def test_hostile_names_give_a_terminal_no_orders(hostile: MadeRun, capsys: pytest.CaptureFixture[str]) -> None:
    with hostile.work() as work:
        show_leaderboard(leaderboard(work))
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert not BIDI.search(shown)
    assert "[bold" in shown
    assert "Leaderboard (provisional)" in shown


def test_the_record_keeps_names_as_they_are(hostile: MadeRun) -> None:
    record = json.loads(text(hostile, "leaderboard.json"))
    assert {row["model"] for row in record["rows"]} == set(HOSTILE)


def test_the_csv_opens_in_korean_spreadsheets_and_holds_no_formula(hostile: MadeRun) -> None:
    raw = (hostile.folder / "results" / "leaderboard.csv").read_bytes()
    assert raw.startswith(b"\xef\xbb\xbf")
    rows = list(csv.reader(io.StringIO(raw.decode("utf-8-sig"), newline="")))
    assert rows[0][0] == "rank"
    assert {len(row) for row in rows} == {len(rows[0])}
    assert len(rows) == len(HOSTILE) + 1


@pytest.mark.parametrize(
    "formula", ["=1+1", "+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", " =1", "＝1", "\u200b=cmd|' /C calc'!A0", "\x1b[0m=1"]
)
def test_a_formula_becomes_text(formula: str) -> None:
    assert spreadsheet_text(formula).startswith("'")


def test_plain_names_are_left_as_they_are() -> None:
    for name in ("openrouter/v/model-1", "openai:가람-7B", "7-segment"):
        assert spreadsheet_text(name) == one_line(name) == name


@given(st.text(max_size=60) | st.text(alphabet=SIGNS, max_size=60))
def test_no_text_breaks_out_of_its_cell(given_text: str) -> None:
    cell = markdown_text(given_text)
    assert not re.search(r"[\n\r\x00-\x1f\x7f-\x9f\ud800-\udfff]", cell)
    assert not BIDI.search(cell)
    assert not re.search(r"[<>]", cell)
    without_entities = re.sub(r"&(?:amp|lt|gt|#\d+);", "", cell)
    assert "&" not in without_entities
    assert not re.search(r"(?<!\\)(?:\\\\)*[|`*_\[\]#~$!]", without_entities)
    assert not re.match(r"\s*[=+\-@]", spreadsheet_text(given_text))
    assert "\x1b" not in one_line(given_text)


def test_a_text_of_escapes_alone_is_read_in_linear_time() -> None:
    for pattern in ("\x1b[", "\x1b]", "\x1b", "|", "`", "\u202e"):
        assert len(markdown_text(pattern * 500_000)) < 20_000


def test_records_are_rounded_and_hold_no_number_that_json_lacks() -> None:
    made = rounded({"a": [1 / 3, float("nan"), float("inf")], "b": Estimate(2 / 3, None, -0.0, 1.0, 3)})
    assert made["a"] == [0.333333, None, None]
    assert (made["b"].value, made["b"].n) == (0.666667, 3)
    assert str(made["b"].low) == "0.0"


def test_what_is_not_measured_is_not_shown_as_a_table(tmp_path: Path) -> None:
    def give(model: str, unit: Unit, judge: str, iteration: int, chance: random.Random) -> float:
        return drawn(model, unit, judge, iteration, chance)

    own = MadeRun(tmp_path, judges=JUDGES[1:2], iterations=1, give=give).write()
    with own.work() as work:
        write_leaderboard(leaderboard(work), work.folder.path)
    markdown = text(own, "leaderboard.md")
    for title in ("Ratings from comparisons", "Do judges favour their own?", "Order with one judge removed", "Items"):
        assert f"## {title}" not in markdown
    assert "unknown: nothing was repeated" in markdown
    spreads = next(table for table in tables(markdown) if "Judge repeatability" in table[0])
    place = spreads[0].index("Judge repeatability")
    assert {row[place] for row in spreads[2:]} == {"—"}
