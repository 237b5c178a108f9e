import BLECore
import BLEGAP
import BLEHCI
import BLELink
import PeripheralHost
import Testing

@Suite("Controllers with problems")
struct ControllerTroubleTests {
  @Test("A reset without an answer is repeated once, and then the controller is silent")
  func silentReset() throws {
    var script = ControllerScript.basic
    script.answers[.reset] = .silence
    let bench = try Bench(script)
    bench.start()
    bench.advance(.milliseconds(1999))
    #expect(bench.opcodes() == [.reset])
    bench.advance(.milliseconds(1))
    #expect(bench.opcodes() == [.reset, .reset] && bench.events.isEmpty)
    bench.advance(.seconds(2))
    #expect(bench.opcodes() == [.reset, .reset])
    #expect(bench.events.failure == .silent(.reset, after: .seconds(4)))
    #expect(bench.stack.deadline == nil)
    bench.answer(.reset, [0])
    #expect(bench.opcodes().count == 2)
  }

  @Test("An answer to the second reset suffices")
  func secondReset() throws {
    var script = ControllerScript.basic
    script.answers[.reset] = .silence
    let bench = try Bench(script)
    bench.start()
    bench.script.answers[.reset] = nil
    bench.advance(.seconds(2))
    #expect(bench.events.tags == ["controller", "started main", "ready main"])
  }

  @Test("Output before a reset is ignored, because it belongs to an earlier host", arguments: [false, true])
  func wordsFromBefore(_ isWatched: Bool) throws {
    var script = ControllerScript.extended
    script.answers[.reset] = .silence
    let bench = try Bench(script)
    if isWatched { bench.stack.watchInterval = .seconds(2) }
    bench.start()
    bench.connect(0)
    bench.event(HCICommandStatus(.leSetPHY, .success))
    bench.send([0x0A, 3, 0], channel: 4)
    bench.event(
      HCINumberOfCompletedPackets { $0.completed = [CompletedPackets(ConnectionHandle(rawValue: 0), count: 1)] })
    bench.event(HCIDisconnectionComplete { $0.connectionHandle = ConnectionHandle(rawValue: 1) })
    #expect(bench.events.isEmpty && bench.stack.linkStates.isEmpty && bench.packets.isEmpty)
    bench.script.answers[.reset] = nil
    bench.answer(.reset, [0])
    #expect(bench.events.tags == ["controller", "started main", "ready main"])
    bench.connect(0)
    #expect(bench.readsText())
  }

  @Test("Resets can be repeated forever, for controllers that come later")
  func patience() throws {
    var script = ControllerScript.basic
    script.answers[.reset] = .silence
    let bench = try Bench(script)
    bench.stack.resetAttempts = .max
    bench.start()
    bench.advance(.seconds(3600))
    #expect(bench.events.isEmpty && bench.commands.count == 1801)
    bench.script.answers[.reset] = nil
    bench.advance(.seconds(2))
    #expect(bench.events.tags.last == "ready main")
  }

  @Test(
    "A command without an answer starts bring-up again",
    arguments: [CommandOpcode.readLocalSupportedCommands, .leReadBufferSize, .leSetAdvertisingEnable])
  func silence(_ opcode: CommandOpcode) throws {
    var script = ControllerScript.basic
    script.answers[opcode] = .silence
    let bench = try Bench(script)
    bench.start()
    #expect(bench.opcodes().last == opcode)
    bench.script.answers[opcode] = nil
    bench.advance(.seconds(2))
    #expect(bench.events.tags.suffix(4) == ["restarted", "controller", "started main", "ready main"])
    #expect(bench.opcodes().count { $0 == .reset } == 2)
  }

  @Test(
    "A controller that never answers a command cannot be used",
    arguments: [CommandOpcode.readBDADDR, .leSetRandomAddress, .leSetAdvertisingData])
  func silentForEver(_ opcode: CommandOpcode) throws {
    var script = ControllerScript.basic
    script.answers[opcode] = .silence
    let bench = try Bench(script)
    bench.start()
    bench.advance(.seconds(60))
    guard case .silent(opcode, _) = bench.events.failure else {
      Issue.record("still at it: \(bench.events.tags.count) events")
      return
    }
    #expect(bench.stack.deadline == nil)
  }

  @Test("Rare problems never end the host")
  func rareTrouble() throws {
    let bench = try Bench.ready()
    for _ in 0..<20 {
      bench.event(HCIHardwareError())
      #expect(bench.stack.activeSets == ["main"])
    }
    #expect(bench.events.failure == nil)
  }

  @Test(
    "A controller that falls silent now and then is brought up each time; so is one that misses every other reset")
  func rareSilence() throws {
    let bench = try Bench.ready()
    for _ in 0..<10 {
      bench.connect(0)
      bench.script.answers[.readRSSI] = .silence
      bench.script.answers[.reset] = .silence
      try bench.ask()
      #expect(bench.opcodes().last == .readRSSI)
      bench.advance(.seconds(2))
      #expect(bench.opcodes().last == .reset)
      bench.script.answers[.reset] = nil
      bench.advance(.seconds(2))
      #expect(bench.stack.activeSets == ["main"])
    }
    #expect(bench.events.failure == nil)
    #expect(bench.events.tags.count { $0 == "restarted" } == 10)
  }

