"""A dual-mode accessory with Bumble as its peer: BR/EDR alone, both transports at once, and keys for both."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from bumble import att, core, gatt_client, hci, l2cap, sdp
from bumble.core import UUID
from bumble.device import Peer

from conftest import Launch
from support.classic import ATT_PSM, Air, ChannelOptions, OwnAir, Phone, RootCanal
from support.controllers import LOOPBACK
from support.pairing import Capability, User
from support.program import EX_UNAVAILABLE, PATIENCE, PROFILES, Program, run
from support.web import Client

pytestmark = pytest.mark.timeout(120)

PROFILE = PROFILES / "dual-mode.yaml"
RATE, PLAIN, GUARDED, TOLD = (UUID.from_16_bits(number) for number in (0x2A37, 0xFFF1, 0xFFF2, 0xFFF3))
LE = core.PhysicalTransport.LE


class Stage:
    """The accessory on an air with BR/EDR, and a phone beside it."""

    def __init__(self, air: Air, launch: Launch) -> None:
        self.air = air
        self.launch = launch
        self.phones: list[Phone] = []

    async def run(self, profile: Path = PROFILE, *options: str | Path) -> Program:
        self.program = await self.launch(
            "run", profile, *self.air.options(), "--json", "--http", f"{LOOPBACK}:0", "--no-wait", *options
        )
        self.ready = await self.program.ready()
        self.client = Client(LOOPBACK, (await self.program.event("http"))["port"])
        return self.program

    async def phone(
        self, capability: Capability = Capability.DISPLAY_OUTPUT_AND_YES_NO_INPUT, **options: bool
    ) -> Phone:
        phone = await Phone.at(self.air.place(self.program), User(capability), **options)
        phone.address = hci.Address(self.ready["address"], hci.Address.PUBLIC_DEVICE_ADDRESS)
        self.phones.append(phone)
        return phone

    async def answer(self, phone: Phone) -> None:
        """Answers the accessory's question as a user who looks at both devices."""
        question = await self.program.event("question")
        body = {"accept": True}
        if question["kind"] in ("comparison", "display"):
            phone.user.seen.set_result(int(question["digits"]))
        if question["kind"] == "display":
            return
        if question["kind"] == "passkey":
            body = {"value": await asyncio.wait_for(phone.user.shown, PATIENCE)}
        answer = await self.client.post(f"/v1/questions/{question['ticket']}/answer", body)
        assert answer.status == 200, answer.body


@pytest.fixture(params=["own", "rootcanal"])
async def stage(request: pytest.FixtureRequest, launch: Launch) -> AsyncIterator[Stage]:
    air: Air = OwnAir() if request.param == "own" else RootCanal()
    await air.open()
    stage = Stage(air, launch)
    yield stage
    for phone in stage.phones:
        await phone.transport.close()
    await air.close()


async def test_is_found_and_described(stage: Stage) -> None:
    """Inquiry finds its class, name and services; its name and its records can be asked for without security."""
    await stage.run()
    phone = await stage.phone()
    found: asyncio.Queue[tuple[hci.Address, int, core.AdvertisingData]] = asyncio.Queue()
    phone.device.on("inquiry_result", lambda address, kind, data, _: found.put_nowait((address, kind, data)))
    await phone.device.start_discovery()
    address, kind, data = await asyncio.wait_for(found.get(), PATIENCE)
    await phone.device.stop_discovery()
    assert (address, kind) == (phone.address, 0x240418)
    assert data.get(core.AdvertisingData.Type.COMPLETE_LOCAL_NAME) == "Dual"
    services = data.get(core.AdvertisingData.Type.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS)
    assert services == [UUID.from_16_bits(0x180D), UUID.from_16_bits(0xFFF0)]
    async with phone.connected() as connection:
        event = await stage.program.event("connected")
        assert event["transport"] == "br-edr"
        assert await asyncio.wait_for(phone.device.request_remote_name(connection), PATIENCE) == "Dual"
        records = await phone.records(connection)
    classes = [sdp.ServiceAttribute.find_attribute_in_list(record, 0x0001) for record in records]
    uuids = [element.value[0].value for element in classes if element]
    # Device Identification, GAP, GATT, and the profile's services.
    assert uuids == [UUID.from_16_bits(n) for n in (0x1200, 0x1800, 0x1801, 0x180D, 0xFFF0)]
    vendor = sdp.ServiceAttribute.find_attribute_in_list(records[0], 0x0201)
    assert vendor and vendor.value == 0x004C
    protocols = sdp.ServiceAttribute.find_attribute_in_list(records[3], 0x0004)
    assert protocols and [part.value[0].value for part in protocols.value] == [
        core.BT_L2CAP_PROTOCOL_ID,
        core.BT_ATT_PROTOCOL_ID,
    ]
    assert protocols.value[0].value[1].value == ATT_PSM


