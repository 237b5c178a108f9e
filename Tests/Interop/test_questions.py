"""Answers that come later (Core 5.4 Vol 3 Part F 3.3): after a delay, or decided over HTTP."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any, TypeVar

import pytest
from bumble import att, l2cap

from conftest import Stage
from support.attributes import handles_by_id
from support.central import Session
from support.channels import Channel, open_channel, open_enhanced, refusal
from support.controllers import LOOPBACK
from support.program import PROFILES, Program, describe
from support.web import Client

QUESTIONS = PROFILES / "questions.yaml"
INSUFFICIENT_AUTHORIZATION = 0x08
# Core 5.4 Vol 3 Part A 4.23, table 4.16.
INSUFFICIENT_AUTHORIZATION_OF_CHANNELS = 0x0006

T = TypeVar("T")


@dataclass
class Asked:
    """A running profile with questions, and a central."""

    program: Program
    client: Client
    session: Session
    handles: dict[str, int]

    def read(self, id: str) -> att.ATT_Read_Request:
        return att.ATT_Read_Request(attribute_handle=self.handles[id])

    async def question(self) -> dict[str, Any]:
        """Returns the open question, as soon as there is one."""
        async with asyncio.timeout(30):
            while not (questions := (await self.client.get("/v1/questions")).json["questions"]):
                await asyncio.sleep(0.01)
        (question,) = questions
        return question

    async def decide(self, request: Awaitable[T], body: dict[str, Any]) -> tuple[dict[str, Any], T]:
        """Starts a request, answers its question, and returns the question and the result of the request."""
        task = asyncio.ensure_future(request)
        question = await self.question()
        assert not task.done()
        answer = await self.client.post(f"/v1/questions/{question['ticket']}/answer", body)
        assert answer.status == 200, answer.body
        return question, await asyncio.wait_for(task, 30)


@pytest.fixture
async def asked(virtual: Stage) -> Asked:
    program = await virtual.run(QUESTIONS, "--http", f"{LOOPBACK}:0")
    client = Client(LOOPBACK, (await program.event("http"))["port"])
    return Asked(program, client, await virtual.connect(mtu=517), handles_by_id(await describe(QUESTIONS)))


async def test_read_waits_for_its_answer(asked: Asked) -> None:
    question, value = await asked.decide(asked.session.read(asked.handles["code"]), {"value": 513})
    assert (question["kind"], question["characteristic"]) == ("read", "code")
    assert value == b"\x01\x02"
    asked_event = await asked.program.event("question")
    ended = await asked.program.event("question-ended")
    assert asked_event["ticket"] == ended["ticket"] == question["ticket"]
    assert (ended["end"], ended["answer"]) == ("answered", "0102")


async def test_read_that_nobody_answers(asked: Asked) -> None:
    begin = time.monotonic()
    assert await asked.session.error(asked.read("hasty")) == 0x85
    assert time.monotonic() - begin >= 0.1
    assert (await asked.program.event("question-ended"))["end"] == "timed-out"


async def test_read_after_a_while(asked: Asked) -> None:
    begin = time.monotonic()
    assert await asked.session.read(asked.handles["slow"]) == b"\x01\x02"
    assert time.monotonic() - begin >= 0.3


async def test_write_is_refused_and_accepted_by_hand(asked: Asked) -> None:
    request = att.ATT_Write_Request(attribute_handle=asked.handles["lock"], attribute_value=b"\x09")
    question, code = await asked.decide(asked.session.error(request), {"error": "value-not-allowed"})
    assert (question["kind"], question["hex"]) == ("write", "09")
    assert code == 0x13
    assert await asked.session.read(asked.handles["lock"]) == b"\x07"
    await asked.decide(asked.session.expect(request), {"accept": True})
    assert await asked.session.read(asked.handles["lock"]) == b"\x09"


async def test_authorization_is_asked(asked: Asked) -> None:
    question, code = await asked.decide(asked.session.error(asked.read("secret")), {"accept": False})
    assert (question["kind"], question["operation"]) == ("authorization", "read")
    assert code == INSUFFICIENT_AUTHORIZATION
    _, value = await asked.decide(asked.session.read(asked.handles["secret"]), {"accept": True})
    assert value == b"\x2a"
    # A permission stays valid.
    assert await asked.session.read(asked.handles["secret"]) == b"\x2a"
    await asked.session.subscribe(asked.handles["secret"], 0x0001)


async def test_question_ends_when_its_central_leaves(asked: Asked) -> None:
    task = asyncio.ensure_future(asked.session.client.send_request(asked.read("code")))
    question = await asked.question()
    await asked.session.disconnect()
    assert (await asked.program.event("question-ended"))["end"] == "client-gone"
    answer = await asked.client.post(f"/v1/questions/{question['ticket']}/answer", {"value": 1})
    assert answer.status == 409
    task.cancel()


# Channels


async def test_channel_is_opened_to_the_central(asked: Asked) -> None:
    """Core 5.4 Vol 3 Part A 4.22, with Bumble as the listening side."""
    opened: asyncio.Future[Channel] = asyncio.get_running_loop().create_future()
    device = asked.session.connection.device
    server = device.create_l2cap_server(
        l2cap.LeCreditBasedChannelSpec(psm=0x93, mtu=500, mps=100, max_credits=16),
        lambda channel: opened.set_result(Channel(channel)),
    )
    path = f"/v1/connections/{(await asked.program.event('connected'))['connection']}/channels"
    answer = await asked.client.post(path, {"psm": server.psm, "mtu": 300, "credits": 5})
    assert answer.status == 202, answer.body
    channel = await asyncio.wait_for(opened, 30)
    event = await asked.program.event("channel-opened")
    assert (event["incoming"], event["mtu"], event["peer_mtu"]) == (False, 300, 500)
    assert [event["channel"]] == answer.json["channels"]
    channel.send(b"from the central")
    sdu = await asked.program.event("sdu")
    assert bytes.fromhex(sdu["hex"]) == b"from the central"
    place = f"/v1/channels/{event['connection']}/{event['channel']}"
    await asked.client.post(f"{place}/send", {"text": "from the accessory"})
    assert await channel.arrivals(1) == [b"from the accessory"]
    answer = await asked.client.post(path, {"psm": 0x94})
    assert (await asked.program.event("channel-closed"))["reason"] == "refused with result 0x2"


async def test_channels_are_asked_for(asked: Asked) -> None:
    answer = await asked.client.post("/v1/published", {"id": "guarded", "authorization": "ask", "handler": "echo"})
    psm = answer.json["psm"]
    question, code = await asked.decide(refusal(asked.session, psm), {"accept": False})
    assert (question["kind"], question["psm"], question["channels"]) == ("channels", psm, 1)
    assert code == INSUFFICIENT_AUTHORIZATION_OF_CHANNELS
    _, channel = await asked.decide(open_channel(asked.session, psm), {"accept": True})
    channel.write(b"hello")
    assert await channel.received(5) == b"hello"
    answer = await asked.client.put("/v1/published/guarded/authorization", {"state": "granted"})
    assert answer.status == 200, answer.body
    assert len(await open_enhanced(asked.session, psm, 2)) == 2
