"""`jatdae munbench ...` from the command line: settings and their errors, stops, odd names, broken files."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from faulty_server import FaultyServer
from judge_replies import reply
from mun_runs import CALLS, FIRST, JUDGES, SECOND, UNITS, MunRun, forget

from jatdae.cli import run_app
from jatdae.evaluate.munbench.files import ResultsFolder, generation_key

Jatdae = Callable[..., tuple[int, str, str]]


@pytest.fixture
def jatdae(capsys: pytest.CaptureFixture[str]) -> Jatdae:
    """Run a command of `jatdae munbench` on a run's settings; gives exit code, standard output, standard error."""

    def command(run: MunRun, *words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = run_app(["munbench", *words, "--config", str(run.write())])
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return command


@pytest.fixture
def small(mun_server: FaultyServer, tmp_path: Path) -> MunRun:
    """Two contestants and one judge, who scores once; nothing has run."""
    forget(mun_server)
    settings = {"models": [FIRST, SECOND], "judges": ["openai:판관-1"], "rubric_iterations": 1}
    return MunRun(tmp_path, mun_server, settings)


def test_one_command_goes_from_nothing_to_a_leaderboard(small: MunRun, jatdae: Jatdae) -> None:
    code, out, err = jatdae(small, "run", "--json", "--quiet")
    assert (code, err) == (0, "")
    board = json.loads(out)
    assert {FIRST, SECOND} <= set(_strings(board))
    for name in ("leaderboard.md", "leaderboard.ko.md", "leaderboard.csv", "leaderboard.json"):
        assert (small.results / name).is_file()
    forget(small.server)
    assert jatdae(small, "report", "--quiet")[0] == 0
    assert small.server.requests == []


def test_stages_as_single_commands_leave_the_same_files_as_one(small: MunRun, jatdae: Jatdae, tmp_path: Path) -> None:
    whole = MunRun(tmp_path / "whole", small.server, small.settings)
    assert jatdae(whole, "run", "--quiet")[0] == 0
    for words in (["generate"], ["judge", "--mode", "rubric"], ["judge", "--mode", "pairwise"], ["elo"], ["report"]):
        assert jatdae(small, *words, "--quiet")[0] == 0
    assert small.files() == whole.files()


def test_skipped_stages_are_not_run(small: MunRun, jatdae: Jatdae) -> None:
    words = ["--skip-pairwise", "--skip-elo", "--skip-report", "--quiet", "--track", "2"]
    assert jatdae(small, "run", *words)[0] == 0
    assert {file.split("/")[0] for file in small.files()} == {"config.json", "generations", "judgments", "rubric"}
    assert {row["track"] for row in small.rows("generations")} == {2}


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"max_token": 100}, ["munbench.yaml", "max_token", "max_tokens"]),
        ({"pairwise": {"anchor": [FIRST]}}, ["pairwise.anchor", "anchors"]),
        ({"models": [{"id": FIRST, "url": "x"}]}, ["models.0", "url", "base_url"]),
        ({"pairwise": {"anchors": [FIRST + "x"]}}, ["pairwise.anchors", FIRST + "x", "not among the models", FIRST]),
        ({"models": [FIRST, FIRST]}, ["models", "twice"]),
        ({"judges": ["rule", "rule"]}, ["judges", "twice"]),
        ({"judges": []}, ["judges", "at least one", "rule"]),
        ({"models": ["rule"], "pairwise": {}}, ["models", "writes nothing"]),
        ({"models": ["가람"], "pairwise": {}}, ["names no model", "provider/model"]),
        ({"rubric_iterations": 0}, ["rubric_iterations"]),
        ({"concurrency": 0}, ["concurrency"]),
        ({"budget": {"max_calls": 0}}, ["budget.max_calls"]),
        ({"temperature": "warm"}, ["temperature"]),
        ({"models": [], "pairwise": {}}, ["no models"]),
        ({"paths": {"data_dir": "nowhere"}}, ["nowhere"]),
    ],
)
def test_settings_that_cannot_be_are_one_line_and_exit_code_2(
    small: MunRun, jatdae: Jatdae, settings: dict[str, Any], told: list[str]
) -> None:
    code, out, err = jatdae(small.changed(**settings), "run")
    assert code == 2, err
    assert out == ""
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    for words in told:
        assert words in err
    assert small.server.requests == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["generate", "--track", "4"], "emotion"),
        (["judge", "--mode", "elo"], "pairwise"),
        (["generate", "--models", "openai:가람-8B"], FIRST),
    ],
)
def test_options_that_cannot_be_are_told_with_what_can(
    small: MunRun, jatdae: Jatdae, words: list[str], told: str
) -> None:
    code, _, err = jatdae(small, *words)
    assert code == 2
    assert told in err
    assert small.server.requests == []


