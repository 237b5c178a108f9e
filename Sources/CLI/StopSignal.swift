import Dispatch
import Glibc
import Synchronization
import Transport

/// Waits for SIGINT, SIGTERM or SIGHUP, or for a failure of standard output. A second SIGINT or SIGTERM ends
/// the process immediately, even if its orderly end still waits.
struct StopSignal: Sendable {
  private let stream: AsyncStream<Void>

  /// The time of the first SIGINT or SIGTERM, in nanoseconds of the monotonic clock; 0 before it.
  private static let first = Atomic<Int64>(0)

  /// Whether the process is ending immediately.
  private static let isCutShort = Atomic<Bool>(false)

  /// Installs the handlers. From now on, the first of the signals no longer ends the process.
  init() {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    self.stream = stream
    // A signal writes an octet to a pipe, so that a signal before the first wait is not lost.
    let source = DispatchSource.makeReadSource(fileDescriptor: Self.pipe.reading, queue: .global())
    // The handler retains its source, so that it watches for the life of the process.
    source.setEventHandler {
      var octet: UInt8 = 0
      withExtendedLifetime(source) { if read(Self.pipe.reading, &octet, 1) == 1 { continuation.yield() } }
    }
    source.resume()
    // Everything that a handler uses must exist before the handler can be called.
    _ = Self.first.load(ordering: .relaxed)
    // Killing the programs lets the orderly end continue. It must not finish first.
    if !Self.isCutShort.load(ordering: .relaxed) {
      atexit { while StopSignal.isCutShort.load(ordering: .relaxed) { pause() } }
    }
    for number in [SIGINT, SIGTERM] { signal(number) { StopSignal.heard($0) } }
    let former = signal(SIGHUP) { _ in StopSignal.leaveOctet() }
    // With nohup(1), the process must outlive the terminal.
    if unsafeBitCast(former, to: Int.self) == 1 { signal(SIGHUP, SIG_IGN) }
    Terminal.whenOutputFails { StopSignal.leaveOctet() }
    Terminal.watchReader()
    // A closed reader of standard output is an error when writing, and must not end the process.
    signal(SIGPIPE, SIG_IGN)
  }

  /// Both ends of the pipe, created before the first signal can arrive.
  private static let pipe: (reading: CInt, writing: CInt) = {
    var ends: [CInt] = [-1, -1]
    _ = Glibc.pipe(&ends)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }()

  /// Handles SIGINT and SIGTERM with only the calls permitted in signal handlers (signal-safety(7)).
  private static func heard(_ number: CInt) {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    let now = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    let (isFirst, first) = Self.first.compareExchange(expected: 0, desired: now, ordering: .sequentiallyConsistent)
    if isFirst { return leaveOctet() }
    // A second signal so soon is the same request: timeout(1) signals its child, and then the child's group.
    guard now - first >= 100_000_000 else { return }
    isCutShort.store(true, ordering: .sequentiallyConsistent)
    ChildProcess.killAll()
    // The signal is blocked until the handler has returned, and then has its default effect.
    signal(number, SIG_DFL)
    raise(number)
  }

  private static func leaveOctet() {
    var octet: UInt8 = 1
    _ = write(pipe.writing, &octet, 1)
  }

  /// Ends the wait, as a signal does.
  func trigger() { Self.leaveOctet() }

  /// Waits until one of the signals has arrived.
  func wait() async {
    for await _ in stream { return }
  }
}
