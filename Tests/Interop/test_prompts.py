"""The prompts at a terminal while an accessory pairs, and the user's input."""

from __future__ import annotations

import asyncio
import fcntl
import os
import re
import termios
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

import pytest
from bumble import hci, smp
from bumble.core import ProtocolError
from bumble.host import Host
from bumble.pairing import PairingConfig
from bumble.transport.tcp_client import open_tcp_client_transport

from support.central import Central
from support.pairing import FAST, PATIENCE, Capability, User
from support.program import executable

PROFILE = """
understudy: 1
name: Typed
advertising: [ { id: main, data: { flags: [general] }, interval: 20 ms } ]
security: { pairing: %s }
services: [ { uuid: FFF0, characteristics: [ { uuid: FFF1, properties: [read], value: hex:01 } ] } ]
"""


@dataclass
class Screen:
    """A program on a pseudo-terminal."""

    process: asyncio.subprocess.Process
    master: int
    text: str = ""
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    @classmethod
    async def start(cls, *arguments: str) -> Screen:
        master, slave = os.openpty()
        process = await asyncio.create_subprocess_exec(
            str(executable()),
            *arguments,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**os.environ, "NO_COLOR": "1"},
            # The terminal belongs to the session, with the program in its foreground.
            start_new_session=True,
            preexec_fn=take_terminal,
        )
        os.close(slave)
        screen = cls(process, master)
        asyncio.get_running_loop().add_reader(master, screen._read)
        return screen

    def _read(self) -> None:
        try:
            octets = os.read(self.master, 4096)
        except OSError:
            octets = b""
        if not octets:
            asyncio.get_running_loop().remove_reader(self.master)
        self.text += octets.decode(errors="replace")
        self._changed.set()

    async def shows(self, pattern: str, start: int = 0) -> re.Match[str]:
        async with asyncio.timeout(PATIENCE):
            while not (match := re.compile(pattern).search(self.text, start)):
                self._changed.clear()
                await self._changed.wait()
        return match

    def type(self, line: str) -> None:
        os.write(self.master, line.encode() + b"\n")

    async def close(self) -> None:
        asyncio.get_running_loop().remove_reader(self.master)
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()
        os.close(self.master)


