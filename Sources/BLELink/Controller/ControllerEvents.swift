import BLECore
import BLEHCI

extension HostEngine {
  /// Handles an event. The most frequent events come first.
  mutating func receiveEvent(_ packet: Span<UInt8>, into out: inout HostOutput) {
    do throws(LayoutFault) {
      let event = try EventPacket(packet)
      let parameters = packet.extracting(event.parameters)
      guard !hci.commands.isOutdated(event.code) else { return }
      switch event.code {
      case .numberOfCompletedPackets:
        let isWhole = HCINumberOfCompletedPackets.forEach(in: parameters) { handle, count in
          if scheduler.completed(handle, count) != nil { report(.bogusCompletion(handle), into: &out) }
        }
        if !isWhole { report(.malformedEvent(code: event.code.rawValue), into: &out) }
      case .leMeta: try receiveLEEvent(event, parameters, into: &out)
      case .disconnectionComplete:
        let ended = try HCIDisconnectionComplete.received(parameters)
        guard ended.status == .success else { break }
        if let link = links.id(of: ended.connectionHandle) {
          linkEnded(link, reason: ended.reason, into: &out)
        } else {
          unknownLinkEnded(ended.connectionHandle, into: &out)
        }
      case .encryptionChange, .encryptionChangeV2, .encryptionKeyRefreshComplete, .authenticatedPayloadTimeoutExpired:
        try receiveEncryptionEvent(event.code, parameters, into: &out)
      case .hardwareError:
        let error = try HCIHardwareError.received(parameters)
        carryOut(.restart("it reported hardware error 0x\([error.hardwareCode].hexadecimal)"), into: &out)
      case .vendor:
        guard let assertion = try HCIVendorEvent.received(parameters).zephyrAssertion else { break }
        vendorReported(assertion, into: &out)
      default:
        if try receiveClassicEvent(event.code, parameters, into: &out) { break }
        receiveAnswer(event, in: packet, into: &out)
      }
    } catch {
      report(.malformedEvent(code: packet.count > 0 ? packet[0] : 0), into: &out)
    }
  }

  /// Handles a vendor event that, if it is Zephyr's, means that the firmware has stopped. For Zephyr and Nordic that is certain; from other
  /// manufacturers the event may mean anything, so the controller is asked something.
  private mutating func vendorReported(_ assertion: ZephyrAssertion, into out: inout HostOutput) {
    let known = [hci.profile.manufacturer, hci.commands.bringUp.profile.manufacturer]
    guard known.contains(.zephyr) || known.contains(.nordic) else { return hci.askSomething(supervisedLinks) }
    carryOut(.restart("its firmware stopped at \(assertion)"), into: &out)
  }
}
