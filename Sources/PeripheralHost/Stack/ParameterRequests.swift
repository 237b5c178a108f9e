import BLECore
import BLEGAP
import BLEHCI
import BLEL2CAP

extension HostStack {
  /// Asks the central for other connection parameters: by the link layer, and by signalling only where this controller or the
  /// central's side does not know that procedure (Core 5.4 Vol 3 Part A 4.20, Vol 6 Part B 5.1.7).
  mutating func requestParameters(
    _ wish: ConnectionPolicy.ParameterRequest, on handle: ConnectionHandle, at now: Instant,
    into out: inout HostOutput
  ) {
    guard let index = index(of: handle) else { return }
    guard controller.features.contains(.connectionParametersRequest), controller.commands.contains(.leConnectionUpdate)
    else { return requestParametersBySignalling(wish, on: index, at: now, into: &out) }
    connections[index].askedParameters = wish
    var command = LEConnectionUpdate()
    command.connectionHandle = handle
    command.intervalMinimum = ConnectionInterval(rounding: wish.intervals.lowerBound)
    command.intervalMaximum = ConnectionInterval(rounding: wish.intervals.upperBound)
    command.maximumLatency = UInt16(clamping: wish.latency)
    command.supervisionTimeout = SupervisionTimeout(rounding: wish.timeout)
    commands.add(command)
  }

  private mutating func requestParametersBySignalling(
    _ wish: ConnectionPolicy.ParameterRequest, on index: Int, at now: Instant, into out: inout HostOutput
  ) {
    var request = ConnectionParameterUpdateRequest()
    request.intervalMinimum = ConnectionInterval(rounding: wish.intervals.lowerBound).rawValue
    request.intervalMaximum = ConnectionInterval(rounding: wish.intervals.upperBound).rawValue
    request.latency = UInt16(clamping: wish.latency)
    request.timeout = SupervisionTimeout(rounding: wish.timeout).rawValue
    scheduler.sendFrame(on: .signalling, of: connections[index].handle, into: &out.octets) { buffer in
      connections[index].channels.requestParameters(request, at: now, into: &buffer)
    }
  }

  /// The controller has begun to ask, or will not: then the central is asked by signalling.
  mutating func parameterRequestBegan(
    _ status: ErrorCode, on handle: ConnectionHandle, at now: Instant, into out: inout HostOutput
  ) {
    guard status != .success, let index = index(of: handle), let wish = connections[index].askedParameters else {
      return
    }
    connections[index].askedParameters = nil
    requestParametersBySignalling(wish, on: index, at: now, into: &out)
  }

  /// A connection has new parameters, or the central has refused ours (Core 5.4 Vol 4 Part E 7.7.65.3).
  mutating func parametersUpdated(
    _ event: LEConnectionUpdateComplete, at now: Instant, into out: inout HostOutput
  ) {
    let handle = event.connectionHandle
    guard let index = index(of: handle) else { return }
    if let wish = connections[index].askedParameters {
      connections[index].askedParameters = nil
      if event.status == .unsupportedRemoteFeature {
        return requestParametersBySignalling(wish, on: index, at: now, into: &out)
      }
      out.events.append(.parametersAnswered(handle, accepted: event.status == .success))
    }
    guard event.status == .success else { return }
    connections[index].details.update(event)
    out.events.append(
      .parametersChanged(
        handle, interval: event.interval.duration, latency: Int(event.latency),
        timeout: event.supervisionTimeout.duration))
  }
}
