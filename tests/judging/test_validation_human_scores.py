"""People's scores out and in: blind, balanced, harmless to spreadsheets, and refused with file, line and field."""

from __future__ import annotations

import codecs
import csv
import io
import json
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from biased_judges import CRITERIA, case, response
from hypothesis import given, settings
from hypothesis import strategies as st
from scripted_judge import EMOTION_CRITERIA, LINES, played

from jatdae.errors import DataError, RequestError
from jatdae.judging.cases import Case, Response, Section
from jatdae.judging.presentation import text_hash
from jatdae.judging.validation import (
    BlindSheet,
    HumanScore,
    Place,
    Rating,
    SampleKey,
    blind_sheet,
    human_preference_json,
    human_score_json,
    merge_ratings,
    merge_votes,
    read_human_preference,
    read_human_score,
    read_key,
    read_ratings,
    write_csv,
    write_jsonl,
    write_key,
)

MODELS = ("openai:가람-1", "litellm:vendor/나루", "hf:다온-7B")
PLACE = Place("scores.jsonl", 3)
HEADER = ["id", "track", "prompt", "response", *(one.name for one in CRITERIA), "overall", "rater_id"]


def samples(items: int = 12) -> list[tuple[Case, Response]]:
    return [
        (case(f"N-{item:02}", track=1 + item % 2, stratum=f"부류{item % 4}"), response(5 + item / 10, model, index))
        for item in range(items)
        for model in MODELS
        for index in range(2)
    ]


@pytest.fixture
def sheet() -> BlindSheet:
    return blind_sheet(samples(), seed="씨앗")


def cells(path: Path) -> list[list[str]]:
    return list(csv.reader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline="")))


def filled(path: Path, sheet: BlindSheet, rater: str, points: float, rows: int = 5) -> Path:
    """The sheet as one rater hands it back."""
    write_csv(sheet, path)
    table = cells(path)
    for row in table[1 : rows + 1]:
        row[4:] = [str(points), str(points), str(points), rater]
    return saved(path, table)


def saved(path: Path, table: list[list[str]], encoding: str = "utf-8-sig") -> Path:
    text = io.StringIO(newline="")
    csv.writer(text).writerows(table)
    path.write_bytes(text.getvalue().encode(encoding))
    return path


# The sheet


def test_a_sheet_names_no_model_and_its_key_does(sheet: BlindSheet, tmp_path: Path) -> None:
    for write, name in ((write_csv, "a.csv"), (write_jsonl, "a.jsonl"), (write_key, "key.jsonl")):
        write(sheet, tmp_path / name)
    shown = [(tmp_path / name).read_text("utf-8") for name in ("a.csv", "a.jsonl")]
    for model in MODELS:
        for word in (model, model.partition(":")[2]):
            assert all(word not in text for text in shown)
        assert model in (tmp_path / "key.jsonl").read_text("utf-8")
    assert all("N-03 참고" not in text for text in shown)


def test_a_text_that_names_its_author_is_masked() -> None:
    names_itself = Response("openai:x", (Section("응답", "저는 OpenAI가 만든 ChatGPT입니다. 창밖에 눈이 온다."),))
    row = blind_sheet([(case(), names_itself)], seed="1").rows[0]
    assert "ChatGPT" not in row.response and "창밖에 눈이 온다" in row.response


def test_scripted_lines_are_marked_and_not_told_twice() -> None:
    one = replace(case(), context=(Section("상황", "아침이다."), *(Section("상대의 말", line) for line in LINES)))
    row = blind_sheet([(one, played("가", "나", "다", "분석"))], seed="1").rows[0]
    assert "[1턴 상대 · 대본]\n" + LINES[0] in row.response
    assert row.prompt == "[상황]\n아침이다."


def test_ids_tell_nothing_and_depend_on_the_seed(sheet: BlindSheet) -> None:
    ids = [row.id for row in sheet.rows]
    assert len(set(ids)) == 72 and set(ids) == set(sheet.key)
    assert all(name[0] == "s" and not name.isdigit() and len(name) == 17 for name in ids)
    assert not set(ids) & {row.id for row in blind_sheet(samples(), seed="다른").rows}


