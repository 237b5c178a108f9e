"""An app on our phone: the program of Tests/PhoneApp, which performs commands and reports each callback."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any, Self

from support.program import PATIENCE, REPOSITORY

# Only the debug build has it: it is not shipped.
EXECUTABLE = REPOSITORY / ".build" / "debug" / "phone-app"
# The longest lines are values: a channel's octets in hexadecimal.
LINE_LIMIT = 1_000_000

Callback = dict[str, Any]


class App:
    """A running app. Waiting for a callback never consumes it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.callbacks: list[Callback] = []
        self.changed = asyncio.Condition()
        self.reading = asyncio.create_task(self._read())

    @classmethod
    async def start(cls, controller: str, *, state: Path | None = None, passkey: int | None = None) -> Self:
        """Starts the app on a controller, and waits until Bluetooth is on. The phone's person pairs with every accessory."""
        assert EXECUTABLE.exists(), f"{EXECUTABLE} does not exist: build it with `swift build`"
        environment = {**os.environ, "UNDERSTUDY_CONTROLLER": controller}
        if state is not None:
            environment["UNDERSTUDY_STATE"] = str(state)
        if passkey is not None:
            environment["UNDERSTUDY_PASSKEY"] = str(passkey)
        process = await asyncio.create_subprocess_exec(
            EXECUTABLE,
            env=environment,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=LINE_LIMIT,
        )
        app = cls(process)
        await app.callback("state", state="poweredOn")
        return app

    async def _read(self) -> None:
        assert self.process.stdout
        async for line in self.process.stdout:
            async with self.changed:
                self.callbacks.append(json.loads(line))
                self.changed.notify_all()
        async with self.changed:
            self.changed.notify_all()

    def order(self, *words: object) -> int:
        """Sends a command; returns the number of callbacks before it."""
        assert self.process.stdin
        self.process.stdin.write(" ".join(map(str, words)).encode() + b"\n")
        return len(self.callbacks)

    def named(self, event: str, *, since: int = 0, **fields: Any) -> list[Callback]:
        """Returns the callbacks of that name so far, from number `since` on, with these fields."""
        wanted = {"event": event, **fields}
        return [
            callback
            for callback in self.callbacks[since:]
            if all(callback.get(name) == value for name, value in wanted.items())
        ]

    async def callback(self, event: str, *, since: int = 0, **fields: Any) -> Callback:
        """Returns the first callback of that name, from number `since` on, with these fields."""
        return (await self.several(event, 1, since=since, **fields))[0]

    async def several(self, event: str, count: int, *, since: int = 0, **fields: Any) -> list[Callback]:
        """Returns all callbacks of that name with these fields, once there are at least that many."""

        def found() -> list[Callback]:
            return self.named(event, since=since, **fields)

        async with self.changed:
            try:
                await asyncio.wait_for(
                    self.changed.wait_for(lambda: len(found()) >= count or self.reading.done()), PATIENCE
                )
            except TimeoutError:
                pass
        if len(found()) < count:
            lines = "\n".join(str(callback)[:300] for callback in self.callbacks)
            raise AssertionError(f"{count} × {event} {fields}, from callback {since} on, not among:\n{lines}")
        return found()

    async def ask(self, event: str, *words: object, **fields: Any) -> Callback:
        """Sends a command, and returns the callback that answers it."""
        return await self.callback(event, since=self.order(*words), **fields)

    async def close(self) -> None:
        """Ends the app by closing its input, so that it stores its state."""
        if self.process.returncode is None:
            assert self.process.stdin
            self.process.stdin.close()
            try:
                await asyncio.wait_for(self.process.wait(), PATIENCE)
            except TimeoutError:
                self.process.kill()
                await self.process.wait()
        await self.reading
