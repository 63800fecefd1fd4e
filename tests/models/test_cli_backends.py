"""The backends behind `claude` and `codex`, asked through real executables that behave like the two clients."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import stat
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from odd_texts import parts

from jatdae.errors import ModelError, RequestFailed, TransientFailure
from jatdae.models.base import ModelReference, RemoteBackend, parse_reference
from jatdae.models.cli import claude, codex, opening, process
from jatdae.models.cli.environment import plan_environment
from jatdae.models.cli.failures import failure_of, shown_end, stated_wait, without_echo
from jatdae.models.cli.opening import open_cli_backend, problems
from jatdae.models.cli.process import Finished
from jatdae.models.cli.prompts import question_of
from jatdae.models.options import RemoteOptions
from jatdae.runtime.traffic import Caller, Traffic
from jatdae.types import Completion, Generate, Message, Sampling, Score

SCRIPT = """#!{python} -IS
import json, os, subprocess, sys, time
here, name = os.path.split(os.path.abspath(__file__))
with open(os.path.join(here, name + ".plan"), encoding="utf-8") as file:
    plan = json.load(file)
words = sys.argv[1:]
if words == ["--version"]:
    print(plan["version"])
    sys.exit(0)
if words == plan["status"]:
    time.sleep(plan.get("status_seconds", 0))
    print(plan["status_text"])
    sys.exit(plan["status_code"])
calls = os.path.join(here, name + ".calls")
number = len(open(calls, encoding="utf-8").readlines()) if os.path.exists(calls) else 0
reply = plan["replies"][min(number, len(plan["replies"]) - 1)]
told = {{"argv": words, "cwd": os.getcwd(), "files": os.listdir("."), "environment": dict(os.environ)}}
if not reply.get("deaf"):
    told["stdin"] = sys.stdin.buffer.read().decode("utf-8")
with open(calls, "a", encoding="utf-8") as file:
    file.write(json.dumps(told) + "\\n")
if "family" in reply:
    command = "sleep 60 & echo $! > '%s'; wait" % reply["family"]
    child = subprocess.Popen(["sh", "-c", command])
    while not (os.path.exists(reply["family"]) and open(reply["family"]).read().strip()):
        time.sleep(0.01)
    with open(reply["family"], "a") as file:
        file.write("%d %d\\n" % (child.pid, os.getpid()))
if "answer" in reply:
    with open(words[words.index("--output-last-message") + 1], "w", encoding="utf-8") as file:
        file.write(reply["answer"])
