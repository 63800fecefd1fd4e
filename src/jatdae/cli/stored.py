"""`jatdae results` and `jatdae show`: what the store holds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from jatdae.errors import RequestError
from jatdae.reports.documents import document
from jatdae.reports.tables import columns, console, explain, figure, short_name
from jatdae.store import Store, StoredResult


def results_command(folder: Path, *, task: str | None, model: str | None, as_json: bool) -> None:
    """List results, newest first."""
    with open_existing(folder) as store:
        found = [stored for stored in store.results(task=task) if (model or "") in stored.model_reference]
    if as_json:
        print(document({"results": found}))
        return
    header = ("run", "when", "model", "task", "mode", "shots", "headline", "status")
    console().print(columns(header, [_row(stored) for stored in found]))


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


def show_command(folder: Path, run: int, *, samples: int, as_json: bool) -> None:
    """Explain one run. Raises RequestError when the store has no such run."""
    with open_existing(folder) as store:
        record = next((record for record in store.runs() if record.id == run), None)
        if record is None:
            raise RequestError(f"{folder} has no run {run}; `jatdae results --store {folder}` lists them")
        found = store.results(run=run)
        shown = [_exchanges(store, stored, samples) for stored in found] if samples else []
        models = {stored.model_key: store.model_facts(stored.model_key) for stored in found}
    if as_json:
        print(document({"run": record, "models": models, "results": found, "samples": shown}))
        return
    screen = console()
    screen.print(f"run {record.id}: {record.status}, started {record.started}", highlight=False)
    screen.print(f"command: {record.command}", highlight=False, markup=False)
    screen.print(f"versions: {_listed(record.versions)}; machine: {_listed(record.machine)}", highlight=False)
    for key, facts in models.items():
        screen.print(f"model {key[:12]}: {_listed(facts)}", highlight=False, markup=False)
    for stored in found:
        if stored.result:
            explain(screen, stored.result)
        else:
            screen.print(f"{stored.task} on {stored.model_reference}: {stored.status}, no figures", highlight=False)
    for exchange in (exchange for exchanges in shown for exchange in exchanges):
        screen.print(document(exchange), highlight=False, markup=False)


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
