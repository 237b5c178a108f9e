import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLELink
import CentralHost
import Simulation
import UnderstudyCore

/// A central on a `TestAir` for tests: each method lets virtual time pass until its operation is done, or throws.
///
/// A characteristic's name is its id in the profile of the connected accessory, or its UUID. If the accessory refuses an operation, the
/// method throws the `GATTFailure`, so that a test can expect it. Any other failure is a `TestFailure`.
public final class TestCentral: TestParticipant {
  let host: ScriptedCentral
  /// The link that the methods use, and its accessory.
  private(set) var current: (link: ConnectionHandle, accessory: TestAccessory)?
  private let names = RemoteNames()
  /// The open channels by their ids in the profile.
  var channels: [String: OpenedChannel] = [:]

  init(_ name: String, as persona: CentralPersona? = nil, usesClassic: Bool = false, on air: TestAir) throws {
    let simulation = air.simulation
    var configuration = Self.configuration(.randomStatic(from: 0xCE00 + UInt64(simulation.arrivals)))
    if let persona { configuration.act(as: persona) }
    configuration.usesClassic = usesClassic
    host = try simulation.addCentral(configuration, on: usesClassic ? .dual : .full)
    air.join(host)
    super.init(name, Journal(name, air.transcript), on: air)
    host.observer = { [journal, names, unowned simulation] events in
      for event in events {
        // Advertisements would fill the transcript.
        if case .advertisement = event { continue }
        journal.take(names.described(event), at: simulation.now)
      }
    }
    try host.start()
  }

  /// Returns the configuration of a central that can pair in every way.
  package static func configuration(_ address: DeviceAddress) -> CentralConfiguration {
    var configuration = CentralConfiguration(randomAddress: address)
    configuration.security.isPairable = true
    configuration.security.ioCapability = .keyboardDisplay
    configuration.security.prefersAuthentication = true
    return configuration
  }

  // MARK: - Links

  /// The time limit of each operation, initially 60 s.
  public var limit: Duration {
    get { host.limit }
    set { host.limit = newValue }
  }

  /// Scans for an accessory, and connects to it.
  public func connect(to accessory: TestAccessory, interval: Duration = .milliseconds(30)) throws {
    _ = try act("no link to \(accessory.name)") { try makeLink(to: accessory, LinkParameters(interval: interval)) }
  }

  /// Connects with all parameters. Throws failures of the host unchanged.
  @discardableResult
  package func makeLink(to accessory: TestAccessory, _ parameters: LinkParameters) throws -> ConnectionHandle {
    let heard = try host.hear { $0.isConnectable && accessory.hasSent($0) }
    return take(
      try host.connect(ConnectionRequest(to: heard.address, type: heard.addressType, parameters: parameters)),
      to: accessory)
  }

  /// Uses a link to an accessory from now on.
  func take(_ link: ConnectionHandle, to accessory: TestAccessory) -> ConnectionHandle {
    current = (link, accessory)
    names.accessory = accessory
    channels = [:]
    return link
  }

  /// Ends the link, and waits until it has ended.
  public func disconnect() throws {
    let (link, _) = try connected()
    guard isConnected else { return }
    try act("the link does not end") { try host.disconnect(link) }
  }

  /// Whether the link exists.
  public var isConnected: Bool { current.map { host.links.contains($0.link) } ?? false }

  /// Waits until the link has ended, whichever side ends it.
  public func awaitEnd(within limit: Duration = .seconds(10)) throws {
    guard air.advance(until: { !isConnected }, within: limit) else {
      throw failure("the link of \(name) did not end within \(limit)")
    }
  }

  /// Scans for this long. Returns the received advertisements in order.
  public func scan(for duration: Duration) throws -> [Advertisement] { try host.scan(for: duration) }

  /// Returns the link and its accessory.
  func connected() throws -> (link: ConnectionHandle, accessory: TestAccessory) {
    guard let current else { throw failure("\(name) is not connected: connect it first") }
    return current
  }

  /// Performs an operation. Turns a failure of the host into a `TestFailure` that says what failed.
  func act<Result>(_ what: String, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as SimulationFailure {
      throw failure("\(name): \(what): \(error)")
    } catch let error as HostRequestError {
      throw failure("\(name): \(what): \(ControlError.refused(error))")
    }
  }

  /// The host, for direct access.
  package var simulated: ScriptedCentral { host }
}

/// Adds names and values to a central's events for notifications and indications, from the profile of the connected accessory.
final class RemoteNames {
  weak var accessory: TestAccessory?

  func described(_ event: HostEvent) -> ProfileValue {
    let json = event.json
    guard case .client(_, let sent) = event, case .object(var fields) = json,
      let stack = accessory?.host.stack
    else { return json }
    let (handle, octets): (UInt16, [UInt8])
    switch sent {
    case .notification(let of, let value), .indication(let of, let value): (handle, octets) = (of, value)
    default: return json
    }
    guard let record = stack.server.database.characteristics.first(where: { $0.value == handle }) else { return json }
    fields["characteristic"] = .string(record.definition.id)
    fields["hex"] = .string(octets.hexadecimal)
    fields["value"] = stack.application.decode(octets, of: record.index)
    return .object(fields)
  }
}
