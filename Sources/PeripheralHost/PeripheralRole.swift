import BLECore
import BLECryptography
import BLEGAP
import BLEHCI
import BLELink
import Faults

// `HostRole` documents what it requires.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
/// The peripheral role's use of the controller: advertising (Core 5.4 Vol 3 Part C 9.3).
public struct PeripheralRole: HostRole {
  public static var linkRole: LinkRole { .peripheral }

  public var events: [HostEvent] = []
  /// Its advertising sets, with their current data.
  private(set) var sets: [AdvertisingSetDefinition]
  let maximumConnections: Int
  var addressing: PrivateAddressing
  /// The address by which it is known; nil before a controller is up.
  private var identity: TypedAddress?
  var advertiser: Advertiser?
  /// The sets that were switched on or off since the start, which are restored when the controller comes up again.
  private(set) var requests: [String: Bool] = [:]
  /// Why sets are off the air, by set name.
  private var obstacles: [String: String] = [:]
  /// The set that was refused last, and the complaint about it.
  private var refusedSet: String?
  private var complaint: String?
  private var linkCount = 0
  /// The current fault in the advertising data, and the number of changes.
  private var fault = FaultAdvertising.asDefined
  private var faultCount = 0
  private var isStopping = false
  private var isAsleep: Bool
  /// What it does on BR/EDR; nil if it uses LE alone.
  private var classic: ClassicScanning?
  private var peers: PeerPlan
  /// Links from sets for bonded centrals that the controller does not filter.
  private var unfilteredLinks: [ConnectionHandle] = []
  /// The advertising sets that the controller has named for links whose own address has not been read yet.
  private var namedSets: [(link: ConnectionHandle, set: UInt8)] = []
  /// Why the controller does not filter, as last reported.
  private var reportedObstacle: String?

  init(
    sets: [AdvertisingSetDefinition], maximumConnections: Int, addressing: PrivateAddressing, isAsleep: Bool = false,
    classic: ClassicScanning? = nil
  ) {
    self.classic = classic
    self.isAsleep = isAsleep
    self.sets = sets
    self.maximumConnections = maximumConnections
    self.addressing = addressing
    peers = PeerPlan(sets)
    peers.rotation = addressing.rotation
  }

  // MARK: - The controller

  public mutating func controllerIsUp(
    _ controller: ControllerProfile, _ identity: TypedAddress, at now: Instant
  ) {
    obstacles = [:]
    self.identity = identity
    peers.acceptListSize = controller.advertising.acceptListSize
    peers.resolvingListSize = controller.advertising.resolvingListSize
    let obstacle = addressing.choose(resolvingListSize: peers.resolvingListSize)
    var advertiser = Advertiser(
      obstacle == nil ? sets : [], capabilities: controller.advertising, addresses: addresses(of: identity))
    if let obstacle { advertiser.events = sets.map { .unavailable(set: $0.id, reason: obstacle) } }
    for (set, isOn) in requests { _ = advertiser.setWanted(isOn, set: set, at: now) }
    advertiser.setAsleep(isAsleep, at: now)
    if fault != .asDefined { alterData(of: &advertiser) }
    self.advertiser = advertiser
    reportedObstacle = nil
    classic?.setOff(isAsleep || isStopping, at: now)
    classic?.controllerIsUp(controller, identity, at: now)
    updatePeers()
    takeEvents()
  }

  public mutating func controllerIsLost() {
    advertiser = nil
    classic?.controllerIsLost()
    namedSets = []
    unfilteredLinks = []
    refusedSet = nil
    complaint = nil
  }

  public mutating func nextCommand() -> RoleCommand? {
    advertiser?.nextCommand() ?? classic?.nextRoleCommand()
  }

