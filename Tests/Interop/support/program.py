"""The program under test, as a child process that reports in JSON lines."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support.events import mistakes

SUITE = Path(__file__).resolve().parent.parent
REPOSITORY = SUITE.parent.parent
PROFILES = SUITE / "profiles"
SHIPPED_PROFILES = REPOSITORY / "Profiles"

# Exit codes, as in sysexits.h.
EX_OK = 0
EX_USAGE = 64
EX_DATAERR = 65
EX_UNAVAILABLE = 69
EX_CANTCREAT = 73
EX_IOERR = 74


def executable() -> Path:
    """The executable under test: $UNDERSTUDY, or the debug build of this repository."""
    return Path(os.environ.get("UNDERSTUDY", REPOSITORY / ".build" / "debug" / "understudy"))


class ProgramFailure(AssertionError):
    """The program did something else than the test waited for; carries its standard error."""


@dataclass
class Event:
    """One line of the program's JSON output and when it arrived here (monotonic seconds)."""

    fields: dict[str, Any]
    arrived: float

    @property
    def name(self) -> str:
        return self.fields["event"]

    def __getitem__(self, key: str) -> Any:
        return self.fields[key]

    def get(self, key: str, default: Any = None) -> Any:
        return self.fields.get(key, default)


@dataclass
class Program:
    """A running program. Its events are kept in order; waiting for one never consumes it."""

    process: asyncio.subprocess.Process
    arguments: tuple[str, ...]
    events: list[Event] = field(default_factory=list)
    stray_output: list[str] = field(default_factory=list)
    mistakes: list[str] = field(default_factory=list)
    standard_error: str = ""
    # Its state folder.
    state: tempfile.TemporaryDirectory[str] | None = None

    @classmethod
    async def start(
        cls,
        *arguments: str | Path,
        environment: dict[str, str] | None = None,
        user: int | None = None,
        stdin: int = asyncio.subprocess.DEVNULL,
    ) -> Program:
        texts = tuple(str(argument) for argument in arguments)
        # What an accessory keeps is another one's in every test, unless that says otherwise.
        state = tempfile.TemporaryDirectory(prefix="understudy-state-")
        process = await asyncio.create_subprocess_exec(
            str(executable()),
            *texts,
            stdin=stdin,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**os.environ, "NO_COLOR": "1", "XDG_STATE_HOME": state.name, **(environment or {})},
            user=user,
            # The describe output of a large database is one long line.
            limit=1 << 22,
        )
        program = cls(process, texts)
        program.state = state
        if user is not None:
            os.chown(state.name, user, -1)
        program._changed = asyncio.Event()
        program._readers = [
            asyncio.create_task(program._read_output()),
            asyncio.create_task(program._read_errors()),
        ]
        return program

    def __post_init__(self) -> None:
        self._changed: asyncio.Event
        self._readers: list[asyncio.Task[None]]

    async def _read_output(self) -> None:
        assert self.process.stdout
        async for line in self.process.stdout:
            arrived = time.monotonic()
            try:
                value = json.loads(line)
            except ValueError:
                value = None
            if isinstance(value, dict) and "event" in value:
                self.events.append(Event(value, arrived))
                self.mistakes += mistakes(executable(), value)
            else:
                self.stray_output.append(line.decode(errors="replace"))
            self._changed.set()
        self._changed.set()

    async def _read_errors(self) -> None:
        assert self.process.stderr
        while octets := await self.process.stderr.read(4096):
            self.standard_error += octets.decode(errors="replace")

    async def event(
        self,
        name: str,
        *,
        since: int = 0,
        where: Callable[[Event], bool] = lambda event: True,
        timeout: float = 10,
        **fields: Any,
    ) -> Event:
        """The first event of that name from index `since` on whose fields have these values."""
        deadline = time.monotonic() + timeout
        while True:
            self._changed.clear()
            for event in self.events[since:]:
                if event.name == name and where(event) and all(event.get(key) == fields[key] for key in fields):
                    return event
            if self._readers[0].done():
                await self.process.wait()
                raise ProgramFailure(f"{self} ended with {self.process.returncode} before {name!r}\n{self.report()}")
            try:
                await asyncio.wait_for(self._changed.wait(), max(0.0, deadline - time.monotonic()))
            except TimeoutError:
                raise ProgramFailure(f"{self}: no {name!r} {fields} within {timeout} s\n{self.report()}") from None

    async def count(self, name: str, number: int, timeout: float = 10) -> list[Event]:
        """All events of that name, when there are so many at least."""
        await self.event(name, where=lambda _: len(self.named(name)) >= number, timeout=timeout)
        return self.named(name)

    async def ready(self, timeout: float = 10) -> Event:
        return await self.event("ready", timeout=timeout)

    def named(self, name: str) -> list[Event]:
        return [event for event in self.events if event.name == name]

    async def exit_code(self, timeout: float = 10) -> int:
        try:
            await asyncio.wait_for(self.process.wait(), timeout)
        except TimeoutError:
            raise ProgramFailure(f"{self} still runs after {timeout} s\n{self.report()}") from None
        await asyncio.gather(*self._readers)
        assert self.process.returncode is not None
        return self.process.returncode

    def send_signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    async def kill(self) -> None:
        """Ends the process whatever state it is in."""
        if self.process.returncode is None:
            try:
                self.process.kill()
            except ProcessLookupError:
                pass
        await self.process.wait()
        await asyncio.gather(*self._readers, return_exceptions=True)
        if self.state:
            self.state.cleanup()

    def report(self) -> str:
        lines = [f"arguments: {' '.join(self.arguments)}"]
        lines += [f"event: {json.dumps(event.fields)}" for event in self.events[-20:]]
        lines += [f"stdout: {line.rstrip()}" for line in self.stray_output[-20:]]
        lines += [f"stderr: {line}" for line in self.standard_error.splitlines()[-40:]]
        return "\n".join(lines)

    def __str__(self) -> str:
        return f"{executable().name} {self.arguments[0] if self.arguments else ''}"


@dataclass
class Completed:
    """A program that has run to its end."""

    code: int
    output: str
    errors: str


async def run(
    *arguments: str | Path,
    timeout: float = 10,
    environment: dict[str, str] | None = None,
    user: int | None = None,
) -> Completed:
    """Runs the program to its end, as another user where one is given."""
    program = await Program.start(*arguments, environment=environment, user=user)
    try:
        code = await program.exit_code(timeout)
    finally:
        await program.kill()
    output = "".join(json.dumps(event.fields) + "\n" for event in program.events) + "".join(program.stray_output)
    return Completed(code, output, program.standard_error)


_descriptions: dict[str, dict[str, Any]] = {}


async def describe(profile: str | Path) -> dict[str, Any]:
    """The attribute database of a profile as the program describes it; asked for once."""
    if (known := _descriptions.get(str(profile))) is not None:
        return known
    completed = await run("describe", profile, "--json")
    assert completed.code == EX_OK, completed.errors
    return _descriptions.setdefault(str(profile), json.loads(completed.output))
