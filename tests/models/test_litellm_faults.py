"""`litellm:` against a server on loopback, by two of its routes: what faults become, what closing lets go of."""

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
from faulty_server import Fault, FaultyServer, Raw, chat_completion

from jatdae.errors import RequestFailed, TransientFailure
from jatdae.models.api import open_api_backend
from jatdae.models.base import RemoteBackend, parse_reference
from jatdae.models.options import RemoteOptions
from jatdae.types import Completion, Generate

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
def test_no_failure_shows_the_inside_of_the_package(model):
    words = str(_failure(Fault.WRONG_SHAPE, model))

    assert "Traceback" not in words
    assert "site-packages" not in words


# Connections


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


def test_the_package_is_not_imported_before_it_is_needed():
    program = "import sys, jatdae.models.api, jatdae.cli; sys.exit('litellm' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", program], timeout=60, check=False).returncode == 0


# All of it together


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
