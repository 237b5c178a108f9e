import AccessoryProfile
import BLEHCI
import Testing
import Transport
import VirtualRadio

@testable import Understudy

@Suite("Probing ports")
struct PortProbeTests {
  /// Returns the result of probing a terminal with that controller.
  private func answer(_ lineKind: ControllerSite.Manner) async throws -> PortFinding.Answer {
    try await withLoop { loop in
      let site = ControllerSite(lineKind, on: loop)
      let port = SerialPort(path: try await site.makeTerminal())
      let finding = await PortProbe(port, loop: loop).run()
      #expect(finding.port == port)
      // The port is free again.
      try Line.openSerial(SerialSettings(path: port.path)).close()
      await site.close()
      return finding.answer
    }
  }

  @Test("A controller answers at the first speed", arguments: [ControllerConfiguration.zephyrExtended, .full])
  func controller(_ configuration: ControllerConfiguration) async throws {
    guard case .controller(let identity, let settings) = try await answer(.virtual(configuration)) else {
      Issue.record("no controller")
      return
    }
    #expect(identity.manufacturer == configuration.manufacturer && identity.version == configuration.version)
    #expect(identity.firmware == (configuration.manufacturer == .zephyr ? configuration.buildInformation : nil))
    #expect(settings.baud == 1_000_000 && settings.flowControl)
  }

  @Test("A silent port is distinguished from one that sends something else")
  func others() async throws {
    guard case .silent = try await answer(.silent) else {
      Issue.record("not silent")
      return
    }
    guard case .garbled(let octets) = try await answer(.babbles) else {
      Issue.record("not garbled")
      return
    }
    #expect(octets > 0)
  }

  @Test("A port that cannot be opened is reported with the reason")
  func unavailable() async throws {
    try await withLoop { loop in
      let terminal = try PseudoTerminal.open()
      let line = try Line.openSerial(SerialSettings(path: terminal.devicePath))
      let ports = [SerialPort(path: "/dev/ttyNONE0"), SerialPort(path: terminal.devicePath)]
      let findings = await PortProbe.run(ports, loop: loop)
      #expect(findings.map(\.port) == ports)
      let kinds = findings.map { finding -> TransportError.Kind? in
        if case .unavailable(let error) = finding.answer { error.kind } else { nil }
      }
      #expect(kinds == [.notFound, .busy])
      line.close()
    }
  }
}

@Suite("Waiting for a controller", .timeLimit(.minutes(20)))
struct ControllerWaitingTests {
  @Test("Without waiting, a missing port ends the accessory")
  func noWait() async throws {
    try await withLoop { loop in
      let options = AccessoryOptions(controller: .serial(SerialSettings(path: "/dev/ttyNONE0")))
      let accessory = try Accessory(testProfile(), options: options, loop: loop)
      await #expect(throws: AccessoryFailure.self) { try await accessory.start() }
      guard case .unavailable(let error) = await accessory.end().failure else {
        Issue.record("it has not ended")
        return
      }
      #expect(error.kind == .notFound)
    }
  }

  @Test(
    "With waiting, it is reported once, and the wait can be ended",
    arguments: [
      ControllerAddress.serial(SerialSettings(path: "/dev/ttyNONE0")), .unix(path: "/nonexistent/socket"),
    ])
  func wait(_ address: ControllerAddress) async throws {
    try await withLoop { loop in
      let options = AccessoryOptions(controller: address, waitsForController: true)
      let accessory = try Accessory(testProfile(), options: options, loop: loop)
      let events = await accessory.events()
      try await accessory.start()
      guard case .controllerMissing(let reason) = try await events.named("controller-missing").kind else { return }
      #expect(reason.contains(address.description))
      await accessory.stop()
      #expect(await accessory.end().failure == nil)
    }
  }

  @Test("Noise on the line is reported once, and the accessory continues")
  func noise() async throws {
    try await withLoop { loop in
      let site = ControllerSite(.virtual(.zephyrHCIUART), on: loop)
      let path = try await site.makeTerminal()
      let options = AccessoryOptions(controller: .serial(SerialSettings(path: path)))
      let accessory = try Accessory(testProfile(), options: options, loop: loop)
      let events = await accessory.events()
      try await accessory.start()
      _ = try await events.ready()
      await site.say([0x00, 0xAA, 0x55])
      // On a very busy machine, the controller may have failed to answer in time before: that is a different fault.
      var fault = try await events.named("fault")
      while fault.json["fault"] != .string("skipped-octets") { fault = try await events.named("fault") }
      #expect(fault.json["count"] == .int(3))
      await accessory.stop()
      #expect(await accessory.end().failure == nil)
      await site.close()
    }
  }
}
