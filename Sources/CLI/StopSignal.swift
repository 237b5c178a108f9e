import Dispatch
import Glibc
import Synchronization
import Transport

/// SIGINT, SIGTERM or SIGHUP, or the failure of standard output, as something to wait for. A second SIGINT or SIGTERM ends the process
/// at once, whatever its orderly end is waiting for.
struct StopSignal: Sendable {
  private let stream: AsyncStream<Void>

  /// When the first SIGINT or SIGTERM came, in nanoseconds of the monotonic clock; 0 before it.
  private static let first = Atomic<Int64>(0)

  /// Whether the process is ending at once.
  private static let isCutShort = Atomic<Bool>(false)

  /// From now on the first of the signals no longer ends the process.
  init() {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    self.stream = stream
    // A signal leaves an octet in a pipe, so that one that comes before anybody watches is not lost.
    let source = DispatchSource.makeReadSource(fileDescriptor: Self.pipe.reading, queue: .global())
    // The handler holds its source, so that it watches as long as the process lives.
    source.setEventHandler {
      var octet: UInt8 = 0
      withExtendedLifetime(source) { if read(Self.pipe.reading, &octet, 1) == 1 { continuation.yield() } }
    }
    source.resume()
    // What a handler uses exists before it can be called.
    _ = Self.first.load(ordering: .relaxed)
    // The orderly end that the end of the programs makes possible does not come first.
    if !Self.isCutShort.load(ordering: .relaxed) {
      atexit { while StopSignal.isCutShort.load(ordering: .relaxed) { pause() } }
    }
    for number in [SIGINT, SIGTERM] { signal(number) { StopSignal.heard($0) } }
    let former = signal(SIGHUP) { _ in StopSignal.leaveOctet() }
    // Who started us with nohup(1) wants us to outlive the terminal.
    if unsafeBitCast(former, to: Int.self) == 1 { signal(SIGHUP, SIG_IGN) }
    Terminal.whenOutputFails { StopSignal.leaveOctet() }
    Terminal.watchReader()
    // A reader of our output that goes away is an error of a write, not the end of the process.
    signal(SIGPIPE, SIG_IGN)
  }

  /// Both ends, made before the first signal can come.
  private static let pipe: (reading: CInt, writing: CInt) = {
    var ends: [CInt] = [-1, -1]
    _ = Glibc.pipe(&ends)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }()

  /// Handles SIGINT and SIGTERM, with nothing but what is allowed in a handler (signal-safety(7)).
  private static func heard(_ number: CInt) {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    let now = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    let (isFirst, first) = Self.first.compareExchange(expected: 0, desired: now, ordering: .sequentiallyConsistent)
    if isFirst { return leaveOctet() }
    // What follows so soon is the same wish: timeout(1) signals its child, and then the child's group.
    guard now - first >= 100_000_000 else { return }
    isCutShort.store(true, ordering: .sequentiallyConsistent)
    ChildProcess.killAll()
    // It is blocked until the handler has returned, and then does what it does to a program without a handler.
    signal(number, SIG_DFL)
    raise(number)
  }

  private static func leaveOctet() {
    var octet: UInt8 = 1
    _ = write(pipe.writing, &octet, 1)
  }

  /// Ends the wait as a signal does.
  func trigger() { Self.leaveOctet() }

  /// Waits until one of the signals has come.
  func wait() async {
    for await _ in stream { return }
  }
}
