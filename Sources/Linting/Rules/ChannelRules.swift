import AccessoryProfile
import BLECore
import BLEGATT

/// Rules for L2CAP channels and their PSMs.
extension LintRule {
  static let channelRules = [
    psmRange, fixedPSM, hiddenPSM, otherPSMUUID, silentPSM, openChannel, protectedPSM,
  ]

  /// The UUID that Apple defines for a characteristic that holds a PSM.
  static let psmUUID = BluetoothUUID(high: 0xABDD_3056_28FA_441D, low: 0xA470_55A7_5A52_553A)

  /// The dynamic PSMs, which a device assigns itself.
  private static let dynamicPSMs: ClosedRange<UInt16> = 0x80...0xFF

  /// Returns the channels, each with its node and its fixed PSM.
  private static func channels(
    _ subject: LintSubject
  ) -> [(channel: ChannelDefinition, node: SyntaxNode?, fixed: UInt16?)] {
    let elements = subject.value("l2cap")?.elements ?? []
    return subject.profile.channels.enumerated().map { index, channel in
      let fixed: UInt16? = if case .fixed(let psm) = channel.psm { psm } else { nil }
      return (channel, index < elements.count ? elements[index] : nil, fixed)
    }
  }

  private static func isObjectTransfer(_ psm: UInt16, _ subject: LintSubject) -> Bool {
    psm == 0x25 && !subject.services(0x1825).isEmpty
  }

  private static let psmRange = LintRule(
    "psm-range", .error, [.apple, .core],
    title: "A PSM is between 0x0080 and 0x00FF.",
    why: "The SIG assigns the PSMs below 0x0080. Core Bluetooth refuses to open channels to PSMs outside the dynamic "
      + "range (embassy-rs/trouble issue 371).",
    source: .core("Vol 3 Part A 4.22"),
    bad: .init(
      "l2cap: [ { id: data, psm: 0x40, security: encrypted, handler: echo, psm-characteristic: { service: battery } } ]\nsecurity: { pairing: just-works }",
      at: (3, 22)),
    good: .init(
      "l2cap: [ { id: data, psm: auto, security: encrypted, handler: echo, psm-characteristic: { service: battery } } ]\nsecurity: { pairing: just-works }"
    ),
    applies: { !$0.profile.channels.isEmpty }
  ) { subject in
    channels(subject).compactMap { channel, node, fixed in
      guard let fixed, !dynamicPSMs.contains(fixed), !isObjectTransfer(fixed, subject) else { return nil }
      let hex = String(fixed, radix: 16, uppercase: true)
      return LintIssue(
        node?.key(["psm"]) ?? subject.key("l2cap"), "the PSM of '\(channel.id)' is 0x\(hex)", remedy: "use auto",
        fix: .replacing(node?.value(of: "psm"), by: "auto"))
    }
  }

  private static let fixedPSM = LintRule(
    "fixed-psm", .warning, [.apple],
    title: "A PSM is assigned when the accessory starts.",
    why: "A PSM is local to the device and may change at each start, so an app must discover it. A fixed PSM hides the "
      + "mistake of an app that does not.",
    source: .talk(2017, 712),
    bad: .init(
      "l2cap: [ { id: data, psm: 0x80, security: encrypted, handler: echo, psm-characteristic: { service: battery } } ]\nsecurity: { pairing: just-works }",
      at: (3, 22)),
    good: .init(
      "l2cap: [ { id: data, psm: auto, security: encrypted, handler: echo, psm-characteristic: { service: battery } } ]\nsecurity: { pairing: just-works }"
    ),
    applies: { !$0.profile.channels.isEmpty }
  ) { subject in
    channels(subject).compactMap { channel, node, fixed in
      guard let fixed, dynamicPSMs.contains(fixed) else { return nil }
      return LintIssue(
        node?.key(["psm"]) ?? subject.key("l2cap"), "the PSM of '\(channel.id)' is fixed",
        remedy: "use auto, or use new to find apps that keep an old PSM",
        fix: .replacing(node?.value(of: "psm"), by: "auto"))
    }
  }

  private static let hiddenPSM = LintRule(
    "hidden-psm", .error, [.apple],
    title: "A characteristic holds the PSM of a channel.",
    why: "An app cannot learn the PSM in any other way, because it may change at each start.",
    source: .talk(2017, 712),
    bad: .init(
      "l2cap: [ { id: data, security: encrypted, handler: echo } ]\nsecurity: { pairing: just-works }", at: (3, 12)),
    good: .init(
      "l2cap: [ { id: data, security: encrypted, handler: echo, psm-characteristic: { service: battery } } ]\nsecurity: { pairing: just-works }"
    ),
    applies: { !$0.profile.channels.isEmpty }
  ) { subject in
    channels(subject).compactMap { channel, node, fixed in
      if let fixed, isObjectTransfer(fixed, subject) { return nil }
      guard channel.psmCharacteristic == nil else { return nil }
      return LintIssue(
        node?.key(["id"]) ?? subject.key("l2cap"), "no characteristic holds the PSM of '\(channel.id)'",
        remedy: "add psm-characteristic: { service: … }")
    }
  }

