"""Where a release may be written, and how far a project is from the corpus."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from construction_project import NOW, make_project
from construction_texts import TEXTS

from jatdae.errors import RequestError
from jatdae.negation.alignment import CLASSES, class_counts, reference_study
from jatdae.negation.construction.project import Project
from jatdae.negation.construction.release import release
from jatdae.negation.construction.standing import standing
from jatdae.negation.construction.states import State

STANDARD = "{} 그런데 이 말은 맞지 않다."


def verified(folder: Path) -> Project:
    """A project of ten verified items; their negations only have to differ."""
    project = Project.open(make_project(folder), NOW.isoformat())
    with project.journal.writing("kim", project.time) as draft:
        for number, text in enumerate(TEXTS[:10]):
            values = {
                "raw_id": str(number + 1),
                "original_sentence": text.merged,
                "standard_negation": STANDARD.format(text.merged),
                "sn_절1": "안 장형",
                "contradiction": text.contradiction,
                "paraphrase": text.paraphrase,
            }
            draft.change(str(number), values, State.REFINED)
    with project.journal.writing("lee", project.time) as draft:
        for number in range(10):
            draft.change(str(number), {"verifier": "lee", "answer": "standard_negation"}, State.VERIFIED)
    return project


def test_a_release_overwrites_no_file_but_its_own(tmp_path: Path) -> None:
    # Given a folder in which somebody else's train.json lies
    project = verified(tmp_path / "project")
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "train.json").write_text('[{"idx": "1"}]', encoding="utf-8")

    # When a release is written there, it is refused before anything is.
    with pytest.raises(RequestError, match=r"train\.json is there and was not written by a release of small-negation"):
        release(project, theirs)
    assert [path.name for path in theirs.iterdir()] == ["train.json"]
    assert (theirs / "train.json").read_text(encoding="utf-8") == '[{"idx": "1"}]'
    assert {item.state for item in project.items()} == {State.VERIFIED}

    # And a release of another name is theirs as well, but one that was stopped, or an earlier one, is not.
    own = tmp_path / "own"
    release(project, own)
    (own / "release.json").unlink()
    release(project, own)
    (own / "train.json").write_text("[]", encoding="utf-8")
    release(project, own)
    assert len(json.loads((own / "train.json").read_text(encoding="utf-8"))) == 5
    manifest = json.loads((own / "release.json").read_text(encoding="utf-8"))
    manifest["sha256"]["other.csv"] = manifest["sha256"].pop("small-negation.csv")
    (own / "release.json").write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(RequestError, match=r"release\.json is there"):
        release(project, own)


def test_the_distance_from_the_corpus_is_infinite_until_every_class_is_there(tmp_path: Path) -> None:
    project = verified(tmp_path / "project")
    assert standing(project).divergences == {"types": None, "clauses": None}

    # When each syntactic type has as many negations as here
    counts = dict(zip(CLASSES["types"], (2, 5, 1, 1, 1), strict=True))
    labels = [label for label, count in counts.items() for _ in range(count)]
    with project.journal.writing("jatdae:rules", project.time) as draft:
        for number, label in enumerate(labels):
            draft.change(str(number), {"sn_절1": label})

    # Then the divergence is the sum over the types of p ln(p / q).
    corpus = class_counts(reference_study().distribution, "types")
    p = {label: count / sum(corpus.values()) for label, count in corpus.items()}
    expected = sum(p[label] * math.log(p[label] / (counts[label] / 10)) for label in counts)
    found = standing(project).divergences
    assert found["types"] == pytest.approx(expected, abs=1e-12) and found["clauses"] is None
