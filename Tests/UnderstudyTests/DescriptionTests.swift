import AccessoryProfile
import BLECore
import BLEGATT
import Testing
import Understudy

@Suite("Descriptions")
struct DescriptionTests {
  @Test("The page contains everything that a reader needs")
  func text() throws {
    let text = try ProfileDescription(try testProfile()).text
    for part in [
      "Test\n====", "For tests.", "(random static)", "main: legacy, connectable", "MTU 517", "(level)", "read, notify",
      "FFF0",
    ] { #expect(text.contains(part), "\(part)") }
    #expect(!text.contains("\t") && text.split(separator: "\n").allSatisfy { $0.count <= 100 })
  }

  @Test("Handles, properties and descriptors are those of the profile, with their permissions")
  func declarations() throws {
    let page = try ProfileDescription(
      try Profile.load(
        text: """
          understudy: 1
          name: Test
          services:
            - uuid: FFF0
              handle: 0x0040
              authorization: granted
              characteristics:
                - uuid: FFF1
                  handle: 0x0050
                  properties: [read, write, notify, reliable-write]
                  permissions: { read: encrypted, write: forbidden, subscribe: authenticated }
                  presentation-format: [ { format: u8 }, { format: u8 } ]
            - { uuid: FFF2, characteristics: [ { uuid: FFF3, properties: [indicate], permissions: { subscribe: forbidden } } ] }
          """))
    let text = page.text
    for part in [
      "Service FFF0  [0x0040-0x0056]",
      "0x0051  FFF1  (FFF1)\n          read, write, notify, extended, reliable-write\n",
      "          to read: encrypted and authorization; to write: forbidden\n",
      "    0x0052  Client Characteristic Configuration (2902)  "
        + "(to read: authorization; to write: authenticated and authorization)\n",
      "    0x0053  Characteristic Extended Properties (2900)\n", "    0x0056  Characteristic Aggregate Format (2905)",
      "Client Characteristic Configuration (2902)  (to write: forbidden)",
    ] { #expect(text.contains(part), "\(part)") }
    #expect(!(try ProfileDescription(try testProfile())).text.contains("to write"))
  }

  @Test("A service or channel of one transport says so")
  func transports() throws {
    let page = try ProfileDescription(
      try Profile.load(
        text: """
          understudy: 1
          name: Test
          transports: [le, br-edr]
          services: [{ uuid: FFF0, transports: [le] }, { uuid: FFF1, transports: [br-edr] }, { uuid: FFF2 }]
          l2cap: [{ id: data, handler: echo, transports: [br-edr] }]
          """))
    let services = page.text.split(separator: "\n").filter { $0.hasPrefix("Service FFF") }
    #expect(services.map { $0.hasSuffix("], over LE only") } == [true, false, false])
    #expect(services.map { $0.hasSuffix("], over BR/EDR only") } == [false, true, false])
    #expect(page.text.contains("per link, over BR/EDR only"))
    let own = (page.json["services"]?.elements ?? []).suffix(3)
    #expect(own.map { $0["transports"] } == [.array([.string("le")]), .array([.string("br-edr")]), nil])
  }

  @Test("The same as JSON, with ascending handles")
  func json() throws {
    let json = try ProfileDescription(try testProfile(), seed: 3).json
    #expect(json["name"] == .string("Test"))
    #expect(json["address"] != (try ProfileDescription(try testProfile(), seed: 4).json)["address"])
    var last = 0.0
    for service in json["services"]?.elements ?? [] {
      let handle = try #require(service["handle"]?.number)
      #expect(handle > last)
      last = try #require(service["end"]?.number)
      for characteristic in service["characteristics"]?.elements ?? [] {
        let value = try #require(characteristic["value_handle"]?.number)
        #expect(value > handle && value <= last)
      }
    }
    #expect(last > 10)
  }

  @Test("Published channels are on the page, and in its JSON in the form of a profile")
  func channels() throws {
    let page = try ProfileDescription(
      try Profile.load(
        text: """
          understudy: 1
          name: Test
          l2cap:
            - { id: log, psm: 0x90, mtu: 100, handler: { sink: { hash: true, rate: 5 } } }
            - { id: stream, psm: new, psm-characteristic: { service: FFF0 }, handler: "tcp:localhost:7000" }
            - { id: first, psm-characteristic: { service: FFF0 }, handler: echo }
            - { id: taken, psm: 0x80, handler: echo }
            - { id: second, handler: echo }
          """))
    for part in [
      "L2CAP channels", "log: PSM 0x90, sink (SHA-256, 5 octets/s)", "MTU 100, MPS 1000, up to 32 per link",
      "stream: a new PSM at every start, tcp:localhost:7000", "PSM in stream-psm",
      "first: PSM 0x81, echo", "second: PSM 0x82, echo",
    ] { #expect(page.text.contains(part), "\(part)") }
    let channels = page.json["l2cap"]?.elements ?? []
    #expect(channels.map { $0["psm"] } == [.int(0x90), .string("new"), .int(0x81), .int(0x80), .int(0x82)])
    #expect(
      channels.map { $0["psm-characteristic"] } == [.null, .string("stream-psm"), .string("first-psm"), .null, .null])
    let values = page.database.characteristics.filter { $0.definition.id.hasSuffix("-psm") }.map {
      page.database.storedValue(of: $0.index)
    }
    #expect(values == [[0, 0], [0x81, 0]])
    #expect(!(try ProfileDescription(try testProfile())).text.contains("L2CAP"))
  }

  @Test(
    "Durations are in the most suitable unit",
    arguments: [
      (Duration.microseconds(152_500), "152.5 ms"), (.milliseconds(20), "20 ms"), (.seconds(30), "30 s"),
      (.seconds(90), "1.5 min"), (.seconds(8 * 3600), "8 h"), (.zero, "0 ms"),
    ])
  func durations(_ duration: Duration, _ text: String) {
    #expect(duration.shortText == text)
  }
}
