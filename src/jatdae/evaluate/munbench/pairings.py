"""The schedule of a results folder: made once for a roster, extended when models join, the same after a restart."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jatdae.benchmarks.munbench.units import Unit, units_of
from jatdae.evaluate.munbench.lines import write_text
from jatdae.evaluate.munbench.workspace import Workspace, names
from jatdae.judging.schedule import Pairing, Slot, compatible, stratified


def schedule_of(work: Workspace) -> list[Pairing]:
    """The pairings on the chosen tracks and models, out of a schedule over all of the data and the whole roster."""
    units = [unit for unit in units_of(work.dataset) if work.is_judged(unit)]
    pairings = _compatible(work, units) if scheduler(work) == "compat" else _stratified(work, units)
    chosen = set(names(work.contestants))
    return [one for one in pairings if one.case in work.cases and ({one.a, one.b} & chosen)]


def scheduler(work: Workspace) -> str:
    """The scheduler's name: as the settings say, else the profile's own."""
    own = "compat" if work.config.profile == "compat" else "stratified"
    return work.config.pairwise.scheduler or own


def _compatible(work: Workspace, units: list[Unit]) -> list[Pairing]:
    pairwise = work.config.pairwise
    ordered = sorted(units, key=lambda unit: (unit.track, unit.item.id, unit.variant))
    return compatible(
        names(work.config.models),
        pairwise.anchors,
        [unit.id for unit in ordered],
        per_model=pairwise.max_comparisons_per_model,
        anchor_cases=pairwise.max_anchor_items,
    )


def _stratified(work: Workspace, units: list[Unit]) -> list[Pairing]:
    """The stored schedule if it was made for the same question, else a new one that keeps the stored pairings."""
    file = work.folder.path / "pairwise" / "schedule.json"
    asked, stored = _question(work), _load(file)
    if stored.get("question") == asked:
        return [Pairing(*one) for one in stored["pairings"]]
    pairwise, roster = work.config.pairwise, names(work.config.models)
    slots = [Slot(unit.id, f"{unit.track}/{unit.group}") for unit in units if unit.is_main or pairwise.include_variants]
    cases = {slot.key for slot in slots}
    earlier = [Pairing(*one) for one in stored.get("pairings", [])]
    pairings = stratified(
        roster,
        pairwise.anchors,
        slots,
        seed=work.config.seed,
        per_model=pairwise.max_comparisons_per_model,
        anchor_cases=pairwise.max_anchor_items,
        play_anchors=work.config.ratings.anchor_mode != "locked",
        kept=[one for one in earlier if {one.a, one.b} <= set(roster) and one.case in cases],
    )
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
