"""How a sentence with two entities is put to an encoder, for tokenizers of every kind, and that the head learns."""

from __future__ import annotations

import doctest
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

pytest.importorskip("torch")

from overfitting import overfit, tiny_recipe
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import AutoTokenizer, BertConfig, BertModel, PreTrainedTokenizerFast

from jatdae.benchmarks.klue import locate, read_task
from jatdae.benchmarks.klue.labels import NO_RELATION, RELATIONS
from jatdae.benchmarks.klue.recipes import PUBLISHED
from jatdae.benchmarks.klue.records import EntitySpan, Relation
from jatdae.benchmarks.sources import Source
from jatdae.errors import RequestError
from jatdae.finetune.encoder import Encoder
from jatdae.finetune.recipes import find_recipe, relations
from jatdae.finetune.recipes.relations import MARKERS, RelationRecipe, marked, rejoined
from jatdae.models.base import parse_reference
from jatdae.models.options import ModelOptions

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = ["조지", "해리", "##슨", "##이", "쓰", "##고", "비틀즈", "##가", "1969", "##년", "앨범", "이", "가"]
ALPHABET = "가나다은는을 ab12(),.·<>|😀漢한글"


def span(sentence: str, word: str, start: int | None = None) -> EntitySpan:
    first = sentence.index(word) if start is None else start
    return EntitySpan(word, first, first + len(word) - 1, "PER", (first, first + len(word) - 1))


def relation(sentence: str, subject: str, target: str) -> Relation:
    return Relation("klue-re-v1_dev_00007", sentence, span(sentence, subject), span(sentence, target), NO_RELATION)


def wordpiece(words: list[str]) -> Any:
    core = Tokenizer(models.WordPiece({word: n for n, word in enumerate([*SPECIAL, *words])}, unk_token="[UNK]"))
    core.normalizer = normalizers.BertNormalizer(lowercase=False, strip_accents=False)
    core.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    core.decoder = decoders.WordPiece()
    core.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    names = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    inputs = ["input_ids", "token_type_ids", "attention_mask"]
    return PreTrainedTokenizerFast(tokenizer_object=core, model_input_names=inputs, **names)


def of_characters() -> Any:
    """WordPiece that knows every character of the alphabet, at a word's start and in its middle."""
    return wordpiece([*ALPHABET.replace(" ", ""), *(f"##{sign}" for sign in ALPHABET.replace(" ", ""))])


def unigram(scheme: str) -> Callable[[], Any]:
    def build() -> Any:
        core = Tokenizer(models.Unigram())
        core.normalizer = normalizers.NFKC()
        core.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=scheme)
        core.decoder = decoders.Metaspace(prepend_scheme=scheme)
        special = ["<s>", "<pad>", "</s>", "<unk>"]
        trainer = trainers.UnigramTrainer(
            vocab_size=120, special_tokens=special, unk_token="<unk>", initial_alphabet=list(ALPHABET)
        )
        core.train_from_iterator(["가나은 다는 가나를 한글", "나다는 (가나)은, 12·ab 漢", "한글을 다 가나 😀"], trainer)
        core.post_processor = processors.BertProcessing(("</s>", 2), ("<s>", 0))
        names = {"pad_token": "<pad>", "unk_token": "<unk>", "cls_token": "<s>", "sep_token": "</s>"}
        return PreTrainedTokenizerFast(
            tokenizer_object=core, model_input_names=["input_ids", "attention_mask"], **names
        )

    return build


def byte_level() -> Any:
    core = Tokenizer(models.BPE())
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=300, special_tokens=["<s>", "</s>", "<pad>"], initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    core.train_from_iterator(["가나은 다는 가나를", "나다는 (가나)은"], trainer)
    core.post_processor = processors.BertProcessing(("</s>", 1), ("<s>", 0))
    names = {"pad_token": "<pad>", "cls_token": "<s>", "sep_token": "</s>", "unk_token": "</s>"}
    return PreTrainedTokenizerFast(tokenizer_object=core, model_input_names=["input_ids", "attention_mask"], **names)


KINDS: dict[str, Callable[[], Any]] = {
    "wordpiece": of_characters,
    "unigram": unigram("always"),
    "unigram, no sign after a marker": unigram("first"),
    "byte-level": byte_level,
}


