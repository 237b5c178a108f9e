"""Accessories, their program and the virtual radio for asyncio: the same as in `understudy`, with `await`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NoReturn, Self, Unpack

from understudy._accessory import AccessoryCore, ChannelCore, CharacteristicCore, ConnectionCore
from understudy._air import AirCore
from understudy._answering import AsyncAnswering, Reply
from understudy._event import Event
from understudy._faces import AccessoryFace, AirFace, ChannelFace, CharacteristicFace, ConnectionFace, ProgramFace
from understudy._options import Profile, StartOptions
from understudy._program import ANSWER_WITHIN, ProgramCore
from understudy._program import exchange as _exchange
from understudy._steps import Opening, awaiting, run_async
from understudy._wire import Answer, Endpoint

# Tracebacks in pytest show the lines of a test, not those of the client.
__tracebackhide__ = True

__all__ = ["Accessory", "Air", "Channel", "Characteristic", "Connection", "Program", "exchange"]


async def exchange(
    url: str, method: str, path: str, body: Any = None, *, token: str | None = None, within: float = ANSWER_WITHIN
) -> Answer:
    """Sends any request to a control API, and returns the response, whatever its status. Raises `Unreachable`."""
    return await run_async(_exchange(Endpoint.parse(url, token), method, path, body, within))


class Characteristic(CharacteristicFace):
    """A characteristic of an accessory."""

    @property
    def value(self) -> NoReturn:
        """Raises an error: reading and setting a value need `await`: `await level.read()` and `await level.set(7)`."""
        raise AttributeError(f"use `await accessory[{self.id!r}].read()`: with asyncio there is no `value`")

    @value.setter
    def value(self, value: Any) -> NoReturn:
        raise AttributeError(f"use `await accessory[{self.id!r}].set({value!r})`: with asyncio there is no `value`")

    report = awaiting(CharacteristicCore.report)
    read = awaiting(CharacteristicCore.read)
    set = awaiting(CharacteristicCore.set)
    notify = awaiting(CharacteristicCore.notify)
    indicate = awaiting(CharacteristicCore.indicate)
    authorize = awaiting(CharacteristicCore.authorize)


class Connection(ConnectionFace):
    """A connection of an accessory."""

    state = awaiting(ConnectionCore.state)
    disconnect = awaiting(ConnectionCore.disconnect)
    request_parameters = awaiting(ConnectionCore.request_parameters)
    pair = awaiting(ConnectionCore.pair)
    open_channels = awaiting(ConnectionCore.open_channels)
    remote = awaiting(ConnectionCore.remote)
    discover = awaiting(ConnectionCore.discover)
    read = awaiting(ConnectionCore.read)
    write = awaiting(ConnectionCore.write)
    subscribe = awaiting(ConnectionCore.subscribe)


class Channel(ChannelFace):
    """An L2CAP channel."""

    state = awaiting(ChannelCore.state)
    send = awaiting(ChannelCore.send)
    close = awaiting(ChannelCore.close)


class Air(AirFace):
    """A virtual radio: the places where hosts join, and its impairments."""

    @classmethod
    def start(cls, **options: Unpack[StartOptions]) -> Opening[Self]:
        """Starts a radio without accessories, which ends with `stop` or the end of an `async with` block."""

        async def begin() -> Self:
            return cls(AirCore(await run_async(ProgramCore.start("radio", [], options))))

        return Opening(begin)

    @classmethod
    def attach(cls, url: str, *, token: str | None = None) -> Opening[Self]:
        """Attaches to the radio of a running program.

        Only a client that has started a radio without accessories sees its events.
        """

        async def begin() -> Self:
            return cls(AirCore(await run_async(ProgramCore.attach(url, token))))

        return Opening(begin)

    @property
    def program(self) -> Program:
        """The program that contains the radio."""
        return Program(self._core.program)

    state = awaiting(AirCore.state)
    impair = awaiting(AirCore.impair)
    clear = awaiting(AirCore.clear)
    impair_controller = awaiting(AirCore.impair_controller)
    clear_controller = awaiting(AirCore.clear_controller)
    restart = awaiting(AirCore.restart)
    advance = awaiting(AirCore.advance)
    expect = awaiting(AirCore.expect)
    expect_all = awaiting(AirCore.expect_all)
    expect_none = awaiting(AirCore.expect_none)

    async def stop(self) -> int | None:
        """Ends the program that contains it."""
        return await self.program.stop()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.stop()


class Accessory(AccessoryFace):
    """An accessory: `await accessory["level"].notify(7)`, `await accessory.expect("write", value=7)`."""

    @classmethod
    def start(cls, profile: Profile, /, **options: Unpack[StartOptions]) -> Opening[Self]:
        """Starts a program with one accessory and waits until it is on the air.

        `stop` or the end of `async with` ends it.
        """

        async def begin() -> Self:
            return cls((await Program.start(profile, **options)).accessory()._core)

        return Opening(begin)

    @classmethod
    def attach(
        cls, url: str, *, token: str | None = None, name: str | None = None, after: int | None = None
    ) -> Opening[Self]:
        """Attaches to an accessory of a running program, by its name if there are several.

        after: the number (`Event.sequence`) after which its events start, 0 for all that are kept; default: from now on.
        """

        async def begin() -> Self:
            return cls((await Program.attach(url, token=token, after=after)).accessory(name)._core)

        return Opening(begin)

    @property
    def program(self) -> Program:
        """The program that runs it."""
        return Program(self._core.program)

    @property
    def air(self) -> Air:
        """The virtual radio that it is on."""
        return Air(AirCore(self._core.program))

    def __getitem__(self, characteristic: str) -> Characteristic:
        """Returns a characteristic by its id in the profile, or by its UUID if only one has it."""
        return Characteristic(CharacteristicCore(self._core, characteristic))

    def connection(self, connection: int | Event) -> Connection:
        """Returns a connection by its handle, or the connection of an event."""
        return Connection(ConnectionCore(self._core, connection))

    def channel(self, connection: int | Event, channel: int | None = None) -> Channel:
        """Returns a channel by its connection and number, or the channel of an event."""
        return Channel(ChannelCore(self._core, connection, channel))

    def answering(self, reply: Reply, /, **fields: Any) -> AsyncAnswering:
        """Returns a context manager in which a function answers the questions with the given fields.

        The function gets the event `question` and returns the arguments of `answer`, such as `{"value": 7}`, or None to
        leave the question unanswered.
        """
        return AsyncAnswering(self._core, reply, fields)

    state = awaiting(AccessoryCore.state)
    connections = awaiting(AccessoryCore.connections)
    reset = awaiting(AccessoryCore.reset)
    snapshot = awaiting(AccessoryCore.snapshot)
    restore = awaiting(AccessoryCore.restore)
    characteristics = awaiting(AccessoryCore.characteristics)
    services = awaiting(AccessoryCore.services)
    add_service = awaiting(AccessoryCore.add_service)
    replace_service = awaiting(AccessoryCore.replace_service)
    remove_service = awaiting(AccessoryCore.remove_service)
    authorize_service = awaiting(AccessoryCore.authorize_service)
    advertising = awaiting(AccessoryCore.advertising)
    start_advertising = awaiting(AccessoryCore.start_advertising)
    stop_advertising = awaiting(AccessoryCore.stop_advertising)
    set_modes = awaiting(AccessoryCore.set_modes)
    faults = awaiting(AccessoryCore.faults)
    arm = awaiting(AccessoryCore.arm)
    disarm = awaiting(AccessoryCore.disarm)
    questions = awaiting(AccessoryCore.questions)
    answer = awaiting(AccessoryCore.answer)
    security = awaiting(AccessoryCore.security)
    set_security = awaiting(AccessoryCore.set_security)
    bonds = awaiting(AccessoryCore.bonds)
    remove_bond = awaiting(AccessoryCore.remove_bond)
    alter_bond = awaiting(AccessoryCore.alter_bond)
    export_bonds = awaiting(AccessoryCore.export_bonds)
    import_bonds = awaiting(AccessoryCore.import_bonds)
    channels = awaiting(AccessoryCore.channels)
    published = awaiting(AccessoryCore.published)
    publish = awaiting(AccessoryCore.publish)
    unpublish = awaiting(AccessoryCore.unpublish)
    authorize_channels = awaiting(AccessoryCore.authorize_channels)
    notifications = awaiting(AccessoryCore.notifications)
    add_notification = awaiting(AccessoryCore.add_notification)
    change_notification = awaiting(AccessoryCore.change_notification)
    remove_notification = awaiting(AccessoryCore.remove_notification)
    expect = awaiting(AccessoryCore.expect)
    expect_all = awaiting(AccessoryCore.expect_all)
    expect_none = awaiting(AccessoryCore.expect_none)

    async def stop(self) -> int | None:
        """Ends the program that runs it, or the connection to it."""
        return await self.program.stop()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.stop()


class Program(ProgramFace):
    """A program that runs accessories."""

    @classmethod
    def start(cls, *profiles: Profile, **options: Unpack[StartOptions]) -> Opening[Self]:
        """Starts a program with these accessories and waits until all are on the air. Raises `StartFailed`."""

        async def begin() -> Self:
            return cls(await run_async(ProgramCore.start("run", profiles, options)))

        return Opening(begin)

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
    def attach(cls, url: str, *, token: str | None = None, after: int | None = None) -> Opening[Self]:
        """Attaches to a running program by the address of its control API.

        after: the number (`Event.sequence`) after which its events start, 0 for all that are kept; default: from now on.
        """

        async def begin() -> Self:
            return cls(await run_async(ProgramCore.attach(url, token, after)))

        return Opening(begin)

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

    exchange = awaiting(ProgramCore.exchange)
    wait = awaiting(ProgramCore.wait)
    stop = awaiting(ProgramCore.stop)
    kill = awaiting(ProgramCore.kill)
    expect = awaiting(ProgramCore.expect)
    expect_all = awaiting(ProgramCore.expect_all)
    expect_none = awaiting(ProgramCore.expect_none)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.stop()
