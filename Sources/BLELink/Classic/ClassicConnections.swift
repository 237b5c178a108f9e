import BLECore
import BLEGATT
import BLEGAP
import BLEHCI
import BLEL2CAP
import BLESMP

/// The making of links over BR/EDR, and the events of the controller about them (Core 5.4 Vol 4 Part E 7.7).
extension HostEngine {
  /// Handles an event about BR/EDR; returns false if it is none.
  mutating func receiveClassicEvent(
    _ code: EventCode, _ parameters: Span<UInt8>, into out: inout HostOutput
  ) throws(LayoutFault) -> Bool {
    guard classic != nil else { return false }
    switch code {
    case .connectionRequest: receive(try HCIConnectionRequest.received(parameters), into: &out)
    case .inquiryResult, .inquiryResultWithRSSI, .extendedInquiryResult, .inquiryComplete, .remoteNameRequestComplete:
      try role.receive(code, parameters, at: out.now)
      takeRoleEvents(into: &out)
    case .connectionComplete:
      try role.receive(code, parameters, at: out.now)
      connected(try HCIConnectionComplete.received(parameters), into: &out)
    case .linkKeyRequest: receive(try HCILinkKeyRequest.received(parameters), into: &out)
    case .linkKeyNotification: receive(try HCILinkKeyNotification.received(parameters), into: &out)
    case .pinCodeRequest:
      // Pairing with a PIN protects against nobody who listens (Core 5.4 Vol 3 Part C 5.2.2).
      let address = try HCIPINCodeRequest.received(parameters).address
      hci.commands.add(HCIPINCodeRequestNegativeReply { $0.address = address }, for: nil)
    case .ioCapabilityRequest: receive(try HCIIOCapabilityRequest.received(parameters), into: &out)
    case .ioCapabilityResponse: receive(try HCIIOCapabilityResponse.received(parameters), into: &out)
    case .userConfirmationRequest: receive(try HCIUserConfirmationRequest.received(parameters), into: &out)
    case .userPasskeyRequest: receive(try HCIUserPasskeyRequest.received(parameters), into: &out)
    case .userPasskeyNotification: receive(try HCIUserPasskeyNotification.received(parameters), into: &out)
    case .remoteOOBDataRequest:
      let address = try HCIRemoteOOBDataRequest.received(parameters).address
      hci.commands.add(HCIRemoteOOBDataRequestNegativeReply { $0.address = address }, for: nil)
    case .keypressNotification:
      let event = try HCIKeypressNotification.received(parameters)
      guard let link = classicLink(of: event.address) else { break }
      out.events.append(.security(links[link].handle, .keypress(Keypress(rawValue: event.type.rawValue))))
    case .simplePairingComplete: receive(try HCISimplePairingComplete.received(parameters), into: &out)
    case .authenticationComplete: receive(try HCIAuthenticationComplete.received(parameters), into: &out)
    case .roleChange: receive(try HCIRoleChange.received(parameters))
    case .modeChange: break
    default: return false
    }
    return true
  }

  private mutating func receive(_ event: HCIRoleChange) {
    guard event.status == .success, let link = classicLink(of: event.address) else { return }
    links[link].classic?.isCentral = event.role == .central
  }

  /// Returns the link over BR/EDR to the peer with that address.
  func classicLink(of address: DeviceAddress) -> LinkID? {
    links.ids.first { links[$0].isClassic && links[$0].details.peer == address }
  }

  /// Queues a command about a link over BR/EDR.
  mutating func addClassic(_ command: any HCICommand, of link: LinkID) {
    hci.commands.add(command, for: .link(links[link].handle, .encryption))
  }

  // MARK: - Connections

  private mutating func receive(_ request: HCIConnectionRequest, into out: inout HostOutput) {
    if request.linkType == .acl, phase == .running {
      application.paged(at: out.now)
      if isIntercepted(request, into: &out) { return }
    }
    answer(request, into: &out)
  }

  /// Accepts a connection, unless the role has no room for it. Synchronous connections are for audio, which this host does not have.
  mutating func answer(_ request: HCIConnectionRequest, into out: inout HostOutput) {
    let address = request.address
    guard request.linkType == .acl, phase == .running, role.acceptsClassicLink(beside: links.count(over: .classic))
    else {
      return reject(request)
    }
    hci.commands.add(
      HCIAcceptConnectionRequest {
        $0.address = address
        $0.role = .peripheral
      }, for: nil)
  }

  /// Rejects a connection.
  mutating func reject(_ request: HCIConnectionRequest) {
    let address = request.address
    hci.commands.add(HCIRejectConnectionRequest { $0.address = address }, for: nil)
  }

  private mutating func connected(_ event: HCIConnectionComplete, into out: inout HostOutput) {
    guard event.linkType == .acl else { return }
    guard event.status == .success else { return out.events.append(.connectionFailed(event.status)) }
    guard event.connectionHandle.isValid, isReady else { return }
    addLink(event.connectionHandle, ConnectionDetails(event), Role.linkRole, into: &out)
  }
}
