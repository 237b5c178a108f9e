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
    """The accessory is on the air; or, of `understudy radio`, hosts can join."""

    address: str | None = None  # its address
    address_type: str | None = None  # `public` or `random`
    advertising: tuple[str, ...] | None = None  # the sets that are on the air
    controller: str | None = None  # the controller, as on the command line
    instructions: str | None = None  # how people use it, as its profile says
    joining: tuple[str, ...]  # all places where hosts can join it, as they would write them
    name: str | None = None  # the accessory's name
    ports: tuple[int, ...]  # TCP ports where hosts can join the virtual radio


@_kind("http")
@dataclass(frozen=True, kw_only=True, repr=False)
class Http(Event):
    """The control API takes requests."""

    host: str  # where it listens
    port: int  # its TCP port
    token_file: str | None = None  # where the token is that was generated


@_kind("log")
@dataclass(frozen=True, kw_only=True, repr=False)
class Log(Event):
    """A write that the profile wants logged."""

    characteristic: str  # its id in the profile
    hex: str  # all octets of the value
    uuid: str  # its UUID
    value: Any  # the same as the characteristic's format reads it, as `GET …/value` has it


@_kind("state")
@dataclass(frozen=True, kw_only=True, repr=False)
class State(Event):
    """The profile is in another of its states."""

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
    """Something that the profile computes or does is impossible now; it is left out."""

    place: str  # which value or expression
    reason: str  # why, in words


@_kind("capture-failed")
@dataclass(frozen=True, kw_only=True, repr=False)
class CaptureFailed(Event):
    """The capture file is not whole; everything else goes on."""

    reason: str  # why, in words


@_kind("ring-saved")
@dataclass(frozen=True, kw_only=True, repr=False)
class RingSaved(Event):
    """The last packets between host and controller were saved."""

    occasion: str  # `wanted` or `failed`
    packets: int  # how many it has
    path: str  # the file, pcapng


@_kind("restored")
@dataclass(frozen=True, kw_only=True, repr=False)
class Restored(Event):
    """The accessory is as it was when it last ran. Nothing else happens before that but `state-damaged`."""

    advertising: Any  # the sets that were switched, and whether they are on
    bonds: int  # how many bonds it has
    channels: tuple[str, ...]  # the channels that were published while it ran
    folder: str  # where it keeps its state
    omissions: tuple[str, ...]  # what the profile has no place for any longer, and why
    psms: Any  # the PSMs of its channels, by their ids
    services: tuple[str, ...]  # the services that came, changed or went
    values: tuple[str, ...]  # the characteristics with a value of before


@_kind("state-damaged")
@dataclass(frozen=True, kw_only=True, repr=False)
class StateDamaged(Event):
    """A file of what the accessory has kept cannot be taken, and is left out."""

    aside: str | None = None  # the name that it has now
    path: str  # the file
    reason: str  # why, in words
    remedy: str  # what is lost with it, and what to do


@_kind("state-failed")
@dataclass(frozen=True, kw_only=True, repr=False)
class StateFailed(Event):
    """What is to survive cannot be written. It is tried again; everything else goes on."""

    reason: str  # why, in words


@_kind("reset")
@dataclass(frozen=True, kw_only=True, repr=False)
class Reset(Event):
    """The accessory is as just started, because somebody wanted it; `ready` follows."""

    bonds: int  # how many bonds it has still
    links: int  # how many connections were ended


@_kind("lost")
@dataclass(frozen=True, kw_only=True, repr=False)
class Lost(Event):
    """The reader was too slow for so many events, which stood here."""

    count: int  # how many


@_kind("failed")
@dataclass(frozen=True, kw_only=True, repr=False)
class Failed(Event):
    """The accessory could not start, or had to end."""

    reason: str  # why, in words


@_kind("stopped")
@dataclass(frozen=True, kw_only=True, repr=False)
class Stopped(Event):
    """The accessory has said goodbye and ended."""


