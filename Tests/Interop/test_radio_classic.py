"""Bumble over BR/EDR, on two controllers of the virtual radio."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from bumble import core, hci, l2cap
from bumble.device import Connection, Device
from bumble.host import Host
from bumble.keys import MemoryKeyStore
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.transport import open_transport

from conftest import Launch
from support.radio import PATIENCE, Radio, disconnection

PSM = 0x1001
NAMES = ["Phone", "Headset"]


class User(PairingDelegate):
    """A user who sees what the peer's user sees, and enters what it shows."""

    def __init__(self, capability: PairingDelegate.IoCapability, shown: asyncio.Queue[int]) -> None:
        super().__init__(capability)
        self.shown = shown
        self.agrees = True
        self.compared: list[int] = []

    async def confirm(self, auto: bool = False) -> bool:
        return self.agrees

    async def compare_numbers(self, number: int, digits: int) -> bool:
        self.compared.append(number)
        return self.agrees

    async def display_number(self, number: int, digits: int) -> None:
        self.shown.put_nowait(number)

    async def get_number(self) -> int:
        number = await asyncio.wait_for(self.shown.get(), PATIENCE)
        return number if self.agrees else (number + 1) % 1_000_000

    async def get_string(self, max_length: int) -> str:
        return "0000" if self.agrees else "1234"


class Pair:
    """Two devices of Bumble that connect and pair."""

    def __init__(self, radio: Radio) -> None:
        self.radio = radio
        self.devices: list[Device] = []
        self.users: list[User] = []
        self.shown: asyncio.Queue[int] = asyncio.Queue()

    async def add(
        self, capability: PairingDelegate.IoCapability, mitm: bool = True, ssp: bool = True, secure: bool = True
    ) -> Device:
        place = len(self.devices)
        transport = await open_transport(self.radio.places[place])
        self.radio.transports.append(transport)
        device = Device(name=NAMES[place], host=Host(transport.source, transport.sink))
        device.classic_enabled = True
        device.classic_ssp_enabled, device.classic_sc_enabled = ssp, secure
        device.classic_smp_enabled = False
        device.keystore = MemoryKeyStore()
        user = User(capability, self.shown)
        device.pairing_config_factory = lambda _: PairingConfig(mitm=mitm, delegate=user)
        await asyncio.wait_for(device.power_on(), PATIENCE)
        await device.set_connectable(True)
        await device.set_discoverable(True)
        self.devices.append(device)
        self.users.append(user)
        return device

    async def connected(self) -> tuple[Connection, Connection]:
        first, second = self.devices
        accepted: asyncio.Future[Connection] = asyncio.get_running_loop().create_future()
        second.once(Device.EVENT_CONNECTION, accepted.set_result)
        near = await asyncio.wait_for(
            first.connect(second.public_address, transport=core.PhysicalTransport.BR_EDR), PATIENCE
        )
        return near, await asyncio.wait_for(accepted, PATIENCE)


@pytest.fixture(params=["dual", "rootcanal"])
async def pair(request: pytest.FixtureRequest, launch: Launch) -> AsyncIterator[Pair]:
    program = await launch("radio", "--preset", request.param, "--join", "tcp", "--join", "tcp", "--json")
    radio = Radio(program, (await program.ready())["joining"])
    yield Pair(radio)
    await radio.close()


async def key(device: Device, peer: Device) -> tuple[bytes, int]:
    """Returns the stored key of a device for its peer, and the type of the key."""
    keys = await device.keystore.get(str(peer.public_address))
    assert keys and keys.link_key
    return keys.link_key.value, keys.link_key_type


async def echo(near: Connection, far: Device) -> None:
    """Opens a channel of L2CAP, and sends through it to and fro."""

    def serve(channel: l2cap.ClassicChannel) -> None:
        channel.sink = lambda data: channel.send_pdu(data)

    server = far.create_l2cap_server(l2cap.ClassicChannelSpec(psm=PSM, mtu=1500), serve)
    channel = await near.create_l2cap_channel(l2cap.ClassicChannelSpec(psm=PSM, mtu=1500))
    heard: asyncio.Queue[bytes] = asyncio.Queue()
    channel.sink = heard.put_nowait
    for number in range(20):
        channel.send_pdu(bytes([number]) * 1400)
    for number in range(20):
        assert await asyncio.wait_for(heard.get(), PATIENCE) == bytes([number]) * 1400
    await channel.disconnect()
    server.close()