def test_a_file_that_is_no_yaml_is_told_with_its_line(small: MunRun, capsys: pytest.CaptureFixture[str]) -> None:
    small.folder.mkdir(exist_ok=True)
    small.config.write_text("models:\n  - a: [1\nseed: 2\n", encoding="utf-8")
    assert run_app(["munbench", "run", "--config", str(small.config)]) == 2
    assert "line 3" in capsys.readouterr().err


def test_the_budget_of_calls_is_never_passed_and_a_larger_one_goes_on(small: MunRun, jatdae: Jatdae) -> None:
    code, _, err = jatdae(small.changed(budget={"max_calls": 100}), "run", "--quiet")
    assert code != 0
    assert "missing" in err
    assert small.server.answered.total() == len(small.server.requests) == 100
    lacking = [row for row in small.rows("generations") if row["status"] in ("error", "partial")]
    assert lacking
    assert all("budget.max_calls" in row["error"] for row in lacking)

    assert jatdae(small.changed(budget={"max_calls": 10_000}), "run", "--quiet")[0] == 0
    assert {row["status"] for row in small.rows("generations")} == {"ok"}
    assert max(small.server.answered.values()) == 1
    assert len(small.server.requests) == 2 * CALLS + 2 * UNITS + 2 * 40


def test_the_budget_counts_what_earlier_runs_asked(small: MunRun, jatdae: Jatdae) -> None:
    assert jatdae(small, "generate", "--track", "2", "--quiet")[0] == 0
    asked = len(small.server.requests)
    assert jatdae(small.changed(budget={"max_calls": asked + 5}), "generate", "--quiet")[0] == 1
    assert len(small.server.requests) == asked + 5


def test_a_budget_in_money_that_cannot_be_kept_asks_nothing(small: MunRun, jatdae: Jatdae) -> None:
    assert jatdae(small.changed(budget={"max_usd": 5}), "generate", "--quiet")[0] == 1
    assert small.server.requests == []
    assert all("no price is known" in row["error"] for row in small.rows("generations"))


ODD = (
    "openai:claude@20250514",
    "openai:vendor/model:free",
    "openai:표|칸",
    "openai:\x1b[31m붉은\x1b[0m",
    "openai:=cmd|' /C calc'!A0",
)


def test_odd_model_names_keep_their_own_files_and_steer_neither_table_nor_terminal(
    small: MunRun, jatdae: Jatdae
) -> None:
    odd = small.changed(models=list(ODD), pairwise={"anchors": [ODD[0]], "max_comparisons_per_model": 2})
    code, out, err = jatdae(odd, "run", "--track", "2", "--quiet")
    assert code == 0, err
    assert "\x1b[31m" not in out + err
    assert {row["model"] for row in odd.rows("generations")} == set(ODD)
    assert len(list((odd.results / "generations").glob("*.jsonl"))) == len(ODD)
    assert {body["model"] for body in odd.server.requests} == {name.removeprefix("openai:") for name in ODD} | {
        "판관-1"
    }

    markdown = (odd.results / "leaderboard.md").read_text("utf-8")
    assert "\x1b" not in markdown
    table = next(line for line in markdown.splitlines() if "claude" in line)
    row = next(line for line in markdown.splitlines() if "칸" in line)
    assert _columns(row) == _columns(table)
    sheet = list(csv.reader(io.StringIO((odd.results / "leaderboard.csv").read_text("utf-8-sig"))))
    assert all(not cell.startswith(("=", "+", "@", "\t", "\r")) for row in sheet for cell in row)
    assert len({len(row) for row in sheet}) == 1
    forget(odd.server)
    assert jatdae(odd, "run", "--track", "2", "--quiet")[0] == 0
    assert odd.server.requests == []


def _columns(line: str) -> int:
    return line.replace("\\|", "").count("|")


def test_a_single_judge_has_no_disagreement(small: MunRun) -> None:
    assert small.stages() == ([], [])
    derived = small.rows("rubric")
    assert {row["judge_disagreement_std"] for row in derived} == {0.0}
    assert {len(row["judges"]) for row in derived} == {1}


