import BLEATT
import BLECore
import BLEHCI
import Capture

/// The log level of a packet or message.
package enum PacketLevel: Int, Hashable, Sendable, CaseIterable, Comparable {
  /// Repetitive packets with little information: acknowledged packets, fragments, empty data, advertising, and queries whose refusal is the
  /// answer.
  case debug
  /// Normal packets.
  case info
  /// A refusal or an early end.
  case warning
  /// A failure.
  case error

  /// Its name in filters and on the command line.
  package var name: String {
    switch self {
    case .debug: "debug"
    case .info: "info"
    case .warning: "warning"
    case .error: "error"
    }
  }

  /// Creates the level with this name.
  package init?(name: String) {
    guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = level
  }

  /// Creates the level of a syslog priority (RFC 5424 6.2.1), as in Linux logs.
  init(syslogPriority priority: UInt8) {
    switch priority {
    case 0...3: self = .error
    case 4: self = .warning
    case 5, 6: self = .info
    default: self = .debug
    }
  }

  package static func < (left: PacketLevel, right: PacketLevel) -> Bool { left.rawValue < right.rawValue }
}

extension PacketSummary {
  /// Returns the log level of the packet.
  package func level(in record: CaptureRecord) -> PacketLevel {
    if case .message(let kind) = record.content {
      if let priority = record.priority { return PacketLevel(syslogPriority: priority) }
      return kind == .error ? .error : .info
    }
    if fault != nil { return .error }
    switch layer {
    case .acl, .linkData, .advertising, .sco: return .debug
    case .avdtp where opcode == ClassicOpcode.media: return .debug
    case .sdp, .avdtp, .avctp: return isRefusal ? .warning : .info
    case .att where opcode == UInt16(ATTOpcode.errorResponse.rawValue):
      // This error marks the end of a discovery (Core 5.4 Vol 3 Part F 3.4.3).
      return status == 0x0A ? .info : .warning
    case .smp where opcode == 0x05: return .warning
    case .event: return eventLevel(record.octets)
    default: return .info
    }
  }

  private func eventLevel(_ octets: [UInt8]) -> PacketLevel {
    if opcode >> 8 == 0x3E {
      let subevent = LESubevent(rawValue: UInt8(truncatingIfNeeded: opcode))
      switch subevent {
      case .leAdvertisingReport, .leExtendedAdvertisingReport, .leDirectedAdvertisingReport: return .debug
      default: return isRefusal ? .warning : .info
      }
    }
    switch EventCode(rawValue: UInt8(truncatingIfNeeded: opcode)) {
    case .numberOfCompletedPackets: return .debug
    case .hardwareError: return .error
    case .commandComplete, .commandStatus:
      return status == ErrorCode.commandDisallowed.rawValue ? .debug : isRefusal ? .warning : .info
    case .disconnectionComplete:
      // A user or this side has ended it (Core 5.4 Vol 1 Part F 2.19, 2.22).
      return octets.count >= 7 && [0x13, 0x16].contains(octets[6]) ? .info : .warning
    default: return isRefusal ? .warning : .info
    }
  }

  private var isRefusal: Bool { status.map { $0 != 0 } ?? false }
}
