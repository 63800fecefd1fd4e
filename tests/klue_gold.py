"""Small KLUE gold files of our own, and gold answers written down as predictions."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from jatdae.benchmarks.klue.labels import RELATIONS

Rows = list[dict[str, Any]]


def written(path: Path, content: object) -> Path:
    """A file of text as it is, or of anything else as JSON."""
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, indent=1)
    path.write_text(text, encoding="utf-8")
    return path


def topics(folder: Path, labels: Sequence[str]) -> Path:
    rows = [{"guid": f"ynat-v1_dev_{n:05d}", "title": f"제목 {n}", "label": label} for n, label in enumerate(labels)]
    return written(folder / "ynat-v1.1_dev.json", rows)


def inferences(folder: Path, labels: Sequence[str], premises: Sequence[str] = ()) -> Path:
    rows = [
        {
            "guid": f"klue-nli-v1_dev_{n:05d}",
            "source": "policy",
            "premise": premises[n] if premises else f"전제 {n}",
            "hypothesis": f"가설 {n}",
            "gold_label": label,
        }
        for n, label in enumerate(labels)
    ]
    return written(folder / "klue-nli-v1.1_dev.json", rows)


def similarities(folder: Path, scores: Sequence[float]) -> Path:
    rows = [
        {
            "guid": f"klue-sts-v1_dev_{n:05d}",
            "source": "policy-rtt",
            "sentence1": f"문장 {n}",
            "sentence2": f"글월 {n}",
            "labels": {"label": round(score, 1), "real-label": score, "binary-label": int(score >= 3)},
        }
        for n, score in enumerate(scores)
    ]
    return written(folder / "klue-sts-v1.1_dev.json", rows)


def relations(folder: Path, labels: Sequence[str], guids: Sequence[str] = ()) -> Path:
    rows = [
        {
            "guid": guids[n] if guids else f"klue-re-v1_dev_{n:05d}",
            "sentence": f"가온과 나래 {n}",
            "subject_entity": {"word": "가온", "start_idx": 0, "end_idx": 1, "type": "PER"},
            "object_entity": {"word": "나래", "start_idx": 4, "end_idx": 5, "type": "PER"},
            "label": label,
            "source": "wikitree",
        }
        for n, label in enumerate(labels)
    ]
    return written(folder / "klue-re-gold.json", rows)


def tagged(folder: Path, sentences: Sequence[tuple[str, str]], name: str = "klue-ner-v1.1_dev.tsv") -> Path:
    """Sentences and their tags, both as text; the tags with blanks between them."""
    blocks = []
    for number, (text, tags) in enumerate(sentences):
        rows = [f"{character}\t{tag}" for character, tag in zip(text, tags.split(), strict=True)]
        blocks.append("\n".join([f"## klue-ner-v1_dev_{number:05d}-wikitree\t{text}", *rows]))
    return written(folder / name, "\n\n".join(blocks) + "\n\n")


def parsed(folder: Path, sentences: Sequence[Sequence[tuple[str, int, str]]]) -> Path:
    """Sentences as words with head and label."""
    blocks = []
    for number, words in enumerate(sentences):
        rows = [f"{n}\t{word}\t{word}\tNNG\t{head}\t{label}" for n, (word, head, label) in enumerate(words, 1)]
        text = " ".join(word for word, _, _ in words)
        blocks.append("\n".join([f"## klue-dp-v1_dev_{number:05d}_wikitree\t{text}", *rows]))
    return written(folder / "klue-dp-v1.1_dev.tsv", "\n\n".join(blocks) + "\n\n")


def questions(folder: Path, answers: Sequence[Sequence[str]], plausible: str = "자문") -> Path:
    """A question for each list of answers, all on one passage; without answers it is unanswerable."""
    texts = list(dict.fromkeys(answer for group in answers for answer in group))
    context = " / ".join([*texts, plausible])

    def places(group: Sequence[str]) -> list[dict[str, Any]]:
        return [{"text": text, "answer_start": context.index(text)} for text in group]

    qas = [
        {
            "guid": f"klue-mrc-v1_dev_{n:05d}",
            "question": f"물음 {n}",
            "is_impossible": not group,
            "answers": places(group),
            **({} if group else {"plausible_answers": places([plausible])}),
        }
        for n, group in enumerate(answers)
    ]
    data = [{"title": "글", "paragraphs": [{"context": context, "qas": qas}]}]
    return written(folder / "klue-mrc-v1.1_dev.json", {"data": data})


def dialogues(folder: Path, states: Sequence[Sequence[Sequence[str]]]) -> Path:
    """Dialogues as the states of their user's turns."""
    rows = [
        {
            "guid": f"wos-v1_dev_{n:05d}",
            "domains": ["식당"],
            "dialogue": [
                turn
                for state in turns
                for turn in ({"role": "user", "text": "네", "state": list(state)}, {"role": "sys", "text": "예"})
            ],
        }
        for n, turns in enumerate(states)
    ]
    return written(folder / "wos-v1.1_dev.json", rows)


def _labelled(record: Any) -> Rows:
    return [{"guid": record.guid, "prediction": record.label}]


def _related(record: Any) -> Rows:
    return [{"guid": record.guid, "label": record.label, "probs": [float(name == record.label) for name in RELATIONS]}]


def _turned(record: Any) -> Rows:
    turns = enumerate(record.user_turns)
    return [{"guid": f"{record.guid}-{number}", "prediction": list(turn.state_items)} for number, turn in turns]


AS_PREDICTED: Mapping[str, Callable[[Any], Rows]] = {
    "ynat": _labelled,
    "nli": _labelled,
    "re": _related,
    "sts": lambda record: [{"guid": record.guid, "prediction": record.real_label}],
    "ner": lambda record: [{"guid": record.guid, "tags": list(record.tags)}],
    "dp": lambda record: [{"guid": record.guid, "heads": list(record.heads), "deprels": list(record.labels)}],
    "mrc": lambda record: [{"guid": record.guid, "prediction": record.gold[0]}],
    "wos": _turned,
}
"""Task to the rows that say of a record what gold says."""
