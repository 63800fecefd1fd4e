"""The dependency parser's recipe: words to rows, rows to trees, and what becomes of a sentence that is too long."""

from __future__ import annotations

import random
import unicodedata
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("transformers")

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from overfitting import overfit, tiny_recipe
from tiny_model import SENTENCES, build_tokenizer
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import BertConfig, PreTrainedTokenizerFast

from jatdae.benchmarks.klue.labels import DEPENDENCIES, PARTS_OF_SPEECH
from jatdae.benchmarks.klue.reading import read_task
from jatdae.benchmarks.klue.reading.files import locate
from jatdae.benchmarks.klue.recipes import PUBLISHED, Settings
from jatdae.benchmarks.klue.records import ParsedSentence
from jatdae.benchmarks.klue.scoring.fields import judge
from jatdae.benchmarks.klue.scoring.judging import JUDGING
from jatdae.benchmarks.sources import Source
from jatdae.errors import ModelError
from jatdae.finetune.encoder import Encoder
from jatdae.finetune.heads.parser import NO_POS, NO_TARGET, ParserSizes
from jatdae.finetune.recipes.parsing import Parse, ParsingRecipe
from jatdae.models.hf.loading import Source as ModelSource
from jatdae.models.options import ModelOptions

VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "나", "##는", "밥", "##을", "먹", "##다", "##.", "<s>", "</s>"]
GOLD = ("uas_macro", "uas_micro", "las_macro", "las_micro")


class SmallRecipe(ParsingRecipe):
    sizes = ParserSizes(hidden=64, arc=32, label=32, pos=16)


def mini(split: str) -> list[ParsedSentence]:
    return read_task("dp", locate(Source.of("mini"), "dp", split))


def small(records: list[ParsedSentence], folder: Path, **choices: Any) -> SmallRecipe:
    recipe = tiny_recipe("dp", records, folder, hidden=32, **choices)
    return SmallRecipe(recipe.encoder, recipe.settings)


def sentence(*rows: tuple[str, str, int, str], guid: str = "klue-dp-v1_dev_00000_mini") -> ParsedSentence:
    words, pos, heads, labels = zip(*rows, strict=True)
    return ParsedSentence(guid, words, words, tuple(tuple(chain.split("+")) for chain in pos), heads, labels)


def chain_of(words: list[str]) -> ParsedSentence:
    """A sentence in which each word hangs on the next."""
    return sentence(*((word, "NNG", (place + 1) % (len(words) + 1), "NP") for place, word in enumerate(words, 1)))


def wordpiece(first: str | None = "[CLS]", last: str = "[SEP]", **names: str) -> Any:
    vocabulary = {token: number for number, token in enumerate(VOCABULARY)}
    core = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    core.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    if first:
        core.post_processor = processors.BertProcessing((last, vocabulary[last]), (first, vocabulary[first]))
    return PreTrainedTokenizerFast(tokenizer_object=core, pad_token="[PAD]", unk_token="[UNK]", **names)


def unigram() -> Any:
    pieces = [
        ("<unk>", 0.0),
        ("<s>", 0.0),
        ("</s>", 0.0),
        ("▁", -3.0),
        *((c, -4.0) for c in sorted(set("".join(SENTENCES)))),
    ]
    core = Tokenizer(models.Unigram(pieces, unk_id=0, byte_fallback=False))
    core.pre_tokenizer = pre_tokenizers.Metaspace()
    core.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=[("<s>", 1), ("</s>", 2)])
    return PreTrainedTokenizerFast(tokenizer_object=core, bos_token="<s>", eos_token="</s>", unk_token="<unk>")


def recipe_of(tokenizer: Any, max_length: int = 256) -> ParsingRecipe:
    """A recipe for features alone: there are no weights behind it."""
    config = BertConfig(vocab_size=len(tokenizer), hidden_size=16, num_attention_heads=1, max_position_embeddings=512)
    return ParsingRecipe(
        Encoder(ModelSource("toy", None, None), ModelOptions(), config, tokenizer), Settings(max_length=max_length)
    )


