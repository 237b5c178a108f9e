import AccessoryProfile
import BLEATT
import BLECore
import BLEGATT
import Testing

@Suite("Notification center")
struct NotificationCenterTests {
  private static let text = """
    services:
      - include: ancs
      - include: ancs-twin
    notifications:
      apps: { com.example.mail: Mail, com.example.phone: Phone }
      rows:
        - uid: 1
          category: email
          flags: [silent]
          app: com.example.mail
          title: Zoë
          subtitle: Hi
          message: abcdefghijklmnopqrstuvwxyz
          date: 2024-02-29T23:59:58
          negative-action: Clear
      timeline:
        - at: 5 s
          add: { uid: 2, category: incoming-call, app: com.example.phone, title: Grace, positive-action: Answer, negative-action: Decline }
        - { at: 7 s, add: { category: email, app: com.example.mail } }
        - { at: 9 s, modify: { uid: 2, category: missed-call, flags: [important] } }
        - { at: 9 s, remove: 1 }
    """

  private func runtime(_ change: (String) -> String = { $0 }) throws -> ProfileRuntime {
    ProfileRuntime(profile: try profile(change(Self.text)))
  }

  /// The attributes of the notification in `rows`, by number, in full.
  private static let whole = [
    "0001000000", "001000636f6d2e6578616d706c652e6d61696c", "0104005a6fc3ab", "0202004869",
    "031a006162636465666768696a6b6c6d6e6f707172737475767778797a", "0402003236",
    "050f00323032343032323954323335393538", "060000", "070500436c656172",
  ].joined()

