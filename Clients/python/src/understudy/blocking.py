"""Accessories, their program and the virtual radio, for code that blocks."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Self, Unpack

from understudy import aio
from understudy._accessory import AccessoryCore, ChannelCore, CharacteristicCore, ConnectionCore
from understudy._air import AirCore
from understudy._answering import Answering, Reply
from understudy._event import Event
from understudy._faces import AccessoryFace, AirFace, ChannelFace, CharacteristicFace, ConnectionFace, ProgramFace
from understudy._options import Profile, StartOptions
from understudy._program import ANSWER_WITHIN, ProgramCore
from understudy._program import exchange as _exchange
from understudy._steps import blocking, run
from understudy._wire import Answer, Endpoint

# Tracebacks in pytest show the lines of a test, not those of the client.
__tracebackhide__ = True

__all__ = ["Accessory", "Air", "Channel", "Characteristic", "Connection", "Program", "exchange"]


def exchange(
    url: str, method: str, path: str, body: Any = None, *, token: str | None = None, within: float = ANSWER_WITHIN
) -> Answer:
    """Sends any request to a control API, and returns the response, whatever its status. Raises `Unreachable`."""
    return run(_exchange(Endpoint.parse(url, token), method, path, body, within))


class Characteristic(CharacteristicFace):
    """A characteristic of an accessory."""

    report = blocking(CharacteristicCore.report)
    read = blocking(CharacteristicCore.read)
    set = blocking(CharacteristicCore.set)
    notify = blocking(CharacteristicCore.notify)
    indicate = blocking(CharacteristicCore.indicate)
    authorize = blocking(CharacteristicCore.authorize)

    @property
    def value(self) -> Any:
        """The value, decoded by the characteristic's format. It can be set, also to octets."""
        return self.read()

    @value.setter
    def value(self, value: Any) -> None:
        self.set(value)

    @property
    def octets(self) -> bytes:
        """The octets of the value."""
        return self.report().octets


class Connection(ConnectionFace):
    """A connection of an accessory."""

    state = blocking(ConnectionCore.state)
    disconnect = blocking(ConnectionCore.disconnect)
    request_parameters = blocking(ConnectionCore.request_parameters)
    pair = blocking(ConnectionCore.pair)
    open_channels = blocking(ConnectionCore.open_channels)
    remote = blocking(ConnectionCore.remote)
    discover = blocking(ConnectionCore.discover)
    read = blocking(ConnectionCore.read)
    write = blocking(ConnectionCore.write)
    subscribe = blocking(ConnectionCore.subscribe)


class Channel(ChannelFace):
    """An L2CAP channel."""

    state = blocking(ChannelCore.state)
    send = blocking(ChannelCore.send)
    close = blocking(ChannelCore.close)


class Air(AirFace):
    """A virtual radio: the places where hosts join, and its impairments."""

    @classmethod
    def start(cls, **options: Unpack[StartOptions]) -> Self:
        """Starts a radio without accessories, which ends with `stop` or the end of a `with` block."""
        return cls(AirCore(run(ProgramCore.start("radio", [], options))))

    @classmethod
    def attach(cls, url: str, *, token: str | None = None) -> Self:
        """Attaches to the radio of a running program.

        Only a client that has started a radio without accessories sees its events.
        """
        return cls(AirCore(run(ProgramCore.attach(url, token))))

    @property
    def program(self) -> Program:
        """The program that contains the radio."""
        return Program(self._core.program)

    @property
    def aio(self) -> aio.Air:
        """The same radio for asyncio."""
        return aio.Air(self._core)

    state = blocking(AirCore.state)
    impair = blocking(AirCore.impair)
    clear = blocking(AirCore.clear)
    impair_controller = blocking(AirCore.impair_controller)
    clear_controller = blocking(AirCore.clear_controller)
    restart = blocking(AirCore.restart)
    advance = blocking(AirCore.advance)
    expect = blocking(AirCore.expect)
    expect_all = blocking(AirCore.expect_all)
    expect_none = blocking(AirCore.expect_none)

    def stop(self) -> int | None:
        """Ends the program that contains it."""
        return self.program.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()


