"""Our phone and an accessory that is not ours: Bumble's peripheral, and an app that uses Core Bluetooth's API on the phone."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from bumble import att, hci, l2cap
from bumble.core import UUID, AdvertisingData
from bumble.device import Connection, Device, Peer
from bumble.gatt import (
    GATT_CHARACTERISTIC_PRESENTATION_FORMAT_DESCRIPTOR,
    GATT_CHARACTERISTIC_USER_DESCRIPTION_DESCRIPTOR,
    GATT_CLIENT_CHARACTERISTIC_CONFIGURATION_DESCRIPTOR,
    Characteristic,
    CharacteristicValue,
    Descriptor,
    Service,
)
from bumble.host import Host
from bumble.pairing import PairingConfig
from bumble.profiles.ams import AmsClient, EntityId, PlaybackState, PlayerAttributeId, RemoteCommandId
from bumble.transport import open_transport
from bumble.transport.common import Transport

from conftest import Launch
from support.app import App, Callback
from support.pairing import CHOSEN, Capability, User
from support.program import PATIENCE
from support.radio import advertise, disconnection

ADDRESS = hci.Address("F0:00:00:00:00:09", hci.Address.RANDOM_DEVICE_ADDRESS)
NAME = "Stranger"
LONG = bytes(number % 251 for number in range(400))
PSM = 0x81

Properties = Characteristic.Properties
Permissions = Characteristic.Permissions


def refusing(code: int) -> CharacteristicValue[bytes]:
    def refuse(*_: object) -> bytes:
        raise att.ATT_Error(att.ErrorCode(code))

    return CharacteristicValue(read=refuse, write=refuse)  # type: ignore[arg-type]


class Peripheral:
    """Bumble's peripheral, and what its clients have done."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.connections: list[Connection] = []
        self.connected: asyncio.Queue[Connection] = asyncio.Queue()
        self.pairings = 0
        self.commands: list[bytes] = []
        self.subscriptions: asyncio.Queue[tuple[bool, bool]] = asyncio.Queue()
        self.value: Characteristic[bytes] = Characteristic(
            "FFF1",
            Properties.READ | Properties.WRITE,
            Permissions.READABLE | Permissions.WRITEABLE,
            LONG,
            [
                Descriptor(
                    GATT_CHARACTERISTIC_USER_DESCRIPTION_DESCRIPTOR,
                    Permissions.READABLE | Permissions.WRITEABLE,
                    "Größe".encode(),
                ),
                Descriptor(
                    GATT_CHARACTERISTIC_PRESENTATION_FORMAT_DESCRIPTOR, Permissions.READABLE, bytes(range(7))
                ),
            ],
        )
        self.notes: Characteristic[bytes] = Characteristic("FFF3", Properties.NOTIFY, Permissions(0), b"")
        self.alerts: Characteristic[bytes] = Characteristic("FFF4", Properties.INDICATE, Permissions(0), b"")
        for characteristic in (self.notes, self.alerts):
            characteristic.on(Characteristic.EVENT_SUBSCRIPTION, self._subscribed)
        commanded: Characteristic[bytes] = Characteristic(
            "FFF2",
            Properties.WRITE_WITHOUT_RESPONSE,
            Permissions.WRITEABLE,
            CharacteristicValue(write=lambda _, value: self.commands.append(bytes(value))),
        )
        device.add_service(Service("FFF0", [self.value, commanded, self.notes, self.alerts]))
        device.on(Device.EVENT_CONNECTION, self._connected)

    def _connected(self, connection: Connection) -> None:
        connection.on(Connection.EVENT_PAIRING, self._paired)
        self.connections.append(connection)
        self.connected.put_nowait(connection)

    def _paired(self, _: object) -> None:
        self.pairings += 1

    def _subscribed(self, _: object, notifies: bool, indicates: bool) -> None:
        self.subscriptions.put_nowait((notifies, indicates))

    async def connection(self) -> Connection:
        """Returns the next connection."""
        return await asyncio.wait_for(self.connected.get(), PATIENCE)

    async def subscription(self) -> tuple[bool, bool]:
        """Returns the next subscription: whether to notifications, and whether to indications."""
        return await asyncio.wait_for(self.subscriptions.get(), PATIENCE)

    async def advertise(
        self,
        data: Sequence[tuple[int, bytes]] = (),
        response: Sequence[tuple[int, bytes]] = (),
        *,
        again: bool = True,
    ) -> None:
        """Advertises until somebody connects, and `again` after each connection."""
        await self.device.start_advertising(
            advertising_data=bytes(AdvertisingData(list(data))),
            scan_response_data=bytes(
                AdvertisingData([(AdvertisingData.Type.COMPLETE_LOCAL_NAME, NAME.encode()), *response])
            ),
            auto_restart=again,
            advertising_interval_min=20,
            advertising_interval_max=20,
        )

    async def change_address(self) -> None:
        """Advertises under a new resolvable private address. Bumble's own function gives the controller the old one."""
        await self.device.stop_advertising()
        self.device.random_address = hci.Address.generate_private_address(self.device.irk)
        await self.device.send_sync_command(
            hci.HCI_LE_Set_Random_Address_Command(random_address=self.device.random_address)
        )
        await self.advertise(again=False)

    def pairs(self, user: User, *, secure: bool = True) -> None:
        """Sets who pairs, and how."""
        mitm = user.io_capability != Capability.NO_OUTPUT_NO_INPUT
        configuration = PairingConfig(sc=secure, mitm=mitm, delegate=user)
        self.device.pairing_config_factory = lambda _: configuration

    def protect(self) -> None:
        """Adds a service whose values need security."""
        access = Properties.READ | Properties.WRITE
        encryption = Permissions.READ_REQUIRES_ENCRYPTION | Permissions.WRITE_REQUIRES_ENCRYPTION
        self.secret: Characteristic[bytes] = Characteristic("FFD1", access, encryption, b"secret")
        self.device.add_service(
            Service(
                "FFD0",
                [
                    self.secret,
                    Characteristic("FFD2", Properties.READ, Permissions.READ_REQUIRES_AUTHENTICATION, b"safe"),
                    Characteristic(
                        "FFD3",
                        Properties.READ,
                        Permissions.READABLE,
                        refusing(att.ErrorCode.INSUFFICIENT_AUTHENTICATION),
                    ),
                ],
            )
        )


