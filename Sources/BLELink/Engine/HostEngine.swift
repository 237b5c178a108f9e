import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLESDP
import BLESMP
import Faults

/// What hosts of both roles share: one controller below, any number of links, an application above.
///
/// It is a value without input or output: it takes octets, deadlines and requests together with the time, and fills a
/// `HostOutput` with octets to send and events. Its owner (the poll loop, a test, the virtual radio) determines the time. What only a
/// peripheral or only a central does is in its `Role`.
public struct HostEngine<Role: HostRole, Application: AttributeApplication & ChannelApplication>: Sendable {
  /// What it does with the controller besides its links.
  package var role: Role
  /// The source of the values of attributes, and the user of the channels.
  public var application: Application
  /// The server and its database.
  public internal(set) var server: GATTServer
  /// Whether individual reads, writes and notifications are reported as events; if not, they cost nothing.
  public var reportsAccess = false
  /// How often a reset is attempted before a silent controller counts as unusable, and how often a controller that stops answering later
  /// is initialized again before all settings are applied.
  public var resetAttempts: Int {
    get { hci.commands.resetAttempts }
    set { hci.commands.resetAttempts = newValue }
  }
  /// How often the host checks that the controller is in the expected state; nil for never, if nothing can be lost and nobody restarts the
  /// controller.
  public var watchInterval: Duration? {
    get { hci.supervisor.interval }
    set { hci.supervisor.interval = newValue }
  }
  /// What the controller reported; empty until it is up.
  public var controller: ControllerProfile { hci.profile }
  /// The address of its identity; nil until the controller is up.
  public var address: DeviceAddress? { identity.current?.address }
  /// The kind of that address.
  public var addressType: AddressType { identity.current?.type ?? .random }
  /// The bonded peers. Set before `start`; afterwards kept up to date, with the events `bondChanged` and `bondRemoved`.
  public var bonds: [BondRecord] {
    get { bondTable.records }
    set { bondTable.records = newValue }
  }
  /// The source of keys and random values. For reproducible runs, set a generator with a seed.
  public var random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  /// The channels that peers can open.
  public internal(set) var publishedChannels: [PublishedChannel]

  var policy: LinkPolicy
  package var identity: HostIdentity
  var hci: ControllerInterface
  var scheduler = ACLScheduler()
  var links = LinkTable()
  /// The host's part of BR/EDR; nil if it uses LE alone.
  var classic: ClassicHost?
  /// The armed faults; nil while there are none.
  var faults: FaultPlan?
  /// The peers that may not pair again yet.
  var throttle = PairingThrottle()
  var bondTable = BondTable()
  var phase = HostPhase.waiting

  /// Creates a host, which does nothing before `start`. With service records, even if there are none besides those of its GATT services, it
  /// uses BR/EDR too.
  package init(
    role: Role, application: Application, server: GATTServer, publishedChannels: [PublishedChannel], policy: LinkPolicy,
    bringUp: BringUpPlan, serviceRecords: [BLESDP.ServiceRecord]? = nil
  ) {
    self.role = role
    self.application = application
    self.server = server
    self.publishedChannels = publishedChannels + policy.bearerChannels
    self.policy = policy
    identity = HostIdentity(randomAddress: bringUp.randomAddress)
    hci = ControllerInterface(bringUp)
    classic = serviceRecords.map {
      ClassicHost(records: $0, mtu: policy.mtu, hasEnhancedBearers: policy.enhancedBearers > 0)
    }
    classic?.describe(server.database)
  }

  // MARK: - Input

  /// Begins to initialize the controller.
  public mutating func start(at now: Instant, into out: inout HostOutput) {
    out.now = now
    if !isOver { phase = .running }
    flush(into: &out)
  }

  /// Processes octets from the controller, in any chunks.
  public mutating func receive(_ octets: Span<UInt8>, at now: Instant, into out: inout HostOutput) {
    out.now = now
    guard !isOver, faults?.isAway != true else { return }
    hci.supervisor.lastHeard = now
    deframe(octets, into: &out)
    flush(into: &out)
  }

  private mutating func deframe(_ octets: Span<UInt8>, into out: inout HostOutput) {
    let now = out.now
    var offset = 0
    while let frame = hci.deframer.next(in: octets, at: &offset) {
      // Reported in the order of the line: the skipped octets came before this packet.
      if hci.deframer.hasSkipped { reportSkips(into: &out) }
      links.sweep()
      switch frame.place {
      case .given(let range): receive(frame.type, octets.extracting(range), into: &out)
      case .collected(let packet): receive(frame.type, packet.span, into: &out)
      }
    }
    // A gap is one report, which therefore waits for the next packet, unless none may come, or the supervisor combines reports anyway.
    if hci.deframer.hasSkipped, octets.isEmpty || watchInterval != nil { reportSkips(into: &out) }
    hci.deframer.startTimer(at: now)
  }

  private mutating func reportSkips(into out: inout HostOutput) {
    report(.skippedOctets(hci.deframer.takeSkipped()), into: &out)
  }

  private mutating func receive(_ type: H4PacketType, _ packet: Span<UInt8>, into out: inout HostOutput) {
    switch type {
    case .acl where hci.commands.isResetting: break
    case .acl: receiveACL(packet, into: &out)
    case .event: receiveEvent(packet, into: &out)
    default: break
    }
  }