def test_the_order_is_drawn_and_does_not_depend_on_the_order_given(sheet: BlindSheet) -> None:
    turned = samples()
    random.Random(3).shuffle(turned)
    assert blind_sheet(turned, seed="씨앗") == sheet
    assert [row.id for row in sheet.rows] != sorted(row.id for row in sheet.rows)


@pytest.mark.parametrize("size", [6, 12, 18, 36, 60])
def test_every_first_part_is_balanced(sheet: BlindSheet, size: int) -> None:
    entries = [sheet.key[row.id] for row in sheet.rows[:size]]
    groups = {(one.item, one.stratum) for one, _ in samples()}
    strata = dict(groups)
    for counts in (
        Counter(entry.sample.model for entry in entries),
        Counter(entry.track for entry in entries),
        Counter(strata[entry.sample.item] for entry in entries),
    ):
        assert max(counts.values()) - min(counts.values()) <= 1 + size // 18
    assert len(Counter((entry.sample.model, entry.track) for entry in entries)) == 6
    assert blind_sheet(samples(), seed="씨앗", size=size).rows == sheet.rows[:size]


def test_models_are_balanced_even_where_one_has_a_single_track() -> None:
    both = [(case(f"N-{item}", track=1 + item % 2), response(5, "가")) for item in range(12)]
    single = [(case(f"N-{item}", track=1), response(5, "나")) for item in range(12)]
    sheet = blind_sheet([*both, *single], seed="1", size=8)
    assert Counter(entry.sample.model for entry in sheet.key.values()) == {"가": 4, "나": 4}


def test_the_key_holds_weights_and_the_hash_of_the_text(sheet: BlindSheet, tmp_path: Path) -> None:
    write_key(sheet, tmp_path / "key.jsonl")
    key = read_key(tmp_path / "key.jsonl")
    assert key == dict(sheet.key)
    by_sample = {SampleKey(one.item, one.variant, text.model, text.index): text for one, text in samples()}
    entry = key[sheet.rows[0].id]
    assert entry.text_hash == text_hash(by_sample[entry.sample])
    assert entry.criteria == {"존댓말의 층위": 0.4, "절제": 0.6}


def test_a_byte_order_mark_is_there_and_in_no_column_name(sheet: BlindSheet, tmp_path: Path) -> None:
    write_csv(sheet, tmp_path / "with.csv")
    write_csv(sheet, tmp_path / "without.csv", bom=False)
    assert (tmp_path / "with.csv").read_bytes().startswith(codecs.BOM_UTF8)
    assert (tmp_path / "without.csv").read_bytes().startswith(b"id,")
    assert cells(tmp_path / "with.csv")[0] == HEADER
    filled(tmp_path / "back.csv", sheet, "나", 7)
    assert len(read_ratings([tmp_path / "back.csv"], sheet.key).scores) == 5


