"""What a run will take: counts against the published ones, tokens against prompts counted by hand, precision."""

from __future__ import annotations

import math
import re
import sys
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import pytest
from munbench_folder import documents, write

from jatdae.benchmarks.munbench.prompts import later_lines, opening
from jatdae.benchmarks.munbench.reading import read_dataset
from jatdae.benchmarks.munbench.records import Dataset, EmotionItem, NuanceItem
from jatdae.benchmarks.munbench.units import units_of
from jatdae.evaluate.munbench.config import MunConfig, build_config
from jatdae.evaluate.munbench.estimating import estimate_on, estimate_run
from jatdae.evaluate.munbench.precision import expected_precision, item_floor
from jatdae.evaluate.munbench.workload import ANALYSIS, REPLY, TOKENS_PER_CHARACTER
from jatdae.reports.munbench import show_estimate

ALL = (1, 2, 3)
ANCHORS = ["openrouter/v/anchor-a", "openrouter/v/anchor-b", "openrouter/v/anchor-c"]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """Two items of tracks 1 and 2, four of track 3, three contrast variants."""
    return read_dataset(write(tmp_path_factory.mktemp("data"), documents()))


@pytest.fixture(scope="module")
def full(small: Dataset) -> Dataset:
    """As many prompts as in the published set: 50, 48, 60, and 33 contrast variants, all of which can be scored."""
    items: list[Any] = []
    for track, size in ((1, 50), (2, 48)):
        source = islice(cycle(small.of_track(track)), size)
        items += [replace(item, id=f"T{track}-01-{number:02d}") for number, item in enumerate(source, 1)]
    contrast = next(one.variant for one in small.of_track(3) if isinstance(one, NuanceItem) and one.variant)
    for number, item in enumerate(islice(cycle(small.of_track(3)), 60), 1):
        items.append(replace(item, id=f"T3-01-{number:02d}", variant=contrast if number <= 33 else None))
    return replace(small, items=tuple(items))


def config(contestants: int = 1, anchors: int = 3, **settings: Any) -> MunConfig:
    names = [f"openrouter/v/model-{number}" for number in range(contestants)]
    pairwise = {"anchors": ANCHORS[:anchors], **settings.pop("pairwise", {})}
    return build_config({"models": [*ANCHORS[:anchors], *names], "pairwise": pairwise, **settings})


def test_the_full_set_takes_the_published_calls_of_one_contestant(full: Dataset) -> None:
    told = estimate_on(config(contestants=1, anchors=0), full, ALL)
    assert told.units == 191
    assert told.calls_by_stage == {"generate": 341, "rubric": 1719, "pairwise": 0}
    assert told.calls == 341 + 1719
    assert told.precision is None


@pytest.mark.parametrize(("contestants", "pairs"), [(2, 1186), (5, 2965), (10, 5930)])
def test_the_compatible_schedule_has_the_published_number_of_pairs(full: Dataset, contestants: int, pairs: int) -> None:
    told = estimate_on(config(contestants, pairwise={"scheduler": "compat"}), full, ALL)
    assert told.pairs == pairs
    assert told.calls_by_stage["pairwise"] == pairs * 3 * 2


def test_an_anchor_game_for_one_contestant_costs_the_published_calls(full: Dataset) -> None:
    told = estimate_on(config(1, pairwise={"scheduler": "compat"}), full, ALL)
    assert told.calls_by_stage["pairwise"] == 3438


def test_the_estimate_follows_tracks_repeats_and_what_is_switched_off(small: Dataset) -> None:
    literary = estimate_on(config(2, 0, samples_per_item=3, rubric_iterations=2), small, (2,))
    assert literary.calls_by_stage["generate"] == 2 * 2 * 3
    assert literary.calls_by_stage["rubric"] == 2 * 2 * 3 * 3 * 2
    off = estimate_on(config(2, 0, pairwise={"enabled": False}), small, ALL)
    assert (off.pairs, off.calls_by_stage["pairwise"], off.precision) == (0, 0, None)


def test_texts_that_were_brought_and_the_rule_judge_cost_no_call(small: Dataset) -> None:
    brought = build_config({"models": ["file:people", "openrouter/v/m"], "judges": ["rule", "openrouter/v/j"]})
    told = estimate_on(brought, small, ALL)
    assert {(one.stage, one.model) for one in told.stages} == {
        ("generate", "openrouter/v/m"),
        ("rubric", "openrouter/v/j"),
        ("pairwise", "openrouter/v/j"),
    }
    assert told.calls_by_stage["rubric"] == 2 * 11 * 3


def test_tokens_of_a_role_play_count_all_that_was_said_before(small: Dataset) -> None:
    told = estimate_on(config(1, 0, judges=["rule"], pairwise={"enabled": False}), small, (1,))
    characters = 0
    for unit in units_of(small, (1,)):
        assert isinstance(unit.item, EmotionItem)
        said = sum(len(message.content) for message in opening(unit))
        for line in later_lines(unit.item):
            characters += said
            said += REPLY + len(line)
        characters += said
    (only,) = told.stages
    assert only.prompt_tokens == round(characters * TOKENS_PER_CHARACTER)
    assert only.completion_tokens == round(2 * (3 * REPLY + ANALYSIS) * TOKENS_PER_CHARACTER)
    assert only.most_tokens == characters + 8 * 2048