class Accessory(AccessoryFace):
    """An accessory: `accessory["measurement"].notify({"bpm": 190})`, `accessory.expect("write", value=7)`."""

    @classmethod
    def start(cls, profile: Profile, /, **options: Unpack[StartOptions]) -> Self:
        """Starts a program with one accessory and waits until it is on the air.

        `stop` or the end of a `with` block ends it.
        """
        program = Program.start(profile, **options)
        return cls(program.accessory()._core)

    @classmethod
    def attach(
        cls, url: str, *, token: str | None = None, name: str | None = None, after: int | None = None
    ) -> Self:
        """Attaches to an accessory of a running program, by its name if there are several.

        after: the number (`Event.sequence`) after which its events start, 0 for all that are kept; default: from now on.
        """
        return cls(Program.attach(url, token=token, after=after).accessory(name)._core)

    @property
    def program(self) -> Program:
        """The program that runs it."""
        return Program(self._core.program)

    @property
    def air(self) -> Air:
        """The virtual radio that it is on."""
        return Air(AirCore(self._core.program))

    @property
    def aio(self) -> aio.Accessory:
        """The same accessory for asyncio."""
        return aio.Accessory(self._core)

    def __getitem__(self, characteristic: str) -> Characteristic:
        """Returns a characteristic by its id in the profile, or by its UUID if only one has it."""
        return Characteristic(CharacteristicCore(self._core, characteristic))

    def connection(self, connection: int | Event) -> Connection:
        """Returns a connection by its handle, or the connection of an event."""
        return Connection(ConnectionCore(self._core, connection))

    def channel(self, connection: int | Event, channel: int | None = None) -> Channel:
        """Returns a channel by its connection and number, or the channel of an event."""
        return Channel(ChannelCore(self._core, connection, channel))

    def answering(self, reply: Reply, /, **fields: Any) -> Answering:
        """Returns a context manager in which a function answers the questions with the given fields.

        The function gets the event `question` and returns the arguments of `answer`, such as `{"value": 7}`, or None to
        leave the question unanswered.
        """
        return Answering(self._core, reply, fields)

    state = blocking(AccessoryCore.state)
    connections = blocking(AccessoryCore.connections)
    reset = blocking(AccessoryCore.reset)
    snapshot = blocking(AccessoryCore.snapshot)
    restore = blocking(AccessoryCore.restore)
    characteristics = blocking(AccessoryCore.characteristics)
    services = blocking(AccessoryCore.services)
    add_service = blocking(AccessoryCore.add_service)
    replace_service = blocking(AccessoryCore.replace_service)
    remove_service = blocking(AccessoryCore.remove_service)
    authorize_service = blocking(AccessoryCore.authorize_service)
    advertising = blocking(AccessoryCore.advertising)
    start_advertising = blocking(AccessoryCore.start_advertising)
    stop_advertising = blocking(AccessoryCore.stop_advertising)
    set_modes = blocking(AccessoryCore.set_modes)
    faults = blocking(AccessoryCore.faults)
    arm = blocking(AccessoryCore.arm)
    disarm = blocking(AccessoryCore.disarm)
    questions = blocking(AccessoryCore.questions)
    answer = blocking(AccessoryCore.answer)
    security = blocking(AccessoryCore.security)
    set_security = blocking(AccessoryCore.set_security)
    bonds = blocking(AccessoryCore.bonds)
    remove_bond = blocking(AccessoryCore.remove_bond)
    alter_bond = blocking(AccessoryCore.alter_bond)
    export_bonds = blocking(AccessoryCore.export_bonds)
    import_bonds = blocking(AccessoryCore.import_bonds)
    channels = blocking(AccessoryCore.channels)
    published = blocking(AccessoryCore.published)
    publish = blocking(AccessoryCore.publish)
    unpublish = blocking(AccessoryCore.unpublish)
    authorize_channels = blocking(AccessoryCore.authorize_channels)
    notifications = blocking(AccessoryCore.notifications)
    add_notification = blocking(AccessoryCore.add_notification)
    change_notification = blocking(AccessoryCore.change_notification)
    remove_notification = blocking(AccessoryCore.remove_notification)
    expect = blocking(AccessoryCore.expect)
    expect_all = blocking(AccessoryCore.expect_all)
    expect_none = blocking(AccessoryCore.expect_none)

    def stop(self) -> int | None:
        """Ends the program that runs it, or the connection to it."""
        return self.program.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()


class Program(ProgramFace):
    """A program that runs accessories."""

    @classmethod
    def start(cls, *profiles: Profile, **options: Unpack[StartOptions]) -> Self:
        """Starts a program with these accessories and waits until all are on the air. Raises `StartFailed`."""
        return cls(run(ProgramCore.start("run", profiles, options)))

    @classmethod
    def launch(
        cls,
        *arguments: str | os.PathLike[str],
        executable: str | os.PathLike[str] | None = None,
        environment: Mapping[str, str] | None = None,
        user: int | None = None,
        takes_input: bool = False,
    ) -> Self:
        """Runs the program with any command line, without waiting; with `--json` it has events.

        user: the UID that it runs under. takes_input: whether `write` can write to its standard input.
        """
        return cls(
            ProgramCore.launch(
                *[os.fspath(argument) for argument in arguments],
                executable=executable,
                environment=environment,
                user=user,
                takes_input=takes_input,
            )
        )

    @classmethod
    def attach(cls, url: str, *, token: str | None = None, after: int | None = None) -> Self:
        """Attaches to a running program by the address of its control API.

        after: the number (`Event.sequence`) after which its events start, 0 for all that are kept; default: from now on.
        """
        return cls(run(ProgramCore.attach(url, token, after)))

    @property
    def accessories(self) -> list[Accessory]:
        """All its accessories."""
        return [self.accessory(member.id) for member in self._core.members]

    def accessory(self, name: str | None = None) -> Accessory:
        """Returns an accessory by its name in `/v1/accessories`, or the only one. Each has its own position in the events."""
        return Accessory(self._accessory_core(name))

    @property
    def air(self) -> Air:
        """The program's virtual radio."""
        return Air(AirCore(self._core))

    exchange = blocking(ProgramCore.exchange)
    wait = blocking(ProgramCore.wait)
    stop = blocking(ProgramCore.stop)
    kill = blocking(ProgramCore.kill)
    expect = blocking(ProgramCore.expect)
    expect_all = blocking(ProgramCore.expect_all)
    expect_none = blocking(ProgramCore.expect_none)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()
