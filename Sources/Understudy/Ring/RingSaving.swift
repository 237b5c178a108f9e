import AccessoryProfile
import BLECore
import Capture
import Glibc
import Transport

/// Saving the most recent packets between an accessory and its controller.
extension Accessory {
  /// The occasion on which they are saved.
  package enum RingOccasion: String, Sendable {
    /// On request.
    case wanted
    /// The accessory has failed.
    case failed
  }

  /// The result of saving.
  package struct SavedRing: Sendable {
    /// The file.
    package var path: String
    /// The number of packets in it.
    package var packets: Int
  }

  /// Whether the most recent packets are kept.
  package var keepsRing: Bool { ring != nil }

  /// Returns the most recent packets as a pcapng file; nil if none are kept.
  package func ringFile(_ occasion: RingOccasion = .wanted) -> (octets: [UInt8], packets: Int)? {
    let (now, sinceEpoch) = (loop.now(), loop.sinceEpoch())
    let comment = "the last packets of \(profile.name) with \(options.controller), \(occasion.rawValue)"
    return ring?.pcapng(
      interface: profile.name, comment: comment, offset: sinceEpoch.inNanoseconds &- now.nanoseconds)
  }

  /// The maximum number of files that one run saves on request: each may be as large as the ring.
  package static let ringFileLimit = 64

  /// Saves the most recent packets in a new file, and reports it as the event `ring-saved`. Returns nil if
  /// none are kept, or if they cannot be saved, which is also reported.
  @discardableResult
  package func saveRing(_ occasion: RingOccasion = .wanted) -> SavedRing? {
    guard let ring = nextRing(occasion) else { return nil }
    return saved(ring, ring.write())
  }

  /// Does the same on request, on another thread: a slow disk does not block the loop.
  package nonisolated func saveRingAside() async -> SavedRing? {
    guard let ring = await nextRing(.wanted) else { return nil }
    let failure = await withCheckedContinuation { continuation in
      let code = spawnThread { continuation.resume(returning: ring.write()) }
      if code != 0 { continuation.resume(returning: CaptureFailure(path: ring.path, code: code)) }
    }
    return await saved(ring, failure)
  }

  /// Returns what to save next, and where.
  private func nextRing(_ occasion: RingOccasion) -> RingFile? {
    guard let (octets, packets) = ringFile(occasion) else { return nil }
    let milliseconds = occasion == .wanted ? loop.sinceEpoch().inNanoseconds / 1_000_000 : nil
    if milliseconds != nil {
      guard ringFiles < Self.ringFileLimit else {
        emit(.captureFailed("\(Self.ringFileLimit) files of the last packets are saved, and a run saves no more"))
        return nil
      }
      ringFiles += 1
    }
    let path = Self.path(in: options.ringFolder, of: options.ringName, milliseconds: milliseconds)
    return RingFile(folder: options.ringFolder, path: path, octets: octets, packets: packets, occasion: occasion)
  }

  /// Reports the result of saving.
  private func saved(_ ring: RingFile, _ failure: CaptureFailure?) -> SavedRing? {
    if let failure {
      emit(.captureFailed("\(failure)"))
      return nil
    }
    emit(.ringSaved(ring.path, packets: ring.packets, occasion: ring.occasion.rawValue))
    return SavedRing(path: ring.path, packets: ring.packets)
  }

  /// Returns the absolute path of a folder, or the path as it is if the current folder is unknown.
  private static func absolute(_ folder: String) -> String {
    guard !folder.hasPrefix("/"), let current = getcwd(nil, 0) else { return folder }
    defer { free(current) }
    return folder == "." ? String(cString: current) : "\(String(cString: current))/\(folder)"
  }

  /// Returns `FOLDER/NAME-20260102T030405.678Z.pcapng`, with only those characters of the name that every file system accepts.
  /// On a failure the file name is always the same, so that an accessory that fails again and again does not fill the disk.
  private static func path(in folder: String, of name: String, milliseconds: Int64?) -> String {
    let safe = name.unicodeScalars.map { scalar in
      scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
        ? Character(scalar) : "-"
    }
    let start = "\(absolute(folder))/\(String(safe.prefix(64)))-"
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

/// The most recent packets, to be written to a file.
private struct RingFile: Sendable {
  var folder: String
  var path: String
  var octets: [UInt8]
  var packets: Int
  var occasion: Accessory.RingOccasion

  /// Writes the file, and creates its folder if it is missing. Returns the error, if any.
  func write() -> CaptureFailure? {
    mkdir(folder, 0o700)
    do throws(CaptureFailure) { try WholeFile.write(octets, to: path) } catch { return error }
    return nil
  }
}
