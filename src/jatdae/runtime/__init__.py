"""How asking is organised: many items at once, each request answered once."""

from jatdae.runtime.dispatcher import Dispatcher, Interrupted, ItemModel
from jatdae.runtime.items import run_items
from jatdae.runtime.progress import Progress

__all__ = ["Dispatcher", "Interrupted", "ItemModel", "Progress", "run_items"]
