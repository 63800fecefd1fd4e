"""What leaves the store can be read by those it is for, and says what the store says."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from large_store import build_large_store
from odd_texts import ODD, SAMPLES

from jatdae.cli import run_app
from jatdae.reports.export.files import write_rows
from jatdae.store import Store
from jatdae.store.records import column_text
from jatdae.types import Outcome, Protocol, Sample

texts = st.one_of(st.sampled_from([*SAMPLES, *ODD]), st.text(max_size=20))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_large_store(tmp_path_factory.mktemp("export") / "store", samples=600, a_result=200)


def run(*words: object) -> int:
    return run_app([str(word) for word in words])


@pytest.mark.parametrize("ending", ["csv", "json", "jsonl", "parquet"])
def test_every_figure_leaves_with_its_interval(store, tmp_path, ending):
    out = tmp_path / f"results.{ending}"

    assert run("export", "results", "--store", store, "--out", out, "--task", "kmmlu") == 0

    rows = read(out)
    headline = next(row for row in rows if row["headline"] in (True, "True"))
    with Store.open(store) as opened:
        estimate = opened.results(task="kmmlu")[-1].result.estimates["macro"]
    assert float(headline["value"]) == estimate.value
    assert (float(headline["low"]), float(headline["high"])) == (estimate.low, estimate.high)
    assert {row["kind"] for row in rows} == {"estimate", "rate", "floor", "breakdown"}


def macro_of(store: Path, model: str):
    with Store.open(store) as opened:
        return next(one for one in opened.results(task="kmmlu") if model in one.model_reference).result.estimates[
            "macro"
        ]


def in_order(samples: list[Sample]) -> list[Sample]:
    """As the store gives them back."""
    return sorted(samples, key=lambda one: column_text(one.item).encode())


def read(path: Path) -> list[dict]:
    if path.suffix == ".csv":
        with path.open(encoding="utf-8-sig", newline="") as file:
            return list(csv.DictReader(file))
    if path.suffix == ".parquet":
        parquet = pytest.importorskip("pyarrow.parquet")
        return parquet.read_table(path).to_pylist()
    text = path.read_text(encoding="utf-8")
    return json.loads(text) if path.suffix == ".json" else [json.loads(line) for line in text.split("\n") if line]


samples = st.lists(
    st.builds(
        Sample,
        texts,
        st.just(Outcome.WRONG),
        st.none() | texts,
        texts,
        group=texts,
        detail=st.dictionaries(texts, texts),
    ),
    max_size=6,
    unique_by=lambda one: one.item.encode("utf-8", "surrogatepass"),
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(samples)
def test_samples_come_back_as_they_are(tmp_path_factory, entries):
    folder = tmp_path_factory.mktemp("round")
    with Store.open(folder / "store") as store:
        store.remember_model(SimpleNamespace(key="k", reference="hf:m", facts={}))
        facts = {"fingerprint": "f", "data_hash": "d", "task_version": "1"}
        number = store.start_run("jatdae run", {}, {})
        protocol = Protocol(mode="letter")
        result = store.start_result(number, task="t", model_key="k", mode="letter", protocol=protocol, **facts)
        store.add_samples(result, entries)
        from jatdae.reports.export.rows import SAMPLE_COLUMNS, sample_rows

        expected = list(sample_rows(store, store.results()))
        for ending in ("jsonl", "json"):
            write_rows(folder / f"s.{ending}", SAMPLE_COLUMNS, sample_rows(store, store.results()))
            found = read(folder / f"s.{ending}")
            assert [row["target"] for row in found] == [
                row["target"].encode("utf-8", "backslashreplace").decode() for row in expected
            ] or found == expected
        for ending in ("csv", "parquet"):
            assert write_rows(folder / f"s.{ending}", SAMPLE_COLUMNS, sample_rows(store, store.results())) == len(
                entries
            )
            assert len(read(folder / f"s.{ending}")) == len(entries)


def test_excel_gets_its_mark_and_no_cell_that_it_would_run(tmp_path):
    rows = [{"모델": "=cmd|'/c calc'!A1", "점수": 0.5}, {"모델": "가나다-7B", "점수": None}]

    write_rows(tmp_path / "t.csv", ("모델", "점수"), rows, bom=True)

    data = (tmp_path / "t.csv").read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")
    back = read(tmp_path / "t.csv")
    assert list(back[0]) == ["모델", "점수"]
    assert back[0]["모델"].startswith("'=")
    assert back[1] == {"모델": "가나다-7B", "점수": ""}


def test_nothing_is_overwritten_unless_told_and_a_failure_leaves_nothing(store, tmp_path, capsys):
    out = tmp_path / "r.csv"
    out.write_text("mine")

    assert run("export", "results", "--store", store, "--out", out) == 2
    assert "--force" in capsys.readouterr().err
    assert out.read_text() == "mine"

    def broken():
        yield {"a": 1}
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_rows(tmp_path / "x.csv", ("a",), broken())
    assert [path.name for path in tmp_path.iterdir()] == ["r.csv"]
    assert run("export", "results", "--store", store, "--out", out, "--force") == 0
    assert out.read_text() != "mine"


@pytest.mark.parametrize(
    "words", [("--out", "x.xlsx"), ("--out", "x.json", "--bom"), ("--out", "x.csv", "--task", "no")]
)
def test_what_cannot_be_written_is_said_in_one_line(store, tmp_path, monkeypatch, capsys, words):
    monkeypatch.chdir(tmp_path)

    assert run("export", "results", "--store", store, *words) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_the_harness_reads_its_own_layout(store, tmp_path):
    utils = pytest.importorskip("lm_eval.utils")

    assert run("export", "lm-eval", "--store", store, "--out", tmp_path, "--model", "모형-0") == 0

    [folder] = tmp_path.iterdir()
    [results] = folder.glob("results_*.json")
    told = json.loads(results.read_text(encoding="utf-8"))
    table = utils.make_table(told)
    with Store.open(store) as opened:
        macro = next(one for one in opened.results(task="kmmlu") if "모형-0" in one.model_reference).result.estimates[
            "macro"
        ]
    assert f"{macro.value:.4f}" in table
    assert f"{macro.stderr:.4f}" in table
    assert utils.get_latest_filename([path.name for path in folder.iterdir() if path.suffix == ".json"]) == results.name
    lines = [
        json.loads(line) for path in folder.glob("samples_kmmlu*") for line in path.read_text("utf-8").splitlines()
    ]
    assert lines[0]["arguments"]["gen_args_0"]["arg_1"] == " A"
    assert {line["acc"] for line in lines} <= {0.0, 1.0}


def test_the_hub_reads_the_card_and_the_rest_of_it_stays(store, tmp_path):
    hub = pytest.importorskip("huggingface_hub")
    readme = tmp_path / "README.md"
    readme.write_text(
        "---\nlicense: apache-2.0\nlanguage: [ko]  # 한국어\n---\n# 모형\n\n본문은 그대로.\n", encoding="utf-8"
    )

    words = (
        "export",
        "model-card",
        "--store",
        store,
        "--model",
        "모형-0",
        "--readme",
        readme,
        "--out",
        tmp_path / "new.md",
    )
    assert run(*words) == 0

    card = hub.ModelCard.load(tmp_path / "new.md")
    assert card.data.license == "apache-2.0"
    assert card.text.strip() == "# 모형\n\n본문은 그대로."
    values = {one.metric_type: one.metric_value for one in card.data.eval_results}
    with Store.open(store) as opened:
        macro = next(one for one in opened.results(task="kmmlu") if "모형-0" in one.model_reference).result.estimates[
            "macro"
        ]
    assert values["macro"] == pytest.approx(macro.value, abs=1e-6)
    assert "# 한국어" in (tmp_path / "new.md").read_text(encoding="utf-8")


def test_a_card_is_about_one_model_and_a_broken_readme_is_named(store, tmp_path, capsys):
    assert run("export", "model-card", "--store", store) == 2
    assert "one model" in capsys.readouterr().err
    (tmp_path / "README.md").write_text("---\nlicense: [\n---\n", encoding="utf-8")
    assert run("export", "model-card", "--store", store, "--model", "모형-0", "--readme", tmp_path / "README.md") == 2
    assert "README.md, line 1" in capsys.readouterr().err


def test_a_card_that_has_figures_gets_new_ones(store, tmp_path, capsys):
    assert run("export", "model-card", "--store", store, "--model", "모형-0") == 0
    first = capsys.readouterr().out
    (tmp_path / "README.md").write_text(first + "글\n", encoding="utf-8")

    assert run("export", "model-card", "--store", store, "--model", "모형-0", "--readme", tmp_path / "README.md") == 0

    again = capsys.readouterr().out
    assert yaml.safe_load(again.split("---\n")[1]) == yaml.safe_load(first.split("---\n")[1])
    assert again.endswith("글\n")
