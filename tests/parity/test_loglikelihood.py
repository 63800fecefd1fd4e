"""The engine's log-likelihoods against lm-evaluation-harness 0.4.13 and against a float64 copy scored one by one."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("lm_eval")

from tiny_model import CHAT_TEMPLATE_WITH_BOS, DEEDS, PEOPLE, PLACES, SENTENCES, build_tiny_model

from jatdae.models.base import ModelReference
from jatdae.models.hf import HfBackend
from jatdae.models.hf.kernels import KERNELS
from jatdae.models.options import ModelOptions
from jatdae.types import Score, Scores

LETTERS = (" A", " B", " C", " D")
LABELS = "ABCD"


def letter_block(draw: random.Random) -> str:
    options = draw.sample(SENTENCES, 4)
    listed = "\n".join(f"{label}. {text}" for label, text in zip(LABELS, options, strict=True))
    return f"{draw.choice(PEOPLE)} {draw.choice(PLACES)} 무엇을 했는가?\n{listed}\n정답："


def letter_requests(shots: int) -> list[Score]:
    draw = random.Random(shots)
    head = "".join(f"{letter_block(draw)} {draw.choice(LABELS)}\n\n" for _ in range(shots))
    return [Score(head + letter_block(draw), LETTERS) for _ in range(16)]


def cloze_requests(shots: int) -> list[Score]:
    draw = random.Random(100 + shots)
    head = "".join(f"문장: {s}\n부정문: {s[:-2]}지 않았다.\n\n" for s in draw.sample(SENTENCES, shots))
    requests = []
    for sentence in draw.sample(SENTENCES, 16):
        stem = sentence.split(" ", 1)[0]
        options = tuple(f" {stem} {draw.choice(PLACES)} {deed}" for deed in draw.sample(DEEDS, 4))
        requests.append(Score(f"{head}문장: {sentence}\n부정문:", options))
    return requests


def symbol_requests() -> list[Score]:
    """Circled numbers: several bytes and tokens each, the first of them shared."""
    draw = random.Random(5)
    return [Score(f"{draw.choice(SENTENCES)} 맞는 번호는?\n답:", (" ①", " ②", " ③", " ④")) for _ in range(16)]


KINDS = {
    "letter 0-shot": letter_requests(0),
    "letter 5-shot": letter_requests(5),
    "cloze 0-shot": cloze_requests(0),
    "cloze 5-shot": cloze_requests(5),
    "symbol": symbol_requests(),
}


@pytest.fixture(scope="module", params=[False, True], ids=["no-bos", "bos"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint on disk, with and without a start token before every text."""
    return build_tiny_model(tmp_path_factory.mktemp("tiny"), bos=request.param, chat_template=CHAT_TEMPLATE_WITH_BOS)


@pytest.fixture(scope="module")
def backend(folder: Path) -> HfBackend:
    return HfBackend.load(ModelReference("hf", str(folder)), ModelOptions(device="cpu", offline=True))


@pytest.fixture(scope="module")
def harness(folder: Path) -> Any:
    from lm_eval.models.huggingface import HFLM

    return HFLM(pretrained=str(folder), device="cpu", dtype="float32", batch_size=4)


def ask(backend: HfBackend, requests: Sequence[Score]) -> list[Scores]:
    answers = dict(pair for batch in backend.answer(requests) for pair in batch)
    assert sorted(answers) == list(range(len(requests)))
    scores = [answers[i] for i in range(len(requests))]
    assert all(isinstance(score, Scores) for score in scores)
    return scores  # type: ignore[return-value]


def harness_scores(harness: Any, requests: Sequence[Score]) -> list[list[tuple[float, bool]]]:
    from lm_eval.api.instance import Instance

    instances = [
        Instance("loglikelihood", {}, (request.context, option), k)
        for k, (request, option) in enumerate((r, o) for r in requests for o in r.options)
    ]
    flat = iter(harness.loglikelihood(instances, disable_tqdm=True))
    return [[next(flat) for _ in request.options] for request in requests]


def values(scores: Scores) -> list[float]:
    return [option.log_likelihood for option in scores.options]


def best(numbers: Sequence[float]) -> int:
    return max(range(len(numbers)), key=numbers.__getitem__)


