"""What a run will take, before anything is asked: calls, tokens, cost where prices are known, expected precision.

Calls are counted. Tokens are not known before a call: what is expected rests on assumed lengths, which are stated, and
the bound on one token a character and every token that is allowed.
Source: MunBench specification, section 2.6; judging specification, sections 2.6 and 3.7.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from jatdae.benchmarks.munbench.reading import read_dataset
from jatdae.benchmarks.munbench.records import Dataset
from jatdae.errors import ModelError
from jatdae.evaluate.munbench.config import ModelEntry, MunConfig, is_file, is_rule, reference_of
from jatdae.evaluate.munbench.judging_stage import judge_settings
from jatdae.evaluate.munbench.pipeline import data_folder
from jatdae.evaluate.munbench.precision import Precision
from jatdae.evaluate.munbench.workload import JUDGED_TOKENS, TEXT, TOKENS_PER_CHARACTER, Asked, Workload
from jatdae.types import Generate, Sampling

Stage = Literal["generate", "rubric", "pairwise"]


@dataclass(frozen=True, slots=True)
class StageCost:
    """One model in one stage. Costs are None where nobody states a price.

    `cost_usd` is expected; `most_tokens` and `most_usd` are what the calls take at most if none is repeated.
    """

    stage: Stage
    model: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    most_tokens: int
    cost_usd: float | None
    most_usd: float | None


@dataclass(frozen=True, slots=True)
class RunEstimate:
    """What a run over `units` prompts takes from nothing. `notes` say what the figures rest on."""

    units: int
    contestants: int
    pairs: int
    stages: tuple[StageCost, ...]
    calls: int
    calls_by_stage: Mapping[Stage, int]
    most_tokens: int
    cost_usd: float | None
    most_usd: float | None
    unpriced: tuple[str, ...]
    precision: Precision | None
    notes: tuple[str, ...]


def estimate_run(config: MunConfig, tracks: Sequence[int]) -> RunEstimate:
    """The estimate for a run of these tracks with an empty store. Raises DataError for data that cannot be read."""
    dataset = read_dataset(data_folder(config))
    return estimate_on(config, dataset, tracks)


def estimate_on(config: MunConfig, dataset: Dataset, tracks: Sequence[int]) -> RunEstimate:
    """The same for data that are at hand."""
    work = Workload(config, dataset, tuple(tracks))
    stages = tuple(_stages(config, work))
    priced = [one for one in stages if one.calls]
    by_stage: dict[Stage, int] = {"generate": 0, "rubric": 0, "pairwise": 0}
    for one in stages:
        by_stage[one.stage] += one.calls
    unpriced = tuple(dict.fromkeys(one.model for one in priced if one.most_usd is None))
    calls = sum(by_stage.values())
    known = [(one.cost_usd or 0.0, one.most_usd) for one in priced if one.most_usd is not None]
    expected = sum(cost for cost, _ in known) if known else None
    return RunEstimate(
        units=len(work.units),
        contestants=len(config.models),
        pairs=len(work.pairs),
        stages=stages,
        calls=calls,
        calls_by_stage=by_stage,
        most_tokens=sum(one.most_tokens for one in stages),
        cost_usd=expected,
        most_usd=sum(most for _, most in known) if known else None,
        unpriced=unpriced,
        precision=work.precision(),
        notes=tuple(_notes(config, work, calls, unpriced, expected)),
    )


def _notes(config: MunConfig, work: Workload, calls: int, unpriced: Sequence[str], cost: float | None) -> Iterator[str]:
    yield (
        f"expected tokens assume {TOKENS_PER_CHARACTER} tokens a character, {TEXT} characters a text and "
        f"{JUDGED_TOKENS} tokens a judgement, without hidden reasoning or repeated questions"
    )
    unscorable = len(work.units) - len(work.scorable)
    if unscorable:
        yield f"sincere controls without an expectation of their own, written but not judged: {unscorable}"
    if unpriced:
        yield f"no price is known for: {', '.join(unpriced)}"
    if config.budget.max_calls is not None and calls > config.budget.max_calls:
        yield f"budget.max_calls {config.budget.max_calls:,} ends the run before its {calls:,} calls"
    if config.budget.max_usd is not None and cost is not None and cost > config.budget.max_usd:
        yield f"budget.max_usd {config.budget.max_usd:g} ends the run before the expected {cost:.2f} US dollars"


def _stages(config: MunConfig, work: Workload) -> Iterator[StageCost]:
    """Contestants first, then judges; those that are not asked, a folder of texts or the rule judge, have none."""
    settings, written, scored, compared = judge_settings(config), work.written(), work.scored(), work.compared()
    for entry in config.models:
        if not is_file(entry):
            yield _cost("generate", entry, written, config.max_tokens)
    for entry in config.judges:
        if not is_rule(entry):
            yield _cost("rubric", entry, scored, settings.rubric_sampling.max_tokens)
    for entry in config.pairwise_judges:
        if not is_rule(entry) and compared.calls:
            yield _cost("pairwise", entry, compared, settings.pairwise_sampling.max_tokens)


def _cost(stage: Stage, entry: ModelEntry, asked: Asked, max_tokens: int) -> StageCost:
    prompt, answers = round(asked.characters * TOKENS_PER_CHARACTER), round(asked.answered)
    most = asked.calls * max_tokens
    prices = _prices(entry)
    return StageCost(
        stage=stage,
        model=entry.id,
        calls=asked.calls,
        prompt_tokens=prompt,
        completion_tokens=answers,
        most_tokens=asked.characters + most,
        cost_usd=None if prices is None else prompt * prices[0] + answers * prices[1],
        most_usd=None if prices is None else asked.characters * prices[0] + most * prices[1],
    )


def _prices(entry: ModelEntry) -> tuple[float, float] | None:
    """US dollars for a token read and a token written, by litellm's table; None where that has none or is not there."""
    reference = reference_of(entry)
    if reference.backend != "litellm":
        return None
    from jatdae.models.api.litellm_door import worst_cost_of

    def cost(characters: int, tokens: int) -> float | None:
        return worst_cost_of(reference.name, Generate("가" * characters, Sampling(max_tokens=tokens)))

    try:
        least, longer, more = cost(0, 1), cost(1000, 1), cost(0, 1001)
    except ModelError:
        return None
    if least is None or longer is None or more is None:
        return None
    return (longer - least) / 1000, (more - least) / 1000
