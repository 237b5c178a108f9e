import BLECore
import BLEGAP
import BLEHCI
import BLELink
import CentralHost
import PeripheralHost
import Simulation
import TestPreset
import Testing
import VirtualRadio

/// The group GAP/ADV: AD types on the air (Core 5.4 Vol 3 Part C 11, Core Specification Supplement Part A 1), in legacy and in
/// extended advertising.
@Suite("GAP/ADV")
struct AdvertisingTypeTests {
  typealias Kind = AdvertisingSetDefinition.Kind

  /// The kinds that the controller under test supports.
  static let kinds = ControllerConfiguration.underTest.hasAdvertisingSets ? Kind.allCases : [.legacy]

  /// Returns what a scanner receives of a set with flags and that structure.
  private func octets(
    _ structure: AdvertisingStructure, _ kind: Kind, on controller: ControllerConfiguration = .underTest
  ) throws -> [UInt8] {
    let scene = try GAPScene(
      kind: kind, [.flags([.generalDiscoverable, .bredrNotSupported]), structure], on: controller)
    let heard = try scene.heard()
    let data = Set(heard.advertising.map(\.octets))
    try #require(data.count == 1)
    return data.first.map { Array($0.dropFirst(3)) } ?? []
  }

  static let services: [(AdvertisingStructure, String)] = [
    (.services([BluetoothUUID(0x180D), BluetoothUUID(0x180F)], width: .bits16, isComplete: true), "05 03 0d18 0f18"),
    (.services([BluetoothUUID(0x180D)], width: .bits16, isComplete: false), "03 02 0d18"),
    (.services([BluetoothUUID(0x180D)], width: .bits32, isComplete: true), "05 05 0d180000"),
    (
      .services([BluetoothUUID(0x180D)], width: .bits128, isComplete: true),
      "11 07 fb349b5f80000080001000000d180000"
    ),
  ]

  @Test("GAP/ADV/BV-01-C: service UUIDs of every width", arguments: services, kinds)
  func serviceUUIDs(_ expectation: (structure: AdvertisingStructure, octets: String), _ kind: Kind) throws {
    #expect(try octets(expectation.structure, kind) == [UInt8](hexadecimal: expectation.octets))
  }

  @Test(
    "GAP/ADV/BV-02-C: the local name is the device name, or its beginning",
    arguments: [("Specimen", true), ("Spec", false)], kinds)
  func localName(_ name: (text: String, isComplete: Bool), _ kind: Kind) throws {
    let scene = try GAPScene(kind: kind, [.localName(name.text, isComplete: name.isComplete)])
    let heard = try scene.heard()
    let type: AdvertisingStructureType = name.isComplete ? .completeLocalName : .shortenedLocalName
    #expect(try heard.structures(type) == [.localName(name.text, isComplete: name.isComplete)])
    let link = try scene.phone.connect(to: Specimen.address)
    let device = try scene.phone.read(3, on: link)
    #expect(name.isComplete ? device == Array(name.text.utf8) : device.starts(with: name.text.utf8))
  }

  @Test("GAP/ADV/BV-03-C: the flags, once, and only in the advertising data", arguments: kinds)
  func flags(_ kind: Kind) throws {
    let scene = try GAPScene(
      kind: kind, [.flags([.generalDiscoverable, .bredrNotSupported])],
      scanResponse: kind == .legacy ? [.appearance(Appearance(rawValue: Specimen.appearance))] : [])
    let heard = try scene.heard()
    #expect(heard.responses.isEmpty == (kind == .extended))
    #expect(try heard.flags() == [.generalDiscoverable, .bredrNotSupported])
    #expect(heard.advertising.allSatisfy { $0.octets == [2, 1, 6] })
  }

  @Test("GAP/ADV/BV-04-C: manufacturer data, with the company first", arguments: kinds)
  func manufacturerData(_ kind: Kind) throws {
    #expect(
      try octets(.manufacturerData(company: 0x0059, data: [1, 2, 3]), kind) == [6, 0xFF, 0x59, 0x00, 1, 2, 3])
  }

  @Test("GAP/ADV/BV-05-C: the transmit power that the controller reports", arguments: kinds)
  func transmitPower(_ kind: Kind) throws {
    let octets = try octets(.transmitPower(-128), kind)
    #expect(octets.count == 3 && octets.starts(with: [2, 0x0A]))
    let power = try #require(octets.last)
    #expect(power != 0x80 && (-127...20).contains(Int8(bitPattern: power)))
  }

  @Test("A controller that reports 127 has not stated its power", arguments: kinds)
  func unknownPower(_ kind: Kind) throws {
    #expect(try octets(.transmitPower(-128), kind, on: .zephyrExtended) == [2, 0x0A, 0])
  }

  @Test("GAP/ADV/BV-11-C: the appearance, the same as in the database", arguments: kinds)
  func appearance(_ kind: Kind) throws {
    let scene = try GAPScene(kind: kind, [.appearance(Appearance(rawValue: Specimen.appearance))])
    let heard = try scene.heard()
    #expect(heard.advertising.allSatisfy { $0.octets == [3, 0x19, 0x41, 0x03] } && !heard.advertising.isEmpty)
    #expect(heard.responses.allSatisfy { $0.octets.isEmpty })
    let link = try scene.phone.connect(to: Specimen.address)
    #expect(try scene.phone.read(5, on: link) == [0x41, 0x03])
  }
}
