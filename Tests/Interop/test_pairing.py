"""Pairing with Bumble as the central: every association model, failures, and access before and after."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from bumble import att, smp
from bumble.device import Connection
from bumble.pairing import OobContext, OobLegacyContext, OobSharedData, PairingConfig

from conftest import Stage
from support.attributes import handles_by_id
from support.channels import open_channel, refusal
from support.controllers import LOOPBACK
from support.pairing import CAPABILITIES, CHOSEN, Capability, Pairing, ShorteningSession, User, encrypt, expected_model
from support.program import PROFILES, SHIPPED_PROFILES, describe
from support.web import Client

PROFILE = PROFILES / "pairing.yaml"
# Core 5.4 Vol 3 Part A 4.23, table 4.16.
INSUFFICIENT_AUTHENTICATION_OF_CHANNELS = 0x0005
INSUFFICIENT_KEY_SIZE_OF_CHANNELS = 0x0007

Begin = Callable[..., Awaitable[Pairing]]


@pytest.fixture
async def begin(virtual: Stage) -> Begin:
    """Runs a profile with a central."""

    async def run(profile: object = PROFILE) -> Pairing:
        program = await virtual.run(profile, "--http", f"{LOOPBACK}:0")
        client = Client(LOOPBACK, (await program.event("http"))["port"])
        return Pairing(program, client, await virtual.central(), virtual.address)

    return run


@pytest.fixture
async def pairing(begin: Begin) -> AsyncIterator[Pairing]:
    yield await begin()


@pytest.fixture
async def handles() -> dict[str, int]:
    return handles_by_id(await describe(PROFILE))


async def refused_read(session: object, handle: int) -> int:
    return await session.error(att.ATT_Read_Request(attribute_handle=handle))


# Keys and data out of band


async def test_single_keypresses(pairing: Pairing) -> None:
    """Core 5.4 Vol 3 Part H 3.5.8, with Bumble counting what it hears."""
    await pairing.policy(pairing="keyboard", keypress=True)
    user = User(Capability.DISPLAY_OUTPUT_ONLY)
    pairing.configure(user)
    heard: list[int] = []
    keypresses = asyncio.get_running_loop().create_future()

    class Listening(smp.Session):
        def send_pairing_request_command(self) -> None:
            self.keypress = True
            super().send_pairing_request_command()

        def on_smp_command(self, command: smp.SMP_Command) -> None:
            # Bumble does not support these.
            if not isinstance(command, smp.SMP_Pairing_Keypress_Notification_Command):
                return super().on_smp_command(command)
            heard.append(int(command.notification_type))
            if command.notification_type == 4:
                keypresses.set_result(None)

    pairing.device.smp_manager.session_proxy = Listening
    async with pairing.connected() as session:
        begun = asyncio.create_task(session.connection.pair())
        question = await pairing.program.event("question")
        path = f"/v1/questions/{question['ticket']}/keypress"
        for key in ("entered", "erased", "entered", "cleared"):
            answer = await pairing.client.post(path, {"key": key})
            assert answer.status == 200 and answer.json == {"pressed": key}
        assert (await pairing.client.post(path, {"key": "hit"})).status == 400
        await pairing.reply(question, {"value": await user.shown})
        await asyncio.wait_for(begun, 30)
        await asyncio.wait_for(keypresses, 30)
        assert heard == [0, 1, 2, 1, 3, 4]
        assert (await pairing.client.post(path, {"key": "entered"})).status in (404, 409)


async def test_own_data_out_of_band(pairing: Pairing) -> None:
    """Bumble gets the data that the accessory has generated (Core 5.4 Vol 3 Part H 2.3.5.6.4)."""
    await pairing.policy(pairing="just-works", mitm=True)
    made = (await pairing.client.post("/v1/security/oob")).json
    assert (await pairing.client.get("/v1/security/oob")).json == made
    peer = OobSharedData(c=bytes.fromhex(made["confirm"]), r=bytes.fromhex(made["random"]))
    # Bumble requires its own data, which is not passed on here.
    oob = PairingConfig.OobConfig(our_context=OobContext(), peer_data=peer, legacy_context=None)
    user = User(Capability.NO_OUTPUT_NO_INPUT)
    pairing.configure(user, oob=oob)
    async with pairing.connected() as session:
        await pairing.pair(session, user)
        assert (await pairing.program.event("pairing"))["model"] == "out-of-band"
        assert (await pairing.security())["protection"] == "secure-connections"


async def test_a_central_that_falls_silent(virtual: Stage) -> None:
    """The Security Manager timer of 30 s (Core 5.4 Vol 3 Part H 3.4), at thirty times the speed."""
    program = await virtual.run(PROFILE, "--http", f"{LOOPBACK}:0", "--speed", "30")
    client = Client(LOOPBACK, (await program.event("http"))["port"])
    pairing = Pairing(program, client, await virtual.central(), virtual.address)
    await pairing.policy(pairing="just-works")

    class Silent(smp.Session):
        def send_pairing_confirm_command(self) -> None:
            pass

        def on_smp_pairing_public_key_command(self, command: smp.SMP_Pairing_Public_Key_Command) -> None:
            pass

        def on_smp_pairing_confirm_command(self, command: smp.SMP_Pairing_Confirm_Command) -> None:
            pass

    pairing.configure(User(Capability.NO_OUTPUT_NO_INPUT))
    pairing.device.smp_manager.session_proxy = Silent
    session = await pairing.connect()
    begun = asyncio.create_task(session.connection.pair())
    await program.event("pairing")
    failed = await program.event("pairing-failed", timeout=20)
    assert (failed["reason"], failed["by_peer"]) == ("timed-out", False)
    # This link cannot pair any more (3.4), and otherwise works.
    assert (await client.get("/v1/accessory")).json["connections"]
    begun.cancel()
    await session.disconnect()


# The association models


@pytest.mark.timeout(120)
@pytest.mark.parametrize("secure", [True, False], ids=["secure-connections", "legacy"])
@pytest.mark.parametrize("accessory", CAPABILITIES)
async def test_every_pair_of_capabilities(
    pairing: Pairing, handles: dict[str, int], accessory: str, secure: bool
) -> None:
    """Core 5.4 Vol 3 Part H 2.3.5.1, table 2.8, with Bumble's capabilities in turn."""
    await pairing.policy(pairing=accessory, mitm=True, bonding=False)
    for central, capability in CAPABILITIES.items():
        model, typist = expected_model(central, accessory, secure=secure)
        user = User(capability)
        user.types_chosen = typist == "both"
        pairing.configure(user, secure=secure)
        async with pairing.connected() as session:
            since = len(pairing.program.events)
            await pairing.pair(session, user)
            begun = await pairing.program.event("pairing", since=since)
            place = f"{central} with {accessory}"
            assert (begun["model"], begun.get("typist")) == (model, typist), place
            assert begun["secure_connections"] == secure, place
            paired = await pairing.program.event("paired", since=since)
            authenticated = model != "just-works"
            assert (paired["authenticated"], paired["key_size"]) == (authenticated, 16), place
            protection = "encrypted" if not authenticated else "secure-connections" if secure else "authenticated"
            assert (await pairing.security())["protection"] == protection, place
            assert bool(user.compared) == (model == "numeric-comparison"), place
            if authenticated:
                assert await session.read(handles["authenticated"]) == b"\x03", place
            else:
                assert await refused_read(session, handles["authenticated"]) == 0x05, place


