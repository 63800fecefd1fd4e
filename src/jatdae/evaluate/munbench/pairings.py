"""The schedule of a results folder: made once for a roster, extended when models join, the same after a restart."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jatdae.benchmarks.munbench.records import Dataset
from jatdae.benchmarks.munbench.units import Unit, units_of
from jatdae.evaluate.munbench.config import MunConfig
from jatdae.evaluate.munbench.lines import write_text
from jatdae.evaluate.munbench.workspace import Workspace, names
from jatdae.judging.schedule import Pairing, Slot, compatible, stratified


def schedule_of(work: Workspace) -> list[Pairing]:
    """The pairings on the chosen tracks and models, out of a schedule over all of the data and the whole roster."""
    chosen = set(names(work.contestants))
    pairings = _kept(work) if scheduler(work.config) == "stratified" else draw(work.config, work.dataset)
    return [one for one in pairings if one.case in work.cases and ({one.a, one.b} & chosen)]


def scheduler(config: MunConfig) -> str:
    """The scheduler's name: as the settings say, else the profile's own."""
    own = "compat" if config.profile == "compat" else "stratified"
    return config.pairwise.scheduler or own


def draw(config: MunConfig, dataset: Dataset, earlier: Sequence[Pairing] = ()) -> list[Pairing]:
    """A schedule over all of the data. Of `earlier`, those of present models and cases stay."""
    pairwise, roster = config.pairwise, names(config.models)
    units = [unit for unit in units_of(dataset) if config.judges_unit(unit)]
    if scheduler(config) == "compat":
        ordered = sorted(units, key=lambda unit: (unit.track, unit.item.id, unit.variant))
        return compatible(
            roster,
            pairwise.anchors,
            [unit.id for unit in ordered],
            per_model=pairwise.max_comparisons_per_model,
            anchor_cases=pairwise.max_anchor_items,
        )
    slots = [_slot(unit) for unit in units if unit.is_main or pairwise.include_variants]
    cases = {slot.key for slot in slots}
    return stratified(
        roster,
        pairwise.anchors,
        slots,
        seed=config.seed,
        per_model=pairwise.max_comparisons_per_model,
        anchor_cases=pairwise.max_anchor_items,
        play_anchors=config.ratings.anchor_mode != "locked",
        kept=[one for one in earlier if {one.a, one.b} <= set(roster) and one.case in cases],
    )


def _slot(unit: Unit) -> Slot:
    return Slot(unit.id, f"{unit.track}/{unit.group}")


def _kept(work: Workspace) -> list[Pairing]:
    """The stored schedule if it was made for the same question, else a new one that keeps the stored pairings."""
    file = work.folder.path / "pairwise" / "schedule.json"
    asked, stored = _question(work), _load(file)
    earlier = [Pairing(*one) for one in stored.get("pairings", [])]
    if stored.get("question") == asked:
        return earlier
    pairings = draw(work.config, work.dataset, earlier)
    told = {"question": asked, "pairings": [[one.a, one.b, one.case] for one in pairings]}
    write_text(file, json.dumps(told, ensure_ascii=False, indent=1) + "\n")
    return pairings


def _question(work: Workspace) -> dict[str, Any]:
    """All that decides a schedule."""
    pairwise = work.config.pairwise
    return {
        "models": sorted(names(work.config.models)),
        "anchors": pairwise.anchors,
        "seed": work.config.seed,
        "dataset_hash": work.dataset.hash,
        "per_model": pairwise.max_comparisons_per_model,
        "anchor_items": pairwise.max_anchor_items,
        "variants": pairwise.include_variants,
        "locked": work.config.ratings.anchor_mode == "locked",
    }


def _load(file: Path) -> dict[str, Any]:
    """What was stored; nothing when the file is absent or broken, since a schedule can always be made again."""
    try:
        stored = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stored if isinstance(stored, dict) and isinstance(stored.get("pairings"), list) else {}
