import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP

/// One link to a peripheral, and everything that is its own.
struct CentralLink: Sendable {
  let handle: ConnectionHandle
  var details: ConnectionDetails
  var client: GATTClient
  /// What this side's server remembers of the peripheral's client, and its bearer.
  var session: GATTSession
  var bearer = ServerBearer()
  /// Signalling and the credit-based channels.
  var channels = LinkChannels(role: .central)
  var recombiner = ACLRecombiner()
  /// Whether a write command was not taken, so that the end of that is reported.
  var wantsRoom = false
  /// Whether it is being disconnected because its answers pile up; nothing of it is taken any longer.
  var isFlooding = false

  init(handle: ConnectionHandle, details: ConnectionDetails, mtu: Int) {
    self.handle = handle
    self.details = details
    client = GATTClient(mtu: mtu)
    session = GATTSession(client: ClientID(rawValue: UInt32(handle.rawValue)))
  }

  /// The next moment at which something of this link is due.
  var nextDeadline: Instant? {
    Instant.earliest(channels.nextDeadline, Instant.earliest(client.nextDeadline, bearer.att.deadline))
  }

  mutating func receiveRequest(
    _ pdu: Span<UInt8>, _ server: inout GATTServer, _ application: inout NoApplication, at now: Instant,
    reply: inout OctetBuffer, effects: inout ServerEffects
  ) {
    server.receive(
      pdu, on: &bearer, from: &session, application: &application, at: now, reply: &reply, effects: &effects)
  }

  mutating func indication(
    of index: CharacteristicIndex, value: [UInt8], _ server: GATTServer, at now: Instant
  ) -> HandleValueIndication? {
    server.indication(of: index, value: value, on: &bearer, to: &session, at: now)
  }
}

/// A link as an observer sees it.
public struct CentralLinkState: Hashable, Sendable {
  /// Its handle.
  public var handle: ConnectionHandle
  /// The peripheral and the connection parameters.
  public var details: ConnectionDetails
  /// The MTU of its ATT bearer, in octets.
  public var mtu: Int
}

/// How far a link's packets have come.
public struct SendingProgress: Hashable, Sendable {
  /// How many ACL packets the controller has reported completed since the link began: the peripheral has acknowledged them.
  public var completed: Int
  /// How many ACL packets the controller has and has not reported completed.
  public var outstanding: Int
  /// How many L2CAP PDUs wait for the controller, wholly or in part.
  public var waiting: Int

  /// A state of sending.
  public init(completed: Int, outstanding: Int, waiting: Int) {
    self.completed = completed
    self.outstanding = outstanding
    self.waiting = waiting
  }

  /// Whether the peripheral has acknowledged everything.
  public var isIdle: Bool { outstanding == 0 && waiting == 0 }
}

/// A central's server keeps its values itself.
struct NoApplication: AttributeApplication {
  func read(_ characteristic: CharacteristicIndex, for client: ClientID, at now: Instant) -> ReadAnswer { .value([]) }

  func write(
    _ value: [UInt8], to characteristic: CharacteristicIndex, for client: ClientID, at now: Instant
  ) -> WriteAnswer { .accepted }

  func subscriptionsChanged(
    _ characteristic: CharacteristicIndex, notified: Int, indicated: Int, at now: Instant,
    actions: inout [ApplicationAction]
  ) {}

  var nextDeadline: Instant? { nil }

  func advance(to now: Instant, actions: inout [ApplicationAction]) {}
}
