import CoreBluetoothUnderstudy
import Foundation
import Testing
import UnderstudyTesting

@Suite("Values of characteristics and descriptors") struct ValueTests {
  private static let profile = """
    understudy: 1
    name: Bench
    services:
      - uuid: A000
        characteristics:
          - id: long
            uuid: A001
            properties: [read, write]
            max-length: 512
            value: hex:\(String(repeating: "AB", count: 400))
            description: A long value
          - { id: command, uuid: A002, properties: [write-without-response], max-length: 512, value: hex:00 }
          - { id: closed, uuid: A003, properties: [write], value: hex:00, on-write: [ { otherwise: { error: 0x80 } } ] }
          - { id: level, uuid: A004, properties: [read, notify], value: hex:01, notify: on-demand }
          - { id: alarm, uuid: A005, properties: [indicate], value: hex:07 }
    """

  private func stage(_ persona: Persona = .iOS) throws -> Stage {
    let stage = try Stage(Profile.load(text: Self.profile), persona: persona)
    try stage.connect()
    try stage.discover()
    return stage
  }

  @Test("The system exchanges the MTU", arguments: [(Persona.iOS, 514), (.olderPhone, 182)])
  func mtu(_ persona: Persona, _ length: Int) throws {
    let stage = try stage(persona)
    #expect(try stage.peripheral.maximumWriteValueLength(for: .withoutResponse) == length)
    #expect(try stage.peripheral.maximumWriteValueLength(for: .withResponse) == 512)
  }

  @Test("Long values are read and written whole", arguments: [Persona.iOS, .olderPhone])
  func long(_ persona: Persona) throws {
    let stage = try stage(persona)
    let long = try stage.characteristic("A001")
    try stage.peripheral.readValue(for: long)
    try stage.wait(for: "value A001")
    #expect(long.value?.count == 400)
    let data = Data((0..<512).map { UInt8(truncatingIfNeeded: $0) })
    try stage.peripheral.writeValue(data, for: long, type: .withResponse)
    try stage.wait(for: "write A001")
    #expect(try stage.accessory.octets(of: "long") == [UInt8](data))
  }

  @Test("An error of the accessory reaches the app with its code") func refused() throws {
    let stage = try stage()
    var codes: [CBATTError.Code] = []
    try stage.peripheral.writeValue(Data([1]), for: try stage.characteristic("A003"), type: .withResponse)
    try stage.wait(for: "write A003")
    #expect(stage.recorder.lines.last?.contains("0x80") ?? false)
    stage.recorder.clear()
    try stage.peripheral.readValue(for: try stage.characteristic("A002"))
    try stage.wait(for: "value A002")
    codes.append(.readNotPermitted)
    #expect(stage.recorder.lines == ["value A002: \(CBATTError(codes[0]).localizedDescription)"])
  }

  @Test("A subscription brings notifications and indications until it ends") func subscriptions() throws {
    let stage = try stage()
    let (level, alarm) = (try stage.characteristic("A004"), try stage.characteristic("A005"))
    try stage.peripheral.setNotifyValue(true, for: level)
    try stage.peripheral.setNotifyValue(true, for: alarm)
    try stage.wait(for: "notifying true")
    stage.air.advance(by: .seconds(1))
    #expect(level.isNotifying && alarm.isNotifying)
    stage.recorder.clear()
    try stage.accessory.set("level", to: ["hex": "05"])
    try stage.accessory.notify("level")
    try stage.wait(for: "value A004")
    try stage.accessory.indicate("alarm")
    try stage.wait(for: "value A005")
    #expect(alarm.value == Data([7]))
    try stage.peripheral.setNotifyValue(false, for: level)
    try stage.wait(for: "notifying false")
    #expect(!level.isNotifying)
  }

  @Test("A characteristic without notifications refuses a subscription") func noNotifications() throws {
    let stage = try stage()
    try stage.peripheral.setNotifyValue(true, for: try stage.characteristic("A001"))
    try stage.wait(for: "notifying")
    #expect(stage.recorder.lines == ["notifying false: \(CBATTError(.requestNotSupported).localizedDescription)"])
  }

  @Test("A request follows earlier writes without response") func requestAfterCommands() throws {
    let stage = try stage()
    let (command, long) = (try stage.characteristic("A002"), try stage.characteristic("A001"))
    // More than the controller has room for.
    let values = (0..<20).map { Data(repeating: $0, count: 500) }
    for value in values { try stage.peripheral.writeValue(value, for: command, type: .withoutResponse) }
    try stage.peripheral.writeValue(Data([0xFF]), for: long, type: .withResponse)
    try stage.wait(for: "write A001")
    let writes = stage.accessory.events.filter { $0.name == "write" }
    #expect(writes.map(\.octets) == values.map { [UInt8]($0) } + [[0xFF]])
  }

  @Test("Writes without response wait for room, and none is lost") func commands() throws {
    let stage = try stage()
    let command = try stage.characteristic("A002")
    var sent = 0
    let send = {
      while sent < 200, try stage.peripheral.canSendWriteWithoutResponse {
        try stage.peripheral.writeValue(Data([UInt8(sent)]), for: command, type: .withoutResponse)
        sent += 1
      }
    }
    stage.recorder.then = { if $0 == "ready" { try? send() } }
    try send()
    #expect(sent == 20)
    #expect(stage.air.advance(until: { sent == 200 }, within: .seconds(60)))
    stage.air.advance(by: .seconds(1))
    let writes = stage.accessory.events.filter { $0.name == "write" && $0["characteristic"]?.string == "command" }
    #expect(writes.map(\.octets) == (0..<200).map { [UInt8($0)] })
    #expect(stage.app.misuses.isEmpty)
  }

  @Test("One write without response too many is dropped, and counts as misuse") func tooMany() throws {
    let stage = try stage()
    for _ in 0...20 {
      try stage.peripheral.writeValue(Data([1]), for: try stage.characteristic("A002"), type: .withoutResponse)
    }
    #expect(stage.app.misuses.count == 1)
    try stage.phone.expect(EventPattern("api-misuse"))
  }

  @Test("Descriptors are discovered and read in their types") func descriptors() throws {
    let stage = try stage()
    let long = try stage.characteristic("A001")
    try stage.peripheral.discoverDescriptors(for: long)
    try stage.wait(for: "descriptors")
    let description = try #require(long.descriptors?.first { $0.uuid == CBUUID(string: "2901") })
    try stage.peripheral.readValue(for: description)
    try stage.wait(for: "descriptor 2901")
    #expect(description.value as? String == "A long value")
  }

  @Test("The signal strength is read") func strength() throws {
    let stage = try stage()
    try stage.peripheral.readRSSI()
    try stage.wait(for: "rssi -")
  }

  @Test("A server that does not answer for 30 s loses its link") func silent() throws {
    let stage = try stage()
    try stage.accessory.arm("on: { read: long }, do: ignore")
    try stage.peripheral.readValue(for: try stage.characteristic("A001"))
    try stage.wait(for: "disconnect")
    #expect(stage.recorder.lines.count == 1)
    #expect(try stage.peripheral.state == .disconnected)
  }
}
