"""The operations of an accessory, as plans; the public classes carry them out."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from understudy._build import build
from understudy._event import Event
from understudy._expectation import Match, Waiting, Witness
from understudy._kinds import suggestion
from understudy._program import ProgramCore, path_of
from understudy._steps import Plan, Wait
from understudy._values import body_of, to_json
from understudy.errors import UnderstudyError
from understudy.state import (
    AccessoryState,
    AdvertisingSet,
    Bond,
    ChannelState,
    CharacteristicState,
    ConnectionState,
    Delivery,
    Fault,
    Publication,
    Question,
    RemoteValue,
    ServiceState,
    Snapshot,
    Value,
)

# Tracebacks in pytest show the lines of a test, not those of the client.
__tracebackhide__ = True

Authorization = Literal["granted", "pending", "denied", "revoked", "ask"]


def given(**fields: Any) -> dict[str, Any]:
    """Returns the fields that are not None."""
    return {name: value for name, value in fields.items() if value is not None}


def number(connection: int | Event) -> int:
    """Returns the connection handle, which may be given as an event."""
    if isinstance(connection, Event):
        if connection.connection is None:
            raise ValueError(f"{connection.kind!r} names no connection")
        return connection.connection
    return connection


class AccessoryCore(Waiting):
    """An accessory of a program."""

    def __init__(self, program: ProgramCore, name: str) -> None:
        self.program, self.name = program, name
        several = len(program.members) > 1
        self.witness = Witness(
            program.journal, name if several else None, program.witness.position, ending=program.ending
        )

    def call(self, method: str, *segments: Any, body: Any = None) -> Plan[Any]:
        """Sends a request about this accessory."""
        return (yield from self.program.call(method, path_of("accessories", self.name, *segments), body))

    def _doubts(self, matches: Sequence[Match]) -> Plan[str]:
        """Reports expected characteristics that the accessory does not have."""
        wanted = {match.fields.get("characteristic") for match in matches}
        if not any(isinstance(name, str) for name in wanted):
            return ""
        try:
            states = yield from self.characteristics()
        except UnderstudyError:
            return ""
        known = {name for state in states for name in (state.id, state.uuid) if name}
        unknown = sorted(name for name in wanted if isinstance(name, str) and name not in known)
        return "".join(f"\n  there is no characteristic {name!r}{suggestion(name, known)}" for name in unknown)

    def state(self) -> Plan[AccessoryState]:
        """The accessory as it is now, with its connections and services."""
        return build(AccessoryState, (yield from self.call("GET")))

    def connections(self) -> Plan[tuple[ConnectionState, ...]]:
        """The open connections."""
        return (yield from self.state()).connections

    def characteristics(self) -> Plan[list[CharacteristicState]]:
        """All characteristics in the order of their handles."""
        answer = yield from self.call("GET", "characteristics")
        return [build(CharacteristicState, entry) for entry in answer["characteristics"]]

    def reset(self, *, bonds: bool = False) -> Plan[None]:
        """Resets the accessory to its initial state, and returns when it is on the air again.

        Ends links, and restores values, services, channels, rules, security and faults from the profile. The identity is
        kept; so are the bonds, unless `bonds` is true. Expectations start with the events after the reset.
        """
        yield from self._begin_anew("reset", body={"bonds": bonds})

    def snapshot(self, name: str | None = None) -> Plan[Snapshot]:
        """Stores the current state for `restore`, under that id or an unused one.

        It includes values, tables, the state of rules and their variables, services, published channels, advertising,
        pairing settings, bonds with their subscriptions and armed faults, but not connections.
        """
        answer = yield from self.call("POST", "snapshots", body={} if name is None else {"id": name})
        return build(Snapshot, answer)

    def restore(self, snapshot: Snapshot | str) -> Plan[None]:
        """Restores a snapshot, and returns when the accessory is on the air again.

        Ends links; generators, timelines and delays continue from the snapshot. The identity is kept. Expectations
        start with the events after it.
        """
        name = snapshot.id if isinstance(snapshot, Snapshot) else snapshot
        yield from self._begin_anew("snapshots", name, "restore", body={})

    def _begin_anew(self, *segments: Any, body: dict[str, Any]) -> Plan[None]:
        begin = len(self.program.journal.events)
        yield from self.call("POST", *segments, body=body)
        # Events and responses arrive on different connections.
        for kind in ("reset", "ready"):
            found = yield from Wait.plan(
                self.program.journal,
                lambda: next(
                    (e for e in self.program.journal.events[begin:] if e.kind == kind and self.witness.sees(e)), None
                ),
                time.monotonic() + 1,
            )
            begin = begin if found is None else found.index + 1
        self.witness.position = max(self.witness.position, begin)

    # Services

    def services(self) -> Plan[list[ServiceState]]:
        """All services with their characteristics and handles."""
        answer = yield from self.call("GET", "services")
        return [build(ServiceState, entry) for entry in answer["services"]]

    def add_service(self, service: Mapping[str, Any]) -> Plan[ServiceState]:
        """Adds a service, in the form of a profile, while centrals are connected."""
        return build(ServiceState, (yield from self.call("POST", "services", body=to_json(service))))

    def replace_service(self, id: str, service: Mapping[str, Any]) -> Plan[ServiceState]:
        """Replaces a service."""
        return build(ServiceState, (yield from self.call("PUT", "services", id, body=to_json(service))))

    def remove_service(self, id: str) -> Plan[None]:
        """Removes a service."""
        yield from self.call("DELETE", "services", id)

    def authorize_service(self, id: str, state: Authorization) -> Plan[None]:
        """Grants or denies centrals the use of a service that needs authorization."""
        yield from self.call("PUT", "services", id, "authorization", body={"state": state})

    # Faults

    def faults(self) -> Plan[list[Fault]]:
        """The armed faults, in the order in which they were armed."""
        return [build(Fault, entry) for entry in (yield from self.call("GET", "faults"))["faults"]]

    def arm(self, fault: Mapping[str, Any] | None = None, /, **keys: Any) -> Plan[Fault]:
        """Arms a fault, with the same keys as in a profile, and returns it with its id.

        `accessory.arm(on={"read": "level"}, do={"error": 0x80}, times=1)`; it replaces a fault with the same id.
        """
        return build(Fault, (yield from self.call("POST", "faults", body=to_json({**(fault or {}), **keys}))))

    def disarm(self, fault: str | Fault | None = None) -> Plan[None]:
        """Disarms a fault, or all faults. Effects that have begun continue."""
        id = fault.id if isinstance(fault, Fault) else fault
        yield from self.call("DELETE", *(("faults",) if id is None else ("faults", id)))

    # Advertising

    def advertising(self) -> Plan[list[AdvertisingSet]]:
        """The advertising sets of the profile."""
        answer = yield from self.call("GET", "advertising")
        return [build(AdvertisingSet, entry) for entry in answer["advertising"]]

    def start_advertising(self, set: str) -> Plan[None]:
        """Puts a set on the air; the event `advertising-started` follows."""
        yield from self.call("POST", "advertising", set, "start")

    def stop_advertising(self, set: str) -> Plan[None]:
        """Takes a set off the air; the event `advertising-stopped` follows."""
        yield from self.call("POST", "advertising", set, "stop")

    def set_modes(self, *, discoverable: str | None = None, connectable: bool | None = None) -> Plan[None]:
        """Changes whether devices find the accessory over BR/EDR and connect to it; the event `br-edr` follows.

        discoverable: `general`, `no`, or how long in limited discoverable mode, such as `1 min`.
        """
        yield from self.call("PUT", "br-edr", body=given(discoverable=discoverable, connectable=connectable))

    # Questions

    def questions(self) -> Plan[list[Question]]:
        """The open questions."""
        return [build(Question, entry) for entry in (yield from self.call("GET", "questions"))["questions"]]

    def answer(
        self,
        question: int | Event | Question,
        *,
        value: Any = None,
        accept: bool | None = None,
        error: int | str | None = None,
    ) -> Plan[None]:
        """Answers a question (its ticket, the event `question`, or one of `questions`) with exactly one of these.

        value: for a read: octets, or a value in the characteristic's format. accept: for all other questions. error: an
        ATT error code, such as 0x80, or its name in profiles.
        """
        replies = given(accept=accept, error=f"0x{error:02X}" if isinstance(error, int) else error)
        replies |= body_of(value) if value is not None else {}
        if len(replies) != 1:
            raise TypeError("an answer is one of value, accept and error")
        ticket = question if isinstance(question, int) else question.raw["ticket"]
        yield from self.call("POST", "questions", ticket, "answer", body=replies)

    # Pairing

    def security(self) -> Plan[Mapping[str, Any]]:
        """How the accessory pairs, with the keys of a profile's `security`."""
        security: Mapping[str, Any] = yield from self.call("GET", "security")
        return security

    def set_security(self, security: Mapping[str, Any]) -> Plan[Mapping[str, Any]]:
        """Replaces the settings for pairing, with the keys of a profile's `security`."""
        changed: Mapping[str, Any] = yield from self.call("PUT", "security", body=to_json(security))
        return changed

    def bonds(self) -> Plan[list[Bond]]:
        """The bonds, without their keys."""
        return [build(Bond, entry) for entry in (yield from self.call("GET", "bonds"))["bonds"]]

    def remove_bond(self, id: str) -> Plan[None]:
        """Deletes a bond, by its id or the peer's address. The peer is not informed."""
        yield from self.call("DELETE", "bonds", id)

    def alter_bond(self, id: str, alteration: str, /, **more: Any) -> Plan[Bond]:
        """Damages a bond on purpose, as `understudy bonds alter` does: `"wrong-ltk"`, or `"short-key", key_size=7`."""
        return build(Bond, (yield from self.call("POST", "bonds", id, "alter", body={"with": alteration, **more})))

    def export_bonds(self, format: str = "json", *, id: str | None = None) -> Plan[str]:
        """Returns all bonds, or one, with their keys, in the format `json`, `wireshark`, `bumble` or `bluez`."""
        path = path_of("accessories", self.name, "bonds", *([id] if id else []), "export")
        answer = yield from self.program.exchange("GET", f"{path}?format={format}")
        if answer.status != 200:
            answer.result()
        return answer.body.decode()

    def import_bonds(self, text: str, format: str = "json", *, peer: str | None = None) -> Plan[list[Bond]]:
        """Imports bonds that `export_bonds` has returned; `peer` names their peer if the text does not."""
        body = given(format=format, text=text, peer=peer)
        return [build(Bond, entry) for entry in (yield from self.call("POST", "bonds", body=body))["bonds"]]

    # Channels

    def channels(self) -> Plan[list[ChannelState]]:
        """The open L2CAP channels."""
        return [build(ChannelState, entry) for entry in (yield from self.call("GET", "channels"))["channels"]]

    def published(self) -> Plan[list[Publication]]:
        """The published channels, which centrals can open."""
        return [build(Publication, entry) for entry in (yield from self.call("GET", "published"))["published"]]

    def publish(self, channel: Mapping[str, Any]) -> Plan[Publication]:
        """Publishes a channel, in the form of a profile: `{"id": "log", "handler": "sink"}`."""
        return build(Publication, (yield from self.call("POST", "published", body=to_json(channel))))

    def unpublish(self, id: str) -> Plan[None]:
        """Withdraws a published channel."""
        yield from self.call("DELETE", "published", id)

    def authorize_channels(self, id: str, state: Authorization) -> Plan[None]:
        """Allows or forbids centrals to open this published channel."""
        yield from self.call("PUT", "published", id, "authorization", body={"state": state})

    # Notifications of the simulated Apple Notification Center

    def notifications(self) -> Plan[list[Mapping[str, Any]]]:
        """The notifications with their columns."""
        return list((yield from self.call("GET", "notifications"))["notifications"])

    def add_notification(self, /, **columns: Any) -> Plan[int]:
        """Adds a notification (`category="social", app="com.example.chat", title="Hi"`), and returns its UID."""
        return int((yield from self.call("POST", "notifications", body=columns))["uid"])

    def change_notification(self, uid: int, /, **columns: Any) -> Plan[None]:
        """Changes columns of a notification."""
        yield from self.call("PUT", "notifications", uid, body=columns)

    def remove_notification(self, uid: int) -> Plan[None]:
        """Removes a notification."""
        yield from self.call("DELETE", "notifications", uid)


