import BLECore

/// The values that a central chooses to distinguish the packets of a new connection from all others (Core 5.4 Vol 6 Part B 2.3.3.1).
struct LinkAccess: Hashable, Sendable {
  let address: AccessAddress
  /// 24 bits.
  let crcInit: UInt32
  /// 5...16; unused with channel selection algorithm #2.
  let hopIncrement: UInt8
  let channelSelection: ChannelSelection

  init(_ random: inout SplitMix64, usesChannelSelection2: Bool) {
    address = .random(&random)
    crcInit = UInt32(random.upTo(0xFF_FFFF))
    hopIncrement = UInt8(5 + random.upTo(11))
    channelSelection = usesChannelSelection2 ? .algorithm2(address) : .algorithm1(hopIncrement: hopIncrement)
  }
}
