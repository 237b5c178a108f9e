// This file tests that it needs no import of Foundation.
import CoreBluetoothUnderstudy
import Testing

@Suite("The import") struct ImportTests {
  @Test("The import of Core Bluetooth also imports Foundation and Dispatch") func foundation() {
    let data: Data = CBUUID(string: "180D").data
    #expect(data == Data([0x18, 0x0D]))
    #expect(CBUUID(nsuuid: UUID()).data.count == 16)
    #expect(CBCentralManager(delegate: nil, queue: DispatchQueue(label: "app")).state == .unsupported)
  }
}
