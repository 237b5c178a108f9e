/// A format of capture files.
package enum CaptureFormat: String, Hashable, Sendable, CaseIterable {
  /// btsnoop with HCI packets.
  case btsnoop
  /// btsnoop as written by btmon: all controllers of a Linux host, and messages about them.
  case monitor
  /// pcapng.
  case pcapng
  /// pcap, the predecessor of pcapng.
  case pcap
  /// Apple's PacketLogger.
  case packetLogger = "pklg"

  /// Whether it stores comments on packets, and flags.
  package var keepsRemarks: Bool { self == .pcapng || self == .packetLogger }

  /// Creates the format that matches a file name's extension.
  package init?(path: String) {
    guard let dot = path.lastIndex(of: ".") else { return nil }
    switch path[path.index(after: dot)...].lowercased() {
    case "btsnoop", "log", "cfa": self = .btsnoop
    case "btmon", "monitor": self = .monitor
    case "pcapng", "ntar": self = .pcapng
    case "pcap", "cap": self = .pcap
    case "pklg": self = .packetLogger
    default: return nil
    }
  }
}

/// The reason why octets cannot be parsed as a capture file. Offsets are counted from the start of the file.
package enum CaptureFault: Error, Hashable, Sendable {
  /// The octets do not start like any known format.
  case unknownFormat
  /// The file has another version of its format.
  case version(CaptureFormat, UInt32)
  /// The file has packets of an unknown kind.
  case dataLink(CaptureFormat, UInt32)
  /// The file ends inside the record that starts at `offset`.
  case truncated(offset: UInt64)
  /// The record that starts at `offset` is invalid.
  case corrupt(offset: UInt64)
}

extension CaptureFault: CustomStringConvertible {
  /// The fault in words.
  package var description: String {
    switch self {
    case .unknownFormat: "it is not a capture file of a known format (btsnoop, pcapng, pcap, PacketLogger)"
    case .version(let format, let version): "version \(version) of \(format.rawValue) is not supported"
    case .dataLink(let format, let link): "\(format.rawValue) data link \(link) is not a supported Bluetooth link type"
    case .truncated(let offset): "it ends inside the record at octet \(offset)"
    case .corrupt(let offset): "the record at octet \(offset) is damaged"
    }
  }
}
