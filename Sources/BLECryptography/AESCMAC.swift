import CryptoExtras

/// AES-CMAC (RFC 4493), the message authentication code of the Security Manager (Core 5.4 Vol 3 Part H 2.2.5) and of the
/// Database Hash (Part G 7.3.1).
package enum AESCMAC {
  /// A key of 16 zero octets.
  package static let zeroKey: [UInt8] = Array(repeating: 0, count: 16)

  /// Returns the 16 octets that authenticate a message, most significant first; empty if the key does not have 16 octets.
  package static func authenticationCode(of message: [UInt8], key: [UInt8]) -> [UInt8] {
    guard key.count == 16, var code = try? AES.CMAC(key: SymmetricKey(data: key)) else { return [] }
    message.withUnsafeBytes { code.update(bufferPointer: $0) }
    return Array(code.finalize())
  }
}
