"""Faults for the folder of `munbench_folder`, each with the rule and the level that it should be found by."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable

import munbench_folder as made

Change = Callable[[made.Documents], None]


def setting(file: str, *place: str | int, to: object) -> Change:
    """A change of the value at a place of a file."""

    def change(files: made.Documents) -> None:
        value = files[file]
        for step in place[:-1]:
            value = value[step]
        value[place[-1]] = to

    return change


def dropping(file: str, *place: str | int) -> Change:
    def change(files: made.Documents) -> None:
        value = files[file]
        for step in place[:-1]:
            value = value[step]
        del value[place[-1]]

    return change


def bytes_of(file: str, alter: Callable[[str], bytes]) -> Change:
    """A change of a file's bytes, given its text."""

    def change(files: made.Documents) -> None:
        files[file] = alter(json.dumps(files[file], ensure_ascii=False))

    return change


def sidecar(name: str, value: object) -> Change:
    return lambda files: files.update({name: value})


def entry(**fields: object) -> Change:
    """An entry more in the slop list."""
    whole = {
        "id": "more",
        "kind": "literal",
        "pattern": "바람만이 알 뿐",
        "positives": ["그건 바람만이 알 뿐이다."],
        "negatives": ["바람이 분다."],
    }
    return lambda files: files[made.SLOP]["entries"].append({**whole, **fields})


NFD = unicodedata.normalize("NFD", "창가")


def near(files: made.Documents) -> None:
    """The second commission becomes nearly the first."""
    first, second = files[made.LITERARY]
    second["prompt_ko"] = first["prompt_ko"].replace("사람의", "어떤 사람의")
    second["constraints_ko"] = first["constraints_ko"]


