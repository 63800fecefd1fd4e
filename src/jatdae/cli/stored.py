"""`jatdae results` and `jatdae show`: what the store holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import inf
from pathlib import Path
from typing import get_args

from jatdae.cli.settings import one_of
from jatdae.errors import RequestError
from jatdae.reports.documents import document
from jatdae.reports.inert import inert
from jatdae.reports.tables import columns, console, explain, figure, short_name
from jatdae.store import Store, StoredResult, StoredRun
from jatdae.store.paging import outcome_counts
from jatdae.store.stored import ResultStatus

LONGEST_LINE = 2000


@dataclass(frozen=True, slots=True)
class Listed:
    """Which results are listed; `None` asks for no restriction. `since` is a day or a time, ISO 8601."""

    task: str | None = None
    model: str | None = None
    mode: str | None = None
    status: str | None = None
    since: str | None = None
    last: int | None = None
    best: bool = False

    def fits(self, stored: StoredResult) -> bool:
        """Whether a result is listed."""
        return (
            (self.task is None or stored.task == self.task or stored.task.startswith(f"{self.task}/"))
            and (self.model or "") in stored.model_reference
            and self.mode in (None, stored.mode)
            and self.status in (None, stored.status)
            and (self.since is None or stored.created >= self.since)
        )


def results_command(folder: Path, listed: Listed, *, as_json: bool) -> None:
    """List results, newest first, or the best first. Raises RequestError for a day or status that cannot be."""
    one_of("--status", listed.status, get_args(ResultStatus))
    if listed.since is not None:
        _checked_day(listed.since)
    with open_existing(folder) as store:
        found = [stored for stored in store.results() if listed.fits(stored)]
    found = (_best(found) if listed.best else found)[: listed.last]
    if as_json:
        print(document({"results": found}))
        return
    header = ("run", "when", "model", "task", "mode", "shots", "headline", "status")
    console().print(columns(header, [_row(stored) for stored in found]))


def _checked_day(text: str) -> None:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        raise RequestError(f"--since {text!r}: a day is needed, such as 2026-12-01") from None


def _best(results: Sequence[StoredResult]) -> list[StoredResult]:
    """The highest headline of each question and model; questions together, the best first."""
    found: dict[tuple[str, str], StoredResult] = {}
    for one in results:
        key = (one.fingerprint, one.model_reference)
        if _value(one) > _value(found.get(key)):
            found[key] = one
    return sorted(found.values(), key=lambda one: (one.task, one.mode, one.fingerprint, -_value(one)))


def _value(stored: StoredResult | None) -> float:
    headline = stored.result.estimates.get(stored.result.headline) if stored and stored.result else None
    return headline.value if headline else -inf


def _row(stored: StoredResult) -> tuple[str, ...]:
    result = stored.result
    headline = result.estimates.get(result.headline) if result else None
    return (
        str(stored.run_id),
        stored.created[:16].replace("T", " "),
        short_name(stored.model_reference),
        result.title if result else stored.task,
        stored.mode,
        str(result.protocol.shots) if result else "",
        f"{result.headline} {figure(headline)}" if result and headline else "",
        stored.status if not result or result.complete else "incomplete",
    )


def reproduce_command(folder: Path, run: int, *, as_json: bool) -> None:
    """Print how a run is got again. Raises RequestError when the store has no such run."""
    from jatdae.reports.reproduction import reproduction, reproduction_text

    with open_existing(folder) as store:
        found = reproduction(store, _run(store, folder, run), store.results(run=run))
    print(document({"reproduction": found}) if as_json else reproduction_text(found), end="\n" if as_json else "")


def _run(store: Store, folder: Path, run: int) -> StoredRun:
    record = next((record for record in store.runs() if record.id == run), None)
    if record is None:
        raise RequestError(f"{folder} has no run {run}; `jatdae results --store {folder}` lists them")
    return record


def show_command(folder: Path, run: int, *, samples: int, as_json: bool) -> None:
    """Explain one run. Raises RequestError when the store has no such run."""
    with open_existing(folder) as store:
        record = _run(store, folder, run)
        found = store.results(run=run)
        outcomes = {stored.id: dict(outcome_counts(store, stored.id)) for stored in found}
        shown = [_exchanges(store, stored, samples) for stored in found] if samples else []
        models = {stored.model_key: store.model_facts(stored.model_key) for stored in found}
    if as_json:
        print(document({"run": record, "models": models, "results": found, "outcomes": outcomes, "samples": shown}))
        return
    screen = console()
    screen.print(f"run {record.id}: {record.status}, started {record.started}", highlight=False)
    if record.origin:
        screen.print(f"imported from {inert(record.origin)}", highlight=False, markup=False)
    screen.print(f"command: {inert(record.command)}", highlight=False, markup=False)
    screen.print(f"versions: {_listed(record.versions)}; machine: {_listed(record.machine)}", highlight=False)
    for key, facts in models.items():
        screen.print(f"model {key[:12]}: {_listed(facts)}", highlight=False, markup=False)
    for stored in found:
        if stored.result:
            explain(screen, stored.result)
            told = ", ".join(f"{name} {count:,}" for name, count in sorted(outcomes[stored.id].items()))
            screen.print(f"samples: {told}", highlight=False, markup=False)
        else:
            screen.print(f"{stored.task} on {stored.model_reference}: {stored.status}, no figures", highlight=False)
    for exchange in (exchange for exchanges in shown for exchange in exchanges):
        screen.print(_shortened(inert(document(exchange))), highlight=False, markup=False)


def _shortened(text: str) -> str:
    """Lines longer than a few screens are cut; `--json` and `jatdae export samples` have them whole."""
    return "\n".join(
        line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}… ({len(line) - LONGEST_LINE:,} more characters)"
        for line in text.split("\n")
    )


def _exchanges(store: Store, stored: StoredResult, count: int) -> list[dict[str, object]]:
    """The first samples of a result with the requests and answers behind them."""
    rows = []
    for _, sample in zip(range(count), store.samples(stored.id), strict=False):
        asked = [store.exchange(key) for key in sample.requests]
        rows.append(
            {"sample": sample, "exchanges": [{"request": pair[0], "answer": pair[1]} for pair in asked if pair]}
        )
    return rows


def _listed(facts: Mapping[str, str]) -> str:
    return ", ".join(
        f"{name} {value if len(value) < 64 or ' ' in value or '{' in value else value[:40]}"
        for name, value in facts.items()
    )


def open_existing(folder: Path) -> Store:
    if not folder.is_dir():
        raise RequestError(f"there is no store at {folder}; name its folder with --store, or measure something first")
    return Store.open(folder)
