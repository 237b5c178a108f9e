"""Controllers that are missing, do not answer, send nonsense or go away; and every way to reach a good one."""

from __future__ import annotations

import asyncio
import glob
import os
import time
from pathlib import Path

import pytest
from bumble import hci
from bumble.controller import Controller
from bumble.host import Host
from bumble.link import LocalLink
from bumble.transport.common import AsyncPipeSink

from conftest import EVERYTHING, Launch, Stage
from support.central import Central
from support.controllers import LOOPBACK, BumbleTCPPath, PtyPath, ServedController, address_of, free_port
from support.program import EX_UNAVAILABLE, EX_USAGE, Program, run

# The program must give up within this time (seconds).
PATIENCE = 30


async def refused(specification: str) -> str:
    """Runs on that controller, checks that the program gives up in time, and returns its output."""
    started = time.monotonic()
    completed = await run(
        "run", EVERYTHING, "--controller", specification, "--json", "--no-wait", timeout=PATIENCE + 1
    )
    assert completed.code == EX_UNAVAILABLE, completed.errors
    assert time.monotonic() - started < PATIENCE
    assert completed.errors, "the program says why"
    assert '"ready"' not in completed.output
    return completed.errors


async def test_nobody_listens() -> None:
    port = free_port()
    assert str(port) in await refused(f"tcp-client:{LOOPBACK}:{port}")


async def test_no_serial_device(tmp_path: Path) -> None:
    assert "absent" in await refused(f"serial:{tmp_path}/absent")


async def test_auto_without_a_board() -> None:
    """The error says what was searched for and what to do; skipped if a board is plugged in."""
    if glob.glob("/dev/ttyACM*") or glob.glob("/dev/ttyUSB*"):
        pytest.skip("a serial port is plugged in")
    errors = await refused("auto")
    assert "no USB serial port" in errors and "serial:PATH" in errors


async def test_serial_device_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no terminal")
    await refused(f"serial:{tmp_path}/file")


async def test_no_unix_socket(tmp_path: Path) -> None:
    assert "absent" in await refused(f"unix:{tmp_path}/absent")


@pytest.mark.parametrize("specification", ["carrier-pigeon:1", "tcp-client:", "serial:", "tcp-client:127.0.0.1:99999"])
async def test_specification_that_means_nothing(specification: str) -> None:
    completed = await run("run", EVERYTHING, "--controller", specification, "--json")
    assert completed.code == EX_USAGE, completed.errors
    assert completed.errors


async def test_silent_controller() -> None:
    async def never_answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.read(4096):
            pass
        writer.close()

    async with await asyncio.start_server(never_answer, LOOPBACK, 0) as server:
        await refused(f"tcp-client:{LOOPBACK}:{server.sockets[0].getsockname()[1]}")


@pytest.mark.parametrize(
    "garbage",
    [
        b"HTTP/1.1 400 Bad Request\r\n\r\n" * 8,
        bytes(range(256)) * 4,
        # An event that is shorter than its length, repeatedly.
        bytes.fromhex("040eff01") * 64,
        # A Command Complete for a command that was not sent.
        bytes.fromhex("040e0401efbe00") * 8,
        # The answer to HCI Reset, with an error.
        bytes.fromhex("040e0401030c0c"),
    ],
    ids=["http", "octets", "truncated", "other-command", "reset-refused"],
)
async def test_garbage(garbage: bytes) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await reader.read(4096):
                writer.write(garbage)
                await writer.drain()
        except ConnectionError:
            pass
        writer.close()

    async with await asyncio.start_server(answer, LOOPBACK, 0) as server:
        await refused(f"tcp-client:{LOOPBACK}:{server.sockets[0].getsockname()[1]}")


async def test_controller_that_hangs_up_at_once() -> None:
    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    async with await asyncio.start_server(hang_up, LOOPBACK, 0) as server:
        await refused(f"tcp-client:{LOOPBACK}:{server.sockets[0].getsockname()[1]}")


class RefusingController(Controller):
    """A controller that comes up normally, and refuses to advertise, like one that does not accept the set's data or parameters."""

    def refuse(self, command: hci.HCI_Command) -> hci.HCI_StatusReturnParameters:
        return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.INVALID_COMMAND_PARAMETERS_ERROR)


class RefusesParameters(RefusingController):
    on_hci_le_set_advertising_parameters_command = RefusingController.refuse


class RefusesData(RefusingController):
    on_hci_le_set_advertising_data_command = RefusingController.refuse


class RefusesEnable(RefusingController):
    on_hci_le_set_advertising_enable_command = RefusingController.refuse


@pytest.mark.parametrize("controller", [RefusesParameters, RefusesData, RefusesEnable])
@pytest.mark.parametrize("path_type", [BumbleTCPPath, PtyPath])
async def test_every_set_is_refused(
    path_type: type[BumbleTCPPath | PtyPath], controller: type[RefusingController], launch: Launch
) -> None:
    """An accessory that cannot advertise at all is not ready: it gives the reason, in events and in text, and ends."""
    path = path_type()
    path.controller = controller("peripheral", link=path.link)
    path.served = ServedController(path.controller)
    program = await launch("run", EVERYTHING, "--json", "--no-wait", "--controller", await path.specification())
    assert await program.wait(PATIENCE) == EX_UNAVAILABLE
    names = [event.kind for event in program.events]
    assert "ready" not in names and "advertising-refused" in names
    [failed] = [event for event in program.events if event.kind == "failed"]
    for text in (failed["reason"], program.errors):
        assert "none of the advertising sets" in text and "main" in text
    await path.close()


