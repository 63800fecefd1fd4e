"""The tracker's network against a slow writing of its formulas, one slot and one token at a time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("transformers")

import torch
from dialogue_states import KINDS, bert, corpus, mini, recipe_on
from torch import Tensor, nn
from transformers import BertModel

from jatdae.errors import ModelError
from jatdae.finetune.dialogue_turns import LONGEST
from jatdae.finetune.heads import tracker
from jatdae.finetune.heads.tracker import Memory, Tracker
from jatdae.finetune.recipes.tracking import TrackingRecipe

POINTER = 2


@pytest.fixture(scope="module", params=KINDS)
def recipe(request: Any, tmp_path_factory: pytest.TempPathFactory) -> TrackingRecipe:
    folder = tmp_path_factory.mktemp("encoder")
    return recipe_on(KINDS[request.param](folder, corpus(mini())))


@pytest.fixture(scope="module")
def bert_recipe(tmp_path_factory: pytest.TempPathFactory) -> TrackingRecipe:
    return recipe_on(bert(tmp_path_factory.mktemp("bert"), corpus(mini())))


def built(recipe: TrackingRecipe) -> Any:
    """A tracker at random whose gate and generator decide, and whose gate says `ptr` of about half the slots."""
    torch.manual_seed(3)
    model: Any = recipe.build().eval()
    model.generator.weight.data *= 5
    seen: list[Tensor] = []
    hook = model.gate.register_forward_hook(lambda *told: seen.append(told[-1]))
    with torch.no_grad():
        model(**batch_of(recipe, training=False))
    hook.remove()
    others = seen[0][:, [gate for gate in range(5) if gate != POINTER]].max(-1).values
    model.gate.bias.data[POINTER] += (others - seen[0][:, POINTER]).quantile(0.503)
    return model


def batch_of(recipe: TrackingRecipe, *, training: bool = True) -> dict[str, Tensor]:
    """Turns of unlike length, so that some rows are padded."""
    features = recipe.features(mini()[:2], training=training)
    assert len({feature.length for feature in features[:3]}) == 3
    return recipe.collate(features[:3])


def turns_of(model: Any, batch: dict[str, Tensor]) -> list[tuple[Tensor, Tensor]]:
    """Each turn's hidden states and tokens, alone and without padding."""
    found = []
    for row, length in enumerate(batch["attention_mask"].sum(-1).tolist()):
        inputs = {
            name: batch[name][row : row + 1, :length]
            for name in ("input_ids", "attention_mask", "token_type_ids")
            if name in batch
        }
        found.append((model.encoder(**inputs).last_hidden_state[0], batch["input_ids"][row, :length]))
    return found


def embedding_of(model: Any) -> Tensor:
    embedding = model.encoder.get_input_embeddings().weight
    return embedding if model.widening is None else embedding @ model.widening.weight.T


def recurrent(cell: nn.GRUCell, inputs: Tensor, hidden: Tensor) -> Tensor:
    reset, update, new = (cell.weight_ih @ inputs + cell.bias_ih).chunk(3)
    old_reset, old_update, old_new = (cell.weight_hh @ hidden + cell.bias_hh).chunk(3)
    gate = torch.sigmoid(update + old_update)
    return (1 - gate) * torch.tanh(new + torch.sigmoid(reset + old_reset) * old_new) + gate * hidden


@torch.no_grad()
def slow_slot(model: Any, states: Tensor, ids: Tensor, slot: int, fed: Sequence[int] | None, steps: int) -> Any:
    """A slot's gate logits, the whole vocabulary's P at each step, and the most probable tokens."""
    embedding = embedding_of(model)
    inputs = torch.stack([embedding[token] for token in model.slots[slot]]).sum(0)
    hidden = torch.tanh(model.pooler.weight @ states[0] + model.pooler.bias)
    gate, found, tokens = torch.empty(0), [], []
    for step in range(steps):
        hidden = recurrent(model.cell, inputs, hidden)
        weights = torch.softmax(states @ hidden, 0)
        context = weights @ states
        if step == 0:
            gate = model.gate.weight @ context + model.gate.bias
        share = torch.sigmoid(model.generator.weight[0] @ torch.cat([inputs, hidden, context]) + model.generator.bias)
        mixed = share * torch.softmax(embedding @ hidden, 0)
        for token, weight in zip(ids.tolist(), weights, strict=True):
            mixed[token] += (1 - share[0]) * weight
        found.append(mixed)
        tokens.append(int(mixed.argmax()))
        inputs = embedding[tokens[-1] if fed is None else fed[step]]
    return gate, found, tokens


