"""The recipes of KLUE's tasks, by name."""

from __future__ import annotations

from importlib import import_module

from jatdae.benchmarks.klue.labels import known_task
from jatdae.finetune.recipe import Recipe

_HOMES = {
    "ynat": ("classification", "TopicRecipe"),
    "sts": ("classification", "SimilarityRecipe"),
    "nli": ("classification", "InferenceRecipe"),
    "re": ("relations", "RelationRecipe"),
    "ner": ("tagging", "TaggingRecipe"),
    "dp": ("parsing", "ParsingRecipe"),
    "mrc": ("reading", "ReadingRecipe"),
    "wos": ("tracking", "TrackingRecipe"),
}


def find_recipe(task: str) -> type[Recipe]:
    """The recipe of a task, with or without `klue/` before it. Raises RequestError for an unknown one."""
    module, name = _HOMES[known_task(task)]
    return getattr(import_module(f"jatdae.finetune.recipes.{module}"), name)
