import AccessoryProfile
import BLECore
import Capture
import Glibc
import Transport

/// The last packets between an accessory and its controller, kept in case that somebody wants them.
extension Accessory {
  /// Why they are saved.
  package enum RingOccasion: String, Sendable {
    /// Somebody wants to have them.
    case wanted
    /// The accessory could not go on.
    case failed
  }

  /// What was saved.
  package struct SavedRing: Sendable {
    /// The file.
    package var path: String
    /// How many packets it has.
    package var packets: Int
  }

  /// Whether the last packets are kept.
  package var keepsRing: Bool { ring != nil }

  /// The last packets as a pcapng file; nil when none are kept.
  package func ringFile(_ occasion: RingOccasion = .wanted) -> (octets: [UInt8], packets: Int)? {
    let (now, sinceEpoch) = (loop.now(), loop.sinceEpoch())
    let comment = "the last packets of \(profile.name) with \(options.controller), \(occasion.rawValue)"
    return ring?.pcapng(
      interface: profile.name, comment: comment, offset: sinceEpoch.inNanoseconds &- now.nanoseconds)
  }

  /// Saves the last packets in a file of their own, which the event `ring-saved` names; nil when none are kept, or they cannot be saved,
  /// which is an event too.
  @discardableResult
  package func saveRing(_ occasion: RingOccasion = .wanted) -> SavedRing? {
    guard let (octets, packets) = ringFile(occasion) else { return nil }
    let milliseconds = occasion == .wanted ? loop.sinceEpoch().inNanoseconds / 1_000_000 : nil
    let path = Self.path(in: options.ringFolder, of: options.ringName, milliseconds: milliseconds)
    mkdir(options.ringFolder, 0o700)
    do throws(CaptureFailure) {
      try WholeFile.write(octets, to: path)
    } catch {
      emit(.captureFailed("\(error)"))
      return nil
    }
    emit(.ringSaved(path, packets: packets, occasion: occasion.rawValue))
    return SavedRing(path: path, packets: packets)
  }

  /// `FOLDER/NAME-20260102T030405.678Z.pcapng`, of the name only what every file system takes. What is saved by itself has always the
  /// same name, so that an accessory that fails again and again does not fill the disk.
  private static func path(in folder: String, of name: String, milliseconds: Int64?) -> String {
    let safe = name.unicodeScalars.map { scalar in
      scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
        ? Character(scalar) : "-"
    }
    let start = "\(folder)/\(String(safe.prefix(64)))-"
    guard let milliseconds else { return start + "failed.pcapng" }
    var seconds = time_t(milliseconds / 1000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    var text = [CChar](repeating: 0, count: 32)
    let length = strftime(&text, text.count, "%Y%m%dT%H%M%S", &parts)
    let stamp = String(decoding: text[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return "\(start)\(stamp).\(String(milliseconds % 1000 + 1000).dropFirst())Z.pcapng"
  }
}
