import AccessoryProfile
import BLECore
import BLEGATT

/// Returns the diagnostics for a text, each as `LINE:COLUMN: severity: message`.
func diagnose(_ text: String, file: String = "profile.yaml") -> [String] {
  let diagnostics: [Diagnostic]
  do throws(ProfileError) {
    diagnostics = try Profile.load(text: text, file: file).warnings
  } catch {
    diagnostics = error.diagnostics
  }
  return diagnostics.map { "\($0.line):\($0.column): \($0.severity.rawValue): \($0.message)" }
}

/// Returns a profile with a name and without advertising, which needs no services, and with these further lines.
func profile(_ lines: String) throws -> Profile {
  try Profile.load(text: "understudy: 1\nname: Test\n" + lines)
}

/// Returns a profile with one characteristic `x` with an unassigned UUID and these keys in flow style.
func characteristic(_ keys: String, uuid: String = "FFF1") throws -> Profile {
  try profile("services: [ { uuid: FFF0, characteristics: [ { id: x, uuid: \(uuid), \(keys) } ] } ]")
}

extension ProfileRuntime {
  /// Returns the octets that a client reads.
  mutating func readOctets(_ id: String, client: ClientID = 1, at now: Instant) -> [UInt8]? {
    guard let index = index(of: id), case .value(let octets) = read(index, for: client, at: now) else { return nil }
    return octets
  }

  /// Subscribes the given number of clients.
  mutating func subscribe(_ id: String, notified: Int = 0, indicated: Int = 0, at now: Instant) {
    guard let index = index(of: id) else { return }
    var actions: [ApplicationAction] = []
    subscriptionsChanged(index, notified: notified, indicated: indicated, at: now, actions: &actions)
  }

  /// Advances from deadline to deadline until `end`, and collects the actions for the host with their times.
  mutating func run(until end: Instant) -> [(at: Instant, action: ApplicationAction)] {
    var result: [(at: Instant, action: ApplicationAction)] = []
    while let deadline = nextDeadline, deadline <= end {
      var actions: [ApplicationAction] = []
      advance(to: deadline, actions: &actions)
      result += actions.map { (deadline, $0) }
    }
    return result
  }
}

extension Instant {
  /// Returns the instant that many milliseconds after the clock's zero.
  static func ms(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }
}
