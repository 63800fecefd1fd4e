"""Reading a data folder: what becomes of each file, and which faults stand in the way."""

from __future__ import annotations

import json
import random
import unicodedata
from pathlib import Path

import munbench_folder as made
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from munbench_faults import FAULTS

from jatdae.benchmarks.munbench.reading import locate_data, read_dataset
from jatdae.benchmarks.munbench.records import Check, EmotionItem, LiteraryItem, NuanceItem, Variant
from jatdae.benchmarks.munbench.validation import validate
from jatdae.benchmarks.sources import Source
from jatdae.errors import DataError, RequestError


def read(folder: Path, files: made.Documents):
    return read_dataset(made.write(folder, files))


def test_items_become_records_in_file_order(tmp_path):
    dataset = read(tmp_path, made.documents())
    assert [item.id for item in dataset.items] == [
        "T1-01-01",
        "T1-02-01",
        "T2-02-01",
        "T2-03-01",
        "T3-01-01",
        "T3-02-01",
        "T3-03-01",
        "T3-04-01",
    ]
    play, essay, register = (dataset.of_track(track)[0] for track in (1, 2, 3))
    assert isinstance(play, EmotionItem) and isinstance(essay, LiteraryItem) and isinstance(register, NuanceItem)
    assert (play.group, len(play.turns), play.setup_public, play.split) == ("직장", 3, None, "public")
    assert (register.variant, essay.length_spec) == (None, "500~700자")


def test_constraints_are_a_tuple_whether_written_as_text_or_list_or_not_at_all(tmp_path):
    files = made.documents()
    files[made.LITERARY].append({**files[made.LITERARY][0], "id": "T2-02-02", "constraints_ko": " "})
    found = [item.constraints for item in read(tmp_path, files).of_track(2) if isinstance(item, LiteraryItem)]
    assert found == [("비를 슬픔에 빗대지 말 것.",), ("묻는 말을 쓰지 말 것.", "사람 이름을 쓰지 말 것."), ()]


def test_blank_optional_texts_are_none(tmp_path):
    files = made.documents()
    files[made.EMOTION][0]["setup_public_ko"] = ""
    files[made.NUANCE][3].update(variant_neutral_ko="  ", variant_expected_ko="")
    dataset = read(tmp_path, files)
    play, subtext = dataset.items[0], dataset.items[-1]
    assert isinstance(play, EmotionItem) and play.setup_public is None
    assert isinstance(subtext, NuanceItem) and subtext.variant is None


def test_a_variant_takes_the_kind_of_its_subtype_and_its_own_expectation(tmp_path):
    variants = [item.variant for item in read(tmp_path, made.documents()).of_track(3) if isinstance(item, NuanceItem)]
    assert [variant.kind if variant else None for variant in variants] == [
        None,
        "decontextualised",
        "culture_implied",
        "sincere_control",
    ]
    assert variants[3] is not None and variants[3].expected == "반가움으로 받는다." and variants[3].scorable


def test_the_variants_sidecar_lies_over_the_items_field_by_field(tmp_path):
    files = made.documents()
    files[made.VARIANTS] = {
        "T3-04-01": {"kind": "sincere_control", "text": "반갑게 맞는 말에 대답을 쓰세요.", "judge_notes": "따로."},
        "T3-03-01": {"expected": "높이며 인사한다."},
    }
    variants = {item.id: item.variant for item in read(tmp_path, files).of_track(3) if isinstance(item, NuanceItem)}
    assert variants["T3-04-01"] == Variant(
        "sincere_control", "반갑게 맞는 말에 대답을 쓰세요.", "반가움으로 받는다.", "따로."
    )
    whole = variants["T3-03-01"]
    assert whole is not None and whole.expected == "높이며 인사한다."
    assert whole.text == files[made.NUANCE][2]["variant_neutral_ko"]


def test_a_sincere_control_without_expectation_is_read_but_not_scorable(tmp_path):
    files = made.documents()
    del files[made.NUANCE][3]["variant_expected_ko"]
    item = read(tmp_path, files).items[-1]
    assert isinstance(item, NuanceItem) and item.variant is not None and not item.variant.scorable


