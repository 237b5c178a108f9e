import Dispatch
import Glibc

/// SIGINT or SIGTERM, as something to wait for.
struct StopSignal: Sendable {
  private let stream: AsyncStream<Void>

  /// From now on the signals no longer end the process.
  init() {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    self.stream = stream
    for number in [SIGINT, SIGTERM] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      // The handler holds its source, so that it watches as long as the process lives.
      source.setEventHandler { withExtendedLifetime(source) { _ = continuation.yield() } }
      source.resume()
    }
    // A reader of our output that goes away is an error of a write, not the end of the process.
    signal(SIGPIPE, SIG_IGN)
  }

  /// Waits until one of the signals has come.
  func wait() async {
    for await _ in stream { return }
  }
}
