"""Windows over passages, what tokenizers put around pairs, and the choice of a span: each against a slow twin."""

from __future__ import annotations

from itertools import pairwise

import pytest

pytest.importorskip("transformers")

import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from reading_encoders import templated
from transformers import CanineTokenizer

from jatdae.errors import ModelError
from jatdae.finetune.reading_spans import Reading, Span, best_spans, decide, read
from jatdae.finetune.reading_windows import LONGEST, STEP, PairRule, Window, windows_over


def test_windows_start_128_tokens_apart_and_the_last_ends_with_the_passage():
    windows = windows_over(1000, room=443)
    assert [(window.start, window.end) for window in windows] == [
        (0, 443), (128, 571), (256, 699), (384, 827), (512, 955), (640, 1000)
    ]  # fmt: skip


def test_a_passage_that_fits_is_one_window_and_an_empty_one_too():
    assert windows_over(443, room=443) == [Window(0, 443, (0, 443))]
    assert windows_over(0, room=443) == [Window(0, 0, (0, 0))]


@settings(deadline=None)
@given(tokens=st.integers(1, 700), room=st.integers(1, 500))
def test_no_token_of_a_passage_falls_between_windows(tokens: int, room: int):
    windows = windows_over(tokens, room)
    assert {place for window in windows for place in range(window.start, window.end)} == set(range(tokens))
    assert all(0 < window.end - window.start <= room for window in windows)
    assert all(0 < after.start - before.start <= STEP for before, after in pairwise(windows))


@settings(deadline=None)
@given(tokens=st.integers(1, 700), room=st.integers(1, 500))
@example(tokens=444, room=443)  # where a window that is longer by more than 100 wins over one with one token more
def test_every_token_is_owned_by_the_window_that_shows_most_around_it(tokens: int, room: int):
    windows = windows_over(tokens, room)
    owners = [number for number, window in enumerate(windows) for _ in range(*window.owned)]
    owned = [place for window in windows for place in range(*window.owned)]
    assert owned == list(range(tokens))
    assert owners == [_owner(windows, place) for place in range(tokens)]


def _owner(windows: list[Window], token: int) -> int:
    best, owner = -1.0, -1
    for number, window in enumerate(windows):
        if window.start <= token < window.end:
            around = min(token - window.start, window.end - 1 - token) + 0.01 * (window.end - window.start)
            if around > best:
                best, owner = around, number
    return owner


@settings(deadline=None)
@given(tokens=st.integers(1, 700), room=st.integers(2 * LONGEST, 500), data=st.data())
def test_every_answer_is_whole_in_some_window(tokens: int, room: int, data: st.DataObject):
    first = data.draw(st.integers(0, tokens - 1))
    last = min(first + LONGEST, tokens) - 1
    assert any(window.start <= first and last < window.end for window in windows_over(tokens, room))


@pytest.mark.parametrize(
    ("pair", "ids", "segments", "offset", "none"),
    [
        ("<cls>:0 $A:0 <sep>:0 $B:1 <sep>:1", [0, 7, 7, 1, 8, 1], [0, 0, 0, 0, 1, 1], 4, 0),
        ("<cls>:0 $A:0 <sep>:0 <sep>:0 $B:0 <sep>:0", [0, 7, 7, 1, 1, 8, 1], [0] * 7, 5, 0),
        ("$A:0 <sep>:0 $B:1 <sep>:1 <cls>:2", [7, 7, 1, 8, 1, 0], [0, 0, 0, 1, 1, 2], 3, 5),
        ("$A:0 $B:1", [7, 7, 8], [0, 0, 1], 2, 0),
    ],
    ids=["bert", "double separator", "classifying token last", "nothing"],
)
def test_a_row_is_put_together_by_the_tokenizers_own_rule(pair, ids, segments, offset, none):
    rule = PairRule.of(templated(pair, ["<cls>", "<sep>"]))
    assert rule.row([7, 7], [8]) == (ids, segments)
    assert (rule.offset(2), rule.none % len(ids), rule.added) == (offset, none, len(ids) - 3)


def test_the_rule_of_a_slow_tokenizer_is_read_too():
    tokenizer = CanineTokenizer()
    assert not tokenizer.is_fast
    ids, _ = PairRule.of(tokenizer).row([1], [2])
    assert ids == tokenizer.build_inputs_with_special_tokens([1], [2])


def test_a_tokenizer_that_knows_no_text_is_refused():
    from tokenizers import Tokenizer, models
    from transformers import PreTrainedTokenizerFast

    with pytest.raises(ModelError, match="makes 0 tokens"):
        PairRule.of(PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.BPE())))


@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_the_best_span_is_that_of_a_search_through_all(data: st.DataObject):
    rows, width = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 40))
    longest = data.draw(st.integers(1, 45))
    torch.manual_seed(data.draw(st.integers(0, 10_000)))
    starts, ends = torch.randn(rows, width), torch.randn(rows, width)
    may_start, may_end = torch.rand(rows, width) < 0.4, torch.rand(rows, width) < 0.4
    none = torch.randint(0, width, (rows,))
    for row, reading in enumerate(read(starts, ends, may_start, may_end, none, longest)):
        spans = [
            (float(starts[row, first]) + float(ends[row, last]), first, last)
            for first in range(width)
            for last in range(first, min(width, first + longest))
            if may_start[row, first] and may_end[row, last]
        ]
        assert reading.span == (Span(*max(spans)) if spans else None)
        assert reading.none == float(starts[row, none[row]]) + float(ends[row, none[row]])


def test_places_of_rows_without_a_possible_span_stay_within_the_row():
    logits, never = torch.zeros(2, 5), torch.zeros(2, 5, dtype=torch.bool)
    first, last = best_spans(logits, logits, never, never, longest=30)
    assert first.max() < 5 and last.max() < 5


@pytest.mark.parametrize(
    ("readings", "chosen"),
    [
        ([(1.0, 2.0)], 0),
        ([(2.0, 1.0)], None),
        ([(2.0, 2.0)], 0),  # a tie is answered
        ([(5.0, 1.0), (2.0, 3.0)], 1),  # the lowest score of "no answer" counts
        ([(5.0, 4.0), (2.0, 3.0)], 0),
        ([(0.0, 7.0), (0.0, 7.0)], 0),  # of equal spans the first
        ([(0.0, None)], None),
        ([(1.0, None), (2.0, 1.5)], 1),
        ([(0.30000000000000004, 0.3)], None),
    ],
)
def test_no_answer_needs_a_higher_score_in_every_window_than_the_best_span(readings, chosen):
    windows = [Reading(none, None if score is None else Span(score, 3, 4)) for none, score in readings]
    decided = decide(windows)
    assert (decided and decided[0]) == chosen
    assert decided is None or decided[1] == windows[decided[0]].span
