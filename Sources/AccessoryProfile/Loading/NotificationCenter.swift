/// The Apple Notification Center Service, as a phone has it, and a twin of it: Core Bluetooth hides the real one from apps.
enum NotificationCenter {
  /// The UUIDs of a service and its characteristics.
  struct Identifiers {
    var name: String
    var service: String
    var notificationSource: String
    var controlPoint: String
    var dataSource: String

    static let apple = Identifiers(
      name: "ancs", service: "7905F431-B5CE-4E99-A40F-4B1E122D00D0",
      notificationSource: "9FBF120D-6301-42D9-8C58-25E699A21DBD", controlPoint: "69D1D8F3-45E1-49A8-9821-9BBDFDAAD9D9",
      dataSource: "22EAC6E9-24D6-4BB5-BE44-B36ACE7C7BFB")

    static let twin = Identifiers(
      name: "ancs-twin", service: "A0000010-7C4D-4B0E-9E4B-1F6E2A1B9C00",
      notificationSource: "A0000011-7C4D-4B0E-9E4B-1F6E2A1B9C00", controlPoint: "A0000012-7C4D-4B0E-9E4B-1F6E2A1B9C00",
      dataSource: "A0000013-7C4D-4B0E-9E4B-1F6E2A1B9C00")
  }

  /// The includes that are such services.
  static let names = [Identifiers.apple.name, Identifiers.twin.name]

  /// The service in the language of profiles.
  static func service(_ identifiers: Identifiers, _ named: (String, String) -> String) -> String {
    func id(_ key: String) -> String { named(key, "\(identifiers.name)-\(key)") }
    return """
      id: \(identifiers.name)
      uuid: \(identifiers.service)
      authorization: granted
      characteristics:
        - key: notification-source
          id: \(id("notification-source"))
          uuid: \(identifiers.notificationSource)
          properties: [notify]
          notify: on-demand
          announces: notifications
        - key: control-point
          id: \(id("control-point"))
          uuid: \(identifiers.controlPoint)
          properties: [write]
          control-point:
            answer: \(id("data-source"))
            unknown: { error: 0xA0 }
            malformed: { error: 0xA1 }
            commands:
              - opcode: 0
                parameters:
                  uid: u32
                  attributes:
                    attributes:
                      - { number: 0, column: app }
                      - { number: 1, column: title, maximum: true }
                      - { number: 2, column: subtitle, maximum: true }
                      - { number: 3, column: message, maximum: true }
                      - { number: 4, column: message, size: true }
                      - { number: 5, column: date }
                      - { number: 6, column: positive-action }
                      - { number: 7, column: negative-action }
                    else: { error: 0xA2 }
                require: [ { row: notifications, key: uid, else: { error: 0xA2 } } ]
                response: [opcode, uid, attributes]
              - opcode: 1
                parameters:
                  app: { terminated: utf8 }
                  attributes: { attributes: [ { number: 0, column: name } ], else: { error: 0xA2 } }
                require: [ { row: apps, key: app, else: { error: 0xA2 } } ]
                response: [opcode, app, attributes]
              - opcode: 2
                parameters: { uid: u32, action: { names: { positive-action: 0, negative-action: 1 } } }
                require:
                  - { row: notifications, key: uid, else: { error: 0xA2 } }
                  - { parameter: action, in: [positive-action, negative-action], else: { error: 0xA2 } }
                  - { filled-by: action, else: { error: 0xA3 } }
                do: [log, remove-row]
        - key: data-source
          id: \(id("data-source"))
          uuid: \(identifiers.dataSource)
          properties: [notify]
          notify: on-demand

      """
  }
}
