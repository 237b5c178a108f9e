import BLEATT
import BLECore
import BLEGATT
import Testing

/// Values that the server sends by itself need the security for reading and subscribing (Core 5.4 Vol 3 Part C 10.3.1.2).
@Suite("Security of values that the server sends by itself")
struct SendingPolicyTests {
  private static let encrypted = AccessRequirement(protection: .encrypted)
  private let value = CharacteristicIndex(0)

  private func chart(
    _ properties: CharacteristicProperties, read: AccessRequirement?, subscribe: AccessRequirement?
  ) throws -> SequenceChart {
    var characteristic = CharacteristicDefinition.stored(
      .init(0xFFF1), properties, [1], permissions: .init(read: read, write: nil))
    characteristic.configurationPermissions.write = subscribe
    return try SequenceChart(
      application: [.init(id: "a", uuid: .init(0xFFF0), characteristics: [characteristic])])
  }

  /// Makes a bonded client reconnect, which has not encrypted the link yet.
  private func restored(_ chart: inout SequenceChart) throws {
    chart.session.security = LinkSecurity(protection: .encrypted, keySize: 16, isBonded: true)
    try chart.exchange("12 0400 0300", "13")
    _ = chart.reconnect(withBond: true)
    #expect(chart.session.configuration(of: value) == [.notification, .indication])
  }

  @Test(
    "A restored subscription gets nothing while the link lacks the required security",
    arguments: [
      (Self.encrypted, .open), (.open, Self.encrypted), (nil, Self.encrypted),
      (.init(protection: .authenticated), .open),
    ] as [(AccessRequirement?, AccessRequirement?)])
  func withoutSecurity(read: AccessRequirement?, subscribe: AccessRequirement?) throws {
    var chart = try chart([.read, .notify, .indicate], read: read, subscribe: subscribe)
    try restored(&chart)
    #expect(chart.notify(value, [5]).isEmpty)
    #expect(chart.indicate(value, [5]) == nil)
    #expect(
      chart.valueToSend(value) == nil)
    chart.session.security = LinkSecurity(protection: .authenticated, keySize: 16, isBonded: true)
    #expect(chart.notify(value, [5]) == [0x1B, 3, 0, 5])
    #expect(chart.indicate(value, [5])?.value == [5])
  }

  @Test("A key that is too short is not sufficient")
  func shortKey() throws {
    var chart = try chart([.read, .notify], read: .init(protection: .encrypted, minimumKeySize: 16), subscribe: .open)
    chart.session.security = LinkSecurity(protection: .encrypted, keySize: 7)
    #expect(chart.notify(value, [5]).isEmpty)
    chart.session.security = LinkSecurity(protection: .encrypted, keySize: 16)
    #expect(!chart.notify(value, [5]).isEmpty)
  }

  @Test("Open values are sent as before, and unreadable ones need only the security for subscribing")
  func open() throws {
    let chart = try chart([.notify], read: nil, subscribe: .open)
    #expect(chart.notify(value, [5]) == [0x1B, 3, 0, 5])
  }

  @Test("Several values are sent together only if each of them may be sent")
  func multiple() throws {
    var chart = try SequenceChart(
      application: [
        .init(
          id: "a", uuid: .init(0xFFF0),
          characteristics: [
            .stored(.init(0xFFF1), [.notify], [1]), .stored(.init(0xFFF2), [.notify], [2]),
            .stored(.init(0xFFF3), [.read, .notify], [3], permissions: .init(read: Self.encrypted, write: nil)),
          ])
      ], mtu: 100)
    var state = chart.server.bondState(of: chart.session)
    state.features = ClientFeatures.multipleNotifications.rawValue
    _ = chart.restore(state)
    var buffer = OctetBuffer()
    let values = (0..<3).map { (index: CharacteristicIndex($0), value: [UInt8($0)]) }
    #expect(
      chart.server.multipleNotification(of: values[...], on: &chart.bearer, to: &chart.session, into: &buffer) == 2)
    #expect(
      chart.server.multipleNotification(of: values[1...], on: &chart.bearer, to: &chart.session, into: &buffer) == 0)
  }

  /// Core 5.4 Vol 3 Part G 3.3.1.1: neither a request nor an unsigned command may write it.
  @Test("A value with only signed writes is not writable without a signature", arguments: ["12 0300 05", "52 0300 05"])
  func signedWritesOnly(pdu: String) throws {
    var chart = try SequenceChart(
      application: [
        .init(
          id: "a", uuid: .init(0xFFF0),
          characteristics: [.stored(.init(0xFFF1), [.authenticatedSignedWrites], [1])])
      ])
    try chart.exchange(pdu, pdu.hasPrefix("12") ? "01 12 0300 03" : nil)
    #expect(chart.server.database.storedValue(of: value) == [1])
    #expect(chart.effects.events.contains { if case .refused(_, 3, .writeNotPermitted) = $0 { true } else { false } })
  }
}
