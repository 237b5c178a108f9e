"""The examples of the README work as described."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.timeout(120)
README = Path(__file__).resolve().parent.parent / "README.md"
BLOCKING, ASYNCIO = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
CONFTEST = Path(__file__).with_name("conftest.py")


def test_example_with_pytest(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(BLOCKING)
    pytester.makeconftest(CONFTEST.read_text())
    pytester.makeini("[pytest]\nasyncio_default_fixture_loop_scope = function\n")
    pytester.runpytest_inprocess().assert_outcomes(passed=1)
    assert len(BLOCKING.strip().splitlines()) <= 15


def test_example_with_asyncio(tmp_path: Path) -> None:
    path = tmp_path / "example.py"
    path.write_text(ASYNCIO)
    ran = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stdout) == (0, "battery: b'*'\nread: b'*'\n"), ran.stderr


def test_example_with_bleak(pytester: pytest.Pytester) -> None:
    """The test in docs/bleak.md."""
    page = README.parents[2] / "docs/bleak.md"
    (example,) = [text for text in re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL) if "def test_" in text]
    pytester.makepyfile(example)
    pytester.makeini("[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function\n")
    pytester.runpytest_inprocess().assert_outcomes(passed=1)
