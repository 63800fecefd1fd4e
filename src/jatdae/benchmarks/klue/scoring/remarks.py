"""What stands beside KLUE's scores: which classes, which average, which rule, and what looks like a slip."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from jatdae.benchmarks.klue.inspection import SIZES
from jatdae.benchmarks.klue.labels import HUB_LABELS, LABELS
from jatdae.benchmarks.klue.metrics.score import Score
from jatdae.benchmarks.klue.reading.files import split_of
from jatdae.benchmarks.klue.scoring.intervals import NO_SPREAD, VARIANTS
from jatdae.benchmarks.klue.scoring.rows import OUTER
from jatdae.types import Estimate

SUSPECT = 0.2
"""So much more accuracy under the other numbering of labels isn't chance."""

OUTSIDE = {"ner": "tags", "dp": "heads and labels of words", "wos": "slots"}
"""What is outside the known ones, where it isn't a whole prediction."""

Scores = Mapping[str, Score]


def of_labels(task: str, scores: Scores) -> list[str]:
    """For the metrics of topics, inference and relations."""
    if task == "ynat":
        return _of_topics(scores["macro_f1"])
    return _of_relations(scores) if task == "re" else []


def _of_topics(score: Score) -> list[str]:
    if score.official is None:
        return []
    detail = score.detail
    return [
        f"macro F1: official over the {len(detail['classes'])} classes in gold or prediction, clean over the "
        f"{len(detail['gold_classes'])} in gold; over all {len(LABELS['ynat'])} it is {detail['over_all_classes']:.2f}"
    ]


def _of_relations(scores: Scores) -> list[str]:
    notes = ["micro F1 leaves no_relation out of the classes; it still makes false positives and negatives"]
    absent = scores["auprc"].detail.get("absent", ())
    if absent:
        notes.append(
            f"AUPRC: {len(absent)} of {len(LABELS['re'])} relations have no gold ({', '.join(absent)}); official "
            "counts 50 for each, clean leaves them out"
        )
    return notes


def of_order(task: str, gold: Sequence[str], guesses: Sequence[str | None]) -> list[str]:
    """A warning where the labels would be right much more often, had they been numbered in the other known order."""
    official, hub = LABELS[task], HUB_LABELS[task]
    right = _share(gold, guesses)
    for first, second in ((official, hub), (hub, official)):
        other = dict(zip(first, second, strict=True))
        share = _share(gold, [guess and other.get(guess, guess) for guess in guesses])
        if share > right + SUSPECT:
            return [
                f"WARNING: accuracy is {100 * right:.2f}, and would be {100 * share:.2f} with the labels exchanged as "
                "between the official and the hub's numbering; were names made from numbers in the other order?"
            ]
    return []


def _share(gold: Sequence[str], guesses: Sequence[str | None]) -> float:
    return sum(map(str.__eq__, gold, (guess or "" for guess in guesses))) / len(gold)


def of_similarity(scores: Scores) -> tuple[str, ...]:
    """For correlation and thresholded F1."""
    notes = ["measured on the unrounded means; F1 is that of pairs with 3 or more on both sides"]
    answered = scores["pearson"].detail.get("over_answered")
    if answered is not None:
        notes.append(f"Pearson's r over the answered pairs alone is {answered:.2f}")
    return tuple(notes)


def of_tags(scores: Scores, layout: str, left_out: int | None) -> tuple[str, ...]:
    """For entities and characters. `left_out` characters have no official tag; None where official is not apart."""
    entity, character = scores["entity_f1"].detail, scores["character_f1"].detail
    if left_out is not None:
        outer = (
            "official is measured on official_tags, with the model's output at the positions around each sentence, so "
            "an entity may run across sentences; clean on the right alignment, where they are O"
        )
    elif layout == OUTER:
        outer = (
            "official takes the given tags of the positions around each sentence, so an entity may run across "
            "sentences; in clean they are O"
        )
    else:
        outer = "sentences are scored apart: the positions around each, which official takes from the model, count as O"
    notes = [outer, f"tags are given for {layout}; blanks are not scored"]
    if "classes" in entity:
        micro = "" if entity["micro"] is None else f"; micro of the same counts: {entity['micro']:.2f}"
        types = ", ".join(entity["classes"])
        notes.insert(0, f"entity F1: strict IOB2, macro over the types in gold or prediction ({types}){micro}")
    if "absent" in character:
        absent = ", ".join(character["absent"])
        told = f"; tags that occur nowhere count 100: {absent}" if absent else ""
        notes.insert(1, f"character F1: macro over 13 tags with O (official), over the 12 without (clean){told}")
    if left_out:
        notes.append(f"{left_out:,} characters have no official tag, and official leaves them out of gold as well")
    return tuple(notes)