def test_the_compatible_profile_asks_once_and_pins_anchors(small: MunRun) -> None:
    compat = small.changed(profile="compat", judges=["openai:판관-1", "rule"])
    assert compat.stages() == ([], [])
    ratings = json.loads((compat.results / "ratings.json").read_text("utf-8"))
    elo = json.loads((compat.results / "elo.json").read_text("utf-8"))
    assert elo == ratings["elo_compat"]
    assert elo[FIRST] == 1200.0
    # All 51 prompts, contrast variants included, against the anchor; no schedule is stored, since none is drawn.
    verdicts = compat.rows("judgments-compat/pairwise")
    assert len(verdicts) == UNITS * 2 * 2
    assert not (compat.results / "pairwise" / "schedule.json").exists()
    assert max(small.server.answered.values()) == 1
    forget(small.server)
    assert compat.stages() == ([], [])
    assert small.server.requests == []


def test_the_compatible_scheduler_goes_with_the_standard_profile(small: MunRun) -> None:
    limits = {"scheduler": "compat", "anchors": [FIRST], "max_anchor_items": 7}
    assert small.changed(pairwise=limits).stages() == ([], [])
    assert len({(row["item_id"], row["variant"]) for row in small.rows("judgments/pairwise")}) == 7
    assert json.loads((small.results / "ratings.json").read_text("utf-8"))["mode"] == "mean_pin"


def test_comparison_that_is_switched_off_is_no_fault(small: MunRun, jatdae: Jatdae) -> None:
    off = small.changed(pairwise={"enabled": False})
    code, _, err = jatdae(off, "run")
    assert code == 0
    assert "switched off" in err
    assert off.rows("judgments/pairwise") == []
    assert len(off.server.requests) == 2 * CALLS + 2 * UNITS


def test_ratings_without_a_game_take_the_place_of_earlier_ones(run: MunRun, jatdae: Jatdae) -> None:
    assert json.loads((run.results / "elo.json").read_text("utf-8"))
    (run.results / "judgments" / "pairwise.jsonl").unlink()
    code, _, err = jatdae(run, "elo")
    assert code == 0
    assert "no ratings" in err
    assert json.loads((run.results / "elo.json").read_text("utf-8")) == {}
    assert json.loads((run.results / "ratings.json").read_text("utf-8"))["ratings"] == []
    assert run.rows("pairwise/comparisons") == []
    assert jatdae(run, "report", "--quiet")[0] == 0


def test_half_a_line_at_the_end_is_set_aside_told_and_made_again(run: MunRun, jatdae: Jatdae) -> None:
    """A crash inside a Korean character, and a run that goes on after it."""
    before = run.files()
    file = run.file_of("generations", SECOND)
    whole = file.read_bytes()
    cut = next(place for place in range(len(whole) - 1, 0, -1) if whole[place] & 0xC0 == 0x80)
    file.write_bytes(whole[:cut])

    code, _, err = jatdae(run, "generate", "--quiet")
    assert code == 0
    assert "1 of 51 lines are broken" in err
    assert run.server.requests == []
    assert (file.parent / f"{file.name}.bad").read_bytes().strip() == whole[:cut].rpartition(b"\n")[2]
    after = {name: data for name, data in run.files().items() if not name.endswith(".bad")}
    assert after == before
    assert jatdae(run, "generate", "--quiet")[::2] == (0, "")


def test_of_two_records_the_last_complete_one_counts_and_that_is_told(run: MunRun, jatdae: Jatdae) -> None:
    file = run.file_of("generations", SECOND)
    before = run.files()
    rows = run.rows("generations", SECOND)
    again = {**rows[0], "outputs": ["다시 쓴 글이다."] * len(rows[0]["outputs"])}
    failed = {**rows[1], "outputs": [], "status": "error", "error": "timeout: again"}
    with file.open("a", encoding="utf-8") as stream:
        stream.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in (again, failed))

    read = {generation_key(one): one.status for one in ResultsFolder(run.results).generations(SECOND)}
    assert set(read.values()) == {"ok"}, "a failure that is logged later does not undo an answer"
    code, _, err = jatdae(run, "generate", "--quiet")
    assert code == 0
    assert "2 repeated records" in err
    assert run.server.requests == []
    after = run.rows("generations", SECOND)
    assert len(after) == UNITS
    assert after[0]["outputs"] == again["outputs"]
    assert after[1] == rows[1]
    assert before.keys() == run.files().keys()


def test_a_line_with_a_wrong_field_is_told_and_never_guessed(run: MunRun, jatdae: Jatdae) -> None:
    file = run.file_of("generations", SECOND)
    lines = file.read_text("utf-8").splitlines()
    lines[2] = json.dumps({**json.loads(lines[2]), "track": "둘"}, ensure_ascii=False)
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    code, _, err = jatdae(run, "generate", "--quiet")
    assert code == 2
    assert "line 3, field 'track'" in err
    assert "delete the line" in err


