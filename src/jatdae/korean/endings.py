"""Which speech level a Korean sentence-final ending marks.

An ending is given as the analyser writes it: a final consonant that joins the stem stands as a conjoining jamo
(`ᆸ니다`, `ᆯ게`). The levels are the six of school grammar; the dictionary's labels decide (하게할 자리, 해할 자리 ...).
Some endings serve several levels: their candidates stand in order of how often the ending is meant so on its own,
and the sentences around it may choose another one of them.

Borders, decided here: -ㅂ시다 is 하십시오체 unless 하오체 surrounds it; 하소서체 (-나이다, -소서) counts as
하십시오체; -네 and -나 are 해체 unless 하게체 surrounds them; -는가 is 하게체 unless the text is plain narration.
"""

from __future__ import annotations

import re
from enum import StrEnum


class SpeechLevel(StrEnum):
    """상대 높임법의 등급; 명사형 종결 (-음, -기, -ㄹ 것) is a way to end a sentence without a level."""

    HASIPSIO = "하십시오체"
    HAO = "하오체"
    HAGE = "하게체"
    HAERA = "해라체"
    HAEYO = "해요체"
    HAE = "해체"
    NOMINAL = "명사형 종결"


POLITE = frozenset({SpeechLevel.HASIPSIO, SpeechLevel.HAO, SpeechLevel.HAEYO})
"""Levels that raise the listener; `PLAIN` are those that do not."""
PLAIN = frozenset({SpeechLevel.HAGE, SpeechLevel.HAERA, SpeechLevel.HAE})

Candidates = tuple[SpeechLevel, ...]
_HASIPSIO: Candidates = (SpeechLevel.HASIPSIO,)
_HAO: Candidates = (SpeechLevel.HAO,)
_HAGE: Candidates = (SpeechLevel.HAGE,)
_HAERA: Candidates = (SpeechLevel.HAERA,)
_HAEYO: Candidates = (SpeechLevel.HAEYO,)
_HAE: Candidates = (SpeechLevel.HAE,)

# The first row whose pattern matches the end of the ending decides; the order is part of the rule.
_ROWS: tuple[tuple[str, Candidates], ...] = (
    (r"ᆸ시[오요]|십시[오요]|[ᆸ십]쇼", _HASIPSIO),
    (r"[ᆸ읍]시다", (SpeechLevel.HASIPSIO, SpeechLevel.HAO)),
    (r"[ᆸ습답랍냡잡옵]니까|니다|[습슴씀읍]다|나이[다까]|소이다|소서|올시다|더이다", _HASIPSIO),
    (r"요|죠|쥬|[어아에예세네군까게데거]여", _HAEYO),
    (r"[ᆸ습읍]디[다까]|리다|구려|구료|오|소|수|우", _HAO),
    (r"[ᆯ을][게께]", _HAE),
    (r"게나?|세나?|네만|으이|[다라자냐]네", _HAGE),
    (r"[ᆫ는은던]가", (SpeechLevel.HAGE, SpeechLevel.HAERA, SpeechLevel.HAE)),
    (r"네|(?<![구누무])나", (SpeechLevel.HAE, SpeechLevel.HAGE)),
    (r"구나|누나|더라", (SpeechLevel.HAERA, SpeechLevel.HAE)),
    (r"[ᆯ을][까꼬]", (SpeechLevel.HAE, SpeechLevel.HAERA, SpeechLevel.HAGE)),
    (r"니까|[다라냐자]니", _HAE),
    (r"다|냐|니|디|라|자|자꾸나|렴|려무나|마|랴|리|쏘냐", _HAERA),
    (r"야|어|아|여|지|군|구먼|구만|거든|[걸래대데]|고말고|텐데|삼|셈", _HAE),
    (r"[다라냐자려더라]고|[다라]며|면서|[는은ᆫᆯ을던]지|든[가지]", _HAE),
)
_TABLE = tuple((re.compile(rf"(?:{pattern})\Z"), levels) for pattern, levels in _ROWS)
_CONNECTIVE_TOO = re.compile(r"(?:게|나|라|리|지|어|아|여|거니|더니|다가|려다)\Z")
"""Endings that, where the analyser reads them as connective at the end of a sentence, leave it unfinished."""
_NOMINAL = re.compile(r"(?:음|ᆷ|기)\Z")


def levels_of_ending(ending: str, *, final: bool) -> Candidates:
    """The levels that `ending` can mark, the likeliest first; empty where the sentence is unfinished.

    `final` is the analyser's view, or the reader's where the sentence shows that it ends here.
    """
    if final and _NOMINAL.search(ending):
        return (SpeechLevel.NOMINAL,)
    if not final and _CONNECTIVE_TOO.search(ending):
        return ()
    return next((levels for pattern, levels in _TABLE if pattern.search(ending)), ())
