import Transport

/// Which controllers carry the accessories of a group.
public enum ControllerAssignment: Hashable, Sendable {
  /// That one for each, in order.
  case each([ControllerAddress])
  /// As many boards as accessories, the only ones behind which controllers answer.
  case boards(Int)

  /// The assignment of the given controllers to so many accessories. None is `virtual` for all; a single `virtual` or `auto`
  /// is for all; everything else needs one for each.
  public init(_ controllers: [ControllerAddress], accessories count: Int) throws(ControllerAssignmentError) {
    switch controllers {
    case []: self = .each(Array(repeating: .virtual, count: count))
    case [.virtual]: self = .each(Array(repeating: .virtual, count: count))
    case [.auto] where count > 1: self = .boards(count)
    case _ where controllers.count == count:
      try Self.check(controllers)
      self = .each(controllers)
    case _ where controllers.count == 1:
      throw ControllerAssignmentError(
        reason: "\(controllers[0]) cannot carry \(count) accessories: give --controller for each, "
          + "because each needs a controller of its own")
    default:
      throw ControllerAssignmentError(
        reason: "there are \(controllers.count) controllers for "
          + (count == 1 ? "one accessory" : "\(count) accessories") + ": give one for each, in the same order")
    }
  }

  /// Refuses controllers that cannot be those of several accessories. Sockets may be given twice: each connection to a radio
  /// has a controller of its own.
  private static func check(_ controllers: [ControllerAddress]) throws(ControllerAssignmentError) {
    guard controllers.count > 1 else { return }
    guard !controllers.contains(.auto) else {
      throw ControllerAssignmentError(
        reason: "auto chooses the boards of all: give it once, or name the port of each as serial:PATH")
    }
    var places: Set<String> = []
    for place in controllers.compactMap(\.soleOwnersPlace) {
      guard places.insert(place).inserted else {
        throw ControllerAssignmentError(
          reason: "\(place) is given twice, and each accessory needs a controller of its own")
      }
    }
  }

  /// Whether one of them is virtual.
  public var hasVirtual: Bool { if case .each(let addresses) = self { addresses.contains(.virtual) } else { false } }

  /// Whether one of them is not virtual.
  public var hasLine: Bool {
    if case .each(let addresses) = self { addresses.contains { $0 != .virtual } } else { true }
  }

  /// The controllers in the order of the accessories, once the boards have been found.
  public func addresses(on loop: PollLoop) async throws(TransportError) -> [ControllerAddress] {
    switch self {
    case .each(let addresses): addresses
    case .boards(let count): try await ControllerChoice.automatic(count, on: loop).map { .serial($0) }
    }
  }
}

extension ControllerAddress {
  /// What only one accessory can have at a time; nil for what can be shared.
  fileprivate var soleOwnersPlace: String? {
    switch self {
    case .virtual, .auto, .tcpClient, .unix, .pty(nil), .tcpServer(_, 0): nil
    case .serial(let settings): "serial:\(settings.path)"
    case .tcpServer, .pty: description
    }
  }
}

/// Controllers that cannot be given to the accessories; a mistake of usage.
public struct ControllerAssignmentError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Why, and what to do.
  public var reason: String

  /// Why, and what to do.
  public var description: String { reason }
}
