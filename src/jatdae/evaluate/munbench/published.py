"""Rubric scores and comparisons in the original harness's form, beside ours: derived files, made again at any time.

Human scores that somebody wrote into them stay, as long as the text that they belong to is the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from jatdae.evaluate.munbench.evidence import Evidence
from jatdae.evaluate.munbench.files import slug
from jatdae.evaluate.munbench.games import Comparison
from jatdae.evaluate.munbench.lines import read_lines, write_lines

Row = dict[str, Any]
WORDS: Mapping[str, str] = {"A_much": "A", "A": "A", "tie": "draw", "B": "B", "B_much": "B"}


def write_rubric(evidence: Evidence) -> None:
    """`rubric/MODEL.jsonl`: one line a sample with every judge's iterations, mean and spread."""
    for model in evidence.models:
        rows = [_rubric_row(evidence, key) for key in sorted(evidence.samples) if key[0] == model]
        file = evidence.work.folder.path / "rubric" / f"{slug(model)}.jsonl"
        write_lines(file, _with_human_scores(rows, read_lines(file)[0], ("item_id", "variant", "index"), "text_hash"))


def _rubric_row(evidence: Evidence, key: tuple[str, str, int]) -> Row:
    sample, records = evidence.samples[key], evidence.scores[key]
    return {
        "item_id": sample.item,
        "track": sample.track,
        "variant": sample.variant or None,
        "model": sample.model,
        "index": sample.index,
        "judges": [
            {
                "judge": judge.judge,
                "iterations": [
                    {
                        "raw_scores": dict(one.scores),
                        "weighted_score": one.weighted,
                        "parse_error": one.error or (one.status if one.status in ("partial", "unparsed") else None),
                    }
                    for one in sorted(records, key=lambda one: one.iteration)
                    if one.judge == judge.judge
                ],
                "mean": judge.mean,
                "std": judge.std,
            }
            for judge in sample.judges
        ],
        "final_mean": sample.final_mean,
        "raw_mean": sample.raw_mean,
        "judge_disagreement_std": sample.judge_disagreement_std,
        "judges_failed": list(sample.judges_failed),
        "judges_excluded": list(sample.judges_excluded),
        "gate_failed": sample.gate_failed,
        "text_hash": records[0].text_hash,
        "human_score": None,
    }


def write_comparisons(evidence: Evidence) -> None:
    """`pairwise/comparisons.jsonl`: one line for both orders of a judge on a pair."""
    rows = [_comparison_row(one) for one in evidence.comparisons]
    file = evidence.work.folder.path / "pairwise" / "comparisons.jsonl"
    names = ("item_id", "variant", "model_a", "model_b", "judge")
    write_lines(file, _with_human_scores(rows, read_lines(file)[0], names, "text_hash"))


def _comparison_row(one: Comparison) -> Row:
    first, second = (WORDS.get(order.winner or "") if order else None for order in one.orders)
    shown = next(order for order in one.orders if order is not None)
    return {
        "track": one.track,
        "item_id": one.item,
        "variant": one.variant or None,
        "model_a": one.a,
        "model_b": one.b,
        "judge": one.judge,
        "order1_winner": first,
        "order2_winner": second,
        "score_a": one.outcome.score if one.outcome else None,
        "kind": one.outcome.kind if one.outcome else None,
        "self_judged": one.self_judged,
        "error": one.error or None,
        "text_hash": " ".join(sorted((shown.first_hash, shown.second_hash))),
        "human_score": None,
    }


def _with_human_scores(rows: list[Row], old: list[Row], names: tuple[str, ...], text: str) -> Iterator[Row]:
    """The rows with what people scored, where the text is still the one that they saw."""
    known = {
        tuple(row.get(name) for name in (*names, text)): row["human_score"]
        for row in old
        if row.get("human_score") is not None
    }
    for row in rows:
        yield {**row, "human_score": known.get(tuple(row[name] for name in (*names, text)))}
