import BLECore
import BLEHCI
import Glibc

/// What one read gave.
package enum ReadOutcome: Hashable, Sendable {
  /// That many octets were appended.
  case octets(Int)
  /// There is nothing now.
  case wouldBlock
  /// The other side is gone: end of file, hang-up of a terminal, reset of a connection.
  case closed
  /// The system call failed with this errno value.
  case failed(CInt)
}

/// What became of octets that were written.
package enum WriteOutcome: Hashable, Sendable {
  /// The kernel has them all.
  case sent
  /// Some wait, that many octets together with earlier ones: wait for `.writable` and `flush`.
  case queued(Int)
  /// More would wait than the line's limit: none of these octets was taken.
  case overLimit
  /// The other side is gone: end of file, hang-up of a terminal, reset of a connection.
  case closed
  /// The system call failed with this errno value.
  case failed(CInt)
}

/// A file descriptor that is read and written without waiting, with a queue for what the kernel does not take at once: of
/// a stream, or of a socket that keeps HCI packets apart. It belongs to one actor, and closes the descriptor when it goes;
/// unwatch it first.
package final class Line {
  /// The room that one read offers, in octets.
  package static let readSize = 65_536

  /// What the kernel takes and gives at a time.
  package enum Unit: Hashable, Sendable {
    /// Any run of octets.
    case octets
    /// One HCI packet with its H4 type, whole.
    case packet
  }

  /// What is done beside closing the descriptor.
  enum Cleanup {
    /// Close another descriptor.
    case close(CInt)
    /// Let others open the terminal again.
    case endExclusiveUse
    /// Remove a symbolic link, if it still leads there.
    case removeLink(path: String, target: String)
  }

  /// The descriptor, to be watched; -1 once closed.
  package private(set) var descriptor: CInt
  /// How many octets may wait; a write that begins with an empty queue may go beyond.
  package var pendingLimit = 1_048_576
  private let unit: Unit
  private let isSocket: Bool
  private var pending = OctetBuffer()
  /// How many octets at the front of `pending` the kernel already has.
  private var flushed = 0
  private var cleanups: [Cleanup]

  /// A line over a descriptor that it makes non-blocking, and closes in the end.
  package convenience init(adopting descriptor: CInt, unit: Unit = .octets) {
    self.init(adopting: descriptor, unit: unit, cleanups: [])
  }

  init(adopting descriptor: CInt, unit: Unit = .octets, cleanups: [Cleanup]) {
    self.descriptor = descriptor
    self.unit = unit
    self.cleanups = cleanups
    var status = stat()
    isSocket = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    let flags = fcntl(descriptor, F_GETFL)
    if flags >= 0 && flags & O_NONBLOCK == 0 { _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) }
  }

  deinit { close() }

  /// Closes the descriptor, and forgets the octets that wait.
  package func close() {
    guard descriptor >= 0 else { return }
    for cleanup in cleanups { perform(cleanup) }
    cleanups = []
    _ = Glibc.close(descriptor)
    descriptor = -1
    discardPending()
  }

  /// Hands the descriptor over, which this line then no longer has.
  func release() -> CInt {
    defer { descriptor = -1 }
    return descriptor
  }

  /// Tells the other side of a socket that no more will come, while it may still send. False for anything but a socket.
  package func shutDownWriting() -> Bool { isSocket && shutdown(descriptor, CInt(SHUT_WR)) == 0 }

  /// Forgets the octets that wait.
  package func discardPending() {
    pending.removeAll()
    flushed = 0
  }

  private func perform(_ cleanup: Cleanup) {
    switch cleanup {
    case .close(let other): _ = Glibc.close(other)
    case .endExclusiveUse: _ = ioctl(descriptor, UInt(TIOCNXCL))
    case .removeLink(let path, let target): if linkTarget(of: path) == target { unlink(path) }
    }
  }
}

// MARK: Reading

