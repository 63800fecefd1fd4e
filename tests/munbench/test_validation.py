"""The validator: a faultless folder, one fault of each rule, and what it finds in the published items."""

from __future__ import annotations

import json
from pathlib import Path

import munbench_folder as made
import pytest
from munbench_faults import FAULTS, Change

from jatdae.benchmarks.munbench.reading.layout import REQUIRED
from jatdae.benchmarks.munbench.validation import Finding, Report, validate


def findings_after(change: Change, folder: Path) -> tuple[Finding, ...]:
    files = made.documents()
    change(files)
    return validate(made.write(folder, files)).findings


def test_a_faultless_folder_has_no_findings(tmp_path):
    report = validate(made.write(tmp_path, made.documents()))
    assert report.findings == ()
    assert report.passed


@pytest.mark.parametrize(
    ("rule", "level", "change"),
    [pytest.param(rule, level, change, id=f"{rule} {name}") for rule, level, name, change in FAULTS],
)
def test_one_fault_is_found_by_its_rule_and_by_no_other(rule, level, change, tmp_path):
    found = findings_after(change, tmp_path)
    assert {(finding.rule, finding.level) for finding in found} == {(rule, level)}
    assert all(finding.file and finding.message and "\n" not in str(finding) for finding in found)


def test_every_rule_has_a_fault_that_it_finds():
    own = {"V24", "V25"}  # these have tests of their own below
    assert {rule for rule, *_ in FAULTS} | own == {f"V{number:02d}" for number in range(1, 29)}


def test_an_unknown_domain_or_form_or_subtype_is_named(tmp_path):
    files = made.documents()
    files[made.EMOTION][0]["domain"] = "회사"
    found = [finding for finding in validate(made.write(tmp_path, files)).findings if finding.rule == "V08"]
    assert [(finding.item, finding.field) for finding in found] == [("T1-01-01", "domain")]
    assert "회사" in found[0].message


def test_an_id_that_is_used_twice_is_found_over_all_tracks(tmp_path):
    found = findings_after(lambda files: files[made.NUANCE].append({**files[made.NUANCE][0]}), tmp_path)
    assert ("V04", "T3-01-01", "id") in {(finding.rule, finding.item, finding.field) for finding in found}


def test_it_goes_on_after_faults_and_lists_all_of_them(tmp_path):
    files = made.documents()
    files[made.EMOTION] = b"[{]"
    del files[made.LITERARY][0]["length_spec"]
    files[made.RUBRIC_1]["criteria"][0]["weight"] = -1
    files[made.SLOP]["entries"][0]["positives"] = ["없는 말"]
    report = validate(made.write(tmp_path, files))
    assert [finding.rule for finding in report.findings] == ["V01", "V03", "V17", "V20"]
    assert not report.passed


def test_an_empty_folder_lacks_every_file(tmp_path):
    report = validate(tmp_path)
    assert [finding.file for finding in report.findings] == list(REQUIRED)
    assert report.counts() == {"V01": 7}


def test_the_order_of_findings_is_that_of_rules_and_files(tmp_path):
    files = made.documents()
    for item in files[made.EMOTION]:
        item["judge_notes_ko"] = "짧다."
    files[made.NUANCE][0]["title"] = "덧붙임"
    first, second = validate(made.write(tmp_path, files)), validate(tmp_path)
    assert first == second
    assert [(finding.rule, finding.item) for finding in first.findings] == [
        ("V03", "T3-01-01"),
        ("V16", "T1-01-01"),
        ("V16", "T1-02-01"),
    ]


def test_a_byte_order_mark_is_no_fault(tmp_path):
    files = made.documents()
    files[made.SLOP] = b"\xef\xbb\xbf" + json.dumps(files[made.SLOP]).encode()
    assert validate(made.write(tmp_path, files)).passed


def test_a_joiner_between_emoji_is_no_fault(tmp_path):
    files = made.documents()
    files[made.EMOTION][0]["turns_ko"][0] = "가족 사진이에요 👨\u200d👩\u200d👧"
    assert validate(made.write(tmp_path, files)).findings == ()


def test_characters_of_a_file_cannot_reach_a_terminal(tmp_path):
    files = made.documents()
    files[made.EMOTION][0]["\x1b[31m빨강"] = 1
    files[made.EMOTION][1]["id"] = "\x1b[2JT1"
    report = validate(made.write(tmp_path, files))
    assert report.findings
    assert all(str(finding).isprintable() for finding in report.findings)


def test_a_sidecar_mends_a_control_that_asks_for_nothing(tmp_path):
    files = made.documents()
    files[made.NUANCE][3].update(variant_neutral_ko="진심인 맥락이다.", variant_expected_ko=None)
    assert set(validate(made.write(tmp_path / "before", files)).counts()) == {"V12", "V15"}
    files[made.VARIANTS] = {"T3-04-01": {"text": "반가워하는 동료에게 할 대답을 쓰세요.", "expected": "반갑게 받는다."}}
    assert validate(made.write(tmp_path / "after", files)).findings == ()


def test_a_setup_for_the_public_is_what_the_rule_on_feelings_reads(tmp_path):
    files = made.documents()
    item = files[made.EMOTION][0]
    item["setup_public_ko"], item["setup_ko"] = item["setup_ko"], item["setup_ko"] + " 그는 서운하다."
    assert validate(made.write(tmp_path, files)).findings == ()


