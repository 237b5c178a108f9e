import BLECore
import BLEGAP
import BLEHCI
import BLELink
import PeripheralHost
import Testing

@Suite("Shutdown")
struct ShutdownTests {
  private func bench(_ script: ControllerScript = .basic, links: Int = 2) throws -> Bench {
    try Bench.ready(script, TestAccessory.configuration(connection: ConnectionPolicy(maximumConnections: links)))
  }

  @Test("Links are ended, advertising stops, and then the shutdown is complete", arguments: [false, true])
  func order(extended: Bool) throws {
    let bench = try bench(extended ? .extended : .basic, links: 3)
    bench.connect(0)
    bench.connect(1)
    bench.forget()
    bench.shutDown()
    #expect(bench.events.tags.last == "stopped")
    #expect(bench.events.tags.count { $0 == "stopped" } == 1)
    #expect(
      bench.events.tags.filter { $0.hasPrefix("disconnected") } == ["disconnected 0 22", "disconnected 1 22"])
    #expect(bench.commands.contains(Bench.Sent(opcode: .disconnect, parameters: [0, 0, 0x15])))
    #expect(bench.stack.linkStates.isEmpty && bench.stack.activeSets.isEmpty)
    bench.forget()
    bench.shutDown()
    bench.advance(.seconds(60))
    #expect(!bench.events.tags.contains { $0.hasPrefix("ready") || $0.hasPrefix("started") })
    #expect(bench.commands == [])
  }

  @Test("It waits for links that take time to end")
  func slowLink() throws {
    let bench = try bench()
    bench.connect(0)
    bench.script.disconnects = false
    bench.shutDown()
    #expect(!bench.events.tags.contains("stopped"))
    bench.disconnect(0, .connectionTerminatedByLocalHost)
    #expect(bench.events.tags.last == "stopped")
    #expect(bench.stack.activeSets.isEmpty)
  }

  @Test("A link that is made meanwhile is also ended")
  func lateLink() throws {
    let bench = try bench()
    bench.connect(0)
    bench.script.disconnects = false
    bench.shutDown()
    bench.connect(1)
    #expect(bench.commands.last == Bench.Sent(opcode: .disconnect, parameters: [1, 0, 0x15]))
    bench.disconnect(0)
    #expect(!bench.events.tags.contains("stopped"))
    bench.disconnect(1)
    #expect(bench.events.tags.last == "stopped")
  }

  @Test("During bring-up it ends at once")
  func duringBringUp() throws {
    var script = ControllerScript.basic
    script.answers[.leReadBufferSize] = .silence
    let bench = try Bench(script)
    bench.start()
    bench.shutDown()
    #expect(bench.events.tags == ["stopped"])
    bench.answer(.leReadBufferSize, [0, 27, 0, 4])
    bench.advance(.seconds(60))
    #expect(bench.events.tags.count { $0 == "stopped" } == 1)
    #expect(!bench.opcodes().contains(.leSetAdvertisingEnable))
  }

  @Test("Before the first advertising is on, `ready` is not reported")
  func beforeReady() throws {
    var script = ControllerScript.basic
    script.answers[.leSetAdvertisingData] = .silence
    let bench = try Bench(script)
    bench.start()
    bench.shutDown()
    bench.answer(.leSetAdvertisingData, [0])
    #expect(bench.events.tags == ["controller", "stopped"])
    bench.event(HCIVendorEvent())
    #expect(bench.events.tags == ["controller", "stopped"])
  }

  @Test("A controller that restarts meanwhile does not go on the air again")
  func restart() throws {
    let bench = try bench()
    bench.connect(0)
    bench.script.disconnects = false
    bench.shutDown()
    bench.forget()
    bench.event(HCIHardwareError())
    #expect(bench.events.tags.last == "stopped")
    #expect(!bench.opcodes().contains(.leSetAdvertisingEnable))
    #expect(!bench.events.tags.contains { $0.hasPrefix("ready") })
  }

  @Test("With a failed controller it ends at once")
  func failed() throws {
    var script = ControllerScript.basic
    script.answers[.reset] = .status(.hardwareFailure)
    let bench = try Bench(script)
    bench.start()
    bench.shutDown()
    #expect(bench.events.tags == ["failed", "stopped"])
  }
}