@dataclass
class Meeting:
    """Bumble's peripheral and our phone on one radio."""

    peripheral: Peripheral
    transport: Transport
    controller: str
    state: Path
    apps: list[App] = field(default_factory=list)

    async def app(self, *, passkey: int | None = None) -> App:
        """Starts the phone with its app; the one before has ended."""
        app = await App.start(self.controller, state=self.state, passkey=passkey)
        self.apps.append(app)
        return app

    async def connect(self, app: App, *, mtu: int = 517) -> Connection:
        """Scans, connects, and returns the connection as the peripheral sees it."""
        found = await app.ask("didDiscover", "scan", name=NAME)
        app.order("stop")
        connected = await app.ask("didConnect", "connect", found["identifier"])
        assert connected["longestCommand"] == mtu - 3
        return await self.peripheral.connection()

    async def meet(self, *services: str) -> tuple[App, Connection]:
        """Starts the app, connects, and discovers all attributes of these services."""
        app = await self.app()
        connection = await self.connect(app)
        await discover(app, *(services or ("FFF0",)))
        return app, connection


class Comparer(User):
    """Compares the digits with those on the phone, whose person confirms without showing them to anybody."""

    def __init__(self) -> None:
        super().__init__(Capability.DISPLAY_OUTPUT_AND_YES_NO_INPUT)

    async def compare_numbers(self, number: int, digits: int) -> bool:
        self.compared.append(number)
        return True


class Display(User):
    """Shows the passkey that the phone's person types."""

    def __init__(self) -> None:
        super().__init__(Capability.DISPLAY_OUTPUT_ONLY)

    async def generate_passkey(self) -> int:
        return CHOSEN


async def discover(app: App, *services: str) -> None:
    await app.ask("didDiscoverServices", "services")
    for service in services:
        await app.ask("didDiscoverCharacteristics", "characteristics", service)


@pytest.fixture
async def meeting(launch: Launch, tmp_path: Path) -> AsyncIterator[Meeting]:
    radio = await launch("radio", "--json")
    first, second = (await radio.ready())["joining"]
    transport: Transport = await open_transport(first)
    device = Device(name=NAME, address=ADDRESS, host=Host(transport.source, transport.sink))
    await asyncio.wait_for(device.power_on(), PATIENCE)
    meeting = Meeting(Peripheral(device), transport, second, tmp_path / "phone")
    yield meeting
    for app in meeting.apps:
        await app.close()
    await transport.close()


