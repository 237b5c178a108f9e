import Synchronization

/// The calls of apps that the system has not processed, in order.
final class Mailbox: Sendable {
  typealias Call = @Sendable (PhoneSystem) -> Void
  private let calls = Mutex<[Call]>([])
  private let wake = Mutex<(@Sendable () -> Void)?>(nil)

  /// Sets the code that makes the system's thread look for calls. Virtual time needs none.
  func onPost(_ body: @escaping @Sendable () -> Void) { wake.withLock { $0 = body } }

  func post(_ call: @escaping Call) {
    calls.withLock { $0.append(call) }
    wake.withLock { $0 }?()
  }

  var hasCalls: Bool { calls.withLock { !$0.isEmpty } }

  func take() -> [Call] {
    calls.withLock { calls in
      defer { calls = [] }
      return calls
    }
  }
}
