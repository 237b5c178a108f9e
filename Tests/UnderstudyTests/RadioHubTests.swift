import AccessoryProfile
import BLEATT
import BLECore
import Glibc
import Testing
import Transport
import Understudy

@Suite("Radio hubs", .timeLimit(.minutes(20)))
struct RadioHubTests {
  /// Runs `body` with a radio on its own loop, and ends both.
  private func withRadio(_ body: (RadioHub) async throws -> Void) async throws {
    try await withLoop { loop in
      let radio = RadioHub(loop: loop)
      try await body(radio)
      await radio.close()
    }
  }

  private func start(_ number: Int, on radio: RadioHub) async throws -> (Accessory, DeviceAddress) {
    let accessory = try Accessory(try testProfile(), options: AccessoryOptions(seed: UInt64(number)), on: radio)
    let events = await accessory.events()
    try await accessory.start()
    return (accessory, try await events.ready().address)
  }

  private func terminal(_ path: String) throws -> Line {
    let descriptor = Glibc.open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(descriptor >= 0)
    return Line(adopting: descriptor)
  }

  @Test("Several accessories share one air, and each answers for itself")
  func accessories() async throws {
    try await withRadio { radio in
      let port = try await radio.openPort()
      var running: [(accessory: Accessory, address: DeviceAddress)] = []
      for number in 0..<3 { running.append(try await start(number, on: radio)) }
      #expect(Set(running.map(\.address)).count == 3)
      #expect(await radio.controllers.map(\.name) == ["accessory", "accessory-2", "accessory-3"])
      let central = try LineCentral(port: port)
      try central.scan(for: Set(running.map(\.address)))
      let centrals = try running.map { accessory in
        let central = try LineCentral(port: port)
        try central.connect(to: accessory.address)
        return central
      }
      for central in centrals {
        #expect(try central.request(ExchangeMTURequest(clientMTU: 23)).first == ATTOpcode.exchangeMTUResponse.rawValue)
      }
      // One leaves; the others are unaffected.
      await running[1].accessory.stop()
      #expect(await running[1].accessory.end().failure == nil)
      #expect(try centrals[1].disconnection() == .remoteDeviceTerminatedPowerOff)
      #expect(try centrals[2].request(ExchangeMTURequest(clientMTU: 23)).count == 3)
      #expect(await radio.controllers.map(\.name).prefix(2) == ["accessory", "accessory-3"])
      for (accessory, _) in running { await accessory.stop() }
    }
  }

  @Test("Hosts join and leave through ports and sockets, and their names are reused")
  func comingAndGoing() async throws {
    try await withRadio { radio in
      let port = try await radio.openPort()
      let path = temporaryPath("radio")
      try await radio.openSocket(path: path)
      #expect(await radio.addresses == ["tcp-client:127.0.0.1:\(port)", "unix:\(path)"])
      var events = await radio.events().makeAsyncIterator()
      let first = try LineCentral(port: port)
      #expect(await events.next() == .joined(name: "tcp-1", place: "tcp-client:127.0.0.1:\(port)"))
      let second = try LineCentral(port: port)
      #expect(await events.next() == .joined(name: "tcp-2", place: "tcp-client:127.0.0.1:\(port)"))
      let third = try LineCentral(line: try Line.connectUnix(path: path))
      #expect(await events.next() == .joined(name: "unix-1", place: "unix:\(path)"))
      #expect(await radio.controllers.map(\.name) == ["tcp-1", "tcp-2", "unix-1"])
      first.close()
      #expect(await events.next() == .left(name: "tcp-1"))
      let fourth = try LineCentral(port: port)
      #expect(await events.next() == .joined(name: "tcp-1", place: "tcp-client:127.0.0.1:\(port)"))
      #expect(await radio.controllers.map(\.name) == ["tcp-2", "unix-1", "tcp-1"])
      await radio.close()
      #expect(await events.next() == nil)
      #expect(await radio.controllers == [])
      for central in [second, third, fourth] { central.close() }
    }
  }

