"""The benchmark's files: what is read, what is refused, and what a look at the real release finds."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from konubench_files import item, item_of_three, write_json

from jatdae.benchmarks.konubench import inspect
from jatdae.benchmarks.konubench.data import read_records, split_path
from jatdae.benchmarks.sources import Source
from jatdae.errors import DataError, RequestError


def test_a_flat_folder_a_named_folder_and_both_repository_layouts_are_found(tmp_path: Path) -> None:
    places = ["flat/test.json", "named/konubench/test.json"]
    places += [f"{name}/dataset/{name}/test/any.json" for name in ("ko_nubench", "Thunder_KoNUBench")]
    for place in places:
        write_json(tmp_path / place, [item("1")])
        folder = tmp_path / place.split("/")[0]

        assert split_path(Source(folder), "test") == tmp_path / place


def test_a_missing_split_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"no test\.json (?s:.*)jatdae data pull konubench"):
        split_path(Source(tmp_path), "test")
    with pytest.raises(RequestError, match="no split 'tset'; did you mean 'test'"):
        split_path(Source(tmp_path), "tset")


def test_two_files_where_one_is_expected_are_refused(tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        write_json(tmp_path / "dataset/ko_nubench/test" / name, [item("1")])

    with pytest.raises(RequestError, match=r"a\.json and .*b\.json"):
        split_path(Source(tmp_path), "test")


@pytest.mark.parametrize(
    ("field", "value", "what"),
    [
        ("idx", 7, "item 2: an id is a number in quotes"),
        ("idx", "1", "item 2: id '1' is that of item 1"),
        ("raw_id", "12", r"item 2 \(idx 2\): a whole number or null"),
        ("raw_id", 12.5, "a whole number or null"),
        ("original_sentence", None, "text is expected, found nothing"),
        ("paraphrase", " ", "text is expected"),
        ("local_negation", 3, "text or null is expected, found 3"),
        ("note", ["x"], "text or null is expected"),
    ],
)
def test_a_fault_names_file_item_and_field(tmp_path: Path, field: str, value: object, what: str) -> None:
    path = write_json(tmp_path / "test.json", [item("1"), {**item("2"), field: value}])

    with pytest.raises(DataError, match=what) as caught:
        read_records(path)

    assert str(path) in str(caught.value)
    assert caught.value.field == field


def test_an_empty_local_negation_is_none(tmp_path: Path) -> None:
    (record,) = read_records(write_json(tmp_path / "test.json", [item("1", local_negation="")]))

    assert record["local_negation"] is None
    assert record.cluster == "1001"


def test_inspecting_a_small_folder_reports_a_broken_file_and_an_item_in_two_splits(tmp_path: Path) -> None:
    write_json(tmp_path / "test.json", [item("1"), item_of_three("G2")])
    write_json(tmp_path / "train.json", [item("1")])
    (tmp_path / "val.json").write_text("[{", encoding="utf-8")

    seen = inspect(Source(tmp_path))

    assert not seen.valid
    assert any("val.json, line 1: not valid JSON" in problem for problem in seen.problems)
    assert any("1 ids are in two splits: 1" in problem for problem in seen.problems)
    assert seen.facts["items without local negation, test"] == 1
    assert seen.facts["constructed items, test"] == 1
    assert seen.facts["chance, test"] == pytest.approx((1 / 4 + 1 / 3) / 2)


def test_the_release_has_the_published_counts(upstream: Path) -> None:
    """Counts of the release as the benchmark's description has them: (all, train, val, test)."""
    facts = inspect(Source(upstream)).facts
    expected = {
        "items": (4784, 2500, 1000, 1284),
        "items with local negation": (4648, 2425, 974, 1249),
        "items without local negation": (136, 75, 26, 35),
        "constructed items": (259, 135, 56, 68),
        "null raw_id": (259, 135, 56, 68),
        "null sn_절1": (24, 11, 11, 2),
        "null sn_절2": (2186, 1129, 469, 588),
        "null sn_절3": (4407, 2295, 924, 1188),
        "null local_negation_type": (136, 75, 26, 35),
        "null local_부정요소": (146, 77, 28, 41),
        "null ln_절1": (225, 112, 46, 67),
        "null ln_절2": (4626, 2420, 959, 1247),
        "null note": (4618, 2409, 971, 1238),
        "local_negation_type = 관형절": (1593, 834, 330, 429),
        "local_negation_type = 대등절 일부": (1395, 721, 285, 389),
        "local_negation_type = 부사절": (1041, 527, 225, 289),
        "local_negation_type = 종속절": (243, 144, 41, 58),
        "local_negation_type = 명사절": (224, 123, 58, 43),
        "local_negation_type = 인용절": (152, 76, 35, 41),
    }
    for name, numbers in expected.items():
        assert tuple(facts[f"{name}, {split}"] for split in ("all", "train", "val", "test")) == numbers, name
    assert facts["chance, test"] == pytest.approx(0.2523, abs=5e-5)
    assert [facts[f"{count} labelled main clauses, test"] for count in range(4)] == [2, 586, 600, 96]
    labels = {
        "안 단형": (579, 377, 48, 956, 31),
        "안 장형": (1542, 1266, 186, 2304, 79),
        "못 단형": (236, 154, 17, 250, 14),
    }
    labels |= {"못 장형": (324, 311, 50, 514, 11), "아니다": (1764, 433, 66, 419, 21), "어휘적": (61, 53, 10, 105, 2)}
    for label, numbers in labels.items():
        fields = ("sn_절1", "sn_절2", "sn_절3", "ln_절1", "ln_절2")
        assert tuple(facts[f"{field} = {label}, all"] for field in fields) == numbers
    assert facts["right answer is the longest, all"] == 3147
    assert facts["right answer is the shortest, all"] == 116
    assert facts["mean length of standard_negation, all"] == pytest.approx(73.7, abs=0.05)
    assert facts["mean ratio of local_negation to the original, all"] == pytest.approx(1.055, abs=5e-4)


