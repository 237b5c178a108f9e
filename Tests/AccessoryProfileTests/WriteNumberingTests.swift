import BLECore
import BLEGATT
import Testing

@testable import AccessoryProfile

/// Numbers in written values, and the gaps between them.
@Suite("Numbered writes") struct WriteNumberingTests {
  private func runtime(_ numbering: String) throws -> ProfileRuntime {
    ProfileRuntime(
      profile: try Profile.load(
        text: """
          understudy: 1
          name: Sink
          services:
            - uuid: FFF0
              characteristics:
                - { id: sink, uuid: FFF1, properties: [write-without-response], numbered: \(numbering) }
          """))
  }

  private func write(_ value: [UInt8], to runtime: inout ProfileRuntime, from client: ClientID = 1) -> [RuleReport] {
    let answer = runtime.write(value, to: CharacteristicIndex(0), for: client, at: .zero)
    #expect(answer.error == nil)
    return runtime.takeRuleReports()
  }

  private func gap(_ expected: UInt32, _ number: UInt32, _ missing: Int?, _ client: ClientID = 1) -> [RuleReport] {
    [
      .gap(
        WriteGap(
          characteristic: CharacteristicIndex(0), client: client, expected: expected, number: number, missing: missing))
    ]
  }

  @Test("Every client starts at any number, and missing ones are counted, even past the largest number")
  func gaps() throws {
    var runtime = try runtime("{ number: u8 }")
    #expect(write([250, 0xAA], to: &runtime) == [])
    #expect(write([251], to: &runtime) == [])
    #expect(write([254], to: &runtime) == gap(252, 254, 2))
    #expect(write([255], to: &runtime) == [])
    #expect(write([0], to: &runtime) == [])
    #expect(write([3], to: &runtime) == gap(1, 3, 2))
    #expect(write([9], to: &runtime, from: 2) == [])
    #expect(write([4], to: &runtime) == [])
  }

  @Test("An earlier number is not a large gap, and the next one is counted from it")
  func repeated() throws {
    var runtime = try runtime("{ number: u8 }")
    _ = write([7], to: &runtime)
    #expect(write([7], to: &runtime) == gap(8, 7, nil))
    #expect(write([8], to: &runtime) == [])
    #expect(write([136], to: &runtime) == gap(9, 136, 127))
    #expect(write([9], to: &runtime) == gap(137, 9, nil))
  }

  @Test("Numbers are at the configured position, in the configured octet order")
  func place() throws {
    var runtime = try runtime("{ number: u24, at: 2, order: big }")
    _ = write([1, 1, 0, 0, 0xFF], to: &runtime)
    #expect(write([1, 1, 0, 1, 0], to: &runtime) == [])
    #expect(write([1, 1, 1, 0, 0], to: &runtime) == gap(0x101, 0x10000, 0xFEFF))
    guard case .failed(let place, _)? = write([1, 1, 1, 0], to: &runtime).first else {
      Issue.record("a value without a number was not reported")
      return
    }
    #expect(place == "sink")
  }

  @Test("A client that reconnects starts over")
  func anew() throws {
    var runtime = try runtime("{ number: u32 }")
    _ = write([9, 0, 0, 0], to: &runtime)
    runtime.clientLeft(1, at: .zero)
    #expect(write([0, 0, 0, 0], to: &runtime) == [])
  }

  @Test("Values that are not written have no numbers")
  func unwritable() {
    let text = """
      understudy: 1
      name: Sink
      services:
        - uuid: FFF0
          characteristics:
            - { id: sink, uuid: FFF1, properties: [read], numbered: { number: u8 } }
      """
    #expect(throws: ProfileError.self) { try Profile.load(text: text) }
  }
}
