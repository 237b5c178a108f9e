import BLECore
import BLELink
import BLESMP
import PeripheralHost
import Simulation
import Testing

/// Data signing with a bonded client (Core 5.4 Vol 3 Part C 10.4, Part F 3.4.5.4, Part H 2.4.5).
@Suite("Signed writes")
struct SignedWriteTests {
  @Test("GAP/SEC/CSIGN/BV-02-C, GATT/SR/GAW/BV-02-C: a write with a valid signature is executed")
  func right() throws {
    let scene = try SignedScene()
    try scene.write([7], counter: 0)
    try scene.expect("07")
    // Skipped counters cannot be used any more.
    try scene.write([8], counter: 5)
    try scene.expect("08")
    #expect(scene.accessory.stack.bonds.first?.bond.peerSigning?.counter == 6)
  }

  @Test("GAP/SEC/CSIGN/BI-01-C, GATT/SR/GAW/BI-01-C: a write with an invalid signature is ignored")
  func wrong() throws {
    let scene = try SignedScene()
    for octet in [0, 4, 11] { try scene.write([7], counter: 0) { $0[octet] ^= 1 } }
    try scene.expect("01")
    #expect(scene.refusals.count == 3 && scene.central.ends == [])
    #expect(scene.accessory.stack.bonds.first?.bond.peerSigning?.counter == 0)
    try scene.write([7], counter: 0)
    try scene.expect("07")
  }

  @Test("GAP/SEC/CSIGN/BI-02-C: a write with a used counter is ignored")
  func replayed() throws {
    let scene = try SignedScene(counter: 2)
    try scene.write([7], counter: 2)
    try scene.write([8], counter: 3)
    try scene.write([9], counter: 0)
    try scene.write([10], counter: 3)
    try scene.expect("08")
  }

  @Test("GAP/SEC/CSIGN/BI-03-C: a signed write of a central whose bond was deleted is ignored")
  func bondDeleted() throws {
    let scene = try SignedScene()
    try scene.accessory.perform(.removeBond(scene.peer))
    try scene.write([7], counter: 0)
    try scene.expect("01")
  }

  @Test("GAP/SEC/CSIGN/BI-04-C: a signed write of a value that requires authentication is ignored")
  func notAuthenticated() throws {
    let scene = try SignedScene()
    try scene.write([7], to: SignedScene.authenticated, counter: 0)
    try scene.expect("02", of: SignedScene.authenticated)
  }

  @Test("A value without signed writes, one that is too long and an unknown handle change nothing")
  func notTaken() throws {
    let scene = try SignedScene()
    try scene.write([7], to: SignedScene.plain, counter: 0)
    try scene.write([7], to: 0x00EE, counter: 1)
    try scene.write([UInt8](repeating: 7, count: 600), counter: 2)
    try scene.write([], counter: 3) { $0.removeAll() }
    try scene.expect("03", of: SignedScene.plain)
    try scene.expect("01")
    #expect(scene.central.ends == [])
  }
}
