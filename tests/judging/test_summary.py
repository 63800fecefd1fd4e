"""From iterations to a sample: the published arithmetic, who is missing, who may not count, how severe judges are."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_judge import EMOTION_CRITERIA

from jatdae.judging.cases import RubricScore
from jatdae.judging.identity import Identities, model_identity
from jatdae.judging.scales import weighted_mean
from jatdae.judging.severity import fit_severity
from jatdae.judging.summary import SummaryPolicy, summarise_sample

POLICY = SummaryPolicy(("하나", "둘", "셋"))


def record(judge: str, weighted: float | None, iteration: int = 0, **more: Any) -> RubricScore:
    return RubricScore(
        **{
            "item": "E-1",
            "variant": "",
            "track": 1,
            "model": "openai:x",
            "judge": judge,
            "iteration": iteration,
            "status": "unparsed" if weighted is None else "ok",
            "weighted": weighted,
            **more,
        }
    )


def records(judge: str, *values: float | None) -> list[RubricScore]:
    return [record(judge, value, iteration) for iteration, value in enumerate(values)]


def test_the_published_weighted_means() -> None:
    names = [criterion.name for criterion in EMOTION_CRITERIA]
    scores = dict(zip(names, (8.0, 7, 9, 6, 8, 7), strict=True))
    assert weighted_mean(scores, EMOTION_CRITERIA) == pytest.approx(7.55)
    del scores[names[0]]
    assert weighted_mean(scores, EMOTION_CRITERIA) == pytest.approx(7.423, abs=5e-4)
    assert weighted_mean({names[-1]: 9}, EMOTION_CRITERIA) == pytest.approx(9.0)
    assert weighted_mean({}, EMOTION_CRITERIA) is None


def test_the_published_spreads() -> None:
    sample = summarise_sample([*records("하나", 7, 7.5, 8), *records("둘", 8.5), *records("셋", 6.5, None)], POLICY)
    one, two, three = sample.judges
    assert (one.mean, one.std) == (7.5, pytest.approx(0.408, abs=5e-4))
    assert (two.mean, two.std, three.missing) == (8.5, 0.0, 1)
    assert (sample.final_mean, sample.judge_disagreement_std) == (7.5, pytest.approx(0.816, abs=5e-4))
    alone = summarise_sample(records("하나", 7), SummaryPolicy(("하나",)))
    assert (alone.final_mean, alone.judge_disagreement_std) == (7, 0.0)


def test_a_sample_that_lacks_a_judge_has_no_final_mean() -> None:
    sample = summarise_sample([*records("하나", 7, 8), *records("둘", None, None)], POLICY)
    assert (sample.complete, sample.final_mean, sample.raw_mean) == (False, None, 7.5)
    assert sample.judges_failed == ("둘", "셋")
    enough = summarise_sample(
        [*records("하나", 7, 8), *records("둘", None)], SummaryPolicy(POLICY.judges, min_judges=1)
    )
    assert (enough.complete, enough.final_mean) == (True, 7.5)


def test_only_whole_and_forced_iterations_count() -> None:
    scores = [
        record("하나", 8),
        record("하나", 2, 1, status="partial"),
        record("하나", None, 2, status="failed"),
        record("둘", 0, status="forced"),
        record("셋", 4),
    ]
    sample = summarise_sample(scores, POLICY)
    assert [judge.mean for judge in sample.judges] == [8, 0, 4]
    assert (sample.judges[0].iterations, sample.judges[0].missing) == (1, 2)
    assert sample.forced and sample.final_mean == 4


def test_of_several_records_of_one_iteration_the_first_valid_one_counts() -> None:
    doubled = [record("하나", None), record("하나", 6), record("하나", 9)]
    sample = summarise_sample(doubled, SummaryPolicy(("하나",)))
    assert (sample.final_mean, sample.judges[0].iterations, sample.judges[0].missing) == (6, 1, 0)


def test_records_of_different_samples_are_refused() -> None:
    with pytest.raises(ValueError, match="one sample"):
        summarise_sample([record("하나", 7), record("하나", 7, item="E-2")], POLICY)
    with pytest.raises(ValueError, match="one sample"):
        summarise_sample([], POLICY)


SELF = ("litellm:openrouter/acme/x-4.6@high", "claude-cli:x-4-7", "openai:y")


@pytest.mark.parametrize(
    ("policy", "excluded", "final"),
    [("include", (), 6.0), ("exclude_self", SELF[:1], 4.5), ("exclude_family", SELF[:2], 3.0)],
)
def test_a_judge_of_its_own_text_does_not_count(policy: Any, excluded: Sequence[str], final: float) -> None:
    scores = [
        record(judge, value, model="claude-cli:x-4-6") for judge, value in zip(SELF, (9.0, 6.0, 3.0), strict=True)
    ]
    sample = summarise_sample(scores, SummaryPolicy(SELF, self_judging=policy))
    assert (sample.judges_excluded, sample.final_mean, sample.raw_mean) == (tuple(excluded), final, 6.0)
    assert sample.complete


def test_a_model_that_is_its_only_judge_has_no_score() -> None:
    sample = summarise_sample([record("openai:x", 9)], SummaryPolicy(("openai:x",)))
    assert (sample.complete, sample.final_mean, sample.raw_mean) == (False, None, 9)


def test_the_gate_fails_below_three_on_a_criterion_that_is_scored() -> None:
    def gate(*values: float) -> bool:
        scores = [record("하나", 8, step, scores={"경어": value, "결": 9.0}) for step, value in enumerate(values)]
        return summarise_sample(scores, SummaryPolicy(("하나",), gate=("경어", "전환"))).gate_failed

    assert [gate(2, 3), gate(3), gate(2.9), gate(1, 8)] == [True, False, True, False]


@given(
    st.lists(st.tuples(st.sampled_from(POLICY.judges), st.integers(0, 3), st.floats(0, 10)), min_size=1), st.randoms()
)
def test_the_order_of_records_does_not_matter(rows: list[tuple[str, int, float]], chance: random.Random) -> None:
    unique = {(judge, step): record(judge, value, step) for judge, step, value in rows}
    scores = list(unique.values())
    shuffled = chance.sample(scores, len(scores))
    assert summarise_sample(scores, POLICY) == summarise_sample(shuffled, POLICY)


# Identity.


@pytest.mark.parametrize(
    "name",
    [
        "claude-cli:claude-opus-4-6",
        "claude-cli/claude-opus-4-6",
        "anthropic/Claude-Opus-4.6",
        "litellm:openrouter/anthropic/claude-opus-4.6",
        "openrouter/anthropic/claude-opus-4.6@high",
        "openrouter/anthropic/claude-opus-4.6:free",
    ],
)
def test_one_model_by_many_routes(name: str) -> None:
    assert model_identity(name) == "claude-opus-4-6"


def test_other_models_and_local_folders_stay_apart() -> None:
    names = ["openai:gpt-5", "openai:gpt-5-mini", "gpt-5.1", "hf:./one/model", "hf:./two/model", "gpt-5@2025"]
    assert len({model_identity(name) for name in names}) == len(names)


def test_aliases_and_families_as_given() -> None:
    known = Identities({"openai:my-proxy": "litellm:openrouter/vendor/z-2"}, {"z-2": "Vendor", "openai:w": "vendor"})
    assert known.same("openai:my-proxy", "z-2") and not known.same("openai:my-proxy", "z-3")
    assert known.kin("openai:my-proxy", "openai:w") and not known.same("openai:my-proxy", "openai:w")
    default = Identities()
    assert default.kin("openai/gpt-5", "openai:o3-mini") and default.kin("claude-opus-4-6", "claude-cli:sonnet")
    assert not default.kin("solar-pro-3", "gpt-5") and default.family("exaone-3.5") == "exaone"


# Severity.


def test_offsets_of_judges_are_taken_out_where_one_is_missing() -> None:
    truth, severity = {"가": 6.0, "나": 7.0, "다": 8.0}, {"엄격": -1.5, "보통": 0.0, "너그럽다": 1.5}
    rows = [(item, judge, mean + offset) for item, mean in truth.items() for judge, offset in severity.items()]
    rows.remove(("다", "너그럽다", 9.5))
    fit = fit_severity(rows)
    assert fit.connected
    assert fit.samples == pytest.approx(truth) and fit.offsets == pytest.approx(severity)


def test_the_fit_is_least_squares_with_a_column_for_each_sample_and_judge() -> None:
    chance = np.random.default_rng(4)
    rows = [
        (f"s{sample}", f"j{judge}", float(chance.normal(6, 2)))
        for sample in range(30)
        for judge in range(4)
        if chance.random() < 0.7 or judge == sample % 4
    ]
    design = np.zeros((len(rows) + 1, 34))
    for place, (sample, judge, _) in enumerate(rows):
        design[place, int(sample[1:])] = design[place, 30 + int(judge[1:])] = 1
    design[-1, 30:] = 1
    solution = np.linalg.lstsq(design, np.array([*(value for _, _, value in rows), 0.0]), rcond=None)[0]
    fit = fit_severity(rows)
    assert [fit.samples[f"s{number}"] for number in range(30)] == pytest.approx(solution[:30].tolist())
    assert [fit.offsets[f"j{number}"] for number in range(4)] == pytest.approx(solution[30:].tolist())


def test_judges_that_share_no_sample_are_said_to_be_apart() -> None:
    apart = fit_severity([("가", "하나", 7.0), ("나", "둘", 3.0)])
    assert not apart.connected and apart.samples == pytest.approx({"가": 7, "나": 3})
    assert fit_severity([("가", "하나", 7.0)]).connected
    for rows in ([], [("가", "하나", math.nan)]):
        with pytest.raises(ValueError, match=r"no scores|finite"):
            fit_severity(rows)
