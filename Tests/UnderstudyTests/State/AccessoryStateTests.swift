import AccessoryProfile
import BLECore
import BLEGAP
import BLEL2CAP
import BLELink
import BLESMP
import PeripheralHost
import Testing
import Transport

@testable import Understudy

/// An accessory that ends in any way and starts again is as before.
@Suite("State that survives an accessory", .timeLimit(.minutes(20)))
struct AccessoryStateTests {
  private let directory = TemporaryDirectory()

  /// Runs the accessory of these tests until `body` returns; returns the restored state.
  @discardableResult
  private func run(
    state: String?, on loop: PollLoop, _ profile: Profile? = nil, _ body: (Accessory) async throws -> Void = { _ in }
  ) async throws -> (restored: RestoredReport?, events: [String]) {
    var options = AccessoryOptions()
    options.state = state
    let profile = try profile ?? StateSamples.profile()
    let accessory = try Accessory(profile, options: options, loop: loop)
    var events = await accessory.events().makeAsyncIterator()
    try await accessory.start()
    var names: [String] = []
    var restored: RestoredReport?
    while names.last != "ready", let event = await events.next() {
      let json = event.checked().json
      if case .string(let name) = json["event"] { names.append(name) }
      if case .restored(let report) = event.kind { restored = report }
    }
    try await body(accessory)
    await accessory.stop()
    _ = await accessory.end()
    return (restored, names)
  }

  private let log =
    #"{"id":"log","uuid":"FFD0","characteristics":[{"id":"entry","uuid":"FFD1","properties":["read"],"format":"u8","value":4}]}"#

  @Test("Bonds, values, services, advertising and PSMs are restored")
  func everything() async throws {
    try await withLoop { loop async throws in
      let bond = StateSamples.bond(3)
      var psm: ProfileValue?
      var services: ProfileValue?
      let first = try await run(state: directory.path, on: loop) { accessory async throws in
        try await accessory.importBond(bond)
        try await accessory.setValue(.int(4321), of: "code")
        _ = try await accessory.addService(json: Array(log.utf8))
        try await accessory.removeService("extra")
        try await accessory.perform(.advertise(set: "beacon", isOn: true))
        psm = try await accessory.value(of: "psm").value
        services = await accessory.serviceReport()
        try await accessory.setValue(.int(9), of: "counter")
      }
      #expect(first.restored?.bonds == 0 && first.restored?.services == [] && first.restored?.values == [])
      // `restored` comes first, then the controller, then the accessory's use of it.
      #expect(first.events.first == "restored" && first.events.dropFirst().first == "controller")
      let second = try await run(state: directory.path, on: loop) { accessory async throws in
        #expect(await accessory.bonds == [bond])
        #expect(try await accessory.value(of: "code").value == .int(4321))
        // This value is not persistent.
        #expect(try await accessory.value(of: "counter").value == .int(1))
        #expect(try await accessory.value(of: "entry").value == .int(4))
        #expect(try await accessory.value(of: "psm").value == psm)
        let report = await accessory.serviceReport()
        #expect(report == services)
        #expect(await accessory.advertisingReport().elements.map { $0["on"] } == [.bool(true), .bool(true)])
        try await accessory.removeBond(bond.peer)
        try await accessory.removeService("log")
        try await accessory.perform(.advertise(set: "beacon", isOn: false))
      }
      #expect(second.restored?.bonds == 1 && Set(second.restored?.services ?? []) == ["log", "extra"])
      #expect(second.restored?.values == ["code"] && second.restored?.advertising == ["beacon": true])
      #expect(second.restored?.omissions == [])
      let third = try await run(state: directory.path, on: loop)
      #expect(third.restored?.bonds == 0 && third.restored?.services == ["extra"] && third.restored?.advertising == [:])
    }
  }

  @Test("Channels that were published while it ran are restored, and withdrawn ones are not")
  func channels() async throws {
    try await withLoop { loop async throws in
      let echo = try ChannelDefinition.load(
        .object([
          "id": .string("extra"), "handler": .string("echo"), "mtu": .int(300), "psm-characteristic": .string("psm"),
        ]))
      var psm: SPSM?
      try await run(state: directory.path, on: loop) { accessory async throws in
        psm = try await accessory.publish(echo).publishedPSM
        try await accessory.setAuthorization(.denied, ofPublication: "extra")
        let file = try ChannelDefinition.load(.object(["id": .string("file"), "handler": .string("file:/dev/null")]))
        _ = try await accessory.publish(file)
        let gone = try ChannelDefinition.load(.object(["id": .string("gone"), "handler": .string("sink")]))
        _ = try await accessory.publish(gone)
        try await accessory.unpublish("gone")
      }
      let second = try await run(state: directory.path, on: loop) { accessory async throws in
        let report = await accessory.publicationReport().elements.first { $0["id"] == .string("extra") }
        #expect(report?["mtu"] == .int(300) && report?["authorization"] == .string("denied"))
        #expect(report?["psm"] == psm.map { .int(Int64($0.rawValue)) })
        #expect(try await accessory.value(of: "psm").value == psm.map { .int(Int64($0.rawValue)) })
        for id in await accessory.channels.map(\.id) { try await accessory.unpublish(id) }
      }
      #expect(second.restored?.channels == ["extra"])
      #expect(second.restored?.omissions.count == 1 && second.restored?.omissions.first?.contains("file") == true)
      let third = try await run(state: directory.path, on: loop) { accessory async throws in
        #expect(await accessory.publicationReport().elements.isEmpty)
      }
      #expect(third.restored?.channels == [])
    }
  }

