import BLEATT
import BLECore
import BLEGATT
import Testing

/// Core 5.4 Vol 3 Part F 3.4.7.4 and Part G 4.10.2.
@Suite("Multiple Handle Value Notifications")
struct MultipleNotificationTests {
  private func sent(
    _ lengths: [Int], mtu: Int = 23, features: UInt8 = 4
  ) throws -> (count: Int, octets: String) {
    var chart = try SequenceChart(
      host: [.genericAttribute(hasServiceChanged: false, hasRobustCaching: true)],
      application: [
        .init(
          id: "a", uuid: .init(0xFFF0),
          characteristics: (0..<4).map { .stored(.init(0xFFF1 + UInt16($0)), [.notify], []) })
      ], mtu: mtu)
    try chart.exchange("12 0300" + [features].hexadecimal, "13")
    let values = lengths.enumerated().map { offset, length in
      (index: CharacteristicIndex(offset), value: Array(repeating: UInt8(offset), count: length))
    }
    var buffer = OctetBuffer()
    let count = chart.server.multipleNotification(of: values[...], on: &chart.bearer, to: &chart.session, into: &buffer)
    return (count, buffer.copy().hexadecimal)
  }

  @Test("Handles, lengths and whole values, as many as fit")
  func values() throws {
    let two = try sent([1, 2])
    #expect(two.count == 2)
    #expect(two.octets == "23" + "0a00" + "0100" + "00" + "0d00" + "0200" + "0101")
    let exact = try sent([7, 7])
    #expect(exact.count == 2)
    #expect(exact.octets.count == 2 * 23)
    #expect(try sent([1, 1, 1, 1]).count == 4)
    #expect(try sent([1, 1, 9]).count == 2)
    #expect(try sent([0, 0, 0, 0]).count == 4)
  }

  @Test("A single value is not sent in this way", arguments: [[], [1], [7, 8], [30, 1]])
  func tooFew(lengths: [Int]) throws {
    let sent = try sent(lengths)
    #expect(sent.count == 0)
    #expect(sent.octets.isEmpty)
  }

  @Test("Only clients that support them get them", arguments: [0, 1, 2, 3] as [UInt8])
  func features(features: UInt8) throws {
    #expect(try sent([1, 1], features: features).count == 0)
  }
}
