import CryptoExtras

/// Core 5.4 Vol 3 Part H 2.2.1: the security function e, one block of AES-128 (FIPS 197).
package enum AESBlock {
  /// e(key, plaintext). Key, plaintext and result have 16 octets, most significant first. Of a longer argument the first 16
  /// octets count, a shorter one is filled up with zeros.
  package static func encrypt(key: [UInt8], _ plaintext: [UInt8]) -> [UInt8] {
    var block = fitted(plaintext)
    // Fails only for other sizes than that of a block and of the keys of AES.
    try? AES.permute(&block, key: SymmetricKey(data: fitted(key)))
    return block
  }

  private static func fitted(_ octets: [UInt8]) -> [UInt8] {
    Array((octets + Array(repeating: 0, count: 16)).prefix(16))
  }
}
