"""Files with tags as the official reader spreads them, beside the tags that are right."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from klue_gold import tagged, written

from jatdae.benchmarks.klue.scoring import KlueScore, score_predictions
from jatdae.errors import DataError

SENTENCES = [("가나 다라", "O B-PS I-PS I-PS O"), ("마바", "B-LC O")]
GUIDS = [f"klue-ner-v1_dev_{number:05d}-wikitree" for number in range(len(SENTENCES))]
RIGHT = [tags.split() for _, tags in SENTENCES]


def scored(folder: Path, *official: str | None, name: str = "pred.jsonl") -> KlueScore:
    """Right tags for all sentences, and official ones where there are any."""
    rows = [
        {"guid": guid, "tags": tags, **({} if spread is None else {"official_tags": spread.split()})}
        for guid, tags, spread in zip(GUIDS, RIGHT, official, strict=True)
    ]
    lines = "\n".join(json.dumps(row) for row in rows)
    return score_predictions("ner", written(folder / name, lines), tagged(folder, SENTENCES), draws=20)


def values(score: KlueScore, metric: str) -> tuple[float, float]:
    measured = score.metrics[metric]
    assert measured.official is not None
    assert measured.clean is not None
    return measured.official.value, measured.clean.value


def test_official_is_measured_on_official_tags_and_clean_on_the_others(tmp_path: Path) -> None:
    score = scored(tmp_path, "O O O O O O", "O B-LC O O")

    assert values(score, "entity_f1") == (0.5, 1)
    official, clean = values(score, "character_f1")
    assert official < clean == 1
    assert any("official is measured on official_tags" in note for note in score.notes)
    assert not any("no official tag" in note for note in score.notes)


def test_the_outer_positions_count_officially(tmp_path: Path) -> None:
    score = scored(tmp_path, "O O B-PS I-PS O O", "O B-LC O B-OG")

    assert values(score, "entity_f1") == (pytest.approx(2 / 3), 1)


def test_a_row_that_ends_early_takes_the_rest_of_gold_with_it(tmp_path: Path) -> None:
    score = scored(tmp_path, "O O B-PS O", "O B-LC O O")

    # the person ends a character earlier on both sides
    assert values(score, "entity_f1") == (1, 1)
    assert any("2 characters have no official tag" in note for note in score.notes)


def test_an_entry_without_official_tags_is_scored_by_those_it_has(tmp_path: Path) -> None:
    score = scored(tmp_path, None, "O O O O")

    assert values(score, "entity_f1") == (0.5, 1)


def test_a_file_without_them_is_scored_as_ever(tmp_path: Path) -> None:
    score = scored(tmp_path, None, None)

    assert values(score, "entity_f1") == (1, 1)
    assert any("sentences are scored apart" in note for note in score.notes)


def test_they_may_stand_in_a_table(tmp_path: Path) -> None:
    lines = [
        "guid\ttags\tofficial_tags",
        *(f"{guid}\t{' '.join(tags)}\tO O O" for guid, tags in zip(GUIDS, RIGHT, strict=True)),
    ]
    pred = written(tmp_path / "pred.tsv", "\n".join(lines))

    score = score_predictions("ner", pred, tagged(tmp_path, SENTENCES), draws=2)

    assert values(score, "entity_f1") == (0, 1)


@pytest.mark.parametrize("spread", ["O O O O O O O", "O"])
def test_a_row_that_cannot_be_one_of_the_sentence_is_refused(tmp_path: Path, spread: str) -> None:
    with pytest.raises(DataError, match=r"pred\.jsonl, line 1, field 'official_tags': .* tags for 4 characters"):
        scored(tmp_path, spread, "O O O O")


def test_unknown_tags_in_either_field_are_counted_once(tmp_path: Path) -> None:
    score = scored(tmp_path, "O O B-XX I-PS O O", "O B-LC O O")

    assert dict(score.outside) == {"B-XX": 1}
