"""`understudy console`: commands to a running accessory, from a pipe and on a terminal."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import subprocess
from pathlib import Path
from typing import Any

import pytest

from conftest import Launch
from support.program import EX_UNAVAILABLE, EX_USAGE, Program, executable, run

PROFILE = """
understudy: 1
name: Lamp
rules: [ { when: { button: knob }, do: { set: { level: 9 } } } ]
services:
  - uuid: FFF0
    characteristics:
      - { id: level, uuid: FFF1, properties: [read, write, notify], format: u8, value: 3, notify: on-change }
"""


@pytest.fixture
async def lamp(launch: Launch, tmp_path: Path) -> Program:
    path = tmp_path / f"{NAME}.yaml"
    path.write_text(PROFILE)
    program = await launch("run", path, "--http", "127.0.0.1:0", "--json")
    await program.event("ready")
    return program


NAME = f"lamp-{os.getpid()}"


def found(lamp: Program) -> dict[str, str]:
    """Makes running accessories visible to the console."""
    return {"XDG_RUNTIME_DIR": lamp.state.name, "XDG_STATE_HOME": lamp.state.name}


async def console(lamp: Program, lines: str) -> tuple[int, list[Any], str]:
    process = await asyncio.create_subprocess_exec(
        executable(), "console", NAME, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, **found(lamp)},
    )
    output, errors = await asyncio.wait_for(process.communicate(lines.encode()), 20)
    assert process.returncode is not None
    return process.returncode, [json.loads(line) for line in output.decode().splitlines()], errors.decode()


async def test_lines_are_commands_and_answers_are_lines(lamp: Program) -> None:
    code, answers, errors = await console(
        lamp, "read level\n# no command\n\nset level 80\npress knob\nread level\nquit\nread nothing\n"
    )
    assert (code, errors) == (0, "")
    assert [answer.get("value") for answer in answers] == [3, 80, None, 9]


async def test_commands_of_the_command_line(lamp: Program) -> None:
    completed = await run("console", NAME, "-c", "set level 7", "-c", "read level", environment=found(lamp))
    assert completed.code == 0
    assert [json.loads(line)["value"] for line in completed.output.splitlines()] == [7, 7]


@pytest.mark.parametrize("name", ["Lamp", "lamp", NAME.upper()], ids=["of the profile", "in lower case", "of the file"])
async def test_names_of_profiles(lamp: Program, name: str) -> None:
    completed = await run("console", name, "-c", "read level", environment=found(lamp))
    assert completed.code == 0 and json.loads(completed.output)["value"] == 3


async def test_a_name_of_several(launch: Launch, tmp_path: Path) -> None:
    for name in ("first", "second"):
        (tmp_path / f"{name}.yaml").write_text(PROFILE)
    options = ("--http", "127.0.0.1:0", "--json")
    both = await launch("run", tmp_path / "first.yaml", tmp_path / "second.yaml", *options)
    await both.event("ready")
    completed = await run("console", "lamp", "-c", "read level", environment=found(both))
    assert completed.code == EX_UNAVAILABLE and "several accessories 'lamp' run" in completed.errors
    assert "first ('Lamp') at http://" in completed.errors and "second ('Lamp') at http://" in completed.errors
    completed = await run("console", "SECOND", "-c", "read level", environment=found(both))
    assert completed.code == 0


@pytest.mark.parametrize(
    "line, code, why",
    [
        ("read nothing", 1, "line 2: no characteristic, or more than one, has the name nothing"),
        ("set level 256", 1, "line 2: "),
        ("raed level", EX_USAGE, "line 2: unknown command 'raed', did you mean 'read'?"),
    ],
)
async def test_the_first_failure_ends_it(lamp: Program, line: str, code: int, why: str) -> None:
    result, answers, errors = await console(lamp, f"read level\n{line}\nread level\n")
    assert result == code and len(answers) == 1 and why in errors


async def test_an_accessory_that_does_not_run() -> None:
    completed = await run("console", "no-such-accessory", "-c", "state")
    assert completed.code == EX_UNAVAILABLE and "no accessory 'no-such-accessory' runs" in completed.errors


async def test_a_terminal_completes_and_recalls(lamp: Program) -> None:
    ours, theirs = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        executable(), "console", NAME, stdin=theirs, stdout=theirs, stderr=theirs,
        env={**os.environ, **found(lamp), "TERM": "xterm"},
    )
    os.close(theirs)
    os.set_blocking(ours, False)
    loop = asyncio.get_running_loop()
    shown, arrived = "", asyncio.Event()

    def take() -> None:
        nonlocal shown
        try:
            shown += os.read(ours, 65536).decode(errors="replace")
        except OSError:
            loop.remove_reader(ours)
        arrived.set()

    loop.add_reader(ours, take)

    async def until(text: str) -> None:
        """Waits for a text and the next prompt: the terminal itself would edit anything typed before it."""
        async with asyncio.timeout(20):
            while text not in shown or "> " not in shown.rpartition(text)[2]:
                arrived.clear()
                await arrived.wait()

    try:
        await until(NAME)
        # Tab: `rea` becomes `read`, `l` becomes the only characteristic that begins with it.
        os.write(ours, b"rea\tl\t\r")
        await until('"value": 3')
        os.write(ours, b"set level 42\r")
        await until('"value": 42')
        # The previous line, and the one before it.
        shown = ""
        os.write(ours, b"\x1b[A\x1b[A\r")
        await until('"value": 42')
        os.write(ours, b"nonsense\r")
        await until("unknown command 'nonsense'")
        os.write(ours, b"\x04")
        assert await asyncio.wait_for(process.wait(), 20) == 0
    finally:
        loop.remove_reader(ours)
        os.close(ours)
        if process.returncode is None:
            process.kill()
