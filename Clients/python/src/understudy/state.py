"""The state that the program reports. `raw` holds everything, including fields that this package does not know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Described:
    """A state that was reported as a JSON object."""

    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """The whole object as received."""


@dataclass(frozen=True, kw_only=True)
class DescriptorState(Described):
    """A descriptor of a characteristic."""

    uuid: str
    handle: int


@dataclass(frozen=True, kw_only=True)
class CharacteristicState(Described):
    """A characteristic of the accessory, or of a central's server (without an id)."""

    id: str | None
    uuid: str
    value_handle: int
    properties: tuple[str, ...]
    service: str | None = None
    """The id of its service, in the list of all characteristics."""
    handle: int | None = None
    """The handle of its declaration."""
    hex: str | None = None
    """The octets. In the list of services, these are the stored ones, or None if the value is computed when it is read."""
    value: Any = None
    """As the characteristic's format reads them; octets are `bytes`."""
    descriptors: tuple[DescriptorState, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ServiceState(Described):
    """A service with its characteristics."""

    id: str | None
    uuid: str
    handle: int
    end: int
    primary: bool
    characteristics: tuple[CharacteristicState, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SubscriptionState(Described):
    """A subscription of a central."""

    characteristic: str
    notify: bool
    indicate: bool


@dataclass(frozen=True, kw_only=True)
class SecurityState(Described):
    """The security of a connection."""

    protection: str
    key_size: int
    """Octets of the encryption key; 0 without encryption."""
    bonded: bool


@dataclass(frozen=True, kw_only=True)
class Bond(Described):
    """The bond of a peer, without its keys."""

    id: str
    """Names the bond in other calls."""


@dataclass(frozen=True, kw_only=True)
class ConnectionState(Described):
    """A connection."""

    connection: int
    """The connection handle."""
    peer: str
    peer_type: str
    interval_ms: float
    latency: int
    timeout_ms: float
    mtu: int
    subscriptions: tuple[SubscriptionState, ...] = ()
    security: SecurityState | None = None


@dataclass(frozen=True, kw_only=True)
class AccessoryState(Described):
    """The current state of an accessory."""

    name: str
    about: str | None
    address: str | None
    """Its address; None before the controller is up."""
    address_type: str
    controller: str
    ports: tuple[int, ...] = ()
    """TCP ports where hosts can join the virtual radio."""
    joining: tuple[str, ...] = ()
    """All places where hosts can join it, as Bumble names transports."""
    advertising: tuple[str, ...] = ()
    """The advertising sets that are on the air."""
    connections: tuple[ConnectionState, ...] = ()
    services: tuple[ServiceState, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Value(Described):
    """The value of a characteristic."""

    id: str
    uuid: str
    hex: str
    value: Any
    """As the characteristic's format reads it; octets are `bytes`."""

    @property
    def octets(self) -> bytes:
        return bytes.fromhex(self.hex)


@dataclass(frozen=True, kw_only=True)
class RemoteValue(Described):
    """The value of a characteristic of a central's server."""

    connection: int
    handle: int
    uuid: str | None
    hex: str
    value: Any

    @property
    def octets(self) -> bytes:
        return bytes.fromhex(self.hex)


@dataclass(frozen=True, kw_only=True)
class Delivery(Described):
    """The result of a notification or an indication: the number of subscribers for each outcome."""

    sent: int
    queued: int
    dropped: int


@dataclass(frozen=True, kw_only=True)
class AdvertisingSet(Described):
    """An advertising set of the profile."""

    id: str
    kind: str
    """`legacy` or `extended`."""
    connectable: bool
    on: bool
    """Whether it is on the air now."""
    interval_ms: tuple[float, ...]
    """The interval of each phase of its schedule."""


@dataclass(frozen=True, kw_only=True)
class Traffic(Described):
    """The data transferred in one direction of a channel."""

    sdus: int
    frames: int
    octets: int


@dataclass(frozen=True, kw_only=True)
class SinkState(Described):
    """The data received by a channel's sink."""

    sdus: int
    octets: int
    sha256: str | None


@dataclass(frozen=True, kw_only=True)
class ChannelState(Described):
    """An L2CAP channel."""

    connection: int
    channel: int
    """Its end on this side."""
    remote: int
    psm: int
    incoming: bool
    open: bool
    mtu: int
    mps: int
    peer_mtu: int
    peer_mps: int
    credits: int
    """The credits that the central has."""
    peer_credits: int
    """The credits that the accessory has."""
    queued: int
    """Octets that wait to be sent."""
    sent: Traffic
    received: Traffic
    id: str | None = None
    """The PSM or publication that it was opened to."""
    sink: SinkState | None = None
    bridge: str | None = None


@dataclass(frozen=True, kw_only=True)
class Publication(Described):
    """A published channel, which centrals can open."""

    id: str
    psm: int | None = None
    open: int = 0
    """How many channels are open to it."""


@dataclass(frozen=True, kw_only=True)
class Snapshot(Described):
    """A stored state of an accessory, which can be restored."""

    id: str
    state: str | None = None
    """The state of the profile's rules."""
    services: tuple[str, ...] = ()
    published: tuple[str, ...] = ()
    bonds: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Fault(Described):
    """A fault that the accessory injects."""

    id: str
    on: str
    """The occasion, in words."""
    done: str
    """The action, in words."""
    seen: int = 0
    """How often its occasion has come since it was armed."""
    fired: int = 0
    """How often it has fired."""
    spent: bool = False
    """Whether it can no longer fire."""
    missing: bool = False
    """Whether its object is missing at the moment."""


@dataclass(frozen=True, kw_only=True)
class Question(Described):
    """An open question."""

    ticket: int
    connection: int
    kind: str
    """`read`, `write`, `authorization`, `channels`, or, during pairing, `passkey`, `comparison` …"""
    deadline: float
    """When it ends without an answer, in seconds since 1970."""
    characteristic: str | None = None
    uuid: str | None = None
    hex: str | None = None
    value: Any = None
    operation: str | None = None
    digits: str | None = None
    """During pairing: the number that this side shows."""
    psm: int | None = None
    channels: int | None = None


@dataclass(frozen=True, kw_only=True)
class AccessorySummary(Described):
    """An entry in the list of running accessories."""

    id: str
    """Its name in paths and events."""
    name: str
    path: str
    address: str | None = None
    address_type: str | None = None
    controller: str | None = None
    advertising: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class PathImpairment(Described):
    """The impairment of a path of the virtual radio."""

    loss: float | str = 0.0
    """The share that is lost, or a pattern such as `LL...`."""
    ber: float = 0.0
    """The bit error rate."""
    rssi: int = 0
    reachable: bool = True
    from_: str | None = None
    """The controllers at its ends; None for the default impairment."""
    to: str | None = None


@dataclass(frozen=True, kw_only=True)
class ControllerImpairment(Described):
    """The impairment of a controller of the virtual radio."""

    latency_ms: float
    hung: bool
    buffers: int | None


@dataclass(frozen=True, kw_only=True)
class RadioController(Described):
    """A controller on the air."""

    name: str
    place: str
    preset: str
    host: bool
    """Whether a host uses it."""
    impairment: ControllerImpairment


@dataclass(frozen=True, kw_only=True)
class RadioTime(Described):
    """The time of the radio."""

    elapsed_ms: float
    speed: str | float
    settle_ms: float | None = None


@dataclass(frozen=True, kw_only=True)
class RadioState(Described):
    """The current state of the virtual radio."""

    joining: tuple[str, ...]
    controllers: tuple[RadioController, ...]
    time: RadioTime
    default: PathImpairment
    paths: tuple[PathImpairment, ...]
