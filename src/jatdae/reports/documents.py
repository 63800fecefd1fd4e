"""Results as one JSON document for other programs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from typing import Any


def document(content: Mapping[str, Any]) -> str:
    """JSON text with Korean as it is; records become objects. NaN and infinity are refused."""
    return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False, default=_plain)


def _plain(value: object) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, frozenset | set | tuple):
        return list(value)
    return str(value)
