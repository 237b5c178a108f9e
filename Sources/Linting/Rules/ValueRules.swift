import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT

/// Rules for values: their lengths, how the accessory sends them, and their descriptions.
extension LintRule {
  static let valueRules = [
    notificationTooLong, notificationOverDefaultMTU, writeCommandTooLong, unalignedWrites, responsesByNotification,
    longRead, fastNotifications, fastIndications, manySubscriptions, userDescription,
  ]

  private static let notificationTooLong = LintRule(
    "notification-too-long", .error, [.core],
    title: "Notified and indicated values fit the accessory's MTU.",
    why: "A notification carries at most MTU - 3 octets. The rest is cut off, and the client must read the value to "
      + "get it.",
    source: .core("Vol 3 Part F 3.4.7.1, 3.4.7.2"),
    bad: .init(
      Self.sender("value: { pattern: counter, length: 200 }", before: "connection: { mtu: 185 }\n"), at: (7, 55)),
    good: .init(Self.sender("value: { pattern: counter, length: 20 }", before: "connection: { mtu: 185 }\n")),
    applies: { $0.characteristics.contains(where: \.sends) }
  ) { subject in
    let room = subject.profile.connection.mtu - 3
    return subject.characteristics.compactMap { characteristic in
      guard characteristic.sends, let length = characteristic.behavior?.fixedLength, length > room else { return nil }
      return LintIssue(
        characteristic.key("properties"),
        "the value of '\(characteristic.definition.id)' has \(length) octets, but only \(room) fit the MTU of \(room + 3)",
        remedy: "raise connection.mtu to \(length + 3) or more, or split the value")
    }
  }

  private static let notificationOverDefaultMTU = LintRule(
    "notification-over-20-octets", .note, [.android],
    title: "Notified values of a fixed length have at most 20 octets.",
    why: "On Android the MTU is 23 until the app calls requestMtu, which leaves 20 octets for a value. An app that "
      + "does not call it gets only the beginning. Apple's devices and Windows exchange the MTU by themselves.",
    source: .android("BluetoothGatt.requestMtu, API level 21", 2014),
    bad: .init(Self.sender("value: { pattern: counter, length: 30 }"), at: (6, 55)),
    good: .init(Self.sender("value: { pattern: counter, length: 20 }")),
    applies: { $0.characteristics.contains(where: \.sends) }
  ) { subject in
    let room = subject.profile.connection.mtu - 3
    return subject.characteristics.compactMap { characteristic in
      guard characteristic.sends, let length = characteristic.behavior?.fixedLength, length > 20, length <= room,
        room > 20
      else { return nil }
      return LintIssue(
        characteristic.key("properties"),
        "the value of '\(characteristic.definition.id)' has \(length) octets",
        remedy: "tell the app's authors to call requestMtu(517) first, or split the value")
    }
  }

  private static let longRead = LintRule(
    "long-read", .note, [.core, .android],
    title: "One request reads a value of a fixed length.",
    why: "A Read Response carries MTU - 1 octets. A longer value takes several requests, and may change between them. "
      + "Android's MTU is 23 until the app asks for more.",
    source: .core("Vol 3 Part F 3.4.4.4, 3.4.4.6"),
    bad: .init(
      Self.sender("value: { pattern: counter, length: 200 }", property: "read", before: "connection: { mtu: 185 }\n"),
      at: (7, 55)),
    good: .init(Self.sender("value: { pattern: counter, length: 200 }", property: "read"))
  ) { subject in
    let room = subject.profile.connection.mtu - 1
    return subject.characteristics.compactMap { characteristic in
      guard characteristic.definition.properties.contains(.read), let length = characteristic.behavior?.fixedLength,
        length > room
      else { return nil }
      return LintIssue(
        characteristic.key("properties"),
        "reading the \(length) octets of '\(characteristic.definition.id)' takes \((length + room - 1) / room) requests, or "
          + "\((length + 21) / 22) with an MTU of 23",
        remedy: "raise connection.mtu to \(length + 1) or more, or split the value")
    }
  }

