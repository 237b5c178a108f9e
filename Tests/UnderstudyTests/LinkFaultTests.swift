import AccessoryProfile
import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import CentralHost
import Faults
import PeripheralHost
import Simulation
import Testing
import Understudy

@Suite("Faults of links and of the whole accessory") struct LinkFaultTests {
  @Test("The accessory vanishes, which the central detects by its supervision timeout, and comes back")
  func vanishes() throws {
    let scene = try FaultScene("on: { write: lock }, do: { vanish: 5 s }")
    let link = try scene.connect()
    let begin = scene.simulation.now
    _ = try scene.phone.begin(.write(scene.handle("lock"), [1]), on: link)
    scene.simulation.run(for: .milliseconds(4500))
    #expect(scene.phone.ends == [.connectionTimeout])
    #expect(try scene.phone.scan(for: .milliseconds(300)).isEmpty)
    let again = try scene.connect()
    #expect(scene.simulation.now - begin < .seconds(7))
    #expect(try scene.phone.read(scene.handle("level"), on: again) == [7])
  }

  @Test("An accessory that vanishes when it is connected cannot be connected")
  func cannotBeConnected() throws {
    let scene = try FaultScene("on: connected, do: { vanish: 1 s }, times: 1")
    let link = try? scene.connect()
    scene.simulation.run(for: .seconds(3))
    #expect(
      link == nil || scene.phone.ends == [.connectionFailedToBeEstablished] || scene.phone.ends == [.connectionTimeout])
    #expect(scene.phone.links.isEmpty)
    let again = try scene.connect()
    #expect(try scene.phone.read(scene.handle("level"), on: again) == [7])
  }

  @Test(
    "After a reboot, values are reset; after an absence, they are unchanged",
    arguments: ["reboot", "vanish"])
  func reboots(action: String) throws {
    let scene = try FaultScene("on: disconnected, do: { \(action): 2 s }, times: 1")
    let link = try scene.connect()
    try scene.phone.write([9], to: scene.handle("lock"), on: link)
    try scene.phone.disconnect(link)
    scene.simulation.run(for: .seconds(1))
    #expect(try scene.phone.scan(for: .milliseconds(300)).isEmpty)
    let again = try scene.connect()
    #expect(try scene.phone.read(scene.handle("lock"), on: again) == (action == "reboot" ? [1, 2] : [9]))
  }

  @Test("The controller is reset")
  func reset() throws {
    let scene = try FaultScene("on: { read: level }, do: reset-controller, times: 1")
    let link = try scene.connect()
    _ = try scene.phone.begin(.read(scene.handle("level")), on: link)
    scene.simulation.run(for: .seconds(3))
    #expect(scene.phone.ends == [.connectionTimeout])
    let again = try scene.connect()
    #expect(try scene.phone.read(scene.handle("level"), on: again) == [7])
  }

  @Test("The clock is wrong", arguments: ["clock-ahead: 1 h", "clock-behind: 1 h"])
  func clock(action: String) throws {
    let scene = try FaultScene("on: { write: lock }, do: { \(action) }")
    let link = try scene.connect()
    let before = scene.accessory.stack.application.clock.nanosecondsAtZero
    try scene.phone.write([1], to: scene.handle("lock"), on: link)
    let hour: Int64 = 3_600_000_000_000
    let shift = scene.accessory.stack.application.clock.nanosecondsAtZero - before
    #expect(shift == (action.contains("ahead") ? hour : -hour))
  }

  @Test("Connection parameters are requested again and again")
  func flood() throws {
    let scene = try FaultScene(
      "on: { read: level }, do: { flood: { with: parameters, times: 6 }, pause: 200 ms }, times: 1")
    let link = try scene.connect()
    _ = try scene.phone.read(scene.handle("level"), on: link)
    scene.simulation.run(for: .seconds(3))
    let requests = scene.phone.events.count { if case .parametersRequested = $0 { true } else { false } }
    #expect(requests == 6)
  }

  @Test("It advertises another name, wrong data, a name that changes, and then the right one")
  func advertising() throws {
    let scene = try FaultScene(
      "on: { at: 1 s }, do: { advertise: { name: Twin } }", "on: { at: 3 s }, do: { advertise: over-long }",
      "on: { at: 5 s }, do: { advertise: { data: hex:0201060511112233 } }",
      "on: { every: 1 s }, after: 7 s, do: { advertise: changing }, times: 3",
      "on: { at: 12 s }, do: { advertise: as-defined }")
    func names(for duration: Duration) throws -> [String] {
      try scene.phone.scan(for: duration).compactMap(\.data.localName)
    }
    #expect(Set(try names(for: .milliseconds(500))) == ["Faulty"])
    scene.simulation.run(for: .seconds(1))
    #expect(Set(try names(for: .milliseconds(500))) == ["Twin"])
    scene.simulation.run(for: .milliseconds(1500))
    #expect(!Set(try names(for: .milliseconds(500))).contains("Twin"))
    scene.simulation.run(for: .milliseconds(1500))
    let data = try scene.phone.scan(for: .milliseconds(500)).map(\.octets)
    #expect(data.filter { $0.starts(with: [2, 1, 6, 5, 0x11]) }.isEmpty == false)
    let changing = Set(try names(for: .seconds(6)))
    #expect(changing.count { $0.hasPrefix("Fault") && $0 != "Faulty" } == 3)
    scene.simulation.run(for: .seconds(2))
    #expect(Set(try names(for: .milliseconds(500))) == ["Faulty"])
  }

  @Test(
    "Services change during discovery, with or without Service Changed",
    arguments: ["change", "change-silently"])
  func services(word: String) throws {
    let scene = try FaultScene(
      "on: { request: read-by-type }, nth: 2, do: { services: \(word), service: current-time }")
    let link = try scene.connect()
    let changed = try #require(scene.accessory.stack.server.database.characteristic(named: "level"))
    _ = try? scene.phone.discover(on: link)
    #expect(scene.injected == ["fault-1"])
    #expect(scene.accessory.stack.server.database.characteristic(named: "current-time") == nil)
    #expect(scene.accessory.stack.server.database.characteristic(named: "level")?.value == changed.value)
  }

  @Test("Service Changed is indicated again and again")
  func storm() throws {
    let scene = try FaultScene("on: { write: lock }, do: { service-changed: 25 }, times: 1")
    let link = try scene.connect()
    let database = try scene.phone.discover(on: link)
    let serviceChanged = try #require(database.characteristic(BluetoothUUID(0x2A05)))
    try scene.phone.configure(serviceChanged.value, .indication, on: link)
    try scene.phone.write([1], to: scene.handle("lock"), on: link)
    scene.simulation.run(for: .seconds(10))
    let changes = scene.phone.events.count { if case .client(_, .servicesChanged) = $0 { true } else { false } }
    #expect(changes == 25)
  }
}

