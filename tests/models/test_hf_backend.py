"""The backend as the runtime sees it: generation, memory, other architectures, the random floor."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tiny_model import SENTENCES, build_tokenizer

from jatdae.errors import RequestFailed
from jatdae.models.hf import HfBackend, random_like
from jatdae.models.hf.continuation import Job, Row, Stops, generator_for
from jatdae.models.hf.encoding import EncodedPrompt
from jatdae.models.hf.planning import token_ids
from jatdae.models.options import ModelOptions
from jatdae.types import Answer, Completion, Generate, Message, Request, Sampling, Score, Scores

SIZE = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "llama": ("LlamaConfig", SIZE),
    "qwen3": ("Qwen3Config", {**SIZE, "num_key_value_heads": 2, "head_dim": 16}),
    "gemma3": (
        "Gemma3TextConfig",
        {
            **SIZE,
            "num_key_value_heads": 2,
            "head_dim": 16,
            "sliding_window": 32,
            "layer_types": ["sliding_attention", "full_attention"],
        },
    ),
    "gemma2": (
        "Gemma2Config",
        {
            **SIZE,
            "num_key_value_heads": 2,
            "head_dim": 16,
            "sliding_window": 32,
            "layer_types": ["sliding_attention", "full_attention"],
            "final_logit_softcapping": 5.0,
        },
    ),
    "mistral": ("MistralConfig", {**SIZE, "num_key_value_heads": 2, "sliding_window": 32}),
    "gpt2": ("GPT2Config", {"n_embd": 64, "n_layer": 2, "n_head": 4, "n_positions": 512}),
    "gpt-neox": ("GPTNeoXConfig", SIZE),
    "bloom": ("BloomConfig", {"hidden_size": 64, "n_layer": 2, "n_head": 4}),
    "mamba": ("MambaConfig", {"hidden_size": 64, "num_hidden_layers": 2, "state_size": 8}),
    "jamba": (
        "JambaConfig",
        {
            **SIZE,
            "num_key_value_heads": 2,
            "attn_layer_period": 2,
            "attn_layer_offset": 1,
            "num_experts": 1,
            "num_experts_per_tok": 1,
            "mamba_d_state": 8,
            "mamba_dt_rank": 8,
            "use_mamba_kernels": False,
        },
    ),
    "qwen3-next": (
        "Qwen3NextConfig",
        {
            **SIZE,
            "num_key_value_heads": 2,
            "head_dim": 16,
            "layer_types": ["linear_attention", "full_attention"],
            "linear_num_key_heads": 2,
            "linear_num_value_heads": 2,
            "linear_key_head_dim": 16,
            "linear_value_head_dim": 16,
            "num_experts": 2,
            "num_experts_per_tok": 1,
            "moe_intermediate_size": 32,
            "shared_expert_intermediate_size": 32,
        },
    ),
    "gpt-oss": (
        "GptOssConfig",
        {
            **SIZE,
            "num_key_value_heads": 2,
            "head_dim": 16,
            "sliding_window": 32,
            "layer_types": ["sliding_attention", "full_attention"],
            "num_local_experts": 2,
            "num_experts_per_tok": 1,
        },
    ),
    "cohere": ("CohereConfig", {**SIZE, "num_key_value_heads": 2, "logit_scale": 0.25}),
}
PLAIN = {"bloom", "mamba", "jamba", "qwen3-next"}
MASKED = {"gpt-oss"}
"""Attention with sinks: no attention in pieces, but packs with a mask."""
TOKENIZER = build_tokenizer(bos=True)


def build(name: str = "llama", options: ModelOptions = ModelOptions()) -> HfBackend:  # noqa: B008
    kind, settings = MODELS[name]
    config = getattr(transformers, kind)(
        **settings, vocab_size=len(TOKENIZER), bos_token_id=0, eos_token_id=1, pad_token_id=1, initializer_range=0.2
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        model = transformers.AutoModelForCausalLM.from_config(config)
    return HfBackend.from_parts(model, TOKENIZER, options=options)


def ask(backend: HfBackend, requests: Sequence[Request]) -> list[Answer | RequestFailed]:
    answers = dict(pair for batch in backend.answer(requests) for pair in batch)
    return [answers[i] for i in range(len(requests))]


def values(scores: Answer | RequestFailed) -> list[float]:
    assert isinstance(scores, Scores)
    return [option.log_likelihood for option in scores.options]


def completion(answer: Answer | RequestFailed) -> Completion:
    assert isinstance(answer, Completion)
    return answer


HEAD = "\n".join(SENTENCES[k] for k in (3, 50, 120, 200))
SCORES = [
    Score(f"{HEAD}\n문장: {s}\n답:", tuple(f" {o}" for o in SENTENCES[k : k + 3]))
    for k, s in enumerate(SENTENCES[10:17])
]


def naive_score(backend: HfBackend, request: Score, tokens: Sequence[int]) -> list[float]:
    totals = []
    for sent, count in zip(backend.preview(request), tokens, strict=True):
        ids = list(sent.ids)
        with torch.no_grad():
            logits = backend.model(torch.tensor([ids]), use_cache=False).logits[0]
        logs = torch.log_softmax(logits.double(), dim=-1)[range(len(ids) - 1), ids[1:]]
        totals.append(float(logs[-count:].sum()))
    return totals


def naive_text(backend: HfBackend, request: Generate, count: int) -> str:
    ids = list(backend.preview(request)[0].ids)
    start = len(ids)
    for _ in range(count):
        with torch.no_grad():
            best = int(backend.model(torch.tensor([ids]), use_cache=False).logits[0, -1].argmax())
        if best == TOKENIZER.eos_token_id:
            break
        ids.append(best)
    return TOKENIZER.decode(ids[start:], skip_special_tokens=True)


@pytest.mark.parametrize("name", MODELS)
def test_every_family_gives_the_numbers_of_a_naive_pass(name: str) -> None:
    """Sequences exceed the sliding windows; a family that takes no tree mask is run plainly, and that is noted."""
    backend = build(name)
    for request, scores in zip(SCORES, ask(backend, SCORES), strict=True):
        assert isinstance(scores, Scores)
        assert max(len(sent.ids) for sent in backend.preview(request)) > 40
        expected = naive_score(backend, request, [option.tokens for option in scores.options])
        assert values(scores) == pytest.approx(expected, abs=1e-4)
    assert bool(backend.notes) is (name in PLAIN)
    assert backend.settings["path"] == ("plain" if name in PLAIN else "packed" if name in MASKED else "tree")


class Averaging(torch.nn.Module):
    """Stands in a model for code that a checkpoint brings: it mixes all that came before, and takes no mask."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.mix = torch.nn.Linear(width, width)

    def forward(self, hidden_states: Any, **_: Any) -> tuple[Any, None]:
        count = torch.arange(1, hidden_states.shape[1] + 1)[None, :, None]
        return self.mix(hidden_states.cumsum(1) / count), None


