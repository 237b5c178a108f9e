import BLECore

/// A vendor event, code 0xFF (Core 5.4 Vol 4 Part E 5.4.4).
package struct HCIVendorEvent: HCIEvent {
  package static let code = EventCode.vendor

  /// The first octet, which most manufacturers use as an event number.
  package var subcode: UInt8 = 0
  /// The octets that follow.
  package var octets: [UInt8] = []

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Subcode", &subcode)
    try fields.remainder("Octets", &octets)
  }

  /// The failed assertion that the event reports; nil if it is another event.
  package var zephyrAssertion: ZephyrAssertion? { ZephyrAssertion(self) }
}

/// A failed assertion in Zephyr's HCI firmware: a vendor event with subcode 0xAA, the last packet before the firmware stops responding
/// (Zephyr samples/bluetooth/hci_uart `bt_ctlr_assert_handle`).
package struct ZephyrAssertion: Hashable, Sendable, CustomStringConvertible {
  package static let subcode: UInt8 = 0xAA

  /// The source file, without folders; empty if the firmware was built without file names.
  package var file: String
  /// The line in that file.
  package var line: UInt32

  /// Creates the assertion from an event; nil if it is another event or too short.
  package init?(_ event: HCIVendorEvent) {
    guard event.subcode == Self.subcode, event.octets.count >= 4 else { return nil }
    let name = event.octets.dropLast(4).prefix { $0 != 0 }
    file = String(decoding: name, as: UTF8.self)
    line = event.octets.suffix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Creates an assertion at this place.
  package init(file: String, line: UInt32) {
    self.file = file
    self.line = line
  }

  /// The event that reports the assertion.
  package var event: HCIVendorEvent {
    HCIVendorEvent { event in
      event.subcode = Self.subcode
      event.octets = Array(file.utf8) + (file.isEmpty ? [] : [0])
      event.octets += (0..<4).map { UInt8(truncatingIfNeeded: line >> (8 * UInt32($0))) }
    }
  }

  /// The place, for example `ull.c:1234`.
  package var description: String { "\(file.isEmpty ? "unnamed file" : file):\(line)" }
}
