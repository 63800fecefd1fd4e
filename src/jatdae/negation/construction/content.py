"""What two versions of a sentence say besides negation: their content words, numbers and names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from jatdae.korean.negation.analysis import Analysis, Morpheme

_CONTENT = ("NNG", "NNP", "NR", "SN", "SL", "SH", "VV", "VA", "MAG", "MM", "XR")
_POLAR = frozenset(
    {"있", "없", "알", "모르", "못하", "말", "이", "아니", "않", "안", "못", "하", "되", "그렇", "또는", "혹은"}
)
"""Words that come and go when a sentence is negated."""
_NEGATING_PREFIX = re.compile(r"^(?:불|비|미|무)(?=[가-힣]{2})")
_NUMBER = re.compile(r"[0-9]+(?:[.,][0-9]+)*")


def content_words(analysis: Analysis) -> Counter[str]:
    """Nouns, numbers, verb and adjective stems, adverbs and determiners, those left out that negation may change."""
    forms = (_NEGATING_PREFIX.sub("", morpheme.form) for morpheme in analysis.morphemes if _is_content(morpheme))
    return Counter(form for form in forms if form not in _POLAR)


def _is_content(morpheme: Morpheme) -> bool:
    return morpheme.tag in _CONTENT


def changed_words(original: Analysis, other: Analysis) -> list[str]:
    """Content words that only one of the two sentences has; spelling decides where the analyser reads one word twice.

    Empty where nothing but negation, particles and endings differs.
    """
    first, second = content_words(original), content_words(other)
    lost, gained = first - second, second - first
    texts = (original.text.replace(" ", ""), other.text.replace(" ", ""))
    return sorted(
        form for form in (*lost, *gained) if texts[0].count(form) != texts[1].count(form) or not _is_in(form, texts)
    )


def _is_in(form: str, texts: Sequence[str]) -> bool:
    """A stem that changes its shape when it conjugates (돕-, 듣-) cannot be sought by its letters."""
    return all(form in text for text in texts)


def numbers(text: str) -> list[str]:
    """The numbers in digits, in order; thousands may be parted by commas."""
    return [found.replace(",", "") for found in _NUMBER.findall(text)]


def names(analysis: Analysis) -> list[str]:
    """Proper nouns and words in Latin letters, each once."""
    found = (m.form for m in analysis.morphemes if (m.tag == "NNP" and len(m.form) > 1) or m.tag == "SL")
    return list(dict.fromkeys(found))