def test_failure_signals_are_cut_at_semicolons_or_taken_as_listed(tmp_path):
    files = made.documents()
    files[made.RUBRIC_1]["criteria"][1]["failure_signals_ko"] = ["하나; 둘", "셋"]
    rubric = read(tmp_path, files).rubrics[1]
    assert [criterion.failure_signals for criterion in rubric.criteria] == [("말을 놓침", "겉돎"), ("하나; 둘", "셋")]


def test_a_slop_list_of_version_1_becomes_strong_literals(tmp_path):
    files = made.documents()
    files[made.SLOP] = {"phrases": ["고요만이 감돌", "바람만이 알 뿐"], "notes_ko": ""}
    slop = read(tmp_path, files).slop
    assert slop.version == "1"
    assert [(entry.id, entry.kind, entry.strength) for entry in slop.entries] == [
        ("v1-001", "literal", "strong"),
        ("v1-002", "literal", "strong"),
    ]


def test_a_slop_list_of_version_2_keeps_kinds_families_and_examples(tmp_path):
    slop = read(tmp_path, made.documents()).slop
    assert slop.version == "2"
    assert [(entry.kind, entry.strength, entry.family) for entry in slop.entries] == [
        ("literal", "strong", "scene"),
        ("regex", "weak", "closing"),
    ]
    assert slop.entries[1].positives == ("결국은 우리 모두 그렇다.",)


def test_applicability_comes_from_the_file_where_there_is_one(tmp_path):
    files = made.documents()
    files[made.APPLICABILITY] = {"register": {"속뜻": 0, "높임": 1}}
    assert read(tmp_path, files).applicability == {"register": {"속뜻": 0.0, "높임": 1.0}}


def test_published_criteria_have_published_factors_and_others_none(tmp_path):
    files = made.documents()
    for row, name in zip(
        files[made.RUBRIC_3]["criteria"], ("경어 층위 전환 정확성", "반어·서브텍스트 해석"), strict=False
    ):
        row["name_ko"] = name
    applicability = read(tmp_path, files).applicability
    assert applicability["register"] == {"경어 층위 전환 정확성": 1.0, "반어·서브텍스트 해석": 0.0}
    assert applicability["idiom"] == {"경어 층위 전환 정확성": 0.5, "반어·서브텍스트 해석": 0.5}


def test_criteria_without_published_names_have_no_factors(tmp_path):
    assert read(tmp_path, made.documents()).applicability == {}


def test_checks_are_read_by_item_with_their_bounds(tmp_path):
    files = made.documents()
    files[made.CHECKS] = {
        "T2-03-01": [
            {"type": "must_not_include", "values": "눈물", "match": "stem"},
            {"type": "line_range", "low": 8, "high": 14},
            {"type": "must_include", "values": ["종점 ?이다"], "match": "regex"},
        ]
    }
    assert read(tmp_path, files).checks["T2-03-01"] == (
        Check("must_not_include", ("눈물",), "stem"),
        Check("line_range", (), "literal", 8, 14),
        Check("must_include", ("종점 ?이다",), "regex"),
    )


def test_manifest_and_consensus_are_kept_as_they_are(tmp_path):
    files = made.documents()
    files[made.MANIFEST], files[made.CONSENSUS] = {"version": "1"}, {"T1-01-01": {"서운함": 0.7}}
    assert read(tmp_path, files).extra == {made.MANIFEST: files[made.MANIFEST], made.CONSENSUS: files[made.CONSENSUS]}


def test_the_hash_stands_for_content_not_for_formatting_or_order_of_keys(tmp_path):
    files = made.documents()
    plain = read(tmp_path / "plain", files).hash
    pretty = {
        name: json.dumps(value, indent=4, sort_keys=True, ensure_ascii=True).replace("\n", "\r\n").encode("utf-8-sig")
        for name, value in reversed(files.items())
    }
    assert read(tmp_path / "pretty", pretty).hash == plain
    files[made.RUBRIC_2]["notes_ko"] += "!"
    assert read(tmp_path / "changed", files).hash != plain
    assert len(plain) == 64


def test_every_file_counts_for_the_hash(tmp_path):
    files = made.documents()
    plain = read(tmp_path / "plain", files).hash
    files[made.CONSENSUS] = {}
    assert read(tmp_path / "more", files).hash != plain


