import BLECore
import BLEHCI

/// One LE controller that several hosts use, each of which believes to have it to itself.
///
/// It stands between a line and its hosts: to each host it is a controller with HCI over H4, to the controller it is the one
/// host. Every host is one identity on advertising sets of its own (Core 5.4 Vol 6 Part B 4.4.2.10), so the controller needs
/// extended advertising. What comes of a set or a connection goes to the host that it belongs to; commands go to the
/// controller one at a time, in turn; buffers and sets are divided; settings that hold for the whole controller are merged.
///
/// It has no input or output of its own: it takes octets and the time, appends what is for the controller to `line`, and keeps
/// what is for the hosts until `takeOctets`.
package struct SharedController: Sendable {
  /// Why the controller cannot carry these hosts, once that is known; nothing is to be expected of it then.
  package internal(set) var refusal: SharingRefusal?

  var hosts: [SharingHost]
  var queue = CommandQueue()
  /// The command under way.
  var current: CommandUnderWay?
  /// What this side has to tell the controller by itself.
  var internalTasks: [InternalTask] = []
  /// Whose turn it is to give a command.
  var nextHost = 0
  var links: [SharedLink] = []
  var sets: [SharedSet] = []
  var settings = SharedSettings()
  /// What the controller lacks by the answer that was read last; nil when it is as it has to be.
  var lack: SharingRefusal.Lack?
  /// What it lacked by the answers before, of each command.
  var doubt: [CommandOpcode: SharingRefusal.Lack] = [:]
  /// How many ACL packets the controller holds; zero before it has said so.
  var bufferCount = 0
  /// Whether the controller knows nothing of us, or cannot be relied on: the next reset of a host is one of the controller,
  /// and nothing else is sent before.
  var isDown = true
  /// Whether the controller may have restarted: the next reset of a host is one of the controller.
  var isSuspect = false
  /// Whether a command was not answered, and the next one decides whether the controller is gone.
  var isTryingOn = false
  /// How often the controller was reset.
  var resetCount = 0

  /// Nothing limits what the controller sends: flow control towards the host, with its Host_ACL_Data_Packet_Length (Core 5.4
  /// Vol 4 Part E 7.3.39), is not used.
  private var deframer = H4Deframer(side: .host, maximumDataLength: Int(UInt16.max))

  /// One of the hosts: its place in the order in which they were given.
  package typealias Seat = Int

  /// A controller for so many hosts, of which each needs that many advertising sets.
  package init(advertisingSetsNeeded: [Int]) {
    hosts = advertisingSetsNeeded.map { SharingHost(setsNeeded: max(0, $0)) }
  }

  /// The hosts, in order.
  package var seats: Range<Seat> { hosts.indices }

  // MARK: - Input

  /// Takes octets of a host, in any chunks.
  package mutating func receive(
    _ octets: Span<UInt8>, from seat: Seat, at now: Instant, into line: inout OctetBuffer
  ) {
    guard hosts.indices.contains(seat), refusal == nil else { return }
    let skipped = hosts[seat].deframer.skippedOctets
    var offset = 0
    while let frame = hosts[seat].deframer.next(in: octets, at: &offset) {
      hosts[seat].stuffing = hosts[seat].deframer.skippedOctets - skipped
      switch frame.place {
      case .given(let range):
        receive(frame.type, octets.extracting(range), from: seat, at: now, into: &line)
      case .collected(let packet): receive(frame.type, packet.span, from: seat, at: now, into: &line)
      }
    }
    flush(at: now, into: &line)
  }

  private mutating func receive(
    _ type: H4PacketType, _ packet: Span<UInt8>, from seat: Seat, at now: Instant, into line: inout OctetBuffer
  ) {
    switch type {
    case .command:
      guard let command = try? CommandPacket(packet) else { return }
      if command.opcode == .reset {
        hostResets(seat, at: now, into: &line)
      } else {
        hosts[seat].waiting.append(HostCommand(opcode: command.opcode, packet: packet.h4(.command)))
      }
    case .acl: sendData(packet, of: seat, into: &line)
    default: break
    }
  }

  /// Takes octets of the controller, in any chunks.
  package mutating func receive(_ octets: Span<UInt8>, at now: Instant, into line: inout OctetBuffer) {
    deframe(octets, at: now, into: &line)
    flush(at: now, into: &line)
  }

  private mutating func deframe(_ octets: Span<UInt8>, at now: Instant, into line: inout OctetBuffer) {
    var offset = 0
    while let frame = deframer.next(in: octets, at: &offset) {
      switch frame.place {
      case .given(let range): receive(frame.type, octets.extracting(range), at: now, into: &line)
      case .collected(let packet): receive(frame.type, packet.span, at: now, into: &line)
      }
    }
    deframer.startTimer(at: now)
  }

  private mutating func receive(
    _ type: H4PacketType, _ packet: Span<UInt8>, at now: Instant, into line: inout OctetBuffer
  ) {
    guard refusal == nil else { return }
    switch type {
    case .event: receiveEvent(packet, at: now, into: &line)
    case .acl where !isResetting: receiveData(packet)
    default: break
    }
  }

  /// Does what is due at `now`.
  package mutating func advance(to now: Instant, into line: inout OctetBuffer) {
    if let timeout = queue.advance(to: now) { commandTimedOut(timeout, at: now, into: &line) }
    if deframer.advance(to: now) {
      let nothing: [UInt8] = []
      deframe(nothing.span, at: now, into: &line)
    }
    advanceLinks(now)
    flush(at: now, into: &line)
  }

  /// When `advance` has something to do next.
  package var nextDeadline: Instant? {
    links.reduce(Instant.earliest(queue.nextDeadline, deframer.nextDeadline)) { Instant.earliest($0, $1.deadline) }
  }

  // MARK: - Output

  /// How many octets of the controller belonged to no packet, since this was last asked. Which host missed something by that it
  /// finds out by itself.
  package mutating func takeSkippedOctets() -> Int { deframer.takeSkipped() }

  /// The hosts for which there is something.
  package var seatsWithOutput: [Seat] { seats.filter { !hosts[$0].output.isEmpty } }

  /// What the controller has for a host, which is forgotten here.
  package mutating func takeOctets(for seat: Seat) -> [UInt8] {
    guard hosts.indices.contains(seat) else { return [] }
    defer { hosts[seat].output = [] }
    return hosts[seat].output
  }

  // MARK: - Life

  /// A host leaves: what is its in the controller goes.
  package mutating func leave(_ seat: Seat, at now: Instant, into line: inout OctetBuffer) {
    guard hosts.indices.contains(seat) else { return }
    cleanUp(after: seat)
    hosts[seat] = SharingHost(setsNeeded: hosts[seat].setsNeeded)
    flush(at: now, into: &line)
  }

  /// The line to the controller is gone, as when a board is unplugged: nothing is left of what was on it. The hosts begin anew
  /// when there is another one.
  package mutating func loseController() {
    self = SharedController(advertisingSetsNeeded: hosts.map(\.setsNeeded))
  }
}

extension Span where Element == UInt8 {
  /// The octets as a packet with its H4 type.
  func h4(_ type: H4PacketType) -> [UInt8] {
    var packet: [UInt8] = []
    packet.reserveCapacity(count + 1)
    packet.append(type.rawValue)
    for index in indices { packet.append(self[index]) }
    return packet
  }
}