def test_code_that_takes_no_mask_is_noticed_and_run_plainly() -> None:
    """Given a layer that is no attention at all, the trial sees that branches see each other."""
    model = build().model
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        model.model.layers[0].self_attn = Averaging(SIZE["hidden_size"])
    backend = HfBackend.from_parts(model, TOKENIZER)
    for request, scores in zip(SCORES, ask(backend, SCORES), strict=True):
        assert isinstance(scores, Scores)
        expected = naive_score(backend, request, [option.tokens for option in scores.options])
        assert values(scores) == pytest.approx(expected, abs=1e-4)
    assert backend.settings["path"] == "plain" and "scoring in plain batches" in backend.notes[0]


def test_layers_in_several_places_give_the_numbers_of_one(tmp_path: Path) -> None:
    """Given a layer whose weights accelerate fetches for each pass, as from another device, nothing changes."""
    from accelerate import dispatch_model

    whole = build()
    expected = [values(scores) for scores in ask(whole, SCORES)]
    here: Any = "cpu"
    places = {"model.embed_tokens": "cpu", "model.layers.0": "cpu", "model.layers.1": "disk"}
    rest: dict[str, Any] = {"model.norm": "cpu", "model.rotary_emb": "cpu", "lm_head": "cpu"}
    parts = HfBackend(
        identity=whole.identity,
        tokenizer=TOKENIZER,
        config=whole.config,
        make_model=lambda: dispatch_model(whole.model, places | rest, offload_dir=str(tmp_path), main_device=here),
        options=ModelOptions(device="cpu"),
        end_tokens=whole.end_tokens,
    )
    found = ask(parts, SCORES)
    assert parts.model.model.layers[1].mlp.up_proj.weight.device.type == "meta"
    assert [values(scores) for scores in found] == [pytest.approx(numbers, abs=1e-5) for numbers in expected]