  /// Handles everything that is due at `now`.
  public mutating func advance(to now: Instant, into out: inout HostOutput) {
    out.now = now
    guard !isOver else { return }
    if let silence = hci.commands.advance(to: now) {
      carryOut(hci.fellSilent(silence, links: supervisedLinks), into: &out)
    }
    if hci.deframer.advance(to: now) {
      let nothing: [UInt8] = []
      deframe(nothing.span, into: &out)
    }
    if let due = hci.supervisor.deadline, due <= now { supervise(into: &out) }
    if let due = role.nextDeadline, due <= now { role.renewAddresses(at: now, random: &random) }
    role.advance(to: now)
    for link in links.ids where links[link].nextDeadline.map({ $0 <= now }) ?? false {
      advanceLink(link, into: &out)
    }
    if let deadline = application.nextDeadline, deadline <= now {
      var actions: [ApplicationAction] = []
      application.advance(to: now, actions: &actions)
      perform(actions, into: &out)
      letApplicationUseClients(into: &out)
    }
    advanceChannels(to: now)
    if faults != nil { advanceFaults(to: now, into: &out) }
    flush(into: &out)
  }

  /// Takes everything off the air and disconnects every peer. The event `stopped` reports when that is done.
  public mutating func shutDown(at now: Instant, into out: inout HostOutput) {
    out.now = now
    guard phase != .shuttingDown, phase != .stopped else { return }
    guard isReady else { return stop(into: &out) }
    phase = .shuttingDown
    role.stopAll()
    disconnectAll(reason: .remoteDeviceTerminatedPowerOff)
    flush(into: &out)
  }

  /// Ends the host.
  mutating func stop(into out: inout HostOutput) {
    phase = .stopped
    out.events.append(.stopped)
  }

  /// When to call `advance` next. Mutating although it changes nothing: it runs after every read, and Swift copies links that are only read.
  public var nextDeadline: Instant? {
    mutating get {
      guard !isOver else { return nil }
      var deadline = Instant.earliest(hci.nextDeadline, role.nextDeadline)
      deadline = Instant.earliest(deadline, application.nextDeadline)
      deadline = Instant.earliest(deadline, application.nextChannelDeadline)
      if faults != nil { deadline = Instant.earliest(deadline, faults?.nextDeadline) }
      for link in links.ids { deadline = Instant.earliest(deadline, links[link].nextDeadline) }
      return deadline
    }
  }

  // MARK: - Output

  /// Sends what the owner has queued, as far as buffers are free, then the next command.
  package mutating func flush(at now: Instant, into out: inout HostOutput) {
    out.now = now
    flush(into: &out)
  }

  /// Ends every input: sends what is queued as far as buffers are free, then the next command.
  package mutating func flush(into out: inout HostOutput) {
    if faults != nil { workOffFaults(into: &out) }
    hci.hostBuffers.flush(at: out.now, into: &out.octets)
    scheduler.drain(into: &out.octets)
    pump(into: &out)
    if application.hasMessages { sendMessages(into: &out) }
    reportRoom(into: &out)
    keepBonds(into: &out)
    if !bondTable.isKnownToRole { updateRolePeers(into: &out) }
    if hci.commands.isFree, phase == .running || phase == .shuttingDown { sendNextCommand(into: &out) }
    links.sweep()
  }

  // MARK: - State

  /// Whether the controller is up and requests are accepted.
  public var isReady: Bool { hci.commands.isUp && !isOver }

  /// The current links.
  public var linkStates: [LinkState] {
    links.ids.map { id in
      let link = links[id]
      return LinkState(
        handle: link.handle, details: link.details, carriage: link.carriage, mtu: link.bearers.fixed.att.mtu,
        subscriptions: link.session.subscriptions, channels: link.channels.all, security: link.session.security,
        bond: link.security.bond?.peer)
    }
  }

  /// Returns the current value of a characteristic, without side effects.
  public func value(of characteristic: CharacteristicIndex, at now: Instant) -> [UInt8]? {
    server.presentValue(of: characteristic, application: application, at: now)
  }

  /// Returns the state of a channel; nil if there is none.
  public func channelStatus(_ channel: ChannelID, of handle: ConnectionHandle) -> ChannelStatus? {
    links.id(of: handle).flatMap { links[$0].channels.status(channel) }
  }

  /// Replaces the value of a characteristic in the database.
  package mutating func store(_ value: [UInt8], of characteristic: CharacteristicIndex) {
    server.store(value, of: characteristic)
  }

  /// The current load.
  public var load: HostLoad {
    HostLoad(links: links.count, packets: scheduler.outstandingPackets, commands: hci.commands.waiting.count)
  }

  /// Whether the host has ended: it sends and accepts nothing.
  var isOver: Bool { phase == .stopped || phase == .failed }

  /// Throws if there is no such link.
  package func checkLink(_ handle: ConnectionHandle) throws(HostRequestError) { _ = try existing(handle) }

  /// Returns the link with that handle; throws if there is none.
  func existing(_ handle: ConnectionHandle) throws(HostRequestError) -> LinkID {
    guard let link = links.id(of: handle) else { throw .unknownConnection(handle) }
    return link
  }
}

/// The phases of a host.
enum HostPhase: Sendable {
  /// It sends nothing, because it has not been started, or has lost the line to its controller.
  case waiting
  case running
  /// It takes everything off the air.
  case shuttingDown
  case stopped
  /// The controller is unusable.
  case failed
}
