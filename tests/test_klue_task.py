"""KLUE as tasks: what samples carry, what they add up to, what is refused before a model is loaded."""

from __future__ import annotations

import asyncio
import json
import math
import random
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from klue_gold import inferences, questions, relations, similarities, tagged, topics, written
from klue_predictions import gold_predictions, klue, noisy_predictions, samples_of

import jatdae
from jatdae.benchmarks.base import build_protocol, find_task, load_task
from jatdae.benchmarks.families import expand, find_family
from jatdae.benchmarks.klue import TASKS
from jatdae.benchmarks.klue.labels import RELATIONS
from jatdae.benchmarks.klue.metrics.score import mean_score
from jatdae.benchmarks.klue.recipes import OPTIONS
from jatdae.benchmarks.klue.scoring import score_predictions
from jatdae.benchmarks.klue.scoring.intervals import intervals
from jatdae.benchmarks.preview import preview
from jatdae.benchmarks.scored import DRAWS
from jatdae.benchmarks.sources import Source
from jatdae.errors import RequestError
from jatdae.stats import seed_from
from jatdae.stats.clusters import cluster_codes
from jatdae.types import Outcome, Sample

MINI = Path(jatdae.__file__).parent / "benchmarks" / "klue" / "mini"
IS_MEAN = {
    "ynat": ("accuracy",),
    "nli": ("accuracy",),
    "re": ("accuracy",),
    "mrc": ("exact_match", "rouge_w"),
    "wos": ("joint_goal_accuracy", "slot_f1"),
}
"""Values of items whose mean is a metric of the same name."""


def mini_copy(folder: Path, *names: str) -> Path:
    for name in names:
        shutil.copy(MINI / name, folder / name)
    return folder


# ---- names and protocols


def test_a_benchmarks_bare_name_stands_for_all_of_its_tasks() -> None:
    assert expand("klue") == expand("KLUE") == tuple(f"klue/{task}" for task in TASKS)
    assert expand("kmmlu") == ("kmmlu",)
    assert expand("Klue/NLI") == ("klue/nli",)
    assert find_family("klue").name == find_family("klue/wos").name == "klue"
    with pytest.raises(RequestError, match="unknown task 'kleu'; did you mean 'klue'"):
        expand("kleu")


@pytest.mark.parametrize("task", TASKS)
def test_fine_tuning_is_the_default_with_everything_left_to_the_published_settings(task: str) -> None:
    protocol = build_protocol(find_task(f"klue/{task}"))

    assert (protocol.mode, protocol.seeds, protocol.split, protocol.shots) == ("finetune", (42,), "dev", 0)
    assert protocol.options == OPTIONS


def test_only_five_tasks_can_be_prompted() -> None:
    with_prompts = [task for task in TASKS if "prompt" in find_task(f"klue/{task}").task.modes]

    assert with_prompts == ["ynat", "sts", "nli", "re", "mrc"]
    with pytest.raises(RequestError, match="klue/dp has no mode 'prompt'"):
        load_task("klue/dp", mode="prompt", data="mini")


# ---- data


@pytest.mark.parametrize("task", TASKS)
def test_items_are_what_is_scored(task: str) -> None:
    made = klue(task)
    made.check()
    made.check_training()
    ids = [item.id for item in made.items()]

    assert len(made.training_records()) >= (10 if task == "wos" else 32)
    assert made.records() is made.records()
    assert len(set(ids)) == len(ids)
    expected = [record.id for record in made.records()] if task != "wos" else ids
    assert ids == expected
    assert task != "wos" or len(ids) == sum(len(record.user_turns) for record in made.records())


def test_items_carry_the_group_of_their_record() -> None:
    assert {item.group for item in klue("mrc").items()} == {"type 1", "type 2", "type 3"}
    wos = klue("wos")
    assert {item.group for item in wos.items()} == {"+".join(sorted(record.domains)) for record in wos.records()}
    assert klue("ner").items()[0].group == "mini"


