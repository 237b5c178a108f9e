"""The virtual radio without accessories, and Bumble devices on it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from bumble import hci
from bumble.core import AdvertisingData
from bumble.device import AdvertisingEventProperties, AdvertisingParameters, Connection, Device
from bumble.gatt import Characteristic, Service
from bumble.host import Host
from bumble.transport import open_transport
from bumble.transport.common import Transport

from support.program import Program
from support.web import Client

SERVICE, VALUE, NOTES = "FFF0", "FFF1", "FFF2"
DATA = bytes(range(200))
PATIENCE = 30


def advertising_data(name: str) -> bytes:
    return bytes(AdvertisingData([(AdvertisingData.Type.COMPLETE_LOCAL_NAME, name.encode())]))


@dataclass
class Radio:
    """A running radio."""

    program: Program
    places: list[str]
    client: Client | None = None
    transports: list[Transport] = field(default_factory=list)

    async def device(self, place: int, address: str, name: str = "Bumble") -> Device:
        """Returns a device that has joined at that place."""
        transport = await open_transport(self.places[place])
        self.transports.append(transport)
        device = Device(name=name, address=hci.Address(address), host=Host(transport.source, transport.sink))
        await asyncio.wait_for(device.power_on(), PATIENCE)
        return device

    async def peripheral(self, place: int = 0, address: str = "F1:00:00:00:00:01") -> Device:
        """Returns a device with a service that is not advertising yet."""
        device = await self.device(place, address, "Peripheral")
        properties = Characteristic.Properties
        device.add_service(
            Service(
                SERVICE,
                [
                    Characteristic(
                        VALUE,
                        properties.READ | properties.WRITE,
                        Characteristic.READABLE | Characteristic.WRITEABLE,
                        DATA,
                    ),
                    Characteristic(NOTES, properties.NOTIFY, Characteristic.READABLE, b""),
                ],
            )
        )
        return device

    async def close(self) -> None:
        for transport in self.transports:
            await transport.close()


async def advertise(device: Device, extended: bool, name: str = "Peripheral") -> None:
    """Starts connectable advertising of a device."""
    if extended:
        await device.create_advertising_set(
            advertising_parameters=AdvertisingParameters(
                advertising_event_properties=AdvertisingEventProperties(is_connectable=True),
                primary_advertising_interval_min=20,
                primary_advertising_interval_max=20,
            ),
            random_address=device.random_address,
            advertising_data=advertising_data(name),
            auto_restart=True,
        )
    else:
        await device.start_advertising(
            advertising_data=advertising_data(name),
            auto_restart=True,
            advertising_interval_min=20,
            advertising_interval_max=20,
        )


async def connected(central: Device, peripheral: Device) -> tuple[Connection, Connection]:
    """Connects, and returns the connection from both sides."""
    accepted: asyncio.Future[Connection] = asyncio.get_running_loop().create_future()
    peripheral.once(Device.EVENT_CONNECTION, accepted.set_result)
    connection = await asyncio.wait_for(central.connect(peripheral.random_address), PATIENCE)
    return connection, await asyncio.wait_for(accepted, PATIENCE)


def disconnection(connection: Connection) -> asyncio.Future[int]:
    """Returns the future reason for the end of a connection."""
    reason: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    connection.once(Connection.EVENT_DISCONNECTION, lambda code: reason.done() or reason.set_result(int(code)))
    return reason
