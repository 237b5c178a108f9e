"""A running shipped profile with a central, and a user who presses its buttons."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bumble import att

from conftest import Stage
from support.attributes import CharacteristicEntry, ServiceEntry, characteristics, described
from support.central import Central, Session
from support.controllers import LOOPBACK
from support.program import Program, describe
from support.web import Client


@dataclass
class Thing:
    """A connection with an accessory; characteristics have the ids of its profile."""

    program: Program
    client: Client
    stage: Stage
    central: Central
    session: Session
    services: list[ServiceEntry]

    @property
    def entries(self) -> dict[str, CharacteristicEntry]:
        return {entry.id: entry for entry in characteristics(self.services) if entry.id}

    def handle(self, name: str) -> int:
        return self.entries[name].value_handle

    async def again(self, *, pair: bool = False) -> None:
        """Connects again, when the accessory advertises again."""
        connection = await asyncio.wait_for(self.central.connect(self.stage.address), 30)
        self.session = connection
        if pair:
            await asyncio.wait_for(self.session.connection.pair(), 30)

    async def read(self, name: str) -> bytes:
        return await self.session.read(self.handle(name))

    async def write(self, name: str, value: bytes) -> None:
        await self.session.write(self.handle(name), value)

    async def command(self, name: str, value: bytes) -> None:
        """Writes without a response; a following read shows when it has been processed."""
        await self.session.command(self.handle(name), value)

    async def error(self, name: str, value: bytes) -> int:
        """Returns the error of a refused write."""
        return await self.session.error(
            att.ATT_Write_Request(attribute_handle=self.handle(name), attribute_value=value)
        )

    async def subscribe(self, *names: str) -> None:
        for name in names:
            await self.session.subscribe(self.handle(name))

    async def values(self, name: str, count: int) -> list[bytes]:
        """Returns the first notifications of a characteristic."""
        arrivals = await self.session.arrivals(count, self.handle(name))
        return [pdu.attribute_value for _, pdu in arrivals]

    def so_far(self, name: str) -> int:
        return len(self.session.values(self.handle(name)))

    async def next(self, name: str, seen: int) -> bytes:
        """Returns the notification after those that were returned already."""
        return (await self.values(name, seen + 1))[seen]

    async def press(self, button: str) -> None:
        answer = await self.client.post(f"/v1/buttons/{button}")
        assert answer.status < 300, answer.body

    async def put(self, name: str, value: Any) -> None:
        answer = await self.client.put(f"/v1/characteristics/{name}/value", {"value": value})
        assert answer.status < 300, answer.body

    async def state(self, name: str) -> None:
        await self.program.event("state", state=name)


async def play(
    stage: Stage,
    profile: str,
    *options: str,
    pair: bool = False,
    mtu: int | None = 185,
    prepare: Callable[[Central], None] = lambda central: None,
) -> Thing:
    """Runs a shipped profile and connects; `pair` also pairs and bonds with Just Works.

    `prepare` prepares the central before that.
    """
    program = await stage.run(profile, "--http", f"{LOOPBACK}:0", *options)
    client = Client(LOOPBACK, (await program.event("http"))["port"])
    services = described(await describe(profile))
    central = await stage.central()
    prepare(central)
    session = await central.connect(stage.address)
    if mtu is not None:
        await session.exchange_mtu(mtu)
    if pair:
        await asyncio.wait_for(session.connection.pair(), 30)
    return Thing(program, client, stage, central, session, services)
