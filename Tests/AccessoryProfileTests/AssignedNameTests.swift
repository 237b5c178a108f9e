import BLECore
import Testing

@Suite("Assigned names")
struct AssignedNameTests {
  @Test(
    arguments: [
      ("heart-rate", AssignedName.Kind?.none, 0x180D, "Heart Rate"),
      ("battery", nil, 0x180F, "Battery"),
      ("heart-rate-measurement", nil, 0x2A37, "Heart Rate Measurement"),
      ("current-time", .service, 0x1805, "Current Time"),
      ("current-time", .characteristic, 0x2A2B, "Current Time"),
      ("manufacturer-name-string", nil, 0x2A29, "Manufacturer Name String"),
      ("manufacturer-name", nil, 0x2A29, "Manufacturer Name String"),
      ("user-description", .descriptor, 0x2901, "Characteristic User Description"),
      ("plx-spot-check-measurement", nil, 0x2A5E, "PLX Spot-Check Measurement"),
      ("object-transfer", nil, 0x1825, "Object Transfer"),
    ] as [(String, AssignedName.Kind?, UInt16, String)])
  func names(_ name: String, _ kind: AssignedName.Kind?, _ short: UInt16, _ display: String) {
    let uuid = AssignedName.uuid(named: name, kind: kind)
    #expect(uuid == BluetoothUUID(short))
    #expect(uuid?.assignedName?.displayName == display)
  }

  @Test(arguments: AssignedName.Kind.allCases)
  func everyNameIsUniqueInItsKindAndFindsItsUUID(_ kind: AssignedName.Kind) {
    let all = AssignedName.all(kind)
    #expect(!all.isEmpty && Set(all.map(\.name)).count == all.count && Set(all.map(\.uuid)).count == all.count)
    for entry in all {
      #expect(AssignedName.uuid(named: entry.name, kind: kind) == entry.uuid)
      #expect(entry.name.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" }, "\(entry.name)")
    }
  }

  @Test func otherUUIDsHaveNone() {
    #expect(BluetoothUUID(0xFFF0).assignedName == nil)
    #expect(AssignedName.uuid(named: "nothing") == nil)
  }

  @Test(
    arguments: [
      ("heart-rate-belt", 0x0341), ("unknown", 0), ("phone", 0x40), ("keyboard", 0x3C1), ("power-sensor", 0x484),
      ("clock", 0x100),
    ] as [(String, UInt16)])
  func appearances(_ name: String, _ value: UInt16) {
    #expect(Appearance(named: name)?.rawValue == value)
    #expect(Appearance(rawValue: value).name == name)
  }

  @Test func everyAppearanceIsFoundByItsName() {
    #expect(Set(Appearance.allNames).count == Appearance.allNames.count)
    for name in Appearance.allNames { #expect(Appearance(named: name)?.name == name) }
  }
}
