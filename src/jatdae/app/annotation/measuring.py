"""The figures of the agreement page and of `jatdae annotate agreement`: raters among themselves, judges beside them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from jatdae.app.annotation.loading import LoadedSet
from jatdae.errors import JatdaeError
from jatdae.evaluate.munbench.config import read_config
from jatdae.evaluate.munbench.evidence import Evidence
from jatdae.evaluate.munbench.reading_only import evidence_of
from jatdae.judging.annotation.agreement import (
    FEWEST_ITEMS,
    JudgeAgreement,
    RaterAgreement,
    choice_agreement,
    judged_choices,
    judged_scores,
    score_agreement,
)
from jatdae.judging.annotation.answers import chosen_units, criteria_of, rated_units
from jatdae.judging.annotation.units import Compared, Rated
from jatdae.judging.cases import RubricScore, Verdict
from jatdae.judging.presentation import text_hash
from jatdae.judging.validation.agreement import ENSEMBLE, OVERALL, key_of, summaries
from jatdae.judging.validation.human_scores import SampleKey
from jatdae.stats.agreement.resampling import DRAWS
from jatdae.stats.ratings import points


@dataclass(frozen=True, slots=True)
class JudgeReport:
    """Judges beside people, overall and by criterion. `absent` says why there are none."""

    rows: tuple[JudgeAgreement, ...] = ()
    absent: str = ""


def overall_report(loaded: LoadedSet, *, draws: int = DRAWS) -> RaterAgreement:
    """The raters of a set on the overall score, or on the choice of pairs, with every two of them."""
    if loaded.set.kind == "pairs":
        return choice_agreement(chosen_units(loaded.answers, loaded.compared), draws=draws)
    return score_agreement(OVERALL, rated_units(loaded.answers, loaded.rated, OVERALL), draws=draws)


def criteria_report(loaded: LoadedSet, *, draws: int = DRAWS) -> list[RaterAgreement]:
    """The raters of a rubric set on each criterion, where there are several."""
    return [
        score_agreement(name, rated_units(loaded.answers, loaded.rated, name), by_pairs=False, draws=draws)
        for name in _criteria(loaded)
    ]


def _criteria(loaded: LoadedSet) -> list[str]:
    names = criteria_of(loaded.rated) if loaded.set.kind == "rubric" else []
    return names if len(names) > 1 else []


def judge_report(loaded: LoadedSet, *, draws: int = DRAWS) -> JudgeReport:
    """The judges of the MunBench run that the set is from. What cannot be read is told, not raised."""
    if loaded.set.settings["source"] != "munbench":
        return JudgeReport(absent="the set is of stored samples, which no judge has scored")
    try:
        evidence = evidence_of(read_config(Path(loaded.set.settings["config"])))
        rows = (
            _judged_pairs(loaded, evidence, draws) if loaded.set.kind == "pairs" else _judged(loaded, evidence, draws)
        )
    except JatdaeError as error:
        return JudgeReport(absent=str(error))
    return JudgeReport(tuple(rows)) if rows else JudgeReport(absent="no judge has judged these very texts")


def _judged(loaded: LoadedSet, evidence: Evidence, draws: int) -> list[JudgeAgreement]:
    """Overall with every measure, then each criterion with kappa and alpha."""
    scores = scores_by_judge([one for found in evidence.scores.values() for one in found])
    hashes = {key: text_hash(response) for key, response in evidence.responses.items()}
    present = {unit: one for unit, one in loaded.rated.items() if _is_present(one, hashes)}
    found = []
    for name in [OVERALL, *_criteria(loaded)]:
        units = [unit for unit in rated_units(loaded.answers, loaded.rated, name) if unit.unit in present]
        for judge, by_sample in scores.items():
            given = {
                unit: by_sample[one.sample][name]
                for unit, one in present.items()
                if name in by_sample.get(one.sample, {})
            }
            row = judged_scores(judge, name, units, given, whole=name == OVERALL, draws=draws)
            found += [row] if row.units else []
    return found


def _is_present(unit: Rated, hashes: Mapping[tuple[str, str, int], str]) -> bool:
    """Whether the text is still the one that people saw."""
    sample = unit.sample
    name = f"{sample.item}/{sample.variant}" if sample.variant else sample.item
    return hashes.get((sample.model, name, sample.index)) == unit.text_hash


def scores_by_judge(scores: Sequence[RubricScore]) -> dict[str, dict[SampleKey, dict[str, float]]]:
    """Each judge's mean over iterations by text and criterion, "overall" among them; and their ensemble's."""
    judges = tuple(sorted({one.judge for one in scores}))
    found: dict[str, dict[SampleKey, dict[str, float]]] = defaultdict(dict)
    for sample in summaries(scores, judges):
        for one in sample.judges:
            if one.mean is not None:
                found[one.judge][key_of(sample)] = {OVERALL: one.mean, **one.criteria}
        if len(judges) > 1 and sample.final_mean is not None:
            found[ENSEMBLE][key_of(sample)] = {OVERALL: sample.final_mean, **sample.criteria}
    return dict(found)


def _judged_pairs(loaded: LoadedSet, evidence: Evidence, draws: int) -> list[JudgeAgreement]:
    units = chosen_units(loaded.answers, loaded.compared)
    found = []
    for judge in sorted({one.judge for one in evidence.verdicts}):
        verdicts = [one for one in evidence.verdicts if one.judge == judge]
        choices = choices_of(verdicts, loaded.compared)
        found.append(judged_choices(judge, units, choices, draws=draws))
    return [row for row in found if row.units]


def choices_of(verdicts: Sequence[Verdict], units: Mapping[str, Compared]) -> dict[str, float]:
    """A judge's choice by unit, over the orders that it gave a verdict in: above 0 for the first text, below for the
    second. Verdicts on other texts than people saw are left out.
    """
    won: dict[tuple[str, str, str, str], list[float]] = defaultdict(list)
    for one in verdicts:
        if one.winner is not None and one.status == "ok":
            first = 2 * points(one.winner) - 1
            won[one.item, one.variant, one.first_hash, one.second_hash].append(first)
            won[one.item, one.variant, one.second_hash, one.first_hash].append(-first)
    found = {unit: won.get((one.item, one.variant, *one.hashes), []) for unit, one in units.items()}
    return {unit: math.fsum(values) / len(values) for unit, values in found.items() if values}


def warnings(agreement: RaterAgreement) -> list[str]:
    """What a reader has to know before the figures: too few raters, too few units."""
    found = []
    if len(agreement.raters) < 2:
        found.append("fewer than two raters: agreement needs two")
    if agreement.units < FEWEST_ITEMS:
        found.append(f"{agreement.units} units have two raters or more; under {FEWEST_ITEMS} the figures are unsteady")
    return found


def agreement_record(loaded: LoadedSet) -> dict[str, Any]:
    """All of it as one document."""
    overall, judges = overall_report(loaded), judge_report(loaded)
    raters = [overall, *criteria_report(loaded)]
    return {
        "set": loaded.set.name,
        "kind": loaded.set.kind,
        "warnings": warnings(overall),
        "raters": [{**asdict(one), "standing": one.standing} for one in raters],
        "judges": [{**asdict(one), "standing": one.standing, **_passed(one)} for one in judges.rows],
        "judges_absent": judges.absent,
    }


def _passed(one: JudgeAgreement) -> dict[str, Any]:
    return {} if one.stand_in is None else {"may_stand_in": one.stand_in.passed}
