import AccessoryProfile
import Foundation

/// The parts of a phone that apps read on their own threads. `@unchecked Sendable` for the reason given at `PhoneApp`.
final class PhoneShared: @unchecked Sendable {
  let persona: Persona
  let name: String
  let mailbox = Mailbox()
  @Locked var devices: [UUID: KnownDevice] = [:]
  @Locked var connected: [ConnectedDevice] = []
  /// The state of Bluetooth, for managers of apps with permission.
  @Locked var state = CBManagerState.unknown
  @Locked private var lastManager = 0

  init(persona: Persona, name: String) {
    self.persona = persona
    self.name = name
  }

  /// Notes a misuse of the API, from any thread.
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
