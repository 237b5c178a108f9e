/// The algorithm that selects the data channel of a connection event (Core 5.4 Vol 6 Part B 4.5.8).
enum ChannelSelection: Hashable, Sendable {
  /// Algorithm #1 with its hop increment, 5...16 (4.5.8.2).
  case algorithm1(hopIncrement: UInt8)
  /// Algorithm #2 with the access address of the connection (4.5.8.3).
  case algorithm2(AccessAddress)

  /// Returns the channel index of the connection event with this counter.
  ///
  /// - Parameter map: One bit for each of the 37 channels; an empty map means all of them.
  func channel(counter: Int, map: UInt64) -> UInt8 {
    let used = Self.channels(of: map)
    let (unmapped, remapped): (Int, Int)
    switch self {
    case .algorithm1(let hopIncrement):
      unmapped = (counter + 1) * Int(hopIncrement) % Self.channelCount
      remapped = unmapped % used.count
    case .algorithm2(let address):
      let random = Self.randomNumber(UInt16(truncatingIfNeeded: counter), address)
      unmapped = Int(random) % Self.channelCount
      remapped = (used.count * Int(random)) >> 16
    }
    return used.contains(UInt8(unmapped)) ? UInt8(unmapped) : used[remapped]
  }

  private static let channelCount = 37

  private static func channels(of map: UInt64) -> [UInt8] {
    let used = (UInt8(0)..<37).filter { map >> UInt64($0) & 1 != 0 }
    return used.isEmpty ? Array(0..<37) : used
  }

  /// Returns prn_e (4.5.8.3.2).
  static func randomNumber(_ counter: UInt16, _ address: AccessAddress) -> UInt16 {
    let identifier = UInt16(truncatingIfNeeded: address.rawValue >> 16 ^ address.rawValue)
    var number = counter ^ identifier
    for _ in 0..<3 { number = permuted(number) &* 17 &+ identifier }
    return number ^ identifier
  }

  /// Reverses the bits of each octet.
  private static func permuted(_ number: UInt16) -> UInt16 {
    var turned: UInt16 = 0
    for bit in UInt16(0)..<8 {
      turned |= (number >> bit & 0x0101) << (7 - bit)
    }
    return turned
  }
}
