"""How far the judges of a run can be believed: people's scores in and out, agreement, and an audit that asks them.

Nothing here changes a score. Human scores live in the generation records, with the text that they belong to.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from jatdae.benchmarks.sources import read_text
from jatdae.errors import DataError, RequestError
from jatdae.evaluate.munbench.evidence import Evidence
from jatdae.evaluate.munbench.human_records import place_scores
from jatdae.evaluate.munbench.judging_stage import judges
from jatdae.evaluate.munbench.lines import write_text
from jatdae.evaluate.munbench.workspace import Workspace
from jatdae.judging.validation import (
    BatteryReport,
    HumanScore,
    KnowledgeApplication,
    Place,
    SampleKey,
    battery,
    blind_sheet,
    degenerate_battery,
    judge_agreement,
    judge_judge,
    knowledge_application,
    own_preference,
    own_wins,
    position_bias,
    read_human_score,
    read_key,
    read_ratings,
    repeatability,
    run_battery,
    sycophancy_battery,
    write_csv,
    write_jsonl,
    write_key,
)


def key_file(sheet: Path) -> Path:
    """Where the key of a blind sheet lies: apart from it, since it says who wrote what."""
    return sheet.with_name(sheet.name + ".key.jsonl")


def export_sheet(work: Workspace, out: Path, size: int | None) -> int:
    """Write a blind sheet (CSV, or JSON lines by its suffix) and its key; returns how many texts are on it.

    Raises RequestError when there is no text, or a file is there already.
    """
    evidence = Evidence(work)
    samples = [
        (work.cases[unit], response)
        for (_, unit, _), response in sorted(evidence.responses.items())
        if unit in work.cases
    ]
    if not samples:
        raise RequestError("there are no texts to rate; run `jatdae munbench generate` first")
    sheet = blind_sheet(samples, seed=f"{work.config.seed}/{work.dataset.hash}", size=size)
    (write_jsonl if out.suffix == ".jsonl" else write_csv)(sheet, out)
    write_key(sheet, key_file(out))
    return len(sheet.rows)


def import_sheets(work: Workspace, sheets: Sequence[Path], key: Path | None) -> tuple[int, int, list[str]]:
    """Put people's scores beside the texts that they saw; returns how many, how many texts changed since, and notes.

    Raises DataError, naming file, line and field, before anything is written.
    """
    entries = read_key(key or key_file(sheets[0]))
    read = read_ratings(sheets, entries)
    hashes = {entry.sample: entry.text_hash for entry in entries.values()}
    placed = place_scores(work, read.scores, hashes)
    notes = [f"{file} is in {encoding}" for file, encoding in read.encodings.items()]
    return placed.taken, placed.changed, [*notes, *([f"{read.unrated} rows hold no score"] if read.unrated else [])]


def human_scores(evidence: Evidence) -> dict[SampleKey, HumanScore]:
    """What people scored, as far as the records hold it. Raises DataError for a score that is none."""
    found: dict[SampleKey, HumanScore] = {}
    for (model, unit, index), one in evidence.generations.items():
        score = read_human_score(one.human_score, Place(f"generations of {model}, {unit}"))
        if score is not None:
            found[SampleKey(one.item, one.variant, model, index)] = score
    return found


def agreement_record(work: Workspace) -> dict[str, Any]:
    """All that can be said of the judges without asking them; also written to `agreement.json`."""
    evidence = Evidence(work)
    scores = [one for records in evidence.scores.values() for one in records]
    seed = work.config.seed
    with_people = judge_agreement(scores, human_scores(evidence), seed=seed)
    between = judge_judge(scores, seed=seed)
    record = {
        "human": [{**asdict(one), "not_validated": one.not_validated} for one in with_people],
        "between_judges": _plain_judges(asdict(between)) if between else None,
        "repeatability": [asdict(one) for one in repeatability(scores, seed=seed)],
        "position": [{**asdict(one), "alarm": one.alarm} for one in position_bias(evidence.verdicts)],
        "self_preference": [asdict(one) for one in own_preference(scores, evidence.identities, seed=seed)],
        "own_wins": [asdict(one) for one in own_wins(evidence.verdicts, evidence.identities)],
    }
    write_text(work.folder.path / "agreement.json", json.dumps(record, ensure_ascii=False, indent=2) + "\n")
    return record


def _plain_judges(record: dict[str, Any]) -> dict[str, Any]:
    """Pairs of names are no keys of JSON."""
    pairs = [[*names, value] for names, value in record["rank_tau"].items()]
    return {**record, "rank_tau": pairs}


def audit(work: Workspace, items: int) -> list[BatteryReport]:
    """Attack every judge: injections, flattery and padding, empty shells, on `items` texts drawn by the seed.

    Raises RequestError without a text. The answers are stored, so that a second audit asks nothing.
    """
    evidence = Evidence(work)
    usable = [
        (work.cases[unit], response)
        for (_, unit, _), response in sorted(evidence.responses.items())
        if unit in work.cases
    ]
    if not usable:
        raise RequestError("there are no texts to attack with; run `jatdae munbench generate` first")
    drawn = blind_sheet(usable, seed=str(work.config.seed), size=min(items, len(usable)))
    chosen = {entry.sample for entry in drawn.key.values()}
    samples = [
        (case, response)
        for case, response in usable
        if SampleKey(case.item, case.variant, response.model, response.index) in chosen
    ]
    entries = [
        *battery(samples, work.config.seed),
        *sycophancy_battery(samples),
        *degenerate_battery(samples, work.config.seed),
    ]
    return asyncio.run(_audit(work, entries))


async def _audit(work: Workspace, entries: list[Any]) -> list[BatteryReport]:
    async with judges(work, work.config.judges) as panel:
        reports = []
        for name, judge in panel.items():
            work.progress.stage(f"{name}: {len(entries)} attacks, scored once and compared in both orders")
            reports.append(await run_battery(judge, entries))
        return reports


def correlate(work: Workspace, file: Path) -> dict[str, KnowledgeApplication]:
    """Rank correlation over models between a knowledge test's scores and each track's rubric mean.

    `file` is JSON, model to score. Raises DataError for another form.
    """
    knowledge = _knowledge(file)
    evidence = Evidence(work)
    means: dict[str, dict[str, float]] = {}
    for track in work.tracks:
        for model in evidence.models:
            values = [
                one.final_mean
                for key, one in evidence.samples.items()
                if key[0] == model
                and one.track == track
                and one.final_mean is not None
                and evidence.units[key[1]].is_main
            ]
            if values:
                means.setdefault(str(track), {})[model] = math.fsum(values) / len(values)
    return {track: knowledge_application(knowledge, found, seed=work.config.seed) for track, found in means.items()}


def _knowledge(file: Path) -> Mapping[str, float]:
    try:
        raw = json.loads(read_text(file))
    except ValueError as error:
        raise DataError(f"is no JSON ({error})", path=file) from None
    values = list(raw.values()) if isinstance(raw, dict) else [None]
    if not all(isinstance(one, int | float) and not isinstance(one, bool) and math.isfinite(one) for one in values):
        raise DataError("an object of model ids and scores is expected", path=file, mend='as {"openai:a": 0.41}')
    return {str(model): float(value) for model, value in raw.items()}


def sample_record(work: Workspace, name: str) -> dict[str, Any]:
    """A prompt as every model answered it, judged and measured. Raises RequestError for an unknown one."""
    evidence = Evidence(work)
    units = [unit for unit in evidence.units if unit == name or evidence.units[unit].item.id == name]
    if not units:
        raise RequestError(f"no item or prompt is called {name!r}; write an id such as {next(iter(evidence.units))!r}")
    return {
        unit: {
            "case": asdict(work.cases[unit]) if unit in work.cases else None,
            "samples": [
                {
                    "generation": asdict(one),
                    "scores": [asdict(score) for score in evidence.scores.get(key, [])],
                    "metrics": asdict(evidence.metrics[key]) if key in evidence.metrics else None,
                }
                for key, one in sorted(evidence.generations.items())
                if key[1] == unit
            ],
            "verdicts": [asdict(one) for one in evidence.verdicts if evidence.unit_of(one) == unit],
        }
        for unit in units
    }