@_kind("fault")
@dataclass(frozen=True, kw_only=True, repr=False)
class Fault(Event):
    """Something was not as the specification wants it, and was dealt with; or a fault that was armed has happened."""

    channel: int | None = None  # the channel
    characteristic: str | None = None  # the characteristic that an injected fault is about
    code: int | None = None  # the event code
    command: str | None = None  # the command
    connection: int | None = None  # the connection handle
    count: int | None = None  # how many octets
    done: str | None = None  # what was done about it; of an injected one, what it has done
    fault: str  # which fault, such as `skipped-octets` or `malformed-acl`; `injected` of one that was armed, `impossible` of one that this controller cannot do
    id: str | None = None  # the id of what is published, or of the fault
    place: str | None = None  # where a line leads to
    reason: str | None = None  # why, in words
    uuid: str | None = None  # its UUID


@_kind("awaiting-controller")
@dataclass(frozen=True, kw_only=True, repr=False)
class AwaitingController(Event):
    """The controller may connect."""

    place: str  # the port or path


@_kind("controller-missing")
@dataclass(frozen=True, kw_only=True, repr=False)
class ControllerMissing(Event):
    """The controller is not there, and waited for."""

    reason: str  # why, in words


@_kind("controller-found")
@dataclass(frozen=True, kw_only=True, repr=False)
class ControllerFound(Event):
    """The controller is there."""

    controller: str  # its address


@_kind("controller-lost")
@dataclass(frozen=True, kw_only=True, repr=False)
class ControllerLost(Event):
    """The controller was there and is gone; it is waited for."""

    reason: str  # why, in words


@_kind("controller-failed")
@dataclass(frozen=True, kw_only=True, repr=False)
class ControllerFailed(Event):
    """The controller cannot be used."""

    reason: str  # why, in words


@_kind("identity-changed")
@dataclass(frozen=True, kw_only=True, repr=False)
class IdentityChanged(Event):
    """The accessory is another device from now on."""

    address: str  # its new address


@_kind("controller")
@dataclass(frozen=True, kw_only=True, repr=False)
class Controller(Event):
    """The controller is brought up."""

    acl_count: int  # how many ACL packets it holds
    acl_length: int  # octets in an ACL packet
    address: str  # the accessory's address
    advertising_data_length: int  # the most octets of advertising data
    advertising_sets: int  # how many it carries
    data_length: int  # the longest LL Data PDU
    extended_advertising: bool  # whether it has that
    manufacturer: str  # who made it
    version: str  # the version of the Core Specification


@_kind("command-refused")
@dataclass(frozen=True, kw_only=True, repr=False)
class CommandRefused(Event):
    """The controller refused a command."""

    command: str  # which
    status: str  # why


@_kind("line-refused")
@dataclass(frozen=True, kw_only=True, repr=False)
class LineRefused(Event):
    """Who connected to a socket of ours does not speak H4; the connection is closed."""

    controller: str | None = None  # the controller that it had on the virtual radio
    place: str  # where
    reason: str  # why, in words


@_kind("joined")
@dataclass(frozen=True, kw_only=True, repr=False)
class Joined(Event):
    """A host has joined the virtual radio."""

    controller: str  # its controller
    place: str  # where


@_kind("left")
@dataclass(frozen=True, kw_only=True, repr=False)
class Left(Event):
    """A host has left it."""

    controller: str  # its controller


@_kind("turned-away")
@dataclass(frozen=True, kw_only=True, repr=False)
class TurnedAway(Event):
    """A host could not join: there are 100 controllers."""

    place: str  # where


@_kind("listening-paused")
@dataclass(frozen=True, kw_only=True, repr=False)
class ListeningPaused(Event):
    """Nobody can join there for now: no descriptors are left."""

    place: str  # where


@_kind("listening-resumed")
@dataclass(frozen=True, kw_only=True, repr=False)
class ListeningResumed(Event):
    """Hosts can join there again."""

    place: str  # where


