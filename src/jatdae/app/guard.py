"""Who may ask, and what a browser may do with the answer. One middleware before all pages.

The address that is printed carries a token once; from then on a cookie does that no script can read and no other site
can send. The Host header must name this machine, so that a foreign name that resolves to it (DNS rebinding) gets
nothing. What changes something must come from a page of this very app.
"""

from __future__ import annotations

import hmac
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from jatdae.app.context import LANGUAGES, AppContext, Language

SESSION = "jatdae-session"
LANGUAGE = "jatdae-lang"
HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
YEAR = 365 * 24 * 3600
SAFE = frozenset({"GET", "HEAD"})


class Guard:
    """ASGI middleware: host, token, origin, language, headers."""

    def __init__(self, app: ASGIApp, context: AppContext) -> None:
        self._app, self._context = app, context

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        language = _language(request, self._context.lang)
        scope.setdefault("state", {})["lang"] = language
        reply = self._refusal(request)
        wished = request.query_params.get("lang")
        await (reply or self._app)(scope, receive, _with_headers(send, wished if wished in LANGUAGES else None))

    def _refusal(self, request: Request) -> Response | None:
        """What is answered in place of the page; None where the page may be shown."""
        host = urlsplit(f"//{request.headers.get('host', '')}").hostname
        if host not in HOSTS:
            return PlainTextResponse("this app answers on 127.0.0.1 alone\n", 400)
        if request.method not in SAFE and not _same_origin(request):
            return PlainTextResponse("this was not sent by a page of the app\n", 403)
        if self._fits(request.cookies.get(SESSION)):
            return None
        if self._fits(request.query_params.get("token")):
            return self._welcome(request)
        return PlainTextResponse("open the address that `jatdae view` printed; it carries the key\n", 403)

    def _welcome(self, request: Request) -> Response:
        """The same address without the token, which then stands in a cookie and not in the browser's history."""
        reply = RedirectResponse(str(request.url.remove_query_params("token")), 303)
        reply.set_cookie(SESSION, self._context.token, httponly=True, samesite="strict", path="/")
        return reply

    def _fits(self, given: str | None) -> bool:
        return given is not None and hmac.compare_digest(given.encode(), self._context.token.encode())


def _same_origin(request: Request) -> bool:
    origin = request.headers.get("origin")
    if origin is None:
        return request.headers.get("sec-fetch-site", "same-origin") == "same-origin"
    return urlsplit(origin).netloc == request.headers.get("host")


def _language(request: Request, fallback: Language) -> Language:
    """What the address says, else what was chosen before, else what the browser asks for, else the app's own."""
    wished = request.headers.get("accept-language", "").partition(",")[0][:2].lower()
    given = (request.query_params.get("lang"), request.cookies.get(LANGUAGE), wished)
    for text in given:
        for known in LANGUAGES:
            if text == known:
                return known
    return fallback


def _with_headers(send: Send, language: str | None) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update(HEADERS)
            if language is not None:
                headers.append("Set-Cookie", f"{LANGUAGE}={language}; Path=/; SameSite=Strict; Max-Age={YEAR}")
        await send(message)

    return sending
