"""Finding KLUE's files in either layout, and what a look at the real ones counts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jatdae.benchmarks.inspection import Inspection
from jatdae.benchmarks.klue import TASKS, locate, read_task
from jatdae.benchmarks.klue.inspection import inspect
from jatdae.benchmarks.klue.labels import RELATIONS, SLOTS, sorted_slots
from jatdae.benchmarks.klue.reading import read_ontology, version_of
from jatdae.benchmarks.sources import Source
from jatdae.errors import DataError, RequestError


def touched(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "folder", ["", "klue-nli-v1.1", "klue_benchmark/klue-nli-v1.1", "klue/klue_benchmark/klue-nli-v1.1"]
)
def test_a_split_is_found_flat_and_in_the_upstreams_folders(tmp_path: Path, folder: str) -> None:
    path = touched(tmp_path / folder / "klue-nli-v1.1_dev.json")
    source = Source.of(tmp_path)
    assert locate(source, "nli", "dev") == locate(source, "klue/nli", "validation") == path


def test_whole_files_of_the_later_release_come_first(tmp_path: Path) -> None:
    sample = touched(tmp_path / "wos-v1.1_dev.sample.json")
    assert locate(Source.of(tmp_path), "wos", "dev") == sample
    older = touched(tmp_path / "wos-v1" / "wos-v1_dev.json")
    assert locate(Source.of(tmp_path), "wos", "dev") == older
    newer = touched(tmp_path / "wos-v1.1" / "wos-v1.1_dev.json")
    assert locate(Source.of(tmp_path), "wos", "dev") == newer
    assert [version_of(path) for path in (sample, older, newer, tmp_path)] == ["v1.1", "v1", "v1.1", None]


def test_no_split_stands_in_for_another(tmp_path: Path) -> None:
    touched(tmp_path / "klue-ner-v1.1_dev.tsv")
    source = Source.of(tmp_path)
    with pytest.raises(RequestError, match=r"no klue-ner-v1.1_test.tsv in .*: KLUE's test labels are not public"):
        locate(source, "ner", "test")
    with pytest.raises(RequestError, match=r"no klue-ner-v1.1_train.tsv in .*--data"):
        locate(source, "ner", "train")
    with pytest.raises(RequestError, match="did you mean 'dev'"):
        locate(source, "ner", "devel")


def test_a_faulty_file_is_a_problem_and_the_rest_is_read(tmp_path: Path) -> None:
    touched(tmp_path / "klue-nli-v1.1_dev.json", "[{")
    row = {"guid": "ynat-v1_dev_00000", "title": "새 다리", "label": "사회"}
    touched(tmp_path / "ynat-v1.1_dev.json", json.dumps([row]))
    seen = inspect(Source.of(tmp_path))
    assert [fact.name for fact in seen.files] == ["ynat-v1.1_dev.json"]
    assert not seen.valid
    assert "1 items, published are 9,107" in seen.problems[0]
    assert "klue-nli-v1.1_dev.json, line 1: not valid JSON: it ends too early" in seen.problems[1]


def test_a_folder_without_data_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"no ynat-v1.1_dev.json in .*jatdae data pull klue"):
        inspect(Source.of(tmp_path))


def test_side_files_with_other_labels_are_a_problem(tmp_path: Path) -> None:
    row = {"guid": "wos-v1_dev_00000", "domains": [], "dialogue": [{"role": "user", "text": "네", "state": []}]}
    touched(tmp_path / "wos-v1.1_dev.sample.json", json.dumps([row]))
    ontology = touched(tmp_path / "ontology.json", json.dumps({"식당-가격": ["none", "dontcare"]}))
    assert inspect(Source.of(tmp_path)).problems == (f"{ontology}: the slots are not the published 45",)
    touched(ontology, json.dumps({"식당-가격": 3}))
    with pytest.raises(DataError, match="field '식당-가격'"):
        read_ontology(ontology)


@pytest.fixture(scope="module")
def real(upstream: Path) -> Inspection:
    return inspect(Source.of(upstream))


def test_the_real_files_are_valid_and_parts_are_called_parts(real: Inspection) -> None:
    assert real.valid
    assert sorted({name.split()[0] for name in real.facts}) == sorted(TASKS)
    parts = {finding.name.split(":")[0] for finding in real.findings if finding.name.endswith("part-of-split")}
    assert parts == {"ynat", "re", "mrc", "wos"}
    assert real.finding("mrc: part-of-split").ids == ("klue-mrc-v1.1_dev.sample.json: 60 of 5,841",)


@pytest.mark.parametrize(
    ("prefix", "facts"),
    [
        ("ynat dev", {"headlines": 300, "publisher's section differs": 53}),
        ("sts dev", {"pairs": 519, "label negative": 299, "label positive": 220, "raters": 17}),
        ("sts dev", {"raters of a pair, fewest": 5, "raters of a pair, most": 7}),
        ("sts dev: source", {"airbnb-rtt": 107, "airbnb-sampled": 148, "policy-rtt": 74, "policy-sampled": 58}),
        ("sts dev: source", {"paraKQC-para": 87, "paraKQC-sampled": 45}),
        ("nli dev: label", {"entailment": 1000, "contradiction": 1000, "neutral": 1000}),
        ("nli dev", {"pairs": 3000, "premises": 1000, "source airbnb": 600, "source NSMC": 600, "source policy": 450}),
        ("nli dev: votes for the label", {"5": 2290, "4": 527, "3": 183}),
        ("ner dev", {"sentences": 5000, "source wikitree": 2534, "source nsmc": 2466, "entities": 14257}),
        ("ner dev: entities", {"PS": 4418, "QT": 3151, "DT": 2312, "OG": 2182, "LC": 1649, "TI": 545}),
        ("ner dev", {"tag O": 232636, "longest sentence": 145, "longest sentence without blanks": 121}),
        ("ner dev", {"entities right after another": 58, "blanks inside entities": 2878}),
        ("dp dev", {"sentences": 2000, "source wikitree": 1000, "source airbnb": 1000, "words": 22496}),
        ("dp dev", {"longest sentence in words": 35, "labels that occur": 32}),
        ("dp dev", {"words with a label that is not scored alone": 198}),
        ("dp dev: root", {"VP": 1589, "VNP": 396, "NP": 14, "NP_AJT": 1}),
        ("mrc dev", {"questions": 60, "passages": 21, "unanswerable": 19, "answers": 53, "plausible answers": 24}),
        ("re dev", {"sentences": 300}),
        ("re train", {"sentences": 300}),
        ("wos dev", {"dialogues": 40}),
    ],
)
def test_the_real_files_have_the_known_counts(real: Inspection, prefix: str, facts: dict[str, int]) -> None:
    joint = " " if ":" in prefix else ": "
    assert {name: real.facts[f"{prefix}{joint}{name}"] for name in facts} == facts


def test_the_real_files_have_the_known_irregularities(real: Inspection) -> None:
    counts = {finding.name: finding.count for finding in real.findings if finding.count}
    told = {name: count for name, count in counts.items() if not name.endswith("part-of-split")}
    assert told == {
        "ner: tag-in-text": 1,
        "ner: starts-on-blank": 2,
        "ner: separate-letters": 316,
        "dp: header-differs": 6,
        "mrc: answer-drift": 13,
        "wos: value-outside-ontology": 33,
    }
    assert real.finding("ner: tag-in-text").ids == ("klue-ner-v1_dev_03639-nsmc (line 216966)",)
    drifts = real.finding("mrc: answer-drift").ids
    assert "klue-mrc-v1_dev_01371: plausible answer stated at 660, found at 657" in drifts
    assert sum("not placed" in told for told in drifts) == 3


def test_the_real_label_lists_are_ours(upstream: Path) -> None:
    folder = locate(Source.of(upstream), "wos", "dev").parent
    ontology = read_ontology(folder / "ontology.json")
    assert sorted_slots(ontology) == SLOTS
    assert sum(map(len, ontology.values())) == 2452
    listed = json.loads((folder / "relation_list.json").read_text(encoding="utf-8"))
    assert tuple(listed["relations"]) == RELATIONS


def test_every_real_span_and_answer_stands_where_it_is_placed(upstream: Path) -> None:
    source = Source.of(upstream)
    for relation in read_task("re", locate(source, "re", "dev")):
        for span in (relation.subject, relation.object):
            assert relation.sentence[span.start : span.end + 1] == span.word
    for question in read_task("mrc", locate(source, "mrc", "dev")):
        assert question.is_impossible == (not question.answers)
        for answer in (*question.answers, *question.plausible):
            if answer.start is not None:
                assert question.context.startswith(answer.text, answer.start)
