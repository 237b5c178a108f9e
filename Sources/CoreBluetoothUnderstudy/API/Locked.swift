import Foundation

/// A property that apps read on any thread while the system changes it.
@propertyWrapper
final class Locked<Value> {
  private let lock = NSLock()
  private var value: Value

  init(wrappedValue: Value) { value = wrappedValue }

  var wrappedValue: Value {
    get { lock.withLock { value } }
    set { lock.withLock { value = newValue } }
  }

  var projectedValue: Locked<Value> { self }

  /// Changes the value as one step.
  func change<Result>(_ body: (inout Value) -> Result) -> Result { lock.withLock { body(&value) } }
}

/// A weak reference that apps set on any thread.
@propertyWrapper
final class WeakLocked<Object> {
  private let lock = NSLock()
  private weak var object: AnyObject?

  init(wrappedValue: Object?) { object = wrappedValue as AnyObject? }

  var wrappedValue: Object? {
    get { lock.withLock { object as? Object } }
    set { lock.withLock { object = newValue as AnyObject? } }
  }
}
