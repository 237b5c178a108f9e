import BLECore
import BLEHCI

extension HostEngine {
  /// Takes everything off the air and disconnects every peer. The event `stopped` reports when that is done.
  public mutating func shutDown(at now: Instant, into out: inout HostOutput) {
    out.now = now
    guard phase != .shuttingDown, phase != .stopped else { return }
    guard isReady else { return stop(into: &out) }
    phase = .shuttingDown
    role.stopAll()
    disconnectAll(reason: .remoteDeviceTerminatedPowerOff)
    flush(into: &out)
  }

  /// Ends the host.
  mutating func stop(into out: inout HostOutput) {
    phase = .stopped
    out.events.append(.stopped)
  }
}
