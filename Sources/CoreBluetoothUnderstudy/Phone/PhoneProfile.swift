import AccessoryProfile

extension Profile {
  /// The GATT server of a phone: the time and the battery, and, for paired accessories, notifications and media.
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
      # `MediaPlayer` provides its values and notifications.
      - id: ams
        uuid: 89D3502B-0F36-433A-8EF4-C502AD55F8DC
        characteristics:
          - id: ams-remote-command
            uuid: 9B3C81D8-57B1-4A8A-B8DF-0E56F7CA51C2
            properties: [write, write-without-response, notify]
            permissions: { write: encrypted, subscribe: encrypted }
            notify: on-demand
            on-write: [ { if: 'length(written) != 1 or written[0] > 10', error: 0xA1 }, { otherwise: log } ]
          - id: ams-entity-update
            uuid: 2F7CABCE-808D-411F-9A0C-BB92BA96C102
            properties: [write, notify]
            permissions: { write: encrypted, subscribe: encrypted }
            notify: on-demand
            on-write:
              - { if: not subscribed(ams-entity-update), error: 0xA0 }
              - { if: 'length(written) < 2 or written[0] > 2', error: 0xA1 }
              - { otherwise: log }
          - id: ams-entity-attribute
            uuid: C6B2F38C-23AB-46D8-A6AB-A3A870BBD5D7
            properties: [read, write]
            permissions: { read: encrypted, write: encrypted }
            format: utf8
            value: { compute: media-value }
            on-write:
              - { if: 'length(written) != 2 or octets(written)[0] > 2 or octets(written)[1] > 3', error: 0xA1 }
              - { if: 'octets(written) == hex:0003', error: 0xA2 }
              - { otherwise: log }
    # The attribute that a client has chosen.
    variables: { media-value: { value: "", per: connection } }
    notifications:
      apps: { com.apple.MobileSMS: Messages, com.apple.mobilephone: Phone, com.apple.mobilemail: Mail }
      rows: []
    """
}
