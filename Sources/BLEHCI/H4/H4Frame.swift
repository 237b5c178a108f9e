/// A complete packet that `H4Deframer` found.
public struct H4Frame: Hashable, Sendable {
  /// The location of a packet's octets, without the H4 type.
  public enum Place: Hashable, Sendable {
    /// In the input octets, at this range.
    case given(Range<Int>)
    /// Collected from several runs of octets.
    case collected([UInt8])
  }

  /// The packet type.
  public var type: H4PacketType
  /// The location.
  public var place: Place
}

extension H4Frame {
  private static let head = H4Head(side: .controller, maximumDataLength: .max)

  /// Returns the length of the packet at `start` on its way to a controller, including its type octet; nil if none starts there.
  public static func lengthForController(in octets: Span<UInt8>, at start: Int) -> Int? {
    head.length(in: octets, at: start, strictly: false)
  }
}
