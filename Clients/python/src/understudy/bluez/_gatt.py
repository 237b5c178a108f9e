"""The attributes of a connected device as objects."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING, Any, ClassVar

from understudy.bluez._errors import (
    failed,
    in_progress,
    invalid_arguments,
    not_connected,
    not_permitted,
    not_supported,
)
from understudy.bluez._tree import Call, Interface, Method
from understudy.central import Characteristic, Descriptor, Link, Service

if TYPE_CHECKING:
    from understudy.bluez._device import DeviceObject

GENERIC_ACCESS = "00001800-0000-1000-8000-00805f9b34fb"
LONGEST_VALUE = 512
SENDS = 0x30
WRITE_COMMAND = 0x04


class ServiceObject(Interface):
    """`org.bluez.GattService1`."""

    NAME = "org.bluez.GattService1"
    SIGNATURES: ClassVar[dict[str, str]] = {"UUID": "s", "Device": "o", "Primary": "b", "Includes": "ao"}


class _Attribute(Interface):
    """The common base of characteristics and descriptors."""

    METHODS: ClassVar[dict[str, Method]] = {
        "ReadValue": Method("a{sv}", "ay", "read"),
        "WriteValue": Method("aya{sv}", "", "write"),
    }

    def __init__(self, device: DeviceObject, path: str, handle: int, **values: Any) -> None:
        super().__init__(**values)
        self.device, self.path, self.handle = device, path, handle
        self._reading = self._writing = False

    @property
    def link(self) -> Link:
        if self.device.link is None:
            raise not_connected()
        return self.device.link

    async def read(self, call: Call, options: dict[str, Any]) -> list[Any]:
        offset = _option(options, "offset", "q", 0)
        if self._reading:
            raise in_progress()
        self._reading = True
        try:
            value = await self.link.read(self.handle, offset)
        finally:
            self._reading = False
        if not offset:
            # Clients that watch the property also see values that were read.
            self.device.tree.update(self.path, self, always=("Value",), Value=value)
        return [value]

    async def write(self, call: Call, value: bytes, options: dict[str, Any]) -> None:
        kind = _option(options, "type", "s", "")
        if _option(options, "offset", "q", 0):
            raise not_supported()
        if kind not in ("", "command", "request", "reliable") or len(value) > LONGEST_VALUE:
            raise invalid_arguments()
        if self._writing:
            raise in_progress()
        self._writing = True
        try:
            await self._send(bytes(value), kind)
        finally:
            self._writing = False

    async def _send(self, value: bytes, kind: str) -> None:
        await self.link.write(self.handle, value)


class DescriptorObject(_Attribute):
    """`org.bluez.GattDescriptor1`."""

    NAME = "org.bluez.GattDescriptor1"
    SIGNATURES: ClassVar[dict[str, str]] = {"UUID": "s", "Characteristic": "o", "Value": "ay"}


class CharacteristicObject(_Attribute):
    """`org.bluez.GattCharacteristic1`."""

    NAME = "org.bluez.GattCharacteristic1"
    METHODS: ClassVar[dict[str, Method]] = {
        **_Attribute.METHODS,
        "StartNotify": Method("", "", "start_notify"),
        "StopNotify": Method("", "", "stop_notify"),
        "AcquireWrite": Method("a{sv}", "hq", "acquire_write"),
        "AcquireNotify": Method("a{sv}", "hq", "acquire_notify"),
    }
    SIGNATURES: ClassVar[dict[str, str]] = {
        "UUID": "s",
        "Service": "o",
        "Value": "ay",
        "Notifying": "b",
        "Flags": "as",
        "WriteAcquired": "b",
        "NotifyAcquired": "b",
        "MTU": "q",
    }

    def __init__(self, device: DeviceObject, path: str, service: str, subject: Characteristic) -> None:
        can_send, can_take = subject.bits & SENDS, subject.bits & WRITE_COMMAND
        super().__init__(
            device,
            path,
            subject.value_handle,
            UUID=subject.uuid,
            Service=service,
            Value=b"",
            Notifying=False if can_send else None,
            Flags=subject.properties,
            WriteAcquired=False if can_take else None,
            NotifyAcquired=False if can_send else None,
            MTU=device.link.mtu if device.link else 23,
        )
        self.subject = subject
        self._followers: set[str] = set()
        self._notify_socket: _Socket | None = None
        self._write_socket: _Socket | None = None

    async def _send(self, value: bytes, kind: str) -> None:
        without_response = kind == "command" or (not kind and not self.subject.bits & 0x08)
        await (self.link.command if without_response else self.link.write)(self.handle, value)

    # Notifications

    async def start_notify(self, call: Call) -> None:
        if self._notify_socket:
            raise not_permitted("Notify acquired")
        if not self.subject.bits & SENDS:
            raise not_supported()
        if call.sender in self._followers:
            raise in_progress()
        link = self.link
        self._followers.add(call.sender)
        try:
            if len(self._followers) == 1:
                await link.subscribe(self.subject, self._changed)
        except BaseException:
            self._followers.discard(call.sender)
            raise
        self.device.tree.update(self.path, self, Notifying=True)

    async def stop_notify(self, call: Call) -> None:
        if call.sender not in self._followers:
            raise failed("No notify session started")
        await self.forget(call.sender)

    async def forget(self, sender: str) -> None:
        """Ends a client's notifications, and closes its sockets."""
        if sender in self._followers:
            self._followers.discard(sender)
            if not self._followers:
                self.device.tree.update(self.path, self, Notifying=False)
                if self.device.link:
                    await self.device.link.unsubscribe(self.subject, self._changed)
        for taken in (self._notify_socket, self._write_socket):
            if taken and taken.owner == sender:
                taken.close()

    def _changed(self, value: bytes) -> None:
        # A notification with the same value is also signalled.
        self.device.tree.update(self.path, self, always=("Value",), Value=value)

    # Sockets

    async def acquire_notify(self, call: Call, options: dict[str, Any]) -> list[Any]:
        if self.values.get("NotifyAcquired"):
            raise not_permitted("Notify acquired")
        if self._followers:
            raise in_progress()
        if not self.subject.bits & SENDS:
            raise not_supported()
        link = self.link
        self.device.tree.update(self.path, self, NotifyAcquired=True, Notifying=True)
        taken: _Socket | None = None

        def send(value: bytes) -> None:
            if taken:
                taken.send(value)

        def ended() -> None:
            self._notify_socket = None
            self.device.tree.update(self.path, self, NotifyAcquired=False, Notifying=False)
            if link.is_open:
                self.device.spawn(link.unsubscribe(self.subject, send))

        taken = _Socket(call, ended)
        self._notify_socket = taken
        try:
            await link.subscribe(self.subject, send)
        except BaseException:
            taken.close()
            raise
        return [0, link.mtu]

    async def acquire_write(self, call: Call, options: dict[str, Any]) -> list[Any]:
        if self._write_socket:
            raise not_permitted("Write acquired")
        if not self.subject.bits & WRITE_COMMAND:
            raise not_supported()
        link = self.link

        def ended() -> None:
            self._write_socket = None
            self.device.tree.update(self.path, self, WriteAcquired=False)

        self._write_socket = _Socket(
            call, ended, lambda value: self.device.spawn(link.command(self.handle, value[: link.mtu - 3]))
        )
        self.device.tree.update(self.path, self, WriteAcquired=True)
        return [0, link.mtu]

    def close(self) -> None:
        """Handles the end of the connection."""
        self._followers.clear()
        for taken in (self._notify_socket, self._write_socket):
            if taken:
                taken.close()


