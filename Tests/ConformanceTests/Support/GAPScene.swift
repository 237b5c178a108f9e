import BLECore
import BLEGAP
import BLEHCI
import BLEL2CAP
import BLELink
import CentralHost
import PeripheralHost
import Simulation
import TestPreset
import Testing
import VirtualRadio

/// The accessory and a central on one air, both ready.
struct GAPScene {
  let simulation = RadioSimulation()
  let accessory: SpecimenAccessory
  let phone: ScriptedCentral

  init(
    _ configuration: HostConfiguration = Specimen.configuration(), phone: CentralConfiguration? = nil,
    on controller: ControllerConfiguration = .underTest, phoneOn: ControllerConfiguration = .full
  ) throws {
    accessory = try simulation.addSpecimen(configuration, on: controller)
    self.phone = try simulation.addCentral(phone, on: phoneOn)
    try self.phone.start()
  }

  /// Creates an accessory with that advertising.
  init(
    kind: AdvertisingSetDefinition.Kind = .legacy, isConnectable: Bool = true, isScannable: Bool? = nil,
    _ data: [AdvertisingStructure], scanResponse: [AdvertisingStructure] = [], for duration: Duration? = nil,
    on controller: ControllerConfiguration = .underTest
  ) throws {
    try self.init(
      Specimen.configuration(
        advertising: AdvertisingSetDefinition(
          id: "main", kind: kind, isConnectable: isConnectable, isScannable: isScannable,
          data: try AdvertisingData(data).encoded(limit: 31),
          scanResponse: try AdvertisingData(scanResponse).encoded(limit: 31),
          schedule: [AdvertisingPhase(interval: .milliseconds(100), duration: duration)], secondaryPHY: .le1M)),
      on: controller)
  }

  /// Returns what is heard of the accessory within a while; fails if nothing is.
  func heard(isActive: Bool = true, for duration: Duration = .seconds(2)) throws -> Heard {
    let request = ScanRequest(isActive: isActive, filter: ScanFilter(address: Specimen.address))
    let all = try phone.scan(for: duration, request)
    return Heard(advertising: all.filter { !$0.isScanResponse }, responses: all.filter(\.isScanResponse))
  }

  /// Returns whether a connection can be made, which then stays.
  func connects() -> Bool {
    phone.limit = .seconds(3)
    return (try? phone.connect(to: Specimen.address)) != nil
  }

  /// Advertisements and scan responses.
  struct Heard {
    var advertising: [Advertisement]
    var responses: [Advertisement]

    /// Returns the AD structures of that type in the advertising data, which must be the same in each advertisement.
    func structures(_ type: AdvertisingStructureType) throws -> [AdvertisingStructure] {
      let lists = Set(advertising.map { $0.data.structures.filter { $0.type == type } })
      try #require(lists.count == 1)
      return lists.first ?? []
    }

    /// Returns the flags, which must be in each advertisement once and in no scan response; nil if there are none.
    func flags() throws -> AdvertisingFlags? {
      let structures = try structures(.flags)
      #expect(structures.count <= 1)
      #expect(!responses.contains { $0.data.structures.contains { $0.type == .flags } })
      guard case .flags(let flags)? = structures.first else { return nil }
      return flags
    }

    /// Returns whether something was heard, and all of it was of that kind, from the accessory's static address.
    func isAll(_ kind: ExtendedReportType) -> Bool {
      !advertising.isEmpty
        && advertising.allSatisfy {
          $0.kind == kind && $0.address == Specimen.address && $0.addressType == .random
        }
    }
  }
}

extension ExtendedReportType {
  /// ADV_IND.
  static let legacyConnectable: ExtendedReportType = [.legacy, .connectable, .scannable]
  /// ADV_SCAN_IND.
  static let legacyScannable: ExtendedReportType = [.legacy, .scannable]
}