REFUSED = {
    "missing file": (lambda files: files.pop(made.NUANCE), made.NUANCE, None),
    "cp949": (lambda files: files.update({made.SLOP: "고요".encode("cp949")}), made.SLOP, None),
    "no JSON": (lambda files: files.update({made.SLOP: b"{\n\n,}"}), made.SLOP, None),
    "key twice": (lambda files: files.update({made.SLOP: b'{"phrases": [], "phrases": []}'}), made.SLOP, None),
    "NaN": (lambda files: files.update({made.MANIFEST: b"[NaN]"}), made.MANIFEST, None),
    "decomposed": (
        lambda files: files[made.EMOTION][1].update(title=unicodedata.normalize("NFD", "국")),
        made.EMOTION,
        "T1-02-01: title",
    ),
    "half a pair": (lambda files: files[made.EMOTION][0].update(title="\ud800"), made.EMOTION, "[0].title"),
    "no list": (lambda files: files.update({made.EMOTION: {}}), made.EMOTION, None),
    "no object": (lambda files: files[made.EMOTION].append(3), made.EMOTION, None),
    "id of another track": (lambda files: files[made.EMOTION][0].update(id="T2-01-01"), made.EMOTION, "id"),
    "missing text": (lambda files: files[made.LITERARY][0].pop("prompt_ko"), made.LITERARY, "prompt_ko"),
    "list for text": (lambda files: files[made.NUANCE][0].update(prompt_ko=[]), made.NUANCE, "prompt_ko"),
    "two turns": (lambda files: files[made.EMOTION][0]["turns_ko"].pop(), made.EMOTION, "turns_ko"),
    "unknown form": (lambda files: files[made.LITERARY][0].update(form="희곡"), made.LITERARY, "form"),
    "register variant": (
        lambda files: files[made.NUANCE][0].update(variant_neutral_ko="쓰세요."),
        made.NUANCE,
        "variant_neutral_ko",
    ),
    "kind": (lambda files: files[made.NUANCE][1].update(variant_kind="other"), made.NUANCE, "variant_kind"),
    "weights": (lambda files: files[made.RUBRIC_1]["criteria"].pop(), made.RUBRIC_1, "weight"),
    "weight of text": (
        lambda files: files[made.RUBRIC_1]["criteria"][0].update(weight="1"),
        made.RUBRIC_1,
        "weight",
    ),
    "criterion twice": (
        lambda files: files[made.RUBRIC_1]["criteria"][0].update(name_ko="말씨"),
        made.RUBRIC_1,
        "name_ko",
    ),
    "entry kind": (lambda files: files[made.SLOP]["entries"][0].update(kind="glob"), made.SLOP, "kind"),
    "slow pattern": (lambda files: files[made.SLOP]["entries"][1].update(pattern="(가+)+나"), made.SLOP, "pattern"),
    "entry twice": (lambda files: files[made.SLOP]["entries"][1].update(id="hush"), made.SLOP, "id"),
    "subtype": (
        lambda files: files.update({made.APPLICABILITY: {"irony": {"높임": 1}}}),
        made.APPLICABILITY,
        "irony",
    ),
    "criterion": (
        lambda files: files.update({made.APPLICABILITY: {"idiom": {"높임말": 1}}}),
        made.APPLICABILITY,
        "높임말",
    ),
    "nothing applies": (
        lambda files: files.update({made.APPLICABILITY: {"idiom": dict.fromkeys(("높임", "어울림", "속뜻"), 0)}}),
        made.APPLICABILITY,
        None,
    ),
    "check type": (
        lambda files: files.update({made.CHECKS: {"T1-01-01": [{"type": "matches", "values": ["가"]}]}}),
        made.CHECKS,
        "type",
    ),
    "check without bounds": (
        lambda files: files.update({made.CHECKS: {"T1-01-01": [{"type": "char_range"}]}}),
        made.CHECKS,
        "low",
    ),
    "check for no item": (lambda files: files.update({made.CHECKS: {"T1-09-01": []}}), made.CHECKS, "T1-09-01"),
    "variant for no task": (lambda files: files.update({made.VARIANTS: {"T1-01-01": {}}}), made.VARIANTS, "T1-01-01"),
    "variant without text": (
        lambda files: files.update({made.VARIANTS: {"T3-01-01": {"expected": "짧게."}}}),
        made.VARIANTS,
        "text",
    ),
}


@pytest.mark.parametrize(("change", "file", "field"), REFUSED.values(), ids=REFUSED.keys())
def test_a_fault_that_prevents_use_names_file_and_field(change, file, field, tmp_path):
    files = made.documents()
    change(files)
    with pytest.raises(DataError) as raised:
        read(tmp_path, files)
    assert raised.value.path == tmp_path / file
    assert raised.value.field == field
    assert "\n" not in str(raised.value)


