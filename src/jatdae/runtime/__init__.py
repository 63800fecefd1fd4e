"""How asking is organised: many items at once, each request answered once."""

from jatdae.runtime.budget import Budget
from jatdae.runtime.dispatcher import Dispatcher, ItemModel
from jatdae.runtime.interruption import stopped_by_ctrl_c
from jatdae.runtime.items import run_items
from jatdae.runtime.progress import Progress
from jatdae.runtime.traffic import Traffic

__all__ = ["Budget", "Dispatcher", "ItemModel", "Progress", "Traffic", "run_items", "stopped_by_ctrl_c"]
