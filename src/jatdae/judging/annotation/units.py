"""Blind units from cases and responses: what is shown and, apart from it, who wrote it.

Masking, cleaning and balance are those of the blind sheets for spreadsheets.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from jatdae.errors import RequestError
from jatdae.judging.annotation.ordering import balanced_order
from jatdae.judging.annotation.shown import PairBody, RubricBody, Sections, ShownCriterion, ShownSection
from jatdae.judging.cases import Case, Criterion, Response
from jatdae.judging.fence import cleaned, masked
from jatdae.judging.presentation import text_hash
from jatdae.judging.validation.blind_sheet import KeyEntry, blind_sheet, sample_key
from jatdae.judging.validation.human_scores import SampleKey
from jatdae.korean.self_identification import MASK
from jatdae.store.annotations import NewUnit
from jatdae.types import digest


@dataclass(frozen=True, slots=True)
class Rated:
    """Who wrote a rubric unit's text. `criteria` maps names to weights, `cell` is what the order is balanced by."""

    sample: SampleKey
    track: int
    criteria: Mapping[str, float]
    text_hash: str
    cell: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Compared:
    """Who wrote the two texts of a pair, `first` and `second` as in its body; `hashes` in the same order."""

    item: str
    variant: str
    track: int
    first: str
    second: str
    hashes: tuple[str, str]
    cell: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two responses to one case that may be compared. `judged` says that judges have compared them."""

    case: Case
    one: Response
    other: Response
    judged: bool = False


def rubric_units(
    samples: Sequence[tuple[Case, Response]], *, seed: str, size: int | None, criteria: Sequence[str] = ()
) -> list[NewUnit]:
    """`size` responses (all without it), balanced over models, tracks and groups.

    `criteria` narrows the rubric down to these names. Raises RequestError for an unknown one and as `blind_sheet` does.
    """
    narrowed = [(_narrowed(case, criteria), response) for case, response in samples]
    if criteria:
        _refuse_unknown(criteria, [case for case, _ in samples])
        narrowed = [(case, response) for case, response in narrowed if case.criteria]
    by_key = {sample_key(case, response): (case, response) for case, response in narrowed}
    models = sorted({response.model for _, response in samples})
    sheet = blind_sheet(narrowed, seed=seed, size=size)
    return [_rubric_unit(row.id, sheet.key[row.id], *by_key[sheet.key[row.id].sample], models) for row in sheet.rows]


def _narrowed(case: Case, names: Sequence[str]) -> Case:
    if not names:
        return case
    kept = tuple(one for one in case.criteria if one.name in names)
    return Case(case.item, case.variant, case.track, case.stratum, case.context, case.notes, kept)


def _refuse_unknown(names: Sequence[str], cases: Iterable[Case]) -> None:
    known = dict.fromkeys(criterion.name for case in cases for criterion in case.criteria)
    for name in names:
        if name not in known:
            raise RequestError(f"--criteria {name!r} is not in the rubric; known: {', '.join(known)}")


def _rubric_unit(name: str, entry: KeyEntry, case: Case, response: Response, models: Sequence[str]) -> NewUnit:
    cell = (response.model, str(case.track), case.stratum)
    body = RubricBody(_prompt(case, response), _response(response, models), tuple(map(shown_criterion, case.criteria)))
    return NewUnit(name, asdict(body), asdict(Rated(entry.sample, entry.track, entry.criteria, entry.text_hash, cell)))


def _prompt(case: Case, *responses: Response) -> Sections:
    """The context without the scripted lines that a response shows in their place."""
    scripted = {section.text for response in responses for section in response.sections if section.fixed}
    return tuple(
        ShownSection(cleaned(one.title), cleaned(one.text)) for one in case.context if one.text not in scripted
    )


def _response(response: Response, models: Sequence[str]) -> Sections:
    """The response with its author, and every other model of the set, made unreadable."""
    return tuple(
        ShownSection(cleaned(one.title), without_names(masked(cleaned(one.text))[0], models), one.fixed)
        for one in response.sections
    )


def without_names(text: str, models: Sequence[str]) -> str:
    """The text without the models' own names, which the masks for well-known names cannot know.

    A name is what a reference ends in, and is masked where it has a digit or a hyphen: no everyday word then.
    """
    for model in models:
        last = re.split(r"[:/\\]", model)[-1]
        names = {model, last, re.sub(r"\.(?:gguf|safetensors)$", "", last)}
        for name in sorted((name for name in names if _is_telling(name)), key=len, reverse=True):
            text = re.sub(re.escape(name), MASK, text, flags=re.IGNORECASE)
    return text


def _is_telling(name: str) -> bool:
    return len(name) > 3 and re.search(r"[0-9-]", name) is not None and re.search(r"[^\W\d]", name) is not None


def shown_criterion(criterion: Criterion) -> ShownCriterion:
    """A criterion without its weight, which would tell raters what to care about."""
    return ShownCriterion(criterion.name, criterion.description, criterion.failure_signals)


def pair_units(pairs: Sequence[Pair], *, seed: str, size: int | None) -> list[NewUnit]:
    """`size` pairs (all without it), those that judges have compared first, balanced over pairs of models and groups.

    Raises RequestError where there is no pair, or a size below 1.
    """
    if not pairs:
        raise RequestError("there is no prompt that two of the models have answered")
    if size is not None and size < 1:
        raise RequestError(f"size {size}: at least 1 is needed")
    known = {_pair_name(pair, seed): pair for pair in pairs}
    models = sorted({response.model for pair in pairs for response in (pair.one, pair.other)})
    order = [
        name
        for judged in (True, False)
        for name in balanced_order({name: _cell(pair) for name, pair in known.items() if pair.judged is judged}, seed)
    ]
    return [_pair_unit(name, known[name], seed, models) for name in order[:size]]


def _pair_name(pair: Pair, seed: str) -> str:
    models = sorted((pair.one.model, pair.other.model))
    return "p" + digest("pair", seed, pair.case.item, pair.case.variant, *models)[:16]


def _cell(pair: Pair) -> tuple[str, ...]:
    models = sorted((pair.one.model, pair.other.model))
    return " / ".join(models), str(pair.case.track), pair.case.stratum


def _pair_unit(name: str, pair: Pair, seed: str, models: Sequence[str]) -> NewUnit:
    """Which of the two is the first is drawn from the seed."""
    first, second = sorted((pair.one, pair.other), key=lambda response: digest("first", seed, name, response.model))
    body = PairBody(_prompt(pair.case, first, second), _response(first, models), _response(second, models))
    hashes = (text_hash(first), text_hash(second))
    case = pair.case
    secret = Compared(case.item, case.variant, case.track, first.model, second.model, hashes, _cell(pair))
    return NewUnit(name, asdict(body), asdict(secret))


def rated(secret: Mapping[str, Any]) -> Rated:
    """A rubric unit's secret as the store has it."""
    raw: dict[str, Any] = dict(secret)
    sample = SampleKey(**raw["sample"])
    return Rated(**{**raw, "sample": sample, "cell": tuple(raw["cell"])})


def compared(secret: Mapping[str, Any]) -> Compared:
    """A pair's secret as the store has it."""
    raw: dict[str, Any] = dict(secret)
    return Compared(**{**raw, "hashes": tuple(raw["hashes"]), "cell": tuple(raw["cell"])})
