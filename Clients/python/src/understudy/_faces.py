"""The common base of the blocking and the asyncio classes: everything that does not wait."""

from __future__ import annotations

from pathlib import Path

from understudy._accessory import AccessoryCore, ChannelCore, CharacteristicCore, ConnectionCore
from understudy._air import AirCore
from understudy._event import Event
from understudy._expectation import Mark, Witness
from understudy._program import ProgramCore
from understudy._wire import Endpoint
from understudy.errors import NotFound
from understudy.state import AccessorySummary

# Tracebacks in pytest show the lines of a test, not those of the client.
__tracebackhide__ = True


class WitnessFace:
    """An object that sees events."""

    @property
    def _witness(self) -> Witness:
        raise NotImplementedError

    @property
    def events(self) -> list[Event]:
        """Everything that has happened so far, in order."""
        return self._witness.events()

    def events_since(self, mark: Mark) -> list[Event]:
        """Returns the events since a mark, or after an event."""
        return self._witness.events(mark)

    def mark(self) -> int:
        """Marks the current position in the events, to search from it later. Events of requests may still be on their way."""
        return len(self._witness.journal.events)

    def transcript(self, since: Mark = 0) -> str:
        """Returns the events from that position on, one per line, with times."""
        return self._witness.transcript(since)


class ProgramFace(WitnessFace):
    """A program, without the operations that wait."""

    def __init__(self, core: ProgramCore) -> None:
        self._core = core

    @property
    def _witness(self) -> Witness:
        return self._core.witness

    @property
    def endpoint(self) -> Endpoint | None:
        """The endpoint of its control API."""
        return self._core.endpoint

    @property
    def capture(self) -> Path | None:
        """The capture file that it was started with."""
        return self._core.capture

    @property
    def pid(self) -> int | None:
        """The ID of its process; None if it was attached to."""
        return self._core.process.pid if self._core.process else None

    @property
    def exit_code(self) -> int | None:
        """Its exit code, negative for a signal; None while it runs, or if it was attached to."""
        return self._core.process.exit_code if self._core.process else None

    @property
    def errors(self) -> str:
        """Its standard error output."""
        return self._core.process.errors if self._core.process else ""

    @property
    def output(self) -> list[str]:
        """The lines of its output that are not events."""
        return self._core.process.output if self._core.process else []

    def report(self) -> str:
        """Reports on the run: the command line, the events, and the program's other output."""
        return self._core.report()

    def write(self, octets: bytes) -> None:
        """Writes to its standard input, if it was launched with `takes_input`."""
        if self._core.process:
            self._core.process.write(octets)

    def send_signal(self, number: int) -> None:
        """Sends a signal to the process."""
        if self._core.process:
            self._core.process.send_signal(number)

    def _accessory_core(self, name: str | None) -> AccessoryCore:
        members = self._core.members
        known = ", ".join(member.id for member in members)
        if name is None and len(members) != 1:
            raise NotFound(404, f"there are {len(members)} accessories: say which (known: {known})")
        name = members[0].id if name is None else name
        if all(member.id != name for member in members):
            raise NotFound(404, f"there is no accessory {name} (known: {known})")
        return AccessoryCore(self._core, name)


class AccessoryFace(WitnessFace):
    """An accessory, without the operations that wait."""

    def __init__(self, core: AccessoryCore) -> None:
        self._core = core

    @property
    def _witness(self) -> Witness:
        return self._core.witness

    @property
    def summary(self) -> AccessorySummary:
        """The program's report about it at the start."""
        return next(member for member in self._core.program.members if member.id == self._core.name)

    @property
    def id(self) -> str:
        """Its name in the paths of the control API, and in events if several accessories run."""
        return self._core.name

    @property
    def name(self) -> str:
        """The name that the profile gives it."""
        return self.summary.name

    @property
    def address(self) -> str:
        """Its address when it went on the air."""
        return str(self.summary.address)

    @property
    def address_type(self) -> str:
        """`public` or `random`."""
        return str(self.summary.address_type)


class AirFace(WitnessFace):
    """A virtual radio, without the operations that wait."""

    def __init__(self, core: AirCore) -> None:
        self._core = core

    @property
    def _witness(self) -> Witness:
        return self._core.witness

    @property
    def joining(self) -> list[str]:
        """The places where hosts can join, as names for Bumble's `open_transport`: `tcp-client:127.0.0.1:40123`."""
        return list(self._core.program.joining)

    @property
    def ports(self) -> list[int]:
        """The TCP ports in `joining`."""
        places = [place.removeprefix("tcp-client:") for place in self.joining if place.startswith("tcp-client:")]
        return [int(place.split(",")[0].rpartition(":")[2]) for place in places]


class CharacteristicFace:
    """A characteristic, without the operations that wait."""

    def __init__(self, core: CharacteristicCore) -> None:
        self._core = core

    @property
    def id(self) -> str:
        """Its id in the profile or its UUID, whichever was used to look it up."""
        return self._core.id


class ConnectionFace:
    """A connection, without the operations that wait."""

    def __init__(self, core: ConnectionCore) -> None:
        self._core = core

    @property
    def handle(self) -> int:
        """The connection handle."""
        return self._core.handle


class ChannelFace:
    """A channel, without the operations that wait."""

    def __init__(self, core: ChannelCore) -> None:
        self._core = core

    @property
    def connection(self) -> int:
        """The connection handle."""
        return self._core.connection

    @property
    def number(self) -> int:
        """The channel number on this side."""
        return self._core.channel
