"""What every page of the app has in hand."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from jatdae.store import Store

Language = Literal["en", "ko"]
LANGUAGES: tuple[Language, ...] = ("en", "ko")


@dataclass(frozen=True, slots=True)
class AppContext:
    """The store, the secret that opens the app, the language of a browser that wishes none of ours, and the folder of
    the negation project that people work on, if there is one."""

    store: Store
    token: str
    lang: Language = "en"
    negation_project: Path | None = None
