import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import Faults

/// Something that has happened on a link, and may trigger a fault.
enum LinkOccurrence {
  case connected(DeviceAddress)
  case encrypted
  case disconnected
  case subscriptionChanged(CharacteristicIndex, ClientConfiguration)
  case confirmed
  case channelOpened(ChannelStatus)
}

/// The three places where faults act on a link: a packet of the peer arrives (`isIntercepted`), a PDU of the server is about to be sent
/// (`ACLScheduler.sendATT(_:over:of:through:into:_:)`), and something has happened (`occurred`). Without armed faults, each costs one branch.
extension HostEngine {
  // MARK: - A packet arrives

  /// Lets faults act on a client's PDU before the server; returns whether the PDU is used up.
  mutating func isIntercepted(
    _ pdu: Span<UInt8>, on link: LinkID, over bearer: BearerID, into out: inout HostOutput
  ) -> Bool {
    faults != nil && isUsedUp(pdu, on: link, over: bearer, into: &out)
  }

  /// Lets faults act on a signalling packet before it is processed; returns whether the packet is used up.
  mutating func isIntercepted(signalling frame: Span<UInt8>, on link: LinkID, into out: inout HostOutput) -> Bool {
    faults != nil && isUsedUp(signalling: frame, on: link, into: &out)
  }

  /// Lets faults act on an SDU on a channel; returns whether the SDU is used up.
  mutating func isIntercepted(sduOn id: ChannelID, of link: LinkID, into out: inout HostOutput) -> Bool {
    faults != nil && isUsedUp(sduOn: id, of: link, into: &out)
  }

  /// Lets faults act on the peer's request for connection parameters; returns what a fault does with it.
  mutating func interceptParameterRequest(on connection: ConnectionHandle, into out: inout HostOutput) -> FaultAction? {
    faults == nil ? nil : injectFault(at: .parameters, on: connection, into: &out)
  }

  /// Lets faults act on a request for a connection over BR/EDR; returns whether it is used up.
  mutating func isIntercepted(_ request: HCIConnectionRequest, into out: inout HostOutput) -> Bool {
    faults != nil && isUsedUp(request, into: &out)
  }

  /// Lets faults act on the controller's request for the key of a link over BR/EDR; returns what a fault does with it.
  mutating func interceptLinkKeyRequest(on connection: ConnectionHandle, into out: inout HostOutput) -> FaultAction? {
    faults == nil ? nil : injectFault(at: .linkKey, on: connection, into: &out)
  }

  /// Lets faults act on a request for service discovery; returns whether it is used up.
  mutating func isIntercepted(
    discovery pdu: Span<UInt8>, on id: ChannelID, of link: LinkID, into out: inout HostOutput
  ) -> Bool {
    faults != nil && isUsedUp(discovery: pdu, on: id, of: link, into: &out)
  }

  // MARK: - Something has happened

  /// Lets faults act on what has happened on a link.
  mutating func occurred(_ occurrence: LinkOccurrence, on connection: ConnectionHandle, into out: inout HostOutput) {
    guard faults != nil else { return }
    switch occurrence {
    case .connected(let peer):
      faults?.linkCame(connection, peer)
      injectFault(at: .connected, on: connection, into: &out)
    case .encrypted: injectFault(at: .encrypted, on: connection, into: &out)
    case .disconnected:
      injectFault(at: .disconnected, on: connection, into: &out)
      faults?.linkWent(connection)
    case .subscriptionChanged(let characteristic, let configuration):
      injectFault(atSubscriptionTo: characteristic, configuration, on: connection, into: &out)
    case .confirmed: if let link = links.id(of: connection) { continueStorm(on: link, into: &out) }
    case .channelOpened(let status): injectFault(atOpened: status, on: connection, into: &out)
    }
  }
}
