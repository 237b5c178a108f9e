import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

/// More than twenty thousand random commands with encrypted links, in every preset.
@Suite("Random commands")
struct RandomCommandTests {
  /// Returns any command's defaults with some octets changed, half of the time for an existing connection.
  private static func command(_ random: inout SplitMix64) -> [UInt8] {
    let types = CommandRegistry.all
    let type = types[Int(random.upTo(UInt64(types.count - 1)))]
    var parameters = CommandConformanceTests.defaults(type)
    for _ in 0..<random.upTo(3) where !parameters.isEmpty {
      let place = Int(random.upTo(UInt64(parameters.count - 1)))
      parameters[place] = UInt8(random.upTo(random.upTo(1) == 0 ? 3 : 255))
    }
    if CommandConformanceTests.isAboutConnection(type), random.upTo(7) > 0 {
      parameters.replaceSubrange(0..<2, with: [UInt8(random.upTo(1)), 0])
    }
    if random.upTo(30) == 0 { parameters = Array(parameters.dropLast()) }
    let opcode = random.upTo(40) == 0 ? UInt16(random.upTo(0xFFFF)) : type.opcode.rawValue
    return [1, UInt8(truncatingIfNeeded: opcode), UInt8(opcode >> 8), UInt8(parameters.count)] + parameters
  }

  /// Commands that stop a controller, or make it silent.
  private static let spoilers: Set<CommandOpcode> = [
    .setEventMask, .setEventMaskPage2, .leSetEventMask, .hostBufferSize, .setControllerToHostFlowControl,
  ]

  @Test("each is answered once, and before all its effects", arguments: UInt64(0)..<24)
  func random(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let presets = ControllerConfiguration.presets.map(\.configuration.conforming)
    let timing: AirConfiguration.Timing = seed % 3 == 0 ? .immediate : .linkLayer
    var stage = Stage(seed: seed, timing: timing)
    var hosts: [ScriptedHost] = []
    var encryptions = 0
    for _ in 0..<1000 {
      if stage.air.links.isEmpty {
        stage = Stage(seed: random.next(), timing: timing)
        let pair = try stage.connected(
          central: presets[Int(random.upTo(8))], peripheral: presets[Int(random.upTo(8))], timeout: 300)
        hosts = [pair.central, pair.peripheral]
        try pair.central.begin(LEEnableEncryption { $0.connectionHandle.rawValue = pair.atCentral })
      }
      let host = hosts[Int(random.upTo(1))]
      let octets = Self.command(&random)
      let opcode = CommandOpcode(rawValue: UInt16(octets[1]) | UInt16(octets[2]) << 8)
      let endsScene = opcode == .reset || opcode == .disconnect
      if Self.spoilers.contains(opcode) || (endsScene && random.upTo(9) > 0) || opcode == .none { continue }
      encryptions += hosts.reduce(0) { $0 + $1.all(HCIEncryptionChange.self).filter { $0.encryption == .on }.count }
      for host in hosts { host.forget() }
      host.send(octets)
      let answers = host.all(HCICommandComplete.self).map(\.opcode) + host.all(HCICommandStatus.self).map(\.opcode)
      // This includes Host Number Of Completed Packets: without flow control it is refused.
      #expect(answers == [opcode], "\(opcode)")
      #expect([.commandComplete, .commandStatus].contains(host.events.first?.code), "\(opcode)")
      if !host.all(LELongTermKeyRequest.self).isEmpty || random.upTo(9) == 0 {
        host.send(LELongTermKeyRequestReply { $0.connectionHandle.rawValue = UInt16(random.upTo(1)) }.h4)
      }
      stage.run(.milliseconds(Int64(random.upTo(80))))
    }
    #expect(encryptions > 0)
  }
}
