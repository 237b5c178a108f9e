"""The kinds of events, each with its fields, as `understudy schema --events` lists them.

Written by scripts/generate_events.py. A field whose name ends in an underscore has it without one in the schema.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from understudy._event import Event
from understudy._kinds import KINDS, event
from understudy._kinds import kind as _kind

__all__ = ["Event", "KINDS", "event"]


@_kind("ready")
@dataclass(frozen=True, kw_only=True, repr=False)
class Ready(Event):
    """The accessory is on the air; or, with `understudy radio`, hosts can join."""

    address: str | None = None  # its address
    address_type: str | None = None  # `public` or `random`
    advertising: tuple[str, ...] | None = None  # the sets that are on the air
    controller: str | None = None  # the controller, as on the command line
    instructions: str | None = None  # the profile's instructions for people
    joining: tuple[str, ...]  # all places where hosts can join it, as they would name them
    name: str | None = None  # the accessory's name
    ports: tuple[int, ...]  # TCP ports where hosts can join the virtual radio


@_kind("http")
@dataclass(frozen=True, kw_only=True, repr=False)
class Http(Event):
    """The control API accepts requests."""

    host: str  # the address on which it listens
    port: int  # its TCP port
    token_file: str | None = None  # the file with the generated token


@_kind("log")
@dataclass(frozen=True, kw_only=True, repr=False)
class Log(Event):
    """A write for which the profile has the action `log`."""

    characteristic: str  # its id in the profile
    hex: str  # all octets of the value
    uuid: str  # its UUID
    value: Any  # the same, decoded by the characteristic's format, as in `GET …/value`


@_kind("state")
@dataclass(frozen=True, kw_only=True, repr=False)
class State(Event):
    """The profile has entered another state."""

    state: str  # its name


@_kind("asleep")
@dataclass(frozen=True, kw_only=True, repr=False)
class Asleep(Event):
    """The accessory has fallen asleep: it goes off the air and ends its connections."""


@_kind("awake")
@dataclass(frozen=True, kw_only=True, repr=False)
class Awake(Event):
    """The accessory has woken up, and goes on the air."""


@_kind("rule-failed")
@dataclass(frozen=True, kw_only=True, repr=False)
class RuleFailed(Event):
    """Something that the profile computes or does is impossible at the moment, and is skipped."""

    place: str  # the value or expression
    reason: str  # the reason, in words


@_kind("write-gap")
@dataclass(frozen=True, kw_only=True, repr=False)
class WriteGap(Event):
    """A written value of a characteristic with `numbered` does not have the next number."""

    characteristic: str  # its id in the profile
    connection: int  # the connection handle
    expected: int  # the number that was expected
    missing: int | None = None  # how many values are missing; absent if the number is from before
    number: int  # the number in the value
    uuid: str  # its UUID


@_kind("capture-failed")
@dataclass(frozen=True, kw_only=True, repr=False)
class CaptureFailed(Event):
    """The capture file is incomplete; everything else continues."""

    reason: str  # the reason, in words


@_kind("ring-saved")
@dataclass(frozen=True, kw_only=True, repr=False)
class RingSaved(Event):
    """The last packets between host and controller were saved."""

    occasion: str  # `wanted` (on request) or `failed` (because the accessory failed)
    packets: int  # the number of packets
    path: str  # the file, pcapng


@_kind("restored")
@dataclass(frozen=True, kw_only=True, repr=False)
class Restored(Event):
    """The state of the previous run has been restored. No other event comes before this one, except `state-damaged`."""

    advertising: Any  # the sets that were started or stopped, and whether they are on
    bonds: int  # the number of bonds
    channels: tuple[str, ...]  # the channels that were published while it ran
    folder: str  # the folder of its state
    omissions: tuple[str, ...]  # what the profile no longer has, and why
    psms: Any  # the PSMs of its channels, by their ids
    services: tuple[str, ...]  # the services that were added, replaced or removed
    values: tuple[str, ...]  # the characteristics whose values were restored


@_kind("state-damaged")
@dataclass(frozen=True, kw_only=True, repr=False)
class StateDamaged(Event):
    """A file of the stored state cannot be used, and is ignored."""

    aside: str | None = None  # its new name
    path: str  # the file
    reason: str  # the reason, in words
    remedy: str  # what is lost with it, and what to do


@_kind("state-failed")
@dataclass(frozen=True, kw_only=True, repr=False)
class StateFailed(Event):
    """State cannot be stored. It will be retried; everything else continues."""

    reason: str  # the reason, in words


@_kind("reset")
@dataclass(frozen=True, kw_only=True, repr=False)
class Reset(Event):
    """The accessory has been reset to its initial state, by a request; `ready` follows."""

    bonds: int  # the number of remaining bonds
    links: int  # the number of connections that were ended


@_kind("lost")
@dataclass(frozen=True, kw_only=True, repr=False)
class Lost(Event):
    """The reader was too slow, so this many events were dropped here."""

    count: int  # the number of events


@_kind("failed")
@dataclass(frozen=True, kw_only=True, repr=False)
class Failed(Event):
    """The accessory could not start, or had to end."""

    reason: str  # the reason, in words


@_kind("stopped")
@dataclass(frozen=True, kw_only=True, repr=False)
class Stopped(Event):
    """The accessory has ended in an orderly way."""


@_kind("fault")
@dataclass(frozen=True, kw_only=True, repr=False)
class Fault(Event):
    """Something did not follow the specification, and was handled; or an armed fault has fired."""

    channel: int | None = None  # the channel
    characteristic: str | None = None  # the characteristic of an injected fault
    code: int | None = None  # the event code
    command: str | None = None  # the command
    connection: int | None = None  # the connection handle
    count: int | None = None  # the number of octets
    done: str | None = None  # what was done about it; for an injected fault, what it did
    fault: str  # which fault, such as `skipped-octets` or `malformed-acl`; `injected` for one that was armed, `impossible` for one that this controller cannot produce
    id: str | None = None  # the id of the publication, or of the fault
    place: str | None = None  # the target of the bridge
    reason: str | None = None  # the reason, in words
    uuid: str | None = None  # its UUID


@_kind("program-started")
@dataclass(frozen=True, kw_only=True, repr=False)
class ProgramStarted(Event):
    """A program of the profile runs."""

    process: int  # the number of its process
    program: str  # its id


@_kind("program-ended")
@dataclass(frozen=True, kw_only=True, repr=False)
class ProgramEnded(Event):
    """A program of the profile has ended, or could not be run."""

    again_ms: float | None = None  # the delay before it is run again; absent after exit status 0
    program: str  # its id
    reason: str  # the reason, in words


@_kind("program-said")
@dataclass(frozen=True, kw_only=True, repr=False)
class ProgramSaid(Event):
    """A program of the profile has written a line to standard error."""

    program: str  # its id
    text: str  # the line


@_kind("program-refused")
@dataclass(frozen=True, kw_only=True, repr=False)
class ProgramRefused(Event):
    """A program of the profile has written a line that cannot be carried out."""

    program: str  # its id
    reason: str  # the reason, in words
    text: str  # the line


@_kind("awaiting-controller")
@dataclass(frozen=True, kw_only=True, repr=False)
class AwaitingController(Event):
    """The program waits for the controller to connect."""

    place: str  # the port or path


@_kind("controller-missing")
@dataclass(frozen=True, kw_only=True, repr=False)
class ControllerMissing(Event):
    """The controller is missing, and the program waits for it."""

    reason: str  # the reason, in words


@_kind("controller-found")
@dataclass(frozen=True, kw_only=True, repr=False)
class ControllerFound(Event):
    """The controller is available."""

    controller: str  # its address


@_kind("controller-lost")
@dataclass(frozen=True, kw_only=True, repr=False)
class ControllerLost(Event):
    """The controller has disappeared, and the program waits for it."""

    reason: str  # the reason, in words


@_kind("controller-failed")
@dataclass(frozen=True, kw_only=True, repr=False)
class ControllerFailed(Event):
    """The controller cannot be used."""

    reason: str  # the reason, in words


@_kind("identity-changed")
@dataclass(frozen=True, kw_only=True, repr=False)
class IdentityChanged(Event):
    """The accessory has a new identity from now on."""

    address: str  # its new address


@_kind("controller")
@dataclass(frozen=True, kw_only=True, repr=False)
class Controller(Event):
    """The controller has been initialized."""

    acl_count: int  # the number of its ACL buffers
    acl_length: int  # the maximum octets in an ACL packet
    address: str  # the accessory's address
    advertising_data_length: int  # the maximum octets of advertising data
    advertising_sets: int  # the number of sets that it supports
    data_length: int  # the longest LL Data PDU
    extended_advertising: bool  # whether it supports extended advertising
    manufacturer: str  # the manufacturer
    version: str  # the version of the Core Specification


@_kind("command-refused")
@dataclass(frozen=True, kw_only=True, repr=False)
class CommandRefused(Event):
    """The controller refused a command."""

    command: str  # the command
    status: str  # the error


@_kind("line-refused")
@dataclass(frozen=True, kw_only=True, repr=False)
class LineRefused(Event):
    """A connection to a listening socket does not begin with H4, and is closed."""

    controller: str | None = None  # its controller on the virtual radio
    place: str  # where
    reason: str  # the reason, in words


@_kind("joined")
@dataclass(frozen=True, kw_only=True, repr=False)
class Joined(Event):
    """A host has joined the virtual radio."""

    controller: str  # its controller
    place: str  # where


@_kind("left")
@dataclass(frozen=True, kw_only=True, repr=False)
class Left(Event):
    """A host has left the virtual radio."""

    controller: str  # its controller


@_kind("turned-away")
@dataclass(frozen=True, kw_only=True, repr=False)
class TurnedAway(Event):
    """A host could not join, because there are already 100 hosts on the radio."""

    place: str  # where


@_kind("listening-paused")
@dataclass(frozen=True, kw_only=True, repr=False)
class ListeningPaused(Event):
    """Hosts cannot join there for now, because no file descriptors are left."""

    place: str  # where


@_kind("listening-resumed")
@dataclass(frozen=True, kw_only=True, repr=False)
class ListeningResumed(Event):
    """Hosts can join there again."""

    place: str  # where


@_kind("advertising-ready")
@dataclass(frozen=True, kw_only=True, repr=False)
class AdvertisingReady(Event):
    """All sets have been processed at the start."""

    sets: tuple[str, ...]  # those on the air


@_kind("br-edr")
@dataclass(frozen=True, kw_only=True, repr=False)
class BrEdr(Event):
    """Over BR/EDR, devices can now find the accessory and connect to it, or not."""

    connectable: bool  # whether it accepts connections
    discoverable: bool  # whether inquiries find it


@_kind("advertising-started")
@dataclass(frozen=True, kw_only=True, repr=False)
class AdvertisingStarted(Event):
    """A set is on the air."""

    interval_ms: float  # its interval
    set: str  # the set's id


@_kind("advertising-stopped")
@dataclass(frozen=True, kw_only=True, repr=False)
class AdvertisingStopped(Event):
    """A set is off the air."""

    set: str  # the set's id


@_kind("advertising-limit-reached")
@dataclass(frozen=True, kw_only=True, repr=False)
class AdvertisingLimitReached(Event):
    """The controller has ended a set after its `max-events`; the set stays off the air until something starts it again."""

    events: int  # the number of advertising events
    set: str  # the set's id


@_kind("advertising-power")
@dataclass(frozen=True, kw_only=True, repr=False)
class AdvertisingPower(Event):
    """The transmit power of a set was set with Zephyr's vendor command, because the profile asks for one."""

    power: int  # the transmit power in use, in dBm
    set: str  # the set's id


