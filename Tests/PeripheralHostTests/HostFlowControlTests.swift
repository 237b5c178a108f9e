import BLEATT
import BLECore
import BLEGAP
import BLEHCI
import BLEL2CAP
import BLELink
import PeripheralHost
import Testing

/// Core 5.4 Vol 4 Part E 4.2.
@Suite("Flow control from the controller to the host")
struct HostFlowControlTests {
  private static let returning = CommandOpcode.hostNumberOfCompletedPackets

  /// Returns the host's returned buffers, command by command: pairs of handle and count.
  private func returned(_ bench: Bench) throws -> [[UInt16]] {
    try bench.commands.filter { $0.opcode == Self.returning }.map { sent in
      try HCIHostNumberOfCompletedPackets(decoding: sent.parameters).completed
        .flatMap { [$0.connectionHandle.rawValue, $0.count] }
    }
  }

  /// Returns a Write Command as one packet.
  private func command(_ bench: Bench, _ handle: UInt16 = 0) -> [UInt8] {
    let value = bench.valueHandle(TestAccessory.text)
    return Bench.acl([0x52] + ControllerScript.word(value) + [1], channel: 4, handle)
  }

  private func ready(_ script: ControllerScript = .counting, buffers: Int = 64, links: UInt16 = 1) throws -> Bench {
    let policy = ConnectionPolicy(maximumConnections: 8, hostBuffers: buffers)
    let bench = try Bench.ready(script, TestAccessory.configuration(connection: policy))
    for handle in 0..<links { bench.connect(handle) }
    bench.forget()
    return bench
  }

  // MARK: Bring-up

  @Test("The buffers are announced before flow control is switched on, and both before advertising")
  func order() throws {
    let bench = try Bench(.counting)
    bench.start()
    let opcodes = bench.opcodes()
    let size = try #require(opcodes.firstIndex(of: .hostBufferSize))
    #expect(opcodes[size + 1] == .setControllerToHostFlowControl)
    #expect(opcodes[..<size].contains(.leReadBufferSize) && !opcodes[..<size].contains(.leSetAdvertisingEnable))
    #expect(bench.commands[size].parameters == [251, 0, 0, 64, 0, 0, 0])
    #expect(bench.commands[size + 1].parameters == [1])
    #expect(bench.stack.controller.hostBufferCount == 64)
    #expect(bench.violations == [] && bench.events.tags.last == "ready main")
  }

  @Test("The announced length is that of the longest packet that the controller may send")
  func length() throws {
    var script = ControllerScript.counting
    script.commands.insert(.leReadMaximumDataLength)
    script.bufferLength = 1021
    let bench = try Bench(script)
    bench.start()
    let size = try #require(bench.commands.first { $0.opcode == .hostBufferSize })
    #expect(size.parameters.prefix(2) == ControllerScript.word(1021)[...])
    #expect(bench.stack.controller.maximumReceiveLength == 251)
  }

  @Test(
    "A controller that lacks one of the commands is left as it is", arguments: ControllerScript.flowControlCommands)
  func unsupported(_ missing: CommandOpcode) throws {
    var script = ControllerScript.counting
    script.commands.remove(missing)
    let bench = try ready(script)
    #expect(bench.stack.controller.hostBufferCount == 0)
    for _ in 0..<9 { bench.receive(command(bench)) }
    #expect(bench.stack.deadline == nil)
    #expect(bench.opcodes() == [])
  }

  @Test(
    "A refusal leaves flow control off, and bring-up continues",
    arguments: [CommandOpcode.hostBufferSize, .setControllerToHostFlowControl],
    [ErrorCode.commandDisallowed, .invalidHCICommandParameters, .unknownHCICommand])
  func refusal(_ opcode: CommandOpcode, _ status: ErrorCode) throws {
    for answer: ControllerScript.Answer in [.complete([status.rawValue]), .status(status), .complete([])] {
      var script = ControllerScript.counting
      script.answers[opcode] = answer
      let bench = try Bench(script)
      bench.start()
      #expect(bench.events.tags == ["controller", "started main", "ready main"])
      #expect(bench.stack.controller.hostBufferCount == 0)
      #expect(bench.opcodes().contains(.setControllerToHostFlowControl) == (opcode != .hostBufferSize))
      bench.connect()
      bench.forget()
      for _ in 0..<9 { bench.receive(command(bench)) }
      #expect(try returned(bench) == [])
    }
  }