  public mutating func answered(
    _ command: any HCICommand, about subject: CommandSubject, _ parameters: Span<UInt8>, at now: Instant
  ) {
    if subject == .classicScanning {
      classic?.answered(command, ErrorCode(rawValue: parameters.count > 0 ? parameters[0] : 0), at: now)
      return takeEvents()
    }
    let wasRefused = advertiser?.listRefusal != nil
    advertiser?.answered(command, about: subject, parameters, at: now)
    if !wasRefused, advertiser?.listRefusal != nil { listsRefused() }
    takeEvents()
  }

  public mutating func commandLost(_ command: any HCICommand, about subject: CommandSubject) {
    if subject == .classicScanning { classic?.commandLost(command) }
    advertiser?.commandLost(about: subject)
    takeEvents()
  }

  public mutating func receive(_ subevent: LESubevent, _ parameters: Span<UInt8>, at now: Instant) throws(LayoutFault) {
    guard subevent == .leAdvertisingSetTerminated else { return }
    let event = try LEAdvertisingSetTerminated.received(parameters)
    if event.status == .success {
      namedSets.removeAll { $0.link == event.connectionHandle }
      namedSets.append((event.connectionHandle, event.advertisingHandle))
    }
    if event.status == .success, isForBondedOnly(advertiser?.definition(ofHandle: event.advertisingHandle)) {
      unfilteredLinks.append(event.connectionHandle)
    }
    advertiser?.terminated(handle: event.advertisingHandle, by: event.status, events: event.completedEvents)
    takeEvents()
  }

  public mutating func connectionCompleted(_ status: ErrorCode, _ handle: ConnectionHandle) {
    if status == .advertisingTimeout { advertiser?.callTimedOut() }
    if status == .success {
      if let set = advertiser?.legacyConnectableSet, isForBondedOnly(set) { unfilteredLinks.append(handle) }
      advertiser?.connected()
    }
    takeEvents()
  }

  public mutating func linkCountChanged(_ count: Int, at now: Instant) {
    // A disconnected central may come back, so connectable sets restart with the first phase of their schedules.
    if count < linkCount { advertiser?.restartConnectable(at: now) }
    linkCount = count
    advertiser?.setCapacity(count < maximumConnections && !isStopping, at: now)
    takeEvents()
  }

  public func lack(on controller: ControllerProfile) -> ControllerFailure? {
    classic?.settings.isOptional == false && !controller.supportsClassic ? .noClassic : nil
  }

  public func acceptsClassicLink(beside count: Int) -> Bool {
    count < maximumConnections && classic?.scans.contains(.page) ?? false
  }

  private mutating func takeEvents() {
    classic?.moveEvents(to: &events)
    guard let news = advertiser?.events, !news.isEmpty else { return }
    advertiser?.events = []
    for event in news {
      switch event {
      case .unavailable(let set, let reason): obstacles[set] = reason
      case .refused(let set, let opcode, let status):
        obstacles[set] = "the controller refused \(opcode): \(status)"
        if advertiser?.triesAgain(set: set) != true {
          refusedSet = set
          complaint = "it refused the advertising set \(set)"
        }
      case .started(let set, _): obstacles[set] = nil
      case .limitReached, .powered, .stopped, .unfiltered: break
      }
      events.append(.advertising(event))
    }
  }

  // MARK: - Addresses

  private func addresses(of identity: TypedAddress) -> OnAirAddresses {
    var addresses = OnAirAddresses(identity: identity.address, type: identity.ownType)
    if addressing.isLeftToController {
      addresses.identityType = identity.isRandom ? .resolvableOrRandom : .resolvableOrPublic
    }
    addresses.resolvable = addressing.isLeftToController ? nil : addressing.resolvable
    addresses.nonResolvable = addressing.nonResolvable
    return addresses
  }

  public mutating func renewAddresses(at now: Instant, random: inout any RandomNumberGenerator & Sendable) {
    guard addressing.renew(at: now, random: &random) else { return }
    peers.makeTargets(anew: true, random: &random)
    guard let identity else { return }
    let addresses = addresses(of: identity)
    advertiser?.setAddresses(addresses)
    updatePeers()
  }

