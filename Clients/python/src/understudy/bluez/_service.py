"""BlueZ's service on a bus, and a private bus for it."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from pathlib import Path
from typing import Self

from dbus_fast import Message, MessageType
from dbus_fast.aio import MessageBus

from understudy.bluez._adapter import AdapterObject
from understudy.bluez._agents import AgentManager
from understudy.bluez._sending import connect
from understudy.bluez._tree import OBJECT_MANAGER, Tree
from understudy.central import Adapter, Agent, Memory
from understudy.errors import UnderstudyError

NAME, ROOT = "org.bluez", "/org/bluez"
START_WITHIN = 10.0

CONFIGURATION = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type>
  <listen>unix:path={socket}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow receive_sender="*"/>
    <allow own="*"/>
    <allow user="*"/>
  </policy>
</busconfig>
"""


class PrivateBus:
    """A private message bus: only programs that are given its address can use it."""

    def __init__(self, process: asyncio.subprocess.Process, folder: tempfile.TemporaryDirectory[str]) -> None:
        self._process, self._folder = process, folder
        self.address = f"unix:path={folder.name}/bus"
        """The value for `DBUS_SYSTEM_BUS_ADDRESS`."""

    @classmethod
    async def start(cls) -> Self:
        """Starts `dbus-daemon` with a configuration in a temporary folder. Raises `UnderstudyError`."""
        daemon = shutil.which("dbus-daemon")
        if daemon is None:
            raise UnderstudyError("there is no dbus-daemon: install it (Debian: apt-get install dbus-daemon)")
        folder = tempfile.TemporaryDirectory(prefix="understudy-bus-")
        configuration = Path(folder.name, "bus.conf")
        configuration.write_text(CONFIGURATION.format(socket=f"{folder.name}/bus"))
        command = [daemon, f"--config-file={configuration}", "--nofork", "--print-address=1"]
        if guard := shutil.which("setpriv"):
            command = [guard, "--pdeathsig", "KILL", "--", *command]
        process = await asyncio.create_subprocess_exec(
            *command, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        bus = cls(process, folder)
        assert process.stdout and process.stderr
        try:
            async with asyncio.timeout(START_WITHIN):
                ready = await process.stdout.readline()
                if not ready:
                    raise UnderstudyError(f"dbus-daemon ended: {(await process.stderr.read()).decode().strip()}")
        except BaseException as error:
            await bus.stop()
            if isinstance(error, TimeoutError):
                raise UnderstudyError(f"dbus-daemon was not ready within {START_WITHIN:g} s") from error
            raise
        return bus

    async def stop(self) -> None:
        """Ends it."""
        if self._process.returncode is None:
            self._process.terminate()
        await self._process.wait()
        self._folder.cleanup()


class BlueZ:
    """BlueZ's objects on a bus, based on a central."""

    def __init__(self, bus: MessageBus, central: Adapter) -> None:
        self.bus, self.central = bus, central
        self.tree = Tree(bus)
        self.agents = AgentManager(self.tree)
        self.adapter = AdapterObject(self.tree, central, self.agents)
        central.agent = Agent()
        self.tree.add(ROOT, self.agents)
        self.tree.add(self.adapter.path, self.adapter, self.adapter.monitors)
        bus.add_message_handler(self._signal)
        self._leaving: set[asyncio.Task[None]] = set()

    @classmethod
    async def start(cls, address: str, transport: str, memory: Memory | None = None) -> Self:
        """Takes BlueZ's name on the bus at an address; the central uses a controller, given by its Bumble transport name."""
        central = await Adapter.open(transport, memory)
        try:
            bus = await connect(address)
        except BaseException as error:
            await central.close()
            if isinstance(error, OSError):
                raise UnderstudyError(f"cannot connect to the bus at {address}: {error}") from error
            raise
        service = cls(bus, central)
        for rule in (
            "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged'",
            f"type='signal',interface='{OBJECT_MANAGER}'",
        ):
            await bus.call(
                Message(
                    destination="org.freedesktop.DBus",
                    path="/org/freedesktop/DBus",
                    interface="org.freedesktop.DBus",
                    member="AddMatch",
                    signature="s",
                    body=[rule],
                )
            )
        await bus.request_name(NAME)
        return service

    def _signal(self, message: Message) -> bool:
        if message.message_type is not MessageType.SIGNAL:
            return False
        match message.member:
            case "NameOwnerChanged" if message.sender == "org.freedesktop.DBus":
                name, _, owner = message.body
                if name.startswith(":") and not owner:
                    self._forget(name)
            case "InterfacesAdded" if message.signature == "oa{sa{sv}}":
                self.adapter.monitors.added(message.sender or "", *message.body)
            case "InterfacesRemoved" if message.signature == "oas":
                self.adapter.monitors.removed(message.sender or "", message.body[0])
        return False

    def _forget(self, client: str) -> None:
        """Releases everything of a client that has disconnected from the bus."""
        self.tree.abandon(client)
        self.agents.forget(client)
        task = asyncio.ensure_future(self.adapter.forget_client(client))
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)

    async def stop(self) -> None:
        """Ends the connections, and leaves the bus."""
        self.tree.is_silent = True
        self.adapter.close()
        await self.central.close()
        self.bus.disconnect()