@pytest.mark.parametrize("name", ["llama", "gemma3", "gpt2", "bloom", "mamba"])
def test_greedy_text_in_a_batch_is_the_text_alone(name: str) -> None:
    backend = build(name)
    prompts = [Generate(" ".join(SENTENCES[k : k + 1 + k % 3]), Sampling(max_tokens=8 + k)) for k in range(5)]
    for request, answer in zip(prompts, ask(backend, prompts), strict=True):
        assert completion(answer).text == naive_text(backend, request, request.sampling.max_tokens)


def test_text_ends_before_the_earliest_stop_string() -> None:
    """A stop string may begin inside one token and end inside another; none of it is in the text."""
    backend = build()
    free = completion(ask(backend, [Generate(HEAD, Sampling(max_tokens=30))])[0])
    assert free.finish == "length" and free.completion_tokens == 30
    tokens = TOKENIZER.encode(free.text, add_special_tokens=False)
    assert len(tokens) > 5
    readable = [k for k in range(2, len(free.text) - 4) if "\ufffd" not in free.text[k : k + 3]]
    for k in readable[:5]:
        stop = free.text[k : k + 3]
        cut = completion(ask(backend, [Generate(HEAD, Sampling(max_tokens=30, stop=("없는 말", stop)))])[0])
        assert cut.finish == "stop"
        assert cut.text == free.text[: free.text.find(stop)]


def test_a_sample_depends_on_seed_repeat_and_prompt_alone() -> None:
    def asked(prompt: str, seed: int, repeat: int) -> Generate:
        return Generate(prompt, Sampling(max_tokens=12, temperature=1.0, top_p=0.95, seed=seed), repeat)

    backend = build()
    requests = [asked("봄", 1, 0), asked("봄", 1, 1), asked("봄", 2, 0), asked("여름이 오지 않았다", 1, 0)]
    state = torch.random.get_rng_state()
    together = [completion(answer).text for answer in ask(backend, requests)]
    alone = [completion(ask(build(), [request])[0]).text for request in requests]
    assert together == alone
    assert len(set(together)) == 4
    assert torch.equal(state, torch.random.get_rng_state())


def test_a_cold_or_narrow_sample_is_the_greedy_text() -> None:
    backend = build()
    greedy, cold, narrow = ask(
        backend,
        [
            Generate("봄", Sampling(max_tokens=8)),
            Generate("봄", Sampling(max_tokens=8, temperature=1e-4, seed=1)),
            Generate("봄", Sampling(max_tokens=8, temperature=1.0, top_p=1e-9, seed=1)),
        ],
    )
    assert completion(greedy).text == completion(cold).text == completion(narrow).text


@pytest.mark.parametrize("top_p", [1e-300, 1e-9, 0.5])
def test_the_most_likely_token_is_always_in_the_nucleus(top_p: float) -> None:
    job = Job(EncodedPrompt(token_ids([1])), Sampling(temperature=1.0, top_p=top_p, seed=1))
    draw = generator_for(job)
    row = Row(0, job, Stops(TOKENIZER, (), frozenset()), draw)
    assert {row.choose(0, torch.tensor([5.0, 1.0, 0.0])) for _ in range(20)} == {0}


def test_a_date_in_the_chat_template_is_noted_where_it_is_used() -> None:
    backend = build()
    dated = build_tokenizer(bos=True, chat_template="{{ strftime_now('%d %b %Y') }} {{ messages[0].content }}")
    other = HfBackend.from_parts(backend.model, dated)
    assert (backend.identity.facts["template_date"], other.identity.facts["template_date"]) == ("none", "2024-07-26")
    ask(other, [Generate("봄", Sampling(max_tokens=1))])
    assert not other.notes
    ask(other, [Generate((Message("user", "봄"),), Sampling(max_tokens=1))])
    assert any("2024-07-26" in note for note in other.notes)


def test_a_token_that_the_tokenizer_puts_after_every_text_is_noted_and_left_out() -> None:
    from tokenizers import processors

    ended = build_tokenizer(bos=True)
    ended.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 1)]
    )
    backend = build()
    other = HfBackend.from_parts(backend.model, ended)
    assert any("would put </s> after every text" in note for note in other.notes)
    assert [values(scores) for scores in ask(other, SCORES)] == [values(scores) for scores in ask(backend, SCORES)]
    assert other.identity.key != backend.identity.key


