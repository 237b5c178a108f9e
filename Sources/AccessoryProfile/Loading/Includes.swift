/// The services that profiles can include, written in the language itself.
///
/// Two keys stand only here: `key` is the name by which a profile overrides a characteristic, and one that is
/// `optional` is there only when the profile gives its value.
enum Includes {
  static let names = ["ancs", "ancs-twin", "battery", "current-time", "device-information", "heart-rate"]

  /// The text of a service. `prefix` stands before the ids of its characteristics in place of their usual ones.
  static func text(of name: String, prefix: String?) -> String? {
    func id(_ key: String, _ usual: String) -> String { prefix.map { "\($0)-\(key)" } ?? usual }
    switch name {
    case "ancs": return NotificationCenter.service(.apple, id)
    case "ancs-twin": return NotificationCenter.service(.twin, id)
    case "battery": return battery(id)
    case "current-time": return currentTime(id)
    case "device-information": return deviceInformation(id)
    case "heart-rate": return heartRate(id)
    default: return nil
    }
  }

  /// Battery Service 1.0: drains within a day.
  private static func battery(_ id: (String, String) -> String) -> String {
    """
    uuid: battery
    characteristics:
      - key: level
        id: \(id("level", "battery-level"))
        uuid: battery-level
        properties: [read, notify]
        value: { ramp: { from: 100, to: 0, over: 24 h } }
    """
  }

  /// Current Time Service 1.1: the time of the machine, which a client may set for the accessory.
  private static func currentTime(_ id: (String, String) -> String) -> String {
    """
    uuid: current-time
    characteristics:
      - key: current-time
        id: \(id("current-time", "current-time"))
        uuid: current-time
        properties: [read, write, notify]
        value: { clock: local }
      - key: local-time-information
        id: \(id("local-time-information", "local-time-information"))
        uuid: local-time-information
        properties: [read]
        value: { clock: local }
      - key: reference-time-information
        id: \(id("reference-time-information", "reference-time-information"))
        uuid: reference-time-information
        properties: [read]
        value: { source: network, accuracy: 8, days-since-update: 0, hours-since-update: 0 }
    """
  }

  /// Device Information Service 1.1.
  private static func deviceInformation(_ id: (String, String) -> String) -> String {
    func text(_ key: String, value: String? = nil) -> String {
      let uuid = key == "udi" ? "udi-for-medical-devices" : key
      let presence = value.map { "value: \($0)" } ?? "optional: true"
      return """
          - key: \(key)
            id: \(id(key, key))
            uuid: \(uuid)
            properties: [read]
            \(presence)

        """
    }
    return "uuid: device-information\ncharacteristics:\n"
      + text("manufacturer-name", value: "Understudy") + text("model-number", value: "Understudy")
      + text("serial-number") + text("hardware-revision") + text("firmware-revision", value: "1.0.0")
      + text("software-revision") + text("system-id") + text("pnp-id") + text("udi")
      + text("ieee-11073-20601-regulatory-certification-data-list")
  }

  /// Heart Rate Service 1.0: a heart between rest and effort, once a second.
  private static func heartRate(_ id: (String, String) -> String) -> String {
    """
    uuid: heart-rate
    characteristics:
      - key: measurement
        id: \(id("measurement", "heart-rate-measurement"))
        uuid: heart-rate-measurement
        properties: [notify]
        value:
          bpm: { wave: sine, low: 62, high: 148, period: 60 s }
          contact: detected
          energy: { ramp: 1 kJ per 10 s }
          rr: from-bpm
        notify: { every: 1 s }
      - key: body-sensor-location
        id: \(id("body-sensor-location", "body-sensor-location"))
        uuid: body-sensor-location
        properties: [read]
        value: chest
      - key: control-point
        id: \(id("control-point", "heart-rate-control-point"))
        uuid: heart-rate-control-point
        format: u8
        properties: [write]
        on-write:
          - when: hex:01
            do: { reset: \(id("measurement", "heart-rate-measurement")).energy }
          - otherwise: { error: 0x80 }
    """
  }
}