async def test_a_service_over_le_alone_is_not_described(stage: Stage) -> None:
    await stage.run(
        PROFILE, "--set", "services.heart-rate.transports=[le]", "--set", "security.pairing=just-works"
    )
    phone = await stage.phone()
    async with phone.connected() as connection:
        records = await phone.records(connection)
        await phone.pair(connection)
        client = await phone.client(connection)
    assert UUID.from_16_bits(0x180D) not in [service.uuid for service in client.services]
    classes = [sdp.ServiceAttribute.find_attribute_in_list(record, 0x0001) for record in records]
    uuids = [element.value[0].value for element in classes if element]
    assert uuids == [UUID.from_16_bits(n) for n in (0x1200, 0x1800, 0x1801, 0xFFF0)]


async def test_modes_change_while_it_runs(stage: Stage) -> None:
    """Inquiry finds it no longer, and then again; the event says so."""
    await stage.run()
    phone = await stage.phone()
    found = asyncio.Event()
    phone.device.on("inquiry_result", lambda *_: found.set())
    answer = await stage.client.put("/v1/br-edr", {"discoverable": "no"})
    assert (answer.status, answer.json) == (202, {"discoverable": "no", "connectable": True})
    await stage.program.event("br-edr", discoverable=False)
    await phone.device.start_discovery(auto_restart=False)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(found.wait(), 3)
    assert (await stage.client.put("/v1/br-edr", {"discoverable": "1 min"})).status == 202
    await stage.program.event("br-edr", discoverable=True)
    await phone.device.stop_discovery()
    await phone.device.start_discovery()
    await asyncio.wait_for(found.wait(), PATIENCE)
    assert (await stage.client.put("/v1/br-edr", {"discoverable": "1 s"})).status == 400


MODELS: dict[str, tuple[str, Capability, bool]] = {
    "numeric-comparison": ("compare", Capability.DISPLAY_OUTPUT_AND_YES_NO_INPUT, True),
    "just-works": ("just-works", Capability.DISPLAY_OUTPUT_AND_YES_NO_INPUT, False),
    "passkey-typed-here": ("keyboard", Capability.DISPLAY_OUTPUT_ONLY, True),
    "passkey-typed-there": ("display", Capability.KEYBOARD_INPUT_ONLY, True),
}


@pytest.mark.parametrize("model", MODELS)
async def test_pairs(stage: Stage, model: str) -> None:
    """Every model of Secure Simple Pairing, the protection that follows, and the bond afterwards."""
    own, capability, protects = MODELS[model]
    await stage.run(PROFILE, "--set", f"security.pairing={own}")
    phone = await stage.phone(capability)
    async with phone.connected() as connection:
        answering = asyncio.create_task(stage.answer(phone)) if own != "just-works" else None
        await phone.pair(connection)
        if answering:
            await asyncio.wait_for(answering, PATIENCE)
        paired = await stage.program.event("paired")
        assert (paired["authenticated"], paired["bonded"], paired["peer_type"]) == (protects, True, "public")
        expected = "secure-connections" if protects else "encrypted"
        await stage.program.event("security", where=lambda event: event["protection"] == expected)
        client = await phone.client(connection)
        guarded = client.get_characteristics_by_uuid(GUARDED)[0]
        if protects:
            assert await client.read_value(guarded) == b"\x02"
        else:
            assert await client.error(att.ATT_Read_Request(attribute_handle=guarded.handle)) == 0x05
    async with phone.connected() as connection:
        # The accessory encrypts with the key of the bond, because the channel needs it.
        client = await phone.client(connection)
        assert await client.read_value(client.get_characteristics_by_uuid(PLAIN)[0]) == b"\x01"
    assert len(stage.program.named("paired")) == 1


