import BLEATT
import BLECore
import BLEGATT
import Testing

/// The groups GATT/SR/GAN, GATT/SR/GAI, GATT/SR/GAT and GATT/SR/UNS: notifications, indications, the transaction timeout and
/// unsupported PDUs (Core 5.4 Vol 3 Part G 4.10, 4.11, 4.14), on the accessory in `Tester`.
@Suite("GATT/SR/GAN, GATT/SR/GAI, GATT/SR/GAT, GATT/SR/UNS")
struct GANTests {
  private func notification(_ chart: SequenceChart) -> String {
    chart.notify(Tester.measurement, [0, 72]).hexadecimal
  }

  @Test("GATT/SR/GAN/BV-01-C: a notification, and no subscription after a reconnection without a bond")
  func notification() throws {
    var chart = try Tester.chart()
    try chart.exchange("12 0a00 0100", "13")
    #expect(notification(chart) == "1b" + "0900" + "0048")
    _ = chart.reconnect(withBond: false)
    try chart.exchange("0a 0a00", "0b 0000")
  }

  @Test("GATT/SR/GAN/BV-02-C: several values in one notification")
  func multipleNotification() throws {
    var chart = try SequenceChart(
      host: [.genericAttribute(hasServiceChanged: false, hasRobustCaching: true)],
      application: [
        .init(
          id: "a", uuid: .init(0xFFF0),
          characteristics: [.stored(.init(0xFFF1), [.notify], [1]), .stored(.init(0xFFF2), [.notify], [2, 3])])
      ])
    try chart.exchange("12 0300 04", "13")
    let values = [
      (index: CharacteristicIndex(0), value: [1 as UInt8]), (index: CharacteristicIndex(1), value: [2, 3]),
    ]
    var buffer = OctetBuffer()
    #expect(
      chart.server.multipleNotification(of: values[...], on: &chart.bearer, to: &chart.session, into: &buffer) == 2)
    #expect(buffer.copy().hexadecimal == "23" + "0a00" + "0100" + "01" + "0d00" + "0200" + "0203")
  }

  @Test("A notification, and a subscription that a bond preserves")
  func notificationOfBond() throws {
    var chart = try Tester.chart()
    try chart.exchange("12 0a00 0100", "13")
    #expect(notification(chart) == "1b" + "0900" + "0048")
    _ = chart.reconnect(withBond: true)
    try chart.exchange("0a 0a00", "0b 0100")
  }

  @Test("GATT/SR/GAI/BV-01-C: an indication, and no subscription after a reconnection without a bond")
  func indication() throws {
    var chart = try Tester.chart()
    try chart.exchange("12 1a00 0200", "13")
    let indication = chart.indicate(Tester.indicated, [1])
    #expect(indication?.encodedPDU.hexadecimal == "1d" + "1900" + "01")
    try chart.exchange("1e", nil)
    #expect(chart.effects.events == [.confirmed(0x19)])
    _ = chart.reconnect(withBond: false)
    try chart.exchange("0a 1a00", "0b 0000")
  }

  @Test("An indication, and a subscription that a bond preserves")
  func indicationOfBond() throws {
    var chart = try Tester.chart()
    try chart.exchange("12 1a00 0200", "13")
    #expect(chart.indicate(Tester.indicated, [1]) != nil)
    try chart.exchange("1e", nil)
    _ = chart.reconnect(withBond: true)
    try chart.exchange("0a 1a00", "0b 0200")
  }

  @Test("GATT/SR/GAT/BV-01-C: an indication that is not confirmed within 30 s, and is not sent again")
  func timeout() throws {
    var chart = try Tester.chart()
    try chart.exchange("12 1a00 0200", "13")
    let start = chart.now
    #expect(chart.indicate(Tester.indicated, [1]) != nil)
    #expect(chart.bearer.att.indicationDeadline == start + .seconds(30))
    let isOver = [29, 30].map { chart.bearer.att.checkIndication(at: start + .seconds($0)) }
    #expect(isOver == [false, true])
    #expect(chart.bearer.att.indicationDeadline == nil)
    try chart.exchange("1e", nil)
    #expect(chart.effects.nextIndication == nil)
  }

  @Test("GATT/SR/UNS/BI-01-C: a request that is not supported")
  func unsupportedRequest() throws {
    var chart = try Tester.chart()
    try chart.exchange("3f 0102", "01 3f 0000 06")
  }

  @Test("GATT/SR/UNS/BI-02-C: a command that is not supported")
  func unsupportedCommand() throws {
    var chart = try Tester.chart()
    try chart.exchange("7f 0102", nil)
    try chart.exchange("0a 0c00", "0b 01")
  }
}
