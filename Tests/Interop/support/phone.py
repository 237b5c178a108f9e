"""An iPhone's services for accessories, based on Bumble's GATT server: notifications, the player, and the time."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Awaitable, Callable

from bumble import att
from bumble.device import Connection, Device
from bumble.gatt import (
    GATT_AMS_ENTITY_UPDATE_CHARACTERISTIC,
    GATT_AMS_REMOTE_COMMAND_CHARACTERISTIC,
    GATT_AMS_SERVICE,
    GATT_ANCS_CONTROL_POINT_CHARACTERISTIC,
    GATT_ANCS_DATA_SOURCE_CHARACTERISTIC,
    GATT_ANCS_NOTIFICATION_SOURCE_CHARACTERISTIC,
    GATT_ANCS_SERVICE,
    GATT_CURRENT_TIME_SERVICE,
    GATT_SERVICE_CHANGED_CHARACTERISTIC,
    Characteristic,
    CharacteristicValue,
    Service,
)

Properties = Characteristic.Properties
Permissions = Characteristic.Permissions
Take = Callable[[Connection, bytes], Awaitable[None]]


class Phone:
    """As on a phone, every write needs an encrypted link; writes are recorded."""

    def __init__(self, device: Device, time: bytes) -> None:
        self.device = device
        self.notifications: dict[int, tuple[str, str]] = {}
        self.commands: asyncio.Queue[bytes] = asyncio.Queue()
        self.actions: asyncio.Queue[bytes] = asyncio.Queue()
        self.wanted: list[bytes] = []
        self.source = self._pushed(GATT_ANCS_NOTIFICATION_SOURCE_CHARACTERISTIC)
        self.data = self._pushed(GATT_ANCS_DATA_SOURCE_CHARACTERISTIC)
        self.update = self._pushed(GATT_AMS_ENTITY_UPDATE_CHARACTERISTIC, self._wants)
        point = self._written(GATT_ANCS_CONTROL_POINT_CHARACTERISTIC, self._asked)
        remote = self._written(GATT_AMS_REMOTE_COMMAND_CHARACTERISTIC, self._commanded)
        clock: Characteristic[bytes] = Characteristic("2A2B", Properties.READ, Permissions.READABLE, time)
        self.ancs = Service(GATT_ANCS_SERVICE, [self.source, point, self.data])
        # Whether the user permits notifications for this accessory; if not, the control point refuses it.
        self.consents = True
        device.add_services(
            [
                self.ancs,
                Service(GATT_AMS_SERVICE, [remote, self.update]),
                Service(GATT_CURRENT_TIME_SERVICE, [clock]),
            ]
        )

    def _written(self, uuid: object, take: Take) -> Characteristic[bytes]:
        return Characteristic(
            uuid,  # type: ignore[arg-type]
            Properties.WRITE,
            Permissions.WRITEABLE | Permissions.WRITE_REQUIRES_ENCRYPTION,
            CharacteristicValue(write=take),
        )

    def _pushed(self, uuid: object, take: Take | None = None) -> Characteristic[bytes]:
        if take is None:
            return Characteristic(uuid, Properties.NOTIFY, Permissions.READABLE, b"")  # type: ignore[arg-type]
        characteristic = self._written(uuid, take)
        characteristic.properties |= Properties.NOTIFY
        return characteristic

    async def _commanded(self, connection: Connection, value: bytes) -> None:
        self.commands.put_nowait(bytes(value))

    async def _wants(self, connection: Connection, value: bytes) -> None:
        self.wanted.append(bytes(value))

    async def _asked(self, connection: Connection, value: bytes) -> None:
        """ANCS: Get Notification Attributes (0) for title and message, Perform Notification Action (2)."""
        if not self.consents:
            raise att.ATT_Error(att.ErrorCode.INSUFFICIENT_AUTHORIZATION)
        uid = int.from_bytes(value[1:5], "little")
        if value[0] == 2:
            self.actions.put_nowait(bytes(value))
            return
        if uid not in self.notifications or value[5:] != bytes.fromhex("014000034000"):
            raise att.ATT_Error(0xA2)
        answer = bytes(value[:5])
        for attribute, text in zip((1, 3), self.notifications[uid], strict=True):
            octets = text.encode()[:64]
            answer += bytes([attribute]) + len(octets).to_bytes(2, "little") + octets
        size = connection.att_mtu - 3
        for place in range(0, len(answer), size):
            await self.device.notify_subscriber(connection, self.data, answer[place : place + size])

    async def tell(self, connection: Connection, uid: int, title: str, message: str, event: int = 0) -> None:
        self.notifications[uid] = (title, message)
        await self.device.notify_subscriber(
            connection, self.source, bytes([event, 0, 4, 1]) + uid.to_bytes(4, "little")
        )

    async def offer_notifications(self, connection: Connection, offers: bool) -> None:
        """Removes the service, as when the user withdraws consent, or restores it; the accessory is informed."""
        server = self.device.gatt_server
        if offers:
            server.attributes = sorted([*server.attributes, *self.hidden], key=lambda attribute: attribute.handle)
        else:
            area = range(self.ancs.handle, self.ancs.end_group_handle + 1)
            self.hidden = [attribute for attribute in server.attributes if attribute.handle in area]
            server.attributes = [attribute for attribute in server.attributes if attribute.handle not in area]
            for attribute in self.hidden:
                server.attributes_by_handle.pop(attribute.handle, None)
        (changed,) = (attribute for attribute in server.attributes if attribute.type == GATT_SERVICE_CHANGED_CHARACTERISTIC)
        value = struct.pack("<HH", self.ancs.handle, self.ancs.end_group_handle)
        await self.device.indicate_subscriber(connection, changed, value)
