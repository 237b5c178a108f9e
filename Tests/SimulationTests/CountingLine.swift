import BLECore
import BLEHCI
import Simulation
import VirtualRadio

/// Stands between a host and its controller and counts the data packets in the buffers of either (Core 5.4 Vol 4 Part E 4.1,
/// 4.2), using only the packets between the two.
final class CountingLine: RadioParticipant {
  /// The violations of the specification.
  private(set) var violations: [String] = []
  /// The limits: the number and length of the controller's packets, and the number of the host's; nil without flow control.
  private(set) var controllerCount = 0
  private(set) var packetLength = 0
  private(set) var hostCount: Int?
  /// The maximum number of packets in the controller's buffers, and in the host's.
  private(set) var mostAtController = 0
  private(set) var mostAtHost = 0
  /// The number of packets in each direction, and of commands that returned host buffers.
  private(set) var toController = 0
  private(set) var toHost = 0
  private(set) var commands = 0

  private let host: any RadioParticipant
  private var fromHost = H4Deframer(side: .controller)
  private var fromController = H4Deframer(side: .host)
  private var atController: [ConnectionHandle: Int] = [:]
  private var atHost: [ConnectionHandle: Int] = [:]
  private var announced = 0

  /// Creates a line before `host`, on the air of `simulation`. Create it before the host starts.
  init(before host: any RadioParticipant, of simulation: RadioSimulation) {
    self.host = host
    simulation.interpose(self, before: host)
  }

  var controller: ControllerID { host.controller }
  var nextDeadline: Instant? { host.nextDeadline }
  func advance(to now: Instant) { host.advance(to: now) }

  func receive(_ octets: Span<UInt8>, at now: Instant) {
    fromController.push(octets) { type, packet in
      if type == .event { takeEvent(packet) } else { takeDataForHost(packet) }
    }
    host.receive(octets, at: now)
  }

  func drain(into buffer: inout OctetBuffer) {
    let start = buffer.count
    host.drain(into: &buffer)
    fromHost.push(buffer.copy(from: start).span) { type, packet in
      if type == .command { takeCommand(packet) } else { takeDataForController(packet) }
    }
  }

  private func total(_ counts: [ConnectionHandle: Int]) -> Int { counts.values.reduce(0, +) }

  private func takeDataForHost(_ packet: Span<UInt8>) {
    guard let header = try? ACLHeader(packet) else { return violations.append("data without a head for the host") }
    toHost += 1
    guard let hostCount else { return }
    atHost[header.connectionHandle, default: 0] += 1
    mostAtHost = max(mostAtHost, total(atHost))
    if total(atHost) > hostCount { violations.append("\(total(atHost)) packets at the host") }
  }

  private func takeDataForController(_ packet: Span<UInt8>) {
    guard let header = try? ACLHeader(packet) else { return violations.append("data without a head") }
    toController += 1
    if header.length > packetLength { violations.append("\(header.length) octets in a packet") }
    atController[header.connectionHandle, default: 0] += 1
    mostAtController = max(mostAtController, total(atController))
    if total(atController) > controllerCount { violations.append("\(total(atController)) packets at the controller") }
  }

  private func takeCommand(_ packet: Span<UInt8>) {
    guard let command = try? CommandPacket(packet) else { return violations.append("no command") }
    let parameters = packet.extracting(command.parameters)
    switch command.opcode {
    case .reset: (atController, atHost, hostCount) = ([:], [:], nil)
    case .hostBufferSize:
      announced = Int((try? HCIHostBufferSize(decoding: parameters))?.totalACLDataPackets ?? 0)
    case .setControllerToHostFlowControl: hostCount = announced
    case .hostNumberOfCompletedPackets:
      commands += 1
      for entry in (try? HCIHostNumberOfCompletedPackets(decoding: parameters))?.completed ?? [] {
        give(back: entry, to: &atHost, "the host")
      }
    default: break
    }
  }

  private func takeEvent(_ packet: Span<UInt8>) {
    guard let event = try? EventPacket(packet) else { return violations.append("no event") }
    let parameters = packet.extracting(event.parameters)
    switch event.code {
    case .numberOfCompletedPackets:
      for entry in (try? HCINumberOfCompletedPackets(decoding: parameters))?.completed ?? [] {
        give(back: entry, to: &atController, "the controller")
      }
    case .disconnectionComplete:
      guard let ended = try? HCIDisconnectionComplete(decoding: parameters) else { return }
      (atController[ended.connectionHandle], atHost[ended.connectionHandle]) = (nil, nil)
    case .commandComplete: learn(parameters)
    default: break
    }
  }

  private func learn(_ parameters: Span<UInt8>) {
    guard let answer = try? HCICommandComplete(decoding: parameters), let status = answer.returnParameters.first else {
      return
    }
    switch answer.opcode {
    case .leReadBufferSize:
      guard let sizes = try? LEReadBufferSize.returned(answer.returnParameters.span) else { return }
      (packetLength, controllerCount) = (Int(sizes.aclDataPacketLength), Int(sizes.totalACLDataPackets))
    case .leReadBufferSizeV2:
      guard let sizes = try? LEReadBufferSizeV2.returned(answer.returnParameters.span) else { return }
      (packetLength, controllerCount) = (Int(sizes.aclDataPacketLength), Int(sizes.totalACLDataPackets))
    case .setControllerToHostFlowControl where status != ErrorCode.success.rawValue: hostCount = nil
    case .hostNumberOfCompletedPackets: violations.append("refused with \(status)")
    default: break
    }
  }

  private func give(back entry: CompletedPackets, to counts: inout [ConnectionHandle: Int], _ name: String) {
    let rest = (counts[entry.connectionHandle] ?? 0) - Int(entry.count)
    if rest < 0 { violations.append("\(-rest) packets too many given back by \(name)") }
    counts[entry.connectionHandle] = max(0, rest)
  }
}
