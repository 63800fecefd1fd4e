"""`jatdae score` on real files: gold is perfect, corrupted gold is worth what other libraries say, public outputs of
systems give the figures that were counted elsewhere."""

from __future__ import annotations

import csv
import difflib
import json
import string
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from klue_gold import AS_PREDICTED, relations, tagged, topics, written
from scipy import stats

from jatdae.benchmarks.klue import TASKS, locate, read_task
from jatdae.benchmarks.klue.labels import DEPENDENCIES, ENTITY_TAGS, INFERENCE, NO_RELATION, RELATIONS, SLOTS, TOPICS
from jatdae.benchmarks.klue.scoring.answered_entities import placed
from jatdae.benchmarks.sources import Source
from jatdae.cli import run_app
from jatdae.models.base import parse_reference
from jatdae.models.options import ModelOptions

EXACT = 1e-9
Rows = list[dict[str, Any]]
Values = Mapping[str, float]


def scored(capsys: pytest.CaptureFixture[str], task: str, *words: str | Path) -> dict[str, Any]:
    """What `jatdae score --json` prints."""
    code = run_app(["score", f"klue/{task}", *map(str, words), "--draws", "2", "--json"])
    shown = capsys.readouterr()
    assert code == 0, shown.err
    return json.loads(shown.out)["score"]


def official(score: Mapping[str, Any]) -> dict[str, float | None]:
    return {
        name: measured["official"] and 100 * measured["official"]["value"]
        for name, measured in score["metrics"].items()
    }


def records_of(task: str, upstream: Path) -> list[Any]:
    return read_task(task, locate(Source.of(upstream), task, "dev"))


# --- gold as prediction


