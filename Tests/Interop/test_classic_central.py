"""Our central over BR/EDR, with Bumble as the accessory, on the program's radio and on RootCanal."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import AsyncIterator
from typing import Any

import pytest
from bumble import att, core, gatt_server, l2cap, sdp
from bumble.core import UUID
from bumble.device import Connection, Device
from bumble.gatt import Characteristic, CharacteristicValue, Service
from understudy import Event

from conftest import Launch
from support.classic import ATT_PSM, Air, Phone, RootCanal
from support.pairing import Capability, User
from support.program import PATIENCE, Program

pytestmark = pytest.mark.timeout(120)

RECORD = 0x0001_0001


class RadioAir(Air):
    """The program's virtual radio, served by a program of its own."""

    def __init__(self, launch: Launch) -> None:
        self.launch = launch

    async def open(self) -> None:
        radio = await self.launch("radio", "--preset", "dual", "--join", "tcp", "--join", "tcp", "--json")
        self.places: list[str] = (await radio.ready())["joining"]

    def options(self) -> list[str]:
        return ["--controller", self.places[0]]

    def place(self, program: Program | None = None) -> str:
        return self.places[1]


class ClassicServer(gatt_server.Server):
    """Bumble's GATT server on channels of BR/EDR, which Bumble itself does not have."""

    def __init__(self, device: Device) -> None:
        super().__init__(device)
        self.channels: dict[Connection, l2cap.ClassicChannel] = {}
        device.create_l2cap_server(l2cap.ClassicChannelSpec(psm=ATT_PSM, mtu=517), self.opened)

    def opened(self, channel: l2cap.ClassicChannel) -> None:
        self.channels[channel.connection] = channel
        channel.sink = lambda pdu: self.on_gatt_pdu(channel.connection, att.ATT_PDU.from_bytes(pdu))

    def send_gatt_pdu(self, bearer: att.Bearer, pdu: bytes) -> None:
        assert isinstance(bearer, Connection)
        self.channels[bearer].write(pdu)


class Stage:
    """Our central, and an accessory of Bumble that is connectable and discoverable."""

    def __init__(self, air: Air, launch: Launch) -> None:
        self.air = air
        self.launch = launch

    async def open(self) -> None:
        self.central = await self.launch("central", "--br-edr", "--json", *self.air.options(), takes_input=True)
        await self.central.event("controller")

    def order(self, verb: str, **fields: Any) -> int:
        """Sends a command; returns the number of events before it."""
        since = len(self.central.events)
        self.central.write(json.dumps({"do": verb, **fields}).encode() + b"\n")
        return since

    async def accessory(self, capability: Capability = Capability.DISPLAY_OUTPUT_AND_YES_NO_INPUT) -> Phone:
        phone = await Phone.at(self.air.place(self.central), User(capability), mitm=False)
        device = phone.device
        device.sdp_service_records = {
            RECORD: [
                sdp.ServiceAttribute(0x0000, sdp.DataElement.unsigned_integer_32(RECORD)),
                sdp.ServiceAttribute(
                    0x0001, sdp.DataElement.sequence([sdp.DataElement.uuid(UUID.from_16_bits(0x180F))])
                ),
                sdp.ServiceAttribute(
                    0x0004,
                    sdp.DataElement.sequence(
                        [
                            sdp.DataElement.sequence(
                                [
                                    sdp.DataElement.uuid(core.BT_L2CAP_PROTOCOL_ID),
                                    sdp.DataElement.unsigned_integer_16(ATT_PSM),
                                ]
                            )
                        ]
                    ),
                ),
                sdp.ServiceAttribute(
                    0x0005,
                    sdp.DataElement.sequence([sdp.DataElement.uuid(sdp.SDP_PUBLIC_BROWSE_ROOT)]),
                ),
            ]
        }
        self.written: asyncio.Queue[bytes] = asyncio.Queue()
        level = Characteristic(
            UUID.from_16_bits(0x2A19),
            Characteristic.Properties.READ | Characteristic.Properties.WRITE | Characteristic.Properties.NOTIFY,
            Characteristic.READABLE | Characteristic.WRITEABLE,
            CharacteristicValue(read=lambda _: b"\x55", write=lambda _, value: self.written.put_nowait(value)),
        )
        self.server = ClassicServer(device)
        self.server.add_services([Service(UUID.from_16_bits(0x180F), [level])])
        self.level = level
        await device.set_discoverable(True)
        await device.set_connectable(True)
        self.phone = phone
        return phone

    @property
    def address(self) -> str:
        return self.phone.device.public_address.to_string(False)

    async def page(self) -> int:
        since = self.order("page", peer=self.address)
        event = await self.central.event("connected", since=since)
        assert event["transport"] == "br-edr"
        return event["connection"]

    async def pair(self, digits: str | None = None, kind: str = "paired") -> Event:
        """Pairs as a user who looks at both devices; `digits` is the kind of the question that this side asks."""
        since = self.order("pair")
        if digits:
            question = await self.central.event("pairing-question", since=since)
            assert question["kind"] == digits
            if digits in ("comparison", "display"):
                self.phone.user.seen.set_result(int(question["digits"]))
            if digits == "comparison":
                self.order("answer", accept=True)
            elif digits == "passkey":
                self.order("answer", passkey=await asyncio.wait_for(self.phone.user.shown, PATIENCE))
        return await self.central.event(kind, since=since)


