import AccessoryProfile
import BLECore
import BLELink
import PeripheralHost
import Transport

/// What somebody outside can do with the notifications of an accessory that stands in for the Apple Notification Center.
extension Accessory {
  /// The notifications as they are now: each with all its columns.
  package func notificationReport() -> ProfileValue {
    .array(stack.application.notifications.map { .object($0) })
  }

  /// Adds a notification with these columns, and returns its UID.
  public func addNotification(_ columns: [String: ProfileValue]) throws(ControlError) -> UInt32 {
    try change { (runtime, now) throws(ProfileValueError) in try runtime.addNotification(columns, at: now) }
  }

  /// Changes some columns of a notification.
  public func modifyNotification(_ uid: UInt32, _ columns: [String: ProfileValue]) throws(ControlError) {
    try requireNotification(uid)
    try change { (runtime, now) throws(ProfileValueError) in try runtime.modifyNotification(uid, columns, at: now) }
  }

  /// Takes a notification away.
  public func removeNotification(_ uid: UInt32) throws(ControlError) {
    try requireNotification(uid)
    try change { (runtime, now) throws(ProfileValueError) in try runtime.removeNotification(uid, at: now) }
  }

  /// Lets clients use a service that needs authorization, or keeps them from it.
  public func setAuthorization(_ state: AuthorizationState, of service: String) throws(ControlError) {
    try setAuthorization(state, of: .service(service))
  }

  /// Lets clients use something that needs authorization, or keeps them from it.
  public func setAuthorization(_ state: AuthorizationState, of scope: AuthorizationScope) throws(ControlError) {
    let actions = try change { (runtime, now) throws(ProfileValueError) in
      try runtime.setAuthorization(state, of: scope, at: now)
    }
    try perform(.perform(actions))
  }

  private func requireNotification(_ uid: UInt32) throws(ControlError) {
    let isThere = stack.application.notifications.contains { $0["uid"]?.number == Double(uid) }
    guard isThere else { throw .unknownNotification(uid) }
  }

  /// Lets the profile's runtime change, and the host send what follows from it.
  private func change<Answer>(
    _ body: (inout ProfileRuntime, Instant) throws(ProfileValueError) -> Answer
  ) throws(ControlError) -> Answer {
    let answer: Answer
    do throws(ProfileValueError) {
      answer = try body(&stack.application, loop.now())
    } catch {
      throw .unsuitableValue(error.message)
    }
    try perform(.perform([]))
    return answer
  }
}
