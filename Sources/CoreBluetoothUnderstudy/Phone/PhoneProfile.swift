import AccessoryProfile

extension Profile {
  /// The GATT server of a phone: the time, the battery, and notifications for accessories that have paired.
  static func ofPhone() throws -> Profile { try load(text: text, file: "phone.yaml") }

  private static let text = """
    understudy: 1
    name: Phone
    services:
      - include: current-time
      - include: battery
      - include: ancs
        authorization: { state: pending, error: insufficient-authorization }
        notification-source: { permissions: { subscribe: encrypted } }
        data-source: { permissions: { subscribe: encrypted } }
        control-point: { permissions: { write: encrypted } }
    notifications:
      apps: { com.apple.MobileSMS: Messages, com.apple.mobilephone: Phone, com.apple.mobilemail: Mail }
      rows: []
    """
}
