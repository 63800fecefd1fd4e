"""People's scores and preferences into the `human_score` fields of a run's records, beside the texts that they saw."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from jatdae.benchmarks.munbench.generations import Generation
from jatdae.evaluate.munbench.evidence import Evidence
from jatdae.evaluate.munbench.files import slug
from jatdae.evaluate.munbench.lines import read_lines, write_lines
from jatdae.evaluate.munbench.workspace import Workspace
from jatdae.judging.presentation import text_hash
from jatdae.judging.validation.agreement import PairKey
from jatdae.judging.validation.human_scores import (
    HumanPreference,
    HumanScore,
    Place,
    SampleKey,
    human_preference_json,
    human_score_json,
    merge_ratings,
    read_human_score,
)


@dataclass(frozen=True, slots=True)
class Placed:
    """How many texts (or pairs) got people's word; how many changed since they were shown; how many have no record to
    put it into; and how many were left alone since they hold a score that names no raters.
    """

    taken: int = 0
    changed: int = 0
    absent: int = 0
    unsigned: int = 0


def place_scores(
    work: Workspace, scores: Mapping[SampleKey, HumanScore], hashes: Mapping[SampleKey, str], *, merge: bool = False
) -> Placed:
    """Put scores into the generation and rubric records; `hashes` are those of the texts that people saw.

    With `merge` the ratings of raters who are not among the new ones stay; a score without names then stays as it is.
    Raises DataError for a score in the records that is none.
    """
    evidence = Evidence(work)
    taken = changed = unsigned = 0
    seen: set[SampleKey] = set()
    for model in evidence.models:
        fresh: list[Generation] = []
        for (name, unit, index), one in evidence.generations.items():
            sample = SampleKey(one.item, one.variant, name, index)
            response = evidence.responses.get((name, unit, index))
            if name != model or sample not in scores or response is None:
                continue
            seen.add(sample)
            if text_hash(response) != hashes[sample]:
                changed += 1
                continue
            score = _merged(one, scores[sample]) if merge else scores[sample]
            if score is None:
                unsigned += 1
            else:
                fresh.append(replace(one, human_score=human_score_json(score)))
        taken += len(fresh)
        work.folder.save_generations(model, fresh)
        _mark_rubric(work, model, fresh, hashes)
    return Placed(taken, changed, len(set(scores) - seen), unsigned)


def _merged(one: Generation, new: HumanScore) -> HumanScore | None:
    """The new ratings with those of other raters that the record has; None where it has one without names."""
    old = read_human_score(one.human_score, Place(f"generations of {one.model}, {one.item}"))
    if old is None:
        return new
    if old.n_raters != len(old.ratings):
        return None
    ours = {rating.rater for rating in new.ratings}
    return merge_ratings([*(rating for rating in old.ratings if rating.rater not in ours), *new.ratings])


def _mark_rubric(work: Workspace, model: str, fresh: Sequence[Generation], hashes: Mapping[SampleKey, str]) -> None:
    known = {
        (one.item, one.variant, one.index, hashes[SampleKey(one.item, one.variant, model, one.index)]): one.human_score
        for one in fresh
    }
    _mark(
        work.folder.path / "rubric" / f"{slug(model)}.jsonl",
        known,
        lambda row: (row.get("item_id"), row.get("variant") or "", row.get("index"), row.get("text_hash")),
    )


def place_preferences(
    work: Workspace, preferences: Mapping[PairKey, HumanPreference], hashes: Mapping[PairKey, tuple[str, str]]
) -> Placed:
    """Put preferences into the comparison records, whose model_a is the first in the alphabet, as `a` has to be.

    `hashes` are those of the two texts that people saw. Every judge's record of a pair gets them.
    """
    file = work.folder.path / "pairwise" / "comparisons.jsonl"
    rows = read_lines(file)[0]
    recorded = {_pair(row): row.get("text_hash") for row in rows}
    shown = {key: " ".join(sorted(hashes[key])) for key in preferences}
    known = {
        (key, shown[key]): human_preference_json(preference)
        for key, preference in preferences.items()
        if recorded.get(key) == shown[key]
    }
    _mark(file, known, lambda row: (_pair(row), row.get("text_hash")))
    absent = sum(key not in recorded for key in preferences)
    return Placed(len(known), len(preferences) - len(known) - absent, absent)


def _pair(row: Mapping[str, Any]) -> PairKey:
    return PairKey(str(row.get("item_id")), row.get("variant") or "", str(row.get("model_a")), str(row.get("model_b")))


def _mark(file: Path, known: Mapping[Any, Any], key: Callable[[Mapping[str, Any]], Any]) -> None:
    """Write the file anew with the known values; nothing happens where none of its rows is meant."""
    rows = read_lines(file)[0]
    if any(key(row) in known for row in rows):
        write_lines(file, [{**row, "human_score": known.get(key(row), row.get("human_score"))} for row in rows])