@given(
    text=st.text(st.characters(categories=("L", "N", "P", "S", "Z", "C")), min_size=1, max_size=40),
    start=st.sampled_from(["=", "+", "-", "@", "\t", "", " =", "＝", "\r"]),
)
@settings(max_examples=80, deadline=None)
def test_no_cell_runs_in_a_spreadsheet(text: str, start: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("sheet")
    one = replace(
        case(), context=(Section("과제", "x"),), criteria=(replace(CRITERIA[0], name=start + text.strip() + "x"),)
    )
    wild = Response("가", (Section("", start + text),))
    write_csv(blind_sheet([(one, wild)], seed="1"), folder / "a.csv")
    for row in cells(folder / "a.csv"):
        assert not any(cell.lstrip()[:1] in tuple("=+-@＝＋－＠") or cell[:1] in ("\t", "\r") for cell in row if cell)


def test_a_criterion_that_looks_like_a_formula_comes_back_by_its_name(tmp_path: Path) -> None:
    one = replace(case(), criteria=(replace(CRITERIA[0], name="-다 체", weight=1.0),))
    sheet = blind_sheet([(one, response(5))], seed="1")
    write_csv(sheet, tmp_path / "a.csv")
    table = cells(tmp_path / "a.csv")
    assert table[0][4] == "'-다 체"
    table[1][4:] = ["7", "", "나"]
    found = read_ratings([saved(tmp_path / "a.csv", table)], sheet.key).scores
    assert next(iter(found.values())).ratings[0].criteria == {"-다 체": 7.0}


def test_criteria_of_other_tracks_are_marked(tmp_path: Path) -> None:
    third = case("T-1", track=3)
    sheet = blind_sheet([(case(), response(5)), (third, response(6))], seed="1")
    write_csv(sheet, tmp_path / "a.csv")
    header, *rows = cells(tmp_path / "a.csv")
    assert set(header) == {*HEADER, *(one.name for one in EMOTION_CRITERIA[:2])}
    assert [row[4:-2].count("n/a") for row in rows] == [2, 2]
    by_id = {row[0]: dict(zip(header, row, strict=True)) for row in rows}
    for row in by_id.values():
        row["overall"], row["rater_id"] = "5", "나"
    table = [header, *([row[name] for name in header] for row in by_id.values())]
    assert len(read_ratings([saved(tmp_path / "b.csv", table)], sheet.key).scores) == 2
    wrong = next(row for row in by_id.values() if row["track"] == "1")
    wrong[EMOTION_CRITERIA[0].name] = "5"
    table = [header, *([row[name] for name in header] for row in by_id.values())]
    with pytest.raises(DataError, match="does not apply"):
        read_ratings([saved(tmp_path / "c.csv", table)], sheet.key)


def test_a_sheet_is_never_written_over(sheet: BlindSheet, tmp_path: Path) -> None:
    filled(tmp_path / "a.csv", sheet, "나", 7)
    for write in (write_csv, write_jsonl, write_key):
        with pytest.raises(RequestError, match="exists"):
            write(sheet, tmp_path / "a.csv")
    with pytest.raises(RequestError, match="cannot be written"):
        write_csv(sheet, tmp_path / "none" / "a.csv")


def test_odd_texts_do_not_break_a_sheet(tmp_path: Path) -> None:
    wild = Response("가\ud800", (Section("응답", "가\x00나\ud83d \u200b\r\n=1+1,\"'\u202e"),))
    sheet = blind_sheet([(case(), wild)], seed="1")
    for write, name in ((write_csv, "a.csv"), (write_jsonl, "a.jsonl"), (write_key, "k.jsonl")):
        write(sheet, tmp_path / name)
    assert len(cells(tmp_path / "a.csv")) == 2
    assert len((tmp_path / "a.jsonl").read_text("utf-8").splitlines()) == 1


def test_what_cannot_be_a_sheet_is_refused() -> None:
    with pytest.raises(RequestError, match="differ"):
        blind_sheet([*samples(2), samples(2)[0]], seed="1")
    with pytest.raises(RequestError, match="one at least"):
        blind_sheet([], seed="1")
    with pytest.raises(RequestError, match="size 0"):
        blind_sheet(samples(2), seed="1", size=0)


# Back in


def test_several_raters_merge_into_the_object_form(sheet: BlindSheet, tmp_path: Path) -> None:
    first, second = filled(tmp_path / "a.csv", sheet, "가", 6), filled(tmp_path / "b.csv", sheet, "나", 8.5, rows=3)
    found = read_ratings([first, second], sheet.key)
    both = found.scores[sheet.key[sheet.rows[0].id].sample]
    assert human_score_json(both) == {
        "score": 7.25,
        "n_raters": 2,
        "ratings": [
            {"rater_id": "가", "score": 6.0, "criteria": {"존댓말의 층위": 6.0, "절제": 6.0}},
            {"rater_id": "나", "score": 8.5, "criteria": {"존댓말의 층위": 8.5, "절제": 8.5}},
        ],
        "distribution": {"6": 1, "8.5": 1},
    }
    assert (len(found.scores), found.unrated) == (5, 67 + 69)
    assert found.scores[sheet.key[sheet.rows[4].id].sample].n_raters == 1


def test_a_row_with_all_criteria_and_no_overall_gets_their_weighted_mean(sheet: BlindSheet, tmp_path: Path) -> None:
    write_csv(sheet, tmp_path / "a.csv")
    table = cells(tmp_path / "a.csv")
    table[1][4:], table[2][4:] = ["5", "10", " ", "나"], ["5", "", "", "나"]
    found = read_ratings([saved(tmp_path / "a.csv", table)], sheet.key).scores
    whole, part = (found[sheet.key[table[place][0]].sample] for place in (1, 2))
    assert whole.score == pytest.approx(0.4 * 5 + 0.6 * 10)
    assert (part.score, part.ratings[0].criteria) == (None, {"존댓말의 층위": 5.0})


def test_a_sheet_that_excel_saved_as_cp949_is_read_and_said_so(sheet: BlindSheet, tmp_path: Path) -> None:
    filled(tmp_path / "a.csv", sheet, "평가자", 7)
    copy = tmp_path / "b.csv"
    copy.write_bytes((tmp_path / "a.csv").read_bytes().decode("utf-8-sig").encode("cp949"))
    found = read_ratings([copy], sheet.key)
    assert found.encodings == {str(copy): "cp949"}
    assert found.scores == read_ratings([tmp_path / "a.csv"], sheet.key).scores


@pytest.mark.parametrize(("encoding", "named"), [("utf-16", "UTF-16"), ("euc-jp", "neither UTF-8 nor cp949")])
def test_other_encodings_are_refused_by_name(sheet: BlindSheet, tmp_path: Path, encoding: str, named: str) -> None:
    (tmp_path / "a.csv").write_bytes(
        "id,overall,rater_id\n日本語のテキスト髙,5,x\n".encode(encoding, "replace") + b"\xff"
    )
    with pytest.raises(DataError, match=named):
        read_ratings([tmp_path / "a.csv"], sheet.key)


@pytest.mark.parametrize(
    ("change", "line", "field"),
    [
        ({"id": "s0000000000000000"}, 2, "id"),
        ({"overall": "10.5"}, 2, "overall"),
        ({"overall": "-1"}, 2, "overall"),
        ({"overall": "NaN"}, 2, "overall"),
        ({"overall": "8/10"}, 2, "overall"),
        ({"overall": "7,5"}, 2, "overall"),
        ({"overall": "=5+5"}, 2, "overall"),
        ({"절제": "11"}, 2, "절제"),
        ({"절제": "좋음"}, 2, "절제"),
        ({"rater_id": "  "}, 2, "rater_id"),
    ],
)
def test_a_faulty_row_is_refused_with_file_line_and_field(
    sheet: BlindSheet, tmp_path: Path, change: dict[str, str], line: int, field: str
) -> None:
    path = filled(tmp_path / "a.csv", sheet, "나", 7)
    table = cells(path)
    for name, value in change.items():
        table[1][table[0].index(name)] = value
    with pytest.raises(DataError) as caught:
        read_ratings([saved(path, table)], sheet.key)
    assert (caught.value.path, caught.value.line, caught.value.field) == (path, line, field)
    assert "\n" not in str(caught.value)


def test_the_line_is_that_of_the_file_although_texts_have_many(sheet: BlindSheet, tmp_path: Path) -> None:
    path = filled(tmp_path / "a.csv", sheet, "나", 7)
    table = cells(path)
    table[3][table[0].index("overall")] = "99"
    saved(path, table)
    text = path.read_bytes().decode("utf-8-sig")
    line = text[: text.index(table[3][0])].count("\n") + 1
    with pytest.raises(DataError, match=f"line {line},"):
        read_ratings([path], sheet.key)
    assert line > 4


def test_a_rater_may_score_a_response_once(sheet: BlindSheet, tmp_path: Path) -> None:
    path = filled(tmp_path / "a.csv", sheet, "나", 7)
    with pytest.raises(DataError, match=r"scored s\w+ before"):
        read_ratings([path, path], sheet.key)
    table = cells(path)
    with pytest.raises(DataError, match="before"):
        read_ratings([saved(path, [*table, table[1]])], sheet.key)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "missing"),
        ("id,overall\ns1,5\n", "rater_id"),
        ("id,id,overall,rater_id\n", "twice"),
        ('id,overall,rater_id\n"s1,5,나\n', "not CSV"),
        ("id,overall,rater_id\ns1,5\n", "2 cells under 3 columns"),
        ("id,overall,rater_id\n\x00,5,나\n", "not in the key"),
    ],
)
def test_a_broken_table_is_refused(sheet: BlindSheet, tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "a.csv").write_text(text, "utf-8")
    with pytest.raises(DataError, match=words):
        read_ratings([tmp_path / "a.csv"], sheet.key)


