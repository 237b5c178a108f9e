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
import VirtualRadio

/// Everything arrives through controllers with few buffers, and no buffers are exceeded.
@Suite("Small buffers")
struct SmallBufferTests {
  private static let psm = SPSM(rawValue: 0x80)

  /// A lamp that publishes channels and a phone, each behind a counting line.
  private struct Scene {
    let simulation: RadioSimulation
    let lamp: SimulatedAccessory<CountingApplication>
    let phone: ScriptedCentral
    let lampLine: CountingLine
    let phoneLine: CountingLine
    let link: ConnectionHandle
    let back: ConnectionHandle

    init(
      _ parameters: ChannelParameters, hostBuffers: Int = ConnectionPolicy.usualHostBuffers,
      lampOn: ControllerConfiguration = .zephyrHCIUART, interval: Duration = .milliseconds(30), seed: UInt64 = 1
    ) throws {
      simulation = RadioSimulation(seed: seed)
      var configuration = Lamp.configuration(connection: ConnectionPolicy(hostBuffers: hostBuffers))
      configuration.channels = [PublishedChannel(psm: psm, parameters: parameters)]
      lamp = try simulation.addAccessory(configuration, application: CountingApplication(), on: lampOn)
      phone = try simulation.addCentral(on: .zephyrHCIUART)
      lampLine = CountingLine(before: lamp, of: simulation)
      phoneLine = CountingLine(before: phone, of: simulation)
      try lamp.start()
      try phone.start()
      link = try phone.connect(
        to: Lamp.address, parameters: LinkParameters(interval: interval, timeout: .seconds(20)))
      back = try #require(lamp.stack.linkStates.first).handle
      phone.limit = .seconds(3600)
    }

    func setLoss(_ fraction: Double) {
      simulation.air.setPacketLoss(from: lamp.controller, to: phone.controller, fraction: fraction)
      simulation.air.setPacketLoss(from: phone.controller, to: lamp.controller, fraction: fraction)
    }

    /// Returns the SDUs that the lamp received on a channel, in order.
    func arrived(on channel: ChannelID) -> [[UInt8]] {
      lamp.events.compactMap { if case .sdu(back, channel, let sdu) = $0 { sdu } else { nil } }
    }

    /// Checks that no limit was exceeded, and that there are no faults.
    func expectNoFaults() {
      #expect(lampLine.violations == [])
      #expect(phoneLine.violations == [])
      #expect(!lamp.events.contains { if case .fault = $0 { true } else { false } })
      #expect(!phone.events.contains { if case .fault = $0 { true } else { false } })
      #expect(simulation.air.takeHostFaults(of: lamp.controller) == [])
      #expect(simulation.air.takeHostFaults(of: phone.controller) == [])
    }
  }

