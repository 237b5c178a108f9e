"""Two users who pair: one at a central based on Bumble's host, one at the accessory, who answers over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from bumble import hci, smp
from bumble.core import ProtocolError
from bumble.device import Connection, ConnectionParametersPreferences, Device, Peer
from bumble.pairing import PairingConfig, PairingDelegate
from understudy import Event

from support.central import Central, Session
from support.program import Program
from support.web import Client

# The shortest interval, so that the 20 rounds of a passkey take little time.
FAST = {
    hci.Phy.LE_1M: ConnectionParametersPreferences(
        connection_interval_min=7.5, connection_interval_max=7.5, supervision_timeout=2000
    )
}
PATIENCE = 30
# The digits that both users type if neither sees any.
CHOSEN = 471100

Capability = PairingDelegate.IoCapability
# The names in profiles for the capabilities of Core 5.4 Vol 3 Part H 2.3.2.
CAPABILITIES = {
    "display": Capability.DISPLAY_OUTPUT_ONLY,
    "compare": Capability.DISPLAY_OUTPUT_AND_YES_NO_INPUT,
    "keyboard": Capability.KEYBOARD_INPUT_ONLY,
    "just-works": Capability.NO_OUTPUT_NO_INPUT,
    "keyboard-display": Capability.DISPLAY_OUTPUT_AND_KEYBOARD_INPUT,
}


def expected_model(central: str, accessory: str, *, secure: bool) -> tuple[str, str | None]:
    """Returns the association model and who types: Core 5.4 Vol 3 Part H 2.3.5.1, table 2.8."""
    capabilities = (central, accessory)
    has_keyboard = {"keyboard", "keyboard-display"}
    if "just-works" in capabilities or not has_keyboard & set(capabilities):
        both_compare = capabilities == ("compare", "compare")
        return ("numeric-comparison", None) if both_compare and secure else ("just-works", None)
    if secure and set(capabilities) <= {"compare", "keyboard-display"}:
        return "numeric-comparison", None
    if capabilities == ("keyboard", "keyboard"):
        return "passkey-entry", "both"
    # The side without a display types; if both have keyboard and display, the responder does.
    if accessory == "keyboard" or (accessory == "keyboard-display" and central != "keyboard"):
        return "passkey-entry", "accessory"
    return "passkey-entry", "central"


class ShorteningSession(smp.Session):
    """Shortens keys as negotiated, with zeros (Core 5.4 Vol 3 Part H 2.3.4): Bumble negotiates the size, but uses all 16 octets."""

    def start_encryption(self, key: bytes) -> None:
        size = self.maximum_encryption_key_size
        super().start_encryption(key[:size] + bytes(16 - size))


class User(PairingDelegate):
    """The user of the central, who sees the accessory's display."""

    def __init__(self, capability: Capability, **arguments: Any) -> None:
        super().__init__(capability, **arguments)
        loop = asyncio.get_running_loop()
        # The digits that each side shows.
        self.shown: asyncio.Future[int] = loop.create_future()
        self.seen: asyncio.Future[int] = loop.create_future()
        self.compared: list[int] = []
        # The user's mistakes.
        self.mistypes = False
        self.disagrees = False
        self.types_chosen = False
        # Whether the pairing should succeed.
        self.works = True

    async def generate_passkey(self) -> int:
        # Bumble asserts that a passkey is not 0, although 0 is valid (Core 5.4 Vol 3 Part H 2.3.5.3).
        return await super().generate_passkey() or 1

    async def display_number(self, number: int, digits: int) -> None:
        if not self.shown.done():
            self.shown.set_result(number)

    async def get_number(self) -> int | None:
        number = CHOSEN if self.types_chosen else await self.seen
        return (number + 1) % 1_000_000 or 1 if self.mistypes else number

    async def compare_numbers(self, number: int, digits: int) -> bool:
        self.compared.append(number)
        return not self.disagrees and number == await self.seen


@dataclass
class Pairing:
    """A running accessory that pairs, and a central beside it."""

    program: Program
    client: Client
    central: Central
    address: hci.Address
    # The answers of the accessory's user.
    accepts: bool = True
    mistypes: bool = False
    asked: list[dict[str, Any]] = field(default_factory=list)

    @property
    def device(self) -> Device:
        return self.central.device

    async def policy(self, **keys: Any) -> dict[str, Any]:
        """Sets the accessory's pairing settings; `key_size` stands for `key-size`."""
        body = {name.replace("_", "-"): value for name, value in keys.items()}
        answer = await self.client.put("/v1/security", body)
        assert answer.status == 200, answer.body
        return answer.json

    def configure(self, user: User, *, secure: bool = True, mitm: bool = True, **keys: Any) -> None:
        """Sets the central's pairing settings."""
        configuration = PairingConfig(sc=secure, mitm=mitm, delegate=user, **{"bonding": True, **keys})
        self.device.pairing_config_factory = lambda _: configuration

    async def connect(self) -> Session:
        connection = await asyncio.wait_for(
            self.device.connect(self.address, connection_parameters_preferences=FAST), PATIENCE
        )
        return Session(connection, Peer(connection))

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[Session]:
        session = await self.connect()
        try:
            yield session
        finally:
            if not session.disconnected.done():
                await session.disconnect()
            await self.gone()

    async def gone(self) -> None:
        """Waits until the accessory has reported the end of every connection."""
        await self.program.count("disconnected", len(self.program.named("connected")))

    # Pairing

    async def pair(self, session: Session, user: User) -> None:
        """Pairs, with a user at each side; a failure raises Bumble's ProtocolError."""
        since = len(self.program.events)
        answering = asyncio.create_task(self._answer(user, since))
        try:
            await asyncio.wait_for(session.connection.pair(), PATIENCE)
        finally:
            # Python 3.11's wait_for may swallow a cancellation that comes together with the result.
            while not answering.done():
                answering.cancel()
                await asyncio.sleep(0)
            if not answering.cancelled():
                answering.result()

    async def _answer(self, user: User, since: int) -> None:
        while True:
            question = await self.program.event("question", since=since, timeout=60)
            since = question.index + 1
            self.asked.append(question.raw)
            if digits := question.get("digits"):
                assert len(digits) == 6
                if not user.seen.done():
                    user.seen.set_result(int(digits))
            match question["kind"]:
                case "passkey":
                    number = CHOSEN if user.types_chosen else await user.shown
                    number = (number + 1) % 1_000_000 if self.mistypes else number
                    await self.reply(question, {"value": number} if self.accepts else {"accept": False})
                case "comparison" | "consent":
                    await self.reply(question, {"accept": self.accepts})
                case "display" if not self.accepts:
                    await self.reply(question, {"accept": False})

    async def reply(self, question: Event, body: dict[str, Any]) -> None:
        answer = await self.client.post(f"/v1/questions/{question['ticket']}/answer", body)
        assert answer.status == 200, answer.body

    async def failure(self, session: Session, user: User) -> tuple[int, Event]:
        """Tries to pair and fails: returns the reason at the central, and the accessory's event."""
        since = len(self.program.events)
        try:
            await self.pair(session, user)
        except ProtocolError as error:
            return int(error.error_code), await self.program.event("pairing-failed", since=since)
        raise AssertionError("the pairing did not fail")

    async def security(self) -> dict[str, Any]:
        """Returns the security of the only connection."""
        (connection,) = (await self.client.get("/v1/accessory")).json["connections"]
        return connection["security"]


async def encrypt(connection: Connection) -> None:
    """Encrypts with the bond's key."""
    await asyncio.wait_for(connection.encrypt(), PATIENCE)
