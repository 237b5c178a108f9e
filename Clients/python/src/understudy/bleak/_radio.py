"""The radio of the backends, and the central that they share on it."""

from __future__ import annotations

import asyncio
import os
import shlex
import weakref
from dataclasses import dataclass, field
from threading import Lock

from bleak.exc import BleakBluetoothNotAvailableError, BleakBluetoothNotAvailableReason

from understudy.blocking import Program
from understudy.central import Adapter, Agent, CentralError, Memory, agent_of
from understudy.errors import UnderstudyError

PLACE, AGENT, ARGUMENTS = "UNDERSTUDY_BLEAK", "UNDERSTUDY_BLEAK_AGENT", "UNDERSTUDY_BLEAK_ARGS"
# Bumble's transports that reach a controller; anything else is a profile.
TRANSPORTS = ("tcp-client:", "tcp-server:", "serial:", "pty:", "usb:", "pyusb:", "hci-socket:", "ws-client:")


@dataclass
class _Users:
    """The central of one event loop, as long as it has users."""

    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    adapter: Adapter | None = None
    count: int = 0


class Radio:
    """A radio: profiles to run, the address of a program that runs some, or a controller.

    place: `heart-rate`, a file, or several, separated by commas; `http://127.0.0.1:8080`; `tcp-client:127.0.0.1:40123`,
    `serial:/dev/ttyACM0`. The program starts with the first scan or connection, and ends with this process.
    """

    def __init__(self, place: str, *, agent: Agent | None = None, arguments: str = "") -> None:
        self.place, self.agent = place, agent or Agent()
        self.memory = Memory()
        self._arguments = shlex.split(arguments)
        self._users: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _Users] = weakref.WeakKeyDictionary()
        self._program: Program | None = None
        self._starting = Lock()

    @property
    def program(self) -> Program | None:
        """The program that it started or attached to."""
        return self._program

    def transport(self) -> str:
        """Returns the place where the central joins. Starts the program if necessary. Raises `UnderstudyError`."""
        if self.place.startswith(TRANSPORTS):
            return self.place
        with self._starting:
            if self._program is None or self._program.exit_code is not None:
                if self.place.startswith("http://"):
                    self._program = Program.attach(self.place, token=os.environ.get("UNDERSTUDY_HTTP_TOKEN"))
                else:
                    self._program = Program.start(*self.place.split(","), arguments=self._arguments)
            joining = self._program.air.joining
        if not joining:
            raise UnderstudyError(f"{self.place} has no virtual radio to join: name the controller of the central")
        return joining[0]

    async def acquire(self) -> Adapter:
        """Returns the central of this event loop; each `acquire` needs a `release`."""
        users = self._users.setdefault(asyncio.get_running_loop(), _Users())
        async with users.turn:
            if users.adapter is None or users.adapter.lost.done():
                try:
                    users.adapter = await Adapter.open(await asyncio.to_thread(self.transport), self.memory)
                except (CentralError, UnderstudyError, ValueError) as error:
                    raise BleakBluetoothNotAvailableError(
                        str(error), BleakBluetoothNotAvailableReason.NO_BLUETOOTH
                    ) from error
                users.adapter.agent = self.agent
                users.count = 0
            users.count += 1
            return users.adapter

    async def release(self, adapter: Adapter) -> None:
        """Releases the central; the last user closes it."""
        users = self._users[asyncio.get_running_loop()]
        async with users.turn:
            if users.adapter is not adapter:
                return
            users.count -= 1
            if users.count <= 0:
                users.adapter = None
                await adapter.close()

    def close(self) -> None:
        """Ends the program that it started."""
        if self._program:
            self._program.stop()
            self._program = None


_chosen: Radio | None = None


def use(radio: Radio | str | None, *, agent: Agent | None = None) -> Radio | None:
    """Selects the radio of the backends, and returns the previous one; None selects the radio of the environment."""
    global _chosen
    before, _chosen = _chosen, Radio(radio, agent=agent) if isinstance(radio, str) else radio
    return before


def current() -> Radio:
    """Returns the selected radio, or the radio of the environment."""
    global _chosen
    if _chosen is None:
        place = os.environ.get(PLACE, "")
        if place in ("", "0", "1"):
            raise BleakBluetoothNotAvailableError(
                f"nothing says which radio to use: set {PLACE} to a profile (heart-rate), the address of a running"
                " program (http://127.0.0.1:8080) or of a controller (tcp-client:127.0.0.1:40123), or call"
                " understudy.bleak.use",
                BleakBluetoothNotAvailableReason.NO_BLUETOOTH,
            )
        agent = agent_of(os.environ[AGENT]) if os.environ.get(AGENT) else None
        _chosen = Radio(place, agent=agent, arguments=os.environ.get(ARGUMENTS, ""))
    return _chosen
