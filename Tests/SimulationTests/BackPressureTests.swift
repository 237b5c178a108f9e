import BLECore
import BLEHCI
import BLEL2CAP
import BLELink
import CentralHost
import PeripheralHost
import Simulation
import Testing
import VirtualRadio

/// SDUs between a lamp behind a real terminal and a phone, checked on arrival.
@Suite("Terminals with a reader that stops reading")
struct BackPressureTests {
  private static let psm = SPSM(rawValue: 0x80)
  private static let parameters = ChannelParameters(mtu: 2048, mps: 1000, credits: .frames(65535))

  /// FNV-1a over the SDUs, one after another.
  private static func digest(_ sdus: [[UInt8]]) -> UInt64 {
    sdus.joined().reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
  }

  private struct Scene {
    let simulation: RadioSimulation
    let lamp: SimulatedAccessory<CountingApplication>
    let line: FaultyLine
    let carrier: TerminalCarrier
    let phone: ScriptedCentral
    let phoneLink: ConnectionHandle
    let channel: ChannelStatus

    /// Creates a controller with more buffers than a terminal holds, without flow control to its host.
    init() throws {
      let simulation = RadioSimulation(seed: 1)
      self.simulation = simulation
      var controller = ControllerConfiguration.full
      (controller.aclPacketCount, controller.aclDataLength) = (255, 1021)
      controller.commands.remove(.setControllerToHostFlowControl)
      var configuration = Lamp.configuration()
      configuration.channels = [PublishedChannel(psm: psm, parameters: parameters)]
      lamp = try simulation.addAccessory(configuration, application: CountingApplication(), on: controller)
      line = FaultyLine(lamp, seed: 1) { [unowned simulation] in simulation.now }
      carrier = try TerminalCarrier()
      line.carrier = carrier
      simulation.interpose(line, before: lamp)
      phone = try simulation.addCentral()
      try lamp.start()
      try phone.start()
      phoneLink = try phone.connect(to: Lamp.address)
      channel = try phone.openChannel(psm, parameters, on: phoneLink)
    }

    var lampChannel: (ConnectionHandle, ChannelID)? {
      for case .channel(let link, .opened(let status)) in lamp.events { return (link, status.id) }
      return nil
    }

    /// The SDUs that the lamp has received.
    var sdus: [[UInt8]] { lamp.events.compactMap { if case .sdu(_, _, let octets) = $0 { octets } else { nil } } }
  }

  private static func traffic(_ count: Int, seed: UInt64) -> [[UInt8]] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in random.lineOctets(1000) }
  }

  @Test("Output of a controller whose host does not read waits in the line, and arrives whole and in order")
  func towardsHost() throws {
    let scene = try Scene()
    let sent = Self.traffic(300, seed: 5)
    for sdu in sent[..<50] { try scene.phone.sendSDU(sdu, on: scene.channel.id, of: scene.phoneLink) }
    scene.line.setHeld(true, towardsHost: true)
    for sdu in sent[50...] { try scene.phone.sendSDU(sdu, on: scene.channel.id, of: scene.phoneLink) }
    scene.simulation.run(for: .seconds(10))
    #expect(scene.carrier.largestQueue(towardsHost: true) > 0)
    #expect(scene.sdus.count <= 50)
    scene.line.setHeld(false, towardsHost: true)
    scene.simulation.run(for: .seconds(10))
    #expect(scene.sdus.count == 300 && Self.digest(scene.sdus) == Self.digest(sent))
  }

  @Test("Output of a host whose controller does not read waits in the line, and arrives whole and in order")
  func towardsController() throws {
    let scene = try Scene()
    let (link, channel) = try #require(scene.lampChannel)
    var waiting = Self.traffic(600, seed: 6)[...]
    let sent = Array(waiting)
    // Sends as much as the channel accepts.
    func feed() {
      while let sdu = waiting.first, (try? scene.lamp.perform(.channel(.send(link, channel, sdu)))) != nil {
        waiting.removeFirst()
      }
    }
    scene.line.setHeld(true, towardsHost: false)
    feed()
    scene.simulation.run(for: .seconds(1))
    #expect(scene.carrier.largestQueue(towardsHost: false) > 0)
    #expect(!waiting.isEmpty && scene.phone.sdus(on: scene.channel.id, of: scene.phoneLink).isEmpty)
    scene.line.setHeld(false, towardsHost: false)
    for _ in 0..<300 {
      feed()
      scene.simulation.run(for: .milliseconds(100))
    }
    let received = scene.phone.sdus(on: scene.channel.id, of: scene.phoneLink)
    #expect(received.count == 600 && Self.digest(received) == Self.digest(sent))
    #expect(scene.lamp.events.allSatisfy { if case .fault = $0 { false } else { true } })
  }
}
