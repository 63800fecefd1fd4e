"""`litellm:` against a real server on loopback: what is sent, what is read, and what each fault becomes."""

from __future__ import annotations

import asyncio
import gc
import os
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest
from faulty_server import Fault, FaultyServer, Raw, body_key, chat_completion, echo

from jatdae.errors import ModelError, RequestFailed, TransientFailure
from jatdae.models.api import open_api_backend, problems
from jatdae.models.base import RemoteBackend, parse_reference
from jatdae.models.options import RemoteOptions
from jatdae.runtime import Dispatcher
from jatdae.store import Store
from jatdae.types import Completion, Generate, Sampling

pytestmark = pytest.mark.skipif(find_spec("litellm") is None, reason="needs litellm")
SECRET = "hush-0123456789abcdefghij"
SCHEMA = '{"additionalProperties":false,"properties":{"점수":{"type":"number"}},"required":["점수"],"type":"object"}'
MODELS = ("litellm:openai/model", "litellm:openrouter/vendor/model")
both = pytest.mark.parametrize("model", MODELS)


@pytest.fixture(autouse=True)
def _environment(monkeypatch):
    for name in list(os.environ):
        if name.endswith(("_API_KEY", "_API_BASE", "_BASE_URL")) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    for name in ("OPENAI_API_KEY", "OPENROUTER_API_KEY"):
        monkeypatch.setenv(name, SECRET)


def _open(base_url: str | None, model: str = MODELS[0], **options: float) -> RemoteBackend:
    remote = RemoteOptions(base_url=base_url, **{"timeout_seconds": 5.0, **options})  # type: ignore[arg-type]
    return open_api_backend(parse_reference(model), remote)


def _ask(backend: RemoteBackend, *requests: Generate) -> list[Completion]:
    async def work() -> list[Completion]:
        try:
            return [await backend.ask(request) for request in requests]
        finally:
            await backend.close()

    return asyncio.run(work())


def _answer(planned: Fault | Raw, model: str = MODELS[0], **options: float) -> Completion:
    with FaultyServer(script=[planned]) as server:
        answers = _ask(_open(server.base_url, model, **options), Generate("안녕?"))
        assert len(server.requests) == 1
    return answers[0]


def _failure(planned: Fault | Raw, model: str = MODELS[0], **options: float) -> RequestFailed:
    with pytest.raises(RequestFailed) as caught:
        _answer(planned, model, **options)
    return caught.value


def _error(message: str, status: int, **more: object) -> Raw:
    return Raw({"error": {"message": message, **more}}, status)


# What is sent


@both
def test_all_of_a_request_is_sent(model):
    sampling = Sampling(max_tokens=77, temperature=0.5, top_p=0.9, stop=("끝",), seed=5)

    with FaultyServer() as server:
        [answer] = _ask(_open(server.base_url, model), Generate("안녕?", sampling, schema=SCHEMA))

    sent = server.requests[0]
    assert sent["model"] == model.partition("/")[2]
    assert sent["messages"] == [{"role": "user", "content": "안녕?"}]
    assert [sent[name] for name in ("max_tokens", "temperature", "top_p", "stop", "seed")] == [77, 0.5, 0.9, ["끝"], 5]
    assert sent["response_format"]["json_schema"]["strict"] is True
    assert answer.text == echo(sent)


def test_the_effort_goes_where_the_provider_looks_for_it():
    with FaultyServer() as server:
        _ask(_open(server.base_url, "litellm:openrouter/vendor/model@high"), Generate("안녕?"))
        _ask(_open(server.base_url, "litellm:openai/gpt-5@high"), Generate("안녕?", Sampling(temperature=1.0)))

    assert server.requests[0]["reasoning"] == {"effort": "high"}
    assert server.requests[1]["reasoning_effort"] == "high"


def test_what_litellm_itself_leaves_out_is_told():
    with FaultyServer() as server:
        backend = _open(server.base_url, "litellm:openai/o3")
        _ask(backend, Generate("안녕?", Sampling(temperature=0.5, top_p=0.9)))

    assert not {"temperature", "top_p"} & set(server.requests[0])
    assert len(backend.notes) == 2


def test_a_schema_that_the_model_refuses_is_left_out_from_then_on():
    with FaultyServer(script=[_error("response_format is not supported by this model", 400)]) as server:
        backend = _open(server.base_url, MODELS[1])
        _ask(backend, Generate("하나", schema=SCHEMA), Generate("둘", schema=SCHEMA))

    assert ["response_format" in body for body in server.requests] == [True, False, False]
    assert "schema" in backend.notes[0]


