import AccessoryProfile

/// Which events somebody does not want to see.
public struct EventFilter: Hashable, Sendable {
  /// A name that no event has.
  public struct ParseError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name.
    public var name: String

    /// Which, and what is known.
    public var description: String {
      "there is no event '\(name)' (known: \(EventFilter.advertising) for all advertising events, and the "
        + "names listed in docs/events.md)"
    }
  }

  /// Stands for all events about advertising.
  static let advertising = "advertising"
  private var names: Set<String> = []

  /// Leaves out the events with these names, which have commas between them; `advertising` is all of that kind.
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

  /// Whether an event is wanted.
  public func passes(_ event: ProfileValue) -> Bool {
    guard !names.isEmpty, case .object(let fields) = event, case .string(let name) = fields["event"] else {
      return true
    }
    return !names.contains(name)
  }
}