  /// Returns the address that a link was made with. A controller that generates addresses reports it (Core 5.4 Vol 4 Part E 7.7.65.10).
  /// Otherwise it is that of the advertising set that the controller has named (7.7.65.18), and before that most likely that of the
  /// connectable set.
  public mutating func ownAddress(of link: ConnectionHandle) -> DeviceAddress? {
    let named = namedSets.first { $0.link == link }
    namedSets.removeAll { $0.link == link }
    guard addressing.key != nil, !addressing.isLeftToController else { return nil }
    return named.flatMap { advertiser?.address(ofHandle: $0.set) } ?? advertiser?.connectableAddress
  }

  /// Changes the identity.
  mutating func become(_ identity: TypedAddress, key: IdentityResolvingKey) {
    self.identity = identity
    if addressing.key != nil { addressing.key = key }
    addressing.expire()
    let addresses = addresses(of: identity)
    advertiser?.setAddresses(addresses)
    updatePeers()
  }

  // MARK: - Bonded peers

  public var followsPeers: Bool { peers.isNeeded || addressing.key != nil && addressing.maker != .host }

  public var callsPeers: Bool { peers.callsSomebody }

  public var bondLimit: Int? { peers.filterLimit }

  public mutating func peersChanged(_ bonded: [BondedPeer], random: inout any RandomNumberGenerator & Sendable) {
    peers.take(bonded)
    peers.makeTargets(anew: false, random: &random)
    updatePeers()
    takeEvents()
  }

  /// Updates the targets and the filters of the sets, and the controller's lists for them.
  private mutating func updatePeers() {
    guard followsPeers, advertiser != nil else { return }
    peers.controllerKey = addressing.isLeftToController ? addressing.key : nil
    let obstacle = peers.filterObstacle
    advertiser?.setFiltering(byController: obstacle == nil)
    advertiser?.setTargets(peers.targetsBySet)
    advertiser?.setLists(peers.lists)
    defer { reportedObstacle = obstacle }
    guard let obstacle, obstacle != reportedObstacle else { return }
    for set in sets where set.filters { events.append(.advertising(.unfiltered(set: set.id, reason: obstacle))) }
  }

  /// Handles a controller that refused list entries for which it reported room: it is used as one without lists.
  private mutating func listsRefused() {
    (peers.acceptListSize, peers.resolvingListSize) = (0, 0)
    if let obstacle = addressing.choose(resolvingListSize: 0) {
      advertiser?.stopAll()
      advertiser?.events += sets.map { .unavailable(set: $0.id, reason: obstacle) }
    }
    addressing.expire()
    if let addresses = identity.map({ addresses(of: $0) }) { advertiser?.setAddresses(addresses) }
    updatePeers()
  }

  private func isForBondedOnly(_ set: AdvertisingSetDefinition?) -> Bool {
    set?.connectsTo == .bonded && set?.target == nil && reportedObstacle != nil
  }

  public func linksToCheck() -> [ConnectionHandle] { unfilteredLinks }

  public mutating func linkChecked(_ handle: ConnectionHandle) { unfilteredLinks.removeAll { $0 == handle } }

  /// Returns whether a directed set has no target.
  func hasNobodyToCall(_ set: String) -> Bool {
    sets.contains { $0.id == set && $0.target != nil } && peers.targetsBySet[set] == nil
  }

  // MARK: - Data

  public mutating func advertise(_ data: [UInt8], scanResponse: [UInt8], set: String) {
    guard let index = sets.firstIndex(where: { $0.id == set }) else { return }
    (sets[index].data, sets[index].scanResponse) = (data, scanResponse)
    guard var advertiser else { return }
    alterData(of: &advertiser, only: set)
    self.advertiser = advertiser
  }

  // MARK: - Faults

  public mutating func advertise(_ fault: FaultAdvertising) {
    self.fault = fault
    faultCount += 1
    guard var advertiser else { return }
    alterData(of: &advertiser)
    self.advertiser = advertiser
  }