EATING = sentence(("나는", "NP+JX", 3, "NP_SBJ"), ("밥을", "NNG+JKO", 3, "NP_OBJ"), ("먹는다.", "VV+EF+SF", 0, "VP"))


def marked(places: list[int], length: int, values: list[int] | None = None, rest: int = 0) -> list[int]:
    row = [rest] * length
    for place, value in zip(places, values or [1] * len(places), strict=True):
        row[place] = value
    return row


def test_features_are_those_of_the_specification() -> None:
    tokenizer = wordpiece(cls_token="[CLS]", sep_token="[SEP]")

    inputs = recipe_of(tokenizer).features([EATING], training=True)[0].inputs

    tokens = ["[CLS]", "나", "##는", "밥", "##을", "먹", "##는", "##다", "##.", "[SEP]"]
    assert tokenizer.convert_ids_to_tokens(inputs["input_ids"]) == tokens
    assert (inputs["first"][0], inputs["last"][0], inputs["pos"][0]) == (0, 0, 45)
    first, last = inputs["first"][1:], inputs["last"][1:]
    assert marked(first, 10) == [0, 1, 0, 1, 0, 1, 0, 0, 0, 0]
    assert marked(last, 10) == [0, 0, 1, 0, 1, 0, 0, 0, 1, 0]
    assert marked(first, 10, inputs["heads"], -1) == [-1, 3, -1, 3, -1, 0, -1, -1, -1, -1]
    assert inputs["labels"] == [3, 5, 2]
    assert inputs["pos"][1:] == [24, 20, 35]


def test_a_word_that_the_vocabulary_lacks_is_one_unknown_token() -> None:
    tokenizer = wordpiece(cls_token="[CLS]", sep_token="[SEP]")

    inputs = recipe_of(tokenizer).features([chain_of(["나는", "뷁", "먹는다."])], training=False)[0].inputs

    assert tokenizer.convert_ids_to_tokens(inputs["input_ids"])[3:5] == ["[UNK]", "먹"]
    assert (inputs["first"], inputs["last"]) == ([0, 1, 3, 4], [0, 2, 3, 7])


def test_a_part_of_speech_in_no_list_counts_as_that_of_the_root() -> None:
    slip = sentence(("나는", "NP+JX", 2, "NP_SBJ"), ("먹는다.", "AV", 0, "VP"))

    assert recipe_of(wordpiece(cls_token="[CLS]")).features([slip], training=True)[0].inputs["pos"] == [45, 24, 45]
    assert PARTS_OF_SPEECH.index("JX") == 24 and len(PARTS_OF_SPEECH) == NO_POS == 45


@pytest.mark.parametrize(
    ("tokenizer", "first", "last"),
    [
        (wordpiece(cls_token="[CLS]", sep_token="[SEP]"), ["[CLS]"], ["[SEP]"]),
        (wordpiece("<s>", "</s>", bos_token="<s>", eos_token="</s>"), ["<s>"], ["</s>"]),
        (wordpiece(None, cls_token="[CLS]", bos_token="<s>"), ["[CLS]"], []),
        (wordpiece(None, bos_token="<s>"), ["<s>"], []),
    ],
)
def test_special_tokens_are_the_tokenizers_own_and_the_first_is_the_root(
    tokenizer: Any, first: list[str], last: list[str]
) -> None:
    ids = recipe_of(tokenizer).features([chain_of(["나는"])], training=False)[0].inputs["input_ids"]

    assert tokenizer.convert_ids_to_tokens(ids) == [*first, "나", "##는", *last]


def test_without_a_token_for_the_root_the_encoder_is_refused() -> None:
    with pytest.raises(ModelError, match=r"^toy: .*cls_token"):
        recipe_of(wordpiece(None))


CHARACTERS = st.one_of(
    st.sampled_from("가나다는을먹뷁힣ㅋㅠa1Z.,!?()-%&"),
    st.sampled_from(["🙂", "👩‍👩‍👧", "🇰🇷", "漢", "é", "\u200b", "\ufeff", "\u0301", "ᄒ", "\ufffd", "\u00a0"]),
    st.sampled_from(unicodedata.normalize("NFD", "각뷁")),
    st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]),
)
WORDS = st.lists(st.lists(CHARACTERS, min_size=1, max_size=8).map("".join), min_size=1, max_size=12)
TOKENIZERS = {
    "WordPiece": wordpiece(cls_token="[CLS]", sep_token="[SEP]"),
    "bytes": build_tokenizer(bos=True),
    "Unigram": unigram(),
}


