import BLECore
import BLEHCI

/// One LE controller that several hosts share as if each had its own.
///
/// It is between a line and its hosts: to each host it acts as a controller with HCI over H4, to the controller as a single host. Every
/// host is one identity on advertising sets of its own (Core 5.4 Vol 6 Part B 4.4.2.10), so the controller needs extended advertising.
/// Events and data of a set or a connection go to the host to which it belongs. Commands go to the controller one at a time, in turn.
/// Buffers and sets are divided. Settings of the whole controller are merged.
///
/// It does no input or output of its own: it receives octets and the time, appends the octets for the controller to `line`, and stores
/// those for the hosts until `takeOctets`.
package struct SharedController: Sendable {
  /// Why the controller cannot serve these hosts, once that is known. It is then no longer used.
  package internal(set) var refusal: SharingRefusal?

  var hosts: [SharingHost]
  var queue = CommandQueue()
  /// The command in progress.
  var current: CommandUnderWay?
  /// The tasks of this side.
  var internalTasks: [InternalTask] = []
  /// The host that had its turn to send a command last.
  var nextHost = 0
  var links: [SharedLink] = []
  var sets: [SharedSet] = []
  var settings = SharedSettings()
  /// What the controller lacks according to the latest answer; nil if nothing.
  var lack: SharingRefusal.Lack?
  /// What the controller lacked according to the previous answer to each command.
  var doubt: [CommandOpcode: SharingRefusal.Lack] = [:]
  /// The number of ACL packets that the controller can buffer; zero before it has reported that.
  var bufferCount = 0
  /// Whether the controller has none of the hosts' state, or is unreliable. The next reset of a host resets the controller, and nothing
  /// else is sent before.
  var isDown = true
  /// Whether the controller may have restarted. The next reset of a host resets the controller.
  var isSuspect = false
  /// Whether a command was not answered, so that the next one decides whether the controller has failed.
  var isOnLastChance = false
  /// The number of resets of the controller.
  var resetCount = 0

  /// The deframer of the controller's packets. Their length is not limited, because flow control towards the host, with its
  /// Host_ACL_Data_Packet_Length (Core 5.4 Vol 4 Part E 7.3.39), is not used.
  private var deframer = H4Deframer(side: .host, maximumDataLength: Int(UInt16.max))

  /// A host, by its position in the order in which the hosts were given.
  package typealias Seat = Int

  /// Creates a controller for hosts that need these numbers of advertising sets.
  package init(advertisingSetsNeeded: [Int]) {
    hosts = advertisingSetsNeeded.map { SharingHost(setsNeeded: max(0, $0)) }
  }

  /// The hosts, in order.
  package var seats: Range<Seat> { hosts.indices }

  // MARK: - Input

  /// Processes octets from a host, in any chunks.
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

  /// Processes octets from the controller, in any chunks.
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

  /// The time at which `advance` must be called next.
  package var nextDeadline: Instant? {
    links.reduce(Instant.earliest(queue.nextDeadline, deframer.nextDeadline)) { Instant.earliest($0, $1.deadline) }
  }

  // MARK: - Output

  /// Returns the number of octets from the controller since the last call that belonged to no packet. A host that missed a packet because
  /// of them notices it itself.
  package mutating func takeSkippedOctets() -> Int { deframer.takeSkipped() }

  /// The hosts with pending output.
  package var seatsWithOutput: [Seat] { seats.filter { !hosts[$0].output.isEmpty } }

  /// Returns and removes the pending output for a host.
  package mutating func takeOctets(for seat: Seat) -> [UInt8] {
    guard hosts.indices.contains(seat) else { return [] }
    defer { hosts[seat].output = [] }
    return hosts[seat].output
  }

  // MARK: - Lifecycle

  /// Removes a host, and its state from the controller.
  package mutating func leave(_ seat: Seat, at now: Instant, into line: inout OctetBuffer) {
    guard hosts.indices.contains(seat) else { return }
    cleanUp(after: seat)
    hosts[seat] = SharingHost(setsNeeded: hosts[seat].setsNeeded)
    flush(at: now, into: &line)
  }

  /// Handles the loss of the line to the controller, as when a board is unplugged: all state is discarded. The hosts restart when there
  /// is another controller.
  package mutating func loseController() {
    self = SharedController(advertisingSetsNeeded: hosts.map(\.setsNeeded))
  }
}

extension Span where Element == UInt8 {
  /// Returns the octets as a packet with this H4 type.
  func h4(_ type: H4PacketType) -> [UInt8] {
    var packet: [UInt8] = []
    packet.reserveCapacity(count + 1)
    packet.append(type.rawValue)
    for index in indices { packet.append(self[index]) }
    return packet
  }
}
