"""From a model reference to a backend. The one file that knows which backends there are."""

from __future__ import annotations

from collections.abc import Callable

from jatdae.errors import ModelError
from jatdae.models.base import Backend, ModelReference
from jatdae.models.options import ModelOptions


def open_backend(
    reference: ModelReference, options: ModelOptions, progress: Callable[[str], None] | None = None
) -> Backend:
    """A backend that is ready to be asked. Raises ModelError when the model or a needed package is not there."""
    try:
        from jatdae.models.hf import HfBackend
    except ModuleNotFoundError as error:
        message = f"{reference} needs the package {error.name}; install it with: pip install 'jatdae[hf]'"
        raise ModelError(message) from None
    return HfBackend.load(reference, options, progress)
