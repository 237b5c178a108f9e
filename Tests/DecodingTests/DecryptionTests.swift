import BLECore
import Capture
import Testing

@testable import Decoding

/// The sample data of Core 5.4 Vol 6 Part C 1.
@Suite("Decryption of packets from the air")
struct DecryptionTests {
  private static let key: [UInt8] = octets("4C68384139F574D836BCF34E9DFB01BF")
  private static let access: UInt32 = 0x5065_4A27

  private static func octets(_ hex: String) -> [UInt8] {
    let digits = Array(hex.filter { $0 != " " })
    return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
  }

  private static func packet(_ hex: String, _ kind: CapturedAirPacket.Kind?) -> CaptureRecord {
    CaptureRecord(.air(AirReception(accessAddress: access, kind: kind)), octets: octets(hex))
  }

  /// Returns LL_ENC_REQ to the last data of both sides, with the receiver's knowledge of their directions.
  private static func conversation(knowingWays: Bool) -> [CaptureRecord] {
    let (central, peripheral): (CapturedAirPacket.Kind?, CapturedAirPacket.Kind?) =
      knowingWays ? (.toPeripheral, .toCentral) : (nil, nil)
    return [
      packet("03 17 03 90 78 56 34 12 EF CD AB 74 24 13 02 F1 E0 DF CE BD AC 24 AB DC BA", central),
      packet("0B 0D 04 79 68 57 46 35 24 13 02 BE BA AF DE", peripheral), packet("07 01 05", peripheral),
      packet("0F 05 9F CD A7 F4 48", central), packet("07 05 A3 4C 13 A4 15", peripheral),
      packet(
        "0E 1F 7A 70 D6 64 15 22 6D F2 6B 17 83 9A 06 04 05 59 6B D6 56 4F 79 6B 5B 9C E6 FF 32 F7 5A 6D 33", central),
      packet(
        "06 1F F3 88 81 E7 BD 94 C9 C3 69 B9 A6 68 46 DD 47 86 AA 8C 39 CE 54 0D 0D AE 3A DC DF 89 B9 60 88", peripheral
      ),
    ]
  }

  private static let plain = [
    "0f0106", "070106", "0e1b1700636465666768696a6b6c6d6e6f707131323334353637383930",
    "061b170037363534333231304142434445464748494a4b4c4d4e4f5051",
  ]

  private static func decrypted(_ records: [CaptureRecord], keys: [[UInt8]]) -> ([CaptureRecord], LinkDecryptor) {
    var decryptor = LinkDecryptor(keys: keys)
    let records = records.map { record in
      var record = record
      decryptor.decrypt(&record)
      return record
    }
    return (records, decryptor)
  }

  @Test(
    "the sample data, with any known directions, the key in either order", arguments: [true, false], [true, false])
  func sample(knowsWays: Bool, isReversed: Bool) {
    let key = isReversed ? Self.key.reversed() : Self.key
    let (records, decryptor) = Self.decrypted(
      Self.conversation(knowingWays: knowsWays), keys: [[UInt8](repeating: 7, count: 16), key])
    #expect(records[3...].map { $0.octets.hexadecimal } == Self.plain)
    #expect(decryptor.decrypted == 4 && decryptor.failed == 0)
    let kinds = records[3...].map { record -> CapturedAirPacket.Kind? in
      if case .air(let reception) = record.content { reception.isDecrypted ? reception.kind : nil } else { nil }
    }
    #expect(kinds == [.toPeripheral, .toCentral, .toPeripheral, .toCentral])
    var decoder = PacketDecoder()
    let summaries = records.map { decoder.receive($0) }
    #expect(summaries.map(\.layer).suffix(4) == [.linkControl, .linkControl, .l2cap, .l2cap])
  }

  @Test("packets that are missing, repeated or damaged do not stop it")
  func gaps() {
    var records = Self.conversation(knowingWays: true)
    records.insert(records[5], at: 6)
    records.remove(at: 3)
    records[3].octets[3] ^= 1
    let (result, decryptor) = Self.decrypted(records, keys: [Self.key])
    #expect(decryptor.decrypted == 3 && decryptor.failed == 1)
    #expect(result[4].octets == result[5].octets)
  }

  @Test("without the right key, or without the exchange, everything is unchanged")
  func wrongKey() {
    let records = Self.conversation(knowingWays: true)
    #expect(Self.decrypted(records, keys: [[UInt8](repeating: 1, count: 16), [1, 2, 3]]).0 == records)
    #expect(Self.decrypted(Array(records[2...]), keys: [Self.key]).0 == Array(records[2...]))
  }

  @Test("any octets are accepted")
  func anything() {
    var state: UInt64 = 7
    func draw() -> UInt8 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 40)
    }
    var decryptor = LinkDecryptor(keys: [Self.key])
    for round in 0..<2000 {
      var record = Self.packet("", nil)
      record.octets = (0..<Int(draw() % 40)).map { _ in draw() }
      if record.octets.count >= 3 {
        record.octets[1] = UInt8(record.octets.count - 2)
        if round % 3 == 0 { (record.octets[0], record.octets[2]) = (3, 3 + UInt8(round % 2)) }
      }
      decryptor.decrypt(&record)
    }
  }
}
