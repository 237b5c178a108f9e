import Capture
import Decoding

/// Brings the octets of a capture file to a `ScreenModel`, in turns that are short whatever comes, so that keys are answered between
/// them. It does no input or output.
///
/// Packets that come while a passkey is searched for wait: what they were before their encryption is not known yet.
package struct ScreenFeed {
  /// The screen.
  package var model: ScreenModel
  /// Whether more octets are wanted at any time: the file goes on, and is not damaged.
  package private(set) var hasEnded = false

  private let name: String
  private var decryptor: LinkDecryptor
  private var parser = CaptureParser()
  private var record = CaptureRecord()
  /// Whether `record` waits for the end of a search.
  private var isWaiting = false

  /// So many passkeys are tried in a turn.
  package static let passkeysPerTurn = 500
  /// So many octets are to be given at most in a turn.
  package static let octetsPerTurn = 65_536

  /// A screen to which the capture with that name comes.
  package init(_ model: ScreenModel, name: String, decryptor: LinkDecryptor) {
    self.model = model
    self.name = name
    self.decryptor = decryptor
  }

  /// The file's format, once it has begun.
  package var format: CaptureFormat? { parser.format }

  /// Whether there is work without more octets. They are to wait until there is none.
  package var isBusy: Bool { isWaiting || model.chosen != nil }

  /// Takes in the next octets.
  package mutating func take(_ octets: Span<UInt8>) {
    parser.push(octets)
    takeRecords()
  }

  /// Says that no more octets come, and to whoever looks why, if there is something to say.
  package mutating func end(_ reason: String? = nil) {
    hasEnded = true
    parser.end()
    takeRecords()
    if let reason { model.tell(reason) }
  }

  /// Does a turn of the work that there is without more octets.
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
