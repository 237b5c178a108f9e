import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLESMP

/// The peripheral-role host: one controller below, one accessory above, everything in between.
///
/// It is a value without input or output of its own: it takes octets, deadlines and wishes together with the time, and fills
/// a `HostOutput` with octets to send and events. Whoever owns it — the poll loop, a test, the virtual radio — decides what
/// time it is.
public struct HostStack<Application: AttributeApplication & ChannelApplication>: Sendable {
  /// What stands behind the attributes and the channels.
  public var application: Application
  /// Whether single reads, writes and notifications are reported as events; off, nothing is spent on them.
  public var reportsAccess = false
  /// How often a reset is tried before a silent controller counts as unusable, and how often one that falls silent before it is
  /// on the air is brought up again.
  public var resetAttempts: Int {
    get { commands.resetAttempts }
    set { commands.resetAttempts = newValue }
  }
  /// How long a controller may be silent before it is asked whether it still is as it was left; nil for never. It is for
  /// controllers that can restart unnoticed, or lose what they say, behind a serial line.
  public var watchInterval: Duration?
  /// The server and its database.
  public internal(set) var server: GATTServer
  /// What the controller reported; nothing known before it is up.
  public internal(set) var controller = ControllerProfile()
  /// The address it is known under; nil before the controller is up.
  public internal(set) var address: DeviceAddress?
  /// The kind of that address.
  public internal(set) var addressType = AddressType.random
  /// What it was made from.
  public let configuration: HostConfiguration

  /// LE controllers send at most 251 octets in a packet, some up to 1,021: what claims more is garbage.
  var deframer = H4Deframer(side: .host, maximumDataLength: 1024)
  var scheduler = ACLScheduler()
  var hostBuffers = HostBufferLedger()
  var commands: CommandFlow
  var advertiser: Advertiser?
  var connections: [Connection] = []
  /// What centrals can open channels to.
  public internal(set) var publishedChannels: [PublishedChannel]
  /// Subscriptions that are served whenever a buffer is free.
  var streams: [Stream] = []
  var streamTurn = 0
  /// How often a controller refused to be brought up since everything was on the air.
  var bringUpFailures = 0
  /// What was wanted of advertising sets since the beginning; a controller that comes up again is told anew.
  var advertisingWishes: [String: Bool] = [:]
  /// When the controller last said something.
  var lastHeard = Instant.zero
  /// When it is next to be looked at.
  var watchDeadline: Instant?
  /// What is wrong on the line right now; nil while all is well.
  var incident: LineIncident?
  /// When a controller that keeps restarting is next brought up.
  var bringUpDue: Instant?
  /// Connections that the controller has and never told of, which it is told to end.
  var strangers: Set<ConnectionHandle> = []
  /// Which questions tell something of this controller: true once it has answered that it is as it was left, false when it
  /// answered otherwise from the beginning.
  var questionsWorth: [CommandOpcode: Bool] = [:]
  /// How often it was looked at.
  var looks = 0
  /// Whether an answer says that it is not as it was left, and the next one has to say so too.
  var isAlarmed = false
  var isStarted = false
  var hasReportedReady = false
  var isShuttingDown = false
  var hasStopped = false
  var hasFailed = false

  /// A continuous notification.
  struct Stream: Hashable, Sendable {
    var handle: ConnectionHandle
    var characteristic: CharacteristicIndex
  }

  /// A host of that accessory, which does nothing before `start`.
  public init(
    _ configuration: HostConfiguration, application: Application
  ) throws(AttributeDatabase.DefinitionError) {
    self.configuration = configuration
    self.application = application
    server = GATTServer(
      database: try configuration.makeDatabase(), receiveMTU: configuration.connection.mtu,
      hashFunction: { AESCMAC.authenticationCode(of: $0, key: AESCMAC.zeroKey) })
    publishedChannels = configuration.channels
    commands = CommandFlow(configuration.bringUp)
  }

  // MARK: - Input

  /// Begins to bring the controller up.
  public mutating func start(at now: Instant, into out: inout HostOutput) {
    isStarted = true
    settle(at: now, into: &out)
  }

  /// Takes octets from the controller, in any chunks.
  public mutating func receive(_ octets: Span<UInt8>, at now: Instant, into out: inout HostOutput) {
    guard !isOver else { return }
    lastHeard = now
    deframe(octets, at: now, into: &out)
    settle(at: now, into: &out)
  }

  private mutating func deframe(_ octets: Span<UInt8>, at now: Instant, into out: inout HostOutput) {
    var offset = 0
    while let frame = deframer.next(in: octets, at: &offset) {
      // In the order of the line: what was skipped came before this packet.
      if deframer.hasSkipped { reportSkips(into: &out) }
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
    noteDisturbance(.skippedOctets(deframer.takeSkipped()), into: &out)
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
    if let remedy = commands.advance(to: now) { controllerFellSilent(remedy, at: now, into: &out) }
    if deframer.advance(to: now) {
      let nothing: [UInt8] = []
      deframe(nothing.span, at: now, into: &out)
    }
    if let watchDeadline, watchDeadline <= now { watchController(at: now) }
    if let due = bringUpDue, due <= now { bringUpDue = nil }
    advertiser?.advance(to: now)
    for connection in connections where connection.nextDeadline.map({ $0 <= now }) ?? false {
      advanceLink(connection.handle, at: now, into: &out)
    }
    if let deadline = application.nextDeadline, deadline <= now {
      var actions: [ApplicationAction] = []
      application.advance(to: now, actions: &actions)
      perform(actions, at: now, into: &out)
      letApplicationUseClients(at: now, into: &out)
    }
    advanceChannels(to: now)
    settle(at: now, into: &out)
  }

  /// When `advance` has something to do next.
  public var nextDeadline: Instant? {
    guard !isOver else { return nil }
    var deadline = Instant.earliest(
      commands.nextDeadline, Instant.earliest(deframer.nextDeadline, advertiser?.nextDeadline))
    deadline = Instant.earliest(deadline, Instant.earliest(watchDeadline, bringUpDue))
    deadline = Instant.earliest(deadline, hostBuffers.nextDeadline)
    deadline = Instant.earliest(deadline, application.nextDeadline)
    deadline = Instant.earliest(deadline, application.nextChannelDeadline)
    for connection in connections { deadline = Instant.earliest(deadline, connection.nextDeadline) }
    return deadline
  }

  /// What it holds now.
  public var load: HostLoad {
    HostLoad(links: connections.count, packets: scheduler.outstandingPackets, commands: commands.waiting.count)
  }

  /// Whether nothing is sent or taken any longer.
  var isOver: Bool { hasFailed || hasStopped }

  /// What every turn ends with: packets that wait go out as far as buffers are free, then the next command.
  mutating func settle(at now: Instant, into out: inout HostOutput) {
    hostBuffers.flush(at: now, into: &out.octets)
    scheduler.drain(into: &out.octets)
    pumpChannels(at: now, into: &out)
    if application.hasMessages { sendMessages(at: now, into: &out) }
    if !streams.isEmpty { pumpStreams(at: now, into: &out) }
    if commands.isFree && isStarted { sendNextCommand(at: now, into: &out) }
  }

  func index(of handle: ConnectionHandle) -> Int? {
    for index in connections.indices where connections[index].handle == handle { return index }
    return nil
  }
}