def of_trees(scores: Scores) -> tuple[str, ...]:
    """For attachment."""
    words = scores["uas_macro"].detail.get("words")
    return (
        f"{words:,} words" if words else "no words",
        "macro is what the official scorer selects by: UAS over head positions as classes, LAS over labels with the "
        "rarer ones as one class and a dummy class for wrong heads, which clean leaves out",
        "micro is the usual share of words",
    )


def of_answers(scores: Scores, unanswerable: int, empty_cells: int) -> tuple[str, ...]:
    """For reading comprehension."""
    notes = [
        f"{unanswerable:,} questions are unanswerable: only the empty text is right there, distractors are no gold",
        "ROUGE-W is the character F1 of the longest unbroken piece; clean also drops quotes and angle brackets",
    ]
    if empty_cells:
        notes.append(f"{empty_cells:,} empty cells are read as `no answer`, not as missing")
    score = scores["exact_match"]
    if score.missing and "over_answered" in score.detail:
        notes.append(f"exact match over the answered questions alone is {score.detail['over_answered']:.2f}")
    if score.detail.get("long_references"):
        notes.append(
            f"{score.detail['long_references']} questions have references of 200 characters or more, where the "
            "official search for the longest piece is approximate"
        )
    return tuple(notes)


def of_states(scores: Scores) -> tuple[str, ...]:
    """For dialogue states."""
    return (
        "states are compared as written; dontcare is a value, only none is left out",
        "slot F1: official is the mean over turns, clean one F1 over the entries of all turns",
    )


def of_outside(outside: Counter[str], what: str, n: int | None, known: int) -> list[str]:
    """The most frequent predictions that are no label of the task; they are never mapped to a near one."""
    if not outside:
        return []
    shown = ", ".join(f"{name!r} ({count:,})" for name, count in outside.most_common(5))
    more = ", ..." if len(outside) > 5 else ""
    of = "" if n is None else f" of {n:,}"
    return [f"{outside.total():,}{of} {what} are outside the {known} known ones and count as wrong: {shown}{more}"]


def of_wrong(task: str, missing: int, outside: Counter[str], items: int) -> list[str]:
    """What counts as wrong without being a wrong answer."""
    told = [f"{missing:,} of {items:,} have no prediction and count as wrong"] if missing else []
    if task == "sts":
        infinite = outside.total()
        return [*told, *([f"{infinite:,} numbers are not finite and count as wrong"] if infinite else [])]
    what, whole = (OUTSIDE[task], None) if task in OUTSIDE else ("predictions", items)
    return [*told, *of_outside(outside, what, whole, len(LABELS.get(task, ())))]


def of_part(task: str, gold: Path, items: int) -> list[str]:
    """That a file of gold holds another number of items (for wos: dialogues) than the published split."""
    published = SIZES[task].get(split_of(gold) or "")
    if published in (None, items):
        return []
    return [
        f"gold ({gold.name}) has {items:,} where the published split has {published:,}: published scores do not compare"
    ]


def of_undefined(scores: Scores) -> list[str]:
    """Which values are undefined, and why."""
    return [
        f"{name.replace('_', ' ')} is undefined: {score.reason}"
        for name, score in scores.items()
        if score.reason and (score.official is None or score.clean is None)
    ]


def of_intervals(found: Mapping[str, tuple[Estimate | None, Estimate | None]]) -> list[str]:
    """Why a value has no interval, where it is more than that nothing varies."""
    return [
        f"{name.replace('_', ' ')}, {variant}: no interval, {estimate.method.partition('none: ')[2]}"
        for name, pair in found.items()
        for variant, estimate in zip(VARIANTS, pair, strict=True)
        if estimate is not None and estimate.stderr is None and not estimate.method.endswith(NO_SPREAD)
    ]
