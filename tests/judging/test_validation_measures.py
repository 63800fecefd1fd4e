"""A judge's agreement, repeatability, place and own-text bias: each measure finds the bias that was built in."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from biased_judges import (
    BiasedJudge,
    case,
    compared,
    favouring,
    first_is_better,
    longer_is_better,
    quality,
    response,
    scored,
)

from jatdae.judging.cases import RubricScore, Verdict, Winner
from jatdae.judging.identity import Identities
from jatdae.judging.summary import SummaryPolicy, summarise_sample
from jatdae.judging.validation import (
    HumanPreference,
    HumanScore,
    PairKey,
    Rating,
    SampleKey,
    honorific_criteria,
    honorific_scores,
    judge_agreement,
    judge_judge,
    knowledge_application,
    merge_ratings,
    own_preference,
    own_wins,
    position_bias,
    preference_accuracy,
    regeneration_std,
    repeatability,
)
from jatdae.stats import spearman

MODELS = ("openai:alpha-1", "openai:beta-1", "openai:gamma-1", "openai:delta-1")
DRAWS = 200


def texts(items: int = 30, seed: int = 1) -> list:
    """One response a model and item; qualities differ by item, model and chance."""
    draw = random.Random(seed)
    return [
        (case(f"N-{item:02}", track=1 + item % 2), response(draw.uniform(2, 8) + place * 0.4, model))
        for item in range(items)
        for place, model in enumerate(MODELS)
    ]


def scores_of(judge: BiasedJudge, samples: Sequence, iterations: int = 1) -> list[RubricScore]:
    async def run() -> list[RubricScore]:
        return [await judge.score(*sample, number) for sample in samples for number in range(iterations)]

    return asyncio.run(run())


def people(samples: Sequence, raters: int = 3, noise: float = 0.4, seed: int = 9) -> dict[SampleKey, HumanScore]:
    draw = random.Random(seed)
    found = {}
    for one, text in samples:
        given = []
        for rater in range(raters):
            points = min(max(quality(text) + draw.gauss(0, noise), 0), 10)
            given.append(Rating(f"평가자{rater}", points, {"절제": points, "존댓말의 층위": points}))
        found[SampleKey(one.item, one.variant, text.model, text.index)] = merge_ratings(given)
    return found


def test_an_honest_judge_agrees_with_people_and_is_validated() -> None:
    samples = texts()
    noise = random.Random(3)
    judge = BiasedJudge(points=lambda text: quality(text) + noise.gauss(0, 0.3))
    found = {
        (one.track, one.criterion): one
        for one in judge_agreement(scores_of(judge, samples), people(samples), draws=DRAWS)
    }
    whole = found[None, "overall"]
    assert (whole.samples, whole.not_validated) == (120, "")
    for measure in (whole.spearman, whole.kappa, whole.alpha, whole.pair_accuracy):
        assert measure is not None and measure.value > 0.85
        assert measure.low is not None and measure.high is not None and measure.low < measure.value < measure.high
    assert whole.kendall is not None and whole.kendall.value > 0.7
    assert whole.spearman is not None and (whole.spearman.n, whole.spearman.clusters) == (120, 30)
    assert {(1, "절제"), (2, "절제"), (1, "존댓말의 층위"), (1, "overall")} < set(found)


def test_the_human_ceiling_falls_with_the_noise_of_people() -> None:
    samples = texts()
    scores = scores_of(BiasedJudge(), samples)
    exact, loose = (
        judge_agreement(scores, people(samples, noise=noise), draws=DRAWS)[0].people for noise in (0.2, 2.5)
    )
    for name in ("alpha", "spearman", "pair_accuracy"):
        high, low = getattr(exact, name), getattr(loose, name)
        assert high.value > low.value + 0.1 and high.low > low.high
    assert exact.raters == 3


def test_the_ceiling_of_two_raters_is_their_own_correlation() -> None:
    samples = texts(10)
    given = people(samples, raters=2)
    found = judge_agreement(scores_of(BiasedJudge(), samples), given, draws=DRAWS)[0]
    one, other = ([score.ratings[place].score or 0 for score in given.values()] for place in (0, 1))
    expected = spearman(one, other, draws=2)
    assert found.people.spearman is not None and expected is not None
    assert found.people.spearman.value == pytest.approx(expected.value)


def test_a_judge_at_random_is_not_validated_and_the_reason_is_said() -> None:
    samples = texts()
    noise = random.Random(4)
    judge = BiasedJudge(points=lambda _: noise.uniform(0, 10))
    found = judge_agreement(scores_of(judge, samples), people(samples), draws=DRAWS)[0]
    assert "lower bound of rho" in found.not_validated


def test_it_is_the_lower_bound_of_rho_that_counts() -> None:
    samples = texts()
    found = judge_agreement(scores_of(BiasedJudge(), samples), people(samples), draws=DRAWS)[0]
    assert found.spearman is not None and found.not_validated == ""
    unsure = replace(found, spearman=replace(found.spearman, value=0.6, low=0.45))
    assert unsure.not_validated == "not human-validated: the lower bound of rho is 0.45, 0.5 is needed"
    assert replace(found, spearman=replace(found.spearman, value=0.6, low=0.5)).not_validated == ""


def test_under_a_hundred_rated_samples_no_judge_is_validated() -> None:
    samples = texts(24)
    found = judge_agreement(scores_of(BiasedJudge(), samples), people(samples), draws=DRAWS)[0]
    assert found.not_validated == "not human-validated: 96 rated samples, 100 are needed"


def test_a_judge_that_never_varies_has_no_correlation_and_is_not_validated() -> None:
    samples = texts()
    found = judge_agreement(scores_of(BiasedJudge(points=lambda _: 7.0), samples), people(samples), draws=DRAWS)[0]
    assert (found.spearman, found.kendall) == (None, None)
    assert "cannot be estimated" in found.not_validated


def test_unrated_responses_and_bare_numbers() -> None:
    samples = texts(10)
    given = dict(list(people(samples).items())[:15])
    given.update({key: HumanScore(score.score) for key, score in list(given.items())[:5]})
    scores = [
        *scores_of(BiasedJudge(), samples),
        replace(scores_of(BiasedJudge(), samples)[0], status="failed", weighted=None, iteration=1),
    ]
    found = judge_agreement(scores, given, draws=DRAWS)
    assert found[0].samples == 15
    # a bare number says nothing of a criterion
    assert sum(one.samples for one in found if one.criterion == "절제") == 10


def test_two_judges_have_an_ensemble_that_agrees_better() -> None:
    samples = texts()
    first, second = (random.Random(seed) for seed in (5, 6))
    scores = [
        *scores_of(BiasedJudge("하나", points=lambda text: quality(text) + first.gauss(0, 1.5)), samples),
        *scores_of(BiasedJudge("둘", points=lambda text: quality(text) + second.gauss(0, 1.5)), samples),
    ]
    found = {one.judge: one for one in judge_agreement(scores, people(samples), draws=DRAWS) if one.track is None}
    rho = {judge: one.spearman.value for judge, one in found.items() if one.spearman}
    assert rho["ensemble"] > max(rho["하나"], rho["둘"])


def test_a_lenient_judge_differs_in_severity_and_not_in_order() -> None:
    samples = texts()
    noise = random.Random(7)
    scores = [
        *scores_of(BiasedJudge("엄한"), samples),
        *scores_of(BiasedJudge("후한", points=lambda text: quality(text) + 1.8 + noise.gauss(0, 0.1)), samples),
    ]
    found = judge_judge(scores, draws=DRAWS)
    assert found is not None and found.icc_absolute is not None and found.icc_order is not None
    assert found.icc_order.value > 0.95 > found.icc_absolute.value + 0.1
    assert found.rank_tau == {("엄한", "후한"): 1.0}
    assert judge_judge(scores[:120]) is None


def test_preferences_of_people_against_verdicts() -> None:
    one, other = response(5, "가"), response(6, "나")
    cases = [case(f"N-{number}") for number in range(4)]
    winners: list[Winner] = ["B", "A_much", "tie", "B"]
    verdicts = [compared(a_case, one, other, "심판", winner) for a_case, winner in zip(cases, winners, strict=True)]
    # people prefer 나 in the first three, named from the other side in one, and tie in the last
    human = {
        PairKey("N-0", "", "가", "나"): HumanPreference("B", 3),
        PairKey("N-1", "", "나", "가"): HumanPreference("A", 3),
        PairKey("N-2", "", "가", "나"): HumanPreference("B", 3),
        PairKey("N-3", "", "가", "나"): HumanPreference("tie", 2),
    }
    found = preference_accuracy(verdicts, human, draws=DRAWS)["심판"]
    assert (found.value, found.n) == (pytest.approx(0.5), 3)


def test_repeatability_finds_the_noise_that_was_put_in() -> None:
    samples = texts(20)
    noise = random.Random(8)
    exact = scores_of(BiasedJudge("정확"), samples, 3)
    noisy = scores_of(BiasedJudge("흔들", points=lambda text: quality(text) + noise.gauss(0, 3)), samples, 3)
    steady, shaky = sorted(repeatability([*exact, *noisy], draws=DRAWS), key=lambda one: one.judge)
    assert steady.std is not None and steady.std.value == 0
    assert steady.icc is not None and (steady.icc.value, steady.good) == (pytest.approx(1), True)
    assert shaky.std is not None and 1.4 < shaky.std.value < 2.6
    assert shaky.icc is not None and shaky.good is False
    assert (shaky.samples, shaky.iterations) == (80, 3)


def test_the_mean_spread_is_that_of_the_worked_example() -> None:
    one = case("N-1")
    scores = [scored(one, response(5), "심판", points, number) for number, points in enumerate((7, 7.5, 8))]
    found = repeatability(scores)[0]
    assert found.std is not None and found.std.value == pytest.approx(0.408, abs=5e-4)
    assert found.icc is None


def test_repeats_that_keep_the_order_are_repeatable_although_they_get_milder() -> None:
    samples = texts(10)
    scores = [
        scored(one, text, "심판", quality(text) + number / 2, number) for one, text in samples for number in range(3)
    ]
    found = repeatability(scores, draws=DRAWS)[0]
    assert found.icc is not None and found.icc.value == pytest.approx(1)


def test_one_iteration_and_forced_scores_say_nothing_of_repeatability() -> None:
    scores = scores_of(BiasedJudge(), texts(5))
    forced = [replace(one, status="forced", iteration=number) for one in scores for number in (0, 1)]
    assert [(one.samples, one.std, one.icc) for one in repeatability(scores)] == [(0, None, None)]
    assert repeatability(forced) == []


def test_regeneration_spread_is_over_responses_to_one_prompt() -> None:
    one, policy = case("N-1"), SummaryPolicy(("심판",))
    samples = [
        summarise_sample([scored(one, response(5, "가", index), "심판", points)], policy)
        for index, points in enumerate((4, 6))
    ]
    assert regeneration_std(samples)["가"].value == pytest.approx(2**0.5)
    assert regeneration_std(samples[:1]) == {}


def verdicts_of(judge: BiasedJudge, samples: Sequence) -> list[Verdict]:
    """All pairs of one item, both orders."""

    async def run() -> list[Verdict]:
        pairs = [(a, b) for a in samples for b in samples if a[0].item == b[0].item and a[1].model != b[1].model]
        return [await judge.compare(one[0], one[1], other[1]) for one, other in pairs]

    return asyncio.run(run())


def test_a_judge_that_prefers_the_first_raises_the_alarm() -> None:
    biased, fair = (
        position_bias(verdicts_of(judge, texts(8)))[0]
        for judge in (BiasedJudge(prefers=first_is_better), BiasedJudge())
    )
    assert biased.orders.flips is not None and biased.orders.flips.value == 1
    assert biased.orders.first_wins is not None and biased.orders.first_wins.value == 1
    assert (biased.alarm, biased.fair) == (True, False)
    assert fair.orders.flips is not None and (fair.orders.flips.value, fair.orders.flips.low) == (0, 0)
    assert fair.orders.flips.high is not None and 0 < fair.orders.flips.high < 0.5
    assert fair.orders.first_wins is not None and fair.orders.first_wins.value == 0.5
    assert fair.alarm is False
    assert fair.orders.comparisons == 48


def test_the_published_orders() -> None:
    first, second = ("A", "A", "B", "A", "tie", "B", "A", "A"), ("B", "A", "A", "A", "A", "B", "B", "tie")
    one, other = response(5, "가"), response(6, "나")
    verdicts = []
    for number, (before, after) in enumerate(zip(first, second, strict=True)):
        verdicts.append(compared(case(f"N-{number}"), one, other, "심판", before))  # pyright: ignore[reportArgumentType]
        verdicts.append(compared(case(f"N-{number}"), other, one, "심판", after))  # pyright: ignore[reportArgumentType]
    found = position_bias(verdicts)[0].orders
    assert (found.comparisons, found.consistent, found.excluded) == (8, 3, 0)
    assert found.first_wins is not None and (found.first_wins.value, found.first_wins.n) == (pytest.approx(9 / 14), 14)


def test_a_missing_order_is_excluded_and_a_retry_takes_its_place() -> None:
    one, other = response(5, "가"), response(6, "나")
    half = [compared(case(), one, other, "심판", "A"), compared(case(), other, one, "심판", None)]
    assert (position_bias(half)[0].orders.comparisons, position_bias(half)[0].orders.excluded) == (0, 1)
    whole = [*half, compared(case(), other, one, "심판", "B")]
    assert position_bias(whole)[0].orders.consistent == 1


def test_a_judge_that_prefers_the_longer_text_is_found() -> None:
    samples = [
        (one, replace(text, sections=(replace(text.sections[0], text=text.sections[0].text + "그리고 " * number),)))
        for number, (one, text) in enumerate(texts(8))
    ]
    biased, fair = (
        position_bias(verdicts_of(judge, samples))[0].longer_wins
        for judge in (BiasedJudge(prefers=longer_is_better), BiasedJudge())
    )
    assert biased is not None and biased.value == 1 and biased.low is not None and biased.low > 0.55
    assert fair is not None and fair.low is not None and fair.high is not None
    assert fair.high < 0.95 and fair.value < 0.85


def test_a_judge_that_favours_itself_is_found_with_the_size_of_the_favour() -> None:
    samples = texts()
    judges = [
        BiasedJudge(MODELS[0], favouring(MODELS[0], 1.0, 1)),
        BiasedJudge("litellm:vendor/beta-1", favouring("", 0, 2)),
        BiasedJudge("openai:omega-1", lambda text: quality(text) + 1.5),
    ]
    scores = [score for judge in judges for score in scores_of(judge, samples)]
    found = {one.judge: one.own for one in own_preference(scores, Identities(), draws=DRAWS)}
    own, fair = found[MODELS[0]], found["litellm:vendor/beta-1"]
    assert own is not None and own.low is not None and own.high is not None
    assert own.low < 1.0 < own.high and own.low > 0.7
    # the other route of beta is known to be beta, and it does not favour itself
    assert fair is not None and fair.low is not None and fair.high is not None and fair.low < 0 < fair.high
    assert found["openai:omega-1"] is None
    both = found["all judges"]
    assert both is not None and both.value == pytest.approx((own.value + fair.value) / 2, abs=0.15)


def test_favour_for_the_family_is_told_from_favour_for_oneself() -> None:
    samples = [
        (one, replace(text, model="openai:alpha-2") if text.model == MODELS[1] else text) for one, text in texts()
    ]
    judges = [
        BiasedJudge(MODELS[0], favouring("openai:alpha-2", 0.8, 1)),
        BiasedJudge("openai:omega-1", favouring("", 0, 2)),
    ]
    scores = [score for judge in judges for score in scores_of(judge, samples)]
    found = next(one for one in own_preference(scores, Identities(), draws=DRAWS) if one.judge == MODELS[0])
    assert found.family is not None and found.family.low is not None and found.family.high is not None
    assert found.family.low < 0.8 < found.family.high and found.family.low > 0.5


def test_a_lone_judge_or_one_of_strangers_has_no_own_preference() -> None:
    samples = texts(5)
    alone = own_preference(
        scores_of(BiasedJudge(MODELS[0], favouring(MODELS[0], 3)), samples), Identities(), draws=DRAWS
    )
    assert all(one.own is None and one.family is None for one in alone)


def test_own_wins_are_set_against_the_other_judges() -> None:
    samples = texts(12)

    def selfish(one, other) -> float:
        return (one.model == MODELS[0]) - (other.model == MODELS[0]) or quality(one) - quality(other)

    verdicts = [
        *verdicts_of(BiasedJudge(MODELS[0], prefers=selfish), samples),
        *verdicts_of(BiasedJudge("openai:omega-1"), samples),
    ]
    found = own_wins(verdicts, Identities())
    assert [(one.judge, one.model, one.comparisons) for one in found] == [(MODELS[0], MODELS[0], 36)]
    assert found[0].own == 1 and found[0].others < 0.6
    assert found[0].difference.value == pytest.approx(found[0].own - found[0].others)
    assert found[0].difference.low is not None and found[0].difference.low > 0.2


def test_knowledge_and_application_need_twenty_five_models() -> None:
    draw = random.Random(11)
    knowledge = {f"모델-{number}": draw.uniform(0.3, 0.8) for number in range(30)}
    application = {model: 5 + 4 * value + draw.gauss(0, 0.3) for model, value in knowledge.items()}
    found = knowledge_application(knowledge, application, (0.9, 0.8), draws=DRAWS)
    assert found.rho is not None and found.rho.low is not None and found.rho.low > 0.5
    assert found.disattenuated == pytest.approx(found.rho.value / (0.9 * 0.8) ** 0.5)
    few = knowledge_application(knowledge, dict(list(application.items())[:24]), (0.9, 0.8))
    assert (few.rho, few.disattenuated, few.models) == (None, None, 24)
    assert few.note == "not estimable: 24 models, 25 are needed"
    assert "same for all" in knowledge_application(knowledge, dict.fromkeys(knowledge, 5.0)).note
    with pytest.raises(ValueError, match="reliabilities"):
        knowledge_application(knowledge, application, (0, 1))


def test_the_honorific_criterion_is_reported_alone() -> None:
    one = case()
    assert honorific_criteria(one.criteria) == ("존댓말의 층위",)
    scores = []
    for item in range(6):
        record = scored(case(f"N-{item}"), response(5), "심판", 8)
        scores.append(
            summarise_sample(
                [replace(record, scores={"존댓말의 층위": 2.0 + item % 2, "절제": 9.0 - item})],
                SummaryPolicy(("심판",)),
            )
        )
    found = honorific_scores(scores, draws=DRAWS)[0]
    assert (found.model, found.track, found.mean.value) == ("가", 1, 2.5)
    assert found.rho_with_rest is not None and found.rho_with_rest.value < 0
