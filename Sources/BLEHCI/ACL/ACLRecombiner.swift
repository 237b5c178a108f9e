/// Puts the L2CAP PDUs of one connection together again out of ACL packets (Core 5.4 Vol 3 Part A 7.2).
///
/// A PDU that fits into one packet, nearly every one, is not copied.
public struct ACLRecombiner: Sendable {
  /// What a packet made complete.
  public enum PDU: Hashable, Sendable {
    /// Nothing yet, or nothing at all.
    case none
    /// The packet's own data is the PDU, from its L2CAP length on.
    case whole
    /// A PDU out of several packets, from its L2CAP length on.
    case assembled([UInt8])
  }

  /// What was wrong with a packet. The PDU concerned is lost; the connection goes on.
  public enum Fault: Hashable, Sendable {
    /// A new PDU began while `missing` octets of the last one had not come; zero when not even its length had.
    case abandoned(missing: Int)
    /// A further part came of a PDU that has not begun.
    case unexpectedContinuation
    /// More data came than the PDU's length says: `excess` octets.
    case tooLong(excess: Int)
    /// The PDU's length with its head is `length`, over the limit.
    case overLimit(length: Int)
    /// A packet boundary flag that LE does not have.
    case unknownBoundary
  }

  /// The outcome of one packet.
  public struct Outcome: Hashable, Sendable {
    /// What the packet made complete.
    public var pdu: PDU
    /// What was wrong, if anything: a packet can end an incomplete PDU and be a whole one itself.
    public var fault: Fault?

    /// An outcome of both.
    public init(pdu: PDU, fault: Fault?) {
      self.pdu = pdu
      self.fault = fault
    }
  }

  /// The largest PDU accepted, with its head of 4 octets.
  public let limit: Int

  private var partial: [UInt8] = []
  private var isCollecting = false
  /// Whether the rest of a PDU that was given up is being passed over, so that one PDU makes one fault.
  private var isDiscarding = false

  /// A recombiner that gives up PDUs longer than `limit` octets, their head of 4 octets counted.
  public init(limit: Int = 65535 + 4) { self.limit = limit }

  /// How many octets of an incomplete PDU are held.
  public var pendingOctets: Int { partial.count }

  /// Takes in the data of the next packet.
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

  /// Forgets an incomplete PDU.
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

  /// The length of the PDU that begins with these octets, with its head; nil when it is not there yet.
  private static func pduLength(_ octets: Span<UInt8>) -> Int? {
    guard octets.count >= 4 else { return nil }
    return 4 + (Int(octets[0]) | Int(octets[1]) << 8)
  }
}
