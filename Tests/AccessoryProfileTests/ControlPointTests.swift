import AccessoryProfile
import BLEATT
import BLECore
import BLEGATT
import Testing

extension ProfileRuntime {
  /// Changes a client's subscription.
  mutating func configure(
    _ id: String, _ configuration: ClientConfiguration, client: ClientID = 1, at now: Instant = .zero
  ) {
    guard let index = index(of: id) else { return }
    configurationChanged(index, of: client, to: configuration, at: now)
  }

  /// Writes a command.
  mutating func command(_ octets: String, _ id: String, client: ClientID = 1, at now: Instant = .zero) -> WriteAnswer {
    guard let index = index(of: id), let value = [UInt8](hexadecimal: octets) else {
      return WriteAnswer(error: .invalidHandle)
    }
    return write(value, to: index, for: client, at: now)
  }

  /// Returns the octets of all messages that wait for a client.
  mutating func messages(client: ClientID = 1, limit: Int = 20) -> [String] {
    var messages: [String] = []
    while let message = nextMessage(for: client, limit: limit, at: .zero) { messages.append(message.value.hexadecimal) }
    return messages
  }
}

@Suite("Control points")
struct ControlPointTests {
  private func cycling() throws -> ProfileRuntime {
    let path = try #require(ShippedProfiles.path(named: "cycling"))
    return ProfileRuntime(profile: try Profile.load(contentsOf: path))
  }