@_kind("advertising-ready")
@dataclass(frozen=True, kw_only=True, repr=False)
class AdvertisingReady(Event):
    """All sets were begun with."""

    sets: tuple[str, ...]  # those on the air


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


@_kind("advertising-refused")
@dataclass(frozen=True, kw_only=True, repr=False)
class AdvertisingRefused(Event):
    """The controller refused a command of a set."""

    command: str  # which
    set: str  # the set's id
    status: str  # why


@_kind("advertising-unavailable")
@dataclass(frozen=True, kw_only=True, repr=False)
class AdvertisingUnavailable(Event):
    """The controller cannot carry a set."""

    reason: str  # why, in words
    set: str  # the set's id


@_kind("advertising-unfiltered")
@dataclass(frozen=True, kw_only=True, repr=False)
class AdvertisingUnfiltered(Event):
    """The controller cannot keep a set to bonded centrals: the host ends the connections of others, and scans are answered."""

    reason: str  # why, in words
    set: str  # the set's id


@_kind("connected")
@dataclass(frozen=True, kw_only=True, repr=False)
class Connected(Event):
    """A central has connected."""

    connection: int  # the connection handle
    interval_ms: float  # the connection interval
    latency: int  # the peripheral latency
    peer: str  # its address
    peer_type: str  # `public` or `random`
    timeout_ms: float  # the supervision timeout


@_kind("central-turned-away")
@dataclass(frozen=True, kw_only=True, repr=False)
class CentralTurnedAway(Event):
    """A central without a bond has connected to a set for bonded ones, which the controller does not filter: its connection is ended."""

    connection: int  # the connection handle


@_kind("connection-failed")
@dataclass(frozen=True, kw_only=True, repr=False)
class ConnectionFailed(Event):
    """A connection did not come about."""

    reason: str  # why, in words


@_kind("disconnected")
@dataclass(frozen=True, kw_only=True, repr=False)
class Disconnected(Event):
    """A connection has ended."""

    code: int  # the reason's number (Core 5.4 Vol 1 Part F); see below
    connection: int  # the connection handle
    reason: str  # why, in words


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
    """The peer has asked for other parameters."""

    accepted: bool  # whether they were accepted
    connection: int  # the connection handle
    latency: int  # the peripheral latency
    longest_interval_ms: float  # the longest
    shortest_interval_ms: float  # the shortest interval
    timeout_ms: float  # the supervision timeout


@_kind("parameters-answered")
@dataclass(frozen=True, kw_only=True, repr=False)
class ParametersAnswered(Event):
    """The central has answered our request for others."""

    accepted: bool  # whether it accepts
    connection: int  # the connection handle


@_kind("phy")
@dataclass(frozen=True, kw_only=True, repr=False)
class Phy(Event):
    """The PHYs have changed."""

    connection: int  # the connection handle
    rx: str  # likewise
    tx: str  # `1M`, `2M` or `coded`


@_kind("data-length")
@dataclass(frozen=True, kw_only=True, repr=False)
class DataLength(Event):
    """The data length has changed."""

    connection: int  # the connection handle
    rx: int  # and of one that we receive
    tx: int  # octets of an LL Data PDU that we send


@_kind("mtu")
@dataclass(frozen=True, kw_only=True, repr=False)
class Mtu(Event):
    """The ATT_MTU was exchanged."""

    client: int  # the central's
    connection: int  # the connection handle
    mtu: int  # that of the bearer


@_kind("security")
@dataclass(frozen=True, kw_only=True, repr=False)
class Security(Event):
    """How a connection is protected has changed."""

    bonded: bool  # whether there is a key of that central
    connection: int  # the connection handle
    key_size: int  # octets of the encryption key; 0 without encryption
    protection: str  # `none`, `encrypted`, `authenticated` or `secure-connections`


@_kind("pairing")
@dataclass(frozen=True, kw_only=True, repr=False)
class Pairing(Event):
    """A pairing has begun."""

    connection: int  # the connection handle
    model: str  # `just-works`, `numeric-comparison`, `passkey-entry` or `out-of-band`
    secure_connections: bool  # whether by LE Secure Connections; else legacy pairing
    typist: str | None = None  # who types the passkey: `accessory`, `central` or `both`