def test_the_hash_covers_the_files_that_decide(tmp_path: Path) -> None:
    folder = mini_copy(tmp_path, "klue-nli-v1.1_train.json", "klue-nli-v1.1_dev.json")
    hashes = {}
    for state in ("whole", "other train"):
        made = {
            "finetune": klue("nli", folder),
            "prompt": klue("nli", folder, mode="prompt"),
            "shots": klue("nli", folder, mode="prompt", shots=1),
        }
        hashes[state] = {name: task.data_hash for name, task in made.items()}
        rows = json.loads((folder / "klue-nli-v1.1_train.json").read_text(encoding="utf-8"))
        written(folder / "klue-nli-v1.1_train.json", rows[:-1])

    changed = {name for name in hashes["whole"] if hashes["whole"][name] != hashes["other train"][name]}
    assert changed == {"finetune", "shots"}
    assert klue("nli", folder).scored_hash == klue("nli", folder, mode="prompt").data_hash
    assert klue("nli", "mini", mode="prompt").data_hash == klue("nli", folder, mode="prompt").data_hash


def test_what_cannot_be_fine_tuned_is_refused_before_a_model_is_loaded(tmp_path: Path) -> None:
    folder = mini_copy(tmp_path, "klue-nli-v1.1_dev.json")

    with pytest.raises(RequestError, match=r"no klue-nli-v1\.1_train\.json in"):
        klue("nli", folder).check_training()
    with pytest.raises(RequestError, match=r"no klue-sts-v1\.1_dev\.json in"):
        klue("sts", folder).items()
    with pytest.raises(RequestError, match="test labels are not public"):
        klue("nli", split="test").items()
    with pytest.raises(RequestError, match="--split train: klue/nli is fine-tuned on it"):
        klue("nli", split="train").check_training()
    with pytest.raises(RequestError, match=r"5 shots in mode finetune: .* choose --mode prompt"):
        klue("nli", shots=5).check()
    with pytest.raises(RequestError, match="a chat template in mode finetune: a fine-tuned model gets no prompt"):
        klue("ner", chat_template=True).check()


def test_no_item_of_a_fine_tuned_task_is_asked_on_its_own() -> None:
    made = klue("ner")

    with pytest.raises(RequestError, match=r"klue/ner is fine-tuned.*jatdae run klue/ner"):
        preview(made, made.items()[:1])
    assert made.needs == frozenset()


# ---- samples


@pytest.mark.parametrize("task", TASKS)
def test_gold_is_right_everywhere_and_nothing_is_wrong_everywhere(task: str) -> None:
    made = klue(task)
    right = samples_of(made, gold_predictions(task, made.records()), seed=42)
    nothing = samples_of(made, {})

    assert all(s.outcome is Outcome.RIGHT and set(s.scores.values()) == {1.0} and s.seed == 42 for s in right)
    assert all(s.prediction == s.target.partition(" | ")[0] for s in right)
    assert all(s.outcome is Outcome.WRONG and set(s.scores.values()) == {0.0} for s in nothing)
    assert all(s.prediction is None and s.target for s in nothing)


@pytest.mark.parametrize("task", TASKS)
def test_values_of_items_lie_between_nothing_and_all_and_their_mean_is_the_metric(task: str) -> None:
    made = klue(task)
    samples = samples_of(made, noisy_predictions(task, made.records(), 7))
    estimates = made.aggregate(samples).estimates

    assert all(0 <= value <= 1 for sample in samples for value in sample.scores.values())
    assert len({tuple(sample.scores) for sample in samples}) == 1
    for name in IS_MEAN.get(task, ()):
        mean = sum(sample.scores[name] for sample in samples) / len(samples)
        assert estimates[name].value == pytest.approx(mean, abs=1e-12)
    if task not in IS_MEAN:
        assert not set(samples[0].scores) & set(estimates)


