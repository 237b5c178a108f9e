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
    of file: String, _ decoder: inout PacketDecoder, keys: [[UInt8]] = [],
    _ body: (PacketSummary, CaptureRecord, borrowing PacketDecoder) throws -> Void
  ) throws {
    do {
      var reader = try CaptureFileReader(opening: file)
      var record = CaptureRecord()
      var decryptor = keys.isEmpty ? nil : LinkDecryptor(keys: keys)
      while try reader.next(into: &record) {
        decryptor?.decrypt(&record)
        try body(decoder.receive(record), record, decoder)
      }
      if let decryptor, decryptor.failed > 0 || decryptor.decrypted == 0 {
        Terminal.note("\(decryptor.decrypted) packets were decrypted, \(decryptor.failed) could not be")
      }
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
