import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLESMP
import BLELink
import CentralHost
import PeripheralHost
import Simulation
import Testing

/// The groups GAP/IDLE/NAMP, GAP/GAT and GAP/BOND/NBON: the GAP service (Core 5.4 Vol 3 Part C 12) and the non-bondable mode
/// (9.4.2).
@Suite("GAP/IDLE/NAMP, GAP/GAT, GAP/BOND/NBON")
struct NameAndBondTests {
  @Test("GAP/IDLE/NAMP/BV-01-C: a central's GATT client finds a peripheral's name")
  func nameOfPeripheral() throws {
    let scene = try GAPScene()
    let found = try scene.phone.find(ScanFilter(address: Specimen.address))
    let link = try scene.phone.connect(to: found.address)
    let database = try scene.phone.discover(on: link)
    let name = try #require(database.characteristic(BluetoothUUID(0x2A00), in: BluetoothUUID(0x1800)))
    #expect(try scene.phone.read(name.value, on: link) == Array(Specimen.name.utf8))
    try scene.phone.disconnect(link)
  }

  @Test(
    "GAP/IDLE/NAMP/BV-02-C: the accessory's server returns its name, even one that takes several reads",
    arguments: [8, 100])
  func name(_ length: Int) throws {
    var configuration = Specimen.configuration()
    configuration.name = String(repeating: "n", count: length)
    let scene = try RawScene(configuration)
    let octets = Array(configuration.name.utf8)
    try scene.central.exchange(
      "08 0100 ffff 002a", ([9, UInt8(min(21, length + 2)), 3, 0] + octets.prefix(19)).hexadecimal)
    try scene.central.exchange("0a 0300", ([0x0B] + octets.prefix(22)).hexadecimal)
    guard length > 22 else { return }
    for offset in stride(from: 22, through: length, by: 22) {
      let part = octets.dropFirst(offset).prefix(22)
      try scene.central.exchange("0c 0300 \([UInt8(offset), 0].hexadecimal)", ([0x0D] + part).hexadecimal)
    }
  }

  @Test("GAP/GAT/BV-04-C: the preferred connection parameters are one readable characteristic of 8 octets")
  func preferredParameters() throws {
    let request = ConnectionPolicy.ParameterRequest(
      intervals: .milliseconds(15)...(.milliseconds(30)), latency: 4, timeout: .seconds(6), delay: .seconds(100))
    let scene = try RawScene(Specimen.configuration(connection: ConnectionPolicy(parameterRequest: request)))
    try scene.central.exchange("08 0100 ffff 0328", "09 07 0200 02 0300 002a 0400 02 0500 012a 0600 02 0700 042a")
    try scene.central.exchange("08 0100 ffff 042a", "09 0a 0700 0c00 1800 0400 5802")
    try scene.central.exchange("08 0800 ffff 042a", "01 08 0800 0a")
    try scene.central.exchange("12 0700 0600 0600 0000 0a00", "01 12 0700 03")
  }

  @Test("GAP/BOND/NBON/BV-03-C: an accessory without pairing refuses it, every time")
  func notBondable() throws {
    let scene = try RawScene()
    for _ in 0..<3 {
      try scene.central.exchange("01 03 00 00 10 00 00", "05 05", on: .securityManager)
      try scene.central.exchange("0a 1200", "0b 74657874")
    }
    let refusals = scene.accessory.events.count {
      if case .security(_, .failed(.pairingNotSupported, byPeer: false)) = $0 { true } else { false }
    }
    #expect(refusals == 3)
    #expect(scene.central.ends == [])
  }
}
