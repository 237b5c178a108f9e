import BLEATT
import BLECore
import BLEGATT
import Testing

/// Every refusal by the access policy and for a bad handle, by procedure.
@Suite("Refusals")
struct RefusalChartTests {
  /// Value handles: 3 not permitted, 5 with authorization, 7 authenticated, 9 encrypted, 11 encrypted with a key of 16 octets,
  /// 13 open.
  private static let requirements: [AccessRequirement?] = [
    nil, .init(needsAuthorization: true), .init(protection: .authenticated), .init(protection: .encrypted),
    .init(protection: .encrypted, minimumKeySize: 16), .open,
  ]

  private func chart(_ security: LinkSecurity) throws -> SequenceChart {
    let characteristics = Self.requirements.enumerated().map { offset, requirement in
      CharacteristicDefinition.stored(
        BluetoothUUID(0xFFF1 + UInt16(offset)), [.read, .write], [1],
        permissions: .init(read: requirement, write: requirement))
    }
    var chart = try SequenceChart(application: [
      .init(id: "a", uuid: .init(0xFFF0), characteristics: characteristics)
    ])
    chart.session.security = security
    return chart
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var identifier: String
    var handle: UInt8
    var error: UInt8
    var security = LinkSecurity.open
    var testDescription: String { identifier }
  }

  private static func cases(notPermitted: UInt8) -> [Case] {
    let bonded = LinkSecurity(protection: .none, isBonded: true)
    let weak = LinkSecurity(protection: .encrypted, keySize: 15)
    return [
      Case(identifier: "not permitted", handle: 3, error: notPermitted),
      Case(
        identifier: "not permitted, however secure", handle: 3, error: notPermitted,
        security: .init(protection: .secureConnections, keySize: 16)),
      Case(identifier: "invalid handle", handle: 0, error: 0x01),
      Case(identifier: "invalid handle behind the last", handle: 14, error: 0x01),
      Case(identifier: "insufficient authorization", handle: 5, error: 0x08),
      Case(identifier: "insufficient authentication", handle: 7, error: 0x05),
      Case(identifier: "authentication on an encrypted link", handle: 7, error: 0x05, security: weak),
      Case(identifier: "encryption without a shared key", handle: 9, error: 0x05),
      Case(
        identifier: "insufficient encryption with a shared key", handle: 9, error: 0x0F, security: bonded),
      Case(
        identifier: "insufficient encryption, whatever the key must be", handle: 7, error: 0x0F,
        security: bonded),
      Case(identifier: "key too short", handle: 11, error: 0x0C, security: weak),
    ]
  }

  @Test("Read", arguments: cases(notPermitted: 0x02))
  func read(refusal: Case) throws {
    var chart = try chart(refusal.security)
    let handle = [refusal.handle, 0].hexadecimal
    try chart.exchange("0a" + handle, "01 0a" + handle + [refusal.error].hexadecimal)
  }

  @Test(
    "Read Blob", arguments: cases(notPermitted: 0x02))
  func readBlob(refusal: Case) throws {
    var chart = try chart(refusal.security)
    let handle = [refusal.handle, 0].hexadecimal
    try chart.exchange("0c" + handle + "0000", "01 0c" + handle + [refusal.error].hexadecimal)
    // The permission is checked before the offset.
    try chart.exchange("0c" + handle + "ff00", "01 0c" + handle + [refusal.error].hexadecimal)
  }

  @Test(
    "Read Multiple, whichever handle it is",
    arguments: cases(notPermitted: 0x02))
  func readMultiple(refusal: Case) throws {
    var chart = try chart(refusal.security)
    let handle = [refusal.handle, 0].hexadecimal
    for opcode in ["0e", "20"] {
      let response = "01" + opcode + handle + [refusal.error].hexadecimal
      try chart.exchange(opcode + handle + "0d00", response)
      try chart.exchange(opcode + "0d00" + handle, response)
      try chart.exchange(opcode + "0d00 0d00" + handle, response)
    }
  }

  @Test(
    "Read By Type",
    arguments: cases(notPermitted: 0x02))
  func readByType(refusal: Case) throws {
    var chart = try chart(refusal.security)
    let handle = [refusal.handle, 0].hexadecimal
    guard refusal.error != 0x01 else { return try chart.exchange("08 0000 ffff f1ff", "01 08 0000 01") }
    let type = [0xF1 + (refusal.handle - 3) / 2, 0xFF].hexadecimal
    try chart.exchange("08 0100 ffff" + type, "01 08" + handle + [refusal.error].hexadecimal)
  }

  @Test("Read By Type of a UUID that no attribute has")
  func readByUnknownType() throws {
    var chart = try chart(.open)
    try chart.exchange("08 0100 ffff 9999", "01 08 0100 0a")
  }

  @Test("Write", arguments: cases(notPermitted: 0x03))
  func write(refusal: Case) throws {
    var chart = try chart(refusal.security)
    let before = chart.server.database.attributes.map(\.value)
    let handle = [refusal.handle, 0].hexadecimal
    try chart.exchange("12" + handle + "09", "01 12" + handle + [refusal.error].hexadecimal)
    #expect(chart.server.database.attributes.map(\.value) == before)
    #expect(chart.application.writes.isEmpty)
  }

  /// Core 5.4 Vol 3 Part F 3.4.5.3: no Error Response to a command, whatever the reason.
  @Test(
    "Write Command",
    arguments: cases(notPermitted: 0x03))
  func writeCommand(refusal: Case) throws {
    var chart = try chart(refusal.security)
    let before = chart.server.database.attributes.map(\.value)
    try chart.exchange("52" + [refusal.handle, 0].hexadecimal + "09", nil)
    #expect(chart.server.database.attributes.map(\.value) == before)
    #expect(
      chart.effects.events
        == [.refused(.writeCommand, handle: UInt16(refusal.handle), ATTErrorCode(rawValue: refusal.error))])
    try chart.exchange("d2" + [refusal.handle, 0].hexadecimal + "09" + String(repeating: "00", count: 12), nil)
    #expect(chart.server.database.attributes.map(\.value) == before)
  }

  @Test(
    "Prepare Write",
    arguments: cases(notPermitted: 0x03))
  func prepareWrite(refusal: Case) throws {
    var chart = try chart(refusal.security)
    let handle = [refusal.handle, 0].hexadecimal
    try chart.exchange("16" + handle + "0000 09", "01 16" + handle + [refusal.error].hexadecimal)
    #expect(chart.session.preparedWrites.parts.isEmpty)
  }

  @Test("An access that is refused on one link is allowed on a more secure one")
  func allowed() throws {
    var chart = try chart(.init(protection: .authenticated, keySize: 16))
    for handle in [7, 9, 11, 13] as [UInt8] {
      try chart.exchange([0x0A, handle, 0].hexadecimal, "0b 01")
      try chart.exchange([0x12, handle, 0, 9].hexadecimal, "13")
      try chart.exchange([0x0A, handle, 0].hexadecimal, "0b 09")
    }
  }
}
