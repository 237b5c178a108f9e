import AccessoryProfile
import BLEATT
import BLECore
import BLEGAP
import ControllerSharing
import BLELink
import PeripheralHost
import Testing
import Transport
import Understudy
import VirtualRadio

@Suite("Accessories that share a controller", .timeLimit(.minutes(20)))
struct SharedControllerTests {
  private func plans(
    _ count: Int = 2, on controller: ControllerAddress, waits: Bool = false
  ) throws -> [AccessoryPlan] {
    var options = AccessoryOptions(controller: controller, waitsForController: waits)
    options.sharesController = true
    return try AccessoryPlan.plans(for: Array(repeating: try testProfile(), count: count), options: options)
  }

  /// Waits until all of them have reported something; returns the results in the order of the accessories.
  private func all<Said>(
    _ events: AsyncStream<GroupEvent>, _ count: Int = 2, _ find: (AccessoryEvent.Kind) -> Said?
  ) async throws -> [Said] {
    var said: [String: Said] = [:]
    for await event in events {
      if let found = find(event.event.kind) { said[try #require(event.accessory)] = found }
      if said.count == count { return said.sorted { $0.key < $1.key }.map(\.value) }
    }
    throw CancellationError()
  }

  private func ready(_ events: AsyncStream<GroupEvent>, _ count: Int = 2) async throws -> [DeviceAddress] {
    try await all(events, count) { if case .ready(let report) = $0 { report.address } else { nil } }
  }

  private func use(_ addresses: [DeviceAddress], over port: UInt16) throws -> [LineCentral] {
    try addresses.map { address in
      let central = try LineCentral(port: port)
      try central.connect(to: address)
      // The first attribute that certainly exists: the declaration of the GAP service.
      #expect(try central.request(ReadRequest(handle: 1)) == [0x0B, 0x00, 0x18])
      return central
    }
  }

  @Test("Each is its own device, and stops by itself", arguments: ["full", "zephyr-extended", "nimble"])
  func together(preset: String) async throws {
    let configuration = try #require(ControllerConfiguration.named(preset))
    try await withLoop { loop in
      let radio = RadioHub(loop: loop)
      let port = try await radio.openPort()
      let path = try await radio.openTerminal(configuration: configuration)
      let group = try AccessoryGroup(try plans(3, on: .serial(SerialSettings(path: path))), loop: loop)
      let events = await group.events()
      try await group.start()
      let addresses = try await ready(events, 3)
      #expect(Set(addresses).count == 3)
      #expect(await radio.controllers.count == 1)
      let centrals = try use(addresses, over: port)
      // A change to one's value does not affect the other.
      try await group.members[1].accessory.setValue(.int(7), of: "level")
      let levels = try await [0, 1].asyncMap { try await group.members[$0].accessory.value(of: "level").octets }
      #expect(levels == [[50], [7]])
      await group.members[0].accessory.stop()
      #expect(try centrals[0].disconnection() == .remoteDeviceTerminatedPowerOff)
      for central in centrals[1...] { #expect(try central.request(ReadRequest(handle: 1)) == [0x0B, 0x00, 0x18]) }
      await group.stop()
      guard case .stopped = await group.end() else { throw CancellationError() }
      for central in centrals[1...] { #expect(try central.disconnection() == .remoteDeviceTerminatedPowerOff) }
      await radio.close()
    }
  }

  @Test("A controller without enough resources ends all, with the reason")
  func unsharable() async throws {
    try await withLoop { loop in
      let radio = RadioHub(loop: loop)
      let path = try await radio.openTerminal(configuration: .zephyrHCIUART)
      let group = try AccessoryGroup(try plans(on: .serial(SerialSettings(path: path))), loop: loop)
      try await group.start()
      guard case .failed(let failure) = await group.end() else { throw CancellationError() }
      guard case .unsharable(.serial, let refusal) = failure.failure, case .extendedAdvertising = refusal.lack else {
        Issue.record("\(failure)")
        return
      }
      #expect(failure.description.contains("cannot support 2 accessories"))
      await radio.close()
    }
  }

  @Test("If it is missing, none starts")
  func missing() async throws {
    try await withLoop { loop in
      let group = try AccessoryGroup(try plans(on: .unix(path: "/nowhere/controller")), loop: loop)
      let failure = await #expect(throws: GroupFailure.self) { try await group.start() }
      #expect(failure?.accessory == "profile" && failure?.description.contains("/nowhere/controller") == true)
    }
  }

  @Test("If it goes away, all accessories that do not wait for it end")
  func vanished() async throws {
    try await withLoop { loop in
      let path = temporaryPath("shared-gone")
      let site = ControllerSite(.virtual(.full), on: loop)
      try await site.listen(at: path)
      let group = try AccessoryGroup(try plans(on: .unix(path: path)), loop: loop)
      let events = await group.events()
      try await group.start()
      _ = try await ready(events)
      await site.close()
      guard case .failed(let failure) = await group.end(), case .vanished = failure.failure else {
        throw CancellationError()
      }
    }
  }

  @Test("Octets on the line that are no packet are reported by all, and all continue")
  func noise() async throws {
    try await withLoop { loop in
      let path = temporaryPath("shared-noise")
      let site = ControllerSite(.virtual(.full), on: loop)
      try await site.listen(at: path)
      let group = try AccessoryGroup(try plans(on: .unix(path: path)), loop: loop)
      let events = await group.events()
      try await group.start()
      _ = try await ready(events)
      await site.say([0xAA, 0xBB])
      let skipped = try await all(events) {
        if case .host(.fault(.skippedOctets(let count))) = $0 { count } else { nil }
      }
      #expect(skipped == [2, 2])
      await group.stop()
      guard case .stopped = await group.end() else { throw CancellationError() }
      await site.close()
    }
  }

  @Test("All wait for it, at the start and when it goes away, and are on the air again")
  func waiting() async throws {
    try await withLoop { loop in
      let path = temporaryPath("shared-late")
      let group = try AccessoryGroup(try plans(on: .unix(path: path), waits: true), loop: loop)
      let events = await group.events()
      try await group.start()
      let reasons = try await all(events) { if case .controllerMissing(let reason) = $0 { reason } else { nil } }
      #expect(reasons.allSatisfy { $0.contains(path) })
      var addresses: [DeviceAddress] = []
      for _ in 0..<2 {
        let site = ControllerSite(.virtual(.zephyrExtended), on: loop)
        try await site.listen(at: path)
        let found = try await ready(events)
        #expect(addresses.isEmpty || found == addresses)
        addresses = found
        await site.close()
        _ = try await all(events) { if case .controllerLost(let reason) = $0 { reason } else { nil } }
      }
      await group.stop()
      guard case .stopped = await group.end() else { throw CancellationError() }
    }
  }

  @Test("Only one of them can have the controller's own address")
  func publicAddresses() async throws {
    try await withLoop { loop in
      var plans = try plans(3, on: .unix(path: "/nowhere"))
      for index in plans.indices {
        plans[index].profile.identity = index == 1 ? plans[1].profile.identity : .publicAddress
      }
      let error = #expect(throws: GroupFailure.self) { try AccessoryGroup(plans, loop: loop) }
      #expect(error?.accessory == "profile-3" && error?.description.contains("one public address") == true)
      plans[0].profile.identity = plans[1].profile.identity
      _ = try AccessoryGroup(plans, loop: loop)
    }
  }

  @Test("An accessory that uses BR/EDR needs a controller of its own")
  func classic() async throws {
    try await withLoop { loop in
      var plans = try plans(2, on: .unix(path: "/nowhere"))
      plans[1].profile.classic = ClassicSettings(name: "Dual")
      let error = #expect(throws: GroupFailure.self) { try AccessoryGroup(plans, loop: loop) }
      #expect(error?.accessory == "profile-2" && error?.description.contains("BR/EDR, which cannot be shared") == true)
      _ = try AccessoryGroup([plans[1]], loop: loop)
    }
  }
}

extension Sequence {
  fileprivate func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows -> [Result] {
    var results: [Result] = []
    for element in self { results.append(try await transform(element)) }
    return results
  }
}
