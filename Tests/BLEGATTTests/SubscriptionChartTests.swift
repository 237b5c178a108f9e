import BLEATT
import BLECore
import BLEGATT
import Testing

/// Client Characteristic Configurations, notifications and indications (Core 5.4 Vol 3 Part G 3.3.3.3, 4.10, 4.11).
@Suite("Subscriptions")
struct SubscriptionChartTests {
  @Test("A client subscribes, and is notified")
  func notify() throws {
    var chart = try Tester.chart()
    try chart.exchange("0a 0a00", "0b 0000")
    try chart.exchange("12 0a00 0100", "13")
    #expect(chart.effects.events == [.subscriptionChanged(Tester.measurement, .notification)])
    try chart.exchange("0a 0a00", "0b 0100")
    #expect(chart.session.subscriptions.map(\.characteristic) == [Tester.measurement])
    var buffer = OctetBuffer()
    chart.server.notification(
      of: Tester.measurement, value: [0, 72], on: &chart.bearer, to: &chart.session, into: &buffer)
    #expect(buffer.copy().hexadecimal == "1b" + "0900" + "0048")
  }

  @Test("A client subscribes, is indicated, and confirms")
  func indicate() throws {
    var chart = try Tester.chart()
    try chart.exchange("12 1a00 0200", "13")
    #expect(chart.effects.events == [.subscriptionChanged(Tester.indicated, .indication)])
    let first = chart.indicate(Tester.indicated, [1])
    #expect(first?.encodedPDU.hexadecimal == "1d" + "1900" + "01")
    let second = chart.indicate(Tester.indicated, [2])
    #expect(second == nil)
    try chart.exchange("1e", nil)
    #expect(chart.effects.events == [.confirmed(0x19)])
    #expect(chart.effects.nextIndication?.encodedPDU.hexadecimal == "1d" + "1900" + "02")
    try chart.exchange("1e", nil)
    #expect(chart.effects.nextIndication == nil)
    try chart.exchange("1e", nil)
    #expect(chart.effects.events.isEmpty)
  }

  @Test("A client that has unsubscribed gets no more indications, not even waiting ones")
  func unsubscribe() throws {
    var chart = try Tester.chart()
    try chart.exchange("12 1a00 0200", "13")
    _ = chart.indicate(Tester.indicated, [1])
    _ = chart.indicate(Tester.indicated, [2])
    try chart.exchange("12 1a00 0100", "13")
    #expect(chart.bearer.att.indicated == 0x19)
    try chart.exchange("1e", nil)
    #expect(chart.effects.events == [.confirmed(0x19)])
    #expect(chart.effects.nextIndication == nil)
    #expect(chart.bearer.att.deadline == nil)
  }

  @Test("Requests are answered while an indication waits for its confirmation")
  func requestsMeanwhile() throws {
    var chart = try Tester.chart()
    _ = chart.indicate(Tester.indicated, [1])
    try chart.exchange("0a 0c00", "0b 01")
    #expect(chart.bearer.att.indicated == 0x19)
  }

  @Test("Values sent by the server are truncated at the MTU", arguments: [23, 24, 62, 63, 64, 517])
  func cut(mtu: Int) throws {
    var chart = try Tester.chart(mtu: mtu)
    let value = (0..<60).map { UInt8($0) }
    let sent = Array(value.prefix(mtu - 3))
    var buffer = OctetBuffer()
    chart.server.notification(
      of: Tester.measurement, value: value, on: &chart.bearer, to: &chart.session, into: &buffer)
    #expect(buffer.copy(from: 3) == sent)
    let indication = chart.indicate(Tester.indicated, value)
    #expect(indication?.value == sent)
  }

  @Test(
    "Only supported bits are accepted",
    arguments: [
      ("0a00", "0000", true), ("0a00", "0100", true), ("0a00", "0200", false), ("0a00", "0300", false),
      ("1a00", "0100", true), ("1a00", "0200", true), ("1a00", "0300", true), ("1a00", "0400", false),
      ("1a00", "0001", false),
    ])
  func possible(handle: String, value: String, isPossible: Bool) throws {
    var chart = try Tester.chart()
    try chart.exchange("12" + handle + value, isPossible ? "13" : "01 12" + handle + "13")
    try chart.exchange("0a" + handle, "0b" + (isPossible ? value : "0000"))
  }

  @Test("A configuration has two octets", arguments: ["", "01", "010000"])
  func lengths(value: String) throws {
    var chart = try Tester.chart()
    try chart.exchange("12 0a00" + value, "01 12 0a00 0d")
    #expect(chart.session.subscriptions.isEmpty)
  }

  @Test("Writing the same value again is not a change, and zero ends the subscription")
  func changes() throws {
    var chart = try Tester.chart()
    try chart.exchange("12 0a00 0100", "13")
    try chart.exchange("12 0a00 0100", "13")
    #expect(chart.effects.events.isEmpty)
    try chart.exchange("12 0a00 0000", "13")
    #expect(chart.effects.events == [.subscriptionChanged(Tester.measurement, [])])
    #expect(chart.session.subscriptions.isEmpty)
    try chart.exchange("12 0a00 0000", "13")
    #expect(chart.effects.events.isEmpty)
  }

  @Test("A configuration can be written by command, and in prepared parts")
  func otherWays() throws {
    var chart = try Tester.chart()
    try chart.exchange("52 0a00 0100", nil)
    #expect(chart.session.configuration(of: Tester.measurement) == .notification)
    try chart.exchange("16 1a00 0000 02", "17 1a00 0000 02")
    try chart.exchange("18 01", "19")
    #expect(chart.session.configuration(of: Tester.indicated) == .indication)
    try chart.exchange("16 1a00 0100 02", "17 1a00 0100 02")
    try chart.exchange("18 01", "01 18 1a00 13")
    #expect(chart.session.configuration(of: Tester.indicated) == .indication)
  }

  @Test("Each client has its own configuration")
  func perClient() throws {
    var chart = try Tester.chart()
    try chart.exchange("12 0a00 0100", "13")
    let first = chart.session
    chart.session = GATTSession(client: 2)
    chart.bearer = ServerBearer()
    try chart.exchange("0a 0a00", "0b 0000")
    try chart.exchange("08 0100 ffff 0229", "09 04 0a00 0000 1200 0000 1a00 0000")
    chart.session = first
    try chart.exchange("0a 0a00", "0b 0100")
    try chart.exchange("08 0100 ffff 0229", "09 04 0a00 0100 1200 0000 1a00 0000")
  }

  @Test("The present value is the stored one, the application's, or none")
  func currentValue() throws {
    var chart = try Tester.chart()
    func value(_ index: CharacteristicIndex) -> [UInt8]? {
      chart.valueToSend(index)
    }
    #expect(value(Tester.battery) == [100])
    chart.application.answers[Tester.controlPoint] = .value([5])
    #expect(value(Tester.controlPoint) == [5])
    chart.application.answers[Tester.controlPoint] = .error(.unlikelyError)
    #expect(value(Tester.controlPoint) == nil)
  }
}
