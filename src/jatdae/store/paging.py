"""Samples of a result page by page, chosen by outcome, stratum and text; quick whatever the result's size.

Pages are found by key, never by counting from the start. A search looks at a bounded stretch and says where it ended.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from jatdae.store import records
from jatdae.store.store import Store
from jatdae.types import Generate, Prompt, Request, Sample

Key = tuple[str, str]
"""Item and seed, as the samples are ordered."""
STRETCH = 5000
"""So many samples one search looks at."""
CHUNK = 500


@dataclass(frozen=True, slots=True)
class SampleFilter:
    """Which samples: of some outcomes, of one stratum, with a text in item, answer, details or prompt."""

    outcomes: tuple[str, ...] = ()
    group: str = ""
    text: str = ""

    @property
    def reads_samples(self) -> bool:
        """Whether the samples themselves decide, and not their keys alone."""
        return bool(self.group or self.text)


@dataclass(frozen=True, slots=True)
class SamplePage:
    """Samples in order; `next` is where the following page begins (after this key), None at the end.

    `searched` counts the samples that were looked at where a search stopped before the end without filling the page.
    """

    samples: tuple[Sample, ...]
    next: Key | None
    searched: int | None = None


def sample_page(
    store: Store, result_id: int, chosen: SampleFilter, *, after: Key | None = None, size: int = 50
) -> SamplePage:
    """At most `size` samples after a key. Raises RequestError for an unknown result."""
    store.protocol(result_id)
    found: list[tuple[Key, Sample]] = []
    looked, last = 0, after
    limit = STRETCH if chosen.reads_samples else size + 1
    for key, sample in _rows(store, result_id, chosen, after, limit):
        looked, last = looked + 1, key
        if not chosen.reads_samples or sample is not None:
            found.append((key, sample))  # pyright: ignore[reportArgumentType]
        if len(found) > size:
            return SamplePage(tuple(one for _, one in found[:size]), found[size - 1][0])
    stopped = chosen.reads_samples and looked == STRETCH
    return SamplePage(tuple(one for _, one in found), last if stopped else None, looked if stopped else None)


def _rows(
    store: Store, result_id: int, chosen: SampleFilter, after: Key | None, limit: int
) -> Iterator[tuple[Key, Sample | None]]:
    """Keys in order, each with its sample, or with None where the filter leaves it out."""
    last, left = after, limit
    while left > 0:
        rows = _chunk(store, result_id, chosen.outcomes, last, min(CHUNK, left))
        texts = _prompts(store, rows, chosen.text) if chosen.text else {}
        for item, seed, body in rows:
            sample = records.decode_sample(body)
            kept = _is_chosen(sample, body, chosen, texts)
            last = (item, seed)
            yield last, sample if kept else None
        left -= len(rows)
        if len(rows) < min(CHUNK, left + len(rows)):
            return


def _chunk(
    store: Store, result_id: int, outcomes: Sequence[str], after: Key | None, limit: int
) -> list[tuple[str, str, str]]:
    """Rows after a key. Of one outcome or of all they come straight from an index."""
    place = "" if after is None else " AND (item, seed) > (?, ?)"
    kinds = f" AND outcome IN ({', '.join('?' * len(outcomes))})" if outcomes else ""
    query = f"SELECT item, seed, body FROM samples WHERE result_id = ?{kinds}{place} ORDER BY item, seed LIMIT ?"  # noqa: S608 - holds question marks only
    return store.read(query, (result_id, *outcomes, *(after or ()), limit))  # pyright: ignore[reportReturnType]


def _is_chosen(sample: Sample, body: str, chosen: SampleFilter, prompts: dict[str, str]) -> bool:
    if chosen.group and sample.group != chosen.group:
        return False
    wanted = chosen.text.casefold()
    return not wanted or wanted in body.casefold() or any(wanted in prompts.get(key, "") for key in sample.requests)


def _prompts(store: Store, rows: Sequence[tuple[str, str, str]], text: str) -> dict[str, str]:
    """The folded prompts of the rows' requests, by key."""
    keys = [key for *_, body in rows for key in records.decode_sample(body).requests]
    stored = store.read(
        "SELECT key, request FROM responses WHERE key IN (SELECT value FROM json_each(?))",
        (records.to_json(keys, what="keys"),),
    )
    return {key: prompt_text(records.decode_request(request)).casefold() for key, request in stored}


def prompt_text(request: Request) -> str:
    """What a request says to the model, as one text."""
    prompt: Prompt = request.prompt if isinstance(request, Generate) else request.context
    return prompt if isinstance(prompt, str) else "\n".join(message.content for message in prompt)


def outcome_counts(store: Store, result_id: int) -> Counter[str]:
    """How many samples had each outcome, from the index alone."""
    rows = store.read("SELECT outcome, count(*) FROM samples WHERE result_id = ? GROUP BY outcome", (result_id,))
    return Counter(dict(rows))


def find_sample(store: Store, result_id: int, item: str, seed: str = "") -> Sample | None:
    """One sample by its key; without a seed the first of the item."""
    rows = store.read(
        "SELECT body FROM samples WHERE result_id = ? AND item = ? AND (?3 = '' OR seed = ?3) ORDER BY seed LIMIT 1",
        (result_id, item, seed),
    )
    return records.decode_sample(rows[0][0]) if rows else None


def neighbours(
    store: Store, result_id: int, outcomes: Sequence[str], item: str, seed: str
) -> tuple[Key | None, Key | None]:
    """The keys before and after a sample, among those of some outcomes (all without any)."""
    kinds = f" AND outcome IN ({', '.join('?' * len(outcomes))})" if outcomes else ""
    found: list[Key | None] = []
    for comparison, order in (("<", "DESC"), (">", "ASC")):
        query = (
            f"SELECT item, seed FROM samples WHERE result_id = ?{kinds} AND (item, seed) {comparison} (?, ?)"  # noqa: S608 - two fixed words
            f" ORDER BY item {order}, seed {order} LIMIT 1"
        )
        rows = store.read(query, (result_id, *outcomes, item, seed))
        found.append((rows[0][0], rows[0][1]) if rows else None)
    return found[0], found[1]
