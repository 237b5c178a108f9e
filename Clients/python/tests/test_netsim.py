"""Accessories on netsim's radio. Bumble stands in for netsim and for the phone: no emulator is run."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc.aio
import pytest
from bumble.transport.grpc_protobuf.netsim.packet_streamer_pb2_grpc import (
    PacketStreamerServicer,
    add_PacketStreamerServicer_to_server,
)
from emulator import Netsim
from emulator import netsim as netsim
from person import PATIENCE, waited
from test_bleak import COUNT, LONG, PASSKEY, SECRET, TEXT, vault

from understudy import aio
from understudy.netsim import Bridge, NetsimError, _command, _discovery, _stream

# Bumble's controller sends no scan responses, so the name is in the advertising data.
ADVERTISING = [{"id": "main", "interval": "20 ms", "data": {"flags": ["general"], "name": "complete"}}]


@pytest.mark.parametrize(("pairing", "passkey"), [("just-works", None), ("display", PASSKEY)])
async def test_an_app_uses_the_accessory(netsim: Netsim, pairing: str, passkey: int | None) -> None:
    security = {"pairing": pairing, **({"passkey": passkey} if passkey else {})}
    profile = {**vault(**security), "advertising": ADVERTISING}
    async with (
        await Bridge.open() as bridge,
        aio.Accessory.start(profile, controller=bridge.controller) as accessory,
    ):
        phone = await netsim.phone()
        await phone.connect("Vault")
        assert await phone.characteristic(TEXT).read_value() == LONG.encode()
        await phone.characteristic(TEXT).write_value(b"y" * 400, with_response=True)
        assert await accessory["text"].read() == "y" * 400
        counts: list[bytes] = []
        await phone.characteristic(COUNT).subscribe(lambda value: counts.append(bytes(value)))
        await accessory["count"].notify(7)
        await waited(lambda: counts == [b"\7"])
        await phone.pair(passkey)
        paired = await accessory.expect("paired", within=PATIENCE)
        assert paired.raw["authenticated"] is bool(passkey)
        assert await phone.characteristic(SECRET).read_value() == b"\1\2"


# The command


class Command:
    """A run of `understudy-netsim`."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.said = ""

    def children(self) -> list[int]:
        text = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return [int(word) for word in text.split()]

    async def says(self, text: str) -> str:
        """Waits for a line of output with this text."""
        assert self.process.stdout
        async with asyncio.timeout(PATIENCE):
            while True:
                line = (await self.process.stdout.readline()).decode()
                assert line, f"it has ended without {text!r}:\n{self.said}"
                self.said += line
                if text in line:
                    return line.strip()

    async def end(self, number: int | None = None) -> tuple[int | None, str]:
        """Sends a signal, if any, and waits for the end; returns the exit code and the output."""
        if number:
            self.process.send_signal(number)
        output, _ = await asyncio.wait_for(self.process.communicate(), PATIENCE)
        return self.process.returncode, self.said + output.decode()


