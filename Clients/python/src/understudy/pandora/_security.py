"""Pandora's services Security and SecurityStorage."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

from google.protobuf.empty_pb2 import Empty
from google.protobuf.wrappers_pb2 import BoolValue
from pandora.security_grpc_aio import SecurityServicer, SecurityStorageServicer
from pandora.security_pb2 import (
    LEVEL0,
    LEVEL1,
    LEVEL2,
    LEVEL3,
    LEVEL4,
    LE_LEVEL1,
    LE_LEVEL2,
    LE_LEVEL3,
    LE_LEVEL4,
    DeleteBondRequest,
    IsBondedRequest,
    PairingEvent,
    PairingEventAnswer,
    SecureRequest,
    SecureResponse,
    WaitSecurityRequest,
    WaitSecurityResponse,
)

from understudy.errors import NotFound
from understudy.pandora._bell import Bell
from understudy.pandora._calls import Invalid, streaming, unary
from understudy.pandora._central import Central
from understudy.pandora._classic import ClassicCentral
from understudy.pandora._device import Device
from understudy.pandora._link import Link, text_of
from understudy.pandora._pairing import Pairings

# The values of `Link.protection` that reach each level (Core 5.4 Vol 3 Part C 10.2.1).
PROTECTIONS = ("none", "encrypted", "authenticated", "secure-connections")
LEVELS = {LE_LEVEL1: PROTECTIONS, LE_LEVEL2: PROTECTIONS[1:], LE_LEVEL3: PROTECTIONS[2:], LE_LEVEL4: PROTECTIONS[3:]}
# The same over BR/EDR (Core 5.4 Vol 3 Part C 5.2.2.8). Level 1 is encryption without more.
CLASSIC_LEVELS = {
    LEVEL0: PROTECTIONS,
    LEVEL1: PROTECTIONS[1:],
    LEVEL2: PROTECTIONS[1:],
    LEVEL3: PROTECTIONS[2:],
    LEVEL4: PROTECTIONS[3:],
}


class SecurityService(SecurityServicer):
    """Pairs, and waits for security."""

    def __init__(self, device: Device, pairings: Pairings) -> None:
        self.device = device
        self._pairings = pairings

    @property
    def bell(self) -> Bell:
        return self.device.bell

    @streaming
    async def OnPairing(
        self, request: AsyncIterator[PairingEventAnswer], context: Any
    ) -> AsyncGenerator[PairingEvent, None]:
        events = self._pairings.begin()
        answers = asyncio.create_task(self._take_answers(request))
        # The failure of this task must wake the call.
        answers.add_done_callback(lambda _: self.bell.ring())
        try:
            while True:
                await self.bell.until(lambda: True if not events.empty() or failed(answers) else None)
                if failed(answers):
                    await answers
                while not events.empty():
                    yield events.get_nowait()
        finally:
            answers.cancel()
            self._pairings.end()

    async def _take_answers(self, answers: AsyncIterator[PairingEventAnswer]) -> None:
        """Handles the client's answers. A client that sends no more answers still gets events."""
        async for answer in answers:
            self._pairings.answer(answer)

    @unary
    async def Secure(self, request: SecureRequest, context: Any) -> SecureResponse:
        link, protections = self._asked(request)
        before = Before(link)
        if link.protection in protections:
            return SecureResponse(success=Empty())
        await link.pair()
        return SecureResponse(**{await self._outcome(protections, before): Empty()})

    @unary
    async def WaitSecurity(self, request: WaitSecurityRequest, context: Any) -> WaitSecurityResponse:
        link, protections = self._asked(request)
        before = Before(link)

        def come() -> str | None:
            # A pairing that reaches a lower level does not end the wait.
            found = before.outcome(protections)
            return None if found == "not_reached" else found

        return WaitSecurityResponse(**{await self.bell.until(come): Empty()})

    def _asked(self, request: SecureRequest | WaitSecurityRequest) -> tuple[Link, tuple[str, ...]]:
        """Returns the link, and the protections that are enough."""
        link = self.device.known_link(request.connection.cookie.value)
        if link.is_classic:
            if request.WhichOneof("level") != "classic" or request.classic not in CLASSIC_LEVELS:
                raise Invalid("a connection over BR/EDR needs a security level of `classic`")
            return link, CLASSIC_LEVELS[request.classic]
        if request.WhichOneof("level") != "le" or request.le not in LEVELS:
            raise Invalid("an LE connection needs a security level of `le`")
        return link, LEVELS[request.le or LE_LEVEL1]

    async def _outcome(self, protections: tuple[str, ...], before: Before) -> str:
        return await self.bell.until(lambda: before.outcome(protections))


class Before:
    """The state of a link when a call began to wait for its security."""

    def __init__(self, link: Link) -> None:
        self._link, self._paired, self._failed = link, link.paired, link.failed

    def outcome(self, protections: tuple[str, ...]) -> str | None:
        """Returns the outcome by its name in Pandora; None while there is none."""
        reached = self._link.protection in protections
        if not self._link.is_open:
            return "connection_died"
        if self._link.failed > self._failed:
            return "pairing_failure"
        # Keys are distributed after encryption; only then is pairing complete.
        if reached and not self._link.is_pairing:
            return "success"
        # Over BR/EDR, encryption follows the pairing.
        is_done = self._link.protection != "none" or not self._link.is_classic
        return "not_reached" if self._link.paired > self._paired and is_done and not reached else None


def failed(answers: asyncio.Task[None]) -> bool:
    return answers.done() and not answers.cancelled() and answers.exception() is not None


class SecurityStorageService(SecurityStorageServicer):
    """The bonds of the accessory and of the centrals."""

    def __init__(self, device: Device, central: Central, classic: ClassicCentral) -> None:
        self.device, self._centrals = device, (central, classic)

    @property
    def bell(self) -> Bell:
        return self.device.bell

    @unary
    async def IsBonded(self, request: IsBondedRequest, context: Any) -> BoolValue:
        address = text_of(bytes(getattr(request, request.WhichOneof("address") or "", b"")))
        bonds = await self._bonds(request)
        return BoolValue(value=bool(bonds) or any(central.is_bonded(address) for central in self._centrals))

    @unary
    async def DeleteBond(self, request: DeleteBondRequest, context: Any) -> Empty:
        for bond in await self._bonds(request):
            try:
                await (await self.device.running()).remove_bond(bond)
            except NotFound:
                pass
        address = text_of(bytes(getattr(request, request.WhichOneof("address") or "", b"")))
        for central in self._centrals:
            await central.forget(address)
        return Empty()

    async def _bonds(self, request: IsBondedRequest | DeleteBondRequest) -> list[str]:
        """Returns the ids of the bonds with the request's identity address; none if the request has no address."""
        variant = request.WhichOneof("address")
        if variant is None:
            return []
        address = bytes(getattr(request, variant))
        if len(address) != 6:
            raise Invalid(f"an address has 6 octets, not {len(address)}")
        peer = {"peer": text_of(address), "peer_type": "public" if variant == "public" else "random"}
        return [bond.id for bond in await self.device.bonds() if peer.items() <= bond.raw.items()]