  private static let otherPSMUUID = LintRule(
    "psm-uuid", .warning, [.apple],
    title: "The characteristic with the PSM has the UUID that Apple defines for it.",
    why: "CBUUIDL2CAPPSMCharacteristicString is \(LintRule.psmUUID). An app finds it without knowing the accessory.",
    source: .apple("Core Bluetooth, CBUUIDL2CAPPSMCharacteristicString", 2017),
    bad: .init(
      "l2cap: [ { id: data, security: encrypted, handler: echo, psm-characteristic: { service: battery, uuid: 2A0D, id: psm } } ]\nsecurity: { pairing: just-works }",
      at: (3, 98)),
    good: .init(
      "l2cap: [ { id: data, security: encrypted, handler: echo, psm-characteristic: { service: battery } } ]\nsecurity: { pairing: just-works }"
    ),
    applies: { $0.profile.channels.contains { $0.psmCharacteristic != nil } }
  ) { subject in
    channels(subject).compactMap { channel, node, _ in
      guard let id = channel.psmCharacteristic,
        let characteristic = subject.characteristics.first(where: { $0.definition.id == id }),
        characteristic.uuid != psmUUID
      else { return nil }
      let key = node?.value(of: "psm-characteristic")?.key(["uuid"])
      return LintIssue(
        key ?? characteristic.node, "the PSM of '\(channel.id)' is in a characteristic of type \(characteristic.uuid)",
        remedy: "leave 'uuid' out")
    }
  }

  private static let silentPSM = LintRule(
    "silent-psm", .note, [.apple],
    title: "The accessory indicates a PSM that changes.",
    why: "Core Bluetooth also shows values that it read earlier, so an app may use an old PSM after a restart.",
    source: .talk(2017, 712),
    bad: .init(
      "l2cap: [ { id: data, psm: new, security: encrypted, handler: echo, psm-characteristic: { service: battery } } ]\nsecurity: { pairing: just-works }",
      at: (3, 68)),
    good: .init(
      "l2cap: [ { id: data, psm: new, security: encrypted, handler: echo, psm-characteristic: { service: battery, indicate: true } } ]\nsecurity: { pairing: just-works }"
    ),
    applies: { $0.profile.channels.contains { $0.psm == .drawn } }
  ) { subject in
    channels(subject).compactMap { channel, node, _ in
      guard channel.psm == .drawn, let id = channel.psmCharacteristic,
        let characteristic = subject.characteristics.first(where: { $0.definition.id == id }), !characteristic.sends
      else { return nil }
      return LintIssue(
        node?.key(["psm-characteristic"]) ?? characteristic.node,
        "'\(channel.id)' has a new PSM at every start, but clients cannot subscribe to it",
        remedy: "add indicate: true", fix: .inserting("indicate: true", into: node?.value(of: "psm-characteristic")))
    }
  }

  private static let openChannel = LintRule(
    "open-channel", .note, [.apple],
    title: "A channel needs an encrypted link, or the app encrypts by itself.",
    why:
      "The publisher of a channel chooses whether it requires encryption; requiring it is the safe choice. GATT "
      + "permissions do not protect channels.",
    source: .talk(2017, 712),
    bad: .init("l2cap: [ { id: data, handler: echo, psm-characteristic: { service: battery } } ]", at: (3, 12)),
    good: .init(
      "l2cap: [ { id: data, security: encrypted, handler: echo, psm-characteristic: { service: battery } } ]\nsecurity: { pairing: just-works }"
    ),
    applies: { !$0.profile.channels.isEmpty }
  ) { subject in
    let open = channels(subject).filter { $0.channel.protection == .none }
    guard let first = open.first else { return [] }
    let others = open.count > 1 ? ", and \(open.count - 1) more" : ""
    return [
      LintIssue(
        first.node?.key(["security"]) ?? first.node?.key(["id"]) ?? subject.key("l2cap"),
        "anybody can open '\(first.channel.id)'\(others)",
        remedy: "add security: encrypted, unless the app encrypts the data itself")
    ]
  }

  private static let protectedPSM = LintRule(
    "protected-psm", .warning, [.apple],
    title: "Reading a PSM needs no more security than opening its channel.",
    why: "The read makes the phone pair, although the channel does not need it.",
    source: .guidelines("40.9, 40.10"),
    bad: .init(
      "l2cap: [ { id: data, security: encrypted, handler: echo, psm-characteristic: { service: battery, security: authenticated } } ]\nsecurity: { pairing: display }",
      at: (3, 98)),
    good: .init(
      "l2cap: [ { id: data, security: encrypted, handler: echo, psm-characteristic: { service: battery } } ]\nsecurity: { pairing: just-works }"
    ),
    applies: { $0.profile.channels.contains { $0.psmCharacteristic != nil } }
  ) { subject in
    channels(subject).compactMap { channel, node, _ in
      guard let id = channel.psmCharacteristic,
        let characteristic = subject.characteristics.first(where: { $0.definition.id == id }),
        let read = characteristic.definition.permissions.read, read.protection > channel.protection
      else { return nil }
      return LintIssue(
        node?.value(of: "psm-characteristic")?.key(["security"]) ?? characteristic.node,
        "the PSM of '\(channel.id)' is better protected than the channel", remedy: "leave 'security' out here")
    }
  }
}