def slow_loss(model: Any, batch: dict[str, Tensor], *, taught: bool) -> float:
    values, gates = batch["values"], batch["gates"]
    spelled, gated = [], []
    for row, (states, ids) in enumerate(turns_of(model, batch)):
        for slot in range(values.size(1)):
            gold = [token for token in values[row, slot].tolist() if token != model.padding]
            gate, mixed, _ = slow_slot(model, states, ids, slot, gold if taught else None, len(gold))
            spelled += [-p[token].log() for p, token in zip(mixed, gold, strict=True)]
            gated.append(-torch.log_softmax(gate, 0)[gates[row, slot]])
    return float(torch.stack(spelled).mean() + torch.stack(gated).mean())


@pytest.mark.parametrize("taught", [True, False])
def test_the_loss_is_that_of_the_slow_formulas(
    recipe: TrackingRecipe, taught: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Given a model without dropout, in a batch that is taught with gold tokens or fed with its own
    model, batch = built(recipe).train(), batch_of(recipe)
    monkeypatch.setattr(tracker, "TEACHING", float(taught))

    # When
    with torch.no_grad():
        loss = float(model(**batch)["loss"])

    # Then
    assert loss == pytest.approx(slow_loss(model.eval(), batch, taught=taught), rel=1e-4)


def test_at_evaluation_the_loss_is_that_of_its_own_tokens(bert_recipe: TrackingRecipe) -> None:
    model, batch = built(bert_recipe), batch_of(bert_recipe)

    with torch.no_grad():
        losses = {float(model(**batch)["loss"]) for _ in range(6)}

    assert len(losses) == 1
    assert losses.pop() == pytest.approx(slow_loss(model, batch, taught=False), rel=1e-4)


def test_gates_and_values_are_the_arg_max_of_the_slow_formulas(recipe: TrackingRecipe) -> None:
    # Given
    model, batch = built(recipe), batch_of(recipe, training=False)

    # When
    with torch.no_grad():
        found = model(**batch)

    # Then every gate agrees, and every value whose gate is ptr as far as its end; other slots hold nothing
    pointed = 0
    for row, (states, ids) in enumerate(turns_of(model, batch)):
        for slot in range(len(model.slots)):
            gate, _, tokens = slow_slot(model, states, ids, slot, None, LONGEST)
            assert found["gates"][row, slot] == gate.argmax()
            spelled = found["values"][row, slot].tolist()
            if gate.argmax() != POINTER:
                assert set(spelled) == {model.padding}
                continue
            pointed += 1
            special = set(model.special.tolist())
            end = next((place for place, token in enumerate(tokens) if token in special), LONGEST - 1)
            assert spelled == [*tokens[: end + 1], *[model.padding] * (LONGEST - end - 1)]
    assert 0 < pointed < found["gates"].numel()


def test_spelling_only_some_slots_gives_what_spelling_all_gives(bert_recipe: TrackingRecipe) -> None:
    # Given the first step of all slots of a batch
    model, batch = built(bert_recipe), batch_of(bert_recipe, training=False)
    places = torch.arange(3 * len(model.slots))

    with torch.no_grad():
        states = model.encoder(**batch).last_hidden_state
        memory = Memory(states, batch["input_ids"], batch["attention_mask"].bool(), len(model.slots))
        step = model.first_step(memory, places)

        # When all are spelled, and a third of them
        everything, some = model.spell(memory, step), model.spell(memory, step.only(places % 3 == 1))

    # Then
    assert torch.equal(some[places % 3 == 1], everything[places % 3 == 1])
    assert (some[places % 3 != 1] == model.padding).all()


def test_a_padded_batch_gives_what_its_rows_give_alone(recipe: TrackingRecipe) -> None:
    model, features = built(recipe), recipe.features(mini()[:2], training=False)

    with torch.no_grad():
        together = recipe.outputs(model, recipe.collate(features))
        alone = [recipe.outputs(model, recipe.collate([feature]))[0] for feature in features]

    assert together == alone
    assert any(spelled for _, spelled in together)


def test_a_gradient_reaches_every_weight(recipe: TrackingRecipe) -> None:
    # Given a batch that is not taught, and one that is
    model, batch = built(recipe).train(), batch_of(recipe)

    # When
    model(**batch)["loss"].backward()

    # Then
    without = [name for name, weight in model.named_parameters() if weight.grad is None or not weight.grad.any()]
    assert without == [name for name in without if name.endswith("key.bias")]  # which attention is deaf to


def test_a_token_without_a_chance_still_has_a_gradient(bert_recipe: TrackingRecipe) -> None:
    # Given a model that is sure to speak, and sure of another token than the gold one
    model, batch = built(bert_recipe), batch_of(bert_recipe)
    model.generator.bias.data += 200
    states = torch.full((1, 1, 32), 1.0)
    memory = Memory(states, batch["input_ids"][:1, :1], torch.tensor([[True]]), len(model.slots))
    step = model.first_step(memory, torch.tensor([0]))
    step.hidden.data *= 50
    worst = model._scores(step.hidden).argmin(-1)

    # When
    likelihood = model.log_likelihood(memory, step, worst)
    likelihood.sum().backward()

    # Then its probability is below what float32 can hold, and it can be learned all the same
    assert -1e5 < float(likelihood.detach()) < -110
    assert model.cell.weight_ih.grad.abs().max() > 0
    assert all(torch.isfinite(weight.grad).all() for weight in model.parameters() if weight.grad is not None)


def test_half_the_batches_are_taught_by_the_global_random_state(bert_recipe: TrackingRecipe) -> None:
    # Given a model that differs from gold, so that both ways of feeding give another loss
    model, batch = built(bert_recipe).train(), batch_of(bert_recipe)

    def losses(seed: int, count: int = 60) -> list[float]:
        torch.manual_seed(seed)
        with torch.no_grad():
            return [round(float(model(**batch)["loss"]), 4) for _ in range(count)]

    # When
    first, again, other = losses(1), losses(1), losses(2)

    # Then
    assert first == again != other
    assert len(set(first)) == 2
    assert 15 < first.count(first[0]) < 45


def test_the_word_embedding_is_the_encoders_own_and_saved_once(recipe: TrackingRecipe, tmp_path: Path) -> None:
    # Given
    model, batch = built(recipe), batch_of(recipe, training=False)
    size = model.encoder.get_input_embeddings().num_embeddings

    # When
    recipe.save(model, tmp_path)
    again = recipe.load(tmp_path).eval()

    # Then
    assert sum(size in weight.shape for weight in model.parameters()) == 1
    with torch.no_grad():
        assert recipe.outputs(again, batch) == recipe.outputs(model, batch)
    assert {name for name, _ in again.named_parameters()} == {name for name, _ in model.named_parameters()}
    assert all(torch.equal(weight, again.state_dict()[name]) for name, weight in model.state_dict().items())


def test_a_checkpoint_of_another_task_is_refused(bert_recipe: TrackingRecipe, tmp_path: Path) -> None:
    folder = Path(bert_recipe.encoder.source.name)
    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())

    with pytest.raises(ModelError, match=r"cell\.bias_hh"):
        bert_recipe.load(tmp_path)


