import Dispatch
import Foundation

/// Calls on the queues and run loops of apps.
enum CallbackQueue {
  private static let key = DispatchSpecificKey<UUID>()

  /// Marks a queue, so that code can tell whether it runs on it. The identity of objects does not tell, because a queue may have several.
  static func mark(_ queue: DispatchQueue) {
    if queue.getSpecific(key: key) == nil { queue.setSpecific(key: key, value: UUID()) }
  }

  /// Performs a delivery on its target, and waits for it. Virtual time stands still meanwhile.
  static func callAndWait(_ delivery: Delivery) {
    let body = { PhoneApp.$current.withValue(delivery.app) { delivery.body() } }
    switch delivery.target {
    case .queue(let queue): if isCurrent(queue) { body() } else { queue.sync(execute: body) }
    case .runLoop(let runLoop):
      if runLoop === RunLoop.current { return body() }
      let done = DispatchSemaphore(value: 0)
      perform(delivery, in: runLoop) { done.signal() }
      done.wait()
    }
  }

  /// Begins a delivery on its target. In real time, the radio does not wait for apps.
  static func call(_ delivery: Delivery) {
    switch delivery.target {
    case .queue(let queue):
      let (app, body) = (delivery.app, delivery.body)
      // With the barrier, even a concurrent queue gets one callback after the other.
      queue.async(flags: .barrier) { PhoneApp.$current.withValue(app) { body() } }
    case .runLoop(let runLoop): perform(delivery, in: runLoop) {}
    }
  }

  private static func perform(_ delivery: Delivery, in runLoop: RunLoop, then: @escaping @Sendable () -> Void) {
    let (app, body) = (delivery.app, delivery.body)
    runLoop.perform {
      PhoneApp.$current.withValue(app) { body() }
      then()
    }
  }

  private static func isCurrent(_ queue: DispatchQueue) -> Bool {
    if let here = DispatchQueue.getSpecific(key: key) { return here == queue.getSpecific(key: key) }
    // Before its first job, the main queue is not current on the main thread.
    return Thread.isMainThread && queue.label == DispatchQueue.main.label
  }
}