@pytest.mark.parametrize("path_type", [BumbleTCPPath, PtyPath])
@pytest.mark.parametrize("connected", [False, True], ids=["idle", "connected"])
async def test_controller_that_vanishes(
    path_type: type[BumbleTCPPath | PtyPath], connected: bool, launch: Launch, tmp_path: Path
) -> None:
    stage = Stage(path_type(), launch)
    program = await stage.run()
    if connected:
        await stage.connect(mtu=517)
    await stage.path.vanish()
    assert await program.wait(PATIENCE) == EX_UNAVAILABLE
    assert program.errors
    await stage.path.close()


async def read_through(program: Program, link: LocalLink) -> None:
    """Finds the program from a central on the same link, connects and reads."""
    address = address_of(await program.ready())
    controller = Controller("central", link=link)
    central = await Central.open(Host(controller, AsyncPipeSink(controller)), "F0:00:00:00:00:01")
    session = await central.connect(address)
    assert await session.read(await session.handle_of("FFF6")) == bytes(range(20))
    await session.disconnect()


def arguments(specification: str, tmp_path: Path) -> tuple[str | Path, ...]:
    return ("run", EVERYTHING, "--controller", specification, "--json", "--seed", "1")


async def test_controller_over_a_unix_socket(launch: Launch, tmp_path: Path) -> None:
    link = LocalLink()
    served = ServedController(Controller("peripheral", link=link))
    socket = tmp_path / "controller"
    server = await asyncio.get_running_loop().create_unix_server(lambda: served, str(socket))
    program = await launch(*arguments(f"unix:{socket}", tmp_path))
    await read_through(program, link)
    served.hang_up()
    server.close()


async def test_controller_that_connects_to_the_program(launch: Launch, tmp_path: Path) -> None:
    """tcp-server: the program listens and the controller connects."""
    link = LocalLink()
    served = ServedController(Controller("peripheral", link=link))
    port = free_port()
    program = await launch(*arguments(f"tcp-server:{LOOPBACK}:{port}", tmp_path))
    async with asyncio.timeout(PATIENCE):
        while served.transport is None:
            try:
                await asyncio.get_running_loop().create_connection(lambda: served, LOOPBACK, port)
            except ConnectionRefusedError:
                # It is not listening yet; there is no event before the controller connects.
                await asyncio.sleep(0.02)
    await read_through(program, link)
    served.hang_up()


async def test_controller_at_the_pty_of_the_program(launch: Launch, tmp_path: Path) -> None:
    """pty: the program creates a pseudo-terminal and the controller opens it as its serial port."""
    link = LocalLink()
    served = ServedController(Controller("peripheral", link=link))
    name = tmp_path / "tty"
    program = await launch(*arguments(f"pty:{name}", tmp_path))
    async with asyncio.timeout(PATIENCE):
        while not name.exists():
            await asyncio.sleep(0.02)
    terminal = os.open(name, os.O_RDWR | os.O_NOCTTY)
    loop = asyncio.get_running_loop()
    # Connects the output first: the program's first command is waiting, and its answer must not be lost.
    writing, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, open(terminal, "wb", closefd=False))
    served.transport = writing
    reading, _ = await loop.connect_read_pipe(lambda: served.source, open(terminal, "rb", closefd=False))
    await read_through(program, link)
    served.transport = None
    writing.abort()
    reading.close()
    os.close(terminal)


async def test_small_buffers_and_one_credit(launch: Launch, tmp_path: Path) -> None:
    """A controller with a single buffer of 27 octets that completes packets late."""
    path = BumbleTCPPath()
    controller = path.controller
    controller.total_num_le_acl_data_packets = 1
    stage = Stage(path, launch)
    outstanding = 0
    worst = 0
    send, receive = controller.send_hci_packet, controller.on_hci_acl_data_packet

    def count_data(packet: hci.HCI_AclDataPacket) -> None:
        nonlocal outstanding, worst
        outstanding += 1
        worst = max(worst, outstanding)
        assert len(packet.data) <= controller.le_acl_data_packet_length
        receive(packet)

    def complete_late(packet: hci.HCI_Packet) -> None:
        def complete() -> None:
            nonlocal outstanding
            outstanding -= 1
            send(packet)

        if isinstance(packet, hci.HCI_Number_Of_Completed_Packets_Event):
            asyncio.get_running_loop().call_later(0.002, complete)
        else:
            send(packet)

    controller.on_hci_acl_data_packet = count_data  # type: ignore[method-assign]
    controller.send_hci_packet = complete_late  # type: ignore[method-assign]
    await stage.run()
    session = await stage.connect(mtu=517)
    assert len(await session.read(await session.handle_of("FFF1"))) == 512
    assert worst == 1
    await path.close()
