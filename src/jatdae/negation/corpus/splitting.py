"""Passages cut into sentences.

`kiwi` cuts at final punctuation and asks the morphological analyser only where punctuation does not decide: in a piece
that ends without a mark, or that holds a word which may close a sentence inside. `rules` cuts at punctuation alone and
is some hundred times faster; `kss` is the splitter of the KoNUBench paper; `line` takes a line for a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec

from jatdae.errors import RequestError, did_you_mean
from jatdae.korean.morphology import kiwi
from jatdae.korean.negation.analysis import readable

_HELD_TOGETHER = re.compile(
    r'"[^"]{1,400}"|“[^“”]{1,400}”|‘[^‘’]{1,400}’|「[^「」]{1,200}」|『[^『』]{1,200}』|《[^《》]{1,200}》'
    r"|〈[^〈〉]{1,200}〉|\([^()]{1,300}\)|（[^（）]{1,300}）|\[[^\[\]]{1,300}\]"
)
_FINAL = re.compile(r"[.?!…。！？]{1,20}[\"'”’」』》〉)）\]]{0,5}(?=\s)|[。！？]{1,20}(?=[가-힣\"“])")
_INITIAL = re.compile(r"(?<![A-Za-z])[A-Za-z]\.$")
_NUMBER = re.compile(r"(?:^|\s)\(?\d{1,4}\.$")
_CARRIED_ON = re.compile(r"\s{0,9}(?:이?라고|이?라는|이?라며|이?라면서|하고|하며|하는|했|고\s|는\s|며\s|라[는며고])")
"""What follows a quotation and goes on with the sentence."""
_CLOSING_WORD = re.compile(r"[가-힣](?:다|요|죠|까|네|군)\s")
"""A word that may close a sentence though no mark follows it."""


def punctuated(text: str) -> list[str]:
    """The sentences of a passage by final punctuation, which a closing quotation mark or bracket may follow.

    Quotations, brackets and titles are not cut; initials (조지 R. 마틴), numbers (1. 서론; 2019. 3. 1.) do not end a
    sentence. A line feed always does.
    """
    return [sentence for line in text.split("\n") for sentence in _cut_line(line)]


def _cut_line(line: str) -> Iterator[str]:
    held = [match.span() for match in _HELD_TOGETHER.finditer(line)]
    start = index = 0
    for match in _FINAL.finditer(line):
        end = match.end()
        while index < len(held) and held[index][1] < end:
            index += 1
        inside = index < len(held) and held[index][0] < end < held[index][1]
        if not inside and _ends_sentence(line, start, match):
            yield from filter(None, [line[start:end].strip()])
            start = end
    yield from filter(None, [line[start:].strip()])


def _ends_sentence(line: str, start: int, match: re.Match[str]) -> bool:
    sentence = line[max(start, match.end() - 12) : match.end()]
    if match[0] == "." and (_INITIAL.search(sentence) or _NUMBER.search(sentence)):
        return False
    closed = match[0][-1] in "\"'”’」』》〉)）]"
    return not (closed and _CARRIED_ON.match(line, match.end()))


def morphological(texts: Sequence[str]) -> list[list[str]]:
    """The sentences of each passage by punctuation and, where that does not decide, by Kiwi."""
    pieces = [punctuated(text) for text in texts]
    asked = [(row, column) for row, found in enumerate(pieces) for column in range(len(found)) if _open(found[column])]
    answers = kiwi().split_into_sents(pieces[row][column] for row, column in asked)
    cut: dict[tuple[int, int], list[str]] = {}
    for place, sentences in zip(asked, answers, strict=True):
        cut[place] = [sentence.text.strip() for sentence in sentences if sentence.text.strip()]
    return [
        [part for column, piece in enumerate(found) for part in cut.get((row, column), [piece])]
        for row, found in enumerate(pieces)
    ]


def _open(piece: str) -> bool:
    """Whether only the analyser can tell if the piece is one sentence."""
    return not re.search(r"[.?!…。！？]\W{0,5}$", piece) or bool(_CLOSING_WORD.search(piece))


def _by_rules(texts: Sequence[str]) -> list[list[str]]:
    return [punctuated(text) for text in texts]


def _by_lines(texts: Sequence[str]) -> list[list[str]]:
    return [[line.strip() for line in text.split("\n") if line.strip()] for text in texts]


def _by_kss(texts: Sequence[str]) -> list[list[str]]:
    from kss import split_sentences  # pyright: ignore[reportMissingImports] -- an extra of its own

    return [
        [str(part).strip() for part in split_sentences(text.replace("\0", " "), num_workers=1) if str(part).strip()]
        for text in texts
    ]


_SPLITTERS: dict[str, Callable[[Sequence[str]], list[list[str]]]] = {
    "kiwi": morphological,
    "rules": _by_rules,
    "line": _by_lines,
    "kss": _by_kss,
}
SPLITTERS = tuple(_SPLITTERS)
SLOW = ("kiwi", "kss")
"""The splitters that are worth a pool of workers."""


def check_splitter(name: str) -> None:
    """Raises RequestError where the splitter is not known or its package is not installed."""
    if name not in _SPLITTERS:
        raise RequestError(f"--splitter {name!r} is not known; {did_you_mean(name, SPLITTERS)}")
    if name == "kss" and find_spec("kss") is None:
        raise RequestError("--splitter kss needs a package: pip install 'jatdae[kss]'")


def split(splitter: str, passages: Sequence[str]) -> list[list[str]]:
    """The sentences of each passage, in NFC, stripped, none of them empty."""
    return _SPLITTERS[splitter]([readable(passage) for passage in passages])
