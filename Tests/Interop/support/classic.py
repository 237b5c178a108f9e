"""Bumble as the peer of an accessory over BR/EDR, on the radio of the program and on RootCanal."""

from __future__ import annotations

import asyncio
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import TypedDict

from bumble import att, core, gatt_client, hci, l2cap, sdp
from bumble.device import Connection, Device
from bumble.host import Host
from bumble.keys import MemoryKeyStore
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.transport import open_transport
from bumble.transport.common import Transport

from support.controllers import LOOPBACK, free_port
from support.pairing import User
from support.program import PATIENCE, Program

CLASSIC = core.PhysicalTransport.BR_EDR
ATT_PSM = 0x001F


class ClassicClient(gatt_client.Client):
    """Bumble's GATT client on a channel of BR/EDR, which Bumble itself does not have."""

    def __init__(self, connection: Connection, channel: l2cap.ClassicChannel) -> None:
        super().__init__(connection)
        self.channel = channel
        channel.sink = lambda pdu: self.on_gatt_pdu(att.ATT_PDU.from_bytes(pdu))

    def send_gatt_pdu(self, pdu: bytes) -> None:
        self.channel.write(pdu)

    async def error(self, request: att.ATT_PDU) -> int:
        """Returns the error code with which a request is refused."""
        response = await self.send_request(request)
        assert isinstance(response, att.ATT_Error_Response), response
        return response.error_code


class ChannelOptions(TypedDict, total=False):
    """The options of a channel that decide on its mode."""

    mode: l2cap.TransmissionMode
    mps: int
    tx_window_size: int
    max_retransmission: int
    fcs_enabled: bool


class DiscoveryClient(sdp.Client):
    """Bumble's SDP client on a channel with options."""

    def __init__(self, connection: Connection, options: ChannelOptions) -> None:
        super().__init__(connection)
        self.options = options

    async def connect(self) -> None:
        spec = l2cap.ClassicChannelSpec(psm=sdp.SDP_PSM, **self.options)
        self.channel = await asyncio.wait_for(self.connection.create_l2cap_channel(spec), PATIENCE)
        self.channel.sink = self.on_pdu


def signal_over_both(manager: l2cap.ChannelManager) -> None:
    """Lets credit-based channels signal on the channel of the link's transport; Bumble always signals on that of LE."""
    send = manager.send_control_frame

    def send_on_own(connection: Connection, cid: int, frame: l2cap.L2CAP_Control_Frame) -> None:
        send(connection, l2cap.L2CAP_SIGNALING_CID if connection.transport == CLASSIC else cid, frame)

    manager.send_control_frame = send_on_own  # type: ignore[method-assign]


class Air:
    """Controllers for the program and for Bumble on the same air."""

    async def open(self) -> None:
        """Starts it."""

    def options(self) -> list[str]:
        """Returns the options of `understudy run` for its controller."""
        raise NotImplementedError

    def place(self, program: Program) -> str:
        """Returns where a host joins, as a transport of Bumble."""
        raise NotImplementedError

    async def close(self) -> None:
        """Stops it."""


class OwnAir(Air):
    """The program's virtual radio."""

    def options(self) -> list[str]:
        return ["--controller", "virtual", "--preset", "dual", "--join", "tcp", "--join", "tcp"]

    def place(self, program: Program) -> str:
        ready = program.named("ready")[0]
        return ready["joining"][0]


