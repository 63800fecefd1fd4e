"""Which morpheme negates, and of which type its negation is.

The analyser is trusted for -지 않-, -지 못하-, -지 말-, 아니- and 없-. It takes 안 and 못 for nouns now and then; there
the words around decide. Where it reads a syllable that can only be an ending (쓰지만) as 말다, the syllable decides.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from jatdae.korean.negation.analysis import Morpheme
from jatdae.korean.negation.kinds import NegationType
from jatdae.korean.negation.lexicon import IDLE_NOUNS, LEXICAL_NOUNS, LEXICAL_STEMS, NAIL_VERBS, NEGATIVE_PREFIXES

Morphemes = Sequence[Morpheme]
_POSSIBLE = re.compile(
    "[안못않없잖]|아[니닌닐님닙냐녀녔녜뇨]|모[르른를름릅]|몰[라랐]"
    r"|[지진질치][가-힣]{0,4}\s*(?:좀\s*)?[말마맙]"
    rf"|(?:{'|'.join(sorted(IDLE_NOUNS))})[가-힣]{{0,2}}\s*[말마맙]"
    rf"|{'|'.join(sorted(LEXICAL_NOUNS))}"
    "|(?<![가-힣])[불미비부무][가-힣]{1,8}"
)
"""What a text contains if it holds any marker, in NFC."""
VERBAL_SUFFIXES = ("XSV", "XSA")
_NOMINAL = ("NNG", "NNP", "NNB", "NR", "XR", "XPN", "XSN", "SL", "SN", "SH")
_ORDERS = (
    "어",
    "아",
    "어라",
    "아라",
    "세요",
    "으세요",
    "십시오",
    "으십시오",
    "ᆸ시다",
    "자",
    "라",
    "소서",
    "ᆸ시오",
    "렴",
    "어요",
    "아요",
)
_NEGATING = frozenset({"안", "못", "아니", "않", "아니하", "못하", "말", "마", "잖"})
_REACH = 3
"""Nominal morphemes that may stand between 안 or 못 and the verbal suffix (안 재활용되었다)."""


def may_negate(text: str) -> bool:
    """False only for a text in NFC that can hold no marker, so that it need not be analysed."""
    return _POSSIBLE.search(text) is not None


def markers(morphemes: Morphemes) -> list[tuple[int, NegationType]]:
    """The index and the type of every morpheme that negates, in order; confirmation forms are among them."""
    found = []
    for at, morpheme in enumerate(morphemes):
        kind = _kind(morphemes, at, morpheme)
        if kind is not None:
            found.append((at, kind))
    return found


def _kind(morphemes: Morphemes, at: int, morpheme: Morpheme) -> NegationType | None:
    form, tag = morpheme.form, morpheme.tag
    if form in _NEGATING:
        if tag[0] == "V":
            return _verbal(morphemes, at, morpheme)
        return _adverbial(morphemes, at, morpheme)
    if form in LEXICAL_STEMS and tag[0] == "V":
        return None if _is_lexicalised(morphemes, at) else NegationType.LEXICAL
    if (form in LEXICAL_NOUNS or form in NEGATIVE_PREFIXES) and _is_predicated(morphemes, at):
        return NegationType.LEXICAL
    if tag[0] == "E" and form.startswith("잖"):
        return NegationType.LONG_AN
    if form == "알" and _is_slurred_copula(morphemes, at):
        return NegationType.COPULA
    return None


def _is_lexicalised(morphemes: Morphemes, at: int) -> bool:
    """Whether 없 closes a word after a nominal ending, as in 끊임없다, which says what goes on, not what is missing."""
    return at > 0 and morphemes[at - 1].tag == "ETN" and morphemes[at - 1].word == morphemes[at].word


def _is_slurred_copula(morphemes: Morphemes, at: int) -> bool:
    """Whether 아냐, read as a question with 알다, says that something is not so: after a subject, not asked."""
    if not 0 < at < len(morphemes) - 1 or morphemes[at + 1].form != "냐" or morphemes[at - 1].tag not in ("JKS", "JKC"):
        return False
    return not any(morpheme.form.startswith("?") for morpheme in morphemes[at + 2 : at + 4])


def _is_predicated(morphemes: Morphemes, at: int) -> bool:
    """Whether a noun, or the noun after a prefix, is a predicate (불가능하다, 불참했다).

    A prefix stands at a word's start, but 불가능 also within one (지속불가능한).
    """
    whole = morphemes[at].form in LEXICAL_NOUNS
    stem = at + 1 if whole else at + 2
    if stem >= len(morphemes) or morphemes[stem].tag not in (*VERBAL_SUFFIXES, "VCP"):
        return False
    if whole or f"{morphemes[at].form}{morphemes[at + 1].form}" in LEXICAL_NOUNS:
        return True
    begins = not _is_inside_word(morphemes, at) or morphemes[at - 1].tag[0] == "S"
    return begins and _is_prefix(morphemes, at)


def _is_prefix(morphemes: Morphemes, at: int) -> bool:
    """A prefix, or 미 that was read as America although it stands before what one does (미사용되었다)."""
    if (morphemes[at].form, morphemes[at].tag) != ("미", "NNP"):
        return morphemes[at].tag == "XPN"
    rest = [(morpheme.tag, morpheme.word) for morpheme in morphemes[at + 1 : at + 3]]
    return rest == [("NNG", morphemes[at].word), ("XSV", morphemes[at].word)]


def _verbal(morphemes: Morphemes, at: int, morpheme: Morpheme) -> NegationType | None:
    if morpheme.form == "아니":
        return NegationType.COPULA if morpheme.tag == "VCN" and not _is_conjunction(morphemes, at) else None
    if morpheme.form == "않":
        return NegationType.LONG_AN
    if morpheme.form in ("말", "마"):
        return NegationType.MALDA if _forbids(morphemes, at) else None
    if ji_before(morphemes, at) is None:
        return None
    return NegationType.LONG_MOT if morpheme.form == "못하" else NegationType.LONG_AN


def _is_conjunction(morphemes: Morphemes, at: int) -> bool:
    """아니면 between alternatives (오든지 아니면 가든지), which has no complement."""
    if at + 1 >= len(morphemes) or morphemes[at + 1].form != "면":
        return False
    return at == 0 or morphemes[at - 1].tag[0] in "ES"


def _forbids(morphemes: Morphemes, at: int) -> bool:
    """Whether 말- is the negative auxiliary: after -지 or -ㄹ지, or as a bare order after a noun such as 걱정."""
    following = morphemes[at + 1] if at + 1 < len(morphemes) else None
    if following is not None and following.form == "ᆫ" and following.start == morphemes[at].start:
        return False  # 지만 is the ending of concession: 말다 has no such form in today's language
    if ji_before(morphemes, at) is not None:
        return True
    ordered = following is not None and following.tag == "EF" and following.form in _ORDERS
    return ordered and at > 0 and morphemes[at - 1].form in IDLE_NOUNS


def ji_before(morphemes: Morphemes, at: int) -> int | None:
    """The index of the ending -지 (-ㄹ지, -는지) before morpheme `at`; None if none.

    Particles may stand in between, and the adverb of a plea (하지 좀 마).
    """
    place = at - 1
    while place >= 0 and (morphemes[place].tag[0] == "J" or morphemes[place].form == "좀"):
        place -= 1
    if place >= 0 and morphemes[place].tag[0] == "E" and morphemes[place].form.endswith("지"):
        return place
    return None


def _adverbial(morphemes: Morphemes, at: int, morpheme: Morpheme) -> NegationType | None:
    if morpheme.form not in _SHORT:
        return None
    short, long = _SHORT[morpheme.form]
    if morpheme.tag == "MAG":
        ji = ji_before(morphemes, at)
        if ji is not None and morphemes[ji].form == "지":  # but not after -ㄹ지: 올지 안 올지
            return long if predicate_after(morphemes, at) is not None else None
        return short if _is_adverb(morphemes, at) else None
    return short if morpheme.tag[0] == "N" and _is_slip(morphemes, at) else None


_SHORT = {
    "안": (NegationType.SHORT_AN, NegationType.LONG_AN),
    "아니": (NegationType.SHORT_AN, NegationType.LONG_AN),
    "못": (NegationType.SHORT_MOT, NegationType.LONG_MOT),
}


def _is_adverb(morphemes: Morphemes, at: int) -> bool:
    """Whether 안 or 못 stands before what it denies. 못하다 in one word, to be poor at something, is no negation."""
    stem = predicate_after(morphemes, at)
    if stem is None:
        return _alone(morphemes, at)
    if _is_inside_word(morphemes, at) and (stem + 1 >= len(morphemes) or morphemes[stem + 1].tag[0] != "E"):
        return False  # in a name such as 병안하목 the analyser sees 안 and 하-, but a predicate has an ending
    one_word = stem == at + 1 and morphemes[stem].form == "하" and morphemes[stem].word == morphemes[at].word
    return not (one_word and morphemes[at].form == "못")


def _is_inside_word(morphemes: Morphemes, at: int) -> bool:
    return at > 0 and morphemes[at - 1].word == morphemes[at].word


def predicate_after(morphemes: Morphemes, at: int) -> int | None:
    """The index of the stem or verbal suffix that 안 or 못 at `at` stands before; None where there is none."""
    place = at + 1
    while place < len(morphemes) and place - at <= _REACH and morphemes[place].tag in (*_NOMINAL, "MAG"):
        place += 1
    if place >= len(morphemes) or morphemes[place].tag == "VCP":  # what is before 이다 is a noun: 치안입니다
        return None
    return place if morphemes[place].tag in VERBAL_SUFFIXES or morphemes[place].tag[0] == "V" else None


def _alone(morphemes: Morphemes, at: int) -> bool:
    """Whether the morpheme is a word of its own before a nominal or another adverb, as in 안 잘 자란다."""
    return _is_own_word(morphemes, at) and morphemes[at + 1].tag[0] in "NXM"


def _is_own_word(morphemes: Morphemes, at: int) -> bool:
    """Whether the morpheme is a whole word with another one after it."""
    if at + 1 >= len(morphemes) or morphemes[at + 1].word == morphemes[at].word:
        return False
    return at == 0 or morphemes[at - 1].word != morphemes[at].word


def _is_slip(morphemes: Morphemes, at: int) -> bool:
    """Whether 안 or 못, read as a noun, is the adverb: a word of its own, no noun before it, a predicate after it."""
    form = morphemes[at].form
    if form == "아니" or not _is_own_word(morphemes, at):
        return False
    before = morphemes[at - 1] if at else None
    if before is not None and not (before.tag[0] in "JES" or before.tag in ("MAG", "MAJ")):
        return False
    if morphemes[at + 1].tag[0] == "J":  # no particle begins a word: what follows was read amiss (못 이끄는)
        return True
    stem = predicate_after(morphemes, at)
    if stem is None:
        return False
    if stem == at + 1:
        return form == "못" and morphemes[stem].tag == "VV" and morphemes[stem].form not in NAIL_VERBS
    return morphemes[stem].tag in VERBAL_SUFFIXES