@asynccontextmanager
async def command(executable: Path, *arguments: str) -> AsyncIterator[Command]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        "from understudy.netsim._command import main; main()",
        *arguments,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env={**os.environ, "UNDERSTUDY": str(executable)},
    )
    try:
        yield Command(process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def is_running(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


RUN = ("run", "battery", "--ephemeral", "--json")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
async def test_run(netsim: Netsim, understudy_executable: Path, number: int) -> None:
    async with command(understudy_executable, *RUN) as run:
        address = (await run.says('"ready"')).partition("unix:")[2].partition('"')[0]
        assert Path(address).is_socket()
        phone = await netsim.phone()
        await phone.connect("Battery")
        assert await phone.characteristic("2A19").read_value() == b"\x64"
        (program,) = run.children()
        code, _ = await run.end(number)
        assert code == 0
        assert not is_running(program)
        assert not Path(address).parent.exists()
        await waited(lambda: not netsim.is_taken)


async def test_run_ends_as_its_program_does(netsim: Netsim, understudy_executable: Path) -> None:
    async with command(understudy_executable, *RUN, "--for", "100ms") as run:
        assert (await run.end())[0] == 0
    async with command(understudy_executable, "run", "nonsense.yaml") as run:
        code, said = await run.end()
        assert code == 66
        assert "nonsense.yaml" in said
    await waited(lambda: not netsim.is_taken)


async def test_run_ends_with_netsim(netsim: Netsim, understudy_executable: Path) -> None:
    # The program itself would wait for another controller.
    async with command(understudy_executable, *RUN, "--wait") as run:
        await run.says('"ready"')
        (program,) = run.children()
        await netsim.stop()
        code, said = await run.end()
        assert code == 69
        assert said.splitlines()[-1].startswith(f"error: netsim at localhost:{netsim.port} has ended the stream")
        assert not is_running(program)


async def test_run_that_is_killed_leaves_no_program(netsim: Netsim, understudy_executable: Path) -> None:
    async with command(understudy_executable, *RUN, "--wait") as run:
        address = (await run.says('"ready"')).partition("unix:")[2].partition('"')[0]
        (program,) = run.children()
        await run.end(signal.SIGKILL)
        await waited(lambda: not is_running(program))
        shutil.rmtree(Path(address).parent)


async def test_controller(netsim: Netsim, understudy_executable: Path) -> None:
    async with command(understudy_executable, "--netsim", netsim.address, "controller") as controller:
        address = await controller.says("unix:")
        # One program after the other.
        for name in ("First", "Second"):
            profile = {"name": name, "advertising": ADVERTISING, "services": [{"include": "battery"}]}
            async with aio.Accessory.start(profile, controller=address):
                phone = await netsim.phone()
                await phone.connect(name)
                assert await phone.characteristic("2A19").read_value() == b"\x64"
        # The bridge is ready for a third program.
        await waited(lambda: netsim.is_taken)
        assert (await controller.end(signal.SIGINT))[0] == 0
        assert not Path(address.removeprefix("unix:")).parent.exists()


async def test_a_second_program_at_the_same_time_is_refused(netsim: Netsim, tmp_path: Path) -> None:
    path = tmp_path / "controller"
    async with await Bridge.open(path=path) as bridge:
        assert bridge.controller == f"unix:{path}"
        first = await asyncio.open_unix_connection(path)
        first[1].write(bytes([0x01, 0x03, 0x0C, 0x00]))
        assert (await first[0].readexactly(7))[-3:] == bytes([0x03, 0x0C, 0x00])
        second = await asyncio.open_unix_connection(path)
        assert await second[0].read() == b""
        first[1].close()
        second[1].close()
    assert not path.exists()


async def test_octets_that_are_no_packet_end_the_connection(netsim: Netsim, tmp_path: Path) -> None:
    async with await Bridge.open(path=tmp_path / "controller") as bridge:
        for _ in range(2):
            reader, writer = await asyncio.open_unix_connection(tmp_path / "controller")
            writer.write(b"\xff\xff")
            assert await reader.read() == b""
            writer.close()
        assert not bridge.lost.done()


async def test_controller_ends_with_netsim(netsim: Netsim, understudy_executable: Path) -> None:
    async with command(understudy_executable, "controller") as controller:
        address = await controller.says("unix:")
        await netsim.stop()
        code, said = await controller.end()
        assert code == 69
        ended = f"error: netsim at localhost:{netsim.port} has ended the stream: Cancelling all calls"
        assert said.splitlines() == [address, ended]
        assert not Path(address.removeprefix("unix:")).parent.exists()


# What is wrong with netsim


async def test_netsim_refuses(netsim: Netsim) -> None:
    async with await Bridge.open():
        with pytest.raises(NetsimError, match="gives no controller: Device busy"):
            await Bridge.open()


async def test_nothing_answers() -> None:
    with pytest.raises(NetsimError, match=r"127.0.0.1:1 gives no controller: .*refused; start the emulator"):
        await Bridge.open("127.0.0.1:1")


class Silent(PacketStreamerServicer):
    """A netsim that answers nothing."""

    async def StreamPackets(self, _: Any, context: Any) -> None:
        while await context.read() is not grpc.aio.EOF:
            pass


async def test_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_stream, "OPEN_WITHIN", 0.1)
    server = grpc.aio.server()
    add_PacketStreamerServicer_to_server(Silent(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    with pytest.raises(NetsimError, match="gave no controller within 0.1 s"):
        await Bridge.open(f"127.0.0.1:{port}")
    await server.stop(None)


async def test_something_else_answers() -> None:
    server = grpc.aio.server()
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    with pytest.raises(NetsimError, match="takes no packets: it is probably not netsim"):
        await Bridge.open(f"127.0.0.1:{port}")
    await server.stop(None)


async def test_a_socket_in_a_folder_that_does_not_exist(netsim: Netsim, tmp_path: Path) -> None:
    with pytest.raises(NetsimError, match="cannot listen at .*/nowhere/controller: No such file"):
        await Bridge.open(path=tmp_path / "nowhere/controller")
    await waited(lambda: not netsim.is_taken)


@pytest.mark.parametrize("arguments", [["run", "battery"], ["controller"]])
def test_no_netsim(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(_discovery, "folders", lambda: [tmp_path])
    with pytest.raises(SystemExit) as end:
        _command.main(arguments)
    assert end.value.code == 69
    said = capsys.readouterr().err
    missing = f"none of these files exists: {tmp_path}/netsim.ini"
    assert said.startswith(f"error: netsim is not running: {missing}; start the emulator")
    (tmp_path / "netsim.ini").write_text("web.port=7681\n")
    with pytest.raises(NetsimError, match=r"netsim.ini has no grpc.port"):
        _discovery.find()


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("grpc.port=8554", "localhost:8554"),
        ("web.port=7681\n grpc.port = 8554 \n", "localhost:8554"),
        ("grpc.port=:8554", "localhost:8554"),
        ("grpc.port=192.0.2.1:8554", "192.0.2.1:8554"),
        ("grpc.port=\n", None),
        ("grpc\n\n=\n", None),
    ],
)
def test_address_in_the_file(text: str, address: str | None) -> None:
    assert _discovery.address_in(text) == address


def test_netsims_own_order_of_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Bumble looks in XDG_RUNTIME_DIR first."""
    for name, port in (("TMPDIR", 1), ("XDG_RUNTIME_DIR", 2)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "netsim.ini").write_text(f"grpc.port={port}\n")
        monkeypatch.setenv(name, str(tmp_path / name))
    assert _discovery.find() == "localhost:1"
    monkeypatch.delenv("TMPDIR")
    assert _discovery.find() == "localhost:2"
