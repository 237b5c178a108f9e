import AccessoryProfile
import BLECore
import BLEGATT
import Testing

@Suite("Values of each client")
struct OwnValueTests {
  /// Returns a runtime with a characteristic and a variable of each client, and a value that is computed from the variable.
  private func runtime(per owner: String) throws -> ProfileRuntime {
    ProfileRuntime(
      profile: try profile(
        """
        security: { pairing: just-works }
        variables: { offset: { value: 10, per: \(owner) } }
        rules:
          - { when: { written: nudge }, do: { set: { offset: { compute: offset + written } } } }
          - { when: { written: reset }, do: { reset: unit } }
          - { when: { written: preset }, do: { set: { unit: 9 } } }
          - { when: { button: all }, do: { set: { unit: 7 } } }
        services:
          - uuid: FFF0
            characteristics:
              - { id: unit, uuid: FFF1, properties: [read, write, notify], format: u8, value: 1, per: \(owner) }
              - { id: sum, uuid: FFF2, properties: [read], format: u8, value: { compute: offset + unit } }
              - { id: nudge, uuid: FFF3, properties: [write], format: u8, value: 0 }
              - { id: reset, uuid: FFF4, properties: [write], format: u8, value: 0 }
              - { id: preset, uuid: FFF5, properties: [write], format: u8, value: 0 }
        """))
  }

  private func write(_ octet: UInt8, to id: String, by client: ClientID, in runtime: inout ProfileRuntime) throws {
    _ = runtime.write([octet], to: try #require(runtime.index(of: id)), for: client, at: .zero)
  }

  @Test(arguments: ["connection", "bond"])
  func everyClientHasItsOwn(_ owner: String) throws {
    var runtime = try runtime(per: owner)
    for client: ClientID in [1, 2] { runtime.clientArrived(client, at: .zero) }
    let unit = try #require(runtime.index(of: "unit"))
    runtime.configurationChanged(unit, of: 1, to: [.notification], at: .zero)
    runtime.configurationChanged(unit, of: 2, to: [.notification], at: .zero)
    try write(5, to: "unit", by: 1, in: &runtime)
    try write(20, to: "nudge", by: 1, in: &runtime)
    #expect(runtime.readOctets("unit", client: 1, at: .zero) == [5])
    #expect(runtime.readOctets("sum", client: 1, at: .zero) == [35])
    #expect(runtime.readOctets("unit", client: 2, at: .zero) == [1])
    #expect(runtime.readOctets("sum", client: 2, at: .zero) == [11])
    // Only the client that has written is notified.
    #expect(runtime.nextMessage(for: 1, limit: 20, at: .zero)?.value == [5])
    #expect(runtime.nextMessage(for: 2, limit: 20, at: .zero) == nil)
    // A value that a rule sets without a client applies to clients without their own.
    #expect(try runtime.press("all", at: .zero).contains(.notify(unit)) == false)
    #expect(runtime.readOctets("unit", client: 1, at: .zero) == [5])
    #expect(runtime.readOctets("unit", client: 2, at: .zero) == [7])
    try write(0, to: "preset", by: 2, in: &runtime)
    #expect(runtime.readOctets("unit", client: 2, at: .zero) == [9])
    try write(0, to: "reset", by: 1, in: &runtime)
    #expect(runtime.readOctets("unit", client: 1, at: .zero) == [7])
    // A new client with the number of one that has left does not get its values.
    runtime.clientLeft(2, at: .zero)
    runtime.clientArrived(2, at: .zero)
    #expect(runtime.readOctets("unit", client: 2, at: .zero) == [7])
  }

  @Test func whatIsOfABondIsKeptAndComesBack() throws {
    var runtime = try runtime(per: "bond")
    runtime.clientArrived(1, at: .zero)
    #expect(!runtime.hasNewKeptValues && runtime.keptValues(of: 1).isEmpty)
    try write(5, to: "unit", by: 1, in: &runtime)
    try write(20, to: "nudge", by: 1, in: &runtime)
    #expect(runtime.takeClientsWithNewValues() == [1] && !runtime.hasNewKeptValues)
    let kept = runtime.keptValues(of: 1)
    // 30 as CBOR (RFC 8949 3.1).
    #expect(kept == ["unit": [5], "offset": [0x18, 30]])
    runtime.clientLeft(1, at: .zero)
    runtime.clientArrived(3, at: .zero)
    #expect(runtime.readOctets("sum", client: 3, at: .zero) == [11])
    runtime.restore(keptValues: kept, of: 3, at: .zero)
    #expect(runtime.readOctets("unit", client: 3, at: .zero) == [5])
    #expect(runtime.readOctets("sum", client: 3, at: .zero) == [35])
    runtime.forgetKeptValues(of: 3)
    #expect(runtime.readOctets("sum", client: 3, at: .zero) == [11])
    // Values from another version of the profile do no harm.
    runtime.restore(keptValues: ["gone": [1], "offset": [0xFF], "unit": []], of: 3, at: .zero)
    #expect(runtime.readOctets("sum", client: 3, at: .zero)?.count == 1)
  }

  @Test func whatIsOfAConnectionIsNotKept() throws {
    var runtime = try runtime(per: "connection")
    runtime.clientArrived(1, at: .zero)
    try write(5, to: "unit", by: 1, in: &runtime)
    try write(20, to: "nudge", by: 1, in: &runtime)
    #expect(!runtime.hasNewKeptValues && runtime.keptValues(of: 1).isEmpty)
  }

  @Test(arguments: [
    (
      "properties: [read], format: u8, value: { counter: { to: 9 } }, per: bond",
      "error: a generated value is shared by all clients"
    ),
    ("properties: [write], format: u8, per: bond, packets: { length: u8 }", "error: 'per' and 'packets'"),
    ("properties: [write], format: u8, per: bond", "warning: no central can bond"),
    ("properties: [write], format: u8, per: phone", "error: unknown word 'phone' (known: connection, bond)"),
  ])
  func mistakes(_ keys: String, _ expected: String) {
    let reported = diagnose(
      "understudy: 1\nname: Test\nservices: [ { uuid: FFF0, characteristics: [ { id: x, uuid: FFF1, \(keys) } ] } ]\n")
    #expect(reported.contains { $0.contains(expected) }, "\(reported)")
  }
}