def test_counts_that_agree_with_the_manifest_are_no_finding(tmp_path):
    files = made.documents()
    files[made.MANIFEST] = {"counts": {"track1": 2, "literary": {"시": 1, "수필": 1}, "subtext": 1, "items": 8}}
    assert validate(made.write(tmp_path, files)).findings == ()
    files[made.MANIFEST]["counts"]["희곡"] = 1
    assert "희곡" in validate(made.write(tmp_path, files)).findings[0].message


def test_forms_out_of_balance_and_rare_tags_are_pointed_out(tmp_path):
    files = made.documents()
    words = [
        "가위",
        "나침반",
        "다리미",
        "라디오",
        "마당비",
        "바구니",
        "사다리",
        "아궁이",
        "자전거",
        "차렵이불",
        "카메라",
    ]
    base = files[made.EMOTION][0]
    files[made.EMOTION] = [
        {
            **base,
            "id": f"T1-{group:02d}-{number + 1:02d}",
            "domain": domain,
            "setup_ko": f"{word}{number} " * 30 + f"당신이 {domain}에서 {word}를 찾았다.",
            "turns_ko": [f"{word} {domain} {turn}" * 3 for turn in "첫둘셋"],
            "phenomena": ["정"],
        }
        for group, domain in ((1, "직장"), (2, "가족"), (3, "친구·연애"))
        for number, word in enumerate(words[: 11 - (group == 3)])
    ]
    files[made.EMOTION][0]["phenomena"] = ["체면", "정"]
    found = validate(made.write(tmp_path, files)).findings
    assert [(finding.rule, finding.field) for finding in found] == [("V25", "domain"), ("V25", "phenomena")]
    assert "체면" in found[1].message


def test_a_subset_must_be_the_same_to_the_byte(tmp_path):
    full = made.write(tmp_path / "full", made.documents())
    files = made.documents()
    del files[made.EMOTION][1]
    same = made.write(tmp_path / "same", files)
    assert validate(same, subset_of=full).findings == ()

    files[made.LITERARY][0]["targeted_weakness"] += " "
    files[made.NUANCE][0]["id"] = "T3-01-07"
    files[made.RUBRIC_1]["notes_ko"] = "다른 말."
    found = validate(made.write(tmp_path / "other", files), subset_of=full).findings
    assert {(finding.rule, finding.item) for finding in found if finding.rule == "V24"} == {
        ("V24", "T2-02-01"),
        ("V24", "T3-01-07"),
    }


def test_a_full_set_that_cannot_be_read_is_said(tmp_path):
    subset = made.write(tmp_path / "subset", made.documents())
    found = validate(subset, subset_of=tmp_path / "nowhere").findings
    assert {finding.rule for finding in found} == {"V24"}


@pytest.fixture(scope="module")
def published(upstream: Path) -> Report:
    return validate(upstream / "munbench" / "data")


def found_by(report: Report, rule: str) -> list[Finding]:
    return [finding for finding in report.findings if finding.rule == rule]


def items_of(report: Report, rule: str, level: str | None = None) -> set[str | None]:
    return {finding.item for finding in found_by(report, rule) if level in (None, finding.level)}


def test_published_counts_stand_out(published):
    for rule in ("V05", "V25"):
        said = " ".join(finding.message for finding in found_by(published, rule))
        assert all(part in said for part in ("시: 9 items", "대화문: 6 items", "독백: 1 items"))
    assert "'압박화법' is used once" in " ".join(finding.message for finding in found_by(published, "V25"))


def test_published_variants_that_are_blank_or_no_tasks_are_found(published):
    controls = {"T3-04-01", "T3-04-14", "T3-04-15"}
    assert items_of(published, "V12", "error") == controls
    assert items_of(published, "V15") == controls
    assert items_of(published, "V12", "warning") == {f"T3-04-{number:02d}" for number in range(2, 14)}


def test_published_leaks_and_addresses_and_feelings_are_found(published):
    assert items_of(published, "V10") == {"T2-01-07", "T3-01-13"}
    assert {(finding.item, finding.field) for finding in found_by(published, "V10")} >= {
        ("T2-01-07", "prompt_ko"),
        ("T3-01-13", "judge_notes_ko"),
    }
    assert items_of(published, "V22") == {f"T1-{group}-{n:02d}" for group in ("01", "04") for n in range(1, 11)}
    assert len(items_of(published, "V21")) == 38


def test_the_published_slop_list_has_one_nested_pair_and_one_phrase_that_never_matches(published):
    messages = [finding.message for finding in found_by(published, "V19")]
    assert len(messages) == 2
    assert sum("stands within" in message for message in messages) == 1
    assert sum("never matches" in message for message in messages) == 1


def test_nothing_else_is_said_of_the_published_set(published):
    assert set(published.counts()) == {"V05", "V10", "V12", "V15", "V19", "V21", "V22", "V25", "V27"}
    assert len(published.errors) == 9


def test_the_published_sample_is_a_subset_of_the_set(upstream):
    folder = upstream / "munbench"
    report = validate(folder / "data_sample", subset_of=folder / "data")
    assert not found_by(report, "V24")
