"""A look at a results folder without taking its lock or recording a run: for pages and for sets that people rate."""

from __future__ import annotations

from jatdae.benchmarks.munbench.reading import read_dataset
from jatdae.errors import RequestError
from jatdae.evaluate.munbench.config import MunConfig
from jatdae.evaluate.munbench.evidence import Evidence
from jatdae.evaluate.munbench.pipeline import data_folder
from jatdae.evaluate.munbench.workspace import Workspace
from jatdae.runtime import Progress
from jatdae.store import Store
from jatdae.store.connection import FILE_NAME


def evidence_of(config: MunConfig) -> Evidence:
    """All records of the folder, read when they are asked for. Raises RequestError where nothing has run yet."""
    if not (config.results_dir / FILE_NAME).is_file():
        raise RequestError(f"{config.results_dir} holds no run; start with: jatdae munbench generate")
    with Store.open(config.results_dir) as store:
        # Evidence reads the folder's files alone; the store tells where they lie.
        return Evidence(Workspace(config, read_dataset(data_folder(config)), store, Progress(quiet=True)))
