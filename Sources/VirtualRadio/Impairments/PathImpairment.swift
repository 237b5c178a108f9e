/// The impairment of packets in one direction between two controllers.
public struct PathImpairment: Hashable, Sendable {
  /// The packets that are lost.
  public var loss = PacketLoss.none
  /// The chance of an error in a bit on the air, 0 never, 1 always. The CRC detects it and the packet is lost, so long packets suffer more
  /// than short ones.
  public var bitErrorRate = 0.0
  /// Whether any packet arrives.
  public var isReachable = true
  /// The strength at which the receiver hears the sender, in dBm.
  public var strength: Int8 = -50

  /// Creates a path on which every packet arrives, at -50 dBm.
  public init() {}

  /// Creates such a path with the given differences.
  public init(
    loss: PacketLoss = .none, bitErrorRate: Double = 0, isReachable: Bool = true, strength: Int8 = -50
  ) {
    self.loss = loss
    self.bitErrorRate = bitErrorRate
    self.isReachable = isReachable
    self.strength = strength
  }

  /// Whether every packet arrives.
  var isClean: Bool { isReachable && loss.losesNone && !(bitErrorRate > 0) }

  /// Whether any packet can arrive.
  var canCarry: Bool { isReachable && !loss.losesAll && !(bitErrorRate >= 1) }
}

/// The packets that are lost on a path. Only packets that the receiver would have heard count.
public enum PacketLoss: Hashable, Sendable {
  /// None.
  case none
  /// This share of the packets, at random: 0 none, 1 all.
  case fraction(Double)
  /// Packets according to a repeated pattern; true means lost. An empty pattern loses none.
  case pattern([Bool])

  var losesNone: Bool {
    switch self {
    case .none: true
    case .fraction(let fraction): !(fraction > 0)
    case .pattern(let pattern): !pattern.contains(true)
    }
  }

  var losesAll: Bool {
    switch self {
    case .none: false
    case .fraction(let fraction): fraction >= 1
    case .pattern(let pattern): !pattern.isEmpty && !pattern.contains(false)
    }
  }
}
