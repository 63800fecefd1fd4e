"""Whether a judge says the same again, and a model writes as well again.

Source: judging specification, section 3.1; MunBench specification, requirement B16.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import pstdev, stdev

from jatdae.judging.cases import RubricScore
from jatdae.judging.summary import SampleScore
from jatdae.judging.validation.human_scores import SampleKey
from jatdae.stats import mean
from jatdae.stats.agreement import intraclass_correlation
from jatdae.stats.agreement.resampling import DRAWS
from jatdae.types import Estimate

GOOD_ICC = 0.75


@dataclass(frozen=True, slots=True)
class Repeatability:
    """A judge over samples that it scored twice or more under the settings of the scoring.

    `std` is the mean over samples of the population standard deviation of its iterations; `icc` is ICC(3,1) over
    samples that have all `iterations`. None where undefined, as with one iteration.
    """

    judge: str
    samples: int
    iterations: int
    std: Estimate | None
    icc: Estimate | None

    @property
    def good(self) -> bool | None:
        """ICC from .75 on; None where it is unknown."""
        return None if self.icc is None else self.icc.value >= GOOD_ICC


def repeatability(scores: Sequence[RubricScore], *, draws: int = DRAWS, seed: int = 0) -> list[Repeatability]:
    """Each judge's repeatability; scores that were set without a call do not count. Intervals are by item."""
    by_judge: dict[str, dict[SampleKey, dict[int, float]]] = defaultdict(lambda: defaultdict(dict))
    for one in scores:
        if one.status == "ok" and one.weighted is not None:
            sample = SampleKey(one.item, one.variant, one.model, one.index)
            by_judge[one.judge][sample].setdefault(one.iteration, one.weighted)
    return [_repeatability(judge, samples, draws, seed) for judge, samples in sorted(by_judge.items())]


def _repeatability(judge: str, samples: dict[SampleKey, dict[int, float]], draws: int, seed: int) -> Repeatability:
    repeated = {sample: runs for sample, runs in samples.items() if len(runs) > 1}
    if not repeated:
        return Repeatability(judge, 0, 1, None, None)
    std = mean([pstdev(runs.values()) for runs in repeated.values()], [one.item for one in repeated])
    iterations = Counter(tuple(sorted(runs)) for runs in repeated.values()).most_common(1)[0][0]
    whole = {sample: runs for sample, runs in repeated.items() if set(iterations) <= set(runs)}
    table = [[runs[iteration] for iteration in iterations] for runs in whole.values()]
    clusters = [sample.item for sample in whole]
    icc = intraclass_correlation(table, "3,1", clusters=clusters, draws=draws, seed=seed)
    return Repeatability(judge, len(repeated), len(iterations), std, icc)


def regeneration_std(samples: Sequence[SampleScore]) -> dict[str, Estimate]:
    """By model, the mean standard deviation (n - 1) of the scores of several responses to one prompt."""
    groups: dict[str, dict[tuple[str, str], list[float]]] = defaultdict(lambda: defaultdict(list))
    for one in samples:
        if one.final_mean is not None:
            groups[one.model][one.item, one.variant].append(one.final_mean)
    results: dict[str, Estimate] = {}
    for model, prompts in sorted(groups.items()):
        several = {prompt: values for prompt, values in prompts.items() if len(values) > 1}
        if several:
            spreads = [stdev(values) for values in several.values()]
            results[model] = mean(spreads, [item for item, _ in several])
    return results
