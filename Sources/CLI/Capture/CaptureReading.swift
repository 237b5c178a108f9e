import AccessoryProfile
import ArgumentParser
import BLECore
import Capture
import Decoding
import Understudy

/// Reads captures for commands, and says what is wrong with them as all commands do.
enum CaptureReading {
  /// Calls `body` for each record of a file; what came before the damage of a damaged file has been given when this throws.
  static func forEachRecord(
    of file: String, _ decoder: inout PacketDecoder,
    _ body: (PacketSummary, CaptureRecord, borrowing PacketDecoder) throws -> Void
  ) throws {
    do {
      var reader = try CaptureFileReader(opening: file)
      var record = CaptureRecord()
      while try reader.next(into: &record) { try body(decoder.receive(record), record, decoder) }
    } catch let failure as CaptureReadFailure {
      Terminal.error("\(failure)")
      switch failure {
      case .system: throw ExitStatus.noInput
      case .format: throw ExitStatus.invalidCapture
      }
    }
  }

  /// Values by the formats that assigned characteristics have.
  static let valueText: PacketDecoder.ValueText = { uuid, octets in
    let format = ValueFormat.assigned(to: uuid)
    return format == .octets ? nil : format.decode(octets).jsonText
  }

  /// A filter out of an option's text.
  static func filter(_ text: String?, option: String = "--filter") throws -> PacketFilter? {
    guard let text else { return nil }
    do throws(FilterFault) {
      return try PacketFilter(text)
    } catch {
      let mark = String(repeating: " ", count: error.column - 1) + "^"
      throw ValidationError("\(option), column \(error.column): \(error)\n  \(text)\n  \(mark)")
    }
  }
}