async def test_advertising_data(meeting: Meeting) -> None:
    """What is in the advertisement and in the scan response, in one dictionary."""
    kinds = AdvertisingData.Type
    await meeting.peripheral.advertise(
        [
            (kinds.FLAGS, bytes([0x06])),
            (kinds.INCOMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, bytes.fromhex("F0FF0F18")),
            (kinds.TX_POWER_LEVEL, bytes([0xFC])),
            (kinds.SERVICE_DATA_16_BIT_UUID, bytes.fromhex("F0FF0102")),
        ],
        [(kinds.MANUFACTURER_SPECIFIC_DATA, bytes.fromhex("FFFF010203"))],
    )
    app = await meeting.app()
    found = await app.ask("didDiscover", "scan", "FFF0")
    assert found["name"] == NAME
    assert -127 <= found["rssi"] < 0
    assert found["data"] == {
        "kCBAdvDataIsConnectable": True,
        "kCBAdvDataLocalName": NAME,
        "kCBAdvDataManufacturerData": "ffff010203",
        "kCBAdvDataServiceData": {"FFF0": "0102"},
        "kCBAdvDataServiceUUIDs": ["FFF0", "180F"],
        "kCBAdvDataTxPowerLevel": -4,
    }


async def test_extended_advertising(meeting: Meeting) -> None:
    """A name that no legacy advertisement can have, and a connection through the extended one."""
    name = "A name that is far too long for a legacy advertisement"
    await advertise(meeting.peripheral.device, extended=True, name=name)
    app = await meeting.app()
    found = await app.ask("didDiscover", "scan")
    assert (found["name"], found["data"]["kCBAdvDataLocalName"]) == (name, name)
    await app.ask("didConnect", "connect", found["identifier"])
    # The Device Name replaces it.
    assert (await app.callback("didUpdateName"))["name"] == NAME


async def test_mtu_and_attributes(meeting: Meeting) -> None:
    included = Service("FFE0", [Characteristic("FFE1", Properties.READ, Permissions.READABLE, b"included")])
    outer = Service(
        UUID("00112233-4455-6677-8899-AABBCCDDEEFF"),
        [Characteristic(UUID("00112233-4455-6677-8899-AABBCCDDEE00"), Properties.READ, Permissions.READABLE, b"outer")],
        included_services=[included],
    )
    # The included service comes first: Bumble would put an unknown one among the attributes of the including service, which is
    # not allowed (Core 5.4 Vol 3 Part G 3.1).
    meeting.peripheral.device.add_services([included, outer])
    meeting.peripheral.device.gatt_server.max_mtu = 100
    await meeting.peripheral.advertise()
    app = await meeting.app()
    connection = await meeting.connect(app, mtu=100)
    assert connection.att_mtu == 100
    services = await app.ask("didDiscoverServices", "services")
    # The phone hides Generic Access and Generic Attribute from apps.
    assert services["services"] == ["FFF0", "FFE0", str(outer.uuid)]
    includes = await app.ask("didDiscoverIncludedServices", "includes", services["services"][2])
    assert includes["services"] == ["FFE0"]
    found = await app.ask("didDiscoverCharacteristics", "characteristics", "FFF0")
    assert found["characteristics"] == [
        {"uuid": "FFF1", "properties": 0x0A},
        {"uuid": "FFF2", "properties": 0x04},
        {"uuid": "FFF3", "properties": 0x10},
        {"uuid": "FFF4", "properties": 0x20},
    ]
    found = await app.ask("didDiscoverDescriptors", "descriptors", "FFF1")
    assert found["descriptors"] == ["2901", "2904"]
    assert (await app.ask("didReadDescriptor", "read-descriptor", "FFF1", "2901"))["value"] == "Größe"
    assert "error" not in await app.ask("didWriteDescriptor", "write-descriptor", "FFF1", "2901", b"size".hex())
    assert (await app.ask("didReadDescriptor", "read-descriptor", "FFF1", "2901"))["value"] == "size"
    assert (await app.ask("didReadDescriptor", "read-descriptor", "FFF1", "2904"))["value"] == bytes(range(7)).hex()
    assert (await app.ask("didDiscoverDescriptors", "descriptors", "FFF3"))["descriptors"] == ["2902"]
    assert (await app.ask("didReadRSSI", "rssi"))["rssi"] < 0


async def test_mtu_without_exchange(meeting: Meeting) -> None:
    """A server may refuse the exchange of the MTU (Core 5.4 Vol 3 Part G 4.3.1); the default stays."""
    server = meeting.peripheral.device.gatt_server

    def refuse(bearer: Connection, request: att.ATT_Exchange_MTU_Request) -> None:
        response = att.ATT_Error_Response(
            request_opcode_in_error=request.op_code,
            attribute_handle_in_error=0,
            error_code=att.ErrorCode.REQUEST_NOT_SUPPORTED,
        )
        server.send_response(bearer, response)

    server.on_att_exchange_mtu_request = refuse  # type: ignore[assignment, method-assign]
    await meeting.peripheral.advertise()
    app = await meeting.app()
    await meeting.connect(app, mtu=23)
    await discover(app, "FFF0")
    assert (await app.ask("didUpdateValue", "read", "FFF1"))["value"] == LONG.hex()


