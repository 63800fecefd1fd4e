"""Who gets in: the one who has the address, from a page of the app, on this machine."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette")
httpx2 = pytest.importorskip("httpx2")

from jatdae.app.context import AppContext
from jatdae.app.guard import HEADERS, SESSION
from jatdae.app.server import build_app
from jatdae.store import Store

TOKEN = "a-long-secret"
HOME = "http://127.0.0.1:8000"


@pytest.fixture
def ask(tmp_path):
    """`ask(method, path, headers=..., cookies=...)` asks the app in this process."""
    with Store.open(tmp_path) as store:
        app = build_app(AppContext(store, TOKEN))

        async def asked(method, path, headers, cookies):
            transport = httpx2.ASGITransport(app=app)
            async with httpx2.AsyncClient(transport=transport, base_url=HOME, cookies=cookies) as client:
                return await client.request(method, path, headers=headers)

        def ask_now(method, path, headers=None, cookies=None):
            import asyncio

            return asyncio.run(asked(method, path, headers or {}, cookies or {}))

        yield ask_now


def test_the_printed_address_opens_the_app_and_leaves_no_token_behind(ask) -> None:
    reply = ask("GET", f"/?token={TOKEN}")

    assert (reply.status_code, reply.headers["location"]) == (303, f"{HOME}/")
    assert "HttpOnly" in reply.headers["set-cookie"]
    assert "samesite=strict" in reply.headers["set-cookie"].lower()
    assert ask("GET", "/", cookies={SESSION: TOKEN}).status_code == 200


@pytest.mark.parametrize("path", ["/", "/progress", "/samples/1", "/annotate/", "/static/app.js"])
@pytest.mark.parametrize("given", [{}, {SESSION: "wrong"}, {SESSION: ""}])
def test_nothing_is_shown_without_the_token(ask, path, given) -> None:
    assert ask("GET", path, cookies=given).status_code == 403
    assert ask("GET", f"{path}?token=wrong").status_code == 403


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "192.0.2.7:8000"])
def test_a_foreign_name_for_this_machine_gets_nothing(ask, host) -> None:
    assert ask("GET", "/", headers={"host": host}, cookies={SESSION: TOKEN}).status_code == 400


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:9999"])
def test_other_pages_change_nothing(ask, origin) -> None:
    reply = ask("POST", "/annotate/rater", headers={"origin": origin}, cookies={SESSION: TOKEN})

    assert reply.status_code == 403


def test_a_post_from_another_site_without_an_origin_is_refused(ask) -> None:
    reply = ask("POST", "/annotate/rater", headers={"sec-fetch-site": "cross-site"}, cookies={SESSION: TOKEN})

    assert reply.status_code == 403


@pytest.mark.parametrize("path", ["/", "/nothing", "/static/app.js"])
def test_every_answer_carries_the_headers_that_bind_the_browser(ask, path) -> None:
    reply = ask("GET", path, cookies={SESSION: TOKEN})

    assert {name: reply.headers[name] for name in HEADERS} == HEADERS
    assert "unsafe" not in reply.headers["content-security-policy"]


@pytest.mark.parametrize("path", ["/static/../server.py", "/static/%2e%2e/server.py", "/static/..%2f..%2ferrors.py"])
def test_only_static_files_are_files(ask, path) -> None:
    reply = ask("GET", path, cookies={SESSION: TOKEN})

    assert reply.status_code == 404
    assert "def " not in reply.text


def test_a_script_gets_errors_as_json(ask) -> None:
    reply = ask("GET", "/run/9", headers={"accept": "application/json"}, cookies={SESSION: TOKEN})

    assert (reply.status_code, set(reply.json())) == (404, {"error"})
