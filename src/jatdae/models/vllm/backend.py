"""Requests answered by vLLM. Encoding, identity and floors are those of the `hf` backend, so that numbers compare.

Options of one token are read as the next token after their context, which vLLM serves from its prefix cache. Longer
options are read as whole prompts, for which it computes everything anew: there the `hf` engine shares more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from importlib.metadata import packages_distributions, version
from typing import Any

import numpy as np

from jatdae.errors import ModelError, RequestFailed
from jatdae.models.base import Capabilities, ModelIdentity, ModelReference, Sent
from jatdae.models.hf import HfBackend
from jatdae.models.hf.continuation import Stops
from jatdae.models.hf.encoding import EncodedPrompt, EncodedScore
from jatdae.models.hf.inputs import scores_of, works_of
from jatdae.models.hf.loading import Source, find_source
from jatdae.models.hf.planning import Work, sort_key
from jatdae.models.hf.scoring import Reading
from jatdae.models.options import ModelOptions
from jatdae.models.vllm.engine import (
    MOST_TARGETS,
    Engine,
    continuation,
    need_vllm,
    next_token,
    read_engine_options,
    whole_prompt,
)
from jatdae.types import Answer, Completion, Generate, Request, Scores, digest

Batch = list[tuple[int, Answer | RequestFailed]]
PORTION = 1024
"""Requests handed over at once: vLLM keeps its batches full, and what is answered is stored in between."""


class VllmBackend:
    """Answers requests with one model inside vLLM, which is started at the first question."""

    def __init__(self, source: Source, shadow: HfBackend, options: ModelOptions) -> None:
        self._source, self._shadow, self._options = source, shadow, options
        self._own = read_engine_options(options.backend_options)
        facts = {**shadow.identity.facts, "backend": "vllm", "engine": f"vllm {_version()}"}
        self.identity = ModelIdentity(f"vllm:{shadow.identity.reference.partition(':')[2]}", facts)
        self._engine: Engine | None = None

    @classmethod
    def load(
        cls, reference: ModelReference, options: ModelOptions, progress: Callable[[str], None] | None = None
    ) -> VllmBackend:
        """Find the model and load its tokenizer. Raises ModelError without vLLM or for what cannot be loaded."""
        need_vllm(reference)
        source = find_source(reference)
        if source.local and source.local.gguf:
            raise ModelError(f"{reference}: vLLM is given safetensors here; run a GGUF file as hf:{reference.name}")
        shadow = HfBackend.load(replace(reference, backend="hf"), replace(options, backend_options=()), progress)
        return cls(source, shadow, options)

    @property
    def capabilities(self) -> Capabilities:
        return self._shadow.capabilities

    @property
    def settings(self) -> dict[str, str]:
        own = {"tensor_parallel": str(self._own.tensor_parallel), "engine": self.identity.facts["engine"]}
        return {
            "backend": "vllm",
            "dtype": self.identity.facts.get("dtype", ""),
            "truncate": self._options.truncate,
            "device": self._shadow.device,
            **own,
        }

    @property
    def notes(self) -> list[str]:
        return self._shadow.notes

    def preview(self, request: Request) -> list[Sent]:
        return self._shadow.preview(request)

    def random_like(self, seed: int) -> HfBackend:
        """Run by the `hf` engine: it is tiny."""
        return self._shadow.random_like(seed)

    def answer(self, requests: Sequence[Request]) -> Iterator[Batch]:
        """Yield (index, answer), portion by portion; neighbours in a portion share their beginnings."""
        encoded = self._shadow.encoder.encode(requests)
        failed: Batch = [(i, item) for i, item in enumerate(encoded) if isinstance(item, RequestFailed)]
        if failed:
            yield failed
        scores = [(i, item) for i, item in enumerate(encoded) if isinstance(item, EncodedScore)]
        scores.sort(key=lambda entry: sort_key(entry[1].context))
        for part in _portions(scores):
            yield self._scored(part)
        prompts = [(i, item) for i, item in enumerate(encoded) if isinstance(item, EncodedPrompt)]
        prompts.sort(key=lambda entry: sort_key(entry[1].ids))
        for part in _portions(prompts):
            yield self._continued(part, requests)

    def _scored(self, part: Sequence[tuple[int, EncodedScore]]) -> Batch:
        works, asked = works_of([item for _, item in part])
        readings = dict(enumerate(self._read(works)))
        answers: list[Scores | RequestFailed] = [
            scores_of(item, options, readings) for (_, item), options in zip(part, asked, strict=True)
        ]
        return [(index, answer) for (index, _), answer in zip(part, answers, strict=True)]

    def _read(self, works: Sequence[Work]) -> list[Reading]:
        """Each work asked once for every token that may end it, all in one call."""
        prompts: list[list[int]] = []
        settings: list[Any] = []
        places: list[list[tuple[int, list[int]]]] = []
        for work in works:
            own = []
            for ids, params, targets in _questions(work):
                own.append((len(prompts), targets))
                prompts.append(ids)
                settings.append(params)
            places.append(own)
        outputs = self._opened().ask(prompts, settings)
        return [
            _reading(work, [(outputs[at], which) for at, which in own]) for work, own in zip(works, places, strict=True)
        ]

    def _continued(self, part: Sequence[tuple[int, EncodedPrompt]], requests: Sequence[Request]) -> Batch:
        jobs = [(index, item, requests[index]) for index, item in part]
        asked = [(index, item, request) for index, item, request in jobs if isinstance(request, Generate)]
        ends = self._shadow.end_tokens
        settings = [continuation(request.sampling, ends, _seed(item, request)) for _, item, request in asked]
        outputs = self._opened().ask([item.ids.tolist() for _, item, _ in asked], settings)
        return [
            (index, self._completion(item, request, output.outputs[0]))
            for (index, item, request), output in zip(asked, outputs, strict=True)
        ]

    def _completion(self, item: EncodedPrompt, request: Generate, output: Any) -> Completion:
        stops = Stops(self._shadow.tokenizer, request.sampling.stop, self._shadow.end_tokens)
        tokens = [token for token in output.token_ids if token not in stops.tokens]
        finish = "length" if output.finish_reason == "length" else "stop"
        return Completion(stops.text(tokens), finish, len(item.ids), len(tokens), item.cut)

    def _opened(self) -> Engine:
        if self._engine is None:
            self._engine = Engine(self._source, self._options, self._own, self._shadow.encoder.window)
        return self._engine


def _version() -> str:
    """Builds for other machines go by other names than the module."""
    return version(packages_distributions()["vllm"][0])


def _portions(entries: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for start in range(0, len(entries), PORTION):
        yield entries[start : start + PORTION]


def _questions(work: Work) -> Iterator[tuple[list[int], Any, list[int]]]:
    """Prompts that together tell a work's pairs: ids, settings, and which pairs each tells."""
    last = len(work.ids) - 1
    ends = [at for at, (row, _) in enumerate(work.pairs) if row == last]
    if len(ends) == len(work.pairs):
        for start in range(0, len(ends), MOST_TARGETS):
            which = ends[start : start + MOST_TARGETS]
            yield work.ids.tolist(), next_token([work.pairs[at][1] for at in which]), which
        return
    inner = [at for at in range(len(work.pairs)) if at not in set(ends)]
    for at in ends:
        yield [*work.ids.tolist(), work.pairs[at][1]], whole_prompt(), [*inner, at]