async def test_the_peripheral_asks_the_phone(meeting: Meeting) -> None:
    """Its client reads the phone's name, and it asks for other connection parameters."""
    await meeting.peripheral.advertise()
    app, connection = await meeting.meet()
    peer = Peer(connection)
    await asyncio.wait_for(peer.discover_services(), PATIENCE)
    assert UUID("1800") in [service.uuid for service in peer.services]
    (name,) = await asyncio.wait_for(peer.read_characteristics_by_uuid(UUID("2A00")), PATIENCE)
    assert name == b"iPhone"
    changed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    connection.on(Connection.EVENT_CONNECTION_PARAMETERS_UPDATE, lambda: None if changed.done() else changed.set_result(None))
    # 45 ms is a multiple of 15 ms, as the Accessory Design Guidelines require.
    await connection.update_parameters(45, 60, 0, 4000, use_l2cap=True)
    await asyncio.wait_for(changed, PATIENCE)
    assert 45 <= connection.parameters.connection_interval <= 60
    # The app continues.
    assert (await app.ask("didUpdateValue", "read", "FFF1"))["value"] == LONG.hex()


@pytest.mark.parametrize("length", [0, 21, 22, 23, 44, 99, 100, 198, 400, 512])
async def test_long_values(meeting: Meeting, length: int) -> None:
    """Values are read and written as a whole, whatever the MTU: in parts, or in one if the first response holds it."""
    peripheral = meeting.peripheral
    peripheral.device.gatt_server.max_mtu = 100
    peripheral.value.value = bytes(number % 251 for number in range(length))
    await peripheral.advertise()
    app = await meeting.app()
    await meeting.connect(app, mtu=100)
    await discover(app, "FFF0")
    assert (await app.ask("didUpdateValue", "read", "FFF1"))["value"] == peripheral.value.value.hex()
    if length:
        written = peripheral.value.value[::-1]
        assert "error" not in await app.ask("didWriteValue", "write", "FFF1", written.hex())
        assert peripheral.value.value == written


async def test_requests_are_in_order(meeting: Meeting) -> None:
    """The app makes all requests at once; the server answers slowly, and sends an indication before each answer."""
    peripheral = meeting.peripheral
    asked: list[int] = []

    async def read(connection: Connection) -> bytes:
        asked.append(len(asked))
        number = bytes([asked[-1]])
        await peripheral.device.indicate_subscriber(connection, peripheral.alerts, number)
        return number

    slow: Characteristic[bytes] = Characteristic(
        "FFE1", Properties.READ, Permissions.READABLE, CharacteristicValue(read=read)
    )
    peripheral.device.add_service(Service("FFE0", [slow]))
    await peripheral.advertise()
    app, _ = await meeting.meet("FFF0", "FFE0")
    await app.ask("didUpdateNotificationState", "subscribe", "FFF4")
    since = len(app.callbacks)
    for number in range(5):
        app.order("read", "FFE1")
        app.order("write", "FFF1", f"{number:02x}")
    await app.several("didWriteValue", 5, since=since)
    happened = [(line["event"], line["uuid"], line.get("value")) for line in app.callbacks[since:]]
    assert happened == [
        line
        for number in range(5)
        for line in (
            ("didUpdateValue", "FFF4", f"{number:02x}"),
            ("didUpdateValue", "FFE1", f"{number:02x}"),
            ("didWriteValue", "FFF1", None),
        )
    ]


async def test_writes_without_response(meeting: Meeting) -> None:
    """200 writes arrive in order, although only a few fit at a time."""
    await meeting.peripheral.advertise()
    app, _ = await meeting.meet()
    await app.ask("sent", "commands", "FFF2", 200)
    # A response shows that what was sent before it has arrived.
    await app.ask("didUpdateValue", "read", "FFF1")
    assert meeting.peripheral.commands == [struct.pack(">H", number) for number in range(200)]
    assert app.named("isReady")


