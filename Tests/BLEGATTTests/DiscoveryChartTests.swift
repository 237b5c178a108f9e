import BLEATT
import BLECore
import BLEGATT
import Testing

/// Discovery (Core 5.4 Vol 3 Part G 4.4-4.7) of the accessory in `Tester`.
@Suite("Discovery")
struct DiscoveryChartTests {
  private func long(_ number: UInt8) -> String { BluetoothUUID.long(number).littleEndianOctets.hexadecimal }

  @Test("All primary services, at the default MTU")
  func primaryServices() throws {
    var chart = try Tester.chart()
    try chart.exchange("10 0100 ffff 0028", "11 06 0100 0500 0018 0600 0600 0118 0700 0e00 0d18")
    try chart.exchange("10 0f00 ffff 0028", "11 06 0f00 1200 0f18")
    try chart.exchange("10 1300 ffff 0028", "11 14 1300 1d00" + long(1))
    try chart.exchange("10 1e00 ffff 0028", "01 10 1e00 0a")
  }

  @Test("Services with short UUIDs in one answer at a larger MTU")
  func primaryServicesAtOnce() throws {
    var chart = try Tester.chart(mtu: 26)
    try chart.exchange(
      "10 0100 ffff 0028", "11 06 0100 0500 0018 0600 0600 0118 0700 0e00 0d18 0f00 1200 0f18")
    var short = try Tester.chart(mtu: 25)
    try short.exchange("10 0100 ffff 0028", "11 06 0100 0500 0018 0600 0600 0118 0700 0e00 0d18")
  }

  @Test("A group belongs to the range in which it begins")
  func groupRange() throws {
    var chart = try Tester.chart()
    try chart.exchange("10 0100 0100 0028", "11 06 0100 0500 0018")
    try chart.exchange("10 0200 0500 0028", "01 10 0200 0a")
    try chart.exchange("10 0200 0600 0028", "11 06 0600 0600 0118")
  }

  @Test("Secondary services are a group type, and are not discovered as primary ones")
  func secondaryServices() throws {
    var chart = try SequenceChart(application: [
      .init(id: "one", uuid: .init(0x1801)), .init(id: "two", uuid: .init(0x180A), isPrimary: false),
    ])
    try chart.exchange("10 0100 ffff 0028", "11 06 0100 0100 0118")
    try chart.exchange("10 0200 ffff 0028", "01 10 0200 0a")
    try chart.exchange("10 0100 ffff 0128", "11 06 0200 0200 0a18")
    try chart.exchange("06 0100 ffff 0128 0a18", "07 0200 0200")
  }

  @Test("A type may be given in its 128-bit form")
  func fullType() throws {
    var chart = try Tester.chart()
    try chart.exchange("10 0f00 1200 fb349b5f800000800010000000280000", "11 06 0f00 1200 0f18")
    try chart.exchange("08 0f00 1200 fb349b5f800000800010000003280000", "09 07 1000 12 1100 192a")
  }

  @Test("No other type is a group", arguments: ["0328", "0228", "192a", "0000", "3a55525aa75570a41d44fa285630ddab"])
  func otherGroups(type: String) throws {
    var chart = try Tester.chart()
    try chart.exchange("10 0500 ffff" + type, "01 10 0500 10")
  }

  @Test("Primary services by UUID, short and long")
  func servicesByUUID() throws {
    var chart = try Tester.chart()
    try chart.exchange("06 0100 ffff 0028 0f18", "07 0f00 1200")
    try chart.exchange("06 1300 ffff 0028 0f18", "01 06 1300 0a")
    try chart.exchange("06 0100 ffff 0028" + long(1), "07 1300 1d00")
    try chart.exchange("06 0100 ffff 0028 9918", "01 06 0100 0a")
    try chart.exchange("06 0100 ffff 0028", "01 06 0100 0a")
  }

  @Test("As many services of one UUID as fit")
  func manyServicesByUUID() throws {
    let services = (0..<7).map { ServiceDefinition(id: "battery \($0)", uuid: .init(0x180F)) }
    var chart = try SequenceChart(application: services)
    try chart.exchange("06 0100 ffff 0028 0f18", "07 0100 0100 0200 0200 0300 0300 0400 0400 0500 0500")
    try chart.exchange("06 0600 ffff 0028 0f18", "07 0600 0600 0700 0700")
  }

