import BLECore
import BLECryptography

/// The signature of data on an unencrypted link (Core 5.4 Vol 3 Part H 2.4.5): a counter, and a MAC of data and counter.
package enum DataSignature {
  /// The length of a signature in octets: 4 of the counter, and 8 of the MAC.
  package static let octetCount = 12

  /// Returns the signature of `data`, 12 octets as in a Signed Write (Vol 3 Part F 3.3.1). The key has 16 octets, least significant first.
  package static func sign(_ data: [UInt8], key: [UInt8], counter: UInt32) -> [UInt8] {
    let message = data + counter.littleEndianOctets
    let code = AESCMAC.authenticationCode(of: message.reversed(), key: key.reversed())
    return counter.littleEndianOctets + code.prefix(8).reversed()
  }

  /// Returns the counter of a signature; nil if it is not a valid signature of `data` with this key.
  package static func verify(_ signature: [UInt8], of data: [UInt8], key: [UInt8]) -> UInt32? {
    guard signature.count == octetCount, key.count == 16 else { return nil }
    let counter = signature.prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return sign(data, key: key, counter: counter).isSame(signature) ? counter : nil
  }
}

extension SigningKey {
  /// Signs with the own key, and increments the counter. Returns nil if the counter is exhausted: then a new key is needed.
  public mutating func sign(_ data: [UInt8]) -> [UInt8]? {
    guard counter < .max else { return nil }
    defer { counter += 1 }
    return DataSignature.sign(data, key: key, counter: counter)
  }

  /// Verifies a signature with the peer's key, and updates the counter. Returns false if it is invalid or a replay.
  public mutating func verify(_ signature: [UInt8], of data: [UInt8]) -> Bool {
    guard let signed = DataSignature.verify(signature, of: data, key: key), signed >= counter, signed < .max else {
      return false
    }
    counter = signed + 1
    return true
  }
}

extension [UInt8] {
  /// Returns whether both are equal, in a time that does not reveal where they differ.
  func isSame(_ other: [UInt8]) -> Bool {
    count == other.count && zip(self, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