async def test_uses_the_database(stage: Stage) -> None:
    """Long values, notifications, indications, and subscriptions that come back with the bond."""
    await stage.run(PROFILE, "--set", "security.pairing=just-works")
    phone = await stage.phone()
    async with phone.connected() as connection:
        await phone.pair(connection)
        client = await phone.client(connection, mtu=100)
        plain, rate, told = (client.get_characteristics_by_uuid(uuid)[0] for uuid in (PLAIN, RATE, TOLD))
        await client.write_value(plain, bytes(range(90)), with_response=True)
        assert await client.read_value(plain) == bytes(range(90))
        # The MTU is that of the channel (Core 5.4 Vol 3 Part G 4.3.1).
        assert await client.error(att.ATT_Exchange_MTU_Request(client_rx_mtu=200)) == 0x06
        notified: asyncio.Queue[bytes] = asyncio.Queue()
        indicated: asyncio.Queue[bytes] = asyncio.Queue()
        await client.subscribe(rate, notified.put_nowait)
        await client.subscribe(told, indicated.put_nowait, prefer_notify=False)
        await stage.client.put("/v1/characteristics/rate/value", {"value": {"bpm": 61}})
        assert await asyncio.wait_for(notified.get(), PATIENCE) == bytes([0, 61])
        for number in range(3):
            await stage.client.put("/v1/characteristics/told/value", {"hex": f"0{number}"})
            assert await asyncio.wait_for(indicated.get(), PATIENCE) == bytes([number])
    async with phone.connected() as connection:
        client = await phone.client(connection, mtu=48)
        rate = client.get_characteristics_by_uuid(RATE)[0]
        client.notification_subscribers[rate.handle] = {notified.put_nowait}
        await stage.client.put("/v1/characteristics/rate/value", {"value": {"bpm": 62}})
        assert await asyncio.wait_for(notified.get(), PATIENCE) == bytes([0, 62])


async def test_enhanced_bearers(stage: Stage) -> None:
    """A client that has only Enhanced ATT bearers uses the database like any other."""
    await stage.run(PROFILE, "--set", "security.pairing=just-works")
    phone = await stage.phone()
    async with phone.connected() as connection:
        await phone.pair(connection)
        clients = await asyncio.wait_for(gatt_client.Client.connect_eatt(connection, count=2), PATIENCE)
        assert isinstance(clients, list) and len(clients) == 2
        for client in clients:
            await client.discover_services()
            for service in client.services:
                await client.discover_characteristics([], service)
        plain = [client.get_characteristics_by_uuid(PLAIN)[0] for client in clients]
        await clients[0].write_value(plain[0], b"over one", with_response=True)
        assert await clients[1].read_value(plain[1]) == b"over one"
        told = clients[0].get_characteristics_by_uuid(TOLD)[0]
        await clients[0].discover_descriptors(told)
        indicated: asyncio.Queue[bytes] = asyncio.Queue()
        await clients[0].subscribe(told, indicated.put_nowait, prefer_notify=False)
        # The accessory chooses the bearer, and the clients have subscriptions of their own.
        clients[1].indication_subscribers = clients[0].indication_subscribers
        await stage.client.put("/v1/characteristics/told/value", {"hex": "0A"})
        assert await asyncio.wait_for(indicated.get(), PATIENCE) == b"\x0a"


