import BLECore
import Capture

/// Writing the packets of the screen to a file.
extension ScreenModel {
  /// A file that is to be written.
  package struct Saving {
    /// Its path, as it was typed.
    package let path: String
    /// The format that the path's ending selects.
    package let format: CaptureFormat
    /// What the whole file is.
    package let octets: [UInt8]
    /// What to say once it is written.
    package let success: String
  }

  /// What is to be written since this was asked last.
  package mutating func takeSaving() -> Saving? {
    defer { saving = nil }
    return saving
  }

  /// Prepares a file of the packets that are shown, with their flags and comments, as far as its format keeps them.
  mutating func save() {
    mode = .list
    let path = editedText
    guard !path.isEmpty else { return }
    guard let format = CaptureFormat(path: path) else {
      mode = .file
      return tell("its ending selects the format: .pcapng, .pklg, .btsnoop, .btmon or .pcap")
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
    // The path comes last: it may be longer than the line.
    var success = "\(written) packets are written"
    if leftOut > 0 { success += ", \(leftOut) have no place in the format" }
    if unremarked > 0 { success += ", \(unremarked) without their flags and comments" }
    success += ": \(path)"
    saving = Saving(path: path, format: format, octets: buffer.copy(), success: success)
  }
}
