"""`openai:` against a real server on loopback: what is sent, what is read, and what each fault becomes."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from faulty_server import Fault, FaultyServer, Raw, body_key, chat_completion, echo
from hypothesis import given
from hypothesis import strategies as st

from jatdae.errors import ModelError, RequestFailed, TransientFailure
from jatdae.models.api import missing_keys, problems
from jatdae.models.api.complaints import Speaker, complaint_in, failure_of, retry_after_seconds
from jatdae.models.api.replies import UnusableReply, completion_of, split_reasoning
from jatdae.models.base import RemoteBackend, parse_reference
from jatdae.models.opening import open_backend, preflight
from jatdae.models.options import ModelOptions, RemoteOptions
from jatdae.runtime import Dispatcher
from jatdae.store import Store
from jatdae.types import Completion, Generate, Message, Sampling, Score

KEY = "sk-test-0123456789abcdef0123"
SCHEMA = '{"additionalProperties":false,"properties":{"점수":{"type":"number"}},"required":["점수"],"type":"object"}'


@pytest.fixture(autouse=True)
def _environment(monkeypatch):
    for name in ("OPENAI_BASE_URL", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def _open(base_url: str | None, model: str = "openai:잣대-1", **options: float) -> RemoteBackend:
    remote = RemoteOptions(base_url=base_url, **{"timeout_seconds": 5.0, **options})  # type: ignore[arg-type]
    return open_backend(parse_reference(model), ModelOptions(remote=remote))  # type: ignore[return-value]


def _ask(backend: RemoteBackend, *requests: Generate) -> list[Completion]:
    async def work() -> list[Completion]:
        try:
            return [await backend.ask(request) for request in requests]
        finally:
            await backend.close()

    return asyncio.run(work())


def _answer(planned: Fault | Raw, request: Generate | None = None, **options: float) -> Completion:
    """The answer of a server that does one thing."""
    with FaultyServer(script=[planned]) as server:
        return _ask(_open(server.base_url, **options), request or Generate("안녕?"))[0]


def _failure(planned: Fault | Raw, **options: float) -> RequestFailed:
    with pytest.raises(RequestFailed) as caught:
        _answer(planned, **options)
    return caught.value


# What is sent


def test_all_of_a_request_is_sent():
    sampling = Sampling(max_tokens=77, temperature=0.5, top_p=0.9, stop=("끝",), seed=5)
    messages = (
        Message("system", "짧게."),
        Message("user", "하늘은?"),
        Message("assistant", "파랗다."),
        Message("user", "왜?"),
    )

    with FaultyServer() as server:
        [answer] = _ask(
            _open(server.base_url, "openai:vendor/잣대-1@high"), Generate(messages, sampling, schema=SCHEMA)
        )

    assert server.requests == [
        {
            "model": "vendor/잣대-1",
            "messages": [{"role": message.role, "content": message.content} for message in messages],
            "max_tokens": 77,
            "temperature": 0.5,
            "top_p": 0.9,
            "stop": ["끝"],
            "seed": 5,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": True, "schema": json.loads(SCHEMA)},
            },
            "reasoning_effort": "high",
        }
    ]
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert answer.text == echo(server.requests[0])


def test_plain_text_is_one_user_message_and_only_what_was_asked_for_is_said():
    with FaultyServer() as server:
        _ask(_open(server.base_url), Generate("안녕?"))

    assert server.requests[0]["messages"] == [{"role": "user", "content": "안녕?"}]
    assert set(server.requests[0]) == {"model", "messages", "max_tokens", "temperature", "top_p"}


def test_a_lone_surrogate_in_a_prompt_is_replaced_and_a_nul_goes_through():
    with FaultyServer() as server:
        _ask(_open(server.base_url), Generate("가\ud800나\x00다"))

    assert server.requests[0]["messages"][0]["content"] == "가\ufffd나\x00다"


def test_without_a_key_another_host_is_asked_without_one(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")

    with FaultyServer() as server:
        _ask(_open(server.base_url), Generate("안녕?"))

    assert "authorization" not in server.headers[0]


@pytest.mark.parametrize("ending", ["", "/", "/chat/completions", "?api-version=1"])
def test_the_root_of_a_server_may_be_written_in_several_ways(ending):
    with FaultyServer() as server:
        _ask(_open(server.base_url + ending), Generate("안녕?"))

    assert server.paths == ["/v1/chat/completions" + (ending if ending.startswith("?") else "")]


def test_the_environment_names_the_server_where_nobody_else_does(monkeypatch):
    with FaultyServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        _ask(_open(None), Generate("안녕?"))

    assert len(server.requests) == 1


def test_a_backend_can_be_asked_again_in_another_loop():
    with FaultyServer() as server:
        backend = _open(server.base_url)
        asyncio.run(backend.ask(Generate("하나")))  # and not closed
        _ask(backend, Generate("둘"))
        _ask(backend, Generate("셋"))

    assert len(server.requests) == 3


# What is read


def _read(message: dict[str, Any], finish: str | None = "stop", **rest: object) -> Completion:
    document = chat_completion("")
    document["choices"][0] |= {"message": message, "finish_reason": finish}
    return completion_of({**document, **rest}, (), 1.5)


def test_text_usage_price_and_name_are_read():
    usage = {"prompt_tokens": 11, "completion_tokens": 22, "completion_tokens_details": {"reasoning_tokens": 9}}

    answer = _answer(Raw({**chat_completion("네."), "usage": {**usage, "cost": 0.0125}, "model": "잣대-1-0101"}))

    assert answer.seconds > 0
    assert answer == Completion(
        "네.", "stop", 11, 22, reasoning_tokens=9, cost_usd=0.0125, served_by="잣대-1-0101", seconds=answer.seconds
    )


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("stop", "stop"),
        ("length", "length"),
        ("content_filter", "filter"),
        ("tool_calls", "stop"),
        (None, "stop"),
    ],
)
def test_how_the_answer_ended(said, read):
    assert _read({"content": "네."}, said).finish == read


@pytest.mark.parametrize(
    ("message", "text", "reasoning"),
    [
        ({"content": None}, "", ""),
        ({"content": [{"type": "text", "text": "하나"}, {"type": "text", "text": "둘"}]}, "하나둘", ""),
        ({"content": "답", "reasoning_content": "생각"}, "답", "생각"),
        ({"content": "답", "reasoning": "생각"}, "답", "생각"),
        ({"content": None, "reasoning": "생각만"}, "", "생각만"),
        ({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "음"}]}, {"text": "답"}]}, "답", "음"),
        ({"content": "<think>A일까</think>\n\n답은 B"}, "답은 B", "<think>A일까</think>"),
        ({"content": "생각하다가</think>답"}, "답", "생각하다가</think>"),
        ({"content": "<think>끝나지 않는 생각"}, "", "<think>끝나지 않는 생각"),
        ({"content": "그는 <think>라고 썼다.", "reasoning": "따로"}, "그는 <think>라고 썼다.", "따로"),
        ({"content": '{"근거": "본문에 </think> 가 있다"}'}, '{"근거": "본문에 </think> 가 있다"}', ""),
    ],
)
def test_visible_text_and_reasoning_are_kept_apart(message, text, reasoning):
    answer = _read(message)

    assert (answer.text, answer.reasoning) == (text, reasoning)


def test_a_refusal_in_its_own_field_is_a_filtered_answer():
    answer = _read({"content": None, "refusal": "도울 수 없습니다."})

    assert (answer.text, answer.finish) == ("도울 수 없습니다.", "filter")


def test_the_text_ends_before_a_stop_string_even_if_the_server_forgets_it():
    request = Generate("세어라", Sampling(stop=("넷", "둘")))

    assert _answer(Raw(chat_completion("하나 둘 셋 넷")), request).text == "하나 "


@pytest.mark.parametrize("usage", [None, [], "많음", {"prompt_tokens": -1, "cost": float("nan")}, {"cost": 1e400}])
def test_usage_that_makes_no_sense_is_none_at_all(usage):
    answer = _read({"content": "네."}, usage=usage)

    assert (answer.prompt_tokens, answer.completion_tokens, answer.cost_usd) == (0, 0, None)


def test_odd_characters_of_a_reply_survive_the_store(tmp_path: Path):
    """Given a reply with a lone surrogate and a NUL, when it is stored, then it comes back as it was."""
    odd = "가\ud83d나\x00다\udc00"

    async def work(base_url: str) -> Completion:
        with Store.open(tmp_path) as store:
            async with Dispatcher(_open(base_url), store) as dispatcher:
                return await dispatcher.for_item().generate(Generate("안녕?"))

    with FaultyServer(reply=lambda body: odd) as server:
        asked, again = asyncio.run(work(server.base_url)), asyncio.run(work(server.base_url))

    assert asked.text == again.text == odd
    assert len(server.requests) == 1


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["choices", "message", "content", "text", "usage", "cost", "model", "reasoning"]),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
def test_any_json_is_a_completion_or_unusable(document):
    try:
        answer = completion_of(document, (), 0.0)
    except UnusableReply:
        return
    assert isinstance(answer.text, str)


@given(st.text(st.sampled_from("가 \n<>/think[]{}\"A'"), max_size=60))
def test_splitting_off_reasoning_loses_no_visible_sign(text):
    visible, reasoning = split_reasoning(text)

    assert text.startswith(reasoning)
    assert visible == "" or visible in text[len(reasoning) :]


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
        (Raw({"error": {"message": "wait"}}, 408), "timeout"),
        (Raw({"error": {"message": "conflict"}}, 409), "server"),
        (Raw(b"<html>gateway</html>", 503), "server"),
        (Raw({}, 529), "server"),
        (Raw(b""), "malformed"),
        (Raw([]), "malformed"),
        (Raw({"choices": []}), "malformed"),
        (Raw({"choices": [{"message": {"content": 5}}]}), "malformed"),
        (Raw(b"[" * 200_000), "malformed"),
        (Raw(b'{"a": ' + b"9" * 10_000 + b"}"), "malformed"),
        (Raw(b"\xff\xfe\x00"), "malformed"),
        (Raw(b"{}", 200, {"Content-Length": "500"}), "timeout"),
        (Raw(b"not gzip", 200, {"Content-Encoding": "gzip"}), "malformed"),
        (Raw({"error": {"code": "rate_limit_exceeded", "message": "slow"}}), "rate limit"),
        (Raw({"error": {"code": 429, "message": "slow"}}), "rate limit"),
        (Raw({"error": {"type": "server_error", "message": "oops"}}), "server"),
        (Raw({"error": "something"}), "server"),
        (Raw({"choices": [{"error": {"code": 502, "message": "upstream"}, "message": {"content": ""}}]}), "server"),
    ],
)
def test_what_passes_is_transient(planned, kind):
    # Only what is to run out of time gets little of it: a busy machine is slow with the others too.
    failure = _failure(planned, timeout_seconds=1.0 if kind == "timeout" else 20.0)

    assert isinstance(failure, TransientFailure), failure
    assert failure.kind == kind
    assert "127.0.0.1" in str(failure)
    assert len(str(failure)) < 500


@pytest.mark.parametrize(
    ("planned", "kind"),
    [
        (Raw({"error": {"message": "bad key"}}, 401), "login"),
        (Raw({"error": {"message": "no"}}, 403), "login"),
        (Raw({"error": {"message": "no such model"}}, 404), "not found"),
        (Raw({"error": {"message": "bad value"}}, 400), "refused request"),
        (Raw({"detail": [{"msg": "bad value"}]}, 422), "refused request"),
        (Raw(b"too large", 413), "refused request"),
        (Raw(b"", 302, {"Location": "http://127.0.0.1:1/"}), "refused request"),
        (Raw({"error": {"code": "context_length_exceeded", "message": "too long"}}, 400), "overlong"),
        (Raw({"error": {"message": "the prompt exceeds the context size"}}, 400), "overlong"),
        (Raw({"error": {"code": "insufficient_quota", "message": "pay"}}, 429), "quota"),
        (Raw({"error": {"message": "pay"}}, 402), "quota"),
        (Raw({"error": {"code": "insufficient_quota", "message": "pay"}}), "quota"),
        (Raw({"error": {"code": "invalid_api_key", "message": "no"}}), "login"),
        (Raw({"error": {"code": "context_length_exceeded", "message": "too long"}}), "overlong"),
    ],
)
def test_what_stays_is_final(planned, kind):
    failure = _failure(planned)

    assert not isinstance(failure, TransientFailure), failure
    assert failure.kind == kind


@pytest.mark.parametrize("fault", [Fault.HANG, Fault.DRIP])
def test_a_server_that_says_nothing_or_drips_is_given_up_in_time(fault):
    started = time.monotonic()

    failure = _failure(fault, timeout_seconds=0.4)

    assert failure.kind == "timeout"
    assert time.monotonic() - started < 2


def test_nobody_there_is_a_lost_connection():
    with FaultyServer() as server:
        gone = server.base_url
    with pytest.raises(TransientFailure) as caught:
        _ask(_open(gone), Generate("안녕?"))

    assert caught.value.kind == "connection"


def test_a_reply_without_end_is_cut_off(monkeypatch):
    monkeypatch.setattr("jatdae.models.api.openai.LARGEST_REPLY", 1000)

    assert _failure(Raw(chat_completion("가" * 1000))).kind == "malformed"


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0),
        ("0.5", 0.5),
        ("Wed, 21 Oct 2026 07:28:30 GMT", 30.0),
        ("Wed, 21 Oct 2026 07:27:00 GMT", 0.0),
        ("-3", 0.0),
        ("nan", None),
        ("1e999", 86_400.0),
        ("soon", None),
        ("", None),
        (None, None),
    ],
)
def test_the_wait_that_a_server_asks_for(header, seconds):
    assert retry_after_seconds(header, datetime(2026, 10, 21, 7, 28, tzinfo=UTC)) == seconds


@given(st.text(max_size=40))
def test_no_retry_after_header_breaks_anything(header):
    seconds = retry_after_seconds(header)

    assert seconds is None or 0 <= seconds <= 86_400


def test_the_wait_reaches_the_failure():
    failure = _failure(Raw({}, 429, {"Retry-After": "12"}))

    assert isinstance(failure, TransientFailure)
    assert failure.retry_after == 12


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"code": "content_filter", "message": "the prompt was blocked"}},
        {"error": {"code": "content_policy_violation", "message": "no"}},
        {"error": {"message": "it triggered our content management policy"}},
    ],
)
def test_a_prompt_that_the_policy_refuses_is_a_filtered_answer(body):
    answer = _answer(Raw(body, 400))

    assert (answer.text, answer.finish) == ("", "filter")


@pytest.mark.parametrize("status", [200, 400, 401, 500])
def test_no_failure_shows_the_key(status, monkeypatch):
    odd_key = "비밀 아닌 척하는 열쇠".encode().hex()
    monkeypatch.setenv("OTHER_API_KEY", odd_key)
    words = f"Incorrect API key provided: {KEY}, Bearer {KEY}, sk-proj-****************abcd, {odd_key}"

    failure = _failure(Raw({"error": {"code": status, "message": words}}, status))

    assert "Incorrect API key" in str(failure)
    assert not any(secret in str(failure) for secret in (KEY, odd_key, "abcd"))


def test_a_failure_is_one_bounded_printable_line():
    failure = _failure(Raw({"error": {"message": "줄\n바꿈\x1b[31m\ud800" + "가" * 5000}}, 500))

    assert str(failure).isprintable()
    assert "줄 바꿈" in str(failure)
    assert len(str(failure)) < 400


@given(st.binary(max_size=60), st.sampled_from([0, 200, 302, 400, 401, 404, 422, 429, 500, 599]))
def test_any_words_of_a_server_become_one_failure(data, status):
    failure = failure_of(complaint_in(data, status), Speaker("host"))

    assert failure.kind
    assert "\n" not in str(failure)


@pytest.mark.parametrize(
    "place", [b'{"choices": %b}', b'{"error": {"message": %b}}', b'{"error": %b}', b'{"error": {"code": %b}}']
)
def test_no_depth_of_nesting_breaks_anything(place):
    """Given every depth about the one where the parser gives up, then the failure is one of ours."""
    with FaultyServer(script=[Raw(place % (b"[" * depth + b"]" * depth)) for depth in range(880, 1000, 4)]) as server:
        backend = _open(server.base_url)

        async def work() -> None:
            for _ in range(30):
                with pytest.raises(TransientFailure):
                    await backend.ask(Generate("안녕?"))
            await backend.close()

        asyncio.run(work())


# Parameters that a model refuses


def _refusing(
    *refused: str, wording: str = "Unsupported parameter: '{0}' is not supported with this model."
) -> Callable:
    """Raw answers for a script: one refusal for each name."""
    return [Raw({"error": {"message": wording.format(name), "param": name}}, 400) for name in refused]  # type: ignore[return-value]


def test_a_refused_parameter_is_renamed_or_left_out_and_this_is_remembered():
    """Given a reasoning model's refusals, when two questions are asked, then only the first meets them."""
    with FaultyServer(script=_refusing("max_tokens", "temperature", "seed", "response_format")) as server:
        backend = _open(server.base_url)
        request = Generate("안녕?", Sampling(max_tokens=9, temperature=0.5, seed=3), schema=SCHEMA)
        _ask(backend, request, request)

    assert len(server.requests) == 6
    for body in server.requests[-2:]:
        assert set(body) == {"model", "messages", "max_completion_tokens", "top_p"}
        assert body["max_completion_tokens"] == 9
    assert len(backend.notes) == 4
    assert "max_completion_tokens is sent" in backend.notes[0]
    assert all("openai:잣대-1" in note for note in backend.notes)


