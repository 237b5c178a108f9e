import AccessoryProfile
import BLEATT
import BLECore
import BLEHCI
import BLELink
import PeripheralHost
import Testing
import Transport

@testable import Understudy

@Suite("Control", .timeLimit(.minutes(20)))
struct ControlTests {
  /// Runs `body` with an accessory that is on the air of a virtual radio.
  private func withAccessory(
    _ body: (Accessory, AsyncStream<AccessoryEvent>, ReadyReport) async throws -> Void
  ) async throws {
    try await withLoop { loop in
      let accessory = try Accessory(try testProfile(), options: AccessoryOptions(), loop: loop)
      let events = await accessory.events()
      try await accessory.start()
      let report = try await events.ready()
      try await body(accessory, events, report)
      await accessory.stop()
      #expect(await accessory.end().failure == nil)
    }
  }

  private func handle(_ name: String, in state: ProfileValue) throws -> UInt16 {
    for service in state["services"]?.elements ?? [] {
      for characteristic in service["characteristics"]?.elements ?? [] where characteristic["id"] == .string(name) {
        return UInt16(try #require(characteristic["value_handle"]?.number))
      }
    }
    throw CancellationError()
  }

  @Test("Values are read and set, decoded and as octets")
  func values() async throws {
    try await withAccessory { accessory, _, _ in
      var value = try await accessory.value(of: "level")
      #expect(value.octets == [50] && value.value == .int(50))
      try await accessory.setValue(.int(51), of: "level")
      value = try await accessory.value(of: "level")
      #expect(value.octets == [51] && value.value == .int(51))
      try await accessory.setValue(.octets([0xFF]), of: "FFF1")
      #expect(try await accessory.value(of: "level").octets == [0xFF])
      try await accessory.setValue(.string("grüß"), of: "text")
      #expect(try await accessory.value(of: "text").octets == Array("grüß".utf8))
      #expect(try await accessory.value(of: "device-name").octets == Array("Test".utf8))
    }
  }

  @Test("Impossible requests are refused with a reason")
  func refusals() async throws {
    try await withAccessory { accessory, _, _ in
      func reason(_ body: () async throws(ControlError) -> Void) async -> String {
        do throws(ControlError) { try await body() } catch { return "\(error)" }
        return "granted"
      }
      #expect(
        await reason { () throws(ControlError) in _ = try await accessory.value(of: "nothing") }.contains("nothing"))
      #expect(
        await reason { () throws(ControlError) in try await accessory.setValue(.string("many"), of: "level") }
          != "granted"
      )
      #expect(
        await reason { () throws(ControlError) in try await accessory.setValue(.int(256), of: "level") } != "granted")
      #expect(
        await reason { () throws(ControlError) in try await accessory.setValue(.string("Me"), of: "device-name") }
          .contains("host itself"))
      let level = try await accessory.characteristic(named: "level")
      #expect(
        await reason { () throws(ControlError) in try await accessory.perform(.notify(level)) }
          == "no client is subscribed")
      #expect(
        await reason { () throws(ControlError) in try await accessory.perform(.advertise(set: "other", isOn: true)) }
          .contains("other"))
      #expect(
        await reason { () throws(ControlError) in
          try await accessory.perform(
            .disconnect(ConnectionHandle(rawValue: 9), reason: .remoteUserTerminatedConnection))
        } == "there is no connection 9")
      #expect(try await accessory.value(of: "level").octets == [50])
    }
  }

  @Test("A central reads, writes, subscribes and is notified, and every observer sees it")
  func central() async throws {
    try await withAccessory { accessory, events, report in
      await accessory.reportAccess()
      let central = try LineCentral(port: report.ports[0])
      try central.connect(to: report.address)
      let before = await accessory.stateReport()
      let (level, text) = (try handle("level", in: before), try handle("text", in: before))
      #expect(try central.request(ReadRequest(handle: level)) == [0x0B, 50])
      let read = try await events.named("read")
      #expect(read.json["characteristic"] == .string("level") && read.json["uuid"] == .string("FFF1"))
      #expect(read.json["hex"] == .string("32") && read.json["value"] == .int(50))
      #expect(try central.request(WriteRequest(handle: level + 1, value: [1, 0])) == [0x13])
      try await accessory.setValue(.int(60), of: "level")
      #expect(try central.nextPDU() == [0x1B, UInt8(level), 0, 60])
      let notified = try await events.named("notified")
      #expect(notified.json["hex"] == .string("3c") && notified.json["value"] == .int(60))
      try await accessory.perform(.notify(accessory.characteristic(named: "level")))
      #expect(try central.nextPDU() == [0x1B, UInt8(level), 0, 60])
      #expect(try central.request(WriteRequest(handle: text, value: Array("new".utf8))) == [0x13])
      let write = try await events.named("write")
      #expect(write.json["event"] == .string("write") && write.json["hex"] == .string("6e6577"))
      #expect(write.json["value"] == .string("new"))
      #expect(try await accessory.value(of: "text").value == .string("new"))
      let connection = try #require(await accessory.stateReport()["connections"]?.elements.first)
      #expect(connection["mtu"] == .int(23) && connection["interval_ms"] == .double(7.5))
      #expect(
        connection["subscriptions"]
          == .array([
            .object(["characteristic": .string("level"), "notify": .bool(true), "indicate": .bool(false)])
          ]))
    }
  }

  @Test("A logged write is reported with its octets and its value")
  func logged() async throws {
    try await withAccessory { accessory, events, report in
      let central = try LineCentral(port: report.ports[0])
      try central.connect(to: report.address)
      let button = try handle("button", in: await accessory.stateReport())
      #expect(try central.request(WriteRequest(handle: button, value: [1])) == [0x13])
      let log = try await events.named("log")
      #expect(log.json["hex"] == .string("01") && log.json["value"] == .int(1))
    }
  }

  @Test("The end of a link ends its subscriptions, with an event for each before the event for the link")
  func subscriptionsEnd() async throws {
    try await withAccessory { accessory, events, report in
      let central = try LineCentral(port: report.ports[0])
      try central.connect(to: report.address)
      let state = await accessory.stateReport()
      let (level, raw) = (try handle("level", in: state), try handle("raw", in: state))
      for (attribute, bits) in [(level + 1, 1), (raw + 1, 2), (raw + 1, 0), (raw + 1, 2)] as [(UInt16, UInt8)] {
        #expect(try central.request(WriteRequest(handle: attribute, value: [bits, 0])) == [0x13])
      }
      let link = try #require(await accessory.stateReport()["connections"]?.elements.first?["connection"]?.number)
      try await accessory.perform(
        .disconnect(ConnectionHandle(rawValue: UInt16(link)), reason: .remoteUserTerminatedConnection))
      var seen: [String] = []
      for await event in events {
        guard let name = event.checked().json["event"], case .string(let name) = name else { continue }
        if name.hasSuffix("subscribed") { seen.append("\(name) \(event.characteristic?.id ?? "")") }
        if name == "disconnected" { break }
      }
      #expect(
        seen == [
          "subscribed level", "subscribed raw", "unsubscribed raw", "subscribed raw", "unsubscribed level",
          "unsubscribed raw",
        ])
    }
  }

  @Test("The error that ends a discovery is not reported as a refusal, but others are")
  func endOfDiscovery() async throws {
    try await withAccessory { accessory, events, report in
      await accessory.reportAccess()
      let central = try LineCentral(port: report.ports[0])
      try central.connect(to: report.address)
      let end = ReadByGroupTypeRequest(start: 0xFF00, end: 0xFFFF, type: BluetoothUUID(0x2800))
      #expect(try central.request(end) == [0x01, 0x10, 0x00, 0xFF, 0x0A])
      #expect(try central.request(ReadRequest(handle: 0xFF00)) == [0x01, 0x0A, 0x00, 0xFF, 0x01])
      let refused = try await events.named("refused")
      #expect(refused.json["request"] == .string("ATT_READ_REQ"))
    }
  }

  @Test("Single accesses are reported as long as an observer wants them")
  func accessReports() async throws {
    try await withAccessory { accessory, _, _ in
      let readers = [await accessory.observe(seeingAccess: true) { _ in }, await accessory.observe { _ in }]
      #expect(await accessory.accessReaders == 1)
      let second = await accessory.observe(seeingAccess: true) { _ in }
      for reader in readers + readers { await accessory.forget(observer: reader) }
      #expect(await accessory.accessReaders == 1)
      await accessory.forget(observer: second)
      #expect(await accessory.accessReaders == 0)
    }
  }

  @Test("The profile decides about a write, and logs it if it says so")
  func judgedWrite() async throws {
    try await withAccessory { accessory, events, report in
      let central = try LineCentral(port: report.ports[0])
      try central.connect(to: report.address)
      let button = try handle("button", in: await accessory.stateReport())
      #expect(try central.request(WriteRequest(handle: button, value: [2])) == [0x01, 0x12, UInt8(button), 0, 0x80])
      #expect(try central.request(WriteRequest(handle: button, value: [1])) == [0x13])
      for await event in events {
        guard case .logged(let value) = event.kind else { continue }
        #expect(value == [1] && event.json["characteristic"] == .string("button"))
        break
      }
    }
  }

  @Test("A central is disconnected on request, and at the end")
  func disconnection() async throws {
    try await withAccessory { accessory, events, report in
      let central = try LineCentral(port: report.ports[0])
      try central.connect(to: report.address)
      let connected = try await events.named("connected")
      let handle = UInt16(try #require(connected.json["connection"]?.number))
      try await accessory.perform(
        .disconnect(ConnectionHandle(rawValue: handle), reason: .remoteDeviceTerminatedLowResources))
      #expect(try central.disconnection() == .remoteDeviceTerminatedLowResources)
      _ = try await events.named("advertising-started")
      try central.connect(to: report.address)
      _ = try await events.named("connected")
      await accessory.stop()
      #expect(try central.disconnection() == .remoteDeviceTerminatedPowerOff)
    }
  }

  @Test("When a central hangs up, its link is lost, and the accessory is on the air again")
  func lostCentral() async throws {
    try await withAccessory { accessory, events, report in
      let central = try LineCentral(port: report.ports[0])
      try central.connect(to: report.address)
      // A link over which data has passed is established; one that ends earlier has a different reason.
      _ = try central.request(ReadRequest(handle: 3))
      central.close()
      let lost = try await events.named("disconnected")
      #expect(lost.json["code"] == .int(8))
      _ = try await events.named("advertising-started")
      #expect(await accessory.stateReport()["connections"] == .array([]))
    }
  }

  @Test("The state reports the accessory's identity and activity")
  func state() async throws {
    try await withAccessory { accessory, _, report in
      let state = await accessory.stateReport()
      #expect(
        state.fieldNames == [
          "about", "address", "address_type", "advertising", "asleep", "connection_counts", "connections",
          "controller", "instructions", "joining", "name", "ports", "services",
        ])
      #expect(state["name"] == .string("Test") && state["about"] == .string("For tests."))
      #expect(state["address"] == .string(report.address.description) && state["address_type"] == .string("random"))
      #expect(state["advertising"] == .array([.string("main")]) && state["connections"] == .array([]))
      #expect(state["ports"] == .array([.int(Int64(report.ports[0]))]))
      #expect(state["services"]?.elements.count == 3)
      #expect(await accessory.characteristicList().elements.count == 6)
      #expect(
        try await accessory.valueReport(of: "level")
          == .object(["id": .string("level"), "uuid": .string("FFF1"), "hex": .string("32"), "value": .int(50)]))
      let set = try #require(await accessory.advertisingReport().elements.first)
      #expect(set.fieldNames == ["connectable", "id", "interval_ms", "kind", "on"])
      #expect(set["id"] == .string("main") && set["kind"] == .string("legacy"))
      #expect(set["connectable"] == .bool(true) && set["on"] == .bool(true))
      try await accessory.perform(.advertise(set: "main", isOn: false))
      #expect(await accessory.stateReport()["advertising"] == .array([]))
    }
  }

  @Test("A second accessory joins the air through the port, and a central hears both")
  func secondHost() async throws {
    try await withAccessory { _, _, report in
      try await withLoop { loop in
        let other = try Accessory(
          try testProfile(),
          options: AccessoryOptions(
            controller: .tcpClient(host: ControllerAddress.loopback, port: report.ports[0]), seed: 1),
          loop: loop)
        let events = await other.events()
        try await other.start()
        let address = try await events.ready().address
        #expect(address != report.address)
        let central = try LineCentral(port: report.ports[0])
        try central.scan(for: [address, report.address])
        try central.connect(to: address)
        _ = try await events.named("connected")
        await other.stop()
        #expect(await other.end().failure == nil)
      }
    }
  }
}
