import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

/// Core 5.4 Vol 4 Part E 7.8.54, 7.8.56, Vol 6 Part B 2.3.1.6: AUX_ADV_IND of connectable advertising has no chain.
@Suite("Data of connectable extended sets")
struct ConnectableDataTests {
  private let stage = Stage()

  private func advertiser(
    _ properties: AdvertisingEventProperties, on configuration: ControllerConfiguration = .full
  ) throws -> ScriptedHost {
    let host = stage.add(configuration)
    try host.bringUp()
    try host.status(
      LESetExtendedAdvertisingParameters {
        $0.eventProperties = properties
        $0.primaryIntervalMinimum.rawValue = 0xA0
        $0.primaryIntervalMaximum.rawValue = 0xA0
        $0.peerAddress = .randomStatic(from: 9)
        $0.peerAddressType = .random
      })
    return host
  }

  private func fill(_ host: ScriptedHost, _ data: [UInt8]) throws -> ErrorCode {
    try host.status(
      LESetExtendedAdvertisingData {
        $0.operation = .complete
        $0.data = data
      })
  }

  private func enable(_ host: ScriptedHost) throws -> ErrorCode {
    try host.status(
      LESetExtendedAdvertisingEnable {
        $0.enable = true
        $0.sets = [
          AdvertisingSetActivation(advertisingHandle: 0, duration: AdvertisingDuration(rawValue: 0), maximumEvents: 0)
        ]
      })
  }

  // The payload has 255 octets: 1 of length and mode, 1 of flags, AdvA 6, ADI 2, TargetA 6, TxPower 1.
  static let capacities: [(AdvertisingEventProperties, Int)] = [
    ([.connectable], 245), ([.connectable, .includeTxPower], 244), ([.connectable, .directed], 239),
    ([.connectable, .directed, .includeTxPower], 238),
  ]

  @Test("data that fills one packet is received whole, and more is refused with 0x12", arguments: capacities)
  func capacity(_ properties: AdvertisingEventProperties, _ capacity: Int) throws {
    let host = try advertiser(properties)
    let data = (0...capacity).map { UInt8(truncatingIfNeeded: $0 * 3) }
    #expect(try fill(host, data) == .success)
    #expect(try enable(host) == .invalidHCICommandParameters)
    #expect(try fill(host, data.dropLast()) == .success)
    #expect(try enable(host) == .success)
    // While the set is enabled, data that does not fit is also refused, and changes nothing.
    #expect(try fill(host, data) == .packetTooLong)
    var packets: [AirPacket] = []
    stage.air.observer = { packets.append($0) }
    stage.run(.milliseconds(500))
    let auxiliary = packets.filter { $0.pdu.count > 2 + capacity }
    #expect(!auxiliary.isEmpty)
    for packet in auxiliary {
      #expect(packet.pdu.count == 2 + 255)
      #expect(Array(packet.pdu.suffix(capacity)) == Array(data.dropLast()))
    }
  }

  @Test("data that exceeds one report arrives in two")
  func reports() throws {
    let host = try advertiser([.connectable])
    let scanner = stage.add()
    try stage.scanExtended(scanner)
    let data = (0..<245).map { UInt8($0) }
    #expect(try fill(host, data) == .success)
    #expect(try enable(host) == .success)
    stage.run(.seconds(1))
    let reports = scanner.all(LEExtendedAdvertisingReport.self).flatMap(\.reports)
    #expect(reports.prefix(2).map(\.data.count) == [229, 16])
    #expect(reports.prefix(2).flatMap(\.data) == data)
    #expect(reports.prefix(2).map(\.reportType.dataStatus) == [.moreToCome, .complete])
  }

  @Test("data in fragments, and sets that are not connectable, may have the maximum length")
  func others() throws {
    let host = try advertiser([.connectable])
    for operation in [AdvertisingDataOperation.first, .last] {
      try host.status(
        LESetExtendedAdvertisingData {
          $0.operation = operation
          $0.data = Array(repeating: 1, count: 250)
        })
    }
    #expect(try enable(host) == .invalidHCICommandParameters)
    let broadcaster = try advertiser([])
    #expect(try fill(broadcaster, Array(repeating: 1, count: 251)) == .success)
    #expect(try enable(broadcaster) == .success)
  }

  @Test("NimBLE truncates the data")
  func cut() throws {
    let host = try advertiser([.connectable], on: .nimble)
    let scanner = stage.add()
    try stage.scanExtended(scanner)
    let data = (0..<251).map { UInt8($0) }
    #expect(try fill(host, data) == .success)
    #expect(try enable(host) == .success)
    stage.run(.milliseconds(150))
    let reports = scanner.all(LEExtendedAdvertisingReport.self).flatMap(\.reports)
    #expect(reports.prefix(2).flatMap(\.data) == Array(data.prefix(245)))
    #expect(reports.prefix(2).last?.reportType.dataStatus == .complete)
    #expect(try fill(host, data) == .success)
  }
}
