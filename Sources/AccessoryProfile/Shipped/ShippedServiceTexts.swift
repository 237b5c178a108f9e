// Written by scripts/embed-texts from the files in Profiles and Scenarios; a test holds it against them.

extension ShippedTexts {
  /// The services that profiles include, by the names of their files.
  static let services: [(name: String, text: String)] = [
    (
      "ancs",
      ##"""
      # The Apple Notification Center Service, as a phone has it; it tells of the profile's 'notifications'.
      id: ancs
      uuid: 7905F431-B5CE-4E99-A40F-4B1E122D00D0
      authorization: granted
      characteristics:
        - key: notification-source
          id: ancs-notification-source
          uuid: 9FBF120D-6301-42D9-8C58-25E699A21DBD
          properties: [notify]
          notify: on-demand
          announces: notifications
        - key: control-point
          id: ancs-control-point
          uuid: 69D1D8F3-45E1-49A8-9821-9BBDFDAAD9D9
          properties: [write]
          control-point:
            answer: ancs-data-source
            unknown: { error: 0xA0 }
            malformed: { error: 0xA1 }
            commands:
              - opcode: 0                       # get notification attributes
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
              - opcode: 1                       # get app attributes
                parameters:
                  app: { terminated: utf8 }
                  attributes: { attributes: [ { number: 0, column: name } ], else: { error: 0xA2 } }
                require: [ { row: apps, key: app, else: { error: 0xA2 } } ]
                response: [opcode, app, attributes]
              - opcode: 2                       # perform a notification action
                parameters: { uid: u32, action: { names: { positive-action: 0, negative-action: 1 } } }
                require:
                  - { row: notifications, key: uid, else: { error: 0xA2 } }
                  - { parameter: action, in: [positive-action, negative-action], else: { error: 0xA2 } }
                  - { filled-by: action, else: { error: 0xA3 } }
                do: [log, remove-row]
        - key: data-source
          id: ancs-data-source
          uuid: 22EAC6E9-24D6-4BB5-BE44-B36ACE7C7BFB
          properties: [notify]
          notify: on-demand

      """##
    ),
    (
      "ancs-twin",
      ##"""
      # The same as the Apple Notification Center Service under UUIDs of its own: Core Bluetooth hides the real one from apps.
      id: ancs-twin
      uuid: A0000010-7C4D-4B0E-9E4B-1F6E2A1B9C00
      authorization: granted
      characteristics:
        - key: notification-source
          id: ancs-twin-notification-source
          uuid: A0000011-7C4D-4B0E-9E4B-1F6E2A1B9C00
          properties: [notify]
          notify: on-demand
          announces: notifications
        - key: control-point
          id: ancs-twin-control-point
          uuid: A0000012-7C4D-4B0E-9E4B-1F6E2A1B9C00
          properties: [write]
          control-point:
            answer: ancs-twin-data-source
            unknown: { error: 0xA0 }
            malformed: { error: 0xA1 }
            commands:
              - opcode: 0                       # get notification attributes
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
              - opcode: 1                       # get app attributes
                parameters:
                  app: { terminated: utf8 }
                  attributes: { attributes: [ { number: 0, column: name } ], else: { error: 0xA2 } }
                require: [ { row: apps, key: app, else: { error: 0xA2 } } ]
                response: [opcode, app, attributes]
              - opcode: 2                       # perform a notification action
                parameters: { uid: u32, action: { names: { positive-action: 0, negative-action: 1 } } }
                require:
                  - { row: notifications, key: uid, else: { error: 0xA2 } }
                  - { parameter: action, in: [positive-action, negative-action], else: { error: 0xA2 } }
                  - { filled-by: action, else: { error: 0xA3 } }
                do: [log, remove-row]
        - key: data-source
          id: ancs-twin-data-source
          uuid: A0000013-7C4D-4B0E-9E4B-1F6E2A1B9C00
          properties: [notify]
          notify: on-demand

      """##
    ),
    (
      "battery",
      ##"""
      # Battery Service 1.1: drains within a day. What version 1.1 has beyond the level is there when a profile gives its value.
      uuid: battery
      characteristics:
        - key: level
          id: battery-level
          uuid: battery-level
          properties: [read, notify]
          value: { ramp: { from: 100, to: 0, over: 24 h } }
        - { key: level-status, id: battery-level-status, uuid: battery-level-status, properties: [read, notify], optional: true }
        - { key: critical-status, id: battery-critical-status, uuid: battery-critical-status, properties: [read, indicate], optional: true }
        - { key: health-status, id: battery-health-status, uuid: battery-health-status, properties: [read, notify], optional: true }
        - { key: health-information, id: battery-health-information, uuid: battery-health-information, properties: [read], optional: true }
        - { key: information, id: battery-information, uuid: battery-information, properties: [read], optional: true }
        - { key: energy-status, id: battery-energy-status, uuid: battery-energy-status, properties: [read, notify], optional: true }
        - { key: time-status, id: battery-time-status, uuid: battery-time-status, properties: [read, notify], optional: true }
        - { key: service-date, id: estimated-service-date, uuid: estimated-service-date, properties: [read, notify], optional: true }

      """##
    ),
    (
      "body-composition",
      ##"""
      # Body Composition Service 1.0: a body of 72.5 kg.
      uuid: body-composition
      characteristics:
        - key: feature
          id: body-composition-feature
          uuid: body-composition-feature
          properties: [read]
          value:
            time: true
            multiple-users: true
            basal-metabolism: true
            muscle-percentage: true
            muscle-mass: true
            fat-free-mass: true
            soft-lean-mass: true
            body-water-mass: true
            impedance: true
            weight: false
            height: false
            mass-resolution: 0.05-kg
            height-resolution: unspecified
        - key: measurement
          id: body-composition-measurement
          uuid: body-composition-measurement
          properties: [indicate]
          indicate: on-demand
          value:
            unit: si
            body-fat: 18.4
            time: { clock: local }
            user: 1
            basal-metabolism: 7020
            muscle-percentage: 44.1
            muscle-mass: 31.95
            fat-free-mass: 59.15
            soft-lean-mass: 56.2
            body-water-mass: 43.3
            impedance: 512.5

      """##
    ),
    (
      "current-time",
      ##"""
      # Current Time Service 1.1: the time of the machine, which a client may set for the accessory.
      uuid: current-time
      characteristics:
        - key: current-time
          id: current-time
          uuid: current-time
          properties: [read, write, notify]
          value: { clock: local }
        - key: local-time-information
          id: local-time-information
          uuid: local-time-information
          properties: [read]
          value: { clock: local }
        - key: reference-time-information
          id: reference-time-information
          uuid: reference-time-information
          properties: [read]
          value: { source: network, accuracy: 8, days-since-update: 0, hours-since-update: 0 }

      """##
    ),
    (
      "device-information",
      ##"""
      # Device Information Service 1.1. What is optional is there when a profile gives its value.
      uuid: device-information
      characteristics:
        - { key: manufacturer-name, id: manufacturer-name, uuid: manufacturer-name, properties: [read], value: Understudy }
        - { key: model-number, id: model-number, uuid: model-number, properties: [read], value: Understudy }
        - { key: serial-number, id: serial-number, uuid: serial-number, properties: [read], optional: true }
        - { key: hardware-revision, id: hardware-revision, uuid: hardware-revision, properties: [read], optional: true }
        - { key: firmware-revision, id: firmware-revision, uuid: firmware-revision, properties: [read], value: 1.0.0 }
        - { key: software-revision, id: software-revision, uuid: software-revision, properties: [read], optional: true }
        - { key: system-id, id: system-id, uuid: system-id, properties: [read], optional: true }
        - { key: pnp-id, id: pnp-id, uuid: pnp-id, properties: [read], optional: true }
        - { key: udi, id: udi, uuid: udi-for-medical-devices, properties: [read], optional: true }
        - key: ieee-11073-20601-regulatory-certification-data-list
          id: ieee-11073-20601-regulatory-certification-data-list
          uuid: ieee-11073-20601-regulatory-certification-data-list
          properties: [read]
          optional: true

      """##
    ),
    (
      "heart-rate",
      ##"""
      # Heart Rate Service 1.0: a heart between rest and effort, once a second.
      uuid: heart-rate
      characteristics:
        - key: measurement
          id: heart-rate-measurement
          uuid: heart-rate-measurement
          properties: [notify]
          value:
            bpm: { wave: sine, low: 62, high: 148, period: 60 s }
            contact: detected
            energy: { ramp: 1 kJ per 10 s }
            rr: from-bpm
          notify: { every: 1 s }
        - key: body-sensor-location
          id: body-sensor-location
          uuid: body-sensor-location
          properties: [read]
          value: chest
        - key: control-point
          id: heart-rate-control-point
          uuid: heart-rate-control-point
          format: u8
          properties: [write]
          on-write:
            - when: hex:01
              do: { reset: heart-rate-measurement.energy }
            - otherwise: { error: 0x80 }

      """##
    ),
    (
      "human-interface-device",
      ##"""
      # HID Service 1.0 for HID over GATT 1.0, where everything needs an encrypted link. Its reports are a profile's own `characteristics`, and
      # so is its `report-map`.
      uuid: human-interface-device
      characteristics:
        - key: information
          id: hid-information
          uuid: hid-information
          properties: [read]
          permissions: { read: encrypted }
          value: { version: 0x0111, flags: [remote-wake, normally-connectable] }
        - key: report-map
          id: report-map
          uuid: report-map
          properties: [read]
          permissions: { read: encrypted }
          value: hex:00
        # Suspended while the host sleeps. What is reserved is passed over, as every write without a response that is refused.
        - key: control-point
          id: hid-control-point
          uuid: hid-control-point
          properties: [write-without-response]
          permissions: { write: encrypted }
          value: exit-suspend
          on-write:
            - { when: hex:00, do: log }
            - { when: hex:01, do: log }
            - { otherwise: { error: value-not-allowed } }
          rules: [ { when: connected, do: { set: { hid-control-point: exit-suspend } } } ]
        # Every connection begins in Report Protocol Mode (HIDS 2.4).
        - key: protocol-mode
          id: protocol-mode
          uuid: protocol-mode
          properties: [read, write-without-response]
          permissions: { read: encrypted, write: encrypted }
          value: report
          on-write:
            - { when: hex:00, do: log }
            - { when: hex:01, do: log }
            - { otherwise: { error: value-not-allowed } }
          rules: [ { when: connected, do: { set: { protocol-mode: report } } } ]

      """##
    ),
    (
      "immediate-alert",
      ##"""
      # Immediate Alert Service 1.0: whoever writes a level alerts at once. What is reserved is passed over.
      uuid: immediate-alert
      characteristics:
        - key: level
          id: immediate-alert-level
          uuid: alert-level
          properties: [write-without-response]
          value: none
          on-write:
            - { if: 'written == "none" or written == "mild" or written == "high"', do: log }
            - { otherwise: { error: value-not-allowed } }

      """##
    ),
    (
      "link-loss",
      ##"""
      # Link Loss Service 1.0: how the accessory alerts when a central is lost without a word.
      uuid: link-loss
      characteristics:
        - key: level
          id: link-loss-level
          uuid: alert-level
          properties: [read, write]
          value: none
          on-write:
            - { if: 'written == "none" or written == "mild" or written == "high"', do: log }
            - { otherwise: { error: value-not-allowed } }

      """##
    ),
    (
      "next-dst-change",
      ##"""
      # Next DST Change Service 1.0: when clocks are changed next, and by how much; the end of summer time in Europe in 2025 (UTC).
      uuid: next-dst-change
      characteristics:
        - key: time-with-dst
          id: time-with-dst
          uuid: time-with-dst
          properties: [read]
          value: { time: 2025-10-26T01:00:00, dst: standard }

      """##
    ),
    (
      "reference-time-update",
      ##"""
      # Reference Time Update Service 1.0: asks for the time, which takes two seconds. States and results as in the profiles of Realtek (rtu_def.h)
      # and of STMicroelectronics' BlueNRG.
      uuid: reference-time-update
      characteristics:
        - key: control-point
          id: time-update-control-point
          uuid: time-update-control-point
          properties: [write-without-response]
          rules:
            - when: written
              if: written == "get"
              do: { set: { time-update-state: { state: pending } } }
            # What was canceled meanwhile stays so.
            - when: written
              if: written == "get"
              after: 2 s
              do:
                set:
                  time-update-state:
                    result: { compute: "if(time-update-state.state == 'pending', 'successful', time-update-state.result)" }
                    state: idle
            - when: written
              if: written == "cancel" and time-update-state.state == "pending"
              do: { set: { time-update-state: { state: idle, result: canceled } } }
        - key: state
          id: time-update-state
          uuid: time-update-state
          properties: [read]
          value: { state: idle, result: not-attempted }

      """##
    ),
    (
      "scan-parameters",
      ##"""
      # Scan Parameters Service 1.0: the host says how it scans, and is asked to say it again.
      uuid: scan-parameters
      characteristics:
        - key: interval-window
          id: scan-interval-window
          uuid: scan-interval-window
          properties: [write-without-response]
          permissions: { write: encrypted }
          value: { interval: 0, window: 0 }
          on-write: [ { when: any, do: log } ]
        - key: refresh
          id: scan-refresh
          uuid: scan-refresh
          properties: [notify]
          permissions: { subscribe: encrypted }
          value: refresh-required
          notify: on-demand

      """##
    ),
    (
      "tx-power",
      ##"""
      # Tx Power Service 1.0.
      uuid: tx-power
      characteristics:
        - { key: level, id: tx-power-level, uuid: tx-power-level, properties: [read], value: 0 }

      """##
    ),
  ]
}