def test_an_id_that_occurs_twice_is_refused(tmp_path):
    files = made.documents()
    files[made.NUANCE].append(files[made.NUANCE][0])
    with pytest.raises(DataError, match="T3-01-01 occurs twice"):
        read(tmp_path, files)


def test_the_message_names_the_item_and_the_nearest_word(tmp_path):
    files = made.documents()
    files[made.NUANCE][1]["subtype"] = "idioms"
    with pytest.raises(DataError, match=r"T3-02-01: unknown value 'idioms'; did you mean 'idiom'"):
        read(tmp_path, files)


@pytest.mark.parametrize(
    ("level", "change"), [pytest.param(fault[1], fault[3], id=f"{fault[0]} {fault[2]}") for fault in FAULTS]
)
def test_what_the_validator_only_warns_of_can_be_read_and_nothing_crashes(level, change, tmp_path):
    files = made.documents()
    change(files)
    try:
        read(tmp_path, files)
    except DataError:
        assert level == "error"


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10**6), value=JSON_VALUES)
def test_any_value_at_any_place_is_read_or_refused_and_validated(seed, value, tmp_path):
    files = made.documents()
    files[made.VARIANTS] = {"T3-04-01": {"kind": "sincere_control", "text": "대답을 쓰세요.", "expected": "짧게."}}
    files[made.CHECKS] = {"T2-03-01": [{"type": "line_range", "low": 8, "high": 14}]}
    files[made.APPLICABILITY] = {"idiom": {"높임": 0.5}}
    files[made.MANIFEST] = {"counts": {"1": {"직장": 1}}}
    place(files, random.Random(seed), value)
    folder = made.write(tmp_path, files)
    report = validate(folder)
    try:
        read_dataset(folder)
    except DataError:
        assert not report.passed


def place(files: made.Documents, chance: random.Random, value: object) -> None:
    """Put a value somewhere: walk down at random, stop at random."""
    holder, key = files, chance.choice(sorted(files))
    while isinstance(holder[key], dict | list) and holder[key] and chance.random() < 0.8:
        holder = holder[key]
        key = chance.choice(sorted(holder) if isinstance(holder, dict) else range(len(holder)))
    holder[key] = value


def test_data_are_found_below_the_folder_that_the_user_names(tmp_path):
    made.write(tmp_path / "munbench" / "data", made.documents())
    for named in (tmp_path, tmp_path / "munbench", tmp_path / "munbench" / "data"):
        assert locate_data(Source.of(named)) == tmp_path / "munbench" / "data"


def test_a_folder_without_data_is_refused_with_the_way_out(tmp_path):
    with pytest.raises(RequestError, match=r"items/ and rubrics/ with --data, or try --data mini"):
        locate_data(Source.of(tmp_path))


def test_the_bundled_starter_set_is_read_and_passes_validation():
    folder = locate_data(Source.of("mini"))
    dataset = read_dataset(folder)
    assert [len(dataset.of_track(track)) >= least for track, least in ((1, 6), (2, 6), (3, 12))] == [True] * 3
    assert {item.group for item in dataset.of_track(3)} == {"register", "idiom", "culture-pair", "subtext"}
    assert dataset.slop.version == "2"
    assert [str(finding) for finding in validate(folder).errors] == []


def test_the_published_set_is_read_whole(upstream):
    dataset = read_dataset(locate_data(Source.of(upstream)))
    assert [len(dataset.of_track(track)) for track in (1, 2, 3)] == [50, 48, 60]
    variants = [item.variant for item in dataset.of_track(3) if isinstance(item, NuanceItem) and item.variant]
    assert (len(variants), sum(variant.scorable for variant in variants)) == (33, 30)
    assert [len(dataset.rubrics[track].criteria) for track in (1, 2, 3)] == [6, 7, 6]
    assert all(len(row) == 6 for row in dataset.applicability.values())
    assert (dataset.slop.version, len(dataset.slop.entries)) == ("1", 184)


def test_the_published_sample_is_read_too(upstream):
    dataset = read_dataset(upstream / "munbench" / "data_sample")
    assert [len(dataset.of_track(track)) for track in (1, 2, 3)] == [10, 13, 24]