async def test_a_channel_carries_a_megabyte(stage: Stage) -> None:
    """An enhanced credit-based channel to a publication of the profile, which sends everything back."""
    await stage.run(PROFILE, "--set", "security.pairing=just-works")
    phone = await stage.phone()
    data = bytes(number * 7 % 251 for number in range(1_000_000))
    async with phone.connected() as connection:
        await phone.pair(connection)
        channel = await phone.channel(connection, 0x81)
        came = bytearray()
        complete = asyncio.Event()

        def take(sdu: bytes) -> None:
            came.extend(sdu)
            if len(came) >= len(data):
                complete.set()

        channel.sink = take
        channel.write(data)
        await asyncio.wait_for(complete.wait(), 60)
        assert bytes(came) == data


@pytest.mark.parametrize("checked", [True, False], ids=["check-asked-for", "check-by-default"])
async def test_retransmission_mode(stage: Stage, checked: bool) -> None:
    """Both protocols in Enhanced Retransmission Mode: records, values in segments, notifications; then Basic Mode."""
    mode: ChannelOptions = {
        "mode": l2cap.TransmissionMode.ENHANCED_RETRANSMISSION,
        "mps": 100,
        # Bumble acknowledges whole SDUs only, so a smaller window would wait for a timer in each of them.
        "tx_window_size": 20,
        "max_retransmission": 3,
        "fcs_enabled": checked,
    }
    await stage.run(PROFILE, "--set", "security.pairing=just-works")
    phone = await stage.phone()
    async with phone.connected() as connection:
        assert await phone.records(connection, mode=mode) == await phone.records(connection)
        await phone.pair(connection)
        client = await phone.client(connection, mode=mode)
        plain, rate = (client.get_characteristics_by_uuid(uuid)[0] for uuid in (PLAIN, RATE))
        # More than 64 frames each way, after which the sequence numbers begin again.
        for number in range(12):
            value = number.to_bytes(2) + bytes(number % 251 for _ in range(510))
            await client.write_value(plain, value, with_response=True)
            assert await client.read_value(plain) == value
        # Commands follow each other without answers, up to the accessory's window.
        for number in range(20):
            await client.write_value(plain, number.to_bytes(500))
        assert await client.read_value(plain) == (19).to_bytes(500)
        notified: asyncio.Queue[bytes] = asyncio.Queue()
        await client.subscribe(rate, notified.put_nowait)
        await stage.client.put("/v1/characteristics/rate/value", {"value": {"bpm": 61}})
        assert await asyncio.wait_for(notified.get(), PATIENCE) == bytes([0, 61])
        await asyncio.wait_for(client.channel.disconnect(), PATIENCE)
        basic = await phone.client(connection)
        assert await basic.read_value(plain) == (19).to_bytes(500)
    assert stage.program.named("fault") == []


async def test_refuses_what_is_not_secure(stage: Stage, tmp_path: Path) -> None:
    """An accessory that does not pair refuses the channel of the Attribute Protocol, and other channels do not exist."""
    profile = tmp_path / "bare.yaml"
    profile.write_text("understudy: 1\nname: Bare\ntransports: [br-edr]\n")
    await stage.run(profile)
    phone = await stage.phone()
    async with phone.connected() as connection:
        for psm, result in ((ATT_PSM, 3), (0x1001, 2)):
            with pytest.raises(l2cap.L2capError) as refusal:
                spec = l2cap.ClassicChannelSpec(psm=psm)
                await asyncio.wait_for(connection.create_l2cap_channel(spec), PATIENCE)
            assert refusal.value.error_code == result
        assert len(await phone.records(connection)) == 2