@_kind("advertising-refused")
@dataclass(frozen=True, kw_only=True, repr=False)
class AdvertisingRefused(Event):
    """The controller refused a command of a set."""

    command: str  # the command
    set: str  # the set's id
    status: str  # the error


@_kind("advertising-unavailable")
@dataclass(frozen=True, kw_only=True, repr=False)
class AdvertisingUnavailable(Event):
    """The controller cannot support a set."""

    reason: str  # the reason, in words
    set: str  # the set's id


@_kind("advertising-unfiltered")
@dataclass(frozen=True, kw_only=True, repr=False)
class AdvertisingUnfiltered(Event):
    """The controller cannot restrict a set to bonded centrals: the host disconnects others, and scan requests are answered."""

    reason: str  # the reason, in words
    set: str  # the set's id


@_kind("connected")
@dataclass(frozen=True, kw_only=True, repr=False)
class Connected(Event):
    """A central has connected."""

    connection: int  # the connection handle
    interval_ms: float  # the connection interval; 0 over BR/EDR
    latency: int  # the peripheral latency
    peer: str  # its address
    peer_type: str  # `public` or `random`
    timeout_ms: float  # the supervision timeout
    transport: str  # `le` or `br-edr`


@_kind("central-turned-away")
@dataclass(frozen=True, kw_only=True, repr=False)
class CentralTurnedAway(Event):
    """A central without a bond has connected to a set for bonded centrals, which the controller does not filter; the host disconnects it."""

    connection: int  # the connection handle


