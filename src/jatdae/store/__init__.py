"""The store: one SQLite file that remembers every answer, run, result and sample."""

from __future__ import annotations

from jatdae.store.redaction import redact
from jatdae.store.rows import request_key
from jatdae.store.store import Store
from jatdae.store.stored import RunStatus, StoredResult, StoredRun

__all__ = ["RunStatus", "Store", "StoredResult", "StoredRun", "redact", "request_key"]
