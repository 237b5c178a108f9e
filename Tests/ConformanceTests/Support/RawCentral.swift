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

/// A central without a host: a test supplies the octets of every frame, and inspects the received ones.
final class RawCentral: RadioParticipant {
  struct Frame: Hashable {
    var at: Instant
    var channel: ChannelID
    var payload: [UInt8]
  }

  let controller: ControllerID
  /// The link; nil when there is none.
  private(set) var link: ConnectionHandle?
  /// The reasons why links have ended.
  private(set) var ends: [ErrorCode] = []
  /// The received frames that have not been inspected.
  var frames: [Frame] = []
  /// The accessory's link-layer parameter requests, which are accepted.
  private(set) var parameterRequests: [LERemoteConnectionParameterRequest] = []
  private let simulation: RadioSimulation
  let address: DeviceAddress
  private var scheduler = ACLScheduler()
  private var recombiner = ACLRecombiner()
  private var deframer = H4Deframer(side: .host)
  private var refusals: [String] = []
  private var out = OctetBuffer()

  /// A central on a new controller.
  init(on simulation: RadioSimulation) throws {
    self.simulation = simulation
    controller = simulation.air.addController(configuration: .full)
    address = .randomStatic(from: 0xAB00 + UInt64(controller.rawValue))
    let configuration = try #require(simulation.air.configuration(of: controller))
    scheduler.configure(
      packetLength: Int(configuration.aclDataLength), packetCount: Int(configuration.aclPacketCount))
    simulation.add(self)
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
    switch (event.code, event.subevent) {
    case (.commandComplete, _):
      guard let answer = try? HCICommandComplete(decoding: parameters) else { break }
      if answer.returnParameters.first != 0 { refusals.append("\(answer.opcode)") }
    case (.commandStatus, _):
      guard let answer = try? HCICommandStatus(decoding: parameters) else { break }
      if answer.status != .success { refusals.append("\(answer.opcode): \(answer.status)") }
    case (.numberOfCompletedPackets, _):
      _ = HCINumberOfCompletedPackets.forEach(in: parameters) { _ = scheduler.completed($0, $1) }
    case (.disconnectionComplete, _):
      guard let end = try? HCIDisconnectionComplete(decoding: parameters) else { break }
      link = nil
      ends.append(end.reason)
      scheduler.disconnect(end.connectionHandle)
    case (.leMeta, .leEnhancedConnectionComplete?):
      guard let made = try? LEEnhancedConnectionComplete(decoding: parameters), made.status == .success else { break }
      link = made.connectionHandle
      recombiner = ACLRecombiner()
      scheduler.connect(made.connectionHandle)
    case (.leMeta, .leRemoteConnectionParameterRequest?):
      guard let request = try? LERemoteConnectionParameterRequest(decoding: parameters) else { break }
      parameterRequests.append(request)
      let reply = LERemoteConnectionParameterRequestReply {
        $0.connectionHandle = request.connectionHandle
        $0.intervalMinimum = request.intervalMinimum
        $0.intervalMaximum = request.intervalMaximum
        $0.maximumLatency = request.maximumLatency
        $0.timeout = request.timeout
      }
      out.append(reply.h4.span)
    default: break
    }
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
    frames.append(Frame(at: now, channel: channel, payload: Array(frame[4...])))
  }

  // MARK: Verbs

  private func command(_ command: some HCICommand) throws {
    out.append(command.h4.span)
    simulation.exchange()
    try #require(refusals == [])
  }

  /// Resets its controller and connects to the accessory.
  func connect() throws {
    try command(HCIReset())
    try command(HCISetEventMask { $0.eventMask = EventMask(rawValue: .max) })
    try command(LESetEventMask { $0.eventMask = LEEventMask(rawValue: .max) })
    try command(LESetRandomAddress { $0.address = address })
    try command(
      LECreateConnection {
        $0.peerAddressType = .random
        $0.peerAddress = Specimen.address
        $0.ownAddressType = .random
        $0.intervalMinimum.rawValue = 24
        $0.intervalMaximum.rawValue = 24
        $0.supervisionTimeout.rawValue = 400
      })
    let isConnected = simulation.run(until: { link != nil })
    try #require(isConnected, "no connection")
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

/// The accessory and a central without a host, connected.
struct RawScene {
  let simulation = RadioSimulation()
  let accessory: SpecimenAccessory
  let central: RawCentral

  init(
    _ configuration: HostConfiguration = Specimen.configuration(), on controller: ControllerConfiguration = .underTest
  ) throws {
    accessory = try simulation.addSpecimen(configuration, on: controller)
    central = try RawCentral(on: simulation)
    try central.connect()
  }

  /// Returns the value of a characteristic, regardless of permissions.
  func value(_ index: CharacteristicIndex) -> [UInt8]? { accessory.stack.value(of: index, at: simulation.now) }

  /// The accessory's name for the link.
  var link: ConnectionHandle {
    get throws { try #require(accessory.stack.linkStates.first?.handle) }
  }
}
