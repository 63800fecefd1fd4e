"""Length specifications: both profiles' columns of the published table, measuring, and what is stripped."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jatdae.benchmarks.munbench.length_specs import (
    Bound,
    LengthSpec,
    measure,
    named_ranges,
    parse_length,
    strip_extras,
)

TABLE = [
    ("700~1000자", [("char", 700, 1000)], [("char", 700, 1000)]),
    ("700-1000자", [("char", 700, 1000)], [("char", 700, 1000)]),
    ("700 – 1000 자", [("char", 700, 1000)], [("char", 700, 1000)]),
    ("약 800자", [("char", 640, 960)], [("char", 640, 960)]),
    ("200자 안팎", [("char", 150, 250)], [("char", 150, 250)]),
    ("4~6연 (각 연 4~5행, 총 16~30행)", [("line", 16, 30)], [("line", 16, 30), ("stanza", 4, 6)]),
    ("12~20행 내외 자유시(제목 포함)", [("line", 12, 20)], [("line", 11, 22)]),
    ("1,000~1,200자", [("char", 150, 250)], [("char", 1000, 1200)]),
    ("600～900자", [("char", 720, 1080)], [("char", 600, 900)]),
    ("1000자 이상", [("char", 800, 1200)], [("char", 1000, None)]),
    ("10줄 안팎", None, [("line", 8, 12)]),
    ("총 20행", None, [("line", 20, 20)]),
    ("3~5연", [("stanza", 3, 5)], [("stanza", 3, 5)]),
    ("자유롭게", None, None),
    ("", None, None),
]


def bounds(spec: LengthSpec | None) -> list[tuple[str, int, int | None]] | None:
    return None if spec is None else [(bound.unit, bound.low, bound.high) for bound in spec.bounds]


@pytest.mark.parametrize(("spec", "compat", "standard"), TABLE)
def test_each_row_of_the_table_reads_as_published_and_as_repaired(spec, compat, standard):
    assert bounds(parse_length(spec, "compat")) == compat
    assert bounds(parse_length(spec, "standard")) == standard


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("600자 이상 900자 이하", [("char", 600, 900)]),
        ("최대 300자", [("char", 0, 300)]),
        ("800자 미만", [("char", 0, 799)]),
        ("800자 초과", [("char", 801, None)]),
        ("12행, 300자 이내", [("char", 0, 300), ("line", 12, 12)]),
        ("500~800글자 내외", [("char", 450, 880)]),
        ("30자", [("char", 0, 80)]),
        ("900~600자", [("char", 900, 600)]),
        ("세 사람, 3자리 수", None),
    ],
)
def test_standard_reads_ends_that_are_open_and_several_units(spec, expected):
    assert bounds(parse_length(spec)) == expected


def test_a_title_that_belongs_to_the_count_is_known():
    with_title, without = parse_length("12~20행 내외 자유시(제목 포함)"), parse_length("12~20행")
    assert with_title is not None and with_title.title_counts
    assert without is not None and not without.title_counts


@given(
    st.text(alphabet="0123456789~-– ,자행연줄총약각내외안팎이상이하제목포함（～１\ud800\x00", max_size=60) | st.text()
)
def test_reading_a_specification_never_raises_and_gives_usable_bounds(spec):
    for profile in ("compat", "standard"):
        parsed = parse_length(spec, profile)
        if parsed is not None:
            assert parsed.bounds
            assert all(bound.low >= 0 for bound in parsed.bounds)
            assert len({bound.unit for bound in parsed.bounds}) == len(parsed.bounds)
            measure("가나다\n\n라", parsed)


def test_characters_count_with_and_without_white_space_and_both_ends_belong_to_the_range():
    spec = parse_length("5~6자")
    assert spec is not None
    inside, long = measure("가 나 다", spec)[0], measure("가 나 다라마", spec)[0]
    assert (inside.with_space, inside.without_space, inside.ok, inside.ratio) == (5, 3, True, 1.0)
    assert (long.with_space, long.ok) == (7, False)
    assert long.ratio == pytest.approx(7 / 6)


def test_lines_and_stanzas_must_hold_together():
    spec = parse_length("2~3연 (총 4~6행)")
    assert spec is not None
    one_stanza, two_stanzas = "하나\n둘\n셋\n넷", "하나\n둘\n \n\n셋\n넷\n"
    assert [part.ok for part in measure(one_stanza, spec)] == [True, False]
    assert [(part.unit, part.with_space, part.ok) for part in measure(two_stanzas, spec)] == [
        ("line", 4, True),
        ("stanza", 2, True),
    ]


def test_a_least_length_has_no_upper_end():
    spec = parse_length("10자 이상")
    assert spec is not None
    assert measure("가" * 5000, spec)[0].ok
    short = measure("가" * 4, spec)[0]
    assert (short.ok, short.high) == (False, None)
    assert short.ratio == pytest.approx(0.4)


def test_an_empty_text_is_too_short_and_a_text_where_none_may_be_is_infinitely_long():
    spec = LengthSpec((Bound("char", 1, 5), Bound("line", 0, 0)), "standard")
    empty, filled = measure("", spec), measure("가나", spec)
    assert [(part.ok, part.ratio) for part in empty] == [(False, 0.0), (True, 1.0)]
    assert filled[1].ratio == float("inf")


def test_preamble_rules_and_headings_do_not_count_in_standard_but_do_in_compat():
    text = "네, 써 드릴게요.\n\n---\n\n# 빈 방\n\n문이 열렸다.\n"
    standard, compat = parse_length("3~9자"), parse_length("3~9자", "compat")
    assert standard is not None and compat is not None
    assert measure(text, standard)[0].with_space == len("문이 열렸다.")
    assert measure(text, compat)[0].with_space == len(text)


def test_a_heading_counts_as_a_line_where_the_title_belongs_to_the_count():
    spec = parse_length("3행(제목 포함)")
    assert spec is not None
    assert measure("## 빈 방\n\n하나\n둘", spec)[0].with_space == 3


@pytest.mark.parametrize(
    "opening",
    [
        "네, 써 드릴게요.",
        "물론입니다! 요청하신 수필입니다.",
        "알겠습니다. 시를 한 편 지어 보았습니다.",
        "다음은 시 한 편입니다:",
    ],
)
def test_an_assistants_opening_is_stripped(opening):
    assert strip_extras(f"{opening}\n\n첫 문장이다.") == "첫 문장이다."


@pytest.mark.parametrize(
    "line",
    [
        "네가 떠난 자리에 빛이 든다.",
        "네, 알겠습니다.",
        '"네, 써 드릴게요."',
        "예전에 쓴 편지가 있다.",
        "다음은 없다고 그가 말했다.",
        "그럼 저는 이만 갑니다.",
        "네 편지를 쓴 사람은 나다.",
    ],
)
def test_the_first_line_of_a_story_stays(line):
    assert strip_extras(f"{line}\n둘째 줄.") == f"{line}\n둘째 줄."


def test_a_decomposed_text_is_counted_as_it_is_read():
    spec = parse_length("2자 이상")
    assert spec is not None
    assert measure("\u1100\u1161\u1102\u1161", spec)[0].with_space == 2


@given(st.text())
def test_stripping_never_raises_and_never_adds(text):
    assert len(strip_extras(text)) <= len(text) * 3
    assert strip_extras(text) == strip_extras(text).strip()


def test_ranges_in_a_commission_are_found_but_not_those_of_each_stanza():
    text = "3~5연, 각 연 4~6행으로 쓰고 1,000～1,200자를 넘기지 마세요."
    assert named_ranges(text) == (Bound("stanza", 3, 5), Bound("char", 1000, 1200))


def test_every_published_specification_is_read_by_both_profiles(upstream):
    from jatdae.benchmarks.munbench.reading import locate_data, read_dataset
    from jatdae.benchmarks.munbench.records import LiteraryItem
    from jatdae.benchmarks.sources import Source

    dataset = read_dataset(locate_data(Source.of(upstream)))
    units = []
    for item in dataset.of_track(2):
        assert isinstance(item, LiteraryItem)
        compat, standard = parse_length(item.length_spec, "compat"), parse_length(item.length_spec)
        assert compat is not None and standard is not None
        units.append(compat.bounds[0].unit)
    assert (units.count("char"), units.count("line")) == (39, 9)
