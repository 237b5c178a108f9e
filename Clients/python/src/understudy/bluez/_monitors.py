"""Advertisement monitors: passive scans for patterns."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from dbus_fast import Message, MessageType

from understudy.bluez._errors import already_exists, does_not_exist
from understudy.bluez._tree import OBJECT_MANAGER, Call, Interface, Method
from understudy.central import Scan, Sighting, shows_pattern

if TYPE_CHECKING:
    from understudy.bluez._adapter import AdapterObject

MONITOR = "org.bluez.AdvertisementMonitor1"


@dataclass
class _Monitor:
    """A monitor of a client."""

    path: str
    patterns: list[tuple[int, int, bytes]]
    found: set[str] = field(default_factory=set)


class MonitorManager(Interface):
    """`org.bluez.AdvertisementMonitorManager1`. A client registers the root of an object tree with its monitors."""

    NAME = "org.bluez.AdvertisementMonitorManager1"
    METHODS: ClassVar[dict[str, Method]] = {
        "RegisterMonitor": Method("o", "", "register"),
        "UnregisterMonitor": Method("o", "", "unregister"),
    }
    SIGNATURES: ClassVar[dict[str, str]] = {"SupportedMonitorTypes": "as", "SupportedFeatures": "as"}

    def __init__(self, adapter: AdapterObject) -> None:
        super().__init__(SupportedMonitorTypes=["or_patterns"], SupportedFeatures=[])
        self._adapter, self._tree = adapter, adapter.tree
        self._apps: dict[tuple[str, str], dict[str, _Monitor]] = {}
        self._scan: Scan | None = None
        self._turn = asyncio.Lock()

    async def register(self, call: Call, root: str) -> None:
        if (call.sender, root) in self._apps:
            raise already_exists()
        monitors = self._apps[call.sender, root] = {}
        # The answer comes first, because a client may export its monitors only afterwards.
        self._adapter.spawn(self._load(call.sender, root, monitors))

    async def unregister(self, call: Call, root: str) -> None:
        if self._apps.pop((call.sender, root), None) is None:
            raise does_not_exist()
        await self._adjust()

    async def forget(self, sender: str) -> None:
        """Removes the monitors of a client."""
        for key in [key for key in self._apps if key[0] == sender]:
            del self._apps[key]
        await self._adjust()

    async def _load(self, sender: str, root: str, monitors: dict[str, _Monitor]) -> None:
        reply = await self._tree.bus.call(
            Message(destination=sender, path=root, interface=OBJECT_MANAGER, member="GetManagedObjects")
        )
        if reply is None or reply.message_type is MessageType.ERROR or reply.signature != "a{oa{sa{sv}}}":
            return
        for path, interfaces in reply.body[0].items():
            if MONITOR in interfaces:
                self.add(sender, path, interfaces[MONITOR], monitors)
        await self._adjust()

    def added(self, sender: str, path: str, interfaces: dict[str, Any]) -> None:
        """Handles a new object of a client."""
        for (owner, root), monitors in self._apps.items():
            if owner == sender and MONITOR in interfaces and (root == "/" or path.startswith(root)):
                self.add(sender, path, interfaces[MONITOR], monitors)
                self._adapter.spawn(self._adjust())

    def removed(self, sender: str, path: str) -> None:
        """Handles the removal of a client's object."""
        for (owner, _), monitors in self._apps.items():
            if owner == sender and path in monitors:
                del monitors[path]
                self._adapter.spawn(self._adjust())

    def add(self, sender: str, path: str, properties: dict[str, Any], monitors: dict[str, _Monitor]) -> None:
        """Activates a monitor, or releases it if it is not valid."""
        kind, patterns = properties.get("Type"), properties.get("Patterns")
        if kind is None or kind.value != "or_patterns" or patterns is None or patterns.signature != "a(yyay)":
            self._tell(sender, path, "Release")
        elif path not in monitors:
            monitors[path] = _Monitor(path, [(start, kind, bytes(octets)) for start, kind, octets in patterns.value])
            self._tell(sender, path, "Activate")

    async def _adjust(self) -> None:
        """Scans as long as there is a monitor."""
        async with self._turn:
            wanted = any(self._apps.values())
            if wanted and self._scan is None:
                self._scan = await self._adapter.central.scan(self._sighted, active=False)
            elif not wanted and self._scan:
                scan, self._scan = self._scan, None
                await scan.stop()

    def _sighted(self, sighting: Sighting) -> None:
        for (sender, _), monitors in list(self._apps.items()):
            for monitor in list(monitors.values()):
                if shows_pattern(sighting, monitor.patterns):
                    device = self._adapter.show(sighting, duplicates=True)
                    if device.path not in monitor.found:
                        monitor.found.add(device.path)
                        self._tell(sender, monitor.path, "DeviceFound", device.path)

    def lost(self, path: str) -> None:
        """Handles the removal of a device."""
        for (sender, _), monitors in self._apps.items():
            for monitor in monitors.values():
                if path in monitor.found:
                    monitor.found.discard(path)
                    self._tell(sender, monitor.path, "DeviceLost", path)

    def _tell(self, sender: str, path: str, member: str, *device: str) -> None:
        signature = "o" if device else ""
        self._tree.bus.send(
            Message(
                destination=sender, path=path, interface=MONITOR, member=member, signature=signature, body=list(device)
            )
        )