class CharacteristicCore:
    """A characteristic, named by its id in the profile or its UUID."""

    def __init__(self, accessory: AccessoryCore, id: str) -> None:
        self.accessory, self.id = accessory, id

    def report(self) -> Plan[Value]:
        """Returns the value with the characteristic's id and UUID, decoded and in hex."""
        return build(Value, (yield from self.accessory.call("GET", "characteristics", self.id, "value")))

    def read(self) -> Plan[Any]:
        """Returns the value, decoded by the characteristic's format."""
        return (yield from self.report()).value

    def set(self, value: Any) -> Plan[Value]:
        """Sets the value: octets, or a value in the characteristic's format."""
        path = ("characteristics", self.id, "value")
        return build(Value, (yield from self.accessory.call("PUT", *path, body=body_of(value))))

    def notify(self, value: Any = None, *, connection: int | Event | None = None) -> Plan[Delivery]:
        """Notifies all subscribers, or that of a connection; sets `value` first if it is given."""
        return (yield from self._send("notify", value, connection))

    def indicate(self, value: Any = None, *, connection: int | Event | None = None) -> Plan[Delivery]:
        """Indicates in the same way; the event `confirmed` follows for each subscriber."""
        return (yield from self._send("indicate", value, connection))

    def authorize(self, state: Authorization) -> Plan[None]:
        """Grants or denies centrals the use of a characteristic that needs authorization."""
        yield from self.accessory.call("PUT", "characteristics", self.id, "authorization", body={"state": state})

    def _send(self, verb: str, value: Any, connection: int | Event | None) -> Plan[Delivery]:
        body = {} if value is None else body_of(value)
        if connection is not None:
            body["connection"] = number(connection)
        return build(Delivery, (yield from self.accessory.call("POST", "characteristics", self.id, verb, body=body)))


