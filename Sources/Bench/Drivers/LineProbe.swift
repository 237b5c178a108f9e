import BLECore
import BLEHCI

/// Measures how many bits a line to a controller carries in a second, on any transport: the answer to a long command comes later
/// than the one to a short command by what the line needs for the octets between them.
///
/// As the hosts, it has no input or output of its own. It resets the controller, and leaves nothing else behind.
public struct LineProbe: Sendable {
  /// Whether it is done, with or without a rate.
  public private(set) var isDone = false
  /// When `advance` gives up.
  public private(set) var nextDeadline: Instant?
  private var deframer = H4Deframer(side: .host)
  private var round = 0
  private var asked: (opcode: CommandOpcode, at: Instant)?
  private var shortest: [CommandOpcode: Duration] = [:]

  /// A probe that has not begun.
  public init() {}

  // Commands for BR/EDR, which most LE controllers do not know: both are answered by an event of the same length, by those who
  // know them too (Core 5.4 Vol 4 Part E 7.3.11, 7.3.79).
  private static let short = (opcode: CommandOpcode.writeLEHostSupport, length: 2)
  private static let long = (opcode: CommandOpcode.writeLocalName, length: 248)
  private static let rounds = 16
  private static let patience = Duration.seconds(1)
  /// A shorter difference is the machine's doing: such a line bounds nothing.
  private static let resolution = Duration.microseconds(100)
  /// One octet on a UART: a start bit, eight data bits, a stop bit.
  static let bitsPerOctet = 10

  /// The rate, in bits per second as a UART counts them; nil where the line is too fast to be measured, or did not answer.
  public var bitsPerSecond: Int? {
    guard isDone, let short = shortest[Self.short.opcode], let long = shortest[Self.long.opcode],
      long - short >= Self.resolution
    else { return nil }
    let bits = (Self.long.length - Self.short.length) * Self.bitsPerOctet
    return Int((Double(bits) / (long - short).inSeconds).rounded())
  }

  /// Begins.
  public mutating func start(at now: Instant, into out: inout OctetBuffer) { send(.reset, 0, at: now, into: &out) }

  /// Takes octets from the controller.
  public mutating func receive(_ octets: Span<UInt8>, at now: Instant, into out: inout OctetBuffer) {
    var answered: [CommandOpcode] = []
    deframer.push(octets) { type, packet in
      guard type == .event, let event = try? EventPacket(packet) else { return }
      let parameters = packet.extracting(event.parameters)
      if event.code == .commandComplete, let answer = try? HCICommandComplete(decoding: parameters) {
        answered.append(answer.opcode)
      } else if event.code == .commandStatus, let answer = try? HCICommandStatus(decoding: parameters) {
        answered.append(answer.opcode)
      }
    }
    for opcode in answered where opcode == asked?.opcode { goOn(at: now, into: &out) }
  }

  /// Gives up on a line that does not answer.
  public mutating func advance(to now: Instant) {
    guard let deadline = nextDeadline, deadline <= now else { return }
    end()
  }

  private mutating func goOn(at now: Instant, into out: inout OctetBuffer) {
    if let asked { shortest[asked.opcode] = min(shortest[asked.opcode] ?? now - asked.at, now - asked.at) }
    guard round < Self.rounds else { return end() }
    let command = round.isMultiple(of: 2) ? Self.short : Self.long
    round += 1
    send(command.opcode, command.length, at: now, into: &out)
  }

  private mutating func send(_ opcode: CommandOpcode, _ length: Int, at now: Instant, into out: inout OctetBuffer) {
    out.append(H4PacketType.command.rawValue)
    out.append(littleEndian: opcode.rawValue)
    out.append(UInt8(length))
    for _ in 0..<length { out.append(0) }
    asked = (opcode, now)
    nextDeadline = now + Self.patience
  }

  private mutating func end() {
    isDone = true
    asked = nil
    nextDeadline = nil
  }
}
