import BLECore
import Capture
import Simulation

/// The packets between a central and its controller, as records of a capture.
package final class PacketTape {
  /// The records so far, in order.
  package private(set) var records: [CaptureRecord] = []
  private var tap: PacketTap

  /// Starts to record a central. `epoch` is the wall clock at its time zero, in nanoseconds since 1970-01-01 00:00 UTC.
  package init(of central: ScriptedCentral, epoch: Int64) {
    tap = PacketTap(epoch: epoch)
    central.tap = { [weak self] octets, isSent, now in
      // The central may end its links after the tape is gone.
      guard let self else { return }
      tap.take(octets, isSent: isSent, at: now) { self.records.keep($0) }
    }
  }

  /// Returns the records since the last call, and forgets them.
  package func take() -> [CaptureRecord] {
    defer { records = [] }
    return records
  }
}
