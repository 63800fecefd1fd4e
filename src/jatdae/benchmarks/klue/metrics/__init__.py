"""The official metrics of KLUE: one function a metric, plain sequences or arrays in, a frozen `Score` out.

Numbers are on the scale 0..100. Every score carries the `official` value, which is what the benchmark's own scorer
gives, its artefacts included, and the `clean` one, as the benchmark's text describes the metric.
"""

from __future__ import annotations

from jatdae.benchmarks.klue.metrics.answers import clean_normalized, exact_match, normalized, rouge_w
from jatdae.benchmarks.klue.metrics.dependencies import Attachment, attachment
from jatdae.benchmarks.klue.metrics.dialogue import joint_goal_accuracy, slot_f1
from jatdae.benchmarks.klue.metrics.entities import character_macro_f1, entities, entity_macro_f1
from jatdae.benchmarks.klue.metrics.entity_spreading import clean_characters, cut_gold, official_characters
from jatdae.benchmarks.klue.metrics.inference import accuracy
from jatdae.benchmarks.klue.metrics.relations import relation_auprc, relation_micro_f1
from jatdae.benchmarks.klue.metrics.score import Additive, Resample, Score, merged
from jatdae.benchmarks.klue.metrics.similarity import f1_at_threshold, pearson
from jatdae.benchmarks.klue.metrics.topic import topic_macro_f1

__all__ = [
    "Additive",
    "Attachment",
    "Resample",
    "Score",
    "accuracy",
    "attachment",
    "character_macro_f1",
    "clean_characters",
    "clean_normalized",
    "cut_gold",
    "entities",
    "entity_macro_f1",
    "exact_match",
    "f1_at_threshold",
    "joint_goal_accuracy",
    "merged",
    "normalized",
    "official_characters",
    "pearson",
    "relation_auprc",
    "relation_micro_f1",
    "rouge_w",
    "slot_f1",
    "topic_macro_f1",
]
