import BLECryptography

/// An encrypted session of a connection on the air (Core 5.4 Vol 6 Part B 5.1.3.1, Part E).
struct LinkSession: Sendable {
  /// Most significant octet first.
  private let key: [UInt8]
  /// In the order on the air, the central's octets first.
  private let initializationVector: [UInt8]
  /// The expected counters of the next PDU in each direction: to the peripheral, and to the central.
  private(set) var counters: (toPeripheral: UInt64, toCentral: UInt64) = (0, 0)

  /// The maximum number of consecutive PDUs that may be missing in a capture.
  private static let reach: UInt64 = 32

  /// Creates the session from a long-term key, most significant octet first, and from the random values of both ends, as on the air.
  init(longTermKey: [UInt8], diversifier: [UInt8], initializationVector: [UInt8]) {
    key = AESBlock.encrypt(key: longTermKey, diversifier.reversed())
    self.initializationVector = initializationVector
  }

  /// Returns the plain text of a PDU, and whether the central sent it; nil if its integrity check is not valid in this session.
  ///
  /// - Parameters:
  ///   - pdu: Header, encrypted payload and message integrity check.
  ///   - fromCentral: Whether the central sent it; nil if unknown.
  mutating func decrypt(_ pdu: [UInt8], fromCentral: Bool?) -> (pdu: [UInt8], fromCentral: Bool)? {
    for isFromCentral in fromCentral.map({ [$0] }) ?? [true, false] {
      let expected = isFromCentral ? counters.toPeripheral : counters.toCentral
      // A retransmission has the previous counter.
      let candidates = [expected] + (expected > 0 ? [expected - 1] : []) + ((expected + 1)..<(expected + Self.reach))
      for counter in candidates {
        guard let payload = open(pdu, counter, isFromCentral) else { continue }
        if isFromCentral { counters.toPeripheral = counter + 1 } else { counters.toCentral = counter + 1 }
        return ([pdu[0], UInt8(payload.count)] + payload, isFromCentral)
      }
    }
    return nil
  }

  // MARK: CCM (RFC 3610), with L of 2 and a check of four octets

  private func open(_ pdu: [UInt8], _ counter: UInt64, _ isFromCentral: Bool) -> [UInt8]? {
    let nonce = nonce(counter, isFromCentral)
    let cipher = Array(pdu[2..<pdu.count - 4])
    var payload = cipher
    for start in stride(from: 0, to: cipher.count, by: 16) {
      let stream = stream(nonce, start / 16 + 1)
      for place in start..<min(start + 16, cipher.count) { payload[place] ^= stream[place - start] }
    }
    let check = zip(authentication(nonce, pdu[0], payload), stream(nonce, 0)).prefix(4).map { $0 ^ $1 }
    return check.elementsEqual(pdu.suffix(4)) ? payload : nil
  }

  /// Returns the nonce: the packet counter of 39 bits, the direction bit above it, and the initialization vector (Part E 2.1).
  private func nonce(_ counter: UInt64, _ isFromCentral: Bool) -> [UInt8] {
    let word = counter & 0x7F_FFFF_FFFF | (isFromCentral ? 1 << 39 : 0)
    return (0..<5).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) } + initializationVector
  }

  private func stream(_ nonce: [UInt8], _ block: Int) -> [UInt8] {
    AESBlock.encrypt(
      key: key, [0x01] + nonce + [UInt8(truncatingIfNeeded: block >> 8), UInt8(truncatingIfNeeded: block)])
  }

  /// Computes the MAC over the first header octet without NESN, SN and MD, and the payload (Part E 2.2).
  private func authentication(_ nonce: [UInt8], _ header: UInt8, _ payload: [UInt8]) -> [UInt8] {
    var blocks = [0x49] + nonce + [UInt8(payload.count >> 8), UInt8(truncatingIfNeeded: payload.count)]
    blocks += [0, 1, header & 0xE3] + [UInt8](repeating: 0, count: 13)
    blocks += payload
    blocks += [UInt8](repeating: 0, count: (16 - blocks.count % 16) % 16)
    var sum = [UInt8](repeating: 0, count: 16)
    for start in stride(from: 0, to: blocks.count, by: 16) {
      for place in 0..<16 { sum[place] ^= blocks[start + place] }
      sum = AESBlock.encrypt(key: key, sum)
    }
    return sum
  }
}
