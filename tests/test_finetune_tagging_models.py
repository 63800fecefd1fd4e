"""The tagging recipe on models with and without segments, pooler and absolute positions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tokenizer_kinds import byte_level, random_model, saved_encoder, sentences, texts, trained_wordpiece
from transformers import (
    BertConfig,
    BertModel,
    DebertaV2Config,
    DebertaV2Model,
    ElectraConfig,
    ElectraModel,
    RobertaConfig,
    RobertaModel,
)

from jatdae.benchmarks.klue.labels import ENTITY_TAGS
from jatdae.benchmarks.klue.recipes import PUBLISHED
from jatdae.finetune.recipes.tagging import TaggingRecipe
from jatdae.models.base import parse_reference
from jatdae.models.options import ModelOptions

SIZE: dict[str, Any] = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "max_position_embeddings": 130,
}
RELATIVE = {"relative_attention": True, "pos_att_type": ["p2c", "c2p"], "position_biased_input": False}
LONGEST = 96

Build = Callable[[Any], Any]
MODELS: Mapping[str, tuple[Build, Callable[[], Any]]] = {
    "BERT": (lambda sizes: BertModel(BertConfig(**sizes)), lambda: trained_wordpiece(texts())),
    "ELECTRA": (
        lambda sizes: ElectraModel(ElectraConfig(embedding_size=16, **sizes)),
        lambda: trained_wordpiece(texts()),
    ),
    "RoBERTa without a pooler": (
        lambda sizes: RobertaModel(RobertaConfig(type_vocab_size=1, **sizes), add_pooling_layer=False),
        lambda: byte_level(prefix=True),
    ),
    "DeBERTa-v2": (
        lambda sizes: DebertaV2Model(DebertaV2Config(type_vocab_size=0, **RELATIVE, **sizes)),
        lambda: trained_wordpiece(texts()),
    ),
}
every_model = pytest.mark.parametrize("name", MODELS)


@pytest.fixture
def recipe(name: str, tmp_path: Path) -> TaggingRecipe:
    build, tokenizer = MODELS[name][0], MODELS[name][1]()
    sizes = {**SIZE, "vocab_size": len(tokenizer), "pad_token_id": tokenizer.pad_token_id}
    encoder = saved_encoder(tmp_path / "encoder", random_model(lambda: build(sizes)), tokenizer)
    return TaggingRecipe(encoder, replace(PUBLISHED["ner"], max_length=LONGEST))


@pytest.fixture
def model(recipe: TaggingRecipe) -> Any:
    """With weights large enough that positions matter, in float64, so that no rounding decides between two tags."""
    torch.manual_seed(3)
    model = recipe.build().eval().double()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(0.0, 0.4)
    return model


@torch.no_grad()
def told(recipe: TaggingRecipe, model: Any, *places: int) -> list[list[int]]:
    features = recipe.features([sentences()[place] for place in places], training=False)
    return [row.tolist() for row in recipe.outputs(model, recipe.collate(features))]


@torch.no_grad()
def statically_padded(recipe: TaggingRecipe, model: Any, place: int) -> torch.Tensor:
    """The logits of a row that is filled up to the greatest length, as the baseline fills all rows."""
    [feature] = recipe.features([sentences()[place]], training=False)
    ids, padding = feature.inputs["input_ids"], recipe.encoder.tokenizer.pad_token_id
    lacking = LONGEST - len(ids)
    row = torch.tensor([[*ids, *[padding] * lacking]])
    return model(input_ids=row, attention_mask=torch.tensor([[1] * len(ids) + [0] * lacking])).logits[0]


@pytest.mark.parametrize("name", sorted(MODELS.keys() - {"DeBERTa-v2"}))
def test_the_last_position_says_what_it_says_in_a_statically_padded_row(recipe: TaggingRecipe, model: Any) -> None:
    for place in range(8):
        features = recipe.features([sentences()[place]], training=False)
        with torch.no_grad():
            ours = model(**recipe.collate(features)).logits[0]
        static = statically_padded(recipe, model, place)
        length = features[0].length

        assert len(ours) == length + 1 < LONGEST
        torch.testing.assert_close(ours[:-1], static[:length], rtol=1e-4, atol=1e-4)
        torch.testing.assert_close(ours[-1], static[-1], rtol=1e-4, atol=1e-4)
        assert told(recipe, model, place)[0] == [*static[:length].argmax(-1).tolist(), int(static[-1].argmax())]


@every_model
def test_no_prediction_depends_on_the_batch(recipe: TaggingRecipe, model: Any) -> None:
    together = told(recipe, model, *range(8))

    assert together == [told(recipe, model, place)[0] for place in range(8)]


@pytest.mark.parametrize("name", ["BERT"])
def test_a_full_row_ends_with_its_own_last_token(recipe: TaggingRecipe, model: Any) -> None:
    lengths = [feature.length for feature in recipe.features(sentences()[:2], training=False)]
    shorter = TaggingRecipe(recipe.encoder, replace(recipe.settings, max_length=min(lengths)))

    rows = told(shorter, model, 0, 1)

    assert [len(row) for row in rows] == [min(lengths) + 1] * 2
    assert all(row[-1] == row[-2] for row in rows)


@every_model
def test_the_loss_falls_and_a_saved_model_says_the_same(recipe: TaggingRecipe, tmp_path: Path) -> None:
    torch.manual_seed(0)
    batch = recipe.collate(recipe.features(sentences()[:8], training=True))
    model = recipe.build().train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    losses: list[float] = []
    for _ in range(12):
        loss = model(**batch)["loss"]
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    assert ("token_type_ids" in batch) == recipe.encoder.uses_segments
    assert losses[-1] < 0.7 * losses[0]

    folder = tmp_path / "tuned"
    recipe.save(model, folder)
    recipe.encoder.tokenizer.save_pretrained(folder)
    again = TaggingRecipe(type(recipe.encoder).open(parse_reference(str(folder)), ModelOptions()), recipe.settings)
    loaded: Any = again.load(folder).eval()

    assert loaded.config.id2label == dict(enumerate(ENTITY_TAGS))
    for first, second in zip(told(recipe, model.eval(), 0, 1), told(again, loaded, 0, 1), strict=True):
        np.testing.assert_array_equal(first, second)


def test_a_head_made_elsewhere_is_read_by_its_tag_names_in_any_order(tmp_path: Path) -> None:
    # given a head that numbers the tags as the hub does, and says one of them everywhere
    from transformers import AutoModelForTokenClassification, AutoTokenizer

    from jatdae.benchmarks.klue.labels import HUB_ENTITY_TAGS
    from jatdae.benchmarks.klue.reading import locate, read_task
    from jatdae.benchmarks.sources import Source
    from jatdae.finetune.tiny import build_tiny_encoder
    from jatdae.finetune.tuning import Tuner, predict
    from jatdae.runtime import Progress

    records = read_task("ner", locate(Source.of("mini"), "ner", "dev"))
    build_tiny_encoder(tmp_path / "tiny", [record.text for record in records], hidden=32, layers=1)
    names = dict(enumerate(HUB_ENTITY_TAGS))
    model = AutoModelForTokenClassification.from_pretrained(tmp_path / "tiny", id2label=names, num_labels=13)
    with torch.no_grad():
        model.classifier.weight.zero_()
        model.classifier.bias.copy_(torch.eye(13)[HUB_ENTITY_TAGS.index("B-DT")])
    model.save_pretrained(tmp_path / "elsewhere")
    AutoTokenizer.from_pretrained(tmp_path / "tiny").save_pretrained(tmp_path / "elsewhere")
    # when it predicts
    tuner = Tuner.open("ner", parse_reference(str(tmp_path / "elsewhere")), ModelOptions(), {})
    told = predict(None, tuner, records, Progress(quiet=True)).predictions
    # then its tag is the one of that name
    assert tuner.tuned
    assert {prediction["official_tags"][0] for prediction in told.values()} == {"B-DT"}