@_kind("connection-failed")
@dataclass(frozen=True, kw_only=True, repr=False)
class ConnectionFailed(Event):
    """A connection could not be established."""

    code: int  # the error code (Core 5.4 Vol 1 Part F); see below
    reason: str  # the reason, in words


@_kind("disconnected")
@dataclass(frozen=True, kw_only=True, repr=False)
class Disconnected(Event):
    """A connection has ended."""

    code: int  # the error code (Core 5.4 Vol 1 Part F); see below
    connection: int  # the connection handle
    reason: str  # the reason, in words


@_kind("parameters")
@dataclass(frozen=True, kw_only=True, repr=False)
class Parameters(Event):
    """The connection parameters have changed."""

    connection: int  # the connection handle
    interval_ms: float  # the connection interval
    latency: int  # the peripheral latency
    timeout_ms: float  # the supervision timeout


@_kind("parameters-requested")
@dataclass(frozen=True, kw_only=True, repr=False)
class ParametersRequested(Event):
    """The peer has requested other parameters."""

    accepted: bool  # whether they were accepted
    connection: int  # the connection handle
    latency: int  # the peripheral latency
    longest_interval_ms: float  # the longest interval
    shortest_interval_ms: float  # the shortest interval
    timeout_ms: float  # the supervision timeout


