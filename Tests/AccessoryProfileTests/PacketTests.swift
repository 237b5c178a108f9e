import AccessoryProfile
import BLEATT
import BLECore
import BLEGATT
import Testing

/// Returns a serial port that replies with its packets, after a `>`.
private func port(
  _ packets: String, rules: String = "{ otherwise: { reply: { tx: { compute: \"'>' ++ written\" } } } }"
) throws
  -> ProfileRuntime
{
  var runtime = ProfileRuntime(
    profile: try profile(
      """
      services:
        - uuid: FFF0
          characteristics:
            - { id: rx, uuid: FFF1, properties: [write], packets: \(packets), on-write: [ \(rules) ] }
            - { id: tx, uuid: FFF2, properties: [notify], notify: on-demand }
      """))
  for client in [1, 2] as [ClientID] {
    runtime.configurationChanged(CharacteristicIndex(1), of: client, to: [.notification], at: .zero)
  }
  return runtime
}

extension ProfileRuntime {
  /// Writes the parts, and returns the replies.
  fileprivate mutating func exchange(_ parts: [[UInt8]], client: ClientID = 1, at now: Instant = .zero) -> [[UInt8]] {
    for part in parts { _ = write(part, to: CharacteristicIndex(0), for: client, at: now) }
    var replies: [[UInt8]] = []
    while let message = nextMessage(for: client, limit: 100, at: now) { replies.append(message.value) }
    return replies
  }
}

@Suite("Packets")
struct PacketTests {
  @Test func aLineMayComeInParts() throws {
    var runtime = try port("{ end: hex:0A }")
    #expect(runtime.exchange([[65], [66, 10]]) == [[62, 65, 66, 10]])
    #expect(runtime.exchange([[67, 10, 68, 10, 69]]) == [[62, 67, 10], [62, 68, 10]])
    // Clients do not affect each other.
    #expect(runtime.exchange([[10]], client: 2) == [[62, 10]])
    #expect(runtime.exchange([[10]]) == [[62, 69, 10]])
  }

  @Test(
    arguments: [
      ("{ length: u8 }", [[2], [7, 8, 0]], [[2, 7, 8], [0]]),
      (
        "{ length: u16, at: 2, order: big, plus: 8 }", [[2, 0, 0, 1, 0, 0], [1, 0, 9, 3]],
        [[2, 0, 0, 1, 0, 0, 1, 0, 9]]
      ),
      (
        "{ length: u8, at: 2, start: hex:A55A, plus: 4 }", [[1, 0xA5], [0x5A, 1, 9, 8, 0xA5]], [[0xA5, 0x5A, 1, 9, 8]]
      ),
      (
        "{ start: hex:7E, end: hex:7F }", [[0x7F, 0x7E, 1], [0x7F, 2, 0x7E, 0x7F]], [[0x7E, 1, 0x7F], [0x7E, 0x7F]]
      ),
      ("{ length: u8, plus: -64 }", [[3]], [[3]]),
    ] as [(String, [[UInt8]], [[UInt8]])])
  func lengthsAndMarkers(_ packets: String, _ parts: [[UInt8]], _ expected: [[UInt8]]) throws {
    var runtime = try port(packets)
    #expect(runtime.exchange(parts) == expected.map { [62] + $0 })
  }

  @Test func whatIsTooLongOrTooLateIsForgotten() throws {
    var runtime = try port("{ end: hex:0A, longest: 4, within: 1 s }")
    let rx = CharacteristicIndex(0)
    #expect(runtime.write([1, 2, 3], to: rx, for: 1, at: .zero).error == nil)
    #expect(runtime.write([4, 5], to: rx, for: 1, at: .zero).error == .insufficientResources)
    #expect(runtime.exchange([[6, 10]]) == [[62, 6, 10]])
    _ = runtime.write([7], to: rx, for: 1, at: .zero)
    #expect(runtime.exchange([[8, 10]], at: .ms(1001)) == [[62, 8, 10]])
    _ = runtime.write([7], to: rx, for: 1, at: .ms(2000))
    runtime.clientLeft(1, at: .ms(2000))
    runtime.configurationChanged(CharacteristicIndex(1), of: 1, to: [.notification], at: .ms(2000))
    #expect(runtime.exchange([[9, 10]], at: .ms(2000)) == [[62, 9, 10]])
  }

  @Test func theErrorOfARuleAnswersTheLastPart() throws {
    var runtime = try port("{ end: hex:0A }", rules: "{ when: { first: 1 }, error: 0x80 }")
    let rx = CharacteristicIndex(0)
    #expect(runtime.write([1], to: rx, for: 1, at: .zero).error == nil)
    #expect(runtime.write([10], to: rx, for: 1, at: .zero).error == ATTErrorCode(rawValue: 0x80))
    #expect(runtime.write([2, 10], to: rx, for: 1, at: .zero).error == nil)
  }
}