@_kind("paired")
@dataclass(frozen=True, kw_only=True, repr=False)
class Paired(Event):
    """A pairing has ended well. The keys are not shown."""

    authenticated: bool  # whether a man in the middle was kept out
    bonded: bool  # whether the keys are kept
    connection: int  # the connection handle
    key_size: int  # octets of the encryption key
    peer: str  # its identity address
    peer_type: str  # `public` or `random`
    secure_connections: bool  # whether by LE Secure Connections


@_kind("pairing-failed")
@dataclass(frozen=True, kw_only=True, repr=False)
class PairingFailed(Event):
    """A pairing has failed."""

    by_peer: bool  # whether the central says so
    code: int | None = None  # the reason's number (Core 5.4 Vol 3 Part H 3.5.5)
    connection: int  # the connection handle
    reason: str  # that of Pairing Failed, such as `confirm-value-failed`; or `timed-out`, `disconnected`


@_kind("key-missing")
@dataclass(frozen=True, kw_only=True, repr=False)
class KeyMissing(Event):
    """A connection could not be encrypted with the bond's key: most likely the peer has lost it."""

    connection: int  # the connection handle


@_kind("encryption-failed")
@dataclass(frozen=True, kw_only=True, repr=False)
class EncryptionFailed(Event):
    """A connection could not be encrypted."""

    code: int  # the reason's number (Core 5.4 Vol 1 Part F): 0x06 where a side has no key
    connection: int  # the connection handle
    reason: str  # why, in words


@_kind("authenticated-payload-timeout")
@dataclass(frozen=True, kw_only=True, repr=False)
class AuthenticatedPayloadTimeout(Event):
    """An encrypted connection went too long without an authenticated packet."""

    connection: int  # the connection handle


@_kind("bond-changed")
@dataclass(frozen=True, kw_only=True, repr=False)
class BondChanged(Event):
    """There is a bond, or something of it that is kept has changed."""

    peer: str  # its identity address


@_kind("bond-removed")
@dataclass(frozen=True, kw_only=True, repr=False)
class BondRemoved(Event):
    """There is no bond any longer."""

    peer: str  # its identity address


@_kind("keypress")
@dataclass(frozen=True, kw_only=True, repr=False)
class Keypress(Event):
    """A key was pressed where the central's user types the passkey."""

    connection: int  # the connection handle
    key: str  # `started`, `entered`, `erased`, `cleared` or `completed`


@_kind("pairing-question")
@dataclass(frozen=True, kw_only=True, repr=False)
class PairingQuestion(Event):
    """What a pairing asks a central, which has no questions as an accessory has them."""

    connection: int  # the connection handle
    digits: str | None = None  # the six digits
    kind_: str  # `consent`, `comparison`, `passkey` or `display`


@_kind("pairing-question-ended")
@dataclass(frozen=True, kw_only=True, repr=False)
class PairingQuestionEnded(Event):
    """It needs no answer any longer."""

    connection: int  # the connection handle


@_kind("security-requested")
@dataclass(frozen=True, kw_only=True, repr=False)
class SecurityRequested(Event):
    """A peripheral asks for security."""

    bonding: bool  # to keep the keys
    connection: int  # the connection handle
    keypress: bool  # with keypress notifications
    mitm: bool  # to keep a man in the middle out
    secure_connections: bool  # by LE Secure Connections


@_kind("subscribed")
@dataclass(frozen=True, kw_only=True, repr=False)
class Subscribed(Event):
    """A central has subscribed, or changed what to."""

    characteristic: str  # its id in the profile
    connection: int  # the connection handle
    indicate: bool  # to indications
    notify: bool  # to notifications
    uuid: str  # its UUID


