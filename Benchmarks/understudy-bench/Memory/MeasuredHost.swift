import AccessoryProfile
import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import Bench
import Faults
import PeripheralHost
import Understudy
import VirtualRadio

/// A host whose commands a virtual controller answers, and whose connections are made up. So only the host uses memory for the connections.
final class MeasuredHost {
  private var stack: HostStack<ProfileRuntime>
  private var out = HostOutput()
  private let air = Air()
  private let controller: ControllerID
  private var deframer = H4Deframer(side: .controller, maximumDataLength: 0xFFFF)
  private var scratch = OctetBuffer(minimumCapacity: 4096)
  private var now = Instant.zero
  private let psm: UInt16
  private let configuration: HostConfiguration

  /// Makes a host that advertises.
  init(_ profile: Profile) throws {
    configuration = profile.hostConfiguration(seed: 0)
    stack = try HostStack(configuration, application: ProfileRuntime(profile: profile))
    psm = stack.publishedChannels.first?.psm.rawValue ?? 0
    controller = air.addController(configuration: .full)
    stack.start(at: now, into: &out)
    hand()
    guard stack.address != nil, psm != 0 else {
      throw StepFailure("the accessory does not advertise, or has no channel")
    }
  }

  /// Connects a central, which exchanges the MTU and subscribes to everything.
  func connect(_ handle: UInt16) throws {
    now += .milliseconds(1)
    receive(
      LEEnhancedConnectionComplete {
        $0.connectionHandle.rawValue = handle
        $0.role = .peripheral
        $0.peerAddressType = .random
        $0.peerAddress = .randomStatic(from: UInt64(handle) + 1)
        $0.interval.rawValue = 24
        $0.supervisionTimeout.rawValue = 500
      }.h4)
    send(ExchangeMTURequest(clientMTU: 517).encodedPDU, channel: 4, on: handle)
    for configuration in stack.server.database.characteristics.compactMap(\.configuration) {
      send(WriteRequest(handle: configuration, value: [3, 0]).encodedPDU, channel: 4, on: handle)
    }
    guard stack.linkStates.contains(where: { $0.handle.rawValue == handle && $0.mtu == 517 }) else {
      throw StepFailure("connection \(handle) was not made")
    }
  }

  /// Lets the central open a channel with its CID `remote`, and send an SDU.
  func openChannel(_ handle: UInt16, remote: UInt16) throws {
    let identifier = UInt8(truncatingIfNeeded: remote)
    send(
      [0x14, identifier, 10, 0] + Self.word(psm) + Self.word(remote) + Self.word(512) + Self.word(247) + Self.word(8),
      channel: 5, on: handle)
    let link = stack.linkStates.first { $0.handle.rawValue == handle }
    guard let channel = link?.channels.first(where: { $0.remote.rawValue == remote }) else {
      throw StepFailure("connection \(handle) has no channel from \(remote)")
    }
    send([4, 0, 1, 2, 3, 4], channel: channel.id.rawValue, on: handle)
  }

  /// Ends the connection.
  func disconnect(_ handle: UInt16) {
    receive(
      HCIDisconnectionComplete {
        $0.connectionHandle.rawValue = handle
        $0.reason = .remoteUserTerminatedConnection
      }.h4)
  }

  // MARK: Faults

  /// Arms faults.
  func arm(_ faults: [Fault]) { stack.arm(faults, of: configuration, at: now) }

  /// Disarms all faults.
  func disarm() { stack.disarm() }

  /// How often faults happened.
  var firedFaults: Int { stack.faultStates.reduce(0) { $0 + $1.fired } }

  /// Returns the handle of a characteristic's value.
  func handle(of characteristic: String) throws -> UInt16 {
    guard let record = stack.server.database.characteristic(named: characteristic) else {
      throw StepFailure("there is no characteristic \(characteristic)")
    }
    return record.value
  }

  /// Lets the client send a PDU again and again, and the controller report each answer as sent. Only the host takes part.
  func exchange(_ pdu: [UInt8], times count: Int, on handle: UInt16) {
    let (packet, sent) = (Self.packet(pdu, channel: 4, on: handle), Self.sent(on: handle))
    for _ in 0..<count {
      stack.receive(packet.span, at: now, into: &out)
      stack.receive(sent.span, at: now, into: &out)
      out.octets.removeAll()
      out.events.removeAll(keepingCapacity: true)
    }
  }

  /// Lets the accessory notify a characteristic again and again, and the controller report each value as sent.
  func notify(_ characteristic: String, times count: Int, on handle: UInt16) throws {
    guard let index = stack.server.database.characteristic(named: characteristic)?.index else {
      throw StepFailure("there is no characteristic \(characteristic)")
    }
    let sent = Self.sent(on: handle)
    for _ in 0..<count {
      try stack.perform(.notify(index), at: now, into: &out)
      stack.receive(sent.span, at: now, into: &out)
      out.octets.removeAll()
      out.events.removeAll(keepingCapacity: true)
    }
  }

  // MARK: Octets

  /// Returns the event with which the controller reports a packet as sent.
  private static func sent(on handle: UInt16) -> [UInt8] {
    HCINumberOfCompletedPackets {
      $0.completed = [CompletedPackets(ConnectionHandle(rawValue: handle), count: 1)]
    }.h4
  }

  private static func word(_ value: UInt16) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8)] }

  private func send(_ payload: [UInt8], channel: UInt16, on handle: UInt16) {
    receive(Self.packet(payload, channel: channel, on: handle))
  }

  private static func packet(_ payload: [UInt8], channel: UInt16, on handle: UInt16) -> [UInt8] {
    let frame = word(UInt16(payload.count)) + word(channel) + payload
    return [H4PacketType.acl.rawValue] + word(handle | 0x2000) + word(UInt16(frame.count)) + frame
  }

  private func receive(_ octets: [UInt8]) {
    stack.receive(octets.span, at: now, into: &out)
    hand()
  }

  /// Gives the host's commands to the controller and the controller's answers to the host, and takes the
  /// host's data, until both are silent.
  private func hand() {
    while true {
      out.events.removeAll(keepingCapacity: true)
      let octets = out.octets.copy()
      out.octets.removeAll()
      var taken: [UInt16] = []
      deframer.push(octets.span) { type, packet in
        switch type {
        case .command:
          scratch.removeAll()
          scratch.append(H4PacketType.command.rawValue)
          scratch.append(packet)
          scratch.withSpan { air.receive($0, from: controller, at: now) }
        case .acl: taken.append((UInt16(packet[0]) | UInt16(packet[1]) << 8) & 0x0FFF)
        default: break
        }
      }
      scratch.removeAll()
      air.drain(controller, into: &scratch)
      for handle in taken {
        HCINumberOfCompletedPackets {
          $0.completed = [CompletedPackets(ConnectionHandle(rawValue: handle), count: 1)]
        }.encodeH4(into: &scratch)
      }
      guard !scratch.isEmpty else { return }
      scratch.withSpan { stack.receive($0, at: now, into: &out) }
    }
  }
}