async def test_notifications_and_indications(meeting: Meeting) -> None:
    peripheral = meeting.peripheral
    await peripheral.advertise()
    app, connection = await meeting.meet()
    assert (await app.ask("didUpdateNotificationState", "subscribe", "FFF3"))["notifying"]
    assert await peripheral.subscription() == (True, False)
    assert (await app.ask("didUpdateNotificationState", "subscribe", "FFF4"))["notifying"]
    assert await peripheral.subscription() == (False, True)
    notes = [bytes([number]) * (number % 20) for number in range(100)]
    for number, note in enumerate(notes):
        await peripheral.device.notify_subscriber(connection, peripheral.notes, note)
        if number % 10 == 0:
            await asyncio.wait_for(
                peripheral.device.indicate_subscriber(connection, peripheral.alerts, note), PATIENCE
            )
    values = await app.several("didUpdateValue", 100, uuid="FFF3")
    assert [value["value"] for value in values] == [note.hex() for note in notes]
    values = await app.several("didUpdateValue", 10, uuid="FFF4")
    assert [value["value"] for value in values] == [note.hex() for note in notes[::10]]
    assert not (await app.ask("didUpdateNotificationState", "unsubscribe", "FFF3"))["notifying"]
    assert await peripheral.subscription() == (False, False)
    assert app.named("didUpdateNotificationState", uuid="FFF4", notifying=False) == []


async def test_first_value_comes_before_the_response(meeting: Meeting) -> None:
    """A server may notify before it answers the write of the configuration (Core 5.4 Vol 3 Part G 4.10)."""
    peripheral = meeting.peripheral
    server = peripheral.device.gatt_server

    def notify(bearer: Connection, notifies: bool, _: bool) -> None:
        if notifies:
            server.send_gatt_pdu(
                bearer,
                bytes(
                    att.ATT_Handle_Value_Notification(
                        attribute_handle=peripheral.notes.handle, attribute_value=b"first"
                    )
                ),
            )

    peripheral.notes.on(Characteristic.EVENT_SUBSCRIPTION, notify)
    await peripheral.advertise()
    app, _ = await meeting.meet()
    since = app.order("subscribe", "FFF3")
    assert (await app.callback("didUpdateValue", since=since))["value"] == b"first".hex()
    assert (await app.callback("didUpdateNotificationState", since=since))["notifying"]


async def test_a_server_that_answers_with_errors(meeting: Meeting) -> None:
    everything = Properties.READ | Properties.WRITE
    access = Permissions.READABLE | Permissions.WRITEABLE
    refused: Characteristic[bytes] = Characteristic("FFE1", everything, access, refusing(0x80))
    busy: Characteristic[bytes] = Characteristic("FFE2", everything, access, refusing(0xFE))
    meeting.peripheral.device.add_service(Service("FFE0", [refused, busy]))
    await meeting.peripheral.advertise()
    app, _ = await meeting.meet("FFF0", "FFE0")
    assert (await app.ask("didUpdateValue", "read", "FFE1"))["error"] == ["CBATTError", 0x80]
    assert (await app.ask("didWriteValue", "write", "FFE1", "00"))["error"] == ["CBATTError", 0x80]
    assert (await app.ask("didUpdateValue", "read", "FFE2"))["error"] == ["CBATTError", 0xFE]
    # A long write is refused when it is executed, and the queue is empty afterwards.
    assert (await app.ask("didWriteValue", "write", "FFE1", bytes(512).hex()))["error"] == ["CBATTError", 0x80]
    assert "error" not in await app.ask("didWriteValue", "write", "FFF1", LONG[::-1].hex())
    assert (await app.ask("didUpdateValue", "read", "FFF1"))["value"] == LONG[::-1].hex()
    # It supports neither subscriptions nor channels.
    assert (await app.ask("didUpdateNotificationState", "subscribe", "FFF1"))["error"] == [
        "CBATTError",
        att.ErrorCode.REQUEST_NOT_SUPPORTED,
    ]
    assert (await app.ask("didOpen", "open", PSM))["error"][0] == "CBError"


async def test_the_peripheral_disconnects(meeting: Meeting) -> None:
    await meeting.peripheral.advertise()
    app, connection = await meeting.meet()
    meeting.peripheral.device.create_l2cap_server(l2cap.LeCreditBasedChannelSpec(psm=PSM))
    await app.ask("didOpen", "open", PSM)
    since = len(app.callbacks)
    await connection.disconnect()
    # The streams of a channel end with the link.
    await app.callback("channelEnded", since=since)
    # CBError.peripheralDisconnected
    assert (await app.callback("didDisconnect", since=since))["error"] == ["CBError", 7]
    # An app that disconnects gets no error.
    await app.ask("didConnect", "connect", app.named("didDiscover")[0]["identifier"])
    assert "error" not in await app.ask("didDisconnect", "disconnect")


async def test_the_peripheral_vanishes(meeting: Meeting) -> None:
    await meeting.peripheral.advertise()
    app, _ = await meeting.meet()
    since = len(app.callbacks)
    await meeting.transport.close()
    # CBError.connectionTimeout
    assert (await app.callback("didDisconnect", since=since))["error"] == ["CBError", 6]


