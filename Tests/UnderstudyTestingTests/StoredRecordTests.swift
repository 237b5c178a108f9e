import Testing
import UnderstudyTesting

@Suite("Stored records")
struct StoredRecordTests {
  @Test("The accessory indicates every record before its control point answers")
  func allRecords() throws {
    let air = TestAir(seed: 1)
    let oximeter = try air.accessory("pulse-oximeter")
    let phone = try air.central("phone")
    try phone.connect(to: oximeter)
    try phone.subscribeToIndications(of: "control-point")
    // Records are stored as time passes; no client requests them yet.
    air.advance(by: .seconds(199))
    try phone.subscribeToIndications(of: "spot-check")
    try phone.write(octets: [0x04, 0x01], to: "control-point")
    let count = try phone.expect(.value(of: "control-point"))
    let octets = try #require(count.octets)
    try #require(octets.count == 4 && octets[0] == 0x05)
    let stored = Int(octets[2]) | Int(octets[3]) << 8
    #expect(stored > 2)
    let known = phone.events.count
    try phone.write(octets: [0x01, 0x01], to: "control-point")
    try phone.expect(.value(of: "control-point") { $0.octets == [0x06, 0x00, 0x01, 0x01] })
    let records = phone.events[known...].filter {
      $0.name == "remote-indication" && $0["characteristic"] == "spot-check"
    }
    #expect(records.count == stored)
  }
}