  @Test("A central behind a terminal connects and closes it, and the controller continues")
  func terminal() async throws {
    try await withRadio { radio in
      let (accessory, address) = try await start(1, on: radio)
      let accessoryEvents = await accessory.events()
      var events = await radio.events().makeAsyncIterator()
      let link = temporaryPath("radio-pty")
      let path = try await radio.openTerminal(link: link)
      let place = "serial:\(link)"
      let closed = try #require(await radio.controllers.last)
      #expect(closed.name == "pty-1" && closed.place == place && !closed.hasHost)
      #expect(await radio.addresses == [place])
      let central = try LineCentral(line: try terminal(link))
      #expect(await events.next() == .joined(name: "pty-1", place: place))
      try central.connect(to: address)
      _ = try await accessoryEvents.named("connected")
      central.close()
      #expect(await events.next() == .left(name: "pty-1"))
      #expect(await radio.controllers.last == closed)
      // The link still exists: the controller has kept it, until the next host resets it.
      #expect(await accessory.stateReport()["connections"]?.elements.count == 1)
      let next = try LineCentral(line: try terminal(path))
      _ = try await accessoryEvents.named("disconnected")
      try next.connect(to: address)
      #expect(try next.request(ExchangeMTURequest(clientMTU: 23)).count == 3)
      next.close()
      await accessory.stop()
    }
  }

  @Test("The output of a controller while its terminal is closed is lost")
  func closedTerminal() async throws {
    try await withRadio { radio in
      let (accessory, address) = try await start(1, on: radio)
      var events = await radio.events().makeAsyncIterator()
      let path = try await radio.openTerminal()
      let central = try LineCentral(line: try terminal(path))
      #expect(await events.next() == .joined(name: "pty-1", place: "serial:\(path)"))
      // Its scan continues as long as there is something to hear.
      try central.beginScan()
      central.close()
      #expect(await events.next() == .left(name: "pty-1"))
      let witness = try LineCentral(port: try await radio.openPort())
      for _ in 0..<5 { try witness.scan(for: [address]) }
      await accessory.stop()
      _ = await accessory.end()
      let next = try terminal(path)
      #expect(await events.next() == .joined(name: "tcp-1", place: await radio.addresses[0]))
      #expect(await events.next() == .joined(name: "pty-1", place: "serial:\(path)"))
      var buffer = OctetBuffer()
      #expect(next.read(into: &buffer) == .wouldBlock)
      next.close()
      witness.close()
    }
  }

  @Test("Beyond a hundred hosts, further hosts are turned away, and accessories are not")
  func limit() async throws {
    try await withRadio { radio in
      let path = temporaryPath("radio-full")
      try await radio.openSocket(path: path)
      var events = await radio.events().makeAsyncIterator()
      var hosts: [LineCentral] = []
      for number in 1...RadioHub.hostLimit {
        hosts.append(try LineCentral(line: try Line.connectUnix(path: path)))
        #expect(await events.next() == .joined(name: "unix-\(number)", place: "unix:\(path)"))
      }
      let refused = try Line.connectUnix(path: path)
      #expect(await events.next() == .turnedAway(place: "unix:\(path)"))
      var entry = pollfd(fd: refused.descriptor, events: Int16(POLLIN), revents: 0)
      #expect(poll(&entry, 1, 10_000) == 1)
      var buffer = OctetBuffer()
      #expect(refused.read(into: &buffer) == .closed)
      let error = await #expect(throws: TransportError.self) { try await radio.openTerminal() }
      #expect(error?.why == "the radio already has 100 hosts from outside")
      let accessory = try Accessory(try testProfile(), options: AccessoryOptions(), on: radio)
      try await accessory.start()
      // One leaves, and the next is accepted.
      hosts.removeLast().close()
      #expect(await events.next() == .left(name: "unix-100"))
      hosts.append(try LineCentral(line: try Line.connectUnix(path: path)))
      #expect(await events.next() == .joined(name: "unix-100", place: "unix:\(path)"))
      for host in hosts { host.close() }
      await accessory.stop()
      _ = await accessory.end()
    }
  }

  @Test("A radio has room for far more accessories than a hundred")
  func crowd() async throws {
    try await withRadio { radio in
      var accessories: [Accessory] = []
      for number in 1...150 {
        let options = AccessoryOptions(seed: UInt64(number))
        accessories.append(try Accessory(try testProfile(), options: options, on: radio))
        try await accessories[number - 1].start()
      }
      #expect(await radio.controllers.last?.name == "accessory-150")
      #expect(RadioHub.accessoryLimit >= 1_000)
      for accessory in accessories {
        await accessory.stop()
        #expect(await accessory.end().failure == nil)
      }
    }
  }
}
