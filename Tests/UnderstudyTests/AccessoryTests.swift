import AccessoryProfile
import BLECore
import BLEGAP
import BLEHCI
import BLELink
import Capture
import Foundation
import Glibc
import PeripheralHost
import Testing
import Understudy
import VirtualRadio

@testable import Transport

@Suite("Accessories", .timeLimit(.minutes(20)))
struct AccessoryTests {
  private func accessory(
    _ controller: ControllerAddress = .virtual, capture: String? = nil, on loop: PollLoop
  ) throws -> Accessory {
    try Accessory(
      try testProfile(), options: AccessoryOptions(controller: controller, capturePath: capture), loop: loop)
  }

  @Test("On the virtual radio it is ready, and ends cleanly")
  func virtual() async throws {
    try await withLoop { loop in
      let accessory = try accessory(on: loop)
      let events = await accessory.events()
      try await accessory.start()
      let report = try await events.ready()
      #expect(report.name == "Test" && report.controller == "virtual" && report.sets == ["main"])
      #expect(report.address.isValidRandomStatic && report.addressType == .random)
      #expect(report.ports.count == 1 && report.ports[0] != 0)
      await accessory.stop()
      #expect(await accessory.end().failure == nil)
      await accessory.stop()
      #expect(await accessory.end().failure == nil)
      // The stream ends with the accessory, after the event `stopped`.
      _ = try await events.named("stopped")
      for await event in events { Issue.record("after the end: \(event.json.jsonText)") }
    }
  }

  @Test("After the end nothing listens at its port, and joined hosts are disconnected")
  func closedPort() async throws {
    try await withLoop { loop in
      let accessory = try accessory(on: loop)
      let events = await accessory.events()
      try await accessory.start()
      let port = try await events.ready().ports[0]
      let central = try LineCentral(port: port)
      await accessory.stop()
      _ = await accessory.end()
      #expect(throws: CancellationError.self) { try central.disconnection() }
      #expect(throws: TransportError.self) { try Line.connectTCP(host: ControllerAddress.loopback, port: port) }
    }
  }

  @Test("Two accessories run on one loop, and have the same addresses at every start")
  func two() async throws {
    try await withLoop { loop in
      var addresses: [DeviceAddress] = []
      let running = [try accessory(on: loop), try accessory(on: loop)]
      for accessory in running {
        let events = await accessory.events()
        try await accessory.start()
        addresses.append(try await events.ready().address)
      }
      #expect(addresses[0] == addresses[1])
      for accessory in running {
        await accessory.stop()
        #expect(await accessory.end().failure == nil)
      }
    }
  }

  // MARK: Controllers behind lines

  /// Starts an accessory, waits until it is on the air, and stops it.
  private func expectLife(of accessory: Accessory, _ start: (AsyncStream<AccessoryEvent>) async throws -> Void)
    async throws
  {
    let events = await accessory.events()
    try await start(events)
    let report = try await events.ready()
    #expect(report.sets == ["main"] && report.ports == [])
    #expect(report.controller == accessory.options.controller.description)
    await accessory.stop()
    #expect(await accessory.end().failure == nil)
  }

  @Test("A controller behind a Unix socket", arguments: [ControllerConfiguration.zephyrHCIUART, .nimble])
  func unix(_ configuration: ControllerConfiguration) async throws {
    try await withLoop { loop in
      let path = temporaryPath("unix-\(configuration.manufacturer.rawValue)")
      let site = ControllerSite(.virtual(configuration), on: loop)
      try await site.listen(at: path)
      let accessory = try accessory(.unix(path: path), on: loop)
      try await expectLife(of: accessory) { _ in try await accessory.start() }
      await site.close()
    }
  }

  @Test("A controller behind a TCP port")
  func tcpClient() async throws {
    try await withLoop { loop in
      let hub = RadioHub(loop: loop, configuration: .zephyrExtended)
      let port = try await hub.openPort()
      let accessory = try accessory(.tcpClient(host: ControllerAddress.loopback, port: port), on: loop)
      try await expectLife(of: accessory) { _ in try await accessory.start() }
      await hub.close()
    }
  }

  @Test("A controller that connects to a TCP port")
  func tcpServer() async throws {
    try await withLoop { loop in
      let accessory = try accessory(.tcpServer(host: ControllerAddress.loopback, port: 0), on: loop)
      let site = ControllerSite(.virtual(.full), on: loop)
      try await expectLife(of: accessory) { events in
        try await accessory.start()
        let place = try await events.place()
        let port = try #require(UInt16(place.dropFirst("port ".count)))
        try await site.connect(port: port)
      }
      await site.close()
    }
  }

