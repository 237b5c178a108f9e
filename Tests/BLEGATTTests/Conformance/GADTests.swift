import BLEATT
import BLECore
import BLEGATT
import Testing

/// The groups GATT/SR/GAC and GATT/SR/GAD: MTU and discovery (Core 5.4 Vol 3 Part G 4.3-4.7), on the accessory in `Tester`.
@Suite("GATT/SR/GAC, GATT/SR/GAD")
struct GADTests {
  private func long(_ number: UInt8) -> String { BluetoothUUID.long(number).littleEndianOctets.hexadecimal }

  @Test("GATT/SR/GAC/BV-01-C: exchange the MTU")
  func exchangeMTU() throws {
    var chart = try Tester.chart()
    try chart.exchange("02 4000", "03 0502")
    #expect(chart.bearer.att.mtu == 64)
    #expect(chart.answer([0x0A, 0x16, 0x00]).count == 61)
  }

  @Test("GATT/SR/GAD/BV-01-C: discover all primary services")
  func primaryServices() throws {
    var chart = try Tester.chart()
    try chart.exchange("10 0100 ffff 0028", "11 06 0100 0500 0018 0600 0600 0118 0700 0e00 0d18")
    try chart.exchange("10 0f00 ffff 0028", "11 06 0f00 1200 0f18")
    try chart.exchange("10 1300 ffff 0028", "11 14 1300 1d00" + long(1))
    try chart.exchange("10 1e00 ffff 0028", "01 10 1e00 0a")
  }

  @Test("GATT/SR/GAD/BV-02-C: discover primary services by UUID")
  func servicesByUUID() throws {
    var chart = try Tester.chart()
    try chart.exchange("06 0100 ffff 0028 0f18", "07 0f00 1200")
    try chart.exchange("06 1300 ffff 0028 0f18", "01 06 1300 0a")
    try chart.exchange("06 0100 ffff 0028" + long(1), "07 1300 1d00")
  }

  @Test("GATT/SR/GAD/BV-03-C: find included services")
  func includes() throws {
    let services: [ServiceDefinition] = [
      .init(id: "a", uuid: .init(0xFFF0), includes: ["b", "c"]),
      .init(id: "b", uuid: .init(0xFFF1), isPrimary: false), .init(id: "c", uuid: .long(1), isPrimary: false),
    ]
    var chart = try SequenceChart(application: services)
    try chart.exchange("08 0100 0300 0228", "09 08 0200 0400 0400 f1ff")
    // The UUID of the other one is too long for the declaration, and is read from the service.
    try chart.exchange("08 0300 0300 0228", "09 06 0300 0500 0500")
    try chart.exchange("0a 0500", "0b" + long(1))
    try chart.exchange("08 0400 0500 0228", "01 08 0400 0a")
  }

  @Test("GATT/SR/GAD/BV-04-C: discover all characteristics of a service")
  func characteristics() throws {
    var chart = try Tester.chart()
    try chart.exchange("08 0700 0e00 0328", "09 07 0800 10 0900 372a 0b00 02 0c00 382a 0d00 08 0e00 392a")
    try chart.exchange("08 0e00 0e00 0328", "01 08 0e00 0a")
    try chart.exchange("08 1300 1d00 0328", "09 15 1500 0a 1600" + long(2))
  }

  @Test("GATT/SR/GAD/BV-05-C: discover characteristics by UUID")
  func characteristicsByUUID() throws {
    // A client reads all declarations of the service and compares the UUIDs itself.
    var chart = try Tester.chart()
    try chart.exchange("08 0f00 1200 0328", "09 07 1000 12 1100 192a")
    try chart.exchange("08 1100 1200 0328", "01 08 1100 0a")
  }

  @Test("GATT/SR/GAD/BV-06-C: discover all characteristic descriptors")
  func descriptors() throws {
    var chart = try Tester.chart()
    try chart.exchange("04 0a00 0a00", "05 01 0a00 0229")
    try chart.exchange("04 1700 1700", "05 01 1700 0129")
    try chart.exchange("04 1e00 ffff", "01 04 1e00 0a")
  }
}