@_kind("parameters-answered")
@dataclass(frozen=True, kw_only=True, repr=False)
class ParametersAnswered(Event):
    """The central has responded to a request for other parameters."""

    accepted: bool  # whether it accepted
    connection: int  # the connection handle


@_kind("phy")
@dataclass(frozen=True, kw_only=True, repr=False)
class Phy(Event):
    """The PHYs have changed."""

    connection: int  # the connection handle
    rx: str  # the PHY for receiving, likewise
    tx: str  # `1M`, `2M` or `coded`


@_kind("data-length")
@dataclass(frozen=True, kw_only=True, repr=False)
class DataLength(Event):
    """The data length has changed."""

    connection: int  # the connection handle
    rx: int  # the maximum octets in one that it receives
    tx: int  # the maximum octets in an LL Data PDU that the accessory sends


@_kind("mtu")
@dataclass(frozen=True, kw_only=True, repr=False)
class Mtu(Event):
    """The ATT_MTU has been exchanged."""

    client: int  # the central's receive MTU
    connection: int  # the connection handle
    mtu: int  # the MTU of the bearer


@_kind("security")
@dataclass(frozen=True, kw_only=True, repr=False)
class Security(Event):
    """The security of a connection has changed."""

    bonded: bool  # whether there is a bond with that central
    connection: int  # the connection handle
    key_size: int  # the encryption key size in octets; 0 without encryption
    protection: str  # `none`, `encrypted`, `authenticated` or `secure-connections`


@_kind("pairing")
@dataclass(frozen=True, kw_only=True, repr=False)
class Pairing(Event):
    """Pairing has started."""

    connection: int  # the connection handle
    model: str  # `just-works`, `numeric-comparison`, `passkey-entry` or `out-of-band`
    secure_connections: bool  # whether it is LE Secure Connections; otherwise it is legacy pairing
    typist: str | None = None  # who enters the passkey: `accessory`, `central` or `both`


@_kind("paired")
@dataclass(frozen=True, kw_only=True, repr=False)
class Paired(Event):
    """Pairing has succeeded. The keys are not shown."""

    authenticated: bool  # whether it was protected against a man in the middle
    bonded: bool  # whether the keys are stored
    connection: int  # the connection handle
    key_size: int  # the encryption key size in octets
    peer: str  # its identity address
    peer_type: str  # `public` or `random`
    secure_connections: bool  # whether it was LE Secure Connections


@_kind("pairing-failed")
@dataclass(frozen=True, kw_only=True, repr=False)
class PairingFailed(Event):
    """Pairing has failed."""

    by_peer: bool  # whether the central reported it
    code: int | None = None  # the code of the reason (Core 5.4 Vol 3 Part H 3.5.5)
    connection: int  # the connection handle
    reason: str  # the reason in Pairing Failed, such as `confirm-value-failed`; or `timed-out`, `disconnected`


@_kind("key-missing")
@dataclass(frozen=True, kw_only=True, repr=False)
class KeyMissing(Event):
    """A connection could not be encrypted with the bond's key: most likely, the peer has lost it."""

    connection: int  # the connection handle