  @Test("A policy without buffers requests nothing")
  func off() throws {
    let bench = try Bench(.counting, TestAccessory.configuration(connection: ConnectionPolicy(hostBuffers: 0)))
    bench.start()
    for opcode in ControllerScript.flowControlCommands { #expect(!bench.opcodes().contains(opcode)) }
    #expect(bench.events.tags.last == "ready main")
  }

  // MARK: Giving back

  @Test("Buffers are returned once for everything from one read, for all links")
  func oneReadOneCommand() throws {
    let bench = try ready(links: 3)
    bench.receive((0..<10).flatMap { command(bench, $0 % 3) })
    #expect(try returned(bench) == [[0, 4, 1, 3, 2, 3]])
    #expect(bench.stack.deadline == nil)
  }

  @Test("If packets arrive one by one, buffers are returned in batches, and the rest a little later")
  func batches() throws {
    let bench = try ready()
    for _ in 0..<10 { bench.receive(command(bench)) }
    #expect(try returned(bench) == [[0, 4], [0, 4]])
    bench.advance(HostBufferLedger.patience)
    #expect(try returned(bench) == [[0, 4], [0, 4], [0, 2]])
    #expect(bench.stack.deadline == nil)
  }

  @Test("It needs no command credit: it is sent while another command waits for its answer")
  func noCredit() throws {
    let bench = try ready()
    bench.script.answers[.leSetAdvertisingEnable] = .silence
    bench.script.disconnects = false
    bench.script.answers[.disconnect] = .silence
    bench.disconnect()
    bench.connect()
    bench.forget()
    for _ in 0..<4 { bench.receive(command(bench)) }
    #expect(try returned(bench) == [[0, 4]])
    #expect(bench.violations == [])
  }

  @Test("Every packet counts, including those of incomplete, unknown or refused PDUs")
  func fragments() throws {
    let bench = try ready()
    bench.receive(Bench.acl(Array(repeating: 0x52, count: 80), channel: 4, length: 20))
    bench.receive(Bench.acl([1, 2, 3], channel: 0x77) + Bench.acl([9], channel: 5))
    bench.receive([0x02, 0x00, 0x10, 1, 0, 0xAA] + [0x02, 0x00, 0x20, 0, 0])
    bench.advance(.seconds(1))
    #expect(try returned(bench).joined().reduce(0, +) == 9)
  }

  @Test("Nothing more is returned for a link that has ended")
  func disconnection() throws {
    let bench = try ready(links: 2)
    bench.receive(command(bench, 0) + command(bench, 1) + command(bench, 0))
    bench.disconnect(0)
    bench.advance(.seconds(1))
    #expect(try returned(bench) == [[1, 1]])
    // The handle is reused, and counts from the beginning.
    bench.connect(0)
    bench.receive(command(bench, 0))
    bench.advance(.seconds(1))
    #expect(try returned(bench) == [[1, 1], [0, 1]])
  }

  /// A computer that was suspended finds all of this in one read. The controller would send the answers on the new link.
  @Test("What is answered to a link that ends in the same read is not sent, even if its handle is in use again")
  func answersToAnEndedLink() throws {
    let bench = try Bench.ready()
    bench.connect()
    bench.forget()
    let question = Bench.acl(ReadRequest(handle: bench.valueHandle(TestAccessory.text)).encodedPDU, channel: 4)
    let end = HCIDisconnectionComplete {
      $0.connectionHandle.rawValue = 0
      $0.reason = .remoteUserTerminatedConnection
    }
    bench.receive(question + question + end.h4)
    #expect(bench.packets.isEmpty)
    bench.connect()
    bench.receive(question)
    #expect(bench.attPDUs() == [[ATTOpcode.readResponse.rawValue] + Array("text".utf8)])
  }

  @Test("Data of a link that only the controller knows is not returned")
  func unknownLink() throws {
    let bench = try ready()
    bench.receive((0..<5).flatMap { _ in command(bench, 5) })
    bench.advance(.seconds(1))
    #expect(try returned(bench) == [])
  }

  @Test("A refusal is a fault, unless the link ended meanwhile; neither changes anything else")
  func refused() throws {
    let bench = try ready(buffers: 2, links: 2)
    let refusal = HCICommandComplete {
      $0.opcode = Self.returning
      $0.returnParameters = [ErrorCode.invalidHCICommandParameters.rawValue]
    }
    bench.receive(command(bench))
    bench.event(refusal)
    #expect(bench.events.faults == [.unexpectedAnswer(Self.returning)])
    bench.forget()
    bench.receive(command(bench))
    bench.disconnect(0)
    bench.event(refusal)
    #expect(bench.events.faults == [])
    #expect(bench.att(ReadRequest(handle: bench.valueHandle(TestAccessory.text)), 1) == [[0x0B, 1]])
    #expect(bench.violations == [])
  }

  @Test("A controller that does not support the command after all gets it once", arguments: [true, false])
  func unknown(isComplete: Bool) throws {
    let bench = try ready(buffers: 2)
    bench.receive(command(bench))
    if isComplete {
      bench.event(
        HCICommandComplete {
          $0.opcode = Self.returning
          $0.returnParameters = [ErrorCode.unknownHCICommand.rawValue]
        })
    } else {
      bench.event(HCICommandStatus(Self.returning, .unknownHCICommand))
    }
    for _ in 0..<9 { bench.receive(command(bench)) }
    #expect(try returned(bench) == [[0, 1]])
    #expect(bench.events.faults == [] && bench.stack.deadline == nil)
  }

  @Test("A controller that answers it with success is left alone")
  func success() throws {
    let bench = try ready(buffers: 2)
    for _ in 0..<3 {
      bench.receive(command(bench))
      bench.event(
        HCICommandComplete {
          $0.opcode = Self.returning
          $0.returnParameters = [ErrorCode.success.rawValue]
        })
    }
    #expect(try returned(bench) == [[0, 1], [0, 1], [0, 1]])
    #expect(bench.events.faults == [])
  }

  @Test("A controller that restarts gets the setup again, and is owed nothing from before")
  func restart() throws {
    let bench = try ready()
    bench.receive(command(bench))
    bench.event(HCIHardwareError { $0.hardwareCode = 1 })
    #expect(bench.events.tags.contains("restarted") && bench.events.tags.last == "ready main")
    #expect(bench.opcodes().contains(.hostBufferSize) && bench.opcodes().contains(.setControllerToHostFlowControl))
    bench.advance(.seconds(1))
    #expect(try returned(bench) == [])
    bench.connect()
    bench.receive((0..<4).flatMap { _ in command(bench) })
    #expect(try returned(bench) == [[0, 4]])
  }
}
