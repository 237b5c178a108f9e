import CoreBluetoothUnderstudy
import Foundation
import Testing

@Suite("Identifiers") struct UUIDTests {
  @Test(
    "A short identifier equals its long form", arguments: ["180D", "0000180D", "0000180D-0000-1000-8000-00805F9B34FB"])
  func forms(_ text: String) throws {
    let uuid = CBUUID(string: text)
    #expect(uuid == CBUUID(string: "180D") && uuid.hash == CBUUID(string: "180D").hash)
    #expect(uuid.uuidString == text)
    #expect(uuid.description == "Heart Rate")
    #expect(CBUUID(data: uuid.data) == uuid)
    #expect(uuid.data.count == text.filter { $0 != "-" }.count / 2)
  }

  @Test("A 128-bit identifier keeps its digits") func long() throws {
    let text = "A0000021-7C4D-4B0E-9E4B-1F6E2A1B9C00"
    let uuid = CBUUID(string: text)
    #expect(uuid.uuidString == text && uuid.description == text)
    #expect(CBUUID(nsuuid: try #require(UUID(uuidString: text))) == uuid)
    #expect([uuid: 1][CBUUID(string: text.lowercased())] == 1)
  }
}
