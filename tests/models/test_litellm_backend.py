"""`litellm:` against a real server on loopback: what is sent, read and paid, and what each fault becomes."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest
from faulty_server import Fault, FaultyServer, Raw, body_key, chat_completion, echo

if find_spec("litellm") is None:  # importing it here would fetch its prices over the network
    pytest.skip("litellm is not installed", allow_module_level=True)

from jatdae.errors import ModelError, RequestFailed, TransientFailure
from jatdae.models.api import missing_keys, problems
from jatdae.models.base import RemoteBackend, parse_reference
from jatdae.models.opening import open_backend, preflight
from jatdae.models.options import ModelOptions, RemoteOptions
from jatdae.runtime import Dispatcher
from jatdae.store import Store
from jatdae.types import Completion, Generate, Message, Sampling, Score

KEY = "sk-test-0123456789abcdef0123"
PRICED, UNPRICED = "litellm:openai/gpt-4o-mini", "litellm:openai/jatdae-local"
SCHEMA = '{"additionalProperties":false,"properties":{"점수":{"type":"number"}},"required":["점수"],"type":"object"}'


@pytest.fixture(autouse=True)
def _environment(monkeypatch):
    for name in os.environ:
        if name.upper().endswith(("_PROXY", "_API_KEY", "_BASE_URL", "_API_BASE")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def _open(base_url: str | None, model: str = UNPRICED, **options: float) -> RemoteBackend:
    remote = RemoteOptions(base_url=base_url, **{"timeout_seconds": 5.0, **options})  # type: ignore[arg-type]
    return open_backend(parse_reference(model), ModelOptions(remote=remote))  # type: ignore[return-value]


def _ask(backend: RemoteBackend, *requests: Generate) -> list[Completion]:
    async def work() -> list[Completion]:
        try:
            return [await backend.ask(request) for request in requests]
        finally:
            await backend.close()

    return asyncio.run(work())


def _answer(planned: Fault | Raw, model: str = UNPRICED, **options: float) -> Completion:
    with FaultyServer(script=[planned]) as server:
        answer = _ask(_open(server.base_url, model, **options), Generate("안녕?"))[0]
    assert len(server.requests) == 1
    return answer


def _sent(model: str, request: Generate, script: Sequence[Raw] = ()) -> tuple[dict, RemoteBackend]:
    with FaultyServer(script=script) as server:
        backend = _open(server.base_url, model)
        _ask(backend, request)
    return server.requests[-1], backend


# What is sent


def test_all_of_a_request_is_sent():
    messages = (Message("system", "짧게."), Message("user", "하늘은?"))
    sampling = Sampling(max_tokens=77, temperature=0.5, top_p=0.9, stop=("끝",), seed=5)

    body, backend = _sent(UNPRICED, Generate(messages, sampling, schema=SCHEMA))

    assert body["model"] == "jatdae-local"
    assert body["messages"] == [{"role": message.role, "content": message.content} for message in messages]
    sent = {name: body[name] for name in ("max_tokens", "temperature", "top_p", "stop", "seed")}
    assert sent == {"max_tokens": 77, "temperature": 0.5, "top_p": 0.9, "stop": ["끝"], "seed": 5}
    assert body["response_format"]["json_schema"]["schema"]["required"] == ["점수"]
    assert not backend.notes


def test_a_lone_surrogate_in_a_prompt_is_replaced():
    assert _sent(UNPRICED, Generate("가\ud800나"))[0]["messages"][0]["content"] == "가\ufffd나"


@pytest.mark.parametrize(
    ("model", "name", "value"),
    [
        ("litellm:openrouter/openai/gpt-5@high", "reasoning", {"effort": "high"}),
        ("litellm:openai/jatdae-local@low", "reasoning_effort", "low"),
    ],
)
def test_effort_is_said_as_each_provider_wants_it(model, name, value):
    assert _sent(model, Generate("안녕?"))[0][name] == value


def test_what_litellm_knows_a_model_to_refuse_is_left_out_and_noted():
    """Given a reasoning model of litellm's table, then it is asked once, and each thing left out is a note."""
    body, backend = _sent("litellm:openai/gpt-5", Generate("안녕?", Sampling(99, 0.5, stop=("끝",))))

    assert body["max_completion_tokens"] == 99
    assert not {"temperature", "stop", "max_tokens"} & set(body)
    assert sorted(note.split(" refuses ")[1].split(",")[0] for note in backend.notes) == [
        "stop",
        "temperature",
        "top_p",
    ]


