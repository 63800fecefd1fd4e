"""A model as a judge: it is asked, its reply is read, and whatever comes of it is a record."""

from __future__ import annotations

from functools import partial
from typing import Literal

from jatdae.judging.asking import Asked, ask_until_read
from jatdae.judging.cases import Case, Response, RubricScore, Verdict
from jatdae.judging.compat_prompt import compat_pairwise_prompt, compat_rubric_prompt
from jatdae.judging.compat_reading import read_compat_rubric, read_compat_verdict
from jatdae.judging.judge_settings import JudgeSettings
from jatdae.judging.pairwise_prompt import PairwisePrompt, pairwise_prompt
from jatdae.judging.presentation import own_texts, text_hash
from jatdae.judging.rubric_prompt import RubricPrompt, asking_for, rubric_prompt
from jatdae.judging.rubric_reading import RubricReading, read_rubric
from jatdae.judging.scales import weighted_mean
from jatdae.judging.verdict_reading import VerdictReading, read_verdict
from jatdae.types import Generate, Message, Model


class ModelJudge:
    """Asks `model` and answers to the protocol `judging.judge.Judge`. `name` is what records call it."""

    def __init__(self, name: str, model: Model, settings: JudgeSettings) -> None:
        self._name, self._model, self.settings = name, model, settings

    @property
    def name(self) -> str:
        return self._name

    async def score(self, case: Case, response: Response, iteration: int) -> RubricScore:
        """Scores of one iteration (from 0 on). Asks also for an empty response: whether to is the caller's decision."""
        if self.settings.profile == "compat":
            prompt = compat_rubric_prompt(case, response)
            read = partial(read_compat_rubric, criteria=case.criteria)
        else:
            prompt = rubric_prompt(case, response, iteration)
            read = partial(read_rubric, criteria=case.criteria, texts=(*own_texts(response), *prompt.shown))
        asked = await ask_until_read(
            self._model,
            Generate(prompt.messages, self.settings.rubric_sampling, iteration, prompt.schema),
            read,
            retries=self.settings.parse_retries if self.settings.asks_again else 0,
            may_double=self.settings.asks_again,
            complement=partial(self._complement, prompt),
        )
        return self._score_record(case, response, iteration, prompt, asked)

    def _complement(self, prompt: RubricPrompt, reading: RubricReading) -> tuple[Message, ...] | None:
        if not (reading.missing and self.settings.asks_again):
            return None
        return asking_for(prompt, reading.missing)

    def _score_record(
        self, case: Case, response: Response, iteration: int, prompt: RubricPrompt, asked: Asked[RubricReading]
    ) -> RubricScore:
        reading = asked.reading or RubricReading({})
        flags = (*prompt.flags, *asked.flags, *reading.flags, *(("missing",) if reading.missing else ()))
        return RubricScore(
            item=case.item,
            variant=case.variant,
            track=case.track,
            model=response.model,
            judge=self._name,
            iteration=iteration,
            status=self._status(asked),
            scores=reading.scores,
            weighted=weighted_mean(reading.scores, case.criteria),
            evidence=reading.evidence,
            not_applicable=reading.not_applicable,
            flags=tuple(dict.fromkeys(flags)),
            error=asked.error,
            raw=asked.raw,
            prompt_hash=prompt.hash,
            text_hash=text_hash(response),
            index=response.index,
        )

    def _status(self, asked: Asked[RubricReading]) -> Literal["ok", "partial", "unparsed", "failed"]:
        if asked.failed:
            return "failed"
        if asked.reading is None:
            return "unparsed"
        # `compat` averages over the criteria that it got, as published; `standard` keeps them for diagnosis only.
        return "partial" if asked.reading.missing and self.settings.asks_again else "ok"

    async def compare(self, case: Case, first: Response, second: Response) -> Verdict:
        """The verdict with `first` shown as A."""
        prompt = self._pairwise_prompt(case, first, second)
        texts = (*own_texts(first), *own_texts(second), *prompt.first.texts, *prompt.second.texts)
        compat = self.settings.profile == "compat"
        asked = await ask_until_read(
            self._model,
            Generate(prompt.messages, self.settings.pairwise_sampling, 0, prompt.schema),
            read_compat_verdict if compat else partial(read_verdict, texts=texts),
            retries=self.settings.parse_retries if self.settings.asks_again else 0,
            may_double=self.settings.asks_again,
        )
        return self._verdict_record(case, first, second, prompt, asked)

    def _pairwise_prompt(self, case: Case, first: Response, second: Response) -> PairwisePrompt:
        limit = self.settings.truncate_chars
        if self.settings.profile == "compat":
            return compat_pairwise_prompt(case, first, second, limit)
        return pairwise_prompt(case, first, second, limit, self.settings.length_mode)

    def _verdict_record(
        self, case: Case, first: Response, second: Response, prompt: PairwisePrompt, asked: Asked[VerdictReading]
    ) -> Verdict:
        reading = asked.reading
        return Verdict(
            item=case.item,
            variant=case.variant,
            track=case.track,
            first=first.model,
            second=second.model,
            judge=self._name,
            status="failed" if asked.failed else "ok" if reading else "unparsed",
            winner=reading.winner if reading else None,
            reason=reading.reason if reading else "",
            flags=tuple(dict.fromkeys((*prompt.flags, *asked.flags))),
            error=asked.error,
            raw=asked.raw,
            prompt_hash=prompt.hash,
            first_hash=text_hash(first),
            second_hash=text_hash(second),
            first_length=prompt.first.length,
            second_length=prompt.second.length,
        )
