// Written by scripts/embed-texts from the files in Profiles and Scenarios; a test holds it against them.

extension ShippedTexts {
  /// The scenarios and their accessories, by the paths of their files in Scenarios.
  static let scenarios: [(name: String, text: String)] = [
    (
      "accessories/bench.yaml",
      ##"""
      # What the scenarios use: a characteristic of every kind, a channel, and pairing without anybody.
      understudy: 1
      name: Bench
      about: The accessory of the baseline and the fault suite.
      security: { pairing: just-works }
      gatt: { service-changed: present, robust-caching: true }
      connection: { max-connections: 3 }
      services:
        - uuid: FFF0
          id: main
          characteristics:
            - { id: level, uuid: FFF1, properties: [read, write, notify, indicate], format: u8, value: 7, notify: on-change }
            - { id: lock, uuid: FFF2, properties: [read, write, write-without-response], format: hex, value: hex:0102 }
            - { id: count, uuid: FFF3, properties: [read, notify], format: u16, value: { counter: { to: 60000 } }, notify: { every: 100 ms } }
            - { id: label, uuid: FFF4, properties: [read, write], format: utf8, value: a label that is longer than the default MTU, max-length: 200 }
            - { id: secret, uuid: FFF5, properties: [read, write], format: u8, value: 42, permissions: { read: encrypted, write: encrypted } }
            - { id: command, uuid: FFF6, properties: [write], format: hex, on-write: [ { when: { first: 1 }, do: { set: { level: 1 } } }, { otherwise: { error: 0x80 } } ] }
            - { id: alarm, uuid: FFF7, properties: [indicate], format: u8, value: 1 }
            - { id: clock, uuid: FFF8, properties: [read], format: u32, value: { clock: utc } }
        - include: battery
          level: 80
      l2cap:
        - { id: stream, handler: echo, mtu: 512, mps: 247 }

      """##
    ),
    (
      "accessories/guarded.yaml",
      ##"""
      # Values that ask for more and more, and a passkey.
      understudy: 1
      name: Guarded
      security: { pairing: display, passkey: 123456 }
      services:
        - uuid: FFF0
          id: main
          characteristics:
            - { id: open, uuid: FFF1, properties: [read, write], format: u8, value: 1 }
            - { id: encrypted, uuid: FFF2, properties: [read, write], format: u8, value: 2, permissions: { read: encrypted, write: encrypted } }
            - { id: authenticated, uuid: FFF3, properties: [read, write], format: u8, value: 3, permissions: { read: authenticated, write: authenticated } }
            - { id: strict, uuid: FFF4, properties: [read], format: u8, value: 4, permissions: { read: secure-connections } }
            - { id: forbidden, uuid: FFF5, properties: [read, write], format: u8, value: 5, permissions: { read: forbidden, write: forbidden } }
            - { id: pushed, uuid: FFF6, properties: [notify], format: u8, value: 6, notify: on-change, permissions: { subscribe: encrypted } }

      """##
    ),
    (
      "accessories/updatable.yaml",
      ##"""
      # An accessory whose firmware is sent in blocks, each of which it acknowledges.
      understudy: 1
      name: Updatable
      services:
        - uuid: 0000AA00-1212-EFDE-1523-785FEABCD123
          id: update
          characteristics:
            - id: control
              uuid: 0000AA01-1212-EFDE-1523-785FEABCD123
              properties: [write, notify]
              format: hex
              max-length: 8
              on-write:
                - { when: hex:01, do: { set: { state: 1 } } }
                - { when: hex:02, do: { set: { state: 2 } } }
                - { when: hex:03, do: { set: { state: 0 } } }
                - { otherwise: { error: 0x81 } }
            - { id: block, uuid: 0000AA02-1212-EFDE-1523-785FEABCD123, properties: [write, write-without-response], format: hex, max-length: 244 }
            - { id: state, uuid: 0000AA03-1212-EFDE-1523-785FEABCD123, properties: [read, notify], format: u8, value: 0, notify: on-change, persistent: true }
      l2cap:
        - { id: image, handler: sink }

      """##
    ),
    (
      "background.yaml",
      ##"""
      # Hours later: an app in the background, whose accessory was away meanwhile.
      understudy-scenario: 1
      name: Background
      about: Absences of hours and days, with and without reboots, and what has to work afterwards.
      accessory: ./accessories/bench.yaml
      tags: [background]
      timeout: 10 d
      cases:
        - name: is connected for hours
          matrix: { hours: [ 1 h, 3 h ] }
          steps: [ { connect: { interval: 1 s, timeout: 6 s } }, { wait: "${hours}" }, { read: level, gives: 7 } ]
        - name: comes back after hours
          matrix: { hours: [ 1 h, 6 h ] }
          steps: [ connect, disconnect, { wait: "${hours}" }, connect, { read: level, gives: 7 } ]
        - name: the accessory was away for hours
          matrix: { hours: [ 1 h, 6 h ] }
          steps: [ connect, { read: level, gives: 7 }, { inject: { vanish: "${hours}" } }, { disconnected: 0x08 }, { connect: any, within: 1 d }, { read: level, gives: 7 } ]
        - name: the accessory has rebooted in the night
          steps: [ connect, { write: lock, value: hex:05 }, disconnect, { wait: 4 h }, { inject: { reboot: 30 s } }, { wait: 4 h }, connect, { read: lock, gives: hex:0102 } ]
        - name: the bond holds over the night
          steps: [ connect, pair, { subscribe: level }, disconnect, { wait: 12 h }, connect, pair, { read: secret, gives: 42 }, { set: { level: 1 } }, { notified: level, value: 1 } ]
        - name: the bond holds over a reboot
          steps: [ connect, pair, disconnect, { inject: { reboot: 10 s } }, { wait: 1 min }, connect, pair, { read: secret, gives: 42 } ]
        # The virtual clock starts at 2026-01-01 00:00:00 UTC.
        - name: the clock was wrong in the night
          steps:
            - connect
            - { read: clock, gives: 1767225600 }
            - { inject: { clock-behind: 12 h } }
            - { read: clock, gives: 1767182400 }
            - disconnect
            - { wait: 8 h }
            - connect
            - { read: clock, gives: 1767211200 }
            - { read: level, gives: 7 }
        - name: values came while it slept
          steps: [ { connect: { interval: 500 ms, latency: 4, timeout: 20 s } }, { subscribe: level }, { wait: 2 h }, { set: { level: 3 } }, { notified: level, value: 3 } ]

      """##
    ),
    (
      "baseline.yaml",
      ##"""
      # What every central has to be able to do. Nothing goes wrong here.
      understudy-scenario: 1
      name: Baseline
      about: Twenty-five cases of a central that uses an accessory as it is meant to be used.
      accessory: ./accessories/bench.yaml
      tags: [baseline]
      prepare:
        - connect
      cases:
        - name: is heard under its name
          prepare: false
          steps: [ { scan: any, name: Bench, for: 1 s } ]
        - name: connects and disconnects
          steps: [ disconnect, { expect: { event: disconnected, code: 19 } } ]
        - name: connects again
          steps: [ disconnect, connect, { read: level, gives: 7 } ]
        - name: connects with an interval
          prepare: false
          matrix: { interval: [ 7.5 ms, 50 ms, 1 s ] }
          steps: [ { connect: { interval: "${interval}", timeout: 6 s } }, { read: level, gives: 7 } ]
        - name: exchanges the MTU
          steps: [ { exchange-mtu: any, gives: 517 }, { expect: { event: mtu, mtu: 517 } } ]
        - name: finds services and characteristics
          steps: [ { discover: any, has: [ level, lock, count, battery-level ] } ]
        - name: reads a value
          steps: [ { read: level, gives: 7 }, { expect: { event: read, characteristic: level, value: 7 } } ]
        - name: reads a value that is longer than the MTU
          steps: [ { read: label, gives: a label that is longer than the default MTU } ]
        - name: reads it with a larger MTU
          steps: [ exchange-mtu, { read: label, gives: a label that is longer than the default MTU } ]
        - name: writes a value
          steps: [ { write: lock, value: hex:0a0b }, { value: lock, is: hex:0a0b }, { expect: { event: write, characteristic: lock } } ]
        - name: writes a value that is longer than the MTU
          steps:
            - { write: label, value: a text of more than twenty-three octets that has to be prepared in parts }
            - { read: label, gives: a text of more than twenty-three octets that has to be prepared in parts }
        - name: writes without a response
          steps: [ { write: lock, value: hex:99, without-response: true }, { expect: { event: write, characteristic: lock } }, { value: lock, is: hex:99 } ]
        - name: is refused a write that is too long
          steps: [ { write: level, value: hex:0102, fails: invalid-attribute-value-length } ]
        - name: is refused a command that is not known
          steps: [ { write: command, value: hex:02, fails: 0x80 }, { value: level, is: 7 } ]
        - name: gives a command that changes another value
          steps: [ { subscribe: level }, { write: command, value: hex:01 }, { notified: level, value: 1 } ]
        - name: is notified of changes
          steps: [ { subscribe: level }, { set: { level: 9 } }, { notified: level, value: 9 }, { set: { level: 10 } }, { notified: level, value: 10 } ]
        - name: is notified of a stream of values
          steps: [ { subscribe: count }, { notified: count, values: [ any, any, any, any, any ] } ]
        - name: ends its subscription
          steps: [ { subscribe: level }, { unsubscribe: level }, { set: { level: 9 } }, { not-notified: level, for: 2 s } ]
        - name: takes indications
          steps: [ { subscribe: alarm, indications: true }, { indicate: alarm }, { notified: alarm, value: 1 }, { expect: { event: confirmed } } ]
        - name: has to subscribe again on the next connection
          steps: [ { subscribe: level }, disconnect, connect, { set: { level: 9 } }, { not-notified: level, for: 2 s } ]
        - name: pairs when it is refused
          steps: [ { read: secret, fails: insufficient-authentication }, pair, { read: secret, gives: 42 } ]
        - name: encrypts with the keys of before
          steps: [ pair, { subscribe: level }, disconnect, connect, { read: secret, fails: true }, pair, { set: { level: 3 } }, { notified: level, value: 3 }, { read: secret, gives: 42 } ]
        - name: sends and receives on a channel
          steps: [ { open: stream }, { send: stream, value: hex:010203 }, { received: stream, value: hex:010203 }, { close: stream } ]
        - name: opens a channel twice
          steps: [ { open: stream }, { close: stream }, { open: stream }, { send: stream, value: hex:aa }, { received: stream, value: hex:aa } ]
        - name: shares the accessory with another central
          steps:
            - { connect: any, phone: other }
            - { subscribe: level }
            - { subscribe: level, phone: other }
            - { write: level, value: 5, phone: other }
            - { notified: level, value: 5 }
            - { notified: level, value: 5, phone: other }

      """##
    ),
    (
      "cache.yaml",
      ##"""
      # Services that change behind the back of a central that remembers them.
      understudy-scenario: 1
      name: Cache matrix
      about: Changes with and without Service Changed, for centrals with and without a bond, connected and away.
      accessory: ./accessories/bench.yaml
      tags: [cache]
      cases:
        - name: services change while it is connected
          matrix: { how: [ change, change-silently ], service: [ battery, main ] }
          steps:
            - connect
            - { discover: any, has: [ level, battery-level ] }
            - { inject: { services: "${how}", service: "${service}" } }
            - { expect: { event: database-changed } }
            - { wait: 2 s }
        - name: a service comes while it is connected
          matrix: { how: [ change, change-silently ], bond: [ pair, { wait: 1 s } ] }
          steps:
            - connect
            - "${bond}"
            - { discover: any, lacks: [ FFFE ] }
            - { inject: { services: "${how}" } }
            - { wait: 2 s }
            - { discover: any, has: [ FFFE ] }
        - name: a service goes while it is away
          matrix: { how: [ change, change-silently ], bond: [ pair, { wait: 1 s } ] }
          steps:
            - connect
            - "${bond}"
            - { discover: any, has: [ battery-level ] }
            - disconnect
            - { inject: { services: "${how}", service: battery } }
            - connect
            - { discover: any, has: [ level ], lacks: [ battery-level ] }
        - name: services come and go again and again
          steps:
            - connect
            - repeat: 10
              steps: [ { inject: { services: change } }, { wait: 500 ms } ]
            - { discover: any, has: [ level ], lacks: [ FFFE ] }
        - name: services change at every step of discovery
          matrix: { nth: [ 1, 2, 3, 4, 6, 8 ], how: [ change, change-silently ] }
          faults: [ { on: { request: [ read-by-group-type, read-by-type, find-information ] }, do: { services: "${how}" }, nth: "${nth}" } ]
          steps: [ connect, { discover: any, fails: maybe }, { wait: 1 s }, { discover: any, has: [ level, FFFE ] }, { read: level, gives: 7 } ]
        - name: the accessory forgets what changed when it reboots
          steps:
            - connect
            - { inject: { services: change } }
            - { discover: any, has: [ FFFE ] }
            - { inject: { reboot: 2 s } }
            - disconnected
            - connect
            - { discover: any, has: [ level ], lacks: [ FFFE ] }

      """##
    ),
    (
      "faults.yaml",
      ##"""
      # What a central has to live with. Each case arms a fault, meets it, and shows that the accessory goes on.
      understudy-scenario: 1
      name: Faults
      about: Errors, delays, disconnections, and values that are lost, repeated or out of order.
      accessory: ./accessories/bench.yaml
      tags: [faults]
      prepare:
        - connect
      cases:
        # Errors
        - name: a read is refused
          matrix: { code: [ 0x01, 0x02, 0x05, 0x08, 0x0A, 0x0E, 0x11, 0x80, 0x9F, 0xE0, 0xFC, 0xFF ] }
          faults: [ { on: { read: level }, do: { error: "${code}" }, times: 1 } ]
          steps: [ { read: level, fails: "${code}" }, { expect: { event: fault, fault: injected, characteristic: level } }, { read: level, gives: 7 } ]
        - name: a write is refused
          matrix: { code: [ 0x03, 0x05, 0x07, 0x0D, 0x0E, 0x11, 0x80, 0xFC, 0xFD, 0xFE, 0xFF ] }
          faults: [ { on: { write: lock }, do: { error: "${code}" }, times: 1 } ]
          steps: [ { write: lock, value: hex:05, fails: "${code}" }, { value: lock, is: hex:0102 }, { write: lock, value: hex:05 } ]
        - name: a command is lost without a word
          faults: [ { on: { write: lock }, do: ignore, times: 1 } ]
          steps: [ { write: lock, value: hex:05, without-response: true }, { expect: { event: fault } }, { value: lock, is: hex:0102 } ]
        - name: a subscription is refused
          faults: [ { on: { subscribe: level }, do: { error: 0xFD }, times: 1 } ]
          steps: [ { subscribe: level, fails: 0xFD }, { subscribe: level }, { set: { level: 1 } }, { notified: level, value: 1 } ]
        - name: every third read fails
          faults: [ { on: { read: level }, do: { error: 0x80 }, every: 3 } ]
          steps:
            - repeat: 4
              steps: [ { read: level, gives: 7 }, { read: level, gives: 7 }, { read: level, fails: 0x80 } ]
        - name: the Error Response names another attribute
          faults: [ { on: { read: level }, do: { error: 0x0E, handle: 0 } } ]
          steps: [ { read: level, fails: 0x0E } ]
        - name: discovery is refused
          matrix: { request: [ read-by-group-type, read-by-type, find-information ] }
          faults: [ { on: { request: "${request}" }, do: { error: 0x0E }, times: 1 } ]
          steps: [ { discover: any, fails: 0x0E }, { discover: any, has: [ level ] } ]
        - name: long reads are refused
          faults: [ { on: { request: read-blob }, do: { error: attribute-not-long } } ]
          steps: [ { read: label, gives: a label that is longer }, exchange-mtu, { read: label, gives: a label that is longer than the default MTU } ]
        - name: a part of a long write is refused
          faults: [ { on: { request: prepare-write }, do: { error: prepare-queue-full }, nth: 2 } ]
          steps:
            - { write: label, value: a text of more than twenty-three octets, fails: prepare-queue-full }
            - { value: label, is: a label that is longer than the default MTU }
            - { write: label, value: a text of more than twenty-three octets }
        # Delays
        - name: an answer takes its time
          matrix: { delay: [ 500 ms, 5 s, 29 s ] }
          faults: [ { on: { read: level }, do: { delay: "${delay}" }, times: 1 } ]
          steps: [ { read: level, gives: 7 }, { expect: { event: fault, fault: injected } }, { read: level, gives: 7 } ]
        - name: an answer comes too late
          faults: [ { on: { read: level }, do: { delay: 31 s }, times: 1 } ]
          steps: [ { read: level, fails: timeout }, disconnected, connect, { read: level, gives: 7 } ]
        - name: an answer never comes
          matrix: { key: [ read, access ] }
          faults: [ { on: { "${key}": level }, do: ignore, times: 1 } ]
          steps: [ { read: level, fails: timeout }, disconnected, connect, { read: level, gives: 7 } ]
        - name: the answer to a write never comes
          faults: [ { on: { write: lock }, do: ignore, times: 1 } ]
          steps: [ { write: lock, value: hex:05, fails: timeout }, { value: lock, is: hex:0102 }, disconnected, connect, { write: lock, value: hex:05 } ]
        - name: nothing is ever answered
          prepare: false
          faults: [ { on: connected, do: mute, times: 1 } ]
          steps: [ connect, { read: level, fails: timeout }, disconnected, connect, { read: level, gives: 7 } ]
        # Answers that are wrong
        - name: an answer comes twice
          faults: [ { on: { read: level }, do: twice, times: 1 } ]
          steps: [ { read: level, gives: 7 }, { expect: { event: fault, fault: injected } }, { wait: 1 s }, { read: lock, gives: hex:0102 } ]
        - name: an answer is to another request
          faults: [ { on: { read: level }, do: wrong-request, times: 1 } ]
          steps: [ { read: level, fails: timeout } ]
        - name: an answer is cut in its value
          faults: [ { on: { read: lock }, do: { truncate: 2 }, times: 1 } ]
          steps: [ { read: lock, gives: hex:01 }, { read: lock, gives: hex:0102 } ]
        - name: an answer is cut before its value
          faults: [ { on: { read: lock }, do: { truncate: 1 }, times: 1 } ]
          steps: [ { read: lock, gives: "" }, { read: lock, gives: hex:0102 } ]
        - name: an answer is longer than the MTU
          faults: [ { on: { read: lock }, do: { lengthen: 60 }, times: 1 } ]
          steps: [ { read: lock, fails: violation }, { read: level, fails: maybe } ]
        - name: an answer is malformed
          matrix: { pdu: [ hex:01, hex:010a, hex:010a0100, hex:0501, hex:ff ] }
          faults: [ { on: { read: lock }, do: { pdu: "${pdu}" }, times: 1 } ]
          steps: [ { read: lock, fails: true } ]
        - name: a value is another one
          faults: [ { on: { read: level }, do: { value: hex:63 }, times: 1 } ]
          steps: [ { read: level, gives: 0x63 }, { read: level, gives: 7 } ]
        - name: a value is empty
          faults: [ { on: { read: lock }, do: { value: "" }, times: 1 } ]
          steps: [ { read: lock, gives: "" }, { read: lock, gives: hex:0102 } ]
        - name: bits are inverted
          faults: [ { on: { read: lock }, do: corrupt, times: 1 } ]
          steps: [ { read: lock, gives: hex:fefd }, { read: lock, gives: hex:0102 } ]
        # The MTU
        - name: the MTU is refused
          faults: [ { on: { request: exchange-mtu }, do: { error: request-not-supported } } ]
          steps: [ { exchange-mtu: any, fails: request-not-supported }, { read: label, gives: a label that is longer than the default MTU } ]
        - name: the MTU is tiny
          matrix: { mtu: [ 23, 24, 50 ] }
          faults: [ { on: { request: exchange-mtu }, do: { mtu: "${mtu}" } } ]
          steps: [ { exchange-mtu: any, gives: "${mtu}" }, { read: label, gives: a label that is longer than the default MTU } ]
        - name: the MTU is below what there can be
          faults: [ { on: { request: exchange-mtu }, do: { mtu: 5 } } ]
          steps: [ { exchange-mtu: any, gives: 23 }, { read: level, gives: 7 } ]
        # Values on their way
        - name: notifications have gaps
          faults: [ { on: { notify: level }, do: drop, nth: 2, times: 2 } ]
          steps:
            - subscribe: level
            - { set: { level: 1 } }
            - { set: { level: 2 } }
            - { set: { level: 3 } }
            - { set: { level: 4 } }
            - { notified: level, values: [ 1, 4 ] }
        - name: notifications come twice
          faults: [ { on: { notify: level }, do: duplicate } ]
          steps: [ { subscribe: level }, { set: { level: 1 } }, { set: { level: 2 } }, { notified: level, values: [ 1, 1, 2, 2 ] } ]
        - name: notifications change places
          faults: [ { on: { notify: level }, do: reorder } ]
          steps:
            - subscribe: level
            - { set: { level: 1 } }
            - { set: { level: 2 } }
            - { set: { level: 3 } }
            - { set: { level: 4 } }
            - { notified: level, values: [ 2, 1, 4, 3 ] }
        - name: a notification comes late
          faults: [ { on: { notify: level }, do: { delay: 3 s }, nth: 1 } ]
          steps: [ { subscribe: level }, { set: { level: 1 } }, { set: { level: 2 } }, { notified: level, values: [ 2, 1 ] } ]
        - name: a notification is cut
          faults: [ { on: { notify: count }, do: { truncate: 4 }, nth: 1 } ]
          steps: [ { subscribe: count }, { notified: count, value: hex:00 }, { notified: count, value: 1 } ]
        - name: a notification has another value
          faults: [ { on: { notify: level }, do: { value: hex:ff }, nth: 2 } ]
          steps: [ { subscribe: level }, { set: { level: 1 } }, { set: { level: 2 } }, { notified: level, values: [ 1, 255 ] } ]
        - name: notifications stop
          faults: [ { on: { notify: count }, do: drop, after: 5 s } ]
          steps: [ { subscribe: count }, { notified: count }, { wait: 5 s }, { not-notified: count, for: 5 s }, { read: level, gives: 7 } ]
        - name: notifications go on behind the subscription
          faults: [ { on: { unsubscribed: level }, do: { keep-sending: 2 } } ]
          steps: [ { subscribe: level }, { set: { level: 1 } }, { notified: level, value: 1 }, { unsubscribe: level }, { notified: level, values: [ 1, 1 ] } ]
        - name: an indication is lost, so that the link ends
          faults: [ { on: { indicate: alarm }, do: drop } ]
          steps: [ { subscribe: alarm, indications: true }, { indicate: alarm }, { not-notified: alarm, for: 29 s }, { disconnected: 0x13 } ]
        - name: an indication comes twice
          faults: [ { on: { indicate: alarm }, do: duplicate, times: 1 } ]
          steps: [ { subscribe: alarm, indications: true }, { indicate: alarm }, { notified: alarm, values: [ 1, 1 ] }, { read: level, gives: 7 } ]
        # Links
        - name: the link ends around a write
          matrix: { moment: [ before, during, after ], reason: [ user-terminated, low-resources, power-off ] }
          faults: [ { on: { write: lock }, do: { disconnect: "${reason}", when: "${moment}" }, times: 1 } ]
          steps: [ { write: lock, value: hex:05, fails: maybe }, disconnected, connect, { write: lock, value: hex:06 }, { read: lock, gives: hex:06 } ]
        - name: the link ends in discovery
          matrix: { nth: [ 1, 2, 3, 5 ] }
          faults: [ { on: { request: [ read-by-group-type, read-by-type, find-information ] }, do: { disconnect: user-terminated, when: during }, nth: "${nth}" } ]
          steps: [ { discover: any, fails: cut }, disconnected, connect, { discover: any, has: [ level ] } ]
        - name: the link ends as soon as it is there
          prepare: false
          faults: [ { on: connected, do: { disconnect: low-resources }, times: 1 } ]
          steps: [ connect, { disconnected: 0x14 }, connect, { read: level, gives: 7 } ]
        - name: the link ends with a notification
          faults: [ { on: { notify: count }, do: { disconnect: power-off }, nth: 5 } ]
          steps: [ { subscribe: count }, { disconnected: 0x15 }, connect, { read: level, gives: 7 } ]
        - name: the accessory vanishes and comes back
          timeout: 1 h
          matrix: { duration: [ 0 s, 2 s, 20 s, 10 min ] }
          steps: [ { read: level, gives: 7 }, { inject: { vanish: "${duration}" } }, { disconnected: 0x08, within: 5 s }, { connect: any, within: 11 min }, { read: level, gives: 7 } ]
        - name: the accessory vanishes with a request
          faults: [ { on: { write: lock }, do: { vanish: 3 s }, times: 1 } ]
          steps: [ { write: lock, value: hex:05, fails: cut }, disconnected, connect, { read: lock, gives: hex:0102 } ]
        - name: the connection cannot be made
          prepare: false
          faults: [ { on: connected, do: { vanish: 1 s }, times: 1 } ]
          steps: [ { connect: any, fails: maybe }, { wait: 3 s }, connect, { read: level, gives: 7 } ]
        - name: the accessory starts anew
          steps: [ { write: lock, value: hex:05 }, { inject: { reboot: 4 s } }, { disconnected: 0x08 }, connect, { read: lock, gives: hex:0102 } ]
        - name: the controller is reset
          steps: [ { read: level, gives: 7 }, { inject: reset-controller }, { disconnected: 0x08 }, connect, { read: level, gives: 7 } ]
        - name: connection parameters are asked for again and again
          faults: [ { on: { read: level }, do: { flood: { with: parameters, times: 10 }, pause: 300 ms }, times: 1 } ]
          steps:
            - { read: level, gives: 7 }
            - repeat: 8
              steps: [ { expect: { event: parameters-requested }, of: phone } ]
            - { read: level, gives: 7 }
        - name: the PHY is changed again and again
          faults: [ { on: { read: level }, do: { flood: { with: phy, times: 6 }, pause: 500 ms }, times: 1 } ]
          steps:
            - { read: level, gives: 7 }
            - repeat: 6
              steps: [ { expect: { event: phy }, of: phone } ]
            - { read: level, gives: 7 }
        # The database
        - name: services change in discovery
          matrix: { how: [ change, change-silently ] }
          faults: [ { on: { request: read-by-type }, do: { services: "${how}", service: battery }, nth: 2 } ]
          steps: [ { discover: any, fails: maybe }, { expect: { event: database-changed } }, { read: level, gives: 7 } ]
        - name: Service Changed comes again and again
          faults: [ { on: { write: lock }, do: { service-changed: 20 }, times: 1 } ]
          steps: [ discover, { write: lock, value: hex:05 }, { read: level, gives: 7 } ]
        # Channels
        - name: a channel is refused
          matrix: { result: [ 2, 4, 5, 6, 7, 8 ] }
          faults: [ { on: { channel-request: stream }, do: { result: "${result}" }, times: 1 } ]
          steps: [ { open: stream, fails: true }, { open: stream }, { send: stream, value: hex:01 }, { received: stream, value: hex:01 } ]
        - name: a request for a channel is not answered
          faults: [ { on: { channel-request: stream }, do: ignore, times: 1 } ]
          steps: [ { open: stream, fails: true, within: 70 s }, { read: level, gives: 7 } ]
        - name: a channel breaks the rules
          matrix: { what: [ { credits: overflow }, { frame: sdu-too-long }, { frame: excess }, { frame: too-long }, { frame: short }, close ] }
          faults: [ { on: { channel: stream }, do: "${what}", times: 1 } ]
          steps: [ { open: stream, fails: maybe }, { expect: { event: fault } }, { wait: 2 s }, { read: level, gives: 7 }, { open: stream } ]
        - name: a channel's echo is lost
          faults: [ { on: { sdu: stream }, do: drop, nth: 2 } ]
          steps:
            - { open: stream }
            - { send: stream, value: hex:01 }
            - { send: stream, value: hex:02 }
            - { send: stream, value: hex:03 }
            - { received: stream, value: hex:01 }
            - { received: stream, value: hex:03 }
        # Advertising
        - name: the accessory has another's name
          prepare: false
          steps: [ { inject: { advertise: { name: Twin } } }, { wait: 1 s }, { scan: any, name: Twin, for: 1 s }, { scan: any, name: Bench, heard: false, for: 1 s } ]
        - name: advertising data are wrong
          prepare: false
          matrix: { what: [ over-long, { data: hex:ff }, { data: hex:0201061fff }, { data: "" } ] }
          steps: [ { inject: { advertise: "${what}" } }, { wait: 1 s }, connect, { read: level, gives: 7 } ]

      """##
    ),
    (
      "ota.yaml",
      ##"""
      # An update over the air that is interrupted at every stage.
      understudy-scenario: 1
      name: OTA interruption
      about: The link, the accessory or the air fails while a firmware image is sent; what was begun can be begun again.
      accessory: ./accessories/updatable.yaml
      tags: [ota]
      timeout: 2 h
      prepare:
        - connect
        - { exchange-mtu: any }
        - { subscribe: state }
        - { write: control, value: hex:01 }
        - { notified: state, value: 1 }
      cases:
        - name: goes through
          steps:
            - repeat: 50
              steps: [ { write: block, value: hex:000102030405060708090a0b0c0d0e0f } ]
            - { write: control, value: hex:02 }
            - { notified: state, value: 2 }
        - name: the link ends at a block
          matrix: { nth: [ 1, 10, 49 ], moment: [ before, during, after ] }
          faults: [ { on: { write: block }, do: { disconnect: user-terminated, when: "${moment}" }, nth: "${nth}" } ]
          steps:
            - repeat: 50
              steps: [ { write: block, value: hex:00010203, fails: maybe } ]
            - disconnected
            - connect
            - { read: state, gives: 1 }
            - { write: control, value: hex:03 }
            - { read: state, gives: 0 }
        - name: a block is refused, and sent again
          matrix: { code: [ 0x11, 0x80, 0xFE ] }
          faults: [ { on: { write: block }, do: { error: "${code}" }, nth: 5 } ]
          steps:
            - repeat: 4
              steps: [ { write: block, value: hex:00010203 } ]
            - { write: block, value: hex:00010203, fails: "${code}" }
            - { write: block, value: hex:00010203 }
            - { write: control, value: hex:02 }
            - { notified: state, value: 2 }
        - name: the accessory reboots in the middle
          steps:
            - { write: block, value: hex:00010203 }
            - { inject: { reboot: 6 s } }
            - { disconnected: 0x08 }
            - connect
            - { write: control, value: hex:01 }
            - { read: state, gives: 1 }
        - name: the last confirmation is lost
          faults: [ { on: { notify: state }, do: drop, nth: 2 } ]
          steps: [ { write: control, value: hex:02 }, { not-notified: state, for: 5 s }, { read: state, gives: 2 } ]
        - name: blocks are slow
          matrix: { delay: [ 100 ms, 2 s, 20 s ] }
          faults: [ { on: { write: block }, do: { delay: "${delay}" } } ]
          steps:
            - repeat: 10
              steps: [ { write: block, value: hex:00010203 } ]
            - { write: control, value: hex:02 }
            - { notified: state, value: 2 }
        - name: the air is bad
          matrix: { loss: [ 10%, 30% ] }
          steps:
            - { air: { loss: "${loss}" } }
            - repeat: 30
              steps: [ { write: block, value: hex:000102030405060708090a0b0c0d0e0f } ]
            - { air: good }
            - { write: control, value: hex:02 }
            - { notified: state, value: 2 }
        - name: the channel of the image closes
          faults: [ { on: { sdu: image }, do: close, nth: 3 } ]
          steps:
            - { open: image }
            - { send: image, value: hex:01 }
            - { send: image, value: hex:02 }
            - { send: image, value: hex:03 }
            - { wait: 1 s }
            - { open: image }
            - { send: image, value: hex:01 }
        - name: the channel of the image gives no credits
          faults: [ { on: { channel: image }, do: { credits: withhold } } ]
          steps: [ { open: image }, { send: image, value: hex:01 }, { read: state, gives: 1 } ]

      """##
    ),
    (
      "permissions.yaml",
      ##"""
      # What a central may not, before and after it has paired, and what becomes of keys that are lost.
      understudy-scenario: 1
      name: Permission refusals
      about: Every refusal for want of security, pairing that fails, and bonds that one side has lost.
      accessory: ./accessories/guarded.yaml
      tags: [permissions]
      prepare: [ connect ]
      cases:
        - name: is refused before it has paired
          matrix: { id: [ encrypted, authenticated, strict ] }
          steps: [ { read: "${id}", fails: insufficient-authentication }, { read: open, gives: 1 } ]
        - name: is refused writes before it has paired
          matrix: { id: [ encrypted, authenticated ] }
          steps: [ { write: "${id}", value: 9, fails: insufficient-authentication }, { expect: { event: refused } } ]
        - name: may not even when it has paired
          steps: [ { pair: any, passkey: 123456 }, { read: forbidden, fails: read-not-permitted }, { write: forbidden, value: 1, fails: write-not-permitted } ]
        - name: may when it has paired
          matrix: { id: [ encrypted, authenticated, strict ] }
          steps: [ { pair: any, passkey: 123456 }, { read: "${id}", fails: false } ]
        - name: types the wrong passkey
          steps: [ { pair: any, passkey: 1, fails: true }, { expect: { event: pairing-failed, reason: confirm-value-failed } }, { read: encrypted, fails: insufficient-authentication }, { read: open, gives: 1 } ]
        - name: subscribes only when it has paired
          steps:
            - { subscribe: pushed, fails: insufficient-authentication }
            - { pair: any, passkey: 123456 }
            - { subscribe: pushed }
            - { set: { pushed: 9 } }
            - { notified: pushed, value: 9 }
        - name: has lost its keys
          steps: [ { pair: any, passkey: 123456 }, disconnect, forget, connect, { read: encrypted, fails: insufficient-encryption }, { pair: any, passkey: 123456 }, { read: encrypted, gives: 2 } ]
        - name: the accessory has lost its keys
          steps: [ { pair: any, passkey: 123456 }, disconnect, { inject: { keys: forget } }, connect, { pair: any, fails: true } ]
        - name: the accessory has lost its keys, and the central pairs anew
          steps:
            - { pair: any, passkey: 123456 }
            - disconnect
            - { inject: { keys: forget } }
            - connect
            - { pair: any, fails: true }
            - { pair: any, passkey: 123456, anew: true }
            - { expect: { event: paired, bonded: true } }
            - { read: encrypted, gives: 2 }
        - name: the accessory has wrong keys
          steps: [ { pair: any, passkey: 123456 }, disconnect, { inject: { keys: corrupt } }, connect, { pair: any, fails: true } ]
        - name: a permission is taken away in the middle
          matrix: { code: [ insufficient-authentication, insufficient-encryption, insufficient-authorization, encryption-key-size-too-short ] }
          steps:
            - { pair: any, passkey: 123456 }
            - { read: encrypted, gives: 2 }
            - { fault: { id: gone, on: { read: encrypted }, do: { error: "${code}" } } }
            - { read: encrypted, fails: "${code}" }
            - { disarm: gone }
            - { read: encrypted, gives: 2 }

      """##
    ),
    (
      "reconnect.yaml",
      ##"""
      # A central that comes back again and again, and an air that is bad.
      understudy-scenario: 1
      name: Reconnect torture
      about: Hundreds of connections, absences, losses, and an accessory that reboots meanwhile.
      accessory: ./accessories/bench.yaml
      tags: [reconnect]
      timeout: 4 h
      cases:
        - name: comes back a hundred times
          steps:
            - repeat: 100
              steps: [ connect, { read: level, gives: 7 }, disconnect ]
        - name: comes back and finds everything
          steps:
            - repeat: 10
              steps: [ connect, exchange-mtu, { discover: any, has: [ level, battery-level ] }, { subscribe: count }, { notified: count }, disconnect ]
        - name: is thrown out again and again
          matrix: { reason: [ user-terminated, low-resources, power-off ] }
          faults: [ { on: { read: level }, do: { disconnect: "${reason}" } } ]
          steps:
            - repeat: 20
              steps: [ connect, { read: level, fails: maybe }, disconnected ]
        - name: loses the accessory and finds it again
          matrix: { absence: [ 1 s, 30 s, 5 min ] }
          steps:
            - repeat: 5
              steps: [ connect, { read: level, gives: 7 }, { inject: { vanish: "${absence}" } }, { disconnected: 0x08 }, { wait: "${absence}" } ]
            - connect
            - { read: level, gives: 7 }
        - name: connects while packets are lost
          matrix: { loss: [ 5%, 20%, 40% ] }
          steps:
            - { air: { loss: "${loss}" } }
            - repeat: 10
              steps: [ { connect: { timeout: 6 s } }, { read: level, fails: maybe }, { write: lock, value: hex:0102, fails: maybe }, disconnect ]
            - { air: good }
            - connect
            - { read: level, gives: 7 }
        - name: goes out of reach
          steps:
            - repeat: 5
              steps: [ connect, { read: level, gives: 7 }, { air: unreachable }, { disconnected: 0x08 }, { air: good }, { wait: 2 s } ]
            - connect
            - { read: level, gives: 7 }
        - name: meets an accessory that reboots on every third connection
          faults: [ { on: connected, do: { reboot: 2 s }, every: 3 } ]
          steps:
            - repeat: 3
              steps:
                - repeat: 2
                  steps: [ connect, { write: lock, value: hex:05 }, { read: lock, gives: hex:05 }, disconnect ]
                - { connect: any }
                - { expect: { event: fault, fault: injected } }
                - disconnected
                - { value: lock, is: hex:0102 }
                - { wait: 5 s }
        - name: pairs, and comes back encrypted
          steps:
            - connect
            - pair
            - disconnect
            - repeat: 10
              steps: [ connect, pair, { read: secret, gives: 42 }, disconnect ]
        - name: keeps its subscriptions over a bond
          steps:
            - connect
            - pair
            - { subscribe: level }
            - repeat: 5
              steps: [ disconnect, connect, pair, { set: { level: 1 } }, { notified: level, value: 1 }, { set: { level: 2 } }, { notified: level, value: 2 } ]
        - name: takes turns with another
          steps:
            - repeat: 10
              steps: [ connect, { connect: any, phone: other }, { read: level, gives: 7 }, { read: level, gives: 7, phone: other }, disconnect, { disconnect: any, phone: other } ]

      """##
    ),
  ]
}