async def test_nobody_wants_authentication(pairing: Pairing) -> None:
    """Then it is Just Works, whatever the IO capabilities (Core 5.4 Vol 3 Part H 2.3.5.1, table 2.6)."""
    await pairing.policy(pairing="keyboard-display", mitm=False)
    user = User(Capability.DISPLAY_OUTPUT_AND_KEYBOARD_INPUT)
    pairing.configure(user, mitm=False)
    async with pairing.connected() as session:
        await pairing.pair(session, user)
    assert (await pairing.program.event("pairing"))["model"] == "just-works"
    assert pairing.asked == []


@pytest.mark.parametrize("secure", [True, False], ids=["secure-connections", "legacy"])
async def test_fixed_passkey_asks_nobody(pairing: Pairing, secure: bool) -> None:
    """Leading zeros count."""
    await pairing.policy(pairing="keyboard-display", passkey=42)
    for capability in (Capability.KEYBOARD_INPUT_ONLY, Capability.DISPLAY_OUTPUT_ONLY):
        user = User(capability)
        user.seen.set_result(42)
        user.generate_passkey = lambda: passkey_of(42)  # type: ignore[method-assign]
        pairing.configure(user, secure=secure)
        async with pairing.connected() as session:
            await pairing.pair(session, user)
    assert pairing.asked == []


