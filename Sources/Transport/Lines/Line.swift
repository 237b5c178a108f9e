import BLECore
import BLEHCI
import Glibc

/// The result of one read.
package enum ReadOutcome: Hashable, Sendable {
  /// This many octets were appended.
  case octets(Int)
  /// There is nothing to read now.
  case wouldBlock
  /// The other side has closed: end of file, hang-up of a terminal, reset of a connection.
  case closed
  /// The system call failed with this errno value.
  case failed(CInt)
}

/// The result of a write.
package enum WriteOutcome: Hashable, Sendable {
  /// The kernel has accepted all octets.
  case sent
  /// Some octets are queued; the number includes earlier ones. Wait for `.writable` and call `flush`.
  case queued(Int)
  /// The queue would exceed its limit. None of the octets was accepted.
  case overLimit
  /// The other side has closed: end of file, hang-up of a terminal, reset of a connection.
  case closed
  /// The system call failed with this errno value.
  case failed(CInt)
}

/// A file descriptor that is read and written without blocking, with a queue for octets that the kernel does not accept at once. It is for
/// a stream, or for a socket that preserves HCI packet boundaries. It belongs to one actor, and closes the descriptor when it is
/// deallocated; unwatch the descriptor first.
package final class Line {
  /// The buffer size of one read, in octets.
  package static let readSize = 65_536

  /// The unit of one read or write.
  package enum Unit: Hashable, Sendable {
    /// Any run of octets.
    case octets
    /// One whole HCI packet with its H4 type.
    case packet
  }

  /// An action besides closing the descriptor.
  enum Cleanup {
    /// Close another descriptor.
    case close(CInt)
    /// Allow others to open the terminal again.
    case endExclusiveUse
    /// Remove a symbolic link, if it still has this target.
    case removeLink(path: String, target: String)
  }

  /// The descriptor to watch; -1 once closed.
  package private(set) var descriptor: CInt
  /// The maximum number of queued octets. A write with an empty queue may exceed it.
  package var pendingLimit = 1_048_576
  private let unit: Unit
  private let isSocket: Bool
  private var pending = OctetBuffer()
  /// The number of octets at the start of `pending` that the kernel has already accepted.
  private var flushed = 0
  private var cleanups: [Cleanup]

  /// Creates a line with a descriptor, which it makes non-blocking and finally closes.
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

  /// Closes the descriptor and drops the queue.
  package func close() {
    guard descriptor >= 0 else { return }
    for cleanup in cleanups { perform(cleanup) }
    cleanups = []
    _ = Glibc.close(descriptor)
    descriptor = -1
    discardPending()
  }

  /// Returns the descriptor, which this line then no longer owns.
  func release() -> CInt {
    defer { descriptor = -1 }
    return descriptor
  }

  /// Shuts down the sending side of a socket; the other side may still send. False if it is not a socket.
  package func shutDownWriting() -> Bool { isSocket && shutdown(descriptor, CInt(SHUT_WR)) == 0 }

  /// Drops the queue.
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
  /// Appends available octets to `buffer`, as many as one read(2) returns.
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

  /// Returns whether an error means that the other side has closed: EIO for a terminal, EBADFD and ENETDOWN for an adapter.
  private static func isGone(_ code: CInt) -> Bool {
    switch code {
    case EIO, ENXIO, ENODEV, EPIPE, ECONNRESET, EBADFD, ENETDOWN: true
    default: false
    }
  }
}

// MARK: Writing

extension Line {
  /// Whether octets are queued.
  package var hasPending: Bool { pendingCount > 0 }

  /// The number of queued octets.
  package var pendingCount: Int { pending.count - flushed }

  /// The events to watch the descriptor for: always reading, and writing while octets are queued.
  package var interest: PollEvents { hasPending ? [.readable, .writable] : .readable }

  /// Writes octets at once, after queued ones, and queues those that the kernel does not accept.
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

  /// Writes the contents of a buffer, which is unchanged.
  package func write(_ buffer: borrowing OctetBuffer) -> WriteOutcome {
    buffer.withSpan { write($0) }
  }

  /// Writes queued octets, as many as the kernel accepts: on `.writable`.
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

  /// Writes until the kernel accepts no more. Returns how many octets it accepted, and the error if it stopped because of one.
  private func writeNow(_ octets: Span<UInt8>) -> (taken: Int, failure: WriteOutcome?) {
    let (descriptor, isSocket) = (self.descriptor, self.isSocket)
    var taken = 0
    while taken < octets.count {
      let count = octets.extracting(taken..<unitEnd(in: octets, from: taken)).withUnsafeBytes { octets in
        // A socket whose peer has closed must return EPIPE and not end the process with SIGPIPE.
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

  /// Returns the end of the unit that the kernel accepts at once. Octets that are not a packet are sent as they are, and the kernel reports
  /// the error.
  private func unitEnd(in octets: Span<UInt8>, from start: Int) -> Int {
    guard unit == .packet, let length = H4Frame.lengthForController(in: octets, at: start) else { return octets.count }
    return min(start + length, octets.count)
  }
}
