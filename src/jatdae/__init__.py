"""Jatdae (잣대): a yardstick for Korean language models.

>>> from jatdae import evaluate  # doctest: +SKIP
>>> evaluate("kmmlu/accounting", "hf:./checkpoint", limit=50)  # doctest: +SKIP
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jatdae.benchmarks.base import load_task, register
    from jatdae.evaluate import evaluate
    from jatdae.evaluate.comparing import compare
    from jatdae.store import Store

__all__ = ["Store", "compare", "evaluate", "load_task", "register"]

_HOMES = {
    "Store": "jatdae.store",
    "compare": "jatdae.evaluate.comparing",
    "evaluate": "jatdae.evaluate",
    "load_task": "jatdae.benchmarks.base",
    "register": "jatdae.benchmarks.base",
}


class _Package(ModuleType):
    """The package, in which a public name stays what it is when a module of the same name is imported.

    Python binds an imported submodule in its package; `jatdae.evaluate` the module would hide `evaluate` the function.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if name not in _HOMES or not isinstance(value, ModuleType):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    """Import a public name where it is first used, so that `jatdae --help` stays fast."""
    if name not in _HOMES:
        raise AttributeError(f"module 'jatdae' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