@pytest.mark.parametrize("task", TASKS)
def test_gold_is_worth_the_maximum(
    task: str, upstream: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = records_of(task, upstream)
    pred = written(tmp_path / "pred.json", [row for record in records for row in AS_PREDICTED[task](record)])

    score = scored(capsys, task, "--pred", pred, "--data", upstream)

    # a relation without gold is worth half of its thirtieth, however good the prediction
    absent = len(set(RELATIONS) - {record.label for record in records}) if task == "re" else 0
    best = {"auprc": 100 - 50 * absent / 30}
    for name, value in official(score).items():
        assert value == pytest.approx(best.get(name, 100), abs=EXACT)
    assert (score["missing"], score["outside"]) == (0, {})


# --- corrupted gold, against independent implementations


def exchanged(random: np.random.Generator, labels: Sequence[str], names: Sequence[str], share: float) -> list[Any]:
    """Some labels made others, some of them removed."""
    return [
        label if chance > share else None if chance > 0.9 * share else str(random.choice(np.array(names)))
        for label, chance in zip(labels, random.random(len(labels)), strict=True)
    ]


def corrupted_labels(names: Sequence[str]) -> Callable[[Sequence[Any], np.random.Generator], Rows]:
    def corrupt(records: Sequence[Any], random: np.random.Generator) -> Rows:
        guesses = exchanged(random, [record.label for record in records], names, 0.3)
        return [{"guid": r.guid, "prediction": x} for r, x in zip(records, guesses, strict=True)]

    return corrupt


def corrupted_relations(records: Sequence[Any], random: np.random.Generator) -> Rows:
    rows = corrupted_labels(RELATIONS)(records, random)
    table = random.random((len(records), len(RELATIONS))) ** 4
    for record, row, chances in zip(records, rows, table, strict=True):
        chances[RELATIONS.index(record.label)] += random.random()
        # rounded, so that many scores are equal
        row["probabilities"] = [round(float(chance), 2) for chance in chances / chances.sum()]
    return rows


def corrupted_similarity(records: Sequence[Any], random: np.random.Generator) -> Rows:
    noise = random.normal(0, 1, len(records))
    return [
        {"guid": r.guid, "prediction": round(r.real_label + float(x), 3)} for r, x in zip(records, noise, strict=True)
    ]


def corrupted_tags(records: Sequence[Any], random: np.random.Generator) -> Rows:
    rows = []
    for record in records:
        hit, others = random.random(len(record.tags)) < 0.05, random.choice(np.array(ENTITY_TAGS), len(record.tags))
        tags = [str(other) if x else tag for tag, other, x in zip(record.tags, others, hit, strict=True)]
        rows.append({"guid": record.guid, "tags": tags})
    return rows


def corrupted_trees(records: Sequence[Any], random: np.random.Generator) -> Rows:
    rows = []
    for record in records:
        size = len(record.words)
        heads = np.where(random.random(size) < 0.2, random.integers(0, size + 1, size), record.heads)
        labels = np.where(random.random(size) < 0.2, random.choice(np.array(DEPENDENCIES), size), record.labels)
        rows.append({"guid": record.guid, "heads": heads.tolist(), "deprels": labels.tolist()})
    return rows


def corrupted_answers(records: Sequence[Any], random: np.random.Generator) -> Rows:
    rows = []
    for record in records:
        answer = str(random.choice(np.array(record.gold)))
        start = int(random.integers(0, 3))
        changed = [answer, answer[start:], f"약 {answer}.", record.context[start : start + 9], ""]
        rows.append({"guid": record.guid, "prediction": changed[int(random.integers(0, len(changed)))]})
    return rows


def corrupted_states(records: Sequence[Any], random: np.random.Generator) -> Rows:
    rows = []
    for record in records:
        for number, turn in enumerate(record.user_turns):
            state = [item for item in turn.state_items if random.random() > 0.05]
            if random.random() < 0.2:
                state.append(f"{random.choice(np.array(SLOTS))}-dontcare")
            rows.append({"guid": f"{record.guid}-{number}", "prediction": list(dict.fromkeys(state))})
    return rows


def sklearn_topics(records: Sequence[Any], rows: Rows) -> Values:
    measure = pytest.importorskip("sklearn.metrics")
    gold, guess = [r.label for r in records], [row["prediction"] or "-" for row in rows]
    classes = sorted({*gold, *guess} - {"-"})
    return {
        "macro_f1": measure.f1_score(gold, guess, labels=classes, average="macro"),
        "accuracy": measure.accuracy_score(gold, guess),
    }


def sklearn_inference(records: Sequence[Any], rows: Rows) -> Values:
    return {"accuracy": sklearn_topics(records, rows)["accuracy"]}


def scipy_similarity(records: Sequence[Any], rows: Rows) -> Values:
    measure = pytest.importorskip("sklearn.metrics")
    gold, guess = np.array([r.real_label for r in records]), np.array([row["prediction"] for row in rows])
    correlation: Any = stats.pearsonr(gold, guess)
    return {"pearson": float(correlation.statistic), "f1": measure.f1_score(gold >= 3, guess >= 3)}


def sklearn_relations(records: Sequence[Any], rows: Rows) -> Values:
    measure = pytest.importorskip("sklearn.metrics")
    gold, guess = [r.label for r in records], [row["prediction"] or "-" for row in rows]
    table = np.array([row["probabilities"] for row in rows])
    areas = []
    for name, scores in zip(RELATIONS, table.T, strict=True):
        precision, recall, _ = measure.precision_recall_curve(np.array(gold) == name, scores)
        areas.append(measure.auc(recall, precision))
    classes = [name for name in RELATIONS if name != NO_RELATION]
    return {
        "micro_f1": measure.f1_score(gold, guess, labels=classes, average="micro"),
        "auprc": float(np.mean(areas)),
        "accuracy": measure.accuracy_score(gold, guess),
    }


def dense(tags: Sequence[str], characters: Sequence[str]) -> list[str]:
    return [tag for tag, character in zip(tags, characters, strict=True) if character != " "]


def sklearn_characters(records: Sequence[Any], rows: Rows) -> Values:
    measure = pytest.importorskip("sklearn.metrics")
    gold = [tag for r in records for tag in ("O", *dense(r.tags, r.characters), "O")]
    guess = [tag for r, row in zip(records, rows, strict=True) for tag in ("O", *dense(row["tags"], r.characters), "O")]
    value = measure.f1_score(gold, guess, labels=ENTITY_TAGS, average="macro", zero_division=1.0)
    return {"character_f1": value}


def seqeval_entities(records: Sequence[Any], rows: Rows) -> Values:
    measure, scheme = pytest.importorskip("seqeval.metrics"), pytest.importorskip("seqeval.scheme")
    gold = [dense(r.tags, r.characters) for r in records]
    guess = [dense(row["tags"], r.characters) for r, row in zip(records, rows, strict=True)]
    value = measure.f1_score(gold, guess, average="macro", mode="strict", scheme=scheme.IOB2)
    return {"entity_f1": value}


def sklearn_trees(records: Sequence[Any], rows: Rows) -> Values:
    measure = pytest.importorskip("sklearn.metrics")
    heads, guess = (
        [head for h in side for head in h] for side in ([r.heads for r in records], [r["heads"] for r in rows])
    )
    kinds, named = (
        [label for x in side for label in x] for side in ([r.labels for r in records], [r["deprels"] for r in rows])
    )
    merged = [[min(DEPENDENCIES.index(label), 15) for label in side] for side in (kinds, named)]
    classed = [label if a == b else -1 for a, b, label in zip(heads, guess, merged[1], strict=True)]
    return {
        f"{name}_{average}": measure.f1_score(*pair, average=average)
        for name, pair in (("uas", (heads, guess)), ("las", (merged[0], classed)))
        for average in ("macro", "micro")
    }


def plain(text: str) -> str:
    return " ".join("".join(sign for sign in text.lower() if sign not in string.punctuation).split())


def difflib_overlap(guess: str, gold: str) -> float:
    if not guess or not gold:
        return float(guess == gold)
    matcher = difflib.SequenceMatcher(None, guess, gold, autojunk=False)
    size = matcher.find_longest_match(0, len(guess), 0, len(gold)).size
    return 2 * size / (len(guess) + len(gold))


def difflib_answers(records: Sequence[Any], rows: Rows) -> Values:
    guesses = [plain(row["prediction"]) for row in rows]
    golds = [[plain(text) for text in record.gold] for record in records]
    pairs = list(zip(guesses, golds, strict=True))
    return {
        "exact_match": float(np.mean([guess in gold for guess, gold in pairs])),
        "rouge_w": float(np.mean([max(difflib_overlap(guess, one) for one in gold) for guess, gold in pairs])),
    }


def sklearn_states(records: Sequence[Any], rows: Rows) -> Values:
    measure, preprocessing = pytest.importorskip("sklearn.metrics"), pytest.importorskip("sklearn.preprocessing")
    gold, guess = [t.state_items for r in records for t in r.user_turns], [row["prediction"] for row in rows]
    binary = preprocessing.MultiLabelBinarizer().fit([*gold, *guess])
    a, b = binary.transform(gold), binary.transform(guess)
    return {
        "joint_goal_accuracy": measure.accuracy_score(a, b),
        "slot_f1": measure.f1_score(a, b, average="samples", zero_division=1.0),
    }


CORRUPTIONS: dict[str, tuple[str, Any, Any]] = {
    "ynat": ("ynat", corrupted_labels(TOPICS), sklearn_topics),
    "sts": ("sts", corrupted_similarity, scipy_similarity),
    "nli": ("nli", corrupted_labels(INFERENCE), sklearn_inference),
    "ner, characters": ("ner", corrupted_tags, sklearn_characters),
    "ner, entities": ("ner", corrupted_tags, seqeval_entities),
    "re": ("re", corrupted_relations, sklearn_relations),
    "dp": ("dp", corrupted_trees, sklearn_trees),
    "mrc": ("mrc", corrupted_answers, difflib_answers),
    "wos": ("wos", corrupted_states, sklearn_states),
}


@pytest.mark.filterwarnings("ignore:No positive class:UserWarning")
@pytest.mark.parametrize("case", CORRUPTIONS)
def test_corrupted_gold_is_worth_what_another_library_says(
    case: str, upstream: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    task, corrupt, independent = CORRUPTIONS[case]
    records = records_of(task, upstream)
    rows = corrupt(records, np.random.default_rng(20210521))
    expected = {name: 100 * value for name, value in independent(records, rows).items()}

    found = official(scored(capsys, task, "--pred", written(tmp_path / "pred.json", rows), "--data", upstream))

    for name, value in expected.items():
        assert found[name] == pytest.approx(value, abs=EXACT)
        assert 5 < value < 98


# --- real system outputs


@pytest.fixture
def outputs(upstream: Path) -> Path:
    return upstream / "klue" / "model_outputs"


def rows_of(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def test_a_finetuned_relation_model(outputs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = outputs / "re_train-heldout_roberta-large.csv"
    logged = list(rows_of(path))
    gold = relations(tmp_path, [RELATIONS[int(row["label"])] for row in logged], [row["guid"] for row in logged])

    score = scored(capsys, "re", "--pred", path, "--gold", gold, "--label-order", "official")

    assert official(score) == pytest.approx({"micro_f1": 86.0155, "auprc": 84.3768, "accuracy": 84.3240}, abs=5e-5)


def test_a_prompted_model_on_relations(outputs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    logged = list(rows_of(outputs / "re_dev_gemini25flash.csv"))
    gold = relations(tmp_path, [RELATIONS[int(row["true_relation"])] for row in logged], [row["id"] for row in logged])
    pred = written(tmp_path / "p.json", {row["id"]: row["predicted_relation"] for row in logged})

    score = scored(capsys, "re", "--pred", pred, "--gold", gold)

    assert official(score)["accuracy"] == pytest.approx(67.3921, abs=5e-5)
    assert (score["items"], sum(score["outside"].values())) == (7765, 923)


def test_a_prompted_model_on_inference(outputs: Path, upstream: Path, capsys: pytest.CaptureFixture[str]) -> None:
    score = scored(capsys, "nli", "--pred", outputs / "nli_dev_gemini25flash.csv", "--data", upstream)

    assert official(score)["accuracy"] == pytest.approx(86.5667, abs=5e-5)
    assert score["missing"] + sum(score["outside"].values()) == 277


def test_a_prompted_model_on_topics(outputs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = outputs / "ynat_dev_gemini25flash.csv"
    logged = list(rows_of(path))
    named = json.loads(topics(tmp_path, [row["true_label_text"] for row in logged]).read_text(encoding="utf-8"))
    gold = written(tmp_path / "gold.json", [{**a, "guid": b["id"]} for a, b in zip(named, logged, strict=True)])

    score = scored(capsys, "ynat", "--pred", path, "--gold", gold)

    assert official(score) == pytest.approx({"macro_f1": 72.4500, "accuracy": 68.9360}, abs=5e-5)
    assert score["missing"] + sum(score["outside"].values()) == 693


# --- entities as a model answers them


SENTENCE = "경찰은 박 씨를 불렀다"
TAGS = "B-OG I-OG O O B-PS O O O O O O O"


@pytest.mark.parametrize(
    ("answer", "f1"),
    [
        ("[경찰:OG]\n[박:PS]", 100),
        ("[박 : PS] 그리고 [경 찰:OG]", 100),
        ("[경찰:OG]\n[박 씨:PS]", 50),
        ("개체 없음", 0),
    ],
)
def test_answered_entities_are_put_back_into_their_sentence(
    answer: str, f1: float, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = tagged(tmp_path, [(SENTENCE, TAGS), ("비가 온다", "O O O O O")])
    pred = written(tmp_path / "p.json", [answer, "[구름:LC]"])

    score = scored(capsys, "ner", "--pred", pred, "--gold", gold)

    assert official(score)["entity_f1"] == pytest.approx(f1)
    assert any("the first place in its sentence" in note and "1 have none" in note for note in score["notes"])


def test_a_word_that_stands_twice_is_found_from_the_left_each_place_once() -> None:
    tags, lost = placed("서울과 서울", [("서울", "LC"), ("서울", "OG"), ("서울", "LC"), ("울과", "PS"), (" ", "PS")])

    assert (tags, lost) == (["B-LC", "I-LC", "O", "O", "B-OG", "I-OG"], 3)


def test_real_answers_are_found_although_blanks_stand_between_their_characters(
    outputs: Path, upstream: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    replies = json.loads((outputs / "ner_dev_gemini25flash.json").read_text(encoding="utf-8"))
    text = (upstream / "klue" / "klue-ner-v1.1_dev.tsv").read_text(encoding="utf-8")
    gold = written(tmp_path / "klue-ner-v1.1_dev.tsv", "\n\n".join(text.split("\n\n")[: len(replies)]) + "\n\n")
    pred = written(tmp_path / "p.json", [reply["raw_response"] for reply in replies])

    score = scored(capsys, "ner", "--pred", pred, "--gold", gold)

    # without places, an answer is right where its sentence has an entity of this type that reads alike
    right = answered = wanted = 0
    for record, reply in zip(read_task("ner", gold), replies, strict=True):
        truth = Counter((e.type, "".join(record.text[e.start : e.end + 1].split())) for e in record.entities)
        parts = [part.partition("]")[0].rpartition(":") for part in (reply["raw_response"] or "").split("[")[1:]]
        said = Counter((kind, "".join(words.split())) for words, _, kind in parts)
        right, answered, wanted = right + (truth & said).total(), answered + said.total(), wanted + truth.total()
    by_reading = 200 * right / (answered + wanted)
    (note,) = [note for note in score["notes"] if "micro of the same counts" in note]
    assert float(note.rpartition(": ")[2]) == pytest.approx(by_reading, abs=1)
    assert by_reading > 60


# --- a pair of sentences for a model with one kind of segment


def test_a_roberta_with_a_bert_tokenizer_reads_pairs(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from overfitting import predicted_scores, tiny_recipe
    from transformers import RobertaConfig, RobertaModel

    from jatdae.finetune.encoder import Encoder

    # given a checkpoint like klue/roberta-*: its tokenizer numbers the segments of a pair, its model has one only
    pairs = read_task("nli", locate(Source.of("mini"), "nli", "dev"))
    recipe = tiny_recipe("nli", pairs, tmp_path, hidden=32)
    tokenizer = recipe.encoder.tokenizer
    assert 1 in tokenizer(*pairs[0].texts)["token_type_ids"]
    size: dict[str, Any] = {
        "hidden_size": 32,
        "intermediate_size": 32,
        "num_hidden_layers": 1,
        "num_attention_heads": 1,
    }
    config = RobertaConfig(
        vocab_size=len(tokenizer), type_vocab_size=1, pad_token_id=0, max_position_embeddings=130, **size
    )
    RobertaModel(config).save_pretrained(tmp_path)
    encoder = Encoder.open(parse_reference(str(tmp_path)), ModelOptions())
    recipe = type(recipe)(encoder, recipe.settings)

    # when pairs go through it, then no segments do, and every pair gets a prediction
    batch = recipe.collate(recipe.features(pairs, training=True))
    assert set(batch) == {"input_ids", "attention_mask", "labels"}
    assert predicted_scores(recipe, recipe.build(), pairs)["accuracy"].missing == 0
