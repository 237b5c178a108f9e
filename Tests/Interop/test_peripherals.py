"""Our central and Bumble as the peripheral: the same pairings from the other side."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from bumble import hci, smp
from bumble.device import Connection, Device
from bumble.gatt import Characteristic, Service
from bumble.host import Host
from bumble.pairing import PairingConfig
from bumble.transport.tcp_client import open_tcp_client_transport
from understudy import Event

from conftest import Launch
from support.pairing import CAPABILITIES, CHOSEN, PATIENCE, Capability, User, expected_model
from support.program import Program

PERIPHERAL = hci.Address("F0:00:00:00:00:09", hci.Address.RANDOM_DEVICE_ADDRESS)


class OurCentral:
    """`understudy central`, which reads commands from standard input."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.peripheral: Device
        # As the peripheral sees it.
        self.connection: Connection
        self.accepts = True
        self.mistypes = False

    def order(self, verb: str, **fields: Any) -> int:
        """Sends a command; returns the number of events before it."""
        line = {"do": verb, **{name.replace("_", "-"): value for name, value in fields.items()}}
        # Events arrive on a separate thread, so the first may be there before this one continues.
        since = len(self.program.events)
        self.program.write(json.dumps(line).encode() + b"\n")
        return since

    async def connect(self) -> int:
        connected: asyncio.Future[Connection] = asyncio.get_running_loop().create_future()
        self.peripheral.once(Device.EVENT_CONNECTION, connected.set_result)
        await self.peripheral.start_advertising(auto_restart=False, own_address_type=hci.OwnAddressType.RANDOM)
        since = self.order("connect", peer=PERIPHERAL.to_string(False), type="random")
        self.connection = await asyncio.wait_for(connected, PATIENCE)
        return (await self.program.event("connected", since=since))["connection"]

    async def disconnect(self, link: int) -> None:
        since = self.order("disconnect", connection=link)
        await self.program.event("disconnected", since=since)

    async def pair(self, link: int, user: User, **fields: Any) -> Event:
        """Pairs, with a user at each side; returns `paired` or `pairing-failed`."""
        since = self.order("pair", connection=link, **fields)
        answering = asyncio.create_task(self._answer(link, user, since))
        try:
            return await self.program.event("paired" if user.works else "pairing-failed", since=since, timeout=30)
        finally:
            while not answering.done():
                answering.cancel()
                await asyncio.sleep(0)
            if not answering.cancelled():
                answering.result()

    async def _answer(self, link: int, user: User, since: int) -> None:
        while True:
            question = await self.program.event("pairing-question", since=since, timeout=60)
            since = question.index + 1
            if (digits := question.get("digits")) and not user.seen.done():
                user.seen.set_result(int(digits))
            match question["kind"]:
                case "passkey":
                    number = CHOSEN if user.types_chosen else await user.shown
                    self.order("answer", connection=link, passkey=(number + 1) % 1_000_000 if self.mistypes else number)
                case "comparison":
                    self.order("answer", connection=link, accept=self.accepts)


@pytest.fixture
async def central(launch: Launch) -> AsyncIterator[OurCentral]:
    """Our central, and Bumble's peripheral with an encrypted characteristic, on their own radio."""
    radio = await launch("radio", "--json")
    first, second = (await radio.ready())["joining"]
    program = await launch("central", "--controller", first, "--json", takes_input=True)
    await program.event("controller")
    central = OurCentral(program)
    transport = await open_tcp_client_transport(second.removeprefix("tcp-client:"))
    device = Device(name="Peripheral", address=PERIPHERAL, host=Host(transport.source, transport.sink))
    await asyncio.wait_for(device.power_on(), 30)
    device.add_service(
        Service(
            "FFF0",
            [
                Characteristic(
                    "FFF1", Characteristic.Properties.READ, Characteristic.READ_REQUIRES_ENCRYPTION, b"hidden"
                ),
                Characteristic(
                    "FFF2", Characteristic.Properties.READ, Characteristic.READ_REQUIRES_AUTHENTICATION, b"safe"
                ),
            ],
        )
    )
    central.peripheral = device
    yield central
    await transport.close()


def configure(central: OurCentral, user: User, *, secure: bool = True) -> None:
    configuration = PairingConfig(sc=secure, mitm=True, delegate=user)
    central.peripheral.pairing_config_factory = lambda _: configuration


