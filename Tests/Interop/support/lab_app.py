"""A pytest plugin for tests in the lab: the fixture `app`, which joins the boards' radio."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "Clients/python/tests"))
from app import App  # noqa: E402


@pytest.fixture
def app() -> Iterator[App]:
    with closing(App(os.environ["LAB_AIR"])) as app:
        yield app
