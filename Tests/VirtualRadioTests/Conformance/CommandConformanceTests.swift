import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

/// The rules for every command in every preset.
@Suite("Every command in every preset")
struct CommandConformanceTests {
  static let presets = ControllerConfiguration.presets.map(\.name)

  private func host(_ preset: String) throws -> ScriptedHost {
    let host = Stage().add(try #require(ControllerConfiguration.named(preset)).conforming)
    host.forget()
    return host
  }

  private func known(_ preset: String) throws -> [any HCICommand.Type] {
    let configuration = try #require(ControllerConfiguration.named(preset)).conforming
    return CommandRegistry.all.filter { configuration.knows($0.opcode) }
  }

  private func packet(_ opcode: CommandOpcode, _ parameters: [UInt8]) -> [UInt8] {
    [1, UInt8(truncatingIfNeeded: opcode.rawValue), UInt8(opcode.rawValue >> 8), UInt8(parameters.count)] + parameters
  }

  /// Returns the initial parameters of a command.
  static func defaults<Command: HCICommand>(_: Command.Type) -> [UInt8] { Command().encoded }

  /// Returns whether the first parameter is a connection handle.
  static func isAboutConnection<Command: HCICommand>(_: Command.Type) -> Bool {
    ["Connection_Handle", "Handle"].contains(Command().described.first?.name)
  }

  @Test("a command that the controller does not know gets Command Status 0x01", arguments: presets)
  func unknown(preset: String) throws {
    let host = try host(preset)
    let known = Set(try known(preset).map { $0.opcode })
    #expect(known.count >= 40)
    let groups = (UInt8(1)...8).flatMap { group in (UInt16(0)...0x90).map { CommandOpcode(ogf: group, ocf: $0) } }
    let vendor = (UInt16(0)...0x3FF).map { CommandOpcode(ogf: 0x3F, ocf: $0) }
    for opcode in groups + vendor where !known.contains(opcode) {
      host.forget()
      host.send(packet(opcode, [0, 0]))
      #expect(host.events.count == 1, "\(opcode)")
      #expect(host.all(HCICommandStatus.self) == [HCICommandStatus(opcode, .unknownHCICommand)], "\(opcode)")
    }
  }

  @Test("parameters that are too short or too long get 0x12", arguments: presets)
  func lengths(preset: String) throws {
    for type in try known(preset) {
      let parameters = Self.defaults(type)
      let wrong = (0..<parameters.count).map { Array(parameters.prefix($0)) } + [parameters + [0]]
      for octets in wrong where octets.count <= 255 {
        let host = try host(preset)
        host.send(packet(type.opcode, octets))
        #expect(host.statuses == [.invalidHCICommandParameters], "\(type.opcode), \(octets.count) octets")
        #expect(host.events.count == 1)
        #expect(host.stage.air.takeHostFaults(of: host.id) == [.wrongParameterLength(type.opcode)])
      }
    }
  }

  @Test("a handle without a connection gets 0x02, with the handle if the answer has one", arguments: presets)
  func handles(preset: String) throws {
    var count = 0
    for type in try known(preset) {
      guard Self.isAboutConnection(type) else { continue }
      count += 1
      let host = try host(preset)
      var parameters = Self.defaults(type)
      parameters.replaceSubrange(0..<2, with: [0xEF, 0x0E])
      host.send(packet(type.opcode, parameters))
      #expect(host.statuses == [.unknownConnectionIdentifier], "\(type.opcode)")
      if let answer = host.all(HCICommandComplete.self).first {
        #expect(answer.returnParameters.dropFirst().prefix(2) == [0xEF, 0x0E], "\(type.opcode)")
      }
    }
    #expect(count >= 10)
  }

  @Test("every command is answered once, with the right kind of event, and first", arguments: presets)
  func answers(preset: String) throws {
    for type in try known(preset) {
      let host = try host(preset)
      try host.bringUp()
      host.forget()
      host.send(packet(type.opcode, Self.defaults(type)))
      let kind: EventCode = type is any HCIAsyncCommand.Type ? .commandStatus : .commandComplete
      #expect(host.events.first?.code == kind, "\(type.opcode)")
      #expect(host.statuses.count == 1, "\(type.opcode)")
      let packets =
        host.all(HCICommandComplete.self).map(\.commandPackets) + host.all(HCICommandStatus.self).map(\.commandPackets)
      #expect(packets == [1])
    }
  }

  @Test(
    "the mask of Read Local Supported Commands has exactly the commands that do not answer 0x01", arguments: presets)
  func mask(preset: String) throws {
    let mask = try host(preset).call(HCIReadLocalSupportedCommands()).supportedCommands
    var named = SupportedCommands()
    for type in CommandRegistry.all where type.opcode.supportBit != nil {
      let host = try host(preset)
      host.send(packet(type.opcode, Self.defaults(type)))
      let isKnown = !host.statuses.contains(.unknownHCICommand)
      #expect(isKnown == mask.contains(type.opcode), "\(type.opcode)")
      if isKnown { named.insert(type.opcode) }
    }
    // The mask contains nothing else.
    #expect(mask == named)
  }
}