def test_a_sample_is_readable() -> None:
    shown = {}
    for task in TASKS:
        made = klue(task)
        sample = samples_of(made, gold_predictions(task, made.records()))[1]
        shown[task] = (sample.prediction, sample.target)
    assert shown["sts"] == ("0.80", "0.80")
    assert shown["dp"][0] == shown["dp"][1] == "2/NP_SBJ 4/VP 4/AP 0/VP"
    assert shown["ner"][0] == "강민서:PS, 52:QT, 30년:DT, 통영:LC"
    mrc = klue("mrc")
    unanswerable = next(item for item in mrc.items() if item.gold.is_impossible)
    assert mrc.sample(unanswerable, {"prediction": ""}).target == "(none)"


def test_a_similarity_is_right_on_the_right_side_of_three(tmp_path: Path) -> None:
    made = klue("sts", similarities(tmp_path, [3.0, 2.999]).parent, mode="prompt")
    upper, lower = made.items()

    assert made.sample(upper, {"prediction": 3.0}).outcome is Outcome.RIGHT
    assert made.sample(upper, {"prediction": 2.9}).outcome is Outcome.WRONG
    assert made.sample(lower, {"prediction": 3.0}).outcome is Outcome.WRONG
    assert made.sample(lower, {"prediction": 0.499}).scores["closeness"] == pytest.approx(0.5)
    assert made.sample(lower, {"prediction": 900.0}).scores["closeness"] == 0


def test_the_tags_of_blanks_are_not_looked_at(tmp_path: Path) -> None:
    made = klue("ner", tagged(tmp_path, [("가 나", "B-PS I-PS I-PS")]).parent)
    (item,) = made.items()

    assert made.sample(item, {"tags": ["B-PS", "O", "I-PS"]}).outcome is Outcome.RIGHT
    sample = made.sample(item, {"tags": ["B-PS", "I-PS", "O"]})
    assert (sample.outcome, dict(sample.scores)) == (Outcome.WRONG, {"characters_right": 0.5, "sentence_right": 0.0})


@pytest.mark.parametrize("broken", [math.nan, math.inf, [0.5, math.nan]])
def test_numbers_that_are_not_finite_are_stored_as_none(broken: Any) -> None:
    made = klue("sts")
    sample = made.sample(made.items()[0], {"prediction": broken})

    assert sample.detail["prediction"] == {"prediction": None}
    assert set(sample.scores.values()) == {0.0}
    json.dumps(dict(sample.detail), allow_nan=False)


# ---- estimates


@pytest.mark.parametrize("task", TASKS)
def test_samples_add_up_to_what_the_official_scoring_of_a_file_gives(task: str, tmp_path: Path) -> None:
    made = klue(task)
    predictions = noisy_predictions(task, made.records(), 3)
    file = written(tmp_path / "p.json", [{"guid": item, **fields} for item, fields in predictions.items()])

    numbers = made.aggregate(samples_of(made, predictions))
    score = score_predictions(task, file, source=Source.of("mini"), draws=20)

    official = {name: measured.official for name, measured in score.metrics.items() if measured.official}
    clean = {name: measured.clean for name, measured in score.metrics.items() if measured.clean}
    for name, estimate in numbers.estimates.items():
        metric, _, variant = name.partition(", ")
        assert estimate.value == (clean if variant else official)[metric].value
        assert (estimate.n, estimate.clusters) == (score.items, score.clusters)
    assert set(official) == {name for name in numbers.estimates if ", clean" not in name}
    firsts = [name for name, measured in score.metrics.items() if measured.is_official]
    assert numbers.headline == firsts[0] == next(iter(numbers.estimates))
    told = {note for note in score.notes if "no interval" not in note}
    assert told <= set(numbers.notes)


@pytest.mark.parametrize("task", TASKS)
def test_stored_samples_in_any_order_add_up_to_the_same(task: str) -> None:
    made = klue(task)
    samples = samples_of(made, noisy_predictions(task, made.records(), 4), seed=1)
    stored = [replace(sample, detail=json.loads(json.dumps(dict(sample.detail)))) for sample in samples]
    random.Random(0).shuffle(stored)

    assert made.aggregate(stored) == made.aggregate(samples)


