/// A format of capture files.
package enum CaptureFormat: String, Hashable, Sendable, CaseIterable {
  /// btsnoop with HCI packets.
  case btsnoop
  /// btsnoop as btmon writes it: all controllers of a Linux host, and what it says of them.
  case monitor
  /// pcapng.
  case pcapng
  /// pcap, the format before pcapng.
  case pcap
  /// Apple's PacketLogger.
  case packetLogger = "pklg"

  /// Whether it keeps comments on packets, and flags.
  package var keepsRemarks: Bool { self == .pcapng || self == .packetLogger }

  /// The format that a file's name asks for by its ending.
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

/// Why octets cannot be read as a capture file. Offsets count from the beginning of the file.
package enum CaptureFault: Error, Hashable, Sendable {
  /// The octets begin as no format that is known here does.
  case unknownFormat
  /// The file is of another version of its format.
  case version(CaptureFormat, UInt32)
  /// The file holds packets of a kind that is not known here.
  case dataLink(CaptureFormat, UInt32)
  /// The file ends inside the record that begins at `offset`.
  case truncated(offset: UInt64)
  /// The record that begins at `offset` says what cannot be.
  case corrupt(offset: UInt64)
}

extension CaptureFault: CustomStringConvertible {
  /// What is wrong, in words.
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
