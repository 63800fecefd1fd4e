"""Fixtures that every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def upstream() -> Path:
    """The folder of real upstream data; the test is skipped where it is absent."""
    given = os.environ.get("JATDAE_DATA")
    folder = Path(given) if given else Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"no upstream data at {folder}; set JATDAE_DATA to run this test")
    return folder


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real but tiny checkpoint: two random layers and a byte-level tokenizer, saved as a folder."""
    pytest.importorskip("torch")
    from tiny_model import build_tiny_model

    return build_tiny_model(tmp_path_factory.mktemp("tiny") / "model", bos=True, chat_template=None)
