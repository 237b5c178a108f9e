import AccessoryProfile
import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import PeripheralHost
import Understudy
import VirtualRadio

/// A host whose commands a virtual controller answers, and whose connections are made up: nothing but the host has memory for
/// them.
final class MeasuredHost {
  private var stack: HostStack<ProfileRuntime>
  private var out = HostOutput()
  private let air = Air()
  private let controller: ControllerID
  private var deframer = H4Deframer(side: .controller, maximumDataLength: 0xFFFF)
  private var scratch = OctetBuffer(minimumCapacity: 4096)
  private var now = Instant.zero
  private let psm: UInt16

  /// A host that is on the air.
  init(_ profile: Profile) throws {
    stack = try HostStack(
      profile.hostConfiguration(seed: 0), application: ProfileRuntime(profile: profile))
    psm = stack.publishedChannels.first?.psm.rawValue ?? 0
    controller = air.addController(configuration: .full)
    stack.start(at: now, into: &out)
    hand()
    guard stack.address != nil, psm != 0 else {
      throw StepFailure("the accessory is not on the air, or has no channel")
    }
  }

  /// A central connects, exchanges the MTU, and subscribes to all there is.
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

  /// The central opens a channel from its end `remote`, and sends an SDU.
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

  /// The connection ends.
  func disconnect(_ handle: UInt16) {
    receive(
      HCIDisconnectionComplete {
        $0.connectionHandle.rawValue = handle
        $0.reason = .remoteUserTerminatedConnection
      }.h4)
  }

  // MARK: Octets

  private static func word(_ value: UInt16) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8)] }

  private func send(_ payload: [UInt8], channel: UInt16, on handle: UInt16) {
    let frame = Self.word(UInt16(payload.count)) + Self.word(channel) + payload
    receive([H4PacketType.acl.rawValue] + Self.word(handle | 0x2000) + Self.word(UInt16(frame.count)) + frame)
  }

  private func receive(_ octets: [UInt8]) {
    stack.receive(octets.span, at: now, into: &out)
    hand()
  }

  /// Hands commands to the controller and its answers to the host, and takes data, until both are quiet.
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
