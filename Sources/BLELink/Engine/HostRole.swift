import BLECore
import BLEGAP
import BLEHCI
import Faults

/// What a GAP role does with the controller beside its links: a peripheral advertises, a central scans and initiates
/// (Core 5.4 Vol 3 Part C 2.2.2). The engine asks it for commands when nothing else is to be sent, and hands it the events
/// that are its own.
public protocol HostRole: Sendable {
  /// The role of this side in the links that it makes.
  static var linkRole: LinkRole { get }

  /// What happened since the engine last took it.
  var events: [HostEvent] { get set }

  /// The controller has been brought up and knows nothing of this role.
  mutating func controllerIsUp(_ controller: ControllerProfile, _ identity: OnAirIdentity, at now: Instant)

  /// Makes new private addresses where they are due; called before the controller is up, and whenever a deadline has come.
  mutating func renewAddresses(at now: Instant, random: inout any RandomNumberGenerator & Sendable)

  /// The private address that a link was made with, as far as it is known so far; nil when it is that of the identity.
  mutating func ownAddress(of link: ConnectionHandle) -> DeviceAddress?

  /// The controller is about to be reset, or is gone, and forgets everything.
  mutating func controllerIsLost()

  /// The next command to send; asked for while none is under way, and followed by `answered` or `commandLost`.
  mutating func nextCommand() -> (any HCICommand)?

  /// Takes the answer to its command. `parameters` are the return parameters, status included.
  mutating func answered(_ command: any HCICommand, _ parameters: Span<UInt8>, at now: Instant)

  /// Its command was not answered, though the controller is well: it may have been carried out or not.
  mutating func commandLost(_ command: any HCICommand)

  /// Takes an LE event that is not about a link.
  mutating func receive(_ subevent: LESubevent, _ parameters: Span<UInt8>, at now: Instant) throws(LayoutFault)

  /// A link was made, or could not be; then the handle means nothing.
  mutating func connectionCompleted(_ status: ErrorCode, _ handle: ConnectionHandle)

  // MARK: Bonded peers

  /// Whether it wants to know of those.
  var followsPeers: Bool { get }

  /// Those with whom there is a bond, the one that was here last in front, or who of them is connected, have changed.
  mutating func peersChanged(_ peers: [BondedPeer], random: inout any RandomNumberGenerator & Sendable)

  /// Whether it directs advertising to bonded peers.
  var callsPeers: Bool { get }

  /// How many bonds the role can make use of; nil for any number.
  var bondLimit: Int? { get }

  /// Links that are wanted only if their peers have bonded; asked for when there may be some.
  func linksToCheck() -> [ConnectionHandle]

  /// Such a link was looked at.
  mutating func linkChecked(_ handle: ConnectionHandle)

  // MARK: Links

  /// There are that many links now.
  mutating func linkCountChanged(_ count: Int, at now: Instant)

  /// Whether the controller has been told everything and does it.
  var isUpToDate: Bool { get }

  /// It is up to date for the first time since the controller came up.
  mutating func becameUpToDate()

  /// Why the controller is of no use to this role; nil while it is.
  var failure: ControllerFailure? { get }

  /// Stops everything for good, for a shutdown.
  mutating func stopAll()

  /// Gives an advertising set other data; without an own method the role does not advertise.
  mutating func advertise(_ data: [UInt8], scanResponse: [UInt8], set: String)

  /// Goes off the air, or on it again as at the start; without an own method the role does nothing.
  mutating func setAsleep(_ isAsleep: Bool, at now: Instant)

  /// Advertises otherwise than it should, or as it should again; without an own method the role does not advertise.
  mutating func advertise(_ fault: FaultAdvertising)

  // MARK: Supervision

  /// What was wrong with an answer that a damaged command may be the reason of, once; nil when nothing was.
  mutating func takeComplaint() -> String?

  /// Tells the controller once more what it refused.
  mutating func tryAgain(at now: Instant)

  /// A command whose answer tells whether the controller does what it was told; nil when there is nothing to ask. `round` counts
  /// up from question to question.
  func question(round: Int) -> (any HCICommand)?

  /// Whether the controller does what it was told, by the answer to a question; nil when the answer does not say, because what
  /// it was told has changed meanwhile.
  func isConfirmed(_ question: any HCICommand, _ status: ErrorCode) -> Bool?

  /// The controller does not do what the question was about, as its status shows: it is told again.
  mutating func reapply(after question: any HCICommand, _ status: ErrorCode)

  // MARK: Time

  /// When `advance` has something to do next.
  var nextDeadline: Instant? { get }

  /// Does what is due at `now`.
  mutating func advance(to now: Instant)
}

// These are documented where they are required.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension HostRole {
  public mutating func advertise(_ fault: FaultAdvertising) {}

  public mutating func setAsleep(_ isAsleep: Bool, at now: Instant) {}

  public mutating func advertise(_ data: [UInt8], scanResponse: [UInt8], set: String) {}

  public mutating func renewAddresses(at now: Instant, random: inout any RandomNumberGenerator & Sendable) {}

  public mutating func ownAddress(of link: ConnectionHandle) -> DeviceAddress? { nil }

  public var followsPeers: Bool { false }

  public mutating func peersChanged(_ peers: [BondedPeer], random: inout any RandomNumberGenerator & Sendable) {}

  public var callsPeers: Bool { false }

  public var bondLimit: Int? { nil }

  public func linksToCheck() -> [ConnectionHandle] { [] }

  public mutating func linkChecked(_ handle: ConnectionHandle) {}
}

/// Under which address a host is known.
public struct OnAirIdentity: Hashable, Sendable {
  /// The address.
  public var address: DeviceAddress
  /// Its kind.
  public var addressType: AddressType

  /// An identity.
  public init(address: DeviceAddress, addressType: AddressType) {
    self.address = address
    self.addressType = addressType
  }

  /// How commands name that kind.
  public var ownAddressType: OwnAddressType { addressType == .publicDevice ? .publicDevice : .random }
}
