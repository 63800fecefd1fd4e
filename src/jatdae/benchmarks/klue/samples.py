"""From an item and its prediction to a sample: what a reader sees of both, and what the prediction is worth."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from jatdae.benchmarks.klue import metrics
from jatdae.benchmarks.klue.metrics.score import Score
from jatdae.benchmarks.klue.metrics.similarity import THRESHOLD
from jatdae.benchmarks.klue.records import ParsedSentence, Question, SimilarityPair, TaggedSentence
from jatdae.benchmarks.klue.scoring.fields import Prediction
from jatdae.benchmarks.klue.scoring.judging import Unit
from jatdae.benchmarks.klue.scoring.rows import BLANK
from jatdae.types import Outcome, Sample

PREDICTED = "prediction"
"""Where a sample's detail holds the fields of its prediction, from which all scores are computed again."""
NOTHING = "(none)"
"""An empty prediction or target: no answer, no entity, an empty state."""


@dataclass(frozen=True, slots=True)
class Worth:
    """An item's prediction and target in short, values in 0..1 by name, and whether all of it is right."""

    shown: str
    target: str
    values: Mapping[str, float]
    right: bool


def klue_sample(
    task: str,
    unit: Unit,
    prediction: Prediction | None,
    *,
    seed: int | None = None,
    outcome: Outcome | None = None,
    detail: Mapping[str, Any] = MappingProxyType({}),
) -> Sample:
    """The sample of one item; without a prediction every value is 0.

    The values, and of what their mean is the metric itself:

    ynat, nli, re: `accuracy` (itself). sts: `closeness`, 1 - |difference| / 5; `same_side` of the threshold 3.
    ner: `characters_right`, the share of characters that are no blank with the right tag; `sentence_right`.
    dp: `sentence_uas`, `sentence_las`, shares of the sentence's words. mrc: `exact_match`, `rouge_w` (themselves).
    wos: `joint_goal_accuracy`, `slot_f1` (themselves). Right is an item that is wholly so, in sts the same side.
    """
    fields = {name: _finite(value) for name, value in (prediction or {}).items()}
    worth = WORTH[task](unit.gold, fields)
    return Sample(
        item=unit.id,
        outcome=outcome or (Outcome.RIGHT if worth.right else Outcome.WRONG),
        prediction=None if prediction is None else worth.shown,
        target=worth.target,
        scores=worth.values if prediction is not None else dict.fromkeys(worth.values, 0.0),
        group=unit.group,
        cluster=unit.cluster,
        seed=seed,
        detail={**detail, PREDICTED: None if prediction is None else fields},
    )


def _finite(value: Any) -> Any:
    """A value as it can be stored: a number that is not finite is none, and a list that holds one neither."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list | tuple):
        plain = [_finite(inner) for inner in value]
        broken = any(isinstance(old, float) and new is None for old, new in zip(value, plain, strict=True))
        return None if broken else plain
    return value


def _of_label(gold: Any, fields: Prediction) -> Worth:
    label = fields.get("prediction")
    return Worth(str(label), gold.label, {"accuracy": float(label == gold.label)}, label == gold.label)


def _of_similarity(gold: SimilarityPair, fields: Prediction) -> Worth:
    score = fields.get("prediction")
    if score is None:
        return Worth(NOTHING, f"{gold.real_label:.2f}", {"closeness": 0.0, "same_side": 0.0}, False)
    closeness = 1 - min(abs(score - gold.real_label), 5) / 5
    same_side = (score >= THRESHOLD) == (gold.real_label >= THRESHOLD)
    values = {"closeness": closeness, "same_side": float(same_side)}
    return Worth(f"{score:.2f}", f"{gold.real_label:.2f}", values, same_side)


def _of_tags(gold: TaggedSentence, fields: Prediction) -> Worth:
    tags = fields.get("tags") or [""] * len(gold.characters)
    triples = zip(gold.characters, gold.tags, tags, strict=True)
    right = [truth == guess for character, truth, guess in triples if character != BLANK]
    share = sum(right) / len(right)
    values = {"characters_right": share, "sentence_right": float(share == 1)}
    return Worth(_entities(gold.characters, tags), _entities(gold.characters, gold.tags), values, share == 1)


def _entities(characters: Sequence[str], tags: Sequence[str]) -> str:
    found = metrics.entities(tags)
    return ", ".join(f"{''.join(characters[start:end])}:{kind}" for start, end, kind in found) or NOTHING


def _of_tree(gold: ParsedSentence, fields: Prediction) -> Worth:
    blank = [None] * len(gold.words)
    heads, labels = (fields.get(name) or blank for name in ("heads", "deprels"))
    scored = metrics.attachment([gold.heads], [gold.labels], [heads], [labels])
    values = {"sentence_uas": _share(scored.uas_micro), "sentence_las": _share(scored.las_micro)}
    return Worth(_tree(heads, labels), _tree(gold.heads, gold.labels), values, values["sentence_las"] == 1)


def _tree(heads: Sequence[int | None], labels: Sequence[str | None]) -> str:
    return " ".join(f"{head}/{label}" for head, label in zip(heads, labels, strict=True))


def _of_answer(gold: Question, fields: Prediction) -> Worth:
    text = fields.get("prediction")
    references = [answer.text for answer in gold.answers]
    measures = {"exact_match": metrics.exact_match, "rouge_w": metrics.rouge_w}
    values = {name: _share(measure([text], [references])) for name, measure in measures.items()}
    target = " | ".join(dict.fromkeys(references)) or NOTHING
    return Worth(text or NOTHING, target, values, values["exact_match"] == 1)


def _of_state(gold: Sequence[str], fields: Prediction) -> Worth:
    state = fields.get("prediction")
    measures = {"joint_goal_accuracy": metrics.joint_goal_accuracy, "slot_f1": metrics.slot_f1}
    values = {name: _share(measure([gold], [state])) for name, measure in measures.items()}
    shown, target = (", ".join(sorted(items or ())) or NOTHING for items in (state, gold))
    return Worth(shown, target, values, values["joint_goal_accuracy"] == 1)


def _share(score: Score) -> float:
    """The official value of one item, in 0..1; 0 where it is undefined because nothing was predicted."""
    return 0.0 if score.official is None else score.official / 100


WORTH: Mapping[str, Callable[[Any, Prediction], Worth]] = {
    "ynat": _of_label,
    "sts": _of_similarity,
    "nli": _of_label,
    "ner": _of_tags,
    "re": _of_label,
    "dp": _of_tree,
    "mrc": _of_answer,
    "wos": _of_state,
}
"""Task to what a prediction is worth."""
