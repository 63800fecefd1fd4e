"""From `ray:hf:NAME` to a backend."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from functools import partial
from pathlib import Path

from jatdae.models.base import Backend, ModelReference
from jatdae.models.options import ModelOptions
from jatdae.models.ray.backend import RayBackend
from jatdae.models.ray.cluster import need_ray
from jatdae.models.ray.spread import Spread, read_spread

Open = Callable[[ModelReference, ModelOptions], Backend]


def open_ray_backend(
    inner: ModelReference,
    options: ModelOptions,
    open_local: Open,
    progress: Callable[[str], None] | None = None,
) -> RayBackend:
    """A backend whose actors run `inner`, which gets the options that are not of the spread.

    Raises RequestError for an unknown option or without Ray, ModelError for a model that is not there.
    """
    need_ray(f"ray:{inner}")
    names = {entry.name for entry in fields(Spread)}
    spread = read_spread([pair for pair in options.backend_options if pair[0] in names])
    own = replace(options, backend_options=tuple(pair for pair in options.backend_options if pair[0] not in names))
    return RayBackend(open_local(inner, own), partial(open_local, _absolute(inner), own), spread, progress)


def _absolute(reference: ModelReference) -> ModelReference:
    """With whole paths, since an actor has a working directory of its own."""
    return replace(
        reference,
        name=_whole(reference.name),
        adapter=None if reference.adapter is None else _whole(reference.adapter),
    )


def _whole(name: str) -> str:
    path = Path(name).expanduser()
    return str(path.resolve()) if path.exists() else name
