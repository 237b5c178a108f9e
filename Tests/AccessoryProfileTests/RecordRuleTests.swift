import AccessoryProfile
import BLEATT
import BLECore
import BLEGATT
import Testing

/// Rules and conditions for records and refused reads.
@Suite("Records that rules add, and conditional reads")
struct RecordRuleTests {
  /// Returns a counter that stores every second value, and a control point that counts the records and sends them by indications.
  private func keeper() throws -> ProfileRuntime {
    var runtime = ProfileRuntime(
      profile: try profile(
        """
        variables: { number: 0 }
        tables:
          - { id: kept, format: { struct: { time: u8, level: u16 } } }
          - { id: log, columns: { number: u8, text: utf8 } }
        rules:
          - { when: { every: 1 s }, do: { set: { number: { compute: number + 1 } } } }
          - { when: { every: 2 s }, do: { add: { kept: { compute: x } } } }
          - { when: { every: 5 s }, do: { add: { log: { number: { compute: number * 1.5 }, text: five } } } }
        services:
          - uuid: FFF0
            characteristics:
              - id: x
                uuid: FFF1
                properties: [read, indicate]
                format: { struct: { time: u8, level: u16 } }
                value: { time: { compute: number }, level: { compute: number * 100 } }
                indicate: on-demand
              - id: point
                uuid: FFF2
                properties: [write, indicate]
                control-point:
                  response: [opcode, result]
                  unknown: { result: 2 }
                  malformed: { result: 3 }
                  commands:
                    - { opcode: 1, response: [{ count: kept }, { count: log }] }
                    - { opcode: 2, do: { send: { kept: x } } }
        """))
    for id in ["x", "point"] { runtime.configure(id, .indication) }
    return runtime
  }

  @Test func rulesAddWhatIsMeasured() throws {
    var runtime = try keeper()
    _ = runtime.run(until: .ms(6500))
    #expect(runtime.command("01", "point") == .accepted)
    #expect(runtime.messages() == ["03000100"])
    // Records of a characteristic without notifications are indicated.
    #expect(runtime.command("02", "point") == .accepted)
    var sent: [ClientMessage] = []
    while let message = runtime.nextMessage(for: 1, limit: 20, at: .ms(6500)) { sent.append(message) }
    #expect(sent.map(\.value.hexadecimal) == ["02c800", "049001", "065802", "0201"])
    #expect(sent.allSatisfy { $0.isIndication })
  }

  @Test func theOldestGoesBeyondOneThousand() throws {
    var runtime = ProfileRuntime(
      profile: try profile(
        """
        tables: [ { id: kept, columns: { number: u16 } } ]
        rules: [ { when: { every: 10 ms }, do: { add: { kept: {} } } } ]
        services:
          - uuid: FFF0
            characteristics:
              - id: point
                uuid: FFF2
                properties: [write, notify]
                control-point:
                  unknown: { result: 2 }
                  malformed: { result: 3 }
                  commands:
                    - { opcode: 1, response: [{ count: kept }] }
                    - opcode: 2
                      parameters: { number: u16 }
                      require: [ { row: kept, key: number, else: { error: 0x80 } } ]
        """))
    runtime.configure("point", .notification)
    _ = runtime.run(until: .ms(12_000))
    #expect(runtime.command("01", "point") == .accepted)
    #expect(runtime.messages() == ["e803"])
    #expect(runtime.command("02c800", "point").error?.rawValue == 0x80)
    #expect(runtime.command("02c900", "point") == .accepted)
  }

  @Test func whatDoesNotFitIsReported() throws {
    var runtime = ProfileRuntime(
      profile: try profile(
        """
        tables: [ { id: kept, columns: { number: u8 }, rows: [ { number: 7 } ] } ]
        rules: [ { when: start, do: { add: { kept: { number: 7 } } } } ]
        services: [ { uuid: FFF0, characteristics: [ { uuid: FFF1, properties: [read] } ] } ]
        """))
    #expect(runtime.takeRuleReports() == [.failed(place: "kept", reason: "the number 7 is already taken")])
  }

  @Test func readsAreRefusedWhileAConditionHolds() throws {
    var runtime = ProfileRuntime(
      profile: try profile(
        """
        variables: { allowed: { value: false, per: connection } }
        services:
          - uuid: FFF0
            characteristics:
              - { id: key, uuid: FFF1, properties: [write], on-write: [ { when: hex:01, do: { set: { allowed: true } } } ] }
              - { id: secret, uuid: FFF2, properties: [read], value: hex:2a, on-read: { if: not allowed, error: 0x80 } }
        """))
    let secret = try #require(runtime.index(of: "secret"))
    for client: ClientID in [1, 2] { runtime.clientArrived(client, at: .zero) }
    #expect(runtime.read(secret, for: 1, at: .zero) == .error(ATTErrorCode(rawValue: 0x80)))
    #expect(runtime.currentValue(of: secret, for: 1, at: .zero) == nil)
    #expect(runtime.command("01", "key") == .accepted)
    #expect(runtime.read(secret, for: 1, at: .zero) == .value([0x2A]))
    #expect(runtime.currentValue(of: secret, for: 1, at: .zero) == [0x2A])
    #expect(runtime.read(secret, for: 2, at: .zero) == .error(ATTErrorCode(rawValue: 0x80)))
  }

  @Test func fieldsThatAreComputedToNoneAreNotThere() throws {
    var runtime = ProfileRuntime(
      profile: try profile(
        """
        services:
          - uuid: FFF0
            characteristics:
              - { id: a, uuid: FFF1, properties: [read, write], format: u8, value: 0 }
              - id: x
                uuid: FFF2
                properties: [read]
                format: { struct: { flags: { bits: { low: 1, alarms: 1 } }, alarms: { flags: { hot: 1, cold: 2 }, if: flags.alarms } } }
                value: { low: { compute: a > 2 }, alarms: { compute: "if(a > 0, a & 3, none)" } }
        """))
    #expect(runtime.readOctets("x", at: .zero) == [0])
    #expect(runtime.command("02", "a") == .accepted)
    #expect(runtime.readOctets("x", at: .zero) == [2, 2])
    #expect(runtime.command("07", "a") == .accepted)
    #expect(runtime.readOctets("x", at: .zero) == [3, 3])
  }
}