class RootCanal(Air):
    """RootCanal, Android's virtual controllers, which have BR/EDR too."""

    async def open(self) -> None:
        binary = Path(str(resources.files("rootcanal"))) / "bin" / "linux-x86_64" / "rootcanal"
        binary.chmod(binary.stat().st_mode | stat.S_IXUSR)
        self.port = free_port()
        others = [f"--{name}_port={free_port()}" for name in ("test", "link", "link_ble")]
        self.process = await asyncio.create_subprocess_exec(
            binary,
            f"--hci_port={self.port}",
            *others,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        assert self.process.stdout
        while b"initialize: Finished" not in await asyncio.wait_for(self.process.stdout.readline(), PATIENCE):
            pass
        self.log = asyncio.create_task(self.process.stdout.read())

    def options(self) -> list[str]:
        return ["--controller", f"tcp-client:{LOOPBACK}:{self.port}"]

    def place(self, program: Program) -> str:
        return f"tcp-client:{LOOPBACK}:{self.port}"

    async def close(self) -> None:
        self.process.kill()
        await self.process.wait()
        self.log.cancel()


@dataclass
class Phone:
    """A dual-mode device of Bumble, and the user in front of it."""

    device: Device
    transport: Transport
    user: User
    address: hci.Address = field(default_factory=lambda: hci.Address("00:00:00:00:00:00"))

    @classmethod
    async def at(cls, place: str, user: User, *, mitm: bool = True, secure: bool = True) -> Phone:
        transport = await open_transport(place)
        device = Device(
            name="Phone", address=hci.Address("F0:00:00:00:00:01"), host=Host(transport.source, transport.sink)
        )
        device.classic_enabled = True
        device.classic_sc_enabled = secure
        device.keystore = MemoryKeyStore()
        kinds = PairingDelegate.KeyDistribution
        user.local_initiator_key_distribution = user.local_responder_key_distribution = (
            kinds.DISTRIBUTE_ENCRYPTION_KEY | kinds.DISTRIBUTE_IDENTITY_KEY | kinds.DISTRIBUTE_LINK_KEY
        )
        device.pairing_config_factory = lambda _: PairingConfig(
            sc=True,
            mitm=mitm,
            bonding=True,
            delegate=user,
            identity_address_type=PairingConfig.AddressType.PUBLIC,
        )
        signal_over_both(device.l2cap_channel_manager)
        await asyncio.wait_for(device.power_on(), PATIENCE)
        return cls(device, transport, user)

    @asynccontextmanager
    async def connected(self, *, transport: core.PhysicalTransport = CLASSIC) -> AsyncIterator[Connection]:
        # Over LE it has the same address, by which the accessory knows it.
        public = hci.OwnAddressType.PUBLIC
        connection = await asyncio.wait_for(
            self.device.connect(self.address, transport=transport, own_address_type=public), PATIENCE
        )
        try:
            yield connection
        finally:
            if connection in self.device.connections.values():
                await asyncio.wait_for(connection.disconnect(), PATIENCE)

    async def pair(self, connection: Connection) -> None:
        """Authenticates the accessory, by pairing if there is no key, and encrypts the link."""
        await asyncio.wait_for(connection.authenticate(), PATIENCE)
        await asyncio.wait_for(connection.encrypt(), PATIENCE)

    async def client(
        self, connection: Connection, *, mtu: int = 517, mode: ChannelOptions | None = None
    ) -> ClassicClient:
        """Opens the channel of the Attribute Protocol, and discovers everything."""
        spec = l2cap.ClassicChannelSpec(psm=ATT_PSM, mtu=mtu, **(mode or {}))
        channel = await asyncio.wait_for(connection.create_l2cap_channel(spec), PATIENCE)
        client = ClassicClient(connection, channel)
        for service in await client.discover_services():
            for characteristic in await client.discover_characteristics([], service):
                await client.discover_descriptors(characteristic)
        return client

    async def channel(self, connection: Connection, psm: int, *, mtu: int = 2048) -> l2cap.LeCreditBasedChannel:
        """Opens an enhanced credit-based channel."""
        manager = self.device.l2cap_channel_manager
        spec = l2cap.LeCreditBasedChannelSpec(psm=psm, mtu=mtu, mps=1000, max_credits=100)
        opening = manager.create_enhanced_credit_based_channels(connection, spec, 1)
        return (await asyncio.wait_for(opening, PATIENCE))[0]

    async def records(
        self, connection: Connection, *, mode: ChannelOptions | None = None
    ) -> list[list[sdp.ServiceAttribute]]:
        """Returns the service records that can be browsed."""
        async with DiscoveryClient(connection, mode or {}) as client:
            return await asyncio.wait_for(
                client.search_attributes([sdp.SDP_PUBLIC_BROWSE_ROOT], [(0, 0xFFFF)]), PATIENCE
            )