  @Test func theServicesAreApplesAndATwin() throws {
    let profile = try profile(Self.text)
    #expect(
      profile.services.map(\.uuid.description) == [
        "7905F431-B5CE-4E99-A40F-4B1E122D00D0", "A0000010-7C4D-4B0E-9E4B-1F6E2A1B9C00",
      ])
    let apple = profile.services[0].characteristics
    #expect(
      apple.map(\.uuid.description) == [
        "9FBF120D-6301-42D9-8C58-25E699A21DBD", "69D1D8F3-45E1-49A8-9821-9BBDFDAAD9D9",
        "22EAC6E9-24D6-4BB5-BE44-B36ACE7C7BFB",
      ])
    #expect(apple.map(\.properties) == [.notify, .write, .notify])
    #expect(apple.map(\.properties) == profile.services[1].characteristics.map(\.properties))
    // All these characteristics require authorization for access.
    #expect(apple.allSatisfy { $0.configurationPermissions.write?.needsAuthorization == true })
    #expect(apple[1].permissions.write?.needsAuthorization == true)
  }

  // MARK: Notification Source

  @Test func subscribersLearnOfWhatIsThereAndOfWhatComes() throws {
    var runtime = try runtime()
    #expect(!runtime.hasMessages)
    runtime.configure("ancs-notification-source", .notification)
    #expect(runtime.hasMessages)
    // Added, silent | pre-existing | negative action, email, one of them, UID 1.
    #expect(runtime.messages() == ["0015060101000000"])
    #expect(!runtime.hasMessages && runtime.nextDeadline == .ms(5000))
    var announced: [(Int64, [String])] = []
    while let deadline = runtime.nextDeadline {
      var actions: [ApplicationAction] = []
      runtime.advance(to: deadline, actions: &actions)
      #expect(actions == [])
      announced.append((deadline.nanoseconds / 1_000_000, runtime.messages()))
    }
    #expect(announced.map(\.0) == [5000, 7000, 9000])
    #expect(
      announced.map(\.1) == [
        ["0018010102000000"],
        // The next UID, and the second mail.
        ["0000060203000000"],
        ["011a020102000000", "0211060101000000"],
      ])
    // A client that subscribes later gets the remaining ones, in the order in which they were added.
    runtime.configure("ancs-twin-notification-source", .notification, client: 7)
    #expect(runtime.messages(client: 7) == ["001e020102000000", "0004060103000000"])
    #expect(runtime.messages() == [])
  }

  @Test func nothingIsAnnouncedAfterUnsubscribingOrDisconnecting() throws {
    var runtime = try runtime()
    runtime.configure("ancs-notification-source", .notification)
    runtime.configure("ancs-notification-source", .notification, client: 2)
    // Waiting messages are dropped.
    runtime.configure("ancs-notification-source", [])
    #expect(runtime.messages() == [])
    runtime.clientLeft(2, at: .zero)
    #expect(runtime.messages(client: 2) == [] && !runtime.hasMessages)
    _ = runtime.run(until: .ms(10_000))
    #expect(runtime.messages() == [] && runtime.messages(client: 2) == [])
  }

  @Test func notificationsComeChangeAndGoAtRunTime() throws {
    var runtime = try runtime { $0.split(separator: "  timeline").first.map { String($0) } ?? "" }
    runtime.configure("ancs-notification-source", .notification)
    _ = runtime.messages()
    let uid = try runtime.addNotification(["category": .string("email"), "title": .string("x")], at: .ms(1000))
    #expect(uid == 2 && runtime.messages() == ["0000060202000000"])
    try runtime.modifyNotification(uid, ["flags": .array([.string("important")])], at: .ms(2000))
    #expect(runtime.messages() == ["0102060202000000"])
    try runtime.removeNotification(uid, at: .ms(3000))
    #expect(runtime.messages() == ["0202060102000000"])
    // A UID is not reused.
    #expect(try runtime.addNotification([:], at: .ms(86_400_000)) == 3)
    #expect(runtime.notifications.map { $0["uid"] } == [.int(1), .int(3)])
    #expect(runtime.notifications[1]["date"] == .string("1970-01-02T00:00:00"))
    #expect(throws: ProfileValueError("there is no record with the uid 2")) {
      try runtime.removeNotification(2, at: .zero)
    }
    #expect(throws: ProfileValueError("the uid 1 is already taken")) {
      try runtime.addNotification(["uid": .int(1)], at: .zero)
    }
    #expect(throws: ProfileValueError.self) { try runtime.addNotification(["titel": .string("")], at: .zero) }
    #expect(throws: ProfileValueError.self) { try runtime.modifyNotification(1, ["uid": .int(9)], at: .zero) }
    var other = ProfileRuntime(profile: try profile("services: []"))
    #expect(throws: ProfileValueError("this accessory has no table 'notifications'")) {
      try other.addNotification([:], at: .zero)
    }
  }

  // MARK: Control Point

  static let answers: [(String, String)] = [
    ("000100000000" + "01ffff02ffff03ffff" + "04050607", whole),
    // In the order of the request, as often as requested.
    ("0001000000070404", "0001000000070500436c6561720402003236" + "0402003236"),
    // Truncated at the requested length, but not within a character.
    ("0001000000010300", "00010000000102005a6f"), ("0001000000010200", "00010000000102005a6f"),
    ("0001000000010000", "0001000000010000"), ("0001000000030500", "00010000000305006162636465"),
    ("01636f6d2e6578616d706c652e70686f6e650000", "01636f6d2e6578616d706c652e70686f6e65000005" + "0050686f6e65"),
  ]

  @Test(arguments: answers)
  func answersOctetByOctet(_ request: String, _ answer: String) throws {
    var runtime = try runtime()
    runtime.configure("ancs-data-source", .notification)
    #expect(runtime.command(request, "ancs-control-point") == .accepted)
    #expect(runtime.messages(limit: 514) == [answer])
    // Without a subscription, there is no way to answer.
    #expect(runtime.command(request, "ancs-twin-control-point") == .accepted)
    #expect(runtime.messages() == [])
  }

  static let refusals: [(String, UInt8)] = [
    ("", 0xA1), ("03", 0xA0), ("ff01", 0xA0), ("0001000000", 0xA1), ("00010000", 0xA1), ("000100000001", 0xA1),
    ("00010000000108", 0xA1), ("000100000008", 0xA2), ("000900000000", 0xA2), ("0163", 0xA1), ("016300", 0xA1),
    ("01ff0000", 0xA1), ("01630000", 0xA2), ("01636f6d2e6578616d706c652e6d61696c0001", 0xA2),
    ("0201000000", 0xA1), ("020100000000ff", 0xA1), ("020900000000", 0xA2), ("020100000002", 0xA2),
    // There is no positive action.
    ("020100000000", 0xA3),
  ]

  @Test(arguments: refusals)
  func refuses(_ request: String, _ error: UInt8) throws {
    var runtime = try runtime()
    runtime.configure("ancs-data-source", .notification)
    #expect(runtime.command(request, "ancs-control-point").error?.rawValue == error)
    #expect(!runtime.hasMessages)
  }

  /// A command that is truncated at any octet is refused, or is a shorter command.
  @Test(arguments: [
    "00010000000001ffff02ffff03ffff04050607", "01636f6d2e6578616d706c652e70686f6e650000", "020100000001",
  ])
  func everyTruncationIsAnswered(_ request: String) throws {
    let octets = try #require([UInt8](hexadecimal: request))
    for length in octets.indices {
      var runtime = try runtime()
      runtime.configure("ancs-data-source", .notification)
      let answer = runtime.command(octets.prefix(length).map { $0 }.hexadecimal, "ancs-control-point")
      #expect(answer.error.map { (0xA0...0xA3).contains($0.rawValue) } ?? runtime.hasMessages)
    }
  }

  @Test func anActionIsNotedAndEndsTheNotification() throws {
    var runtime = try runtime()
    runtime.configure("ancs-notification-source", .notification, client: 3)
    _ = runtime.run(until: .ms(5000))
    _ = runtime.messages(client: 3)
    #expect(runtime.command("020200000000", "ancs-control-point", client: 3, at: .ms(6000)) == .accepted)
    #expect(runtime.messages(client: 3) == ["0218010002000000"])
    let point = try #require(runtime.index(of: "ancs-control-point"))
    #expect(
      runtime.takeJournal() == [
        JournalEntry(characteristic: point, client: 3, value: [2, 2, 0, 0, 0, 0], instant: .ms(6000))
      ])
    #expect(runtime.command("020200000000", "ancs-control-point", client: 3).error?.rawValue == 0xA2)
    // The timeline continues without the removed notification.
    _ = runtime.run(until: .ms(10_000))
    #expect(runtime.messages(client: 3) == ["0000060203000000", "0211060101000000"])
  }

  @Test(arguments: [20, 182, 514])
  func longAnswersAreSplit(_ limit: Int) throws {
    var runtime = try runtime()
    runtime.configure("ancs-data-source", .notification)
    runtime.configure("ancs-data-source", .notification, client: 2)
    let request = "00010000000001ffff02ffff03ffff04050607"
    // Two consecutive requests, of different clients.
    for (request, client) in [(request, 1), (request, 2), ("000100000002ffff", 1)] as [(String, ClientID)] {
      #expect(runtime.command(request, "ancs-control-point", client: client) == .accepted)
    }
    let first = runtime.messages(limit: limit)
    let expected = try #require([UInt8](hexadecimal: Self.whole))
    let parts = stride(from: 0, to: expected.count, by: limit).map {
      expected[$0..<min($0 + limit, expected.count)].map { $0 }.hexadecimal
    }
    #expect(first == parts + ["00010000000202004869"])
    #expect(runtime.messages(client: 2, limit: limit) == parts)
  }

  @Test func aClientThatTakesNothingCannotFillTheMemory() throws {
    var runtime = try runtime()
    runtime.configure("ancs-data-source", .notification)
    for _ in 0..<1024 { #expect(runtime.command("000100000000", "ancs-control-point") == .accepted) }
    #expect(runtime.command("000100000000", "ancs-control-point").error == .insufficientResources)
    #expect(runtime.messages().count == 2048)
    #expect(runtime.command("000100000000", "ancs-control-point") == .accepted)
  }

  // MARK: Authorization

  @Test(arguments: [
    ("pending", 0x08), ("denied", 0x08), ("revoked", 0x08),
    ("{ state: pending, error: insufficient-authentication }", 0x05),
  ])
  func withoutAuthorizationThereIsNothing(_ state: String, _ error: UInt8) throws {
    var runtime = try runtime {
      $0.replacing("- include: ancs\n", with: "- { include: ancs, authorization: \(state) }\n")
    }
    let source = try #require(runtime.index(of: "ancs-notification-source"))
    let twin = try #require(runtime.index(of: "ancs-twin-notification-source"))
    let code = ATTErrorCode(rawValue: error)
    #expect(runtime.authorize(.write, of: source, for: 1, at: .zero) == .error(code))
    #expect(runtime.authorize(.write, of: twin, for: 1, at: .zero) == .granted)
    // An earlier subscription has no effect.
    runtime.configure("ancs-notification-source", .notification)
    runtime.configure("ancs-twin-notification-source", .notification)
    #expect(runtime.messages() == ["0015060101000000"])
    try runtime.setAuthorization(.granted, of: "ancs", at: .ms(1000))
    #expect(runtime.authorize(.write, of: source, for: 1, at: .zero) == .granted)
    #expect(runtime.messages() == ["0015060101000000"])
    _ = runtime.run(until: .ms(5000))
    try runtime.setAuthorization(.revoked, at: .ms(6000))
    #expect(runtime.messages() == [])
    _ = runtime.run(until: .ms(10_000))
    #expect(runtime.messages() == [])
    #expect(runtime.authorize(.read, of: twin, for: 1, at: .zero) == .error(.insufficientAuthorization))
    #expect(throws: ProfileValueError.self) { try runtime.setAuthorization(.granted, of: "other", at: .zero) }
  }
}