def test_the_release_has_the_known_irregularities(upstream: Path) -> None:
    seen = inspect(Source(upstream))
    listed = {
        "local negation = original": "G187 4089 4013 4002 2386 4007 G188 4070",
        "paraphrase = original": "498",
        "standard = local negation": "3484 5076 3496",
        "local negation = contradiction": "3843",
        "local type without local negation": "3742",
        "local negation without its element": "2235 1730 1916 2252 2122 2198 2163 2173 2128 1759",
        "label without its marker": "5067 2011 1476 4990 3242 5031 3291",
        "two full stops: standard_negation": "354",
    }
    counted = {
        "no type for main clause 1": 24,
        "local negation without a type": 90,
        "element not in the original": 102,
        "marker in the original": 195,
        "contradiction and paraphrase exchanged": 916,
        "blank at an edge: original_sentence": 7,
        "blank at an edge: standard_negation": 9,
        "blank at an edge: local_negation": 8,
        "double space: contradiction": 9,
        "id twice": 0,
        "passage twice": 0,
    }
    assert seen.valid
    for name, ids in listed.items():
        assert set(seen.finding(name).ids) == set(ids.split()), name
    for name, count in counted.items():
        assert seen.finding(name).count == count, name
    for found in seen.findings:
        if found.name.startswith(("text twice", "blank other than a space")):
            assert found.count == 0
    assert float(seen.facts["paraphrase field nearer to the original in the exchanged blocks, all"]) > 0.85
    assert float(seen.facts["paraphrase field nearer to the original outside the exchanged blocks, all"]) < 0.14


def test_the_side_studies_have_the_published_counts(upstream: Path) -> None:
    facts = inspect(Source(upstream)).facts

    assert facts["konubench/kmmlu-pos: items"] == facts["konubench/kmmlu-neg: items"] == 7154
    assert (facts["konubench/kmmlu-neg: answer 0"], facts["konubench/kmmlu-neg: answer 1"]) == (3616, 3538)
    assert (facts["konubench/boolq-neg: answer 0"], facts["konubench/boolq-neg: answer 1"]) == (729, 675)
    assert facts["konubench/kmmlu-neg: Law"] == 552


HUMAN_EVALUATION = """
5051 3212 4064 286 284 2567 2062 500 1853 1120 1976 2371 4478 2440 711 1426 4850 4855 1882 2379 3327
702 222 2788 4035 1946 2604 914 1759 4428 1868 2972 592 2347 836 1451 3939 386 G139 1953 3035 2464 1522 902 2344 2021
5001 2186 3698 1906"""


def test_the_split_is_the_documented_permutation(upstream: Path) -> None:
    """Given the ids alone, the described procedure puts every item where the release has it."""
    splits = {name: read_records(split_path(Source(upstream), name)) for name in ("train", "val", "test")}
    released = {name: [record.idx for record in records] for name, records in splits.items()}
    everything = [idx for ids in released.values() for idx in ids]
    table = sorted(everything, key=lambda idx: (idx.startswith("G"), int(re.sub("G", "", idx))))
    human = [idx for idx in table if idx in HUMAN_EVALUATION.split()]
    rest = [idx for idx in table if idx not in human]

    shuffled = [rest[i] for i in np.random.RandomState(42).permutation(len(rest))]

    assert shuffled[:2500] == released["train"]
    assert shuffled[2500:3500] == released["val"]
    assert shuffled[3500:] + human == released["test"]


def test_files_that_are_not_the_published_ones_are_not_valid(upstream: Path, tmp_path: Path) -> None:
    """Given the published test and validation files, and then the first ten test items alone."""
    published = upstream / "konubench"
    for name in ("test.json", "val.json"):
        (tmp_path / name).write_bytes((published / name).read_bytes())
    assert inspect(Source(tmp_path)).problems == ()

    rows = json.loads((published / "test.json").read_text(encoding="utf-8"))
    write_json(tmp_path / "test.json", rows[:10])
    seen = inspect(Source(tmp_path))

    assert any(problem.startswith("test.json: not the published file") for problem in seen.problems)
    assert seen.finding("changed-file").ids == ("test.json",)


def test_the_release_and_the_bundled_items_are_valid(upstream: Path) -> None:
    assert inspect(Source(upstream)).problems == ()
    assert inspect(Source(None)).problems == ()
