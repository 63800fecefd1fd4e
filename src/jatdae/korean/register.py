"""The speech level (상대 높임법) of sentences, by morphological analysis, and how evenly a text keeps to one.

What counts is the last final ending of the sentence: whatever follows it (emoji, laughter, a name called, a
parenthesis) is passed over. The table of endings is `endings.py`.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from jatdae.korean.endings import PLAIN, POLITE, Candidates, SpeechLevel, levels_of_ending
from jatdae.korean.morphology import kiwi
from jatdae.korean.utterances import Utterance, utterances

if TYPE_CHECKING:
    from kiwipiepy import Token

__all__ = ["POLITE", "LevelledSentence", "Register", "SpeechLevel", "speech_level", "speech_levels"]

_TAIL = 120
"""Characters of a sentence that are analysed, from a space on: its end decides, and work stays linear."""
_HANGUL = re.compile(r"[가-힣]")
_TRAILING_ASIDE = re.compile(r"[(（\[<*][^()（）\[\]<>*]{0,80}[)）\]>*][^\w]{0,9}\Z")
_AFTER_LETTERS = re.compile(r"[\W_ㄱ-ㆎ]{0,120}\Z")
_HAGE_CUE = re.compile(r"자네|여보게|이보게|이 사람아")
_PREDICATES = ("VV", "VA", "VX", "VCP", "VCN", "XSV", "XSA")
_MARKS = ("SF", "SP", "SS", "SE", "SO", "SW", "W_", "Z_")
_AFTERTHOUGHTS = ("NNG", "NNP", "NNB", "NP", "XSN", "MM", "MAG", "IC")
_CLOSING_PARTICLES = frozenset({"만", "그려", "마는", "잉"})
_PLAIN_REPLIES = frozenset({"아니야", "그러게", "그치"})
_HAE: Candidates = (SpeechLevel.HAE,)
_ALWAYS_FINAL = ("요", "죠", "니다")
_COINED = re.compile(r"[용욤염영]\Z")


def speech_level(sentence: str) -> SpeechLevel | None:
    """The level of one sentence; None if it has no predicate or breaks off on a connective ending.

    A string of several sentences has the level of its last one. Where an ending serves several levels the likeliest
    is given (`endings.py` names the borders). Never raises, whatever the characters.
    """
    candidates = _candidates(sentence)
    return _choice(candidates, sentence) if candidates else None


@dataclass(frozen=True, slots=True)
class LevelledSentence:
    """A sentence of a text and its level. `start` and `end` are offsets into the text as given."""

    start: int
    end: int
    text: str
    level: SpeechLevel | None
    quoted: bool


@dataclass(frozen=True, slots=True)
class Register:
    """The levels of a text. Counts leave out sentences without a level; quoted speech is counted apart.

    `dominant` is the commonest of the six levels in the running text (in the quoted speech where nothing else has a
    level), None without any. `mixture` is the share of such sentences at another level; `politeness_mixture` the
    share of those on the rarer side of polite and plain. Both are None without sentences to count.
    """

    sentences: tuple[LevelledSentence, ...]
    counts: Mapping[SpeechLevel, int]
    quoted_counts: Mapping[SpeechLevel, int]
    dominant: SpeechLevel | None
    mixture: float | None
    politeness_mixture: float | None


def speech_levels(text: str) -> Register:
    """The level of each sentence of `text`, and the mixture of levels.

    Stage directions (in parentheses, or starred with a space inside) are no speech and are left out. An ending that
    serves several levels takes the one that is commonest among the clear sentences on its side of the quotation marks.
    """
    found = utterances(text)
    known: dict[str, Candidates] = {spoken: _candidates(spoken) for spoken in {one.spoken for one in found}}
    clear = {quoted: _clear_counts(found, known, quoted) for quoted in (False, True)}
    sentences = tuple(
        LevelledSentence(
            one.start,
            one.end,
            text[one.start : one.end],
            _settled(one, known[one.spoken], clear[one.quoted]),
            one.quoted,
        )
        for one in found
    )
    counts, quoted = (_count(sentences, quoted=side) for side in (False, True))
    return Register(sentences, counts, quoted, *_mixture(counts if _six(counts) else quoted))


def _clear_counts(found: Iterable[Utterance], known: Mapping[str, Candidates], quoted: bool) -> Counter[SpeechLevel]:
    alone = [known[one.spoken] for one in found if one.quoted == quoted]
    return Counter(candidates[0] for candidates in alone if len(candidates) == 1)


def _settled(one: Utterance, candidates: Candidates, clear: Counter[SpeechLevel]) -> SpeechLevel | None:
    if not candidates:
        return None
    first = _choice(candidates, one.spoken)
    return max(candidates, key=lambda level: (clear[level], level == first))


def _count(sentences: Iterable[LevelledSentence], *, quoted: bool) -> Counter[SpeechLevel]:
    return Counter(one.level for one in sentences if one.level is not None and one.quoted == quoted)


def _six(counts: Mapping[SpeechLevel, int]) -> dict[SpeechLevel, int]:
    return {level: count for level, count in counts.items() if level is not SpeechLevel.NOMINAL}


def _mixture(counts: Mapping[SpeechLevel, int]) -> tuple[SpeechLevel | None, float | None, float | None]:
    levels = _six(counts)
    total = sum(levels.values())
    if not total:
        return None, None, None
    order = list(SpeechLevel)
    dominant = max(levels, key=lambda level: (levels[level], -order.index(level)))
    plain = sum(count for level, count in levels.items() if level in PLAIN)
    return dominant, 1 - levels[dominant] / total, min(plain, total - plain) / total


def _choice(candidates: Candidates, sentence: str) -> SpeechLevel:
    """하게체 has its own words for the listener, which settle an ending that it shares."""
    if SpeechLevel.HAGE in candidates and _HAGE_CUE.search(sentence):
        return SpeechLevel.HAGE
    return candidates[0]


def _candidates(sentence: str) -> Candidates:
    core, asked = _core(sentence)
    if not _HANGUL.search(core):
        return ()
    levels = _levels_of(_tokens(core + ("?" if asked else ".")), asked)
    if not levels and _COINED.search(core):
        return _levels_of(_tokens(core[:-1] + "요."), asked)
    return levels


def _tokens(sentence: str) -> list[Token]:
    return cast("list[Token]", kiwi().tokenize(sentence))


def _core(sentence: str) -> tuple[str, bool]:
    """The end of the sentence up to its last letter, and whether it asks."""
    tail = sentence[-4 * _TAIL :].encode("utf-8", "ignore").decode("utf-8")
    tail = unicodedata.normalize("NFC", tail).replace("\0", "")
    asked = False
    for _ in range(3):
        marks = _AFTER_LETTERS.search(tail)
        aside = _TRAILING_ASIDE.search(tail)
        cut = min(match.start() for match in (marks, aside) if match)
        asked = asked or any(mark in tail[cut:] for mark in "?？")
        tail = tail[:cut]
    start = max(0, len(tail) - _TAIL)
    space = tail.find(" ", start) if start else -1
    return tail[max(start, space + 1) :], asked


def _levels_of(tokens: Sequence[Token], asked: bool) -> Candidates:
    """The levels of the last ending; of an earlier one only where nothing but a name or an afterthought follows."""
    words = [token for token in tokens if not token.tag.startswith(_MARKS)]
    while words and (words[-1].tag == "JKV" or (words[-1].tag[0] == "J" and words[-1].form in _CLOSING_PARTICLES)):
        words.pop()
    if not words:
        return ()
    return _levels_at(words, len(words) - 1, asked) or _levels_before_afterthought(words)


def _levels_at(words: Sequence[Token], place: int, asked: bool) -> Candidates:
    word = words[place]
    if word.tag == "IC":
        return _levels_of_interjection(word.form)
    if word.form == "요" or (word.tag == "JX" and word.form.endswith("요")):
        return (SpeechLevel.HAEYO,)
    if word.tag == "ETN" or (word.tag == "NNB" and place and words[place - 1].tag == "ETM"):
        return (SpeechLevel.NOMINAL,)
    if word.tag not in ("EF", "EC"):
        return ()
    ending = _ending(words, place)
    if asked and ending.endswith("게") and not ending.endswith(("ᆯ게", "을게")):
        return _HAE  # 그건 뭐 하게? asks for a purpose; 하게체 asks with -나 and -는가
    levels = levels_of_ending(ending, final=word.tag == "EF" or asked)
    return levels or (_HAE if asked else ())  # 밥은 먹었고? any connective can ask


def _levels_of_interjection(form: str) -> Candidates:
    if form.endswith(("요", "죠", "쵸", "뇨")):
        return (SpeechLevel.HAEYO,)
    return _HAE if form in _PLAIN_REPLIES else ()


def _ending(words: Sequence[Token], place: int) -> str:
    """The final ending with the endings before it: -옵- and -니까 together are polite, -니까 alone is not."""
    start = place
    while start and words[start - 1].tag == "EP":
        start -= 1
    return "".join(word.form for word in words[start : place + 1])


def _levels_before_afterthought(words: Sequence[Token]) -> Candidates:
    """The last ending that the analyser holds for final, or one that is in the place of a final one."""
    predicate_follows = False
    for place in range(len(words) - 1, -1, -1):
        tag = words[place].tag
        if tag == "EF":
            return levels_of_ending(_ending(words, place), final=True)
        if tag == "EC" and words[place].form.endswith(_ALWAYS_FINAL):
            return levels_of_ending(_ending(words, place), final=True)
        if tag == "EC" and not predicate_follows and (levels := _levels_before_call(words, place)):
            return levels
        predicate_follows = predicate_follows or tag.startswith(_PREDICATES)
    return ()


def _levels_before_call(words: Sequence[Token], place: int) -> Candidates:
    """After an ending that looks connective only a call (엄마), an adverb (정말) or a filler (뭐) may follow."""
    after = words[place + 1 :]
    if not 0 < len(after) <= 3 or any(word.tag not in _AFTERTHOUGHTS for word in after):
        return ()
    ending = _ending(words, place)
    looks_final = ending.endswith(("어", "아", "여", "지", "어라", "아라", "거라"))
    set_off = after[0].start > words[place].end + 1  # a comma lies between
    return levels_of_ending(ending, final=looks_final or (set_off and ending[-1] == "게"))