@_kind("unsubscribed")
@dataclass(frozen=True, kw_only=True, repr=False)
class Unsubscribed(Event):
    """A central has unsubscribed, or its connection has ended with the subscription."""

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
    value: Any  # the same as the characteristic's format reads it, as `GET …/value` has it


@_kind("write")
@dataclass(frozen=True, kw_only=True, repr=False)
class Write(Event):
    """A central has written a value (on request)."""

    characteristic: str  # its id in the profile
    connection: int  # the connection handle
    hex: str  # all octets of the value
    uuid: str  # its UUID
    value: Any  # the same as the characteristic's format reads it, as `GET …/value` has it


@_kind("notified")
@dataclass(frozen=True, kw_only=True, repr=False)
class Notified(Event):
    """A notification was sent (on request)."""

    characteristic: str  # its id in the profile
    connection: int  # the connection handle
    hex: str  # all octets of the value
    uuid: str  # its UUID
    value: Any  # the same as the characteristic's format reads it, as `GET …/value` has it


@_kind("notification-dropped")
@dataclass(frozen=True, kw_only=True, repr=False)
class NotificationDropped(Event):
    """A notification or an indication was not sent: the link is full, or the central has to read the services anew."""

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
    value: Any  # the same as the characteristic's format reads it, as `GET …/value` has it


@_kind("confirmed")
@dataclass(frozen=True, kw_only=True, repr=False)
class Confirmed(Event):
    """An indication was confirmed (on request)."""

    connection: int  # the connection handle
    handle: int  # the attribute


@_kind("broadcast")
@dataclass(frozen=True, kw_only=True, repr=False)
class Broadcast(Event):
    """A central has switched broadcasts."""

    connection: int  # the connection handle
    on: bool  # whether they are on


@_kind("client-features")
@dataclass(frozen=True, kw_only=True, repr=False)
class ClientFeatures(Event):
    """A central has said what it can."""

    connection: int  # the connection handle
    features: int  # Client Supported Features


@_kind("refused")
@dataclass(frozen=True, kw_only=True, repr=False)
class Refused(Event):
    """A request was refused (on request), other than by the answer with which every discovery ends."""

    connection: int  # the connection handle
    error: str  # the error
    handle: int  # the attribute
    request: str  # which


@_kind("early-request")
@dataclass(frozen=True, kw_only=True, repr=False)
class EarlyRequest(Event):
    """A request came before the answer to the one before."""

    connection: int  # the connection handle
    kept: bool  # whether it is answered later
    request: str  # which


@_kind("database-changed")
@dataclass(frozen=True, kw_only=True, repr=False)
class DatabaseChanged(Event):
    """Services have come, changed or gone."""

    first_handle: int  # of the affected range
    hash: str  # the new Database Hash
    last_handle: int  # of the affected range


@_kind("question")
@dataclass(frozen=True, kw_only=True, repr=False)
class Question(Event):
    """Somebody is asked."""

    channels: int | None = None  # how many
    characteristic: str | None = None  # the characteristic's id
    connection: int  # the connection handle
    deadline: float  # when it is answered by itself, in seconds since 1970
    digits: str | None = None  # the six digits to compare, or of the passkey that is shown
    hex: str | None = None  # what is to be written
    kind_: str  # `read`, `write`, `authorization`, `channels`, or of a pairing `consent`, `comparison`, `passkey` or `display`
    operation: str | None = None  # `read` or `write`, of an authorization
    psm: int | None = None  # of channels
    ticket: int  # names the question
    uuid: str | None = None  # its UUID
    value: Any = None  # the same, as its format reads it


