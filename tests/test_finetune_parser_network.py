"""The biaffine parser against plain loops; what padding, dropout and training do to it."""

from __future__ import annotations

import math
from typing import Any

import pytest

pytest.importorskip("transformers")

import numpy as np
import torch
from overfitting import tiny_recipe
from torch.nn.utils.rnn import PackedSequence, pad_packed_sequence

from jatdae.benchmarks.klue.labels import DEPENDENCIES
from jatdae.benchmarks.klue.reading import read_task
from jatdae.benchmarks.klue.reading.files import locate
from jatdae.benchmarks.sources import Source
from jatdae.finetune.heads.parser import NO_POS, NO_TARGET, BiaffineParser, ParserSizes
from jatdae.finetune.recipe import Batch
from jatdae.finetune.recipes.parsing import ParsingRecipe

WIDTH = 6
SIZES = ParserSizes(hidden=5, arc=4, label=3, pos=2)
CLOSE = {"rtol": 0, "atol": 1e-5}
Vector = Any


class SmallRecipe(ParsingRecipe):
    sizes = ParserSizes(hidden=12, arc=8, label=8, pos=4)


@pytest.fixture(scope="module")
def recipe(tmp_path_factory: pytest.TempPathFactory) -> SmallRecipe:
    made = tiny_recipe("dp", sentences(), tmp_path_factory.mktemp("encoder") / "tiny", hidden=32)
    return SmallRecipe(made.encoder, made.settings)


def sentences() -> list[Any]:
    """Bundled sentences of several lengths."""
    records = read_task("dp", locate(Source.of("mini"), "dp", "train"))
    return sorted(records, key=lambda record: len(record.words))[::4]


def parser() -> BiaffineParser:
    """A small parser whose every weight differs from its start, biases too, so that none can be left out unseen."""
    torch.manual_seed(11)
    made = BiaffineParser(WIDTH, SIZES).eval()
    with torch.no_grad():
        for weight in made.parameters():
            weight.add_(0.4 * torch.randn_like(weight))
    return made