def test_json_and_json_lines_say_the_same_as_csv(sheet: BlindSheet, tmp_path: Path) -> None:
    write_jsonl(sheet, tmp_path / "a.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text("utf-8").splitlines()]
    for row in rows[:5]:
        row.update(overall=7, rater_id="나", criteria=dict.fromkeys(row["criteria"], 7))
    (tmp_path / "b.jsonl").write_text("\ufeff" + "\n".join(json.dumps(row) for row in rows) + "\n", "utf-8")
    (tmp_path / "b.json").write_text(json.dumps(rows), "utf-8")
    by_csv = read_ratings([filled(tmp_path / "a.csv", sheet, "나", 7)], sheet.key)
    for name in ("b.jsonl", "b.json"):
        assert read_ratings([tmp_path / name], sheet.key) == by_csv
    assert read_ratings([tmp_path / "a.jsonl"], sheet.key).unrated == 72


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ('{"id": "x", "overall": NaN, "rater_id": "나"}', "NaN"),
        ('{"id": "x", "overall": 5, "overall": 6}', "twice"),
        ('{"id": "x"', "not JSON"),
        ("[1]", "object is needed"),
        ("[" * 100_000, "not JSON"),
        ('{"id": 5, "overall": 5}', "'5' is not in the key"),
        ('{"id": "ID", "overall": true, "rater_id": "나"}', "no number"),
        ('{"id": "ID", "overall": 5, "rater_id": 7}', "no rater"),
        ('{"id": "ID", "criteria": [5], "rater_id": "나"}', "object of scores"),
        ('{"id": "ID", "overall": 5, "rater_id": "나", "at": 5}', "time in text"),
    ],
)
def test_a_broken_line_is_refused(sheet: BlindSheet, tmp_path: Path, row: str, words: str) -> None:
    (tmp_path / "a.jsonl").write_text("\n" + row.replace("ID", sheet.rows[0].id), "utf-8")
    with pytest.raises(DataError, match=words) as caught:
        read_ratings([tmp_path / "a.jsonl"], sheet.key)
    assert caught.value.line == 2


