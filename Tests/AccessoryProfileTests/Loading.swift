import AccessoryProfile
import BLECore
import BLEGATT

/// What loading a text reports, each as `LINE:COLUMN: severity: message`.
func diagnose(_ text: String, file: String = "profile.yaml") -> [String] {
  let diagnostics: [Diagnostic]
  do throws(ProfileError) {
    diagnostics = try Profile.load(text: text, file: file).warnings
  } catch {
    diagnostics = error.diagnostics
  }
  return diagnostics.map { "\($0.line):\($0.column): \($0.severity.rawValue): \($0.message)" }
}

/// A profile with a name and without advertising, which needs no services, and these further lines.
func profile(_ lines: String) throws -> Profile {
  try Profile.load(text: "understudy: 1\nname: Test\n" + lines)
}

/// A profile with one characteristic `x` whose UUID has no meaning, with these keys in flow style.
func characteristic(_ keys: String, uuid: String = "FFF1") throws -> Profile {
  try profile("services: [ { uuid: FFF0, characteristics: [ { id: x, uuid: \(uuid), \(keys) } ] } ]")
}

extension ProfileRuntime {
  /// The octets that a client reads.
  mutating func readOctets(_ id: String, client: ClientID = 1, at now: Instant) -> [UInt8]? {
    guard let index = index(of: id), case .value(let octets) = read(index, for: client, at: now) else { return nil }
    return octets
  }

  /// Subscribes so many clients.
  mutating func subscribe(_ id: String, notified: Int = 0, indicated: Int = 0, at now: Instant) {
    guard let index = index(of: id) else { return }
    var actions: [ApplicationAction] = []
    subscriptionsChanged(index, notified: notified, indicated: indicated, at: now, actions: &actions)
  }

  /// Goes from deadline to deadline until `end` and collects what the host is asked to do, and when.
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
  /// So many milliseconds after the clock's zero.
  static func ms(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }
}
