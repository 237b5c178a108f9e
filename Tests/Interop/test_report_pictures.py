"""Makes the picture of a report in docs/ (scripts/screenshots)."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.page import Page
from support.pictures import marks, take
from support.program import run

SCENARIO = """
understudy-scenario: 1
name: Belt
accessory: heart-rate
prepare: [ connect ]
faults: [ { id: late, on: { notify: measurement }, do: reorder, nth: 2 } ]
cases:
  - name: measures
    steps:
      - { subscribe: measurement }
      - { notified: measurement, values: [ any, hex:168fae01ae01ae01ae01ae01ae01ae01 ] }
  - { name: sits, steps: [ { read: location, gives: chest } ] }
  - { name: charged, steps: [ { read: battery-level, gives: 100 } ] }
"""
pytestmark = marks


async def test_picture_of_a_failed_case(tmp_path: Path, page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    # The picture shows the paths as they are named here.
    monkeypatch.chdir(tmp_path)
    Path("belt.scenario.yaml").write_text(SCENARIO)
    ended = await run("test", "belt.scenario.yaml", "--html", "report.html")
    assert ended.code == 1
    await page.go((tmp_path / "report.html").as_uri())
    await take(page, "report", 1280, 1000, "light")
