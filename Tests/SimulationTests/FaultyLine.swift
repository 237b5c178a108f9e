import BLECore
import BLEHCI
import Simulation
import VirtualRadio

/// What happens to octets between a host and its controller.
enum LineFault: CaseIterable {
  /// Octets are lost.
  case drop
  /// Octets are inserted.
  case insert
  /// Bits change.
  case flip
  /// Octets arrive later, and in order.
  case delay
  /// Nothing arrives for longer than a host waits for an answer.
  case stall
}

/// A serial line between a host and the air that garbles octets as ordered.
final class FaultyLine: RadioParticipant {
  /// One fault, for the next octets of one direction.
  struct Order {
    var fault: LineFault
    var isTowardsHost: Bool
  }

  /// The fault for the next octets.
  var order: Order?
  /// The real terminal that carries the octets; nil if they are passed on directly.
  var carrier: TerminalCarrier?
  /// An incident at the controller, and its time.
  var incident: (due: Instant, happen: () -> Void)?
  /// Called when the host has processed octets.
  var onDelivery: (() -> Void)?
  /// The time of the controller's first output since a test cleared this.
  var firstHeard: Instant?
  /// The number of faults made.
  private(set) var made = 0
  /// Whether the last fault has certainly left the host with octets that form no packets.
  private(set) var breaksFraming = false
  /// Whether the octets of the last fault contained the start of a connection. That is detected when the octets form no
  /// packet, and again when the central of that connection sends something.
  private(set) var hidesConnection = false
  /// The octets of the last fault, before and after.
  private(set) var last = ""
  private let host: any RadioParticipant
  private let now: () -> Instant
  private var random: SplitMix64
  private var toHost = HeldOctets()
  private var toController = HeldOctets()

  /// Octets in transit, and the time of their arrival.
  private struct HeldOctets {
    var octets: [UInt8] = []
    var due: Instant?
  }

  init(_ host: any RadioParticipant, seed: UInt64, now: @escaping () -> Instant) {
    self.host = host
    self.now = now
    random = SplitMix64(seed: seed)
  }

  var controller: ControllerID { host.controller }

  var nextDeadline: Instant? {
    let held = Instant.earliest(toHost.due, toController.due)
    return Instant.earliest(host.nextDeadline, Instant.earliest(held, incident?.due))
  }

  func receive(_ octets: Span<UInt8>, at now: Instant) {
    firstHeard = firstHeard ?? now
    take(octets.withUnsafeBytes { Array($0) }, towardsHost: true, at: now)
    deliver(at: now)
  }

  func advance(to now: Instant) {
    deliver(at: now)
    if let incident, incident.due <= now {
      self.incident = nil
      incident.happen()
    }
    if let deadline = host.nextDeadline, deadline <= now { host.advance(to: now) }
  }

  func drain(into buffer: inout OctetBuffer) {
    var fresh = OctetBuffer()
    host.drain(into: &fresh)
    if !fresh.isEmpty { take(fresh.copy(), towardsHost: false, at: now()) }
    if toController.due.map({ $0 <= now() }) ?? true {
      buffer.append(toController.octets)
      toController = HeldOctets()
    }
  }

  private func deliver(at now: Instant) {
    guard toHost.due.map({ $0 <= now }) ?? true, !toHost.octets.isEmpty else { return }
    let octets = toHost.octets
    toHost = HeldOctets()
    defer { onDelivery?() }
    guard carrier != nil else { return host.receive(octets.span, at: now) }
    // A read returns everything that has arrived by then.
    var rest = octets[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(1 + Int(random.upTo(299))))
      rest = rest.dropFirst(piece.count)
      host.receive(piece.span, at: now)
    }
  }

  /// Stops or resumes reading at the end of one direction of the carrier.
  func setHeld(_ isHeld: Bool, towardsHost: Bool) {
    carrier?.setHeld(isHeld, towardsHost: towardsHost)
    take([], towardsHost: towardsHost, at: now())
    deliver(at: now())
  }

  private func take(_ octets: [UInt8], towardsHost: Bool, at now: Instant) {
    var octets = octets
    var delay: Duration?
    if let order, !octets.isEmpty, order.isTowardsHost == towardsHost {
      let before = octets
      delay = garble(&octets, order.fault)
      hidesConnection = towardsHost && Self.tellsOfConnection(before)
      breaksFraming = towardsHost && !Self.isMadeOfPackets(octets)
      last = "\(before.hexadecimal) -> \(octets.hexadecimal)"
      self.order = nil
      made += 1
    }
    if let carrier { octets = carrier.carry(octets, towardsHost: towardsHost) }
    if towardsHost {
      hold(octets, delay, in: &toHost, at: now)
    } else {
      hold(octets, delay, in: &toController, at: now)
    }
  }

  private func hold(_ octets: [UInt8], _ delay: Duration?, in held: inout HeldOctets, at now: Instant) {
    held.octets += octets
    if let delay { held.due = max(held.due ?? now, now + delay) }
  }

  /// Returns whether packets for a host contain an LE Connection Complete or LE Enhanced Connection Complete.
  private static func tellsOfConnection(_ octets: [UInt8]) -> Bool {
    octets.indices.contains { start in
      octets[start...].starts(with: [H4PacketType.event.rawValue, EventCode.leMeta.rawValue])
        && start + 3 < octets.count && [0x01, 0x0A].contains(octets[start + 3])
    }
  }

  /// Returns whether octets for a host are whole packets, one after another, by their types and lengths.
  private static func isMadeOfPackets(_ octets: [UInt8]) -> Bool {
    var rest = octets[...]
    while let type = rest.first {
      let lengthPlace = rest.startIndex + (type == H4PacketType.event.rawValue ? 2 : 3)
      guard type == H4PacketType.event.rawValue || type == H4PacketType.acl.rawValue, lengthPlace + 1 < octets.count
      else { return false }
      let total =
        type == H4PacketType.event.rawValue
        ? 3 + Int(octets[lengthPlace]) : 5 + Int(octets[lengthPlace]) + Int(octets[lengthPlace + 1]) << 8
      guard total <= rest.count else { return false }
      rest = rest.dropFirst(total)
    }
    return true
  }

  /// Applies the fault to the octets; returns their delay.
  private func garble(_ octets: inout [UInt8], _ fault: LineFault) -> Duration? {
    let place = Int(random.upTo(UInt64(octets.count - 1)))
    let count = 1 + Int(random.upTo(3))
    switch fault {
    case .drop: octets.removeSubrange(place..<min(octets.count, place + count))
    case .insert: octets.insert(contentsOf: random.lineOctets(count), at: place)
    case .flip: octets[place] ^= 1 << UInt8(random.upTo(7))
    case .delay: return .milliseconds(1 + Int64(random.upTo(400)))
    case .stall: return .milliseconds(2100)
    }
    return nil
  }
}