@Suite("Faults of channels") struct ChannelFaultTests {
  private func open(_ fault: String) throws -> (scene: FaultScene, link: ConnectionHandle, psm: SPSM) {
    let scene = try FaultScene(fault)
    let psm = try #require(scene.profile.psms["stream"])
    return (scene, try scene.connect(), psm)
  }

  @Test("A channel is refused with a result, or not answered", arguments: ["{ result: 4 }", "ignore"])
  func refused(action: String) throws {
    let (scene, link, psm) = try open("on: { channel-request: stream }, do: \(action), times: 1")
    scene.phone.limit = .seconds(10)
    #expect(throws: SimulationFailure.self) { try scene.phone.openChannel(psm, on: link) }
    #expect(scene.injected == ["fault-1"])
    if action != "ignore" { _ = try scene.phone.openChannel(psm, on: link) }
  }

  @Test("The channel's credits run out")
  func withheld() throws {
    let (scene, link, psm) = try open("on: { channel: stream }, do: { credits: withhold }")
    let channel = try scene.phone.openChannel(psm, on: link)
    var sent = 0
    scene.phone.limit = .seconds(5)
    while sent < 2000, (try? scene.phone.sendSDU([UInt8](repeating: 1, count: 90), on: channel.id, of: link)) != nil {
      sent += 1
    }
    #expect(sent < 2000)
    #expect(scene.phone.stack.channelStatus(channel.id, of: link)?.sendCredits == 0)
  }

  @Test(
    "A violation closes the channel",
    arguments: ["{ credits: overflow }", "close"] + FaultFrame.allCases.map { "{ frame: \($0.rawValue) }" })
  func closed(action: String) throws {
    let (scene, link, psm) = try open("on: { channel: stream }, do: \(action)")
    let channel = try? scene.phone.openChannel(psm, on: link)
    scene.simulation.run(for: .seconds(2))
    #expect(scene.injected == ["fault-1"])
    if let channel { #expect(scene.phone.stack.channelStatus(channel.id, of: link) == nil) }
    #expect(scene.phone.links == [link])
  }
}

@Suite("Faults of keys") struct KeyFaultTests {
  private static let security = "security: { pairing: just-works }\n"

  @Test("The keys are lost, or wrong, when the central reconnects", arguments: ["forget", "corrupt"])
  func keys(action: String) throws {
    let scene = try FaultScene("on: disconnected, do: { keys: \(action) }, times: 1", extra: Self.security)
    scene.phone.user = .accepts()
    let link = try scene.connect()
    guard case .paired = try scene.phone.pair(link) else { Issue.record("not paired"); return }
    try scene.phone.disconnect(link)
    scene.simulation.run(for: .seconds(1))
    #expect(scene.accessory.stack.bonds.count == (action == "forget" ? 0 : 1))
    let again = try scene.connect()
    let outcome = try scene.phone.pair(again)
    switch (action, outcome) {
    case ("forget", .notEncrypted(.pinOrKeyMissing)), ("corrupt", .notEncrypted), ("corrupt", .cut): break
    default: Issue.record("\(outcome)")
    }
  }
}
