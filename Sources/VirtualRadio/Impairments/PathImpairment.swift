/// What happens to packets on the way from one controller to another, in that direction alone.
public struct PathImpairment: Hashable, Sendable {
  /// Which packets are lost.
  public var loss = PacketLoss.none
  /// The chance that a bit on the air is wrong, 0 never, 1 always. The CRC finds it, so the packet is lost: long packets
  /// suffer more than short ones.
  public var bitErrorRate = 0.0
  /// Whether anything arrives at all.
  public var isReachable = true
  /// How strongly the receiver hears the sender, in dBm.
  public var strength: Int8 = -50

  /// A path on which every packet arrives, at -50 dBm.
  public init() {}

  /// A path that differs from that where the arguments say so.
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

/// Which packets of a path are lost. Counted are those that the receiver would have heard.
public enum PacketLoss: Hashable, Sendable {
  /// None.
  case none
  /// That share of them, at random: 0 none, 1 all.
  case fraction(Double)
  /// One after the other as the pattern says, again and again; true is lost. An empty pattern loses none.
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
