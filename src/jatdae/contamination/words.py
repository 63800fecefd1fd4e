"""What each check found, in words, with what may be claimed from it and what may not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jatdae.contamination.audit import OverlapFinding, ShiftFinding
from jatdae.contamination.orders import FileTest, OrderTest
from jatdae.reports.inert import inert
from jatdae.reports.tables import figure

Words = Mapping[str, str]

ENGLISH: Words = {
    "claim_ngrams": (
        "Claim: these items overlap with this corpus. It does not show that a model was trained on it, nor that "
        "the others are clean: a paraphrase is not found."
    ),
    "claim_options": (
        "Claim: the model finds the published order of options likelier than chance has it, if the options could "
        "stand in any order. No small p is no proof of innocence."
    ),
    "claim_files": (
        "Claim: the model finds the published order of rows likelier than shuffled ones; exact if the rows could "
        "stand in any order. A file sorted by topic or difficulty breaks that."
    ),
    "claim_shuffle": (
        "Claim: how far accuracy depends on the places of the options. That is robustness, no proof of contamination."
    ),
    "overlap": "{} of {} items overlap: {}",
    "read": "{} passages read; {} items are too short to be found",
    "score_on": "score on them",
    "score_rest": "score on the rest",
    "left_out": "left out",
    "unanswered": "{} were not answered and are left out",
    "first": "the published order came first for {} of {} items (chance {:.2%} each): one-sided p {:.4g}",
    "gain": "published order is likelier by {:.3f} nats a shard over {} shards: t {:.2f}, one-sided p {:.4g}",
    "published": "as published",
    "moved": "moved round",
    "difference": "difference",
}

KOREAN: Words = {
    "claim_ngrams": (
        "말할 수 있는 것: 이 문항들은 이 말뭉치와 겹칩니다. 모델이 이것으로 학습했다거나 나머지가 깨끗하다는 뜻은 "
        "아닙니다. 바꿔 쓴 글은 찾지 못합니다."
    ),
    "claim_options": (
        "말할 수 있는 것: 선택지를 어떤 차례로든 놓을 수 있다면, 모델은 공개된 차례를 우연보다 그럴듯하게 봅니다. "
        "p가 작지 않다고 결백한 것은 아닙니다."
    ),
    "claim_files": (
        "말할 수 있는 것: 모델은 공개된 행의 차례를 섞은 것보다 그럴듯하게 봅니다. 행을 어떤 차례로든 놓을 수 있을 "
        "때만 정확하며, 주제나 난이도로 정렬된 파일은 그렇지 않습니다."
    ),
    "claim_shuffle": (
        "말할 수 있는 것: 정확도가 선택지의 자리에 얼마나 기대는가. 견고함을 볼 뿐 오염의 증거는 아닙니다."
    ),
    "overlap": "{}개가 겹칩니다(전체 {}개): {}",
    "read": "글 {}개를 읽었고, 너무 짧아 찾을 수 없는 문항이 {}개입니다",
    "score_on": "겹치는 문항의 점수",
    "score_rest": "나머지의 점수",
    "left_out": "뺀 것",
    "unanswered": "{}개는 답을 얻지 못해 뺐습니다",
    "first": "공개된 차례가 첫째인 문항이 {}개입니다(전체 {}개, 우연은 하나에 {:.2%}): 한쪽 p {:.4g}",
    "gain": "공개된 차례가 조각마다 {:.3f} nat만큼 그럴듯합니다(조각 {}개): t {:.2f}, 한쪽 p {:.4g}",
    "published": "공개된 차례",
    "moved": "자리를 옮기면",
    "difference": "차이",
}


def overlap_lines(found: OverlapFinding, lang: str, listed: int) -> list[str]:
    """What overlaps, where, and the scores on both parts."""
    say = _words(lang)
    lines = [
        say["overlap"].format(len(found.overlapping), found.items, figure(found.share)),
        say["read"].format(f"{found.passages:,}", found.too_short),
    ]
    pairs = (("score_on", found.score_overlapping), ("score_rest", found.score_clean))
    lines += [f"{say[name]}: {figure(estimate)}" for name, estimate in pairs if estimate]
    lines += [
        f"{inert(one.item)}: {100 * one.coverage:.0f} %{', 30+' if one.shares_long_run else ''}, {inert(one.place)}"
        for one in found.overlapping[:listed]
    ]
    return [*lines, say["claim_ngrams"]]


def option_lines(found: OrderTest, lang: str) -> list[str]:
    """The test of the order of options."""
    say = _words(lang)
    told = say["first"].format(found.first, found.items, found.chance, found.p)
    left = ", ".join(f"{reason}: {count}" for reason, count in sorted(found.left_out.items()))
    return [told, *([f"{say['left_out']}: {left}"] if left else []), *_failed(found.failed, say), say["claim_options"]]


def file_lines(found: FileTest, lang: str) -> list[str]:
    """The test of the order of rows."""
    say = _words(lang)
    told = say["gain"].format(found.gain, found.shards, found.t, found.p)
    return [told, *_failed(found.failed, say), say["claim_files"]]


def shift_lines(found: ShiftFinding, lang: str) -> list[str]:
    """Accuracy as published and moved round."""
    say = _words(lang)
    pairs = (("published", found.published), ("moved", found.shifted), ("difference", found.difference))
    lines = [f"{say[name]}: {figure(estimate)}" for name, estimate in pairs]
    return [*lines, *_failed(found.failed, say), say["claim_shuffle"]]


def _failed(count: int, say: Words) -> Sequence[str]:
    return [say["unanswered"].format(count)] if count else []


def _words(lang: str) -> Words:
    return KOREAN if lang == "ko" else ENGLISH
