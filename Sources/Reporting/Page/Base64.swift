/// Base64 (RFC 4648 4).
enum Base64 {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Returns octets as text.
  static func text(_ octets: some Sequence<UInt8>) -> String {
    let octets = Array(octets)
    var text: [UInt8] = []
    text.reserveCapacity((octets.count + 2) / 3 * 4)
    for start in stride(from: 0, to: octets.count, by: 3) {
      let group = octets[start..<min(octets.count, start + 3)]
      let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for place in 0..<4 {
        text.append(place <= group.count ? digits[bits >> (18 - 6 * place) & 63] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