@pytest.fixture(params=["own", "rootcanal"])
async def stage(request: pytest.FixtureRequest, launch: Launch) -> AsyncIterator[Stage]:
    air: Air = RadioAir(launch) if request.param == "own" else RootCanal()
    await air.open()
    stage = Stage(air, launch)
    await stage.open()
    yield stage
    await stage.phone.transport.close()
    await air.close()


async def test_finds(stage: Stage) -> None:
    """An inquiry finds the accessory, with its name."""
    await stage.accessory()
    since = stage.order("inquire", **{"for": "5 s"})
    found = await stage.central.event("found", since=since)
    assert (found["address"], found["name"]) == (stage.address, "Phone")
    await stage.central.event("inquiring", since=since, where=lambda event: not event["on"])


async def test_searches(stage: Stage) -> None:
    """The service records of the accessory need no security, and can be searched again and again."""
    await stage.accessory()
    await stage.page()
    for _ in range(3):
        since = stage.order("records")
        records = (await stage.central.event("service-records", since=since))["records"]
        assert {"classes": ["battery"], "psm": ATT_PSM} in records


MODELS: dict[str, tuple[str, Capability, str | None]] = {
    "just-works": ("just-works", Capability.NO_OUTPUT_NO_INPUT, None),
    "numeric-comparison": ("compare", Capability.DISPLAY_OUTPUT_AND_YES_NO_INPUT, "comparison"),
    "passkey-typed-here": ("keyboard", Capability.DISPLAY_OUTPUT_ONLY, "passkey"),
    "passkey-typed-there": ("display", Capability.KEYBOARD_INPUT_ONLY, "display"),
}


@pytest.mark.parametrize("model", MODELS)
async def test_pairs(stage: Stage, model: str) -> None:
    """Every model of Secure Simple Pairing, and encryption with the key of the bond on the next link."""
    own, capability, question = MODELS[model]
    await stage.accessory(capability)
    stage.order("security", pairing=own)
    link = await stage.page()
    paired = await stage.pair(question)
    assert (paired["authenticated"], paired["bonded"]) == (question is not None, True)
    # The keys of LE follow from the link key.
    await stage.central.event("paired", since=paired.index + 1)
    since = stage.order("disconnect", connection=link)
    await stage.central.event("disconnected", since=since)
    await stage.page()
    await stage.pair(kind="security")
    assert len(stage.central.named("paired")) == 2


async def test_uses_values(stage: Stage) -> None:
    """Values are read, written and notified on a channel that our central opens."""
    await stage.accessory()
    stage.order("security", pairing="just-works")
    await stage.page()
    await stage.pair()
    since = stage.order("read", attribute="battery-level")
    ended = await stage.central.event("remote-ended", since=since, where=lambda event: event.get("hex") == "55")
    assert ended
    since = stage.order("write", attribute="battery-level", value="hex:20")
    await stage.central.event("remote-ended", since=since)
    assert await asyncio.wait_for(stage.written.get(), PATIENCE) == b"\x20"
    since = stage.order("subscribe", attribute="battery-level")
    await stage.central.event("remote-ended", since=since)
    await stage.server.notify_subscribers(stage.level, b"\x21")
    heard = await stage.central.event("remote-notification", since=since)
    assert heard["hex"] == "21"


async def test_nobody_answers(stage: Stage) -> None:
    """A page that nobody answers fails, and the next one works."""
    await stage.accessory()
    since = stage.order("page", peer="00:11:22:33:44:55")
    assert "Page Timeout" in (await stage.central.event("connection-failed", since=since))["reason"]
    await stage.page()


async def test_a_signal_ends_it(stage: Stage) -> None:
    """A signal ends the link and the program, also while commands may still come."""
    await stage.accessory()
    connected: asyncio.Future[Connection] = asyncio.get_running_loop().create_future()
    ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    stage.phone.device.once(Device.EVENT_CONNECTION, connected.set_result)
    await stage.page()
    connection = await asyncio.wait_for(connected, PATIENCE)
    connection.once(Connection.EVENT_DISCONNECTION, ended.set_result)
    stage.central.send_signal(signal.SIGTERM)
    # Remote User Terminated Connection
    assert await asyncio.wait_for(ended, PATIENCE) == 0x13
    assert await stage.central.wait(PATIENCE) == 0
