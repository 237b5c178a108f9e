import AccessoryProfile
import Foundation
import Synchronization

/// The calls of apps that the system has not processed, in order.
final class Mailbox: Sendable {
  typealias Call = @Sendable (PhoneSystem) -> Void
  private let calls = Mutex<[Call]>([])
  private let wake = Mutex<(@Sendable () -> Void)?>(nil)

  /// Sets what makes the system's thread look for calls; in virtual time nothing needs to.
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

/// What apps read of a phone on their threads. `@unchecked Sendable` for the reason given at `PhoneApp`.
final class PhoneShared: @unchecked Sendable {
  let persona: Persona
  let name: String
  let mailbox = Mailbox()
  @Locked var devices: [UUID: KnownDevice] = [:]
  @Locked var connected: [ConnectedDevice] = []
  /// The state that new managers get.
  @Locked var state = CBManagerState.unknown
  @Locked private var lastManager = 0

  init(persona: Persona, name: String) {
    self.persona = persona
    self.name = name
  }

  /// Notes a wrong use of the API. It may come from any thread.
  func note(misuse text: String, by app: String) {
    mailbox.post {
      $0.journal(.object(["event": .string("api-misuse"), "app": .string(app), "message": .string(text)]))
    }
  }

  func nextManagerID() -> ManagerID {
    $lastManager.change { last in
      last += 1
      return ManagerID(rawValue: last)
    }
  }
}