def test_longer_data_make_longer_prompts_for_judges(small: Dataset) -> None:
    longer = replace(small, items=tuple(replace(item, judge_notes=item.judge_notes * 9) for item in small.items))
    before, after = (estimate_on(config(2, 0), data, ALL) for data in (small, longer))
    for stage in ("rubric", "pairwise"):
        read = [sum(one.prompt_tokens for one in told.stages if one.stage == stage) for told in (before, after)]
        assert read[0] < read[1]


@pytest.mark.parametrize(("items", "rating", "difference"), [(47, 30, 42), (158, 16, 23), (191, 15, 21)])
def test_the_floor_of_the_items_is_the_computed_one(items: int, rating: int, difference: int) -> None:
    assert round(item_floor(items)) == rating
    assert round(expected_precision(1000, items).difference_floor) == difference


def test_more_judges_never_beat_the_floor_of_the_items() -> None:
    few, many = expected_precision(742, 47), expected_precision(10**9, 47)
    assert round(few.by_games) == 25
    assert few.rating == pytest.approx(math.hypot(few.by_games, few.item_floor))
    assert few.rating > many.rating >= many.item_floor == few.item_floor


def test_precision_is_that_of_the_contestant_with_the_fewest_comparisons(full: Dataset) -> None:
    told = estimate_on(config(2, pairwise={"scheduler": "compat", "max_anchor_items": 10}), full, ALL)
    assert told.precision is not None
    # 10 items against each of three anchors, and 40 games among the two on the first keys, ten of them shared or not.
    assert told.precision.comparisons == (3 * 10 + 40) * 3
    assert 40 <= told.precision.items <= 50


def test_costs_follow_the_price_table_and_the_unknown_stays_unknown(small: Dataset) -> None:
    litellm_door = pytest.importorskip("jatdae.models.api.litellm_door")
    pytest.importorskip("litellm")
    priced = "openai/gpt-4o-mini"
    entry = litellm_door.load_litellm().model_cost["gpt-4o-mini"]
    models = [priced, "claude-cli/opus"]
    told = estimate_on(build_config({"models": models, "judges": ["rule"]}), small, (2,))
    by_model = {one.model: one for one in told.stages}
    mine = by_model[priced]
    expected = mine.prompt_tokens * entry["input_cost_per_token"]
    expected += mine.completion_tokens * entry["output_cost_per_token"]
    assert mine.cost_usd == pytest.approx(expected)
    assert mine.most_usd is not None
    assert mine.most_usd > expected
    assert by_model["claude-cli/opus"].cost_usd is None
    assert told.unpriced == ("claude-cli/opus",)
    assert told.cost_usd == pytest.approx(expected)


def test_without_the_price_table_every_cost_is_unknown(small: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "litellm", None)
    told = estimate_on(config(1, 0), small, (2,))
    assert {one.most_usd for one in told.stages} == {None}
    assert (told.cost_usd, told.most_usd) == (None, None)


def test_a_budget_that_will_end_the_run_is_told(small: Dataset) -> None:
    told = estimate_on(config(1, 0, budget={"max_calls": 10}), small, ALL)
    assert any("max_calls 10 " in note for note in told.notes)
    assert not any("max_calls" in note for note in estimate_on(config(1, 0), small, ALL).notes)


def test_controls_that_cannot_be_scored_are_written_and_told(tmp_path: Path) -> None:
    files = documents()
    del files["items/track3_nuance.json"][3]["variant_expected_ko"]
    told = estimate_on(config(1, 0), read_dataset(write(tmp_path, files)), (3,))
    assert told.calls_by_stage == {"generate": 7, "rubric": 6 * 9, "pairwise": 0}
    assert any(re.search(r"^sincere controls .*: 1$", note) for note in told.notes)


def test_the_table_shows_calls_and_the_floor_and_no_order_to_the_terminal(
    small: Dataset, capsys: pytest.CaptureFixture[str]
) -> None:
    hostile = build_config({"models": ["openrouter/v/\x1b[31mred[bold]", "openrouter/v/b"], "judges": ["rule"]})
    show_estimate(estimate_on(hostile, small, ALL))
    shown = capsys.readouterr().out
    assert "\x1b[31m" not in shown
    assert "[bold]" in shown
    assert "no judge and no order buys" in re.sub(r"\s+", " ", shown)


def test_a_folder_named_by_the_settings_is_read(tmp_path: Path) -> None:
    write(tmp_path / "data", documents())
    told = estimate_run(build_config({"models": ["openrouter/v/m"], "folder": tmp_path}), ALL)
    assert (told.units, told.calls_by_stage["generate"]) == (11, 11 + 3 * 2)


def test_the_published_set_takes_341_calls_and_leaves_three_controls_unjudged(upstream: Path) -> None:
    folder = upstream / "munbench" / "data"
    if not folder.is_dir():
        pytest.skip("no MunBench data")
    told = estimate_on(config(1, 0), read_dataset(folder), ALL)
    assert told.calls_by_stage["generate"] == 341
    assert told.calls_by_stage["rubric"] == (191 - 3) * 9