async def test_finds_and_names(pair: Pair) -> None:
    """Inquiry finds the other device with its data, and its name can be asked without and with a link."""
    first = await pair.add(PairingDelegate.NO_OUTPUT_NO_INPUT)
    second = await pair.add(PairingDelegate.NO_OUTPUT_NO_INPUT)
    found: asyncio.Queue[tuple[hci.Address, core.AdvertisingData]] = asyncio.Queue()
    first.on("inquiry_result", lambda address, _class, data, _rssi: found.put_nowait((address, data)))
    await first.start_discovery()
    address, data = await asyncio.wait_for(found.get(), PATIENCE)
    assert address == second.public_address
    assert data.get(core.AdvertisingData.Type.COMPLETE_LOCAL_NAME) == "Headset"
    await first.stop_discovery()
    assert await asyncio.wait_for(first.request_remote_name(second.public_address), PATIENCE) == "Headset"
    near, far = await pair.connected()
    assert await asyncio.wait_for(first.request_remote_name(near), PATIENCE) == "Headset"
    assert await asyncio.wait_for(second.request_remote_name(far), PATIENCE) == "Phone"
    ends = [disconnection(near), disconnection(far)]
    await near.disconnect()
    assert await asyncio.wait_for(asyncio.gather(*ends), PATIENCE) == [0x16, 0x13]


MODELS = {
    "just works": (PairingDelegate.NO_OUTPUT_NO_INPUT, PairingDelegate.DISPLAY_OUTPUT_AND_YES_NO_INPUT, False),
    "comparison": (PairingDelegate.DISPLAY_OUTPUT_AND_YES_NO_INPUT,) * 2 + (True,),
    "shown here": (PairingDelegate.DISPLAY_OUTPUT_ONLY, PairingDelegate.KEYBOARD_INPUT_ONLY, True),
    "shown there": (PairingDelegate.KEYBOARD_INPUT_ONLY, PairingDelegate.DISPLAY_OUTPUT_AND_YES_NO_INPUT, True),
}


@pytest.mark.parametrize("secure", [True, False], ids=["P-256", "P-192"])
@pytest.mark.parametrize("model", MODELS)
async def test_pairs(pair: Pair, model: str, secure: bool) -> None:
    """Pairing with a model, encryption, data, and a second connection with the stored key."""
    near_user, far_user, protects = MODELS[model]
    first = await pair.add(near_user, secure=secure)
    second = await pair.add(far_user, secure=secure)
    near, _ = await pair.connected()
    await asyncio.wait_for(near.authenticate(), PATIENCE)
    await asyncio.wait_for(near.encrypt(), PATIENCE)
    assert near.is_encrypted and near.encryption == (2 if secure else 1)
    if model == "comparison":
        assert pair.users[0].compared == pair.users[1].compared != []
    await echo(near, second)
    assert await key(first, second) == await key(second, first)
    expected = {(True, True): 8, (True, False): 7, (False, True): 5, (False, False): 4}[secure, protects]
    assert (await key(first, second))[1] == expected
    await near.disconnect()

    pair.users[0].agrees = pair.users[1].agrees = False
    near, _ = await pair.connected()
    await asyncio.wait_for(near.authenticate(), PATIENCE)
    await asyncio.wait_for(near.encrypt(), PATIENCE)
    assert near.is_encrypted
    await echo(near, second)
    await near.disconnect()


async def test_pairs_with_a_pin(pair: Pair) -> None:
    """A device without Secure Simple Pairing asks both users for a PIN."""
    first = await pair.add(PairingDelegate.KEYBOARD_INPUT_ONLY)
    second = await pair.add(PairingDelegate.KEYBOARD_INPUT_ONLY, ssp=False, secure=False)
    near, _ = await pair.connected()
    await asyncio.wait_for(near.authenticate(), PATIENCE)
    await asyncio.wait_for(near.encrypt(), PATIENCE)
    assert near.encryption == 1
    await echo(near, second)
    assert await key(first, second) == await key(second, first)
    assert (await key(first, second))[1] == 0


