"""What can be done with an accessory, as plans; the classes that users see carry them out."""

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

# pytest shows the lines of a test, not those of the client.
__tracebackhide__ = True

Authorization = Literal["granted", "pending", "denied", "revoked", "ask"]


def given(**fields: Any) -> dict[str, Any]:
    """The fields that are given."""
    return {name: value for name, value in fields.items() if value is not None}


def number(connection: int | Event) -> int:
    """The connection of its handle, or of an event."""
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
        """A request about this accessory."""
        return (yield from self.program.call(method, path_of("accessories", self.name, *segments), body))

    def _doubts(self, matches: Sequence[Match]) -> Plan[str]:
        """Says which characteristics are expected that the accessory does not have."""
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
        """The connections that there are."""
        return (yield from self.state()).connections

    def characteristics(self) -> Plan[list[CharacteristicState]]:
        """All characteristics in the order of their handles."""
        answer = yield from self.call("GET", "characteristics")
        return [build(CharacteristicState, entry) for entry in answer["characteristics"]]

    def reset(self, *, bonds: bool = False) -> Plan[None]:
        """Makes the accessory as just started, and returns when it is on the air again.

        Links are ended; values, services, channels, rules, security and faults are as the profile says. Its identity
        stays, and so do its bonds unless they are to go too. Expectations begin with what comes then.
        """
        yield from self._begin_anew("reset", body={"bonds": bonds})

    def snapshot(self, name: str | None = None) -> Plan[Snapshot]:
        """Keeps the accessory as it is now, under that name or one that is free, for `restore`.

        It has values, tables, the state of rules and their variables, services, published channels, advertising, how
        it pairs, bonds with their subscriptions and the armed faults; connections are not in it.
        """
        answer = yield from self.call("POST", "snapshots", body={} if name is None else {"id": name})
        return build(Snapshot, answer)

    def restore(self, snapshot: Snapshot | str) -> Plan[None]:
        """Makes the accessory as it was at a snapshot, and returns when it is on the air again.

        Links are ended; generators, timelines and delays go on from there. Its identity stays. Expectations begin
        with what comes then.
        """
        name = snapshot.id if isinstance(snapshot, Snapshot) else snapshot
        yield from self._begin_anew("snapshots", name, "restore", body={})

    def _begin_anew(self, *segments: Any, body: dict[str, Any]) -> Plan[None]:
        begin = len(self.program.journal.events)
        yield from self.call("POST", *segments, body=body)
        # The events come by another way than the answer.
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
        """Adds a service as a profile has it, while centrals are connected."""
        return build(ServiceState, (yield from self.call("POST", "services", body=to_json(service))))

    def replace_service(self, id: str, service: Mapping[str, Any]) -> Plan[ServiceState]:
        """Puts another service in place of one."""
        return build(ServiceState, (yield from self.call("PUT", "services", id, body=to_json(service))))

    def remove_service(self, id: str) -> Plan[None]:
        """Removes a service."""
        yield from self.call("DELETE", "services", id)

    def authorize_service(self, id: str, state: Authorization) -> Plan[None]:
        """Lets centrals use a service that needs authorization, or keeps them from it."""
        yield from self.call("PUT", "services", id, "authorization", body={"state": state})

    # Faults

    def faults(self) -> Plan[list[Fault]]:
        """What the accessory does wrong on purpose, in the order in which it was armed."""
        return [build(Fault, entry) for entry in (yield from self.call("GET", "faults"))["faults"]]

    def arm(self, fault: Mapping[str, Any] | None = None, /, **keys: Any) -> Plan[Fault]:
        """Arms a fault, with the keys that it has in a profile, and tells how it is called.

        `accessory.arm(on={"read": "level"}, do={"error": 0x80}, times=1)`; one with the same id is replaced.
        """
        return build(Fault, (yield from self.call("POST", "faults", body=to_json({**(fault or {}), **keys}))))

    def disarm(self, fault: str | Fault | None = None) -> Plan[None]:
        """Takes back a fault, or all of them. What one has begun goes on."""
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

    # Questions

    def questions(self) -> Plan[list[Question]]:
        """What waits for an answer."""
        return [build(Question, entry) for entry in (yield from self.call("GET", "questions"))["questions"]]

    def answer(
        self,
        question: int | Event | Question,
        *,
        value: Any = None,
        accept: bool | None = None,
        error: int | str | None = None,
    ) -> Plan[None]:
        """Answers a question (its ticket, the event `question`, or one of `questions`), by exactly one of these.

        value: of a read: octets, or as the characteristic's format has it. accept: of everything else. error: an ATT
        error, 0x80 or its name in profiles.
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
        """Changes how the accessory pairs from now on: all of a profile's `security`."""
        changed: Mapping[str, Any] = yield from self.call("PUT", "security", body=to_json(security))
        return changed

    def bonds(self) -> Plan[list[Bond]]:
        """The bonds, without their keys."""
        return [build(Bond, entry) for entry in (yield from self.call("GET", "bonds"))["bonds"]]

    def remove_bond(self, id: str) -> Plan[None]:
        """Forgets a peer, by its bond's id or its address. The peer does not know."""
        yield from self.call("DELETE", "bonds", id)

    def alter_bond(self, id: str, alteration: str, /, **more: Any) -> Plan[Bond]:
        """Breaks a bond on purpose, as `understudy bonds alter` does: `"wrong-ltk"`, or `"short-key", key_size=7`."""
        return build(Bond, (yield from self.call("POST", "bonds", id, "alter", body={"with": alteration, **more})))

    def export_bonds(self, format: str = "json", *, id: str | None = None) -> Plan[str]:
        """All bonds, or one, with their keys, as a program reads them: `json`, `wireshark`, `bumble` or `bluez`."""
        path = path_of("accessories", self.name, "bonds", *([id] if id else []), "export")
        answer = yield from self.program.exchange("GET", f"{path}?format={format}")
        if answer.status != 200:
            answer.result()
        return answer.body.decode()

    def import_bonds(self, text: str, format: str = "json", *, peer: str | None = None) -> Plan[list[Bond]]:
        """Takes bonds over, as `export_bonds` gives them; `peer` is whose they are, where the text does not say it."""
        body = given(format=format, text=text, peer=peer)
        return [build(Bond, entry) for entry in (yield from self.call("POST", "bonds", body=body))["bonds"]]

    # Channels

    def channels(self) -> Plan[list[ChannelState]]:
        """The open L2CAP channels."""
        return [build(ChannelState, entry) for entry in (yield from self.call("GET", "channels"))["channels"]]

    def published(self) -> Plan[list[Publication]]:
        """What centrals can open channels to."""
        return [build(Publication, entry) for entry in (yield from self.call("GET", "published"))["published"]]

    def publish(self, channel: Mapping[str, Any]) -> Plan[Publication]:
        """Publishes a channel as a profile has it: `{"id": "log", "handler": "sink"}`."""
        return build(Publication, (yield from self.call("POST", "published", body=to_json(channel))))

    def unpublish(self, id: str) -> Plan[None]:
        """Withdraws what was published."""
        yield from self.call("DELETE", "published", id)

    def authorize_channels(self, id: str, state: Authorization) -> Plan[None]:
        """Lets centrals open channels to it, or keeps them from it."""
        yield from self.call("PUT", "published", id, "authorization", body={"state": state})

    # Notifications of a stand-in for the Apple Notification Center

    def notifications(self) -> Plan[list[Mapping[str, Any]]]:
        """The notifications with their columns."""
        return list((yield from self.call("GET", "notifications"))["notifications"])

    def add_notification(self, /, **columns: Any) -> Plan[int]:
        """Adds a notification (`category="social", app="com.example.chat", title="Hi"`), and gives its UID."""
        return int((yield from self.call("POST", "notifications", body=columns))["uid"])

    def change_notification(self, uid: int, /, **columns: Any) -> Plan[None]:
        """Changes columns of a notification."""
        yield from self.call("PUT", "notifications", uid, body=columns)

    def remove_notification(self, uid: int) -> Plan[None]:
        """Takes a notification away."""
        yield from self.call("DELETE", "notifications", uid)