@pytest.mark.timeout(120)
@pytest.mark.parametrize("secure", [True, False], ids=["secure-connections", "legacy"])
@pytest.mark.parametrize("own", CAPABILITIES)
async def test_every_pair_of_capabilities(central: OurCentral, own: str, secure: bool) -> None:
    """Core 5.4 Vol 3 Part H 2.3.5.1, table 2.8, with our central as the initiator."""
    central.order("security", pairing=own, mitm=True, bonding=False)
    for capability_name, capability in CAPABILITIES.items():
        model, typist = expected_model(own, capability_name, secure=secure)
        user = User(capability)
        user.types_chosen = typist == "both"
        configure(central, user, secure=secure)
        link = await central.connect()
        since = len(central.program.events)
        paired = await central.pair(link, user)
        begun = await central.program.event("pairing", since=since)
        place = f"our {own} with {capability_name}"
        # The event is worded for accessories: "accessory" means this side.
        side = {"central": "accessory", "accessory": "central"}.get(typist or "", typist)
        assert (begun["model"], begun.get("typist")) == (model, side), place
        assert (paired["authenticated"], paired["secure_connections"]) == (model != "just-works", secure), place
        await central.disconnect(link)


async def read(central: OurCentral, link: int, uuid: str) -> tuple[str, str]:
    """Returns `hex` and its octets, or `reason` and the failure."""
    peripheral = central.peripheral.gatt_server
    handle = next(attribute.handle for attribute in peripheral.attributes if str(attribute.type).endswith(uuid))
    since = central.order("read", connection=link, handle=handle)
    ended = asyncio.create_task(central.program.event("remote-ended", since=since))
    failed = asyncio.create_task(central.program.event("remote-failed", since=since))
    done, rest = await asyncio.wait([ended, failed], return_when=asyncio.FIRST_COMPLETED)
    for task in rest:
        task.cancel()
    await asyncio.gather(*rest, return_exceptions=True)
    event = done.pop().result()
    return ("hex", event["hex"]) if "hex" in event.raw else ("reason", event["reason"])


@pytest.mark.parametrize("secure", [True, False], ids=["secure-connections", "legacy"])
async def test_bond(central: OurCentral, secure: bool) -> None:
    """Encrypted and authenticated values before and after, and with the bond on the next connection."""
    central.order("security", pairing="keyboard")
    user = User(Capability.DISPLAY_OUTPUT_ONLY)
    configure(central, user, secure=secure)
    link = await central.connect()
    assert (await read(central, link, "FFF1"))[0] == "reason"
    await central.pair(link, user)
    assert await read(central, link, "FFF1") == ("hex", b"hidden".hex())
    assert await read(central, link, "FFF2") == ("hex", b"safe".hex())
    await central.disconnect(link)
    if not secure:
        # As the responder, Bumble confuses the two keys of legacy pairing: the one for the peripheral's role is the key
        # that the peripheral has distributed (Core 5.4 Vol 3 Part H 2.4.4.2).
        assert central.peripheral.keystore
        ((name, keys),) = await central.peripheral.keystore.get_all()
        keys.ltk_central, keys.ltk_peripheral = keys.ltk_peripheral, keys.ltk_central
        await central.peripheral.keystore.update(name, keys)
    link = await central.connect()
    since = central.order("pair", connection=link)
    security = await central.program.event("security", since=since)
    assert security["protection"] == ("secure-connections" if secure else "authenticated")
    assert await read(central, link, "FFF1") == ("hex", b"hidden".hex())
    assert len(central.program.named("paired")) == 1


@pytest.mark.parametrize("secure", [True, False], ids=["secure-connections", "legacy"])
async def test_wrong_passkey(central: OurCentral, secure: bool) -> None:
    central.order("security", pairing="keyboard")
    central.mistypes = True
    user = User(Capability.DISPLAY_OUTPUT_ONLY)
    user.works = False
    configure(central, user, secure=secure)
    link = await central.connect()
    failed = await central.pair(link, user)
    assert failed["reason"] == "confirm-value-failed"


async def test_rejected_comparison(central: OurCentral) -> None:
    central.order("security", pairing="compare")
    central.accepts = False
    user = User(Capability.DISPLAY_OUTPUT_AND_YES_NO_INPUT)
    user.works = False
    configure(central, user)
    reason: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    link = await central.connect()
    central.connection.on(Connection.EVENT_PAIRING_FAILURE, reason.set_result)
    failed = await central.pair(link, user)
    assert (failed["reason"], failed["by_peer"]) == ("numeric-comparison-failed", False)
    assert await asyncio.wait_for(reason, PATIENCE) == smp.ErrorCode.NUMERIC_COMPARISON_FAILED


async def test_security_request(central: OurCentral) -> None:
    """Bumble as the peripheral requests security, and our central pairs."""
    central.order("security", pairing="just-works")
    user = User(Capability.NO_OUTPUT_NO_INPUT)
    configure(central, user)
    await central.connect()
    since = len(central.program.events)
    central.connection.request_pairing()
    requested = await central.program.event("security-requested", since=since)
    assert (requested["bonding"], requested["mitm"], requested["secure_connections"]) == (True, True, True)
    await central.program.event("paired", since=since)
