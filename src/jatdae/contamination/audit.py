"""The checks as a whole: from a task and a corpus or a model to findings, each with what it lets one claim."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from jatdae.benchmarks.base import Task
from jatdae.benchmarks.multiple_choice import Question
from jatdae.contamination.asking import ask_all
from jatdae.contamination.ngrams import Index, Overlap, best_by_item, overlaps
from jatdae.contamination.orders import (
    FileTest,
    OrderTest,
    file_requests,
    file_test,
    order_request,
    order_test,
    shift_requests,
    shift_scores,
    unexchangeable,
)
from jatdae.contamination.texts import item_texts, questions
from jatdae.errors import RequestError
from jatdae.evaluate.planning import choose_items
from jatdae.evaluate.run import Run
from jatdae.models.base import AnyBackend
from jatdae.stats import mean, paired_difference, proportion
from jatdae.store import Store, StoredResult
from jatdae.types import Estimate


@dataclass(frozen=True, slots=True)
class OverlapFinding:
    """Items that overlap a corpus, their share, and, for a stored result, its score on them and on the rest."""

    items: int
    overlapping: tuple[Overlap, ...]
    share: Estimate
    too_short: int
    passages: int
    score_overlapping: Estimate | None = None
    score_clean: Estimate | None = None


@dataclass(frozen=True, slots=True)
class ShiftFinding:
    """Accuracy with the options as published and moved round, and the paired difference."""

    published: Estimate
    shifted: Estimate
    difference: Estimate
    failed: int


def audit_overlap(
    task: Task, passages: Iterable[tuple[str, str]], store: Store | None = None, stored: StoredResult | None = None
) -> OverlapFinding:
    """Which items of a task a corpus holds. `passages` are places and texts, read once."""
    items = item_texts(task)
    index, counted = Index(items), Counter[str]()

    def counting() -> Iterable[tuple[str, str]]:
        for passage in passages:
            counted["passages"] += 1
            yield passage

    best = best_by_item(overlaps(index, counting()))
    ordered = tuple(best[item.id] for item in items if item.id in best)
    share = proportion([float(item.id in best) for item in items])
    scores = _scores(store, stored, best.keys()) if store and stored else (None, None)
    return OverlapFinding(len(items), ordered, share, len(index.too_short()), counted["passages"], *scores)


def _scores(store: Store, stored: StoredResult, overlapping: Iterable[str]) -> tuple[Estimate | None, Estimate | None]:
    """Share of right items among those that overlap and among the rest; None where there is none."""
    known = set(overlapping)
    rights: dict[bool, list[float]] = {True: [], False: []}
    for sample in store.samples(stored.id):
        if sample.scores:
            rights[sample.item in known].append(float(sample.outcome.value == "right"))
    return tuple(proportion(values) if values else None for values in (rights[True], rights[False]))  # pyright: ignore[reportReturnType]


def audit_options(task: Task, backend: AnyBackend, run: Run) -> OrderTest:
    """Is the published order of the options the likeliest? Raises RequestError where that means nothing."""
    chosen, left_out = _exchangeable(task)
    answers = ask_all(backend, run, [order_request(one) for one in chosen], "orders of options")
    return order_test(chosen, answers, left_out)


def _exchangeable(task: Task) -> tuple[list[Question], Counter[str]]:
    if task.name.partition("/")[0] == "konubench":
        raise RequestError(
            "KoNUBench keeps its right option in the first place, so that the order of options says nothing of it"
        )
    reasons = {question.id: unexchangeable(question) for question in questions(task)}
    kept = [one for one in choose_items(task, task.protocol.limit) if reasons[one.id] is None]
    if not kept:
        raise RequestError(f"{task.name}: no item is left whose options could stand in any order")
    return kept, Counter(reason for reason in reasons.values() if reason)


def audit_file(task: Task, backend: AnyBackend, run: Run) -> FileTest:
    """Is the published order of the rows likelier than shuffled? Raises RequestError for under two shards."""
    requests = file_requests([item.text for item in item_texts(task)])
    flat = ask_all(backend, run, [request for own in requests for request in own], "orders of rows")
    answers, at = [], 0
    for own in requests:
        answers.append(flat[at : at + len(own)])
        at += len(own)
    found = file_test(answers)
    if found is None:
        raise RequestError(
            f"{task.name}: under two shards of rows could be scored; the file is too short, or the model"
        )
    return found


def audit_shifts(task: Task, backend: AnyBackend, run: Run) -> ShiftFinding:
    """Does accuracy hold when the options are moved round?"""
    chosen: Sequence[Question] = [one for one in choose_items(task, task.protocol.limit) if isinstance(one, Question)]
    questions(task)
    requests = [shift_requests(one) for one in chosen]
    flat = ask_all(backend, run, [request for own in requests for request in own], "options moved round")
    scores, at = [], 0
    for question, own in zip(chosen, requests, strict=True):
        scores.append(shift_scores(question, flat[at : at + len(own)]))
        at += len(own)
    known = [one for one in scores if one is not None]
    if not known:
        raise RequestError(f"{task.name}: no item was answered")
    published, shifted = ([one[side] for one in known] for side in (0, 1))
    difference = paired_difference(published, shifted)
    return ShiftFinding(proportion(published), mean(shifted), difference, len(scores) - len(known))
