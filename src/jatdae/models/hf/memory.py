"""Memory that runs out in a forward pass, told apart from a model's other faults."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class OutOfMemoryError(Exception):
    """A forward pass did not fit the memory; it can be tried again with less in it."""


@contextmanager
def memory_errors() -> Iterator[None]:
    """Turn the several ways in which memory runs out into OutOfMemoryError."""
    try:
        yield
    except MemoryError as error:
        raise OutOfMemoryError from error
    except RuntimeError as error:
        text = str(error).lower()
        if "out of memory" in text or "can't allocate" in text or "not enough memory" in text:
            raise OutOfMemoryError from error
        raise
