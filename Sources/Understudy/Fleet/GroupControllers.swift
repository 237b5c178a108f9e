import Transport

/// Which controllers carry the accessories of a group.
package enum GroupControllers: Hashable, Sendable {
  /// That one for each, in order.
  case each([ControllerAddress])
  /// That one for so many accessories, which share it.
  case shared(ControllerAddress, Int)
  /// As many boards as accessories, the only ones behind which controllers answer, or a single one, which they share.
  case boards(Int)

  /// The given controllers for so many accessories. None is `virtual` for all, each of which gets a controller
  /// of its own there; any other single one is for all; several have to be one for each.
  package init(_ controllers: [ControllerAddress], accessories count: Int) throws(GroupControllersError) {
    switch controllers {
    case []: self = .each(Array(repeating: .virtual, count: count))
    case [.virtual]: self = .each(Array(repeating: .virtual, count: count))
    case [.auto] where count > 1: self = .boards(count)
    case _ where controllers.count == count:
      try Self.check(controllers)
      self = .each(controllers)
    case _ where controllers.count == 1: self = .shared(controllers[0], count)
    default:
      throw GroupControllersError(
        reason: "there are \(controllers.count) controllers for "
          + (count == 1 ? "one accessory" : "\(count) accessories") + ": give one for each, in the same order")
    }
  }

  /// Refuses controllers that cannot be those of several accessories. Sockets may be given twice: each connection to a radio
  /// has a controller of its own.
  private static func check(_ controllers: [ControllerAddress]) throws(GroupControllersError) {
    guard controllers.count > 1 else { return }
    guard !controllers.contains(.auto) else {
      throw GroupControllersError(
        reason: "auto chooses the boards for all accessories: give it once, or name the port of each as serial:PATH")
    }
    var places: Set<String> = []
    for place in controllers.compactMap(\.soleOwnersPlace) {
      guard places.insert(place).inserted else {
        throw GroupControllersError(
          reason:
            "\(place) is given twice: give it once for all accessories to share, or another one for each")
      }
    }
  }

  /// Whether one of them is virtual.
  package var hasVirtual: Bool { addresses.contains(.virtual) }

  /// Whether one of them is not virtual.
  package var hasLine: Bool { if case .boards = self { true } else { addresses.contains { $0 != .virtual } } }

  /// Whether one of them is for all accessories.
  package var isShared: Bool { if case .shared = self { true } else { false } }

  /// The controllers in the order of the accessories; none before the boards have been found.
  package var addresses: [ControllerAddress] {
    switch self {
    case .each(let addresses): addresses
    case .shared(let address, let count): Array(repeating: address, count: count)
    case .boards: []
    }
  }

  /// The same with the boards that it needs, once they have been found.
  package func found(on loop: PollLoop) async throws(TransportError) -> GroupControllers {
    guard case .boards(let count) = self else { return self }
    return Self.assignment(of: try await BoardFinder.automatic(count, on: loop), to: count)
  }

  /// One of the boards for each, or the only one for all.
  static func assignment(of boards: [SerialSettings], to count: Int) -> GroupControllers {
    if let only = boards.first, boards.count == 1, count > 1 { return .shared(.serial(only), count) }
    return .each(boards.map { .serial($0) })
  }
}

extension ControllerAddress {
  /// What only one accessory can have at a time; nil for what can be shared.
  fileprivate var soleOwnersPlace: String? {
    switch self {
    case .virtual, .auto, .tcpClient, .unix, .pty(nil), .tcpServer(_, 0): nil
    case .serial(let settings): "serial:\(settings.path)"
    case .tcpServer, .pty, .hci: description
    }
  }
}

/// Controllers that cannot be given to the accessories; a mistake of usage.
package struct GroupControllersError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Why, and what to do.
  package var reason: String

  /// Why, and what to do.
  package var description: String { reason }
}
