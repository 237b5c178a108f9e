import Dispatch
import Glibc

/// SIGINT, SIGTERM or SIGHUP, or the failure of standard output, as something to wait for.
struct StopSignal: Sendable {
  private let stream: AsyncStream<Void>

  /// From now on the signals no longer end the process.
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
    for number in [SIGINT, SIGTERM, SIGHUP] {
      let former = signal(number) { _ in StopSignal.leaveOctet() }
      // Who started us with nohup(1) wants us to outlive the terminal.
      if number == SIGHUP, unsafeBitCast(former, to: Int.self) == 1 { signal(SIGHUP, SIG_IGN) }
    }
    Terminal.whenOutputFails { StopSignal.leaveOctet() }
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
