"""The virtual radio without accessories: two Bumble hosts, and the program beside them."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from bumble import hci
from bumble.core import AdvertisingData
from bumble.device import AdvertisingEventProperties, AdvertisingParameters, Device
from bumble.gatt import Characteristic, Service
from bumble.host import Host
from bumble.transport.common import Transport
from bumble.transport.tcp_client import open_tcp_client_transport

from conftest import EVERYTHING, Launch
from support.central import Central
from support.controllers import LOOPBACK, address_of

PERIPHERAL = "F1:00:00:00:00:01"
CENTRAL = "F0:00:00:00:00:01"
SERVICE, VALUE = "FFF0", "FFF1"
DATA = bytes(range(200))


class Radio:
    """The ports of a running radio and the hosts on them."""

    def __init__(self, ports: list[int]) -> None:
        self.ports = ports
        self.transports: list[Transport] = []

    async def host(self) -> Host:
        transport = await open_tcp_client_transport(f"{LOOPBACK}:{self.ports[len(self.transports)]}")
        self.transports.append(transport)
        return Host(transport.source, transport.sink)

    async def peripheral(self) -> Device:
        device = Device(name="Bumble", address=hci.Address(PERIPHERAL), host=await self.host())
        device.add_service(
            Service(
                SERVICE,
                [
                    Characteristic(
                        VALUE,
                        Characteristic.Properties.READ | Characteristic.Properties.NOTIFY,
                        Characteristic.READABLE,
                        DATA,
                    )
                ],
            )
        )
        await device.power_on()
        return device


@pytest.fixture
async def radio(launch: Launch) -> AsyncIterator[Radio]:
    program = await launch("radio", *["--join", "tcp"] * 3, "--json")
    ready = await program.ready()
    assert len(set(ready["ports"])) == 3
    radio = Radio(ready["ports"])
    yield radio
    for transport in radio.transports:
        await transport.close()


def advertising_data(name: str) -> bytes:
    return bytes(AdvertisingData([(AdvertisingData.Type.COMPLETE_LOCAL_NAME, name.encode())]))


async def test_two_foreign_hosts_meet(radio: Radio) -> None:
    peripheral = await radio.peripheral()
    await peripheral.start_advertising(advertising_data=advertising_data("Bumble"), auto_restart=True)
    central = await Central.open(await radio.host(), CENTRAL)
    address = hci.Address(PERIPHERAL)
    advertisement = await central.find(address)
    assert advertisement.data.get(AdvertisingData.Type.COMPLETE_LOCAL_NAME, raw=True) == b"Bumble"
    for _ in range(3):
        session = await central.connect(address)
        assert await session.exchange_mtu(517) == 517
        handle = await session.handle_of(VALUE)
        assert await session.read(handle) == DATA
        await session.subscribe(handle)
        (connection,) = peripheral.connections.values()
        characteristic = peripheral.gatt_server.get_attribute(handle)
        assert characteristic
        await peripheral.gatt_server.notify_subscriber(connection, characteristic, b"news")
        ((_, pdu),) = await session.arrivals(1, handle)
        assert pdu.attribute_value == b"news"
        await session.disconnect()


async def test_scan_response_goes_over_the_air(radio: Radio) -> None:
    peripheral = await radio.peripheral()
    await peripheral.start_advertising(
        advertising_data=bytes(AdvertisingData([(AdvertisingData.Type.FLAGS, b"\x06")])),
        scan_response_data=advertising_data("Only when asked"),
    )
    central = await Central.open(await radio.host(), CENTRAL)
    advertisement = await central.find(
        hci.Address(PERIPHERAL), lambda found: found.data.get(AdvertisingData.Type.COMPLETE_LOCAL_NAME) is not None
    )
    assert advertisement.data.get(AdvertisingData.Type.COMPLETE_LOCAL_NAME, raw=True) == b"Only when asked"


async def test_extended_advertising_of_a_foreign_host(radio: Radio) -> None:
    peripheral = await radio.peripheral()
    name = "A name that takes more room than legacy advertising has"
    await peripheral.create_advertising_set(
        advertising_parameters=AdvertisingParameters(
            advertising_event_properties=AdvertisingEventProperties(is_connectable=True),
        ),
        random_address=hci.Address(PERIPHERAL),
        advertising_data=advertising_data(name),
    )
    central = await Central.open(await radio.host(), CENTRAL)
    advertisement = await central.find(hci.Address(PERIPHERAL), lambda found: found.is_complete)
    assert advertisement.data.get(AdvertisingData.Type.COMPLETE_LOCAL_NAME, raw=True) == name.encode()
    assert not advertisement.is_legacy
    session = await central.connect(hci.Address(PERIPHERAL))
    assert await session.read(await session.handle_of(VALUE)) == DATA


async def test_port_is_free_again(radio: Radio) -> None:
    """A port accepts the next host when the previous one has left."""
    for _ in range(3):
        transport = await open_tcp_client_transport(f"{LOOPBACK}:{radio.ports[2]}")
        await Central.open(Host(transport.source, transport.sink), CENTRAL)
        await transport.close()


async def test_program_on_a_foreign_radio(radio: Radio, launch: Launch) -> None:
    """The program as the host of a controller of its radio in another process."""
    program = await launch(
        "run", EVERYTHING, "--controller", f"tcp-client:{LOOPBACK}:{radio.ports[2]}", "--json"
    )
    address = address_of(await program.ready())
    central = await Central.open(await radio.host(), CENTRAL)
    session = await central.connect(address)
    assert await session.exchange_mtu(517) == 517
    assert len(await session.read(await session.handle_of("FFF1"))) == 512
    await session.disconnect()
