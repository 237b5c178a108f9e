import AccessoryProfile
import BLEATT
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
import UnderstudyTesting

@testable import Learning
@testable import Proxying
@testable import Swarm

/// A client that uses an accessory through a proxy.
@Suite("Proxy")
struct ProxyTests {
  @Test(arguments: ["heart-rate", "glucose", "ancs", "hid-keyboard", "l2cap", "thermostat"])
  func aClientSeesTheServerOfTheAccessory(_ profile: String) throws {
    let proxied = try ProxyAir(profile)
    let seen = try proxied.client.discover(on: proxied.connect())
    let direct = TestAir(seed: 7)
    let accessory = try direct.accessory(profile)
    let central = try direct.radio.addCentral()
    try central.start()
    let heard = try central.hear { accessory.hasSent($0) && $0.isConnectable }
    let link = try central.connect(ConnectionRequest(to: heard.address, type: heard.addressType))
    #expect(try seen == central.discover(on: link))
  }

  @Test func itAdvertisesLikeTheAccessory() throws {
    let air = try ProxyAir("heart-rate")
    let heard = try air.client.hear { $0.data.localName != nil }
    #expect(heard.data.localName == "Heart Rate Belt")
    #expect(heard.address != air.accessory.simulated.stack.address)
  }

  @Test func valuesPassBothWays() throws {
    let air = try ProxyAir("heart-rate")
    let link = try air.connect()
    #expect(try air.client.exchangeMTU(on: link) == 517)
    let database = try air.client.discover(on: link)
    let rate = try #require(database.characteristic(BluetoothUUID(0x2A37)))
    let control = try #require(database.characteristic(BluetoothUUID(0x2A39)))
    try air.client.configure(rate.value, .notification, on: link)
    let isNotified = air.wait { air.client.pushed(of: rate.value, on: link).count >= 3 }
    #expect(isNotified)
    try air.client.write([1], to: control.value, on: link)
    // Control Point Not Supported (Heart Rate Service 1.0, 1.6).
    #expect(throws: GATTFailure.self) { try air.client.write([9], to: control.value, on: link) }
    #expect(air.accessory.connections == 1)
    #expect(air.counts.toClient > 3 && air.counts.toAccessory > 3)
  }

  @Test func aMegabyteOverAChannel() throws {
    let air = try ProxyAir("l2cap")
    let link = try air.connect()
    let psm = try #require(air.accessory.profile.psms["source"])
    let channel = try air.client.openChannel(psm, on: link)
    air.client.limit = .seconds(600)
    air.air.radio.run(
      until: {
        air.client.events.contains { if case .channel(_, .closed(channel.id, _, _, _)) = $0 { true } else { false } }
      }, limit: .seconds(600))
    let octets = air.client.sdus(on: channel.id, of: link).flatMap(\.self)
    #expect(octets.count == 1 << 20)
    #expect(octets.enumerated().allSatisfy { $0.element == UInt8(truncatingIfNeeded: $0.offset) })
  }

