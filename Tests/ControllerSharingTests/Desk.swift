import BLECore
import BLEHCI
import ControllerSharing

/// A shared controller; the test acts as its hosts and as its controller.
final class Desk {
  var shared: SharedController
  var now = Instant.zero
  private var line = OctetBuffer()
  private var deframer = H4Deframer(side: .controller)

  init(setsNeeded: [Int] = [1, 1]) { shared = SharedController(advertisingSetsNeeded: setsNeeded) }

  // MARK: Hosts

  func host(_ seat: Int, _ octets: [UInt8]) { shared.receive(octets.span, from: seat, at: now, into: &line) }

  func host(_ seat: Int, _ command: some HCICommand) { host(seat, command.h4) }

  func leave(_ seat: Int) { shared.leave(seat, at: now, into: &line) }

  /// Returns the packets for a host, one by one.
  func heard(_ seat: Int) -> [[UInt8]] {
    var packets: [[UInt8]] = []
    var deframer = H4Deframer(side: .host)
    deframer.push(shared.takeOctets(for: seat).span) { type, packet in packets.append(type, packet) }
    return packets
  }

  // MARK: Controller

  func controller(_ octets: [UInt8]) { shared.receive(octets.span, at: now, into: &line) }

  func controller(_ event: some HCIEvent) { controller(event.h4) }

  /// Returns the packets for the controller, one by one.
  func sent() -> [[UInt8]] {
    var packets: [[UInt8]] = []
    let octets = line.copy()
    line.removeAll()
    deframer.push(octets.span) { type, packet in packets.append(type, packet) }
    return packets
  }

  /// Returns all octets for the controller, as they arrived.
  func sentOctets() -> [UInt8] {
    defer { line.removeAll() }
    return line.copy()
  }

  /// Answers the command that has arrived with success and these further return parameters; returns the commands that follow.
  @discardableResult
  func succeed(_ returned: [UInt8] = []) -> [[UInt8]] {
    let commands = sent()
    for command in commands where command.first == H4PacketType.command.rawValue {
      controller(
        HCICommandComplete {
          $0.opcode = CommandOpcode(rawValue: UInt16(command[1]) | UInt16(command[2]) << 8)
          $0.returnParameters = [0] + returned
        })
    }
    return commands
  }

  /// Answers all commands with success until there are none; returns them.
  @discardableResult
  func succeedAll() -> [[UInt8]] {
    var all: [[UInt8]] = []
    while case let commands = succeed(), !commands.isEmpty { all += commands }
    return all
  }

  func advance(_ duration: Duration) {
    let end = now + duration
    while let deadline = shared.nextDeadline, deadline <= end {
      now = max(now, deadline)
      shared.advance(to: now, into: &line)
    }
    now = end
    shared.advance(to: now, into: &line)
  }

  // MARK: Scenes

  /// Returns a desk on which all hosts have reset, know their buffers, and have one set each on the air.
  static func ready(_ hosts: Int = 2, buffers: UInt8 = 4) -> Desk {
    let desk = Desk(setsNeeded: Array(repeating: 1, count: hosts))
    for seat in 0..<hosts {
      desk.host(seat, HCIReset())
      desk.succeedAll()
      desk.host(seat, LEReadBufferSize())
      desk.succeed([27, 0, buffers])
      desk.advertise(seat)
      _ = desk.heard(seat)
    }
    return desk
  }

  /// Makes a host put its set 0 on the air.
  @discardableResult
  func advertise(_ seat: Int) -> [[UInt8]] {
    host(seat, LESetExtendedAdvertisingParameters())
    host(
      seat,
      LESetExtendedAdvertisingEnable {
        $0.enable = true
        $0.sets = [AdvertisingSetActivation(advertisingHandle: 0)]
      })
    return succeedAll()
  }

  static func connected(_ handle: UInt16) -> LEEnhancedConnectionComplete {
    LEEnhancedConnectionComplete {
      $0.connectionHandle.rawValue = handle
      $0.role = .peripheral
    }
  }

  static func terminated(_ set: UInt8, by handle: UInt16) -> LEAdvertisingSetTerminated {
    LEAdvertisingSetTerminated {
      $0.advertisingHandle = set
      $0.connectionHandle.rawValue = handle
    }
  }

  static func ended(_ handle: UInt16) -> HCIDisconnectionComplete {
    HCIDisconnectionComplete {
      $0.connectionHandle.rawValue = handle
      $0.reason = .remoteUserTerminatedConnection
    }
  }

  /// Connects a central to the controller's set with that handle.
  func connect(_ handle: UInt16, by set: UInt8) {
    controller(Self.connected(handle))
    controller(Self.terminated(set, by: handle))
    for seat in shared.seats { _ = heard(seat) }
  }

  static func data(_ handle: UInt16, fromHost: Bool = false, _ octets: [UInt8] = [1, 2, 3]) -> [UInt8] {
    var buffer = OctetBuffer()
    ACLHeader(
      connectionHandle: ConnectionHandle(rawValue: handle), boundary: fromHost ? .firstFromHost : .firstFromController,
      length: octets.count
    ).encodeH4(into: &buffer)
    buffer.append(octets)
    return buffer.copy()
  }
}

extension SupportedCommands {
  /// A mask of all commands.
  static var everything: SupportedCommands {
    var commands = SupportedCommands()
    commands.octets = Array(repeating: 0xFF, count: 64)
    return commands
  }
}

extension [[UInt8]] {
  fileprivate mutating func append(_ type: H4PacketType, _ packet: Span<UInt8>) {
    append([type.rawValue] + packet.withUnsafeBytes { Array<UInt8>($0) })
  }

  /// The opcodes of the commands in the packets.
  var opcodes: [CommandOpcode] {
    compactMap { packet in
      guard packet.count >= 4, packet[0] == H4PacketType.command.rawValue else { return nil }
      return CommandOpcode(rawValue: UInt16(packet[1]) | UInt16(packet[2]) << 8)
    }
  }
}
