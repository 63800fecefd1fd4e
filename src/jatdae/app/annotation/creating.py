"""Making a set: from the texts of a MunBench run, or from the samples of stored results."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from jatdae.errors import RequestError
from jatdae.evaluate.munbench.config import read_config
from jatdae.evaluate.munbench.evidence import Evidence
from jatdae.evaluate.munbench.reading_only import evidence_of
from jatdae.judging.annotation.units import Pair, pair_units, rubric_units, without_names
from jatdae.judging.cases import Case, Criterion, Response, Section
from jatdae.store import Store, StoredResult
from jatdae.store.annotations import Annotations, AnnotationSet, NewUnit, SetKind
from jatdae.types import Completion, Generate, Sample, digest

OVERALL = Criterion("전반적인 품질", "과제를 얼마나 잘 해냈는지 전체로 봅니다. (overall quality)", 1.0)
"""What is scored where nobody names criteria."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a set is to be: its name, how many units, the seed of all that is drawn, and the criteria to score."""

    name: str
    kind: SetKind
    size: int | None
    seed: int
    criteria: tuple[str, ...] = ()


def create_from_munbench(store: Store, wanted: Wanted, config: Path) -> AnnotationSet:
    """A set of a MunBench run's texts. Pairs are first of all those that judges have compared.

    Raises RequestError where there is nothing to rate, and as `read_config` does.
    """
    _check_name(wanted.name)
    evidence = evidence_of(read_config(config))
    _check_blind(wanted.name, evidence.models)
    secret_seed = digest("annotation", str(wanted.seed), evidence.work.dataset.hash)
    units = _munbench_units(evidence, wanted, secret_seed)
    settings = {"source": "munbench", "config": str(config.resolve()), **_settings(wanted, secret_seed)}
    return Annotations(store).create(wanted.name, wanted.kind, settings, units)


def _munbench_units(evidence: Evidence, wanted: Wanted, seed: str) -> list[NewUnit]:
    cases = evidence.work.cases
    samples = [
        (cases[unit], response) for (_, unit, _), response in sorted(evidence.responses.items()) if unit in cases
    ]
    if not samples:
        raise RequestError("there are no texts to rate; run `jatdae munbench generate` first")
    if wanted.kind == "rubric":
        return rubric_units(samples, seed=seed, size=wanted.size, criteria=wanted.criteria)
    judged = {(one.item, one.variant, frozenset((one.first, one.second))) for one in evidence.verdicts}
    return pair_units(_pairs(samples, judged), seed=seed, size=wanted.size)


def _pairs(samples: Sequence[tuple[Case, Response]], judged: set[tuple[str, str, frozenset[str]]]) -> list[Pair]:
    """Every two models on every case that both have answered, by their first answers."""
    by_case: dict[str, list[tuple[Case, Response]]] = {}
    for case, response in samples:
        if response.index == 0:
            by_case.setdefault(case.key, []).append((case, response))
    return [
        Pair(case, one, other, (case.item, case.variant, frozenset((one.model, other.model))) in judged)
        for answered in by_case.values()
        for (case, one), (_, other) in combinations(answered, 2)
    ]


def create_from_task(
    store: Store, wanted: Wanted, task: str, models: Sequence[str], runs: Sequence[int] = ()
) -> AnnotationSet:
    """A set of what models wrote to a task's items: of each model the newest result, or the one among `runs`.

    Each of `criteria` is a name, or a name and a description parted by a colon. Raises RequestError where a model has
    no result or wrote no text.
    """
    _check_name(wanted.name)
    criteria = tuple(_criterion(text, len(wanted.criteria)) for text in wanted.criteria) or (OVERALL,)
    found = [_results(store, task, model, runs) for model in models]
    names = list(dict.fromkeys(one[0].model_reference for one in found))
    _check_blind(wanted.name, names)
    if wanted.kind == "pairs" and len(names) < 2:
        raise RequestError("pairs need two models or more: --model A --model B")
    written = [_written_by(store, candidates, criteria, names) for candidates in found]
    results = [result for result, _ in written]
    samples = [one for _, texts in written for one in texts]
    seed = digest("annotation", str(wanted.seed), *(one.fingerprint for one in results))
    if wanted.kind == "rubric":
        units = rubric_units(samples, seed=seed, size=wanted.size)
    else:
        units = pair_units(_pairs(samples, set()), seed=seed, size=wanted.size)
    settings = {"source": "task", "task": task, "results": [one.id for one in results], **_settings(wanted, seed)}
    return Annotations(store).create(wanted.name, wanted.kind, settings, units)


