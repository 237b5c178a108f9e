import BLECore
import Capture

/// The file that a capture is converted to.
struct CaptureSink: ~Copyable {
  private var file: OutputFile
  private var encoder: CaptureEncoder
  private var buffer = OctetBuffer(minimumCapacity: 1 << 17)
  private var failure: CaptureFailure?
  private var leftOut = 0
  private var unremarked = 0

  /// Creates the file. An existing one is replaced when the new one is complete. For a live source, the file
  /// is written in place, so that others can read it meanwhile. The file that is being read is refused.
  static func create(_ path: String, _ format: CaptureFormat, source: CaptureSource) throws -> CaptureSink {
    try source.refuseOutput(path, "--convert")
    do throws(CaptureFailure) {
      return CaptureSink(try OutputFile(creating: path, inPlace: source.isLive), CaptureEncoder(format))
    } catch {
      Terminal.error("\(error)")
      throw ExitStatus.inputOutput
    }
  }

  private init(_ file: consuming OutputFile, _ encoder: CaptureEncoder) {
    self.file = file
    self.encoder = encoder
    encoder.begin(into: &buffer)
  }

  mutating func append(_ record: CaptureRecord) {
    if !encoder.append(record, into: &buffer) { leftOut += 1 }
    if !encoder.format.keepsRemarks, !record.remarks.isEmpty { unremarked += 1 }
    if buffer.count >= 1 << 16 { flush() }
  }

  /// Writes what is pending, and reports errors and what the format cannot represent.
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
    do throws(CaptureFailure) {
      if let failure { throw failure }
      try file.finish()
    } catch {
      Terminal.error("\(error)")
      throw ExitStatus.inputOutput
    }
  }

  /// Writes what is pending.
  mutating func flush() {
    if failure == nil {
      do throws(CaptureFailure) { try file.write(buffer.copy().span) } catch { failure = error }
    }
    buffer.removeAll()
  }
}
