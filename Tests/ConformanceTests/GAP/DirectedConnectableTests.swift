import BLECore
import BLEGAP
import BLEHCI
import BLELink
import BLESMP
import CentralHost
import PeripheralHost
import Simulation
import Testing
import TestPreset
import VirtualRadio

/// The group GAP/CONN/DCON: directed connectable mode (Core 5.4 Vol 3 Part C 9.3.3).
@Suite("GAP/CONN/DCON")
struct DirectedConnectableTests {
  @Test(
    "GAP/CONN/DCON/BV-01-C: the accessory sends ADV_DIRECT_IND to a bonded central, and accepts its connection",
    .enabled(if: ControllerConfiguration.underTest.hasAdvertisingSets))
  func directed() throws {
    var call = AdvertisingSetDefinition(id: "call", isScannable: false, data: [], startsAutomatically: false)
    call.target = .latest
    call.isHighDuty = true
    var policy = PairingPolicy()
    policy.isPairable = true
    var configuration = Specimen.configuration()
    configuration.advertising.append(call)
    configuration.security = policy
    var phone = CentralConfiguration()
    phone.security = policy
    let scene = try GAPScene(configuration, phone: phone)
    let first = try scene.phone.connect(to: Specimen.address)
    guard case .paired(_, bonded: true) = try scene.phone.pair(first) else {
      Issue.record("not paired")
      return
    }
    try scene.accessory.perform(.advertise(set: "main", isOn: false))
    try scene.phone.disconnect(first)
    scene.simulation.run(until: { scene.accessory.stack.linkStates.isEmpty })
    scene.simulation.run(for: .seconds(2))

    var pdus: [[UInt8]] = []
    scene.simulation.air.observer = { packet in
      if packet.sender == scene.accessory.controller, packet.direction == .advertising { pdus.append(packet.pdu) }
    }
    try scene.accessory.perform(.advertise(set: "call", isOn: true))
    scene.simulation.run(for: .milliseconds(50))
    // ADV_DIRECT_IND, from a random address to a random address, both in full (Core 5.4 Vol 6 Part B 2.3.1.2).
    let central = try #require(phone.randomAddress)
    let addresses = [Specimen.address, central].flatMap { address in
      (0..<6).map { UInt8(truncatingIfNeeded: address.bits >> (8 * UInt64($0))) }
    }
    #expect(!pdus.isEmpty && pdus.allSatisfy { $0[0] & 0xCF == 0xC1 && Array($0[2...]) == addresses })
    try scene.phone.connect(to: Specimen.address)
    #expect(scene.accessory.stack.linkStates.count == 1)
  }
}