async def passkey_of(number: int) -> int:
    return number


# Failures


@pytest.mark.parametrize("secure", [True, False], ids=["secure-connections", "legacy"])
@pytest.mark.parametrize("typist", ["central", "accessory"])
async def test_wrong_passkey(pairing: Pairing, typist: str, secure: bool) -> None:
    """The side that checks first reports it, and another try with the right one works (Core 5.4 Vol 3 Part H 2.3.5.3, 2.3.5.6.3)."""
    await pairing.policy(pairing="display" if typist == "central" else "keyboard")
    capability = CAPABILITIES["keyboard" if typist == "central" else "display"]
    async with pairing.connected() as session:
        user = User(capability)
        user.mistypes = typist == "central"
        pairing.mistypes = typist == "accessory"
        pairing.configure(user, secure=secure)
        reason, event = await pairing.failure(session, user)
        assert reason == smp.ErrorCode.CONFIRM_VALUE_FAILED
        assert (event["reason"], event["code"]) == ("confirm-value-failed", 0x04)
        assert (await pairing.security())["protection"] == "none"
    # A wrong guess delays the next one, unless it comes from a different central (2.3.6).
    assert pairing.program.named("paired") == []


@pytest.mark.parametrize("by", ["central", "accessory"])
async def test_rejected_comparison(pairing: Pairing, by: str) -> None:
    await pairing.policy(pairing="compare")
    user = User(Capability.DISPLAY_OUTPUT_AND_YES_NO_INPUT)
    user.disagrees = by == "central"
    pairing.accepts = by == "central"
    pairing.configure(user)
    async with pairing.connected() as session:
        reason, event = await pairing.failure(session, user)
        if by == "central":
            # Bumble says Confirm Value Failed where the specification has Numeric Comparison Failed (3.5.5).
            assert (reason, event["reason"], event["by_peer"]) == (0x04, "confirm-value-failed", True)
        else:
            assert (reason, event["reason"], event["by_peer"]) == (0x0C, "numeric-comparison-failed", False)
        question = await pairing.program.event("question")
        assert user.compared == [int(question["digits"])]


@pytest.mark.parametrize(
    ("capability", "policy", "reason"),
    [
        ("keyboard", {"pairing": "display", "answers": "refuse"}, 0x05),
        ("keyboard", {"pairing": "display", "answers": {"display": "refuse"}}, 0x01),
        ("display", {"pairing": "keyboard", "answers": {"passkey": "refuse"}}, 0x01),
        ("compare", {"pairing": "compare", "answers": {"comparison": "refuse"}}, 0x0C),
        ("just-works", {"pairing": "none"}, 0x05),
        ("just-works", {"pairing": "display", "mitm": "required"}, 0x03),
        ("compare", {"pairing": "compare", "faults": ["only-just-works"]}, 0x03),
        ("just-works", {"pairing": "just-works", "faults": [{"at": "pairing-response", "fail": "busy"}]}, 0x10),
        (
            "just-works",
            {"pairing": "just-works", "faults": [{"at": "pairing-random", "fail": "unspecified-reason"}]},
            0x08,
        ),
        ("just-works", {"pairing": "just-works", "faults": [{"at": "pairing-confirm", "do": "corrupt"}]}, 0x04),
        ("just-works", {"pairing": "just-works", "faults": [{"at": "pairing-dhkey-check", "do": "corrupt"}]}, 0x0B),
        ("keyboard", {"pairing": "display", "passkey": 7, "faults": ["wrong-passkey"]}, 0x04),
    ],
    ids=lambda value: None if isinstance(value, (str, int)) else str(sorted(value.items())),
)
async def test_refusals_without_anybody(
    pairing: Pairing, capability: str, policy: dict[str, object], reason: int
) -> None:
    """Scripted answers and faults, as the central sees them."""
    answer = await pairing.client.put("/v1/security", policy)
    assert answer.status == 200, answer.body
    user = User(CAPABILITIES[capability])
    if policy.get("passkey"):
        user.seen.set_result(7)
    pairing.configure(user)
    async with pairing.connected() as session:
        code, event = await pairing.failure(session, user)
        assert code == reason and event["code"] == reason
    assert [question for question in pairing.asked if question["kind"] != "display"] == []


