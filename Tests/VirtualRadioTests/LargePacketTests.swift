import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

@Suite("ACL packets of any length")
struct LargePacketTests {
  /// Returns an L2CAP PDU on a dynamic channel with that many octets of payload.
  private static func frame(_ count: Int, seed: UInt8 = 1) -> [UInt8] {
    [UInt8(count & 0xFF), UInt8(count >> 8), 0x40, 0x00] + (0..<count).map { UInt8(truncatingIfNeeded: $0) &* seed }
  }

  private func controller(length: UInt16) -> ControllerConfiguration {
    var configuration = ControllerConfiguration.largePackets
    configuration.aclDataLength = length
    return configuration
  }

  @Test("a packet of the controller's maximum length arrives as one", arguments: [27, 1024, 1025, 2048, 65535])
  func whole(length: Int) throws {
    let stage = Stage()
    let configuration = controller(length: UInt16(length))
    let pair = try stage.connected(central: configuration, peripheral: configuration)
    let (there, back) = (Self.frame(length - 4), Self.frame(length - 4, seed: 3))
    pair.central.sendData(pair.atCentral, there)
    pair.peripheral.sendData(pair.atPeripheral, back)
    stage.run(.seconds(60))
    #expect(pair.peripheral.data.map(\.octets) == [there])
    #expect(pair.central.data.map(\.octets) == [back])
    #expect(pair.peripheral.data.map(\.boundary) == [.firstFromController])
    #expect(pair.central.completed(pair.atCentral) == 1)
    #expect(stage.air.takeHostFaults(of: pair.central.id).isEmpty)
  }

  @Test("an L2CAP PDU longer than a packet is sent in several")
  func continued() throws {
    let stage = Stage()
    let pair = try stage.connected(central: .full, peripheral: controller(length: 100))
    let frame = Self.frame(230)
    pair.central.sendData(pair.atCentral, frame)
    pair.central.sendData(pair.atCentral, Self.frame(5))
    stage.run(.seconds(2))
    #expect(pair.peripheral.data.flatMap(\.octets) == frame + Self.frame(5))
    #expect(pair.peripheral.data.allSatisfy { $0.octets.count <= 100 })
    let starts = pair.peripheral.data.filter { $0.boundary == .firstFromController }
    #expect(starts.map { $0.octets.prefix(2) } == [[230, 0], [5, 0]])
  }

  @Test("a host that announced shorter packets gets no longer ones")
  func announced() throws {
    let stage = Stage()
    let pair = try stage.connected(peripheral: .largePackets)
    stage.air.controller(pair.peripheral.id)?.state.hostDataLength = 300
    let frame = Self.frame(240) + Self.frame(200)
    pair.central.sendData(pair.atCentral, Self.frame(240))
    pair.central.sendData(pair.atCentral, Self.frame(200))
    stage.run(.seconds(2))
    #expect(pair.peripheral.data.map(\.octets.count) == [244, 204])
    #expect(pair.peripheral.data.flatMap(\.octets) == frame)
  }

  @Test("a packet above the controller's maximum is reported, and the next one arrives")
  func tooLong() throws {
    let stage = Stage()
    let pair = try stage.connected(central: .largePackets)
    pair.central.sendData(pair.atCentral, Self.frame(2045))
    #expect(
      stage.air.takeHostFaults(of: pair.central.id).contains { if case .dataTooLong = $0 { true } else { false } })
    pair.central.sendData(pair.atCentral, Self.frame(10))
    stage.run(.seconds(1))
    #expect(pair.peripheral.data.map(\.octets) == [Self.frame(10)])
  }
}