@_kind("encryption-failed")
@dataclass(frozen=True, kw_only=True, repr=False)
class EncryptionFailed(Event):
    """A connection could not be encrypted."""

    code: int  # the error code (Core 5.4 Vol 1 Part F): 0x06 if a side has no key
    connection: int  # the connection handle
    reason: str  # the reason, in words


@_kind("authenticated-payload-timeout")
@dataclass(frozen=True, kw_only=True, repr=False)
class AuthenticatedPayloadTimeout(Event):
    """An encrypted connection had no authenticated packet for too long."""

    connection: int  # the connection handle


@_kind("bond-changed")
@dataclass(frozen=True, kw_only=True, repr=False)
class BondChanged(Event):
    """A bond was added, or its stored data has changed."""

    peer: str  # its identity address


@_kind("bond-removed")
@dataclass(frozen=True, kw_only=True, repr=False)
class BondRemoved(Event):
    """A bond was removed."""

    peer: str  # its identity address


@_kind("keypress")
@dataclass(frozen=True, kw_only=True, repr=False)
class Keypress(Event):
    """A key was pressed on the central while its user enters the passkey."""

    connection: int  # the connection handle
    key: str  # `started`, `entered`, `erased`, `cleared` or `completed`


@_kind("pairing-question")
@dataclass(frozen=True, kw_only=True, repr=False)
class PairingQuestion(Event):
    """The pairing of a central needs an answer. (An accessory reports `question` instead.)"""

    connection: int  # the connection handle
    digits: str | None = None  # the six digits
    kind_: str  # `consent`, `comparison`, `passkey` or `display`


@_kind("pairing-question-ended")
@dataclass(frozen=True, kw_only=True, repr=False)
class PairingQuestionEnded(Event):
    """The question no longer needs an answer."""

    connection: int  # the connection handle


@_kind("security-requested")
@dataclass(frozen=True, kw_only=True, repr=False)
class SecurityRequested(Event):
    """A peripheral has sent a Security Request."""

    bonding: bool  # whether it requests bonding
    connection: int  # the connection handle
    keypress: bool  # whether it requests keypress notifications
    mitm: bool  # whether it requests protection against a man in the middle
    secure_connections: bool  # whether it requests LE Secure Connections


@_kind("subscribed")
@dataclass(frozen=True, kw_only=True, repr=False)
class Subscribed(Event):
    """A central has subscribed, or changed its subscription."""

    characteristic: str  # its id in the profile
    connection: int  # the connection handle
    indicate: bool  # whether it has subscribed to indications
    notify: bool  # whether it has subscribed to notifications
    uuid: str  # its UUID


@_kind("unsubscribed")
@dataclass(frozen=True, kw_only=True, repr=False)
class Unsubscribed(Event):
    """A central has unsubscribed, or its subscription has ended with the connection."""

    characteristic: str  # its id in the profile
    connection: int  # the connection handle
    indicate: bool  # false
    notify: bool  # false
    uuid: str  # its UUID


@_kind("read")
@dataclass(frozen=True, kw_only=True, repr=False)
class Read(Event):
    """A central has read a value (on request)."""

    characteristic: str  # its id in the profile
    connection: int  # the connection handle
    hex: str  # all octets of the value
    uuid: str  # its UUID
    value: Any  # the same, decoded by the characteristic's format, as in `GET …/value`


@_kind("write")
@dataclass(frozen=True, kw_only=True, repr=False)
class Write(Event):
    """A central has written a value (on request)."""

    characteristic: str  # its id in the profile
    connection: int  # the connection handle
    hex: str  # all octets of the value
    uuid: str  # its UUID
    value: Any  # the same, decoded by the characteristic's format, as in `GET …/value`


@_kind("value-changed")
@dataclass(frozen=True, kw_only=True, repr=False)
class ValueChanged(Event):
    """A rule, the control API or a program has changed a value (on request)."""

    characteristic: str  # its id in the profile
    hex: str  # all octets of the value
    uuid: str  # its UUID
    value: Any  # the same, decoded by the characteristic's format, as in `GET …/value`


@_kind("notified")
@dataclass(frozen=True, kw_only=True, repr=False)
class Notified(Event):
    """A notification was sent (on request)."""

    characteristic: str  # its id in the profile
    connection: int  # the connection handle
    hex: str  # all octets of the value
    uuid: str  # its UUID
    value: Any  # the same, decoded by the characteristic's format, as in `GET …/value`


