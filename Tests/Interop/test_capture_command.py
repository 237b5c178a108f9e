"""`understudy capture`: its output for captures of our own runs, compared with tshark's."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import signal
import struct
import subprocess
from pathlib import Path
from typing import Any

import pytest

from conftest import Stage
from support.program import PATIENCE, executable, run
from support.tshark import TSHARK, difference, told_by_tshark

EX_USAGE, EX_DATAERR, EX_NOINPUT = 64, 65, 66
HEAD = b"btsnoop\0" + struct.pack(">II", 1, 1002)


@pytest.fixture
async def captured(virtual: Stage, tmp_path: Path) -> Path:
    """A run with one connection, its discovery, a read and a few notifications."""
    path = tmp_path / "run.btsnoop"
    program = await virtual.run_captured(path)
    session = await virtual.connect(mtu=517)
    await session.read(await session.handle_of("FFF6"))
    await session.subscribe(await session.handle_of("FFF4"))
    await session.arrivals(3)
    program.send_signal(signal.SIGTERM)
    assert await program.wait(5) == 0
    return path


async def shown(path: Path, *arguments: str) -> list[dict[str, Any]]:
    completed = await run("capture", path, "--json", *arguments)
    assert completed.code == 0, completed
    return [json.loads(line) for line in completed.output.splitlines()]


@TSHARK
async def test_layers_opcodes_and_handles_are_as_tshark_says(captured: Path) -> None:
    rows, packets = told_by_tshark(captured), await shown(captured)
    assert len(packets) == len(rows) > 20
    assert not [text for packet, row in zip(packets, rows, strict=True) if (text := difference(packet, row))]
    assert {packet["layer"] for packet in packets} >= {"command", "event", "att"}


@TSHARK
@pytest.mark.skipif("UNDERSTUDY_CAPTURES" not in os.environ, reason="UNDERSTUDY_CAPTURES names no folder with captures")
async def test_captures_of_others_are_as_tshark_says() -> None:
    """Damaged packets from the air are not always decoded alike: one in a hundred may differ."""
    paths = [path for path in Path(os.environ["UNDERSTUDY_CAPTURES"]).iterdir() if path.is_file()]
    assert paths
    for path in sorted(paths):
        rows, packets = told_by_tshark(path), await shown(path)
        assert len(rows) == len(packets), path
        differences = [text for packet, row in zip(packets, rows, strict=True) if (text := difference(packet, row))]
        allowed = len(rows) // 100 if any(packet["layer"] == "lldata" for packet in packets) else 0
        assert len(differences) <= allowed, (path, differences)


async def test_names_values_and_latencies(captured: Path) -> None:
    packets = await shown(captured, "--filter", "att.notification && uuid == FFF4")
    assert len(packets) >= 3
    assert all(packet["sent"] and packet["value"] for packet in packets)
    # A handle's UUID is known from an earlier discovery.
    (read,) = await shown(captured, "--filter", "att && opcode == 0x0B && uuid == FFF6")
    assert read["value"] == bytes(range(20)).hex()
    request = (await shown(captured, "--filter", f"number == {read['request']}"))[0]
    assert request["text"].startswith("Read Request - Handle: 0x")
    assert read["latency"] == read["nanoseconds"] - request["nanoseconds"]


async def test_columns_and_tree(captured: Path) -> None:
    completed = await run("capture", captured, "--filter", "att.mtu", "--tree")
    first = completed.output.splitlines()[0]
    assert re.fullmatch(
        r"\d\d:\d\d:\d\d\.\d{6}  ATT Receive +0x\w{4}  (\w\w:){5}\w\w  Exchange MTU Request - MTU: 517", first
    ), first
    layers = [line.split()[0] for line in completed.output.splitlines() if re.match(r"  \w", line)]
    assert layers == ["ACL", "L2CAP", "ATT"] * 2


async def test_counters(captured: Path) -> None:
    packets = await shown(captured)
    completed = await run("capture", captured, "--stats", "--json")
    statistics = json.loads(completed.output)
    assert statistics["packets"] == len(packets)
    for layer, count in statistics["layers"].items():
        assert count == sum(packet["layer"] == layer for packet in packets)
    (connection,) = statistics["connections"]
    assert connection["sent"]["packets"] > 3
    assert connection["latency"]["p50"] <= connection["latency"]["p99"]


@pytest.mark.parametrize("ending", ["pcapng", "pcap", "pklg", "btmon"])
async def test_conversions_keep_every_packet(ending: str, captured: Path, tmp_path: Path) -> None:
    path = tmp_path / f"converted.{ending}"
    completed = await run("capture", captured, "--convert", path)
    assert completed.code == 0 and not completed.output
    before, after = await shown(captured), await shown(path)
    for packet in before + after:
        del packet["source"]
    assert before == after
    if shutil.which("tshark"):
        told = subprocess.run(["tshark", "-r", path], capture_output=True, text=True, check=True).stdout
        assert len(told.splitlines()) == len(before)


@pytest.mark.parametrize("name", ["run.btsnoop", "soft.btsnoop", "hard.btsnoop"])
@pytest.mark.parametrize("command", [["--convert"], ["timeline", "--svg"]])
async def test_the_file_that_is_read_is_never_written_to(command: list[str], name: str, tmp_path: Path) -> None:
    path = tmp_path / "run.btsnoop"
    path.write_bytes(HEAD)
    (tmp_path / "soft.btsnoop").symlink_to(path)
    (tmp_path / "hard.btsnoop").hardlink_to(path)
    *subcommand, option = command
    completed = await run("capture", *subcommand, path, option, tmp_path / name)
    assert completed.code == EX_USAGE and "is the same file as" in completed.errors
    assert path.read_bytes() == HEAD


async def test_a_conversion_replaces_a_file_only_when_it_is_whole(tmp_path: Path) -> None:
    source, target = tmp_path / "other", tmp_path / "there.pcapng"
    target.write_text("kept")
    completed = await run("capture", source, "--convert", target)
    assert completed.code == EX_NOINPUT
    assert target.read_text() == "kept" and list(tmp_path.iterdir()) == [target]
    source.write_bytes(HEAD)
    assert (await run("capture", source, "--convert", target)).code == 0
    assert target.read_bytes()[:4] == b"\n\r\r\n" and sorted(tmp_path.iterdir()) == [source, target]


@pytest.mark.parametrize("arguments", [[], ["--tree"], ["--json", "--tree"], ["--stats"], ["--follow", "3"]])
async def test_requests_that_are_too_short_and_times_that_are_far_apart(arguments: list[str], tmp_path: Path) -> None:
    path = tmp_path / "odd.btsnoop"
    octets = bytes([2, 0x40, 0x20, 7, 0, 3, 0, 4, 0, 8, 1, 0])
    heads = [struct.pack(">IIIIq", len(octets), len(octets), 1, 0, time) for time in (-(2**63), 2**63 - 1)]
    path.write_bytes(HEAD + b"".join(head + octets for head in heads))
    for command in (["capture", path, *arguments], ["capture", "timeline", path]):
        assert (await run(*command)).code == 0


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--filter", "text ~ /a(?=b)/"], EX_USAGE, "column 10: `(?` must be followed by `:`"),
        (["--filter", "att.wrote"], EX_USAGE, "column 1: `att.wrote` is not known"),
        (["--filter", "att && (sent"], EX_USAGE, "column 13: the closing ) is missing"),
        (["--convert", "somewhere"], EX_USAGE, "give --format"),
    ],
)
async def test_wrong_usage(arguments: list[str], code: int, message: str, tmp_path: Path) -> None:
    path = tmp_path / "empty.btsnoop"
    path.write_bytes(HEAD)
    completed = await run("capture", path, *arguments)
    assert completed.code == code
    assert message in completed.errors


async def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    missing = await run("capture", tmp_path / "missing")
    assert missing.code == EX_NOINPUT and "No such file" in missing.errors
    other = tmp_path / "other"
    other.write_text("This is no capture at all.")
    completed = await run("capture", other)
    assert completed.code == EX_DATAERR and "not a capture file of a known format" in completed.errors


async def test_texts_of_a_capture_do_not_reach_the_terminal(tmp_path: Path) -> None:
    name = "\x1b]0;title\x07\u202eevil".encode()
    data = bytes([len(name) + 1, 9]) + name
    report = bytes([2, 1, 0, 1, 1, 2, 3, 4, 5, 0xC6, len(data)]) + data + b"\xc0"
    packet = bytes([4, 0x3E, len(report)]) + report
    path = tmp_path / "hostile.btsnoop"
    path.write_bytes(HEAD + struct.pack(">IIIIq", len(packet), len(packet), 3, 0, 0x00E03AB44A676000) + packet)
    completed = await run("capture", path, "--tree")
    assert "\\u{1B}]0;title\\u{7}" in completed.output and "evil" in completed.output
    for sequence in ("\x1b", "\x07", "\u202e"):
        assert sequence not in completed.output


async def test_records_precede_the_error_about_a_damaged_file(tmp_path: Path) -> None:
    path = tmp_path / "damaged.btsnoop"
    packet = bytes.fromhex("01030c00")
    record = struct.pack(">IIIIq", len(packet), len(packet), 2, 0, 0x00E03AB44A676000) + packet
    path.write_bytes(HEAD + record * 3 + record[:-1])
    for form in ([], ["--json"], ["--tree"]):
        completed = subprocess.run(
            [executable(), "capture", path, *form], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        assert completed.returncode == EX_DATAERR
        *lines, error = completed.stdout.splitlines()
        assert sum("Reset" in line for line in lines) >= 3 and error.startswith("understudy: error:")


async def test_lines_appear_before_the_program_waits(tmp_path: Path) -> None:
    """Lines are written in blocks, but none is held back while the program waits for more packets."""
    packet = bytes.fromhex("01030c00")
    record = struct.pack(">IIIIq", len(packet), len(packet), 2, 0, 0x00E03AB44A676000) + packet
    program = await asyncio.create_subprocess_exec(
        executable(), "capture", "-", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert program.stdin and program.stdout
    program.stdin.write(HEAD + record)
    line = await asyncio.wait_for(program.stdout.readline(), PATIENCE)
    assert b"Reset" in line
    program.stdin.close()
    assert await program.wait() == 0