  private func confirm(_ runtime: inout ProfileRuntime, client: ClientID = 1) throws {
    runtime.confirmed(try #require(runtime.index(of: "control-point")), by: client, at: .zero)
  }

  @Test(arguments: [
    ("0100000000", "100101"), ("01", "100103"), ("010000000000", "100103"), ("02", "100202"), ("0304", "100301"),
    ("030c", "100301"), ("0305", "100303"), ("0363", "100303"), ("03", "100303"), ("04", "100401040c"),
    ("0400", "100403"), ("ff", "10ff02"), ("", "100003"),
  ])
  func cyclingAnswers(_ command: String, _ response: String) throws {
    var runtime = try cycling()
    runtime.configure("control-point", .indication)
    #expect(runtime.command(command, "control-point").error == nil)
    let message = runtime.nextMessage(for: 1, limit: 20, at: .zero)
    #expect(message?.value.hexadecimal == response && message?.isIndication == true)
  }

  @Test func aCommandIsUnderWayUntilItsResponseIsConfirmed() throws {
    var runtime = try cycling()
    #expect(runtime.command("04", "control-point").error?.rawValue == 0x81)
    runtime.configure("control-point", .indication)
    runtime.configure("control-point", .indication, client: 2)
    #expect(runtime.command("04", "control-point") == .accepted)
    #expect(runtime.command("04", "control-point").error?.rawValue == 0x80)
    #expect(runtime.messages() == ["100401040c"])
    #expect(runtime.command("04", "control-point").error?.rawValue == 0x80)
    // Another client is unaffected.
    #expect(runtime.command("04", "control-point", client: 2) == .accepted)
    try confirm(&runtime)
    #expect(runtime.command("04", "control-point") == .accepted)
    #expect(runtime.command("04", "control-point", client: 2).error?.rawValue == 0x80)
    // Unsubscribing gives up the responses.
    runtime.configure("control-point", [])
    #expect(runtime.command("04", "control-point").error?.rawValue == 0x81)
    runtime.configure("control-point", .indication)
    #expect(runtime.messages() == [] && runtime.command("04", "control-point") == .accepted)
  }

  @Test func parametersAreAssigned() throws {
    var runtime = try cycling()
    runtime.configure("control-point", .indication)
    #expect(runtime.command("0304", "control-point").error == nil)
    #expect(runtime.readOctets("location", at: .zero) == [4])
    _ = runtime.messages()
    try confirm(&runtime)
    runtime.subscribe("measurement", notified: 1, at: .zero)
    #expect(runtime.run(until: .ms(10_000)).count == 10)
    #expect(runtime.readOctets("measurement", at: .ms(10_000))?[1...4] == [50, 0, 0, 0])
    #expect(runtime.command("01e8030000", "control-point", at: .ms(10_000)).error == nil)
    // The wheel continues from there.
    _ = runtime.run(until: .ms(12_000))
    #expect(runtime.readOctets("measurement", at: .ms(12_000))?[1...4] == [0xF2, 0x03, 0, 0])
  }

  @Test func recordsAreCountedSentAndRemoved() throws {
    let profile = try profile(
      """
      tables:
        - id: measurements
          columns: { sequence: u16, level: u8 }
          rows: [ { sequence: 1, level: 7 }, { sequence: 2, level: 9 } ]
          timeline: [ { at: 1 s, add: { level: 5 } }, { at: 2 s, modify: { sequence: 3, level: 6 } } ]
      services:
        - uuid: FFF0
          characteristics:
            - { id: record, uuid: FFF1, properties: [notify] }
            - { id: state, uuid: FFF3, properties: [read], format: u8, value: 1 }
            - id: point
              uuid: FFF2
              properties: [write, indicate]
              control-point:
                response: [0x06, hex:00, opcode, result]
                unknown: { result: 2 }
                malformed: { result: 5 }
                commands:
                  - { opcode: 1, parameters: { operator: u8 }, require: [ { parameter: operator, from: 1, to: 1, else: { result: 4 } } ], do: { send: { measurements: record } } }
                  - { opcode: 2, do: { clear: measurements } }
                  - { opcode: 4, parameters: { operator: u8 }, response: [ 0x05, hex:00, { count: measurements } ] }
                  - { opcode: 5, parameters: { sequence: u16 }, require: [ { row: measurements, key: sequence, else: { result: 6 } } ], response: [ { column: level }, { value: state }, sequence ] }
                  - { opcode: 6, require: [ { value: state, is: 2, else: { result: 9 } } ], response: [] }
                  - { opcode: 7, do: [ { set: { state: 2 } } ] }
      """)
    var runtime = ProfileRuntime(profile: profile)
    runtime.configure("point", .indication)
    runtime.configure("record", .notification)
    _ = runtime.run(until: .ms(3000))
    func answer(_ command: String) -> [String] {
      let answer = runtime.command(command, "point", at: .ms(3000))
      return runtime.messages() + (answer.error.map { ["error \($0.rawValue)"] } ?? [])
    }
    // The records come first, the response last.
    #expect(answer("0101") == ["010007", "020009", "030006", "06000101"])
    #expect(answer("0102") == ["06000104"])
    #expect(answer("0401") == ["05000300"])
    #expect(answer("050300") == ["06010300"])
    #expect(answer("050900") == ["06000506"])
    #expect(answer("06") == ["06000609"] && answer("07") == ["06000701"] && answer("06") == [])
    #expect(answer("02") == ["06000201"] && answer("0401") == ["05000000"])
    #expect(answer("0101") == ["06000101"])
  }

  static let commands = [
    "ancs": [
      "00010000000001ffff02ffff03ffff04050607", "00040000000303000400",
      "01636f6d2e6170706c652e6d6f62696c656d61696c0000",
      "020200000001", "020100000001", "030405",
    ],
    "cycling": ["0100000000", "0304", "030c", "04", "0203"],
  ]

  /// Random changes of commands are answered or refused, each time in the same way.
  @Test(arguments: ["ancs", "cycling"], 0..<4 as Range<UInt64>)
  func randomCommandsAreAnswered(_ name: String, _ seed: UInt64) throws {
    let commands = try #require(Self.commands[name])
    let path = try #require(ShippedProfiles.path(named: name))
    let profile = try Profile.load(contentsOf: path)
    func play() -> [String] {
      var runtime = ProfileRuntime(profile: profile)
      var random = SplitMix64(seed: seed)
      var transcript: [String] = []
      for behavior in profile.behaviors { runtime.configure(behavior.id, [.notification, .indication]) }
      for step in 0..<500 {
        guard let behavior = profile.behaviors.filter({ $0.controlPoint != nil }).randomElement(using: &random) else {
          return []
        }
        var octets = [UInt8](hexadecimal: commands.randomElement(using: &random) ?? "") ?? []
        if Bool.random(using: &random) { octets.removeLast(Int.random(in: 0...octets.count, using: &random)) }
        for index in octets.indices where Int.random(in: 0..<8, using: &random) == 0 {
          octets[index] = .random(in: 0...255, using: &random)
        }
        let answer = runtime.command(octets.hexadecimal, behavior.id, at: .ms(Int64(step) * 100))
        transcript.append(answer.error.map { "\($0.rawValue)" } ?? "accepted")
        _ = runtime.run(until: .ms(Int64(step) * 100))
        transcript += runtime.messages(limit: Int.random(in: 20...514, using: &random))
        if let index = runtime.index(of: behavior.id) { runtime.confirmed(index, by: 1, at: .zero) }
      }
      return transcript
    }
    let first = play()
    #expect(first == play() && first.contains("accepted"))
  }
}
