import BLECore
import BLEGAP
import BLEHCI
import BLELink
import PeripheralHost
import Testing

@Suite("Line problems are reported once")
struct LineIncidentTests {
  private static let nop = HCICommandComplete { $0.commandPackets = 1 }

  /// Returns a host on the air, on a line that it watches, with a next check that is not answered.
  private func watched() throws -> Bench {
    let bench = try Bench()
    bench.stack.watchInterval = .seconds(1)
    bench.start()
    #expect(bench.stack.activeSets == ["main"])
    bench.script.answers[.readLocalVersionInformation] = .silence
    bench.forget()
    return bench
  }

  @Test("Everything detected before the next answer is one report, which comes with the answer")
  func oneReport() throws {
    let bench = try watched()
    bench.receive([0x00, 0xAA])
    bench.receive([0x55] + HCICommandStatus(.disconnect, .success).h4)
    #expect(bench.opcodes() == [.readLocalVersionInformation] && bench.events.faults == [])
    bench.answer(.readLocalVersionInformation, [0, 13, 0, 0, 13, 0xFF, 0xFF, 0, 0])
    #expect(bench.events.faults == [.skippedOctets(3)])
    bench.receive([0x00] + LEPHYUpdateComplete().h4)
    bench.answer(.readLocalVersionInformation, [0, 13, 0, 0, 13, 0xFF, 0xFF, 0, 0])
    #expect(bench.events.faults == [.skippedOctets(3), .skippedOctets(1)])
  }

  @Test("Without an answer the report is the restart, with the earlier problems")
  func restart() throws {
    let bench = try watched()
    bench.receive([0x00, 0xAA])
    bench.script.answers[.reset] = .silence
    bench.advance(.seconds(2))
    let reason =
      "it did not answer \(CommandOpcode.readLocalVersionInformation) (after 2 octets that belong to no packet)"
    #expect(bench.events.faults == [.controllerRestarted(reason)])
    // Problems before full recovery belong to it.
    bench.receive([0x00, 0xAA] + HCICommandStatus(.disconnect, .success).h4)
    bench.script.answers = [:]
    bench.advance(.seconds(2))
    #expect(bench.stack.activeSets == ["main"])
    #expect(bench.events.faults == [.controllerRestarted(reason)])
    bench.event(HCIHardwareError())
    #expect(bench.events.faults.count == 2)
  }

  @Test("Missing octets of a PDU are not reported a second time")
  func missingPart() throws {
    let bench = try Bench.ready()
    bench.connect(0)
    bench.forget()
    // The first part of a PDU of 30 octets; the second part is lost, except for its last octets.
    let part = [UInt8](repeating: 1, count: 10)
    bench.receive(Bench.acl([UInt8](repeating: 0, count: 0), channel: 4, 0))
    var first = OctetBuffer()
    ACLHeader(connectionHandle: .zero, boundary: .firstFromController, length: 14).encodeH4(into: &first)
    first.append([30, 0, 4, 0] + part)
    bench.receive(first.copy())
    bench.receive([0x00, 0xAA, 0x55])
    #expect(bench.readsText())
    #expect(bench.events.faults == [.skippedOctets(3)])
    // Without a loss it is reported.
    bench.receive(first.copy())
    #expect(bench.readsText())
    #expect(bench.events.faults.count == 2)
  }

  @Test("A controller that keeps restarting is given up, or left alone for a second at a time")
  func restartsForEver() throws {
    for attempts in [2, Int.max] {
      let bench = try Bench.ready()
      bench.stack.resetAttempts = attempts
      bench.script.answers[.reset] = .silence
      for _ in 0..<100 {
        bench.event(HCIHardwareError())
        bench.advance(.milliseconds(100))
      }
      #expect(bench.events.faults.count == 1)
      if attempts == .max {
        #expect(bench.events.failure == nil)
        #expect(bench.opcodes().count < 5)
        bench.script.answers = [:]
        bench.advance(.seconds(1))
        #expect(bench.stack.activeSets == ["main"])
      } else {
        #expect(bench.events.failure == .unstable("it reported hardware error 0x00"))
      }
    }
  }

