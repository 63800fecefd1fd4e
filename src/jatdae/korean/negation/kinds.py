"""What a negation is called, and what is known of one that was found.

The types are those of school grammar and of KoNUBench's labels; the clauses follow the benchmark's inventory.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class NegationType(StrEnum):
    """How a sentence is negated. The first five are the syntactic types, which the corpus study counts."""

    SHORT_AN = "안 단형"
    LONG_AN = "안 장형"
    SHORT_MOT = "못 단형"
    LONG_MOT = "못 장형"
    MALDA = "말다"
    COPULA = "아니다"
    LEXICAL = "어휘적"


SYNTACTIC = (
    NegationType.SHORT_AN,
    NegationType.LONG_AN,
    NegationType.SHORT_MOT,
    NegationType.LONG_MOT,
    NegationType.MALDA,
)


class ClauseType(StrEnum):
    """The clause that holds a negation.

    A main clause is `COORDINATE` where the sentence has several and `MAIN` otherwise; the corpus study counts both as
    `MAIN`. `CONFIRMATION` marks a form that asks for agreement (-잖-, -지 않니?) and denies nothing. A predicate clause
    (서술절) belongs to the clause that hosts it.
    """

    ADNOMINAL = "관형절"
    ADVERBIAL = "부사절"
    NOMINAL = "명사절"
    QUOTATIVE = "인용절"
    SUBORDINATE = "종속절"
    COORDINATE = "대등절 일부"
    MAIN = "주절"
    CONFIRMATION = "확인형"


@dataclass(frozen=True, slots=True)
class Negation:
    """One negation. Spans are half-open, in code points of the sentence as it was given (also where that is NFD).

    `marker` is the text of the span `start:end`; `predicate` the dictionary form of what it denies (마시다), `""` where
    there is none. Negations of one chain (미루지 않을 수 없다) share the number `chain`; `double` is true where a chain
    has more than one marker: two of them affirm. `confirmation` forms (-지 않니?) are listed and deny nothing. `clause`
    is None where nothing was analysed, as by the surface rules.
    """

    type: NegationType
    start: int
    end: int
    marker: str
    predicate: str
    predicate_start: int
    predicate_end: int
    clause: ClauseType | None
    chain: int
    double: bool = False
    in_quote: bool = False
    confirmation: bool = False