@pytest.mark.parametrize(
    ("words", "status", "left_out"),
    [
        (
            "Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1)",
            400,
            "temperature",
        ),
        ("`temperature` and `top_p` cannot both be specified for this model", 400, "top_p"),
        ("reasoning models do not support temperature", 400, "temperature"),
        ("unknown field stop", 400, "stop"),
        ("This response_format type is unavailable now", 400, "response_format"),
        ("Unrecognized request argument supplied: reasoning_effort", 400, "reasoning_effort"),
    ],
)
def test_refusals_are_recognised_by_their_words(words, status, left_out):
    with FaultyServer(script=[Raw({"error": {"message": words}}, status)]) as server:
        backend = _open(server.base_url, "openai:잣대-1@low")
        _ask(backend, Generate("안녕?", Sampling(temperature=0.5, stop=("끝",)), schema=SCHEMA))

    first, second = server.requests
    assert set(first) - set(second) == {left_out}


def test_a_validators_list_names_the_parameter():
    detail = [{"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]

    with FaultyServer(script=[Raw({"detail": detail}, 422)]) as server:
        _ask(_open(server.base_url), Generate("안녕?", Sampling(seed=1)))

    assert "seed" not in server.requests[1]


@pytest.mark.parametrize(
    "words",
    [
        "max_tokens is too large: 99999. This model supports at most 16384 completion tokens",
        "temperature must be between 0 and 2",
        "Unsupported value: 'reasoning_effort' does not support 'low'. Supported values are: 'medium'",
        "unsupported country",
    ],
)
def test_other_refusals_stay_refusals(words):
    with FaultyServer(script=[Raw({"error": {"message": words}}, 400)]) as server:
        backend = _open(server.base_url, "openai:잣대-1@low")
        with pytest.raises(RequestFailed, match="400"):
            _ask(backend, Generate("안녕?"))

    assert len(server.requests) == 1
    assert not backend.notes


def test_a_server_that_refuses_everything_is_left_alone_in_the_end():
    names = ["max_tokens", "max_completion_tokens", "temperature", "top_p"]
    with FaultyServer(script=_refusing(*names, "top_p", "top_p")) as server, pytest.raises(RequestFailed):
        _ask(_open(server.base_url), Generate("안녕?"))

    assert len(server.requests) == 5


def test_questions_in_flight_together_learn_together():
    """Given five questions that all meet the same refusal, then each is answered and there is one note."""
    with FaultyServer(script=_refusing(*["temperature"] * 5), latency=0.05) as server:
        backend = _open(server.base_url)

        async def work() -> list[Completion]:
            try:
                return await asyncio.gather(*(backend.ask(Generate(str(number))) for number in range(5)))
            finally:
                await backend.close()

        answers = asyncio.run(work())

    assert len({answer.text for answer in answers}) == 5
    assert len(backend.notes) == 1


# Opening


def test_the_official_server_wants_a_key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "  ")
    reference = parse_reference("openai:gpt-5")

    with pytest.raises(ModelError, match="OPENAI_API_KEY"):
        open_backend(reference, ModelOptions())

    assert len(preflight(reference, ModelOptions())) == 1
    assert missing_keys(reference) == ["OPENAI_API_KEY"]
    assert missing_keys(reference, RemoteOptions(base_url="http://127.0.0.1:9/v1")) == []


@pytest.mark.parametrize("url", ["ftp://host/v1", "localhost:8080", "http://", "http://[::1", "http://h:99999/v1"])
def test_an_address_that_is_none_is_a_problem(url):
    assert "base_url" in problems(parse_reference("openai:x"), RemoteOptions(base_url=url))[0]


def test_a_key_that_cannot_be_sent_is_a_problem(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "열쇠")

    assert "OPENAI_API_KEY" in problems(parse_reference("openai:gpt-5"))[0]


def test_the_identity_holds_what_decides_the_answers_and_no_secret():
    backend = _open("http://user:geheim@127.0.0.1:9/v1?token=abc", "openai:잣대-1@low")

    assert backend.identity.facts == {
        "backend": "openai",
        "base_url": "http://127.0.0.1:9/v1",
        "model": "잣대-1",
        "effort": "low",
    }
    assert backend.identity.key != _open("http://127.0.0.1:9/v1", "openai:잣대-1@high").identity.key
    assert backend.capabilities.chat
    assert not backend.capabilities.log_likelihoods
    assert "geheim" not in str(dict(backend.settings))


def test_a_preview_shows_the_messages_and_a_score_is_refused():
    backend = _open("http://127.0.0.1:9/v1")

    assert backend.preview(Generate("안녕?"))[0].text == '[{"content":"안녕?","role":"user"}]'
    with pytest.raises(RequestFailed, match="log-likelihoods"):
        backend.preview(Score("하늘은", (" 파랗다",)))


# All of it together


def test_many_faults_end_with_every_question_answered_once(tmp_path: Path):
    """Given faults on a third of the calls, then every answer is right, and no answered call is repeated."""
    prompts = [f"{number}번" for number in range(60)]

    async def work(base_url: str) -> list[Completion]:
        backend = _open(base_url, timeout_seconds=1.0, concurrency=30, backoff_seconds=0.01, max_retries=3)
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
    assert len(server.injected) >= 6


def test_the_server_of_these_tests_is_fast_enough_to_measure_others():
    """Given 64 connections and 200 ms of latency, then nearly the possible 320 answers a second come."""
    count = 64 * 4

    async def work(base_url: str) -> float:
        backend, started = _open(base_url, concurrency=64), time.monotonic()
        slots = asyncio.Semaphore(64)

        async def one(number: int) -> None:
            async with slots:
                await backend.ask(Generate(str(number)))

        await asyncio.gather(*map(one, range(count)))
        await backend.close()
        return time.monotonic() - started

    with FaultyServer(latency=0.2) as server:
        seconds = asyncio.run(work(server.base_url))

    assert server.most_in_flight == 64
    assert count / seconds > 100, f"{count / seconds:.0f} answers a second"
