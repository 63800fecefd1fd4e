"""The report on models: every table against the samples that lie in the store."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from konubench_files import item, item_of_three, write_json
from scripted import Script, ScriptedBackend, hashed

from jatdae import Store, evaluate
from jatdae.benchmarks.konubench.artefacts import ARTEFACTS, LONGEST, MOST_MARKERS
from jatdae.cli.negation_report import report_negation_command
from jatdae.errors import RequestError
from jatdae.finetune.causal.adapter import CARD, AdapterCard
from jatdae.reports.negation import NegationReport, markdown, negation_report, read_models
from jatdae.reports.negation.baselines import BesideBaseline
from jatdae.reports.negation.before_after import before_after, tuned_means
from jatdae.reports.negation.evidence import Columns
from jatdae.reports.negation.local_marks import local_marks
from jatdae.reports.negation.selection import Cell
from jatdae.runtime import Progress
from jatdae.stats import cluster_bootstrap
from jatdae.store import StoredResult
from jatdae.types import Answer, OptionScore, Request, Sample, Score, Scores

SWAPPED = ("3000", "3001", "4400")
"""Ids in whose items the release holds the contradiction and the paraphrase in each other's field."""
ITEMS = [*(item(str(number)) for number in range(1, 9)), *map(item, SWAPPED), item_of_three("G5")]
MODELS = """reference,name,family,parameters,tuning,korean
tiny-1,Tiny 1B,Tiny,1,base,true
tiny-1-chat,Tiny 1B chat,Tiny,1,instruct,true
tiny-9,Tiny 9B,Tiny,9,base,true
"""
CLOZE, SYMBOL = Cell("konubench", "cloze", 0), Cell("konubench", "symbol", 0)

Take = Callable[[Score], Sequence[float]]


def taking(values: Take) -> Script:
    """A model with given log-likelihoods for sentences; of letters it takes one that looks random."""

    def script(request: Request) -> Answer:
        if not isinstance(request, Score) or len(request.options[0]) < 3:
            return hashed(request)
        return Scores(tuple(OptionScore(value, 3, False) for value in values(request)))

    return script


def place(index: int) -> Take:
    """A liking for one place of the list, by both readings of the log-likelihood."""
    return lambda request: [-1.0 if at == index else -900.0 for at in range(len(request.options))]


def by_number(request: Score) -> Sequence[float]:
    """Right on items with an odd number, else the local negation."""
    number = int("".join(filter(str.isdigit, request.options[0])) or 0)
    return place(0 if number % 2 else 1)(request)


