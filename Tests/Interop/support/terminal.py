"""A program on its own terminal with a readable screen: as much of xterm as full-screen programs need here."""

from __future__ import annotations

import asyncio
import codecs
import fcntl
import os
import pty
import re
import struct
import termios
from collections.abc import Callable
from pathlib import Path

PATIENCE = 30
SEQUENCE = re.compile(r"\x1b\[(\??[0-9;]*)([A-Za-z])")


class Screen:
    """The program's output, as a person sees it."""

    def __init__(self, rows: int, columns: int) -> None:
        self.resize(rows, columns)
        self.is_alternate = self.shows_cursor = False
        self.shows_cursor = True
        self._rest = ""

    def resize(self, rows: int, columns: int) -> None:
        self.rows, self.columns = rows, columns
        self.cells = [[" "] * columns for _ in range(rows)]
        self.row = self.column = 0

    @property
    def lines(self) -> list[str]:
        return ["".join(row).rstrip() for row in self.cells]

    def feed(self, text: str) -> None:
        text, self._rest = self._rest + text, ""
        place = 0
        while place < len(text):
            if text[place] != "\x1b":
                self._put(text[place])
                place += 1
            elif match := SEQUENCE.match(text, place):
                self._act(*match.groups())
                place = match.end()
            else:
                self._rest = text[place:]
                return

    def _put(self, character: str) -> None:
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self.row = min(self.row + 1, self.rows - 1)
        elif character >= " ":
            assert self.column < self.columns, f"line {self.row} is too long: {self.lines[self.row]}"
            self.cells[self.row][self.column] = character
            self.column += 1

    def _act(self, parameters: str, final: str) -> None:
        numbers = [int(number or 1) for number in parameters.lstrip("?").split(";")]
        match final:
            case "H":
                self.row, self.column = numbers[0] - 1, (numbers + [1])[1] - 1
            case "K":
                self.cells[self.row][self.column :] = [" "] * (self.columns - self.column)
            case "J":
                self.resize(self.rows, self.columns)
            case "h" | "l" if parameters == "?1049":
                self.is_alternate = final == "h"
            case "h" | "l" if parameters == "?25":
                self.shows_cursor = final == "h"
            case "m":
                pass
            case _:
                raise AssertionError(f"ESC [ {parameters}{final} is not known")


class Terminal:
    """A pseudo-terminal with a program on it."""

    def __init__(self, arguments: list[str | Path], *, rows: int = 24, columns: int = 100, **environment: str) -> None:
        self.screen = Screen(rows, columns)
        self.pid, self.descriptor = pty.fork()
        if self.pid == 0:
            try:
                self._size(0, rows, columns)
                os.execve(arguments[0], [str(argument) for argument in arguments], {**os.environ, "TERM": "xterm", **environment})
            finally:
                os._exit(127)
        self.modes = termios.tcgetattr(self.descriptor)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        asyncio.get_running_loop().add_reader(self.descriptor, self._read)
        self._news = asyncio.Event()

    @staticmethod
    def _size(descriptor: int, rows: int, columns: int) -> None:
        fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def _read(self) -> None:
        try:
            octets = os.read(self.descriptor, 65536)
        except OSError:
            octets = b""
        if octets:
            self.screen.feed(self._decoder.decode(octets))
        else:
            asyncio.get_running_loop().remove_reader(self.descriptor)
        self._news.set()

    def type(self, text: str) -> None:
        os.write(self.descriptor, text.encode())

    def resize(self, rows: int, columns: int) -> None:
        self.screen.resize(rows, columns)
        self._size(self.descriptor, rows, columns)

    async def until(self, condition: Callable[[Screen], bool]) -> Screen:
        """Waits until the screen meets a condition."""
        try:
            async with asyncio.timeout(PATIENCE):
                while not condition(self.screen):
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            raise AssertionError("\n".join(self.screen.lines)) from None
        return self.screen

    async def ended(self) -> int:
        """Waits for the end of the program; returns its exit code, or minus the signal that ended it."""
        async with asyncio.timeout(PATIENCE):
            while True:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
                if pid:
                    break
                await asyncio.sleep(0.01)
        self.pid = 0
        return os.waitstatus_to_exitcode(status)

    def close(self) -> None:
        if self.pid:
            os.kill(self.pid, 9)
            os.waitpid(self.pid, 0)
        asyncio.get_running_loop().remove_reader(self.descriptor)
        os.close(self.descriptor)
