import BLECore
import Testing

/// Core 5.4 Vol 3 Part B 2.5.1.
@Suite("UUIDs")
struct BluetoothUUIDTests {
  private let heartRate = BluetoothUUID(0x180D)
  private let full = BluetoothUUID(high: 0xABDD_3056_28FA_441D, low: 0xA470_55A7_5A52_553A)

  @Test(
    "A short UUID is based on the Bluetooth Base UUID",
    arguments: [
      "180D", "180d", "0x180D", "0X180d", "0000180D", "0x0000180D", "0000180D-0000-1000-8000-00805F9B34FB",
      "0000180d-0000-1000-8000-00805f9b34fb",
    ])
  func shortText(text: String) {
    #expect(BluetoothUUID(text) == heartRate)
  }

  @Test(
    "A full UUID is read in either case",
    arguments: [
      "ABDD3056-28FA-441D-A470-55A75A52553A", "abdd3056-28fa-441d-a470-55a75a52553a",
    ])
  func fullText(text: String) {
    #expect(BluetoothUUID(text) == full)
  }

  @Test("Substrings are also parsed")
  func substring() {
    #expect(BluetoothUUID("uuid 180D".dropFirst(5)) == heartRate)
  }

  @Test(
    "Any other text is refused",
    arguments: [
      "", "0x", "18", "180", "180DD", "180G", "+180", "-000", "+0000180", "0x+180", "180D ", " 80D",
      "ABDD3056-28FA-441D-A470-55A75A52553", "ABDD305628FA441DA47055A75A52553A", "ABDD3056-28FA-441D-A47055A7-5A52553A",
      "ABDD3056_28FA_441D_A470_55A75A52553A", "ABDD3056-28FA-441D-A470-55A75A52553G",
      "180D    -    -    -    -            ", "ABDD3056-28FA-441D-A470-55A75A5255  ",
      "::::::::-::::-::::-::::-::::::::180D", "ABDD3056-28FA-441D-A470-55A75A52553A0",
    ])
  func refuses(text: String) {
    #expect(BluetoothUUID(text) == nil)
  }

  @Test("The text is the short form if there is one")
  func describes() {
    #expect(heartRate.description == "180D")
    #expect(BluetoothUUID(0x0001).description == "0001")
    #expect(full.description == "ABDD3056-28FA-441D-A470-55A75A52553A")
    #expect(BluetoothUUID("12345678")?.description == "12345678-0000-1000-8000-00805F9B34FB")
  }

  @Test("Octets are least significant first")
  func octets() {
    #expect(heartRate.littleEndianOctets == [0x0D, 0x18])
    #expect(heartRate.octetCount == 2)
    #expect(full.littleEndianOctets.hexadecimal == "3a55525aa75570a41d44fa285630ddab")
    #expect(full.octetCount == 16)
    #expect(heartRate.fullLittleEndianOctets.hexadecimal == "fb349b5f80000080001000000d180000")
  }

  @Test("Octets of all three widths can give the same UUID")
  func widths() {
    #expect(BluetoothUUID(littleEndianOctets: [0x0D, 0x18]) == heartRate)
    #expect(BluetoothUUID(littleEndianOctets: [0x0D, 0x18, 0, 0]) == heartRate)
    #expect(BluetoothUUID(littleEndianOctets: heartRate.fullLittleEndianOctets) == heartRate)
    #expect(BluetoothUUID(littleEndianOctets: full.littleEndianOctets) == full)
  }

  @Test("Any other number of octets is refused", arguments: Array(0...20).filter { ![2, 4, 16].contains($0) })
  func refusesOctets(count: Int) {
    #expect(BluetoothUUID(littleEndianOctets: Array(repeating: 1, count: count)) == nil)
  }

  @Test("Only a UUID that differs from the base in 16 bits has a short form")
  func short() {
    #expect(heartRate.short == 0x180D)
    #expect(BluetoothUUID(0).short == 0)
    #expect(BluetoothUUID(0xFFFF).short == 0xFFFF)
    #expect(full.short == nil)
    #expect(BluetoothUUID("00010000")?.short == nil)
    #expect(BluetoothUUID("00010000")?.octetCount == 16)
    #expect(BluetoothUUID("0000180D-0000-1000-8000-00805F9B34FC")?.short == nil)
    #expect(BluetoothUUID("0000180D-0001-1000-8000-00805F9B34FB")?.short == nil)
  }

  @Test("Text and octets round trip", arguments: 0..<50 as Range<UInt64>)
  func roundTrip(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    for uuid in [
      BluetoothUUID(high: random.next(), low: random.next()), BluetoothUUID(UInt16(truncatingIfNeeded: random.next())),
    ] {
      #expect(BluetoothUUID(uuid.description) == uuid)
      #expect(BluetoothUUID(littleEndianOctets: uuid.littleEndianOctets) == uuid)
      #expect(BluetoothUUID(littleEndianOctets: uuid.fullLittleEndianOctets) == uuid)
    }
  }
}