@pytest.mark.parametrize("kind", TOKENIZERS)
@settings(max_examples=60, deadline=None)
@given(words=WORDS)
def test_every_word_has_its_pieces_with_any_tokenizer(kind: str, words: list[str]) -> None:
    inputs = recipe_of(TOKENIZERS[kind], 512).features([chain_of(words)], training=True)[0].inputs

    first, last = inputs["first"][1:], inputs["last"][1:]
    assert len(first) == len(last) == len(inputs["heads"]) == len(words)
    assert all(start <= end for start, end in zip(first, last, strict=True))
    assert first[1:] == [end + 1 for end in last[:-1]] and first[0] == 1
    assert last[-1] < len(inputs["input_ids"])


@settings(max_examples=60, deadline=None)
@given(words=WORDS, max_length=st.integers(8, 24))
def test_no_word_goes_without_a_head_however_short_the_input(words: list[str], max_length: int) -> None:
    record = chain_of(words)
    recipe = recipe_of(TOKENIZERS["bytes"], max_length)
    (feature,) = recipe.features([record], training=False)
    read = len(feature.inputs["first"]) - 1
    parse = Parse(np.zeros(read, dtype=np.int64), np.ones(read, dtype=np.int64))

    tree = recipe.predictions([record], [feature], [parse])[record.id]

    assert feature.length <= max_length and max(feature.inputs["last"]) < feature.length
    assert len(tree["heads"]) == len(tree["deprels"]) == len(words)
    assert tree["heads"][:read] == [0] * read and tree["deprels"][:read] == ["NP_AJT"] * read
    assert tree["heads"][read:] == list(record.heads)[read:]
    assert set(tree["deprels"]) <= set(DEPENDENCIES)
    assert bool(recipe.notes([record], [feature])) == (feature.detail > 0)


def test_a_sentence_that_is_too_long_says_so_and_is_learned_from_as_far_as_it_was_read() -> None:
    # given a sentence of eight pieces and room for six
    recipe = recipe_of(TOKENIZERS["WordPiece"], 8)
    other = sentence(("나는", "NP", 2, "NP_SBJ"), ("먹는다.", "VV", 0, "VP"), guid="klue-dp-v1_dev_00001_mini")
    record = sentence(
        ("나는", "NP+JX", 2, "NP_SBJ"), ("밥을", "NNG", 4, "NP_OBJ"), ("먹는", "VV", 1, "VP"), ("나는", "NP", 0, "VP")
    )

    # when
    cut, whole = recipe.features([record, other], training=True)

    # then a word whose head is gone teaches nothing, and what was not read is told
    assert cut.inputs["last"] == [0, 2, 4, 6] and cut.detail == 2
    assert cut.inputs["heads"] == [2, NO_TARGET, 1] and cut.inputs["labels"] == [3, NO_TARGET, 2]
    assert whole.detail == 0
    (note,) = recipe.notes([record, other], [cut, whole])
    assert "1 of 2 sentences" in note and "8 tokens" in note and "not read: 1," in note
    assert recipe.notes([other], [whole]) == ()


def test_a_word_that_fills_the_input_alone_is_read_as_far_as_it_goes() -> None:
    recipe = recipe_of(TOKENIZERS["bytes"], 8)
    record = chain_of(["뷁" * 20, "나는"])

    (feature,) = recipe.features([record], training=False)

    assert (feature.inputs["first"], feature.inputs["last"]) == ([0, 1], [0, 7])
    assert recipe.features([record], training=True) == []


