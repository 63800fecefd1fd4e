"""A small MunBench data folder without any fault, self-written, to be broken in one place at a time."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

EMOTION, LITERARY, NUANCE = "items/track1_emotion.json", "items/track2_literary.json", "items/track3_nuance.json"
RUBRIC_1, RUBRIC_2, RUBRIC_3 = "rubrics/track1.json", "rubrics/track2.json", "rubrics/track3.json"
SLOP, MANIFEST, CHECKS = "slop_list.json", "manifest.json", "checks.json"
VARIANTS, APPLICABILITY, CONSENSUS = "variants.json", "rubrics/applicability.json", "consensus.json"

Documents = dict[str, Any]

NOTES = (
    "잘 쓴 답은 말한 사람의 처지를 먼저 살피고 짧게 받아 준다. 자주 보이는 잘못은 까닭을 캐묻거나 제 이야기로 "
    "넘어가거나 한 말을 되풀이해서 늘어놓는 것이다. 말끝이 흔들리면 낮게 본다."
)


def _emotion() -> list[dict[str, Any]]:
    return [
        {
            "id": "T1-01-01",
            "title": "빈 화분",
            "domain": "직장",
            "setup_ko": "장은호가 창가에 두고 간 화분이 말랐다. 물을 주기로 한 사람은 당신이었고 그가 막 돌아왔다.",
            "model_role_ko": "오다인, 스물아홉. 장은호와 같은 팀에서 일한다.",
            "interlocutor_ko": "장은호, 서른넷. 식물을 여럿 키운다.",
            "turns_ko": [
                "다녀왔어요. 어, 얘가 좀 시들었네?",
                "괜찮아요, 바빴을 텐데요.",
                "다음엔 그냥 집에 둘게요.",
            ],
            "phenomena": ["눈치", "정"],
            "analysis_question_ko": "장은호가 화분을 집에 두겠다고 한 마음은 무엇일까?",
            "judge_notes_ko": NOTES,
        },
        {
            "id": "T1-02-01",
            "title": "식은 국",
            "domain": "가족",
            "setup_ko": "고모가 새벽부터 끓인 미역국을 아무도 먹지 않았다. 늦게 일어난 당신만 부엌에 들어섰다.",
            "model_role_ko": "배서준, 열아홉. 방학이라 고모 집에 와 있다.",
            "interlocutor_ko": "고모, 쉰둘. 손이 크고 말이 빠르다.",
            "turns_ko": ["일어났니? 국 데워 줄까?", "다들 바쁘다고 그냥 나가더라.", "됐어, 저녁에 먹으면 되지 뭐."],
            "phenomena": ["정"],
            "analysis_question_ko": "고모가 저녁에 먹으면 된다고 말할 때 속으로 바란 것은 무엇일까?",
            "judge_notes_ko": NOTES,
        },
    ]


def _literary() -> list[dict[str, Any]]:
    return [
        {
            "id": "T2-02-01",
            "form": "수필",
            "prompt_ko": "고장 난 우산을 고쳐 쓰는 사람의 하루를 수필로 쓰세요. 500~700자로 씁니다.",
            "constraints_ko": "비를 슬픔에 빗대지 말 것.",
            "targeted_weakness": "사물을 곧바로 감정에 빗대는 버릇",
            "length_spec": "500~700자",
            "judge_notes_ko": NOTES,
        },
        {
            "id": "T2-03-01",
            "form": "시",
            "prompt_ko": "버스 종점에서 내리지 않은 한 승객을 소재로 시를 쓰세요.",
            "constraints_ko": ["묻는 말을 쓰지 말 것.", "사람 이름을 쓰지 말 것."],
            "targeted_weakness": "마지막 행에서 뜻을 풀이하는 버릇",
            "length_spec": "8~14행",
            "judge_notes_ko": NOTES,
        },
    ]


def _nuance() -> list[dict[str, Any]]:
    return [
        {
            "id": "T3-01-01",
            "subtype": "register",
            "prompt_ko": "친구에게 쓴 '내일 못 가, 미안'을 처음 뵙는 관장님께 드리는 문자로 다시 쓰세요.",
            "expected_behavior_ko": "하십시오체로 사정과 사과를 짧게 적는다.",
            "judge_notes_ko": NOTES,
        },
        {
            "id": "T3-02-01",
            "subtype": "idiom",
            "prompt_ko": "시험을 코앞에 두고 방 청소만 하는 형제의 대화를 쓰되 '마른하늘에 날벼락'을 넣으세요.",
            "variant_neutral_ko": "두 사람의 짧은 대화를 쓰고 '마른하늘에 날벼락'을 한 번 넣으세요.",
            "expected_behavior_ko": "뜻밖에 당한 일 앞에서 속담이 저절로 나온다.",
            "judge_notes_ko": NOTES,
        },
        {
            "id": "T3-03-01",
            "subtype": "culture-pair",
            "prompt_ko": "한국의 한 예식장에서 처음 만난 사돈끼리 나누는 인사를 쓰세요.",
            "variant_neutral_ko": "어느 예식장에서 두 집안의 어른이 처음 나누는 인사를 쓰세요.",
            "expected_behavior_ko": "서로 높이며 자식 이야기를 조심스레 꺼낸다.",
            "judge_notes_ko": NOTES,
        },
        {
            "id": "T3-04-01",
            "subtype": "subtext",
            "prompt_ko": "동료가 '일찍도 왔네'라고 말했다. 그 뜻을 한 문장으로 풀고 대답을 쓰세요.",
            "variant_neutral_ko": "새벽에 혼자 문을 연 동료가 '일찍도 왔네'라고 반긴다. 뜻을 풀고 대답을 쓰세요.",
            "variant_expected_ko": "반가움으로 받는다.",
            "expected_behavior_ko": "늦은 것을 탓하는 말로 읽고 사과한다.",
            "judge_notes_ko": NOTES,
        },
    ]


def _rubric(*criteria: tuple[str, float]) -> dict[str, Any]:
    return {
        "criteria": [
            {
                "name_ko": name,
                "description_ko": f"{name}을 본다.",
                "weight": weight,
                "failure_signals_ko": "말을 놓침; 겉돎",
            }
            for name, weight in criteria
        ],
        "notes_ko": "스스로 쓴 기준.",
    }


def _slop() -> dict[str, Any]:
    return {
        "version": "2",
        "entries": [
            {
                "id": "hush",
                "kind": "literal",
                "pattern": "고요만이 감돌",
                "family": "scene",
                "strength": "strong",
                "gloss": "정적의 상투구",
                "positives": ["방에는 고요만이 감돌았다."],
                "negatives": ["방이 고요했다."],
            },
            {
                "id": "in-the-end",
                "kind": "regex",
                "pattern": "결국(?:은|에는)? 우리 모두",
                "family": "closing",
                "strength": "weak",
                "gloss": "맺음말",
                "positives": ["결국은 우리 모두 그렇다."],
                "negatives": ["우리 모두 결국 갔다."],
            },
        ],
    }


def documents() -> Documents:
    """Every file's value by relative name; a fresh copy at each call."""
    return copy.deepcopy(
        {
            EMOTION: _emotion(),
            LITERARY: _literary(),
            NUANCE: _nuance(),
            RUBRIC_1: _rubric(("마음 읽기", 0.6), ("말씨", 0.4)),
            RUBRIC_2: _rubric(("새로움", 0.5), ("절제", 0.5)),
            RUBRIC_3: _rubric(("높임", 0.3), ("어울림", 0.3), ("속뜻", 0.4)),
            SLOP: _slop(),
        }
    )


def write(folder: Path, files: Mapping[str, Any]) -> Path:
    """Write files into a folder as UTF-8 JSON, half a surrogate pair as an escape; bytes are written as they are."""
    for name, value in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = "" if isinstance(value, bytes) else json.dumps(value, ensure_ascii=False)
        path.write_bytes(value if isinstance(value, bytes) else text.encode(errors="backslashreplace"))
    return folder