def written(folder: Path, tokenizer: Any) -> Path:
    """An encoder's folder with this tokenizer."""
    size: dict[str, Any] = {
        "hidden_size": 32,
        "intermediate_size": 32,
        "num_hidden_layers": 1,
        "num_attention_heads": 1,
    }
    config = BertConfig(vocab_size=len(tokenizer), pad_token_id=tokenizer.pad_token_id, **size)
    BertModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def recipe_of(folder: Path, max_length: int = 256) -> RelationRecipe:
    encoder = Encoder.open(parse_reference(str(folder)), ModelOptions())
    return RelationRecipe(encoder, replace(PUBLISHED["re"], max_length=max_length))


@pytest.fixture(scope="module")
def recipes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, RelationRecipe]:
    folder = tmp_path_factory.mktemp("kinds")
    return {kind: recipe_of(written(folder / kind, build())) for kind, build in KINDS.items()}


# --- the worked example of the task


EXAMPLE = relation("조지 해리슨이 쓰고 비틀즈가 1969년 앨범", "비틀즈", "조지 해리슨")
TOKENS = [
    "<obj>",
    "조지",
    "해리",
    "##슨",
    "</obj>",
    "##이",
    "쓰",
    "##고",
    "<subj>",
    "비틀즈",
    "</subj>",
    "##가",
    "1969",
    "##년",
    "앨범",
]


def test_the_particle_after_an_entity_stays_with_its_word(tmp_path: Path) -> None:
    recipe = recipe_of(written(tmp_path / "toy", wordpiece(WORDS)))

    (feature,) = recipe.features([EXAMPLE], training=True)

    names = recipe.encoder.tokenizer.convert_ids_to_tokens(feature.inputs["input_ids"])
    assert names == ["[CLS]", *TOKENS, "[SEP]"]
    assert feature.inputs["token_type_ids"] == [0] * len(names)
    assert feature.inputs["labels"] == RELATIONS.index(NO_RELATION)


def test_a_particle_that_the_vocabulary_does_not_have_is_unknown(tmp_path: Path) -> None:
    recipe = recipe_of(written(tmp_path / "toy", wordpiece([word for word in WORDS if word != "##이"])))

    (feature,) = recipe.features([EXAMPLE], training=False)

    assert recipe.tokens(EXAMPLE) == TOKENS
    names = recipe.encoder.tokenizer.convert_ids_to_tokens(feature.inputs["input_ids"])
    assert names[5:8] == ["</obj>", "[UNK]", "쓰"]


@pytest.mark.parametrize(
    ("tokens", "text", "splitting", "expected"),
    [
        ("</subj> 가", "</subj>가", "##", "</subj> ##가"),
        ("</subj> ##가", "</subj>가", "##", "</subj> ##가"),
        ("</subj> 가", "</subj> 가", "##", "</subj> 가"),
        ("</subj> ( 가", "</subj>(가", "##", "</subj> ( 가"),
        ("</subj> a", "</subj>a", "##", "</subj> a"),
        ("</subj> [UNK]", "</subj>가", "##", "</subj> [UNK]"),
        ("가 </subj>", "가</subj>", "##", "가 </subj>"),
        ("</subj>", "</subj>\u200b", "##", "</subj>"),
        ("</subj> ▁ 가", "</subj>가", "▁", "</subj> 가"),
        ("</subj> ▁가 ▁나", "</subj>가 나", "▁", "</subj> 가 ▁나"),
        ("</subj> ▁가", "</subj> 가", "▁", "</subj> ▁가"),
        ("</subj> ▁", "</subj> ", "▁", "</subj> ▁"),
        ("</subj> 가", "</subj>가", "▁", "</subj> 가"),
        ("▁가 </subj>", "가</subj>", "▁", "▁가 </subj>"),
        ("</subj> ê° Ģ", "</subj>가", "", "</subj> ê° Ģ"),
    ],
)
def test_what_follows_a_marker_without_a_blank_is_the_middle_of_a_word(
    tokens: str, text: str, splitting: str, expected: str
) -> None:
    mended = rejoined(["</obj>", "b", *tokens.split()], f"</obj> b {text}", splitting)

    assert mended == ["</obj>", "b", *expected.split()]


def test_markers_that_follow_each_other_keep_the_particle_of_the_last() -> None:
    tokens = ["<subj>", "<obj>", "한국", "</obj>", "은행", "</subj>", "이"]

    assert rejoined(tokens, "<subj><obj>한국</obj>은행</subj>이", "##") == [*tokens[:4], "##은행", "</subj>", "##이"]
    assert rejoined(["</subj>", "<obj>", "</obj>"], "</subj><obj></obj>", "##") == ["</subj>", "<obj>", "</obj>"]


# --- where the markers stand


