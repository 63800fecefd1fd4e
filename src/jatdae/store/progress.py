"""How far a running run is, for those who look on from another process."""

from __future__ import annotations

from dataclasses import dataclass

from jatdae.store.records import column_text
from jatdae.store.store import Store


@dataclass(frozen=True, slots=True)
class ProgressState:
    """What a run counts, how far it is, and when it last said so (ISO 8601, UTC)."""

    label: str
    done: int
    total: int
    updated: str


def note_progress(store: Store, run_id: int, label: str, done: int, total: int) -> None:
    """Say how far a run is; the latest word counts."""
    with store.writing() as connection:
        connection.execute(
            "INSERT INTO progress (run_id, label, done, total, updated) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (run_id) DO UPDATE SET label = excluded.label, done = excluded.done,"
            " total = excluded.total, updated = excluded.updated",
            (run_id, column_text(label), done, total, store.now()),
        )


def progress_of_runs(store: Store) -> dict[int, ProgressState]:
    """The latest word of every run that gave one."""
    rows = store.read("SELECT run_id, label, done, total, updated FROM progress")
    return {run_id: ProgressState(*rest) for run_id, *rest in rows}
