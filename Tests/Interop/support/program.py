"""The program under test: additions of this suite to the Python client."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from understudy import Event, Match, aio

from support.events import mistakes

SUITE = Path(__file__).resolve().parent.parent
REPOSITORY = SUITE.parent.parent
PROFILES = SUITE / "profiles"
SHIPPED_PROFILES = REPOSITORY / "Profiles"

# The timeout of all waits (seconds); even on a busy machine, nothing takes that long.
PATIENCE = 30

# Exit codes, as in sysexits.h.
EX_OK = 0
EX_USAGE = 64
EX_DATAERR = 65
EX_NOINPUT = 66
EX_UNAVAILABLE = 69
EX_OSERR = 71
EX_CANTCREAT = 73
EX_IOERR = 74


def executable() -> Path:
    """Returns the executable under test: $UNDERSTUDY, or the debug build of this repository."""
    return Path(os.environ.get("UNDERSTUDY", REPOSITORY / ".build" / "debug" / "understudy")).absolute()


class Program(aio.Program):
    """A running program. Waiting for an event never consumes it, and starts with the first event."""

    # The folders for an accessory's state and for finding runs, which are different in every test.
    state: tempfile.TemporaryDirectory[str]

    @classmethod
    def begin(
        cls,
        *arguments: str | Path,
        environment: dict[str, str] | None = None,
        user: int | None = None,
        takes_input: bool = False,
    ) -> Self:
        state = tempfile.TemporaryDirectory(prefix="understudy-state-")
        if user is not None:
            os.chown(state.name, user, -1)
        program = cls.launch(
            *arguments,
            executable=executable(),
            environment={"XDG_STATE_HOME": state.name, "XDG_RUNTIME_DIR": state.name, **(environment or {})},
            user=user,
            takes_input=takes_input,
        )
        program.state = state
        return program

    async def kill(self) -> int | None:
        code = await super().kill()
        self.state.cleanup()
        return code

    async def event(
        self,
        kind: str,
        /,
        *,
        since: int = 0,
        where: Callable[[Event], bool] | None = None,
        timeout: float = PATIENCE,
        **fields: Any,
    ) -> Event:
        """Returns the first event of that kind from index `since` on with these field values."""
        return await self.expect(kind, since=since, within=timeout, where=where, **fields)

    async def count(self, kind: str, number: int, timeout: float = PATIENCE) -> list[Event]:
        """Returns all events of that kind, once there are at least that many."""
        await self.expect_all(*[Match(kind)] * number, since=0, within=timeout)
        return self.named(kind)

    async def ready(self, timeout: float = PATIENCE) -> Event:
        return await self.event("ready", timeout=timeout)

    def named(self, kind: str) -> list[Event]:
        return [event for event in self.events if event.kind == kind]

    @property
    def mistakes(self) -> list[str]:
        """Returns the deviations from the schema of events."""
        return [mistake for event in self.events for mistake in mistakes(executable(), dict(event.raw))]


@dataclass
class Completed:
    """A program that has run to its end."""

    code: int
    output: str
    errors: str


async def run(
    *arguments: str | Path,
    timeout: float = PATIENCE,
    environment: dict[str, str] | None = None,
    user: int | None = None,
) -> Completed:
    """Runs the program to its end, as another user if one is given."""
    program = Program.begin(*arguments, environment=environment, user=user)
    try:
        code = await program.wait(timeout)
    finally:
        await program.kill()
    output = "".join(json.dumps(event.raw) + "\n" for event in program.events) + "".join(program.output)
    return Completed(code, output, program.errors)


_descriptions: dict[str, dict[str, Any]] = {}


async def describe(profile: str | Path) -> dict[str, Any]:
    """Returns the attribute database of a profile as the program describes it; requested once."""
    if (known := _descriptions.get(str(profile))) is not None:
        return known
    completed = await run("describe", profile, "--json")
    assert completed.code == EX_OK, completed.errors
    return _descriptions.setdefault(str(profile), json.loads(completed.output))


async def command(*arguments: str | Path) -> tuple[int, str, str]:
    """Runs the program to its end. Returns its exit code, output and errors."""
    process = await asyncio.create_subprocess_exec(
        str(executable()),
        *map(str, arguments),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    output, errors = await process.communicate()
    assert process.returncode is not None
    return process.returncode, output.decode(), errors.decode()