@pytest.mark.parametrize("kind", KINDS)
def test_the_harness_gets_the_same_numbers(kind: str, backend: HfBackend, harness: Any) -> None:
    requests = KINDS[kind]
    assert sum(len(request.options) for request in requests) >= 60
    ours, theirs = ask(backend, requests), harness_scores(harness, requests)
    for mine, other in zip(ours, theirs, strict=True):
        expected = [value for value, _ in other]
        assert values(mine) == pytest.approx(expected, rel=1e-4, abs=1e-3)
        assert best(values(mine)) == best(expected)
        assert [option.greedy for option in mine.options] == [flag for _, flag in other]


def test_the_greedy_flag_is_seen_true_and_false(backend: HfBackend, harness: Any) -> None:
    """Options made of the model's own most likely tokens are greedy in both, others are not."""
    context = "할머니는 시장에서"
    ids = backend.preview(Score(context, (" 갓",)))[0].ids
    start = len(backend.tokenizer.encode(context))
    model = harness.model
    with torch.no_grad():
        likely = int(model(torch.tensor([ids[:start]])).logits[0, -1].argmax())
    text = backend.tokenizer.decode([likely])
    request = Score(context, (text, " 갓 구운 빵을 샀다."))
    theirs = harness_scores(harness, [request])[0]
    assert [option.greedy for option in ask(backend, [request])[0].options] == [flag for _, flag in theirs]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_float64_copy_scored_one_by_one_agrees(kind: str, kernel: str, folder: Path) -> None:
    """With every matrix product, each option is within 1e-5 of what exact arithmetic gives it alone."""
    from transformers import AutoModelForCausalLM

    if kernel != "torch" and not torch.backends.mkldnn.is_available():
        pytest.skip("this torch has no oneDNN")
    exact = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float64).eval()
    options = ModelOptions(device="cpu", offline=True, backend_options=(("kernel", kernel),))
    backend = HfBackend.load(ModelReference("hf", str(folder)), options)
    requests = KINDS[kind][:6]
    answers = ask(backend, requests)
    assert (backend.settings["path"], backend.settings["kernel"]) == ("tree", kernel)
    for request, scores in zip(requests, answers, strict=True):
        for sent, option in zip(backend.preview(request), scores.options, strict=True):
            ids = list(sent.ids)
            with torch.no_grad():
                logits = exact(torch.tensor([ids])).logits[0]
            logs = torch.log_softmax(logits, dim=-1)[range(len(ids) - 1), ids[1:]]
            assert option.log_likelihood == pytest.approx(float(logs[-option.tokens :].sum()), rel=1e-5)


@pytest.mark.parametrize("budget", [16, 100, 4000])
def test_neither_batch_size_nor_order_nor_duplicates_matter(budget: int, folder: Path, backend: HfBackend) -> None:
    requests = [request for kind in KINDS.values() for request in kind[:5]]
    expected = ask(backend, requests)
    mixed = list(range(len(requests))) * 2
    random.Random(budget).shuffle(mixed)
    options = ModelOptions(device="cpu", offline=True, batch_tokens=budget)
    other = HfBackend.load(ModelReference("hf", str(folder)), options)
    for place, scores in zip(mixed, ask(other, [requests[i] for i in mixed]), strict=True):
        assert values(scores) == pytest.approx(values(expected[place]), abs=1e-5, rel=1e-6)


def test_shared_tokens_are_computed_once(folder: Path) -> None:
    """Few-shot prompts with fixed examples: the work is near the number of distinct tokens, far below the raw one."""
    requests = KINDS["cloze 5-shot"]
    fresh = HfBackend.load(
        ModelReference("hf", str(folder)), ModelOptions(device="cpu", offline=True, batch_tokens=512)
    )
    ask(fresh, requests[:1])
    before = fresh.computed_tokens
    ask(fresh, requests)
    sequences = [sent.ids[:-1] for request in requests for sent in fresh.preview(request)]
    distinct = len({ids[: n + 1] for ids in sequences for n in range(len(ids))})
    assert fresh.computed_tokens - before <= 1.1 * distinct
    assert sum(map(len, sequences)) > 5 * distinct
