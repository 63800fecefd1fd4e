"""The MunBench pipeline against a server that fails: nothing is invented, nothing answered is asked again."""

from __future__ import annotations

import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from faulty_server import FAULTS, Fault, FaultyServer, Raw
from judge_replies import reply
from mun_runs import FIRST, ROLE_PLAYS, SECOND, MunRun, by_sample, forget, made_equal

from jatdae.cli import run_app

SETTINGS = {"models": [FIRST, SECOND], "judges": ["openai:판관-1", "rule"], "rubric_iterations": 1, "concurrency": 64}
SECONDS = 1.5
"""Until a server that hangs is given up: enough for a good answer on a busy machine."""
KINDS = ("generations", "judgments/rubric", "judgments/pairwise", "rubric", "pairwise/comparisons")
AT_ONCE = tuple(fault for fault in FAULTS if fault not in (Fault.HANG, Fault.DRIP))
ANSWERED = ("ok", "truncated", "empty", "refused", "forced")


@pytest.fixture(scope="module")
def calm(mun_server: FaultyServer, tmp_path_factory: pytest.TempPathFactory) -> MunRun:
    """The same run at a server without faults."""
    forget(mun_server)
    run = MunRun(tmp_path_factory.mktemp("calm"), mun_server, SETTINGS)
    assert run.stages() == ([], [])
    return run


def test_at_30_percent_faults_of_every_kind_the_records_are_those_of_a_faultless_run(
    calm: MunRun, tmp_path: Path
) -> None:
    with FaultyServer(reply, fault_rate=0.3, retry_after="0.02") as faulty:
        run = MunRun(tmp_path / "faulty", faulty, {**SETTINGS, "request_timeout_seconds": SECONDS})
        assert run.stages() == ([], [])
        assert set(faulty.injected) == set(FAULTS)
        assert faulty.injected.total() > 0.25 * len(faulty.requests)
        assert max(faulty.answered.values()) == 1
        assert faulty.answered.total() == len(calm.stored_bodies())
    for kind in KINDS:
        assert made_equal(run.rows(kind)) == made_equal(calm.rows(kind)), kind
    for name in ("ratings.json", "elo.json", "pairwise/schedule.json"):
        assert run.files()[name] == calm.files()[name]


def test_what_fails_for_good_is_missing_and_told_and_no_record_is_invented(calm: MunRun, tmp_path: Path) -> None:
    """With one attempt only, nearly a third of all calls fails; the next run, which tries again, has all."""
    with FaultyServer(reply, fault_rate=0.3, faults=AT_ONCE, retry_after="0") as faulty:
        run = MunRun(tmp_path / "faulty", faulty, {**SETTINGS, "max_retries": 0})
        faults, _ = run.stages("generate", "rubric")
        expected, found = by_sample(calm.rows("generations")), by_sample(run.rows("generations"))
        assert set(found) == set(expected)
        missing = {key for key, row in found.items() if row["status"] in ("error", "partial")}
        assert f"generate: {len(missing)} records" in faults[0]
        assert 0 < len(missing) < len(found)
        for key, row in found.items():
            if key in missing:
                kept = expected[key]["outputs"][: len(row["outputs"])]
                assert row["outputs"] == kept, "finished turns are kept"
                assert len(row["outputs"]) < len(expected[key]["outputs"])
                assert row["error"]
            else:
                assert made_equal([row]) == made_equal([expected[key]])
        _check_scores(run, missing, faults[1])

        assert run.changed(max_retries=3).stages() == ([], [])
        assert max(faulty.answered.values()) == 1
        assert faulty.answered.total() == len(calm.stored_bodies())
    for kind in KINDS:
        assert made_equal(run.rows(kind)) == made_equal(calm.rows(kind)), kind


def _check_scores(run: MunRun, missing: set[Any], told: str) -> None:
    """Texts that are missing were not judged, and a judge who did not answer gave no score."""
    scores = run.rows("judgments/rubric")
    assert not {(row["model"], row["item_id"], row["variant"], row["index"]) for row in scores} & missing
    failed = [row for row in scores if row["status"] not in ANSWERED]
    assert failed
    assert told.startswith(f"rubric: {len(failed)} records")
    assert all(row["scores"] == {} and row["weighted"] is None and row["error"] for row in failed)


