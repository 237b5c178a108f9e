import BLECore
import BLEHCI
import VirtualRadio

/// A line between a host and its controller on which one selected packet is lost, duplicated, or delayed with all packets after it.
///
/// ```swift
/// let line = LossyLine(before: lamp, of: simulation)
/// line.lose(3, .towardsHost)
/// // … whatever makes packets …
/// print(line.lost)
/// ```
package final class LossyLine: RadioParticipant {
  /// The direction of a packet.
  package enum Direction: CaseIterable, Sendable {
    case towardsHost, towardsController
  }

  /// The fate of a packet.
  package enum Fate: Hashable, Sendable {
    case lost, doubled
    /// The packet is delayed by this time, and nothing overtakes it.
    case late(Duration)
  }

  /// The lost packet.
  package struct Loss: Hashable, Sendable {
    /// The time of the loss.
    package var instant: Instant
    /// The direction of the packet.
    package var direction: Direction
    /// The packet, with its H4 type.
    package var octets: [UInt8]
  }

  /// The lost packet; nil if none has been lost.
  package private(set) var lost: Loss?
  private let host: any RadioParticipant
  private unowned let simulation: RadioSimulation
  private var order: (number: Int, direction: Direction, fate: Fate)?
  /// The delayed packets in each direction, and the time at which they are delivered.
  private var late: [Direction: (octets: [UInt8], due: Instant)] = [:]
  private var counts: [Direction: Int] = [:]
  /// The end of a freeze, during which the host gets neither packets nor time, and the octets that have arrived meanwhile.
  private var frozen: (until: Instant, octets: [UInt8])?
  private var isCutting: (() -> Bool)?
  /// Whether any data sent by the host were cut off.
  package private(set) var hasCut = false
  private var deframers: [Direction: H4Deframer] = [
    .towardsHost: H4Deframer(side: .host, maximumDataLength: Int(UInt16.max)),
    .towardsController: H4Deframer(side: .controller, maximumDataLength: Int(UInt16.max)),
  ]

  /// Inserts a line, initially without losses, between a host and its controller.
  package init(before host: any RadioParticipant, of simulation: RadioSimulation) {
    self.host = host
    self.simulation = simulation
    simulation.interpose(self, before: host)
  }

  /// Loses a packet in a direction, where 0 is the next one; nil loses none. Counting starts again with this call.
  package func lose(_ number: Int?, _ direction: Direction = .towardsHost) {
    if let number { meet(number, direction, .lost) } else { clear() }
  }

  /// Sets the fate of a packet in a direction, where 0 is the next one. Counting starts again with this call.
  package func meet(_ number: Int, _ direction: Direction, _ fate: Fate) {
    clear()
    order = (number, direction, fate)
  }

  /// Suspends the host, as when its machine is suspended: until `end` it gets neither packets nor time, and then everything at once. Nil
  /// resumes it now.
  package func freeze(until end: Instant?) {
    let octets = frozen?.octets ?? []
    frozen = (end ?? simulation.now, octets)
  }

  /// Discards everything that the host sends while `condition` holds, as when its process ends in the middle of a turn; nil sends
  /// everything.
  package func cut(while condition: (() -> Bool)?) { (isCutting, hasCut) = (condition, false) }

  private func clear() {
    order = nil
    counts = [:]
    lost = nil
  }

  /// Returns the number of packets in a direction since counting was last started.
  package func count(_ direction: Direction) -> Int { counts[direction] ?? 0 }

  package var controller: ControllerID { host.controller }

  package var nextDeadline: Instant? {
    if let frozen { return frozen.until }
    return late.values.reduce(host.nextDeadline) { Instant.earliest($0, $1.due) }
  }

  package func receive(_ octets: Span<UInt8>, at now: Instant) {
    if frozen != nil {
      frozen?.octets += octets.withUnsafeBytes { Array($0) }
      return
    }
    let rest = carry(octets, .towardsHost)
    if !rest.isEmpty { host.receive(rest.span, at: now) }
  }

  package func advance(to now: Instant) {
    if let frozen {
      guard frozen.until <= now else { return }
      self.frozen = nil
      if !frozen.octets.isEmpty { receive(frozen.octets.span, at: now) }
    }
    let arrived = arrivals(.towardsHost, at: now)
    if !arrived.isEmpty { host.receive(arrived.span, at: now) }
    host.advance(to: now)
  }

  package func drain(into buffer: inout OctetBuffer) {
    guard frozen == nil else { return }
    buffer.append(arrivals(.towardsController, at: simulation.now))
    var fresh = OctetBuffer()
    host.drain(into: &fresh)
    if isCutting?() == true {
      hasCut = true
      return
    }
    guard !fresh.isEmpty else { return }
    buffer.append(fresh.withSpan { carry($0, .towardsController) })
  }

  /// Returns delayed packets that have now arrived.
  private func arrivals(_ direction: Direction, at now: Instant) -> [UInt8] {
    guard let waiting = late[direction], waiting.due <= now else { return [] }
    late[direction] = nil
    return waiting.octets
  }

  /// Returns the packets that arrive at the other end.
  private func carry(_ octets: Span<UInt8>, _ direction: Direction) -> [UInt8] {
    var result: [UInt8] = []
    var offset = 0
    while let frame = deframers[direction]?.next(in: octets, at: &offset) {
      let packet =
        switch frame.place {
        case .given(let range): octets.extracting(range).withUnsafeBytes { Array($0) }
        case .collected(let collected): collected
        }
      let whole = [frame.type.rawValue] + packet
      let number = count(direction)
      counts[direction] = number + 1
      guard let order, order.direction == direction, order.number == number else {
        result += whole
        continue
      }
      self.order = nil
      switch order.fate {
      case .lost: lost = Loss(instant: simulation.now, direction: direction, octets: whole)
      case .doubled: result += whole + whole
      case .late(let time):
        let before = late[direction]?.octets ?? []
        late[direction] = (before + result + whole, simulation.now + time)
        result = []
      }
    }
    guard let waiting = late[direction] else { return result }
    late[direction] = (waiting.octets + result, waiting.due)
    return []
  }
}
