import CryptoExtras

/// The security function e: one block of AES-128 (FIPS 197) (Core 5.4 Vol 3 Part H 2.2.1).
package enum AESBlock {
  private static let size = 16

  /// Returns e(key, plaintext). Key, plaintext and result have 16 octets, most significant first, so values from HCI and from the air must
  /// be reversed. Longer arguments are truncated to 16 octets, shorter ones padded with zeros.
  package static func encrypt(key: [UInt8], _ plaintext: [UInt8]) -> [UInt8] {
    var block = fitted(plaintext)
    // Fails only for sizes other than those of an AES block and key.
    try? AES.permute(&block, key: SymmetricKey(data: fitted(key)))
    return block
  }

  private static func fitted(_ octets: [UInt8]) -> [UInt8] {
    octets.count == size ? octets : Array((octets + Array(repeating: 0, count: size)).prefix(size))
  }
}
