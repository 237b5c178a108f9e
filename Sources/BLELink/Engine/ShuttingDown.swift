import BLECore
import BLEHCI

extension HostEngine {
  /// Takes everything off the air and disconnects every peer. The event `stopped` reports when that is done.
  public mutating func shutDown(at now: Instant, into out: inout HostOutput) {
    out.now = now
    guard !isShuttingDown else { return }
    isShuttingDown = true
    guard isReady else {
      hasStopped = true
      out.events.append(.stopped)
      return
    }
    role.stopAll()
    disconnectAll(reason: .remoteDeviceTerminatedPowerOff)
    flush(into: &out)
  }
}
