/// A whole packet that `H4Deframer` found.
public struct H4Frame: Hashable, Sendable {
  /// Where a packet's octets are, without the H4 type.
  public enum Place: Hashable, Sendable {
    /// In the octets that were given, at that range.
    case given(Range<Int>)
    /// Collected from several runs of octets.
    case collected([UInt8])
  }

  /// What kind of packet it is.
  public var type: H4PacketType
  /// Where it is.
  public var place: Place
}

extension H4Frame {
  private static let head = H4Head(side: .controller, maximumDataLength: .max)

  /// How many octets the packet at `start` has, its type octet among them, on its way to a controller; nil when none begins there.
  public static func lengthForController(in octets: Span<UInt8>, at start: Int) -> Int? {
    head.length(in: octets, at: start, strictly: false)
  }
}