@_kind("question-ended")
@dataclass(frozen=True, kw_only=True, repr=False)
class QuestionEnded(Event):
    """Somebody is not asked any longer."""

    accepted: bool | None = None  # whether it was accepted
    answer: str | None = None  # the octets of an answer
    channels: int | None = None  # how many
    characteristic: str | None = None  # the characteristic's id
    connection: int  # the connection handle
    digits: str | None = None  # the six digits to compare, or of the passkey that is shown
    end: str  # `answered`, `timed-out`, `client-gone`, `abandoned`, or `over` where a pairing needs no answer any longer
    error: str | None = None  # the error that the central got
    hex: str | None = None  # what is to be written
    kind_: str  # `read`, `write`, `authorization`, `channels`, or of a pairing `consent`, `comparison`, `passkey` or `display`
    operation: str | None = None  # `read` or `write`, of an authorization
    psm: int | None = None  # of channels
    ticket: int  # names the question
    uuid: str | None = None  # its UUID
    value: Any = None  # the same, as its format reads it


@_kind("answer-awaited")
@dataclass(frozen=True, kw_only=True, repr=False)
class AnswerAwaited(Event):
    """A request waits for an answer (on request)."""

    connection: int  # the connection handle
    handle: int  # the attribute
    request: str  # which
    ticket: int  # names the question


@_kind("answer-overdue")
@dataclass(frozen=True, kw_only=True, repr=False)
class AnswerOverdue(Event):
    """The answer must come soon."""

    connection: int  # the connection handle
    ticket: int  # names the question


@_kind("answer-cancelled")
@dataclass(frozen=True, kw_only=True, repr=False)
class AnswerCancelled(Event):
    """The answer is not wanted any longer."""

    connection: int  # the connection handle
    ticket: int  # names the question


@_kind("channel-opened")
@dataclass(frozen=True, kw_only=True, repr=False)
class ChannelOpened(Event):
    """A channel is open."""

    channel: int  # its end on this side
    connection: int  # the connection handle
    credits: int  # that the central has
    incoming: bool  # whether the central opened it
    mps: int  # and the longest payload of a K-frame
    mtu: int  # the longest SDU that we take
    open: bool  # true
    peer_credits: int  # that we have
    peer_mps: int  # and payload
    peer_mtu: int  # the longest SDU that the central takes
    psm: int  # the PSM
    queued: int  # octets that wait
    received: Any  # likewise
    remote: int  # its end on the other side
    sent: Any  # `sdus`, `frames` and `octets` so far


@_kind("channel-closed")
@dataclass(frozen=True, kw_only=True, repr=False)
class ChannelClosed(Event):
    """A channel has ended."""

    channel: int  # its end on this side
    connection: int  # the connection handle
    psm: int  # the PSM
    reason: str  # why, in words
    sink: Any = None  # what its sink has taken: `sdus`, `octets`, and `sha256` (null where it is not wanted)
    unsent: int  # octets that were not sent


@_kind("channel-may-send")
@dataclass(frozen=True, kw_only=True, repr=False)
class ChannelMaySend(Event):
    """A channel that its owner fills takes SDUs again."""

    channel: int  # its end on this side
    connection: int  # the connection handle


@_kind("channel-reconfigured")
@dataclass(frozen=True, kw_only=True, repr=False)
class ChannelReconfigured(Event):
    """The central takes other lengths."""

    channel: int  # its end on this side
    connection: int  # the connection handle
    mps: int  # of a payload
    mtu: int  # of an SDU


@_kind("channel-reconfiguration-answered")
@dataclass(frozen=True, kw_only=True, repr=False)
class ChannelReconfigurationAnswered(Event):
    """The central has answered our reconfiguration."""

    channels: tuple[int, ...]  # of these channels
    connection: int  # the connection handle
    result: Any  # the result; null without an answer


@_kind("channel-authorization-asked")
@dataclass(frozen=True, kw_only=True, repr=False)
class ChannelAuthorizationAsked(Event):
    """A central waits to be let in."""

    channels: int  # how many it wants
    connection: int  # the connection handle
    psm: int  # the PSM


@_kind("channel-refused")
@dataclass(frozen=True, kw_only=True, repr=False)
class ChannelRefused(Event):
    """A central was refused channels."""

    channels: int  # how many it wanted
    connection: int  # the connection handle
    psm: int  # the PSM
    result: int  # the result


