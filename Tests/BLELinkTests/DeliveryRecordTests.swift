import BLECore
import BLEHCI
import Testing

@testable import BLELink

@Suite("Packets that the controller does not report as completed")
struct DeliveryRecordTests {
  /// 30 ms, no latency, supervision timeout 720 ms.
  private static let details = ConnectionDetails(
    LEConnectionComplete {
      $0.interval = ConnectionInterval(rawValue: 24)
      $0.supervisionTimeout = SupervisionTimeout(rawValue: 72)
    })

  private static func seconds(_ count: Int) -> Instant { .zero + .seconds(count) }

  @Test("They are late after 2 s, and stalled after 8 s")
  func silence() {
    var record = DeliveryRecord(at: .zero)
    let verdicts = (0...9).map {
      record.check(completed: 0, outstanding: 1, details: Self.details, at: Self.seconds($0))
    }
    #expect(verdicts == [nil, nil] + Array(repeating: .late, count: 6) + [.stalled, .stalled])
  }

  @Test("A report, or nothing outstanding, starts the time anew", arguments: [(1, 1), (0, 0)])
  func progress(completed: Int, outstanding: Int) {
    var record = DeliveryRecord(at: .zero)
    #expect(
      record.check(completed: completed, outstanding: outstanding, details: Self.details, at: Self.seconds(5)) == nil)
    #expect(record.check(completed: completed, outstanding: 1, details: Self.details, at: Self.seconds(6)) == nil)
    #expect(record.check(completed: completed, outstanding: 1, details: Self.details, at: Self.seconds(7)) == .late)
  }

  @Test("What the peer has proven to have is written off 2 s later")
  func proof() {
    var record = DeliveryRecord(at: .zero)
    record.awaited = 3
    record.proved(at: Self.seconds(1))
    #expect(record.check(completed: 0, outstanding: 3, details: Self.details, at: Self.seconds(2)) == .late)
    #expect(
      record.check(completed: 0, outstanding: 3, details: Self.details, at: Self.seconds(3)) == .missed(through: 3))
  }

  @Test("A long supervision timeout gives the controller longer")
  func timeout() {
    var details = Self.details
    details.timeout = .seconds(20)
    var record = DeliveryRecord(at: .zero)
    #expect(record.check(completed: 0, outstanding: 1, details: details, at: Self.seconds(21)) == nil)
    #expect(record.check(completed: 0, outstanding: 1, details: details, at: Self.seconds(22)) == .stalled)
  }
}
