/// Parses a response of an HTTP/1.1 server (RFC 9112) from octets in runs of any length: its status and its
/// body, which is chunked, has a known length, or extends to the end of the connection.
package struct HTTPReply: Sendable {
  /// What is wrong with a response.
  package enum Fault: Error, Hashable, Sendable { case malformed }

  /// The maximum length of a line in the head or before a chunk.
  static let lineLimit = 16_384

  private enum Place: Hashable {
    case status
    case fields
    case chunkSize
    case chunk(Int)
    case chunkEnd
    case trailer
    case body(left: Int?)
    case end
  }

  /// The status code, once received.
  package private(set) var status: Int?
  /// Whether the response is complete. One without a length is complete only at the end of the connection.
  package var isWhole: Bool { place == .end }
  /// Whether the head is complete, so that the body follows.
  package var hasHead: Bool { place != .status && place != .fields }

  private var place = Place.status
  private var line: [UInt8] = []
  private var isChunked = false
  private var length: Int?

  /// Creates a parser for a new response.
  package init() {}

  /// Parses octets, and appends those of the body to `body`.
  package mutating func push(_ octets: Span<UInt8>, into body: inout [UInt8]) throws(Fault) {
    var offset = 0
    while offset < octets.count {
      switch place {
      case .end: return
      case .body(nil):
        octets.extracting(offset...).withUnsafeBufferPointer { body.append(contentsOf: $0) }
        return
      case .body(let left?):
        let count = min(left, octets.count - offset)
        octets.extracting(offset..<offset + count).withUnsafeBufferPointer { body.append(contentsOf: $0) }
        offset += count
        place = count == left ? .end : .body(left: left - count)
      case .chunk(let left):
        let count = min(left, octets.count - offset)
        octets.extracting(offset..<offset + count).withUnsafeBufferPointer { body.append(contentsOf: $0) }
        offset += count
        place = count == left ? .chunkEnd : .chunk(left - count)
      default:
        let octet = octets[offset]
        offset += 1
        guard octet == UInt8(ascii: "\n") else {
          guard line.count < Self.lineLimit else { throw .malformed }
          line.append(octet)
          continue
        }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        let text = String(decoding: line, as: UTF8.self)
        line.removeAll(keepingCapacity: true)
        try take(text)
      }
    }
  }

  private mutating func take(_ line: String) throws(Fault) {
    switch place {
    case .status:
      let words = line.split(separator: " ", maxSplits: 2)
      guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else { throw .malformed }
      self.status = status
      place = .fields
    case .fields where line.isEmpty: place = isChunked ? .chunkSize : length == 0 ? .end : .body(left: length)
    case .fields: try takeField(line)
    case .chunkSize:
      guard let size = Int(line.prefix { $0.isHexDigit }, radix: 16) else { throw .malformed }
      place = size == 0 ? .trailer : .chunk(size)
    case .chunkEnd:
      guard line.isEmpty else { throw .malformed }
      place = .chunkSize
    case .trailer: if line.isEmpty { place = .end }
    case .chunk, .body, .end: break
    }
  }

  private mutating func takeField(_ line: String) throws(Fault) {
    guard let colon = line.firstIndex(of: ":") else { throw .malformed }
    let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
    switch line[..<colon].lowercased() {
    case "transfer-encoding": isChunked = value.lowercased().hasSuffix("chunked")
    case "content-length":
      guard let number = Int(value), number >= 0 else { throw .malformed }
      length = number
    default: break
    }
  }
}