class CharacteristicCore:
    """A characteristic, named by its id in the profile or its UUID."""

    def __init__(self, accessory: AccessoryCore, id: str) -> None:
        self.accessory, self.id = accessory, id

    def report(self) -> Plan[Value]:
        """The value with the characteristic's id and UUID, typed and in hex."""
        return build(Value, (yield from self.accessory.call("GET", "characteristics", self.id, "value")))

    def read(self) -> Plan[Any]:
        """The value as the characteristic's format reads it."""
        return (yield from self.report()).value

    def set(self, value: Any) -> Plan[Value]:
        """Sets the value: octets, or as the characteristic's format has it."""
        path = ("characteristics", self.id, "value")
        return build(Value, (yield from self.accessory.call("PUT", *path, body=body_of(value))))

    def notify(self, value: Any = None, *, connection: int | Event | None = None) -> Plan[Delivery]:
        """Notifies all subscribers, or that of a connection; where a value is given, it is set first."""
        return (yield from self._send("notify", value, connection))

    def indicate(self, value: Any = None, *, connection: int | Event | None = None) -> Plan[Delivery]:
        """Indicates likewise; the event `confirmed` follows for each."""
        return (yield from self._send("indicate", value, connection))

    def authorize(self, state: Authorization) -> Plan[None]:
        """Lets centrals use a characteristic that needs authorization, or keeps them from it."""
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
        """The connection as it is now; None when it has ended."""
        connections = yield from self.accessory.connections()
        return next((state for state in connections if state.connection == self.handle), None)

    def disconnect(self, reason: int | None = None) -> Plan[None]:
        """Ends the connection, for a reason that a host may give (0x13 if none is given); `disconnected` follows."""
        yield from self.call("POST", "disconnect", body=given(reason=reason))

    def request_parameters(
        self, interval_ms: float | Sequence[float], *, latency: int = 0, timeout_ms: float
    ) -> Plan[None]:
        """Asks the central for other parameters; `parameters-answered` and `parameters` follow."""
        interval = interval_ms if isinstance(interval_ms, (int, float)) else list(interval_ms)
        body = {"interval_ms": interval, "latency": latency, "timeout_ms": timeout_ms}
        yield from self.call("POST", "parameters", body=body)

    def pair(self) -> Plan[None]:
        """Asks the central for security by a Security Request; `pairing`, `paired` or `pairing-failed` follow."""
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
        """Opens a channel, or `count` (up to 5) by one enhanced request.

        Gives their numbers. `channel-opened` follows.
        """
        body = given(psm=psm, mtu=mtu, mps=mps, credits=credits, count=count, enhanced=True if count else None)
        return list((yield from self.call("POST", "channels", body=body))["channels"])

    # The central's own server

    def remote(self) -> Plan[list[ServiceState]]:
        """What is known of the central's services."""
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
        """Writes a characteristic of the central, as a command without `response`."""
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
        """Subscribes to a characteristic of the central, to what it can if nothing is said; gives its value handle."""
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
        """The channel as it is now; None when it is closed."""
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
