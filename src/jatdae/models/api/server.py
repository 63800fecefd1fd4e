"""Where an OpenAI-compatible server is, and what may be told of its address."""

from __future__ import annotations

import os
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from jatdae.errors import RequestError

OFFICIAL = "https://api.openai.com/v1"
BASE_VARIABLE = "OPENAI_BASE_URL"
_ENDPOINT = "/chat/completions"


@dataclass(frozen=True, slots=True)
class Server:
    """A server's address. `endpoint` is what is called; `shown` is the root without credentials and query."""

    endpoint: str
    shown: str
    host: str
    password: str = ""

    @property
    def is_official(self) -> bool:
        return self.host == "api.openai.com"

    @property
    def is_openrouter(self) -> bool:
        return self.host == "openrouter.ai"


def server_at(base_url: str | None) -> Server:
    """The server at a root such as `http://127.0.0.1:8080/v1`, else at OPENAI_BASE_URL, else the official one.

    The endpoint's own address is taken for its root. Raises RequestError for what is no HTTP address.
    """
    given = base_url or os.environ.get(BASE_VARIABLE) or OFFICIAL
    parts = _parts(given)
    root = parts.path.rstrip("/").removesuffix(_ENDPOINT)
    netloc = parts.netloc.rpartition("@")[2]
    return Server(
        endpoint=parts._replace(path=root + _ENDPOINT, fragment="").geturl(),
        shown=f"{parts.scheme}://{netloc}{root}",
        host=(parts.hostname or "").lower(),
        password=parts.password or "",
    )


def shown_address(url: str) -> str:
    """A URL without what may be secret in it: credentials, query and fragment. Raises RequestError if it is none."""
    parts = _parts(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path.rstrip('/')}"


def _parts(url: str) -> SplitResult:
    try:
        parts = urlsplit(url.strip())
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0 and url.isprintable()
    except ValueError:
        usable, parts = False, None
    if not usable or parts is None:
        raise RequestError("base_url is no http or https address; write the server's root, as http://127.0.0.1:8080/v1")
    return parts