async def test_both_transports_at_once(stage: Stage) -> None:
    """One peer is connected over LE and BR/EDR, and each of its clients gets what it has subscribed to."""
    if isinstance(stage.air, RootCanal):
        pytest.skip("with a link over LE to the same peer, RootCanal 1.10.0 lets that over BR/EDR time out")
    await stage.run(PROFILE, "--set", "security.pairing=just-works")
    phone = await stage.phone()
    heard: dict[str, asyncio.Queue[bytes]] = {"le": asyncio.Queue(), "br-edr": asyncio.Queue()}
    async with phone.connected() as classic, phone.connected(transport=LE) as le:
        await phone.pair(classic)
        client = await phone.client(classic)
        await client.subscribe(client.get_characteristics_by_uuid(RATE)[0], heard["br-edr"].put_nowait)
        peer = Peer(le)
        await peer.discover_all()
        await peer.get_characteristics_by_uuid(RATE)[0].subscribe(heard["le"].put_nowait)
        await stage.client.put("/v1/characteristics/rate/value", {"value": {"bpm": 77}})
        for queue in heard.values():
            assert await asyncio.wait_for(queue.get(), PATIENCE) == bytes([0, 77])
        transports = {event["transport"] for event in stage.program.named("connected")}
        assert transports == {"le", "br-edr"}


async def test_keys_of_le_serve_br_edr(stage: Stage) -> None:
    """A pairing over LE derives the link key, with which BR/EDR is encrypted without another pairing."""
    await stage.run()
    phone = await stage.phone()
    async with phone.connected(transport=LE) as connection:
        answering = asyncio.create_task(stage.answer(phone))
        await asyncio.wait_for(connection.pair(), PATIENCE)
        await asyncio.wait_for(answering, PATIENCE)
    async with phone.connected() as connection:
        client = await phone.client(connection)
        assert await client.read_value(client.get_characteristics_by_uuid(GUARDED)[0]) == b"\x02"
    assert len(stage.program.named("paired")) == 1


async def test_keys_of_br_edr_serve_le(stage: Stage) -> None:
    """A pairing over BR/EDR derives the key of LE, and both are one bond."""
    await stage.run()
    phone = await stage.phone()
    async with phone.connected() as connection:
        answering = asyncio.create_task(stage.answer(phone))
        await phone.pair(connection)
        await asyncio.wait_for(answering, PATIENCE)
        await asyncio.wait_for(connection.pair(), PATIENCE)
        await stage.program.event("paired", where=lambda event: len(stage.program.named("paired")) > 1)
    async with phone.connected(transport=LE) as connection:
        await asyncio.wait_for(connection.encrypt(), PATIENCE)
        peer = Peer(connection)
        await peer.discover_all()
        assert await peer.get_characteristics_by_uuid(GUARDED)[0].read_value() == b"\x02"
    bonds = (await stage.client.get("/v1/bonds")).json
    assert len(bonds["bonds"] if isinstance(bonds, dict) else bonds) == 1


async def test_remembers_after_a_kill(stage: Stage, tmp_path: Path) -> None:
    """The link key survives kill -9."""
    options = ("--set", "security.pairing=just-works", "--state", tmp_path / "state")
    await stage.run(PROFILE, *options)
    phone = await stage.phone()
    async with phone.connected() as connection:
        await phone.pair(connection)
        await stage.program.event("paired")
    if isinstance(stage.air, OwnAir):
        pytest.skip("the virtual radio ends with the program")
    await stage.program.kill()
    await stage.run(PROFILE, *options)
    phone.address = hci.Address(stage.ready["address"], hci.Address.PUBLIC_DEVICE_ADDRESS)
    async with phone.connected() as connection:
        client = await phone.client(connection)
        assert await client.read_value(client.get_characteristics_by_uuid(PLAIN)[0]) == b"\x01"
    assert stage.program.named("paired") == []


async def test_a_controller_without_br_edr(launch: Launch, tmp_path: Path) -> None:
    """The error names the remedy; an accessory that can do without BR/EDR starts."""
    refused = await run("run", PROFILE, "--controller", "virtual", "--preset", "full", "--json", "--no-wait")
    assert refused.code == EX_UNAVAILABLE
    assert "BR/EDR" in refused.errors and "br-edr?" in refused.errors
    optional = tmp_path / "optional.yaml"
    optional.write_text(PROFILE.read_text().replace("br-edr]", "br-edr?]"))
    program = await launch("run", optional, "--controller", "virtual", "--preset", "full", "--json")
    await program.ready()
    assert program.named("br-edr") == []
