import AccessoryProfile
import BLECore
import Faults
import UnderstudyTesting

/// A fault that fired in a case.
package struct InjectedFault: Hashable, Sendable, CustomStringConvertible {
  /// The id of the fault.
  package var id: String
  /// What it did, such as `ATT_HANDLE_VALUE_NTF sent after the next one`.
  package var done: String
  /// The virtual time since the beginning of the case.
  package var time: Duration
  /// Its place, as `FILE:LINE`; nil if several places define a fault with its id.
  package var place: String?

  /// Creates a fault that fired.
  package init(id: String, done: String, time: Duration, place: String? = nil) {
    (self.id, self.done, self.time, self.place) = (id, done, time, place)
  }

  /// The fault on one line, for people.
  package var description: String { "\(id) at \(time.secondsText): \(done)" + (place.map { " (\($0))" } ?? "") }

  /// The maximum number of faults that a report names.
  private static let shown = 10

  /// Returns the lines of a report: the last faults, after the number of those before them.
  static func lines(of injected: [InjectedFault]) -> [String] {
    let earlier = injected.count - shown
    let lines = injected.suffix(shown).map(\.description)
    return earlier > 0 ? ["\(earlier) earlier faults, which the transcript names"] + lines : lines
  }
}

extension CaseRunner {
  /// The faults that have fired so far; nil if none were armed, or if the stage cannot see them.
  var injected: [InjectedFault]? {
    guard let events = stage.accessoryEvents, hasArmed else { return nil }
    return events.compactMap { event in
      guard event.name == "fault", event["fault"]?.string == "injected", let id = event["id"]?.string else {
        return nil
      }
      let time = event.time - .nanoseconds(begin.nanoseconds)
      return InjectedFault(id: id, done: event["done"]?.string ?? "", time: time, place: place(ofFault: id))
    }
  }

  private var hasArmed: Bool {
    let isStep = test.steps.contains { if case .arm = $0.action { true } else { false } }
    return isStep || !test.faults.isEmpty || !stage.scenario.profile.faults.isEmpty
  }

  /// Returns the place of the fault with that id; nil if several places define one.
  private func place(ofFault id: String) -> String? {
    var places = Set([stage.scenario.profile.faultPlaces[id], test.faultPlaces[id]].compactMap(\.self))
    for step in test.steps {
      if case .arm(let fault) = step.action, fault.id == id { places.insert("\(stage.scenario.file):\(step.line)") }
    }
    return places.count == 1 ? places.first : nil
  }
}

extension Duration {
  /// The time in seconds, for people: `11.439 s`.
  package var secondsText: String {
    let milliseconds = (inNanoseconds + 500_000) / 1_000_000
    return "\(milliseconds / 1000).\(String(milliseconds % 1000 + 1000).dropFirst()) s"
  }
}