def test_a_damaged_key_and_a_missing_file_are_refused(sheet: BlindSheet, tmp_path: Path) -> None:
    write_key(sheet, tmp_path / "key.jsonl")
    first = (tmp_path / "key.jsonl").read_text("utf-8").splitlines()[0]
    for text, words in ((f"{first}\n{first}", "twice"), ('{"id": "s1"}', "not an entry")):
        (tmp_path / "bad.jsonl").write_text(text, "utf-8")
        with pytest.raises(DataError, match=words):
            read_key(tmp_path / "bad.jsonl")
    with pytest.raises(DataError, match="cannot be read"):
        read_ratings([tmp_path / "none.csv"], sheet.key)


# The forms of the field


scale = st.one_of(st.integers(0, 10), st.floats(0, 10))
names = st.text(min_size=1, max_size=8)
rating_json = st.fixed_dictionaries(
    {"rater_id": names, "score": st.none() | scale, "criteria": st.dictionaries(names, scale, max_size=3)},
    optional={"at": names},
)
object_form = st.builds(
    lambda score, ratings, more, spread: {
        "score": score,
        "n_raters": len(ratings) + more,
        "ratings": ratings,
        "distribution": spread,
    },
    st.none() | scale,
    st.lists(rating_json, max_size=3),
    st.integers(0, 5),
    st.dictionaries(names, st.integers(0, 50), max_size=4),
)


