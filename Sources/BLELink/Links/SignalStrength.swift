import BLECore
import BLEGAP
import BLEHCI

/// The signal strength of the peer of a link.
extension HostEngine {
  /// Asks the controller for it; the answer is in `HostOutput.signalStrengths` of this or a later turn. There is no answer if the link
  /// ends first.
  package mutating func askForSignalStrength(
    of handle: ConnectionHandle, at now: Instant, into out: inout HostOutput
  ) throws(HostRequestError) {
    out.now = now
    _ = try existing(handle)
    guard hci.commands.isUp else { throw .notReady }
    if !hci.commands.contains(where: { $0 == .signalStrength(handle) }) {
      hci.commands.addFirst([
        CommandFlow.Entry(HCIReadRSSI { $0.connectionHandle = handle }, for: .signalStrength(handle))
      ])
    }
    flush(into: &out)
  }

  /// Passes the controller's answer to the output.
  func signalStrengthAnswered(_ parameters: Span<UInt8>, of handle: ConnectionHandle, into out: inout HostOutput) {
    let answer = try? HCIReadRSSI.ReturnParameters(decoding: parameters)
    guard let answer, answer.status == .success else { return }
    // 127 means that it is not available (Core 5.4 Vol 4 Part E 7.5.4).
    out.signalStrengths.append((handle, answer.rssi == 127 ? nil : Int(answer.rssi)))
  }
}
