import BLEHCI

/// A packet of BR/EDR that carries data (Core 5.4 Vol 2 Part B 6.5.4).
struct BasebandPacket: Hashable {
  /// The number of slots that it takes: 1, 3 or 5.
  let slots: Int
  /// The number of data octets that fit.
  let capacity: Int

  /// A packet without data, or with a message of the link managers.
  static let single = BasebandPacket(slots: 1, capacity: 17)

  private struct Kind {
    let packet: BasebandPacket
    let needs: LMPFeatures
    /// The bit of the packet type, and whether it excludes the packet.
    let type: PacketTypes
    let excludes: Bool

    init(_ slots: Int, _ capacity: Int, _ type: PacketTypes, excludes: Bool = false, needs: LMPFeatures = []) {
      packet = BasebandPacket(slots: slots, capacity: capacity)
      (self.type, self.excludes, self.needs) = (type, excludes, needs)
    }
  }

  private static let kinds: [Kind] = [
    Kind(1, 17, .dm1), Kind(1, 27, .dh1),
    Kind(3, 121, .dm3, needs: .threeSlotPackets), Kind(3, 183, .dh3, needs: .threeSlotPackets),
    Kind(5, 224, .dm5, needs: .fiveSlotPackets), Kind(5, 339, .dh5, needs: .fiveSlotPackets),
    Kind(1, 54, .no2DH1, excludes: true, needs: .enhancedDataRate2M),
    Kind(3, 367, .no2DH3, excludes: true, needs: [.enhancedDataRate2M, .threeSlotEnhancedPackets]),
    Kind(5, 679, .no2DH5, excludes: true, needs: [.enhancedDataRate2M, .fiveSlotEnhancedPackets]),
    Kind(1, 83, .no3DH1, excludes: true, needs: .enhancedDataRate3M),
    Kind(3, 552, .no3DH3, excludes: true, needs: [.enhancedDataRate3M, .threeSlotEnhancedPackets]),
    Kind(5, 1021, .no3DH5, excludes: true, needs: [.enhancedDataRate3M, .fiveSlotEnhancedPackets]),
  ]

  /// Returns the packets that a side may use with these types if both sides have these features. DM1 is always among them.
  static func usable(_ types: PacketTypes, _ features: LMPFeatures) -> [BasebandPacket] {
    let kinds = kinds.filter {
      features.isSuperset(of: $0.needs) && types.contains($0.type) != $0.excludes
    }
    return [single] + kinds.map(\.packet)
  }

  /// Returns the shortest packet that holds this many octets, or the one with the highest rate.
  static func best(for octets: Int, of usable: [BasebandPacket]) -> BasebandPacket {
    let fitting = usable.filter { $0.capacity >= octets }
    if let shortest = fitting.min(by: { ($0.slots, $0.capacity) < ($1.slots, $1.capacity) }) { return shortest }
    // The rate counts the slot of the answer.
    return usable.max { $0.capacity * ($1.slots + 1) < $1.capacity * ($0.slots + 1) } ?? single
  }

  /// The types of this mask that both sides support, for Connection Packet Type Changed.
  static func agreed(_ types: PacketTypes, _ features: LMPFeatures) -> PacketTypes {
    var agreed = types
    for kind in kinds where !features.isSuperset(of: kind.needs) {
      if kind.excludes { agreed.insert(kind.type) } else { agreed.remove(kind.type) }
    }
    return agreed
  }
}
