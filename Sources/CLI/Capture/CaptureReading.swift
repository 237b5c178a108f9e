import AccessoryProfile
import ArgumentParser
import BLECore
import Capture
import Decoding
import Understudy

/// Reads captures for commands, and reports their errors in the same way for all commands.
enum CaptureReading {
  /// Calls `body` for each record of a source. If the file is damaged, this throws after all records before
  /// the damage. `willWait` is called before waiting for more octets, and before anything is reported on standard error.
  static func forEachRecord(
    of source: CaptureSource, _ decoder: inout PacketDecoder, keys: [[UInt8]] = [], willWait: () -> Void = {},
    _ body: (PacketSummary, CaptureRecord, borrowing PacketDecoder) throws -> Void
  ) throws {
    if case .live(let capture) = source { endWithSignals(capture) }
    source.prepare(&decoder)
    do {
      var reader = try source.open()
      var record = CaptureRecord()
      var decryptor = LinkDecryptor(keys: keys)
      while try reader.next(into: &record, willWait: willWait) {
        decryptor.decrypt(&record)
        try body(decoder.receive(record), record, decoder)
      }
      willWait()
      if case .live(let capture) = source, !capture.isStopped {
        Terminal.note("\(capture.name): no more packets follow")
      }
      if decryptor.failed > 0 && decryptor.decrypted > 0 || !keys.isEmpty && decryptor.decrypted == 0 {
        Terminal.note("\(decryptor.decrypted) packets were decrypted, \(decryptor.failed) could not be")
      }
    } catch let failure as ArchiveFailure {
      Terminal.error(TerminalText(lines: "\(failure)"))
      throw ExitStatus.invalidCapture
    } catch let failure as CaptureReadFailure {
      willWait()
      // A live capture can end in the middle of a packet.
      if source.isLive, case .format(_, .truncated) = failure {
        return Terminal.note("\(source.name): no more packets follow")
      }
      Terminal.error("\(failure)")
      switch failure {
      case .system: throw ExitStatus.noInput
      case .format: throw ExitStatus.invalidCapture
      }
    }
  }

  /// Ends a live capture on Control-C, on SIGTERM, or when the reader of standard output has closed. The
  /// command then ends in an orderly way.
  private static func endWithSignals(_ capture: LiveCapture) {
    let stop = StopSignal()
    Task {
      await stop.wait()
      capture.stop()
    }
  }

  /// Decodes values by these formats, or by those of assigned characteristics.
  static func valueText(_ formats: [BluetoothUUID: ValueFormat]) -> PacketDecoder.ValueText {
    { uuid, octets in
      let format = formats[uuid] ?? ValueFormat.assigned(to: uuid)
      return format == .octets ? nil : format.decode(octets).jsonText
    }
  }

  /// Parses the filter in an option.
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