  @Test func anEchoOverAChannel() throws {
    let air = try ProxyAir("l2cap")
    let link = try air.connect()
    let psm = try #require(air.accessory.profile.psms["echo"])
    let channel = try air.client.openChannel(psm, on: link)
    let sdu = (0..<2000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    for _ in 0..<20 { try air.client.sendSDU(sdu, on: channel.id, of: link) }
    let isBack = air.wait { air.client.sdus(on: channel.id, of: link).count == 20 }
    #expect(isBack)
    #expect(air.client.sdus(on: channel.id, of: link).allSatisfy { $0 == sdu })
    try air.client.closeChannel(channel.id, of: link)
  }

  @Test func pairingWithoutAPasskey() throws {
    let air = try ProxyAir("thermostat")
    let link = try air.connect()
    guard case .paired(_, bonded: true) = try air.client.pair(link) else {
      Issue.record("not paired")
      return
    }
    air.wait { air.accessory.simulated.stack.bonds.count == 1 }
    #expect(air.accessory.simulated.stack.bonds.count == 1, "\(air.reports)")
    // The client comes back, and both links are encrypted with the keys of their bonds.
    try air.client.disconnect(link)
    air.wait { air.accessory.connections == 0 }
    let again = try air.connect()
    #expect(try air.client.pair(again) == .encrypted)
    air.wait { air.accessory.simulated.stack.linkStates.first?.security.isBonded == true }
    #expect(air.accessory.simulated.stack.bonds.count == 1)
  }

  @Test func pairingWithAPasskey() throws {
    let air = try ProxyAir("smart-lock", passkey: 123_456)
    let link = try air.connect()
    let database = try air.client.discover(on: link)
    let state = try #require(
      database.characteristic(BluetoothUUID("A0000021-7C4D-4B0E-9E4B-1F6E2A1B9C00") ?? BluetoothUUID(0)))
    #expect(throws: GATTFailure.self) { try air.client.read(state.value, on: link) }
    guard case .paired(let bond, bonded: true) = try air.client.pair(link) else {
      Issue.record("not paired")
      return
    }
    #expect(bond.strength.isAuthenticated)
    // The read waits until the other link is encrypted, too.
    #expect(try air.client.read(state.value, on: link) == [0])
    #expect(air.accessory.simulated.stack.linkStates.first?.security.protection ?? .none >= .authenticated)
  }

  @Test func aWrongPasskeyEndsThePairingOfTheClientAlone() throws {
    let air = try ProxyAir("smart-lock", passkey: 123_456, clientPasskey: 654_321)
    let link = try air.connect()
    guard case .failed = try air.client.pair(link) else {
      Issue.record("paired with a wrong passkey")
      return
    }
    #expect(air.accessory.simulated.stack.bonds.isEmpty)
  }

  @Test func anAccessoryThatDoesNotPairEndsTheClientsLink() throws {
    // The accessory demands a passkey that the proxy does not have.
    let air = try ProxyAir("smart-lock")
    let link = try air.connect()
    try air.client.pair(link)
    air.wait { air.client.links.isEmpty }
    #expect(air.client.links.isEmpty)
    #expect(air.front.stack.bonds.isEmpty)
    #expect(air.reports.contains { $0.hasPrefix("the accessory does not pair") })
  }

  @Test func aClientThatLeavesEndsTheLinkToTheAccessory() throws {
    let air = try ProxyAir("heart-rate")
    let link = try air.connect()
    air.wait { air.accessory.connections == 1 }
    try air.client.disconnect(link)
    air.wait { air.accessory.connections == 0 }
    #expect(air.accessory.connections == 0)
    // The proxy serves the next client just as well.
    let again = try air.connect()
    #expect(try !air.client.discover(on: again).services.isEmpty)
    #expect(air.counts.clients == 2)
  }

  @Test func aClientThatLeavesAtOnceDoesNoHarm() throws {
    let air = try ProxyAir("heart-rate")
    for _ in 0..<5 { try air.client.disconnect(air.connect()) }
    air.wait { air.accessory.connections == 0 && !air.back.stack.isConnecting }
    #expect(air.accessory.connections == 0 && air.back.links.isEmpty)
    #expect(try !air.client.discover(on: air.connect()).services.isEmpty)
  }

