import BLECore

/// Writes a response whose entries all have the same length, after the opcode and that length: `ReadByTypeResponse` and
/// `ReadByGroupTypeResponse` (Core 5.4 Vol 3 Part F 3.4.4.2 and 3.4.4.10).
package struct AttributeDataWriter {
  private let start: Int
  private let limit: Int
  private var entryLength = 0

  /// Appends the header of a response with at most `limit` octets.
  package init(_ response: ATTOpcode, limit: Int, into buffer: inout OctetBuffer) {
    start = buffer.count
    self.limit = limit
    buffer.append(response.rawValue)
    buffer.append(0)
  }

  /// Whether it has no entries yet.
  package var isEmpty: Bool { entryLength == 0 }

  /// Appends an entry if it is as long as the previous ones and fits. Returns false, and appends nothing, if not. The value of the first
  /// entry is truncated so that the entry fits in the MTU and its length in one octet (253 octets of value after a handle).
  package mutating func append(
    _ handle: UInt16, groupEnd: UInt16? = nil, _ value: [UInt8], into buffer: inout OctetBuffer
  ) -> Bool {
    let headLength = groupEnd == nil ? 2 : 4
    let length = min(headLength + value.count, limit - 2, 255)
    if isEmpty {
      entryLength = length
      buffer[start + 1] = UInt8(length)
    } else if length != entryLength || buffer.count + length > start + limit {
      return false
    }
    buffer.append(littleEndian: handle)
    if let groupEnd { buffer.append(littleEndian: groupEnd) }
    buffer.append(value.prefix(length - headLength))
    return true
  }
}
