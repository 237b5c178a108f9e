import BLECore
import BLEGATT

/// The position of the sequence number in each written value. It increases by one with each value, and wraps around to zero. Write Commands
/// have no response, so only such numbers reveal lost ones (Core 5.4 Vol 3 Part F 3.3.2).
public struct WriteNumbering: Hashable, Sendable {
  /// The offset of the number in a value, in octets.
  public var offset: Int
  /// The width of the number, 1...4 octets.
  public var octets: Int
  /// Whether the most significant octet comes first.
  public var isBigEndian: Bool

  /// Returns the number in a value; nil if the value is too short.
  func number(in value: [UInt8]) -> UInt32? {
    guard value.count >= offset + octets else { return nil }
    let range = value[offset..<offset + octets]
    let ordered = isBigEndian ? Array(range) : range.reversed()
    return ordered.reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// The largest number.
  private var greatest: UInt32 { .max >> UInt32(32 - octets * 8) }

  /// Returns the next number.
  func successor(of number: UInt32) -> UInt32 { (number &+ 1) & greatest }

  /// Returns how many numbers are missing if `number` arrives instead of `expected`; nil if it is an earlier number, because a value was
  /// written again or too late. The shorter of the two distances decides which is the case.
  func missing(_ number: UInt32, insteadOf expected: UInt32) -> Int? {
    let distance = (number &- expected) & greatest
    return distance <= greatest / 2 ? Int(distance) : nil
  }
}

/// A written value whose number is not the expected one.
public struct WriteGap: Hashable, Sendable {
  /// The characteristic that was written.
  public var characteristic: CharacteristicIndex
  /// The client that wrote it.
  public var client: ClientID
  /// The expected number.
  public var expected: UInt32
  /// The number that was received.
  public var number: UInt32
  /// The number of missing values; nil if the number is an earlier one.
  public var missing: Int?
}

/// The next expected numbers of all clients.
struct WrittenNumbers: Sendable {
  private struct Stream: Hashable {
    var characteristic: CharacteristicIndex
    var client: ClientID
  }

  private var expected: [Stream: UInt32] = [:]

  /// Records the number of a value. Returns the gap before it, if there is one. Each client may start with any number.
  mutating func take(
    _ number: UInt32, _ numbering: WriteNumbering, of characteristic: CharacteristicIndex, from client: ClientID
  ) -> WriteGap? {
    let stream = Stream(characteristic: characteristic, client: client)
    let expected = expected.updateValue(numbering.successor(of: number), forKey: stream)
    guard let expected, expected != number else { return nil }
    return WriteGap(
      characteristic: characteristic, client: client, expected: expected, number: number,
      missing: numbering.missing(number, insteadOf: expected))
  }

  mutating func forget(_ client: ClientID) { expected = expected.filter { $0.key.client != client } }
}

extension ProfileRuntime {
  /// Checks the number of a written value, and reports a gap before it.
  mutating func noteNumber(
    in value: [UInt8], _ numbering: WriteNumbering, of characteristic: CharacteristicIndex, from client: ClientID
  ) {
    guard let number = numbering.number(in: value) else {
      return book.report(
        .failed(
          place: behaviors[characteristic.position].id,
          reason: "a written value of \(value.count) octets ends before its number"))
    }
    if let gap = writtenNumbers.take(number, numbering, of: characteristic, from: client) { book.report(.gap(gap)) }
  }
}

extension ProfileLoader {
  /// Reads the position of the number in written values.
  mutating func writeNumbering(_ node: SyntaxNode, _ properties: CharacteristicProperties) -> WriteNumbering? {
    if properties.isDisjoint(with: .anyWrite) {
      error(node, "it cannot be written: the properties lack 'write' or 'write-without-response'")
    }
    guard let keys = keys(node, Language.writeNumbering),
      let width = keys["number"].flatMap({ oneOf($0, Language.writeNumbering.words(of: "number")) }),
      let format = IntegerFormat(named: width)
    else { return nil }
    let isBigEndian = keys["order"].flatMap { oneOf($0, Language.orders) } == "big"
    return WriteNumbering(offset: Int(integer(keys, "at") ?? 0), octets: format.octets, isBigEndian: isBigEndian)
  }
}
