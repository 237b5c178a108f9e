import BLECore
import Capture

/// Passing the packets between host and controller to the ring, the capture file and the watchers.
extension Accessory {
  /// Whether anything records or watches the packets between host and controller.
  var isSeen: Bool { ring != nil || capture != nil || !packetWatchers.isEmpty }

  /// Passes octets sent in `direction` to everything that records or watches them.
  func record(_ direction: CapturedPacket.Direction, _ octets: Span<UInt8>, at now: Instant) {
    ring?.record(direction, octets, nanoseconds: now.nanoseconds)
    guard capture != nil || !packetWatchers.isEmpty else { return }
    let sinceEpoch = loop.sinceEpoch()
    packetWatchers.take(direction, octets, sinceEpoch: sinceEpoch)
    guard capture != nil else { return }
    capture?.record(direction, octets, at: now, sinceEpoch: sinceEpoch)
    noteCaptureFailure()
  }

  /// Reports, once, that the capture file cannot be written.
  func noteCaptureFailure() {
    guard let failure = capture?.takeFailure() else { return }
    captureFailure = failure
    emit(.captureFailed("\(failure)"))
  }
}