@_kind("notification-dropped")
@dataclass(frozen=True, kw_only=True, repr=False)
class NotificationDropped(Event):
    """A notification or an indication was not sent, because the link is full or the central must discover the services again."""

    characteristic: str  # its id in the profile
    connection: int  # the connection handle
    uuid: str  # its UUID


@_kind("indicated")
@dataclass(frozen=True, kw_only=True, repr=False)
class Indicated(Event):
    """An indication was sent (on request)."""

    characteristic: str  # its id in the profile
    connection: int  # the connection handle
    hex: str  # all octets of the value
    uuid: str  # its UUID
    value: Any  # the same, decoded by the characteristic's format, as in `GET …/value`


@_kind("confirmed")
@dataclass(frozen=True, kw_only=True, repr=False)
class Confirmed(Event):
    """An indication was confirmed (on request)."""

    connection: int  # the connection handle
    handle: int  # the attribute's handle


@_kind("broadcast")
@dataclass(frozen=True, kw_only=True, repr=False)
class Broadcast(Event):
    """A central has switched broadcasts on or off."""

    connection: int  # the connection handle
    on: bool  # whether they are on


@_kind("client-features")
@dataclass(frozen=True, kw_only=True, repr=False)
class ClientFeatures(Event):
    """A central has written its Client Supported Features."""

    connection: int  # the connection handle
    features: int  # Client Supported Features


@_kind("refused")
@dataclass(frozen=True, kw_only=True, repr=False)
class Refused(Event):
    """A request was refused (on request). The error that ends every discovery is not reported."""

    connection: int  # the connection handle
    error: str  # the error
    handle: int  # the attribute's handle
    request: str  # the request


@_kind("early-request")
@dataclass(frozen=True, kw_only=True, repr=False)
class EarlyRequest(Event):
    """A request arrived before the previous one was answered."""

    connection: int  # the connection handle
    kept: bool  # whether it will be answered later
    request: str  # the request


@_kind("database-changed")
@dataclass(frozen=True, kw_only=True, repr=False)
class DatabaseChanged(Event):
    """Services were added, changed or removed."""

    first_handle: int  # the affected range of handles
    hash: str  # the new Database Hash
    last_handle: int  # the affected range of handles


@_kind("question")
@dataclass(frozen=True, kw_only=True, repr=False)
class Question(Event):
    """A question waits for an answer."""

    channels: int | None = None  # the number of channels requested
    characteristic: str | None = None  # the characteristic's id
    connection: int  # the connection handle
    deadline: float  # when it ends without an answer, in seconds since 1970
    digits: str | None = None  # the six digits to compare, or the displayed passkey
    hex: str | None = None  # the octets to be written
    kind_: str  # `read`, `write`, `authorization`, `channels`, or, during pairing, `consent`, `comparison`, `passkey` or `display`
    operation: str | None = None  # `read` or `write`, for an authorization
    psm: int | None = None  # the PSM of the channels
    ticket: int  # identifies the question
    uuid: str | None = None  # its UUID
    value: Any = None  # the same, decoded by its format


@_kind("question-ended")
@dataclass(frozen=True, kw_only=True, repr=False)
class QuestionEnded(Event):
    """A question no longer waits for an answer."""

    accepted: bool | None = None  # whether it was accepted
    answer: str | None = None  # the octets of the answer
    channels: int | None = None  # the number of channels requested
    characteristic: str | None = None  # the characteristic's id
    connection: int  # the connection handle
    digits: str | None = None  # the six digits to compare, or the displayed passkey
    end: str  # `answered`, `timed-out`, `client-gone`, `abandoned`, or `over` if pairing no longer needs an answer
    error: str | None = None  # the error that the central got
    hex: str | None = None  # the octets to be written
    kind_: str  # `read`, `write`, `authorization`, `channels`, or, during pairing, `consent`, `comparison`, `passkey` or `display`
    operation: str | None = None  # `read` or `write`, for an authorization
    psm: int | None = None  # the PSM of the channels
    ticket: int  # identifies the question
    uuid: str | None = None  # its UUID
    value: Any = None  # the same, decoded by its format


@_kind("answer-awaited")
@dataclass(frozen=True, kw_only=True, repr=False)
class AnswerAwaited(Event):
    """A request waits for an answer (on request)."""

    connection: int  # the connection handle
    handle: int  # the attribute's handle
    request: str  # the request
    ticket: int  # identifies the question


