"""The detector against the benchmark's labels, beside the published strings, whose figures are known to the digit."""

from __future__ import annotations

from pathlib import Path

import pytest

from jatdae.benchmarks.konubench.data import Record, read_records
from jatdae.korean.negation.kinds import SYNTACTIC
from jatdae.negation.testbed.types import LOCAL, STANDARD, TypeScore, by_morphemes, by_surface, score_types, type_cases

SURFACE = {
    "presence": {
        "안 단형": (763, 99.1, 99.6, 99.3),
        "안 장형": (2252, 97.5, 99.9, 98.7),
        "못 단형": (371, 99.7, 99.5, 99.6),
        "못 장형": (607, 95.3, 100.0, 97.6),
        "말다": (254, 97.8, 53.1, 68.9),
        "micro": (4247, 97.7, 97.0, 97.3),
    },
    "differential": {
        "안 단형": (1004, 98.5, 99.6, 99.1),
        "안 장형": (2994, 98.3, 98.7, 98.5),
        "못 단형": (407, 99.8, 99.5, 99.6),
        "못 장형": (685, 98.0, 98.1, 98.0),
        "말다": (258, 99.3, 51.9, 68.2),
        "micro": (5348, 98.4, 96.6, 97.5),
    },
}


@pytest.fixture(scope="module")
def splits(upstream: Path) -> dict[str, list[Record]]:
    folder = upstream / "konubench"
    if not folder.is_dir():
        pytest.skip(f"KoNUBench's files are not in {folder}")
    return {split: read_records(folder / f"{split}.json") for split in ("train", "val", "test")}


def shown(score: TypeScore) -> tuple[float, ...]:
    return (score.gold, *(round(100 * value, 1) for value in (score.precision, score.recall, score.f1)))


@pytest.mark.parametrize("definition", SURFACE)
def test_the_published_strings_reach_the_published_figures(splits: dict[str, list[Record]], definition: str) -> None:
    cases = type_cases([record for split in splits.values() for record in split], by_surface)

    scores = score_types(cases, definition)

    assert {score.label: shown(score) for score in (*scores.types, scores.micro)} == SURFACE[definition]


def test_local_negations_and_the_test_split_have_the_published_micro_figures(splits: dict[str, list[Record]]) -> None:
    everything = [record for split in splits.values() for record in split]

    local = score_types(type_cases(everything, by_surface, LOCAL), "differential").micro
    test = score_types(type_cases(splits["test"], by_surface), "differential").micro

    assert shown(local)[1:] == (98.2, 99.4, 98.8)
    assert shown(test)[1:] == (98.5, 96.2, 97.3)


def test_on_test_the_detector_is_at_least_as_good_in_every_type_and_finds_the_orders(
    splits: dict[str, list[Record]],
) -> None:
    for sentence in (STANDARD, LOCAL):
        ours, theirs = (
            score_types(type_cases(splits["test"], finder, sentence), "differential")
            for finder in (by_morphemes, by_surface)
        )
        for own, other in zip(ours.types, theirs.types, strict=True):
            assert own.f1 >= other.f1, (sentence, own, other)

        if sentence == STANDARD:
            found = {score.label: score for score in ours.types}
            assert found["말다"].recall == 1.0
            assert ours.micro.f1 > 0.985
            assert ours.micro.f1 - theirs.micro.f1 > 0.012


def test_counted_by_predicate_what_is_missed_is_nearly_nothing(splits: dict[str, list[Record]]) -> None:
    cases = type_cases(splits["test"], by_morphemes)

    plain, by_predicate = (score_types(cases, definition) for definition in ("differential", "added"))

    assert by_predicate.micro.f1 >= 0.988
    assert by_predicate.micro.recall >= 0.995
    assert plain.micro.found - plain.micro.both == pytest.approx(
        by_predicate.micro.found - by_predicate.micro.both, abs=2
    )
    assert {score.label for score in plain.types} == {kind.value for kind in SYNTACTIC}
