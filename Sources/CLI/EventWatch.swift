import AccessoryProfile
import ArgumentParser
import Synchronization
import Understudy

/// Waits for the first event of a name.
final class EventWatch: Sendable {
  private let name: String?
  private let hasCome = Mutex(false)

  /// Refuses a name that no event has: it would never come.
  static func validate(_ name: String?) throws {
    guard let name, !EventCatalogue.all.contains(where: { $0.events.contains { $0.name == name } }) else { return }
    throw ValidationError("--until takes the name of an event, as listed in docs/events.md; '\(name)' is not one")
  }

  /// Waits for nothing when there is no name.
  init(_ name: String?) { self.name = name }

  /// Whether that is the event.
  func isMet(by event: GroupEvent) -> Bool {
    guard let name, case .object(let fields) = event.event.json, fields["event"] == .string(name) else { return false }
    hasCome.withLock { $0 = true }
    return true
  }

  /// The name, when the event has not come.
  var missing: String? { hasCome.withLock { $0 } ? nil : name }
}
