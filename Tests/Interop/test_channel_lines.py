"""The lines of the shipped profile `l2cap`: a file, a TCP port and a Unix socket, with and without a listener."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from conftest import Stage
from support.central import Session
from support.channels import Channel, open_channel
from support.controllers import LOOPBACK
from support.program import SHIPPED_PROFILES, Program, describe

# The values of the profile.
HANDLERS = {
    "file": "file:/tmp/understudy-stream.bin",
    "tcp": f"tcp:{LOOPBACK}:7000",
    "unix": "unix:/tmp/understudy-stream.sock",
}


class Rig:
    """The shipped profile, running with its lines at other places of this machine, to avoid conflicts."""

    def __init__(self, program: Program, session: Session, psms: dict[str, int]) -> None:
        self.program = program
        self.session = session
        self.psms = psms

    @classmethod
    async def start(cls, stage: Stage, directory: Path, places: dict[str, str]) -> Rig:
        text = (SHIPPED_PROFILES / "l2cap.yaml").read_text()
        for id, handler in HANDLERS.items():
            assert text.count(f"handler: {handler}\n") == 1
            text = text.replace(handler, places[id])
        profile = directory / "l2cap.yaml"
        profile.write_text(text)
        # `describe` lists the PSMs of the channels.
        entries = {entry["id"]: entry for entry in (await describe(profile))["l2cap"]}
        assert entries["wandering"]["psm"] == "new"
        psms = {id: entries[id]["psm"] for id in HANDLERS}
        program = await stage.run(profile)
        return cls(program, await stage.connect(mtu=517), psms)

    async def open(self, id: str) -> Channel:
        return await open_channel(self.session, self.psms[id])


async def test_described() -> None:
    entries = {entry["id"]: entry for entry in (await describe("l2cap"))["l2cap"]}
    assert {id: entries[id]["handler"] for id in HANDLERS} == HANDLERS
    psms = [entry["psm"] for id, entry in entries.items() if id != "wandering"]
    assert psms == list(range(0x80, 0x80 + len(psms)))


@pytest.mark.parametrize("id", HANDLERS)
async def test_nobody_there(virtual: Stage, tmp_path: Path, id: str) -> None:
    """The channel is closed with the reason as an event, and the others still work."""
    places = {"file": f"file:{tmp_path}/absent", "tcp": f"tcp:{LOOPBACK}:1", "unix": f"unix:{tmp_path}/absent"}
    rig = await Rig.start(virtual, tmp_path, places)
    channel = await rig.open(id)
    await channel.end()
    fault = await rig.program.event("fault", id=id)
    assert (fault["fault"], fault["place"]) == ("bridge-failed", places[id])
    assert fault["reason"]
    echo = await open_channel(rig.session, 0x80)
    echo.write(b"hello")
    assert await echo.received(5) == b"hello"


async def test_somebody_there(virtual: Stage, tmp_path: Path) -> None:
    connections: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Queue()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await connections.put((reader, writer))

    payload = os.urandom(20_000)
    (tmp_path / "stream.bin").write_bytes(payload)
    tcp = await asyncio.start_server(serve, LOOPBACK, 0)
    unix = await asyncio.start_unix_server(serve, tmp_path / "stream.sock")
    places = {
        "file": f"file:{tmp_path}/stream.bin",
        "tcp": f"tcp:{LOOPBACK}:{tcp.sockets[0].getsockname()[1]}",
        "unix": f"unix:{tmp_path}/stream.sock",
    }
    rig = await Rig.start(virtual, tmp_path, places)
    for id in ["tcp", "unix"]:
        channel = await rig.open(id)
        reader, writer = await asyncio.wait_for(connections.get(), 30)
        channel.write(b"from the central")
        assert await asyncio.wait_for(reader.readexactly(16), 30) == b"from the central"
        writer.write(b"to it")
        assert await channel.received(5) == b"to it"
        writer.close()
        await channel.end()
        assert (await rig.program.event("channel-bridged", id=id))["place"] == places[id]
    file = await rig.open("file")
    await file.end(25)
    assert file.data == payload
    tcp.close()
    unix.close()
