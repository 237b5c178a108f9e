import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLESMP
import Faults

/// What hosts of both roles share: one controller below, any number of links, an application above.
///
/// It is a value without input or output of its own: it takes octets, deadlines and requests together with the time, and fills a
/// `HostOutput` with octets to send and events. Whoever owns it — the poll loop, a test, the virtual radio — decides what time
/// it is. What only a peripheral or only a central does is in its `Role`.
public struct HostEngine<Role: HostRole, Application: AttributeApplication & ChannelApplication>: Sendable {
  /// What it does with the controller beside its links.
  package var role: Role
  /// What stands behind the attributes and the channels.
  public var application: Application
  /// The server and its database.
  public internal(set) var server: GATTServer
  /// Whether single reads, writes and notifications are reported as events; off, nothing is spent on them.
  public var reportsAccess = false
  /// How often a reset is tried before a silent controller counts as unusable, and how often one that falls silent before it is
  /// on the air is brought up again.
  public var resetAttempts: Int {
    get { commands.resetAttempts }
    set { commands.resetAttempts = newValue }
  }
  /// How often the controller is asked whether it is as the host believes; nil for never, where nothing can be lost and nobody
  /// restarts it.
  public var watchInterval: Duration? {
    get { supervisor.interval }
    set { supervisor.interval = newValue }
  }
  /// What the controller reported; nothing known before it is up.
  public internal(set) var controller = ControllerProfile()
  /// The address it is known under; nil before the controller is up.
  public var address: DeviceAddress? { identity?.address }
  /// The kind of that address.
  public var addressType: AddressType { identity?.addressType ?? .random }
  /// Whom it has bonded with. Set before `start`; kept up to date from then on, with the events `bondChanged` and `bondRemoved`.
  public var bonds: [BondRecord] = [] { didSet { arePeersCurrent = false } }
  /// Where keys and random values come from. Whoever wants two runs to be alike gives it a generator with a seed.
  public var random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  /// What peers can open channels to.
  public internal(set) var publishedChannels: [PublishedChannel]

  var policy: LinkPolicy
  /// The random static address that it was made with; nil where it has the controller's public one.
  package let randomAddress: DeviceAddress?
  package var identity: OnAirIdentity?
  /// The random static address that it has taken in place of the first one, and the key with it.
  package var newIdentity: DeviceAddress?
  package var newResolvingKey: [UInt8]?
  var deframer = H4Deframer(side: .host, maximumDataLength: Int(UInt16.max))
  var scheduler = ACLScheduler()
  var hostBuffers = HostBufferLedger()
  var commands: CommandFlow<CommandPurpose>
  var supervisor = ControllerSupervisor()
  var links = LinkTable()
  /// What goes wrong on purpose; nil while nothing does.
  var faults: FaultPlan?
  /// Whether the accessory is gone for a while, because a fault wants it so: it hears nothing.
  var isAway = false
  /// Who may not pair again yet.
  var throttle = PairingThrottle()
  /// Whether the role knows of the bonds and who of them is connected, as it is now.
  var arePeersCurrent = true
  var isStarted = false
  package var isShuttingDown = false
  package var hasStopped = false
  var hasFailed = false

  /// A host, which does nothing before `start`.
  package init(
    role: Role, application: Application, server: GATTServer, publishedChannels: [PublishedChannel], policy: LinkPolicy,
    bringUp: BringUpPlan
  ) {
    self.role = role
    self.application = application
    self.server = server
    self.publishedChannels = publishedChannels + policy.bearerChannels
    self.policy = policy
    randomAddress = bringUp.randomAddress
    commands = CommandFlow(bringUp)
  }

  // MARK: - Input

  /// Begins to bring the controller up.
  public mutating func start(at now: Instant, into out: inout HostOutput) {
    isStarted = true
    flush(at: now, into: &out)
  }

  /// Takes octets from the controller, in any chunks.
  public mutating func receive(_ octets: Span<UInt8>, at now: Instant, into out: inout HostOutput) {
    guard !isOver, !isAway else { return }
    supervisor.lastHeard = now
    deframe(octets, at: now, into: &out)
    flush(at: now, into: &out)
  }

  private mutating func deframe(_ octets: Span<UInt8>, at now: Instant, into out: inout HostOutput) {
    var offset = 0
    while let frame = deframer.next(in: octets, at: &offset) {
      // In the order of the line: what was skipped came before this packet.
      if deframer.hasSkipped { reportSkips(into: &out) }
      links.sweep()
      switch frame.place {
      case .given(let range): receive(frame.type, octets.extracting(range), at: now, into: &out)
      case .collected(let packet): receive(frame.type, packet.span, at: now, into: &out)
      }
    }
    // One gap is one report, so the next packet is waited for, unless there may be none, or the reports are put together anyway.
    if deframer.hasSkipped, octets.isEmpty || watchInterval != nil { reportSkips(into: &out) }
    deframer.startTimer(at: now)
  }

