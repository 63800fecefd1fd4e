"""The datasheet of a release: what is in it, how it was made, and what its surface gives away; in two languages."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from jatdae.benchmarks.konubench.balance import Balance, balance
from jatdae.benchmarks.konubench.options import build_question
from jatdae.negation.construction.checks import Problem
from jatdae.negation.construction.config import ProjectConfig
from jatdae.negation.construction.item import (
    ANSWER,
    CLAUSE_LABELS,
    DECISION,
    LOCAL,
    LOCAL_CLAUSE,
    LOCAL_TYPES,
    ORIGINAL,
    SENTENCES,
    STANDARD,
    STANDARD_TYPES,
    TYPE_LABELS,
    VERIFIER,
    Item,
)
from jatdae.negation.construction.project import Project
from jatdae.negation.construction.standing import STEERED, ClassShare, class_shares, labels_of
from jatdae.negation.construction.states import State
from jatdae.types import Estimate

Language = Literal["en", "ko"]
_PERCENTILES = (5, 50, 95)


@dataclass(frozen=True, slots=True)
class Facts:
    """All that a datasheet tells. `shares` are those of the classes of the published corpus study, by kind."""

    config: ProjectConfig
    items: Sequence[Item]
    splits: Mapping[str, Sequence[str]]
    held_out: Sequence[str]
    dropped: int
    balance: Balance
    shares: Mapping[str, Sequence[ClassShare]]
    warnings: Mapping[str, int]

    @classmethod
    def of(
        cls,
        project: Project,
        items: Sequence[Item],
        splits: Mapping[str, Sequence[str]],
        held_out: Sequence[str],
        problems: Sequence[Problem],
    ) -> Facts:
        records = [item.record() for item in items]
        return cls(
            project.config,
            items,
            splits,
            held_out,
            len(project.items(State.DROPPED)),
            balance([build_question(record, shuffled=False) for record in records]),
            class_shares(labels_of(items)),
            Counter(problem.text.partition(":")[0].partition(" finds ")[0] for problem in problems),
        )


def datasheet(facts: Facts, language: Language) -> str:
    """The whole sheet in Markdown."""
    words = _words(language)
    parts = [
        f"# {facts.config.name}",
        words["intro"].format(items=len(facts.items)),
        *_section(words, "origin", _origin(facts, words)),
        *_section(words, "counts", _counts(facts, words)),
        *_section(words, "lengths", _lengths(facts, words)),
        *_section(words, "types", _types(facts, words)),
        *_section(words, "clauses", _clauses(facts, words)),
        *_section(words, "corpus", _corpus(facts, words)),
        *_section(words, "balance", _balance(facts, words)),
        *_section(words, "making", _making(facts, words)),
        *_section(words, "split", [words["split_text"].format(seed=facts.config.split.seed, held=len(facts.held_out))]),
    ]
    return "\n\n".join(parts) + "\n"


def _words(language: Language) -> Mapping[str, str]:
    return json.loads((Path(__file__).parent / "datasheet_words.json").read_text(encoding="utf-8"))[language]


def _section(words: Mapping[str, str], name: str, parts: Sequence[str]) -> list[str]:
    return [f"## {words[name]}", *parts]


def _table(head: Sequence[str], rows: Iterator[Sequence[object]] | Sequence[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(str(cell) for cell in line)} |" for line in lines)


def _origin(facts: Facts, words: Mapping[str, str]) -> list[str]:
    config = facts.config
    stated = words["not_stated"]
    lines = [
        f"{words['licence']}: {_plain(config.licence) or stated}",
        f"{words['sources']}: {_plain(config.source_note) or stated}",
        f"{words['model']}: {_plain(config.model) or words['none']}",
        f"{words['authors']}: {len(config.authors)}",
    ]
    return ["\n".join(f"- {line}" for line in lines)]


def _plain(text: str) -> str:
    """Text of the settings on one line, without signs of markup."""
    return " ".join(text.split()).translate(str.maketrans({sign: f"\\{sign}" for sign in "\\`*_[]<>|#"}))


def _counts(facts: Facts, words: Mapping[str, str]) -> list[str]:
    by_id = {item.idx: item for item in facts.items}
    rows = [[name, *_count([by_id[idx] for idx in ids])] for name, ids in facts.splits.items()]
    head = [words[name] for name in ("split_name", "items", "with_local", "without_local", "constructed")]
    return [_table(head, [*rows, [words["all"], *_count(facts.items)]])]


def _count(items: Sequence[Item]) -> list[int]:
    local = sum(bool(item[LOCAL]) for item in items)
    return [len(items), local, len(items) - local, sum(item.idx.startswith("G") for item in items)]


def _lengths(facts: Facts, words: Mapping[str, str]) -> list[str]:
    rows = [_length_row(facts.items, name) for name in SENTENCES if any(item[name] for item in facts.items)]
    head = ["", "n", "min", "p5", words["median"], words["mean"], "p95", "max", "SD", words["ratio"]]
    return [_table(head, rows), _longest(facts.items, words)]


def _length_row(items: Sequence[Item], name: str) -> list[object]:
    lengths = np.array([len(item[name]) for item in items if item[name]])
    ratio = np.mean([len(item[name]) / len(item[ORIGINAL]) for item in items if item[name]])
    low, middle, high = np.percentile(lengths, _PERCENTILES)
    spread = lengths.std(ddof=1) if len(lengths) > 1 else 0.0
    numbers = (f"{low:.0f}", f"{middle:.0f}", f"{lengths.mean():.1f}", f"{high:.0f}")
    return [name, len(lengths), lengths.min(), *numbers, lengths.max(), f"{spread:.1f}", f"{ratio:.3f}"]


def _longest(items: Sequence[Item], words: Mapping[str, str]) -> str:
    sizes = [(len(item[STANDARD]), [len(text) for text in list(item.sentences.values())[1:]]) for item in items]
    longest = sum(own == max(lengths) for own, lengths in sizes)
    shortest = sum(own == min(lengths) for own, lengths in sizes)
    return words["longest"].format(longest=longest, shortest=shortest, items=len(items))


def _types(facts: Facts, words: Mapping[str, str]) -> list[str]:
    standard, local = (_labels(facts.items, fields) for fields in (STANDARD_TYPES, LOCAL_TYPES))
    rows = [[label, *_share(standard, label), *_share(local, label)] for label in TYPE_LABELS]
    return [_table([words["type"], STANDARD, "%", LOCAL, "%"], rows)]


def _clauses(facts: Facts, words: Mapping[str, str]) -> list[str]:
    counts = _labels(facts.items, (LOCAL_CLAUSE,))
    return [
        _table([words["clause"], words["items"], "%"], [[label, *_share(counts, label)] for label in CLAUSE_LABELS])
    ]


def _labels(items: Sequence[Item], fields: Sequence[str]) -> Counter[str]:
    return Counter(item[name] for item in items for name in fields if item[name])


def _share(counts: Counter[str], label: str) -> list[object]:
    return [counts[label], f"{100 * counts[label] / counts.total():.1f}" if counts else "-"]


def _corpus(facts: Facts, words: Mapping[str, str]) -> list[str]:
    parts = [words["corpus_text"]]
    for convention in STEERED:
        found = facts.shares[convention.kind]
        rows = [[share.label, f"{100 * share.corpus:.1f}", f"{100 * share.project:.1f}"] for share in found]
        title = f"{convention.kind} ({convention.name})"
        parts.append(_table([title, f"{words['corpus_share']} %", f"{words['own_share']} %"], rows))
    return parts


def _balance(facts: Facts, words: Mapping[str, str]) -> list[str]:
    head = ["", "n", words["length"], words["ratio"], words["markers"], words["near_end"], words["is_longest"]]
    rows = [
        [
            kind.kind,
            kind.options,
            f"{kind.length:.1f}",
            f"{kind.ratio:.3f}",
            f"{kind.markers:.2f}",
            f"{100 * kind.near_end:.1f}",
            f"{100 * kind.longest:.1f}",
        ]
        for kind in facts.balance.kinds
    ]
    baselines = [[name, _interval(found)] for name, found in facts.balance.baselines.items()]
    return [_table(head, rows), words["baseline_text"], _table([words["baseline"], "%"], baselines)]


def _interval(found: Estimate) -> str:
    if found.low is None or found.high is None:
        return f"{100 * found.value:.1f}"
    return f"{100 * found.value:.1f} [{100 * found.low:.1f}, {100 * found.high:.1f}]"


def _making(facts: Facts, words: Mapping[str, str]) -> list[str]:
    right = sum(item[ANSWER] == STANDARD for item in facts.items)
    text = words["making_text"].format(
        items=len(facts.items),
        verifiers=len({item[VERIFIER] for item in facts.items}),
        right=right,
        settled=sum(bool(item[DECISION]) for item in facts.items),
        dropped=facts.dropped,
    )
    if not facts.warnings:
        return [text, words["no_warnings"]]
    rows = [[name, count] for name, count in sorted(facts.warnings.items(), key=lambda pair: (-pair[1], pair[0]))]
    return [text, words["warnings_text"], _table([words["warning"], words["count"]], rows)]