  @Test("A hardware error ends all links and starts bring-up")
  func hardwareError() throws {
    let bench = try Bench.ready(
      .extended, TestAccessory.configuration(connection: ConnectionPolicy(maximumConnections: 2)))
    bench.connect(0)
    bench.connect(1)
    bench.forget()
    bench.event(HCIHardwareError { $0.hardwareCode = 0x42 })
    #expect(
      bench.events.tags.filter { !$0.hasSuffix("ed main") } == [
        "restarted", "disconnected 0 3", "disconnected 1 3", "controller", "ready main",
      ])
    #expect(bench.events.faults == [.controllerRestarted("it reported hardware error 0x42")])
    #expect(bench.opcodes().first == .reset)
    #expect(bench.stack.linkStates.isEmpty && bench.stack.activeSets == ["main"])
    bench.connect(0)
    #expect(bench.readsText())
  }

  @Test(
    "A firmware's assertion event counts only if the manufacturer is known",
    arguments: [(ControllerManufacturer.zephyr, true), (.nordic, true), (.nimble, false)])
  func assertion(_ manufacturer: ControllerManufacturer, _ counts: Bool) throws {
    var script = ControllerScript.basic
    script.manufacturer = manufacturer
    let bench = try Bench.ready(script)
    bench.event(ZephyrAssertion(file: "ull.c", line: 1234).event)
    #expect(
      bench.events.faults == (counts ? [.controllerRestarted("its firmware stopped at ull.c:1234")] : []))
    #expect(bench.opcodes().contains(.reset) == counts)
    bench.event(HCIVendorEvent { $0.subcode = 0x01 })
    #expect(bench.events.faults.count == (counts ? 1 : 0))
  }

  @Test("A controller that announces itself has restarted, with links and without", arguments: [false, true])
  func announcement(hasLink: Bool) throws {
    let bench = try Bench.ready()
    if hasLink { bench.connect(0) }
    bench.forget()
    bench.event(HCICommandComplete { $0.commandPackets = 1 })
    let end = hasLink ? ["disconnected 0 3"] : []
    #expect(bench.events.tags == ["restarted"] + end + ["controller", "started main", "ready main"])
    #expect(bench.opcodes().first == .reset)
  }

  @Test("A controller without a PHY for a link has restarted: after its boot it answers so for handle 0")
  func linkWithoutPHY() throws {
    let script = ControllerScript(
      commands: SupportedCommands(ControllerScript.basicCommands + [.leReadPHY]))
    let bench = try Bench(script)
    bench.stack.watchInterval = .seconds(1)
    bench.script.answers[.leReadPHY] = .complete([0, 0, 0, 1, 1])
    bench.start()
    bench.connect(0)
    bench.advance(.seconds(3))
    #expect(bench.opcodes().contains(.leReadPHY) && bench.stack.linkStates.count == 1)
    bench.script.answers[.leReadPHY] = .complete([0, 0, 0, 0, 0])
    bench.advance(.seconds(2))
    #expect(bench.events.tags.contains("disconnected 0 3") && bench.events.tags.last == "ready main")
  }

  @Test("A link that ends while it is checked is no sign of a restart")
  func probedLinkEnds() throws {
    let bench = try Bench.ready(
      .basic, TestAccessory.configuration(connection: ConnectionPolicy(maximumConnections: 2)))
    bench.connect(0)
    bench.connect(1)
    bench.script.answers[.readRSSI] = .silence
    try bench.ask()
    #expect(bench.opcodes().last == .readRSSI)
    bench.disconnect(try #require(bench.askedLink))
    bench.script.answers[.readRSSI] = nil
    bench.answer(.readRSSI, [ErrorCode.unknownConnectionIdentifier.rawValue, 0, 0, 0])
    #expect(!bench.events.tags.contains("restarted"))
    let left = try #require(bench.stack.linkStates.first?.handle.rawValue)
    #expect(bench.stack.linkStates.count == 1 && bench.readsText(left))
  }

  @Test("Data and events are processed while a command is awaited, and no other command is sent")
  func duringCommand() throws {
    let bench = try Bench.ready()
    bench.connect(0)
    bench.script.answers[.readRSSI] = .silence
    try bench.ask()
    bench.forget()
    #expect(bench.readsText())
    bench.event(
      LERemoteConnectionParameterRequest {
        $0.intervalMinimum.rawValue = 6
        $0.intervalMaximum.rawValue = 12
        $0.timeout.rawValue = 100
      })
    bench.event(LELongTermKeyRequest())
    #expect(bench.commands == [])
    bench.answer(.readRSSI, [0, 0, 0, 0xC4])
    #expect(
      bench.opcodes() == [.leRemoteConnectionParameterRequestReply, .leLongTermKeyRequestNegativeReply])
    #expect(bench.violations == [])
  }

  @Test("An answer that permits no command delays the next one until the permission or the timeout")
  func withheldGrant() throws {
    var script = ControllerScript.basic
    script.answers[.reset] = .silence
    let bench = try Bench(script)
    bench.start()
    bench.receive(
      HCICommandComplete {
        $0.commandPackets = 0
        $0.opcode = .reset
        $0.returnParameters = [0]
      }.h4)
    #expect(bench.opcodes() == [.reset])
    bench.event(HCICommandComplete { $0.commandPackets = 1 })
    #expect(bench.events.tags.last == "ready main")
  }

  @Test("A permission that never comes starts bring-up again")
  func missingGrant() throws {
    var script = ControllerScript.basic
    script.answers[.reset] = .silence
    let bench = try Bench(script)
    bench.start()
    bench.receive(
      HCICommandComplete {
        $0.commandPackets = 0
        $0.opcode = .reset
        $0.returnParameters = [0]
      }.h4)
    bench.script.answers[.reset] = nil
    bench.advance(.seconds(2))
    #expect(bench.events.tags == ["restarted", "controller", "started main", "ready main"])
  }

  @Test("Answers to commands that were not sent are ignored")
  func unexpectedAnswer() throws {
    let bench = try Bench.ready()
    bench.event(HCICommandStatus(.disconnect, .success))
    #expect(bench.events.faults == [.unexpectedAnswer(.disconnect)])
    bench.connect()
    #expect(bench.readsText())
  }
}
