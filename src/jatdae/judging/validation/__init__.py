"""How far a judge can be believed: people's scores, agreement, repeatability, place, self-preference, attacks."""

from __future__ import annotations

from jatdae.judging.validation.agreement import Agreement, PairKey, judge_agreement, preference_accuracy
from jatdae.judging.validation.battery import (
    BatteryEntry,
    battery,
    degenerate_battery,
    run_battery,
    sycophancy_battery,
)
from jatdae.judging.validation.battery_report import AttackSummary, BatteryReport, Trial
from jatdae.judging.validation.between_judges import JudgeJudge, judge_judge
from jatdae.judging.validation.blind_sheet import BlindSheet, KeyEntry, blind_sheet, write_csv, write_jsonl, write_key
from jatdae.judging.validation.honorifics import HonorificScore, honorific_criteria, honorific_scores
from jatdae.judging.validation.human_scores import (
    HumanPreference,
    HumanScore,
    Place,
    Rating,
    SampleKey,
    human_preference_json,
    human_score_json,
    merge_ratings,
    merge_votes,
    read_human_preference,
    read_human_score,
)
from jatdae.judging.validation.injection import ATTACKS
from jatdae.judging.validation.knowledge import KnowledgeApplication, knowledge_application
from jatdae.judging.validation.position import PositionBias, position_bias
from jatdae.judging.validation.preference import OwnPreference, OwnWins, own_preference, own_wins
from jatdae.judging.validation.repeatability import Repeatability, regeneration_std, repeatability
from jatdae.judging.validation.sheet_reading import ReadRatings, read_key, read_ratings
from jatdae.judging.validation.transforms import STRESSES, Attack, attacked, degenerate_attacks

__all__ = [
    "ATTACKS",
    "STRESSES",
    "Agreement",
    "Attack",
    "AttackSummary",
    "BatteryEntry",
    "BatteryReport",
    "BlindSheet",
    "HonorificScore",
    "HumanPreference",
    "HumanScore",
    "JudgeJudge",
    "KeyEntry",
    "KnowledgeApplication",
    "OwnPreference",
    "OwnWins",
    "PairKey",
    "Place",
    "PositionBias",
    "Rating",
    "ReadRatings",
    "Repeatability",
    "SampleKey",
    "Trial",
    "attacked",
    "battery",
    "blind_sheet",
    "degenerate_attacks",
    "degenerate_battery",
    "honorific_criteria",
    "honorific_scores",
    "human_preference_json",
    "human_score_json",
    "judge_agreement",
    "judge_judge",
    "knowledge_application",
    "merge_ratings",
    "merge_votes",
    "own_preference",
    "own_wins",
    "position_bias",
    "preference_accuracy",
    "read_human_preference",
    "read_human_score",
    "read_key",
    "read_ratings",
    "regeneration_std",
    "repeatability",
    "run_battery",
    "sycophancy_battery",
    "write_csv",
    "write_jsonl",
    "write_key",
]
