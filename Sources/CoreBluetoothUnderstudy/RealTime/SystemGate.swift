#if os(Linux)
  import Foundation
  import Synchronization

  /// The access to a system on a loop, from any thread.
  ///
  /// `@unchecked Sendable`: while the gate is open, only the loop uses the system. Before and after that, the holder of the lock does.
  final class SystemGate: SystemAccess, @unchecked Sendable {
    let system: PhoneSystem
    private let state = Mutex(State())

    private struct State {
      var isOpen = false
      var failure: String?
    }

    init(_ system: PhoneSystem) { self.system = system }

    /// Why the controller can no longer be used; nil if it can.
    var failure: String? { state.withLock { $0.failure } }

    func failed(_ reason: String) { state.withLock { $0.failure = reason } }

    /// Hands the system to a loop. `wake` wakes the loop.
    func open(wake: @escaping @Sendable () -> Void) {
      state.withLock { $0.isOpen = true }
      system.shared.mailbox.onPost(wake)
    }

    /// Takes the system from its loop. From then on, calls of apps have no effect.
    func close() {
      let mailbox = system.shared.mailbox
      state.withLock { state in
        for call in mailbox.take() { call(system) }
        mailbox.onPost { [weak mailbox] in _ = mailbox?.take() }
        state.isOpen = false
      }
    }

    func read<Result: Sendable>(_ body: @escaping @Sendable (PhoneSystem) -> Result) -> Result {
      let answer = Answer<Result>()
      state.withLock { state in
        guard state.isOpen else { return answer.give(body(system)) }
        system.shared.mailbox.post { answer.give(body($0)) }
      }
      return answer.wait()
    }

    func perform<Result: Sendable>(_ body: @escaping @Sendable (PhoneSystem) -> Result) -> Result { read(body) }

    /// The result of a call on another thread.
    private final class Answer<Result: Sendable>: Sendable {
      private let result = Mutex<Result?>(nil)
      private let isThere = DispatchSemaphore(value: 0)

      func give(_ result: Result) {
        self.result.withLock { $0 = result }
        isThere.signal()
      }

      func wait() -> Result {
        isThere.wait()
        return result.withLock { $0 } ?? wait()
      }
    }
  }
#endif