class _Socket:
    """One end of a pair of sockets that preserve packet boundaries. The client has the other end, and closes it to stop."""

    def __init__(self, call: Call, ended: Any, received: Any = None) -> None:
        self.owner = call.sender
        self._own, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._own.setblocking(False)
        self._ended, self._received = ended, received
        call.descriptors.append(theirs.detach())
        asyncio.get_running_loop().add_reader(self._own.fileno(), self._readable)

    def _readable(self) -> None:
        try:
            octets, _, flags, _ = self._own.recvmsg(LONGEST_VALUE + 1)
        except BlockingIOError:
            return
        except OSError:
            octets = b""
        if octets and self._received:
            self._received(octets)
        elif not octets:
            self.close()

    def send(self, value: bytes) -> None:
        """Sends a value; a client that does not read loses it."""
        try:
            self._own.send(value)
        except BlockingIOError:
            pass
        except OSError:
            self.close()

    def close(self) -> None:
        if self._own.fileno() < 0:
            return
        asyncio.get_running_loop().remove_reader(self._own.fileno())
        self._own.close()
        self._ended()


def _option(options: dict[str, Any], name: str, signature: str, otherwise: Any) -> Any:
    if name not in options:
        return otherwise
    if options[name].signature != signature:
        raise invalid_arguments()
    return options[name].value


def service_objects(device: DeviceObject, services: tuple[Service, ...]) -> dict[str, Interface]:
    """Returns the objects of a device's services, by path. Generic Access belongs to the stack, and has none."""
    found: dict[str, Interface] = {}
    shown = {
        service.handle: f"{device.path}/service{service.handle:04x}"
        for service in services
        if service.uuid != GENERIC_ACCESS
    }
    for service in services:
        if (path := shown.get(service.handle)) is None:
            continue
        found[path] = ServiceObject(
            UUID=service.uuid,
            Device=device.path,
            Primary=service.primary,
            Includes=[shown[handle] for handle in service.includes if handle in shown],
        )
        for one in service.characteristics:
            own = f"{path}/char{one.handle:04x}"
            found[own] = CharacteristicObject(device, own, path, one)
            for descriptor in one.descriptors:
                found.update(_descriptor(device, own, descriptor))
    return found


def _descriptor(device: DeviceObject, characteristic: str, descriptor: Descriptor) -> dict[str, Interface]:
    path = f"{characteristic}/desc{descriptor.handle:04x}"
    return {
        path: DescriptorObject(
            device, path, descriptor.handle, UUID=descriptor.uuid, Characteristic=characteristic, Value=b""
        )
    }