  /// Updates the data of all sets, or of one. A fault may modify it.
  private func alterData(of advertiser: inout Advertiser, only id: String? = nil) {
    for set in sets where id == nil || set.id == id {
      let limit = set.kind == .legacy ? 31 : max(31, set.data.count)
      let data = fault.applied(to: set.data, count: faultCount, limit: limit)
      let response = fault.applied(toResponse: set.scanResponse, count: faultCount, limit: limit)
      advertiser.setData(data, scanResponse: response, set: set.id)
    }
  }

  // MARK: - Desired state

  /// Puts a set on the air or takes it off. While the controller is not up, this takes effect when it is. Returns false if there is no such
  /// set, or the controller does not support it.
  mutating func setAdvertising(_ isOn: Bool, set: String, at now: Instant) -> Bool {
    let isKnown = advertiser?.setWanted(isOn, set: set, at: now) ?? sets.contains { $0.id == set }
    if isKnown { requests[set] = isOn }
    return isKnown
  }

  /// The present settings for BR/EDR; nil if it uses LE alone.
  var classicSettings: ClassicSettings? { classic?.settings }

  /// Changes the modes of BR/EDR. Returns false if it uses LE alone.
  mutating func set(_ modes: ClassicModes, at now: Instant) -> Bool {
    classic?.set(modes, at: now)
    return classic != nil
  }

  /// Restores sets that were switched on or off in an earlier run. Names of unknown sets are ignored.
  mutating func restore(_ switched: [String: Bool]) {
    requests = switched.filter { set, _ in sets.contains { $0.id == set } }
  }

  public mutating func setAsleep(_ isAsleep: Bool, at now: Instant) {
    self.isAsleep = isAsleep
    advertiser?.setAsleep(isAsleep, at: now)
    classic?.setOff(isAsleep || isStopping, at: now)
  }

  public mutating func stopAll() {
    isStopping = true
    advertiser?.stopAll()
    classic?.stop()
  }

  public var isUpToDate: Bool { (advertiser?.isUpToDate ?? false) && classic?.isUpToDate ?? true }

  public mutating func becameUpToDate() { events.append(.advertisingReady(sets: advertiser?.activeSets ?? [])) }

  /// The failure if there are sets that start automatically and none of them can be on the air.
  public var failure: ControllerFailure? {
    guard let advertiser, advertiser.activeSets.isEmpty, linkCount == 0, !isStopping else { return nil }
    let automatic = sets.filter(\.startsAutomatically).map(\.id)
    guard !automatic.isEmpty, automatic.allSatisfy({ obstacles[$0] != nil && !advertiser.triesAgain(set: $0) })
    else { return nil }
    return .noAdvertising(automatic.map { "set \($0): \(obstacles[$0] ?? "")" })
  }

  // MARK: - Supervision

  public mutating func takeComplaint() -> String? {
    defer { complaint = nil }
    return complaint
  }

  public mutating func tryAgain(at now: Instant) {
    if let refusedSet { _ = advertiser?.setWanted(true, set: refusedSet, at: now) }
    refusedSet = nil
  }

  public func question(round: Int) -> (any HCICommand)? { advertiser?.question(round: round) }

  public func isConfirmed(_ question: any HCICommand, _ status: ErrorCode) -> Bool? {
    advertiser?.isConfirmed(question, status)
  }

  public mutating func reapply(after question: any HCICommand, _ status: ErrorCode) {
    advertiser?.reapply(after: question)
    takeEvents()
  }

  // MARK: - Time

  /// When something is due next. Mutating although it changes nothing: it runs after every read, and Swift copies large values that are only
  /// read.
  public var nextDeadline: Instant? {
    mutating get {
      Instant.earliest(Instant.earliest(advertiser?.nextDeadline, addressing.due), classic?.nextDeadline)
    }
  }

  public mutating func advance(to now: Instant) {
    advertiser?.advance(to: now)
    classic?.advance(to: now)
  }
}
