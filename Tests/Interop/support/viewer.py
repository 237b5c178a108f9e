"""A live `understudy capture`, whose lines are read as they arrive."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from support.program import executable

PATIENCE = 30


class Viewer:
    """A running `understudy capture`."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.lines: list[str] = []
        self.notes: list[str] = []
        self._news = asyncio.Condition()
        assert process.stdout and process.stderr
        self._reading = [
            asyncio.create_task(self._read(process.stdout, self.lines)),
            asyncio.create_task(self._read(process.stderr, self.notes)),
        ]

    @classmethod
    async def begin(cls, *arguments: str | Path, **environment: str) -> Viewer:
        process = await asyncio.create_subprocess_exec(
            executable(),
            "capture",
            *map(str, arguments),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**os.environ, **environment},
            limit=1 << 20,
        )
        return cls(process)

    async def _read(self, stream: asyncio.StreamReader, into: list[str]) -> None:
        while line := await stream.readline():
            async with self._news:
                into.append(line.decode().rstrip("\n"))
                self._news.notify_all()

    async def until(self, wanted: Callable[[str], bool] | str, start: int = 0) -> str:
        """Returns the first line of either output, from index `start` on, that contains a text or meets a condition."""
        accepts = wanted if callable(wanted) else lambda line: wanted in line

        def found() -> str | None:
            return next((line for line in [*self.lines[start:], *self.notes] if accepts(line)), None)

        async with self._news:
            await asyncio.wait_for(self._news.wait_for(lambda: found() is not None), PATIENCE)
        line = found()
        assert line is not None
        return line

    async def port(self) -> int:
        """Returns the port at which a tap waits for its host."""
        line = await self.until("waiting for the host at tcp-client:")
        return int(line.split("tcp-client:127.0.0.1:")[1].split('"')[0])

    @property
    def packets(self) -> list[dict[str, Any]]:
        """Returns the output of `--json` so far."""
        return [json.loads(line) for line in self.lines]

    @property
    def texts(self) -> list[str]:
        return [packet["text"] for packet in self.packets]

    async def stop(self) -> int:
        """Ends it with Control-C."""
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGINT)
        return await self.ended()

    async def ended(self) -> int:
        code = await asyncio.wait_for(self.process.wait(), PATIENCE)
        await asyncio.gather(*self._reading)
        return code

    async def kill(self) -> None:
        if self.process.returncode is None:
            self.process.kill()
        await self.ended()
