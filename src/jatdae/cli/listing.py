"""`jatdae list`: tasks, modes and kinds of models."""

from __future__ import annotations

from jatdae.benchmarks.base import registry
from jatdae.errors import RequestError, did_you_mean
from jatdae.reports.documents import document
from jatdae.reports.tables import columns, console

MODELS = (
    ("hf:NAME[@REVISION]", "a causal language model of the Hugging Face hub"),
    ("hf:./FOLDER", "a checkpoint folder (safetensors)"),
    ("hf:NAME, hf:./FOLDER", "an encoder such as BERT, for tasks with the mode finetune"),
    ("hf:./FILE.gguf", "a GGUF file"),
    ("openai:NAME[@EFFORT]", "any OpenAI-compatible server: --base-url, key in OPENAI_API_KEY"),
    (
        "litellm:PROVIDER/NAME[@EFFORT]",
        "all that litellm reaches, such as openrouter/VENDOR/NAME; pip install 'jatdae[api]'",
    ),
    ("claude-cli:NAME[@EFFORT]", "Claude Code without a terminal, on its plan: log in first"),
    ("codex-cli:NAME[@EFFORT]", "Codex without a terminal, on its plan: log in first"),
)


def list_command(what: str, *, as_json: bool) -> None:
    """Print one of the lists. Raises RequestError for another word."""
    makers = {"tasks": _tasks, "modes": _modes, "models": lambda: (("reference", "what it is"), MODELS)}
    if what not in makers:
        raise RequestError(f"there is no list of {what!r}; {did_you_mean(what, makers)}")
    header, rows = makers[what]()
    if as_json:
        print(document({what: [dict(zip(header, row, strict=True)) for row in rows]}))
    else:
        console().print(columns(header, rows))


def _tasks() -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    rows = [(entry.name, ", ".join(entry.task.modes), entry.summary) for entry in registry().values()]
    return ("task", "modes", "what it measures"), rows


def _modes() -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    seen: dict[tuple[str, str], str] = {}
    for entry in registry().values():
        for mode, sentence in entry.task.modes.items():
            seen.setdefault((entry.name.partition("/")[0], mode), sentence)
    rows = [(benchmark, mode, sentence) for (benchmark, mode), sentence in seen.items()]
    return ("benchmark", "mode", "how it asks"), rows
