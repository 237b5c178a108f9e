import BLECore
import BLEHCI

// Reports about links of BR/EDR to the host (Core 5.4 Vol 4 Part E 7.7).
extension ClassicController {
  func reportConnection(_ link: ClassicLink, at place: ClassicPlace, status: ErrorCode) {
    let end = link[place]
    send(
      HCIConnectionComplete {
        $0.status = status
        $0.connectionHandle = status == .success ? end.connectionHandle : .zero
        $0.address = end.peerAddress
      })
  }

  /// Removes the link at this end. The host's unacknowledged packets are lost, and their buffers become free without a report (Core 5.4 Vol
  /// 4 Part E 4.3).
  func disconnected(_ end: ClassicEnd, reason: ErrorCode) {
    controller.completed.removeAll { $0.connectionHandle.rawValue == end.handle }
    controller.forgetHostBuffers(of: end.handle)
    send(
      HCIDisconnectionComplete {
        $0.connectionHandle = end.connectionHandle
        $0.reason = reason
      })
  }

  func reportRole(of link: ClassicLink, at place: ClassicPlace, status: ErrorCode = .success) {
    send(
      HCIRoleChange {
        $0.status = status
        $0.address = link[place].peerAddress
        $0.role = link.role(of: place)
      })
  }

  func reportMode(of link: ClassicLink, at place: ClassicPlace, status: ErrorCode = .success) {
    send(
      HCIModeChange {
        $0.status = status
        $0.connectionHandle = link[place].connectionHandle
        $0.mode = link.sniff == nil ? .active : .sniff
        $0.interval = link.sniff?.parameters.interval ?? BasebandSlots(rawValue: 0)
      })
  }

  func reportName(of end: ClassicEnd, status: ErrorCode, _ name: [UInt8]? = nil) {
    end.requests.remove(.name)
    send(
      HCIRemoteNameRequestComplete {
        $0.status = status
        $0.address = end.peerAddress
        if let name { $0.name = name }
      })
  }

  func reportVersion(of end: ClassicEnd, _ peer: ControllerConfiguration) {
    send(
      HCIReadRemoteVersionInformationComplete {
        $0.connectionHandle = end.connectionHandle
        $0.version = peer.version
        $0.manufacturer = peer.manufacturer
        $0.subversion = peer.linkLayerSubversion
      })
  }

  /// Passes data on to the host as ACL packets.
  func deliver(_ fragment: DataFragment, to end: ClassicEnd) {
    guard end.isOpen else { return }
    let limit = min(Int(configuration.aclDataLength), controller.state.hostDataLength ?? .max)
    controller.enqueue(fragment.octets, isStart: fragment.isStart, handle: end.handle, limit: max(1, limit))
  }
}