def test_estimates_come_in_the_order_of_their_weight() -> None:
    names = {}
    for task in TASKS:
        made = klue(task)
        names[task] = list(made.aggregate(samples_of(made, gold_predictions(task, made.records()))).estimates)

    assert names == {
        "ynat": ["macro_f1", "accuracy"],
        "sts": ["pearson", "f1"],
        "nli": ["accuracy"],
        "ner": ["entity_f1", "entity_f1, clean", "character_f1", "character_f1, clean"],
        "re": ["micro_f1", "auprc", "auprc, clean", "accuracy"],
        "dp": ["uas_macro", "uas_macro, clean", "las_macro", "las_macro, clean", "uas_micro", "las_micro"],
        "mrc": ["exact_match", "exact_match, clean", "rouge_w", "rouge_w, clean"],
        "wos": ["joint_goal_accuracy", "slot_f1", "slot_f1, clean"],
    }


def test_a_clean_value_that_differs_is_told_too(tmp_path: Path) -> None:
    made = klue("ynat", topics(tmp_path, ["정치", "경제"]).parent, mode="prompt")
    stray = {item.id: {"prediction": name} for item, name in zip(made.items(), ("정치", "스포츠"), strict=True)}

    numbers = made.aggregate(samples_of(made, stray))

    values = {name: estimate.value for name, estimate in numbers.estimates.items()}
    assert values == {"macro_f1": pytest.approx(1 / 3), "macro_f1, clean": 0.5, "accuracy": 0.5}


def test_the_title_says_what_was_measured(upstream: Path) -> None:
    made = klue("nli", upstream / "klue", mode="prompt")

    whole = made.aggregate(samples_of(made, gold_predictions("nli", made.records())))
    assert whole.title == "klue/nli dev: 3,000 pairs, 1,000 premises"
    part = [made.sample(item, {"prediction": "neutral"}) for item in made.items()[:30]]
    assert made.aggregate(part).title == "klue/nli dev: 30 of 3,000 pairs, 11 premises"
    bundled = klue("sts")
    numbers = bundled.aggregate(samples_of(bundled, gold_predictions("sts", bundled.records())))
    assert numbers.title == "klue/sts mini dev: 12 pairs"
    assert any("published scores do not compare" in note for note in numbers.notes)


def test_groups_make_a_table() -> None:
    made = klue("mrc")
    predictions = gold_predictions("mrc", made.records())
    spoiled = {
        item.id: {"prediction": "x"} if item.group == "type 3" else predictions[item.id] for item in made.items()
    }

    table = made.aggregate(samples_of(made, spoiled)).breakdown["group"]

    assert {name: estimate.value for name, estimate in table.items()} == {"type 1": 1.0, "type 2": 1.0, "type 3": 0.0}
    assert sum(estimate.n for estimate in table.values()) == len(made.items())


# ---- several seeds


def three_runs(task: str) -> tuple[Any, list[Sample]]:
    made = klue(task)
    runs = [samples_of(made, noisy_predictions(task, made.records(), seed), seed=seed) for seed in (3, 1, 2)]
    return made, [sample for run in runs for sample in run]


@pytest.mark.parametrize("task", TASKS)
def test_several_seeds_are_meaned_and_each_is_told(task: str) -> None:
    made, samples = three_runs(task)

    numbers = made.aggregate(samples)

    alone = {seed: made.aggregate([s for s in samples if s.seed == seed]) for seed in (1, 2, 3)}
    for name, estimate in numbers.estimates.items():
        values = [run.estimates[name].value for run in alone.values() if name in run.estimates]
        assert len(values) < 3 or estimate.value == pytest.approx(sum(values) / 3, abs=1e-12)
    assert list(numbers.breakdown["seeds"]) == ["1", "2", "3"]
    assert numbers.breakdown["seeds"]["2"] == alone[2].estimates[numbers.headline]
    values = [100 * run.estimates[numbers.headline].value for run in alone.values()]
    spread = f"mean {np.mean(values):.2f}, standard deviation {np.std(values, ddof=1):.2f} (percent)"
    assert f"{numbers.headline.replace('_', ' ')}, 3 seeds: {spread}" in numbers.notes