  @Test("A controller that announces itself during bring-up is brought up from the start, but not forever")
  func announcementDuringBringUp() throws {
    var script = ControllerScript.basic
    script.answers[.leReadBufferSize] = .silence
    let bench = try Bench(script)
    bench.start()
    bench.event(Self.nop)
    #expect(bench.opcodes().count { $0 == .reset } == 2)
    bench.script.answers = [:]
    bench.event(Self.nop)
    #expect(bench.events.tags == ["restarted", "controller", "started main", "ready main"])
    // One that does so each time.
    let other = try Bench(script)
    other.start()
    for _ in 0..<10 { other.event(Self.nop) }
    #expect(other.opcodes().count { $0 == .reset } == 4)
    other.answer(.leReadBufferSize, [0] + ControllerScript.word(27) + [4])
    #expect(other.events.tags.last == "ready main")
  }

  @Test("A firmware's assertion event counts as soon as it has reported its manufacturer")
  func assertionDuringBringUp() throws {
    var script = ControllerScript.basic
    script.manufacturer = .zephyr
    script.answers[.leReadBufferSize] = .silence
    let bench = try Bench(script)
    bench.start()
    bench.script.answers = [:]
    bench.event(ZephyrAssertion(file: "ull.c", line: 7).event)
    #expect(bench.events.tags == ["restarted", "controller", "started main", "ready main"])
  }

  @Test("A pending command is not awaited for long after an apparent restart")
  func commandUnderWay() throws {
    let bench = try Bench.ready()
    bench.script.answers[.leSetDataLength] = .silence
    bench.connect(0)
    bench.script.answers[.readRSSI] = .silence
    try bench.ask()
    bench.event(Self.nop)
    bench.advance(.milliseconds(100))
    #expect(bench.events.tags.contains("restarted") && bench.events.tags.last == "ready main")
  }
}

@Suite("Supervision of a controller")
struct ControllerWatchTests {
  @Test("A set that is silently off the air is detected, because its parameters are not refused")
  func setOffTheAir() throws {
    let bench = try Bench()
    bench.stack.watchInterval = .seconds(1)
    bench.start()
    bench.forget()
    bench.advance(.seconds(3))
    #expect(bench.opcodes() == [.leSetAdvertisingParameters, .leSetAdvertisingParameters, .leSetAdvertisingParameters])
    #expect(bench.events.faults == [])
    bench.stopAdvertising()
    bench.advance(.seconds(1))
    // It was configured and checked again, because some controllers accept parameters at any time.
    #expect(bench.opcodes().filter { $0 == .leSetAdvertisingParameters }.count == 7)
    #expect(bench.events.faults == [.controllerRestarted("it has lost its settings")])
    #expect(bench.events.tags.last == "ready main")
    bench.forget()
    bench.advance(.seconds(10))
    #expect(bench.events.faults == [])
  }

  @Test("A controller that accepts parameters at any time is never reset for it")
  func tolerantController() throws {
    let bench = try Bench()
    bench.stack.watchInterval = .seconds(1)
    bench.script.answers[.leSetAdvertisingParameters] = .complete([0])
    bench.start()
    bench.advance(.seconds(10))
    #expect(bench.events.faults == [])
    #expect(bench.opcodes().count { $0 == .reset } == 1)
    #expect(bench.opcodes().last == .readLocalVersionInformation)
  }

  /// Returns an idle host, on a controller that always suggests that many octets.
  private func idle(suggesting octets: UInt16) throws -> Bench {
    var script = ControllerScript.extended
    script.commands = SupportedCommands(
      ControllerScript.basicCommands + ControllerScript.longPacketCommands + ControllerScript.extendedCommands
        + [.leReadSuggestedDefaultDataLength])
    let set = AdvertisingSetDefinition(id: "main", data: [2, 1, 6], startsAutomatically: false)
    let bench = try Bench(script, TestAccessory.configuration(advertising: [set]))
    bench.stack.watchInterval = .seconds(1)
    suggest(octets, on: bench)
    bench.start()
    bench.advance(.seconds(5))
    return bench
  }

  private func suggest(_ octets: UInt16, on bench: Bench) {
    bench.script.answers[.leReadSuggestedDefaultDataLength] = .complete(
      LEReadSuggestedDefaultDataLength.ReturnParameters { $0.maximumTxOctets = octets }.encoded)
  }

  @Test("The suggested data length reveals a restart that nothing else shows")
  func restartWhileIdle() throws {
    let bench = try idle(suggesting: 251)
    #expect(bench.events.faults == [] && bench.opcodes().last == .leReadSuggestedDefaultDataLength)
    suggest(27, on: bench)
    bench.advance(.seconds(1))
    #expect(bench.events.faults == [.controllerRestarted("it has lost its settings")])
    suggest(251, on: bench)
    bench.advance(.seconds(5))
    #expect(bench.events.faults.count == 1)
    suggest(27, on: bench)
    bench.advance(.seconds(1))
    #expect(bench.events.faults.count == 2)
  }

