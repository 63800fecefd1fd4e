"""`jatdae negation align`: what it prints, the file of selected items, and requests that cannot be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest
from konubench_files import item, write_json

from jatdae.cli.negation_align import align_command
from jatdae.errors import DataError, RequestError
from jatdae.negation.corpus.files import FORMAT, STUDY

TYPES = ("안 단형", "안 장형", "못 단형", "못 장형", "말다")
CLAUSES = ("대등절 일부", "관형절", "부사절", "종속절", "명사절", "인용절")


@pytest.fixture
def benchmark(tmp_path: Path) -> Path:
    """Sixty items with every type and clause, as a split file."""
    rows = [
        item(
            f"{n}",
            **{"sn_절1": TYPES[n % 5], "sn_절2": None, "ln_절1": TYPES[n % 2], "local_negation_type": CLAUSES[n % 6]},
        )
        for n in range(60)
    ]
    return write_json(tmp_path / "train.json", rows)


def align(benchmark: Path, study: str = "reference", **options: Any) -> int:
    given = {"select": None, "out": None, "labels": "gold", "smoothing": None, "as_json": False, "quiet": True}
    return align_command(study, benchmark, **{**given, **options})


def test_the_table_states_direction_units_smoothing_and_convention(benchmark: Path, capsys) -> None:
    assert align(benchmark) == 0

    shown = capsys.readouterr().out
    for part in (
        "D(P||Q) = sum of p ln(p/q), P = corpus, Q = benchmark",
        "D(corpus||benchmark)",
        "D(benchmark||corpus)",
        "Jensen-Shannon",
        "nats",
        "bits",
        "no smoothing",
        "SN+LN",
        "types 0.007430, clauses 0.413696",
        "3,160 of 29,476",
        "60 items",
    ):
        assert part in shown


def test_the_document_holds_the_same_and_the_selection(benchmark: Path, tmp_path: Path, capsys) -> None:
    out = tmp_path / "chosen.json"

    align(benchmark, select=20, out=out, smoothing=0.5, as_json=True)

    told = json.loads(capsys.readouterr().out)["alignment"]
    assert list(told["comparisons"]) == ["SN", "SN+LN", "a", "b", "c"]
    forward = told["comparisons"]["c"]
    assert forward["smoothing"] == 0.5
    assert forward["bits"]["forward"]["value"] == pytest.approx(
        forward["nats"]["forward"]["value"] / 0.6931471805599453
    )
    assert told["selected"]["after_nats"]["SN+LN"] < told["selected"]["before_nats"]["SN+LN"]
    rows = json.loads(out.read_text(encoding="utf-8"))
    assert [row["idx"] for row in rows] == told["selected"]["ids"]
    # Then the rows are those of the pool, whole and in its order
    pool = json.loads(benchmark.read_text(encoding="utf-8"))
    assert rows == [row for row in pool if row["idx"] in set(told["selected"]["ids"])]


@pytest.mark.parametrize("with_clauses", [True, False])
def test_a_study_is_resampled_by_its_clusters(benchmark: Path, tmp_path: Path, capsys, with_clauses: bool) -> None:
    # Given a study of three files, by the detector or by surface rules, which know no clauses
    clauses = dict.fromkeys(("주절", *CLAUSES[1:]), 5) if with_clauses else {}
    clusters = [
        {"name": f"{n}.txt", "sentences": 50, "negative": 9, "types": dict.fromkeys(TYPES, 2 + n), "clauses": clauses}
        for n in range(3)
    ]
    clusters[0]["types"] = {**clusters[0]["types"], "안 장형": 20}
    study = tmp_path / "mine"
    write_json(study / STUDY, cast(Any, {"format": FORMAT, "convention": "as told", "clusters": clusters}))

    align(benchmark, str(study), select=10, as_json=True)

    told = json.loads(capsys.readouterr().out)["alignment"]
    assert told["corpus"] == {"name": "mine", "convention": "as told", "sentences": 150, "negative": 27}
    assert list(told["comparisons"]) == ["SN", "SN+LN", *("abc" if with_clauses else "")]
    forward = told["comparisons"]["SN"]["nats"]["forward"]
    assert forward["clusters"] == 3
    assert forward["low"] <= forward["value"] <= forward["high"]
    assert (told["next"] is not None) == with_clauses
    assert told["published"] is None
    assert len(told["selected"]["ids"]) == 10


def test_two_selections_are_equal_byte_for_byte(benchmark: Path, tmp_path: Path) -> None:
    files = [tmp_path / "one.json", tmp_path / "two.json"]
    for out in files:
        align(benchmark, select=20, out=out)

    assert files[0].read_bytes() == files[1].read_bytes()


def test_a_folder_stands_for_its_splits(benchmark: Path, capsys) -> None:
    rows = json.loads(benchmark.read_text(encoding="utf-8"))
    write_json(benchmark.parent / "test.json", [{**row, "idx": f"9{row['idx']}"} for row in rows])

    align(benchmark.parent)

    assert "120 items" in capsys.readouterr().out


def test_an_odd_text_survives_selection(tmp_path: Path) -> None:
    rows = json.loads(write_json(tmp_path / "pool.json", [item("1"), item("2")]).read_text(encoding="utf-8"))
    rows[0]["note"] = "\ud800 \x00"
    pool = tmp_path / "pool.json"
    pool.write_text(json.dumps(rows), encoding="utf-8")

    align(pool, smoothing=0.5, select=2, out=tmp_path / "out.json")

    assert json.loads((tmp_path / "out.json").read_text(encoding="utf-8")) == rows


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"labels": "golden"}, "--labels 'golden' is not known; did you mean 'gold'"),
        ({"out": Path("x.json")}, "--select N"),
        ({"select": 61}, "from 1 to 60"),
        ({"smoothing": -1.0}, "a number above 0"),
        ({"study": "nowhere"}, "no study is there"),
    ],
)
def test_a_request_that_cannot_be_is_one_line(benchmark: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(RequestError, match=message) as caught:
        align(benchmark, **options)
    assert "\n" not in str(caught.value)


def test_the_pool_is_never_written_over(benchmark: Path) -> None:
    before = benchmark.read_bytes()

    with pytest.raises(RequestError, match="is the file that is selected from"):
        align(benchmark, select=3, out=benchmark, smoothing=0.5)
    assert benchmark.read_bytes() == before


def test_an_id_in_two_splits_is_named_with_both_files(benchmark: Path) -> None:
    write_json(benchmark.parent / "test.json", [item("7")])

    with pytest.raises(DataError, match=r"test\.json, field 'idx': id '7' is in .*train\.json as well"):
        align(benchmark.parent)
    (benchmark.parent / "elsewhere").mkdir()
    with pytest.raises(RequestError, match=r"no train\.json, val\.json or test\.json"):
        align(benchmark.parent / "elsewhere")
