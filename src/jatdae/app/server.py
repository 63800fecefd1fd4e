"""The app as one ASGI application, and a server for it on this machine alone."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Callable
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from jatdae.app import browsing
from jatdae.app.annotation.routes import routes as annotation_routes
from jatdae.app.context import AppContext, Language
from jatdae.app.guard import Guard
from jatdae.app.negation.routes import routes as negation_routes
from jatdae.app.pages import HERE, render
from jatdae.app.words import words
from jatdae.errors import JatdaeError, RequestError
from jatdae.store import Store

LOOPBACK = "127.0.0.1"


def build_app(context: AppContext) -> Starlette:
    """All pages behind the guard."""
    mounts = [
        *browsing.routes(context),
        Mount("/annotate", routes=annotation_routes(context)),
        Mount("/negation", routes=negation_routes(context)),
        Mount("/static", StaticFiles(directory=HERE / "static")),
    ]
    return Starlette(
        routes=mounts,
        middleware=[Middleware(Guard, context=context)],
        exception_handlers={HTTPException: _told, JatdaeError: _told},
    )


def _told(request: Request, error: Exception) -> Response:
    """One line instead of a stack: on a page, or as JSON where a script asked."""
    status = error.status_code if isinstance(error, HTTPException) else 400 if isinstance(error, RequestError) else 500
    message = str(error.detail) if isinstance(error, HTTPException) else str(error)
    if status == 404 and message == "Not Found":
        message = words(request.state.lang)["not_found"]
    if "application/json" in request.headers.get("accept", ""):
        return JSONResponse({"error": message}, status)
    return render(request, "error.html", status=status, message=message)


def serve(
    folder: Path,
    *,
    port: int,
    lang: Language,
    negation_project: Path | None,
    opened: Callable[[str], None],
) -> None:
    """Answer until interrupted. `opened` gets the address with its key once connections are taken.

    Raises RequestError where the port is not free.
    """
    context = AppContext(Store.open(folder), secrets.token_urlsafe(24), lang, negation_project)
    with context.store, socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((LOOPBACK, port))
        except OSError as error:
            raise RequestError(f"port {port} cannot be used ({error.strerror}); choose another with --port") from None
        listening.listen(128)
        opened(f"http://{LOOPBACK}:{listening.getsockname()[1]}/?token={context.token}")
        config = uvicorn.Config(build_app(context), log_level="error", access_log=False, lifespan="off")
        uvicorn.Server(config).run(sockets=[listening])
