import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import CentralHost
import PeripheralHost
import Simulation
import Testing

/// Refusals for clients without a bond (Core 5.4 Vol 3 Part C 10.3, 10.4): the part of the groups GAP/SEC that needs no pairing.
/// pairing.
@Suite("Clients without a bond")
struct RefusalWithoutBondTests {
  @Test(
    "Every access to a value for authenticated links is refused with Insufficient Authentication",
    arguments: [
      ("0a 1d00", "0a"), ("0c 1d00 0000", "0c"), ("12 1d00 01", "12"), ("16 1d00 0000 01", "16"),
      ("0e 1200 1d00", "0e"), ("20 1200 1d00", "20"), ("08 1d00 1d00 f5ff", "08"),
    ])
  func insufficientAuthentication(_ request: String, _ opcode: String) throws {
    let scene = try RawScene()
    try scene.central.exchange(request, "01 \(opcode) 1d00 05")
    // A refused client may try again, and a refused pairing changes nothing.
    try scene.central.exchange("01 03 00 05 10 07 07", "05 05", on: .securityManager)
    try scene.central.exchange(request, "01 \(opcode) 1d00 05")
    #expect(scene.value(Specimen.authenticated) == [7])
  }

  @Test("A signed write of a client without a signing key changes nothing, and has no response")
  func signedWrite() throws {
    let scene = try RawScene()
    for handle in ["1200", "1d00"] {
      try scene.central.exchange("d2 \(handle) 4142 01000000 1122334455667788", nil)
    }
    #expect(scene.central.frames.isEmpty && scene.central.ends == [])
    try scene.central.exchange("0a 1200", "0b 74657874")
    #expect(scene.value(Specimen.authenticated) == [7])
  }

  @Test("A central that requests encryption without a bond learns that there is no key")
  func noKey() throws {
    let host = try RawHost()
    host.connect(0x40)
    let sent = host.give(LELongTermKeyRequest { $0.connectionHandle.rawValue = 0x40 })
    let refusal = LELongTermKeyRequestNegativeReply { $0.connectionHandle.rawValue = 0x40 }
    #expect(sent.map { [$0.type.rawValue] + $0.octets } == [refusal.h4])
  }
}
