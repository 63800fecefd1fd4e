"""From samples to a result: the task's estimates, the rates of every fault, and what a reader must know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol as TypingProtocol

from jatdae.benchmarks.aggregation import rate
from jatdae.benchmarks.base import Item, Task
from jatdae.models.base import ModelIdentity
from jatdae.types import Estimate, Outcome, Result, Sample

WARN_RATE = 0.01
"""Share of answers without a usable choice above which a result says so."""
_FAULTS = (Outcome.UNPARSED, Outcome.TRUNCATED, Outcome.REFUSED, Outcome.FAILED)


class Measured(TypingProtocol):
    """What a result says of the model: a backend, or an encoder with how it was fine-tuned."""

    @property
    def identity(self) -> ModelIdentity: ...

    @property
    def settings(self) -> Mapping[str, str]: ...

    @property
    def notes(self) -> Sequence[str]: ...


def summarise(
    task: Task,
    model: Measured,
    items: Sequence[Item],
    samples: Sequence[Sample],
    floors: Mapping[str, Estimate],
    *,
    fingerprint: str,
    data_hash: str,
) -> Result:
    """Samples to a result: the task's estimates, the rates of every fault, and what a reader must know."""
    aggregate = task.aggregate(samples)
    rates = {outcome.value: rate(samples, outcome) for outcome in _FAULTS}
    failed = sum(sample.outcome is Outcome.FAILED for sample in samples)
    return Result(
        task=task.name,
        model=model.identity.reference,
        protocol=task.protocol,
        fingerprint=fingerprint,
        title=aggregate.title,
        headline=aggregate.headline,
        estimates=aggregate.estimates,
        rates=rates,
        floors=floors,
        breakdown=aggregate.breakdown,
        items=len(items),
        complete=not failed,
        notes=(*aggregate.notes, *_notes(task, samples, rates, failed), *model.notes),
        settings=model.settings,
        model_key=model.identity.key,
        data_hash=data_hash,
        task_version=task.version,
    )


def _notes(task: Task, samples: Sequence[Sample], rates: Mapping[str, Estimate], failed: int) -> Iterator[str]:
    protocol = task.protocol
    published = task.default_protocol(task.name, protocol.mode).sampling
    if protocol.sampling.temperature != published.temperature:
        given = f"{protocol.sampling.temperature:g}"
        yield f"sampled at temperature {given}: the published protocol has {published.temperature:g}"
    if failed:
        first = next(sample for sample in samples if sample.outcome is Outcome.FAILED)
        yield f"incomplete: {failed} of {len(samples)} failed, first {first.item}: {first.detail['error']}"
        yield from _over_all(samples)
    for name, share in rates.items():
        if name != Outcome.FAILED and share.value > WARN_RATE:
            yield f"{share.value:.1%} of the answers are {name} and {task.faults_mean}"
    near = sum(bool(sample.detail.get("near_tie")) for sample in samples)
    if near:
        yield f"{near} of {len(samples)} choices were near ties (under 0.05 nat), which another dtype may turn"
    cut = sum("cut_tokens" in sample.detail for sample in samples)
    if cut:
        yield f"{cut} of {len(samples)} prompts were cut from the left to fit the model's window"
    merged = sum("merged" in sample.detail for sample in samples)
    if merged:
        yield (
            f"in {merged} of {len(samples)} items a token covers the end of the prompt and the start of an option; "
            "their options are scored from the last token boundary that all share with the prompt"
        )


def _over_all(samples: Sequence[Sample]) -> Iterator[str]:
    """What the first metric comes to over the answered and over all: a call that failed is missing, not wrong."""
    answered = [sample for sample in samples if sample.outcome is not Outcome.FAILED and sample.scores]
    if answered:
        metric = next(iter(answered[0].scores))
        total = sum(sample.scores.get(metric, 0.0) for sample in answered)
        yield (
            f"{metric}: {total / len(answered):.4f} over the {len(answered)} answered, "
            f"{total / len(samples):.4f} over all {len(samples)} with the failed ones as 0"
        )