def test_what_the_server_refuses_is_left_out_and_noted():
    words = "Unsupported parameter: 'seed' is not supported with this model."

    body, backend = _sent(UNPRICED, Generate("안녕?", Sampling(seed=1)), [Raw({"error": {"message": words}}, 400)])

    assert "seed" not in body
    assert len(backend.notes) == 1


def test_an_effort_that_a_model_does_not_have_is_no_effort_at_all(monkeypatch):
    """Given an effort whose value a provider refuses, then the question fails; it is never asked without it."""
    monkeypatch.setenv("GEMINI_API_KEY", KEY)

    with FaultyServer() as server, pytest.raises(RequestFailed, match="xhigh"):
        _ask(_open(server.base_url, "litellm:gemini/gemini-2.5-pro@xhigh"), Generate("안녕?"))

    assert not server.requests


def test_a_server_of_ones_own_is_asked_without_a_key_of_ours(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")

    with FaultyServer() as server:
        _ask(_open(server.base_url), Generate("안녕?"))

    assert server.headers[0]["authorization"] == "Bearer none"


def test_a_backend_can_be_asked_again_in_another_loop():
    with FaultyServer() as server:
        backend = _open(server.base_url)
        for number in range(6):
            assert _ask(backend, Generate(f"{number}번"))[0].text

    assert len(server.requests) == 6


# What is read


def test_text_usage_and_name_are_read():
    usage = {"prompt_tokens": 11, "completion_tokens": 22, "completion_tokens_details": {"reasoning_tokens": 9}}

    answer = _answer(Raw({**chat_completion("네."), "usage": usage, "model": "잣대-1-0101"}))

    assert answer == Completion(
        "네.", "stop", 11, 22, reasoning_tokens=9, served_by="잣대-1-0101", seconds=answer.seconds
    )


@pytest.mark.parametrize(
    ("message", "text", "reasoning"),
    [
        ({"content": None}, "", ""),
        ({"content": "답", "reasoning_content": "생각"}, "답", "생각"),
        ({"content": "<think>생각</think>답"}, "답", "생각"),
        ({"content": "<think>끝나지 않는 생각"}, "", "<think>끝나지 않는 생각"),
        ({"content": "가\ud83d나\x00"}, "가\ud83d나\x00", ""),
    ],
)
def test_visible_text_and_reasoning_are_kept_apart(message, text, reasoning):
    document = chat_completion("")
    document["choices"][0]["message"] |= message

    answer = _answer(Raw(document))

    assert (answer.text, answer.reasoning) == (text, reasoning)


@pytest.mark.parametrize(("said", "read"), [("length", "length"), ("content_filter", "filter"), ("stop", "stop")])
def test_how_the_answer_ended(said, read):
    document = chat_completion("네.")
    document["choices"][0]["finish_reason"] = said

    assert _answer(Raw(document)).finish == read


# What things cost


def _with_usage(**usage: object) -> Raw:
    return Raw({**chat_completion("네."), "usage": {"prompt_tokens": 1000, "completion_tokens": 100, **usage}})


def test_the_price_table_gives_the_cost_of_an_answer():
    """Published: 0.15 and 0.60 US dollars for a million tokens in and out of gpt-4o-mini."""
    assert _answer(_with_usage(), PRICED).cost_usd == pytest.approx((1000 * 0.15 + 100 * 0.60) / 1e6)


def test_the_providers_own_figure_comes_first():
    assert _answer(_with_usage(cost=0.25), PRICED).cost_usd == 0.25


@pytest.mark.parametrize("model", [UNPRICED, "litellm:openrouter/vendor/unknown"])
def test_where_nobody_states_a_price_there_is_none(model):
    assert _answer(_with_usage(), model).cost_usd is None
    assert _open("http://127.0.0.1:9/v1", model).worst_cost(Generate("안녕?")) is None


def test_a_price_of_nothing_for_a_model_that_costs_something_is_no_price():
    """Given an answer without a figure of its own, by a route without an entry, then the cost is unknown."""
    assert _answer(_with_usage(), "litellm:openrouter/openai/gpt-5").cost_usd is None


def test_the_worst_cost_counts_every_character_and_all_of_max_tokens():
    request = Generate((Message("system", "가" * 500), Message("user", "나" * 500)), Sampling(max_tokens=200))

    worst = _open(None, PRICED).worst_cost(request)

    assert worst is not None
    assert (1000 * 0.15 + 200 * 0.60) / 1e6 <= worst <= (1100 * 0.15 + 200 * 0.60) / 1e6


def test_openrouter_costs_what_the_vendor_asks_where_the_table_has_no_entry():
    base_url = "http://127.0.0.1:9/v1"

    direct, routed = (
        _open(base_url, f"litellm:{name}openai/gpt-5").worst_cost(Generate("안")) for name in ("", "openrouter/")
    )

    assert direct == routed
    assert direct


# Faults


@pytest.mark.parametrize(
    ("planned", "kind"),
    [
        (Fault.RATE_LIMIT, "rate limit"),
        (Fault.SERVER_ERROR, "server"),
        (Fault.RESET, "connection"),
        (Fault.HALF_JSON, "malformed"),
        (Fault.WRONG_SHAPE, "malformed"),
        (Fault.HTML, "malformed"),
        (Fault.ERROR_BODY, "server"),
        (Fault.HANG, "timeout"),
        (Fault.DRIP, "timeout"),
        (Raw({"error": {"message": "wait"}}, 408), "timeout"),
        (Raw({"error": {"message": "conflict"}}, 409), "server"),
        (Raw(b"<html>gateway</html>", 503), "server"),
        (Raw(b""), "malformed"),
        (Raw([]), "malformed"),
        (Raw({"choices": []}), "malformed"),
        (Raw(b"[" * 200_000), "malformed"),
        (Raw({"error": {"code": 429, "message": "slow"}}), "rate limit"),
    ],
)
def test_what_passes_is_transient_and_is_attempted_once(planned, kind):
    started = time.monotonic()

    with FaultyServer(script=[planned]) as server, pytest.raises(TransientFailure) as caught:
        _ask(_open(server.base_url, timeout_seconds=1.0), Generate("안녕?"))

    assert caught.value.kind == kind, caught.value
    assert len(server.requests) == 1
    assert "openai/jatdae-local" in str(caught.value)
    assert time.monotonic() - started < 3


@pytest.mark.parametrize(
    ("planned", "kind"),
    [
        (Raw({"error": {"message": "bad key"}}, 401), "login"),
        (Raw({"error": {"message": "no"}}, 403), "login"),
        (Raw({"error": {"message": "no such model"}}, 404), "not found"),
        (Raw({"error": {"message": "bad value"}}, 400), "refused request"),
        (Raw({"error": {"message": "bad value"}}, 422), "refused request"),
        (Raw({"error": {"message": "too large"}}, 413), "refused request"),
        (
            Raw({"error": {"code": "context_length_exceeded", "message": "maximum context length is 8"}}, 400),
            "overlong",
        ),
        (Raw({"error": {"code": "insufficient_quota", "message": "pay"}}, 429), "quota"),
        (Raw({"error": {"message": "pay"}}, 402), "quota"),
    ],
)
def test_what_stays_is_final(planned, kind):
    with FaultyServer(script=[planned]) as server, pytest.raises(RequestFailed) as caught:
        _ask(_open(server.base_url), Generate("안녕?"))

    assert not isinstance(caught.value, TransientFailure), caught.value
    assert caught.value.kind == kind
    assert len(server.requests) == 1


def test_the_wait_reaches_the_failure():
    with pytest.raises(TransientFailure) as caught:
        _answer(Raw({"error": {"message": "slow"}}, 429, {"Retry-After": "12"}))

    assert caught.value.retry_after == 12


def test_a_prompt_that_the_policy_refuses_is_a_filtered_answer():
    answer = _answer(Raw({"error": {"code": "content_policy_violation", "message": "no"}}, 400))

    assert (answer.text, answer.finish) == ("", "filter")


@pytest.mark.parametrize("status", [400, 401, 500])
def test_no_failure_shows_the_key(status):
    with pytest.raises(RequestFailed) as caught:
        _answer(Raw({"error": {"message": f"Incorrect API key provided: {KEY}\n{KEY}" + "가" * 999}}, status))

    assert "Incorrect API key" in str(caught.value)
    assert KEY not in str(caught.value)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 500


def test_many_faults_end_with_every_question_answered_once(tmp_path: Path):
    """Given faults on a third of the calls, then every answer is right, and no answered call is repeated."""
    prompts = [f"{number}번" for number in range(24)]

    async def work(base_url: str) -> list[Completion]:
        backend = _open(base_url, timeout_seconds=1.0, concurrency=12, backoff_seconds=0.01, max_retries=3)
        with Store.open(tmp_path) as store:
            async with Dispatcher(backend, store) as dispatcher:
                return await asyncio.gather(*(dispatcher.for_item().generate(Generate(text)) for text in prompts))

    with FaultyServer(fault_rate=0.33, latency=0.01, retry_after="0.01") as server:
        answers = asyncio.run(work(server.base_url))
        asyncio.run(work(server.base_url))

    expected = {body_key(body): echo(body) for body in server.requests}
    assert sorted(answer.text for answer in answers) == sorted(expected.values())
    assert set(server.answered.values()) == {1}
    assert len(server.answered) == len(prompts)


# Opening


@pytest.mark.parametrize(
    ("model", "names"),
    [
        ("litellm:openai/gpt-5", ["OPENAI_API_KEY"]),
        ("litellm:openrouter/openai/gpt-5", ["OPENROUTER_API_KEY"]),
        ("litellm:anthropic/claude-sonnet-4-5", ["ANTHROPIC_API_KEY"]),
        ("litellm:ollama/llama3", []),
    ],
)
def test_a_missing_key_is_named_before_anything_is_asked(model, names, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    reference = parse_reference(model)

    assert missing_keys(reference) == names
    assert len(preflight(reference, ModelOptions())) == len(names[:1])
    assert missing_keys(reference, RemoteOptions(base_url="http://127.0.0.1:9/v1")) == []
    if names:
        with pytest.raises(ModelError, match=names[0]):
            open_backend(reference, ModelOptions())


def test_an_unknown_provider_is_a_problem(capsys):
    assert "openrouter/VENDOR/MODEL" in problems(parse_reference("litellm:jatdae/unknown"))[0]
    assert capsys.readouterr().out == ""


def test_an_address_that_is_none_is_a_problem():
    assert "base_url" in problems(parse_reference(PRICED), RemoteOptions(base_url="localhost:1"))[0]


def test_without_the_package_the_command_that_installs_it_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "litellm", None)

    with pytest.raises(ModelError, match=r"pip install 'jatdae\[api\]'"):
        open_backend(parse_reference(PRICED), ModelOptions())


def test_the_identity_holds_what_decides_the_answers_and_no_secret(monkeypatch):
    backend = _open("http://user:geheim@127.0.0.1:9/v1?token=abc", "litellm:openai/jatdae-local@low")

    assert backend.identity.facts == {
        "backend": "litellm",
        "base_url": "http://127.0.0.1:9/v1",
        "model": "openai/jatdae-local",
        "effort": "low",
    }
    here = _open(None).identity.key
    monkeypatch.setenv("OPENAI_API_BASE", "http://127.0.0.1:9/v1")
    assert _open(None).identity.key != here


def test_a_preview_shows_the_messages_and_a_score_is_refused():
    backend = _open(None)

    assert backend.preview(Generate("안녕?"))[0].text == '[{"content":"안녕?","role":"user"}]'
    with pytest.raises(RequestFailed, match="log-likelihoods"):
        backend.preview(Score("하늘은", (" 파랗다",)))


PROGRAM = """
import asyncio, sys
from jatdae.models.base import parse_reference
from jatdae.models.opening import open_backend
from jatdae.models.options import ModelOptions, RemoteOptions
from jatdae.types import Generate

def work(url):
    backend = open_backend(parse_reference("litellm:openai/jatdae-local"), ModelOptions(remote=RemoteOptions(url)))
    async def ask():
        try:
            return await backend.ask(Generate("안녕?"))
        finally:
            await backend.close()
    return asyncio.run(ask())

work(sys.argv[1])
try:
    work(sys.argv[1])
except Exception as error:
    assert type(error).__name__ == "TransientFailure", error
"""


def test_it_is_quiet_and_reads_no_settings_of_the_folder(tmp_path: Path):
    """Given a `.env` file with a key, an answer and a failure, then nothing is printed and the key is not used."""
    (tmp_path / ".env").write_text("OPENAI_API_KEY=sk-from-the-folder-0123456789\n")
    environment = {name: value for name, value in os.environ.items() if name != "OPENAI_API_KEY"}

    with FaultyServer(script=[Fault.GOOD, Fault.SERVER_ERROR]) as server:
        ended = subprocess.run(
            [sys.executable, "-c", PROGRAM, server.base_url],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    assert {headers["authorization"] for headers in server.headers} == {"Bearer none"}
