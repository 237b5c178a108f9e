import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT

/// Rules for HID devices such as keyboards.
extension LintRule {
  static let keyboardRules = [
    keyboardCompanions, keyboardSecurity, keyboardAdvertising,
  ]

  private static let keyboardCompanions = LintRule(
    "hid-companions", .error, [.core, .apple],
    title: "A HID device has Battery, and Device Information with a PnP ID.",
    why: "HID over GATT requires both. Hosts tell products apart by the vendor and the product in the PnP ID.",
    source: .sig("HID over GATT Profile 1.0, HID Device requirements", 2011),
    bad: .init(Self.keyboard(companion: ""), at: (8, 16)),
    good: .init(Self.keyboard()),
    applies: { !$0.services(0x1812).isEmpty }
  ) { subject in
    guard let service = subject.services(0x1812).first else { return [] }
    let hasID = subject.services(0x180A).flatMap(\.characteristics).contains { $0.uuid == BluetoothUUID(0x2A50) }
    let missing = (subject.services(0x180F).isEmpty ? ["Battery"] : []) + (hasID ? [] : ["a PnP ID"])
    guard !missing.isEmpty else { return [] }
    return [
      LintIssue(
        service.node.pairs?.first?.key ?? service.node, "the HID device lacks \(missing.joined(separator: " and "))",
        remedy: "include battery, and device-information with pnp-id")
    ]
  }

  private static let keyboardSecurity = LintRule(
    "hid-security", .error, [.core, .apple],
    title: "A HID device bonds, and its characteristics need encryption.",
    why: "HID over GATT requires bonding and LE security mode 1 level 2 or 3. Otherwise anybody could read the "
      + "keystrokes.",
    source: .sig("HID over GATT Profile 1.0, security considerations", 2011),
    bad: .init(Self.keyboard(change: ", set: { report-map.permissions: { read: none } }"), at: (8, 16)),
    good: .init(Self.keyboard()),
    applies: { !$0.services(0x1812).isEmpty }
  ) { subject in
    subject.services(0x1812).compactMap { service in
      let open = service.characteristics.filter { characteristic in
        let definition = characteristic.definition
        let needs = [definition.permissions.read, definition.permissions.write].compactMap(\.self)
        return needs.contains { $0.protection == .none }
      }
      guard !open.isEmpty || !subject.canBond else { return nil }
      return LintIssue(
        service.node.pairs?.first?.key ?? service.node,
        subject.canBond
          ? "\(open.count) characteristics can be used without encryption" : "the HID device does not bond",
        remedy: "set security.pairing, and permissions that need encryption")
    }
  }

  private static let keyboardAdvertising = LintRule(
    "hid-advertising", .warning, [.core, .apple],
    title: "A HID device advertises its service and its appearance.",
    why: "Settings show input devices by the service and draw them by the appearance; Apple's guidelines require the "
      + "service in the advertising data.",
    source: .sig("HID over GATT Profile 1.0, HID Device requirements", 2011),
    bad: .init(Self.keyboard(data: "services: [human-interface-device]"), at: (5, 28)),
    good: .init(Self.keyboard()),
    applies: { !$0.services(0x1812).isEmpty && !$0.openSets.isEmpty }
  ) { subject in
    let isRight = subject.openSets.contains { set in
      set.services.contains(BluetoothUUID(0x1812))
        && (set.data + set.response).contains {
          if case .appearance(let appearance) = $0 { appearance != .unknown } else { false }
        }
    }
    guard !isRight, let set = subject.openSets.first else { return [] }
    return [
      LintIssue(
        set.key("data"), "no set has both the service and the appearance",
        remedy: "add human-interface-device to 'services', and appearance: true")
    ]
  }

  private static func keyboard(
    data: String = "services: [human-interface-device], appearance: true", change: String = "",
    companion: String = ", pnp-id: hex:02FFFF01000001"
  ) -> String {
    """
    security: { pairing: just-works }
    identity: { appearance: keyboard }
    advertising: [ { id: main, data: { flags: [general], \(data) }, scan-response: { name: complete } } ]
    lint: { allow: { hidden-services: the system uses a keyboard } }
    services:
      - { include: human-interface-device\(change) }
      - include: battery
      - { include: device-information\(companion) }
    """
  }
}
