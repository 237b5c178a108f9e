"""What the blocking and the asyncio classes have in common: everything that takes no time."""

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

# pytest shows the lines of a test, not those of the client.
__tracebackhide__ = True


class WitnessFace:
    """Who sees events."""

    @property
    def _witness(self) -> Witness:
        raise NotImplementedError

    @property
    def events(self) -> list[Event]:
        """Everything that has happened so far, in order."""
        return self._witness.events()

    def events_since(self, mark: Mark) -> list[Event]:
        """What has happened since a mark, or behind an event."""
        return self._witness.events(mark)

    def mark(self) -> int:
        """This moment among the events, to look from there later. Events of requests may still be on their way."""
        return len(self._witness.journal.events)

    def transcript(self, since: Mark = 0) -> str:
        """What has happened from there on, an event a line, with times."""
        return self._witness.transcript(since)


class ProgramFace(WitnessFace):
    """A program, without what takes time."""

    def __init__(self, core: ProgramCore) -> None:
        self._core = core

    @property
    def _witness(self) -> Witness:
        return self._core.witness

    @property
    def endpoint(self) -> Endpoint | None:
        """Where its control API is."""
        return self._core.endpoint

    @property
    def capture(self) -> Path | None:
        """The capture file that it was started with."""
        return self._core.capture

    @property
    def pid(self) -> int | None:
        """Its process; None where it was attached to."""
        return self._core.process.pid if self._core.process else None

    @property
    def exit_code(self) -> int | None:
        """Its exit code, negative for a signal; None while it runs, and where it was attached to."""
        return self._core.process.exit_code if self._core.process else None

    @property
    def errors(self) -> str:
        """What it has said on standard error."""
        return self._core.process.errors if self._core.process else ""

    @property
    def output(self) -> list[str]:
        """Lines of its output that are no events."""
        return self._core.process.output if self._core.process else []

    def report(self) -> str:
        """All that is known of the run: the command line, what happened, and what the program said besides."""
        return self._core.report()

    def write(self, octets: bytes) -> None:
        """Writes to its standard input, where it was launched to take any."""
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
    """An accessory, without what takes time."""

    def __init__(self, core: AccessoryCore) -> None:
        self._core = core

    @property
    def _witness(self) -> Witness:
        return self._core.witness

    @property
    def summary(self) -> AccessorySummary:
        """What the program said of it at the start."""
        return next(member for member in self._core.program.members if member.id == self._core.name)

    @property
    def id(self) -> str:
        """Its name in the paths of the control API, and in events where several run."""
        return self._core.name

    @property
    def name(self) -> str:
        """The name that the profile gives it."""
        return self.summary.name

    @property
    def address(self) -> str:
        """Its address when it came on the air."""
        return str(self.summary.address)

    @property
    def address_type(self) -> str:
        """`public` or `random`."""
        return str(self.summary.address_type)


class AirFace(WitnessFace):
    """A virtual radio, without what takes time."""

    def __init__(self, core: AirCore) -> None:
        self._core = core

    @property
    def _witness(self) -> Witness:
        return self._core.witness

    @property
    def joining(self) -> list[str]:
        """Where hosts can join, as Bumble's `open_transport` takes it: `tcp-client:127.0.0.1:40123`."""
        return list(self._core.program.joining)

    @property
    def ports(self) -> list[int]:
        """The TCP ports among these."""
        places = [place.removeprefix("tcp-client:") for place in self.joining if place.startswith("tcp-client:")]
        return [int(place.split(",")[0].rpartition(":")[2]) for place in places]


class CharacteristicFace:
    """A characteristic, without what takes time."""

    def __init__(self, core: CharacteristicCore) -> None:
        self._core = core

    @property
    def id(self) -> str:
        """Its id in the profile, or its UUID, as it was asked for."""
        return self._core.id


class ConnectionFace:
    """A connection, without what takes time."""

    def __init__(self, core: ConnectionCore) -> None:
        self._core = core

    @property
    def handle(self) -> int:
        """The connection handle."""
        return self._core.handle


class ChannelFace:
    """A channel, without what takes time."""

    def __init__(self, core: ChannelCore) -> None:
        self._core = core

    @property
    def connection(self) -> int:
        """The connection handle."""
        return self._core.connection

    @property
    def number(self) -> int:
        """Its end on this side."""
        return self._core.channel
