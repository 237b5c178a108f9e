"""The app that tests connect to accessories."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from app import App

pytest_plugins = ["pytester"]


@pytest.fixture
def app() -> Iterator[App]:
    app = App()
    yield app
    app.close()