def test_what_people_scored_survives_a_rerun_while_the_text_is_the_same(run: MunRun) -> None:
    scored = [7.5, {"score": 6.0, "n_raters": 2, "ratings": []}]
    file = run.file_of("generations", FIRST)
    rows = run.rows("generations", FIRST)
    for row, score in zip(rows, scored, strict=False):
        row["human_score"] = score
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    # One text is lost as well, so that the file is written anew.
    lines = file.read_text("utf-8").splitlines(keepends=True)
    file.write_text("".join(lines[:-1]), encoding="utf-8")

    assert run.stages() == ([], [])
    assert [row["human_score"] for row in run.rows("generations", FIRST)][:3] == [*scored, None]
    assert len(run.rows("generations", FIRST)) == UNITS
    assert run.changed(max_tokens=300).stages("generate") == ([], [])
    assert {row["human_score"] for row in run.rows("generations", FIRST)} == {None}, "other texts, other scores"


def test_texts_in_a_folder_take_part_without_being_asked(small: MunRun, jatdae: Jatdae) -> None:
    """Writers, or outputs made elsewhere: two of the items, by records that say no more than they have to."""
    (small.folder / "writers").mkdir(parents=True)
    lines = [
        {"item_id": "T2-01-01", "outputs": ["사람이 쓴 장면이다. 문이 닫혔다."]},
        {"item_id": "T3-01-01", "outputs": ["내일 뵙겠습니다."], "human_score": 8},
        {"item_id": "T9-01-01", "outputs": ["다른 자료의 글이다."]},
    ]
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    (small.folder / "writers" / "all.jsonl").write_text(text, encoding="utf-8")
    mixed = small.changed(models=[FIRST, "file:writers"], pairwise={"anchors": [FIRST]}, judges=list(JUDGES[:1]))

    code, _, err = jatdae(mixed, "run", "--quiet", "--skip-report")
    assert code == 1, err
    assert f"generate: {UNITS - 2} records are missing" in err
    own = mixed.rows("generations", "file:writers")
    placed = [(row["item_id"], row["track"], row["variant"], row["status"], row["human_score"]) for row in own]
    assert placed == [("T2-01-01", 2, None, "ok", None), ("T3-01-01", 3, "specified", "ok", 8)]
    assert [row["item_id"] for row in mixed.rows("judgments/rubric", "file:writers")] == ["T2-01-01", "T3-01-01"]
    assert {row["item_id"] for row in mixed.rows("judgments/pairwise")} == {"T2-01-01", "T3-01-01"}
    assert {body["model"] for body in mixed.server.requests} == {FIRST.removeprefix("openai:"), "판관-1"}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"item_id": "T2-01-01"}', "line 1, field 'outputs'"),
        ('{"item_id": "T9-01-01", "outputs": ["글"]}', "no line of"),
        ('{"outputs": ["글"]}', "line 1, field 'item'"),
        ('{"item_id": "T2-01-01", "outputs": "글"}', "line 1, field 'outputs'"),
    ],
)
def test_texts_in_a_folder_that_cannot_be_read_are_told(small: MunRun, jatdae: Jatdae, line: str, told: str) -> None:
    (small.folder / "writers").mkdir(parents=True)
    (small.folder / "writers" / "all.jsonl").write_text(line + "\n", encoding="utf-8")
    code, _, err = jatdae(small.changed(models=["file:writers"], pairwise={}), "generate", "--quiet")
    assert code == 2
    assert told in err


def test_a_second_process_is_turned_away(tmp_path: Path) -> None:
    """While one run holds the folder, another asks nothing; once that is gone, however it went, the next may."""
    with FaultyServer(reply, latency=0.2) as slow:
        run = MunRun(tmp_path, slow, {"models": [FIRST, SECOND], "judges": ["rule"]})
        words = [sys.executable, "-c", "from jatdae.cli import main; main()", "munbench", "generate", "--quiet"]
        words += ["--config", str(run.write())]
        first = subprocess.Popen(words)
        while not slow.requests:
            assert first.poll() is None
        second = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
        assert second.returncode == 1
        assert "in use by another run" in second.stderr
        first.kill()
        first.wait()
    with FaultyServer(reply) as quick:
        assert MunRun(tmp_path, quick, run.settings).stages("generate", tracks=[2]) == ([], [])


def _strings(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for entry in (*value, *value.values()) for text in _strings(entry)]
    if isinstance(value, list):
        return [text for entry in value for text in _strings(entry)]
    return [value] if isinstance(value, str) else []