  private static let writeCommandTooLong = LintRule(
    "write-command-too-long", .warning, [.core],
    title: "A value that accepts only Write Commands fits the accessory's MTU.",
    why: "A Write Command carries at most MTU - 3 octets, and long writes need responses.",
    source: .core("Vol 3 Part F 3.4.5.3"),
    bad: .init(
      """
      connection: { mtu: 185 }
      services:
        - uuid: A0000001-7C4D-4B0E-9E4B-1F6E2A1B9C00
          characteristics:
            - uuid: A0000002-7C4D-4B0E-9E4B-1F6E2A1B9C00
              properties: [write-without-response]
              max-length: 400
              description: Packets
      """, at: (9, 9)),
    good: .init(
      """
      connection: { mtu: 185 }
      services:
        - uuid: A0000001-7C4D-4B0E-9E4B-1F6E2A1B9C00
          characteristics:
            - uuid: A0000002-7C4D-4B0E-9E4B-1F6E2A1B9C00
              properties: [write-without-response]
              max-length: 182
              description: Packets
      """)
  ) { subject in
    let room = subject.profile.connection.mtu - 3
    return subject.characteristics.compactMap { characteristic in
      let properties = characteristic.definition.properties
      guard properties.contains(.writeWithoutResponse), !properties.contains(.write),
        characteristic.node.value(of: "max-length") != nil, characteristic.definition.maximumLength > room
      else { return nil }
      return LintIssue(
        characteristic.key("max-length"),
        "'\(characteristic.definition.id)' takes \(characteristic.definition.maximumLength) octets, but only \(room) fit a Write Command",
        remedy: "raise connection.mtu, lower max-length, or add the property 'write'")
    }
  }

  private static let unalignedWrites = LintRule(
    "unaligned-writes", .note, [.apple],
    title: "Write Commands with bulk data can fill the MTU that iPhones and the accessory agree on.",
    why: "A write that fills the MTU spends the least on headers: 48 instead of 37 kbps in Apple's measurement.",
    source: .talk(2017, 712),
    bad: .init(
      """
      services:
        - uuid: A0000001-7C4D-4B0E-9E4B-1F6E2A1B9C00
          characteristics:
            - uuid: A0000002-7C4D-4B0E-9E4B-1F6E2A1B9C00
              properties: [write-without-response]
              max-length: 20
              packets: { length: u8 }
              description: Packets
      """, at: (8, 9)),
    good: .init(
      """
      services:
        - uuid: A0000001-7C4D-4B0E-9E4B-1F6E2A1B9C00
          characteristics:
            - uuid: A0000002-7C4D-4B0E-9E4B-1F6E2A1B9C00
              properties: [write-without-response]
              max-length: 512
              description: Packets
      """)
  ) { subject in
    subject.characteristics.compactMap { characteristic in
      guard characteristic.behavior?.framing != nil,
        characteristic.definition.properties.contains(.writeWithoutResponse),
        characteristic.definition.maximumLength < min(subject.profile.connection.mtu - 3, 182)
      else { return nil }
      return LintIssue(
        characteristic.key("max-length"),
        "'\(characteristic.definition.id)' takes its packets in parts of \(characteristic.definition.maximumLength) octets",
        remedy: "raise max-length to what fits the MTU")
    }
  }

  private static let responsesByNotification = LintRule(
    "responses-by-notification", .note, [.core],
    title: "A control point indicates its responses.",
    why: "The client confirms an indication, so the accessory knows that the response has arrived. The SIG's services "
      + "use indications for all their control points.",
    source: .core("Vol 3 Part G 4.11"),
    bad: .init(Self.controlPoint("notify"), at: (7, 9)), good: .init(Self.controlPoint("indicate")),
    applies: { subject in subject.profile.behaviors.contains { $0.controlPoint != nil } }
  ) { subject in
    subject.characteristics.compactMap { characteristic in
      guard let point = characteristic.behavior?.controlPoint, !point.isIndicated,
        point.response != nil || point.commands.contains(where: { $0.response != nil })
      else { return nil }
      return LintIssue(
        characteristic.key("properties"), "'\(characteristic.definition.id)' notifies its responses",
        remedy: "use the property 'indicate', unless responses are longer than the MTU allows")
    }
  }

  private static let fastNotifications = LintRule(
    "fast-notifications", .note, [.apple],
    title: "Values are notified at most once in a connection event.",
    why:
      "The shortest interval that an iPhone grants is 15 ms. Faster values wait, and arrive together or late.",
    source: .talk(2017, 712),
    bad: .init(Self.sender("format: u8, value: 0, notify: { every: 12 ms }"), at: (6, 99)),
    good: .init(Self.sender("format: u8, value: 0, notify: { every: 15 ms }"))
  ) { subject in
    subject.characteristics.compactMap { characteristic in
      guard case .every(let period) = characteristic.behavior?.notify, period < .milliseconds(15) else { return nil }
      return LintIssue(
        characteristic.key("notify"),
        "'\(characteristic.definition.id)' is notified every \(Durations.text(period))",
        remedy: "put several samples into one value")
    }
  }