@pytest.mark.parametrize(("own", "central"), [("only", False), ("none", True)])
async def test_generations(pairing: Pairing, own: str, central: bool) -> None:
    """Secure Connections Only refuses legacy pairing (Core 5.4 Vol 3 Part C 10.2.4); `none` uses legacy pairing."""
    await pairing.policy(pairing="just-works", secure_connections=own)
    user = User(Capability.NO_OUTPUT_NO_INPUT)
    pairing.configure(user, secure=central)
    async with pairing.connected() as session:
        if own == "only":
            assert (await pairing.failure(session, user))[0] == 0x03
        else:
            await pairing.pair(session, user)
            assert (await pairing.program.event("pairing"))["secure_connections"] is False


# Keys


@pytest.mark.parametrize("size", range(7, 17))
async def test_legacy_key_sizes(pairing: Pairing, handles: dict[str, int], size: int) -> None:
    """The smaller maximum applies (Core 5.4 Vol 3 Part H 2.3.4)."""
    await pairing.policy(pairing="just-works", secure_connections="none")
    user = User(Capability.NO_OUTPUT_NO_INPUT, maximum_encryption_key_size=size)
    pairing.configure(user, secure=False)
    pairing.device.smp_manager.session_proxy = ShorteningSession
    async with pairing.connected() as session:
        await pairing.pair(session, user)
        assert (await pairing.security())["key_size"] == size
        assert await session.read(handles["encrypted"]) == b"\x02"
        if size < 16:
            assert await refused_read(session, handles["long-key"]) == 0x0C
            assert await refusal(session, 0x83) == INSUFFICIENT_KEY_SIZE_OF_CHANNELS
        else:
            assert await session.read(handles["long-key"]) == b"\x05"
    # The negotiated key is the one that is stored.
    async with pairing.connected() as session:
        await encrypt(session.connection)
        assert (await pairing.security())["key_size"] == size


@pytest.mark.parametrize("secure", [True, False], ids=["secure-connections", "legacy"])
async def test_shortest_key(pairing: Pairing, secure: bool) -> None:
    await pairing.policy(pairing="just-works", key_size={"minimum": 12})
    user = User(Capability.NO_OUTPUT_NO_INPUT, maximum_encryption_key_size=11)
    pairing.configure(user, secure=secure)
    async with pairing.connected() as session:
        reason, event = await pairing.failure(session, user)
        assert (reason, event["reason"]) == (0x06, "encryption-key-size")


async def test_out_of_band_legacy(pairing: Pairing, handles: dict[str, int]) -> None:
    key = OobLegacyContext()
    await pairing.policy(pairing="just-works", oob={"temporary-key": "hex:" + key.tk.hex()})
    user = User(Capability.NO_OUTPUT_NO_INPUT)
    pairing.configure(user, secure=False, oob=PairingConfig.OobConfig(None, None, key))
    async with pairing.connected() as session:
        await pairing.pair(session, user)
        assert await session.read(handles["authenticated"]) == b"\x03"
    assert (await pairing.program.event("pairing"))["model"] == "out-of-band"


