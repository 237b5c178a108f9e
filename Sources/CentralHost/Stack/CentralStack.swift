import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP

/// The central-role host: one controller below, any number of peripherals on the other side of the air.
///
/// It is a value without input or output of its own: it takes octets, deadlines and wishes together with the time, and fills a
/// `CentralOutput` with octets to send and events.
public struct CentralStack: Sendable {
  /// What it was made from.
  public let configuration: CentralConfiguration
  /// How often a reset is tried before a silent controller counts as unusable, and how often one that falls silent later on is
  /// brought up again.
  public var resetAttempts: Int {
    get { commands.resetAttempts }
    set { commands.resetAttempts = newValue }
  }
  /// What the controller reported; nothing known before it is up.
  public internal(set) var controller = ControllerProfile()
  /// The address it is known under; nil before the controller is up.
  public internal(set) var address: DeviceAddress?
  /// The server that peripherals find on this side.
  public internal(set) var server: GATTServer
  /// Whether it is scanning.
  public internal(set) var isScanning = false
  /// Whether a connection is being made.
  public internal(set) var isConnecting = false

  var deframer = H4Deframer(side: .host, maximumDataLength: 1024)
  var scheduler = ACLScheduler()
  var commands: CommandFlow
  var links: [CentralLink] = []
  var reports = ReportAssembler(filter: ScanFilter())
  var application = NoApplication()
  /// The link whose channels send first next time.
  var channelTurn = 0
  var isStarted = false
  var hasFailed = false

  /// A central, which does nothing before `start`.
  public init(_ configuration: CentralConfiguration = CentralConfiguration())
    throws(AttributeDatabase.DefinitionError)
  {
    self.configuration = configuration
    let database = try AttributeDatabase(
      host: [
        .genericAccess(name: configuration.name, appearance: 0, preferredParameters: nil), .genericAttribute,
      ], application: configuration.services)
    server = GATTServer(database: database, receiveMTU: configuration.mtu)
    commands = CommandFlow(configuration.bringUp)
  }

  // MARK: Input

  /// Begins to bring the controller up.
  public mutating func start(at now: Instant, into out: inout CentralOutput) {
    isStarted = true
    settle(at: now, into: &out)
  }

  /// Takes octets from the controller, in any chunks.
  public mutating func receive(_ octets: Span<UInt8>, at now: Instant, into out: inout CentralOutput) {
    guard !hasFailed else { return }
    deframe(octets, at: now, into: &out)
    settle(at: now, into: &out)
  }

  private mutating func deframe(_ octets: Span<UInt8>, at now: Instant, into out: inout CentralOutput) {
    var offset = 0
    while let frame = deframer.next(in: octets, at: &offset) {
      switch frame.place {
      case .given(let range): receive(frame.type, octets.extracting(range), at: now, into: &out)
      case .collected(let packet): receive(frame.type, packet.span, at: now, into: &out)
      }
    }
    if deframer.hasSkipped { out.events.append(.fault(.skippedOctets(deframer.takeSkipped()))) }
    deframer.startTimer(at: now)
  }

  private mutating func receive(
    _ type: H4PacketType, _ packet: Span<UInt8>, at now: Instant, into out: inout CentralOutput
  ) {
    switch type {
    case .acl where commands.isResetting: break
    case .acl: receiveACL(packet, at: now, into: &out)
    case .event: receiveEvent(packet, at: now, into: &out)
    default: break
    }
  }

  /// Does what is due at `now`.
  public mutating func advance(to now: Instant, into out: inout CentralOutput) {
    guard !hasFailed else { return }
    if let remedy = commands.advance(to: now) { controllerFellSilent(remedy, at: now, into: &out) }
    if deframer.advance(to: now) {
      let nothing: [UInt8] = []
      deframe(nothing.span, at: now, into: &out)
    }
    for link in links where link.nextDeadline.map({ $0 <= now }) ?? false {
      advanceLink(link.handle, at: now, into: &out)
    }
    settle(at: now, into: &out)
  }

  /// When `advance` has something to do next.
  public var nextDeadline: Instant? {
    guard !hasFailed else { return nil }
    var deadline = Instant.earliest(commands.nextDeadline, deframer.nextDeadline)
    for link in links { deadline = Instant.earliest(deadline, link.nextDeadline) }
    return deadline
  }

  /// Whether the controller is up and takes wishes.
  public var isReady: Bool { commands.isUp && !hasFailed }

  /// The links as they are now.
  public var linkStates: [CentralLinkState] {
    links.map { CentralLinkState(handle: $0.handle, details: $0.details, mtu: $0.client.mtu) }
  }

  /// What a link's client has discovered; nil for a link that is not there.
  public func database(of handle: ConnectionHandle) -> RemoteDatabase? {
    index(of: handle).map { links[$0].client.database }
  }

  /// What it holds now.
  public var load: HostLoad {
    HostLoad(links: links.count, packets: scheduler.outstandingPackets, commands: commands.waiting.count)
  }

  /// What every turn ends with: packets that wait go out as far as buffers are free, then the next command.
  mutating func settle(at now: Instant, into out: inout CentralOutput) {
    scheduler.drain(into: &out.octets)
    pumpChannels(at: now, into: &out)
    for index in links.indices where links[index].wantsRoom && hasRoom(links[index].handle) {
      links[index].wantsRoom = false
      out.events.append(.readyForMore(links[index].handle))
    }
    if commands.isFree && isStarted && !hasFailed { commands.send(into: &out.octets, at: now) }
  }

  func index(of handle: ConnectionHandle) -> Int? {
    for index in links.indices where links[index].handle == handle { return index }
    return nil
  }
}
