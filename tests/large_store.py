"""A store with many samples, made by arithmetic: as large as a year of work, in a minute.

    python tests/large_store.py DIR [--samples 500000]

Two models on a benchmark like KMMLU (45 subjects, four options) and on one like KoNUBench, as often as it takes; every
hundredth sample has its request and answer. Estimates are computed from the samples.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from jatdae.stats import macro, proportion
from jatdae.store import Store, request_key
from jatdae.types import Estimate, OptionScore, Outcome, Protocol, Result, Sample, Score, Scores

SUBJECTS = tuple(f"subject-{number:02}" for number in range(45))
LETTERS = "ABCD"
OUTCOMES = (Outcome.RIGHT, Outcome.WRONG, Outcome.UNPARSED, Outcome.REFUSED)
SHARES = (0.45, 0.5, 0.04, 0.01)
PART = 5000
LINKED = 100


def build_large_store(folder: Path, samples: int = 500_000, a_result: int = 35_030) -> Path:
    """Write the store; `a_result` samples a result."""
    with Store.open(folder) as store:
        for number in range(-(-samples // a_result)):
            size = min(a_result, samples - number * a_result)
            _result(store, number, size, "kmmlu" if number % 3 < 2 else "konubench")
    return folder


def _result(store: Store, number: int, size: int, task: str) -> None:
    model = SimpleNamespace(key=f"model-{number % 2}", reference=f"hf:org/모형-{number % 2}", facts={"weights": "made"})
    store.remember_model(model)
    run = store.start_run(f"jatdae run {task} --model {model.reference}", {"jatdae": "0.1.0"}, {"cores": "2"})
    mode = "letter" if task == "kmmlu" else "cloze"
    protocol = Protocol(mode=mode, shots=5, seeds=(number,), split="test")
    facts = {"fingerprint": f"question-{task}-{number // 6}", "data_hash": "made", "task_version": "1"}
    result = store.start_result(run, task=task, model_key=model.key, mode=mode, protocol=protocol, **facts)
    draw = np.random.default_rng(number)
    outcomes = draw.choice(len(OUTCOMES), size=size, p=SHARES)
    for start in range(0, size, PART):
        part = list(_samples(store, model.key, task, outcomes[start : start + PART], start, draw))
        store.add_samples(result, part)
    store.finish_result(result, _summary(task, model, protocol, outcomes, facts))
    store.end_run(run, "done")


def _samples(
    store: Store, model_key: str, task: str, outcomes: np.ndarray, start: int, draw: np.random.Generator
) -> Iterator[Sample]:
    entries = []
    for at, outcome in enumerate(outcomes.tolist(), start=start):
        values = np.round(-draw.gamma(2.0, 3.0, size=4), 6).tolist()
        request = Score(
            f"{at}번 문항: 알맞은 것을 고르시오.\nA. 첫째\nB. 둘째\nC. 셋째\nD. 넷째\n정답：", (" A", " B", " C", " D")
        )
        key = request_key(model_key, request)
        if at % LINKED == 0:
            entries.append((key, request, Scores(tuple(OptionScore(value, 1, False) for value in values), 60)))
        right = outcome == 0
        yield Sample(
            item=f"{task}/{at:06}",
            outcome=OUTCOMES[outcome],
            prediction=LETTERS[at % 4] if outcome < 2 else None,
            target=LETTERS[at % 4] if right else LETTERS[(at + 1) % 4],
            scores={"acc": float(right)},
            group=SUBJECTS[at % len(SUBJECTS)] if task == "kmmlu" else "",
            cluster=f"origin-{at // 2}" if task == "konubench" else "",
            requests=(key,) if at % LINKED == 0 else (),
            detail={"options": ["첫째", "둘째", "셋째", "넷째"], "log_likelihoods": values, "question": f"{at}번 문항"},
        )
    store.remember(model_key, entries)


def _summary(task: str, model: SimpleNamespace, protocol: Protocol, outcomes: np.ndarray, facts: dict) -> Result:
    right = outcomes == 0
    estimates = {"acc": proportion(right.astype(float))}
    breakdown: dict[str, dict[str, Estimate]] = {}
    headline = "acc"
    if task == "kmmlu":
        places = np.arange(len(right)) % len(SUBJECTS)
        groups = {name: right[places == at].astype(float) for at, name in enumerate(SUBJECTS)}
        breakdown["subject"] = {name: proportion(values) for name, values in groups.items() if len(values)}
        estimates = {"macro": macro({name: values for name, values in groups.items() if len(values)}), **estimates}
        headline = "macro"
    return Result(
        task=task,
        model=model.reference,
        protocol=protocol,
        title=task,
        headline=headline,
        estimates=estimates,
        rates={"unparsed": proportion((outcomes == 2).astype(float))},
        floors={"best constant letter": Estimate(0.27, 0.002, 0.265, 0.275, len(right), method="Wilson")},
        breakdown=breakdown,
        items=len(right),
        complete=True,
        model_key=model.key,
        **facts,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--samples", type=int, default=500_000)
    given = parser.parse_args()
    print(build_large_store(given.folder, given.samples), file=sys.stderr)