  @Test("After a change of identity, an accessory is the new device from then on, without its bonds")
  func rotation() async throws {
    try await withLoop { loop async throws in
      var (before, after): (DeviceAddress?, DeviceAddress?)
      try await run(state: directory.path, on: loop) { accessory async throws in
        try await accessory.importBond(StateSamples.bond(1))
        before = await accessory.address
        let rotated = try await accessory.rotateIdentity()
        after = await accessory.address
        #expect(rotated.address == after && rotated.aside.count == 1 && after != before)
        #expect(await accessory.bonds == [])
        try await accessory.importBond(StateSamples.bond(2))
      }
      let again = try await run(state: directory.path, on: loop) { accessory async throws in
        #expect(await accessory.address == after)
        #expect(await accessory.bonds == [StateSamples.bond(2)])
      }
      #expect(again.restored?.bonds == 1)
    }
  }

  @Test("State that no longer fits the profile is left out and reported")
  func omissions() async throws {
    try await withLoop { loop async throws in
      try await run(state: directory.path, on: loop) { accessory async throws in
        try await accessory.setValue(.int(4321), of: "code")
        try await accessory.setValue(.string("gate"), of: "label")
        _ = try await accessory.addService(json: Array(log.utf8))
        try await accessory.removeService("extra")
      }
      let changed = StateSamples.text.replacing("id: extra", with: "id: log").replacing(
        "format: u16, properties: [read, write]", with: "format: u8, properties: [read, write]"
      )
      .replacing("value: 1234", with: "value: 12")
      let again = try await run(state: directory.path, on: loop, try Profile.load(text: changed)) {
        accessory async throws in
        #expect(try await accessory.value(of: "code").value == .int(12))
        #expect(try await accessory.value(of: "label").value == .string("gate"))
      }
      #expect(again.restored?.values == ["label"])
      #expect(again.restored?.omissions.count == 3)
    }
  }

  @Test("A second accessory with the same state is refused; without state it runs")
  func twice() async throws {
    try await withLoop { loop async throws in
      _ = try await run(state: directory.path, on: loop) { _ in
        await #expect {
          try await run(state: directory.path, on: loop)
        } throws: {
          if case AccessoryFailure.state(.inUse) = $0 { true } else { false }
        }
        try await run(state: nil, on: loop) { accessory async throws in #expect(await accessory.store == nil) }
      }
    }
  }

  @Test("A damaged file is reported before everything else, and the rest is restored")
  func damage() async throws {
    try await withLoop { loop async throws in
      try await run(state: directory.path, on: loop) { accessory async throws in
        try await accessory.importBond(StateSamples.bond(1))
        try await accessory.importBond(StateSamples.bond(2))
      }
      let folder = "\(directory.path)/\(try StateSamples.profile().stateFolderName(seed: 0))"
      TestFile.write([0x7B], to: "\(folder)/bonds/\(StateSamples.bond(1).peer.fileName)")
      let again = try await run(state: directory.path, on: loop) { accessory async throws in
        #expect(await accessory.bonds == [StateSamples.bond(2)])
      }
      #expect(again.events.prefix(3) == ["state-damaged", "restored", "controller"])
    }
  }

  @Test("An altered bond is still altered at the next start")
  func alteration() async throws {
    try await withLoop { loop async throws in
      let bond = StateSamples.bond(4)
      try await run(state: directory.path, on: loop) { accessory async throws in
        try await accessory.importBond(bond)
        let altered = try await accessory.alterBond(bond.peer, .wrongKey)
        #expect(await accessory.bonds == [altered] && altered != bond)
        await #expect(throws: ControlError.self) {
          _ = try await accessory.alterBond(StateSamples.bond(5).peer, .wrongKey)
        }
        _ = try await accessory.alterBond(bond.peer, .secondIdentity(.randomStatic(from: 1)))
      }
      try await run(state: directory.path, on: loop) { accessory async throws in
        #expect(await accessory.bonds.count == 2)
        let altered = try bond.altered(.wrongKey)
        #expect(await accessory.bonds.contains(altered))
      }
    }
  }
}

@Suite("Changes of services that are kept")
struct RuntimeStateTests {
  @Test("Services that were added and removed leave nothing; of replacements only the last one counts")
  func services() {
    var state = RuntimeState()
    state.note(.add(id: "a", json: "1"))
    state.note(.replace(id: "a", json: "2"))
    #expect(state.services == [.add(id: "a", json: "2")])
    state.note(.remove(id: "a"))
    #expect(state.services == [])
    state.note(.replace(id: "p", json: "1"))
    state.note(.replace(id: "p", json: "2"))
    #expect(state.services == [.replace(id: "p", json: "2")])
    state.note(.remove(id: "p"))
    #expect(state.services == [.remove(id: "p")])
    state.note(.add(id: "p", json: "3"))
    state.note(.replace(id: "p", json: "4"))
    #expect(state.services == [.remove(id: "p"), .add(id: "p", json: "4")])
    state.note(.remove(id: "p"))
    #expect(state.services == [.remove(id: "p")])
  }

  @Test("It is unchanged after writing and reading")
  func json() throws {
    var state = RuntimeState()
    state.advertising = ["a": true, "b": false]
    state.psms = ["x": 0x80, "y": 0xFF]
    state.values = ["code": [], "label": Array(0...255)]
    state.services = [.add(id: "1", json: "{\"id\": \"\\u0000\"}"), .replace(id: "2", json: "\n"), .remove(id: "3")]
    #expect(try RuntimeState(json: StateDocument.decode(StateDocument.encode(.runtime, state.json), .runtime)) == state)
  }
}
