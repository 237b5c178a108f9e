import AccessoryProfile
import BLECore
import BLEHCI
import BLELink
import Foundation

/// The phone's Notification Center, for accessories that use the Apple Notification Center Service.
extension PhoneControls {
  /// Whether the person lets accessories show notifications. `setSharesNotifications` decides for one accessory. Initially the person has
  /// not been asked, and the phone refuses access. A change calls `didUpdateANCSAuthorizationFor` in apps with connected accessories.
  public var sharesNotifications: Bool {
    get { access.read(\.sharesNotifications) }
    set { access.perform { $0.shareNotifications(newValue) } }
  }

  /// Returns whether the accessory with this name may show notifications: it is paired, and the person allows it.
  public func sharesNotifications(with accessory: String) -> Bool {
    access.read { $0.bondedDevice(named: accessory).map($0.mayShowNotifications) ?? false }
  }

  /// Allows or forbids the accessory with this name to show notifications. The decision lasts as long as its bond. Returns whether there is
  /// a bond.
  @discardableResult
  public func setSharesNotifications(_ isOn: Bool, with accessory: String) -> Bool {
    access.perform { system in
      guard let device = system.bondedDevice(named: accessory) else { return false }
      device.sharesNotifications = isOn
      system.updateNotificationConsent(of: device)
      return true
    }
  }

  /// Shows a notification. Returns its UID. `category` is an ANCS category in kebab case, such as `incoming-call`.
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
  func bondedDevice(named name: String) -> Device? { devices.first { $0.identity != nil && $0.name == name } }

  func mayShowNotifications(_ device: Device) -> Bool {
    device.identity != nil && device.sharesNotifications ?? sharesNotifications
  }

  /// Decides for all accessories that have no decision of their own.
  func shareNotifications(_ isOn: Bool) {
    sharesNotifications = isOn
    for device in devices { updateNotificationConsent(of: device) }
  }

  /// Asks the person whether an accessory may show notifications, the first time that it tries on a link. `setSharesNotifications` answers.
  func askForNotificationConsent(on handle: ConnectionHandle) {
    guard let link = link(handle), !link.hasAskedForNotifications, link.device.identity != nil,
      link.device.sharesNotifications == nil
    else { return }
    link.hasAskedForNotifications = true
    journal(.object(["event": .string("notification-prompt"), "peripheral": .string(link.device.name ?? "")]))
  }

  /// Grants or withdraws a connected accessory's access to the Notification Center, and tells apps.
  func updateNotificationConsent(of device: Device) {
    guard let link = device.link else { return }
    let isOn = mayShowNotifications(device)
    guard link.showsNotifications != isOn else { return }
    link.showsNotifications = isOn
    change { runtime, _ in runtime.setAuthorization(isOn, of: "ancs", for: link.handle.client) }
    for id in link.users.sorted() {
      let peer = AppPeer(manager: id, device: device.identifier)
      deliver(peer, "didUpdateANCSAuthorization", ["authorized": .bool(isOn)]) { peripheral in
        peripheral.isANCSAuthorized = isOn
        peripheral.manager.map { $0.delegate?.centralManager($0, didUpdateANCSAuthorizationFor: peripheral) }
      }
    }
  }

  /// Changes the values of the phone's own server, and sends the resulting notifications.
  @discardableResult
  func change<Answer, Failure: Error>(
    _ body: (inout ProfileRuntime, Instant) throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    let answer = try body(&stack.application, now)
    stack.advance(to: now, into: &out)
    collect()
    return answer
  }
}