@pytest.mark.parametrize(
    ("sentence", "subject", "target", "expected"),
    [
        ("가온과 나래", "가온", "나래", "<subj>가온</subj>과 <obj>나래</obj>"),
        ("나래 가온", "가온", "나래", "<obj>나래</obj> <subj>가온</subj>"),
        ("가온나래", "가온", "나래", "<subj>가온</subj><obj>나래</obj>"),
        ("한국은행이", "한국은행", "한국", "<subj><obj>한국</obj>은행</subj>이"),
        ("한국은행이", "은행", "한국은행", "<obj>한국<subj>은행</subj></obj>이"),
        ("새 한국은행장", "국은", "한국은행", "새 <obj>한<subj>국은</subj>행</obj>장"),
        ("가", "가", "가", ""),
    ],
)
def test_markers_stand_around_the_entities_and_the_text_stands_once(
    sentence: str, subject: str, target: str, expected: str
) -> None:
    record = relation(sentence, subject, target)
    if expected:
        assert marked(record) == expected
        return
    with pytest.raises(RequestError, match="klue-re-v1_dev_00007: subject and object have the same place"):
        marked(record)


@pytest.mark.parametrize(("subject", "target"), [("한국은", "국은행"), ("국은행", "한국은")])
def test_entities_that_cross_each_other_are_refused(tmp_path: Path, subject: str, target: str) -> None:
    recipe = recipe_of(written(tmp_path / "toy", wordpiece(WORDS)))

    with pytest.raises(RequestError, match=r"^klue-re-v1_dev_00007: subject and object overlap in part \(.*correct"):
        recipe.features([EXAMPLE, relation("한국은행이", subject, target)], training=False)


def test_a_marker_in_the_text_itself_is_refused() -> None:
    with pytest.raises(RequestError, match=r"klue-re-v1_dev_00007: the sentence holds </obj>"):
        marked(relation("가온과 나래</obj>", "가온", "나래"))


def test_real_sentences_are_kept_to_the_character(upstream: Path) -> None:
    for split in ("train", "dev"):
        for record in read_task("re", locate(Source.of(upstream), "re", split)):
            text = marked(record)
            assert record.subject.word == text.partition("<subj>")[2].partition("</subj>")[0]
            assert record.object.word == text.partition("<obj>")[2].partition("</obj>")[0]
            for marker in MARKERS:
                text = text.replace(marker, "")
            assert text == record.sentence


def test_examples_in_the_docstrings_hold() -> None:
    assert doctest.testmod(relations).failed == 0


# --- every kind of tokenizer


@st.composite
def records(draw: st.DrawFn) -> Relation:
    """Sentences with two entities that stand apart, touch, or lie one in the other."""
    sentence = draw(st.text(ALPHABET, min_size=2, max_size=24))
    place = st.tuples(*[st.integers(0, len(sentence) - 1)] * 2).map(sorted)
    (a, b), (c, d) = draw(place), draw(place)
    assume((a, b) != (c, d) and not a < c <= b < d and not c < a <= d < b)
    subject = EntitySpan(sentence[a : b + 1], a, b, "PER", (a, b))
    target = EntitySpan(sentence[c : d + 1], c, d, "PER", (c, d))
    return Relation("a", sentence, subject, target, NO_RELATION)


def plain(recipe: RelationRecipe, tokens: list[str]) -> str:
    """The characters that tokens stand for, blanks aside."""
    if not {"##", "▁"} & {recipe._splitting}:
        return "".join(recipe.encoder.tokenizer.convert_tokens_to_string(tokens).split())
    return "".join(token.removeprefix("##") for token in tokens).replace("▁", "")


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=120, deadline=None)
@given(record=records())
def test_no_character_is_lost_and_markers_enclose_their_entity(
    kind: str, recipes: dict[str, RelationRecipe], record: Relation
) -> None:
    recipe = recipes[kind]

    tokens = recipe.tokens(record)

    assert [tokens.count(marker) for marker in MARKERS] == [1, 1, 1, 1]
    for (opening, closing), entity in (
        (relations.SUBJECT, record.subject),
        (relations.OBJECT, record.object),
    ):
        inside = tokens[tokens.index(opening) + 1 : tokens.index(closing)]
        assert plain(recipe, [t for t in inside if t not in MARKERS]) == "".join(entity.word.split())
    without = [token for token in tokens if token not in MARKERS]
    assert plain(recipe, without) == "".join(record.sentence.split())
    assert plain(recipe, without) == plain(recipe, recipe.encoder.tokenizer.tokenize(record.sentence))
    if kind == "byte-level":
        assert recipe.encoder.tokenizer.convert_tokens_to_string(without) == record.sentence


