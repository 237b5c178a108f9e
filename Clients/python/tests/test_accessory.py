"""The operations of an accessory, as blocking calls, with Bumble as its central."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from bumble.pairing import PairingConfig, PairingDelegate
from bumble_client import ClientError
from app import App

from understudy import Accessory, Conflict, Event, ExpectationFailed, NotFound, Program, Refused, events
from understudy.state import Delivery

LEVEL, STEP, LOCK, CODE = "FFF1", "FFF2", "FFF3", "FFF4"
ACCESSORY = {
    "name": "Gate",
    "gatt": {"service-changed": "present"},
    "services": [
        {
            "id": "gate",
            "uuid": "FFF0",
            "characteristics": [
                {
                    "id": "level",
                    "uuid": LEVEL,
                    "format": "u8",
                    "properties": ["read", "write", "notify"],
                    "value": 1,
                    "notify": "on-demand",
                },
                {
                    "id": "step",
                    "uuid": STEP,
                    "properties": ["read", "indicate"],
                    "value": b"\x00",
                    "indicate": "on-demand",
                },
                {
                    "id": "lock",
                    "uuid": LOCK,
                    "format": "u8",
                    "properties": ["write"],
                    "value": 0,
                    "on-write": [{"when": "any", "ask": True}],
                },
                {
                    "id": "code",
                    "uuid": CODE,
                    "format": "u16",
                    "properties": ["read"],
                    "value": 0,
                    "on-read": {"ask": True},
                },
            ],
        }
    ],
}


def test_state(accessory: Accessory, app: App) -> None:
    app.connect(accessory)
    level = app.subscribe(LEVEL)
    subscribed = accessory.expect("subscribed", characteristic="level")
    state = accessory.state()
    assert (state.name, state.address, accessory.name) == ("Gate", accessory.address, "Gate")
    assert [service.id for service in state.services][-1] == "gate"
    (connection,) = accessory.connections()
    assert connection.connection == subscribed.connection
    assert (connection.peer, connection.mtu) == ("F0:F1:F2:F3:F4:F5", 517)
    assert [(entry.characteristic, entry.notify) for entry in connection.subscriptions] == [("level", True)]
    assert accessory.connection(subscribed).state() == connection
    assert [entry.id for entry in accessory.characteristics()][-4:] == ["level", "step", "lock", "code"]
    assert not level


def test_values(accessory: Accessory, app: App) -> None:
    level = accessory["level"]
    assert (level.value, level.octets) == (1, b"\x01")
    level.value = 200
    assert level.report().hex == "c8"
    level.value = b"\x07"
    assert level.value == 7
    assert accessory[LEVEL].value == 7
    assert accessory["step"].value == b"\x00"
    app.connect(accessory)
    assert app.read(LEVEL) == b"\x07"
    app.write(LEVEL, b"\x09")
    read = accessory.expect("read", characteristic=level, value=7)
    write = accessory.expect("write", characteristic="level", value=9)
    assert isinstance(read, events.Read) and isinstance(write, events.Write)
    assert write.time and read.time and write.time >= read.time
    assert level.value == 9


def test_notifications_and_indications(accessory: Accessory, app: App) -> None:
    with pytest.raises(Conflict, match="no client is subscribed") as caught:
        accessory["level"].notify(5)
    assert caught.value.status == 409
    app.connect(accessory)
    level, step = app.subscribe(LEVEL), app.subscribe(STEP)
    connection = accessory.expect("subscribed", characteristic="step", indicate=True)
    delivery = accessory["level"].notify(77)
    assert isinstance(delivery, Delivery) and delivery.sent + delivery.queued == 1
    accessory["step"].indicate(b"\x01\x02", connection=connection)
    accessory.expect("notified", value=77)
    accessory.expect("indicated", value=b"\x01\x02")
    accessory.expect("confirmed")
    assert (level, step) == ([b"\x4d"], [b"\x01\x02"])


def test_questions(accessory: Accessory, app: App) -> None:
    """A read and a write that wait for the test's answer."""
    app.connect(accessory)
    outcomes: list[Any] = []

    def act() -> None:
        outcomes.append(app.read(CODE))
        for value in (b"\x01", b"\x02"):
            try:
                app.write(LOCK, value)
                outcomes.append("accepted")
            except ClientError as error:
                outcomes.append(error.code)

    thread = threading.Thread(target=act)
    thread.start()
    question = accessory.expect("question", kind="read", characteristic="code")
    assert [open.ticket for open in accessory.questions()] == [question["ticket"]]
    accessory.answer(question, value=513)
    accessory.answer(accessory.expect("question", kind="write", value=1), error=0x83)
    accessory.answer(accessory.expect("question", kind="write", value=2), accept=True)
    accessory.expect("question-ended", end="answered", accepted=True)
    thread.join(20)
    assert outcomes == [b"\x01\x02", 0x83, "accepted"]
    assert accessory.questions() == []
    with pytest.raises(TypeError):
        accessory.answer(question, value=1, accept=True)
    with pytest.raises(Refused):
        accessory.answer(question, value=1)


