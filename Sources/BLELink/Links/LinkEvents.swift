import BLECore
import BLEHCI

extension HostEngine {
  /// Handles an LE event; passes events that do not concern a link to the role.
  mutating func receiveLEEvent(
    _ event: EventPacket, _ parameters: Span<UInt8>, into out: inout HostOutput
  ) throws(LayoutFault) {
    let now = out.now
    guard let subevent = event.subevent else { return }
    switch subevent {
    case .leConnectionComplete:
      let event = try LEConnectionComplete.received(parameters)
      connectionCompleted(
        event.status, event.connectionHandle, event.role, ConnectionDetails(event), into: &out)
    case .leEnhancedConnectionComplete:
      let event = try LEEnhancedConnectionComplete.received(parameters)
      connectionCompleted(
        event.status, event.connectionHandle, event.role, ConnectionDetails(event), into: &out)
    case .leEnhancedConnectionCompleteV2:
      let event = try LEEnhancedConnectionCompleteV2.received(parameters).connection
      connectionCompleted(
        event.status, event.connectionHandle, event.role, ConnectionDetails(event), into: &out)
    case .leAdvertisingSetTerminated:
      let event = try LEAdvertisingSetTerminated.received(parameters)
      if event.status == .success, links.id(of: event.connectionHandle) == nil {
        hci.supervisor.expect(event.connectionHandle, at: now)
      }
      try role.receive(subevent, parameters, at: now)
      nameOwnAddress(of: event.connectionHandle)
      disconnectStrangers(into: &out)
      takeRoleEvents(into: &out)
    case .leAdvertisingReport, .leExtendedAdvertisingReport, .leScanTimeout:
      try role.receive(subevent, parameters, at: now)
      disconnectStrangers(into: &out)
      takeRoleEvents(into: &out)
    default: try receiveLinkEvent(subevent, parameters, into: &out)
    }
  }

  /// Handles an event about an existing link.
  private mutating func receiveLinkEvent(
    _ subevent: LESubevent, _ parameters: Span<UInt8>, into out: inout HostOutput
  ) throws(LayoutFault) {
    switch subevent {
    case .leConnectionUpdateComplete: parametersUpdated(try .received(parameters), into: &out)
    case .leDataLengthChange:
      let event = try LEDataLengthChange.received(parameters)
      guard let link = links.id(of: event.connectionHandle) else { break }
      links[link].carriage.transmitLength = Int(event.maximumTxOctets)
      links[link].carriage.receiveLength = Int(event.maximumRxOctets)
      out.events.append(
        .dataLengthChanged(
          event.connectionHandle, transmit: Int(event.maximumTxOctets), receive: Int(event.maximumRxOctets)))
    case .lePHYUpdateComplete:
      let event = try LEPHYUpdateComplete.received(parameters)
      guard let link = links.id(of: event.connectionHandle) else { break }
      guard event.status == .success else { return reportRefusal(of: .leSetPHY, event.status, into: &out) }
      (links[link].carriage.transmitPHY, links[link].carriage.receivePHY) = (event.txPHY, event.rxPHY)
      out.events.append(.phyChanged(event.connectionHandle, transmit: event.txPHY, receive: event.rxPHY))
    case .leRemoteConnectionParameterRequest:
      answer(try LERemoteConnectionParameterRequest.received(parameters), into: &out)
    case .leLongTermKeyRequest: answer(try LELongTermKeyRequest.received(parameters), into: &out)
    default: break
    }
  }

  /// Reports that the controller refused a command about a link, if the policy says so.
  mutating func reportRefusal(of opcode: CommandOpcode, _ status: ErrorCode, into out: inout HostOutput) {
    if policy.reportsRefusals { out.events.append(.refused(opcode, status)) }
  }
}