def _settings(wanted: Wanted, seed: str) -> dict[str, Any]:
    return {"seed": seed, "given_seed": wanted.seed, "size": wanted.size}


def _check_name(name: str) -> None:
    if not re.fullmatch(r"[\w.\-]{1,60}", name):
        raise RequestError(f"{name!r} is no name for a set; letters, digits, dots and hyphens are expected, at most 60")


def _check_blind(name: str, models: Sequence[str]) -> None:
    """Raters see the name."""
    if without_names(name, models) != name:
        raise RequestError(f"the name {name!r} holds a model's name, which raters would see; choose another")


def _results(store: Store, task: str, model: str, runs: Sequence[int]) -> list[StoredResult]:
    """A model's results of a task, the newest first."""
    found = [
        one for one in store.results(task=task) if model in one.model_reference and (not runs or one.run_id in runs)
    ]
    if not found:
        among = f" in run {', '.join(map(str, runs))}" if runs else ""
        raise RequestError(f"no result of {task} by a model like {model!r}{among}; see: jatdae results")
    if len({one.model_reference for one in found}) > 1:
        known = ", ".join(sorted({one.model_reference for one in found}))
        raise RequestError(f"--model {model!r} fits several models: {known}; write more of its name")
    return found


def _written_by(
    store: Store, results: Sequence[StoredResult], criteria: tuple[Criterion, ...], names: Sequence[str]
) -> tuple[StoredResult, list[tuple[Case, Response]]]:
    """The newest result that holds written texts, with them. Raises RequestError where none does."""
    for result in results:
        texts = list(_samples(store, result, criteria, names))
        if texts:
            return result, texts
    modes = ", ".join(dict.fromkeys(one.mode for one in results))
    raise RequestError(
        f"{results[0].model_reference} wrote no text to {results[0].task} ({modes}): likelihoods cannot be read;"
        " run a mode in which the model writes, such as direct"
    )


def _criterion(text: str, count: int) -> Criterion:
    name, _, description = text.partition(":")
    if not name.strip():
        raise RequestError(f"--criteria {text!r}: write a name, or NAME: DESCRIPTION")
    return Criterion(name.strip(), description.strip(), 1 / count)


def _samples(
    store: Store, result: StoredResult, criteria: tuple[Criterion, ...], names: Sequence[str]
) -> Iterator[tuple[Case, Response]]:
    """The first sample of every item that has a written answer, as a case and a response to it."""
    seen: set[str] = set()
    for sample in store.samples(result.id):
        exchanges = [] if sample.item in seen else _written(store, sample)
        if exchanges:
            seen.add(sample.item)
            prompt = without_names(exchanges[0][0], names)
            sections = tuple(Section(_title(place, len(exchanges)), text) for place, (_, text) in enumerate(exchanges))
            case = Case(sample.item, "", 0, sample.group, (Section("과제", prompt),), "", criteria)
            yield case, Response(result.model_reference, sections)


def _title(place: int, count: int) -> str:
    return "응답" if count == 1 else f"{place + 1}번째 응답"


def _written(store: Store, sample: Sample) -> list[tuple[str, str]]:
    """What was asked and what was written, for each request that asked for text."""
    found = []
    for key in sample.requests:
        request, answer = store.exchange(key) or (None, None)
        if isinstance(request, Generate) and isinstance(answer, Completion):
            found.append((_asked(request), answer.text))
    return found


def _asked(request: Generate) -> str:
    if isinstance(request.prompt, str):
        return request.prompt
    said: Mapping[str, str] = {"system": "지시", "user": "질문", "assistant": "이전 응답"}
    return "\n\n".join(f"[{said[one.role]}]\n{one.content}" for one in request.prompt)