def test_a_pooler_is_taken_over_where_there_is_one(bert_recipe: TrackingRecipe) -> None:
    own = BertModel.from_pretrained(bert_recipe.encoder.source.name).pooler

    model: Any = bert_recipe.build()

    assert own is not None
    assert torch.equal(model.pooler.weight, own.dense.weight)
    assert model.encoder.pooler is None


def test_mixed_precision_changes_the_loss_little(recipe: TrackingRecipe) -> None:
    model, batch = built(recipe), batch_of(recipe)

    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        mixed = model(**batch)["loss"]
        answers = recipe.outputs(model, batch)
    with torch.no_grad():
        whole = model(**batch)["loss"]

    assert mixed.dtype == torch.float32
    assert float(mixed) == pytest.approx(float(whole), rel=0.2)
    assert len(answers) == 3


def test_training_goes_through_in_mixed_precision_and_with_checkpointing(bert_recipe: TrackingRecipe) -> None:
    # Given two equal models, one of which holds less of the encoder in memory
    one, two, batch = built(bert_recipe), built(bert_recipe), batch_of(bert_recipe)
    two.train().activation_checkpointing_enable()
    torch.manual_seed(5)
    two(**batch)["loss"].backward()
    torch.manual_seed(5)
    one.train()(**batch)["loss"].backward()

    # Then both give the same gradient
    gradient = one.cell.weight_hh.grad.clone()
    assert torch.allclose(two.cell.weight_hh.grad, gradient, atol=1e-6)

    # And bfloat16 gives one of about the same direction
    one.zero_grad()
    torch.manual_seed(5)
    with torch.autocast("cpu", torch.bfloat16):
        loss = one(**batch)["loss"]
    loss.backward()
    assert torch.cosine_similarity(one.cell.weight_hh.grad.flatten(), gradient.flatten(), dim=0) > 0.9


def test_a_tracker_is_made_of_what_the_formulas_name(bert_recipe: TrackingRecipe) -> None:
    model = built(bert_recipe)

    assert isinstance(model, Tracker)
    assert {name.split(".")[0] for name, _ in model.named_parameters()} == {
        "encoder", "pooler", "cell", "generator", "gate",
    }  # fmt: skip
