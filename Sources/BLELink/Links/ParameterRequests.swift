import BLECore
import BLEGAP
import BLEHCI
import BLEL2CAP
import Faults

/// A link's own request for other connection parameters.
struct ParameterRequestState: Sendable {
  /// When to make it; nil if there is none, or it has been made.
  var due: Instant?
  /// The parameters that the link layer is requesting from the peer.
  var asked: ConnectionPolicy.ParameterRequest?
}

extension HostEngine {
  // MARK: - Asking the peer

  /// Requests other connection parameters from the peer of a link: by the link layer, or by L2CAP signalling if this controller or
  /// the peer does not support that procedure (Core 5.4 Vol 3 Part A 4.20, Vol 6 Part B 5.1.7).
  package mutating func requestParameters(
    _ request: ConnectionPolicy.ParameterRequest, on handle: ConnectionHandle, into out: inout HostOutput
  ) throws(HostRequestError) {
    requestParameters(request, on: try existing(handle), into: &out)
  }

  mutating func requestParameters(
    _ request: ConnectionPolicy.ParameterRequest, on link: LinkID, into out: inout HostOutput
  ) {
    guard hci.profile.features.contains(.connectionParametersRequest),
      hci.profile.commands.contains(.leConnectionUpdate)
    else { return requestParametersBySignalling(request, on: link, into: &out) }
    links[link].parameterRequest.asked = request
    update(
      links[link].handle,
      LinkParameters(intervals: request.intervals, latency: request.latency, timeout: request.timeout))
  }

  /// Changes the parameters of a link, or lets the link layer request them (Core 5.4 Vol 4 Part E 7.8.18).
  package mutating func update(_ handle: ConnectionHandle, _ parameters: LinkParameters) {
    let command = LEConnectionUpdate {
      $0.connectionHandle = handle
      $0.intervalMinimum = parameters.minimum
      $0.intervalMaximum = parameters.maximum
      $0.maximumLatency = parameters.maximumLatency
      $0.supervisionTimeout = parameters.supervisionTimeout
    }
    hci.commands.add(command, for: .link(handle, .parameters))
  }

  mutating func requestParametersBySignalling(
    _ request: ConnectionPolicy.ParameterRequest, on link: LinkID, into out: inout HostOutput
  ) {
    let now = out.now
    var packet = ConnectionParameterUpdateRequest()
    packet.intervalMinimum = ConnectionInterval(rounding: request.intervals.lowerBound).rawValue
    packet.intervalMaximum = ConnectionInterval(rounding: request.intervals.upperBound).rawValue
    packet.latency = UInt16(clamping: request.latency)
    packet.timeout = SupervisionTimeout(rounding: request.timeout).rawValue
    scheduler.sendFrame(on: .signalling, of: links[link].handle, into: &out.octets) { buffer in
      links[link].channels.requestParameters(packet, at: now, into: &buffer)
    }
  }

  /// Handles the answer to LE Connection Update: the controller has begun the procedure, or refuses. The peer is asked by signalling only
  /// if the controller does not support the procedure, or knows that the peer does not; any other refusal is the answer.
  mutating func parameterCommandAnswered(_ status: ErrorCode, on handle: ConnectionHandle, into out: inout HostOutput) {
    guard status != .success, let link = links.id(of: handle) else { return }
    guard let request = links[link].parameterRequest.asked else {
      return reportRefusal(of: .leConnectionUpdate, status, into: &out)
    }
    links[link].parameterRequest.asked = nil
    switch status {
    case .unknownHCICommand, .unsupportedRemoteFeature, .unsupportedFeatureOrParameterValue:
      requestParametersBySignalling(request, on: link, into: &out)
    default: out.events.append(.parametersAnswered(handle, accepted: false))
    }
  }

  /// Handles a change of a link's parameters, or the peer's refusal of ours (Core 5.4 Vol 4 Part E 7.7.65.3).
  mutating func parametersUpdated(_ event: LEConnectionUpdateComplete, into out: inout HostOutput) {
    let handle = event.connectionHandle
    guard let link = links.id(of: handle) else { return }
    if let request = links[link].parameterRequest.asked {
      links[link].parameterRequest.asked = nil
      if event.status == .unsupportedRemoteFeature {
        return requestParametersBySignalling(request, on: link, into: &out)
      }
      out.events.append(.parametersAnswered(handle, accepted: event.status == .success))
    } else if event.status != .success {
      reportRefusal(of: .leConnectionUpdate, event.status, into: &out)
    }
    guard event.status == .success else { return }
    links[link].details.update(event)
    out.events.append(
      .parametersChanged(
        handle, interval: event.interval.duration, latency: Int(event.latency),
        timeout: event.supervisionTimeout.duration))
  }

  // MARK: - Requests of the peer

  /// Handles the peer's request for other parameters by the link layer (Core 5.4 Vol 6 Part B 5.1.7).
  mutating func answer(_ request: LERemoteConnectionParameterRequest, into out: inout HostOutput) {
    let handle = request.connectionHandle
    guard let link = links.id(of: handle) else { return }
    var asked = ConnectionParameterUpdateRequest()
    asked.intervalMinimum = request.intervalMinimum.rawValue
    asked.intervalMaximum = request.intervalMaximum.rawValue
    asked.latency = request.maximumLatency
    asked.timeout = request.timeout.rawValue
    let parameters = LinkParameters(asked)
    let action = interceptParameterRequest(on: handle, into: &out)
    if action == .ignore { return }
    let isAccepted = action != .decline && parameters.map(policy.parameterPolicy.accepts) ?? false
    if let parameters { out.events.append(.parametersRequested(handle, parameters, accepted: isAccepted)) }
    if policy.parameterPolicy == .ignore { return }
    guard policy.parameterDelay > .zero else { return answer(request, isAccepted: isAccepted) }
    links[link].postponed.parameters = .init(
      due: out.now + policy.parameterDelay, request: request, isAccepted: isAccepted)
  }

  /// Sends the answer to the peer's request to the controller.
  mutating func answer(_ request: LERemoteConnectionParameterRequest, isAccepted: Bool) {
    let handle = request.connectionHandle
    guard isAccepted else {
      return hci.commands.add(
        LERemoteConnectionParameterRequestNegativeReply { $0.connectionHandle = handle }, for: .link(handle, .other))
    }
    hci.commands.add(LERemoteConnectionParameterRequestReply(accepting: request), for: .link(handle, .other))
  }

  /// Handles a peripheral's request by signalling: answers first, then changes the parameters (Core 5.4 Vol 3 Part A 4.20, 4.21).
  mutating func answer(
    _ request: ConnectionParameterUpdateRequest, _ identifier: UInt8, on link: LinkID, into out: inout HostOutput
  ) {
    guard let parameters = LinkParameters(request) else { return }
    let handle = links[link].handle
    let isAccepted = policy.parameterPolicy.accepts(parameters)
    scheduler.sendFrame(on: .signalling, of: handle, into: &out.octets) { buffer in
      links[link].channels.signalling.answerParameters(identifier, isAccepted: isAccepted, into: &buffer)
    }
    out.events.append(.parametersRequested(handle, parameters, accepted: isAccepted))
    if isAccepted { update(handle, parameters) }
  }
}
