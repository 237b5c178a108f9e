"""Stands in for the Android Emulator: Bumble as netsim, with a phone on its radio."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from bumble.controller import Controller
from bumble.device import Device, Peer
from bumble.hci import Address
from bumble.host import Host
from bumble.link import LocalLink
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.transport import open_transport
from bumble.transport.common import AsyncPipeSink, PumpedPacketSink
from person import waited


async def send(source: Any, packet: bytes) -> None:
    """Sends a packet to the host, if it is still there."""
    with suppress(Exception):
        await source.send_packet(packet)


class Netsim:
    """Bumble's transport `android-netsim` in controller mode. Its one controller shares a radio with the phone's."""

    def __init__(self, transport: Any, link: LocalLink, sink: PumpedPacketSink) -> None:
        self._transport, self._link, self._sink = transport, link, sink
        self.port: int = transport.source.port
        self.address = f"127.0.0.1:{self.port}"

    @classmethod
    async def start(cls) -> Netsim:
        transport: Any = await open_transport("android-netsim:127.0.0.1:0,mode=controller")
        link = LocalLink()
        # The sink of the transport ends for good if a host leaves while it sends.
        sink = PumpedPacketSink(lambda packet: send(transport.source, packet))
        sink.start()
        Controller("netsim", host_source=transport.source, host_sink=sink, link=link)
        netsim = cls(transport, link, sink)
        # Replaces Bumble's file, which contains port 0.
        file = Path(os.environ["XDG_RUNTIME_DIR"]) / "netsim.ini"
        file.write_text(f"web.port=7681\ngrpc.port={transport.source.port}\n")
        return netsim

    @property
    def is_taken(self) -> bool:
        return self._transport.source.device is not None

    async def phone(self) -> Phone:
        controller = Controller("phone", link=self._link)
        return await Phone.start(Host(controller, AsyncPipeSink(controller)))

    async def stop(self) -> None:
        self._sink.close()
        await self._transport.source.grpc_server.stop(None)
        await self._transport.close()


@pytest.fixture
async def netsim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Netsim]:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.delenv("TMPDIR", raising=False)
    netsim = await Netsim.start()
    yield netsim
    await netsim.stop()


class Person(PairingDelegate):
    """Types a passkey, or confirms."""

    def __init__(self, passkey: int | None) -> None:
        can = PairingDelegate.KEYBOARD_INPUT_ONLY if passkey else PairingDelegate.NO_OUTPUT_NO_INPUT
        super().__init__(io_capability=can)
        self._passkey = passkey

    async def get_number(self) -> int | None:
        return self._passkey


class Phone:
    """Bumble's host as the phone, with the actions of an app."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self.peer: Any = None

    @classmethod
    async def start(cls, host: Host) -> Phone:
        device = Device(host=host, address=Address("F0:F1:F2:F3:F4:F5"))
        await device.power_on()
        return cls(device)

    async def connect(self, name: str) -> None:
        """Scans for the name, connects and discovers everything."""
        found: dict[str, Address] = {}

        def note(advertisement: Any) -> None:
            for heard in (advertisement.data.get(8), advertisement.data.get(9)):
                if heard:
                    found[heard if isinstance(heard, str) else heard.decode()] = advertisement.address

        self._device.on("advertisement", note)
        await self._device.start_scanning()
        await waited(lambda: name in found)
        await self._device.stop_scanning()
        self.peer = Peer(await self._device.connect(found[name]))
        await self.peer.discover_all()

    def characteristic(self, uuid: str) -> Any:
        (found,) = self.peer.get_characteristics_by_uuid(uuid)
        return found

    async def pair(self, passkey: int | None) -> None:
        self._device.pairing_config_factory = lambda _: PairingConfig(delegate=Person(passkey))
        await self.peer.connection.pair()
