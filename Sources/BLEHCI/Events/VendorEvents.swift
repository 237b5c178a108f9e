import BLECore

/// Core 5.4 Vol 4 Part E 5.4.4: an event of the manufacturer's own, code 0xFF.
package struct HCIVendorEvent: HCIEvent {
  package static let code = EventCode.vendor

  /// The first octet, which most manufacturers use to tell their events apart.
  package var subcode: UInt8 = 0
  /// What follows.
  package var octets: [UInt8] = []

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Subcode", &subcode)
    try fields.remainder("Octets", &octets)
  }

  /// The failed assertion that the event reports, when it is that one of Zephyr's.
  package var zephyrAssertion: ZephyrAssertion? { ZephyrAssertion(self) }
}

/// A failed assertion in Zephyr's HCI firmware: vendor event with the subcode 0xAA, sent as its last words before it falls
/// silent (Zephyr samples/bluetooth/hci_uart `bt_ctlr_assert_handle`).
package struct ZephyrAssertion: Hashable, Sendable, CustomStringConvertible {
  package static let subcode: UInt8 = 0xAA

  /// The source file, without folders; empty when the firmware was built without names.
  package var file: String
  /// The line in that file.
  package var line: UInt32

  /// The assertion in that event; nil when it is another event or too short.
  package init?(_ event: HCIVendorEvent) {
    guard event.subcode == Self.subcode, event.octets.count >= 4 else { return nil }
    let name = event.octets.dropLast(4).prefix { $0 != 0 }
    file = String(decoding: name, as: UTF8.self)
    line = event.octets.suffix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// That place.
  package init(file: String, line: UInt32) {
    self.file = file
    self.line = line
  }

  /// The event that reports it.
  package var event: HCIVendorEvent {
    HCIVendorEvent { event in
      event.subcode = Self.subcode
      event.octets = Array(file.utf8) + (file.isEmpty ? [] : [0])
      event.octets += (0..<4).map { UInt8(truncatingIfNeeded: line >> (8 * UInt32($0))) }
    }
  }

  /// The place, such as `ull.c:1234`.
  package var description: String { "\(file.isEmpty ? "unnamed file" : file):\(line)" }
}
