"""`understudy capture -i`: the whole terminal, read as by a person."""

from __future__ import annotations

import os
import signal
import struct
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from support.program import executable
from support.terminal import Screen, Terminal

HEAD = b"btsnoop\0" + struct.pack(">II", 1, 1002)
EPOCH = 0x00E03AB44A676000
Open = Callable[..., Terminal]


def record(octets: bytes, number: int, *, received: bool) -> bytes:
    return struct.pack(">IIIIq", len(octets), len(octets), int(received), 0, EPOCH + number * 1000) + octets


def att(pdu: str, number: int, *, received: bool) -> bytes:
    octets = bytes.fromhex(pdu)
    head = struct.pack("<BHHHH", 2, 0x2040 if received else 0x0040, len(octets) + 4, len(octets), 4)
    return record(head + octets, number, received=received)


def notification(number: int) -> bytes:
    return att(f"1b0300{number % 256:02x}", number, received=False)


CONVERSATION = att("020502", 1, received=True) + att("03f700", 2, received=False) + notification(3)


@pytest.fixture
async def open_terminal() -> AsyncIterator[Open]:
    terminals: list[Terminal] = []

    def opened(*arguments: str | Path, **options: str | int) -> Terminal:
        terminals.append(Terminal([executable(), "capture", *arguments], **options))  # type: ignore[arg-type]
        return terminals[-1]

    yield opened
    for terminal in terminals:
        terminal.close()


def shows(*texts: str) -> Callable[[Screen], bool]:
    return lambda screen: all(any(text in line for line in screen.lines) for text in texts)


async def test_list_fields_filter_and_end(open_terminal: Open, tmp_path: Path) -> None:
    path = tmp_path / "run.btsnoop"
    path.write_bytes(HEAD + CONVERSATION)
    terminal = open_terminal(path, "-i", rows=60)
    screen = await terminal.until(shows("3 of 3 packets", "Exchange MTU Request - MTU: 517", " ATT Handle Value Notification"))
    assert screen.is_alternate and not screen.shows_cursor
    assert "Attribute Handle: 0x0003" in "\n".join(screen.lines)
    terminal.type("/att.mtu\r")
    await terminal.until(shows("2 of 3 packets", "filter: att.mtu", "Server Rx MTU: 0x00F7, 247"))
    terminal.type("k")
    await terminal.until(shows("Client Rx MTU: 0x0205, 517"))
    terminal.type("?")
    await terminal.until(shows("the previous, the next packet"))
    terminal.resize(12, 60)
    terminal.type("?x")
    await terminal.until(shows("3 of 3 packets"))
    terminal.type("q")
    assert await terminal.ended() == 0
    await terminal.until(lambda screen: not screen.is_alternate and screen.shows_cursor)


async def test_packets_of_a_file_that_grows_are_followed(open_terminal: Open, tmp_path: Path) -> None:
    path = tmp_path / "run.btsnoop"
    path.write_bytes(HEAD + CONVERSATION)
    terminal = open_terminal(path, "-i", "--filter", "att.notification", NO_COLOR="1")
    await terminal.until(shows("1 of 3 packets", "newest"))
    with path.open("ab") as file:
        for number in range(4, 1004):
            file.write(notification(number))
    await terminal.until(shows("1001 of 1003 packets", "1003 "))
    terminal.type("g")
    await terminal.until(lambda screen: not shows("newest")(screen))
    with path.open("ab") as file:
        file.write(notification(1004))
    await terminal.until(shows("1002 of 1004 packets, 1 selected"))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGSEGV])
async def test_the_terminal_is_as_before_however_it_ends(number: int, open_terminal: Open, tmp_path: Path) -> None:
    path = tmp_path / "run.btsnoop"
    path.write_bytes(HEAD + CONVERSATION)
    terminal = open_terminal(path, "-i")
    screen = await terminal.until(shows("3 of 3 packets"))
    assert screen.is_alternate
    os.kill(terminal.pid, number)
    assert await terminal.ended() == -number
    await terminal.until(lambda screen: not screen.is_alternate and screen.shows_cursor)


async def test_damage_is_told_and_what_came_before_is_shown(open_terminal: Open, tmp_path: Path) -> None:
    path = tmp_path / "run.btsnoop"
    path.write_bytes(HEAD + CONVERSATION + struct.pack(">IIIIq", 1, 9, 0, 0, EPOCH) + bytes(9))
    terminal = open_terminal(path, "-i")
    await terminal.until(shows("3 of 3 packets", "cannot read the capture file"))
    terminal.type("\x03")
    assert await terminal.ended() == 0
