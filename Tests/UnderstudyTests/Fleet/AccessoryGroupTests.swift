import AccessoryProfile
import BLEATT
import BLECore
import Testing
import Transport
import Understudy

@Suite("Groups of accessories", .timeLimit(.minutes(20)))
struct AccessoryGroupTests {
  /// Returns the given number of plans for the test accessory.
  private func plans(_ count: Int = 2) throws -> [AccessoryPlan] {
    let profile = try testProfile()
    return try AccessoryPlan.plans(for: Array(repeating: profile, count: count))
  }

  /// Waits until all of them are on the air; returns the reports by name.
  private func ready(_ count: Int, _ events: AsyncStream<GroupEvent>) async throws -> [String: ReadyReport] {
    var reports: [String: ReadyReport] = [:]
    for await event in events {
      if case .ready(let report) = event.event.kind { reports[try #require(event.accessory)] = report }
      if reports.count == count { return reports }
    }
    throw CancellationError()
  }

  @Test("Two accessories on one air are two devices, and a central uses each")
  func shared() async throws {
    try await withLoop { loop in
      let radio = RadioHub(loop: loop)
      let port = try await radio.openPort()
      let group = try AccessoryGroup(try plans(), loop: loop, radio: radio)
      let events = await group.events()
      try await group.start()
      let reports = try await ready(2, events)
      let addresses = try ["profile", "profile-2"].map { try #require(reports[$0]?.address) }
      #expect(addresses[0] != addresses[1])
      let centrals = try addresses.map { address in
        let central = try LineCentral(port: port)
        try central.connect(to: address)
        return central
      }
      // A write to one does not affect the other.
      let text = try await group.members[0].accessory.value(of: "text").octets
      try await group.members[1].accessory.setValue(.string("other"), of: "text")
      let handle = try await valueHandle("text", of: group.members[0].accessory)
      let answers = try centrals.map { try $0.request(ReadRequest(handle: handle)) }
      #expect(answers.map { Array($0.dropFirst()) } == [text, Array("other".utf8)])
      await group.stop()
      #expect(await group.end().failure == nil)
      for central in centrals { #expect(try central.disconnection() == .remoteDeviceTerminatedPowerOff) }
      #expect(await radio.controllers.allSatisfy { $0.name != "accessory" && $0.name != "accessory-2" })
      await radio.close()
    }
  }

  private func valueHandle(_ id: String, of accessory: Accessory) async throws -> UInt16 {
    let row = await accessory.characteristicList().elements.first { $0["id"] == .string(id) }
    guard case .int(let handle) = row?["value_handle"] else { throw CancellationError() }
    return UInt16(handle)
  }

  @Test("Events come in order with their accessories' names, those of the radio once and without a name; then they end")
  func events() async throws {
    try await withLoop { loop in
      let radio = RadioHub(loop: loop)
      let port = try await radio.openPort()
      let group = try AccessoryGroup(try plans(3), loop: loop, radio: radio)
      let events = await group.events()
      try await group.start()
      _ = try await ready(3, events)
      let central = try LineCentral(port: port)
      var joined: [GroupEvent] = []
      for await event in events where event.event.json["event"] == .string("joined") {
        joined.append(event)
        break
      }
      await group.stop()
      var last: [String: String] = [:]
      for await event in events {
        guard case .string(let name) = event.event.json["event"] else { continue }
        if name == "joined" { joined.append(event) }
        if let accessory = event.accessory {
          last[accessory] = name
          #expect(event.json["accessory"] == .string(accessory))
        }
      }
      #expect(joined.count == 1 && joined[0].accessory == nil && joined[0].json["accessory"] == nil)
      #expect(last == ["profile": "stopped", "profile-2": "stopped", "profile-3": "stopped"])
      // A later stream ends at once.
      for await event in await group.events() { Issue.record("after the end: \(event.json.jsonText)") }
      central.close()
      await radio.close()
    }
  }
  // MARK: Ends

  @Test("If one cannot start, the group does not start, and none stays on the air")
  func failingStart() async throws {
    try await withLoop { loop in
      let radio = RadioHub(loop: loop)
      var plans = try plans(3)
      plans[1].options.controller = .unix(path: "/nowhere/controller")
      let group = try AccessoryGroup(plans, loop: loop, radio: radio)
      let events = await group.events()
      let failure = await #expect(throws: GroupFailure.self) { try await group.start() }
      #expect(failure?.accessory == "profile-2" && failure?.description.contains("/nowhere/controller") == true)
      #expect(await group.end().failure?.accessory == "profile-2")
      var names: [String: [ProfileValue]] = [:]
      for await event in events {
        names[event.accessory ?? "", default: []].append(event.event.json["event"] ?? .null)
      }
      #expect(names["profile-2"] == [.string("failed")])
      #expect(names["profile"]?.last == .string("stopped"))
      #expect(await radio.controllers.isEmpty)
      await radio.close()
    }
  }

  @Test("If the controller of one goes away, the others end, and disconnect properly")
  func failingLater() async throws {
    try await withLoop { loop in
      let radio = RadioHub(loop: loop)
      let port = try await radio.openPort()
      var plans = try plans()
      plans[1].options.controller = .tcpServer(host: ControllerAddress.loopback, port: 0)
      let group = try AccessoryGroup(plans, loop: loop, radio: radio)
      let events = await group.events()
      try await group.start()
      var (place, address): (String?, DeviceAddress?)
      for await event in events {
        if case .awaitingController(let text) = event.event.kind { place = text }
        if case .ready(let report) = event.event.kind { address = report.address }
        if place != nil, address != nil { break }
      }
      let central = try LineCentral(port: port)
      try central.connect(to: try #require(address))
      let site = ControllerSite(.hangsUpLater, on: loop)
      try await site.connect(port: try #require(place?.split(separator: " ").last.flatMap { UInt16($0) }))
      let failure = try #require(await group.end().failure)
      #expect(failure.accessory == "profile-2" && failure.description.contains("the controller is gone"))
      #expect(try central.disconnection() == .remoteDeviceTerminatedPowerOff)
      await site.close()
      await radio.close()
    }
  }

  @Test("An accessory that waits for its controller does not delay the others")
  func waiting() async throws {
    try await withLoop { loop in
      let radio = RadioHub(loop: loop)
      var plans = try plans()
      plans[0].options.controller = .serial(SerialSettings(path: temporaryPath("no-board")))
      plans[0].options.waitsForController = true
      let group = try AccessoryGroup(plans, loop: loop, radio: radio)
      let events = await group.events()
      try await group.start()
      var isMissing = false
      for await event in events {
        if case .controllerMissing = event.event.kind { isMissing = event.accessory == "profile" }
        if case .ready = event.event.kind { break }
      }
      #expect(isMissing)
      await group.stop()
      #expect(await group.end().failure == nil)
      await radio.close()
    }
  }

  @Test("A group that was stopped before it starts never goes on the air")
  func stoppedBefore() async throws {
    try await withLoop { loop in
      let group = try AccessoryGroup(try plans(), loop: loop)
      let events = await group.events()
      await group.stop()
      #expect(await group.end().failure == nil)
      for await event in events { #expect(event.event.json["event"] == .string("stopped")) }
      try await group.start()
      #expect(await group.members[0].accessory.virtualRadio == nil)
    }
  }

  @Test("Without a shared radio, each has its own air")
  func apart() async throws {
    try await withLoop { loop in
      let group = try AccessoryGroup(try plans(), loop: loop)
      let events = await group.events()
      try await group.start()
      let reports = try await ready(2, events)
      #expect(Set(reports.values.flatMap(\.ports)).count == 2)
      // Events of its air belong to an accessory.
      let central = try LineCentral(port: try #require(reports["profile-2"]?.ports.first))
      for await event in events where event.event.json["event"] == .string("joined") {
        #expect(event.accessory == "profile-2")
        break
      }
      central.close()
      #expect(group.accessory(named: "profile-2")?.options.seed == 1 && group.accessory(named: "x") == nil)
      await group.stop()
      _ = await group.end()
    }
  }
}

extension GroupEnd {
  /// The reason for the failure; nil if it was stopped.
  fileprivate var failure: GroupFailure? {
    if case .failed(let failure) = self { failure } else { nil }
  }
}
