import BLECore

/// What authenticates data on a link without encryption (Core 5.4 Vol 3 Part H 2.4.5): a counter, and a code over data and
/// counter.
package enum DataSignature {
  /// Octets of a signature: the counter's 4, and 8 of the code.
  package static let octetCount = 12

  /// The signature of `data`, of 12 octets as a Signed Write carries it (Vol 3 Part F 3.3.1). The key has 16 octets, least
  /// significant first.
  package static func sign(_ data: [UInt8], key: [UInt8], counter: UInt32) -> [UInt8] {
    let message = data + counter.littleEndianOctets
    let code = AESCMAC.authenticationCode(of: message.reversed(), key: key.reversed())
    return counter.littleEndianOctets + code.prefix(8).reversed()
  }

  /// The counter of a signature; nil unless it is one of `data` with that key.
  package static func verify(_ signature: [UInt8], of data: [UInt8], key: [UInt8]) -> UInt32? {
    guard signature.count == octetCount, key.count == 16 else { return nil }
    let counter = signature.prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return sign(data, key: key, counter: counter).isSame(signature) ? counter : nil
  }
}

extension SigningKey {
  /// Signs with the own key, and counts. Nil when the counter has come to its end: then only a new key helps.
  public mutating func sign(_ data: [UInt8]) -> [UInt8]? {
    guard counter < .max else { return nil }
    defer { counter += 1 }
    return DataSignature.sign(data, key: key, counter: counter)
  }

  /// Checks a signature with the peer's key, and counts; false when it is not the peer's, or one that was there before.
  public mutating func verify(_ signature: [UInt8], of data: [UInt8]) -> Bool {
    guard let signed = DataSignature.verify(signature, of: data, key: key), signed >= counter, signed < .max else {
      return false
    }
    counter = signed + 1
    return true
  }
}

extension [UInt8] {
  /// Whether both are the same, in a time that does not tell where they differ.
  func isSame(_ other: [UInt8]) -> Bool {
    count == other.count && zip(self, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
