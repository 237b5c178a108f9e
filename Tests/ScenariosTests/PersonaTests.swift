import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLELink
import CentralHost
import Faults
import Foundation
import Scenarios
import Simulation
import Testing
import UnderstudyTesting

/// Scenarios' centrals that behave like a known phone or system.
@Suite("Personas")
struct PersonaTests {
  private static func scenario(_ phone: String, _ steps: String) throws -> Scenario {
    try Scenario.load(
      text: """
        understudy-scenario: 1
        name: Belt
        accessory: heart-rate
        phone: \(phone)
        cases:
          - name: one
            steps: \(steps)
        """, file: "belt.yaml")
  }

  private static func run(_ scenario: Scenario) throws -> CaseResult {
    CaseRunner.run(try #require(scenario.cases.first), of: scenario)
  }

  /// The accessory sees the interval, the timeout and the MTU of the persona.
  @Test(arguments: CentralPersona.all.map(\.name)) func anAccessorySeesItsParameters(_ name: String) throws {
    let persona = try #require(CentralPersona.named(name))
    let air = TestAir(seed: 3)
    let accessory = try air.accessory("heart-rate")
    let central = try air.central(nil, as: persona)
    let link = try central.makeLink(to: accessory, persona.linkParameters)
    try central.simulated.open(as: persona, on: link)
    let state = try #require(accessory.simulated.stack.linkStates.first)
    #expect(persona.intervals.contains(state.details.interval))
    #expect(state.details.timeout == persona.timeout)
    #expect(state.mtu == (persona.opening.contains(.exchangeMTU) ? min(517, persona.mtu) : 23))
    #expect(!persona.sources.isEmpty)
  }

  @Test(arguments: CentralPersona.all.map(\.name)) func itRunsAScenario(_ name: String) throws {
    let scenario = try Self.scenario(
      "{ as: \(name) }",
      """
      [connect, exchange-mtu, discover, { read: battery-level, gives: 100 }, { subscribe: measurement }, \
      { notified: measurement, values: [any] }, disconnect]
      """)
    #expect(scenario.persona?.name == name)
    let result = try Self.run(scenario)
    #expect(result.hasPassed, "\(result.transcript.joined(separator: "\n"))")
  }

  @Test func aStepsOwnParametersComeFirst() throws {
    let scenario = try Self.scenario(
      "{ as: bluez }", "[{ connect: { interval: 100 ms } }, { read: battery-level, gives: 100 }]")
    let result = try Self.run(scenario)
    #expect(result.hasPassed)
    #expect(result.transcript.contains { $0.contains("\"interval_ms\":100") && $0.contains("\"timeout_ms\":420") })
  }

  @Test func anUnknownSystemIsAnError() {
    #expect(throws: ProfileError.self) { try Self.scenario("{ as: symbian }", "[connect]") }
    #expect(throws: ProfileError.self) { try Self.scenario("{}", "[connect]") }
  }

  @Test func namesAreUnique() {
    #expect(Set(CentralPersona.all.map(\.name)).count == CentralPersona.all.count)
  }

  // MARK: Discovery and caches

  /// The behavior of a system on its second link to a device.
  struct SecondLink: CustomTestStringConvertible {
    var system: String
    /// The key `gatt` of the device.
    var gatt: String
    var hasBond: Bool
    /// Whether the services change meanwhile, without an indication.
    var haveChanged = false
    /// The number of discoveries of primary services, by the system or the app.
    var discoveries: Int
    /// Whether the app then sees the services as they are.
    var isRight = true

    var testDescription: String { "\(system), \(gatt), bond \(hasBond), changed \(haveChanged)" }
  }

  static let secondLinks = [
    // An iPhone caches the services of a bonded device, so it misses a change without an indication.
    SecondLink(system: "ios", gatt: "service-changed: present", hasBond: false, discoveries: 1),
    SecondLink(system: "ios", gatt: "service-changed: present", hasBond: true, discoveries: 0),
    SecondLink(
      system: "ios", gatt: "service-changed: present", hasBond: true, haveChanged: true, discoveries: 0, isRight: false),
    SecondLink(
      system: "ios", gatt: "service-changed: absent", hasBond: false, haveChanged: true, discoveries: 0, isRight: false),
    // Android asks for the hash, with and without a bond.
    SecondLink(system: "android-14", gatt: "robust-caching: true", hasBond: false, discoveries: 0),
    SecondLink(system: "android-14", gatt: "robust-caching: true", hasBond: false, haveChanged: true, discoveries: 1),
    SecondLink(system: "android-14", gatt: "robust-caching: false", hasBond: true, discoveries: 1),
    // BlueZ does, too. Without a hash it compares the list of services, which shows this change.
    SecondLink(system: "bluez", gatt: "robust-caching: true", hasBond: false, discoveries: 0),
    SecondLink(system: "bluez", gatt: "robust-caching: true", hasBond: false, haveChanged: true, discoveries: 1),
    SecondLink(system: "bluez", gatt: "robust-caching: false", hasBond: false, discoveries: 1),
    SecondLink(system: "bluez", gatt: "robust-caching: false", hasBond: false, haveChanged: true, discoveries: 2),
    SecondLink(system: "windows", gatt: "service-changed: present", hasBond: true, discoveries: 0),
    SecondLink(system: "windows", gatt: "service-changed: present", hasBond: false, haveChanged: true, discoveries: 1),
  ]

  @Test(arguments: secondLinks) func aSystemReusesItsCache(_ example: SecondLink) throws {
    let persona = try #require(CentralPersona.named(example.system))
    let air = TestAir(seed: 5)
    let profile = try Profile.load(
      text: """
        understudy: 1
        name: Box
        gatt: { \(example.gatt) }
        security: { pairing: just-works }
        services:
          - { uuid: FFF0, id: main, characteristics: [ { id: level, uuid: FFF1, format: u8, value: 1, properties: [read] } ] }
          - { uuid: FFF8, id: other, characteristics: [ { id: lamp, uuid: FFF9, format: u8, value: 2, properties: [read] } ] }
        """, file: "box.yaml")
    let accessory = try air.accessory(profile)
    let central = try air.central(nil, as: persona).simulated
    var questions = 0
    central.tap = { octets, isSent, _ in
      // A Read By Group Type Request for primary services from the first handle on.
      let pattern: [UInt8] = [0x10, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28]
      let sent = (0..<octets.count).map { octets[$0] }
      if isSent, sent.count > 9, sent.suffix(7).elementsEqual(pattern) { questions += 1 }
    }
    func connect() throws -> ConnectionHandle {
      let heard = try central.hear { $0.isConnectable }
      let link = try central.connect(
        ConnectionRequest(to: heard.address, type: heard.addressType, parameters: persona.linkParameters))
      try central.open(as: persona, on: link)
      return link
    }
    let first = try connect()
    #expect(try central.discover(as: persona, on: first).service(BluetoothUUID(0xFFF8)) != nil)
    #expect(questions == 1)
    if example.hasBond {
      central.user = .accepts()
      _ = try central.pair(first)
    }
    try central.disconnect(first)
    if example.haveChanged {
      accessory.arm([
        Fault(id: "a change", on: .elapsed(.zero), do: .changeDatabase(removing: "other", isAnnounced: false))
      ])
      air.advance(by: .seconds(1))
    }
    questions = 0
    let second = try connect()
    let found = try central.discover(as: persona, on: second)
    #expect(questions == example.discoveries)
    #expect((found.service(BluetoothUUID(0xFFF8)) == nil) == (example.haveChanged && example.isRight))
  }

  /// After a bonded device indicates a change, Android discovers again by itself; on an iPhone the app does.
  @Test(arguments: ["android-14", "bluez", "ios"]) func anIndicatedChangeIsSeen(_ system: String) throws {
    let scenario = try Scenario.load(
      text: """
        understudy-scenario: 1
        name: Change
        accessory: ./accessories/bench.yaml
        phone: { as: \(system) }
        cases:
          - name: one
            steps:
              - connect
              - { discover: any, has: [ battery-level ] }
              - { inject: { services: change, service: battery } }
              - { wait: 2 s }
              - { discover: any, has: [ level ], lacks: [ battery-level ] }
              - { read: level, gives: 7 }
        """, file: "understudy:/scenarios/change.yaml")
    let result = try Self.run(scenario)
    #expect(result.hasPassed, "\(result.transcript.joined(separator: "\n"))")
  }

  /// The table of docs/scenarios.md has every persona.
  @Test(arguments: CentralPersona.all.map(\.name)) func itIsDocumented(_ name: String) throws {
    let persona = try #require(CentralPersona.named(name))
    let milliseconds = { (duration: Duration) in "\(Int(duration / .milliseconds(1)))" }
    let (shortest, longest) = (persona.intervals.lowerBound, persona.intervals.upperBound)
    let interval = (shortest == longest ? "" : "\(milliseconds(shortest)) to ") + "\(milliseconds(longest)) ms"
    let opening = persona.opening.map(\.rawValue).joined(separator: ", ")
    let row =
      "| `\(name)` | \(persona.mtu) | \(interval) | \(milliseconds(persona.timeout)) ms | "
      + "\(persona.phy == .le2M ? "2M" : "1M") | \(opening) | \(persona.discovery.rawValue), \(persona.order.rawValue) | "
      + "\(persona.caching.rawValue) |"
    let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/scenarios.md")
    #expect(try String(contentsOf: page, encoding: .utf8).contains(row), "\(row)")
  }
}
