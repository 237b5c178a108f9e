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
        let ended: HCIDisconnectionComplete = try decode(parameters)
        guard ended.status == .success else { break }
        if index(of: ended.connectionHandle) != nil {
          linkEnded(ended.connectionHandle, reason: ended.reason, at: now, into: &out)
        } else {
          strangerLeft(ended.connectionHandle, at: now, into: &out)
        }
      case .hardwareError:
        let error: HCIHardwareError = try decode(parameters)
        restart("it reported hardware error 0x\([error.hardwareCode].hexadecimal)", at: now, into: &out)
      case .vendor:
        let event: HCIVendorEvent = try decode(parameters)
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

  /// Decodes an event's parameters. Octets behind them are passed over: newer controllers may send more.
  private func decode<Event: HCIEvent>(_ parameters: Span<UInt8>) throws(LayoutFault) -> Event {
    try Event.decodePrefix(of: parameters).value
  }

  private mutating func receiveLEEvent(
    _ event: EventPacket, _ parameters: Span<UInt8>, at now: Instant, into out: inout HostOutput
  ) throws(LayoutFault) {
    switch event.subevent {
    case .leConnectionComplete:
      let event: LEConnectionComplete = try decode(parameters)
      connectionCompleted(
        event.status, event.connectionHandle, event.role,
        ConnectionDetails(
          peer: event.peerAddress, peerType: event.peerAddressType, interval: event.interval.duration,
          latency: Int(event.latency), timeout: event.supervisionTimeout.duration), at: now, into: &out)
    case .leEnhancedConnectionComplete:
      let event: LEEnhancedConnectionComplete = try decode(parameters)
      connectionCompleted(
        event.status, event.connectionHandle, event.role,
        ConnectionDetails(
          peer: event.peerAddress, peerType: event.peerAddressType, interval: event.interval.duration,
          latency: Int(event.latency), timeout: event.supervisionTimeout.duration), at: now, into: &out)
    case .leAdvertisingSetTerminated:
      let event: LEAdvertisingSetTerminated = try decode(parameters)
      advertiser?.terminated(handle: event.advertisingHandle, by: event.status)
      reportAdvertising(into: &out)
    case .leConnectionUpdateComplete:
      parametersUpdated(try decode(parameters), at: now, into: &out)
    case .leDataLengthChange:
      let event: LEDataLengthChange = try decode(parameters)
      guard index(of: event.connectionHandle) != nil else { break }
      out.events.append(
        .dataLengthChanged(
          event.connectionHandle, transmit: Int(event.maximumTxOctets), receive: Int(event.maximumRxOctets)))
    case .lePHYUpdateComplete:
      let event: LEPHYUpdateComplete = try decode(parameters)
      guard event.status == .success, index(of: event.connectionHandle) != nil else { break }
      out.events.append(.phyChanged(event.connectionHandle, transmit: event.txPHY, receive: event.rxPHY))
    case .leRemoteConnectionParameterRequest:
      acceptParameters(try decode(parameters))
    case .leLongTermKeyRequest:
      let event: LELongTermKeyRequest = try decode(parameters)
      guard index(of: event.connectionHandle) != nil else { break }
      // Nothing has been paired, so there is no key (Core 5.4 Vol 4 Part E 7.8.26).
      var refusal = LELongTermKeyRequestNegativeReply()
      refusal.connectionHandle = event.connectionHandle
      commands.add(refusal)
    default: break
    }
  }
}