def inputs(*lengths: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Vectors, parts of speech and lengths; what lies beyond a sentence is noise that must not matter."""
    torch.manual_seed(3)
    vectors = torch.randn(len(lengths), max(lengths) + 1, WIDTH)
    pos = torch.randint(0, NO_POS, vectors.shape[:2])
    pos[:, 0] = NO_POS
    return vectors, pos, torch.tensor(lengths)


def model_of(recipe: SmallRecipe) -> Any:
    torch.manual_seed(2)
    return recipe.build().eval()


def batch_of(recipe: SmallRecipe) -> Batch:
    return recipe.collate(recipe.features(sentences(), training=True))


# --- an independent reference: one sentence, plain loops, no batches


def sigmoid(x: Vector) -> Vector:
    return 1 / (1 + np.exp(-x))


def elu(x: Vector) -> Vector:
    return np.array([value if value > 0 else math.exp(value) - 1 for value in x])


class Weights:
    def __init__(self, made: BiaffineParser) -> None:
        self.of = {name: weight.detach().double().numpy() for name, weight in made.named_parameters()}

    def linear(self, name: str, x: Vector) -> Vector:
        return self.of[f"{name}.weight"] @ x + self.of[f"{name}.bias"]

    def lstm(self, name: str, rows: list[Vector], h: Vector, c: Vector, end: str = "") -> tuple[list[Vector], Vector]:
        states = []
        for row in rows:
            gates = self.of[f"{name}.weight_ih_l0{end}"] @ row + self.of[f"{name}.bias_ih_l0{end}"]
            gates = gates + self.of[f"{name}.weight_hh_l0{end}"] @ h + self.of[f"{name}.bias_hh_l0{end}"]
            enter, forget, new, out = np.split(gates, 4)
            c = sigmoid(forget) * c + sigmoid(enter) * np.tanh(new)
            h = sigmoid(out) * np.tanh(c)
            states.append(h)
        return states, c


def slow_scores(made: BiaffineParser, vectors: Vector, pos: list[int]) -> tuple[Vector, Any]:
    """Arc scores (words, words + 1) of one sentence, and a function of (word, head) for its label scores."""
    w = Weights(made)
    zero = np.zeros(SIZES.hidden)
    rows = [np.concatenate((vector, w.of["pos.weight"][tag])) for vector, tag in zip(vectors, pos, strict=True)]
    forward, last = w.lstm("encoder", rows, zero, zero)
    backward, first = w.lstm("encoder", rows[::-1], zero, zero, "_reverse")
    candidates = [np.concatenate(pair) for pair in zip(forward, backward[::-1], strict=True)]
    start = w.linear("start", np.concatenate((last, first)))
    bridged = [elu(w.linear("bridge", row)) for row in candidates[1:]]
    dependents, _ = w.lstm("decoder", bridged, np.tanh(start), start)
    arcs = np.zeros((len(dependents), len(candidates)))
    for d, dependent in enumerate(dependents):
        for h, candidate in enumerate(candidates):
            left, right = elu(w.linear("arc_dependent", dependent)), elu(w.linear("arc_head", candidate))
            arcs[d, h] = sum(
                left[i] * w.of["arcs.both"][i, j] * right[j] for i in range(SIZES.arc) for j in range(SIZES.arc)
            )
            arcs[d, h] += w.of["arcs.dependent.weight"][0] @ left + w.of["arcs.head.weight"][0] @ right
            arcs[d, h] += w.of["arcs.bias"]

    def label_scores(d: int, h: int) -> list[float]:
        left, right = elu(w.linear("label_dependent", dependents[d])), elu(w.linear("label_head", candidates[h]))
        return [
            left @ w.of["labels.both"][label] @ right
            + w.of["labels.dependent.weight"][label] @ left
            + w.of["labels.head.weight"][label] @ right
            + w.of["labels.bias"][label]
            for label in range(len(DEPENDENCIES))
        ]

    return arcs, label_scores


@pytest.mark.parametrize("given", ["gold heads", "its own heads"])
def test_scores_equal_plain_loops_over_words_heads_and_labels(given: str) -> None:
    # given
    made = parser()
    vectors, pos, lengths = inputs(4, 1, 3)
    gold = torch.tensor([[2, 4, 4, 0], [0, NO_TARGET, NO_TARGET, NO_TARGET], [3, 3, 0, NO_TARGET]])

    # when
    with torch.no_grad():
        arcs, labels = made(vectors, pos, lengths, gold if given == "gold heads" else None)

    # then
    for row, words in enumerate(lengths.tolist()):
        sentence = vectors[row, : words + 1].double().numpy()
        slow, label_scores = slow_scores(made, sentence, pos[row, : words + 1].tolist())
        np.testing.assert_allclose(arcs[row, :words, : words + 1], slow, **CLOSE)
        assert arcs[row, :, words + 1 :].eq(-math.inf).all()
        for word in range(words):
            head = int(gold[row, word]) if given == "gold heads" else int(slow[word].argmax())
            np.testing.assert_allclose(labels[row, word], label_scores(word, head), **CLOSE)


def test_padding_changes_neither_predictions_nor_loss(recipe: SmallRecipe) -> None:
    # given
    model = model_of(recipe)
    features = recipe.features(sentences(), training=True)
    assert len({feature.length for feature in features}) > 3

    # when
    with torch.no_grad():
        together = model(**recipe.collate(features))
        singles = [model(**recipe.collate([feature])) for feature in features]
        parses = recipe.outputs(model, recipe.collate(features))
        alone = [recipe.outputs(model, recipe.collate([feature]))[0] for feature in features]

    # then
    counts = [len(feature.inputs["heads"]) for feature in features]
    weighted = sum(count * float(single["loss"]) for count, single in zip(counts, singles, strict=True)) / sum(counts)
    assert float(together["loss"]) == pytest.approx(weighted, abs=1e-5)
    for row, (count, single) in enumerate(zip(counts, singles, strict=True)):
        torch.testing.assert_close(together["arc_scores"][row, :count, : count + 1], single["arc_scores"][0], **CLOSE)
        torch.testing.assert_close(together["label_scores"][row, :count], single["label_scores"][0], **CLOSE)
        assert len(parses[row].heads) == len(parses[row].labels) == count
        assert np.array_equal(np.stack(parses[row]), np.stack(alone[row]))


def test_a_padded_candidate_is_no_head_even_where_all_scores_are_negative() -> None:
    made = parser()
    with torch.no_grad():
        made.arcs.bias.fill_(-1e4)

        arcs, _ = made(*inputs(5, 2))

    assert int(arcs[1, :2].argmax(-1).max()) <= 2


def test_the_loss_is_that_of_heads_plus_that_of_labels_over_the_words_with_a_target(recipe: SmallRecipe) -> None:
    # given a batch in which one word's target is hidden
    model, batch = model_of(recipe), batch_of(recipe)
    batch["heads"][-1, 0] = batch["labels"][-1, 0] = NO_TARGET

    # when
    with torch.no_grad():
        told = model(**batch)

    # then
    heads, labels = (told[name].double().log_softmax(-1) for name in ("arc_scores", "label_scores"))
    losses = [
        -float(heads[row, word, head]) - float(labels[row, word, int(batch["labels"][row, word])])
        for row, given in enumerate(batch["heads"].tolist())
        for word, head in enumerate(given)
        if head != NO_TARGET
    ]
    assert len(losses) == int(batch["words"].sum()) - 1
    assert float(told["loss"]) == pytest.approx(sum(losses) / len(losses), abs=1e-5)


def test_a_word_is_read_at_its_first_and_last_piece_and_the_root_at_the_first_token(recipe: SmallRecipe) -> None:
    # given
    model, batch = model_of(recipe), batch_of(recipe)
    seen: list[torch.Tensor] = []
    model.parser.register_forward_pre_hook(lambda _, arguments: seen.append(arguments[0]))

    # when
    with torch.no_grad():
        model(**batch)
        states = model.encoder(batch["input_ids"], attention_mask=batch["attention_mask"]).last_hidden_state

    # then
    (vectors,) = seen
    assert torch.equal(vectors[:, 0], torch.cat((states[:, 0], states[:, 0]), -1))
    for row, count in enumerate(batch["words"].tolist()):
        for word in range(1, count + 1):
            ends = [states[row, int(batch[name][row, word])] for name in ("first", "last")]
            assert torch.equal(vectors[row, word], torch.cat(ends))


def test_gradients_reach_every_weight(recipe: SmallRecipe) -> None:
    # without dropout, which may take a part of speech altogether
    model, batch = model_of(recipe), batch_of(recipe)

    model(**batch)["loss"].backward()

    # a constant over all heads of a word has no part in which is the best: these two are kept to the letter
    blind = {"parser.arcs.dependent.weight", "parser.arcs.bias"}
    for name, weight in model.named_parameters():
        assert weight.grad is not None, name
        if name.startswith("parser.") and name not in blind:
            assert weight.grad.abs().max() > 1e-7, name
    with_gradient = model.parser.pos.weight.grad.abs().sum(-1) > 0
    assert with_gradient.nonzero().flatten().tolist() == sorted(set(batch["pos"].flatten().tolist()))


def test_dropout_takes_whole_words_of_the_parts_of_speech_and_whole_features_later() -> None:
    # given
    made = parser().train()
    read: list[PackedSequence] = []
    later: list[torch.Tensor] = []
    made.encoder.register_forward_pre_hook(lambda _, arguments: read.append(arguments[0]))
    for layer in (made.arc_head, made.arc_dependent):
        layer.register_forward_pre_hook(lambda _, arguments: later.append(arguments[0]))
    vectors, pos, lengths = inputs(*[7] * 40)

    # when
    made(vectors, pos, lengths)

    # then
    packed, _ = pad_packed_sequence(read[0], batch_first=True)
    assert torch.equal(packed[..., :WIDTH], vectors)
    scaled = packed[..., WIDTH:] / made.pos(pos)
    kept = 1 / (1 - SIZES.dropout)
    assert scaled.eq(0).eq(scaled[..., :1].eq(0)).all()
    assert (scaled.eq(0) | (scaled - kept).abs().lt(1e-5)).all()
    assert 0.2 < float((scaled[..., 0] == 0).float().mean()) < 0.5
    for states in later:
        dropped = states.eq(0).all(1)
        assert states.eq(0).any(1).eq(dropped).all()
        assert 0.15 < float(dropped.float().mean()) < 0.5


def test_weights_start_as_published() -> None:
    torch.manual_seed(0)
    made = BiaffineParser(2 * 768, ParserSizes())

    shapes = {name: tuple(weight.shape) for name, weight in made.named_parameters()}
    assert shapes["pos.weight"] == (46, 256)
    assert shapes["encoder.weight_ih_l0"] == shapes["encoder.weight_ih_l0_reverse"] == (4 * 768, 2 * 768 + 256)
    assert shapes["decoder.weight_ih_l0"] == (4 * 768, 768)
    assert shapes["start.weight"] == shapes["bridge.weight"] == (768, 1536)
    assert (shapes["arc_head.weight"], shapes["arc_dependent.weight"]) == ((512, 1536), (512, 768))
    assert (shapes["label_head.weight"], shapes["label_dependent.weight"]) == ((256, 1536), (256, 768))
    assert (shapes["arcs.both"], shapes["labels.both"]) == ((512, 512), (38, 256, 256))
    for scores in (made.arcs, made.labels):
        assert not scores.bias.any()
    limit = math.sqrt(6 / (512 + 512))
    assert 0.99 * limit < float(made.arcs.both.detach().abs().max()) <= limit


def test_half_precision_of_the_encoder_leaves_the_parser_in_full(recipe: SmallRecipe) -> None:
    model, batch = model_of(recipe), batch_of(recipe)

    with torch.no_grad():
        full = model(**batch)
        with torch.autocast("cpu", torch.bfloat16):
            half = model(**batch)

    assert half["arc_scores"].dtype == half["loss"].dtype == torch.float32
    assert float(half["loss"]) == pytest.approx(float(full["loss"]), abs=0.02)


def test_layers_can_be_computed_again_on_the_way_back(recipe: SmallRecipe) -> None:
    # given one model and a copy that keeps less in memory
    model, frugal, batch = model_of(recipe).train(), model_of(recipe).train(), batch_of(recipe)
    frugal.activation_checkpointing_enable()

    # when
    for one in (model, frugal):
        torch.manual_seed(9)
        one(**batch)["loss"].backward()

    # then
    assert frugal.encoder.is_activation_checkpointing
    for weight, other in zip(model.parameters(), frugal.parameters(), strict=True):
        torch.testing.assert_close(weight.grad, other.grad, rtol=1e-4, atol=1e-6)