async def test_different_pins(pair: Pair) -> None:
    """Different PINs end the connection for both."""
    await pair.add(PairingDelegate.KEYBOARD_INPUT_ONLY, ssp=False, secure=False)
    await pair.add(PairingDelegate.KEYBOARD_INPUT_ONLY, ssp=False, secure=False)
    pair.users[1].agrees = False
    near, far = await pair.connected()
    ends = [disconnection(near), disconnection(far)]
    with pytest.raises(hci.HCI_Error) as error:
        await asyncio.wait_for(near.authenticate(), PATIENCE)
    assert error.value.error_code == hci.HCI_AUTHENTICATION_FAILURE_ERROR
    assert await asyncio.wait_for(asyncio.gather(*ends), PATIENCE) == [hci.HCI_AUTHENTICATION_FAILURE_ERROR] * 2


@pytest.mark.parametrize("refuses", [0, 1], ids=["phone", "headset"])
async def test_refuses_to_pair(pair: Pair, refuses: int) -> None:
    """A user who does not agree ends the pairing for both, but not the connection."""
    first = await pair.add(PairingDelegate.DISPLAY_OUTPUT_AND_YES_NO_INPUT)
    second = await pair.add(PairingDelegate.DISPLAY_OUTPUT_AND_YES_NO_INPUT)
    pair.users[refuses].agrees = False
    near, _ = await pair.connected()
    with pytest.raises(hci.HCI_Error) as error:
        await asyncio.wait_for(near.authenticate(), PATIENCE)
    assert error.value.error_code == hci.HCI_AUTHENTICATION_FAILURE_ERROR
    assert await first.get_link_key(second.public_address) is None
    await echo(near, second)


async def test_forgotten_key(pair: Pair) -> None:
    """If the other device has lost its key, authentication fails with PIN or Key Missing."""
    await pair.add(PairingDelegate.NO_OUTPUT_NO_INPUT)
    second = await pair.add(PairingDelegate.NO_OUTPUT_NO_INPUT)
    near, _ = await pair.connected()
    await asyncio.wait_for(near.authenticate(), PATIENCE)
    await near.disconnect()
    second.keystore = MemoryKeyStore()
    near, _ = await pair.connected()
    with pytest.raises(hci.HCI_Error) as error:
        await asyncio.wait_for(near.authenticate(), PATIENCE)
    assert error.value.error_code == hci.HCI_PIN_OR_KEY_MISSING_ERROR


async def test_changes_roles_and_sleeps(pair: Pair) -> None:
    """Role switch and Sniff Mode."""
    first = await pair.add(PairingDelegate.NO_OUTPUT_NO_INPUT)
    second = await pair.add(PairingDelegate.NO_OUTPUT_NO_INPUT)
    for device in (first, second):
        await device.send_sync_command(
            hci.HCI_Write_Default_Link_Policy_Settings_Command(default_link_policy_settings=5)
        )
    near, far = await pair.connected()
    changed: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    far.once(Connection.EVENT_ROLE_CHANGE, changed.set_result)
    await asyncio.wait_for(near.switch_role(hci.Role.PERIPHERAL), PATIENCE)
    assert await asyncio.wait_for(changed, PATIENCE) == hci.Role.CENTRAL
    await echo(near, second)
    asleep: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    far.once(Connection.EVENT_MODE_CHANGE, lambda: asleep.set_result(None))
    await first.send_async_command(
        hci.HCI_Sniff_Mode_Command(
            connection_handle=near.handle,
            sniff_max_interval=80,
            sniff_min_interval=40,
            sniff_attempt=4,
            sniff_timeout=1,
        )
    )
    await asyncio.wait_for(asleep, PATIENCE)
    assert far.classic_mode == hci.HCI_Mode_Change_Event.Mode.SNIFF and far.classic_interval == 80
    await echo(near, second)
