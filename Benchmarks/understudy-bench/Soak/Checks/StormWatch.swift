import BLECore
import Simulation
import VirtualRadio

/// A participant between a host and the air that counts how often the host is woken. So a host whose
/// deadlines never pass is found, and does not hold up the soak.
final class StormWatch: RadioParticipant {
  /// The most often that any host may be woken in one instant, and in one second.
  private static let instantLimit = 2000
  private static let secondLimit = 20_000

  /// Whether the host was stopped because it was woken too often.
  private(set) var isStorm = false
  /// How often one of its own deadlines has woken it.
  private(set) var wakes = 0
  private let host: any RadioParticipant
  private var instant = Instant.zero
  private var inInstant = 0
  private var second = Instant.zero
  private var inSecond = 0

  init(_ host: any RadioParticipant) { self.host = host }

  var controller: ControllerID { host.controller }

  var nextDeadline: Instant? { isStorm ? nil : host.nextDeadline }

  func receive(_ octets: Span<UInt8>, at now: Instant) {
    note(now)
    if !isStorm { host.receive(octets, at: now) }
  }

  func advance(to now: Instant) {
    wakes += 1
    note(now)
    if !isStorm { host.advance(to: now) }
  }

  func drain(into buffer: inout OctetBuffer) { if !isStorm { host.drain(into: &buffer) } }

  private func note(_ now: Instant) {
    if now != instant { (instant, inInstant) = (now, 0) }
    if now - second > .seconds(1) { (second, inSecond) = (now, 0) }
    inInstant += 1
    inSecond += 1
    if inInstant > Self.instantLimit || inSecond > Self.secondLimit { isStorm = true }
  }
}
