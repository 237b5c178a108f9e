import BLECore
import Glibc
import Testing
import Transport

/// A real pseudo-terminal between a host and its controller, in virtual time: octets written on one side are read on the
/// other before time advances, unless reading is stopped there.
final class TerminalCarrier {
  /// One of the two directions.
  private struct Way {
    var isHeld = false
    /// The number of octets that were written and not read.
    var underWay = 0
    var largestQueue = 0
  }

  private let terminal: PseudoTerminal
  private let serial: Line
  private var toHost = Way()
  private var toController = Way()

  /// Creates a terminal that the host has opened as a serial port.
  init() throws {
    terminal = try PseudoTerminal.open()
    serial = try Line.openSerial(SerialSettings(path: terminal.devicePath))
  }

  /// The maximum number of octets that a line had to queue because the kernel accepted no more.
  func largestQueue(towardsHost: Bool) -> Int { towardsHost ? toHost.largestQueue : toController.largestQueue }

  /// Stops or resumes reading at the end of that direction.
  func setHeld(_ isHeld: Bool, towardsHost: Bool) {
    if towardsHost { toHost.isHeld = isHeld } else { toController.isHeld = isHeld }
  }

  /// Writes octets, and reads what arrives of them and of earlier ones.
  func carry(_ octets: [UInt8], towardsHost: Bool) -> [UInt8] {
    if towardsHost {
      Self.carry(octets, from: terminal.line, to: serial, &toHost)
    } else {
      Self.carry(octets, from: serial, to: terminal.line, &toController)
    }
  }

  private static func carry(_ octets: [UInt8], from writer: Line, to reader: Line, _ way: inout Way) -> [UInt8] {
    if !octets.isEmpty {
      switch writer.write(octets.span) {
      case .sent: #expect(!writer.hasPending)
      case .queued(let count): way.largestQueue = max(way.largestQueue, count)
      case let outcome: Issue.record("the terminal takes no octets: \(outcome)")
      }
    }
    way.underWay += octets.count
    guard !way.isHeld else { return [] }
    var received = OctetBuffer()
    while received.count < way.underWay {
      if writer.hasPending { _ = writer.flush() }
      switch reader.read(into: &received) {
      case .octets: break
      case .wouldBlock:
        var entry = pollfd(fd: reader.descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, 10_000) == 1 else {
          Issue.record("\(way.underWay - received.count) octets were lost")
          return received.copy()
        }
      case let outcome:
        Issue.record("the terminal gives no octets: \(outcome)")
        return received.copy()
      }
    }
    #expect(received.count == way.underWay)
    way.underWay = 0
    return received.copy()
  }
}