def short(request: Score) -> Sequence[float]:
    """The shortest by the raw sum; by character all are equal, so that the first, the right one, is chosen."""
    return [-float(len(text) - 1) for text in request.options]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    data = folder / "data"
    write_json(data / "test.json", ITEMS)
    write_json(data / "val.json", [item(str(number)) for number in range(100, 112)])
    tastes = {
        "tiny-1": place(1),
        "tiny-1-chat": place(2),
        "tiny-9": by_number,
        "stranger": short,
        "tiny-1+/work/lora": place(0),
    }
    for name, taste in tastes.items():
        model = ScriptedBackend(taking(taste), name=name)
        for mode in ("cloze", "symbol"):
            for shots in (0, 1):
                evaluate("konubench", model, mode=mode, shots=shots, data=data, store=folder / "store")
        for task in ("kmmlu-pos", "kmmlu-neg", "boolq", "boolq-neg"):
            evaluate(f"konubench/{task}", model, data="mini", store=folder / "store")
    evaluate(
        "konubench", ScriptedBackend(name="hasty"), mode="cloze", shots=0, limit=5, data=data, store=folder / "store"
    )
    (folder / "models.csv").write_text(MODELS, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def report(store: Path) -> NegationReport:
    with Store.open(store / "store") as opened:
        return negation_report(opened, read_models(store / "models.csv"), progress=Progress(quiet=True))


def result_of(store: Path, model: str, cell: Cell) -> tuple[StoredResult, list[Sample]]:
    with Store.open(store / "store") as opened:
        found = next(
            one
            for one in opened.results(task=cell.task, model=f"hf:{model}")
            if one.result and (one.mode, one.result.protocol.shots) == (cell.mode, cell.shots)
        )
        return found, list(opened.samples(found.id))


def shares(report: NegationReport, model: str, metric: str, columns: Columns) -> dict[str, float]:
    [found] = [
        one
        for one in report.wrong_options
        if (one.group, one.cell, one.metric, one.columns) == (f"hf:{model}", CLOZE, metric, columns)
    ]
    return {kind: share.value for kind, share in found.shares.items()}


def test_scores_are_the_stored_ones_and_name_their_seeds(store: Path, report: NegationReport) -> None:
    for cell in (CLOZE, Cell("konubench", "symbol", 1)):
        stored, samples = result_of(store, "tiny-9", cell)
        assert stored.result
        [score] = [one for one in report.scores if one.cell == cell and one.reference == "hf:tiny-9"]
        assert score.score == stored.result.estimates[stored.result.headline]
        assert score.seeds == (() if cell.shots == 0 else (1234, 308, 1028))
        assert score.score.value == pytest.approx(np.mean([sample.scores[score.metric] for sample in samples]))


def test_means_are_over_whole_models_by_what_the_file_says(report: NegationReport) -> None:
    value = {one.reference: one.score.value for one in report.scores if one.cell == CLOZE}
    mean = {(one.axis, one.group): one.mean for one in report.means if one.column == "cloze 0"}

    everybody = ["hf:tiny-1", "hf:tiny-1-chat", "hf:tiny-9", "hf:stranger"]
    assert mean["all", "all"].n == 4
    assert mean["all", "all"].value == pytest.approx(np.mean([value[name] for name in everybody]))
    assert mean["language", "Korean"].n == 3
    assert mean["tuning", "base"].value == pytest.approx((value["hf:tiny-1"] + value["hf:tiny-9"]) / 2)
    assert mean["size", "8-12.5B"].value == value["hf:tiny-9"]
    assert mean["all", "all"].low is not None
    assert mean["size", "8-12.5B"].low is None
    [pair] = [one for one in report.pairs if one.column == "cloze 0"]
    assert pair.gain.value == pytest.approx(value["hf:tiny-1-chat"] - value["hf:tiny-1"])


def test_wrong_options_are_counted_as_released_and_put_right(report: NegationReport) -> None:
    """Given a model that always takes the third option, so that in three swapped items it takes the paraphrase."""
    released = shares(report, "tiny-1-chat", "acc", "as released")
    repaired = shares(report, "tiny-1-chat", "acc", "put right")

    # The item of three options has the paraphrase in the third place.
    assert released == pytest.approx({"local": 0, "contradiction": 11 / 12, "paraphrase": 1 / 12})
    assert repaired == pytest.approx({"local": 0, "contradiction": 8 / 12, "paraphrase": 4 / 12})


def test_an_item_of_three_options_does_not_shift_the_kinds(report: NegationReport) -> None:
    """Given a model that always takes the second option: a local negation, but where there is none a contradiction."""
    assert shares(report, "tiny-1", "acc_norm", "put right") == pytest.approx(
        {"local": 11 / 12, "contradiction": 1 / 12, "paraphrase": 0}
    )


def test_the_raw_choice_and_the_headline_are_counted_apart(report: NegationReport) -> None:
    """Given a model that is right by character, where it ties, and wrong by the raw sum, where it likes short ones."""
    own = [one for one in report.wrong_options if one.group == "hf:stranger" and one.cell == CLOZE]

    wrong = {(one.metric, one.columns): one.wrong for one in own}
    assert wrong["acc_norm", "put right"] == 0
    assert wrong["acc", "put right"] == wrong["acc", "as released"] == 12


def test_pools_hold_all_wrong_predictions_of_their_models(report: NegationReport) -> None:
    pool = {
        (one.axis, one.group): one
        for one in report.pooled_wrong_options
        if (one.cell, one.metric, one.columns) == (CLOZE, "acc", "put right")
    }
    own = {
        one.group: one
        for one in report.wrong_options
        if (one.cell, one.metric, one.columns) == (CLOZE, "acc", "put right")
    }

    korean = [own[f"hf:{name}"] for name in ("tiny-1", "tiny-1-chat", "tiny-9")]
    assert pool["language", "Korean"].wrong == sum(one.wrong for one in korean)
    local = sum(one.wrong * one.shares["local"].value for one in korean)
    assert pool["language", "Korean"].shares["local"].value == pytest.approx(local / pool["language", "Korean"].wrong)
    assert {group for axis, group in pool if axis == "quartile"} == set()  # four models: one a quartile is no pool


def test_every_model_stands_beside_the_rules_that_see_the_options_alone(store: Path, report: NegationReport) -> None:
    found = {(one.reference, one.name): one for one in report.baselines if one.cell == CLOZE}
    _, samples = result_of(store, "tiny-9", CLOZE)
    right = np.array([sample.scores["acc_norm"] for sample in samples])
    longest = np.array(
        [len(s.detail["texts"][ord(s.target) - 65]) == max(map(len, s.detail["texts"])) for s in samples], dtype=float
    )

    assert {name for _, name in found} == set(ARTEFACTS)
    assert len(found) == 5 * len(ARTEFACTS)
    beside = found["hf:tiny-9", LONGEST]
    assert beside.baseline.value == longest.mean()
    assert beside.difference.value == pytest.approx((right - longest).mean())
    assert found["hf:tiny-1", MOST_MARKERS].standing == "below"
    assert "**" not in markdown(report, "en")
    assert "below: longest option, most markers, marker near the end" in markdown(report, "en")


def test_without_any_spread_six_origins_tell(report: NegationReport) -> None:
    """Given a model that is wrong on all items on which a rule is right, on five and on six items."""
    one = report.baselines[0]
    few, enough = (
        replace(one, difference=cluster_bootstrap([-1.0] * count, list(range(count)), seed=1)) for count in (5, 6)
    )

    assert (few.difference.low, few.standing, enough.standing) == (None, "level", "below")


@pytest.mark.parametrize(
    ("low", "high", "standing"),
    [(0.01, 0.2, "above"), (-0.2, -0.01, "below"), (-0.1, 0.1, "level"), (0.0, 0.1, "level")],
)
def test_a_model_stands_above_a_rule_only_where_the_interval_says_so(
    report: NegationReport, low: float, high: float, standing: str
) -> None:
    one = report.baselines[0]
    beside: BesideBaseline = replace(one, difference=replace(one.difference, low=low, high=high))

    assert beside.standing == standing


def test_larger_models_are_compared_with_the_next_smaller_one_of_their_kind(report: NegationReport) -> None:
    curve = [one for one in report.sizes if one.cell == CLOZE]

    value = {one.reference: one.score.value for one in report.scores if one.cell == CLOZE}
    assert [(one.parameters, one.tuning) for one in curve] == [(1, "base"), (9, "base")]
    assert curve[0].step is None
    assert curve[1].step is not None
    assert curve[1].step.value == pytest.approx(value["hf:tiny-9"] - value["hf:tiny-1"])
    assert curve[1].accuracy.low is not None


def test_items_are_sorted_by_clause_marker_and_distance(report: NegationReport) -> None:
    own = [one for one in report.breakdowns if one.reference == "hf:tiny-1" and one.cell == CLOZE]

    groups = {(one.by, one.group): one for one in own}
    assert set(groups) == {
        ("clause", "대등절 일부"),
        ("marker", "안 장형"),
        ("words after the marker", "0-3"),
    }
    assert {one.taken.n for one in own} == {11}  # the item of three options has no local negation
    assert {one.taken.value for one in own} == {1.0}
    assert {one.accuracy.value for one in own} == {0.0}


@pytest.mark.parametrize(
    ("original", "local", "kind", "after", "band"),
    [
        ("비가 오는 날에 걸었다.", "비가 오지 않는 날에 걸었다.", "안 장형", 2, "0-3"),
        ("돈을 받아 집을 고쳤다.", "돈을 안 받아 집을 고쳤다.", "안 단형", 3, "0-3"),
        ("오지 않은 이를 두고 간다.", "오지 않은 이를 두지 못하고 간다.", "못 장형", 1, "0-3"),
        ("오지 않은 이를 두고 간다.", "온 이를 두고 간다.", "no marker added", None, "no marker added"),
    ],
)
def test_the_added_negation_is_told_from_an_inherited_one(
    original: str, local: str, kind: str, after: int | None, band: str
) -> None:
    mark = local_marks([(original, local)])[original, local]

    assert (mark.type, mark.words_after, mark.distance) == (kind, after, band)


def test_an_adapter_stands_beside_its_base_model_and_in_no_mean(report: NegationReport) -> None:
    gains = {(one.difference.task, one.difference.mode, one.difference.shots): one for one in report.tuned}

    gain = gains["konubench", "cloze", 0]
    assert (gain.base, gain.adapter) == ("hf:tiny-1", "hf:tiny-1+/work/lora")
    assert (gain.difference.first, gain.difference.second) == (0.0, 1.0)
    assert len(gains) == 8
    assert all(one.mean.n <= 4 for one in report.means)


def test_adapters_that_learned_in_one_mode_have_a_mean(report: NegationReport) -> None:
    """Given two adapters of cloze supervision and one of unknown supervision on one question."""
    one = report.tuned[0]
    gain = replace(one.difference, first=0.2, second=0.6)
    fall = replace(one.difference, first=0.5, second=0.3)

    found = tuned_means(
        [
            replace(one, supervision=mode, difference=what)
            for mode, what in (("cloze", gain), ("cloze", fall), (None, gain))
        ]
    )

    [mean] = found
    assert (mean.supervision, mean.gain.n, mean.falling) == ("cloze", 2, 1)
    assert (mean.before, mean.after, mean.gain.value) == pytest.approx((0.35, 0.45, 0.1))


def test_the_mode_of_learning_is_read_from_the_adapter_itself(store: Path, tmp_path: Path) -> None:
    adapter = tmp_path / "lora"
    adapter.mkdir()
    card = AdapterCard("konubench", "symbol", "tiny-1", 1, {}, {}, ("q_proj",), "", "", 1, 0, 1, (1.0,))
    (adapter / CARD).write_text(json.dumps(asdict(card)), encoding="utf-8")
    for task, data in (("konubench", store / "data"), ("konubench/boolq", "mini")):
        for name in ("tiny-1", f"tiny-1+{adapter}"):
            model = ScriptedBackend(taking(place(len(name) % 2)), name=name)
            evaluate(task, model, mode="cloze", shots=0, data=data, store=tmp_path / "store")

    with Store.open(tmp_path / "store") as opened:
        found, notes = before_after(opened, ["hf:tiny-1", f"hf:tiny-1+{adapter}"])
        (adapter / CARD).write_text('{"kind": "adapter", "format": 1}', encoding="utf-8")
        nothing, why = before_after(opened, ["hf:tiny-1", f"hf:tiny-1+{adapter}"])

    assert ([one.supervision for one in found], notes) == (["symbol", "symbol"], [])
    assert nothing == []
    assert "cannot be read" in why[0]


def test_both_forms_of_the_side_studies_are_paired(store: Path, report: NegationReport) -> None:
    [pair] = [one for one in report.polarity if one.reference == "hf:tiny-9" and one.study == "konubench/boolq"]

    forms = [result_of(store, "tiny-9", Cell(task, "cloze", 0))[1] for task in (pair.study, pair.negated)]
    assert pair.report.positive.value == np.mean([sample.scores["acc"] for sample in forms[0]])
    assert pair.report.difference.value == pytest.approx(
        pair.report.positive.value - np.mean([sample.scores["acc"] for sample in forms[1]])
    )
    [overall] = [one for one in report.polarity_gains if (one.before_column, one.axis) == (pair.study, "all")]
    assert overall.gain.n == 4


def test_a_model_that_was_asked_other_items_is_left_out_and_named(report: NegationReport) -> None:
    [left] = report.left_out

    assert left.reference == "hf:hasty"
    assert left.why.startswith("it was asked another question")
    assert "hf:hasty" not in {one.reference for one in report.scores}


def test_both_languages_have_the_same_tables_with_the_same_figures(report: NegationReport) -> None:
    english, korean = (markdown(report, language) for language in ("en", "ko"))

    assert "not in the models file" in english
    assert "모델 파일에 없음" in korean
    rows = [[line for line in text.splitlines() if line.startswith("|")] for text in (english, korean)]
    assert len(rows[0]) == len(rows[1])
    assert [line.count("|") for line in rows[0]] == [line.count("|") for line in rows[1]]
    assert len([line for line in english.splitlines() if line.startswith("## ")]) == 20


def test_the_command_writes_three_files_byte_by_byte_the_same(store: Path, tmp_path: Path) -> None:
    texts = []
    for name in ("first", "second"):
        out = tmp_path / name
        report_negation_command(store / "store", store / "models.csv", out=out, quiet=True)
        texts.append({path.name: path.read_bytes() for path in sorted(out.iterdir())})

    assert texts[0] == texts[1]
    assert list(texts[0]) == ["negation.json", "negation.ko.md", "negation.md"]
    found = json.loads(texts[0]["negation.json"])
    assert len(found["baselines"]) == 5 * 4 * len(ARTEFACTS)
    assert str(store) not in texts[0]["negation.md"].decode()


def test_charts_show_every_point_and_are_byte_by_byte_the_same(store: Path, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    for name in ("first", "second"):
        report_negation_command(store / "store", store / "models.csv", out=tmp_path / name, draw=True, quiet=True)

    drawn = {path.name: path.read_bytes() for path in sorted((tmp_path / "first").glob("*.svg"))}
    assert list(drawn) == ["shots-cloze.svg", "shots-symbol.svg", "sizes-cloze.svg", "sizes-symbol.svg"]
    assert drawn == {path.name: path.read_bytes() for path in sorted((tmp_path / "second").glob("*.svg"))}
    assert "Tiny 9B" in drawn["shots-cloze.svg"].decode()
    assert "Tiny base" in drawn["sizes-cloze.svg"].decode()
    with pytest.raises(RequestError, match="name a folder for them with --out"):
        report_negation_command(store / "store", draw=True, quiet=True)


def test_what_cannot_be_reported_is_said(store: Path, tmp_path: Path) -> None:
    Store.open(tmp_path / "empty").close()

    with pytest.raises(RequestError, match="no finished result of konubench on the split test"):
        report_negation_command(tmp_path / "empty", quiet=True)
    with pytest.raises(RequestError, match="there is no store at"):
        report_negation_command(tmp_path / "absent", quiet=True)
    with pytest.raises(RequestError, match="--lang 'kr'"):
        report_negation_command(store / "store", lang="kr", quiet=True)


def test_real_models_on_the_bundled_items(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Given two small real models of different weights, asked in both modes without and with an example."""
    pytest.importorskip("torch")
    from tiny_model import build_tiny_model

    for name, seed in (("small", 7), ("large", 8)):
        build_tiny_model(tmp_path / name, bos=True, seed=seed)
        for mode in ("cloze", "symbol"):
            for shots in (0, 1):
                model = f"hf:{tmp_path / name}"
                evaluate("konubench", model, mode=mode, shots=shots, limit=12, data="mini", store=tmp_path)
    (tmp_path / "models.csv").write_text(
        "reference,name,family,parameters,tuning,korean\n*/small,S,Tiny,1,base,true\n*/large,L,Tiny,3,base,false\n",
        encoding="utf-8",
    )

    report_negation_command(tmp_path, tmp_path / "models.csv", lang="ko", as_json=True, quiet=True)

    found = json.loads(capsys.readouterr().out)
    assert {(one["cell"]["mode"], one["cell"]["shots"]) for one in found["scores"]} == {
        (mode, shots) for mode in ("cloze", "symbol") for shots in (0, 1)
    }
    assert len(found["baselines"]) == 2 * 4 * len(ARTEFACTS)
    assert {one["score"]["n"] for one in found["scores"]} == {12}
    assert {one["by"] for one in found["breakdowns"]} == {"clause", "marker", "words after the marker"}
