import BLECore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A capture file that is being written. Records wait until there are enough of them, or until the first has waited for a short time, and
/// are then written together. Whatever happens, the file has only whole records.
final class CaptureFile {
  let path: String
  /// When to call `advance`, if records wait.
  private(set) var nextDeadline: Instant?

  private let policy: FlushPolicy
  /// Returns the length of the record that starts at an offset, of which at least `headLength` octets exist.
  private let recordLength: (borrowing OctetBuffer, Int) -> Int
  private let headLength: Int
  private var descriptor: CInt
  private var waiting = OctetBuffer(minimumCapacity: 65_536)
  /// The number of octets of `waiting` that are already in the file.
  private var written = 0
  private var failure: CaptureFailure?

  /// Creates the file, readable only by its owner, or clears an existing one, and writes its header.
  init(
    creating path: String, policy: FlushPolicy, beginning: borrowing OctetBuffer, headLength: Int,
    recordLength: @escaping (borrowing OctetBuffer, Int) -> Int
  ) throws(CaptureFailure) {
    self.path = path
    self.policy = policy
    self.headLength = headLength
    self.recordLength = recordLength
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else { throw CaptureFailure(path: path, code: errno) }
    beginning.withSpan { waiting.append($0) }
    flush()
    if let failure { throw failure }
  }

  deinit { close() }

  var isOpen: Bool { descriptor >= 0 }

  /// Returns whether this many more octets may wait.
  func hasRoom(for count: Int) -> Bool { waiting.count + count <= policy.limit }

  /// Lets `write` append whole records.
  func append(_ write: (inout OctetBuffer) -> Void) { write(&waiting) }

  /// Writes the waiting records, or schedules it.
  func writeOrSchedule(at now: Instant) {
    guard !waiting.isEmpty else { return }
    if waiting.count >= policy.octets {
      flush()
      nextDeadline = waiting.isEmpty ? nil : now + policy.delay
    } else if nextDeadline == nil {
      nextDeadline = now + policy.delay
    }
  }

  /// Writes records that have waited long enough.
  func advance(to now: Instant) {
    guard let deadline = nextDeadline, deadline <= now else { return }
    flush()
    nextDeadline = waiting.isEmpty ? nil : now + policy.delay
  }

  /// Returns the reason why capturing ended, once.
  func takeFailure() -> CaptureFailure? {
    defer { failure = nil }
    return failure
  }

  /// Writes all waiting records and closes the file.
  func close() {
    guard isOpen else { return }
    flush()
    end()
  }

  /// Writes as many waiting octets as the file accepts.
  private func flush() {
    while written < waiting.count {
      let count = waiting.withSpan { octets in
        octets.extracting(written..<octets.count).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      }
      if count > 0 {
        written += count
      } else if count < 0 && errno == EAGAIN {
        // A FIFO with a slow reader: the rest stays, from the start of a record on.
        let whole = wholeRecords(in: written)
        waiting.removeFirst(whole)
        written -= whole
        return
      } else if count == 0 || errno != EINTR {
        fail(count == 0 ? EIO : errno)
        return
      }
    }
    waiting.removeAll()
    written = 0
  }

  private func fail(_ code: CInt) {
    failure = CaptureFailure(path: path, code: code)
    let partial = written - wholeRecords(in: written)
    let end = lseek(descriptor, 0, SEEK_CUR)
    if partial > 0 && end >= partial { _ = ftruncate(descriptor, end - off_t(partial)) }
    self.end()
  }

  /// Returns the length of the whole records in the first `count` waiting octets, which always start with a record.
  private func wholeRecords(in count: Int) -> Int {
    var end = 0
    while end + headLength <= count {
      let next = end + recordLength(waiting, end)
      guard next <= count else { break }
      end = next
    }
    return end
  }

  private func end() {
    closeDescriptor(descriptor)
    descriptor = -1
    nextDeadline = nil
    waiting.removeAll()
    written = 0
  }
}
