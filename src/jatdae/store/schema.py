"""The tables, as an ordered tuple of scripts. A script that has been released is never edited; a change is a new one.

Rows that carry texts live in rowid tables: SQLite keeps a WITHOUT ROWID row whole in its index, which suits short rows
only. In `responses` the answer stands before the request, so that reading answers does not page through the prompts.
A seed is text because a key column cannot be null and a Python seed may exceed 64 bits; the empty text means no seed.
"""

from __future__ import annotations

APPLICATION_ID = 0x4A415444  # "JATD", at byte 68 of the file

FIRST = """
CREATE TABLE models (
    key TEXT NOT NULL PRIMARY KEY,
    reference TEXT NOT NULL,
    facts TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE responses (
    key TEXT NOT NULL PRIMARY KEY,
    model_key TEXT NOT NULL REFERENCES models (key),
    kind TEXT NOT NULL,
    answer TEXT NOT NULL,
    created TEXT NOT NULL,
    request BLOB NOT NULL
);

CREATE TABLE failures (
    key TEXT NOT NULL,
    model_key TEXT NOT NULL REFERENCES models (key),
    kind TEXT NOT NULL,
    message TEXT NOT NULL,
    created TEXT NOT NULL
);
CREATE INDEX failures_by_key ON failures (key);

CREATE TABLE runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    command TEXT NOT NULL,
    started TEXT NOT NULL,
    ended TEXT,
    status TEXT NOT NULL CHECK (status IN ('running', 'done', 'interrupted', 'failed')),
    versions TEXT NOT NULL,
    machine TEXT NOT NULL,
    error TEXT
);

CREATE TABLE results (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id INTEGER NOT NULL REFERENCES runs (id),
    task TEXT NOT NULL,
    model_key TEXT NOT NULL REFERENCES models (key),
    model_reference TEXT NOT NULL,
    mode TEXT NOT NULL,
    protocol TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    data_hash TEXT NOT NULL,
    task_version TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('running', 'done', 'incomplete', 'interrupted', 'failed')),
    created TEXT NOT NULL,
    summary TEXT
);
CREATE INDEX results_by_run ON results (run_id);
CREATE INDEX results_by_task ON results (task);

CREATE TABLE samples (
    result_id INTEGER NOT NULL REFERENCES results (id),
    item TEXT NOT NULL,
    seed TEXT NOT NULL,
    outcome TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (result_id, item, seed)
);
"""

# Looking at samples by outcome, what a run is doing, whence it was imported, and what people say of stored outputs.
SECOND = """
CREATE INDEX samples_by_outcome ON samples (result_id, outcome, item, seed);

ALTER TABLE runs ADD COLUMN origin TEXT;

CREATE TABLE progress (
    run_id INTEGER NOT NULL PRIMARY KEY REFERENCES runs (id),
    label TEXT NOT NULL,
    done INTEGER NOT NULL,
    total INTEGER NOT NULL,
    updated TEXT NOT NULL
);

CREATE TABLE annotation_sets (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('rubric', 'pairs')),
    settings TEXT NOT NULL,
    created TEXT NOT NULL
);

CREATE TABLE annotation_units (
    set_id INTEGER NOT NULL REFERENCES annotation_sets (id),
    unit TEXT NOT NULL,
    position INTEGER NOT NULL,
    body TEXT NOT NULL,
    secret TEXT NOT NULL,
    PRIMARY KEY (set_id, unit)
);

CREATE TABLE annotations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    set_id INTEGER NOT NULL,
    unit TEXT NOT NULL,
    rater TEXT NOT NULL,
    value TEXT NOT NULL,
    created TEXT NOT NULL,
    FOREIGN KEY (set_id, unit) REFERENCES annotation_units (set_id, unit)
);
CREATE INDEX annotations_by_unit ON annotations (set_id, rater, unit, id);
"""
"""What a rater says again is one more row of `annotations`; the latest counts, and nothing is lost."""

MIGRATIONS: tuple[str, ...] = (FIRST, SECOND)
"""`MIGRATIONS[n]` brings a file from schema version n to n + 1; the file's version is SQLite's `user_version`."""
