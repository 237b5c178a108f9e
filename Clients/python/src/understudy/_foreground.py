"""Runs a command in the foreground."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

END_WITHIN = 5.0


async def execute(
    command: Sequence[str], environment: Mapping[str, str] | None = None, until: asyncio.Future[Any] | None = None
) -> int:
    """Runs a command and returns its exit code as a shell reports it. Ends the command early when `until` is done.

    Passes signals that would end this program on to the command.
    """
    try:
        process = await asyncio.create_subprocess_exec(*command, env={**os.environ, **(environment or {})})
    except OSError as error:
        print(f"error: cannot run {command[0]}: {error.strerror}", file=sys.stderr)
        return 127 if isinstance(error, FileNotFoundError) else 126

    def forward(number: int) -> None:
        with suppress(ProcessLookupError):
            process.send_signal(number)

    loop = asyncio.get_running_loop()
    # A terminal sends Control-C to the command too.
    loop.add_signal_handler(signal.SIGINT, lambda: None)
    for number in (signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, forward, number)
    ended = asyncio.create_task(process.wait())
    try:
        await asyncio.wait({ended, until} if until else {ended}, return_when=asyncio.FIRST_COMPLETED)
        if not ended.done():
            forward(signal.SIGTERM)
            await asyncio.wait({ended}, timeout=END_WITHIN)
    finally:
        if process.returncode is None:
            process.kill()
    code = await ended
    return code if code >= 0 else 128 - code
