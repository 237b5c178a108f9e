import BLECore
import CSerial
import Glibc

/// The loop thread's own copy of the watches, in the format of poll(2). It is rebuilt only when watches have changed.
struct PollSet: ~Copyable {
  /// The wake descriptor, followed by one per entry.
  private var descriptors: [pollfd]
  private var entries: [Entry] = []

  /// Not a tuple: reading a tuple with a closure from an array wraps the closure anew, with an allocation.
  private struct Entry {
    var id: WatchID
    var handler: @Sendable (PollEvents) -> Void
  }

  init(wake: CInt) {
    descriptors = [pollfd(fd: wake, events: Int16(POLLIN), revents: 0)]
  }

  mutating func rebuild(from watches: [LoopState.Watch]) {
    descriptors.removeSubrange(1...)
    entries.removeAll(keepingCapacity: true)
    for watch in watches {
      descriptors.append(pollfd(fd: watch.descriptor, events: watch.interest.rawValue, revents: 0))
      entries.append(Entry(id: watch.id, handler: watch.handler))
    }
  }

  /// Waits until a descriptor is ready or the time is over (nil: unlimited). Returns how many are ready; negative after a signal.
  mutating func wait(nanoseconds: Int64?) -> Int {
    let ready = descriptors.withUnsafeMutableBufferPointer { buffer in
      cserial_poll(buffer.baseAddress, UInt32(buffer.count), nanoseconds ?? -1)
    }
    return Int(ready)
  }

  /// Calls the handlers of the ready descriptors. Checks the current interest again if a handler has changed the watches in this turn.
  mutating func dispatch(_ ready: Int, on loop: PollLoop) {
    var remaining = ready
    var index = 0
    while remaining > 0 && index < descriptors.count {
      let revents = descriptors[index].revents
      defer { index += 1 }
      guard revents != 0 else { continue }
      remaining -= 1
      guard index > 0 else {
        drain(descriptors[0].fd)
        continue
      }
      var events = PollEvents(rawValue: revents)
      if loop.haveWatchesChanged {
        guard let interest = loop.interest(of: entries[index - 1].id) else { continue }
        events.formIntersection(interest.union(.always))
        guard !events.isEmpty else { continue }
      }
      entries[index - 1].handler(events)
      if events.contains(.invalid) { loop.unwatch(entries[index - 1].id) }
    }
  }

  private func drain(_ wake: CInt) {
    var count: UInt64 = 0
    _ = read(wake, &count, MemoryLayout<UInt64>.size)
  }
}