async def read_secrets(app: App) -> list[Callback]:
    return [await app.ask("didUpdateValue", "read", uuid, uuid=uuid) for uuid in ("FFD1", "FFD2")]


@pytest.mark.parametrize("secure", [True, False], ids=["secure-connections", "legacy"])
async def test_just_works(meeting: Meeting, secure: bool) -> None:
    """A refused access starts pairing, and is then repeated."""
    peripheral = meeting.peripheral
    peripheral.protect()
    peripheral.pairs(User(Capability.NO_OUTPUT_NO_INPUT), secure=secure)
    await peripheral.advertise()
    app, connection = await meeting.meet("FFD0")
    # A long write is refused when it is executed, and repeated as a whole.
    assert "error" not in await app.ask("didWriteValue", "write", "FFD1", bytes(512).hex())
    assert peripheral.secret.value == bytes(512)
    assert connection.is_encrypted and peripheral.pairings == 1
    assert (await app.ask("didUpdateValue", "read", "FFD1"))["value"] == bytes(512).hex()
    # Access that needs more stays refused. This value refuses every access, because Bumble treats each encrypted link as authenticated.
    assert (await app.ask("didUpdateValue", "read", "FFD3"))["error"] == [
        "CBATTError",
        att.ErrorCode.INSUFFICIENT_AUTHENTICATION,
    ]


async def test_passkey_and_bond(meeting: Meeting) -> None:
    """The bond of a passkey outlasts the app, and encrypts the next link."""
    peripheral = meeting.peripheral
    peripheral.protect()
    peripheral.pairs(Display())
    await peripheral.advertise()
    app = await meeting.app(passkey=CHOSEN)
    connection = await meeting.connect(app)
    await discover(app, "FFD0")
    assert [value["value"] for value in await read_secrets(app)] == [b"secret".hex(), b"safe".hex()]
    assert connection.authenticated and peripheral.pairings == 1
    identifier = app.named("didDiscover")[0]["identifier"]
    ended = disconnection(connection)
    await app.close()
    await asyncio.wait_for(ended, PATIENCE)

    app = await meeting.app()
    await app.ask("didConnect", "connect", identifier)
    connection = await peripheral.connection()
    await discover(app, "FFD0")
    assert [value["value"] for value in await read_secrets(app)] == [b"secret".hex(), b"safe".hex()]
    assert connection.is_encrypted and peripheral.pairings == 1


async def test_comparison_at_the_request_of_the_peripheral(meeting: Meeting) -> None:
    """Bumble sends a Security Request, and the phone pairs before an access is refused."""
    peripheral = meeting.peripheral
    user = Comparer()
    peripheral.protect()
    peripheral.pairs(user)
    await peripheral.advertise()
    app, connection = await meeting.meet("FFD0")
    paired: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    connection.on(Connection.EVENT_PAIRING, lambda _: paired.set_result(None))
    connection.request_pairing()
    await asyncio.wait_for(paired, PATIENCE)
    assert [value["value"] for value in await read_secrets(app)] == [b"secret".hex(), b"safe".hex()]
    assert len(user.compared) == 1 and peripheral.pairings == 1


async def test_the_peripheral_controls_what_plays(meeting: Meeting) -> None:
    """Bumble's client of the Apple Media Service is notified of changes, and causes them with commands."""
    peripheral = meeting.peripheral
    peripheral.pairs(User(Capability.NO_OUTPUT_NO_INPUT))
    await peripheral.advertise()
    _, connection = await meeting.meet()
    paired: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    connection.on(Connection.EVENT_PAIRING, lambda _: paired.set_result(None))
    connection.request_pairing()
    await asyncio.wait_for(paired, PATIENCE)
    client = await asyncio.wait_for(AmsClient.for_peer(Peer(connection)), PATIENCE)
    assert client
    events: asyncio.Queue[str] = asyncio.Queue()
    for event in (AmsClient.EVENT_SUPPORTED_COMMANDS, AmsClient.EVENT_PLAYER_NAME, AmsClient.EVENT_PLAYER_PLAYBACK_INFO):
        client.on(event, lambda event=event: events.put_nowait(event))

    async def next_event() -> str:
        return await asyncio.wait_for(events.get(), PATIENCE)

    await client.start()
    assert await next_event() == AmsClient.EVENT_SUPPORTED_COMMANDS
    assert client.supported_commands == {RemoteCommandId(number) for number in range(11)}
    await client.observe(EntityId.PLAYER, [PlayerAttributeId.NAME, PlayerAttributeId.PLAYBACK_INFO])
    assert {await next_event(), await next_event()} == {
        AmsClient.EVENT_PLAYER_NAME,
        AmsClient.EVENT_PLAYER_PLAYBACK_INFO,
    }
    assert (client.player_name, client.player_playback_info.playback_state) == ("Music", PlaybackState.PAUSED)
    await client.play()
    assert await next_event() == AmsClient.EVENT_PLAYER_PLAYBACK_INFO
    assert client.player_playback_info.playback_state == PlaybackState.PLAYING
    # Bookmarks are not among the commands (Apple Media Service: Invalid Command).
    with pytest.raises(att.ATT_Error) as refused:
        await client.bookmark_track()
    assert refused.value.error_code == 0xA1


