"""Pairing over BlueZ's D-Bus API, with agents of every capability."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from bus import ACCESSORY as ACCESSORY
from bus import DEVICE1, Client, with_agent
from bus import bluez as bluez
from bus import client as client
from dbus_fast import Message
from person import PATIENCE, person_at
from test_bleak import PASSKEY

from understudy import Accessory


@pytest.mark.parametrize(
    ("pairing", "capability", "asked"),
    [
        ("display", "KeyboardOnly", "RequestPasskey"),
        ("display", "KeyboardDisplay", "RequestPasskey"),
        ("display", "", "RequestPasskey"),
        ("keyboard", "DisplayOnly", "DisplayPasskey"),
        ("compare", "DisplayYesNo", "RequestConfirmation"),
        ("just-works", "NoInputNoOutput", None),
    ],
)
async def test_pairing(accessory: Accessory, client: Client, pairing: str, capability: str, asked: str | None) -> None:
    """Agents of every capability."""
    accessory.set_security({"pairing": pairing, **({"passkey": PASSKEY} if pairing == "display" else {})})
    members: list[str | None] = []
    shown: list[int] = []

    def answers(message: Message) -> Message:
        members.append(message.member)
        shown.extend(message.body[1:2])
        body = [PASSKEY] if message.member == "RequestPasskey" else []
        return Message.new_method_return(message, "u" if body else "", body)

    await with_agent(client, capability, answers)
    device = await client.find(accessory)
    async with person_at(accessory, shown):
        await client.call(device, DEVICE1, "Pair")
    assert members == ([asked] if asked else [])
    assert client.changes(device, "Paired") == [True] and client.changes(device, "Bonded") == [True]
    assert (await client.error(device, DEVICE1, "Pair"))[0] == "org.bluez.Error.AlreadyExists"


async def test_pairing_that_fails(accessory: Accessory, client: Client) -> None:
    accessory.set_security({"pairing": "display", "passkey": PASSKEY})
    outcome = "reject"

    def answers(message: Message) -> Message:
        if outcome == "reject":
            return Message.new_error(message, "org.bluez.Error.Rejected", "no")
        return Message.new_method_return(message, "u", [PASSKEY + 1])

    await with_agent(client, "KeyboardOnly", answers)
    device = await client.find(accessory)
    assert (await client.error(device, DEVICE1, "Pair"))[0] == "org.bluez.Error.AuthenticationRejected"
    outcome = "mistype"
    assert (await client.error(device, DEVICE1, "Pair"))[0] == "org.bluez.Error.AuthenticationFailed"
    assert (await client.error(device, DEVICE1, "CancelPairing"))[0] == "org.bluez.Error.DoesNotExist"


async def test_pairing_that_is_cancelled(accessory: Accessory, client: Client) -> None:
    accessory.set_security({"pairing": "display", "passkey": PASSKEY})
    asked = asyncio.Event()

    def answers(message: Message) -> Any:
        asked.set()
        return True

    await with_agent(client, "KeyboardOnly", answers)
    device = await client.find(accessory)
    pairing = asyncio.create_task(client.error(device, DEVICE1, "Pair"))
    await asyncio.wait_for(asked.wait(), PATIENCE)
    assert (await client.error(device, DEVICE1, "Pair"))[0] == "org.bluez.Error.InProgress"
    await client.call(device, DEVICE1, "CancelPairing")
    assert (await pairing)[0] == "org.bluez.Error.AuthenticationCanceled"
    assert not await client.get(device, DEVICE1, "Paired")
