"""How to get a run again: the command, the environment, the data and the weights that it stood on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from jatdae.reports.inert import inert
from jatdae.store import Store, StoredResult, StoredRun

PULLED = frozenset({"klue", "kmmlu", "konubench"})
"""Families whose releases are fetched by command."""


@dataclass(frozen=True, slots=True)
class Reproduction:
    """`constraints` pin the packages; `data` are commands that fetch and check the data; `expected` fingerprints by
    result, `weights` what identifies each model."""

    command: str
    constraints: tuple[str, ...]
    python: str
    machine: Mapping[str, str]
    data: tuple[str, ...]
    expected: tuple[Mapping[str, str], ...]
    weights: Mapping[str, Mapping[str, str]]


def reproduction(store: Store, run: StoredRun, results: Sequence[StoredResult]) -> Reproduction:
    """From what the store keeps of a run. Secrets were taken out of the command when it was stored."""
    packages = {name: value for name, value in run.versions.items() if name != "python"}
    families = sorted({one.task.partition("/")[0] for one in results} & PULLED)
    return Reproduction(
        command=run.command,
        constraints=tuple(f"{name}=={value.partition('+')[0]}" for name, value in sorted(packages.items()) if value),
        python=run.versions.get("python", ""),
        machine=run.machine,
        data=tuple(f"jatdae data {verb} {name}" for name in families for verb in ("pull", "validate")),
        expected=tuple(
            {
                "task": one.task,
                "mode": one.mode,
                "model": one.model_reference,
                "fingerprint": one.fingerprint,
                "data_hash": one.data_hash,
                "task_version": one.task_version,
            }
            for one in results
        ),
        weights={one.model_reference: store.model_facts(one.model_key) for one in results},
    )


def reproduction_text(one: Reproduction) -> str:
    """The same as a shell script with comments, to be read before it is run."""
    lines = [f"# Python {one.python}; {', '.join(f'{name} {value}' for name, value in one.machine.items())}"]
    lines += ["cat > constraints.txt <<'END'", *one.constraints, "END"]
    lines.append("python -m venv .venv && .venv/bin/pip install -c constraints.txt 'jatdae[hf]'")
    lines += [f".venv/bin/{command}" for command in one.data]
    for model, facts in one.weights.items():
        told = ", ".join(f"{name} {value[:24]}" for name, value in facts.items() if name in _TELLING)
        lines.append(f"# {model}: {told}")
    lines.append(one.command if one.command.startswith("jatdae") else f"# {one.command}")
    for expected in one.expected:
        place = f"{expected['task']} {expected['mode']} on {expected['model']}"
        lines.append(
            f"# expected: {place}: fingerprint {expected['fingerprint'][:12]}, data {expected['data_hash'][:12]}, "
            f"task version {expected['task_version']}"
        )
    return "\n".join(inert(line) for line in lines) + "\n"


_TELLING = frozenset({"name", "weights", "dtype", "quantisation", "adapter"})