sys.stdout.buffer.write((reply.get("stdout", "") * reply.get("times", 1)).encode())
sys.stdout.flush()
sys.stderr.write(reply.get("stderr", "") + (told["stdin"] + "\\n" if reply.get("echo") else ""))
sys.stderr.write(reply.get("last", ""))
sys.stderr.flush()
time.sleep(reply.get("seconds", 0))
sys.exit(reply.get("code", 0))
"""
LOGGED_IN = {
    "claude": {"status": ["auth", "status"], "status_text": '{"loggedIn": true}', "version": "2.1.111 (Claude Code)"},
    "codex": {"status": ["login", "status"], "status_text": "Logged in using ChatGPT", "version": "codex-cli 0.125.0"},
}
REFERENCES = {"claude": "claude-cli:claude-opus-4-6", "codex": "codex-cli:gpt-5"}


class FakeClient:
    """An executable on PATH that records what it is given and answers by a plan."""

    def __init__(self, folder: Path, name: str) -> None:
        self.name, self.path, self._folder = name, folder / name, folder
        self.path.write_text(SCRIPT.format(python=sys.executable), encoding="utf-8")
        self.path.chmod(self.path.stat().st_mode | stat.S_IXUSR)
        self.plan({"stdout": envelope("네.")} if name == "claude" else {"answer": "네."})

    def plan(self, *replies: dict[str, Any], **changes: Any) -> None:
        plan = {**LOGGED_IN[self.name], "status_code": 0, "replies": replies, **changes}
        (self._folder / f"{self.name}.plan").write_text(json.dumps(plan), encoding="utf-8")

    def answers(self, *texts: str) -> None:
        self.plan(*({"stdout": envelope(t)} if self.name == "claude" else {"answer": t} for t in texts))

    @property
    def calls(self) -> list[dict[str, Any]]:
        file = self._folder / f"{self.name}.calls"
        return [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file.exists() else []

    def open(self, reference: str = "", **options: Any) -> RemoteBackend:
        return open_cli_backend(parse_reference(reference or REFERENCES[self.name]), RemoteOptions(**options))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", os.pathsep.join([str(folder), "/usr/bin", "/bin"]))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex-home"))
    return folder


@pytest.fixture
def claude_client(folder: Path) -> FakeClient:
    return FakeClient(folder, "claude")


@pytest.fixture
def codex_client(folder: Path) -> FakeClient:
    return FakeClient(folder, "codex")


@pytest.fixture(params=["claude", "codex"])
def client(request: pytest.FixtureRequest, folder: Path) -> FakeClient:
    return FakeClient(folder, request.param)


def envelope(text: object, **changes: Any) -> str:
    told = {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "result": text,
        "stop_reason": "end_turn",
        "total_cost_usd": 0.0125,
        "usage": {
            "input_tokens": 3,
            "cache_creation_input_tokens": 20,
            "cache_read_input_tokens": 100,
            "output_tokens": 7,
        },
        "modelUsage": {"small-model": {"outputTokens": 1}, "claude-opus-4-6-20260101": {"outputTokens": 7}},
    }
    return json.dumps({**told, **changes})


def ask(backend: RemoteBackend, request: Generate | str) -> Completion:
    return asyncio.run(backend.ask(Generate(request) if isinstance(request, str) else request))


def failure(backend: RemoteBackend, request: str = "안녕") -> RequestFailed:
    with pytest.raises(RequestFailed) as caught:
        ask(backend, request)
    return caught.value


def is_running(pid: int) -> bool:
    """Whether a process lives; one that waits for its parent to notice its death does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return True


