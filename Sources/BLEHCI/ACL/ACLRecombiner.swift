/// Recombines the ACL packets of a connection into L2CAP PDUs (Core 5.4 Vol 3 Part A 7.2).
///
/// A PDU in one packet, which nearly all are, is not copied.
public struct ACLRecombiner: Sendable {
  /// The PDU that a packet completed.
  public enum PDU: Hashable, Sendable {
    /// No complete PDU.
    case none
    /// The data of the packet is the whole PDU, starting with its L2CAP length.
    case whole
    /// A PDU assembled from several packets, starting with its L2CAP length.
    case assembled([UInt8])
  }

  /// An error in a packet. The affected PDU is lost; the connection continues.
  public enum Fault: Hashable, Sendable {
    /// A new PDU started with `missing` octets of the previous one outstanding; zero if even its length was incomplete.
    case abandoned(missing: Int)
    /// A continuation without the start of a PDU.
    case unexpectedContinuation
    /// The data exceeds the PDU's length by `excess` octets.
    case tooLong(excess: Int)
    /// The PDU exceeds the limit. `length` includes its header.
    case overLimit(length: Int)
    /// A packet boundary flag that LE does not define.
    case unknownBoundary
  }

  /// The result of one packet.
  public struct Outcome: Hashable, Sendable {
    /// The PDU that the packet completed.
    public var pdu: PDU
    /// The error, if any. A packet can both abort an incomplete PDU and be a whole one itself.
    public var fault: Fault?

    /// Creates a result from both.
    public init(pdu: PDU, fault: Fault?) {
      self.pdu = pdu
      self.fault = fault
    }
  }

  /// The maximum PDU length, including its header of 4 octets.
  public let limit: Int

  private var partial: [UInt8] = []
  private var isCollecting = false
  /// Whether the rest of an abandoned PDU is being skipped, so that each PDU causes only one fault.
  private var isDiscarding = false

  /// Creates a recombiner that abandons PDUs longer than `limit` octets, including their header of 4 octets.
  public init(limit: Int = 65535 + 4) { self.limit = limit }

  /// The number of octets held of an incomplete PDU.
  public var pendingOctets: Int { partial.count }

  /// Processes the data of the next packet.
  public mutating func accept(_ boundary: PacketBoundary, _ data: Span<UInt8>) -> Outcome {
    switch boundary {
    case .firstFromController, .firstFromHost:
      let fault = isCollecting ? abandon() : nil
      isDiscarding = false
      // The hot path: a PDU in one packet.
      if let length = Self.pduLength(data), length == data.count, length <= limit {
        return Outcome(pdu: .whole, fault: fault)
      }
      isCollecting = true
      let outcome = collect(data)
      return Outcome(pdu: outcome.pdu, fault: fault ?? outcome.fault)
    case .continuing:
      if isDiscarding { return Outcome(pdu: .none, fault: nil) }
      guard isCollecting else { return Outcome(pdu: .none, fault: .unexpectedContinuation) }
      return collect(data)
    default:
      let fault = Fault.unknownBoundary
      drop()
      return Outcome(pdu: .none, fault: fault)
    }
  }

  /// Drops an incomplete PDU.
  public mutating func reset() {
    drop()
    isDiscarding = false
  }

  private mutating func collect(_ data: Span<UInt8>) -> Outcome {
    partial.reserveCapacity(partial.count + data.count)
    for index in data.indices { partial.append(data[index]) }
    guard let length = Self.pduLength(partial.span) else { return Outcome(pdu: .none, fault: nil) }
    if length > limit { return giveUp(.overLimit(length: length)) }
    if partial.count > length { return giveUp(.tooLong(excess: partial.count - length)) }
    guard partial.count == length else {
      partial.reserveCapacity(length)
      return Outcome(pdu: .none, fault: nil)
    }
    isCollecting = false
    let pdu = partial
    partial = []
    return Outcome(pdu: .assembled(pdu), fault: nil)
  }

  private mutating func abandon() -> Fault {
    let missing = Self.pduLength(partial.span).map { $0 - partial.count } ?? 0
    drop()
    return .abandoned(missing: missing)
  }

  private mutating func giveUp(_ fault: Fault) -> Outcome {
    drop()
    return Outcome(pdu: .none, fault: fault)
  }

  private mutating func drop() {
    partial = []
    isCollecting = false
    isDiscarding = true
  }

  /// Returns the length of the PDU that starts with these octets, including its header; nil if its length is incomplete.
  private static func pduLength(_ octets: Span<UInt8>) -> Int? {
    guard octets.count >= 4 else { return nil }
    return 4 + (Int(octets[0]) | Int(octets[1]) << 8)
  }
}
