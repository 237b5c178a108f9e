import BLECore
import Capture

/// The packets between host and controller, for the ring, a capture file and whoever watches.
extension Accessory {
  /// Whether anybody wants the packets between host and controller.
  var isSeen: Bool { ring != nil || capture != nil || !packetWatchers.isEmpty }

  /// Gives octets that went that way to everybody who wants them.
  func record(_ direction: CapturedPacket.Direction, _ octets: Span<UInt8>, at now: Instant) {
    ring?.record(direction, octets, nanoseconds: now.nanoseconds)
    guard capture != nil || !packetWatchers.isEmpty else { return }
    let sinceEpoch = loop.sinceEpoch()
    packetWatchers.take(direction, octets, sinceEpoch: sinceEpoch)
    guard capture != nil else { return }
    capture?.record(direction, octets, at: now, sinceEpoch: sinceEpoch)
    noteCaptureFailure()
  }

  /// Tells once that the capture file cannot be written.
  func noteCaptureFailure() {
    guard let failure = capture?.takeFailure() else { return }
    captureFailure = failure
    emit(.captureFailed("\(failure)"))
  }
}
