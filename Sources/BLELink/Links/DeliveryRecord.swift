import BLECore
import BLEHCI
import BLEGATT

/// What is known about the packets of a link in the controller, besides what the controller reports.
///
/// A client sends its next request only after the answer to the previous one (Core 5.4 Vol 3 Part F 3.3.2), and confirms only what it has
/// received. So the peer's next PDU proves that everything up to the last answer has left the controller.
struct DeliveryRecord: Hashable, Sendable {
  /// The number of the last packet on the link that the peer has to answer, or that answers the peer.
  var awaited = 0
  /// The number of the last packet that the peer has proven to have received, and when it proved that.
  var proven = 0
  var provenAt: Instant
  /// The request that makes the peer prove what it has received; nil if none is in progress.
  var question: OperationID?
  /// When the controller last reported something about this link, or was asked about it.
  var lastHeard: Instant
  /// The number of completed packets at the last check, and since when it has not changed.
  var completed = 0
  var since: Instant

  /// Creates the record of a new link.
  init(at now: Instant) { (lastHeard, provenAt, since) = (now, now, now) }

  /// Notes that the peer has proven that it received the awaited packet.
  mutating func proved(at now: Instant) { (proven, provenAt) = (awaited, now) }

  // MARK: - Late reports

  /// What is wrong with packets that the controller has not reported as completed.
  enum Lateness: Hashable {
    /// The peer has the packets up to this one, so the controller's report was lost.
    case missed(through: Int)
    /// The peer has yet to prove that it has them.
    case late
    /// Only ending the link frees the buffers.
    case stalled
  }

  /// How long the controller may take to report a packet as completed after the peer has proven that it has received it.
  private static let reportingLimit = Duration.seconds(2)
  /// How long packets may stay in the controller without any being reported; longer if the supervision timeout is longer.
  private static let stallLimit = Duration.seconds(8)

  /// Returns the maximum time that a packet takes on a good link: twice the time until the peer listens.
  private static func lateness(of details: ConnectionDetails) -> Duration {
    max(reportingLimit, details.interval * (details.latency + 1) * 2)
  }

  /// Returns what is wrong with packets that the controller has not reported as completed, although the peer has them, or they never reached
  /// the controller (Core 5.4 Vol 4 Part E 4.1.1, 7.7.19); nil if nothing is. If they are late, the peer is asked for something: its
  /// answer proves that everything sent before has arrived or was lost, so those packets are written off.
  mutating func check(
    completed count: Int, outstanding: Int, details: ConnectionDetails, at now: Instant
  ) -> Lateness? {
    guard outstanding > 0, count == completed else {
      (completed, since) = (count, now)
      return nil
    }
    let waited = now - since
    if count < proven, now - max(since, provenAt) >= Self.reportingLimit { return .missed(through: proven) }
    if waited < Self.stallLimit, waited >= Self.lateness(of: details) { return .late }
    return waited >= max(Self.stallLimit, details.timeout + Self.reportingLimit) ? .stalled : nil
  }
}
