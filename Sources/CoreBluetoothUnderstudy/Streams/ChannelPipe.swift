import BLECore
import BLEL2CAP
import Foundation

/// The octets of a channel between an app's streams and the system.
///
/// `@unchecked Sendable`: its lock protects it, except for two properties that only the system's thread uses.
final class ChannelPipe: @unchecked Sendable {
  let id: ChannelID
  let peer: AppPeer
  private let app: PhoneApp
  private let sduLimit: Int
  private let lock = NSLock()
  private var incoming: [UInt8] = []
  private var outgoing: [UInt8] = []
  private var hasEnded = false
  private var isReleased = false
  private weak var input: ChannelInputStream?
  private weak var output: ChannelOutputStream?
  /// Whether the peer gets no credits. Only the system's thread uses this.
  var isHeld = false
  /// Whether the channel closes as soon as everything is sent. Only the system's thread uses this.
  var closesWhenDrained = false

  /// The maximum number of octets in each direction. When it is reached, the peer gets no more credits, or the app's stream is full.
  private static let capacity = 64 * 1024

  init(_ id: ChannelID, of peer: AppPeer, sduLimit: Int, app: PhoneApp) {
    (self.id, self.peer, self.app) = (id, peer, app)
    self.sduLimit = max(1, sduLimit)
  }

  func attach(_ input: ChannelInputStream, _ output: ChannelOutputStream) {
    lock.withLock { (self.input, self.output) = (input, output) }
  }

  // MARK: - The system

  /// Takes an SDU from the peer. Returns whether the peer must wait until the app has read.
  func receive(_ sdu: [UInt8]) -> Bool {
    lock.withLock {
      incoming += sdu
      return incoming.count >= Self.capacity
    }
  }

  /// Returns the next octets to send, without removing them; nil if there are none.
  func nextSDU() -> [UInt8]? { lock.withLock { outgoing.isEmpty ? nil : Array(outgoing.prefix(sduLimit)) } }

  func sent(_ count: Int) { lock.withLock { outgoing.removeFirst(count) } }

  /// Whether the app has closed the channel and everything is sent.
  var isDrained: Bool { closesWhenDrained && lock.withLock { outgoing.isEmpty } }

  /// Notes that the channel has ended. The app can still read the received octets.
  func end() {
    lock.withLock { hasEnded = true }
    app.post { [self] in $0.notify(self) }
  }

  /// Returns the events that the streams must raise, in order for each stream, and notes them as raised.
  func takeEvents() -> [(stream: any ChannelStream, events: [Stream.Event], target: CallbackTarget)] {
    let (input, output) = lock.withLock { (self.input, self.output) }
    var result: [(stream: any ChannelStream, events: [Stream.Event], target: CallbackTarget)] = []
    if let input, let target = input.core.target {
      let events = input.core.events(
        isReady: available > 0, ready: .hasBytesAvailable, isAtEnd: lock.withLock { hasEnded && incoming.isEmpty })
      if !events.isEmpty { result.append((input, events, target)) }
    }
    if let output, let target = output.core.target {
      let events = output.core.events(
        isReady: space > 0, ready: .hasSpaceAvailable, isAtEnd: lock.withLock { hasEnded })
      if !events.isEmpty { result.append((output, events, target)) }
    }
    return result
  }

  // MARK: - The app

  /// The number of octets that can be read now.
  var available: Int { lock.withLock { incoming.count } }

  /// The number of octets that can be written now.
  var space: Int { lock.withLock { hasEnded ? 0 : max(0, Self.capacity - outgoing.count) } }

  var isEnded: Bool { lock.withLock { hasEnded } }

  func read(_ limit: Int) -> [UInt8] {
    let octets = lock.withLock {
      let octets = Array(incoming.prefix(max(0, limit)))
      incoming.removeFirst(octets.count)
      return octets
    }
    app.post { [self] in
      $0.resume(self)
      $0.notify(self)
    }
    return octets
  }

  func write(_ octets: UnsafeBufferPointer<UInt8>) -> Int {
    let count = lock.withLock {
      let count = hasEnded ? 0 : min(octets.count, max(0, Self.capacity - outgoing.count))
      outgoing += octets.prefix(count)
      return count
    }
    app.post { [self] in $0.send(from: self) }
    return count
  }

  /// Notes that a stream was opened or scheduled: events may be due.
  func changed() { app.post { [self] in $0.notify(self) } }

  /// Closes the channel if both streams are closed.
  func streamClosed() {
    let areClosed = lock.withLock { (input?.core.isClosed ?? true) && (output?.core.isClosed ?? true) }
    if areClosed { release() }
  }

  /// Closes the channel.
  func release() {
    let isFirst = lock.withLock {
      defer { isReleased = true }
      return !isReleased
    }
    if isFirst { app.post { [self] in $0.close(self) } }
  }
}
