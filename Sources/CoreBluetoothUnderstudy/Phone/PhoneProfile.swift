import AccessoryProfile

extension Profile {
  /// The GATT server of a phone: the time, the battery, and notifications for accessories.
  static func ofPhone() throws -> Profile { try load(text: text, file: "phone.yaml") }

  private static let text = """
    understudy: 1
    name: Phone
    services:
      - include: current-time
      - include: battery
    """
}
