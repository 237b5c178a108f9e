import AccessoryProfile
import BLECore
import BLEHCI
import Capture
import CentralHost
import Decoding
import Simulation
import Testing
import UnderstudyTesting
import VirtualRadio

@testable import Learning

/// Extended advertising, as a sniffer receives it.
@Suite("Extended advertising in a sniffer's capture")
struct SniffedAdvertisingTests {
  /// Manufacturer Specific Data of 202 octets each, in hexadecimal.
  private static func structures(_ count: Int) -> String {
    String(repeating: "C9FFFFFF" + String(repeating: "5A", count: 198), count: count)
  }

  private static let profile = """
    understudy: 1
    name: Beacon
    identity: { address: "C0:11:22:33:44:55" }
    advertising:
      - { id: plain, kind: legacy, data: { name: complete }, scan-response: { appearance: true } }
      - { id: app, kind: extended, data: { flags: [general], name: complete, tx-power: true }, secondary-phy: 2M }
      - { id: long, kind: extended, connectable: false, data: { raw: hex:\(structures(5)) }, secondary-phy: coded }
      - { id: asked, kind: extended, connectable: false, scannable: true, scan-response: { raw: hex:\(structures(2)) }, secondary-phy: 1M }
    services: [ { include: battery } ]
    """

  /// Lets a central's host and a sniffer listen to the same air for three seconds.
  private static func receive(
    kinds: Bool, _ change: (inout CaptureRecord, Int) -> Void = { _, _ in }
  ) throws -> (host: ObservedDevice, sniffed: DeviceObserver) {
    let air = try LearningAir(try Profile.load(text: profile))
    var records: [CaptureRecord] = []
    air.air.radio.air.observer = { packet in
      guard packet.direction == .advertising else { return }
      var reception = AirReception(accessAddress: packet.accessAddress)
      reception.rfChannel = packet.rfChannel
      reception.phy = PHY(packet.phy).rawValue
      if kinds {
        switch packet.auxiliary {
        case .advertisement, .exchange: reception.kind = .auxiliaryAdvertising
        case .chain: reception.kind = .auxiliaryChain
        case .scanResponse: reception.kind = .auxiliaryScanResponse
        case nil: break
        }
      }
      records.append(CaptureRecord(.air(reception), nanoseconds: packet.start.nanoseconds, octets: packet.pdu))
    }
    _ = try air.central.scan(for: .seconds(3), ScanRequest(isActive: true, phys: [.le1M, .leCoded]))
    var observer = DeviceObserver()
    for (number, record) in records.enumerated() {
      var record = record
      change(&record, number)
      observer.take(record)
    }
    return (try #require(air.tape.observer.found.first), observer)
  }

  /// Some sniffers name the kind of each packet; others, such as the nRF Sniffer, do not.
  @Test(arguments: [true, false]) func aSnifferShowsWhatACentralsControllerReports(_ kinds: Bool) throws {
    let (host, sniffed) = try Self.receive(kinds: kinds)
    let device = try #require(sniffed.found.first { $0.address == host.address })
    #expect(device.addressType == .random && host.sets.count == 4)
    for set in host.sets {
      let seen = try #require(device.sets.first { $0.key == set.key })
      #expect(seen.data == set.data)
      #expect(seen.responses == set.responses)
      #expect(seen.secondaryPHY == set.secondaryPHY)
      #expect(seen.txPower == set.txPower)
      #expect(seen.kind.contains(.connectable) == set.kind.contains(.connectable))
      #expect(seen.kind.contains(.scannable) == set.kind.contains(.scannable))
    }
    #expect(device.sets.count == host.sets.count)
    #expect(device.sets.contains { $0.data.contains { $0.count > 900 } && $0.secondaryPHY == .leCoded })
    #expect(device.sets.contains { $0.responses.contains { $0.count > 400 } })
  }

  /// Truncated PDUs do no harm, and yield no data that was not sent.
  @Test func truncatedPDUsYieldNoWrongData() throws {
    for length in 0..<24 {
      let (host, cut) = try Self.receive(kinds: false) { record, _ in
        record.octets = Array(record.octets.prefix(length))
      }
      for set in cut.devices.values.flatMap(\.sets) {
        for octets in set.data { #expect(octets.isEmpty || host.sets.contains { $0.data.contains(octets) }) }
      }
    }
  }

  @Test(arguments: 1...20) func wrongOctetsDoNoHarm(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let (_, observer) = try Self.receive(kinds: false) { record, _ in
      for place in record.octets.indices where random.next() % 30 == 0 {
        record.octets[place] = UInt8(truncatingIfNeeded: random.next())
      }
    }
    for device in observer.found { _ = try? device.learnProfile() }
  }

  /// The header fields have the order of Core 5.4 Vol 6 Part B 2.3.4.
  @Test(arguments: 0...127) func headersInEveryCombination(_ flags: Int) throws {
    let fields: [[UInt8]] = [
      [1, 2, 3, 4, 5, 6], [7, 7, 7, 7, 7, 7], [8], [0x23, 0x51], [0xA0, 0xA1, 0xA2], [UInt8](repeating: 9, count: 18),
      [0xF6],
    ]
    let body = fields.indices.filter { flags >> $0 & 1 != 0 }.flatMap { fields[$0] }
    let payload = [0x40 | UInt8(1 + body.count), UInt8(flags)] + body + [0xDA, 0x7A]
    let pdu = [0x07, UInt8(payload.count)] + payload
    let decoded = ExtendedAdvertisingHeader(pdu.span)
    let header = try #require(decoded)
    #expect(header.isConnectable && !header.isScannable)
    #expect(header.address == (flags & 0x01 != 0 ? 0x0605_0403_0201 : nil))
    #expect(header.isDirected == (flags & 0x02 != 0))
    #expect(header.setID == (flags & 0x08 != 0 ? 5 : nil))
    #expect(header.hasPointer == (flags & 0x10 != 0))
    #expect(header.power == (flags & 0x40 != 0 ? -10 : nil))
    #expect(Array(pdu[header.data]) == [0xDA, 0x7A])
    // A header shorter than its fields is malformed.
    let short: [UInt8] = [0x07, 2, 0x41, UInt8(flags)]
    let malformed = ExtendedAdvertisingHeader(short.span)
    if !body.isEmpty { #expect(malformed == nil) }
  }
}
