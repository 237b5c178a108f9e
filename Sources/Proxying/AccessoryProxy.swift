import BLEATT
import BLECore
import BLEGAP
import BLEHCI
import BLEL2CAP
import BLELink
import BLESMP
import CentralHost
import PeripheralHost
import Simulation

/// Stands between a client and an accessory (`understudy proxy`). Towards the client it advertises like the accessory. While a client is
/// connected, the proxy is connected to the accessory and passes every frame on unchanged. So the client and the accessory share attributes,
/// channels and credits.
///
/// Each link has its own keys and connection parameters. If the client pairs, the proxy pairs with the accessory, and the client's frames wait
/// until then. The proxy repeats a request for other parameters on the other link.
package final class AccessoryProxy {
  /// What the proxy has done so far.
  package struct Counts: Hashable, Sendable {
    /// The clients that have connected.
    package var clients = 0
    /// The frames passed to the accessory.
    package var toAccessory = 0
    /// The frames passed to the client.
    package var toClient = 0
    /// The Signed Write Commands of clients. The proxy drops them, because the client's signature means nothing to the accessory.
    package var signedWrites = 0
  }

  /// A client and its link to the accessory.
  private struct Session {
    let client: ConnectionHandle
    /// The link to the accessory, once it exists.
    var accessory: ConnectionHandle?
    /// The connection attempts so far.
    var attempts = 1
    /// Whether the link to the accessory is being encrypted.
    var isSecuring = false
    /// The client's frames that wait for the link to the accessory.
    var waiting: [(channel: ChannelID, payload: [UInt8])] = []
  }

  /// The counts so far.
  package private(set) var counts = Counts()
  private let front: SimulatedAccessory<NoApplication>
  private let back: ScriptedCentral
  /// The accessory's latest advertisement.
  private var accessory: Advertisement
  private let filter: DeviceFilter
  private let report: (String) -> Void
  private var session: Session?

  /// The maximum number of attempts to connect to the accessory for one client.
  private static let attempts = 3
  /// The maximum number of frames that wait for an accessory.
  private static let waitingLimit = 1024
  /// The maximum number of events in a host's list, which nobody reads.
  private static let keptEvents = 1000

  /// Creates a proxy.
  ///
  /// - Parameters:
  ///   - front: The host towards clients, without links.
  ///   - back: The host towards the accessory, without links.
  ///   - accessory: An advertisement of the accessory.
  ///   - filter: What finds the accessory again.
  ///   - report: Gets short sentences about what happens.
  package init(
    _ front: SimulatedAccessory<NoApplication>, _ back: ScriptedCentral, to accessory: Advertisement,
    _ filter: DeviceFilter, report: @escaping (String) -> Void = { _ in }
  ) {
    (self.front, self.back, self.accessory, self.filter, self.report) = (front, back, accessory, filter, report)
    front.stack.relaysFrames = true
    back.stack.relaysFrames = true
    front.observer = { [unowned self] events in
      for event in events { clientSide(event) }
      if front.events.count > Self.keptEvents { front.events = [] }
    }
    back.observer = { [unowned self] events in
      for event in events { accessorySide(event) }
      if back.events.count > Self.keptEvents { back.events = [] }
    }
    follow()
  }

  /// Scans for the address of an accessory that changes it.
  private func follow() {
    guard accessory.address.isResolvablePrivate else { return }
    try? onBack(.scan(ScanRequest(filtersDuplicates: true)))
  }

  /// Stops passing frames on.
  package func stop() {
    front.observer = nil
    back.observer = nil
    back.stack.relaysFrames = false
  }

  // MARK: - The client's side

  private func clientSide(_ event: HostEvent) {
    switch event {
    case .connected(let link, let details): clientConnected(link, details)
    case .disconnected(let link, _): clientLeft(link)
    case .frame(let link, let channel, let payload) where link == session?.client: fromClient(payload, on: channel)
    case .security(let link, .securityChanged(let security))
    where link == session?.client && security.protection > .none:
      secureAccessory()
    case .parametersChanged(let link, let interval, let latency, let timeout) where link == session?.client:
      guard let accessory = session?.accessory else { return }
      let parameters = LinkParameters(interval: interval, latency: latency, timeout: timeout)
      try? onBack(.updateParameters(accessory, parameters))
    default: break
    }
  }

  private func clientConnected(_ link: ConnectionHandle, _ details: ConnectionDetails) {
    guard session == nil else { return disconnectClient(link, .connectionLimitExceeded) }
    counts.clients += 1
    session = Session(client: link)
    report("a client has connected: \(details.peer)")
    connect()
  }

  private func clientLeft(_ link: ConnectionHandle) {
    guard let ended = session, ended.client == link else { return }
    session = nil
    report("the client has disconnected")
    defer { follow() }
    if let accessory = ended.accessory {
      try? onBack(.disconnect(accessory, reason: .remoteUserTerminatedConnection))
    } else if back.stack.isConnecting {
      try? onBack(.cancelConnecting)
    }
  }

  private func fromClient(_ payload: [UInt8], on channel: ChannelID) {
    guard !(channel == .attributeProtocol && payload.first == ATTOpcode.signedWriteCommand.rawValue) else {
      counts.signedWrites += 1
      return
    }
    guard let current = session, let accessory = current.accessory, !current.isSecuring else {
      session?.waiting.append((channel, payload))
      if let session, session.waiting.count > Self.waitingLimit {
        report("the client sends too much before the accessory is ready")
        disconnectClient(session.client, .remoteDeviceTerminatedLowResources)
      }
      return
    }
    guard !back.stack.isFlooded(accessory) else {
      report("the accessory takes packets more slowly than the client sends them")
      return disconnectClient(.remoteDeviceTerminatedLowResources)
    }
    counts.toAccessory += 1
    try? onBack(.sendFrame(accessory, channel, payload))
  }

  // MARK: - The accessory's side

  private func accessorySide(_ event: HostEvent) {
    switch event {
    case .advertisement(let heard) where heard.isConnectable && filter.fits(heard): accessory = heard
    case .connected(let link, _): accessoryConnected(link)
    case .connectionFailed(let status): accessoryFailed("cannot connect to the accessory: \(status)")
    case .disconnected(let link, let reason) where link == session?.accessory:
      report("the accessory has disconnected: \(reason)")
      session?.accessory = nil
      disconnectClient(reason.mayEndLink ? reason : .remoteUserTerminatedConnection)
    case .frame(let link, let channel, let payload) where link == session?.accessory: toClient(payload, on: channel)
    case .security(let link, let event) where link == session?.accessory: accessorySecurity(event)
    case .encryptionFailed(let link, let status) where link == session?.accessory:
      refuse("the accessory's link cannot be encrypted: \(status)")
    case .parametersRequested(let link, let parameters, true) where link == session?.accessory:
      guard let client = session?.client else { return }
      let request = ConnectionPolicy.ParameterRequest(
        intervals: parameters.intervals, latency: parameters.latency, timeout: parameters.timeout, delay: .zero)
      onFront(.requestParameters(client, request))
    default: break
    }
  }

  private func connect() {
    if back.stack.isScanning { try? onBack(.stopScanning) }
    let request = ConnectionRequest(
      to: accessory.address, type: accessory.addressType, parameters: LinkParameters(timeout: .seconds(5)))
    do throws(HostRequestError) { try onBack(.connect(request)) } catch {
      accessoryFailed("cannot connect to the accessory: \(error)")
    }
  }

  private func accessoryFailed(_ reason: String) {
    guard let current = session else { return }
    guard current.attempts < Self.attempts else {
      report(reason)
      return disconnectClient(current.client, .remoteUserTerminatedConnection)
    }
    session?.attempts += 1
    connect()
  }

  private func accessoryConnected(_ link: ConnectionHandle) {
    guard let current = session else {
      // The client disconnected meanwhile.
      try? onBack(.disconnect(link, reason: .remoteUserTerminatedConnection))
      return
    }
    session?.accessory = link
    let security = front.stack.linkStates.first { $0.handle == current.client }?.security ?? .open
    if security.protection > .none { secureAccessory() } else { passWaitingFrames() }
  }

  private func toClient(_ payload: [UInt8], on channel: ChannelID) {
    guard let client = session?.client else { return }
    guard !front.stack.isFlooded(client) else {
      report("the client takes packets more slowly than the accessory sends them")
      return disconnectClient(.remoteDeviceTerminatedLowResources)
    }
    counts.toClient += 1
    try? front.respond { stack, out throws(HostRequestError) in
      try stack.sendFrame(payload, on: channel, of: client, into: &out)
      stack.flush(at: front.stage.now, into: &out)
    }
  }

  // MARK: - Security

  /// Encrypts the link to the accessory, because the client's link is encrypted now.
  private func secureAccessory() {
    guard let current = session, let accessory = current.accessory, !current.isSecuring,
      back.security(of: accessory).protection == .none
    else { return }
    session?.isSecuring = true
    do throws(HostRequestError) { try onBack(.pair(accessory)) } catch {
      refuse("the accessory's link cannot be encrypted: \(error)")
    }
  }

  private func accessorySecurity(_ event: SecurityEvent) {
    switch event {
    case .requested:
      if let client = session?.client { onFront(.pair(client)) }
    // The link is encrypted before the pairing distributes its keys.
    case .securityChanged(let security) where security.protection > .none: passWaitingFrames()
    case .failed(let reason, _): refuse("the accessory does not pair: \(reason)")
    case .timedOut: refuse("the accessory does not answer the pairing")
    default: break
    }
  }

  private func passWaitingFrames() {
    session?.isSecuring = false
    let waiting = session?.waiting ?? []
    session?.waiting = []
    for frame in waiting { fromClient(frame.payload, on: frame.channel) }
  }

  /// Ends the client's link and deletes its bond, like an accessory that has lost the bond.
  private func refuse(_ reason: String) {
    report(reason)
    guard let current = session else { return }
    for bond in back.stack.bonds { try? onBack(.removeBond(bond.peer)) }
    if let peer = front.stack.linkStates.first(where: { $0.handle == current.client })?.bond {
      onFront(.removeBond(peer))
    }
    disconnectClient(current.client, .authenticationFailure)
  }

  private func disconnectClient(_ reason: ErrorCode) {
    guard let client = session?.client else { return }
    disconnectClient(client, reason)
  }

  private func disconnectClient(_ link: ConnectionHandle, _ reason: ErrorCode) {
    onFront(.disconnect(link, reason: reason))
  }

  // MARK: - The hosts

  private func onBack(_ request: CentralRequest) throws(HostRequestError) {
    try back.respond { stack, out throws(HostRequestError) in
      try stack.perform(request, at: back.stage.now, into: &out)
    }
  }

  /// Performs a request to the host towards the client. It ignores errors, because they mean that the link is ending anyway.
  private func onFront(_ request: HostRequest) {
    try? front.respond { stack, out throws(HostRequestError) in
      try stack.perform(request, at: front.stage.now, into: &out)
    }
  }
}

extension ErrorCode {
  /// Whether a host may end a link with this reason (Core 5.4 Vol 4 Part E 7.1.6).
  fileprivate var mayEndLink: Bool {
    [
      .authenticationFailure, .remoteUserTerminatedConnection, .remoteDeviceTerminatedLowResources,
      .remoteDeviceTerminatedPowerOff, .unsupportedRemoteFeature, .unacceptableConnectionParameters,
    ].contains(self)
  }
}