@_kind("channel-bridged")
@dataclass(frozen=True, kw_only=True, repr=False)
class ChannelBridged(Event):
    """A line stands behind a channel."""

    channel: int  # its end on this side
    connection: int  # the connection handle
    id: str  # what was opened
    place: str  # where the line leads to


@_kind("sdu")
@dataclass(frozen=True, kw_only=True, repr=False)
class Sdu(Event):
    """An SDU has come over a channel that the accessory opened."""

    channel: int  # its end on this side
    connection: int  # the connection handle
    hex: str  # its octets


@_kind("frame")
@dataclass(frozen=True, kw_only=True, repr=False)
class Frame(Event):
    """A frame has come over a fixed channel."""

    channel: int  # its end on this side
    connection: int  # the connection handle
    hex: str  # its octets


@_kind("ready-for-more")
@dataclass(frozen=True, kw_only=True, repr=False)
class ReadyForMore(Event):
    """A link takes more."""

    connection: int  # the connection handle


@_kind("remote-began")
@dataclass(frozen=True, kw_only=True, repr=False)
class RemoteBegan(Event):
    """An operation on a central's server has begun (on request)."""

    connection: int  # the connection handle
    handle: int | None = None  # the attribute
    operation: int  # the operation's number
    request: str  # which


@_kind("remote-ended")
@dataclass(frozen=True, kw_only=True, repr=False)
class RemoteEnded(Event):
    """It has ended well."""

    characteristics: int | None = None  # likewise
    connection: int  # the connection handle
    descriptors: int | None = None  # likewise
    hex: str | None = None  # the octets
    includes: int | None = None  # likewise
    mtu: int | None = None  # the ATT_MTU
    operation: int  # the operation's number
    services: int | None = None  # how many were found
    values: tuple[Any, ...] | None = None  # `handle` and `hex` of each


@_kind("remote-failed")
@dataclass(frozen=True, kw_only=True, repr=False)
class RemoteFailed(Event):
    """It has failed."""

    connection: int  # the connection handle
    operation: int  # the operation's number
    reason: str  # why, in words


@_kind("remote-notification")
@dataclass(frozen=True, kw_only=True, repr=False)
class RemoteNotification(Event):
    """A central's server has notified."""

    connection: int  # the connection handle
    handle: int  # the attribute
    hex: str  # the octets


@_kind("remote-indication")
@dataclass(frozen=True, kw_only=True, repr=False)
class RemoteIndication(Event):
    """A central's server has indicated."""

    connection: int  # the connection handle
    handle: int  # the attribute
    hex: str  # the octets


@_kind("remote-services-changed")
@dataclass(frozen=True, kw_only=True, repr=False)
class RemoteServicesChanged(Event):
    """A central's services have changed."""

    connection: int  # the connection handle
    first_handle: int  # of the affected range
    last_handle: int  # of the affected range


@_kind("remote-out-of-sync")
@dataclass(frozen=True, kw_only=True, repr=False)
class RemoteOutOfSync(Event):
    """What is known of a central's services is out of date."""

    connection: int  # the connection handle


@_kind("remote-violation")
@dataclass(frozen=True, kw_only=True, repr=False)
class RemoteViolation(Event):
    """A central's server broke the protocol."""

    connection: int  # the connection handle
    reason: str  # why, in words


@_kind("remote-step")
@dataclass(frozen=True, kw_only=True, repr=False)
class RemoteStep(Event):
    """A step of the profile's `client` is over."""

    connection: int  # the connection handle
    hex: str | None = None  # the octets
    reason: str | None = None  # why, in words
    retry: bool | None = None  # whether it is tried again
    step: str  # which


@_kind("scanning")
@dataclass(frozen=True, kw_only=True, repr=False)
class Scanning(Event):
    """A central has begun or ended to scan."""

    on: bool  # whether it scans


@_kind("advertisement")
@dataclass(frozen=True, kw_only=True, repr=False)
class Advertisement(Event):
    """A central has heard an advertiser."""

    address: str  # whose
    data: str  # its advertising data
