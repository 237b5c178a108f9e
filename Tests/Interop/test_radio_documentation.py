"""The commands and requests in docs/radio.md work as written."""

from __future__ import annotations

import json
import re
import shlex
import signal

import pytest

from conftest import Launch
from support.program import EX_OK, REPOSITORY
from test_radio_hosts import Start, start

__all__ = ["start"]

TEXT = (REPOSITORY / "docs" / "radio.md").read_text()


def examples(language: str) -> list[str]:
    blocks = re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if line]


@pytest.mark.parametrize("command", examples("sh"))
async def test_command(launch: Launch, command: str) -> None:
    program, *arguments = shlex.split(command)
    assert program == "understudy"
    running = await launch(*arguments, "--json")
    assert (await running.ready())["joining"]
    running.send_signal(signal.SIGTERM)
    assert await running.wait() == EX_OK, running.errors


async def test_requests(start: Start) -> None:
    radio = await start("--join", "pty", http=True)
    assert radio.client
    requests = examples("http")
    assert len(requests) > 5
    for request in requests:
        method, path, *body = request.split(" ", 2)
        answer = await radio.client.request(method, path, json.loads(body[0]) if body else None)
        assert answer.status == 200, f"{request}: {answer.body!r}"