@given(value=st.one_of(st.none(), scale, object_form))
def test_every_form_of_a_score_comes_back_as_it_was(value) -> None:
    assert human_score_json(read_human_score(value, PLACE)) == value
    assert read_human_score(json.loads(json.dumps(value)), PLACE) == read_human_score(value, PLACE)


@given(votes=st.lists(st.sampled_from(["A", "B", "tie"]), max_size=9))
def test_every_form_of_a_preference_comes_back_as_it_was(votes) -> None:
    value = human_preference_json(merge_votes(votes))
    assert human_preference_json(read_human_preference(value, PLACE)) == value
    if votes:
        most = Counter(votes).most_common()
        assert value["preference"] == (most[0][0] if len(most) == 1 or most[0][1] > most[1][1] else "tie")
        assert value["n_raters"] == len(votes)


def test_a_short_object_is_filled_up() -> None:
    assert read_human_score({"score": 7}, PLACE) == HumanScore(7, 0)
    assert human_preference_json(read_human_preference({"preference": "A"}, PLACE)) == {
        "preference": "A",
        "n_raters": 0,
        "votes": {},
    }


@pytest.mark.parametrize(
    ("value", "field"),
    [
        (10.1, "human_score"),
        (-0.1, "human_score"),
        (True, "human_score"),
        ("7", "human_score"),
        (float("nan"), "human_score"),
        ([7], "human_score"),
        ({"score": 11}, "human_score.score"),
        ({"score": 5, "raters": 3}, "human_score.raters"),
        ({"score": 5, "n_raters": -1}, "human_score.n_raters"),
        ({"score": 5, "n_raters": 0, "ratings": [{"rater_id": "가", "score": 5}]}, "human_score.n_raters"),
        ({"ratings": [{"score": 5}]}, "human_score.ratings[0].rater_id"),
        ({"ratings": [{"rater_id": "가", "score": 12}]}, "human_score.ratings[0].score"),
        ({"ratings": [{"rater_id": "가", "criteria": {"절제": "7"}}]}, "human_score.ratings[0].criteria.절제"),
        ({"ratings": [{"rater_id": "가", "at": 5}]}, "human_score.ratings[0].at"),
        ({"ratings": {"가": 5}}, "human_score.ratings"),
        ({"distribution": {"7": -1}}, "human_score.distribution.7"),
    ],
)
def test_what_is_no_score_is_refused_with_its_field(value, field: str) -> None:
    with pytest.raises(DataError) as caught:
        read_human_score(value, PLACE)
    assert (caught.value.line, caught.value.field) == (3, field)


@pytest.mark.parametrize(
    ("value", "field"),
    [
        ("A", "human_score"),
        ({"preference": "C"}, "human_score.preference"),
        ({"preference": "A", "votes": {"D": 1}}, "human_score.votes.D"),
        ({"preference": "A", "votes": {"A": 1.5}}, "human_score.votes.A"),
        ({"preference": "A", "n_raters": 1, "votes": {"A": 2}}, "human_score.n_raters"),
    ],
)
def test_what_is_no_preference_is_refused_with_its_field(value, field: str) -> None:
    with pytest.raises(DataError) as caught:
        read_human_preference(value, PLACE)
    assert caught.value.field == field


def test_merging_ratings() -> None:
    merged = merge_ratings([Rating("가", 6), Rating("나", None, {"절제": 4}), Rating("다", 8)])
    assert (merged.score, merged.n_raters, merged.distribution) == (7, 3, {"6": 1, "8": 1})
    assert merge_ratings([Rating("나", None, {"절제": 4})]).score is None
    with pytest.raises(ValueError, match="twice"):
        merge_ratings([Rating("가", 6), Rating("가", 7)])
