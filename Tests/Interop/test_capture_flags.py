"""`understudy capture`: flags on packets, on the command line, on the screen, and for other programs."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from support.program import executable, run
from support.terminal import Terminal

from test_capture_screen import CONVERSATION, HEAD, shows

TSHARK = pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")


@pytest.fixture
def captured(tmp_path: Path) -> Path:
    """An MTU request, its response, and a notification."""
    path = tmp_path / "run.btsnoop"
    path.write_bytes(HEAD + CONVERSATION)
    return path


async def flagged(path: Path) -> list[int]:
    completed = await run("capture", path, "--filter", "flagged", "--json")
    assert completed.code == 0
    packets = [json.loads(line) for line in completed.output.splitlines()]
    assert all(packet["flagged"] is True for packet in packets)
    return [packet["number"] for packet in packets]


@pytest.mark.parametrize("ending", ["pcapng", "pklg"])
async def test_flags_survive_conversions(ending: str, captured: Path, tmp_path: Path) -> None:
    path, again = tmp_path / f"flagged.{ending}", tmp_path / "again.pcapng"
    written = await run("capture", captured, "--flag", "att.mtu", "--comment", "sent=Why so much?", "--convert", path)
    assert (written.code, written.errors) == (0, "")
    assert (await run("capture", path, "--flag", "number == 3", "--convert", again)).code == 0
    assert await flagged(path) == [1, 2]
    assert await flagged(again) == [1, 2, 3]
    lines = (await run("capture", again)).output.splitlines()
    assert lines[0].endswith("MTU: 517  # flagged")
    assert all(line.endswith("  # flagged  # Why so much?") for line in lines[1:])


async def test_flags_without_a_file(captured: Path) -> None:
    lines = (await run("capture", captured, "--flag", "att.mtu", "--filter", "flagged && sent")).output.splitlines()
    assert len(lines) == 1 and lines[0].endswith("  # flagged")
    packets = [json.loads(line) for line in (await run("capture", captured, "--json")).output.splitlines()]
    assert not any("flagged" in packet for packet in packets)


async def test_formats_without_flags_say_so(captured: Path, tmp_path: Path) -> None:
    written = await run("capture", captured, "--flag", "att.mtu", "--convert", tmp_path / "plain.pcap")
    assert written.code == 0
    assert "the comments and flags of 2 packets cannot be written as pcap and are left out" in written.errors
    wrong = await run("capture", captured, "--flag", "att.wrote")
    assert wrong.code == 64 and "--flag, column 1: `att.wrote` is not known" in wrong.errors


async def test_flags_are_set_on_the_screen_and_written(captured: Path, tmp_path: Path) -> None:
    path = tmp_path / "flagged.pcapng"
    terminal = Terminal([executable(), "capture", captured, "-i"])
    try:
        await terminal.until(shows("3 of 3 packets"))
        terminal.type("gF")
        await terminal.until(shows("1      ⚑"))
        terminal.type("jjFgn")
        await terminal.until(shows("3 of 3 packets, 3 selected", "3      ⚑"))
        terminal.type(f"w{captured}\r")
        await terminal.until(shows("give another name, this file exists: /"))
        terminal.type(f"w{path}\r")
        await terminal.until(shows("3 packets are written: "))
        assert await flagged(path) == [1, 3]
        # The screen may overwrite a file that it has written.
        terminal.type(f"FNFw{path}\r")
        await terminal.until(lambda screen: not shows("⚑")(screen) and shows("3 packets are written: ")(screen))
        assert await flagged(path) == []
        terminal.type("q")
        assert await terminal.ended() == 0
    finally:
        terminal.close()
    assert path.stat().st_mode & 0o777 == 0o600


@TSHARK
@pytest.mark.parametrize("ending", ["pcapng", "pklg"])
async def test_other_programs_read_them(ending: str, captured: Path, tmp_path: Path) -> None:
    path = tmp_path / f"flagged.{ending}"
    assert (await run("capture", captured, "--flag", "att.mtu && sent", "--convert", path)).code == 0
    shown = subprocess.run(["tshark", "-r", path, "-V"], capture_output=True, text=True, check=True).stdout
    assert shown.count("Opcode: Exchange MTU Re") == 2 and "flagged" in shown
    if ending == "pcapng":
        fields = ["-Y", 'frame.comment == "flagged"', "-T", "fields", "-e", "frame.number"]
        found = subprocess.run(["tshark", "-r", path, *fields], capture_output=True, text=True, check=True).stdout
        assert found.split() == ["2"]