async def test_out_of_band_from_the_central(pairing: Pairing, handles: dict[str, int]) -> None:
    """Secure Connections; one side's data suffices (Core 5.4 Vol 3 Part H 2.3.5.6.4)."""
    context = OobContext()
    data = context.share()
    await pairing.policy(
        pairing="just-works", oob={"confirm": "hex:" + data.c.hex(), "random": "hex:" + data.r.hex()}
    )
    user = User(Capability.NO_OUTPUT_NO_INPUT)
    pairing.configure(user, oob=PairingConfig.OobConfig(context, None, None))
    async with pairing.connected() as session:
        await pairing.pair(session, user)
        assert await session.read(handles["secure"]) == b"\x04"
    assert (await pairing.program.event("pairing"))["model"] == "out-of-band"


# Before and after


@pytest.mark.parametrize(
    ("policy", "protection"), [("just-works", "encrypted"), ("display", "secure-connections")]
)
async def test_access_before_and_after(
    pairing: Pairing, handles: dict[str, int], policy: str, protection: str
) -> None:
    """Core 5.4 Vol 3 Part C 10.3.1, table 10.2."""
    await pairing.policy(pairing=policy)
    user = User(Capability.KEYBOARD_INPUT_ONLY)
    pairing.configure(user)
    async with pairing.connected() as session:
        assert await session.read(handles["plain"]) == b"\x01"
        for id in ("encrypted", "authenticated", "secure", "long-key"):
            assert await refused_read(session, handles[id]) == 0x05
        request = att.ATT_Write_Request(attribute_handle=handles["encrypted"], attribute_value=b"x")
        assert await session.error(request) == 0x05
        configuration = await session.configuration_of(handles["encrypted"])
        request = att.ATT_Write_Request(attribute_handle=configuration, attribute_value=b"\x01\x00")
        assert await session.error(request) == 0x05
        for psm in (0x81, 0x82, 0x83):
            assert await refusal(session, psm) == INSUFFICIENT_AUTHENTICATION_OF_CHANNELS
        await pairing.pair(session, user)
        state = await pairing.security()
        assert state == {"protection": protection, "key_size": 16, "bonded": True}
        assert await session.read(handles["encrypted"]) == b"\x02"
        assert await session.read(handles["long-key"]) == b"\x05"
        await session.write(handles["encrypted"], b"new")
        channel = await open_channel(session, 0x81)
        channel.write(b"hidden")
        assert await channel.received(6) == b"hidden"
        if policy == "just-works":
            assert await refused_read(session, handles["authenticated"]) == 0x05
            assert await refusal(session, 0x82) == INSUFFICIENT_AUTHENTICATION_OF_CHANNELS
        else:
            assert await session.read(handles["authenticated"]) == b"\x03"
            assert await session.read(handles["secure"]) == b"\x04"
            await open_channel(session, 0x82)


# Security Requests


async def test_security_request_by_hand(pairing: Pairing) -> None:
    await pairing.policy(pairing="just-works")
    user = User(Capability.NO_OUTPUT_NO_INPUT)
    pairing.configure(user)
    async with pairing.connected() as session:
        requests: list[int] = []
        session.connection.on(session.connection.EVENT_SECURITY_REQUEST, requests.append)
        handle = (await pairing.program.event("connected"))["connection"]
        answer = await pairing.client.post(f"/v1/connections/{handle}/pair")
        assert answer.status == 202, answer.body
        await session.read(1)
        # Bonding, Secure Connections, h7; no man in the middle (Core 5.4 Vol 3 Part H 3.5.1).
        assert requests == [0x01 | 0x08 | 0x20]
        await pairing.pair(session, user)
        assert (await pairing.client.post("/v1/connections/999/pair")).status == 404


