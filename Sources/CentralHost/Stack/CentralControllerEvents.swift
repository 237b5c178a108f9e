import BLECore
import BLEGAP
import BLEHCI
import BLEL2CAP

extension CentralStack {
  /// Takes an event. Those that come with every packet first.
  mutating func receiveEvent(_ packet: Span<UInt8>, at now: Instant, into out: inout CentralOutput) {
    do throws(LayoutFault) {
      let event = try EventPacket(packet)
      let parameters = packet.extracting(event.parameters)
      guard !commands.isOutdated(event.code) else { return }
      switch event.code {
      case .numberOfCompletedPackets:
        let isWhole = HCINumberOfCompletedPackets.forEach(in: parameters) { handle, count in
          if scheduler.completed(handle, count) != nil { out.events.append(.fault(.bogusCompletion(handle))) }
        }
        if !isWhole { out.events.append(.fault(.malformedEvent(code: event.code.rawValue))) }
      case .leMeta: try receiveLEEvent(event, parameters, into: &out)
      case .disconnectionComplete:
        let ended: HCIDisconnectionComplete = try decode(parameters)
        guard ended.status == .success else { break }
        linkEnded(ended.connectionHandle, reason: ended.reason, into: &out)
      case .hardwareError:
        let error: HCIHardwareError = try decode(parameters)
        restart("it reported hardware error 0x\([error.hardwareCode].hexadecimal)", at: now, into: &out)
      default: receiveAnswer(event, in: packet, at: now, into: &out)
      }
    } catch {
      out.events.append(.fault(.malformedEvent(code: packet.count > 0 ? packet[0] : 0)))
    }
  }

  /// Decodes an event's parameters. Octets behind them are passed over: newer controllers may send more.
  private func decode<Event: HCIEvent>(_ parameters: Span<UInt8>) throws(LayoutFault) -> Event {
    try Event.decodePrefix(of: parameters).value
  }

  private mutating func receiveLEEvent(
    _ event: EventPacket, _ parameters: Span<UInt8>, into out: inout CentralOutput
  ) throws(LayoutFault) {
    switch event.subevent {
    case .leAdvertisingReport:
      let event: LEAdvertisingReport = try decode(parameters)
      for report in event.reports {
        if let advertisement = reports.take(report) { out.events.append(.advertisement(advertisement)) }
      }
    case .leExtendedAdvertisingReport:
      let event: LEExtendedAdvertisingReport = try decode(parameters)
      for report in event.reports {
        if let advertisement = reports.take(report) { out.events.append(.advertisement(advertisement)) }
      }
    case .leScanTimeout:
      isScanning = false
      out.events.append(.scanning(false))
    case .leConnectionComplete:
      let event: LEConnectionComplete = try decode(parameters)
      connectionCompleted(
        event.status, event.connectionHandle, event.role,
        LinkDetails(
          peer: event.peerAddress, peerType: event.peerAddressType, interval: event.interval.duration,
          latency: Int(event.latency), timeout: event.supervisionTimeout.duration), into: &out)
    case .leEnhancedConnectionComplete:
      let event: LEEnhancedConnectionComplete = try decode(parameters)
      connectionCompleted(
        event.status, event.connectionHandle, event.role,
        LinkDetails(
          peer: event.peerAddress, peerType: event.peerAddressType, interval: event.interval.duration,
          latency: Int(event.latency), timeout: event.supervisionTimeout.duration), into: &out)
    default: try receiveLinkEvent(event, parameters, into: &out)
    }
  }

  /// Events about a link that is there.
  private mutating func receiveLinkEvent(
    _ event: EventPacket, _ parameters: Span<UInt8>, into out: inout CentralOutput
  ) throws(LayoutFault) {
    switch event.subevent {
    case .leConnectionUpdateComplete:
      let event: LEConnectionUpdateComplete = try decode(parameters)
      guard let index = index(of: event.connectionHandle) else { break }
      guard event.status == .success else {
        out.events.append(.refused(.leConnectionUpdate, event.status))
        break
      }
      links[index].details.interval = event.interval.duration
      links[index].details.latency = Int(event.latency)
      links[index].details.timeout = event.supervisionTimeout.duration
      out.events.append(
        .parametersChanged(
          event.connectionHandle, interval: event.interval.duration, latency: Int(event.latency),
          timeout: event.supervisionTimeout.duration))
    case .leDataLengthChange:
      let event: LEDataLengthChange = try decode(parameters)
      guard index(of: event.connectionHandle) != nil else { break }
      out.events.append(
        .dataLengthChanged(
          event.connectionHandle, transmit: Int(event.maximumTxOctets), receive: Int(event.maximumRxOctets)))
    case .lePHYUpdateComplete:
      let event: LEPHYUpdateComplete = try decode(parameters)
      guard index(of: event.connectionHandle) != nil else { break }
      guard event.status == .success else {
        out.events.append(.refused(.leSetPHY, event.status))
        break
      }
      out.events.append(.phyChanged(event.connectionHandle, transmit: event.txPHY, receive: event.rxPHY))
    case .leRemoteConnectionParameterRequest: answer(try decode(parameters), into: &out)
    default: break
    }
  }

  /// The peripheral wants other parameters by the link layer's procedure (Core 5.4 Vol 6 Part B 5.1.7).
  private mutating func answer(_ request: LERemoteConnectionParameterRequest, into out: inout CentralOutput) {
    let handle = request.connectionHandle
    guard index(of: handle) != nil else { return }
    var asked = ConnectionParameterUpdateRequest()
    asked.intervalMinimum = request.intervalMinimum.rawValue
    asked.intervalMaximum = request.intervalMaximum.rawValue
    asked.latency = request.maximumLatency
    asked.timeout = request.timeout.rawValue
    let wish = LinkParameters(asked)
    guard let wish, configuration.parameterPolicy.accepts(wish) else {
      if let wish { out.events.append(.parametersRequested(handle, wish, accepted: false)) }
      commands.add(LERemoteConnectionParameterRequestNegativeReply { $0.connectionHandle = handle })
      return
    }
    out.events.append(.parametersRequested(handle, wish, accepted: true))
    commands.add(
      LERemoteConnectionParameterRequestReply {
        $0.connectionHandle = handle
        $0.intervalMinimum = request.intervalMinimum
        $0.intervalMaximum = request.intervalMaximum
        $0.maximumLatency = request.maximumLatency
        $0.timeout = request.timeout
      })
  }
}
