import BLEATT
import BLECore
import BLEGATT
import Testing

/// The group GATT/SR/GAS: the Generic Attribute service (Core 5.4 Vol 3 Part G 2.5.2, 7), on the accessory in
/// `RobustCachingTests`.
@Suite("GATT/SR/GAS")
struct GASTests {
  private let extra = RobustCachingTests.extra

  private func hash(_ chart: SequenceChart) -> String {
    testHash(chart.server.database.hashInput).reversed().hexadecimal
  }

  @Test("GATT/SR/GAS/BV-01-C: Service Changed")
  func serviceChanged() throws {
    var chart = try RobustCachingTests.chart()
    #expect(try chart.edit(.add(extra)) == nil)
    try chart.exchange("12 0400 0200", "13")
    #expect(try chart.edit(.remove("extra"))?.encodedPDU.hexadecimal == "1d" + "0300" + "0f000f00")
    try chart.exchange("1e", nil)
  }

  @Test("GATT/SR/GAS/BV-02-C: the Database Hash, before and after a change")
  func databaseHash() throws {
    var chart = try RobustCachingTests.chart()
    let before = hash(chart)
    try chart.exchange("08 0100 ffff 2a2b", "09 12 0800" + before)
    _ = try chart.edit(.add(extra))
    #expect(hash(chart) != before)
    try chart.exchange("08 0100 ffff 2a2b", "09 12 0800" + hash(chart))
  }

  @Test("GATT/SR/GAS/BV-03-C: Client Supported Features of each client")
  func features() throws {
    var chart = try RobustCachingTests.chart()
    try chart.exchange("12 0600 f9", "13")
    try chart.exchange("0a 0600", "0b 01")
    chart.session = GATTSession(client: 2)
    chart.bearer = ServerBearer()
    try chart.exchange("0a 0600", "0b 00")
  }

  @Test("Client Supported Features of a bond")
  func featuresOfBond() throws {
    var chart = try RobustCachingTests.chart()
    try chart.exchange("12 0600 01", "13")
    _ = chart.reconnect(withBond: true)
    try chart.exchange("0a 0600", "0b 01")
  }

  @Test("GATT/SR/GAS/BV-05-C: requests to a changed database")
  func unsynchronized() throws {
    var chart = try RobustCachingTests.chart()
    _ = try chart.edit(.add(extra))
    try chart.exchange("0a 0d00", "0b 01")
    try chart.exchange("12 0600 01", "13")
    _ = try chart.edit(.remove("extra"))
    try chart.exchange("0a 0d00", "01 0a 0000 12")
    try chart.exchange("0a 0d00", "0b 01")
    _ = try chart.edit(.add(extra))
    try chart.exchange("0a 0d00", "01 0a 0000 12")
    try chart.exchange("52 0d00 05", nil)
    #expect(chart.server.database.storedValue(of: CharacteristicIndex(0)) == [1])
    try chart.exchange("12 0600 00", "01 12 0600 13")
    try chart.exchange("0a 0600", "0b 01")
    _ = try chart.edit(.remove("extra"))
    try chart.exchange("0a 0800", "01 0a 0000 12")
    _ = try chart.edit(.add(extra))
    try chart.exchange("08 0200 ffff 2a2b", "01 08 0000 12")
  }

  @Test("GATT/SR/GAS/BV-06-C: requests after a read of the hash, and after Service Changed")
  func synchronized() throws {
    var chart = try RobustCachingTests.chart()
    try chart.exchange("12 0600 01", "13")
    _ = try chart.edit(.add(extra))
    try chart.exchange("08 0100 ffff 2a2b", "09 12 0800" + hash(chart))
    try chart.exchange("0a 0d00", "0b 01")
    try chart.exchange("12 0400 0200", "13")
    #expect(try chart.edit(.remove("extra")) != nil)
    try chart.exchange("1e", nil)
    try chart.exchange("0a 0d00", "0b 01")
    #expect(try chart.edit(.add(extra)) != nil)
    try chart.exchange("0a 0d00", "01 0a 0000 12")
  }

  @Test("A bond, and a database that changes between connections")
  func synchronizedBond() throws {
    var chart = try RobustCachingTests.chart()
    try chart.exchange("12 0600 01", "13")
    #expect(try chart.reconnect(after: .add(extra)) == nil)
    try chart.exchange("08 0100 ffff 2a2b", "09 12 0800" + hash(chart))
    try chart.exchange("0a 0d00", "0b 01")
    try chart.exchange("12 0400 0200", "13")
    #expect(try chart.reconnect(after: .remove("extra"))?.encodedPDU.hexadecimal == "1d" + "0300" + "0f000f00")
    try chart.exchange("1e", nil)
    try chart.exchange("0a 0d00", "0b 01")
    #expect(chart.reconnect(withBond: true) == nil)
    try chart.exchange("12 0600 00", "01 12 0600 13")
    try chart.exchange("12 0400 0000", "13")
    #expect(try chart.reconnect(after: .add(extra)) == nil)
    try chart.exchange("0a 0d00", "01 0a 0000 12")
    _ = chart.reconnect(withBond: true)
    try chart.exchange("0a 0d00", "01 0a 0000 12")
  }

  @Test("GATT/SR/GAS/BV-08-C: values of variable length from a changed database")
  func unsynchronizedVariable() throws {
    var chart = try RobustCachingTests.chart()
    _ = try chart.edit(.add(extra))
    try chart.exchange("20 0d00 0a00", "21 0100 01 0100 00")
    try chart.exchange("12 0600 01", "13")
    _ = try chart.edit(.remove("extra"))
    try chart.exchange("20 0d00 0a00", "01 20 0000 12")
    try chart.exchange("20 0d00 0a00", "21 0100 01 0100 00")
  }
}