def take_terminal() -> None:
    """In the child: makes standard input the terminal of its session."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@dataclass
class Scene:
    screen: Screen
    central: Central
    address: hci.Address

    async def pair(self, user: User) -> None:
        configuration = PairingConfig(delegate=user)
        self.central.device.pairing_config_factory = lambda _: configuration
        device = self.central.device
        connection = await asyncio.wait_for(
            device.connect(self.address, connection_parameters_preferences=FAST), PATIENCE
        )
        try:
            await asyncio.wait_for(connection.pair(), PATIENCE)
        finally:
            await connection.disconnect()


@pytest.fixture
async def stage(tmp_path) -> AsyncIterator[Callable]:
    screens: list[Screen] = []

    async def start(pairing: str) -> Scene:
        profile = tmp_path / "typed.yaml"
        profile.write_text(PROFILE % pairing)
        screen = await Screen.start("run", str(profile), "--ephemeral")
        screens.append(screen)
        address = (await screen.shows(r"on the air as ([0-9A-F:]{17})")).group(1)
        port = (await screen.shows(r"tcp-client:(127\.0\.0\.1:\d+)")).group(1)
        transport = await open_tcp_client_transport(port)
        host = Host(transport.source, transport.sink)
        central = await Central.open(host, "F0:00:00:00:00:01")
        return Scene(screen, central, hci.Address(address, hci.Address.RANDOM_DEVICE_ADDRESS))

    yield start
    for screen in screens:
        await screen.close()


async def test_passkey_is_shown(stage) -> None:
    scene = await stage("display")
    user = User(Capability.KEYBOARD_INPUT_ONLY)
    pairing = asyncio.ensure_future(scene.pair(user))
    shown = await scene.screen.shows(r"Passkey (\d{6}): type it on the central of connection \d+\.")
    user.seen.set_result(int(shown.group(1)))
    await pairing
    await scene.screen.shows(r"paired +connection")


@pytest.mark.parametrize("answer", ["y", "YES", "n"])
async def test_comparison(stage, answer: str) -> None:
    scene = await stage("compare")
    user = User(Capability.DISPLAY_OUTPUT_AND_YES_NO_INPUT)
    pairing = asyncio.ensure_future(scene.pair(user))
    shown = await scene.screen.shows(r"Does the central of connection \d+ show (\d{6})\?  \[y or n\]")
    user.seen.set_result(int(shown.group(1)))
    scene.screen.type("perhaps")
    await scene.screen.shows("That is not an answer: y or n")
    scene.screen.type(answer)
    if answer == "n":
        with pytest.raises(ProtocolError) as failure:
            await pairing
        assert failure.value.error_code == smp.ErrorCode.NUMERIC_COMPARISON_FAILED
    else:
        await pairing
        assert user.compared == [int(shown.group(1))]


async def test_passkey_is_typed(stage) -> None:
    scene = await stage("keyboard")
    for line, works in (("n", False), (None, True)):
        user = User(Capability.DISPLAY_OUTPUT_ONLY)
        start = len(scene.screen.text)
        pairing = asyncio.ensure_future(scene.pair(user))
        await scene.screen.shows(r"Which passkey does the central of connection \d+ show\?  \[six digits\]", start)
        number = f"{await asyncio.wait_for(user.shown, PATIENCE):06}"
        scene.screen.type(number[:5])
        await scene.screen.shows("That is not an answer: six digits, or n to refuse", start)
        scene.screen.type(line or number)
        if works:
            await pairing
        else:
            with pytest.raises(ProtocolError) as failure:
                await pairing
            assert failure.value.error_code == smp.ErrorCode.PASSKEY_ENTRY_FAILED


async def test_without_a_terminal_it_says_where_to_answer(stage, tmp_path) -> None:
    profile = tmp_path / "typed.yaml"
    profile.write_text(PROFILE % "keyboard")
    process = await asyncio.create_subprocess_exec(
        str(executable()),
        "run",
        str(profile),
        "--ephemeral",
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "NO_COLOR": "1"},
    )
    assert process.stdout
    lines: list[str] = []

    async def line(pattern: str) -> re.Match[str]:
        async with asyncio.timeout(PATIENCE):
            while True:
                lines.append((await process.stdout.readline()).decode())
                if match := re.search(pattern, lines[-1]):
                    return match

    try:
        address = (await line(r"on the air as ([0-9A-F:]{17})")).group(1)
        port = (await line(r"tcp-client:(127\.0\.0\.1:\d+)")).group(1)
        transport = await open_tcp_client_transport(port)
        central = await Central.open(Host(transport.source, transport.sink), "F0:00:00:00:00:01")
        scene = Scene(None, central, hci.Address(address, hci.Address.RANDOM_DEVICE_ADDRESS))  # type: ignore[arg-type]
        user = User(Capability.KEYBOARD_INPUT_ONLY)
        pairing = asyncio.ensure_future(scene.pair(user))
        await line(r"Answer over HTTP: POST /v1/questions/1/answer")
    finally:
        process.kill()
        await process.wait()
        pairing.cancel()
        await asyncio.gather(pairing, return_exceptions=True)


BUTTONS = """
understudy: 1
name: Bell
instructions: Press the bell and wait.
advertising: []
states: { silent: , ringing: }
rules:
  - { when: { button: bell }, do: { enter: ringing } }
  - { when: { button: stop }, do: { enter: silent } }
services: [ { uuid: FFF0, characteristics: [ { uuid: FFF1, properties: [read], value: hex:01 } ] } ]
"""


async def test_a_line_presses_a_button(tmp_path) -> None:
    profile = tmp_path / "bell.yaml"
    profile.write_text(BUTTONS)
    screen = await Screen.start("run", str(profile), "--ephemeral")
    try:
        await screen.shows(r"Buttons: 1 bell, 2 stop\.")
        await screen.shows(r"Press the bell and wait\.")
        await screen.shows(r"Stop it with Control-C")
        screen.type("1")
        end = (await screen.shows(r"state +ringing|state +state ringing")).end()
        screen.type("st")
        await screen.shows(r"state +silent|state +state silent", end)
        screen.type("horn")
        await screen.shows(r"No button is called 'horn'")
    finally:
        await screen.close()
