"""What a run asks, counted from the data, the settings and the schedule before anything is asked.

Prompts are the real ones, with stand-ins of assumed length for what contestants will write.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from jatdae.benchmarks.munbench.cases import case_of, response_of
from jatdae.benchmarks.munbench.generations import Generation, Status
from jatdae.benchmarks.munbench.length_specs import parse_length
from jatdae.benchmarks.munbench.prompts import later_lines, opening
from jatdae.benchmarks.munbench.records import Dataset, EmotionItem, LiteraryItem
from jatdae.benchmarks.munbench.units import Unit, units_of
from jatdae.evaluate.munbench.config import MunConfig
from jatdae.evaluate.munbench.judging_stage import judge_settings
from jatdae.evaluate.munbench.pairings import draw
from jatdae.evaluate.munbench.precision import Precision, expected_precision
from jatdae.judging.cases import Response
from jatdae.judging.compat_prompt import compat_pairwise_prompt, compat_rubric_prompt
from jatdae.judging.judge_settings import JudgeSettings
from jatdae.judging.pairwise_prompt import pairwise_prompt
from jatdae.judging.rubric_prompt import rubric_prompt
from jatdae.judging.schedule import Pairing
from jatdae.types import Message

REPLY, ANALYSIS, TEXT = 120, 350, 500
"""Assumed characters of a role play's reply, of its analysis, and of any text whose length is not asked for."""
TOKENS_PER_CHARACTER = 0.8
"""Assumed for Korean text; tokenisers lie between 0.5 and 1.1."""
JUDGED_TOKENS = 400
"""Assumed length of a judge's reply, without hidden reasoning."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Prompts of one kind: how many calls, their characters, and the expected tokens of the answers."""

    calls: int = 0
    characters: int = 0
    answered: float = 0.0

    def __add__(self, other: Asked) -> Asked:
        return Asked(self.calls + other.calls, self.characters + other.characters, self.answered + other.answered)

    def times(self, factor: int) -> Asked:
        return Asked(self.calls * factor, self.characters * factor, self.answered * factor)


@dataclass
class Workload:
    """A run's prompts, counted."""

    config: MunConfig
    dataset: Dataset
    tracks: tuple[int, ...]

    @cached_property
    def units(self) -> list[Unit]:
        return units_of(self.dataset, self.tracks)

    @cached_property
    def scorable(self) -> list[Unit]:
        return [unit for unit in self.units if self.config.judges_unit(unit)]

    @cached_property
    def settings(self) -> JudgeSettings:
        return judge_settings(self.config)

    @cached_property
    def pairs(self) -> list[Pairing]:
        """The pairings of these tracks, out of the schedule over all data; none where comparison is switched off."""
        if not self.config.pairwise.enabled:
            return []
        chosen = {unit.id for unit in self.scorable}
        return [one for one in draw(self.config, self.dataset) if one.case in chosen]

    def written(self) -> Asked:
        """What one contestant is asked."""
        return sum((self._writing(unit) for unit in self.units), Asked()).times(self.config.samples_per_item)

    def scored(self) -> Asked:
        """What one judge is asked about all contestants' texts, in all iterations."""
        repeats = len(self.config.models) * self.config.samples_per_item * self.config.rubric_iterations
        return sum((self._scoring(unit) for unit in self.scorable), Asked()).times(repeats)

    def compared(self) -> Asked:
        """What one judge is asked about all pairings, in both orders."""
        by_id, played = {unit.id: unit for unit in self.scorable}, Counter(one.case for one in self.pairs)
        return sum((self._pair(by_id[case]).times(2 * number) for case, number in played.items()), Asked())

    def _writing(self, unit: Unit) -> Asked:
        """A unit's calls: four in a role play, each with all that was said before."""
        outputs, asked = _expected_outputs(unit), Asked()
        messages = [message.content for message in opening(unit)]
        later = later_lines(unit.item) if isinstance(unit.item, EmotionItem) else ()
        for number, output in enumerate(outputs):
            asked += Asked(1, sum(map(len, messages)), len(output) * TOKENS_PER_CHARACTER)
            messages += [output, *later[number : number + 1]]
        return asked

    def _response(self, unit: Unit) -> Response:
        made = Generation(unit.item.id, unit.track, unit.variant, "", Status.OK, _expected_outputs(unit))
        return response_of(unit, made)

    def _scoring(self, unit: Unit) -> Asked:
        case, response = case_of(unit, self.dataset, self.config.profile), self._response(unit)
        if self.config.profile == "compat":
            prompt = compat_rubric_prompt(case, response)
        else:
            prompt = rubric_prompt(case, response, 0)
        return Asked(1, _characters(prompt.messages, prompt.schema), JUDGED_TOKENS)

    def _pair(self, unit: Unit) -> Asked:
        case, response, settings = case_of(unit, self.dataset, self.config.profile), self._response(unit), self.settings
        if self.config.profile == "compat":
            prompt = compat_pairwise_prompt(case, response, response, settings.truncate_chars)
        else:
            prompt = pairwise_prompt(case, response, response, settings.truncate_chars, settings.length_mode)
        return Asked(1, _characters(prompt.messages, prompt.schema), JUDGED_TOKENS)

    def precision(self) -> Precision | None:
        """None without a comparison of a contestant that is no anchor."""
        games: Counter[str] = Counter()
        items: dict[str, set[str]] = {}
        for pair in self.pairs:
            for model in {pair.a, pair.b} - set(self.config.pairwise.anchors):
                games[model] += 1
                items.setdefault(model, set()).add(pair.case.partition("/")[0])
        if not games:
            return None
        fewest = min(games, key=lambda model: (games[model], model))
        comparisons = games[fewest] * len(self.config.pairwise_judges)
        return expected_precision(comparisons, len(items[fewest]))


def _expected_outputs(unit: Unit) -> tuple[str, ...]:
    """Stand-ins of the assumed lengths."""
    if isinstance(unit.item, EmotionItem):
        return ("가" * REPLY,) * len(unit.item.turns) + ("가" * ANALYSIS,)
    spec = parse_length(unit.item.length_spec) if isinstance(unit.item, LiteraryItem) else None
    asked = [bound.high or bound.low for bound in spec.bounds if bound.unit == "char"] if spec else []
    return ("가" * int(asked[0] or TEXT if asked else TEXT),)


def _characters(messages: Sequence[Message], schema: str | None) -> int:
    return sum(len(message.content) for message in messages) + len(schema or "")
