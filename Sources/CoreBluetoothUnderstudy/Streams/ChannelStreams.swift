import Dispatch
import Foundation

/// Where an app gets its calls. `@unchecked Sendable`: `RunLoop` is not declared Sendable, but any thread may call `perform`.
enum CallbackTarget: @unchecked Sendable {
  case queue(DispatchQueue)
  case runLoop(RunLoop)
}

/// A stream of a channel.
protocol ChannelStream: Stream {
  var core: StreamCore { get }
}

/// The state of a stream: its status, and the events that it has raised.
final class StreamCore {
  @Locked private(set) var status = Stream.Status.notOpen
  @Locked private(set) var target: CallbackTarget?
  @WeakLocked var delegate: (any StreamDelegate)?
  @Locked private var raised = Raised()

  private struct Raised {
    var isOpen = false
    var isReady = false
    var isAtEnd = false
  }

  var isClosed: Bool { status == .closed }

  func open() { $status.change { if $0 == .notOpen { $0 = .open } } }

  func close() { status = .closed }

  func schedule(in runLoop: RunLoop) { target = runLoop === RunLoop.main ? .queue(.main) : .runLoop(runLoop) }

  func unschedule() { target = nil }

  /// Notes that the app has read or written, so that the stream raises its next event for more.
  func used() { $raised.change { $0.isReady = false } }

  /// Returns the events that are due, and notes them as raised.
  func events(isReady: Bool, ready: Stream.Event, isAtEnd: Bool) -> [Stream.Event] {
    guard status == .open || status == .atEnd else { return [] }
    let events = $raised.change { raised in
      var events: [Stream.Event] = []
      if !raised.isOpen { events.append(.openCompleted) }
      if isReady, !raised.isReady { events.append(ready) }
      if isAtEnd, !raised.isAtEnd { events.append(.endEncountered) }
      raised = Raised(isOpen: true, isReady: raised.isReady || isReady, isAtEnd: raised.isAtEnd || isAtEnd)
      return events
    }
    if isAtEnd { status = .atEnd }
    return events
  }
}

extension ChannelStream {
  /// Calls the delegate.
  func raise(_ event: Stream.Event) {
    guard !core.isClosed else { return }
    core.delegate?.stream(self, handle: event)
  }
}

/// The octets from a channel's peer.
final class ChannelInputStream: InputStream, ChannelStream {
  let core = StreamCore()
  private let pipe: ChannelPipe

  init(_ pipe: ChannelPipe) {
    self.pipe = pipe
    super.init(data: Data())
  }

  override var streamStatus: Stream.Status { core.status }
  override var streamError: (any Error)? { nil }
  override var hasBytesAvailable: Bool { core.status == .open && pipe.available > 0 }

  override var delegate: (any StreamDelegate)? {
    get { core.delegate }
    set { core.delegate = newValue }
  }

  override func open() {
    core.open()
    pipe.changed()
  }

  override func close() {
    core.close()
    pipe.streamClosed()
  }

  override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
    core.schedule(in: aRunLoop)
    pipe.changed()
  }

  override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) { core.unschedule() }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
    guard core.status == .open || core.status == .atEnd else { return -1 }
    core.used()
    let octets = pipe.read(len)
    octets.withUnsafeBufferPointer { source in
      if let start = source.baseAddress { buffer.update(from: start, count: source.count) }
    }
    return octets.count
  }

  override func getBuffer(
    _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length len: UnsafeMutablePointer<Int>
  ) -> Bool { false }
}

/// The octets to a channel's peer.
final class ChannelOutputStream: OutputStream, ChannelStream {
  let core = StreamCore()
  private let pipe: ChannelPipe

  init(_ pipe: ChannelPipe) {
    self.pipe = pipe
    super.init(toMemory: ())
  }

  @available(*, unavailable)
  required init(toMemory: ()) { preconditionFailure("the stream of a channel does not write to memory") }

  override var streamStatus: Stream.Status { core.status }
  override var streamError: (any Error)? { nil }
  override var hasSpaceAvailable: Bool { core.status == .open && pipe.space > 0 }

  override var delegate: (any StreamDelegate)? {
    get { core.delegate }
    set { core.delegate = newValue }
  }

  override func open() {
    core.open()
    pipe.changed()
  }

  override func close() {
    core.close()
    pipe.streamClosed()
  }

  override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
    core.schedule(in: aRunLoop)
    pipe.changed()
  }

  override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) { core.unschedule() }

  override func write(_ buffer: UnsafePointer<UInt8>, maxLength len: Int) -> Int {
    guard core.status == .open, !pipe.isEnded else { return -1 }
    core.used()
    return pipe.write(UnsafeBufferPointer(start: buffer, count: len))
  }
}