# What is read


@both
def test_text_reasoning_usage_and_name_are_read(model):
    details = {"reasoning_tokens": 9}
    usage = {
        "prompt_tokens": 11,
        "completion_tokens": 22,
        "total_tokens": 33,
        "completion_tokens_details": details,
        "cost": 0.5,
    }
    document = {**chat_completion("네.", reasoning_content="음"), "usage": usage, "model": "served-1"}

    answer = _answer(Raw(document), model)

    assert answer.seconds > 0
    assert answer == Completion("네.", "stop", 11, 22, 0, "음", 9, 0.5, answer.served_by, answer.seconds)
    assert answer.served_by.endswith("served-1")


@both
@pytest.mark.parametrize(("said", "read"), [("stop", "stop"), ("length", "length"), ("content_filter", "filter")])
def test_how_the_answer_ended(model, said, read):
    document = chat_completion("네.")
    document["choices"][0]["finish_reason"] = said

    assert _answer(Raw(document), model).finish == read


def test_the_price_comes_from_the_table_or_is_unknown():
    assert _answer(Raw({**chat_completion("네"), "model": "gpt-4o-mini"}), "litellm:openai/gpt-4o-mini").cost_usd > 0
    assert _answer(Fault.GOOD).cost_usd is None


@both
def test_odd_characters_survive(model):
    assert _answer(Raw(chat_completion("가\ud83d나\x00다")), model).text == "가\ud83d나\x00다"


# Faults


@both
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
        (Raw(b""), "malformed"),
        (Raw(b"\xff\xfe"), "malformed"),
        (Raw(b"[" * 200_000), "malformed"),
        (Raw(b"null"), "malformed"),
        (Raw({"choices": []}), "malformed"),
        (Raw({"choices": [{"message": None}]}), "malformed"),
        (Raw(b"<html>", 503), "server"),
        (Raw({}, 529), "server"),
        (_error("wait", 408), "timeout"),
        (Raw(b"{}", 200, {"Content-Length": "500"}), "timeout"),
        (Raw({"choices": [{"error": {"code": 502, "message": "upstream"}, "message": {"content": ""}}]}), "server"),
    ],
)
def test_what_passes_is_transient(model, planned, kind):
    failure = _failure(planned, model, timeout_seconds=1.0)

    assert isinstance(failure, TransientFailure), failure
    assert failure.kind == kind, failure
    assert str(failure).isprintable()
    assert len(str(failure)) < 500


@both
@pytest.mark.parametrize(
    ("planned", "kind"),
    [
        (_error("bad key", 401), "login"),
        (_error("no", 403), "login"),
        (_error("no such model", 404), "not found"),
        (_error("bad value", 400), "refused request"),
        (_error("bad value", 422), "refused request"),
        (_error("maximum context length is 10 tokens", 400, code="context_length_exceeded"), "overlong"),
        (_error("pay", 429, code="insufficient_quota"), "quota"),
        (_error("pay", 402), "quota"),
    ],
)
def test_what_stays_is_final(model, planned, kind):
    failure = _failure(planned, model)

    assert not isinstance(failure, TransientFailure), failure
    assert failure.kind == kind


@both
@pytest.mark.parametrize("fault", [Fault.HANG, Fault.DRIP])
def test_a_server_that_says_nothing_or_drips_is_given_up_in_time(model, fault):
    started = time.monotonic()

    assert _failure(fault, model, timeout_seconds=0.5).kind == "timeout"
    assert time.monotonic() - started < 2


@both
def test_nobody_there_is_a_lost_connection(model):
    with FaultyServer() as server:
        gone = server.base_url
    with pytest.raises(TransientFailure) as caught:
        _ask(_open(gone, model), Generate("안녕?"))

    assert caught.value.kind == "connection"


@both
def test_the_wait_that_a_server_asks_for_reaches_the_failure(model):
    failure = _failure(Raw({"error": {"message": "slow"}}, 429, {"Retry-After": "12"}), model)

    assert isinstance(failure, TransientFailure)
    assert failure.retry_after == 12


@both
def test_a_prompt_that_the_policy_refuses_is_a_filtered_answer(model):
    answer = _answer(_error("rejected by our safety system", 400, code="content_policy_violation"), model)

    assert (answer.text, answer.finish) == ("", "filter")


