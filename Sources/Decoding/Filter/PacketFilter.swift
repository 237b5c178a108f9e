import BLEATT
import BLECore
import Capture

/// A filter that selects packets, written as an expression: `att.write && handle == 0x0040 && value > 180`.
///
/// - Words: `sent`, `received`, `hci`, `air`, `fault`, `comment`, `flagged`, every layer (`command`, `event`, `acl`, `l2cap`, `signalling`,
///   `channel`, `att`, `smp`, `sdp`, `rfcomm`, `avdtp`, `avctp`, `hid`, `bnep`, `sco`, `advertising`, `ll`, `message`), and kinds of ATT PDUs (`att.read`, `att.write`, `att.notification`,
///   `att.indication`, `att.request`, `att.response`, `att.error`, `att.discovery`).
/// - Numbers with `== != < <= > >=`: `number`, `handle`, `opcode`, `status`, `attribute`, `channel`, `length`, `value` (an integer, least
///   significant octet first), and the times `latency` and `time` (since the first packet), with the units `us`, `ms` and `s`, which `time` needs.
/// - `level` with `== != < <= > >=`: `debug`, `info`, `warning`, `error` (`PacketLevel`).
/// - Texts with `==`, `!=`, `contains` and `~` (a regular expression between slashes): `text`, `name`, `type`, `address`, `uuid`,
///   `comment`, `hex`. A quoted text on its own is searched for in the packet's line.
/// - `&&`, `||`, `!` and parentheses, and also `and`, `or`, `not`.
package struct PacketFilter {
  indirect enum Node {
    case word(Word)
    case layers(Set<PacketLayer>)
    case opcodes(Set<UInt16>)
    case number(Quantity, Comparison, Int64)
    case level(Comparison, PacketLevel)
    case uuid(BluetoothUUID, isEqual: Bool)
    case text(Text, TextTest)
    case all([Node])
    case any([Node])
    case not(Node)
  }

  enum Word: String, Sendable, CaseIterable { case sent, received, hci, air, fault, comment, flagged }
  enum Quantity: String, Sendable {
    case number, handle, opcode, status, attribute, channel, length, value, latency, time
  }
  enum Comparison: String, Sendable, CaseIterable {
    case equal = "=="
    case unequal = "!="
    case atMost = "<="
    case atLeast = ">="
    case less = "<"
    case greater = ">"

    func holds(_ left: Int64, _ right: Int64) -> Bool {
      switch self {
      case .equal: left == right
      case .unequal: left != right
      case .atMost: left <= right
      case .atLeast: left >= right
      case .less: left < right
      case .greater: left > right
      }
    }
  }
  enum Text: String, Sendable { case text, name, type, address, uuid, comment, hex }
  enum TextTest {
    case equal(String)
    case unequal(String)
    case contains(String)
    case matches(TextPattern)
  }

  private let root: Node

  /// Parses a filter.
  package init(_ text: String) throws(FilterFault) {
    var parser = FilterParser(text)
    root = try parser.parse()
  }

  /// Whether it selects a view: that of the hosts or that of the air.
  package var choosesView: Bool { Self.choosesView(root) }

  private static func choosesView(_ node: Node) -> Bool {
    switch node {
    case .word(let word): word == .hci || word == .air
    case .layers, .opcodes, .number, .level, .uuid, .text: false
    case .all(let nodes), .any(let nodes): nodes.contains { choosesView($0) }
    case .not(let inner): choosesView(inner)
    }
  }

  /// Returns whether the record that was just received passes the filter.
  package func accepts(_ summary: PacketSummary, _ record: CaptureRecord, _ decoder: borrowing PacketDecoder) -> Bool {
    Self.holds(root, summary, record, decoder)
  }

  private static func holds(
    _ node: Node, _ summary: PacketSummary, _ record: CaptureRecord, _ decoder: borrowing PacketDecoder
  ) -> Bool {
    switch node {
    case .word(let word): return holds(word, summary, record)
    case .layers(let layers): return layers.contains(summary.layer)
    case .opcodes(let opcodes): return summary.layer == .att && opcodes.contains(summary.opcode)
    case .number(let quantity, let comparison, let bound):
      return self.quantity(quantity, summary, record, decoder).map { comparison.holds($0, bound) } ?? false
    case .level(let comparison, let bound):
      return comparison.holds(Int64(summary.level(in: record).rawValue), Int64(bound.rawValue))
    case .uuid(let uuid, let isEqual):
      return decoder.attributeType(of: summary).map { ($0 == uuid) == isEqual } ?? false
    case .text(let text, let test): return holds(test, self.text(text, summary, record, decoder))
    case .all(let nodes):
      for node in nodes where !holds(node, summary, record, decoder) { return false }
      return true
    case .any(let nodes):
      for node in nodes where holds(node, summary, record, decoder) { return true }
      return false
    case .not(let inner): return !holds(inner, summary, record, decoder)
    }
  }

  private static func holds(_ word: Word, _ summary: PacketSummary, _ record: CaptureRecord) -> Bool {
    switch word {
    case .sent: summary.isSent && summary.layer != .message
    case .received: !summary.isSent
    case .hci: !summary.isOnAir && summary.layer != .message
    case .air: summary.isOnAir
    case .fault: summary.fault != nil
    case .comment: record.comment != nil
    case .flagged: record.isFlagged
    }
  }

  private static func quantity(
    _ quantity: Quantity, _ summary: PacketSummary, _ record: CaptureRecord, _ decoder: borrowing PacketDecoder
  ) -> Int64? {
    switch quantity {
    case .number: return Int64(summary.number)
    case .handle: return summary.handle.map { Int64($0) }
    case .opcode: return summary.layer == .message ? nil : Int64(summary.opcode)
    case .status: return summary.status.map { Int64($0) }
    case .attribute: return summary.attribute.map { Int64($0) }
    case .channel: return summary.channel.map { Int64($0) }
    case .length: return Int64(record.octets.count)
    case .latency: return summary.latency
    case .time: return summary.nanoseconds.elapsed(since: decoder.began)
    case .value:
      guard summary.layer == .att, !summary.value.isEmpty, summary.value.count <= 8 else { return nil }
      let bits = summary.valueOctets(in: record).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return Int64(clamping: bits)
    }
  }

  private static func text(
    _ text: Text, _ summary: PacketSummary, _ record: CaptureRecord, _ decoder: borrowing PacketDecoder
  ) -> String? {
    switch text {
    case .text: decoder.text(of: summary, in: record)
    case .name: decoder.attributeName(of: summary)
    case .type: PacketDecoder.typeText(of: summary)
    case .address: summary.address.map { DeviceAddress(bits: $0).description }
    case .uuid: decoder.attributeType(of: summary).map { $0.description }
    case .comment: record.comment
    case .hex: record.octets.hexadecimal
    }
  }

  private static func holds(_ test: TextTest, _ text: String?) -> Bool {
    guard let text else { return false }
    switch test {
    case .equal(let wanted): return text.lowercased() == wanted
    case .unequal(let wanted): return text.lowercased() != wanted
    case .contains(let wanted): return text.lowercased().contains(wanted)
    case .matches(let pattern): return pattern.matches(text)
    }
  }
}

/// An error in a filter, with its position.
package struct FilterFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// The character position, counted from 1.
  package var column: Int
  /// The error, and the valid alternatives.
  package var description: String
}
