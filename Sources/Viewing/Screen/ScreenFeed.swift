import Capture
import Decoding

/// Passes the octets of a capture file to a `ScreenModel` in short turns, so that keys are handled between them. It does no input or
/// output.
///
/// Packets wait during the search for a passkey, because they cannot be decrypted yet.
package struct ScreenFeed {
  /// The screen.
  package var model: ScreenModel
  /// Whether no more octets can be used: the file has ended or is damaged.
  package private(set) var hasEnded = false

  private let name: String
  private var decryptor: LinkDecryptor
  private var parser = CaptureParser()
  private var record = CaptureRecord()
  /// Whether `record` waits for the end of a search.
  private var isWaiting = false

  /// The number of passkeys to try in a turn.
  package static let passkeysPerTurn = 500
  /// The maximum number of octets to pass in a turn.
  package static let octetsPerTurn = 65_536

  /// Creates a feed for a screen, from the capture with that name.
  package init(_ model: ScreenModel, name: String, decryptor: LinkDecryptor) {
    self.model = model
    self.name = name
    self.decryptor = decryptor
  }

  /// The file's format, once it is known.
  package var format: CaptureFormat? { parser.format }

  /// Whether there is work to do without more octets. Do it before passing more.
  package var isBusy: Bool { isWaiting || model.chosen != nil }

  /// Takes the next octets.
  package mutating func take(_ octets: Span<UInt8>) {
    parser.push(octets)
    takeRecords()
  }

  /// Ends the feed, and shows the reason, if any.
  package mutating func end(_ reason: String? = nil) {
    hasEnded = true
    parser.end()
    takeRecords()
    if let reason { model.tell(reason) }
  }

  /// Does one turn of the work that needs no more octets.
  package mutating func work() {
    model.work()
    guard isWaiting else { return }
    decryptor.search(passkeys: Self.passkeysPerTurn)
    takeRecords()
  }

  private mutating func takeRecords() {
    do throws(CaptureFault) {
      while true {
        if !isWaiting, try !parser.next(into: &record) { break }
        isWaiting = decryptor.searched != nil
        if isWaiting { break }
        decryptor.decrypt(&record)
        model.add(record)
      }
    } catch {
      hasEnded = true
      model.tell("\(CaptureReadFailure.format(path: name, error))")
    }
    model.searched = isWaiting ? decryptor.searched : nil
  }
}