FAULTS: list[tuple[str, str, str, Change]] = [
    ("V01", "error", "a file is missing", lambda files: files.pop(made.SLOP) and None),
    ("V01", "error", "cp949", bytes_of(made.RUBRIC_2, lambda text: text.encode("cp949"))),
    ("V01", "error", "UTF-16", bytes_of(made.RUBRIC_2, lambda text: text.encode("utf-16"))),
    ("V01", "error", "cut off", bytes_of(made.SLOP, lambda text: text[:-20].encode())),
    (
        "V01",
        "error",
        "a key twice",
        bytes_of(made.SLOP, lambda text: text.replace('"version"', '"version": "1", "version"', 1).encode()),
    ),
    ("V01", "error", "NaN in the manifest", sidecar(made.MANIFEST, b'{"version": NaN}')),
    ("V01", "error", "infinite by size", sidecar(made.MANIFEST, b'{"version": 1e999}')),
    ("V01", "error", "nested without end", sidecar(made.CONSENSUS, b"[" * 100_000)),
    ("V01", "error", "digits without end", sidecar(made.MANIFEST, b'{"version": ' + b"9" * 5000 + b"}")),
    ("V02", "error", "items in an object", lambda files: files.update({made.LITERARY: {"items": []}})),
    ("V02", "error", "an item that is a string", lambda files: files[made.NUANCE].append("T3-01-02")),
    ("V02", "error", "a rubric without a list", setting(made.RUBRIC_1, "criteria", to={})),
    ("V02", "error", "phrases as a text", sidecar(made.SLOP, {"phrases": "고요만이 감돌"})),
    ("V03", "error", "a field is missing", dropping(made.EMOTION, 0, "title")),
    ("V03", "error", "a number for a text", setting(made.LITERARY, 0, "targeted_weakness", to=3)),
    ("V03", "error", "a blank text", setting(made.NUANCE, 0, "expected_behavior_ko", to=" ")),
    ("V03", "error", "tags as a text", setting(made.EMOTION, 0, "phenomena", to="눈치")),
    ("V03", "error", "a criterion without description", dropping(made.RUBRIC_3, "criteria", 1, "description_ko")),
    ("V03", "warning", "an unknown field", setting(made.NUANCE, 0, "difficulty", to="상")),
    ("V04", "error", "an id of another form", setting(made.EMOTION, 0, "id", to="T1-1-1")),
    ("V04", "error", "an id of another track", setting(made.LITERARY, 0, "id", to="T3-02-09")),
    ("V04", "error", "an id of another group", setting(made.NUANCE, 0, "id", to="T3-02-02")),
    (
        "V05",
        "warning",
        "counts of the manifest",
        sidecar(
            made.MANIFEST,
            {"version": "1", "counts": {"emotion": {"직장": 2, "가족": 1}, "track2": 2, "3": {"idiom": 1}, "total": 8}},
        ),
    ),
    ("V06", "error", "two turns", dropping(made.EMOTION, 0, "turns_ko", 2)),
    ("V06", "error", "a blank turn", setting(made.EMOTION, 1, "turns_ko", 1, to="")),
    ("V07", "warning", "an unknown tag", setting(made.EMOTION, 0, "phenomena", 0, to="설득")),
    ("V07", "warning", "a tag twice", setting(made.EMOTION, 0, "phenomena", 1, to="눈치")),
    ("V08", "error", "an unknown kind of variant", setting(made.NUANCE, 3, "variant_kind", to="control")),
    ("V08", "error", "an unknown kind of entry", entry(kind="glob")),
    ("V09", "error", "decomposed", setting(made.EMOTION, 0, "title", to=NFD)),
    ("V09", "error", "zero width", setting(made.EMOTION, 0, "title", to="빈\u200b화분")),
    ("V09", "error", "a filler", setting(made.EMOTION, 0, "title", to="빈\u3164화분")),
    ("V09", "error", "a line separator", setting(made.EMOTION, 0, "title", to="빈\u2028화분")),
    ("V02", "error", "an entry that is a string", lambda files: files[made.SLOP]["entries"].append("감돌")),
    ("V02", "error", "a blank phrase", sidecar(made.SLOP, {"phrases": ["고요만이 감돌", " "]})),
    ("V03", "error", "a family that is a list", entry(family=[])),
    ("V03", "error", "an unknown check", sidecar(made.CHECKS, {"T2-03-01": [{"type": "matches", "values": ["종점"]}]})),
    ("V03", "error", "a factor below 0", sidecar(made.APPLICABILITY, {"idiom": {"높임": -1}})),
    ("V03", "error", "an expectation as a list", sidecar(made.VARIANTS, {"T3-04-01": {"judge_notes": []}})),
    ("V03", "warning", "an unknown field of a variant", sidecar(made.VARIANTS, {"T3-04-01": {"note": "글"}})),
    ("V09", "error", "bidirectional", setting(made.LITERARY, 1, "judge_notes_ko", to=made.NOTES + "\u202e뒤집힘")),
    ("V09", "error", "a NUL", setting(made.NUANCE, 0, "expected_behavior_ko", to="높\x00임")),
    ("V09", "error", "private use", setting(made.RUBRIC_1, "criteria", 0, "description_ko", to="마음\ue000")),
    ("V09", "error", "half a pair", setting(made.EMOTION, 0, "title", to=json.loads('"\\ud800"'))),
    ("V09", "error", "not trimmed", setting(made.EMOTION, 0, "title", to=" 빈 화분")),
    ("V10", "error", "a field's name", setting(made.LITERARY, 1, "constraints_ko", to="prompt_ko에 적은 대로 쓸 것.")),
    (
        "V10",
        "error",
        "another item's id",
        setting(made.NUANCE, 0, "judge_notes_ko", to=made.NOTES + " T3-02-01과 견줄 것."),
    ),
    ("V10", "error", "an answer key", setting(made.LITERARY, 1, "constraints_ko", to="비를 쓰면 감점 대상이다.")),
    ("V11", "error", "no length", setting(made.LITERARY, 1, "length_spec", to="적당히")),
    ("V11", "error", "ends the wrong way round", setting(made.LITERARY, 1, "length_spec", to="14~8행")),
    ("V11", "warning", "another length in the prompt", setting(made.LITERARY, 0, "length_spec", to="600~900자")),
    ("V12", "error", "a variant is missing", dropping(made.NUANCE, 2, "variant_neutral_ko")),
    (
        "V12",
        "error",
        "a variant where none belongs",
        setting(made.NUANCE, 0, "variant_neutral_ko", to="문자를 쓰세요."),
    ),
    (
        "V12",
        "error",
        "no task",
        setting(made.NUANCE, 3, "variant_neutral_ko", to="반기는 맥락이라면 '어서 와라. 일찍도 왔네'는 진심이다."),
    ),
    (
        "V12",
        "error",
        "the prompt again",
        lambda files: files[made.NUANCE][1].update(variant_neutral_ko=files[made.NUANCE][1]["prompt_ko"]),
    ),
    ("V12", "error", "another subtype's kind", setting(made.NUANCE, 2, "variant_kind", to="decontextualised")),
    ("V12", "warning", "a blank variant", lambda files: files[made.NUANCE][3].update(variant_neutral_ko="")),
    (
        "V13",
        "error",
        "no Korea in the prompt",
        setting(made.NUANCE, 2, "prompt_ko", to="예식장에서 처음 만난 사돈끼리 나누는 말을 쓰세요."),
    ),
    (
        "V13",
        "error",
        "Korea in the variant",
        setting(made.NUANCE, 2, "variant_neutral_ko", to="한국의 두 집안 어른이 처음 나누는 인사를 쓰세요."),
    ),
    (
        "V14",
        "error",
        "no idiom in the prompt",
        setting(made.NUANCE, 1, "prompt_ko", to="청소만 하는 형제의 대화를 쓰세요."),
    ),
    (
        "V14",
        "error",
        "another idiom in the variant",
        setting(made.NUANCE, 1, "variant_neutral_ko", to="짧은 대화에 '가는 날이 장날'을 넣으세요."),
    ),
    ("V15", "error", "a control without expectation", dropping(made.NUANCE, 3, "variant_expected_ko")),
    ("V16", "warning", "short notes", setting(made.EMOTION, 0, "judge_notes_ko", to="짧게 받아 주면 좋다.")),
    ("V17", "error", "weights", setting(made.RUBRIC_1, "criteria", 0, "weight", to=0.7)),
    ("V17", "error", "a weight of 0", setting(made.RUBRIC_1, "criteria", 0, "weight", to=0)),
    ("V17", "error", "a weight as a text", setting(made.RUBRIC_1, "criteria", 0, "weight", to="0.6")),
    ("V17", "error", "no criterion", setting(made.RUBRIC_1, "criteria", to=[])),
    ("V18", "error", "one name twice", setting(made.RUBRIC_2, "criteria", 0, "name_ko", to="절 제!")),
    ("V18", "error", "a name in a name", setting(made.RUBRIC_2, "criteria", 0, "name_ko", to="절제와 새로움")),
    ("V19", "error", "a pattern twice", entry(pattern="고요만이 감돌", positives=["고요만이 감돌았다."])),
    ("V19", "error", "an id twice", entry(id="hush")),
    ("V19", "error", "one character", entry(pattern="끝", positives=["끝."])),
    ("V19", "error", "decomposed", entry(pattern=unicodedata.normalize("NFD", "바람만이 알 뿐"))),
    ("V19", "warning", "nested", entry(pattern="고요만이", positives=["고요만이 남았다."])),
    ("V19", "warning", "an empty slot", sidecar(made.SLOP, {"phrases": ["어제는 에 관해", "고요만이 감돌"]})),
    ("V20", "error", "a positive that does not match", entry(positives=["바람이 안다."])),
    ("V20", "error", "a negative that matches", entry(negatives=["바람만이 알 뿐이다."])),
    ("V20", "error", "no negative", entry(negatives=[])),
    ("V20", "error", "no regular expression", entry(kind="regex", pattern="바람(만이")),
    ("V20", "error", "explosive", entry(kind="regex", pattern="(?:바|람|바람)+만이{2,}알")),
    (
        "V21",
        "warning",
        "a feeling told",
        setting(made.EMOTION, 1, "interlocutor_ko", to="고모, 쉰둘. 서운한 것을 말하지 않는다."),
    ),
    (
        "V22",
        "warning",
        "the contestant called a model",
        setting(made.EMOTION, 1, "setup_ko", to="고모가 끓인 국을 아무도 먹지 않았다. 모델은 늦게 일어났다."),
    ),
    ("V23", "warning", "nearly the same", near),
    ("V26", "warning", "a tag", setting(made.LITERARY, 1, "constraints_ko", to="<b>묻는 말</b>을 쓰지 말 것.")),
    ("V26", "warning", "braces", setting(made.LITERARY, 1, "constraints_ko", to="{이름}을 쓰지 말 것.")),
    ("V27", "warning", "a Latin word", setting(made.LITERARY, 1, "constraints_ko", to="CCTV를 한 번 쓸 것.")),
    ("V28", "error", "a check for no item", sidecar(made.CHECKS, {"T2-09-09": []})),
    ("V28", "error", "a variant for a commission", sidecar(made.VARIANTS, {"T2-02-01": {"expected": "짧게 쓴다."}})),
    ("V28", "error", "an unknown subtype", sidecar(made.APPLICABILITY, {"irony": {"높임": 1}})),
    ("V28", "error", "an unknown criterion", sidecar(made.APPLICABILITY, {"idiom": {"높임말": 1}})),
]
