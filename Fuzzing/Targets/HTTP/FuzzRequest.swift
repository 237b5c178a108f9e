/// A request in an input: `METHOD PATH`, lines of `NAME: VALUE`, an empty line, and the body. Every octet string is a request.
struct FuzzRequest {
  var method: String
  var path: String
  var headers: [(name: String, value: String)] = []
  var body: [UInt8]

  /// The most requests in one input.
  static let limit = 8

  /// Returns the requests in an input, which an octet 0 separates.
  static func all(of octets: [UInt8]) -> [FuzzRequest] {
    octets.split(separator: 0, maxSplits: limit - 1, omittingEmptySubsequences: true).map { FuzzRequest($0) }
  }

  init(_ octets: ArraySlice<UInt8>) {
    var rest = octets
    func line() -> String {
      let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
      defer { rest = rest[min(end + 1, rest.endIndex)...] }
      return String(decoding: rest[..<end], as: UTF8.self)
    }
    let words = line().split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    method = String(words[0])
    path = words.count > 1 ? String(words[1]) : ""
    while case let header = line(), !header.isEmpty {
      let parts = header.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { continue }
      headers.append((String(parts[0]), String(parts[1].drop { $0 == " " })))
    }
    body = Array(rest)
  }
}
