"""What differs between the clients, in one record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from jatdae.models.base import ModelReference
from jatdae.models.cli.process import Finished
from jatdae.models.cli.prompts import Question
from jatdae.types import Completion


@dataclass(frozen=True, slots=True)
class Client:
    """A command-line client: how it is installed, logged in, called and read.

    `status` are the words of the command that tells whether somebody is logged in, and `login_problem` what is wrong
    by its answer, empty for nothing. `kept` names variables that hold a plan's login, `added` variables that are set.
    `arguments` are the words after the executable for a model, a question and the file for the answer; `typed` is what
    goes to standard input. `read` makes a completion of an ended run, or raises RequestFailed; it is also given the
    answer file and the text that was typed. `notes` are facts about this machine's client.
    """

    executable: str
    install: str
    login: str
    status: tuple[str, ...]
    efforts: tuple[str, ...]
    kept: frozenset[str]
    added: Mapping[str, str]
    arguments: Callable[[ModelReference, Question, Path], list[str]]
    typed: Callable[[Question], str]
    login_problem: Callable[[Finished], str]
    read: Callable[[Finished, Path, str], Completion]
    notes: Callable[[], list[str]]