class _Expiring:
    """Replies well to so many calls; then the key is no longer taken, until it is renewed."""

    def __init__(self, calls: int) -> None:
        self.left, self._lock = calls, threading.Lock()

    def __call__(self, body: dict[str, Any]) -> str | Raw:
        with self._lock:
            self.left -= 1
            good = self.left >= 0
        return reply(body) if good else Raw({"error": {"message": "invalid api key", "code": "expired"}}, 401)


@pytest.mark.parametrize(("calls", "stage"), [(100, "generations"), (190, "judgments/rubric")])
def test_a_login_that_expires_on_the_way_keeps_all_and_the_next_run_goes_on(
    calm: MunRun, tmp_path: Path, capsys: pytest.CaptureFixture[str], calls: int, stage: str
) -> None:
    login = _Expiring(calls)
    with FaultyServer(login) as server:
        run = MunRun(tmp_path / "expiring", server, {**SETTINGS, "concurrency": 8})
        words = ["munbench", "run", "--quiet", "--config", str(run.write())]
        assert run_app(words) == (4 if stage == "generations" else 1)
        told = capsys.readouterr().err
        assert "missing; the same command asks for them again" in told
        assert server.answered.total() == calls
        # Five refusals in a row end a model's questions, beside those that are under way: at most four models ask.
        assert len(server.requests) - calls <= 3 * (5 + 8)
        lacking = [row for row in run.rows(stage) if row["error"]]
        assert {row["error"].partition(":")[0] for row in lacking} == {"login", "aborted"}

        login.left = 10**9
        assert run_app(words) == 0
        assert max(server.answered.values()) == 1
        assert server.answered.total() == len(calm.stored_bodies())
    for kind in KINDS:
        assert made_equal(run.rows(kind)) == made_equal(calm.rows(kind)), kind


def test_a_role_play_that_breaks_at_its_third_call_goes_on_there(calm: MunRun, tmp_path: Path) -> None:
    broken = [True]

    def third_fails(body: dict[str, Any]) -> str | Raw:
        said = [message["role"] for message in body["messages"]]
        if broken[0] and said == ["system", "user", "assistant", "user", "assistant", "user"]:
            return Raw({"error": {"message": "a fault of ours"}}, 500)
        return reply(body)

    with FaultyServer(third_fails) as server:
        run = MunRun(tmp_path / "broken", server, {**SETTINGS, "models": [FIRST], "pairwise": {}, "max_retries": 1})
        faults, _ = run.stages("generate", tracks=[1])
        assert faults == [f"generate: {ROLE_PLAYS} records are missing; the same command asks for them again"]
        rows = run.rows("generations")
        assert {(row["status"], len(row["outputs"]), row["error"].partition(":")[0]) for row in rows} == {
            ("partial", 2, "server")
        }
        assert Counter(len(body["messages"]) for body in server.requests) == {2: 10, 4: 10, 6: 20}

        broken[0] = False
        server.requests.clear()
        assert run.stages("generate", tracks=[1]) == ([], [])
        assert Counter(len(body["messages"]) for body in server.requests) == {6: 10, 8: 10}
        assert max(server.answered.values()) == 1
    first = [row for row in calm.rows("generations", FIRST) if row["track"] == 1]
    assert made_equal(run.rows("generations")) == made_equal(first)


def test_replies_that_no_judge_should_give_are_recorded_and_never_scored(tmp_path: Path) -> None:
    """Half of the judges' replies are prose: each is asked for again within bounds; what stays unread has no score."""

    def chatty(body: dict[str, Any]) -> str:
        good = reply(body)
        return "좋은 글입니다. 9점을 드립니다." if body.get("response_format") and len(good) % 2 else good

    with FaultyServer(chatty) as server:
        run = MunRun(tmp_path, server, {**SETTINGS, "judges": ["openai:판관-1"], "parse_retries": 1})
        faults, _ = run.stages("generate", "rubric")
        rows = run.rows("judgments/rubric")
        unread = [row for row in rows if row["status"] == "unparsed"]
        assert 0 < len(unread) < len(rows)
        assert faults == [f"rubric: {len(unread)} records are missing; the same command asks for them again"]
        assert all(row["scores"] == {} and row["weighted"] is None and len(row["raw"]) == 2 for row in unread)
        derived = {(row["model"], row["item_id"], row["variant"]): row for row in run.rows("rubric")}
        assert all(derived[row["model"], row["item_id"], row["variant"]]["final_mean"] is None for row in unread)
        asked = len(server.requests)
        run.stages("generate", "rubric")
        assert len(server.requests) == asked, "what was answered badly is in the store as well"