class SmallMemory(torch.nn.Module):
    """A model whose memory holds few tokens at a time: a real forward pass that fails above a size."""

    def __init__(self, model: Any, most: int) -> None:
        super().__init__()
        self.inner, self.most, self.failures = model, most, 0
        real = model.forward

        def forward(input_ids: Any = None, *, logits_to_keep: Any = 0, **more: Any) -> Any:
            if input_ids.numel() > self.most:
                self.failures += 1
                raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9999 bytes")
            return real(input_ids=input_ids, logits_to_keep=logits_to_keep, **more)

        forward.__signature__ = __import__("inspect").signature(real)  # type: ignore[attr-defined]
        model.forward = forward


def test_when_memory_runs_out_the_batches_are_halved_and_nothing_is_lost() -> None:
    expected = [values(scores) for scores in ask(build(), SCORES)]
    backend = build(options=ModelOptions(batch_tokens=1000))
    limited = SmallMemory(backend.model, most=100)
    got = [values(scores) for scores in ask(backend, SCORES)]
    assert limited.failures > 0
    assert got == [pytest.approx(numbers, abs=1e-5) for numbers in expected]
    assert any("memory ran out" in note for note in backend.notes)


def test_a_request_that_never_fits_the_memory_fails_and_says_so() -> None:
    backend = build()
    ask(backend, SCORES[:1])
    limited = SmallMemory(backend.model, most=25)
    assert isinstance(ask(backend, SCORES[1:2])[0], Scores)  # a long prompt goes through in small pieces
    limited.most = 10
    failed = ask(backend, [Score(HEAD, (" 봄",)), Generate(HEAD, Sampling(max_tokens=2))])
    assert [answer.kind for answer in failed if isinstance(answer, RequestFailed)] == ["memory", "memory"]


def test_answers_come_pack_by_pack() -> None:
    backend = build(options=ModelOptions(batch_tokens=64))
    batches = list(backend.answer(SCORES))
    assert len(batches) > 3
    assert sorted(i for batch in batches for i, _ in batch) == list(range(len(SCORES)))


def test_bfloat16_is_close_to_float32() -> None:
    exact = [values(scores) for scores in ask(build(), SCORES)]
    backend = build()
    rough = HfBackend.from_parts(backend.model.to(torch.bfloat16), TOKENIZER)
    for numbers, near in zip(exact, ask(rough, SCORES), strict=True):
        assert values(near) == pytest.approx(numbers, abs=3.0)
    assert rough.identity.key != backend.identity.key


def test_weights_that_are_not_numbers_fail_the_request() -> None:
    backend = build()
    with torch.no_grad():
        backend.model.lm_head.weight.fill_(float("nan"))
    failed = ask(backend, SCORES[:1])[0]
    assert isinstance(failed, RequestFailed) and failed.kind == "not-finite"


def test_a_random_model_has_the_same_tokenizer_and_its_own_identity() -> None:
    backend = build()
    state = torch.random.get_rng_state()
    first, again, other = random_like(backend, 1), random_like(backend, 1), random_like(backend, 2)
    numbers = [[values(scores) for scores in ask(model, SCORES[:2])] for model in (first, again, other)]
    assert torch.equal(state, torch.random.get_rng_state())
    assert numbers[0] == numbers[1] != numbers[2]
    assert first.preview(SCORES[0]) == backend.preview(SCORES[0])
    assert len({model.identity.key for model in (first, again, other, backend)}) == 3


@pytest.mark.parametrize("name", ["llama", "gemma3", "gpt2"])
def test_texts_after_a_shared_beginning_are_the_texts_alone(name: str) -> None:
    """Few-shot prompts of two subjects: each beginning is computed once, and what is written stays the same."""
    backend = build(name)
    heads = [HEAD, "\n".join(SENTENCES[k] for k in (7, 80, 140, 300))]
    prompts = [
        Generate(f"{heads[k % 2]}\n{' '.join(SENTENCES[20 + k : 21 + k + k % 3])}", Sampling(max_tokens=6 + k % 4))
        for k in range(9)
    ]
    for request, answer in zip(prompts, ask(backend, prompts), strict=True):
        assert completion(answer).text == naive_text(backend, request, request.sampling.max_tokens)
