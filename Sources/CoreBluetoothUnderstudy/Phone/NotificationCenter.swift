import AccessoryProfile
import BLECore
import BLELink
import Foundation

/// The phone's Notification Center, for accessories that use the Apple Notification Center Service.
extension PhoneControls {
  /// Whether the person lets accessories show notifications: for all of them, although a person decides for each. Initially nobody was asked,
  /// and accesses are refused. Apps of connected accessories learn of a change by `didUpdateANCSAuthorizationFor`.
  public var sharesNotifications: Bool {
    get { access.read(\.sharesNotifications) }
    set { access.perform { $0.shareNotifications(newValue) } }
  }

  /// Shows a notification. Returns its UID. `category` is one of ANCS, in kebab case.
  @discardableResult
  public func notify(
    title: String, message: String = "", category: String = "other", app: String = "com.apple.MobileSMS"
  ) throws -> UInt32 {
    let fields: [String: ProfileValue] = [
      "category": .string(category), "app": .string(app), "title": .string(title), "message": .string(message),
    ]
    return try access.perform { system in
      Result<UInt32, any Error> {
        try system.change { (runtime, now) throws(ProfileValueError) in try runtime.addNotification(fields, at: now) }
      }
    }.get()
  }
}

extension PhoneSystem {
  /// Grants accessories the Notification Center, or withdraws it.
  func shareNotifications(_ isOn: Bool) {
    guard isOn != sharesNotifications else { return }
    let actions = try? change { (runtime, now) throws(ProfileValueError) in
      try runtime.setAuthorization(isOn ? .granted : .revoked, of: "ancs", at: now)
    }
    guard let actions else { return }
    sharesNotifications = isOn
    stack.perform(actions, at: now, into: &out)
    collect()
    for device in devices where device.link != nil {
      for id in device.link?.users ?? [] {
        let peer = AppPeer(manager: id, device: device.identifier)
        deliver(peer, "didUpdateANCSAuthorization", ["authorized": .bool(isOn)]) { peripheral in
          peripheral.isANCSAuthorized = isOn
          peripheral.manager.map { $0.delegate?.centralManager($0, didUpdateANCSAuthorizationFor: peripheral) }
        }
      }
    }
  }

  /// Changes the values behind the phone's own server, and sends what results.
  func change<Answer>(
    _ body: (inout ProfileRuntime, Instant) throws(ProfileValueError) -> Answer
  ) throws(ProfileValueError) -> Answer {
    let answer = try body(&stack.application, now)
    stack.advance(to: now, into: &out)
    collect()
    return answer
  }
}
