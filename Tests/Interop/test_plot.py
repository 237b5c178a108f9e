"""`understudy plot`: pictures of captures, in SVG and in the terminal."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from support.program import EX_DATAERR, EX_OK, EX_USAGE, run

SVG = "{http://www.w3.org/2000/svg}"
UTF8 = {"LC_ALL": "C.UTF-8"}
SCENARIO = """
understudy-scenario: 1
name: Belt
accessory: heart-rate
cases:
  - name: beats
    steps:
      - connect
      - discover
      - { subscribe: measurement }
      - { wait: 30 s }
      - { read: location, gives: hex:05 }
"""


@pytest.fixture
async def captured(tmp_path: Path) -> Path:
    (tmp_path / "belt.yaml").write_text(SCENARIO)
    ended = await run("test", tmp_path / "belt.yaml", "--keep", tmp_path)
    assert ended.code == 1
    return tmp_path / "belt-beats.pcapng"


@pytest.mark.parametrize("options", [("--ascii",), ()])
async def test_values_in_the_terminal(captured: Path, options: tuple[str, ...]) -> None:
    drawn = await run("plot", captured, "--value", "2A37.bpm", *options, environment=UTF8)
    lines = drawn.output.splitlines()
    assert lines[0] == "Heart Rate Measurement.bpm" and all(len(line) <= 80 for line in lines)
    assert lines[1].split()[0].isdecimal() and lines[9].split()[0] == "0"
    assert drawn.output.isascii() == bool(options)
    assert ("█" in drawn.output) != bool(options)


async def test_ascii_without_a_locale(captured: Path) -> None:
    drawn = await run("plot", captured, "--latency", environment={"LC_ALL": "C"})
    assert drawn.code == EX_OK and drawn.output.isascii() and "#" in drawn.output


@pytest.mark.parametrize(
    ("quantity", "titles"),
    [
        (("--value", "heart-rate-measurement.bpm"), ["Heart Rate Measurement.bpm"]),
        (("--value", "measurement.bpm", "--profile", "heart-rate"), ["Heart Rate Measurement.bpm"]),
        (("--latency",), ["ATT latency, on the air, ms"]),
        (("--throughput",), ["sent, on the air, kbit/s", "received, on the air, kbit/s"]),
        (("--rssi",), ["advertising, dBm", "from the central, dBm", "from the peripheral, dBm"]),
    ],
)
async def test_svg(captured: Path, tmp_path: Path, quantity: tuple[str, ...], titles: list[str]) -> None:
    drawn = await run("plot", captured, *quantity, "--output", tmp_path / "x.svg")
    assert drawn.code == EX_OK and drawn.output == "", drawn.errors
    root = ElementTree.parse(tmp_path / "x.svg").getroot()
    bold = [text.text for text in root.iter(f"{SVG}text") if text.get("font-weight") == "bold"]
    assert sorted(bold) == sorted(["belt-beats.pcapng", *titles])
    assert list(root.iter(f"{SVG}circle")) or list(root.iter(f"{SVG}polyline"))


async def test_what_cannot_be_drawn(captured: Path, tmp_path: Path) -> None:
    missing = await run("plot", captured, "--value", "2A19")
    assert missing.code == EX_DATAERR and "it has Heart Rate Measurement.bpm" in missing.errors
    for arguments in ((), ("--latency", "--rssi"), ("--value", "2A37.")):
        wrong = await run("plot", captured, *arguments)
        assert wrong.code == EX_USAGE, arguments
    same = await run("plot", captured, "--rssi", "--output", captured)
    assert same.code == EX_USAGE and "--output" in same.errors
