import BLECore

extension SigningKey {
  /// How many octets a signature has: the counter, and the most significant half of the MAC (Core 5.4 Vol 3 Part C 10.4.1).
  public static let signatureLength = 12

  /// The signature of some data, with the counter that is due; the next one carries another (Core 5.4 Vol 3 Part H 2.4.5). Nil when all
  /// counters are used up, or the key has not 16 octets.
  public mutating func sign(_ data: [UInt8]) -> [UInt8]? {
    guard counter < .max, let signature = signature(of: data, counter: counter) else { return nil }
    counter += 1
    return signature
  }

  /// Whether the octets are the signature of the data, with a counter that was not used before; then smaller ones and this one are
  /// not taken any longer.
  public mutating func verify(_ signature: [UInt8], of data: [UInt8]) -> Bool {
    guard signature.count == Self.signatureLength else { return false }
    let given = signature.prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard given >= counter, given < .max, let expected = self.signature(of: data, counter: given) else { return false }
    // All octets are compared, so that the time tells nothing of how many are right.
    guard zip(signature, expected).reduce(UInt8(0), { $0 | ($1.0 ^ $1.1) }) == 0 else { return false }
    counter = given + 1
    return true
  }

  /// The counter, least significant octet first, and the MAC likewise.
  private func signature(of data: [UInt8], counter: UInt32) -> [UInt8]? {
    let octets = withUnsafeBytes(of: counter.littleEndian) { Array($0) }
    // The MAC is computed over the data and the counter as one number, most significant octet first (2.2.5).
    let code = AESCMAC.authenticationCode(of: (data + octets).reversed(), key: key.reversed())
    return code.count == 16 ? octets + code.prefix(8).reversed() : nil
  }
}
