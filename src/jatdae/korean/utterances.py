"""Running text cut into sentences, with quoted speech kept apart and stage directions left out.

The cuts follow marks (line ends, sentence marks, laughter, emoji), not grammar, so that any text can be cut in linear
time and offsets refer to the text as given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_QUOTED = (
    r'"[^"\n]{1,600}"|“[^“”]{1,2000}”|‘[^‘’\n]{1,600}’|「[^「」\n]{1,600}」|『[^『』\n]{1,600}』'
    r"|«[^«»\n]{1,600}»|＂[^＂\n]{1,600}＂"
)
# A starred stretch is a stage direction only if it holds a space: `*정말* 그래` stresses a word.
_ASIDE = r"\([^()\n]{1,300}\)|（[^（）\n]{1,300}）|(?<![*\w])\*(?=[^*\n]{0,298}\s)[^*\s][^*\n]{0,298}[^*\s]\*(?![*\w])"
_SET_APART = re.compile(rf"(?P<quoted>{_QUOTED})|(?P<aside>{_ASIDE})")
_EMOJI = "\U0001f000-\U0001faff\u2600-\u27bf"
_END = re.compile(
    rf"\n+|[.!?…。！？]{{1,99}}[\"'”’」』)\]~\s]{{0,9}}(?<=\s)"  # a mark, then white space
    r"|[!?！？]{1,99}(?=\w)|(?<=[다요까죠])\.(?=[가-힣])"  # a mark, then the next sentence without a space
    rf"|[ㅋㅎㅠㅜ{_EMOJI}♡♥~^;]{{1,99}}\s{{1,9}}"
)
_WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class Utterance:
    """A sentence: `text[start:end]` of the text it was cut from. `spoken` is it without quotes and asides."""

    start: int
    end: int
    spoken: str
    quoted: bool


def utterances(text: str) -> list[Utterance]:
    """The sentences of `text` in order of their start; a sentence inside quotation marks is apart and `quoted`."""
    running = list(text)
    found: list[Utterance] = []
    for match in _SET_APART.finditer(text):
        running[match.start() : match.end()] = ["\n" if mark == "\n" else " " for mark in match[0]]
        if match["quoted"]:
            inside = match[0][1:-1]
            found += [
                Utterance(match.start() + 1 + start, match.start() + 1 + end, inside[start:end], quoted=True)
                for start, end in _cuts(inside)
            ]
    rest = "".join(running)
    found += [Utterance(start, end, rest[start:end], quoted=False) for start, end in _cuts(rest)]
    return sorted(found, key=lambda utterance: utterance.start)


def _cuts(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each sentence that holds a letter or digit, without the white space around it."""
    start = 0
    for end in [match.end() for match in _END.finditer(text)] + [len(text)]:
        sentence = text[start:end]
        if _WORD.search(sentence):
            left = start + len(sentence) - len(sentence.lstrip())
            yield left, left + len(sentence.strip())
        start = end
