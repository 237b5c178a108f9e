import BLECore
import BLEGAP
import Testing

@Suite("Advertising data")
struct AdvertisingDataTests {
  private static let wide = BluetoothUUID(high: 0xABDD_3056_28FA_441D, low: 0xA470_55A7_5A52_553A)

  static let structures: [(AdvertisingStructure, String)] = [
    (.flags([.generalDiscoverable, .bredrNotSupported]), "020106"),
    (.services([BluetoothUUID(0x180D), BluetoothUUID(0x180F)], width: .bits16, isComplete: true), "05030d180f18"),
    (.services([BluetoothUUID(0x180D)], width: .bits16, isComplete: false), "03020d18"),
    (.services([BluetoothUUID(0x180D)], width: .bits32, isComplete: true), "05050d180000"),
    (.services([BluetoothUUID(0x180D)], width: .bits32, isComplete: false), "05040d180000"),
    (.services([wide], width: .bits128, isComplete: true), "11073a55525aa75570a41d44fa285630ddab"),
    (.services([wide], width: .bits128, isComplete: false), "11063a55525aa75570a41d44fa285630ddab"),
    (.services([], width: .bits16, isComplete: true), "0103"),
    (.localName("Bélt", isComplete: true), "060942c3a96c74"), (.localName("B", isComplete: false), "020842"),
    (.transmitPower(-8), "020af8"), (.connectionIntervals(minimum: 6, maximum: 0xFFFF), "05120600ffff"),
    (.solicitation([BluetoothUUID(0x1805)], width: .bits16), "03140518"),
    (.solicitation([BluetoothUUID(0x1805)], width: .bits32), "051f05180000"),
    (.solicitation([wide], width: .bits128), "11153a55525aa75570a41d44fa285630ddab"),
    (.serviceData(BluetoothUUID(0xFEAA), width: .bits16, data: [0x20, 0]), "0516aafe2000"),
    (.serviceData(BluetoothUUID(0xFEAA), width: .bits32, data: []), "0520aafe0000"),
    (.serviceData(wide, width: .bits128, data: [1]), "12213a55525aa75570a41d44fa285630ddab01"),
    (.appearance(Appearance(rawValue: 0x0341)), "03194103"),
    (.manufacturerData(company: 0x004C, data: [2, 0x15]), "05ff4c000215"),
    (.raw(AdvertisingStructureType(rawValue: 0x24), [0x2F]), "02242f"),
  ]

  @Test(arguments: structures)
  func structuresAreEncodedAndParsed(_ structure: AdvertisingStructure, _ octets: String) throws {
    let data = AdvertisingData([structure])
    #expect(try data.encoded(limit: 31).hexadecimal == octets)
    #expect(data.octetCount == octets.utf8.count / 2 && structure.octetCount == data.octetCount)
    #expect(AdvertisingData(parsing: [UInt8](hexadecimal: octets) ?? []) == data)
  }

  @Test func allTogether() throws {
    let data = AdvertisingData(Self.structures.map(\.0))
    let octets = try data.encoded(limit: AdvertisingData.extendedLimit)
    #expect(octets.hexadecimal == Self.structures.map(\.1).joined())
    #expect(AdvertisingData(parsing: octets) == data)
  }

  @Test(arguments: [31, 32, 124, 125])
  func limits(_ length: Int) throws {
    let data = AdvertisingData([.manufacturerData(company: 0, data: Array(repeating: 0, count: length - 4))])
    #expect(try data.encoded(limit: length).count == length)
    #expect(
      throws: AdvertisingDataError.tooLong(
        octets: length, limit: length - 1, parts: [.init(type: .manufacturerData, octets: length)])
    ) {
      try data.encoded(limit: length - 1)
    }
  }

  @Test func theErrorSaysWhatEachStructureTakes() throws {
    let data = AdvertisingData([
      .flags(.generalDiscoverable), .localName(String(repeating: "x", count: 27), isComplete: true),
    ])
    let error = try #require(throws: AdvertisingDataError.self) { try data.encoded(limit: AdvertisingData.legacyLimit) }
    #expect(error.description == "the data takes 32 octets where 31 fit (Flags 3, Complete Local Name 29)")
  }

  @Test func oneStructureHolds255Octets() throws {
    let fits = AdvertisingStructure.raw(.manufacturerData, Array(repeating: 0, count: 254))
    #expect(try AdvertisingData([fits]).encoded(limit: 1650).count == 256)
    let tooLong = AdvertisingStructure.raw(.manufacturerData, Array(repeating: 0, count: 255))
    #expect(throws: AdvertisingDataError.structureTooLong(.manufacturerData, octets: 256)) {
      try AdvertisingData([tooLong]).encoded(limit: 1650)
    }
  }

  @Test func uuidsGoToListsByWidth() {
    var data = AdvertisingData()
    let middle = BluetoothUUID(high: 0x0001_FFF0_0000_1000, low: 0x8000_0080_5F9B_34FB)
    data.appendServices([Self.wide, BluetoothUUID(0x180D), middle, BluetoothUUID(0x180F)])
    #expect(
      data.structures == [
        .services([BluetoothUUID(0x180D), BluetoothUUID(0x180F)], width: .bits16, isComplete: true),
        .services([middle], width: .bits32, isComplete: true),
        .services([Self.wide], width: .bits128, isComplete: true),
      ])
    #expect(data.services.count == 4)
    #expect(AdvertisingData(parsing: (try? data.encoded(limit: 1650)) ?? []) == data)
  }

  @Test(arguments: [
    ("", 0), ("00", 0), ("020106000303", 1), ("0201", 0), ("ff", 0), ("03030d", 0), ("0201060503", 1),
  ])
  func endsEarlyOrCutOff(_ octets: String, _ count: Int) {
    #expect(AdvertisingData(parsing: [UInt8](hexadecimal: octets) ?? []).structures.count == count)
  }

  @Test(arguments: ["0101", "03010203", "04030d1800", "0209ff", "030a0102", "0219ff", "02ff00", "021600"])
  func contentThatDoesNotFitItsTypeIsRaw(_ octets: String) throws {
    let octets = [UInt8](hexadecimal: octets) ?? []
    let data = AdvertisingData(parsing: octets)
    let structure = try #require(data.structures.first)
    #expect(structure == .raw(AdvertisingStructureType(rawValue: octets[1]), Array(octets[2..<(1 + Int(octets[0]))])))
    #expect(try data.encoded(limit: 31) == Array(octets.prefix(data.octetCount)))
  }

  @Test func anyOctetsAreTakenAndGivenBack() throws {
    var state: UInt64 = 1
    func random() -> UInt8 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 56)
    }
    for _ in 0..<5000 {
      let octets = (0..<Int(random() % 64)).map { _ in random() % 8 == 0 ? random() : random() % 0x22 }
      let data = AdvertisingData(parsing: octets)
      #expect(try data.encoded(limit: 1650) == Array(octets.prefix(data.octetCount)))
    }
  }
}