async def test_a_subscription_that_needs_encryption(meeting: Meeting) -> None:
    """The first value may come as soon as the link is encrypted and the subscription is written."""
    peripheral = meeting.peripheral
    subscribed: list[bytes] = []
    configuration = Descriptor(
        GATT_CLIENT_CHARACTERISTIC_CONFIGURATION_DESCRIPTOR,
        Permissions.READABLE | Permissions.WRITEABLE | Permissions.WRITE_REQUIRES_ENCRYPTION,
        CharacteristicValue(read=lambda _: bytes(2), write=lambda _, value: subscribed.append(bytes(value))),
    )
    secret: Characteristic[bytes] = Characteristic("FFE1", Properties.NOTIFY, Permissions(0), b"", [configuration])
    peripheral.device.add_service(Service("FFE0", [secret]))
    peripheral.pairs(User(Capability.NO_OUTPUT_NO_INPUT))
    await peripheral.advertise()
    app, connection = await meeting.meet("FFE0")
    assert (await app.ask("didUpdateNotificationState", "subscribe", "FFE1"))["notifying"]
    assert (subscribed, peripheral.pairings, connection.is_encrypted) == ([bytes([1, 0])], 1, True)
    await peripheral.device.notify_subscriber(connection, secret, b"told", force=True)
    assert (await app.callback("didUpdateValue"))["value"] == b"told".hex()


async def test_wrong_passkey(meeting: Meeting) -> None:
    """The access that led to the pairing is refused, and the link stays."""
    peripheral = meeting.peripheral
    peripheral.protect()
    peripheral.pairs(Display())
    await peripheral.advertise()
    app = await meeting.app(passkey=CHOSEN + 1)
    await meeting.connect(app)
    await discover(app, "FFF0", "FFD0")
    assert (await app.ask("didUpdateValue", "read", "FFD1"))["error"] == [
        "CBATTError",
        att.ErrorCode.INSUFFICIENT_ENCRYPTION,
    ]
    assert (await app.ask("didUpdateValue", "read", "FFF1"))["value"] == LONG.hex()
    assert peripheral.pairings == 0


async def test_private_addresses(meeting: Meeting) -> None:
    """The phone recognizes a bonded peripheral at each of its addresses, also after a restart of the app."""
    peripheral = meeting.peripheral
    peripheral.device.irk = bytes(range(16))
    peripheral.protect()
    peripheral.pairs(User(Capability.NO_OUTPUT_NO_INPUT))
    await peripheral.change_address()
    app, connection = await meeting.meet("FFD0")
    assert (await app.ask("didUpdateValue", "read", "FFD1"))["value"] == b"secret".hex()
    identifier = app.named("didDiscover")[0]["identifier"]
    for restarts in (False, True):
        ended = disconnection(connection)
        if restarts:
            await app.close()
        else:
            await app.ask("didDisconnect", "disconnect")
        await asyncio.wait_for(ended, PATIENCE)
        await peripheral.change_address()
        if restarts:
            app = await meeting.app()
            assert (await app.ask("didDiscover", "scan"))["identifier"] == identifier
        await app.ask("didConnect", "connect", identifier)
        connection = await peripheral.connection()
        await discover(app, "FFD0")
        assert (await app.ask("didUpdateValue", "read", "FFD1"))["value"] == b"secret".hex()
        assert peripheral.pairings == 1


async def test_peripheral_has_lost_its_bond(meeting: Meeting) -> None:
    peripheral = meeting.peripheral
    peripheral.protect()
    peripheral.pairs(User(Capability.NO_OUTPUT_NO_INPUT))
    await peripheral.advertise()
    app, connection = await meeting.meet("FFD0")
    assert (await app.ask("didUpdateValue", "read", "FFD1"))["value"] == b"secret".hex()
    ended = disconnection(connection)
    await app.ask("didDisconnect", "disconnect")
    await asyncio.wait_for(ended, PATIENCE)
    assert peripheral.device.keystore
    await peripheral.device.keystore.delete_all()
    since = app.order("connect", app.named("didDiscover")[0]["identifier"])
    # CBError.peerRemovedPairingInformation
    assert (await app.callback("didDisconnect", since=since))["error"] == ["CBError", 14]


