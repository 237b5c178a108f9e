"""Agents, which answer the questions that pairing asks the user of the central."""

from __future__ import annotations

from typing import Literal, cast

from bumble.pairing import PairingDelegate

from understudy.central._errors import CentralError

Capability = Literal["display", "compare", "keyboard", "just-works", "keyboard-display"]
"""The input and output capabilities (Core 5.4 Vol 3 Part H 2.3.2), with the words of profiles."""

_CAPABILITIES = {
    "display": PairingDelegate.IoCapability.DISPLAY_OUTPUT_ONLY,
    "compare": PairingDelegate.IoCapability.DISPLAY_OUTPUT_AND_YES_NO_INPUT,
    "keyboard": PairingDelegate.IoCapability.KEYBOARD_INPUT_ONLY,
    "just-works": PairingDelegate.IoCapability.NO_OUTPUT_NO_INPUT,
    "keyboard-display": PairingDelegate.IoCapability.DISPLAY_OUTPUT_AND_KEYBOARD_INPUT,
}


class Rejected(CentralError):
    """The user has refused."""


class Agent:
    """Answers for the user. By default it agrees to everything and has no passkey; override its methods."""

    capability: Capability = "just-works"

    async def consent(self) -> None:
        """Returns if the user agrees to Just Works, pairing without a passkey or digits. Raises `Rejected`."""

    async def request_passkey(self) -> int:
        """Returns the passkey that the device shows, 0 to 999999. Raises `Rejected`."""
        raise Rejected("no passkey is known")

    async def display_passkey(self, passkey: int) -> None:
        """Shows the passkey that the user types at the device."""

    async def confirm(self, passkey: int) -> None:
        """Returns if the device shows the same six digits. Raises `Rejected`."""

    def cancelled(self) -> None:
        """Handles the failure of the pairing: no answer is needed any more."""


class FixedAgent(Agent):
    """An agent with a fixed capability, and the passkey that it types or shows."""

    def __init__(self, capability: Capability = "just-works", passkey: int | None = None) -> None:
        self.capability = capability
        self.passkey = passkey
        self.displayed: list[int] = []
        """The passkeys that it was asked to show or to compare."""

    async def request_passkey(self) -> int:
        return await super().request_passkey() if self.passkey is None else self.passkey

    async def display_passkey(self, passkey: int) -> None:
        self.displayed.append(passkey)

    async def confirm(self, passkey: int) -> None:
        self.displayed.append(passkey)


def agent_of(text: str) -> Agent:
    """Returns the agent for a word such as `compare`, or `keyboard:123456` with the passkey that it types."""
    capability, _, passkey = text.partition(":")
    if capability not in _CAPABILITIES or (passkey and not (passkey.isdecimal() and len(passkey) <= 6)):
        known = ", ".join(_CAPABILITIES)
        raise ValueError(f"{text!r} is no agent: write one of {known}, and a passkey after a colon (keyboard:123456)")
    return FixedAgent(cast(Capability, capability), int(passkey) if passkey else None)


class Delegate(PairingDelegate):
    """An agent as Bumble's pairing delegate."""

    def __init__(self, agent: Agent) -> None:
        super().__init__(_CAPABILITIES[agent.capability])
        self._agent = agent
        self.rejected = False

    async def generate_passkey(self) -> int:
        # Bumble asserts that a passkey is not 0, although 0 is valid (Core 5.4 Vol 3 Part H 2.3.5.3).
        return await super().generate_passkey() or 1

    async def confirm(self, auto: bool = False) -> bool:
        try:
            await self._agent.consent()
        except Rejected:
            self.rejected = True
        return not self.rejected

    async def get_number(self) -> int | None:
        try:
            return await self._agent.request_passkey()
        except Rejected:
            self.rejected = True
            return None

    async def display_number(self, number: int, digits: int) -> None:
        try:
            await self._agent.display_passkey(number)
        except Rejected:
            # The side that shows a passkey cannot refuse; instead, the user of the device does not type it.
            self.rejected = True

    async def compare_numbers(self, number: int, digits: int) -> bool:
        try:
            await self._agent.confirm(number)
        except Rejected:
            self.rejected = True
        return not self.rejected
