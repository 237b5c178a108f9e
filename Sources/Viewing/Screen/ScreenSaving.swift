import BLECore
import Capture

/// Writing the shown packets to a file.
extension ScreenModel {
  /// A file to write.
  package struct Saving {
    /// Its path, as typed.
    package let path: String
    /// The format that the path's extension selects.
    package let format: CaptureFormat
    /// The content of the whole file.
    package let octets: [UInt8]
    /// The message to show after writing it.
    package let success: String
  }

  /// Returns the file to write, once.
  package mutating func takeSaving() -> Saving? {
    defer { saving = nil }
    return saving
  }

  /// Prepares a file of the shown packets, with their flags and comments if the format supports them.
  mutating func save() {
    mode = .list
    let path = editedText
    guard !path.isEmpty else { return }
    guard let format = CaptureFormat(path: path) else {
      mode = .file
      return tell("the extension selects the format: .pcapng, .pklg, .btsnoop, .btmon or .pcap")
    }
    var encoder = CaptureEncoder(format)
    var buffer = OctetBuffer()
    encoder.begin(into: &buffer)
    var (written, leftOut, unremarked) = (0, 0, 0)
    for place in shown {
      let record = entries[place - forgotten].record
      if encoder.append(record, into: &buffer) { written += 1 } else { leftOut += 1 }
      if !format.keepsRemarks, !record.remarks.isEmpty { unremarked += 1 }
    }
    // The path comes last, because it may be longer than the line.
    var success = "\(written) packets are written"
    if leftOut > 0 { success += ", \(leftOut) cannot be stored in this format" }
    if unremarked > 0 { success += ", \(unremarked) without their flags and comments" }
    success += ": \(path)"
    saving = Saving(path: path, format: format, octets: buffer.copy(), success: success)
  }
}
