import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLELink
import CentralHost
import Simulation
import Understudy

/// A central on a `TestAir` that does what a test says: every verb lets virtual time pass until what it says is done, or throws.
///
/// Characteristics go by their ids in the profile of the accessory that it is connected to, or by their UUIDs. What the accessory
/// refuses is thrown as the `GATTFailure` that it is, so that a test can expect it; what does not happen as a `TestFailure`.
public final class TestCentral: TestParticipant {
  let host: ScriptedCentral
  /// The link that the verbs are about, and whose accessory it leads to.
  private(set) var current: (link: ConnectionHandle, accessory: TestAccessory)?
  private let route: Route
  /// The channels that it has opened, by their ids, and how many SDUs of each were received.
  var channels: [String: OpenedChannel] = [:]

  init(_ name: String, on air: TestAir) throws {
    let simulation = air.simulation
    var configuration = CentralConfiguration()
    configuration.randomAddress = .randomStatic(from: 0xCE00 + UInt64(simulation.arrivals))
    configuration.security.isPairable = true
    configuration.security.ioCapability = .keyboardDisplay
    configuration.security.prefersAuthentication = true
    host = try simulation.addCentral(configuration)
    air.join(host)
    route = Route()
    super.init(name, Journal(name, air.transcript), on: air)
    host.observer = { [journal, route, unowned simulation] events in
      for event in events {
        // What is heard of advertisers would fill the transcript.
        if case .advertisement = event { continue }
        journal.take(route.described(event), at: simulation.now)
      }
    }
    try host.start()
  }

  // MARK: - Links

  /// How long a verb waits; 60 s unless it is changed.
  public var limit: Duration {
    get { host.limit }
    set { host.limit = newValue }
  }

  /// Scans for an accessory, and connects to it.
  public func connect(to accessory: TestAccessory, interval: Duration = .milliseconds(30)) throws {
    _ = try act("no link to \(accessory.name)") { try makeLink(to: accessory, LinkParameters(interval: interval)) }
  }

  /// The same with all parameters, and with the failure as it is.
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

  /// Whether the link is there.
  public var isConnected: Bool { current.map { host.links.contains($0.link) } ?? false }

  /// Waits until the link has ended, by whomever.
  public func awaitEnd(within limit: Duration = .seconds(10)) throws {
    guard air.advance(until: { !isConnected }, within: limit) else {
      throw failure("the link of \(name) has not ended within \(limit)")
    }
  }

  /// Scans for that long; what was heard, in order.
  public func scan(for duration: Duration) throws -> [Advertisement] { try host.scan(for: duration) }

  /// The link and its accessory.
  func connected() throws -> (link: ConnectionHandle, accessory: TestAccessory) {
    guard let current else { throw failure("\(name) is not connected") }
    return current
  }

  /// Does something, and says in the words of a test what did not come of it.
  func act<Result>(_ what: String, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as SimulationFailure {
      throw failure("\(name): \(what): \(error)")
    } catch let error as HostRequestError {
      throw failure("\(name): \(what): \(ControlError.refused(error))")
    }
  }

  /// The host, for who goes deeper.
  package var simulated: ScriptedCentral { host }
}

/// Who a central is connected to, for the names of what its server sends.
final class Route {
  weak var accessory: TestAccessory?

  func described(_ event: HostEvent) -> ProfileValue {
    let json = event.json.without("time")
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