def test_every_draw_takes_the_same_clusters_for_all_seeds() -> None:
    """The mean of accuracies over seeds is the mean of the items' own means, so one bootstrap of these must agree."""
    made, samples = three_runs("nli")
    items = made.items()
    of_item = [[s.scores["accuracy"] for s in samples if s.item == item.id] for item in items]
    codes = cluster_codes([item.cluster for item in items], len(items))
    seed = seed_from("klue", "nli", made.scored_hash)

    estimate = made.aggregate(samples).estimates["accuracy"]

    expected, _ = intervals({"accuracy": mean_score(np.mean(of_item, axis=1))}, codes, DRAWS, seed)["accuracy"]
    assert expected is not None and expected.low is not None
    assert (estimate.value, estimate.low, estimate.high, estimate.stderr) == pytest.approx(
        (expected.value, expected.low, expected.high, expected.stderr)
    )
    assert estimate.method == f"bootstrap of clusters, {DRAWS} draws, mean of 3 seeds"


def test_what_is_undefined_under_one_seed_has_no_mean() -> None:
    made = klue("sts")
    constant = samples_of(made, {item.id: {"prediction": 3.0} for item in made.items()}, seed=1)
    other = samples_of(made, gold_predictions("sts", made.records()), seed=2)

    numbers = made.aggregate([*constant, *other])

    assert list(numbers.estimates) == ["f1"]
    assert numbers.headline == "pearson"
    assert "seed 1: pearson is undefined: every prediction is 3: no correlation" in numbers.notes
    assert list(numbers.breakdown["seeds"]) == ["2"]


def test_an_item_appears_once_under_a_seed() -> None:
    made = klue("nli")
    sample = made.sample(made.items()[0], {"prediction": "neutral"}, seed=1)

    with pytest.raises(ValueError, match="two samples under seed 1"):
        made.aggregate([sample, sample])


# ---- missing and failed


def test_missing_predictions_count_as_wrong_and_are_told(tmp_path: Path) -> None:
    made = klue("ynat", topics(tmp_path, ["정치", "정치", "경제", "경제"]).parent, mode="prompt")
    guesses = dict(zip((item.id for item in made.items()), ("정치", None, "경제", "경제"), strict=True))

    numbers = made.aggregate(
        samples_of(made, {item: guess and {"prediction": guess} for item, guess in guesses.items()})
    )

    assert numbers.estimates["accuracy"].value == 0.75
    assert numbers.estimates["macro_f1"].value == pytest.approx(5 / 6)
    assert "1 of 4 have no prediction and count as wrong" in numbers.notes


@pytest.mark.parametrize("task", TASKS)
def test_where_nothing_is_valid_there_is_no_score(task: str) -> None:
    made = klue(task)
    count = len(made.items())

    found = made.aggregate(samples_of(made, {}))

    assert not found.estimates
    assert found.notes == (f"no score: 0 of {count} predictions are valid ({count} missing)",)


def test_an_item_that_failed_under_one_seed_is_left_out_under_all() -> None:
    made, samples = three_runs("nli")
    failed = replace(samples[0], outcome=Outcome.FAILED, scores={}, detail={"kind": "memory", "error": "no room"})

    numbers = made.aggregate([failed, *samples[1:]])

    assert numbers.estimates["accuracy"].n == 11
    assert numbers.title == "klue/nli mini dev: 11 of 12 pairs, 4 premises, 1 failed and left out"
    assert made.aggregate([failed]).estimates == {}


def test_a_relation_without_gold_is_named_and_clean_leaves_it_out(tmp_path: Path) -> None:
    relations(tmp_path, ["no_relation", "org:product", "org:product"]).rename(tmp_path / "klue-re-v1.1_dev.json")
    made = klue("re", tmp_path, mode="prompt")

    numbers = made.aggregate(samples_of(made, gold_predictions("re", made.records())))

    assert numbers.estimates["auprc, clean"].value == 1
    assert numbers.estimates["auprc"].value == pytest.approx((2 + 28 / 2) / 30)
    assert any(note.startswith("AUPRC: 28 of 30 relations have no gold") for note in numbers.notes)


