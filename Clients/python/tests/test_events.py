"""Events and their types, compared with the program's own list."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import pytest

import understudy
from understudy import Event, events
from understudy._build import build
from understudy._values import body_of
from understudy.state import AccessoryState, Value

PACKAGE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PACKAGE / "scripts"))
import generate_events  # noqa: E402


def test_types_are_those_of_the_program() -> None:
    printed = subprocess.run([understudy.find_executable(), "schema", "--events"], capture_output=True, check=True)
    wanted = generate_events.text(json.loads(printed.stdout))
    assert generate_events.TARGET.read_text() == wanted, "run make generate"


def test_known_kind() -> None:
    raw = {"event": "connected", "time": 1.5, "connection": 1, "peer": "F0:F1:F2:F3:F4:F5", "peer_type": "random"}
    event = events.event({**raw, "interval_ms": 15, "latency": 0, "timeout_ms": 720.0}, index=3, sequence=9)
    assert isinstance(event, events.Connected)
    assert (event.kind, event.connection, event.peer, event.time) == ("connected", 1, "F0:F1:F2:F3:F4:F5", 1.5)
    assert (event.index, event.sequence, event["peer_type"], event.get("nothing")) == (3, 9, "random", None)
    assert isinstance(event.interval_ms, float)


def test_field_whose_name_is_taken() -> None:
    event = events.event({"event": "question", "kind": "read", "ticket": 4, "connection": 1, "deadline": 2.0})
    assert isinstance(event, events.Question)
    assert (event.kind, event.kind_, event.psm) == ("question", "read", None)


def test_unknown_kind_and_fields() -> None:
    """The program may be newer than the package."""
    event = events.event({"event": "teleported", "connection": 7, "where": "Mars"})
    assert type(event) is Event
    assert (event.connection, event["where"]) == (7, "Mars")
    known = events.event({"event": "subscribed", "notify": True, "extra": 1})
    assert isinstance(known, events.Subscribed)
    assert (known.notify, known["extra"], known.characteristic) == (True, 1, None)


def test_octets() -> None:
    write = events.event({"event": "write", "hex": "0102", "value": {"hex": "0102"}})
    assert write.octets == write.value == b"\x01\x02"
    assert events.event({"event": "sdu", "hex": "ff"}).octets == b"\xff"
    assert events.event({"event": "stopped"}).octets == b""


def test_events_read_well() -> None:
    event = events.event({"event": "write", "time": 1.0, "connection": 1, "hex": "00" * 100})
    assert str(event) == f"{'write':<22} connection=1, hex={'00' * 50}… (200 characters)"
    assert repr(events.event({"event": "stopped"})) == "Stopped('stopped')"


def test_all_kinds_are_dataclasses_of_their_own() -> None:
    assert len(events.KINDS) == len(set(events.KINDS.values())) > 70
    assert all(dataclasses.is_dataclass(kind) and issubclass(kind, Event) for kind in events.KINDS.values())


@pytest.mark.parametrize(
    ("value", "body"),
    [
        (b"\x01\x02", {"hex": "0102"}),
        (7, {"value": 7}),
        ({"bpm": 60}, {"value": {"bpm": 60}}),
        ({"data": b"\x01"}, {"value": {"data": {"hex": "01"}}}),
        ((1, 2), {"value": [1, 2]}),
    ],
)
def test_values_go_out(value: object, body: object) -> None:
    assert body_of(value) == body


def test_state_is_built_of_what_there_is() -> None:
    state = build(AccessoryState, {"name": "A", "connections": [{"connection": 1, "mood": "good"}], "age": 7})
    assert (state.name, state.address, state.services) == ("A", None, ())
    (connection,) = state.connections
    assert (connection.connection, connection.mtu, connection.raw["mood"]) == (1, None, "good")
    value = build(Value, {"id": "a", "uuid": "FFF1", "hex": "01", "value": {"hex": "01"}})
    assert value.value == value.octets == b"\x01"
