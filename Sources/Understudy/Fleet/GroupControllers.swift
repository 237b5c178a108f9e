import Transport

/// The controllers of a group's accessories.
package enum GroupControllers: Hashable, Sendable {
  /// One controller for each accessory, in order.
  case each([ControllerAddress])
  /// One controller that this many accessories share.
  case shared(ControllerAddress, Int)
  /// As many boards as accessories, if exactly that many controllers answer; or a single board, which they share.
  case boards(Int)

  /// Assigns the given controllers to `count` accessories. No controller means `virtual` for all, and each gets a
  /// controller of its own there. Any other single controller is shared by all. Several must be one for each accessory.
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

  /// Throws if these controllers cannot be used by several accessories. Sockets may be given twice, because
  /// each connection to a radio has a controller of its own.
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

  /// Whether a controller is virtual.
  package var hasVirtual: Bool { addresses.contains(.virtual) }

  /// Whether a controller is not virtual.
  package var hasLine: Bool { if case .boards = self { true } else { addresses.contains { $0 != .virtual } } }

  /// Whether all accessories share one controller.
  package var isShared: Bool { if case .shared = self { true } else { false } }

  /// The controllers in the order of the accessories; empty before the boards have been found.
  package var addresses: [ControllerAddress] {
    switch self {
    case .each(let addresses): addresses
    case .shared(let address, let count): Array(repeating: address, count: count)
    case .boards: []
    }
  }

  /// Returns the same with the boards it needs, after finding them.
  package func found(on loop: PollLoop) async throws(TransportError) -> GroupControllers {
    guard case .boards(let count) = self else { return self }
    return Self.assignment(of: try await BoardFinder.automatic(count, on: loop), to: count)
  }

  /// Assigns one of the boards to each accessory, or the only one to all.
  static func assignment(of boards: [SerialSettings], to count: Int) -> GroupControllers {
    if let only = boards.first, boards.count == 1, count > 1 { return .shared(.serial(only), count) }
    return .each(boards.map { .serial($0) })
  }
}

extension ControllerAddress {
  /// The resource that only one accessory can use at a time; nil if it can be shared.
  fileprivate var soleOwnersPlace: String? {
    switch self {
    case .virtual, .auto, .tcpClient, .unix, .pty(nil), .tcpServer(_, 0): nil
    case .serial(let settings): "serial:\(settings.path)"
    case .tcpServer, .pty, .hci: description
    }
  }
}

/// The error if controllers cannot be assigned to the accessories: a usage error.
package struct GroupControllersError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Why, and what to do.
  package var reason: String

  /// Why, and what to do.
  package var description: String { reason }
}
