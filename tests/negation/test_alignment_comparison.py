"""A benchmark against a corpus: shares and divergences of the real data, and what the counting conventions count."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import pytest
from konubench_files import item, write_json

from jatdae.benchmarks.konubench.data import read_records
from jatdae.errors import RequestError
from jatdae.negation.alignment import (
    CLASSES,
    CONVENTIONS,
    ItemLabels,
    class_counts,
    compare,
    compare_all,
    count_items,
    detected_labels,
    gold_labels,
    read_benchmark,
    reference_study,
)
from jatdae.negation.distribution import ClusterCounts, Distribution
from jatdae.stats import in_bits

PUBLISHED_SHARES = {
    "SN": (18.8, 56.0, 7.6, 12.8, 4.8),
    "SN+LN": (20.9, 56.5, 7.0, 12.7, 2.8),
    "a": (70.4, 14.5, 9.5, 2.2, 2.0, 1.4),
    "b": (73.7, 12.9, 8.4, 2.0, 1.8, 1.2),
    "c": (30.0, 34.3, 22.4, 5.2, 4.8, 3.3),
}
PUBLISHED_ESTIMATES = {
    "SN": (0.0196, 0.0283, 0.0196),
    "SN+LN": (0.0154, 0.0222, 0.0151),
    "a": (0.302, 0.435, 0.293),
    "b": (0.366, 0.529, 0.348),
    "c": (0.0078, 0.0113, 0.0080),
}
"""Nats and bits corpus to benchmark, then nats of the reverse."""


@pytest.fixture(scope="module")
def released(upstream: Path) -> list[ItemLabels]:
    folder = upstream / "konubench"
    if not (folder / "train.json").is_file():
        pytest.skip(f"no KoNUBench in {folder}")
    return gold_labels(read_benchmark(folder).records)


def test_the_released_benchmark_has_the_published_counts_and_shares(released: list[ItemLabels]) -> None:
    counts = {
        name: list(class_counts(count_items(released, way), way.kind).values()) for name, way in CONVENTIONS.items()
    }

    assert len(released) == 4784
    assert counts["SN"] == [1004, 2994, 407, 685, 258]
    assert counts["SN+LN"] == [1991, 5377, 671, 1210, 269]
    assert counts["a"] == [7735, 1593, 1041, 243, 224, 152]
    assert counts["b"] == [9130, 1593, 1041, 243, 224, 152]
    assert counts["c"] == [1395, 1593, 1041, 243, 224, 152]
    for name, numbers in counts.items():
        assert tuple(round(100 * number / sum(numbers), 1) for number in numbers) == PUBLISHED_SHARES[name]


def test_the_published_estimates_come_out_digit_for_digit(released: list[ItemLabels]) -> None:
    reference = reference_study()

    found = compare_all(reference.distribution, released, intervals=reference.intervals)

    assert list(found) == list(PUBLISHED_ESTIMATES)
    for name, digits in PUBLISHED_ESTIMATES.items():
        forward, reverse = found[name].divergences.forward, found[name].divergences.reverse
        places = 3 if name in "ab" else 4
        assert (
            round(forward.value, places),
            round(in_bits(forward).value, places),
            round(reverse.value, places),
        ) == digits
        assert forward.low < forward.value < forward.high
        assert "published 95 % intervals" in forward.method
    # Then the intervals of the clauses by (a) and (b) are the published ones
    assert [round(found["a"].divergences.forward.low, 2), round(found["a"].divergences.forward.high, 2)] == [0.25, 0.36]
    assert [round(found["b"].divergences.forward.low, 2), round(found["b"].divergences.forward.high, 2)] == [0.31, 0.43]


def test_the_reference_study_says_what_is_published() -> None:
    reference = reference_study()
    (cluster,) = reference.distribution.clusters

    assert (cluster.negative, cluster.sentences) == (3160, 29476)
    assert sum(cluster.types.values()) == 1144
    assert [round(100 * count / 1144, 1) for count in cluster.types.values()] == [23.9, 50.6, 5.1, 16.5, 3.9]
    clauses = cluster.clauses.values()
    assert [round(100 * count / sum(clauses), 1) for count in clauses] == [33.1, 33.2, 21.0, 6.8, 3.3, 2.5]
    assert reference.published == {"types": 0.007430, "clauses": 0.413696}
    assert all(len(reference.intervals[kind]) == len(CLASSES[kind]) for kind in CLASSES)


def labelled(idx: str, standard: Sequence[str] = (), local: Sequence[str] = (), clause: str | None = None):
    return ItemLabels(idx, idx, tuple(standard), tuple(local), clause)


def test_each_convention_counts_what_it_says() -> None:
    # Given an item with two main clauses, one of them copular, and local negations in both kinds of clause
    items = [
        labelled("1", ("안 장형", "아니다"), ("못 단형",), "대등절 일부"),
        labelled("2", ("말다",), ("안 장형",), "관형절"),
        labelled("3", ("어휘적",)),
    ]

    counted = {name: count_items(items, way).totals(way.kind) for name, way in CONVENTIONS.items()}

    assert counted == {
        "SN": {"안 장형": 1, "말다": 1},
        "SN+LN": {"안 장형": 2, "못 단형": 1, "말다": 1},
        "a": {"주절": 4, "관형절": 1},
        "b": {"주절": 5, "관형절": 1},
        "c": {"주절": 1, "관형절": 1},
    }


def test_items_of_one_passage_are_one_cluster(tmp_path: Path) -> None:
    rows = [item("1", raw_id=7.0), item("2", raw_id=7.0), item("3"), item("G4")]
    items = gold_labels(read_benchmark(write_json(tmp_path / "mine.json", rows)).records)

    found = count_items(items, CONVENTIONS["SN"], CONVENTIONS["c"])

    assert [(cluster.name, cluster.sentences) for cluster in found.clusters] == [("7", 2), ("1003", 1), ("G4", 1)]
    assert found.clusters[0].types == {"안 장형": 4}
    assert found.clusters[0].clauses == {"주절": 2}


def study(types: Sequence[dict[str, int]], clauses: Sequence[dict[str, int]] = ()) -> Distribution:
    padded = [*clauses, *[{}] * (len(types) - len(clauses))]
    pairs = zip(types, padded, strict=True)
    return Distribution("study", "", tuple(ClusterCounts(str(i), 100, 10, *pair) for i, pair in enumerate(pairs)))


def test_a_study_counts_coordinate_clauses_as_main_and_leaves_out_what_denies_nothing() -> None:
    found = study([{"안 단형": 3, "아니다": 9}], [{"주절": 2, "대등절 일부": 5, "확인형": 4, "관형절": 1}])

    assert class_counts(found, "types") == {"안 단형": 3, "안 장형": 0, "못 단형": 0, "못 장형": 0, "말다": 0}
    assert class_counts(found, "clauses")["주절"] == 7
    assert sum(class_counts(found, "clauses").values()) == 8


def test_a_study_by_files_has_an_interval_over_files_and_a_study_of_one_file_has_none() -> None:
    full = dict.fromkeys(CLASSES["types"], 4)
    several = study([{**full, "안 단형": 20}, full, {**full, "안 장형": 9}])
    single = study([full])
    benchmark = study([full, {**full, "말다": 1}])

    found = compare(several, benchmark, "types").divergences.forward
    assert found.clusters == 3
    assert found.low is not None
    assert "corpus: bootstrap of 3 clusters" in found.method
    assert compare(several, benchmark, "types").divergences.forward == found
    assert compare(single, benchmark, "types").divergences.forward.low is None


def test_a_class_that_the_benchmark_lacks_is_named_and_can_be_smoothed() -> None:
    corpus = study([dict.fromkeys(CLASSES["types"], 4)] * 2)
    items = [labelled("1", ("안 장형", "안 단형", "못 단형", "못 장형"))]

    with pytest.raises(RequestError, match=r"benchmark by SN has no 말다"):
        compare_all(corpus, items)
    found = compare_all(corpus, items, smoothing=0.5)

    # Then a study without clauses is compared by its types alone
    assert list(found) == ["SN", "SN+LN"]
    expected = sum(0.2 * math.log(0.2 / ((count + 0.5) / 6.5)) for count in (1, 1, 1, 1, 0))
    assert found["SN"].divergences.forward.value == pytest.approx(expected)
    with pytest.raises(RequestError, match="nothing to compare"):
        compare_all(study([{"아니다": 1}], [{"확인형": 1}]), items)


def test_labels_that_are_none_or_missing_are_named(tmp_path: Path) -> None:
    wrong = write_json(tmp_path / "wrong.json", [item("5", **{"sn_절2": "안장형"})])
    bare = dict.fromkeys(("sn_절1", "sn_절2", "local_negation_type", "ln_절1"))
    unlabelled = write_json(tmp_path / "bare.json", [item("6", **bare)])

    with pytest.raises(RequestError, match=r"item 5, field 'sn_절2': '안장형' is no label; did you mean '안 장형'"):
        gold_labels(read_records(wrong))
    with pytest.raises(RequestError, match="--labels detector"):
        gold_labels(read_records(unlabelled))


def test_the_detector_labels_what_a_negation_adds(tmp_path: Path) -> None:
    # Given items without labels, one of whose originals is negative already
    bare = dict.fromkeys(("sn_절1", "sn_절2", "local_negation_type", "ln_절1"))
    inherited = {
        "original_sentence": "비가 오지 않는 날에는 장터가 선다.",
        "standard_negation": "비가 오지 않는 날에는 장터가 서지 않는다.",
        "local_negation": "비가 오는 날에는 장터가 선다.",
    }
    relative = {
        "original_sentence": "언니는 감자가 든 국을 끓였다.",
        "standard_negation": "언니는 감자가 든 국을 못 끓였다.",
        "local_negation": "언니는 감자가 들지 않은 국을 끓였다.",
    }
    rows = [item("1", **bare, **inherited), item("2", **bare, **relative), item("3", **bare)]

    first, second, third = detected_labels(read_benchmark(write_json(tmp_path / "bare.json", rows)).records)

    assert (first.standard, first.local) == (("안 장형",), ())
    assert (second.standard, second.local, second.clause) == (("못 단형",), ("안 장형",), "관형절")
    assert (third.standard, third.local, third.clause) == (("안 장형", "안 장형"), ("안 장형",), "대등절 일부")
