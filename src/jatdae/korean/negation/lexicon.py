"""The few words that a detector of negation has to know by themselves."""

from __future__ import annotations

LEXICAL_STEMS = frozenset({"없", "모르"})
"""Verbs and adjectives that deny by themselves: the complements of 있다 and 알다."""
LEXICAL_NOUNS = frozenset({"불가능", "불가", "불참", "불신", "부재"})
"""Nouns against one without their negative syllable (가능, 참석, 신뢰 ...) that the analyser keeps whole."""
NEGATIVE_PREFIXES = frozenset({"불", "미", "비", "부", "무"})
"""Prefixes that deny the noun after them, as 불 in 불가능."""
NAIL_VERBS = frozenset({"박", "박히", "치", "빼", "빠지", "뽑", "뽑히", "사", "줍"})
"""Verbs before which 못 may well be the nail."""
IDLE_NOUNS = frozenset({"걱정", "염려", "신경", "상관", "참견", "장난", "거짓말", "농담"})
"""Nouns after which a bare imperative of 말다 forbids (걱정 마)."""
