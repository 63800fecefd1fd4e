"""What holds of every sentence that the negator is given, over sentences composed by a small grammar."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from jatdae.korean.negating import negate, negate_locally
from jatdae.korean.negation import detect
from jatdae.korean.negation.kinds import NegationType

SUBJECTS = ("지수는", "우리 반 민호는", "늙은 목수는", "옆집 아이는")
VERBS = (
    ("마당에서 노래를", "부른다", "불렀다", "불렀고"),
    ("언덕 위에", "집을 짓는다", "집을 지었다", "집을 지었고"),
    ("새 책을", "읽는다", "읽었다", "읽었고"),
    ("날마다 방을", "청소한다", "청소했다", "청소했고"),
    ("시장에서 생선을", "판다", "팔았다", "팔았고"),
)
SYLLABLES = (*"안못지않다고며이가었면와과없있말자하되.,(“", "거나", "아니")
NOUNS = ("화가", "선생님", "어부", "군인")

verb = st.builds(
    lambda subject, words, past: f"{subject} {words[0]} {words[2 if past else 1]}",
    st.sampled_from(SUBJECTS),
    st.sampled_from(VERBS),
    st.booleans(),
)
copula = st.builds("{} {}이다".format, st.sampled_from(SUBJECTS), st.sampled_from(NOUNS))
clause = st.one_of(verb, copula)
first = st.builds(
    lambda subject, words: f"{subject} {words[0]} {words[3]}", st.sampled_from(SUBJECTS), st.sampled_from(VERBS)
)
compound = st.builds("{}, {}".format, first, clause)
wrapping = st.sampled_from(("{}.", "{}!", "  {}. ", "그날 “봄”이라는 가게에서 {} ..."))
form = st.sampled_from((None, *(kind for kind in NegationType if kind.value[0] in "안못")))

few = settings(max_examples=60, deadline=None)


@few
@given(clause, wrapping, form)
def test_negating_a_single_clause_twice_gives_it_back(text: str, frame: str, kind: NegationType | None) -> None:
    sentence = frame.format(text)
    once = negate(sentence, kind)
    assert once is not None
    assert once.text != sentence

    twice = negate(once.text)

    assert twice is not None
    assert twice.text == sentence
    assert twice.types == (None,)


@few
@given(st.one_of(clause, compound), wrapping, form)
def test_each_main_clause_gets_one_negation_more(text: str, frame: str, kind: NegationType | None) -> None:
    sentence = frame.format(text)

    result = negate(sentence, kind)

    assert result is not None
    assert len(detect(result.text)) == len(detect(sentence)) + len(result.types)
    assert sorted(found.type for found in detect(result.text)) == sorted(each for each in result.types if each)
    assert len(result.types) == text.count(",") + 1


@few
@given(compound, wrapping, form)
def test_text_outside_the_predicates_is_untouched(text: str, frame: str, kind: NegationType | None) -> None:
    sentence = frame.format(text)
    result = negate(sentence, kind)
    assert result is not None

    before, after = frame.split("{}")
    subject_and_adverbial = text.split(",")[0].rsplit(" ", 2)[0]
    assert result.text.startswith(before + subject_and_adverbial)
    assert result.text.endswith(after)
    assert result.text.count(",") == sentence.count(",")
    assert result.text.count("  ") == sentence.count("  ")


@few
@given(st.text(max_size=60))
def test_any_text_is_taken(text: str) -> None:
    negate(text)
    negate_locally(text)


@few
@given(
    st.lists(
        st.sampled_from(SYLLABLES),
        max_size=14,
    )
)
def test_any_string_of_the_syllables_that_the_rules_look_for_is_taken(syllables: list[str]) -> None:
    for separator in ("", " "):
        negate(separator.join(syllables))
        negate_locally(separator.join(syllables))