  private static let fastIndications = LintRule(
    "fast-indications", .note, [.core],
    title: "Values are indicated at most every 60 ms.",
    why:
      "The next indication waits for the confirmation of the last, which takes two connection events: 60 ms at 30 ms.",
    source: .core("Vol 3 Part F 3.3.2"),
    bad: .init(Self.sender("format: u8, value: 0, indicate: { every: 20 ms }", property: "indicate"), at: (6, 101)),
    good: .init(Self.sender("format: u8, value: 0, indicate: { every: 1 s }", property: "indicate"))
  ) { subject in
    subject.characteristics.compactMap { characteristic in
      guard case .every(let period) = characteristic.behavior?.indicate, period < .milliseconds(60) else { return nil }
      return LintIssue(
        characteristic.key("indicate"),
        "'\(characteristic.definition.id)' is indicated every \(Durations.text(period))",
        remedy: "notify it, or indicate it less often")
    }
  }

  /// The number of registrations that Android's stack keeps for an app (BTA_GATTC_NOTIF_REG_MAX).
  private static let androidRegistrations = 15

  private static let manySubscriptions = LintRule(
    "many-subscriptions", .warning, [.android],
    title: "At most 15 characteristics notify or indicate.",
    why: "Android keeps 15 registrations for an app, and older versions 4 or 7. A further subscription succeeds, but "
      + "Android drops its values.",
    source: .android("bta_gattc_int.h, BTA_GATTC_NOTIF_REG_MAX", 2016),
    bad: .init("services:\n" + Self.senders(16), at: (3, 1)), good: .init("services:\n" + Self.senders(15))
  ) { subject in
    let count = subject.characteristics.filter(\.sends).count
    guard count > androidRegistrations else { return [] }
    return [
      LintIssue(
        subject.key("services"), "\(count) characteristics notify or indicate",
        remedy: "send several values in one characteristic, or let the app subscribe to no more than 15")
    ]
  }

  private static let userDescription = LintRule(
    "user-description", .note, [.core, .android],
    title: "The accessory's own characteristics have descriptions.",
    why: "Explorer apps know only the names of assigned UUIDs. For others they show the User Description, or just the "
      + "UUID.",
    source: .core("Vol 3 Part G 3.3.3.2"),
    bad: .init(
      """
      services:
        - uuid: A0000001-7C4D-4B0E-9E4B-1F6E2A1B9C00
          characteristics:
            - { uuid: A0000002-7C4D-4B0E-9E4B-1F6E2A1B9C00, properties: [read], value: hex:00 }
      """, at: (6, 11)),
    good: .init(
      """
      services:
        - uuid: A0000001-7C4D-4B0E-9E4B-1F6E2A1B9C00
          characteristics:
            - { uuid: A0000002-7C4D-4B0E-9E4B-1F6E2A1B9C00, properties: [read], value: hex:00, description: A lamp }
      """)
  ) { subject in
    let nameless = subject.characteristics.filter {
      $0.uuid.assignedName == nil && !LintRule.knownUUIDs.contains($0.uuid)
        && !$0.definition.descriptors.contains { $0.uuid == .userDescription }
    }
    guard let first = nameless.first else { return [] }
    let others = nameless.count > 1 ? ", and \(nameless.count - 1) more have none either" : ""
    return [
      LintIssue(
        first.node.key(["uuid"]) ?? first.node, "'\(first.definition.id)' has no description\(others)",
        remedy: "add 'description' here and in the firmware: it is an attribute, so it moves the handles after it")
    ]
  }

  /// The UUIDs that explorer apps know although the SIG has not assigned them: Apple's for a PSM.
  private static let knownUUIDs: Set<BluetoothUUID> = [LintRule.psmUUID]

  // MARK: Examples

  private static func sender(_ keys: String, property: String = "notify", before: String = "") -> String {
    """
    \(before)services:
      - uuid: A0000001-7C4D-4B0E-9E4B-1F6E2A1B9C00
        characteristics:
          - { uuid: A0000002-7C4D-4B0E-9E4B-1F6E2A1B9C00, properties: [\(property)], \(keys), description: A lamp }
    """
  }

  private static func senders(_ count: Int) -> String {
    let members = (0..<count).map {
      "{ uuid: A00000\($0 + 10)-7C4D-4B0E-9E4B-1F6E2A1B9C00, properties: [notify], value: hex:00, description: A lamp }"
    }
    return "  - uuid: A0000001-7C4D-4B0E-9E4B-1F6E2A1B9C00\n    characteristics: [ \(members.joined(separator: ", ")) ]"
  }

  private static func controlPoint(_ property: String) -> String {
    """
    services:
      - uuid: A0000001-7C4D-4B0E-9E4B-1F6E2A1B9C00
        characteristics:
          - uuid: A0000002-7C4D-4B0E-9E4B-1F6E2A1B9C00
            properties: [write, \(property)]
            \(property): on-demand
            description: Commands
            control-point:
              response: [opcode, result]
              unknown: { result: 2 }
              malformed: { result: 3 }
              commands: [ { opcode: 1, do: log } ]
    """
  }
}
