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
/// Characteristics are identified by their ids in the profile of the connected accessory, or by their UUIDs. If the accessory refuses an
/// operation, its `GATTFailure` is thrown, so that a test can expect it. Everything else that does not succeed throws a `TestFailure`.
public final class TestCentral: TestParticipant {
  let host: ScriptedCentral
  /// The link that the methods use, and its accessory.
  private(set) var current: (link: ConnectionHandle, accessory: TestAccessory)?
  private let route: Route
  /// The channels that the central opened, by id, and the number of SDUs received on each.
  var channels: [String: OpenedChannel] = [:]

  init(_ name: String, as persona: CentralPersona? = nil, on air: TestAir) throws {
    let simulation = air.simulation
    var configuration = Self.configuration(.randomStatic(from: 0xCE00 + UInt64(simulation.arrivals)))
    if let persona { configuration.act(as: persona) }
    host = try simulation.addCentral(configuration)
    air.join(host)
    route = Route()
    super.init(name, Journal(name, air.transcript), on: air)
    host.observer = { [journal, route, unowned simulation] events in
      for event in events {
        // Advertisements would fill the transcript.
        if case .advertisement = event { continue }
        journal.take(route.described(event), at: simulation.now)
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

  /// Connects with all parameters. Failures are thrown unchanged.
  @discardableResult
  package func makeLink(to accessory: TestAccessory, _ parameters: LinkParameters) throws -> ConnectionHandle {
    let heard = try host.hear { $0.isConnectable && accessory.hasSent($0) }
    let link = try host.connect(to: heard.address, parameters: parameters)
    current = (link, accessory)
    route.accessory = accessory
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

  /// Waits until the link has ended, regardless of which side ends it.
  public func awaitEnd(within limit: Duration = .seconds(10)) throws {
    guard air.advance(until: { !isConnected }, within: limit) else {
      throw failure("the link of \(name) has not ended within \(limit)")
    }
  }

  /// Scans for a time. Returns the received advertisements in order.
  public func scan(for duration: Duration) throws -> [Advertisement] { try host.scan(for: duration) }

  /// Returns the link and its accessory.
  func connected() throws -> (link: ConnectionHandle, accessory: TestAccessory) {
    guard let current else { throw failure("\(name) is not connected") }
    return current
  }

  /// Performs an operation. A failure is thrown as a `TestFailure` with a description of what failed.
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

/// The accessory to which a central is connected, for the names and values of what its server sends.
final class Route {
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