  private static func octets(_ count: Int, seed: UInt64) -> [UInt8] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
  }

  @Test(
    "The longest SDUs pass in both directions on several channels over 27-octet buffers and a lossy path",
    arguments: [(mps: 247, loss: 0.05, seed: 1), (247, 0.3, 2), (65533, 0.1, 3)])
  func longestSDUs(mps: Int, loss: Double, seed: UInt64) throws {
    let parameters = ChannelParameters(mtu: 65535, mps: mps)
    let scene = try Scene(parameters, seed: seed)
    let channels = try (0..<3).map { _ in try scene.phone.openChannel(Self.psm, parameters, on: scene.link) }
    let ends = try #require(scene.lamp.stack.linkStates.first).channels.map(\.id)
    try #require(ends.count == 3)
    scene.setLoss(loss)
    var sent: [[UInt8]] = []
    var returned: [[UInt8]] = []
    for (number, channel) in channels.enumerated() {
      sent.append(Self.octets(65535, seed: seed * 100 + UInt64(number)))
      returned.append(Self.octets(65535 - number, seed: seed * 200 + UInt64(number)))
      try scene.phone.sendSDU(sent[number], on: channel.id, of: scene.link)
      try scene.lamp.perform(.channel(.send(scene.back, ends[number], returned[number])))
    }
    let haveAllArrived = scene.simulation.run(
      until: {
        channels.indices.allSatisfy { number in
          !scene.arrived(on: ends[number]).isEmpty
            && !scene.phone.sdus(on: channels[number].id, of: scene.link).isEmpty
        }
      }, limit: .seconds(600))
    #expect(haveAllArrived)
    // Duplicates would arrive late.
    scene.simulation.run(for: .seconds(2))
    for number in channels.indices {
      #expect(scene.arrived(on: ends[number]) == [sent[number]])
      #expect(scene.phone.sdus(on: channels[number].id, of: scene.link) == [returned[number]])
    }
    scene.expectNoFaults()
    for line in [scene.lampLine, scene.phoneLine] {
      #expect(line.packetLength == 27 && line.controllerCount == 7)
      // The buffers were used: a host that sends one packet at a time would pass all checks above.
      #expect(line.mostAtController == 7)
      #expect(line.toHost > 3 * 65535 / 27 && line.toController > 3 * 65535 / 27)
    }
    #expect(scene.lampLine.hostCount == 64)
    // There is not one command for each packet.
    #expect(scene.lampLine.commands > 0 && scene.lampLine.commands < scene.lampLine.toHost)
  }

  /// As few as a host announces, or as a controller uses of many.
  @Test("Seventy thousand packets pass through two host buffers", arguments: [2, 64])
  func twoBuffers(announced: Int) throws {
    var controller = ControllerConfiguration.zephyrHCIUART
    controller.maximumHostBuffers = 2
    let parameters = ChannelParameters(mtu: 65535, mps: 65533)
    let scene = try Scene(parameters, hostBuffers: announced, lampOn: controller, interval: .milliseconds(15))
    let channel = try scene.phone.openChannel(Self.psm, parameters, on: scene.link).id
    let end = try #require(scene.lamp.stack.linkStates.first?.channels.first).id
    let limit = announced == 2 ? 70_000 : 1000
    var number: UInt64 = 0
    while scene.lampLine.toHost < limit {
      let sdu = Self.octets(65535, seed: number)
      try scene.phone.sendSDU(sdu, on: channel, of: scene.link)
      let hasArrived = scene.simulation.run(until: { !scene.arrived(on: end).isEmpty }, limit: .seconds(600))
      try #require(hasArrived)
      try #require(scene.arrived(on: end) == [sdu])
      scene.lamp.events.removeAll()
      number += 1
    }
    scene.expectNoFaults()
    // With two buffers, a batch is one packet, which is returned at once; with batches of four, only two packets ever arrive.
    #expect(scene.lampLine.mostAtHost == (announced == 2 ? 1 : 2))
  }

  @Test("Links that are made and ended leave no buffer behind")
  func links() throws {
    var controller = ControllerConfiguration.zephyrHCIUART
    controller.maximumHostBuffers = 3
    let parameters = ChannelParameters(mtu: 65535, mps: 247)
    let scene = try Scene(parameters, lampOn: controller)
    var link = scene.link
    for round in 0..<20 {
      let channel = try scene.phone.openChannel(Self.psm, parameters, on: link).id
      try scene.phone.sendSDU(Self.octets(5000, seed: UInt64(round)), on: channel, of: link)
      // During the transfer.
      scene.simulation.run(for: .milliseconds(100 + 7 * Int64(round)))
      try scene.phone.disconnect(link)
      scene.simulation.run(for: .seconds(1))
      link = try scene.phone.connect(to: Lamp.address)
    }
    let text = scene.lamp.stack.server.database[Lamp.text].value
    try scene.phone.write([1, 2, 3], to: text, on: link)
    #expect(try scene.phone.read(text, on: link) == [1, 2, 3])
    #expect(scene.lampLine.violations == [] && scene.phoneLine.violations == [])
    #expect(scene.lampLine.mostAtHost == 3)
  }
}