  @Test func anAccessoryThatLeavesEndsTheClientsLink() throws {
    let air = try ProxyAir("heart-rate")
    _ = try air.connect()
    air.wait { air.accessory.connections == 1 }
    try air.accessory.simulated.perform(
      .disconnect(
        try #require(air.accessory.simulated.stack.linkStates.first?.handle), reason: .remoteDeviceTerminatedPowerOff))
    air.wait { air.client.links.isEmpty }
    #expect(air.client.ends == [.remoteDeviceTerminatedPowerOff])
  }

  @Test func requestedParametersAreUsedOnBothLinks() throws {
    let air = try ProxyAir("heart-rate")
    let link = try air.connect()
    air.wait { air.accessory.connections == 1 }
    let request = ConnectionPolicy.ParameterRequest(
      intervals: .milliseconds(90)...(.milliseconds(90)), latency: 2, timeout: .seconds(5), delay: .zero)
    try air.accessory.simulated.perform(
      .requestParameters(try #require(air.accessory.simulated.stack.linkStates.first?.handle), request))
    let isChanged = air.wait {
      air.client.stack.linkStates.first { $0.handle == link }?.details.interval == .milliseconds(90)
    }
    #expect(isChanged)
    #expect(air.accessory.simulated.stack.linkStates.first?.details.interval == .milliseconds(90))
  }

  @Test func tooManyFramesBeforeTheAccessoryIsReadyEndTheClientsLink() throws {
    let air = try ProxyAir("heart-rate")
    air.air.radio.air.setReachable(air.accessory.simulated.controller, air.back.controller, false)
    let link = try air.connect()
    for number in 0..<1200 where air.client.links.contains(link) {
      try? air.client.perform(.sendFrame(link, .attributeProtocol, [0x52, 3, 0, UInt8(truncatingIfNeeded: number)]))
      air.air.radio.run(for: .milliseconds(10))
    }
    air.wait { air.client.links.isEmpty }
    #expect(air.client.ends == [.remoteDeviceTerminatedLowResources])
    #expect(air.counts.toAccessory == 0)
  }

  @Test func aSignedWriteIsNotPassedOn() throws {
    let air = try ProxyAir("heart-rate")
    let link = try air.connect()
    air.wait { air.accessory.connections == 1 }
    try air.client.perform(.sendFrame(link, .attributeProtocol, [0xD2, 3, 0, 1] + [UInt8](repeating: 0, count: 12)))
    air.wait { air.counts.signedWrites == 1 }
    #expect(air.counts == .init(clients: 1, toAccessory: 0, toClient: 0, signedWrites: 1))
  }

  /// A client's random frames harm neither the proxy nor the next client.
  @Test(arguments: UInt64(1)...20) func randomFramesDoNoHarm(_ seed: UInt64) throws {
    let air = try ProxyAir(seed.isMultiple(of: 2) ? "l2cap" : "heart-rate")
    var drawing = PDUDrawing(random: SplitMix64(seed: seed))
    for _ in 0..<4 {
      let link = try air.connect()
      for _ in 0..<60 where air.client.links.contains(link) {
        guard case .raw(let channel, let payload) = drawing.draw() else { continue }
        try? air.client.perform(.sendFrame(link, ChannelID(rawValue: channel), payload))
        air.air.radio.run(for: .milliseconds(20))
      }
      if air.client.links.contains(link) { try air.client.disconnect(link) }
      air.wait { air.accessory.connections == 0 && air.back.links.isEmpty }
    }
    #expect(air.accessory.connections == 0 && air.back.links.isEmpty)
    #expect(try !air.client.discover(on: air.connect()).services.isEmpty)
  }

  /// The frames that passed are enough to learn a profile that answers the same client.
  @Test func aProfileIsLearntFromTheFrames() throws {
    let air = try ProxyAir("heart-rate")
    let link = try air.connect()
    let database = try air.client.discover(on: link)
    let control = try #require(database.characteristic(BluetoothUUID(0x2A39)))
    let location = try #require(database.characteristic(BluetoothUUID(0x2A38)))
    #expect(try air.client.read(location.value, on: link) == [1])
    for value in [[1], [9], [1], [9]] as [[UInt8]] { try? air.client.write(value, to: control.value, on: link) }
    try air.client.disconnect(link)
    let device = try #require(DeviceObserver(air.tape.records).found.first { !$0.links.isEmpty })
    let learnt = try device.learnProfile(path: "learnt.yaml")
    #expect(learnt.text.contains("error: 0x80"))
    let copy = TestAir(seed: 9)
    let accessory = try copy.accessory(learnt.profile)
    let central = try copy.radio.addCentral()
    try central.start()
    let heard = try central.hear { accessory.hasSent($0) && $0.isConnectable }
    let again = try central.connect(ConnectionRequest(to: heard.address, type: heard.addressType))
    // The client has not read the values of Generic Access.
    #expect(try central.discover(on: again).services.dropFirst(2) == database.services.dropFirst(2))
    #expect(try central.read(location.value, on: again) == [1])
    try central.write([1], to: control.value, on: again)
    #expect(throws: GATTFailure.self) { try central.write([9], to: control.value, on: again) }
  }
}
