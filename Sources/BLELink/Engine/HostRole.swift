import BLECore
import BLEGAP
import BLEHCI
import Faults

/// What a GAP role does with the controller besides its links: a peripheral advertises, a central scans and initiates
/// (Core 5.4 Vol 3 Part C 2.2.2). The engine asks it for commands when there is nothing else to send, and passes it the events
/// that belong to it.
public protocol HostRole: Sendable {
  /// The role of this side in the links that it makes.
  static var linkRole: LinkRole { get }

  /// The events since the engine last collected them.
  var events: [HostEvent] { get set }

  /// Starts over: the controller has been initialized and has none of the role's settings.
  mutating func controllerIsUp(_ controller: ControllerProfile, _ identity: TypedAddress, at now: Instant)

  /// Generates new private addresses if they are due; called before the controller is up, and whenever a deadline has passed.
  mutating func renewAddresses(at now: Instant, random: inout any RandomNumberGenerator & Sendable)

  /// Returns the private address with which a link was made, as far as it is known yet; nil if it is the identity address.
  mutating func ownAddress(of link: ConnectionHandle) -> DeviceAddress?

  /// Handles the loss of all settings: the controller is about to be reset, or is no longer there.
  mutating func controllerIsLost()

  /// Returns the next command to send. Called while no command is in progress; `answered` or `commandLost` follows.
  mutating func nextCommand() -> RoleCommand?

  /// Handles the answer to its command. `parameters` are the return parameters, including the status.
  mutating func answered(
    _ command: any HCICommand, about subject: CommandSubject, _ parameters: Span<UInt8>, at now: Instant)

  /// Handles a lost command: it was not answered, although the controller works, and may or may not have been executed.
  mutating func commandLost(_ command: any HCICommand, about subject: CommandSubject)

  /// Handles an LE event that does not concern a link.
  mutating func receive(_ subevent: LESubevent, _ parameters: Span<UInt8>, at now: Instant) throws(LayoutFault)

  /// Handles an event of BR/EDR about finding devices, or about a connection; by default does nothing, as for a role that waits for
  /// connections.
  mutating func receive(_ event: EventCode, _ parameters: Span<UInt8>, at now: Instant) throws(LayoutFault)

  /// Handles the end of a connection attempt over LE; if the attempt failed, the handle is meaningless.
  mutating func connectionCompleted(_ status: ErrorCode, _ handle: ConnectionHandle)

  // MARK: Bonded peers

  /// Whether it needs to know the bonded peers.
  var followsPeers: Bool { get }

  /// Handles a change of the bonded peers or of their connections. `peers` lists them, the most recent one first.
  mutating func peersChanged(_ peers: [BondedPeer], random: inout any RandomNumberGenerator & Sendable)

  /// Whether it directs advertising to bonded peers.
  var callsPeers: Bool { get }

  /// The maximum number of bonds that the role can use; nil for no limit.
  var bondLimit: Int? { get }

  /// Returns the links that are wanted only if their peers are bonded; called when there may be some.
  func linksToCheck() -> [ConnectionHandle]

  /// Marks such a link as checked.
  mutating func linkChecked(_ handle: ConnectionHandle)

  // MARK: Links

  /// Returns whether it accepts another connection over BR/EDR, beside so many.
  func acceptsClassicLink(beside count: Int) -> Bool

  /// Handles a change of the number of links over LE.
  mutating func linkCountChanged(_ count: Int, at now: Instant)

  /// Whether the controller has accepted all settings of the role.
  var isUpToDate: Bool { get }

  /// Handles that all settings are applied for the first time since the controller was initialized.
  mutating func becameUpToDate()

  /// Why this role cannot use the controller; nil if it can.
  var failure: ControllerFailure? { get }

  /// Returns what this role lacks on a controller before anything is tried; by default nothing.
  func lack(on controller: ControllerProfile) -> ControllerFailure?

  /// Stops everything for good, for a shutdown.
  mutating func stopAll()

  /// Changes the data of an advertising set; by default does nothing, as for a role that does not advertise.
  mutating func advertise(_ data: [UInt8], scanResponse: [UInt8], set: String)

  /// Stops using the air, or starts again as at the beginning; by default does nothing.
  mutating func setAsleep(_ isAsleep: Bool, at now: Instant)

  /// Advertises incorrectly, or correctly again; by default does nothing, as for a role that does not advertise.
  mutating func advertise(_ fault: FaultAdvertising)

  // MARK: Supervision

  /// Returns and clears a complaint about an answer that a damaged command may have caused; nil if there is none.
  mutating func takeComplaint() -> String?

  /// Repeats the settings that the controller refused.
  mutating func tryAgain(at now: Instant)

  /// Returns a command whose answer shows whether the controller applies the settings; nil if there is nothing to ask. `round` is
  /// incremented with each question.
  func question(round: Int) -> (any HCICommand)?

  /// Returns whether the answer to a question shows that the controller applies the settings; nil if it does not show that, because the
  /// settings have changed in the meantime.
  func isConfirmed(_ question: any HCICommand, _ status: ErrorCode) -> Bool?

  /// Applies the settings again that the controller does not apply, as the status of the answer shows.
  mutating func reapply(after question: any HCICommand, _ status: ErrorCode)

  // MARK: Time

  /// When to call `advance` next.
  var nextDeadline: Instant? { mutating get }

  /// Handles everything that is due at `now`.
  mutating func advance(to now: Instant)
}

// These are documented at the requirements.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension HostRole {
  public mutating func receive(_ event: EventCode, _ parameters: Span<UInt8>, at now: Instant) throws(LayoutFault) {}

  public mutating func advertise(_ fault: FaultAdvertising) {}

  public mutating func setAsleep(_ isAsleep: Bool, at now: Instant) {}

  public mutating func advertise(_ data: [UInt8], scanResponse: [UInt8], set: String) {}

  public mutating func renewAddresses(at now: Instant, random: inout any RandomNumberGenerator & Sendable) {}

  public mutating func ownAddress(of link: ConnectionHandle) -> DeviceAddress? { nil }

  public func lack(on controller: ControllerProfile) -> ControllerFailure? { nil }

  public func acceptsClassicLink(beside count: Int) -> Bool { false }

  public var followsPeers: Bool { false }

  public mutating func peersChanged(_ peers: [BondedPeer], random: inout any RandomNumberGenerator & Sendable) {}

  public var callsPeers: Bool { false }

  public var bondLimit: Int? { nil }

  public func linksToCheck() -> [ConnectionHandle] { [] }

  public mutating func linkChecked(_ handle: ConnectionHandle) {}
}
