import AccessoryProfile
import BLECore
import BLELink
import PeripheralHost
import Transport

/// Control of the notifications of an accessory that imitates the Apple Notification Center.
extension Accessory {
  /// Returns the current notifications, each with all its columns.
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

  /// Removes a notification.
  public func removeNotification(_ uid: UInt32) throws(ControlError) {
    try requireNotification(uid)
    try change { (runtime, now) throws(ProfileValueError) in try runtime.removeNotification(uid, at: now) }
  }

  /// Grants or denies clients a service that needs authorization.
  public func setAuthorization(_ state: AuthorizationState, of service: String) throws(ControlError) {
    try setAuthorization(state, of: .service(service))
  }

  /// Grants or denies clients access to something that needs authorization.
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

  /// Changes the profile's runtime, and lets the host send what results.
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