class ConnectionCore:
    """A connection, named by its handle."""

    def __init__(self, accessory: AccessoryCore, connection: int | Event) -> None:
        self.accessory, self.handle = accessory, number(connection)

    def call(self, method: str, *segments: Any, body: Any = None) -> Plan[Any]:
        return (yield from self.accessory.call(method, "connections", self.handle, *segments, body=body))

    def state(self) -> Plan[ConnectionState | None]:
        """The current state of the connection; None if it has ended."""
        connections = yield from self.accessory.connections()
        return next((state for state in connections if state.connection == self.handle), None)

    def disconnect(self, reason: int | None = None) -> Plan[None]:
        """Ends the connection with a reason that a host may give (default 0x13); `disconnected` follows."""
        yield from self.call("POST", "disconnect", body=given(reason=reason))

    def request_parameters(
        self, interval_ms: float | Sequence[float], *, latency: int = 0, timeout_ms: float
    ) -> Plan[None]:
        """Requests other parameters from the central; `parameters-answered` and `parameters` follow."""
        interval = interval_ms if isinstance(interval_ms, (int, float)) else list(interval_ms)
        body = {"interval_ms": interval, "latency": latency, "timeout_ms": timeout_ms}
        yield from self.call("POST", "parameters", body=body)

    def pair(self) -> Plan[None]:
        """Sends the central a Security Request; `pairing`, `paired` or `pairing-failed` follow."""
        yield from self.call("POST", "pair")

    def open_channels(
        self,
        psm: int,
        *,
        mtu: int | None = None,
        mps: int | None = None,
        credits: int | None = None,
        count: int | None = None,
    ) -> Plan[list[int]]:
        """Opens a channel, or `count` (up to 5) channels with one enhanced request.

        Returns their numbers. `channel-opened` follows.
        """
        body = given(psm=psm, mtu=mtu, mps=mps, credits=credits, count=count, enhanced=True if count else None)
        return list((yield from self.call("POST", "channels", body=body))["channels"])

    # The central's own server

    def remote(self) -> Plan[list[ServiceState]]:
        """The central's services, as far as they are known."""
        return [build(ServiceState, entry) for entry in (yield from self.call("GET", "remote"))["services"]]

    def discover(self) -> Plan[list[ServiceState]]:
        """Discovers the central's services."""
        answer = yield from self.call("POST", "remote", "discover")
        return [build(ServiceState, entry) for entry in answer["services"]]

    def read(
        self, uuid: str | None = None, *, service: str | None = None, handle: int | None = None
    ) -> Plan[RemoteValue]:
        """Reads a characteristic of the central, named by UUID or value handle."""
        body = given(uuid=uuid, service=service, handle=handle)
        return build(RemoteValue, (yield from self.call("POST", "remote", "read", body=body)))

    def write(
        self,
        value: Any,
        uuid: str | None = None,
        *,
        service: str | None = None,
        handle: int | None = None,
        response: bool = True,
    ) -> Plan[None]:
        """Writes a characteristic of the central; if `response` is false, with a Write Command."""
        body = given(uuid=uuid, service=service, handle=handle, response=response)
        yield from self.call("POST", "remote", "write", body=body | body_of(value))

    def subscribe(
        self,
        uuid: str | None = None,
        *,
        service: str | None = None,
        handle: int | None = None,
        notify: bool | None = None,
        indicate: bool | None = None,
    ) -> Plan[int]:
        """Subscribes to a characteristic of the central, by default to what it supports; returns its value handle."""
        body = given(uuid=uuid, service=service, handle=handle, notify=notify, indicate=indicate)
        return int((yield from self.call("POST", "remote", "subscribe", body=body))["handle"])


class ChannelCore:
    """An L2CAP channel, named by its connection and its number."""

    def __init__(self, accessory: AccessoryCore, connection: int | Event, channel: int | None = None) -> None:
        if channel is None:
            if not isinstance(connection, Event) or "channel" not in connection.raw:
                raise ValueError("a channel is named by a connection and its number, or by an event that has both")
            channel = connection.raw["channel"]
        self.accessory, self.connection, self.channel = accessory, number(connection), channel

    def call(self, verb: str, body: Any = None) -> Plan[Any]:
        return (yield from self.accessory.call("POST", "channels", self.connection, self.channel, verb, body=body))

    def state(self) -> Plan[ChannelState | None]:
        """The current state of the channel; None if it is closed."""
        for state in (yield from self.accessory.channels()):
            if (state.connection, state.channel) == (self.connection, self.channel):
                return state
        return None

    def send(self, sdu: bytes | str) -> Plan[None]:
        """Sends an SDU."""
        yield from self.call("send", {"text": sdu} if isinstance(sdu, str) else {"hex": bytes(sdu).hex()})

    def close(self) -> Plan[None]:
        """Closes the channel; `channel-closed` follows."""
        yield from self.call("close")
