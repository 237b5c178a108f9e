import Testing

/// A credit-based channel that a central has opened, with one K-frame per SDU.
final class CentralChannel {
  /// The maximum SDU length of both sides.
  static let mtu = 200
  private let central: LineCentral
  /// The channel identifier on the central's side, and on the accessory's.
  private let local: UInt16
  private let remote: UInt16
  /// The number of frames that may still be sent.
  private(set) var credits: Int

  /// Opens the channel (Core 5.4 Vol 3 Part A 4.22), with the given credits for the accessory.
  init(_ central: LineCentral, psm: UInt16, local: UInt16 = 0x50, credits granted: UInt16 = .max) throws {
    self.central = central
    self.local = local
    let mtu = UInt8(Self.mtu)
    central.send(
      [0x14, 1, 10, 0] + psm.octets + local.octets + [mtu, 0, mtu + 2, 0] + granted.octets, channel: 5)
    let answer = try central.frame { channel, octets in channel == 5 && octets.first == 0x15 ? octets : nil }
    try #require(answer.suffix(2) == [0, 0], "the channel was refused")
    remote = UInt16(answer[4]) | UInt16(answer[5]) << 8
    credits = Int(answer[10]) | Int(answer[11]) << 8
  }

  /// Sends an SDU; needs a credit.
  func send(_ sdu: [UInt8]) throws {
    while credits == 0 {
      credits = try central.frame { channel, octets in
        channel == 5 && octets.first == 0x16 && octets[4...5] == remote.octets[...]
          ? Int(octets[6]) | Int(octets[7]) << 8 : nil
      }
    }
    credits -= 1
    try central.waitForBuffer()
    central.send(UInt16(sdu.count).octets + sdu, channel: remote)
  }

  /// Gives the accessory more credits (Core 5.4 Vol 3 Part A 4.24).
  func perform(_ frames: UInt16) { central.send([0x16, 2, 4, 0] + local.octets + frames.octets, channel: 5) }

  /// Returns the next SDU; nil if the accessory closes the channel, which this side confirms.
  func receive() throws -> [UInt8]? {
    let (channel, frame) = try central.frame { channel, octets in
      channel == local || isEnd(channel, octets) ? (channel, octets) : nil
    }
    guard channel != local else { return Array(frame.dropFirst(2)) }
    central.send([0x07, frame[1], 4, 0] + frame[4..<8], channel: 5)
    return nil
  }

  /// Returns all octets up to the end of the channel.
  func receiveAll() throws -> [UInt8] {
    var octets: [UInt8] = []
    while let sdu = try receive() { octets += sdu }
    return octets
  }

  /// Closes the channel (Core 5.4 Vol 3 Part A 4.6), and waits for the accessory's response.
  func close() throws {
    central.send([0x06, 3, 4, 0] + remote.octets + local.octets, channel: 5)
    try central.frame { channel, octets in channel == 5 && octets.first == 0x07 ? () : nil }
  }

  /// Returns whether a frame is the accessory's Disconnection Request for this channel.
  private func isEnd(_ channel: UInt16, _ frame: [UInt8]) -> Bool {
    channel == 5 && frame.first == 0x06 && frame.count == 8 && frame[4...5] == local.octets[...]
  }
}

extension UInt16 {
  fileprivate var octets: [UInt8] { [UInt8(self & 0xFF), UInt8(self >> 8)] }
}
