"""MunBench's leaderboard, and what is told before a run."""

from __future__ import annotations

from jatdae.reports.munbench.board import Board, leaderboard
from jatdae.reports.munbench.outlook import show_estimate
from jatdae.reports.munbench.writing import show_leaderboard, write_leaderboard

__all__ = ["Board", "leaderboard", "show_estimate", "show_leaderboard", "write_leaderboard"]