def _reading(work: Work, told: Sequence[tuple[Any, list[int]]]) -> Reading:
    """What was asked of a work, from vLLM's answers. Raises ModelError where a token is missing from one."""
    values, greedy = np.zeros(len(work.pairs)), np.zeros(len(work.pairs), dtype=np.bool_)
    for output, which in told:
        for at in which:
            row, target = work.pairs[at]
            values[at], greedy[at] = _entry(output, row, target, len(work.ids))
    return Reading(values, greedy)


def _entry(output: Any, row: int, target: int, length: int) -> tuple[float, bool]:
    """Log-probability of a token after a position, and whether it was the likeliest."""
    if output.prompt_logprobs is None:
        written = output.outputs[0]
        entry, likeliest = written.logprobs[0].get(target), written.token_ids[0] == target
    else:
        entry = output.prompt_logprobs[row + 1].get(target)
        likeliest = entry is not None and entry.rank == 1
    if entry is None:
        raise ModelError(f"vLLM gave no log-probability of token {target} at place {row + 1} of {length}")
    return float(entry.logprob), bool(likeliest)


def _seed(item: EncodedPrompt, request: Generate) -> int:
    """As in the `hf` engine: from the seed, the repeat and the prompt alone."""
    prompt = ",".join(map(str, item.ids))
    return int(digest("sample", str(request.sampling.seed or 0), str(request.repeat), prompt)[:15], 16)