  @Test("A controller that opens a pseudo-terminal, by its name or by a link", arguments: [false, true])
  func pty(linked: Bool) async throws {
    try await withLoop { loop in
      let link = linked ? temporaryPath("pty") : nil
      let accessory = try accessory(.pty(link: link), on: loop)
      let site = ControllerSite(.virtual(.full), on: loop)
      try await expectLife(of: accessory) { events in
        try await accessory.start()
        let place = try await events.place()
        if let link { #expect(place == link) }
        try await site.open(terminal: place)
      }
      await site.close()
    }
  }

  @Test("A controller behind a serial port")
  func serial() async throws {
    try await withLoop { loop in
      let site = ControllerSite(.virtual(.zephyrHCIUART), on: loop)
      let path = try await site.makeTerminal()
      let accessory = try accessory(.serial(SerialSettings(path: path, flowControl: false)), on: loop)
      try await expectLife(of: accessory) { _ in try await accessory.start() }
      await site.close()
    }
  }

  @Test("A stop during the wait for the controller ends the accessory")
  func stopWhileAwaiting() async throws {
    try await withLoop { loop in
      // On an address of its own, no other test listens on the same port by the time of the check.
      let host = "127.83.0.1"
      let accessory = try accessory(.tcpServer(host: host, port: 0), on: loop)
      let events = await accessory.events()
      try await accessory.start()
      let place = try await events.place()
      let port = try #require(UInt16(place.dropFirst("port ".count)))
      // A child process has such copies of all descriptors until it executes its program.
      let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
      let copies = descriptors.filter { SocketAddress(of: $0)?.port == port }.map { dup($0) }
      defer { for copy in copies { close(copy) } }
      #expect(!copies.isEmpty)
      await accessory.stop()
      #expect(await accessory.end().failure == nil)
      #expect(throws: TransportError.self) { try Line.connectTCP(host: host, port: port) }
    }
  }

  // MARK: Trouble

  @Test("A controller that hangs up is reported as gone", arguments: [false, true])
  func hangUp(later: Bool) async throws {
    try await withLoop { loop in
      let path = temporaryPath("hang-up-\(later)")
      let site = ControllerSite(later ? .hangsUpLater : .hangsUp, on: loop)
      try await site.listen(at: path)
      let accessory = try accessory(.unix(path: path), on: loop)
      let events = await accessory.events()
      try await accessory.start()
      guard case .vanished(.unix(path), let reason) = await accessory.end().failure else {
        Issue.record("not vanished")
        return
      }
      #expect(reason == "the line was closed")
      var last: AccessoryEvent?
      for await event in events { last = event }
      #expect(last?.json["event"] == .string("failed"))
      await accessory.stop()
      #expect(await accessory.end().failure != nil)
    }
  }

  @Test("Without a listener it does not start")
  func nobody() async throws {
    try await withLoop { loop in
      for controller: ControllerAddress in [
        .unix(path: temporaryPath("nobody")), .tcpClient(host: ControllerAddress.loopback, port: 1),
        .serial(SerialSettings(path: temporaryPath("no-port"))),
      ] {
        let accessory = try accessory(controller, on: loop)
        await #expect {
          try await accessory.start()
        } throws: { error in
          guard case AccessoryFailure.unavailable(let failure) = error else { return false }
          return "\(error)".contains(controller.description) && failure.kind != .system
        }
      }
    }
  }

  @Test("A port that is in use cannot be the radio's")
  func busyPort() async throws {
    try await withLoop { loop in
      let taken = try ListeningSocket.tcp()
      let accessory = try Accessory(
        try testProfile(), options: AccessoryOptions(radioPort: taken.port), loop: loop)
      await #expect {
        try await accessory.start()
      } throws: { error in
        guard case AccessoryFailure.unavailable(let failure) = error else { return false }
        return failure.kind == .busy
      }
    }
  }

  @Test("A silent controller cannot be used, and receives only resets")
  func silent() async throws {
    try await withLoop { loop in
      let path = temporaryPath("silent")
      let site = ControllerSite(.silent, on: loop)
      try await site.listen(at: path)
      let accessory = try accessory(.unix(path: path), on: loop)
      try await accessory.start()
      guard case .unusable(.unix(path), .silent(.reset, after: .seconds(4))) = await accessory.end().failure else {
        Issue.record("not silent")
        return
      }
      #expect(await site.heard == HCIReset().h4 + HCIReset().h4)
      await site.close()
    }
  }

  @Test("A controller that does not answer does not delay a stop")
  func stopSilent() async throws {
    try await withLoop { loop in
      let path = temporaryPath("stop-silent")
      let site = ControllerSite(.silent, on: loop)
      try await site.listen(at: path)
      let accessory = try accessory(.unix(path: path), on: loop)
      try await accessory.start()
      await accessory.stop()
      #expect(await accessory.end().failure == nil)
      await site.close()
    }
  }

  // MARK: Capture

  @Test("The capture file holds every packet, in order")
  func capture() async throws {
    let path = temporaryPath("capture")
    defer { unlink(path) }
    try await withLoop { loop in
      let accessory = try accessory(capture: path, on: loop)
      let events = await accessory.events()
      try await accessory.start()
      _ = try await events.ready()
      await accessory.stop()
      _ = await accessory.end()
    }
    var reader = try BTSnoopReader(try contents(of: path))
    var packets: [CapturedPacket] = []
    while let record = reader.next() { packets.append(record.packet) }
    #expect(reader.fault == nil)
    #expect(packets.first?.direction == .hostToController && packets.first?.octets == HCIReset().h4)
    #expect(packets.dropFirst().first?.octets == [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00])
    // On and off, and once more for each change of the interval, if the machine is so slow.
    let enabling = packets.filter { $0.octets.starts(with: [0x01, 0x39, 0x20]) }.map { $0.octets[4] }
    #expect(enabling.first == 1 && enabling.last == 0)
    let commands = packets.count { $0.octets[0] == 0x01 }
    let answers = packets.count { $0.octets[0] == 0x04 && ($0.octets[1] == 0x0E || $0.octets[1] == 0x0F) }
    #expect(commands == answers)
  }

  @Test("A capture file that cannot be created is reported at the start")
  func badCapture() async throws {
    try await withLoop { loop in
      let accessory = try accessory(capture: "/tmp/no-such-folder-understudy/capture", on: loop)
      await #expect {
        try await accessory.start()
      } throws: {
        if case AccessoryFailure.capture = $0 { true } else { false }
      }
    }
  }

  private func contents(of path: String) throws -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    var octets: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while case let count = read(descriptor, &part, part.count), count > 0 { octets += part.prefix(count) }
    return octets
  }
}