def assert_all_ended(family: Path) -> None:
    pids = [int(word) for word in family.read_text().split()]
    assert len(pids) == 3
    deadline = time.monotonic() + 5
    while any(map(is_running, pids)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not [pid for pid in pids if is_running(pid)]


# --- what reaches the client ---


def test_claude_is_given_the_documented_words_and_the_prompt_on_its_input(claude_client: FakeClient):
    # given a client that is logged in, and an effort
    backend = claude_client.open("claude-cli:opus@high")
    # when one prompt with a system text is asked
    prompt = (Message("system", "너는 배우다."), Message("user", "  안녕, 'x' \"y\" $HOME 👋\n"))
    answer = ask(backend, Generate(prompt))
    # then the call is exactly this, and the user's text came through unchanged
    (call,) = claude_client.calls
    words = ["-p", "--output-format", "json", "--model", "opus", "--tools", "", "--system-prompt", "너는 배우다."]
    words += ["--setting-sources", "", "--strict-mcp-config", "--disable-slash-commands", "--no-session-persistence"]
    assert call["argv"] == [*words, "--effort", "high"]
    assert call["stdin"] == "  안녕, 'x' \"y\" $HOME 👋\n"
    # and the envelope became a completion
    assert answer.text == "네." and answer.finish == "stop" and answer.cost_usd == 0.0125
    assert (answer.prompt_tokens, answer.completion_tokens) == (123, 7)
    assert answer.served_by == "claude-opus-4-6-20260101"
    assert answer.seconds > 0


def test_claude_without_a_system_text_is_given_an_empty_one_instead_of_its_own(claude_client: FakeClient):
    ask(claude_client.open(), "안녕")
    words = claude_client.calls[0]["argv"]
    assert words[words.index("--system-prompt") + 1] == ""
    assert "--effort" not in words


def test_codex_is_given_the_documented_words_and_the_prompt_on_its_input(codex_client: FakeClient):
    # given
    codex_client.answers("네, 그래요.\n")
    backend = codex_client.open("codex-cli:gpt-5@low")
    # when
    answer = ask(backend, Generate((Message("system", "너는 배우다."), Message("user", "안녕"))))
    # then
    (call,) = codex_client.calls
    file = call["argv"][-2]
    words = ["exec", "--model", "gpt-5", "--sandbox", "read-only", "--skip-git-repo-check", "--ephemeral"]
    words += ["--ignore-user-config", "--ignore-rules", "-c", "features.shell_tool=false", "-c", "web_search=disabled"]
    assert call["argv"] == [*words, "-c", "model_reasoning_effort=low", "--output-last-message", file, "-"]
    assert call["stdin"] == "너는 배우다.\n\n안녕"
    assert Path(file).parent != Path(call["cwd"])
    assert answer.text == "네, 그래요.\n" and answer.cost_usd is None


def test_each_call_runs_in_a_fresh_empty_folder_elsewhere_that_is_gone_afterwards(client: FakeClient, tmp_path: Path):
    backend = client.open()
    for _ in range(2):
        ask(backend, "안녕")
    first, second = client.calls
    assert first["files"] == second["files"] == []
    assert first["cwd"] != second["cwd"]
    for call in (first, second):
        assert not Path(call["cwd"]).parent.exists()
        assert Path(call["cwd"]).parent.parent == Path(tempfile.gettempdir()).resolve()
        assert not Path(call["cwd"]).is_relative_to(Path.cwd()) and not Path(call["cwd"]).is_relative_to(tmp_path)


def test_no_key_reaches_the_client_and_the_login_of_a_plan_does(client: FakeClient, monkeypatch: pytest.MonkeyPatch):
    # given keys of many vendors, and what would lead the client to another server
    gone = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY", "CODEX_API_KEY", "OPENROUTER_API_KEY"]
    gone += ["GEMINI_API_KEY", "HF_TOKEN", "AWS_SECRET_ACCESS_KEY", "DB_PASSWORD", "lower_api_key"]
    gone += ["ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "CLAUDE_CODE_USE_BEDROCK", "CLAUDECODE"]
    kept = {"claude": "CLAUDE_CODE_OAUTH_TOKEN", "codex": "CODEX_ACCESS_TOKEN"}
    for name in [*gone, *kept.values(), "HTTPS_PROXY", "TOKENIZERS_PARALLELISM", "KEYRING_BACKEND"]:
        monkeypatch.setenv(name, "something-secret")
    # when
    ask(client.open(), "안녕")
    # then
    environment = client.calls[0]["environment"]
    assert not set(gone) & set(environment)
    assert {*environment} & {*kept.values()} == {kept[client.name]}
    assert {"HTTPS_PROXY", "TOKENIZERS_PARALLELISM", "KEYRING_BACKEND", "PATH"} <= set(environment)


def test_the_preflight_runs_without_keys_as_well():
    clean = plan_environment({"OPENAI_API_KEY": "x", "HOME": "/h"}, codex.CLIENT.kept, {})
    assert clean == {"HOME": "/h"}


def test_the_prompt_is_never_among_the_words_of_the_command(client: FakeClient):
    marker = "유일한-표식-9173"
    messages = (Message("user", marker), Message("assistant", marker + "답"), Message("user", "또 " + marker))
    backend = client.open()
    ask(backend, marker)
    ask(backend, Generate(messages, schema=json.dumps({"title": marker})))
    assert all(marker in call["stdin"] for call in client.calls)
    assert not [word for call in client.calls for word in call["argv"] if marker in word]


HISTORY = """아래는 지금까지 나눈 대화의 기록입니다.

[사용자]
나 왔어.

[어시스턴트]
왜 이제 와?
한참 기다렸잖아.

[사용자]
미안해.

위 대화에 이어질 어시스턴트의 다음 말 하나만 쓰세요. 이름표나 설명을 붙이지 말고, 사용자의 말을 대신 쓰지 마세요."""


def test_a_history_becomes_one_labelled_log_with_the_system_text_in_its_own_place(client: FakeClient):
    # given a role-play in its second round
    system, said = "연인 역할을 한다.", "왜 이제 와?\n한참 기다렸잖아."
    turns = (Message("user", "나 왔어."), Message("assistant", said), Message("user", "미안해."))
    request = Generate((Message("system", system), *turns))
    backend = client.open()
    # when
    ask(backend, request)
    # then
    (call,) = client.calls
    assert call["stdin"] == (HISTORY if client.name == "claude" else f"{system}\n\n{HISTORY}")
    assert (system in call["argv"]) == (client.name == "claude")
    # and the preview is what was typed
    assert [sent.text for sent in backend.preview(request)] == [call["stdin"]]


def test_a_schema_is_appended_as_an_instruction(client: FakeClient):
    ask(client.open(), Generate("채점하세요.", schema='{"type":"object"}'))
    told = "아래 JSON 스키마에 맞는 JSON 하나만 출력하세요. 코드 블록이나 다른 말을 덧붙이지 마세요."
    assert client.calls[0]["stdin"] == f'채점하세요.\n\n{told}\n{{"type":"object"}}'


def test_texts_that_no_command_can_carry_are_sent_with_a_replacement(client: FakeClient):
    prompt = (Message("system", "가\0나\ud83d"), Message("user", "다\udc80라"))
    ask(client.open(), Generate(prompt))
    assert client.calls[0]["stdin"].endswith("다\ufffd라")
    if client.name == "claude":
        assert "가\ufffd나\ufffd" in client.calls[0]["argv"]


@given(st.lists(parts, max_size=40).map("".join))
def test_a_single_user_message_is_sent_unchanged(text: str):
    assert question_of(Generate(text)).prompt == text
    assert question_of(Generate((Message("user", text),))).prompt == text


# --- what comes back ---


def test_korean_emoji_and_escapes_come_back_as_they_were_written(client: FakeClient):
    text = "값이 👨‍👩‍👧 그렇다\u0301…\n\t둘째 줄 😀"
    client.answers(text)
    assert ask(client.open(), "안녕").text == text


def test_a_lone_half_of_an_escaped_pair_in_the_envelope_does_not_crash(claude_client: FakeClient):
    claude_client.plan({"stdout": '{"is_error": false, "result": "\\ud83d\\ude00 \\udc80"}'})
    answer = ask(claude_client.open(), "안녕")
    assert answer.text == "😀 \udc80" and answer.cost_usd is None and answer.completion_tokens == 0


def test_a_megabyte_comes_back_whole(client: FakeClient):
    text = "한" * 350_000
    client.answers(text)
    assert ask(client.open(), "안녕").text == text


def test_a_verbose_client_writes_a_list_that_ends_with_the_envelope(claude_client: FakeClient):
    claude_client.plan({"stdout": f'[{{"type": "system"}}, {envelope("답")}]'})
    assert ask(claude_client.open(), "안녕").text == "답"


@pytest.mark.parametrize(("reason", "finish"), [("max_tokens", "length"), ("refusal", "filter"), (None, "stop")])
def test_the_reason_to_stop_is_read_from_the_envelope(claude_client: FakeClient, reason: str | None, finish: str):
    claude_client.plan({"stdout": envelope("답", stop_reason=reason)})
    assert ask(claude_client.open(), "안녕").finish == finish


def test_a_stop_string_ends_the_text_although_the_client_knows_none(client: FakeClient):
    client.answers("하나\n둘\n셋")
    request = Generate("세어 봐", Sampling(stop=("셋", "\n둘")))
    assert ask(client.open(), request).text == "하나"


def test_an_answer_that_speaks_of_limits_and_logins_is_an_answer(client: FakeClient):
    text = "서버가 401 Unauthorized, not logged in, rate limit reached 라고 답했다."
    client.answers(text)
    assert ask(client.open(), "안녕").text == text


# --- what fails ---


@pytest.mark.parametrize(
    "output",
    [
        "",
        "답입니다",
        "{",
        "[]",
        "null",
        "3",
        "[" * 100_000,
        '{"result": 3}',
        '{"is_error": false}',
        envelope(None),
        envelope(["답"]),
    ],
)
def test_an_envelope_that_is_none_is_a_broken_answer(claude_client: FakeClient, output: str):
    claude_client.plan({"stdout": output})
    caught = failure(claude_client.open())
    assert isinstance(caught, TransientFailure) and caught.kind == "malformed"


@pytest.mark.parametrize("answer", [{}, {"answer": ""}, {"answer": " \n"}])
def test_an_empty_file_for_the_answer_is_a_broken_answer(codex_client: FakeClient, answer: dict[str, str]):
    codex_client.plan(answer)
    caught = failure(codex_client.open())
    assert isinstance(caught, TransientFailure) and caught.kind == "malformed"


def test_output_without_end_is_cut_off(client: FakeClient):
    client.plan(
        {"stdout": "가" * 100_000, "times": 40, "seconds": 30, "answer": "x"}
        if client.name == "codex"
        else {"stdout": "가" * 100_000, "times": 40, "seconds": 30}
    )
    started = time.monotonic()
    caught = failure(client.open())
    assert isinstance(caught, TransientFailure) and caught.kind == "malformed"
    assert time.monotonic() - started < 20


def test_an_answer_file_beyond_the_limit_is_a_broken_answer(codex_client: FakeClient, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(codex, "OUTPUT_BYTES", 10)
    codex_client.answers("가나다라")
    assert failure(codex_client.open()).kind == "malformed"


def test_an_error_in_the_envelope_is_a_failure_that_tells_what_the_client_said(claude_client: FakeClient):
    claude_client.plan({"stdout": envelope("API Error: 529 overloaded", is_error=True), "code": 1})
    caught = failure(claude_client.open())
    assert isinstance(caught, TransientFailure) and caught.kind == "client"
    assert "529 overloaded" in str(caught)


@pytest.mark.parametrize("code", [1, 2, 137])
def test_another_exit_code_may_pass_and_keeps_the_end_of_the_error_output(client: FakeClient, code: int):
    client.plan({"code": code, "stderr": "머리말 " * 5000 + "\nTypeError: x is undefined\n", "answer": "x"})
    if client.name == "claude":
        client.plan({"code": code, "stderr": "머리말 " * 5000 + "\nTypeError: x is undefined\n"})
    caught = failure(client.open())
    assert isinstance(caught, TransientFailure) and caught.kind == "client"
    assert f"exit code {code}" in str(caught) and str(caught).endswith("TypeError: x is undefined")
    assert len(str(caught)) < 400 and "\n" not in str(caught)


def test_a_secret_in_the_error_output_does_not_reach_the_message(client: FakeClient):
    secrets = ["sk-" + "a1" * 12, "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "hunter2hunter2"]
    said = f"crashed with {secrets[0]} and Bearer {secrets[1]} and API_KEY={secrets[2]} you've lost"
    client.plan({"code": 1, "stderr": said})
    message = str(failure(client.open()))
    assert not [secret for secret in secrets if secret in message]
    assert message.endswith("you've lost")


def test_a_login_that_expires_at_the_third_call_is_told_with_the_command_that_mends_it(client: FakeClient):
    # given a client whose login ends
    good = {"stdout": envelope("네.")} if client.name == "claude" else {"answer": "네."}
    expired = {
        "claude": {"stdout": envelope("Invalid API key · Please run /login", is_error=True), "code": 1},
        "codex": {"stderr": "ERROR: unexpected status 401 Unauthorized: Missing bearer", "code": 1},
    }
    client.plan(good, good, expired[client.name])
    backend = client.open()
    # when it is asked three times
    ask(backend, "하나")
    ask(backend, "둘")
    caught = failure(backend)
    # then the third fails for good
    assert not isinstance(caught, TransientFailure) and caught.kind == "login"
    assert {"claude": "claude auth login", "codex": "codex login"}[client.name] in str(caught)


@pytest.mark.parametrize(
    "words", ["Not logged in · Please run /login", "Your session has expired", "API Error: 401 {}"]
)
def test_words_about_a_login_are_known(words: str):
    caught = failure_of("claude", "claude auth login", "ended", words, kind="client")
    assert caught.kind == "login" and not isinstance(caught, TransientFailure)


def test_a_message_of_the_client_in_the_place_of_an_answer_is_no_answer(claude_client: FakeClient):
    claude_client.plan({"stdout": envelope("Not logged in · Please run /login", usage={"output_tokens": 0})})
    assert failure(claude_client.open()).kind == "login"


LIMITS = [
    ("You've hit your usage limit. Visit the settings page or try again in 1 hour 5 minutes.", 3900.0),
    ("You've hit your usage limit ... or try again in 3 days 6 hours 57 minutes.", 3 * 86400 + 6 * 3600 + 57 * 60.0),
    ("API Error: 429 Too Many Requests, retry-after: 30", 30.0),
    ("Rate limit reached. Please try again in 1.5s", 1.5),
    ("rate limit: try again in 750ms.", 0.75),
    ('{"type":"usage_limit_reached","resets_in_seconds":444287}', 444287.0),
    ("You've hit your limit · resets 3pm (Asia/Seoul)", None),
    ("Claude AI usage limit reached|1000000000", 0.0),
    ("Weekly limit reached", None),
]


@pytest.mark.parametrize(("words", "wait"), LIMITS)
def test_a_limit_of_the_plan_passes_and_says_when_where_it_is_stated(
    client: FakeClient, words: str, wait: float | None
):
    reply = {"stdout": envelope(words, is_error=True)} if client.name == "claude" else {"stderr": f"ERROR: {words}\n"}
    client.plan({**reply, "code": 1})
    caught = failure(client.open())
    assert isinstance(caught, TransientFailure) and caught.kind == "rate limit"
    assert caught.retry_after == (pytest.approx(wait) if wait is not None else None)


def test_a_time_of_reset_is_counted_from_now():
    assert stated_wait(f"usage limit reached|{int(time.time()) + 100}") == pytest.approx(100, abs=2)


def test_a_full_context_is_no_limit_of_the_plan():
    assert failure_of("claude", "x", "ended", "Context limit reached", kind="client").kind == "client"


def test_a_prompt_that_is_repeated_in_the_error_output_does_not_decide_what_failed(codex_client: FakeClient):
    # given a client that repeats the prompt, and a prompt that speaks of logins
    prompt = "비밀 채점 기준: 401 Unauthorized, not logged in, usage limit"
    codex_client.plan({"stderr": "--------\nuser\n", "echo": True, "last": "thread panicked\n", "code": 101})
    # when
    caught = failure(codex_client.open(), prompt)
    # then
    assert caught.kind == "client"
    assert "thread panicked" in str(caught) and "비밀" not in str(caught)


def test_a_short_prompt_does_not_eat_letters_of_the_error_output():
    assert without_echo("user\na\nrate limit", "a") == "user\nrate limit"


def test_a_client_that_vanishes_is_told_with_the_command_that_mends_it(client: FakeClient):
    backend = client.open()
    client.path.unlink()
    caught = failure(backend)
    assert not isinstance(caught, TransientFailure) and caught.kind == "client"
    assert "npm install -g" in str(caught)


def test_a_system_text_beyond_the_command_line_is_refused(claude_client: FakeClient):
    prompt = (Message("system", "가" * 1_000_000), Message("user", "안녕"))
    with pytest.raises(RequestFailed) as caught:
        ask(claude_client.open(), Generate(prompt))
    assert caught.value.kind == "overlong" and not isinstance(caught.value, TransientFailure)


# --- time, and what is left behind ---


def test_a_client_that_hangs_is_ended_with_its_children_and_grandchildren(client: FakeClient, tmp_path: Path):
    family = tmp_path / "family"
    client.plan({"family": str(family), "seconds": 60, "stderr": "Reconnecting... 1/5\n"})
    started = time.monotonic()
    caught = failure(client.open(timeout_seconds=1.0))
    assert isinstance(caught, TransientFailure) and caught.kind == "timeout"
    assert "within 1 seconds" in str(caught) and "Reconnecting" in str(caught)
    assert time.monotonic() - started < 10
    assert_all_ended(family)
    assert not Path(client.calls[0]["cwd"]).exists()


def test_a_call_that_is_cancelled_ends_the_client_with_its_children_and_grandchildren(
    client: FakeClient, tmp_path: Path
):
    family = tmp_path / "family"
    client.plan({"family": str(family), "seconds": 60})
    backend = client.open()

    async def cancelled() -> None:
        task = asyncio.create_task(backend.ask(Generate("안녕")))
        while not (family.exists() and len(family.read_text().split()) == 3):
            await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert_all_ended(family)
    assert not Path(client.calls[0]["cwd"]).exists()


def test_a_child_that_outlives_a_good_answer_neither_delays_it_nor_stays(client: FakeClient, tmp_path: Path):
    family = tmp_path / "family"
    good = {"stdout": envelope("네.")} if client.name == "claude" else {"answer": "네."}
    client.plan({**good, "family": str(family)})
    started = time.monotonic()
    assert ask(client.open(), "안녕").text == "네."
    assert time.monotonic() - started < 10
    assert_all_ended(family)


def test_a_client_that_does_not_read_a_long_prompt_is_no_deadlock(client: FakeClient):
    good = {"stdout": envelope("네.")} if client.name == "claude" else {"answer": "네."}
    client.plan({**good, "deaf": True})
    assert ask(client.open(), "긴 글 " * 300_000).text == "네."


def test_calls_run_at_once(client: FakeClient):
    good = {"stdout": envelope("네.")} if client.name == "claude" else {"answer": "네."}
    client.plan({**good, "seconds": 1.0})
    backend = client.open()

    async def both() -> float:
        started = time.monotonic()
        await asyncio.gather(backend.ask(Generate("하나")), backend.ask(Generate("둘")))
        return time.monotonic() - started

    assert asyncio.run(both()) < 1.9


# --- opening ---


def test_opening_reads_version_and_facts_and_spends_no_call(client: FakeClient):
    backend = client.open(cli_concurrency=3)
    version = {"claude": "2.1.111", "codex": "0.125.0"}[client.name]
    assert backend.identity.facts["client_version"] == version == backend.settings["client_version"]
    assert backend.identity.facts["backend"] == f"{client.name}-cli"
    assert backend.capabilities.chat and not backend.capabilities.log_likelihoods
    assert backend.concurrency == 3 and backend.random_like(1) is None
    assert backend.worst_cost(Generate("안녕")) == 0
    assert len(backend.notes) == 2 and "cannot be set" in backend.notes[0] and "not comparable" in backend.notes[1]
    asyncio.run(backend.close())
    assert client.calls == []


def test_another_effort_or_version_is_another_model(claude_client: FakeClient):
    keys = {claude_client.open(f"claude-cli:opus{effort}").identity.key for effort in ("", "@low", "@high")}
    claude_client.plan({}, version="2.1.112 (Claude Code)")
    assert len(keys | {claude_client.open("claude-cli:opus").identity.key}) == 4


def test_a_score_cannot_be_previewed(client: FakeClient):
    with pytest.raises(RequestFailed) as caught:
        client.open().preview(Score("가", (" 나",)))
    assert caught.value.kind == "unsupported"


def test_a_client_that_is_not_installed_is_told_with_both_commands(folder: Path):
    reference = parse_reference("claude-cli:opus@none")
    found = problems(reference)
    assert len(found) == 2
    assert "npm install -g @anthropic-ai/claude-code" in found[0] and "claude auth login" in found[0]
    assert "'none'" in found[1] and "low, medium, high, xhigh, max" in found[1]
    with pytest.raises(ModelError) as caught:
        open_cli_backend(reference, RemoteOptions())
    assert all(problem in str(caught.value) for problem in found)


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("claude", '{"loggedIn": false}', 1),
        ("claude", '{"loggedIn": false}', 0),
        ("claude", "gibberish", 1),
        ("codex", "Not logged in", 1),
        ("codex", "Not logged in", 0),
        ("codex", "Logged in using an API key - sk-***", 0),
    ],
)
def test_a_client_without_a_plans_login_is_not_opened(folder: Path, name: str, text: str, code: int):
    client = FakeClient(folder, name)
    client.plan({"answer": "x"}, status_text=text, status_code=code)
    with pytest.raises(ModelError) as caught:
        client.open()
    assert {"claude": "claude auth login", "codex": "codex login"}[name] in str(caught.value)
    assert client.calls == []


def test_a_status_that_hangs_is_a_problem_after_a_short_time(client: FakeClient, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(opening, "STATUS_SECONDS", 0.5)
    client.plan({}, status_seconds=60)
    started = time.monotonic()
    (problem,) = problems(parse_reference(REFERENCES[client.name]))
    assert "no answer within 0.5 seconds" in problem and "npm install" in problem
    assert time.monotonic() - started < 10


def test_a_file_that_cannot_be_run_is_a_problem(client: FakeClient):
    client.path.write_text("#!/no/such/interpreter\n", encoding="utf-8")
    (problem,) = problems(ModelReference(f"{client.name}-cli", "m"))
    assert "cannot be started" in problem and "npm install" in problem


def test_a_client_without_a_version_is_not_opened(client: FakeClient):
    client.plan({}, version="unknown")
    with pytest.raises(ModelError, match="--version"):
        client.open()


def test_codexs_own_instructions_file_is_noted(codex_client: FakeClient, tmp_path: Path):
    home = tmp_path / "codex-home"
    home.mkdir()
    (home / "AGENTS.md").write_text("늘 반말로 답해.", encoding="utf-8")
    assert "AGENTS.md" in codex_client.open().notes[-1]


# --- with the runtime, and with anything ---


def test_the_runtimes_retries_reach_the_answer(client: FakeClient):
    good = {"stdout": envelope("네.")} if client.name == "claude" else {"answer": "네."}
    client.plan({"code": 1}, {"code": 1, "stderr": "429 Too Many Requests, retry-after: 0"}, good)
    backend = client.open(backoff_seconds=0.0)

    async def asked() -> Completion:
        return await Caller(backend, Traffic()).ask(Generate("안녕"), lambda: False)

    assert asyncio.run(asked()).text == "네."
    assert len(client.calls) == 3


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
FIELDS = ("is_error", "result", "usage", "total_cost_usd", "modelUsage", "stop_reason")


@settings(max_examples=200)
@given(st.fixed_dictionaries({}, optional=dict.fromkeys(FIELDS, json_values)), st.sampled_from([0, 1, -9, None]))
def test_whatever_the_envelope_holds_it_is_an_answer_or_a_failure(fields: dict[str, Any], code: int | None):
    finished = Finished(code, json.dumps(fields), "")
    try:
        answer = claude.CLIENT.read(finished, Path(), "안녕")
    except RequestFailed as error:
        assert "\n" not in str(error)
    else:
        assert code == 0 and answer.text == fields["result"] and answer.finish in ("stop", "length", "filter")
        assert answer.cost_usd is None or 0 <= answer.cost_usd < float("inf")
        assert answer.prompt_tokens >= 0 and answer.completion_tokens >= 0


@settings(max_examples=200)
@given(st.lists(st.sampled_from(["try again in ", "1", "h ", "and ", "429", "token ", "key: ", "\n", "|", "가", " "])))
def test_whatever_a_client_says_its_failure_is_one_short_line(words: list[str]):
    caught = failure_of("codex", "codex login", "ended", "".join(words), kind="client")
    assert "\n" not in str(caught) and len(str(caught)) < 500


def test_long_words_are_read_in_no_time():
    hostile = ["a" * 200_000, "retry after " + "1 " * 100_000, "eyJ" + "a." * 100_000, "key: " * 40_000, "1" * 200_000]
    started = time.monotonic()
    for text in hostile:
        failure_of("codex", "codex login", "ended", text, kind="client")
        shown_end(text[-process.TAIL_BYTES :])
    assert time.monotonic() - started < 2