@_kind("answer-overdue")
@dataclass(frozen=True, kw_only=True, repr=False)
class AnswerOverdue(Event):
    """The answer is due soon."""

    connection: int  # the connection handle
    ticket: int  # identifies the question


@_kind("answer-cancelled")
@dataclass(frozen=True, kw_only=True, repr=False)
class AnswerCancelled(Event):
    """The answer is no longer needed."""

    connection: int  # the connection handle
    ticket: int  # identifies the question


@_kind("channel-opened")
@dataclass(frozen=True, kw_only=True, repr=False)
class ChannelOpened(Event):
    """A channel is open."""

    channel: int  # the CID on this side
    connection: int  # the connection handle
    credits: int  # the credits that the central has
    incoming: bool  # whether the central opened it
    mps: int  # the longest payload of a K-frame that it receives
    mtu: int  # the longest SDU that the accessory receives
    open: bool  # true
    peer_credits: int  # the credits that the accessory has
    peer_mps: int  # the longest payload of a K-frame that the central receives
    peer_mtu: int  # the longest SDU that the central receives
    psm: int  # the PSM
    queued: int  # queued octets
    received: Any  # likewise
    remote: int  # the CID on the other side
    sent: Any  # `sdus`, `frames` and `octets` so far


@_kind("channel-closed")
@dataclass(frozen=True, kw_only=True, repr=False)
class ChannelClosed(Event):
    """A channel has been closed."""

    channel: int  # the CID on this side
    connection: int  # the connection handle
    psm: int  # the PSM
    reason: str  # the reason, in words
    sink: Any = None  # what its sink has received: `sdus`, `octets`, and `sha256` (null if it is not computed)
    unsent: int  # octets that were not sent


@_kind("channel-may-send")
@dataclass(frozen=True, kw_only=True, repr=False)
class ChannelMaySend(Event):
    """A channel accepts SDUs from its owner again."""

    channel: int  # the CID on this side
    connection: int  # the connection handle


@_kind("channel-reconfigured")
@dataclass(frozen=True, kw_only=True, repr=False)
class ChannelReconfigured(Event):
    """The central has reconfigured channels."""

    channel: int  # the CID on this side
    connection: int  # the connection handle
    mps: int  # its new MPS
    mtu: int  # its new MTU


@_kind("channel-reconfiguration-answered")
@dataclass(frozen=True, kw_only=True, repr=False)
class ChannelReconfigurationAnswered(Event):
    """The central has responded to our reconfiguration."""

    channels: tuple[int, ...]  # the CIDs of these channels
    connection: int  # the connection handle
    result: Any  # the result; null without a response


@_kind("channel-authorization-asked")
@dataclass(frozen=True, kw_only=True, repr=False)
class ChannelAuthorizationAsked(Event):
    """A central requests channels, and waits for authorization."""

    channels: int  # the number of channels requested
    connection: int  # the connection handle
    psm: int  # the PSM


@_kind("channel-refused")
@dataclass(frozen=True, kw_only=True, repr=False)
class ChannelRefused(Event):
    """A central's request for channels was refused."""

    channels: int  # the number of channels requested
    connection: int  # the connection handle
    psm: int  # the PSM
    result: int  # the result


@_kind("channel-bridged")
@dataclass(frozen=True, kw_only=True, repr=False)
class ChannelBridged(Event):
    """A channel has been bridged."""

    channel: int  # the CID on this side
    connection: int  # the connection handle
    id: str  # what was opened
    place: str  # the target of the bridge


@_kind("sdu")
@dataclass(frozen=True, kw_only=True, repr=False)
class Sdu(Event):
    """An SDU has arrived on a channel that the accessory opened."""

    channel: int  # the CID on this side
    connection: int  # the connection handle
    hex: str  # its octets


@_kind("frame")
@dataclass(frozen=True, kw_only=True, repr=False)
class Frame(Event):
    """A frame has arrived on a fixed channel."""

    channel: int  # the CID on this side
    connection: int  # the connection handle
    hex: str  # its octets


@_kind("ready-for-more")
@dataclass(frozen=True, kw_only=True, repr=False)
class ReadyForMore(Event):
    """A link accepts more data."""

    connection: int  # the connection handle


@_kind("remote-began")
@dataclass(frozen=True, kw_only=True, repr=False)
class RemoteBegan(Event):
    """An operation on a central's server has started (on request)."""

    connection: int  # the connection handle
    handle: int | None = None  # the attribute's handle
    operation: int  # the operation's number
    request: str  # which


