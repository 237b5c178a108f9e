// Written by scripts/embed-profiles from the files in Profiles; a test holds it against them.

extension ShippedTexts {
  /// The profiles, by the names of their files.
  static let all: [(name: String, text: String)] = [
    (
      "ancs",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # A phone whose notifications an accessory, or an app, can read: the Apple Notification Center Service.
      #
      #   understudy run ancs
      #
      # The real service is for firmware, for BlueZ, Android and test tools. An app on Core Bluetooth never sees it, because the system
      # keeps it to itself; the twin has the same characteristics and the same behaviour under UUIDs of its own.
      understudy: 1
      name: Phone
      about: A phone with an unread mail, a call that comes and is missed, and messages; both ANCS and a twin that apps can see.
      identity: { address: static, appearance: phone }
      connection: { max-connections: 4 }

      # A phone pairs as both sides can: here somebody is asked, on the terminal or over the control API, to compare a number or to type a
      # passkey. `answers: accept` compares by itself.
      security: { pairing: keyboard-display }

      advertising:
        - id: main
          data: { flags: [general], services: [A0000010-7C4D-4B0E-9E4B-1F6E2A1B9C00] }
          scan-response: { name: complete }
          schedule: [ { interval: 20 ms, for: 30 s }, { interval: 152.5 ms } ]

      services:
        # `pending`, `denied` and `revoked` answer every access with the error, until the control API grants it:
        #   authorization: { state: pending, error: insufficient-authentication }
        # Who is not paired gets nothing, as from a phone.
        - include: ancs
          authorization: granted
          notification-source: { permissions: &paired { subscribe: encrypted } }
          data-source: { permissions: *paired }
          control-point: { permissions: { write: encrypted } }
        - include: ancs-twin
          authorization: granted
          notification-source: { permissions: *paired }
          data-source: { permissions: *paired }
          control-point: { permissions: { write: encrypted } }

      # One list for both services. A notification without a UID gets the next one, and one without a date the time it comes at.
      notifications:
        apps:
          com.apple.mobilephone: Phone
          com.apple.MobileSMS: Messages
          com.apple.mobilemail: Mail
          com.apple.mobilecal: Calendar

        # There before anybody connects: subscribers get it with the flag PreExisting.
        rows:
          - uid: 1
            category: email
            flags: [silent]
            app: com.apple.mobilemail
            title: Ada Lovelace
            subtitle: Notes on the engine
            message: >-
              The engine weaves algebraic patterns just as the loom weaves flowers and leaves. I have put the notes in order, and the
              table for the numbers of Bernoulli is complete; please compare the signs in the fourth and the seventh operation before it
              goes to the printer.
            negative-action: Clear

        timeline:
          # A call rings for 15 s. A client that performs an action ends it sooner.
          - at: 5 s
            add:
              uid: 2
              category: incoming-call
              flags: [important]
              app: com.apple.mobilephone
              title: Grace Hopper
              message: Incoming Call
              positive-action: Answer
              negative-action: Decline
          - { at: 20 s, remove: 2 }
          - at: 20 s
            add:
              uid: 3
              category: missed-call
              app: com.apple.mobilephone
              title: Grace Hopper
              message: Missed Call
              positive-action: Dial
              negative-action: Clear
          - at: 30 s
            add:
              uid: 4
              category: social
              app: com.apple.MobileSMS
              title: Zoë
              message: Café at four? ☕
              negative-action: Clear
          # The same conversation goes on.
          - { at: 40 s, modify: { uid: 4, message: Café at five! ☕☕ } }
          - at: 50 s
            add:
              uid: 5
              category: schedule
              app: com.apple.mobilecal
              title: Rehearsal
              subtitle: Stage door
              message: In 15 minutes
              negative-action: Clear
          - { at: 65 s, remove: 3 }

      """##
    ),
    (
      "battery",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # The smallest useful accessory: one shipped service. Without `advertising`, one legacy set says flags, services and name.
      #
      #   understudy run battery
      #
      # Note that Linux keeps the Battery service to itself: run bluetoothd with `-P battery` to see it from an application.
      understudy: 1
      name: Battery
      about: A battery level that falls by one percent every ten seconds and is notified whenever it changes.

      services:
        - include: battery
          level:
            value: { counter: { from: 100, to: 0, every: 10 s } }
            description: Main cell
            # Says to clients what the number is: percent, the main one (namespace 1, description 0x0106).
            presentation-format: { format: u8, unit: percentage, namespace: 1, description: 0x0106 }

      """##
    ),
    (
      "current-time",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # A clock: what a watch reads from a phone, and what an app reads from a wall clock.
      #
      #   understudy run current-time
      understudy: 1
      name: Current Time
      about: The time of this machine, with its time zone; a client may set the accessory's clock.
      identity: { address: static, appearance: clock }

      services:
        - include: current-time
          # `clock: local` everywhere is what the include has already; written out here to be changed.
          current-time: { clock: local }
          # Or, for another place than this one: { time-zone: "+05:45", dst: standard }
          local-time-information: { clock: local }
          # Accuracy counts 1/8 s.
          reference-time-information: { source: network, accuracy: 8, days-since-update: 0, hours-since-update: 1 }

      """##
    ),
    (
      "cycling",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # A speed and cadence sensor of a bicycle, whose control point takes commands.
      #
      #   understudy run cycling
      understudy: 1
      name: Cycling Sensor
      about: Wheel and crank revolutions once a second, with the control point of the Cycling Speed and Cadence Service.
      identity: { address: static, appearance: speed-and-cadence-sensor }

      services:
        - uuid: cycling-speed-and-cadence
          characteristics:
            # Event times count 1/1024 s; both turn evenly, five and one and a half times a second.
            - id: measurement
              uuid: csc-measurement
              properties: [notify]
              value:
                wheel: { ramp: 5 per 1 s }
                wheel-time: { counter: { from: 0, to: 65535, step: 1024 } }
                crank: { ramp: 3 per 2 s }
                crank-time: { counter: { from: 0, to: 65535, step: 1024 } }
              notify: { every: 1 s }

            - id: feature
              uuid: csc-feature
              properties: [read]
              value: [wheel, crank, multiple-locations]

            - id: location
              uuid: sensor-location
              properties: [read]
              value: rear-wheel

            # A command is under way until its indication is confirmed.
            - id: control-point
              uuid: sc-control-point
              properties: [write, indicate]
              indicate: on-demand
              control-point:
                response: [0x10, opcode, result]
                unknown: { result: 2 }
                malformed: { result: 3 }
                busy: { error: 0x80 }
                unsubscribed: { error: 0x81 }
                commands:
                  - opcode: 1                   # set the wheel revolutions
                    parameters: { wheel: u32 }
                    do: { assign: { measurement.wheel: wheel } }
                  - opcode: 3                   # update the sensor location
                    parameters: { location: sensor-location }
                    require: [ { parameter: location, in: [front-wheel, rear-wheel] } ]
                    do: { assign: { location: location } }
                  - opcode: 4                   # list the locations that are possible
                    response: [0x10, opcode, result, hex:040C]

      """##
    ),
    (
      "eddystone",
      ##"""
      # Eddystone's frames, each in a set of its own: a URL, an identifier, and how the beacon is.
      understudy: 1
      name: Eddystone
      about: >-
        A beacon of Google's open format. Its telemetry counts what it has sent and since when, and says a battery that runs down.
      parameters:
        url: { default: "https://example.org/door", about: Where it leads. }
      advertising:
        - { id: url, eddystone: { url: $url } }
        - { id: uid, eddystone: { uid: { namespace: hex:00112233445566778899, instance: hex:0A0B0C0D0E0F }, measured-power: -18 } }
        - id: tlm
          interval: 1 s
          eddystone:
            tlm:
              battery: { ramp: { from: 3000, to: 2000, over: 1 d } }
              temperature: { wave: sine, low: 18.5, high: 23, period: 1 h }
      services: []

      """##
    ),
    (
      "glucose",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # A glucose meter, whose stored records are asked for through the Record Access Control Point.
      #
      #   understudy run glucose
      understudy: 1
      name: Glucose Meter
      about: Stored glucose measurements, which a client reports, counts and deletes; a new one after one and after five minutes.
      identity: { address: static, appearance: glucose-meter }

      tables:
        # 10^-5 kg/L is 1 mg/dL.
        - id: measurements
          format: glucose-measurement
          key: sequence
          rows:
            - { sequence: 1, time: 2024-02-27T07:05:00, offset: 0, concentration: 0.00095, sample: &blood { type: capillary-whole-blood, location: finger }, status: [] }
            - { sequence: 2, time: 2024-02-27T12:40:00, offset: 0, concentration: 0.00140, sample: *blood, status: [] }
            - { sequence: 3, time: 2024-02-27T19:15:00, offset: 0, concentration: 0.00182, sample: *blood, status: [] }
            - { sequence: 4, time: 2024-02-28T07:10:00, offset: 0, concentration: 0.00071, sample: *blood, status: [] }
            - { sequence: 5, time: 2024-02-28T13:00:00, offset: -60, concentration: 0.00110, sample: *blood, status: [] }
          timeline:
            - at: 1 min
              add: { time: 2024-02-28T18:30:00, offset: -60, concentration: 0.00116, sample: *blood, status: [] }
            - at: 5 min
              add: { time: 2024-02-28T21:30:00, offset: -60, concentration: 0.00601, sample: *blood, status: [result-too-high] }

      services:
        - uuid: glucose
          characteristics:
            - id: measurement
              uuid: glucose-measurement
              properties: [notify]
              notify: on-demand

            - id: feature
              uuid: glucose-feature
              properties: [read]
              value: [result-high-low]

            # A real meter takes commands of paired clients only.
            - id: control-point
              uuid: record-access-control-point
              properties: [write, indicate]
              indicate: on-demand
              control-point:
                response: [hex:0600, opcode, result]
                unknown: { result: 2 }
                malformed: { result: 5 }
                busy: { error: 0x80 }
                unsubscribed: { error: 0x81 }
                commands:
                  - opcode: 1                   # report stored records
                    parameters:
                      selection: &selection
                        records: measurements
                        filters: { 1: sequence }
                        invalid-operator: { result: 3 }
                        unsupported-operator: { result: 4 }
                        unsupported-operand: { result: 9 }
                    require:
                      - { subscribed: measurement, else: { error: 0x81 } }
                      - { found: selection, else: { result: 6 } }
                    do: { send: { selection: measurement } }
                  - opcode: 2                   # delete stored records
                    parameters: { selection: *selection }
                    require: [ { found: selection, else: { result: 6 } } ]
                    do: { clear: selection }
                  - opcode: 3                   # abort; its operator is Null
                    while-busy: true
                    parameters: { operator: u8 }
                    require: [ { parameter: operator, in: [0], else: { result: 3 } } ]
                    do: stop
                  - opcode: 4                   # report the number of stored records
                    parameters: { selection: *selection }
                    response: [hex:0500, { count: selection }]

        - include: device-information

      """##
    ),
    (
      "heart-rate",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # A chest strap: what most people build first, and a tour of the language. Run it with
      #
      #   understudy run heart-rate
      #
      # Every key is explained in docs/profiles.md.
      understudy: 1
      name: Heart Rate Belt
      about: Chest strap; heart rate once a second, energy, RR intervals, and a battery that drains within a working day.

      # `static` is a random static address that follows from the name, so that a phone meets the same device every time.
      identity: { address: static, appearance: heart-rate-belt }

      # Two sets under one identity: old phones find the legacy one; new ones read more from the extended one, on the 2M PHY.
      # Fast for 30 s, so that a waiting app finds it at once, then slower to save the battery.
      advertising:
        - id: main
          kind: legacy
          data: { flags: [general], services: [heart-rate], name: complete }
          scan-response: { appearance: true }
          schedule: [ { interval: 20 ms, for: 30 s }, { interval: 152.5 ms } ]
        - id: extended
          kind: extended
          data: { flags: [general], name: complete, services: [heart-rate], appearance: true, tx-power: true }
          secondary-phy: 2M
          schedule: [ { interval: 20 ms, for: 30 s }, { interval: 152.5 ms } ]

      # 15 ms is the shortest interval that an iPhone grants; the request waits until discovery is over.
      connection: { mtu: 517, data-length: 251, phy: 2M, request: { interval: [15 ms, 30 ms], timeout: 6 s, after: 5 s } }

      services:
        - uuid: heart-rate
          characteristics:
            - id: measurement
              uuid: heart-rate-measurement
              properties: [notify]
              # Each field has a source of its own. The flags, and whether the rate takes one octet or two, follow from them.
              value:
                bpm: { wave: sine, low: 62, high: 148, period: 60 s }
                contact: detected
                energy: { ramp: 1 kJ per 10 s }   # in every tenth measurement
                rr: from-bpm                      # the beats since the last measurement
              notify: { every: 1 s }

            - id: location
              uuid: body-sensor-location
              properties: [read]
              value: chest

            # Required beside energy: 1 begins the count again, anything else is not supported (0x80).
            - id: control-point
              uuid: heart-rate-control-point
              format: u8
              properties: [write]
              on-write:
                - when: hex:01
                  do: { reset: measurement.energy }
                - otherwise: { error: 0x80 }

        # Shipped services with their behaviour; any of their values can be replaced.
        - include: battery
          level: { ramp: { from: 100, to: 0, over: 8 h } }

        - include: device-information
          manufacturer-name: Understudy
          model-number: Belt 1
          serial-number: "000001"
          firmware-revision: 1.0.0

      """##
    ),
    (
      "ibeacon",
      ##"""
      # An iBeacon: apps find out that it is near, and how near, without a connection.
      understudy: 1
      name: iBeacon
      about: >-
        A beacon as of a shop: Apple's devices tell an app that knows the UUID when they come near it and when they leave.
      parameters:
        uuid: { default: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, about: Whose beacon it is. }
        major: { default: 1, about: The shop. }
        minor: { default: 2, about: The place in it. }
      advertising:
        - { id: main, ibeacon: { uuid: $uuid, major: $major, minor: $minor, measured-power: -59 } }
      services: []

      """##
    ),
    (
      "l2cap",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      understudy: 1
      name: Channel Rig
      about: >-
        L2CAP channels with every handler, for trying stream code of apps. Read a PSM from its characteristic, open the channel,
        and write to it: echo sends everything back, sink counts and hashes it, source sends 1 MiB and closes; private is an echo for
        who has paired. The last four lead to a terminal, a file, a TCP port and a Unix socket of this machine.
      identity: { address: static }
      security: { pairing: just-works }
      connection: { mtu: 517, data-length: 251, phy: 2M, max-connections: 4 }
      advertising:
        - id: main
          data: { flags: [general], services: [A0000001-7C4D-4B0E-9E4B-1F6E2A1B9C00] }
          scan-response: { name: complete }
          schedule: [ { interval: 20 ms, for: 30 s }, { interval: 152.5 ms } ]
      services:
        - id: streams
          uuid: A0000001-7C4D-4B0E-9E4B-1F6E2A1B9C00
          characteristics: []
        - include: device-information
      l2cap:
        - id: echo
          psm-characteristic: { service: streams }
          handler: echo
        - id: sink
          psm-characteristic: { service: streams }
          handler: { sink: { hash: true } }
        - id: source
          psm-characteristic: { service: streams }
          handler: { source: { pattern: counter, length: 1048576 } }
        # Another PSM at every start: an app that remembers the last one fails here first.
        - id: wandering
          psm: new
          psm-characteristic: { service: streams, indicate: true }
          handler: echo
        - id: slow-sink
          psm-characteristic: { service: streams }
          handler: { sink: { rate: 1000 } }
        # On a link that is not encrypted it is refused, and the central pairs; its PSM can be read without.
        - id: private
          security: encrypted
          psm-characteristic: { service: streams }
          handler: echo
        - id: terminal
          psm-characteristic: { service: streams }
          handler: pty
        # These are opened with a channel. Where there is no file, or nobody listens, the channel is closed, and an event says why.
        - id: file
          psm-characteristic: { service: streams }
          handler: file:/tmp/understudy-stream.bin
        - id: tcp
          psm-characteristic: { service: streams }
          handler: tcp:127.0.0.1:7000
        - id: unix
          psm-characteristic: { service: streams }
          handler: unix:/tmp/understudy-stream.sock

      """##
    ),
    (
      "nordic-uart",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # A serial port over Bluetooth, as Nordic's examples have it, with a small shell behind it.
      #
      #   understudy run nordic-uart --set prompt=door
      #
      # A line may come in as many writes as the app likes, and an answer goes out in as many notifications as it takes.
      understudy: 1
      parameters:
        prompt: { default: node, about: What every answer begins with. }
      name: Nordic UART
      about: A serial port with a shell that knows led on, led off, level, echo and sum.
      variables: { led: false, lines: 0 }

      services:
        - id: uart
          uuid: 6E400001-B5A3-F393-E0A9-E50E24DCCA9E
          characteristics:
            - id: rx
              uuid: 6E400002-B5A3-F393-E0A9-E50E24DCCA9E
              properties: [write, write-without-response]
              packets: { end: hex:0A, longest: 1024 }
              on-write:
                - { if: 'starts(written, "led on")', do: [ { set: { led: true } }, { reply: { tx: { compute: '"$prompt: led is on" ++ 10' } } } ] }
                - { if: 'starts(written, "led off")', do: [ { set: { led: false } }, { reply: { tx: { compute: '"$prompt: led is off" ++ 10' } } } ] }
                - { if: 'starts(written, "level")', do: { reply: { tx: { compute: '"$prompt: " ++ text(battery-level) ++ "%" ++ 10' } } } }
                - { if: 'starts(written, "echo ")', do: { reply: { tx: { compute: '"$prompt: " ++ written[5..]' } } } }
                - { if: 'starts(written, "sum ")', do: { reply: { tx: { compute: '"$prompt: " ++ hex(u16-be(crc16(written[4..-1]))) ++ 10' } } } }
                - { otherwise: { reply: { tx: { compute: '"$prompt: unknown: " ++ written' } } } }
              rules:
                - { when: written, do: { set: { lines: { compute: lines + 1 } } } }

            - id: tx
              uuid: 6E400003-B5A3-F393-E0A9-E50E24DCCA9E
              properties: [notify]
              notify: on-demand

        # Not of Nordic: what the shell has done.
        - id: shell
          uuid: A0000040-7C4D-4B0E-9E4B-1F6E2A1B9C00
          characteristics:
            - { id: led-state, uuid: A0000041-7C4D-4B0E-9E4B-1F6E2A1B9C00, properties: [read, notify], format: bool, value: { compute: led } }
            - { id: line-count, uuid: A0000042-7C4D-4B0E-9E4B-1F6E2A1B9C00, properties: [read], format: u32, value: { compute: lines } }

        - include: battery
          level: 87

      """##
    ),
    (
      "phone-client",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # A watch without a clock of its own worth trusting: it uses the services of the phone that connects to it, takes the time from
      # there, and shows how full the phone's battery is.
      #
      #   understudy run phone-client
      understudy: 1
      name: Phone Client
      about: A watch that sets its clock by the phone's Current Time and shows the phone's battery level.
      identity: { address: static, appearance: watch }

      services:
        - include: current-time
        - id: phone
          uuid: 0000C000-1212-EFDE-1523-785FEABCD123
          characteristics:
            - id: phone-battery
              uuid: 0000C001-1212-EFDE-1523-785FEABCD123
              properties: [read, notify]
              format: u8
              value: 0
              description: Battery level of the phone in percent

      client:
        # A phone may want to be asked again: when it has just been unlocked, or paired.
        - { after: 1 s, read: current-time, do: [log, { copy: current-time }], retry: { times: 3, every: 10 s } }
        # It tells when its owner or the network sets its clock.
        - { after: 1 s, subscribe: current-time, do: { copy: current-time } }
        - { after: 1 s, read: battery-level, do: [log, { copy: phone-battery }], retry: { times: 3, every: 10 s } }
        - { after: 1 s, subscribe: battery-level, do: { copy: phone-battery } }
        # Who looks at the level gets a fresh one.
        - { when: { subscribed: phone-battery }, read: battery-level, do: { copy: phone-battery } }

      """##
    ),
    (
      "sensor-beacon",
      ##"""
      # A sensor that says everything in its advertising, in the BTHome format (version 2) that home automation reads.
      understudy: 1
      name: Sensor
      about: >-
        A thermometer on the wall. Nobody has to connect: temperature, humidity and battery are in the advertising data, and follow the
        characteristics that a connected client reads.
      advertising:
        - id: main
          interval: 1022.5 ms
          refresh: 5 s
          data:
            flags: [general]
            services: [environmental-sensing]
            name: complete
            service-data:
              service: FCD2
              format: bthome
              data:
                packet: { counter: { to: 255 } }
                battery: { compute: battery-level }
                temperature: { compute: temperature }
                humidity: { compute: humidity }
      formats:
        # A version, and then for each value which it is and the value, in the order of these numbers.
        bthome:
          struct:
            version: { format: u8, default: 0x40 }
            packet-is: { format: u8, default: 0x00 }
            packet: u8
            battery-is: { format: u8, default: 0x01 }
            battery: { number: u8, unit: "%" }
            temperature-is: { format: u8, default: 0x02 }
            temperature: { number: i16, decimals: 2, unit: °C }
            humidity-is: { format: u8, default: 0x03 }
            humidity: { number: u16, decimals: 2, unit: "%" }
      services:
        - uuid: environmental-sensing
          characteristics:
            - uuid: temperature
              properties: [read, notify]
              value: { wave: random-walk, low: 18.5, high: 23, period: 1 h }
              notify: { every: 5 s }
            - uuid: humidity
              properties: [read, notify]
              value: { wave: sine, low: 38, high: 61, period: 3 h }
              notify: { every: 5 s }
        - include: battery
          level: 87

      """##
    ),
    (
      "smart-lock",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # A door lock with a passkey on its label: everything about it needs a bond that keeps a man in the middle out.
      #
      #   understudy run smart-lock
      #
      # Type 123456 where your phone asks for a passkey. docs/pairing.md tells of other ways to pair.
      understudy: 1
      name: Smart Lock
      about: A door lock that opens for who has paired with its passkey, 123456, and answers its challenge.
      instructions: |-
        Type 123456 where your phone asks for a passkey.
        The button `key` opens the lock from the inside; it closes after 30 s.
      identity: { address: static, appearance: door-lock }

      # The passkey is fixed, so nobody is asked at the lock's side. An access without a bond is refused, and the phone pairs then.
      security:
        pairing: display
        passkey: 123456
        mitm: required
        key-size: { minimum: 16 }

      # What the lock remembers: of each connection its challenge, and how many answers were wrong.
      variables:
        nonce: { value: hex:0000000000000000, per: connection }
        attempts: 0

      rules:
        - { when: connected, do: { set: { nonce: { compute: random(8) } } } }
        # After three wrong answers it takes none for a minute.
        - { when: { becomes: attempts >= 3 }, after: 1 min, do: { set: { attempts: 0 } } }
        # The key hole: `curl -X POST localhost:8080/v1/buttons/key` on a lock that runs with --http.
        - { when: { button: key }, if: 'state == "closed"', do: { enter: open } }

      # An open lock closes after 30 s.
      states:
        closed:
          - { when: entered, do: { set: { lock-state: locked } } }
        open:
          - { when: entered, do: { set: { lock-state: unlocked } } }
          - { when: entered, after: 30 s, do: { enter: closed } }

      services:
        - id: lock
          uuid: A0000020-7C4D-4B0E-9E4B-1F6E2A1B9C00
          characteristics:
            - id: lock-state
              uuid: A0000021-7C4D-4B0E-9E4B-1F6E2A1B9C00
              properties: [read, notify]
              permissions: { read: authenticated, subscribe: authenticated }
              format: { names: { locked: 0, unlocked: 1, jammed: 2 } }
              value: locked
              description: Locked (0), unlocked (1) or jammed (2)

            # Every connection, and every answer, makes a new challenge, so a recording of an answer opens nothing.
            - id: challenge
              uuid: A0000022-7C4D-4B0E-9E4B-1F6E2A1B9C00
              properties: [read]
              permissions: { read: authenticated }
              format: hex
              value: { compute: nonce }

            # 01 locks. 02 and the first 8 octets of HMAC-SHA-256 of the challenge, with the key "understudy", unlocks. The response is
            # 80, the command, and 1 for done, 2 for an unknown command, 3 for a wrong length, 4 for a wrong answer and 5 for too many of
            # those.
            - id: control
              uuid: A0000023-7C4D-4B0E-9E4B-1F6E2A1B9C00
              properties: [write, indicate]
              permissions: { write: authenticated, subscribe: authenticated }
              indicate: on-demand
              control-point:
                response: [hex:80, opcode, result]
                unknown: { result: 2 }
                malformed: { result: 3 }
                commands:
                  - { opcode: 1, do: { enter: closed } }
                  - opcode: 2
                    parameters: { answer: { octets: 8 } }
                    require:
                      - { if: attempts < 3, else: { result: 5 } }
                      - { if: 'answer == hmac-sha256("understudy", nonce)[..8]', else: { result: 4 } }
                    do: [log, { set: { attempts: 0 } }, { enter: open }]
              rules:
                - { when: written, if: 'written[0] == 2', do: { set: { nonce: { compute: random(8) } } } }
                - { when: written, if: 'written[0] == 2 and state == "closed"', do: { set: { attempts: { compute: attempts + 1 } } } }

        - include: battery
          level: { permissions: { read: encrypted, subscribe: encrypted } }
        - include: device-information
          model-number: Lock 1

      """##
    ),
    (
      "soak",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # What can be checked for days: a value that never changes, values that keep what is written, values that count, and a channel
      # that sends everything back. The accessory of
      #
      #   understudy bench soak
      #
      # and a target for long runs of your own app (docs/bench.md).
      understudy: 1
      name: Soak
      about: Values that keep, values that count, and a channel that echoes; for long runs in which nothing may go wrong.

      identity: { address: static }
      connection: { mtu: 517, data-length: 251, phy: 2M, max-connections: 4 }

      advertising:
        - id: main
          data: { flags: [general], services: [5ED20001-7C4D-4B0E-9E4B-1F6E2A1B9C00] }
          scan-response: { name: complete }
          schedule: [ { interval: 20 ms, for: 30 s }, { interval: 152.5 ms } ]

      services:
        - id: soak
          uuid: 5ED20001-7C4D-4B0E-9E4B-1F6E2A1B9C00
          characteristics:
            # Longer than a response at the smallest MTU.
            - id: label
              uuid: 5ED20002-7C4D-4B0E-9E4B-1F6E2A1B9C00
              format: utf8
              properties: [read]
              value: An understudy knows the part so well that the audience cannot tell.

            # A sequence number of four octets for each central, and sixteen octets that count up.
            - id: sequence
              uuid: 5ED20003-7C4D-4B0E-9E4B-1F6E2A1B9C00
              properties: [notify]
              value: { pattern: counter, length: 20 }
              notify: { every: 200 ms }

            - id: steps
              uuid: 5ED20004-7C4D-4B0E-9E4B-1F6E2A1B9C00
              format: u32
              properties: [indicate]
              value: { counter: { from: 0, to: 4_294_967_295, step: 1 } }
              indicate: { every: 1 s }

            # One for each central, so that none finds what another has written.
            - { id: slot-1, uuid: 5ED20011-7C4D-4B0E-9E4B-1F6E2A1B9C00, properties: [read, write, write-without-response], value: hex:00, max-length: 512 }
            - { id: slot-2, uuid: 5ED20012-7C4D-4B0E-9E4B-1F6E2A1B9C00, properties: [read, write, write-without-response], value: hex:00, max-length: 512 }
            - { id: slot-3, uuid: 5ED20013-7C4D-4B0E-9E4B-1F6E2A1B9C00, properties: [read, write, write-without-response], value: hex:00, max-length: 512 }
            - { id: slot-4, uuid: 5ED20014-7C4D-4B0E-9E4B-1F6E2A1B9C00, properties: [read, write, write-without-response], value: hex:00, max-length: 512 }

      l2cap:
        - id: echo
          psm-characteristic: { service: soak }
          handler: echo

      """##
    ),
    (
      "throughput",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # Takes as many octets as a central can send, in every way that Core Bluetooth has: the accessory of
      #
      #   understudy bench ladder
      #
      # and a target for throughput measurements of your own app (docs/bench.md).
      understudy: 1
      name: Throughput
      about: Takes octets by writes with and without response and over an L2CAP channel, as fast as the radio brings them.

      identity: { address: static }
      connection: { mtu: 517, data-length: 251, phy: any }

      advertising:
        - id: main
          data: { flags: [general], services: [5ED10001-7C4D-4B0E-9E4B-1F6E2A1B9C00] }
          scan-response: { name: complete }
          schedule: [ { interval: 20 ms, for: 30 s }, { interval: 152.5 ms } ]

      services:
        - id: throughput
          uuid: 5ED10001-7C4D-4B0E-9E4B-1F6E2A1B9C00
          characteristics:
            - id: sink
              uuid: 5ED10002-7C4D-4B0E-9E4B-1F6E2A1B9C00
              properties: [write, write-without-response]
              max-length: 512

      # A frame of 247 octets and its header fill one data PDU of 251, and an SDU of 4938 octets fills 20 of them.
      l2cap:
        - id: stream
          mtu: 4938
          mps: 247
          psm-characteristic: { service: throughput }
          handler: { sink: { hash: true } }

      """##
    ),
  ]
}