@both
@pytest.mark.parametrize("status", [400, 401, 429, 500])
def test_no_failure_shows_the_key(model, status):
    failure = _failure(_error(f"Incorrect API key {SECRET}", status), model)

    assert "Incorrect API key" in str(failure)
    assert SECRET not in str(failure)


@both
def test_no_failure_shows_the_inside_of_the_package(model):
    words = str(_failure(Fault.WRONG_SHAPE, model))

    assert "Traceback" not in words
    assert "site-packages" not in words


# Connections


@both
def test_a_backend_can_be_asked_again_in_another_loop(model):
    with FaultyServer() as server:
        backend = _open(server.base_url, model)
        answers = [_ask(backend, Generate(word))[0].text for word in ("하나", "둘", "셋")]

    assert len(set(answers)) == len(server.requests) == 3


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="open files are counted in /proc")
@both
def test_closing_lets_go_of_the_connections(model):
    """Given five loops with twenty connections each, when all are closed, then no more files are open than before."""

    async def crowd(backend: RemoteBackend) -> None:
        await asyncio.gather(*(backend.ask(Generate(str(number))) for number in range(20)))
        await backend.close()

    def open_files() -> int:
        gc.collect()
        return len(list(Path("/proc/self/fd").iterdir()))

    with FaultyServer(latency=0.01) as server:
        _ask(_open(server.base_url, model), Generate("먼저"))
        before = open_files()
        for _ in range(5):
            asyncio.run(crowd(_open(server.base_url, model)))
    assert open_files() < before + 20


# Opening


@pytest.mark.parametrize(
    ("model", "variable"),
    [("openai/gpt-5", "OPENAI_API_KEY"), ("openrouter/vendor/model", "OPENROUTER_API_KEY")],
)
def test_a_missing_key_is_named_unless_the_server_is_ones_own(monkeypatch, model, variable):
    monkeypatch.delenv(variable)
    reference = parse_reference(f"litellm:{model}")

    assert variable in problems(reference, RemoteOptions())[0]
    assert problems(reference, RemoteOptions(base_url="http://127.0.0.1:9/v1")) == []
    with pytest.raises(ModelError, match=variable):
        open_api_backend(reference, RemoteOptions())


def test_a_missing_package_is_named_with_what_installs_it(monkeypatch):
    monkeypatch.setattr("jatdae.models.api.preflight.find_spec", lambda name: None)

    assert "pip install 'jatdae[api]'" in problems(parse_reference(MODELS[0]), RemoteOptions())[0]


def test_the_identity_holds_what_decides_the_answers_and_no_secret():
    backend = _open("http://user:geheim@127.0.0.1:9/v1?token=abc", f"{MODELS[1]}@low")

    assert backend.identity.facts == {
        "backend": "litellm",
        "base_url": "http://127.0.0.1:9/v1",
        "model": "openrouter/vendor/model",
        "effort": "low",
    }
    assert "geheim" not in str(dict(backend.settings))


def test_the_worst_cost_grows_with_prompt_and_limit_and_is_none_where_no_price_is_known():
    priced, unknown = _open(None, "litellm:openai/gpt-4o-mini"), _open(None, MODELS[1])
    costs = [
        priced.worst_cost(Generate("가" * length, Sampling(max_tokens=limit)))
        for length, limit in ((10, 10), (1000, 10), (1000, 1000))
    ]

    assert costs == sorted(set(costs))
    assert unknown.worst_cost(Generate("가")) is None


def test_the_package_is_not_imported_before_it_is_needed():
    program = "import sys, jatdae.models.api, jatdae.cli; sys.exit('litellm' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", program], timeout=60, check=False).returncode == 0


# All of it together


@both
def test_many_faults_end_with_every_question_answered_once(tmp_path: Path, model):
    prompts = [f"{number}번" for number in range(40)]

    async def work(base_url: str) -> list[Completion]:
        backend = _open(base_url, model, timeout_seconds=1.0, concurrency=20, backoff_seconds=0.01, max_retries=3)
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


@both
def test_closing_one_model_leaves_another_of_the_same_loop_alone(model):
    """Given two models that ask at once, when the quick one is closed, then the slow one still gets its answer."""

    async def work(base_url: str) -> Completion:
        quick, slow = _open(base_url, model), _open(base_url, model)
        waiting = asyncio.create_task(slow.ask(Generate("느림")))
        await asyncio.sleep(0.1)
        await quick.ask(Generate("빠름"))
        await quick.close()
        answer = await waiting
        await slow.close()
        return answer

    with FaultyServer(latency=0.3) as server:
        assert asyncio.run(work(server.base_url)).finish == "stop"
