import BLECore
import BLEGAP
import BLEHCI

extension HostStack {
  /// The line to the controller is gone, as when a board is unplugged. All links have ended, and nothing is sent before `start`
  /// brings a controller up again. Values, services, published channels and what is wanted of advertising stay; octets that
  /// were not sent are forgotten.
  public mutating func loseController(at now: Instant, into out: inout HostOutput) {
    guard !isOver else { return }
    isStarted = false
    for connection in connections {
      linkEnded(connection.handle, reason: .hardwareFailure, at: now, into: &out)
    }
    bringUpAgain()
    commands.reset()
    bringUpDue = nil
    incident = nil
    deframer.reset()
    out.octets.removeAll()
    guard isShuttingDown else { return }
    // Nobody is left to say goodbye to.
    hasStopped = true
    out.events.append(.stopped)
  }
}
