"""Agents: programs that answer for the user of the central."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

from dbus_fast import Message, MessageType

from understudy.bluez._errors import already_exists, does_not_exist, invalid_arguments
from understudy.bluez._tree import Call, Interface, Method, Tree
from understudy.central import Agent, Capability, Rejected

AGENT = "org.bluez.Agent1"
# How long a user may take (s).
ANSWER_WITHIN = 60.0

CAPABILITIES: dict[str, Capability] = {
    "": "keyboard-display",
    "DisplayOnly": "display",
    "DisplayYesNo": "compare",
    "KeyboardOnly": "keyboard",
    "NoInputNoOutput": "just-works",
    "KeyboardDisplay": "keyboard-display",
}


class RegisteredAgent(Agent):
    """A client's agent, which is called over the bus."""

    def __init__(self, tree: Tree, owner: str, path: str, capability: Capability) -> None:
        self._tree, self.owner, self.path, self.capability = tree, owner, path, capability

    def about(self, device: str) -> DeviceAgent:
        """Returns this agent for the pairing with a device."""
        return DeviceAgent(self, device)

    async def ask(self, member: str, signature: str, *body: Any) -> list[Any]:
        """Asks, and returns the answer. Raises `Rejected` for every error, and if nobody answers."""
        message = Message(
            destination=self.owner, path=self.path, interface=AGENT, member=member, signature=signature, body=list(body)
        )
        try:
            async with asyncio.timeout(ANSWER_WITHIN):
                reply = await self._tree.bus.call(message)
        except TimeoutError as error:
            raise Rejected("the agent does not answer") from error
        if reply is None or reply.message_type is MessageType.ERROR:
            raise Rejected(reply.error_name if reply and reply.error_name else "no answer")
        return reply.body

    def tell(self, member: str) -> None:
        """Calls the agent without waiting for an answer."""
        if self._tree.bus.connected:
            self._tree.bus.send(Message(destination=self.owner, path=self.path, interface=AGENT, member=member))


class DeviceAgent(Agent):
    """An agent during one pairing."""

    def __init__(self, agent: RegisteredAgent, device: str) -> None:
        self._agent, self._device = agent, device
        self.capability = agent.capability
        self._asked = False

    async def request_passkey(self) -> int:
        answer = await self._ask("RequestPasskey", "o", self._device)
        if len(answer) != 1 or not isinstance(answer[0], int) or answer[0] > 999_999:
            raise Rejected("the agent's answer is no passkey")
        return answer[0]

    async def display_passkey(self, passkey: int) -> None:
        await self._ask("DisplayPasskey", "ouq", self._device, passkey, 0)

    async def confirm(self, passkey: int) -> None:
        await self._ask("RequestConfirmation", "ou", self._device, passkey)

    async def _ask(self, member: str, signature: str, *body: Any) -> list[Any]:
        self._asked = True
        answer = await self._agent.ask(member, signature, *body)
        self._asked = member == "DisplayPasskey"
        return answer

    def cancelled(self) -> None:
        if self._asked:
            self._agent.tell("Cancel")


class AgentManager(Interface):
    """`org.bluez.AgentManager1`."""

    NAME = "org.bluez.AgentManager1"
    METHODS: ClassVar[dict[str, Method]] = {
        "RegisterAgent": Method("os", "", "register"),
        "UnregisterAgent": Method("o", "", "unregister"),
        "RequestDefaultAgent": Method("o", "", "request_default"),
    }

    def __init__(self, tree: Tree) -> None:
        super().__init__()
        self._tree = tree
        self.agents: dict[str, RegisteredAgent] = {}
        """By client. The last client that asked for it provides the default."""
        self._defaults: list[str] = []

    def agent_for(self, sender: str | None) -> RegisteredAgent | None:
        """Returns a client's own agent, or the default agent."""
        if sender in self.agents:
            return self.agents[sender]
        return self.agents[self._defaults[-1]] if self._defaults else next(iter(self.agents.values()), None)

    async def register(self, call: Call, path: str, capability: str) -> None:
        if call.sender in self.agents:
            raise already_exists()
        if capability not in CAPABILITIES:
            raise invalid_arguments()
        self.agents[call.sender] = RegisteredAgent(self._tree, call.sender, path, CAPABILITIES[capability])

    async def unregister(self, call: Call, path: str) -> None:
        self._own(call, path)
        self.forget(call.sender)

    async def request_default(self, call: Call, path: str) -> None:
        self._own(call, path)
        self._defaults = [other for other in self._defaults if other != call.sender] + [call.sender]

    def _own(self, call: Call, path: str) -> RegisteredAgent:
        agent = self.agents.get(call.sender)
        if agent is None or agent.path != path:
            raise does_not_exist()
        return agent

    def forget(self, sender: str) -> None:
        """Removes the agent of a client."""
        self.agents.pop(sender, None)
        self._defaults = [other for other in self._defaults if other != sender]
