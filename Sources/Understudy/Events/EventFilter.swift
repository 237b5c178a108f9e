import AccessoryProfile

/// A selection of events to leave out.
public struct EventFilter: Hashable, Sendable {
  /// The error for a name that no event has.
  public struct ParseError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name.
    public var name: String

    /// The name, and the known names.
    public var description: String {
      "there is no event '\(name)' (known: \(EventFilter.advertising) for all advertising events, and the "
        + "names listed in docs/events.md)"
    }
  }

  /// The name that stands for all advertising events.
  static let advertising = "advertising"
  private var names: Set<String> = []

  /// Creates a filter that leaves out the events with these comma-separated names; `advertising` stands for all advertising events.
  public init(leavingOut text: String) throws(ParseError) {
    for name in text.split(separator: ",").map(String.init) {
      if name == Self.advertising {
        let known = EventCatalogue.all.flatMap(\.events).map(\.name)
        names.formUnion(known.filter { $0.hasPrefix("advertis") })
      } else {
        guard EventCatalogue.all.contains(where: { $0.events.contains { $0.name == name } }) else {
          throw ParseError(name: name)
        }
        names.insert(name)
      }
    }
  }

  /// Returns whether the filter passes an event.
  public func passes(_ event: ProfileValue) -> Bool {
    guard !names.isEmpty, case .object(let fields) = event, case .string(let name) = fields["event"] else {
      return true
    }
    return !names.contains(name)
  }
}
