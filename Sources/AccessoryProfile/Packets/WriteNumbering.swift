import BLECore
import BLEGATT

/// Where each written value has its number: one more than the one before, and zero behind the greatest. Write Commands have no answer, so
/// only such numbers show that some are missing (Core 5.4 Vol 3 Part F 3.3.2).
public struct WriteNumbering: Hashable, Sendable {
  /// How far the number is behind the beginning of a value, in octets.
  public var offset: Int
  /// How many octets it has, 1...4.
  public var octets: Int
  /// Whether its most significant octet comes first.
  public var isBigEndian: Bool

  /// The number in a value; nil for one that ends before it.
  func number(in value: [UInt8]) -> UInt32? {
    guard value.count >= offset + octets else { return nil }
    let range = value[offset..<offset + octets]
    let ordered = isBigEndian ? Array(range) : range.reversed()
    return ordered.reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// The greatest number.
  private var greatest: UInt32 { .max >> UInt32(32 - octets * 8) }

  /// The number behind another one.
  func successor(of number: UInt32) -> UInt32 { (number &+ 1) & greatest }

  /// How many numbers are missing where one came instead of another; nil when it is from before, because a value was written again or
  /// too late. Of two ways around, the shorter one is meant.
  func missing(_ number: UInt32, insteadOf expected: UInt32) -> Int? {
    let distance = (number &- expected) & greatest
    return distance <= greatest / 2 ? Int(distance) : nil
  }
}

/// A written value whose number is not the next one.
public struct WriteGap: Hashable, Sendable {
  /// What was written.
  public var characteristic: CharacteristicIndex
  /// Who has written it.
  public var client: ClientID
  /// The number that was to come.
  public var expected: UInt32
  /// The number that came.
  public var number: UInt32
  /// How many values are missing; nil when the number is from before.
  public var missing: Int?
}

/// The numbers of what clients have written.
struct WrittenNumbers: Sendable {
  private struct Stream: Hashable {
    var characteristic: CharacteristicIndex
    var client: ClientID
  }

  private var expected: [Stream: UInt32] = [:]

  /// Takes the number of a value; returns the gap before it, if there is one. Each client begins where it wants.
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
  /// Looks at the number of a written value, and reports a gap before it.
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
  /// Where written values have their numbers.
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