extension Line {
  /// Appends what is there to `buffer`, as much as one read(2) gives.
  package func read(into buffer: inout OctetBuffer) -> ReadOutcome {
    var outcome = ReadOutcome.wouldBlock
    let descriptor = self.descriptor
    buffer.appendUnsafe(capacity: Self.readSize) { room in
      while true {
        let count = Glibc.read(descriptor, room.baseAddress, room.count)
        if count > 0 {
          outcome = .octets(count)
          return count
        }
        let code = errno
        if count < 0 && code == EINTR { continue }
        outcome = count == 0 ? .closed : Self.readFailure(code)
        return 0
      }
    }
    return outcome
  }

  private static func readFailure(_ code: CInt) -> ReadOutcome {
    switch code {
    case EAGAIN: .wouldBlock
    case _ where isGone(code): .closed
    default: .failed(code)
    }
  }

  /// Whether an error says that the other side is gone: EIO is how a terminal tells of it, EBADFD and ENETDOWN are how an adapter
  /// does.
  private static func isGone(_ code: CInt) -> Bool {
    switch code {
    case EIO, ENXIO, ENODEV, EPIPE, ECONNRESET, EBADFD, ENETDOWN: true
    default: false
    }
  }
}

// MARK: Writing

extension Line {
  /// Whether octets wait for the kernel to take them.
  package var hasPending: Bool { pendingCount > 0 }

  /// How many octets wait for the kernel to take them.
  package var pendingCount: Int { pending.count - flushed }

  /// What to watch the descriptor for: reading always, writing while octets wait.
  package var interest: PollEvents { hasPending ? [.readable, .writable] : .readable }

  /// Writes octets at once, behind those that wait, and queues what the kernel does not take.
  package func write(_ octets: Span<UInt8>) -> WriteOutcome {
    guard !hasPending else {
      guard pendingCount + octets.count <= pendingLimit else { return .overLimit }
      if flushed > 0 {
        pending.removeFirst(flushed)
        flushed = 0
      }
      pending.append(octets)
      return .queued(pending.count)
    }
    let (taken, failure) = writeNow(octets)
    if let failure { return failure }
    guard taken < octets.count else { return .sent }
    pending.append(octets.extracting(taken..<octets.count))
    return .queued(pending.count)
  }

  /// Writes what a buffer holds; the buffer stays as it is.
  package func write(_ buffer: borrowing OctetBuffer) -> WriteOutcome {
    buffer.withSpan { write($0) }
  }

  /// Writes octets that wait, as many as the kernel takes: on `.writable`.
  package func flush() -> WriteOutcome {
    guard hasPending else { return .sent }
    let (taken, failure) = pending.withSpan { writeNow($0.extracting(flushed..<$0.count)) }
    if let failure { return failure }
    flushed += taken
    guard flushed == pending.count else { return .queued(pendingCount) }
    pending.removeAll()
    flushed = 0
    return .sent
  }

  /// Writes until the kernel takes no more; returns how many octets it took, and why it stopped if that is an error.
  private func writeNow(_ octets: Span<UInt8>) -> (taken: Int, failure: WriteOutcome?) {
    let (descriptor, isSocket) = (self.descriptor, self.isSocket)
    var taken = 0
    while taken < octets.count {
      let count = octets.extracting(taken..<unitEnd(in: octets, from: taken)).withUnsafeBytes { octets in
        // A socket whose peer is gone must answer EPIPE, not stop the process by SIGPIPE.
        isSocket
          ? send(descriptor, octets.baseAddress, octets.count, CInt(MSG_NOSIGNAL))
          : Glibc.write(descriptor, octets.baseAddress, octets.count)
      }
      if count > 0 {
        taken += count
        continue
      }
      let code = errno
      if count < 0 && code == EINTR { continue }
      if count == 0 || code == EAGAIN { break }
      return (taken, Self.isGone(code) ? .closed : .failed(code))
    }
    return (taken, nil)
  }

  /// Where what the kernel takes at a time ends. What is no packet goes as it is: the kernel says what it thinks of it.
  private func unitEnd(in octets: Span<UInt8>, from start: Int) -> Int {
    guard unit == .packet, let length = H4Frame.lengthForController(in: octets, at: start) else { return octets.count }
    return min(start + length, octets.count)
  }
}