@pytest.mark.parametrize("when", ["on-connection", "after-refusal"])
async def test_security_request_by_itself(
    pairing: Pairing, handles: dict[str, int], when: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await pairing.policy(pairing="display", request=when)
    requests: list[int] = []
    # The request may come before there is a listener for the connection.
    take = smp.Manager.on_smp_security_request_command

    def note(manager: smp.Manager, connection: Connection, request: smp.SMP_Security_Request_Command) -> None:
        requests.append(request.auth_req)
        take(manager, connection, request)

    monkeypatch.setattr(smp.Manager, "on_smp_security_request_command", note)
    async with pairing.connected() as session:
        await session.read(handles["plain"])
        await session.read(handles["plain"])
        if when == "after-refusal":
            assert requests == []
        assert await refused_read(session, handles["encrypted"]) == 0x05
        await session.read(handles["plain"])
        assert requests == [0x01 | 0x04 | 0x08 | 0x20]


# Questions


async def test_consent_is_asked(pairing: Pairing) -> None:
    await pairing.policy(pairing="just-works", answers={"consent": "ask"})
    user = User(Capability.NO_OUTPUT_NO_INPUT)
    pairing.configure(user)
    async with pairing.connected() as session:
        pairing.accepts = False
        reason, _ = await pairing.failure(session, user)
        assert reason == 0x05
        pairing.accepts = True
        await pairing.pair(session, user)
    assert [question["kind"] for question in pairing.asked] == ["consent", "consent"]
    ends = pairing.program.named("question-ended")
    assert [(end["end"], end["accepted"]) for end in ends] == [("answered", False), ("answered", True)]


async def test_question_ends_with_its_connection(pairing: Pairing) -> None:
    await pairing.policy(pairing="keyboard")
    user = User(Capability.DISPLAY_OUTPUT_ONLY)
    pairing.configure(user)
    async with pairing.connected() as session:
        task = asyncio.ensure_future(session.connection.pair())
        question = await pairing.program.event("question")
        assert question["kind"] == "passkey" and "digits" not in question.raw
        await session.disconnect()
        ended = await pairing.program.event("question-ended")
        assert ended["ticket"] == question["ticket"] and ended["end"] in ("client-gone", "over")
        failed = await pairing.program.event("pairing-failed")
        assert failed["reason"] == "disconnected"
        answer = await pairing.client.post(f"/v1/questions/{question['ticket']}/answer", {"value": CHOSEN})
        assert answer.status == 409
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_policy_over_http(pairing: Pairing) -> None:
    answer = await pairing.client.get("/v1/security")
    assert answer.json["pairing"] == "keyboard-display" and answer.json["answers"]["consent"] == "accept"
    assert (await pairing.policy(**answer.json)) == answer.json
    for body in ({"pairing": "telepathy"}, {"passkey": 1}, {"pairing": "display", "key-size": {"minimum": 17}}, [], None):
        assert (await pairing.client.put("/v1/security", body)).status == 400
    assert (await pairing.client.get("/v1/security")).json == answer.json


# Shipped profiles


async def test_smart_lock(begin: Begin) -> None:
    """It opens for a central that has the passkey of its label and answers the challenge."""
    lock = await begin(SHIPPED_PROFILES / "smart-lock.yaml")
    handles = handles_by_id(await describe("smart-lock"))
    user = User(Capability.KEYBOARD_INPUT_ONLY)
    user.seen.set_result(123456)
    lock.configure(user)
    async with lock.connected() as session:
        assert await refused_read(session, handles["lock-state"]) == 0x05
        await lock.pair(session, user)
        await session.subscribe(handles["control"], 0x0002)
        await session.subscribe(handles["lock-state"])
        first = await session.read(handles["challenge"])
        # A wrong answer, the right one to an expired challenge, and the right one.
        for count, result in ((1, 4), (2, 4), (3, 1)):
            challenge = await session.read(handles["challenge"])
            assert len(challenge) == 8 and (challenge == first) == (count == 1)
            answer = {1: bytes(8), 2: response(first), 3: response(challenge)}[count]
            await session.write(handles["control"], b"\x02" + answer)
            arrived = (await session.arrivals(count, handles["control"]))[-1][1]
            assert arrived.attribute_value == bytes([0x80, 0x02, result])
        ((_, state),) = await session.arrivals(1, handles["lock-state"])
        assert state.attribute_value == b"\x01"
        await session.write(handles["control"], b"\x01")
        assert await session.read(handles["lock-state"]) == b"\x00"
        # A recorded answer opens nothing.
        await session.write(handles["control"], b"\x02" + answer)
        arrived = (await session.arrivals(5, handles["control"]))[-1][1]
        assert arrived.attribute_value == b"\x80\x02\x04"


def response(challenge: bytes) -> bytes:
    return hmac.new(b"understudy", challenge, hashlib.sha256).digest()[:8]