async def test_channel(meeting: Meeting) -> None:
    """50,000 octets and back, with Bumble's MTU and MPS; then the peripheral closes the channel."""
    opened: asyncio.Future[l2cap.LeCreditBasedChannel] = asyncio.get_running_loop().create_future()

    def echo(channel: l2cap.LeCreditBasedChannel) -> None:
        channel.sink = channel.write
        opened.set_result(channel)

    specification = l2cap.LeCreditBasedChannelSpec(psm=PSM, mtu=1024, mps=200, max_credits=10)
    meeting.peripheral.device.create_l2cap_server(specification, echo)
    await meeting.peripheral.advertise()
    app = await meeting.app()
    await meeting.connect(app)
    assert (await app.ask("didOpen", "open", PSM))["psm"] == PSM
    sent = bytes(number * 7 % 256 for number in range(50_000))
    app.order("send", sent.hex())
    received = b""
    while len(received) < len(sent):
        values = await app.several("received", len(app.named("received")) + 1)
        received = b"".join(bytes.fromhex(value["value"]) for value in values)
    assert received == sent
    await (await opened).disconnect()
    await app.callback("channelEnded")
    # The link stays.
    await app.ask("didReadRSSI", "rssi")


async def test_the_app_closes_a_channel(meeting: Meeting) -> None:
    closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    received = bytearray()

    def take(channel: l2cap.LeCreditBasedChannel) -> None:
        channel.sink = received.extend
        channel.on(channel.EVENT_CLOSE, lambda: closed.set_result(None))

    meeting.peripheral.device.create_l2cap_server(l2cap.LeCreditBasedChannelSpec(psm=PSM), take)
    await meeting.peripheral.advertise()
    app = await meeting.app()
    await meeting.connect(app)
    await app.ask("didOpen", "open", PSM)
    app.order("send", LONG.hex())
    # What was written before is sent first.
    app.order("close")
    await asyncio.wait_for(closed, PATIENCE)
    assert received == LONG


async def indicate_change(peripheral: Peripheral, connection: Connection, first: int, last: int) -> None:
    assert peripheral.device.gatt_service
    changed = peripheral.device.gatt_service.service_changed_characteristic
    assert changed
    value = struct.pack("<HH", first, last)
    await asyncio.wait_for(peripheral.device.indicate_subscriber(connection, changed, value), PATIENCE)


async def test_service_changed(meeting: Meeting) -> None:
    """Each new service is a change. The app can still use what is outside the changed range."""
    peripheral = meeting.peripheral
    await peripheral.advertise()
    app, connection = await meeting.meet()
    await app.ask("didUpdateNotificationState", "subscribe", "FFF3")
    # The phone has subscribed to Service Changed by itself.
    assert await peripheral.subscription() == (True, False)
    for number in range(3):
        uuid = f"FFE{number}"
        service = Service(uuid, [Characteristic(f"FFB{number}", Properties.READ, Permissions.READABLE, b"new")])
        peripheral.device.add_service(service)
        since = len(app.callbacks)
        await indicate_change(peripheral, connection, service.handle, service.end_group_handle)
        assert (await app.callback("didModifyServices", since=since))["services"] == []
        found = await app.ask("didDiscoverServices", "services")
        assert found["services"] == ["FFF0", *(f"FFE{number}" for number in range(number + 1))]
        await app.ask("didDiscoverCharacteristics", "characteristics", uuid)
        assert (await app.ask("didUpdateValue", "read", f"FFB{number}"))["value"] == b"new".hex()
        # The services outside the range are as before.
        since = len(app.callbacks)
        await peripheral.device.notify_subscriber(connection, peripheral.notes, bytes([number]))
        assert (await app.callback("didUpdateValue", since=since, uuid="FFF3"))["value"] == bytes([number]).hex()
    assert (await app.ask("didUpdateNotificationState", "subscribe", "FFF4"))["notifying"]
    assert (await app.ask("didDiscoverDescriptors", "descriptors", "FFF1"))["descriptors"] == ["2901", "2904"]
    since = len(app.callbacks)
    await indicate_change(peripheral, connection, 1, 0xFFFF)
    # Another one before the phone has discovered everything again.
    await indicate_change(peripheral, connection, 1, 0xFFFF)
    changes = await app.several("didModifyServices", 2, since=since)
    assert [change["services"] for change in changes] == [["FFF0", "FFE0", "FFE1", "FFE2"], []]
    await discover(app, "FFF0")
    assert (await app.ask("didUpdateValue", "read", "FFF1"))["value"] == LONG.hex()
