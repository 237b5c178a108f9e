import AccessoryProfile
import ArgumentParser
import Synchronization
import Understudy

/// Waits for the first event with a given name.
final class EventWatch: Sendable {
  private let name: String?
  private let hasCome = Mutex(false)

  /// Throws if no event has that name, because it would never occur.
  static func validate(_ name: String?) throws {
    guard let name, !EventCatalogue.all.contains(where: { $0.events.contains { $0.name == name } }) else { return }
    throw ValidationError("--until takes the name of an event, as listed in docs/events.md; '\(name)' is not one")
  }

  /// Creates a watch. Without a name, it never matches.
  init(_ name: String?) { self.name = name }

  /// Returns whether the event has the name.
  func isMet(by event: GroupEvent) -> Bool {
    guard let name, case .object(let fields) = event.event.json, fields["event"] == .string(name) else { return false }
    hasCome.withLock { $0 = true }
    return true
  }

  /// The name, if the event has not occurred.
  var missing: String? { hasCome.withLock { $0 } ? nil : name }
}
