import BLECore
import BLEHCI
import VirtualRadio

/// A line between a host and its controller on which one chosen packet is lost.
///
/// ```swift
/// let line = LossyLine(before: lamp, of: simulation)
/// line.lose(3, .towardsHost)
/// // … whatever makes packets …
/// print(line.lost)
/// ```
package final class LossyLine: RadioParticipant {
  /// Which way packets go.
  package enum Direction: CaseIterable, Sendable {
    case towardsHost, towardsController
  }

  /// The packet that was lost.
  package struct Loss: Hashable, Sendable {
    /// When.
    package var instant: Instant
    /// Which way it went.
    package var direction: Direction
    /// The packet, with its H4 type.
    package var octets: [UInt8]
  }

  /// What was lost; nil while nothing was.
  package private(set) var lost: Loss?
  private let host: any RadioParticipant
  private unowned let simulation: RadioSimulation
  private var order: (number: Int, direction: Direction)?
  private var counts: [Direction: Int] = [:]
  private var deframers: [Direction: H4Deframer] = [
    .towardsHost: H4Deframer(side: .host, maximumDataLength: Int(UInt16.max)),
    .towardsController: H4Deframer(side: .controller, maximumDataLength: Int(UInt16.max)),
  ]

  /// Puts a line, on which nothing is lost yet, between a host and its controller.
  package init(before host: any RadioParticipant, of simulation: RadioSimulation) {
    self.host = host
    self.simulation = simulation
    simulation.interpose(self, before: host)
  }

  /// Loses that packet of a direction, where 0 is the next one; nil loses none. The packets are counted from here on.
  package func lose(_ number: Int?, _ direction: Direction = .towardsHost) {
    order = number.map { ($0, direction) }
    counts = [:]
    lost = nil
  }

  /// How many packets have gone that way since `lose` was called last.
  package func count(_ direction: Direction) -> Int { counts[direction] ?? 0 }

  package var controller: ControllerID { host.controller }

  package var nextDeadline: Instant? { host.nextDeadline }

  package func receive(_ octets: Span<UInt8>, at now: Instant) {
    let rest = carry(octets, .towardsHost)
    if !rest.isEmpty { host.receive(rest.span, at: now) }
  }

  package func advance(to now: Instant) { host.advance(to: now) }

  package func drain(into buffer: inout OctetBuffer) {
    var fresh = OctetBuffer()
    host.drain(into: &fresh)
    guard !fresh.isEmpty else { return }
    buffer.append(fresh.withSpan { carry($0, .towardsController) })
  }

  /// What comes out at the other end.
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
      if let order, lost == nil, order.direction == direction, order.number == number {
        lost = Loss(instant: simulation.now, direction: direction, octets: whole)
      } else {
        result += whole
      }
    }
    return result
  }
}
