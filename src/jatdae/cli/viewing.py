"""`jatdae view`: the web app on this machine."""

from __future__ import annotations

import sys
import webbrowser
from pathlib import Path

from jatdae.cli.settings import one_of
from jatdae.errors import RequestError


def view_command(store: Path, *, port: int, lang: str | None, browser: bool, negation: Path | None) -> None:
    """Serve until Ctrl-C. Raises RequestError where the store or the extra is not there."""
    one_of("--lang", lang, ("en", "ko"))
    if not store.is_dir():
        raise RequestError(f"there is no store at {store}; name its folder with --store, or measure something first")
    if negation is not None and not negation.is_dir():
        raise RequestError(f"--negation {negation}: there is no such project")
    try:
        from jatdae.app.server import serve
    except ModuleNotFoundError as error:
        message = f"the app needs the package {error.name}; install it with: pip install 'jatdae[app]'"
        raise RequestError(message) from None

    def opened(address: str) -> None:
        print(f"{address}\nCtrl-C ends it. Whoever has this address can read the store.", file=sys.stderr, flush=True)
        if browser:
            webbrowser.open(address)

    serve(store, port=port, lang="ko" if lang == "ko" else "en", negation_project=negation, opened=opened)
