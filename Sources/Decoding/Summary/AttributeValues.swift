import Capture

/// The values in an ATT PDU, each with its attribute's handle: one in most PDUs, several in a Multiple Handle Value Notification.
package struct AttributeValues {
  /// The opcode of a Multiple Handle Value Notification (Core 5.4 Vol 3 Part F 3.4.7.4).
  package static let multipleNotification: UInt16 = 0x23

  /// Handles and values, in order.
  package private(set) var entries: [(handle: UInt16, value: [UInt8])] = []

  /// Creates the values of a packet that was just received; empty if it has none.
  package init(_ summary: PacketSummary, _ record: CaptureRecord) {
    guard summary.layer == .att else { return }
    guard summary.opcode == Self.multipleNotification else {
      if let attribute = summary.attribute, !summary.value.isEmpty {
        entries = [(attribute, Array(summary.valueOctets(in: record)))]
      }
      return
    }
    // Tuples of handle, length and value. A truncated value is ignored.
    var octets = summary.octets(in: record).dropFirst()
    while octets.count >= 4 {
      let head = Array(octets.prefix(4))
      let length = Int(head[2]) | Int(head[3]) << 8
      octets = octets.dropFirst(4)
      guard octets.count >= length else { return }
      entries.append((UInt16(head[0]) | UInt16(head[1]) << 8, Array(octets.prefix(length))))
      octets = octets.dropFirst(length)
    }
  }
}