  private mutating func reportSkips(into out: inout HostOutput) {
    report(.skippedOctets(deframer.takeSkipped()), into: &out)
  }

  private mutating func receive(
    _ type: H4PacketType, _ packet: Span<UInt8>, at now: Instant, into out: inout HostOutput
  ) {
    switch type {
    case .acl where commands.isResetting: break
    case .acl: receiveACL(packet, at: now, into: &out)
    case .event: receiveEvent(packet, at: now, into: &out)
    default: break
    }
  }

  /// Does what is due at `now`.
  public mutating func advance(to now: Instant, into out: inout HostOutput) {
    guard !isOver else { return }
    if let silence = commands.advance(to: now) { controllerFellSilent(silence, at: now, into: &out) }
    if deframer.advance(to: now) {
      let nothing: [UInt8] = []
      deframe(nothing.span, at: now, into: &out)
    }
    if let due = supervisor.deadline, due <= now { supervise(at: now, into: &out) }
    if let due = role.nextDeadline, due <= now { role.renewAddresses(at: now, random: &random) }
    role.advance(to: now)
    for link in links.ids where links[link].nextDeadline.map({ $0 <= now }) ?? false {
      advanceLink(link, at: now, into: &out)
    }
    if let deadline = application.nextDeadline, deadline <= now {
      var actions: [ApplicationAction] = []
      application.advance(to: now, actions: &actions)
      perform(actions, at: now, into: &out)
      letApplicationUseClients(at: now, into: &out)
    }
    advanceChannels(to: now)
    if faults != nil { advanceFaults(to: now, into: &out) }
    flush(at: now, into: &out)
  }

  /// When `advance` has something to do next. It changes nothing: it is asked after every read, and links that are only read are copied.
  public var nextDeadline: Instant? {
    mutating get {
      guard !isOver else { return nil }
      var deadline = Instant.earliest(
        commands.nextDeadline, Instant.earliest(deframer.nextDeadline, role.nextDeadline))
      deadline = Instant.earliest(deadline, Instant.earliest(supervisor.deadline, hostBuffers.nextDeadline))
      deadline = Instant.earliest(deadline, application.nextDeadline)
      deadline = Instant.earliest(deadline, application.nextChannelDeadline)
      if faults != nil { deadline = Instant.earliest(deadline, faults?.nextDeadline) }
      for link in links.ids { deadline = Instant.earliest(deadline, links[link].nextDeadline) }
      return deadline
    }
  }

  // MARK: - Output

  /// What every input ends with: what waits goes out as far as buffers are free, then the next command.
  package mutating func flush(at now: Instant, into out: inout HostOutput) {
    if faults != nil { workOffFaults(at: now, into: &out) }
    hostBuffers.flush(at: now, into: &out.octets)
    scheduler.drain(into: &out.octets)
    pump(at: now, into: &out)
    if application.hasMessages { sendMessages(at: now, into: &out) }
    reportRoom(into: &out)
    keepBonds(into: &out)
    if !arePeersCurrent { updateRolePeers(at: now, into: &out) }
    if commands.isFree && isStarted { sendNextCommand(at: now, into: &out) }
    links.sweep()
  }

  // MARK: - State

  /// Whether the controller is up and requests are taken.
  public var isReady: Bool { commands.isUp && !hasFailed }

  /// The links as they are now.
  public var linkStates: [LinkState] {
    links.ids.map { id in
      let link = links[id]
      return LinkState(
        handle: link.handle, details: link.details, carriage: link.carriage, mtu: link.bearers.fixed.att.mtu,
        subscriptions: link.session.subscriptions, channels: link.channels.all, security: link.session.security,
        bond: link.security.bond?.peer)
    }
  }

  /// The value of a characteristic as it is now; looking at it changes nothing.
  public func value(of characteristic: CharacteristicIndex, at now: Instant) -> [UInt8]? {
    server.presentValue(of: characteristic, application: application, at: now)
  }

  /// A channel as it is now; nil when there is none.
  public func channelStatus(_ channel: ChannelID, of handle: ConnectionHandle) -> ChannelStatus? {
    links.id(of: handle).flatMap { links[$0].channels.status(channel) }
  }

  /// Replaces the value that the database keeps for a characteristic.
  package mutating func store(_ value: [UInt8], of characteristic: CharacteristicIndex) {
    server.store(value, of: characteristic)
  }

  /// What it holds now.
  public var load: HostLoad {
    HostLoad(links: links.count, packets: scheduler.outstandingPackets, commands: commands.waiting.count)
  }

  /// Whether nothing is sent or taken any longer.
  var isOver: Bool { hasFailed || hasStopped }

  /// Throws where there is no such link.
  package func checkLink(_ handle: ConnectionHandle) throws(HostRequestError) { _ = try existing(handle) }

  /// The link with that handle, which has to be there.
  func existing(_ handle: ConnectionHandle) throws(HostRequestError) -> LinkID {
    guard let link = links.id(of: handle) else { throw .unknownConnection(handle) }
    return link
  }
}