@_kind("remote-ended")
@dataclass(frozen=True, kw_only=True, repr=False)
class RemoteEnded(Event):
    """The operation has succeeded."""

    characteristics: int | None = None  # likewise
    connection: int  # the connection handle
    descriptors: int | None = None  # likewise
    hex: str | None = None  # the octets
    includes: int | None = None  # likewise
    mtu: int | None = None  # the ATT_MTU
    operation: int  # the operation's number
    services: int | None = None  # the number found
    values: tuple[Any, ...] | None = None  # `handle` and `hex` of each


@_kind("remote-failed")
@dataclass(frozen=True, kw_only=True, repr=False)
class RemoteFailed(Event):
    """The operation has failed."""

    connection: int  # the connection handle
    operation: int  # the operation's number
    reason: str  # the reason, in words


@_kind("remote-notification")
@dataclass(frozen=True, kw_only=True, repr=False)
class RemoteNotification(Event):
    """A central's server has sent a notification."""

    connection: int  # the connection handle
    handle: int  # the attribute's handle
    hex: str  # the octets


@_kind("remote-indication")
@dataclass(frozen=True, kw_only=True, repr=False)
class RemoteIndication(Event):
    """A central's server has sent an indication."""

    connection: int  # the connection handle
    handle: int  # the attribute's handle
    hex: str  # the octets


@_kind("remote-services-changed")
@dataclass(frozen=True, kw_only=True, repr=False)
class RemoteServicesChanged(Event):
    """A central's services have changed."""

    connection: int  # the connection handle
    first_handle: int  # the affected range of handles
    last_handle: int  # the affected range of handles


@_kind("remote-out-of-sync")
@dataclass(frozen=True, kw_only=True, repr=False)
class RemoteOutOfSync(Event):
    """The stored database of a central is out of date."""

    connection: int  # the connection handle


@_kind("remote-violation")
@dataclass(frozen=True, kw_only=True, repr=False)
class RemoteViolation(Event):
    """A central's server violated the protocol."""

    connection: int  # the connection handle
    reason: str  # the reason, in words


@_kind("remote-step")
@dataclass(frozen=True, kw_only=True, repr=False)
class RemoteStep(Event):
    """A step of the profile's `client`, or the subscription that it made, has ended."""

    connection: int  # the connection handle
    hex: str | None = None  # the octets
    reason: str | None = None  # the reason, in words
    retry: bool | None = None  # whether it will be retried
    step: str  # the step


@_kind("inquiring")
@dataclass(frozen=True, kw_only=True, repr=False)
class Inquiring(Event):
    """A central has started or ended an inquiry over BR/EDR."""

    on: bool  # whether it inquires


@_kind("found")
@dataclass(frozen=True, kw_only=True, repr=False)
class Found(Event):
    """A central's inquiry has found a device."""

    address: str  # the device's address
    class_of_device: int  # the class of device, 24 bits
    data: str  # its Extended Inquiry Response
    kind_: str  # what that means
    name: str | None = None  # its name
    rssi: int | None = None  # the signal strength in dBm


@_kind("remote-name")
@dataclass(frozen=True, kw_only=True, repr=False)
class RemoteName(Event):
    """A device has told a central its name over BR/EDR, or not."""

    address: str  # the device's address
    name: str | None = None  # its name
    reason: str | None = None  # the reason, in words


@_kind("attribute-channel")
@dataclass(frozen=True, kw_only=True, repr=False)
class AttributeChannel(Event):
    """The ATT bearer that a central has opened over BR/EDR is open, or has ended."""

    connection: int  # the connection handle
    open: bool  # whether it is open


@_kind("service-records")
@dataclass(frozen=True, kw_only=True, repr=False)
class ServiceRecords(Event):
    """A central's search of service records has ended."""

    connection: int  # the connection handle
    handles: Any = None  # their handles
    reason: str | None = None  # the reason, in words
    records: Any = None  # the classes, names and PSMs of the services


@_kind("scanning")
@dataclass(frozen=True, kw_only=True, repr=False)
class Scanning(Event):
    """A central has started or stopped scanning."""

    on: bool  # whether it scans


@_kind("advertisement")
@dataclass(frozen=True, kw_only=True, repr=False)
class Advertisement(Event):
    """A central has received advertising."""

    address: str  # the advertiser's address
    data: str  # its advertising data