def test_a_constant_has_no_correlation_and_still_an_f1(tmp_path: Path) -> None:
    made = klue("sts", similarities(tmp_path, [1.0, 2.0, 3.0, 4.0]).parent, mode="prompt")

    numbers = made.aggregate(samples_of(made, {item.id: {"prediction": 3.0} for item in made.items()}))

    assert {name: estimate.value for name, estimate in numbers.estimates.items()} == {"f1": pytest.approx(2 / 3)}
    assert "pearson is undefined: every prediction is 3: no correlation" in numbers.notes


def test_distractors_of_unanswerable_questions_earn_nothing(tmp_path: Path) -> None:
    made = klue("mrc", questions(tmp_path, [(), ()], plausible="인수합병(M&amp;A) 자문").parent, mode="prompt")
    first, second = made.items()

    empty, decoy = made.sample(first, {"prediction": ""}), made.sample(second, {"prediction": "인수합병(M&A) 자문"})

    assert (dict(empty.scores), empty.outcome) == ({"exact_match": 1.0, "rouge_w": 1.0}, Outcome.RIGHT)
    assert (dict(decoy.scores), decoy.outcome) == ({"exact_match": 0.0, "rouge_w": 0.0}, Outcome.WRONG)


# ---- floors


@pytest.mark.parametrize(
    ("task", "floors"),
    [
        ("sts", {"always 5, f1": 59.53991880920162}),
        ("nli", {"always entailment": 100 / 3}),
        ("ner", {"always O": 0.0, "always O, character_f1": 6.770459534404052}),
        ("dp", {"always the next word": 64.49, "always the next word, las_macro": 6.18}),
    ],
)
def test_floors_of_the_real_dev_files_are_the_known_ones(upstream: Path, task: str, floors: dict[str, float]) -> None:
    made = klue(task, upstream / "klue")

    found = {name: 100 * estimate.value for name, estimate in made.floors(made.items()).items()}

    assert found == {name: pytest.approx(value, abs=5e-3 if task == "dp" else 1e-9) for name, value in floors.items()}


def test_floors_take_their_constants_from_the_items(tmp_path: Path) -> None:
    made = klue("ynat", topics(tmp_path, ["경제", "경제", "사회", "정치"]).parent, mode="prompt")

    found = made.floors(made.items())

    assert list(found) == ["always 경제"]
    assert found["always 경제"].value == pytest.approx(2 / 3 / 3)
    assert list(made.floors(made.items()[2:])) == ["always 정치"]
    assert made.floors([]) == {}


def test_floors_of_the_other_tasks() -> None:
    found = {task: klue(task).floors(klue(task).items()) for task in ("re", "mrc", "wos")}

    assert found["re"]["always no_relation"].value == 0
    assert found["re"]["always no_relation, auprc"].value == pytest.approx(0.5 + 1 / 60)
    assert [name for name in found["re"] if name.removeprefix("always ") in RELATIONS[1:]]
    unanswerable = sum(item.gold.is_impossible for item in klue("mrc").items()) / len(klue("mrc").items())
    for name in ("never an answer", "never an answer, rouge_w"):
        assert found["mrc"][name].value == pytest.approx(unanswerable)
    empty = sum(not item.gold for item in klue("wos").items()) / len(klue("wos").items())
    assert found["wos"]["always the empty state"].value == empty


def test_a_fine_tuned_item_is_not_evaluated(tmp_path: Path) -> None:
    made = klue("nli", inferences(tmp_path, ["neutral"]).parent)

    class Unasked:
        async def score(self, request: Any) -> Any:
            raise AssertionError("asked")

        generate = score

    with pytest.raises(RequestError, match="is fine-tuned"):
        asyncio.run(made.evaluate(made.items()[0], Unasked()))
