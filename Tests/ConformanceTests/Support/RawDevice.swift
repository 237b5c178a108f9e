import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import PeripheralHost
import Simulation
import TestPreset
import Testing
import VirtualRadio

/// A device without a host: a test supplies the octets of every frame, and inspects the received ones.
class RawDevice: RadioParticipant {
  struct Frame: Hashable {
    var at: Instant
    var link: ConnectionHandle
    var channel: ChannelID
    var payload: [UInt8]
  }

  let controller: ControllerID
  let simulation: RadioSimulation
  /// The link; nil when there is none.
  private(set) var link: ConnectionHandle?
  /// The reasons why links have ended.
  private(set) var ends: [ErrorCode] = []
  /// The received frames that have not been inspected.
  var frames: [Frame] = []
  private var scheduler = ACLScheduler()
  private var recombiner = ACLRecombiner()
  private var deframer = H4Deframer(side: .host)
  private var refusals: [String] = []
  var out = OctetBuffer()

  /// A device on a controller with buffers for so many packets of so many octets.
  init(on simulation: RadioSimulation, _ controller: ControllerID, packetLength: Int, packetCount: Int) {
    self.simulation = simulation
    self.controller = controller
    scheduler.configure(packetLength: packetLength, packetCount: packetCount)
  }

  // MARK: Participant

  var nextDeadline: Instant? { nil }

  func advance(to now: Instant) {}

  func drain(into buffer: inout OctetBuffer) {
    scheduler.drain(into: &out)
    out.withSpan { buffer.append($0) }
    out.removeAll()
  }

  func receive(_ octets: Span<UInt8>, at now: Instant) {
    deframer.push(octets) { type, packet in
      switch type {
      case .event: take(event: packet)
      case .acl: take(data: packet, at: now)
      default: break
      }
    }
  }

  private func take(event packet: Span<UInt8>) {
    guard let event = try? EventPacket(packet) else { return }
    let parameters = packet.extracting(event.parameters)
    switch event.code {
    case .commandComplete:
      guard let answer = try? HCICommandComplete(decoding: parameters) else { break }
      if answer.returnParameters.first != 0 { refusals.append("\(answer.opcode)") }
    case .commandStatus:
      guard let answer = try? HCICommandStatus(decoding: parameters) else { break }
      if answer.status != .success { refusals.append("\(answer.opcode): \(answer.status)") }
    case .numberOfCompletedPackets:
      _ = HCINumberOfCompletedPackets.forEach(in: parameters) { _ = scheduler.completed($0, $1) }
    case .disconnectionComplete:
      guard let end = try? HCIDisconnectionComplete(decoding: parameters) else { break }
      if link == end.connectionHandle { link = nil }
      ends.append(end.reason)
      scheduler.disconnect(end.connectionHandle)
    default: take(event, parameters)
    }
  }

  /// Handles an event that not every device has.
  func take(_ event: EventPacket, _ parameters: Span<UInt8>) {}

  /// Notes a link, on which frames are sent from now on.
  func connected(_ handle: ConnectionHandle) {
    link = handle
    recombiner = ACLRecombiner()
    scheduler.connect(handle)
  }

  private func take(data packet: Span<UInt8>, at now: Instant) {
    guard let header = try? ACLHeader(packet) else { return }
    let data = packet.extracting(ACLHeader.size...)
    let frame: [UInt8]
    switch recombiner.accept(header.boundary, data).pdu {
    case .none: return
    case .whole: frame = data.withUnsafeBytes { Array($0) }
    case .assembled(let assembled): frame = assembled
    }
    let channel = ChannelID(rawValue: UInt16(frame[2]) | UInt16(frame[3]) << 8)
    frames.append(Frame(at: now, link: header.connectionHandle, channel: channel, payload: Array(frame[4...])))
  }

  // MARK: Verbs

  func command(_ command: some HCICommand) throws {
    out.append(command.h4.span)
    simulation.exchange()
    try #require(refusals == [])
  }

  /// Sends a frame.
  func send(_ payload: [UInt8], on channel: ChannelID) throws {
    let link = try #require(link)
    let count = UInt16(payload.count)
    let frame =
      [UInt8(count & 0xFF), UInt8(count >> 8), UInt8(channel.rawValue & 0xFF), UInt8(channel.rawValue >> 8)] + payload
    scheduler.send(frame.span, on: link, into: &out)
    simulation.exchange()
  }

  /// Sends an ACL packet with the first or a further part of a frame, whatever there is in it, on the link or another one.
  func sendFragment(_ octets: [UInt8], isFirst: Bool, on other: ConnectionHandle? = nil) throws {
    let link = try #require(other ?? link)
    ACLHeader(connectionHandle: link, boundary: isFirst ? .firstFromHost : .continuing, length: octets.count)
      .encodeH4(into: &out)
    out.append(octets)
    simulation.exchange()
  }

  /// Sends a frame whose octets are given in hexadecimal.
  func send(_ payload: String, on channel: ChannelID = .attributeProtocol) throws {
    try send(try #require([UInt8](hexadecimal: payload), "\(payload)"), on: channel)
  }

  /// Returns the next frame that arrives on a channel within 2 s, in hexadecimal; nil if there is none.
  func next(on channel: ChannelID = .attributeProtocol) -> String? {
    simulation.run(until: { frames.contains { $0.channel == channel } }, limit: .seconds(2))
    guard let place = frames.firstIndex(where: { $0.channel == channel }) else { return nil }
    return frames.remove(at: place).payload.hexadecimal
  }

  /// Sends a frame, and expects that the next one on that channel is the answer; nil expects none. Octets are
  /// hexadecimal.
  func exchange(
    _ payload: String, _ answer: String?, on channel: ChannelID = .attributeProtocol,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try send(payload, on: channel)
    let expected = try answer.map { try #require([UInt8](hexadecimal: $0), "\($0)").hexadecimal }
    #expect(next(on: channel) == expected, "\(payload)", sourceLocation: sourceLocation)
  }
}
