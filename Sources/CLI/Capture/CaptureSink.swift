import ArgumentParser
import BLECore
import Capture
import Glibc

/// The file that a capture is converted to.
struct CaptureSink: ~Copyable {
  private let path: String
  private let descriptor: CInt
  private var encoder: CaptureEncoder
  private var buffer = OctetBuffer(minimumCapacity: 1 << 17)
  private var failure: CInt?
  private var leftOut = 0
  private var unremarked = 0

  /// Creates the file, readable by its owner alone, or empties the one that is there.
  init(path: String, format: CaptureFormat) throws {
    self.path = path
    encoder = CaptureEncoder(format)
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    if descriptor < 0 {
      Terminal.error("\(CaptureFailure(path: path, code: errno))")
      throw ExitStatus.inputOutput
    }
    encoder.begin(into: &buffer)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  mutating func append(_ record: CaptureRecord) {
    if !encoder.append(record, into: &buffer) { leftOut += 1 }
    if !encoder.format.keepsRemarks, !record.remarks.isEmpty { unremarked += 1 }
    if buffer.count >= 1 << 16 { flush() }
  }

  /// Writes what waits, and says what went wrong or has no place in the format.
  mutating func end() throws {
    flush()
    if leftOut > 0 {
      Terminal.note("\(leftOut) records cannot be written as \(encoder.format.rawValue) and are left out")
    }
    if unremarked > 0 {
      Terminal.note(
        "the comments and flags of \(unremarked) packets cannot be written as \(encoder.format.rawValue) and are left out"
      )
    }
    guard let failure else { return }
    Terminal.error("\(CaptureFailure(path: path, code: failure))")
    throw ExitStatus.inputOutput
  }

  /// Writes what waits.
  mutating func flush() {
    var written = 0
    while written < buffer.count, failure == nil {
      let count = buffer.withSpan { octets in
        octets.extracting(written...).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      }
      if count > 0 { written += count } else if count == 0 || errno != EINTR { failure = count == 0 ? EIO : errno }
    }
    buffer.removeAll()
  }
}