def test_segments_are_left_out_and_targets_are_there_only_for_training(tmp_path: Path) -> None:
    records = mini("dev")
    recipe = small(records, tmp_path / "encoder")

    training, plain = (recipe.collate(recipe.features(records[:4], training=flag)) for flag in (True, False))

    assert recipe.encoder.uses_segments
    assert set(training) - set(plain) == {"heads", "labels"}
    assert set(plain) == {"input_ids", "attention_mask", "first", "last", "pos", "words"}
    widest = max(len(record.words) for record in records[:4])
    assert training["heads"].shape == (4, widest) and training["pos"].shape == (4, widest + 1)


def test_gold_trees_through_the_recipe_score_the_maximum(tmp_path: Path) -> None:
    records = [*mini("train"), *mini("dev")]
    recipe = small(records, tmp_path / "encoder")

    assert gold_scores(recipe, records) == dict.fromkeys(GOLD, 100.0)


def gold_scores(recipe: ParsingRecipe, records: list[ParsedSentence]) -> dict[str, float | None]:
    features = recipe.features(records, training=False)
    targets = [feature.inputs for feature in recipe.features(records, training=True)]
    parses = [Parse(np.array(row["heads"]), np.array(row["labels"])) for row in targets]
    predictions = recipe.predictions(records, features, parses)
    scores = judge("dp", JUDGING["dp"].units(records), predictions).scores
    return {name: scores[name].official for name in GOLD}


def test_the_real_dev_file_keeps_all_words_and_its_gold_scores_the_maximum(upstream: Path, tmp_path: Path) -> None:
    records = read_task("dp", locate(Source.of(upstream / "klue"), "dp", "dev"))
    recipe = small(records, tmp_path / "encoder")

    features = recipe.features(records, training=True)

    assert sum(len(feature.inputs["heads"]) for feature in features) == 22_496
    assert not any(NO_TARGET in feature.inputs["heads"] for feature in features)
    assert recipe.notes(records, features) == ()
    assert gold_scores(recipe, records) == dict.fromkeys(GOLD, 100.0)


def test_a_parser_learns_32_sentences_by_heart(tmp_path: Path) -> None:
    records = random.Random(3).sample(mini("train"), 32)
    recipe = small(records, tmp_path / "encoder")

    scores = overfit(recipe, records, steps=220, lr=3e-3)

    assert min(scores[name] for name in ("uas_macro", "uas_micro", "las_macro")) >= 95


def test_a_saved_parser_says_the_same_after_loading(tmp_path: Path) -> None:
    # given
    records = mini("dev")
    recipe = small(records, tmp_path / "encoder")
    torch.manual_seed(5)
    model = recipe.build().eval()
    batch = recipe.collate(recipe.features(records, training=True))

    # when
    recipe.save(model, tmp_path / "saved")
    recipe.encoder.tokenizer.save_pretrained(tmp_path / "saved")
    loaded = recipe.load(tmp_path / "saved").eval()

    # then
    with torch.inference_mode():
        before, after = model(**batch), loaded(**batch)
        pairs = zip(recipe.outputs(model, batch), recipe.outputs(loaded, batch), strict=True)
        assert all(np.array_equal(np.stack(one), np.stack(other)) for one, other in pairs)
    assert set(before) == {"arc_scores", "label_scores", "loss"}
    assert all(torch.equal(before[name], after[name]) for name in before)


def test_a_parser_of_other_sizes_is_refused_and_a_bare_encoder_too(tmp_path: Path) -> None:
    records = mini("dev")
    recipe = small(records, tmp_path / "encoder")
    recipe.save(recipe.build(), tmp_path / "saved")

    class WiderRecipe(ParsingRecipe):
        sizes = ParserSizes(hidden=64, arc=32, label=48, pos=16)

    with pytest.raises(ModelError, match=r"of another shape, such as parser\.label_dependent\.bias"):
        WiderRecipe(recipe.encoder, recipe.settings).load(tmp_path / "saved")
    with pytest.raises(ModelError, match=r"missing, such as encoder\.embeddings"):
        recipe.load(tmp_path / "encoder")


def test_the_published_sizes_and_length_are_the_default() -> None:
    assert ParsingRecipe.sizes == ParserSizes(hidden=768, arc=512, label=256, pos=256, dropout=0.33)
    assert PUBLISHED["dp"].max_length == 256
