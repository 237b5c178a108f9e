import BLECore
import BLEGAP
import BLEGATT
import BLEHCI

extension HostStack {
  /// Takes an event. Those that come with every packet first.
  mutating func receiveEvent(_ packet: Span<UInt8>, at now: Instant, into out: inout HostOutput) {
    do throws(LayoutFault) {
      let event = try EventPacket(packet)
      let parameters = packet.extracting(event.parameters)
      guard !commands.isOutdated(event.code) else { return }
      switch event.code {
      case .numberOfCompletedPackets:
        let isWhole = HCINumberOfCompletedPackets.forEach(in: parameters) { handle, count in
          if scheduler.completed(handle, count) != nil { noteDisturbance(.bogusCompletion(handle), into: &out) }
        }
        if !isWhole { noteDisturbance(.malformedEvent(code: event.code.rawValue), into: &out) }
      case .leMeta: try receiveLEEvent(event, parameters, at: now, into: &out)
      case .disconnectionComplete:
        let ended = try HCIDisconnectionComplete.received(parameters)
        guard ended.status == .success else { break }
        if index(of: ended.connectionHandle) != nil {
          linkEnded(ended.connectionHandle, reason: ended.reason, at: now, into: &out)
        } else {
          strangerLeft(ended.connectionHandle, at: now, into: &out)
        }
      case .hardwareError:
        let error = try HCIHardwareError.received(parameters)
        restart("it reported hardware error 0x\([error.hardwareCode].hexadecimal)", at: now, into: &out)
      case .vendor:
        let event = try HCIVendorEvent.received(parameters)
        guard let assertion = event.zephyrAssertion, isZephyr else { break }
        restart("its firmware stopped at \(assertion)", at: now, into: &out)
      default: receiveAnswer(event, in: packet, at: now, into: &out)
      }
    } catch {
      noteDisturbance(.malformedEvent(code: packet.count > 0 ? packet[0] : 0), into: &out)
    }
  }

  /// Vendor events mean something only when the vendor is known.
  private var isZephyr: Bool {
    let known = [controller.manufacturer, commands.bringUp.profile.manufacturer]
    return known.contains(.zephyr) || known.contains(.nordic)
  }

  private mutating func receiveLEEvent(
    _ event: EventPacket, _ parameters: Span<UInt8>, at now: Instant, into out: inout HostOutput
  ) throws(LayoutFault) {
    switch event.subevent {
    case .leConnectionComplete:
      let event = try LEConnectionComplete.received(parameters)
      connectionCompleted(
        event.status, event.connectionHandle, event.role, ConnectionDetails(event), at: now, into: &out)
    case .leEnhancedConnectionComplete:
      let event = try LEEnhancedConnectionComplete.received(parameters)
      connectionCompleted(
        event.status, event.connectionHandle, event.role, ConnectionDetails(event), at: now, into: &out)
    case .leAdvertisingSetTerminated:
      let event = try LEAdvertisingSetTerminated.received(parameters)
      advertiser?.terminated(handle: event.advertisingHandle, by: event.status)
      reportAdvertising(into: &out)
    case .leConnectionUpdateComplete:
      parametersUpdated(try .received(parameters), at: now, into: &out)
    case .leDataLengthChange:
      let event = try LEDataLengthChange.received(parameters)
      guard index(of: event.connectionHandle) != nil else { break }
      out.events.append(
        .dataLengthChanged(
          event.connectionHandle, transmit: Int(event.maximumTxOctets), receive: Int(event.maximumRxOctets)))
    case .lePHYUpdateComplete:
      let event = try LEPHYUpdateComplete.received(parameters)
      guard event.status == .success, index(of: event.connectionHandle) != nil else { break }
      out.events.append(.phyChanged(event.connectionHandle, transmit: event.txPHY, receive: event.rxPHY))
    case .leRemoteConnectionParameterRequest:
      let request = try LERemoteConnectionParameterRequest.received(parameters)
      // What the central wants by the link layer's procedure is taken (Core 5.4 Vol 6 Part B 5.1.7).
      guard index(of: request.connectionHandle) != nil else { break }
      commands.add(LERemoteConnectionParameterRequestReply(accepting: request))
    case .leLongTermKeyRequest:
      let event = try LELongTermKeyRequest.received(parameters)
      guard index(of: event.connectionHandle) != nil else { break }
      // Nothing has been paired, so there is no key (Core 5.4 Vol 4 Part E 7.8.26).
      commands.add(LELongTermKeyRequestNegativeReply { $0.connectionHandle = event.connectionHandle })
    default: break
    }
  }
}
