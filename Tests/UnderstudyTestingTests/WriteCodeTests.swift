import Testing
import UnderstudyTesting

/// A test's own code for writes.
@Suite("Code for writes")
struct WriteCodeTests {
  static let safe = """
    understudy: 1
    name: Safe
    services:
      - uuid: FFF0
        characteristics:
          - { id: command, uuid: FFF1, properties: [write], format: hex, max-length: 20, on-write: [ { when: { first: 9 }, error: 0x81 } ] }
          - { id: answer, uuid: FFF2, properties: [notify], format: hex, notify: on-demand }
    """

  let air = TestAir(seed: 3)

  func scene() throws -> (safe: TestAccessory, phone: TestCentral) {
    let safe = try air.accessory(try Profile.load(text: Self.safe))
    let phone = try air.central("phone")
    try phone.connect(to: safe)
    return (safe, phone)
  }

  private func code(of body: () throws -> Void) -> UInt8? {
    do {
      try body()
      return nil
    } catch GATTFailure.refused(let code, _, _) {
      return code.rawValue
    } catch {
      return 0
    }
  }

  @Test("Code accepts a write, refuses it with an error, or replies with a notification")
  func decisions() throws {
    let (safe, phone) = try scene()
    try safe.onWrite("command") { octets in
      switch octets.first {
      case 1: .reply(Array(octets.reversed()), on: "answer")
      case 2: .refuse(ATTErrorCode(rawValue: 0x80))
      default: .accept
      }
    }
    try phone.subscribe(to: "answer")
    try phone.write(.octets([1, 2, 3]), to: "command")
    let event = try phone.expect(.value(of: "answer"))
    #expect(event.octets == [3, 2, 1])
    #expect(code { try phone.write(.octets([2]), to: "command") } == 0x80)
    #expect(try safe.octets(of: "command") == [1, 2, 3])
    try phone.write(.octets([3]), to: "command")
    #expect(try safe.octets(of: "command") == [3])
    // The profile may refuse a write that the code accepts.
    #expect(code { try phone.write(.octets([9]), to: "command") } == 0x81)
  }

  @Test("Code stays until it is removed, even if the accessory is restored")
  func lifetime() throws {
    let (safe, phone) = try scene()
    try safe.onWrite("command") { _ in .refuse(.writeNotPermitted) }
    try safe.restore(safe.snapshot())
    try phone.connect(to: safe)
    #expect(code { try phone.write(.octets([1]), to: "command") } == ATTErrorCode.writeNotPermitted.rawValue)
    try safe.onWrite("command", nil)
    #expect(code { try phone.write(.octets([1]), to: "command") } == nil)
  }

  @Test("A reply on an unknown characteristic accepts the write, and code for an unknown characteristic is an error")
  func missingCharacteristic() throws {
    let (safe, phone) = try scene()
    try safe.onWrite("command") { _ in .reply([1], on: "nothing") }
    #expect(code { try phone.write(.octets([1]), to: "command") } == nil)
    #expect(throws: (any Error).self) { try safe.onWrite("nothing") { _ in .accept } }
    #expect(throws: (any Error).self) { try safe.onWrite("device-name") { _ in .accept } }
  }
}