@pytest.mark.parametrize("kind", KINDS)
def test_the_tokenizers_own_frame_stands_around_the_text(kind: str, recipes: dict[str, RelationRecipe]) -> None:
    recipe = recipes[kind]
    tokenizer = recipe.encoder.tokenizer

    (feature,) = recipe.features([relation("가나은 다는", "가나", "다")], training=False)

    ids = feature.inputs["input_ids"]
    assert (ids[0], ids[-1]) == (tokenizer.cls_token_id, tokenizer.sep_token_id)
    assert set(recipe._ids) <= set(ids) and tokenizer.cls_token_id not in ids[1:]
    assert feature.inputs["token_type_ids"] == [0] * feature.length


# --- markers as tokens, and what a cut takes away


def test_markers_are_new_tokens_once_and_stay_what_they_are(tmp_path: Path) -> None:
    folder = written(tmp_path / "toy", wordpiece(WORDS))
    size = len(AutoTokenizer.from_pretrained(folder))
    first = recipe_of(folder)
    model: Any = first.build()
    assert model.get_input_embeddings().num_embeddings == len(first.encoder.tokenizer) == size + 4
    assert model.config.num_labels == len(RELATIONS)

    # when the tuned model is saved and opened again
    first.save(model, tmp_path / "tuned")
    first.encoder.tokenizer.save_pretrained(tmp_path / "tuned")
    again = recipe_of(tmp_path / "tuned")

    # then nothing is added, and a sentence is the same numbers
    assert len(again.encoder.tokenizer) == size + 4
    assert again.encoded([EXAMPLE]) == first.encoded([EXAMPLE])
    loaded: Any = again.load(tmp_path / "tuned")
    assert loaded.config.id2label[8] == "org:product"
    assert json.loads((tmp_path / "tuned" / "config.json").read_text())["vocab_size"] == size + 4


def test_sentences_that_lose_an_entity_are_counted(tmp_path: Path) -> None:
    folder = written(tmp_path / "toy", of_characters())
    near, far = (relation("가나은 " + "다" * blanks + " 한글", "가나", "한글") for blanks in (1, 30))
    whole, cut = recipe_of(folder), recipe_of(folder, max_length=20)

    features = cut.features([near, far], training=False)

    assert [feature.length for feature in features] == [12, 20]
    assert features[1].inputs["input_ids"][-1] == cut.encoder.tokenizer.sep_token_id
    assert cut.notes([near, far], features)[0].startswith(
        "1 of 2 sentences were cut at 20 tokens before an entity's end"
    )
    assert whole.notes([near, far], whole.features([near, far], training=False)) == ()


# --- learning


def test_the_head_learns_few_items_by_heart(tmp_path: Path) -> None:
    items = read_task("re", locate(Source.of("mini"), "re", "train"))[:32]
    recipe = tiny_recipe("re", items, tmp_path)
    assert type(recipe) is find_recipe("re")

    scores = overfit(recipe, items, steps=300, batch=16)

    present = len({item.label for item in items})
    over_present = (scores["auprc"] * len(RELATIONS) - 50 * (len(RELATIONS) - present)) / present
    assert scores["micro_f1"] >= 95
    assert over_present >= 95


def test_a_head_made_elsewhere_on_other_input_is_refused(tmp_path: Path) -> None:
    # given thirty relations in a head whose tokenizer has no markers
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    from jatdae.benchmarks.klue.labels import RELATIONS
    from jatdae.errors import ModelError
    from jatdae.finetune.tiny import build_tiny_encoder
    from jatdae.finetune.tuning import Tuner, predict
    from jatdae.models.base import parse_reference
    from jatdae.models.options import ModelOptions
    from jatdae.runtime import Progress

    build_tiny_encoder(tmp_path / "tiny", ["가온과 나래"], hidden=32, layers=1)
    names = dict(enumerate(RELATIONS))
    model = AutoModelForSequenceClassification.from_pretrained(tmp_path / "tiny", id2label=names, num_labels=30)
    model.save_pretrained(tmp_path / "elsewhere")
    AutoTokenizer.from_pretrained(tmp_path / "tiny").save_pretrained(tmp_path / "elsewhere")
    tuner = Tuner.open("re", parse_reference(str(tmp_path / "elsewhere")), ModelOptions(), {})
    # then it is not scored with markers that mean nothing to it
    with pytest.raises(ModelError, match="no tokens <subj>"):
        predict(None, tuner, [], Progress(quiet=True))
