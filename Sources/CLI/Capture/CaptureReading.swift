import AccessoryProfile
import ArgumentParser
import BLECore
import Capture
import Decoding
import Understudy

/// Reads captures for commands, and says what is wrong with them as all commands do.
enum CaptureReading {
  /// Calls `body` for each record of a source; what came before the damage of a damaged file has been given when this throws.
  /// `willWait` is called before more octets of the source are waited for.
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
      if case .live(let capture) = source, !capture.isStopped {
        Terminal.note("\(capture.name): no more packets come")
      }
      if decryptor.failed > 0 && decryptor.decrypted > 0 || !keys.isEmpty && decryptor.decrypted == 0 {
        Terminal.note("\(decryptor.decrypted) packets were decrypted, \(decryptor.failed) could not be")
      }
    } catch let failure as CaptureReadFailure {
      // What is under way may end in the middle of a packet.
      if source.isLive, case .format(_, .truncated) = failure {
        return Terminal.note("\(source.name): no more packets come")
      }
      Terminal.error("\(failure)")
      switch failure {
      case .system: throw ExitStatus.noInput
      case .format: throw ExitStatus.invalidCapture
      }
    }
  }

  /// Lets Control-C, SIGTERM and a reader of standard output that has gone end what is under way, and then the command in good order.
  private static func endWithSignals(_ capture: LiveCapture) {
    let stop = StopSignal()
    Task {
      await stop.wait()
      capture.stop()
    }
  }

  /// Values by these formats, and of other types by those that assigned characteristics have.
  static func valueText(_ formats: [BluetoothUUID: ValueFormat]) -> PacketDecoder.ValueText {
    { uuid, octets in
      let format = formats[uuid] ?? ValueFormat.assigned(to: uuid)
      return format == .octets ? nil : format.decode(octets).jsonText
    }
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
