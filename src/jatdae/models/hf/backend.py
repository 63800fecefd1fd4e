"""The `hf` backend: causal language models of the transformers library, on a CPU or a GPU."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from jatdae.errors import ModelError, RequestFailed
from jatdae.models.base import Capabilities, ModelIdentity, ModelReference, Sent
from jatdae.models.hf import loading
from jatdae.models.hf.compat import Forward, chat_template_date, mask_plan, window_of
from jatdae.models.hf.encoding import EncodedPrompt, EncodedScore, Encoder
from jatdae.models.hf.generation import Generator, Job
from jatdae.models.hf.identity import end_tokens, generation_end, identify, identify_parts, shared_facts
from jatdae.models.hf.inputs import scores_of, works_of
from jatdae.models.hf.kernels import choose_kernels, read_engine_options
from jatdae.models.hf.scoring import Reading, Scorer
from jatdae.models.options import ModelOptions
from jatdae.types import Answer, Generate, Request

Batch = list[tuple[int, Answer | RequestFailed]]
Progress = Callable[[str], None]

DEFAULT = ModelOptions()
CPU_BATCH_TOKENS = 1024
GPU_BATCH_TOKENS = 4096
GENERATION_FACTOR = 8
"""A decoding step computes one token a row, so a batch may hold this many times the tokens of a scoring pass."""


def _silent(_: str) -> None:
    pass


class HfBackend:
    """Answers requests with one model. The tokenizer is loaded at once, the weights at the first answer.

    `notes` are facts about the run that a reader should know; `computed_tokens` counts tokens that went through the
    model for scoring.
    """

    def __init__(
        self,
        *,
        identity: ModelIdentity,
        tokenizer: Any,
        config: Any,
        make_model: Callable[[], Any],
        options: ModelOptions,
        end_tokens: frozenset[int],
        device: str | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.identity, self.tokenizer, self.config, self.options = identity, tokenizer, config, options
        self.end_tokens, self.device = end_tokens, device or loading.choose_device(options.device)
        self.encoder = Encoder(tokenizer, window_of(config, tokenizer), options.truncate)
        self.notes: list[str] = []
        self._engine = read_engine_options(options.backend_options)
        self._make_model, self._progress = make_model, progress or _silent
        self._model: Any = None
        self._runner: tuple[Scorer, Generator] | None = None
        self._note_appended()

    @classmethod
    def load(
        cls, reference: ModelReference, options: ModelOptions = DEFAULT, progress: Progress | None = None
    ) -> HfBackend:
        """Find the model and load its tokenizer.

        Raises ModelError, one line, for what cannot be loaded, RequestError for an unknown backend option.
        """
        tell = progress or _silent
        source = loading.find_source(reference)
        tell("config")
        config = loading.load_config(source, options)
        tell("tokenizer")
        tokenizer = loading.load_tokenizer(source, options)
        tell("fingerprint")
        ends = end_tokens(config, tokenizer, generation_end(source, config, options))
        known = identify(reference, source, config, tokenizer, options, ends)

        def make_model() -> Any:
            tell("weights")
            return loading.load_model(source, config, options)

        return cls(
            identity=known,
            tokenizer=tokenizer,
            config=config,
            make_model=make_model,
            options=options,
            end_tokens=ends,
            progress=tell,
        )

    @classmethod
    def from_parts(
        cls, model: Any, tokenizer: Any, *, name: str = "in-memory", options: ModelOptions = DEFAULT
    ) -> HfBackend:
        """A backend for a model that is already in memory, as it is: its device and dtype stay."""
        generation = getattr(model, "generation_config", None)
        ends = end_tokens(model.config, tokenizer, getattr(generation, "eos_token_id", None))
        return cls(
            identity=identify_parts(name, model, shared_facts(tokenizer, options, ends)),
            tokenizer=tokenizer,
            config=model.config,
            make_model=lambda: model.eval(),
            options=options,
            end_tokens=ends,
            device=str(model.device),
        )

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(log_likelihoods=True, chat=bool(self.tokenizer.chat_template))

    @property
    def model(self) -> Any:
        """The weights, loaded when first asked for."""
        if self._model is None:
            self._model = self._make_model()
        return self._model

    @property
    def settings(self) -> dict[str, str]:
        """How the model is run; the path through it is known once it has been tried."""
        told = {
            "backend": "hf",
            "dtype": self.identity.facts.get("dtype", ""),
            "truncate": self.options.truncate,
            "device": self.device,
            "batch_tokens": str(self._runner[0].budget if self._runner else self._batch_tokens()),
        }
        if self._runner is not None:
            scorer = self._runner[0]
            told |= {"path": scorer.path or "", "kernel": scorer.kernels.name}
            if scorer.kernels.packed:
                told["packed_mib"] = str(scorer.kernels.packed_mib)
        return told

    def _batch_tokens(self) -> int:
        return self.options.batch_tokens or (CPU_BATCH_TOKENS if self.device.startswith("cpu") else GPU_BATCH_TOKENS)

    @property
    def computed_tokens(self) -> int:
        return self._runner[0].computed_tokens if self._runner else 0

    def preview(self, request: Request) -> list[Sent]:
        """Text and ids that would be sent: one entry an option, or the prompt. Raises RequestFailed if too long."""
        encoded = self.encoder.encode([request])[0]
        if isinstance(encoded, RequestFailed):
            raise encoded
        texts, sequences = self.encoder.texts(request), encoded.sequences()
        return [Sent(text, tuple(ids)) for text, ids in zip(texts, sequences, strict=True)]

    def random_like(self, seed: int) -> HfBackend:
        """A tiny untrained Llama with the same tokenizer and window."""
        from jatdae.models.hf.floor import random_like

        return random_like(self, seed)

    def answer(self, requests: Sequence[Request]) -> Iterator[Batch]:
        """Yield (index, answer) batch by batch; all requests are encoded and checked before the first forward pass."""
        encoded = self.encoder.encode(requests)
        failed: Batch = [(i, item) for i, item in enumerate(encoded) if isinstance(item, RequestFailed)]
        if failed:
            yield failed
        scores = [(i, item) for i, item in enumerate(encoded) if isinstance(item, EncodedScore)]
        prompts = [(i, item) for i, item in enumerate(encoded) if isinstance(item, EncodedPrompt)]
        self._note_date(requests)
        if scores:
            yield from self._answer_scores(scores)
        if prompts:
            yield from self._answer_prompts(prompts, requests)

    def _answer_scores(self, scores: Sequence[tuple[int, EncodedScore]]) -> Iterator[Batch]:
        scorer, _ = self._ready()
        works, asked = works_of([item for _, item in scores])
        users: list[set[int]] = [set() for _ in works]
        for k, options in enumerate(asked):
            for option in options:
                users[option.work].add(k)
        waiting = [len({option.work for option in options}) for options in asked]
        readings: dict[int, Reading | RequestFailed] = {}
        for outcomes in scorer.read(works):
            readings.update(outcomes)
            done: list[int] = []
            for work, _ in outcomes:
                for k in users[work]:
                    waiting[k] -= 1
                    if waiting[k] == 0:
                        done.append(k)
            if done:
                yield [(scores[k][0], scores_of(scores[k][1], asked[k], readings)) for k in done]

    def _answer_prompts(
        self, prompts: Sequence[tuple[int, EncodedPrompt]], requests: Sequence[Request]
    ) -> Iterator[Batch]:
        _, generator = self._ready()
        jobs: list[Job] = []
        for index, prompt in prompts:
            request = requests[index]
            if isinstance(request, Generate):
                jobs.append(Job(prompt, request.sampling, request.repeat))
        for outcomes in generator.run(jobs):
            yield [(prompts[k][0], completion) for k, completion in outcomes]

    def _ready(self) -> tuple[Scorer, Generator]:
        """Load the weights and try them, the first time."""
        if self._runner is None:
            self._runner = self._start(self.model)
        return self._runner

    def _start(self, model: Any) -> tuple[Scorer, Generator]:
        import torch

        if self.options.threads:
            torch.set_num_threads(self.options.threads)
        self._progress("first pass")
        forward = Forward(model)
        budget = self._batch_tokens()
        vocabulary = _vocabulary(model)
        masks = mask_plan(model.config)
        kernels = choose_kernels(model, self._engine.kernel, self._engine.packed_mib)
        if kernels.note:
            self.note(kernels.note)
        scorer = Scorer(forward, masks, vocabulary=vocabulary, budget=budget, note=self.note, kernels=kernels)
        generator = Generator(
            forward,
            self.tokenizer,
            end_tokens=self.end_tokens,
            budget=budget * GENERATION_FACTOR,
            batched=scorer.checked_path() != "plain",
            shares=masks is not None and masks.window is None,
            note=self.note,
        )
        self._progress("ready")
        return scorer, generator

    def note(self, text: str) -> None:
        """Keep a fact for the reader, once."""
        if text not in self.notes:
            self.notes.append(text)

    def _note_appended(self) -> None:
        if appended := self.encoder.text_encoder.appended:
            shown = self.tokenizer.decode(appended)
            self.note(
                f"the tokenizer would put {shown} after every text; it is left out, so that prompts stay open and "
                "options are scored without it (lm-evaluation-harness keeps it)"
            )

    def _note_date(self, requests: Sequence[Request]) -> None:
        date = chat_template_date(self.tokenizer)
        prompts = (request.prompt if isinstance(request, Generate) else request.context for request in requests)
        if date and not all(isinstance(prompt, str) for prompt in prompts):
            self.note(f"the chat template asks for today's date; it is always given {date}, so that prompts stay alike")


def _vocabulary(model: Any) -> int:
    embeddings = model.get_input_embeddings()
    if embeddings is None:
        raise ModelError("this model has no input embeddings, so it cannot be asked about tokens")
    return int(embeddings.weight.shape[0])
