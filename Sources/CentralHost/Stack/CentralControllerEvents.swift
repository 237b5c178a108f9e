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
        let ended = try HCIDisconnectionComplete.received(parameters)
        guard ended.status == .success else { break }
        linkEnded(ended.connectionHandle, reason: ended.reason, into: &out)
      case .hardwareError:
        let error = try HCIHardwareError.received(parameters)
        restart("it reported hardware error 0x\([error.hardwareCode].hexadecimal)", at: now, into: &out)
      default: receiveAnswer(event, in: packet, at: now, into: &out)
      }
    } catch {
      out.events.append(.fault(.malformedEvent(code: packet.count > 0 ? packet[0] : 0)))
    }
  }

  private mutating func receiveLEEvent(
    _ event: EventPacket, _ parameters: Span<UInt8>, into out: inout CentralOutput
  ) throws(LayoutFault) {
    switch event.subevent {
    case .leAdvertisingReport:
      let event = try LEAdvertisingReport.received(parameters)
      for report in event.reports {
        if let advertisement = reports.take(report) { out.events.append(.advertisement(advertisement)) }
      }
    case .leExtendedAdvertisingReport:
      let event = try LEExtendedAdvertisingReport.received(parameters)
      for report in event.reports {
        if let advertisement = reports.take(report) { out.events.append(.advertisement(advertisement)) }
      }
    case .leScanTimeout:
      isScanning = false
      out.events.append(.scanning(false))
    case .leConnectionComplete:
      let event = try LEConnectionComplete.received(parameters)
      connectionCompleted(
        event.status, event.connectionHandle, event.role, ConnectionDetails(event), into: &out)
    case .leEnhancedConnectionComplete:
      let event = try LEEnhancedConnectionComplete.received(parameters)
      connectionCompleted(
        event.status, event.connectionHandle, event.role, ConnectionDetails(event), into: &out)
    default: try receiveLinkEvent(event, parameters, into: &out)
    }
  }

  /// Events about a link that is there.
  private mutating func receiveLinkEvent(
    _ event: EventPacket, _ parameters: Span<UInt8>, into out: inout CentralOutput
  ) throws(LayoutFault) {
    switch event.subevent {
    case .leConnectionUpdateComplete:
      let event = try LEConnectionUpdateComplete.received(parameters)
      guard let index = index(of: event.connectionHandle) else { break }
      guard event.status == .success else {
        out.events.append(.refused(.leConnectionUpdate, event.status))
        break
      }
      links[index].details.update(event)
      out.events.append(
        .parametersChanged(
          event.connectionHandle, interval: event.interval.duration, latency: Int(event.latency),
          timeout: event.supervisionTimeout.duration))
    case .leDataLengthChange:
      let event = try LEDataLengthChange.received(parameters)
      guard index(of: event.connectionHandle) != nil else { break }
      out.events.append(
        .dataLengthChanged(
          event.connectionHandle, transmit: Int(event.maximumTxOctets), receive: Int(event.maximumRxOctets)))
    case .lePHYUpdateComplete:
      let event = try LEPHYUpdateComplete.received(parameters)
      guard index(of: event.connectionHandle) != nil else { break }
      guard event.status == .success else {
        out.events.append(.refused(.leSetPHY, event.status))
        break
      }
      out.events.append(.phyChanged(event.connectionHandle, transmit: event.txPHY, receive: event.rxPHY))
    case .leRemoteConnectionParameterRequest: answer(try .received(parameters), into: &out)
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
    commands.add(LERemoteConnectionParameterRequestReply(accepting: request))
  }
}