  @Test("A controller that never returns the configured suggestion is reset for it once")
  func forgetfulController() throws {
    let bench = try idle(suggesting: 27)
    bench.advance(.seconds(20))
    #expect(bench.events.faults == [.controllerRestarted("it has lost its settings")])
    #expect(bench.opcodes().last == .readLocalVersionInformation)
  }

  @Test("A central that was not reported to the host is disconnected")
  func stranger() throws {
    let bench = try Bench(.basic, TestAccessory.configuration(connection: ConnectionPolicy(maximumConnections: 2)))
    bench.stack.watchInterval = .seconds(1)
    bench.start()
    bench.connect(0)
    bench.forget()
    let frame = Bench.acl([0x0A, 1, 0], channel: 4, 7)
    bench.receive(frame + frame + frame)
    // Legacy advertising ended with that connection, and begins again.
    #expect(bench.opcodes() == [.disconnect, .leSetAdvertisingEnable])
    #expect(bench.events.faults == [.unknownConnection(ConnectionHandle(rawValue: 7))])
    #expect(bench.readsText(0))
    bench.disconnect(0)
    bench.forget()
    bench.script.disconnects = false
    bench.receive(frame)
    #expect(bench.opcodes().prefix(2) == [.disconnect, .reset])
    #expect(bench.events.faults.count == 1 && bench.stack.activeSets == ["main"])
  }
}

@Suite("Loss of the controller")
struct ControllerLossTests {
  @Test("Every link ends once, and with the next controller centrals find everything as before")
  func loss() throws {
    let bench = try Bench.ready(
      .extended, TestAccessory.configuration(connection: ConnectionPolicy(maximumConnections: 3)))
    bench.connect(0)
    bench.connect(1)
    bench.script.answers[.readRSSI] = .silence
    try bench.ask()
    bench.forget()
    bench.receive([0x04, 0x3E])
    bench.loseController()
    #expect(bench.events.tags.filter { $0.hasPrefix("disc") } == ["disconnected 0 3", "disconnected 1 3"])
    #expect(bench.events.faults == [] && bench.stack.linkStates.isEmpty && bench.stack.activeSets == [])
    bench.advance(.seconds(10))
    #expect(bench.commands == [] && bench.stack.deadline == nil)
    bench.loseController()
    #expect(bench.events.tags.count { $0.hasPrefix("disc") } == 2)
    bench.script.answers = [:]
    bench.start()
    #expect(bench.events.tags.suffix(1) == ["ready main"] && bench.opcodes().first == .reset)
    bench.connect(0)
    #expect(bench.readsText())
  }

  @Test("During a shutdown it is the end")
  func lossDuringShutdown() throws {
    let bench = try Bench.ready()
    bench.connect(0)
    bench.script.disconnects = false
    bench.shutDown()
    #expect(!bench.events.tags.contains("stopped"))
    bench.loseController()
    #expect(bench.events.tags.suffix(2) == ["disconnected 0 3", "stopped"])
    #expect(bench.stack.deadline == nil)
  }
}

@Suite("Zephyr's limit for one advertising packet")
struct ConnectableLengthTests {
  @Test(
    "A connectable extended set has at most 191 octets there, whatever maximum it reports",
    arguments: [
      (ControllerManufacturer.zephyr, true, 191, true), (.zephyr, true, 192, false), (.zephyr, false, 192, true),
      (.nimble, true, 192, true), (.nimble, true, 1650, true), (.nimble, true, 1651, false),
    ])
  func limit(_ manufacturer: ControllerManufacturer, _ isConnectable: Bool, _ length: Int, _ fits: Bool) throws {
    var script = ControllerScript.extended
    script.manufacturer = manufacturer
    script.maximumAdvertisingData = 1650
    var long = AdvertisingSetDefinition(id: "long", kind: .extended, data: [UInt8](repeating: 0, count: length))
    long.isConnectable = isConnectable
    let bench = try Bench(script, TestAccessory.configuration(advertising: [TestAccessory.legacySet, long]))
    bench.start()
    #expect(bench.stack.activeSets == (fits ? ["main", "long"] : ["main"]))
    #expect(bench.events.tags.contains("unavailable long") == !fits)
  }
}