def test_rules_in_python(accessory: Accessory, app: App) -> None:
    app.connect(accessory)
    codes = iter([513, 258])

    def write(question: Event) -> dict[str, Any]:
        return {"error": "value-not-allowed"} if question.value > 5 else {"accept": True}

    with (
        accessory.answering(write, characteristic=accessory["lock"]),
        accessory.answering(lambda _: {"value": next(codes)}, kind="read"),
    ):
        assert [app.read(CODE), app.read(CODE)] == [b"\x01\x02", b"\x02\x01"]
        app.write(LOCK, b"\x05")
        with pytest.raises(ClientError) as caught:
            app.write(LOCK, b"\x06")
        assert caught.value.code == 0x13
    accessory.expect("question-ended", end="answered", accepted=True)
    with pytest.raises(ZeroDivisionError), accessory.answering(lambda _: {"value": 1 // 0}):
        with pytest.raises(TimeoutError):
            app.do(app.client.read_gatt_char(CODE), within=0.5)  # type: ignore[union-attr]
        assert len(accessory.questions()) == 1


def test_an_answer_that_is_none_is_named(accessory: Accessory, app: App) -> None:
    app.connect(accessory)
    wrong: Any = lambda _: "x"  # noqa: E731
    with pytest.raises(TypeError, match="dict of what `answer` takes.*returned 'x'"), accessory.answering(wrong):
        with pytest.raises(TimeoutError):
            app.do(app.client.read_gatt_char(CODE), within=0.5)  # type: ignore[union-attr]


def test_connections(accessory: Accessory, app: App) -> None:
    app.connect(accessory)
    connected = accessory.expect("connected")
    connection = accessory.connection(connected)
    assert connection.handle == connected.connection
    connection.request_parameters([30, 50], timeout_ms=2000)
    accessory.expect("parameters-answered", connection=connection.handle)
    connection.disconnect(0x15)
    accessory.expect("disconnected", connection=connection.handle)
    assert connection.state() is None
    with pytest.raises(NotFound):
        connection.disconnect()
    with pytest.raises(ValueError, match="names no connection"):
        accessory.connection(Event(kind="ready", raw={}))


def test_services_come_and_go(accessory: Accessory, app: App) -> None:
    app.connect(accessory)
    added = accessory.add_service({"id": "log", "uuid": "FFE0", "characteristics": []})
    assert (added.id, added.uuid) == ("log", "FFE0")
    accessory.expect("database-changed")
    assert accessory.replace_service("log", {"include": "battery"}).uuid == "180F"
    assert [service.uuid for service in accessory.services() if service.id == "log"] == ["180F"]
    accessory.remove_service("log")
    assert "log" not in [service.id for service in accessory.services()]
    with pytest.raises(NotFound):
        accessory.remove_service("log")


def test_advertising(accessory: Accessory) -> None:
    (main,) = accessory.advertising()
    assert main.on and main.interval_ms
    accessory.stop_advertising(main.id)
    accessory.expect("advertising-stopped", set=main.id)
    assert not accessory.advertising()[0].on
    accessory.start_advertising(main.id)
    accessory.expect("advertising-started", set=main.id)


def test_channels_of_the_central(accessory: Accessory, app: App) -> None:
    app.connect(accessory)
    published = accessory.publish({"id": "log", "handler": "sink"})
    assert published.psm and accessory.published() == [published]
    assert app.client and app.client._connection
    theirs = app.do(app.client._connection.create_l2cap_channel(spec=spec(published.psm)))
    opened = accessory.expect("channel-opened", psm=published.psm, incoming=True)
    channel = accessory.channel(opened)
    state = channel.state()
    assert state and (state.id, state.psm, state.open) == ("log", published.psm, True)
    app.do(written(theirs, b"hello"))
    # A read after it: once it is answered, the SDU has arrived, too.
    app.read(LEVEL)
    state = channel.state()
    assert state and state.sink and (state.sink.sdus, state.sink.octets) == (1, 5)
    channel.close()
    accessory.expect("channel-closed", channel=channel.number)
    assert channel.state() is None
    accessory.unpublish("log")
    assert accessory.published() == []


def test_channels_of_the_accessory(accessory: Accessory, app: App) -> None:
    app.connect(accessory)
    assert app.client and app.client._connection
    arrived: list[bytes] = []
    app.client._connection.device.create_l2cap_server(
        spec(0x93), lambda channel: setattr(channel, "sink", lambda sdu: arrived.append(bytes(sdu)))
    )
    (number,) = accessory.connection(accessory.expect("connected")).open_channels(0x93)
    ours = accessory.channel(accessory.expect("channel-opened", channel=number, incoming=False))
    ours.send(b"\x01")
    ours.send("two")
    ours.close()
    accessory.expect("channel-closed", channel=number)
    assert arrived == [b"\x01", b"two"]


def spec(psm: int) -> Any:
    from bumble.l2cap import LeCreditBasedChannelSpec

    return LeCreditBasedChannelSpec(psm=psm)


async def written(channel: Any, sdu: bytes) -> None:
    channel.write(sdu)
    await channel.drain()


def test_server_of_the_central(accessory: Accessory, app: App) -> None:
    """The accessory as a client of Bumble's own server."""
    app.connect(accessory)
    connection = accessory.connection(accessory.expect("connected"))
    assert connection.remote() == []
    services = connection.discover()
    assert "1800" in [service.uuid for service in services]
    name = connection.read("2A00")
    assert (name.uuid, name.value, name.octets) == ("2A00", "app", b"app")
    connection.write(b"new", "2A00", response=False)
    with pytest.raises(Refused) as caught:
        connection.read(handle=0x1234)
    assert caught.value.status == 502


@pytest.mark.accessory({**ACCESSORY, "security": {"pairing": "display", "passkey": 123456}})
def test_pairing_and_bonds(accessory: Accessory, app: App) -> None:
    """Passkey Entry, Core 5.4 Vol 3 Part H 2.3.5.3, with Bumble as the typing side."""
    app.connect(accessory)
    assert app.client and app.client._connection
    app.client._connection.device.pairing_config_factory = lambda _: PairingConfig(delegate=Typist())
    pairing = asyncio.run_coroutine_threadsafe(app.client._connection.pair(), app._loop)
    paired = accessory.expect("paired", within=10)
    pairing.result(10)
    state = accessory.connection(paired).state()
    assert state and state.security and (state.security.bonded, state.security.key_size) == (True, 16)
    (bond,) = accessory.bonds()
    exported = accessory.export_bonds(id=bond.id)
    assert accessory.alter_bond(bond.id, "wrong-ltk").id == bond.id
    assert accessory.export_bonds() != exported
    accessory.remove_bond(bond.id)
    assert accessory.bonds() == []
    assert [entry.id for entry in accessory.import_bonds(exported)] == [bond.id]
    with pytest.raises(Refused):
        accessory.export_bonds("pigeon")


class Typist(PairingDelegate):
    """A user with a keyboard."""

    def __init__(self) -> None:
        super().__init__(PairingDelegate.KEYBOARD_INPUT_ONLY)

    async def get_number(self) -> int:
        return 123456


def test_security_is_changed(accessory: Accessory, app: App) -> None:
    assert accessory.security()["pairing"] == "none"
    accessory.set_security({"pairing": "just-works"})
    assert accessory.security()["pairing"] == "just-works"
    app.connect(accessory)
    assert app.client and app.client._connection
    connection, requested = app.client._connection, threading.Event()
    connection.on(connection.EVENT_SECURITY_REQUEST, lambda _: requested.set())
    accessory.connection(accessory.expect("connected")).pair()
    assert requested.wait(10)
    app.do(connection.pair())
    accessory.expect("paired", within=10)


@pytest.mark.accessory("ancs")
def test_notification_center(accessory: Accessory) -> None:
    uid = accessory.add_notification(category="social", app="com.example.chat", title="Hi")
    accessory.change_notification(uid, title="Hello")
    assert [entry["title"] for entry in accessory.notifications() if entry["uid"] == uid] == ["Hello"]
    accessory.remove_notification(uid)
    with pytest.raises(NotFound):
        accessory.remove_notification(uid)


def test_expectation_of_what_there_is_not(accessory: Accessory) -> None:
    with pytest.raises(ExpectationFailed, match="there is no characteristic 'levle', did you mean 'level'"):
        accessory.expect("write", characteristic="levle", within=0)
    with pytest.raises(ExpectationFailed) as failure:
        accessory.expect("write", characteristic="level", within=0)
    assert "no characteristic" not in failure.value.sentence


def test_expectation_of_nothing_of_what_there_is_not(accessory: Accessory, app: App) -> None:
    with pytest.raises(ExpectationFailed, match="and it cannot come\n.*no characteristic 'levle', did you mean 'level'"):
        accessory.expect_none("write", characteristic="levle", within=0)
    accessory.expect_none("write", characteristic="level", within=0)
    accessory.expect_none("write", characteristic=accessory["level"], within=0)
    accessory.expect_none("write", where=lambda event: event.characteristic == "levle", within=0)
    # It is deleted now, but it existed.
    app.connect(accessory)
    app.write(LEVEL, b"\x05")
    written = accessory.expect("write", characteristic="level")
    (service,) = [state.service for state in accessory.characteristics() if state.id == "level"]
    assert service
    accessory.remove_service(service)
    accessory.expect_none("write", characteristic="level", within=0)
    with pytest.raises(ExpectationFailed, match="expected no 'write' with characteristic='level', and it came"):
        accessory.expect_none("write", characteristic="level", within=0, since=written.index)


def test_refusals(accessory: Accessory) -> None:
    with pytest.raises(NotFound, match="no characteristic, or more than one, has the name nope"):
        accessory["nope"].read()
    with pytest.raises(Refused) as caught:
        accessory["level"].value = 300
    assert caught.value.status == 400 and "300" in caught.value.sentence


def test_attached(accessory: Accessory, app: App) -> None:
    """A second client of the same accessory; its events are numbered."""
    with Accessory.attach(str(accessory.program.endpoint)) as other:
        assert (other.name, other.address, other.air.ports) == (accessory.name, accessory.address, accessory.air.ports)
        app.connect(accessory)
        connected = other.expect("connected")
        app.write(LEVEL, b"\x05")
        written = other.expect("write", value=5)
        assert connected.sequence is not None and written.sequence is not None
        assert connected.sequence < written.sequence
        assert accessory.expect("write").raw == written.raw
        with pytest.raises(NotFound, match="there is no accessory other"):
            Program.attach(str(accessory.program.endpoint)).accessory("other")
    # The accessory continues without that client.
    assert accessory["level"].value == 5