  @Test("Find By Type Value compares readable values, and skips all others")
  func valuesByType() throws {
    var chart = try SequenceChart(application: [
      .init(
        id: "a", uuid: .init(0xFFF0),
        characteristics: [
          .stored(.init(0xFFF1), [.write], [7]), .stored(.init(0xFFF1), [.read], [8]),
          .stored(.init(0xFFF1), [.read], [7]), .asked(.init(0xFFF1), [.read]), .asked(.init(0xFFF1), [.read]),
        ])
    ])
    chart.application.answers[CharacteristicIndex(3)] = .value([7])
    chart.application.answers[CharacteristicIndex(4)] = .error(.unlikelyError)
    try chart.exchange("06 0100 ffff f1ff 07", "07 0700 0700 0900 0900")
    try chart.exchange("06 0100 0600 f1ff 07", "01 06 0100 0a")
  }

  /// «Characteristic» is a grouping type (Core 5.4 Vol 3 Part G 2.5.3); its end is defined in Part G 3.3.
  @Test("Find By Type Value returns the group end of a characteristic, but not of a value or an include")
  func characteristicGroups() throws {
    var chart = try Tester.chart(mtu: 40)
    try chart.exchange("06 0100 ffff 0328 10 0900 372a", "07 0800 0a00")
    try chart.exchange("06 0100 ffff 0328 08 0e00 392a", "07 0d00 0e00")
    try chart.exchange("06 0100 ffff 0328 12 1100 192a", "07 1000 1200")
    try chart.exchange("06 0100 ffff 0328 04 1c00" + long(4), "07 1b00 1d00")
    try chart.exchange("06 0100 ffff 192a 64", "07 1100 1100")
    try chart.exchange("06 0100 ffff 0228 0f00 1200 0f18", "07 1400 1400")
  }

  @Test("Included services")
  func includes() throws {
    var chart = try Tester.chart()
    try chart.exchange("08 1300 1d00 0228", "09 08 1400 0f00 1200 0f18")
    try chart.exchange("08 1500 1d00 0228", "01 08 1500 0a")
  }

  @Test("Characteristics of a service, three of seven octets at the default MTU")
  func characteristics() throws {
    var chart = try Tester.chart()
    try chart.exchange("08 0700 0e00 0328", "09 07 0800 10 0900 372a 0b00 02 0c00 382a 0d00 08 0e00 392a")
    try chart.exchange("08 0e00 0e00 0328", "01 08 0e00 0a")
  }

  @Test("Characteristics with long UUIDs, one at the default MTU")
  func longCharacteristics() throws {
    var chart = try Tester.chart()
    try chart.exchange("08 1300 1d00 0328", "09 15 1500 0a 1600" + long(2))
    try chart.exchange("08 1600 1d00 0328", "09 15 1800 30 1900" + long(3))
    try chart.exchange("08 1900 1d00 0328", "09 15 1b00 04 1c00" + long(4))
    try chart.exchange("08 1c00 1d00 0328", "01 08 1c00 0a")
    var wide = try Tester.chart(mtu: 65)
    try wide.exchange(
      "08 1300 1d00 0328",
      "09 15 1500 0a 1600" + long(2) + "1800 30 1900" + long(3) + "1b00 04 1c00" + long(4))
  }

  @Test("Declarations of a different length end the answer")
  func mixedLengths() throws {
    var chart = try Tester.chart(mtu: 100)
    try chart.exchange("08 0d00 ffff 0328", "09 07 0d00 08 0e00 392a 1000 12 1100 192a")
    try chart.exchange("08 1b00 ffff 0328", "09 15 1b00 04 1c00" + long(4))
  }

  @Test("Descriptors of a characteristic")
  func descriptors() throws {
    var chart = try Tester.chart()
    try chart.exchange("04 0a00 0a00", "05 01 0a00 0229")
    try chart.exchange("04 1700 1700", "05 01 1700 0129")
    try chart.exchange("04 1e00 ffff", "01 04 1e00 0a")
  }

  @Test("Find Information packs types of one length")
  func information() throws {
    var chart = try Tester.chart()
    try chart.exchange("04 0f00 1d00", "05 01 0f00 0028 1000 0328 1100 192a 1200 0229 1300 0028")
    try chart.exchange("04 1400 ffff", "05 01 1400 0228 1500 0328")
    try chart.exchange("04 1600 ffff", "05 02 1600" + long(2))
  }

  @Test(
    "A range from handle 0, or that ends before it begins, is an invalid handle",
    arguments: [
      ("04", ""), ("06", "0028 0f18"), ("08", "0328"), ("10", "0028"),
    ])
  func ranges(opcode: String, rest: String) throws {
    var chart = try Tester.chart()
    try chart.exchange(opcode + "0000 ffff" + rest, "01" + opcode + "0000 01")
    try chart.exchange(opcode + "0000 0000" + rest, "01" + opcode + "0000 01")
    try chart.exchange(opcode + "0500 0400" + rest, "01" + opcode + "0500 01")
    try chart.exchange(opcode + "ffff ffff" + rest, "01" + opcode + "ffff 0a")
  }
}
