// Written by scripts/embed-texts from the files in Profiles and Scenarios; a test holds it against them.

extension ShippedTexts {
  /// The profiles, by the names of their files.
  static let all: [(name: String, text: String)] = [
    (
      "alert-notification",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # A phone that tells a watch of mails, calls and messages (Alert Notification Service 1.0).
      #
      #   understudy run alert-notification --http 127.0.0.1:8080
      #   curl -X POST localhost:8080/v1/buttons/email     (or call, missed-call, message, read-all)
      #
      # The watch says by the control point of which categories it wants to hear.
      understudy: 1
      name: Alerting Phone
      about: A phone with mails, calls and messages, of which a watch hears as far as it has enabled their categories.
      identity: { address: static, appearance: phone }
      security: { pairing: just-works }
      advertising:
        - id: main
          data: { flags: [general], services: [alert-notification], appearance: true }
          scan-response: { name: complete }
          schedule: [ { interval: 20 ms, for: 30 s }, { interval: 152.5 ms } ]

      variables:
        # The categories that the client has enabled, a bit for each: 1 mail, 3 call, 4 missed call, 5 message.
        new-enabled: 0
        unread-enabled: 0
        new-emails: 1
        new-calls: 0
        new-missed-calls: 0
        new-messages: 0
        unread-emails: 3
        unread-missed-calls: 0
        unread-messages: 0

      rules:
        # Nothing is enabled on a new connection (ANS 3.1).
        - { when: connected, do: { set: { new-enabled: 0, unread-enabled: 0 } } }

        - { when: { button: email }, do: { set: { new-emails: { compute: new-emails + 1 }, unread-emails: { compute: unread-emails + 1 } } } }
        - { when: { button: email }, if: new-enabled & 0x02 != 0, do: { reply: { new-alert: { category: email, count: { compute: new-emails }, text: Ada Lovelace } } } }
        - { when: { button: email }, if: unread-enabled & 0x02 != 0, do: { reply: { unread-alert-status: { category: email, count: { compute: unread-emails } } } } }

        - { when: { button: call }, do: { set: { new-calls: { compute: new-calls + 1 } } } }
        - { when: { button: call }, if: new-enabled & 0x08 != 0, do: { reply: { new-alert: { category: call, count: { compute: new-calls }, text: Grace Hopper } } } }

        - { when: { button: missed-call }, do: { set: { new-missed-calls: { compute: new-missed-calls + 1 }, unread-missed-calls: { compute: unread-missed-calls + 1 } } } }
        - { when: { button: missed-call }, if: new-enabled & 0x10 != 0, do: { reply: { new-alert: { category: missed-call, count: { compute: new-missed-calls }, text: Grace Hopper } } } }
        - { when: { button: missed-call }, if: unread-enabled & 0x10 != 0, do: { reply: { unread-alert-status: { category: missed-call, count: { compute: unread-missed-calls } } } } }

        - { when: { button: message }, do: { set: { new-messages: { compute: new-messages + 1 }, unread-messages: { compute: unread-messages + 1 } } } }
        - { when: { button: message }, if: new-enabled & 0x20 != 0, do: { reply: { new-alert: { category: message, count: { compute: new-messages }, text: Zoë } } } }
        - { when: { button: message }, if: unread-enabled & 0x20 != 0, do: { reply: { unread-alert-status: { category: message, count: { compute: unread-messages } } } } }

        # Somebody has looked at the phone.
        - { when: { button: read-all }, do: { set: { new-emails: 0, new-calls: 0, new-missed-calls: 0, new-messages: 0, unread-emails: 0, unread-missed-calls: 0, unread-messages: 0 } } }
        - { when: { button: read-all }, if: unread-enabled & 0x02 != 0, do: { reply: { unread-alert-status: { category: email, count: 0 } } } }
        - { when: { button: read-all }, if: unread-enabled & 0x10 != 0, do: { reply: { unread-alert-status: { category: missed-call, count: 0 } } } }
        - { when: { button: read-all }, if: unread-enabled & 0x20 != 0, do: { reply: { unread-alert-status: { category: message, count: 0 } } } }

      services:
        - id: alerts
          uuid: alert-notification
          characteristics:
            - id: supported-new-alert-category
              uuid: supported-new-alert-category
              properties: [read]
              value: { categories: [email, call, missed-call, message] }
            - id: new-alert
              uuid: new-alert
              properties: [notify]
              notify: on-demand
              value: { category: email, count: 0 }
            - id: supported-unread-alert-category
              uuid: supported-unread-alert-category
              properties: [read]
              value: { categories: [email, missed-call, message] }
            - id: unread-alert-status
              uuid: unread-alert-status
              properties: [notify]
              notify: on-demand
              value: { category: email, count: 0 }

            # A command and a category, 255 for all. Commands and categories that are not supported are refused with 0xA0 (ANS 1.5; so does the BLE
            # component of PSoC Creator).
            - id: alert-control
              uuid: alert-notification-control-point
              properties: [write]
              control-point:
                unknown: { error: 0xA0 }
                malformed: { error: invalid-attribute-value-length }
                commands:
                  - opcode: 0
                    parameters: { category: u8 }
                    require: [ { if: category == 255 or 0x3A >> category & 1 == 1, else: { error: 0xA0 } } ]
                    do: { set: { new-enabled: { compute: 'new-enabled | if(category == 255, 0x3A, 1 << category)' } } }
                  - opcode: 1
                    parameters: { category: u8 }
                    require: [ { if: category == 255 or 0x32 >> category & 1 == 1, else: { error: 0xA0 } } ]
                    do: { set: { unread-enabled: { compute: 'unread-enabled | if(category == 255, 0x32, 1 << category)' } } }
                  - opcode: 2
                    parameters: { category: u8 }
                    require: [ { if: category == 255 or 0x3A >> category & 1 == 1, else: { error: 0xA0 } } ]
                    do: { set: { new-enabled: { compute: 'new-enabled & ~if(category == 255, 0x3A, 1 << category)' } } }
                  - opcode: 3
                    parameters: { category: u8 }
                    require: [ { if: category == 255 or 0x32 >> category & 1 == 1, else: { error: 0xA0 } } ]
                    do: { set: { unread-enabled: { compute: 'unread-enabled & ~if(category == 255, 0x32, 1 << category)' } } }
                  - { opcode: 4, parameters: { category: u8 }, require: [ { if: category == 255 or 0x3A >> category & 1 == 1, else: { error: 0xA0 } } ] }
                  - { opcode: 5, parameters: { category: u8 }, require: [ { if: category == 255 or 0x32 >> category & 1 == 1, else: { error: 0xA0 } } ] }
              # Commands 4 and 5 want at once what there is of the enabled categories.
              rules:
                - { when: written, if: 'written.command == "notify-new" and new-enabled & 0x02 != 0 and (written.category == "email" or written.category == "all") and new-emails > 0', do: { reply: { new-alert: { category: email, count: { compute: new-emails }, text: Ada Lovelace } } } }
                - { when: written, if: 'written.command == "notify-new" and new-enabled & 0x08 != 0 and (written.category == "call" or written.category == "all") and new-calls > 0', do: { reply: { new-alert: { category: call, count: { compute: new-calls }, text: Grace Hopper } } } }
                - { when: written, if: 'written.command == "notify-new" and new-enabled & 0x10 != 0 and (written.category == "missed-call" or written.category == "all") and new-missed-calls > 0', do: { reply: { new-alert: { category: missed-call, count: { compute: new-missed-calls }, text: Grace Hopper } } } }
                - { when: written, if: 'written.command == "notify-new" and new-enabled & 0x20 != 0 and (written.category == "message" or written.category == "all") and new-messages > 0', do: { reply: { new-alert: { category: message, count: { compute: new-messages }, text: Zoë } } } }
                - { when: written, if: 'written.command == "notify-unread" and unread-enabled & 0x02 != 0 and (written.category == "email" or written.category == "all")', do: { reply: { unread-alert-status: { category: email, count: { compute: unread-emails } } } } }
                - { when: written, if: 'written.command == "notify-unread" and unread-enabled & 0x10 != 0 and (written.category == "missed-call" or written.category == "all")', do: { reply: { unread-alert-status: { category: missed-call, count: { compute: unread-missed-calls } } } } }
                - { when: written, if: 'written.command == "notify-unread" and unread-enabled & 0x20 != 0 and (written.category == "message" or written.category == "all")', do: { reply: { unread-alert-status: { category: message, count: { compute: unread-messages } } } } }

      """##
    ),
    (
      "ams",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # A phone that plays music, which an accessory steers: the Apple Media Service.
      #
      #   understudy run ams --http 127.0.0.1:8080
      #   curl -X POST localhost:8080/v1/buttons/play     (or pause, next, previous, volume-up, volume-down, repeat, shuffle): somebody touches the phone
      #
      # Its errors are 0xA0 invalid state, 0xA1 invalid command and 0xA2 absent attribute, as clients of several chips' development kits have them.
      #
      # The service is for firmware and test tools. An app on Core Bluetooth never sees it, because the system keeps it to itself; `now-playing`
      # tells what plays under UUIDs of its own.
      understudy: 1
      name: Music Phone
      about: A phone with three tracks, played, skipped and made louder by remote commands; subscribers hear of every change.
      identity: { address: static, appearance: phone }
      security: { pairing: just-works }
      advertising:
        - id: main
          data: { flags: [general], services: [A0000060-7C4D-4B0E-9E4B-1F6E2A1B9C00] }
          scan-response: { name: complete }
          schedule: [ { interval: 20 ms, for: 30 s }, { interval: 152.5 ms } ]

      variables:
        playing: false
        # Seconds into the track when it began to play or paused, and when that was.
        position: 0
        since: 0
        track: 0
        # Sixteenths, as the steps of a phone's volume.
        loudness: 8
        # 0 off, 1 one, 2 all.
        shuffle: 0
        repeat-tracks: 2
        # A bit for every attribute, entity × 4 + attribute: which the client wants, and which it is yet to be told.
        wanted: 0
        untold: 0
        # The attribute that is read as a whole.
        asked: { value: 3, per: connection }
        # The command that is to be done, 255 for none.
        command: 255

      rules:
        - { when: connected, do: { set: { wanted: 0, untold: 0 } } }
        - { when: { button: play }, do: { set: { command: 0 } } }
        - { when: { button: pause }, do: { set: { command: 1 } } }
        - { when: { button: next }, do: { set: { command: 3 } } }
        - { when: { button: previous }, do: { set: { command: 4 } } }
        - { when: { button: volume-up }, do: { set: { command: 5 } } }
        - { when: { button: volume-down }, do: { set: { command: 6 } } }
        - { when: { button: repeat }, do: { set: { command: 7 } } }
        - { when: { button: shuffle }, do: { set: { command: 8 } } }
        # The end of a track.
        - { when: { every: 1 s }, if: 'playing and position + time - since >= number(track-duration)', do: { set: { command: 3 } } }

        # A command from whomever: 0 play, 1 pause, 2 either, 3 next, 4 previous, 5 and 6 volume, 7 repeat, 8 shuffle, 9 and 10 skip 15 s, 11 like.
        - when: { becomes: command != 255 }
          do:
            - set:
                position: { compute: 'if(command == 3 or command == 4, 0.0, max(0.0, if(playing, position + time - since, position) + if(command == 9, 15, if(command == 10, -15, 0))))' }
                since: { compute: time }
                playing: { compute: 'if(command == 0, true, if(command == 1, false, if(command == 2, not playing, playing)))' }
                track: { compute: 'if(command == 3, (track + 1) % 3, if(command == 4, (track + 2) % 3, track))' }
                loudness: { compute: 'max(0, min(16, loudness + if(command == 5, 1, if(command == 6, -1, 0))))' }
                repeat-tracks: { compute: 'if(command == 7, (repeat-tracks + 1) % 3, repeat-tracks)' }
                shuffle: { compute: 'if(command == 8, (shuffle + 1) % 3, shuffle)' }
            # What has changed: of the player playback and volume, of the queue index, shuffle and repeat, of the track everything.
            - set:
                untold: { compute: 'untold | wanted & if(command == 3 or command == 4, 0xF12, if(command == 5 or command == 6, 0x004, if(command == 7, 0x080, if(command == 8, 0x040, 0x002))))' }
            - set: { command: 255 }
        # A podcast can be skipped in parts, and music be liked.
        - { when: { becomes: track == 2 }, do: { reply: { ams-remote-command: hex:0001020304050607080D0A09 } } }
        - { when: { becomes: track != 2 and time > 0.1 }, do: { reply: { ams-remote-command: hex:0001020304050607080B0C } } }

        # An update: entity, attribute, whether it is cut, and as much as one notification holds.
        - { when: { becomes: untold & 0x001 != 0 }, do: [ { reply: { ams-entity-update: { compute: 'hex:0000 ++ if(length(player-name) > mtu - 6, 1, 0) ++ player-name[..mtu - 6]' } } }, { set: { untold: { compute: untold & ~0x001 } } } ] }
        - { when: { becomes: untold & 0x002 != 0 }, do: [ { reply: { ams-entity-update: { compute: 'hex:0001 ++ if(length(playback-info) > mtu - 6, 1, 0) ++ playback-info[..mtu - 6]' } } }, { set: { untold: { compute: untold & ~0x002 } } } ] }
        - { when: { becomes: untold & 0x004 != 0 }, do: [ { reply: { ams-entity-update: { compute: 'hex:000200 ++ volume' } } }, { set: { untold: { compute: untold & ~0x004 } } } ] }
        - { when: { becomes: untold & 0x010 != 0 }, do: [ { reply: { ams-entity-update: { compute: 'hex:010000 ++ queue-index' } } }, { set: { untold: { compute: untold & ~0x010 } } } ] }
        - { when: { becomes: untold & 0x020 != 0 }, do: [ { reply: { ams-entity-update: { compute: 'hex:010100 ++ queue-count' } } }, { set: { untold: { compute: untold & ~0x020 } } } ] }
        - { when: { becomes: untold & 0x040 != 0 }, do: [ { reply: { ams-entity-update: { compute: 'hex:010200 ++ shuffle-mode' } } }, { set: { untold: { compute: untold & ~0x040 } } } ] }
        - { when: { becomes: untold & 0x080 != 0 }, do: [ { reply: { ams-entity-update: { compute: 'hex:010300 ++ repeat-mode' } } }, { set: { untold: { compute: untold & ~0x080 } } } ] }
        - { when: { becomes: untold & 0x100 != 0 }, do: [ { reply: { ams-entity-update: { compute: 'hex:0200 ++ if(length(track-artist) > mtu - 6, 1, 0) ++ track-artist[..mtu - 6]' } } }, { set: { untold: { compute: untold & ~0x100 } } } ] }
        - { when: { becomes: untold & 0x200 != 0 }, do: [ { reply: { ams-entity-update: { compute: 'hex:0201 ++ if(length(track-album) > mtu - 6, 1, 0) ++ track-album[..mtu - 6]' } } }, { set: { untold: { compute: untold & ~0x200 } } } ] }
        - { when: { becomes: untold & 0x400 != 0 }, do: [ { reply: { ams-entity-update: { compute: 'hex:0202 ++ if(length(track-title) > mtu - 6, 1, 0) ++ track-title[..mtu - 6]' } } }, { set: { untold: { compute: untold & ~0x400 } } } ] }
        - { when: { becomes: untold & 0x800 != 0 }, do: [ { reply: { ams-entity-update: { compute: 'hex:020300 ++ track-duration' } } }, { set: { untold: { compute: untold & ~0x800 } } } ] }

      services:
        - id: ams
          uuid: 89D3502B-0F36-433A-8EF4-C502AD55F8DC
          characteristics:
            # Errors are Apple's: 0xA0 invalid state, 0xA1 invalid command, 0xA2 absent attribute.
            - id: ams-remote-command
              uuid: 9B3C81D8-57B1-4A8A-B8DF-0E56F7CA51C2
              properties: [write, write-without-response, notify]
              permissions: { write: encrypted, subscribe: encrypted }
              notify: on-demand
              on-write:
                - { if: 'length(written) != 1 or written[0] > 13', error: 0xA1 }
                - { if: 'track == 2 and (written[0] == 11 or written[0] == 12) or track != 2 and (written[0] == 9 or written[0] == 10 or written[0] == 13)', error: 0xA1 }
                - { otherwise: [log, { set: { command: { compute: 'written[0]' } } }] }
              rules:
                - { when: subscribed, do: { reply: { ams-remote-command: { compute: 'if(track == 2, hex:0001020304050607080D0A09, hex:0001020304050607080B0C)' } } } }
            - id: ams-entity-update
              uuid: 2F7CABCE-808D-411F-9A0C-BB92BA96C102
              properties: [write, notify]
              permissions: { write: encrypted, subscribe: encrypted }
              notify: on-demand
              on-write:
                - { if: not subscribed(ams-entity-update), error: 0xA0 }
                - { if: 'length(written) < 2 or written[0] > 2', error: 0xA1 }
                - otherwise:
                    - log
                    - set:
                        wanted: { compute: 'wanted & ~(15 << written[0] * 4) | (if(contains(written[1..], 0), 1, 0) | if(contains(written[1..], 1), 2, 0) | if(contains(written[1..], 2), 4, 0) | if(contains(written[1..], 3) and written[0] > 0, 8, 0)) << written[0] * 4' }
                    - set: { untold: { compute: 'untold | wanted & 15 << written[0] * 4' } }
            # Who writes an entity and an attribute, then reads the whole of it.
            - id: ams-entity-attribute
              uuid: C6B2F38C-23AB-46D8-A6AB-A3A870BBD5D7
              properties: [read, write]
              permissions: { read: encrypted, write: encrypted }
              format: utf8
              value: { compute: 'list(player-name, playback-info, volume, "", queue-index, queue-count, shuffle-mode, repeat-mode, track-artist, track-album, track-title, track-duration)[asked]' }
              on-write:
                - { if: 'length(written) != 2 or octets(written)[0] > 2 or octets(written)[1] > 3', error: 0xA1 }
                - { if: 'octets(written) == hex:0003 or octets(written) == hex:0201 and length(track-album) == 0', error: 0xA2 }
                - { otherwise: { set: { asked: { compute: 'octets(written)[0] * 4 + octets(written)[1]' } } } }

        # Not of Apple: what plays.
        - id: now-playing
          uuid: A0000060-7C4D-4B0E-9E4B-1F6E2A1B9C00
          characteristics:
            - { id: player-name, uuid: A0000061-7C4D-4B0E-9E4B-1F6E2A1B9C00, properties: [read], format: utf8, value: Music }
            # The state (0 paused, 1 playing), the rate, and the seconds into the track.
            - { id: playback-info, uuid: A0000062-7C4D-4B0E-9E4B-1F6E2A1B9C00, properties: [read], format: utf8, value: { compute: 'text(if(playing, "1,1.0,", "0,0.0,") ++ text(round(if(playing, position + time - since, position) * 10) / 10.0))' } }
            - { id: volume, uuid: A0000063-7C4D-4B0E-9E4B-1F6E2A1B9C00, properties: [read, notify], format: utf8, value: { compute: text(loudness / 16.0) } }
            - { id: queue-index, uuid: A0000064-7C4D-4B0E-9E4B-1F6E2A1B9C00, properties: [read, notify], format: utf8, value: { compute: text(track) } }
            - { id: queue-count, uuid: A0000065-7C4D-4B0E-9E4B-1F6E2A1B9C00, properties: [read], format: utf8, value: "3" }
            - { id: shuffle-mode, uuid: A0000066-7C4D-4B0E-9E4B-1F6E2A1B9C00, properties: [read, notify], format: utf8, value: { compute: text(shuffle) } }
            - { id: repeat-mode, uuid: A0000067-7C4D-4B0E-9E4B-1F6E2A1B9C00, properties: [read, notify], format: utf8, value: { compute: text(repeat-tracks) } }
            - { id: track-artist, uuid: A0000068-7C4D-4B0E-9E4B-1F6E2A1B9C00, properties: [read, notify], format: utf8, value: { compute: 'list("Clara Schumann", "Joseph Bologne, Chevalier de Saint-Georges", "The Analytical Engine Hour")[track]' } }
            - { id: track-album, uuid: A0000069-7C4D-4B0E-9E4B-1F6E2A1B9C00, properties: [read, notify], format: utf8, value: { compute: 'list("Piano Works", "Violin Concertos", "")[track]' } }
            - { id: track-title, uuid: A000006A-7C4D-4B0E-9E4B-1F6E2A1B9C00, properties: [read, notify], format: utf8, value: { compute: 'list("Three Romances, Op. 11", "Violin Concerto in A major, Op. 5 No. 2", "Episode 12: Bernoulli Numbers")[track]' } }
            - { id: track-duration, uuid: A000006B-7C4D-4B0E-9E4B-1F6E2A1B9C00, properties: [read, notify], format: utf8, value: { compute: 'list("240.0", "612.5", "1805.0")[track]' } }

      """##
    ),
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
      group: Phone
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
      group: Basics

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
      "battery-status",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # A battery that is discharged and charged (Battery Service 1.1).
      #
      #   understudy run battery-status
      #
      # It is plugged in when it is nearly empty, and taken off when it is full. POST /v1/buttons/plug and /v1/buttons/unplug do so, too.
      understudy: 1
      name: Battery Status
      about: A battery whose level goes down and up again within minutes, with its power state, health, energy and times.
      group: Basics
      identity: { address: static, appearance: power-bank }

      advertising:
        - id: main
          data: { flags: [general], services: [battery], appearance: true }
          scan-response: { name: complete }

      variables: { level: 60, cycles: 212, plugged: false }

      rules:
        - { when: { becomes: level <= 5 }, after: 5 s, do: { enter: charging } }
        - { when: { becomes: level >= 100 }, after: 5 s, do: { enter: discharging } }
        - { when: { button: plug }, if: not plugged, do: { enter: charging } }
        - { when: { button: unplug }, if: plugged, do: { enter: discharging } }

      states:
        discharging:
          - { when: entered, do: { set: { plugged: false } } }
          - { when: { every: 2 s }, do: { set: { level: { compute: "max(0, level - 1)" } } } }
        charging:
          - { when: entered, do: { set: { plugged: true, cycles: { compute: cycles + 1 } } } }
          - { when: { every: 1 s }, do: { set: { level: { compute: "min(100, level + 1)" } } } }

      services:
        - include: battery
          level: { value: { compute: level } }
          # 3.2. An identifier tells several batteries apart; the level stands here, too.
          level-status:
            power:
              present: true
              wired: { compute: "if(plugged, 'yes', 'no')" }
              wireless: "no"
              charge: { compute: "if(level >= 100, 'idle', if(plugged, 'charging', 'discharging'))" }
              level: { compute: "if(level > 20, 'good', if(level > 8, 'low', 'critical'))" }
              type: { compute: "if(plugged and level < 100, 'constant-current', 'unknown')" }
              battery-fault: false
              external-fault: false
              other-fault: false
            identifier: 0x0106
            level: { compute: level }
            additional: { service-required: "no", fault: false }
          # 3.3: subscribers get an indication when it begins and when it is over.
          critical-status: { compute: "if(level > 8, 0, 1)" }
          health-status: { health: 93, cycles: { compute: cycles }, temperature: 27, deep-discharges: 4 }
          health-information: { cycles: 1000, lowest-temperature: -10, highest-temperature: 45 }
          # Days since 1970: made on 2024-02-29, expires five years later.
          information:
            features: [rechargeable]
            manufactured: 19782
            expires: 21609
            capacity: 0.037
            low-energy: 0.0074
            critical-energy: 0.003
            chemistry: lithium-ion
            voltage: 3.7
          energy-status:
            external-power: { compute: "if(plugged, 5, 0)" }
            voltage: { compute: "round(330 + level * 0.9) / 100.0" }
            energy: { compute: "round(level * 0.37) / 1000.0" }
            capacity: 0.037
            charge-rate: { compute: "if(plugged, 4.5, -2)" }
            energy-at-last-charge: 0.002
          time-status:
            until-discharged: { compute: level * 6 }
            until-discharged-on-standby: { compute: level * 60 }
            until-recharged: { compute: 100 - level }
          service-date: 21609

      """##
    ),
    (
      "bike-light",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # A rear light for a bicycle that brakes lighten, with a lock: in its service, whoever claims it first sets the code.
      #
      #   understudy run bike-light --http 127.0.0.1:8080
      #   curl -X POST localhost:8080/v1/buttons/brake     (or press, the button at the light, which goes through the modes)
      understudy: 1
      name: Bike Light
      about: A rear light with modes, a brake light and an anti-theft code, whose battery lasts as long as its mode lets it.
      identity: { address: static, appearance: light-source }
      advertising:
        - id: main
          data: { flags: [general], services: [A00000E0-7C4D-4B0E-9E4B-1F6E2A1B9C00], appearance: true }
          scan-response: { name: complete }
          schedule: [ { interval: 20 ms, for: 30 s }, { interval: 1022.5 ms } ]

      variables:
        # Thousandths of a percent.
        charge: 90599
        # Whether this connection has said the code.
        unlocked: { value: false, per: connection }
        braking: false

      rules:
        - { when: { button: press }, do: { set: { light-mode: { compute: '(octets(light-mode)[0] + 1) % 4' } } } }
        - { when: { button: brake }, do: { set: { braking: true } } }
        - { when: { becomes: braking }, after: 2 s, do: { set: { braking: false } } }
        - { when: { every: 1 s }, do: { set: { charge: { compute: 'max(0, charge - if(light-mode == "boost", 28, if(light-mode == "steady", 7, if(light-mode == "day-flash", 2, 0))))' } } } }
        # An empty battery switches it off.
        - { when: { becomes: charge == 0 }, do: { set: { light-mode: "off" } } }

      services:
        - id: light
          uuid: A00000E0-7C4D-4B0E-9E4B-1F6E2A1B9C00
          characteristics:
            - id: light-mode
              uuid: A00000E1-7C4D-4B0E-9E4B-1F6E2A1B9C00
              properties: [read, write, notify]
              format: { names: { "off": 0, day-flash: 1, steady: 2, boost: 3 } }
              value: day-flash
              persistent: true
              on-write:
                - { if: 'length(light-code) > 0 and not unlocked', error: insufficient-authorization }
                - { if: 'octets(written)[0] > 3', error: value-not-allowed }
                - { if: 'charge == 0 and octets(written)[0] > 0', error: 0x80 }
            # In percent of all it can: flashing 100 and 0 four times a second by day, 40 steadily, 100 when it boosts or brakes.
            - id: luminance
              uuid: A00000E2-7C4D-4B0E-9E4B-1F6E2A1B9C00
              properties: [read, notify]
              format: u8
              value: { compute: 'if(light-mode == "off", 0, if(braking or light-mode == "boost", 100, if(light-mode == "steady", 40, if(floor(time * 8) % 2 == 0, 100, 0))))' }
            # Minutes that the battery lasts in this mode, 65535 when it is off.
            - id: minutes-left
              uuid: A00000E3-7C4D-4B0E-9E4B-1F6E2A1B9C00
              properties: [read]
              format: u16
              value: { compute: 'if(light-mode == "off", 65535, charge / 60 / if(light-mode == "boost", 28, if(light-mode == "steady", 7, 2)))' }
            # Four digits: who writes some first sets them, then who writes them may use the light on that connection; 0x81 for wrong ones.
            - id: light-code
              uuid: A00000E4-7C4D-4B0E-9E4B-1F6E2A1B9C00
              properties: [write]
              format: utf8
              value: ""
              persistent: true
              packets: { end: hex:0A, longest: 5 }
              on-write:
                - { if: 'length(written) != 5 or written[0] < 0x30 or written[0] > 0x39 or written[1] < 0x30 or written[1] > 0x39 or written[2] < 0x30 or written[2] > 0x39 or written[3] < 0x30 or written[3] > 0x39', error: value-not-allowed }
                - { if: length(light-code) == 0, do: { set: { light-code: { compute: 'text(octets(written)[..4])' }, unlocked: true } } }
                - { if: 'octets(light-code) == octets(written)[..4]', do: { set: { unlocked: true } } }
                - { otherwise: { error: 0x81 } }
        - include: battery
          level: { value: { compute: charge / 1000 } }
        - include: device-information
          model-number: Light 1

      """##
    ),
    (
      "blood-pressure",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # A blood pressure cuff for the upper arm (Blood Pressure Service 1.0) with two users.
      #
      #   understudy run blood-pressure
      #
      # It measures by itself ten seconds after the last time, or when somebody presses its button:
      # curl -X POST localhost:8080/v1/buttons/start, where it runs with --http.
      understudy: 1
      name: Blood Pressure
      about: A cuff that inflates for 20 s, tells its pressure meanwhile, and then sends systolic, diastolic and mean pressure with the pulse.
      group: Health
      identity: { address: static, appearance: arm-blood-pressure }

      advertising:
        - id: main
          data: { flags: [general], services: [blood-pressure], appearance: true }
          scan-response: { name: complete }

      variables: { user: 1, measured: 0 }

      states:
        resting:
          - { when: entered, after: 10 s, do: { enter: measuring } }
          - { when: { button: start }, do: { enter: measuring } }
        measuring:
          - { when: entered, do: { reset: cuff } }
          - { when: { every: 1 s }, do: { notify: cuff } }
          # The users take turns.
          - when: entered
            after: 20 s
            do:
              - { set: { measured: { compute: measured + 1 }, user: { compute: 2 - measured % 2 } } }
              - { indicate: measurement }
              - { enter: resting }
          - { when: { button: stop }, do: { enter: resting } }

      services:
        - uuid: blood-pressure
          characteristics:
            # What belongs together rises and falls together; the mean is a third of the way up.
            - id: measurement
              uuid: blood-pressure-measurement
              properties: [indicate]
              indicate: on-demand
              value:
                unit: mmHg
                systolic: { wave: sine, low: 112, high: 148, period: 10 min, round: 1 }
                diastolic: { wave: sine, low: 70, high: 91, period: 10 min, round: 1 }
                mean: { wave: sine, low: 84, high: 110, period: 10 min, round: 1 }
                time: { clock: local }
                pulse: { wave: random-walk, low: 58, high: 84, period: 5 min, round: 1 }
                user: { compute: user }
                # Every fifth time the arm has moved.
                status:
                  body-movement: { compute: measured > 0 and measured % 5 == 0 }
                  cuff-loose: false
                  irregular-pulse: false
                  pulse-range: within
                  improper-position: false

            # 3.2: while the cuff inflates and deflates; the other pressures are not known yet.
            - id: cuff
              uuid: intermediate-cuff-pressure
              properties: [notify]
              notify: on-demand
              value:
                unit: mmHg
                pressure: { wave: triangle, low: 0, high: 180, period: 20 s, round: 1 }
                user: { compute: user }

            - id: feature
              uuid: blood-pressure-feature
              properties: [read]
              value: [body-movement]

        - include: device-information
          model-number: Cuff 1
        - include: battery

      """##
    ),
    (
      "bond-management",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # An accessory whose bonds can be deleted by who has one (Bond Management Service 1.0.1).
      #
      #   understudy run bond-management --set code=4711
      understudy: 1
      parameters:
        code: { default: "4711", about: The authorization code for deleting all bonds. }
      name: Bond Manager
      about: An accessory that forgets the bond of who asks for it, those of all others, or with an authorization code all.
      identity: { address: static, appearance: control-device }
      security: { pairing: just-works }
      connection: { max-connections: 2 }
      advertising:
        - id: main
          data: { flags: [general], services: [bond-management], appearance: true }
          scan-response: { name: complete }
          schedule: [ { interval: 20 ms, for: 30 s }, { interval: 152.5 ms } ]

      services:
        - id: bonds
          uuid: bond-management
          characteristics:
            # Of LE: it deletes the requesting device's bond (bit 4), all (10) with an authorization code (11), all but the requesting
            # device's (16).
            - id: bond-management-features
              uuid: bond-management-features
              properties: [read]
              permissions: { read: encrypted }
              format: u24
              value: 0x010C10

            # Opcodes and errors (0x80 opcode not supported, 0x81 operation failed) as the DA14585 SDK of Dialog Semiconductor, BTstack and the
            # nRF Connect SDK have them, too.
            - id: bond-management-control-point
              uuid: bond-management-control-point
              properties: [write]
              permissions: { write: encrypted }
              control-point:
                unknown: { error: 0x80 }
                malformed: { error: 0x81 }
                commands:
                  - { opcode: 0x03, do: [log, { forget-bonds: client }] }
                  - opcode: 0x06
                    parameters: { code: utf8 }
                    require: [ { if: 'code == "$code"', else: { error: insufficient-authorization } } ]
                    do: [log, { forget-bonds: all }]
                  - { opcode: 0x09, do: [log, { forget-bonds: others }] }
        - include: device-information

      """##
    ),
    (
      "continuous-glucose",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # A sensor below the skin (Continuous Glucose Monitoring Service 1.0.1), with its records, its alerts and its sessions.
      #
      #   understudy run continuous-glucose
      #
      # Everything is encrypted: a phone pairs by itself, without a question. A minute of the sensor is one of the clock unless
      # --speed lets time pass faster.
      understudy: 1
      name: Glucose Sensor
      about: A concentration every minute with its trend, records of the session, and control points for intervals, alerts and calibration.
      group: Health
      identity: { address: static, appearance: continuous-glucose-monitor }
      security: { pairing: just-works }

      advertising:
        - id: main
          data: { flags: [general], services: [continuous-glucose-monitoring], appearance: true }
          scan-response: { name: complete }

      # Half an hour of the session has passed: `minutes` counts them, every so many of which make a record. Alert levels are in mg/dL, or
      # mg/dL a minute; beside each its octets, which are asked for.
      variables:
        minutes: 30
        interval: 1
        glucose: 130
        warnings: 0
        high: 180
        high-octets: hex:B400
        low: 70
        low-octets: hex:4600
        hypo: 55
        hypo-octets: hex:3700
        hyper: 250
        hyper-octets: hex:FA00
        falling: -3
        falling-octets: hex:FD0F
        rising: 3
        rising-octets: hex:0300
        device-alert: false

      tables:
        - id: records
          format: cgm-measurement-record
          key: offset
          rows:
            - { offset: 26, concentration: 122, trend: 2, quality: 98 }
            - { offset: 27, concentration: 124, trend: 2, quality: 98 }
            - { offset: 28, concentration: 126, trend: 2, quality: 97 }
            - { offset: 29, concentration: 128, trend: 2, quality: 98 }
            - { offset: 30, concentration: 130, trend: 2, quality: 98 }
        # 3.9.1.5: what it was calibrated by, in the order of the response.
        - id: calibrations
          columns: { concentration: sfloat, time: u16, sample: glucose-sample, next: u16, record: u16, status: u8 }
          key: record
          rows: [ { record: 1, concentration: 118, time: 5, sample: { type: capillary-whole-blood, location: finger }, next: 720, status: 0 } ]

      states:
        running:
          # Up and down again within two hours: 2 mg/dL a minute.
          - when: { every: 1 min }
            do:
              set:
                minutes: { compute: minutes + 1 }
                glucose: { compute: 70 + 2 * abs((minutes + 60) % 120 - 60) }
                warnings: { compute: "if(glucose < low, 1, 0) + if(glucose > high, 2, 0) + if(glucose < hypo, 4, 0) + if(glucose > hyper, 8, 0)" }
          - when: { every: 1 min }
            if: interval > 0 and minutes % interval == 0
            do: [ { add: { records: { compute: measurement } } }, { notify: measurement } ]
          - { when: { button: alert }, do: { set: { device-alert: true } } }
        stopped: []

      services:
        - uuid: continuous-glucose-monitoring
          characteristics:
            - id: measurement
              uuid: cgm-measurement
              format: cgm-measurement-record
              properties: [notify]
              permissions: { subscribe: encrypted }
              notify: on-demand
              value:
                concentration: { compute: glucose }
                offset: { compute: minutes }
                # The octet is there when one of its bits is set: below and above what the patient, or anybody, may have.
                warning: { compute: "if(warnings > 0, warnings, none)" }
                trend: { compute: "if((minutes + 59) % 120 >= 60, 2, -2)" }
                quality: { compute: 97 + minutes % 3 }

            # All ones in place of the CRC: it has none. With the E2E-CRC feature it would be CRC-16/MCRF4XX over what precedes it, the function
            # crc16-mcrf4xx of expressions, as Nordic's Android BLE Common Library checks it.
            - id: feature
              uuid: cgm-feature
              properties: [read]
              permissions: { read: encrypted }
              value:
                features:
                  - calibration
                  - patient-alerts
                  - hypo-alerts
                  - hyper-alerts
                  - rate-alerts
                  - device-alert
                  - multiple-sessions
                  - trend
                  - quality
                sample: { type: interstitial-fluid, location: subcutaneous-tissue }

            - id: status
              uuid: cgm-status
              properties: [read]
              permissions: { read: encrypted }
              value:
                offset: { compute: minutes }
                status: { compute: "if(state == 'stopped', 1, 0) + if(device-alert, 16, 0)" }

            # 3.5: the collector says what time it was when the session began.
            - id: start-time
              uuid: cgm-session-start-time
              properties: [read, write]
              permissions: { read: encrypted, write: encrypted }
              value: { time: unknown, time-zone: unknown, dst: unknown }

            - id: run-time
              uuid: cgm-session-run-time
              properties: [read]
              permissions: { read: encrypted }
              value: { hours: 168 }

            # 3.8: records by their time offset.
            - id: records-point
              uuid: record-access-control-point
              properties: [write, indicate]
              permissions: { write: encrypted, subscribe: encrypted }
              indicate: on-demand
              control-point:
                response: [hex:0600, opcode, result]
                unknown: { result: 2 }
                malformed: { result: 5 }
                busy: { error: 0xFE }
                unsubscribed: { error: 0xFD }
                commands:
                  - opcode: 1                   # report stored records
                    parameters:
                      selection: &selection
                        records: records
                        filters: { 1: offset }
                        invalid-operator: { result: 3 }
                        unsupported-operator: { result: 4 }
                        unsupported-operand: { result: 9 }
                    require:
                      - { subscribed: measurement, else: { error: 0xFD } }
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

            # 3.9. Results: unsupported opcode 2, invalid operand 3, not completed 4, out of range 5.
            - id: operations
              uuid: cgm-specific-ops-control-point
              properties: [write, indicate]
              permissions: { write: encrypted, subscribe: encrypted }
              indicate: on-demand
              control-point:
                response: [0x1C, opcode, result]
                unknown: { result: 2 }
                malformed: { result: 3 }
                busy: { error: 0xFE }
                unsubscribed: { error: 0xFD }
                commands:
                  - opcode: 1                   # set the interval, in minutes: 0 for none, 255 for the shortest
                    parameters: { minutes: u8 }
                    do: { set: { interval: { compute: "if(minutes == 255, 1, minutes)" } } }
                  - opcode: 2                   # get it
                    response: [0x03, { compute: u8(interval) }]
                  - opcode: 4                   # calibrate; the number and the status of the record are the sensor's
                    parameters: { concentration: sfloat, time: u16, sample: u8, next: u16, record: u16, status: u8 }
                    require:
                      - { parameter: concentration, from: 20, to: 600, else: { result: 5 } }
                      - { if: "state == 'running'", else: { result: 4 } }
                    do:
                      add:
                        calibrations:
                          concentration: { compute: concentration }
                          time: { compute: time }
                          sample: { compute: "written[5..6]" }
                          next: { compute: next }
                          status: 0
                  - opcode: 5                   # get a calibration
                    parameters: { number: u16 }
                    require: [ { row: calibrations, key: number, else: { result: 5 } } ]
                    response:
                      - 0x06
                      - { column: concentration }
                      - { column: time }
                      - { column: sample }
                      - { column: next }
                      - { column: record }
                      - { column: status }
                  - opcode: 7                  # the patient's high level
                    parameters: { level: sfloat }
                    require: [ { parameter: level, from: 40, to: 400, else: { result: 5 } } ]
                    do: { set: { high: { compute: level }, high-octets: { compute: "written[1..]" } } }
                  - { opcode: 8, response: [0x09, { compute: high-octets }] }
                  - opcode: 10                 # the patient's low level
                    parameters: { level: sfloat }
                    require: [ { parameter: level, from: 40, to: 400, else: { result: 5 } } ]
                    do: { set: { low: { compute: level }, low-octets: { compute: "written[1..]" } } }
                  - { opcode: 11, response: [0x0C, { compute: low-octets }] }
                  - opcode: 13                 # the level of hypoglycemia
                    parameters: { level: sfloat }
                    require: [ { parameter: level, from: 20, to: 100, else: { result: 5 } } ]
                    do: { set: { hypo: { compute: level }, hypo-octets: { compute: "written[1..]" } } }
                  - { opcode: 14, response: [0x0F, { compute: hypo-octets }] }
                  - opcode: 16                 # the level of hyperglycemia
                    parameters: { level: sfloat }
                    require: [ { parameter: level, from: 120, to: 600, else: { result: 5 } } ]
                    do: { set: { hyper: { compute: level }, hyper-octets: { compute: "written[1..]" } } }
                  - { opcode: 17, response: [0x12, { compute: hyper-octets }] }
                  - opcode: 19                 # how fast it may fall
                    parameters: { level: sfloat }
                    require: [ { parameter: level, from: -20, to: 0, else: { result: 5 } } ]
                    do: { set: { falling: { compute: level }, falling-octets: { compute: "written[1..]" } } }
                  - { opcode: 20, response: [0x15, { compute: falling-octets }] }
                  - opcode: 22                 # how fast it may rise
                    parameters: { level: sfloat }
                    require: [ { parameter: level, from: 0, to: 20, else: { result: 5 } } ]
                    do: { set: { rising: { compute: level }, rising-octets: { compute: "written[1..]" } } }
                  - { opcode: 23, response: [0x18, { compute: rising-octets }] }
                  - opcode: 25                  # reset the alert of the device
                    do: { set: { device-alert: false } }
                  - opcode: 26                  # start a session, which begins its records anew
                    require: [ { if: "state == 'stopped'", else: { result: 4 } } ]
                    do:
                      - { enter: running }
                      - { set: { minutes: 0, start-time: { time: unknown, time-zone: unknown, dst: unknown } } }
                      - { clear: records }
                  - opcode: 27                  # stop it
                    require: [ { if: "state == 'running'", else: { result: 4 } } ]
                    do: { enter: stopped }

        - include: device-information
          model-number: Sensor 1
        - include: battery

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
      about: The time of this machine, with its time zone and the next change of clocks; a client may set the clock, or have it compared.
      group: Basics
      identity: { address: static, appearance: clock }

      services:
        - include: current-time
          # `clock: local` everywhere is what the include has already; written out here to be changed.
          current-time: { clock: local }
          # Or, for another place than this one: { time-zone: "+05:45", dst: standard }
          local-time-information: { clock: local }
          # Accuracy counts 1/8 s.
          reference-time-information: { source: network, accuracy: 8, days-since-update: 0, hours-since-update: 1 }
        - include: next-dst-change
        - include: reference-time-update

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
      group: Sport
      identity: { address: static, appearance: speed-and-cadence-sensor }

      advertising:
        - id: main
          data: { flags: [general], services: [cycling-speed-and-cadence], appearance: true }
          scan-response: { name: complete }

      services:
        - uuid: cycling-speed-and-cadence
          characteristics:
            # Event times count 1/1024 s; both turn evenly, five times a second, and three times in two.
            - id: measurement
              uuid: csc-measurement
              properties: [notify]
              value:
                wheel: { ramp: 5 per 1 s }
                wheel-time: { counter: { from: 0, to: 65535, step: 1024, every: 1 s } }
                crank: { ramp: 3 per 2 s }
                crank-time: { counter: { from: 0, to: 65535, step: 2048, every: 2 s } }
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
                  # 2 (start the calibration) is for sensors that need it: "not supported".

        - include: device-information
          model-number: Sensor 2
        - include: battery

      """##
    ),
    (
      "cycling-power",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # A power meter in a crank (Cycling Power Service 1.1), with its vector and its control point.
      #
      #   understudy run cycling-power
      understudy: 1
      name: Power Meter
      about: Power once a second with torque, crank and wheel revolutions, forces of a crank revolution, and a control point that calibrates.
      group: Sport
      identity: { address: static, appearance: power-sensor }

      advertising:
        - id: main
          data: { flags: [general], services: [cycling-power], appearance: true }
          scan-response: { name: complete }

      # In millimetres, grams and half millimetres, as the control point counts them.
      variables: { crank-length: 345, chain-length: 1380, chain-weight: 256, span-length: 104 }

      services:
        - uuid: cycling-power
          characteristics:
            # Wheel times count 1/2048 s, crank times 1/1024 s: five and one and a half revolutions a second.
            - id: measurement
              uuid: cycling-power-measurement
              properties: [notify]
              notify: { every: 1 s }
              value:
                balance-reference: left
                torque-source: crank
                offset-compensation: false
                power: { wave: sine, low: 140, high: 260, period: 60 s, noise: 5 }
                balance: { wave: random-walk, low: 46, high: 54, period: 30 s, round: 0.5 }
                torque: { ramp: 21 per 1 s }
                wheel: { ramp: 5 per 1 s }
                wheel-time: { counter: { from: 0, to: 65535, step: 2048, every: 1 s } }
                crank: { ramp: 3 per 2 s }
                crank-time: { counter: { from: 0, to: 65535, step: 2048, every: 2 s } }
                energy: { ramp: 1 kJ per 5 s }

            # The force on the crank in eight places of one revolution, from the angle 0 on.
            - id: vector
              uuid: cycling-power-vector
              properties: [notify]
              notify: { every: 1 s }
              value:
                crank: { ramp: 3 per 2 s }
                crank-time: { counter: { from: 0, to: 65535, step: 2048, every: 2 s } }
                first-angle: 0
                direction: tangential
                forces: [ 40, 180, 290, 210, 60, -10, -25, -5 ]

            - id: feature
              uuid: cycling-power-feature
              properties: [read]
              value:
                balance: true
                torque: true
                wheel: true
                crank: true
                energy: true
                offset-compensation: true
                multiple-locations: true
                crank-length: true
                chain-length: true
                chain-weight: true
                span-length: true
                context: force
                direction: true
                factory-calibration-date: true
                enhanced-offset-compensation: true
                distributed-system: not-possible

            - id: location
              uuid: sensor-location
              properties: [read]
              value: left-crank

            # 3.7. A command is under way until its indication is confirmed.
            - id: control-point
              uuid: cycling-power-control-point
              properties: [write, indicate]
              indicate: on-demand
              control-point:
                response: [0x20, opcode, result]
                unknown: { result: 2 }
                malformed: { result: 3 }
                busy: { error: 0xFE }
                unsubscribed: { error: 0xFD }
                commands:
                  - opcode: 1                   # set the wheel revolutions
                    parameters: { wheel: u32 }
                    do: { assign: { measurement.wheel: wheel } }
                  - opcode: 2                   # update the sensor location
                    parameters: { location: sensor-location }
                    require: [ { parameter: location, in: [left-crank, right-crank, spider] } ]
                    do: { assign: { location: location } }
                  - opcode: 3                   # list the locations that are possible
                    response: [0x20, opcode, result, hex:05060F]
                  - opcode: 4                   # set the crank length, in half millimetres: 110 to 236.5 mm
                    parameters: { length: u16 }
                    require: [ { parameter: length, from: 220, to: 473 } ]
                    do: { set: { crank-length: { compute: length } } }
                  - opcode: 5
                    response: [0x20, opcode, result, { compute: u16(crank-length) }]
                  - opcode: 6                   # set the chain length, in millimetres
                    parameters: { length: u16 }
                    require: [ { parameter: length, from: 1000, to: 2000 } ]
                    do: { set: { chain-length: { compute: length } } }
                  - opcode: 7
                    response: [0x20, opcode, result, { compute: u16(chain-length) }]
                  - opcode: 8                   # set the chain weight, in grams
                    parameters: { weight: u16 }
                    require: [ { parameter: weight, from: 100, to: 500 } ]
                    do: { set: { chain-weight: { compute: weight } } }
                  - opcode: 9
                    response: [0x20, opcode, result, { compute: u16(chain-weight) }]
                  - opcode: 10                  # set the span length, in millimetres
                    parameters: { length: u16 }
                    require: [ { parameter: length, from: 80, to: 130 } ]
                    do: { set: { span-length: { compute: length } } }
                  - opcode: 11
                    response: [0x20, opcode, result, { compute: u16(span-length) }]
                  # 3.7.2.12: the raw force is the response; who turns the crank meanwhile gets "operation failed".
                  - opcode: 12                  # start offset compensation
                    require: [ { if: measurement.power < 250, else: { result: 4 } } ]
                    response: [0x20, opcode, result, i16:-12]
                  - opcode: 14                  # the sampling rate, in Hz
                    response: [0x20, opcode, result, 0x40]
                  - opcode: 15                  # the date of the calibration in the factory: 2024-02-29, 08:30:00
                    response: [0x20, opcode, result, hex:E807021D081E00]
                  - opcode: 16                  # start enhanced offset compensation: of no manufacturer
                    require: [ { if: measurement.power < 250, else: { result: 4 } } ]
                    response: [0x20, opcode, result, i16:-12, u16:0xFFFF, 0x00]

        - include: device-information
          model-number: Crank 1
        - include: battery

      """##
    ),
    (
      "device-information",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # Everything that the Device Information Service 1.2 can say of a device, here of a medical one.
      #
      #   understudy run device-information
      #
      # Others take what they need: `include: device-information`, with a value for each characteristic that they want.
      understudy: 1
      name: Device Information
      about: All ten characteristics that say what a device is, from the name of its maker to its identity as a medical device.
      group: Basics

      services:
        - include: device-information
          manufacturer-name: Understudy
          model-number: Model 7
          serial-number: "000042"
          hardware-revision: B2
          firmware-revision: 1.4.2
          software-revision: 2024.02
          # The address 12:34:56:78:9A:BC of a maker 123456 with FFFE in its middle (EUI-64).
          system-id: { manufacturer: 0xFFFE789ABC, organization: 0x123456 }
          # An attribute list of IEEE 11073-20601: that it follows the guidelines of Continua, version 1.5, as a device of class 8002.
          ieee-11073-20601-regulatory-certification-data-list: hex:00020012020100080105000100028008020200020000
          pnp-id: { source: usb, vendor: 0x1915, product: 0x0042, version: 0x0142 }
          udi:
            label: (01)00844588003288(17)141120(10)7654321D
            device-identifier: "00844588003288"
            issuer: 2.16.840.1.113883.3.3719
            authority: 2.16.840.1.113883.3.24

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
      "environmental-sensing",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # A weather station (Environmental Sensing Service 1.0) with two thermometers.
      #
      #   understudy run environmental-sensing
      #
      # The conditions of triggers are those of Zephyr's sample peripheral_esp, too. A server with triggers that clients may write would refuse
      # a value with 0x80 (write request rejected) or 0x81 (condition not supported), as there and in Qualcomm's QAPI.
      #
      # Its triggers are fixed. What they say is what it does: a descriptor that says "every 5 s" belongs to values every 5 s.
      understudy: 1
      name: Weather Station
      about: Temperature inside and outside, humidity, pressure, wind, light and rain, with the descriptors that say when each is sent.
      group: Environment
      identity: { address: static, appearance: multi-sensor }

      # 3.1.1: where a value is advertised, gateways need no connection: here the temperature outside, as it begins (5.00 °C).
      advertising:
        - id: main
          data:
            flags: [general]
            services: [environmental-sensing]
            service-data: { service: environmental-sensing, data: i16:500 }
          scan-response: { name: complete, appearance: true }

      services:
        # 3.1.2.1, ES Measurement (290C): two octets of flags, how it is sampled, the period of a measurement and the interval of updates in
        # seconds (three octets each), what it is applied to, and the uncertainty in half percent. 3.1.2.2, ES Trigger Setting (290D): a
        # condition and its operand; 01 is a fixed interval in seconds, 02 no sooner than that, 03 a change, 04 below, 06 above a value.
        - uuid: environmental-sensing
          characteristics:
            - id: inside
              uuid: temperature
              properties: [read, notify]
              value: { wave: sine, low: 19.5, high: 22.5, period: 1 h, round: 0.01 }
              notify: { every: 5 s }
              description: Inside
              valid-range: { low: -20, high: 60 }
              descriptors:
                - { uuid: 290C, value: hex:0000010000000500000102 }
                - { uuid: 290D, value: hex:01050000 }

            # The mean of a minute.
            - id: outside
              uuid: temperature
              properties: [read, notify]
              value: { wave: sine, low: -2, high: 12, period: 24 h, round: 0.1 }
              notify: on-change
              description: Outside
              valid-range: { low: -40, high: 60 }
              descriptors:
                - { uuid: 290C, value: hex:0000023C00003C00000104 }
                - { uuid: 290D, value: hex:03 }

            - id: humidity
              uuid: humidity
              properties: [read, notify]
              value: { wave: random-walk, low: 38, high: 64, period: 20 min, round: 1 }
              notify: on-change
              descriptors:
                - { uuid: 290C, value: hex:0000010000000A00000106 }
                - { uuid: 290D, value: hex:03 }

            # Two triggers, of which one is enough (290B: 1): every 30 s, and each second while it is below 995 hPa.
            - id: pressure
              uuid: pressure
              properties: [read, notify]
              value: { wave: sine, low: 99000, high: 102600, period: 30 min, round: 1 }
              notify: on-demand
              descriptors:
                - { uuid: 290C, value: hex:0000010000000100000302 }
                - { uuid: 290D, value: hex:011E0000 }
                - { uuid: 290D, value: hex:04B82E0F00 }
                - { uuid: 290B, value: hex:01 }
              rules:
                - { when: { every: 30 s }, do: { notify: pressure } }
                - { when: { every: 1 s }, if: pressure < 99500, do: { notify: pressure } }

            - { id: dew-point, uuid: dew-point, properties: [read], value: { compute: round(inside - (100 - humidity) / 5.0) } }
            - { id: elevation, uuid: elevation, properties: [read], value: 34 }
            - { id: uv-index, uuid: uv-index, properties: [read, notify], value: { wave: triangle, low: 0, high: 7, period: 24 h, round: 1 } }
            - { id: irradiance, uuid: irradiance, properties: [read], value: { wave: triangle, low: 0, high: 820, period: 24 h, round: 0.1 } }
            - { id: wind-speed, uuid: true-wind-speed, properties: [read], value: { wave: random-walk, low: 0.4, high: 9.8, period: 5 min, round: 0.1 } }
            - { id: wind-direction, uuid: true-wind-direction, properties: [read], value: { wave: random-walk, low: 200, high: 290, period: 10 min, round: 1 } }
            - { id: gust-factor, uuid: gust-factor, properties: [read], value: 1.4 }
            - { id: wind-chill, uuid: wind-chill, properties: [read], value: { compute: round(outside - wind-speed / 2) } }
            - { id: heat-index, uuid: heat-index, properties: [read], value: { compute: round(inside) } }
            - { id: rainfall, uuid: rainfall, properties: [read], value: { ramp: 0.001 per 60 s } }
            - { id: pollen, uuid: pollen-concentration, properties: [read], value: { random: { low: 20, high: 140, every: 1 h }, round: 1 } }
            - id: trend
              uuid: barometric-pressure-trend
              properties: [read]
              value: { sequence: [continuously-rising, continuously-falling], every: 15 min }
            - { id: declination, uuid: magnetic-declination, properties: [read], value: 4.32 }
            - id: field
              uuid: magnetic-flux-density-3d
              properties: [read]
              value: { x: 0.0000189, y: 0.0000013, z: 0.0000456 }

        - include: device-information
          model-number: Station 1
        - include: battery

      """##
    ),
    (
      "find-me",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # A key ring that a phone finds, and that finds the phone (Find Me Profile 1.0): both have the Immediate Alert service.
      #
      #   understudy run find-me --http 127.0.0.1:8080
      #   curl -X POST localhost:8080/v1/buttons/find     the phone alerts, until `stop`
      understudy: 1
      name: Key Finder
      about: A key ring that beeps or rings when a phone wants it, and makes the phone ring when its button is pressed.
      identity: { address: static, appearance: keyring }
      advertising:
        - id: main
          data: { flags: [general], services: [immediate-alert, battery], appearance: true }
          scan-response: { name: complete }
          schedule: [ { interval: 20 ms, for: 30 s }, { interval: 1022.5 ms } ]

      rules:
        - { when: { written: immediate-alert-level }, if: immediate-alert-level == "none", do: { enter: quiet } }
        - { when: { written: immediate-alert-level }, if: immediate-alert-level == "mild", do: { enter: beeping } }
        - { when: { written: immediate-alert-level }, if: immediate-alert-level == "high", do: { enter: ringing } }
        - { when: { button: stop }, do: { enter: quiet } }

      # The event `state` tells what is to be heard. An alert ends by another level, by the button, or after a while.
      states:
        quiet:
          - { when: entered, do: { set: { immediate-alert-level: none } } }
        beeping:
          - { when: entered, after: 20 s, do: { enter: quiet } }
        ringing:
          - { when: entered, after: 60 s, do: { enter: quiet } }

      client:
        - { when: { button: find }, write: alert-level, service: immediate-alert, value: high }
        - { when: { button: stop }, write: alert-level, service: immediate-alert, value: none }

      services:
        - include: immediate-alert
        - include: battery

      """##
    ),
    (
      "fitness-machine",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # An indoor bike that apps control (Fitness Machine Service 1.0).
      #
      #   understudy run fitness-machine
      #
      # Who uses it has buttons, too: POST /v1/buttons/start, /pause, /stop, and /key for the safety key.
      understudy: 1
      name: Indoor Bike
      about: A trainer whose power, resistance and simulated slope an app sets by the control point, and that reports ride and status.
      group: Sport
      identity: { address: static, appearance: cycling }

      # 3.1.1: the service data say that the machine is available (1), and that it is an indoor bike (bit 5).
      advertising:
        - id: main
          data: { flags: [general], services: [fitness-machine], service-data: { service: fitness-machine, data: hex:012000 } }
          scan-response: { name: complete, appearance: true }

      variables:
        # Whether the client has asked for control; it is lost with the connection.
        controls: { value: false, per: connection }
        # What the app wants: power in W, resistance in tenths, grade in 0.01 %, cadence in half revolutions per minute.
        power: 150
        resistance: 20
        grade: 0
        cadence: 170
        circumference: 2100
        # What was done so far: metres, seconds, and kilocalories in thousandths.
        metres: 0
        elapsed: 0
        energy: 0

      rules:
        - { when: { button: start }, if: "state != 'riding'", do: [ { enter: riding }, { set: { status: hex:04 }, notify: status } ] }
        - { when: { button: pause }, if: "state == 'riding'", do: [ { enter: paused }, { set: { status: hex:0202 }, notify: status } ] }
        - { when: { button: stop }, if: "state != 'idle'", do: [ { enter: idle }, { set: { status: hex:0201 }, notify: status } ] }
        - { when: { button: key }, do: [ { enter: idle }, { set: { status: hex:03 }, notify: status } ] }

      states:
        idle:
          - { when: entered, do: { set: { training: { status: idle } } } }
        paused: []
        riding:
          - { when: entered, do: { set: { training: { status: manual } } } }
          - when: { every: 1 s }
            do:
              set:
                elapsed: { compute: elapsed + 1 }
                metres: { compute: metres + bike.speed / 3.6 }
                energy: { compute: energy + bike.power }

      services:
        - uuid: fitness-machine
          characteristics:
            - id: feature
              uuid: fitness-machine-feature
              properties: [read]
              value:
                features: [average-speed, cadence, distance, resistance, energy, elapsed, power]
                targets: [inclination, resistance, power, simulation, wheel-circumference, spin-down, cadence]

            # Uphill it is slower. Everything stands still until somebody starts.
            - id: bike
              uuid: indoor-bike-data
              properties: [notify]
              notify: { every: 1 s }
              value:
                speed: { compute: "if(state == 'riding', max(6, 28 + (power - 150) / 10.0 - grade / 50.0), 0)" }
                average-speed: { compute: "if(elapsed > 0, metres / elapsed * 3.6, 0)" }
                cadence: { compute: "if(state == 'riding', cadence / 2.0, 0)" }
                distance: { compute: metres }
                resistance: { compute: round(resistance / 10.0) }
                power: { compute: "if(state == 'riding', power, 0)" }
                energy: { compute: energy / 1000 }
                energy-per-hour: not-available
                energy-per-minute: not-available
                elapsed: { compute: elapsed }

            - id: training
              uuid: training-status
              properties: [read, notify]
              value: { status: idle, extended: false }

            - { id: inclinations, uuid: supported-inclination-range, properties: [read], value: { lowest: -10, highest: 20, step: 0.5 } }
            - { id: resistances, uuid: supported-resistance-level-range, properties: [read], value: { lowest: 0, highest: 10, step: 0.1 } }
            - { id: powers, uuid: supported-power-range, properties: [read], value: { lowest: 0, highest: 800, step: 1 } }

            # 4.16. Whatever changes the machine needs control first (result 5).
            - id: control-point
              uuid: fitness-machine-control-point
              properties: [write, indicate]
              indicate: on-demand
              control-point:
                response: [0x80, opcode, result]
                unknown: { result: 2 }
                malformed: { result: 3 }
                busy: { error: 0xFE }
                unsubscribed: { error: 0xFD }
                commands:
                  - { opcode: 0, do: { set: { controls: true } } }
                  - opcode: 1                   # reset, which gives the control back
                    require: [ &control { if: controls, else: { result: 5 } } ]
                    do:
                      - { enter: idle }
                      - set: { controls: false, power: 150, resistance: 20, grade: 0, cadence: 170, metres: 0, elapsed: 0, energy: 0 }
                      - { set: { status: hex:01 }, notify: status }
                  - opcode: 3                   # target inclination, 0.1 %
                    parameters: { inclination: i16 }
                    require: [ *control, { parameter: inclination, from: -100, to: 200 } ]
                    do:
                      - { set: { grade: { compute: inclination * 10 } } }
                      - { set: { status: { compute: "hex:06 ++ u16(inclination)" } }, notify: status }
                  - opcode: 4                   # target resistance, in tenths
                    parameters: { level: u8 }
                    require: [ *control, { parameter: level, from: 0, to: 100 } ]
                    do:
                      - { set: { resistance: { compute: level } } }
                      - { set: { status: { compute: "hex:07 ++ u8(level)" } }, notify: status }
                  - opcode: 5                   # target power, W
                    parameters: { watts: i16 }
                    require: [ *control, { parameter: watts, from: 0, to: 800 } ]
                    do:
                      - { set: { power: { compute: watts } } }
                      - { set: { status: { compute: "hex:08 ++ u16(watts)" } }, notify: status }
                  - opcode: 7                   # start or resume
                    require: [ *control, { if: "state != 'riding'", else: { result: 4 } } ]
                    do: [ { enter: riding }, { set: { status: hex:04 }, notify: status } ]
                  - opcode: 8                   # stop (1) or pause (2)
                    parameters: { how: u8 }
                    require: [ *control, { parameter: how, in: [1, 2] }, { if: "state == 'riding' or how == 1", else: { result: 4 } } ]
                    do: { set: { status: { compute: "hex:02 ++ u8(how)" } }, notify: status }
                  - opcode: 0x11                # simulation: wind 0.001 m/s, grade 0.01 %, rolling 0.0001, wind resistance 0.01 kg/m
                    parameters: { wind: i16, slope: i16, rolling: u8, drag: u8 }
                    require: [ *control, { parameter: slope, from: -4000, to: 4000 } ]
                    do:
                      - { set: { grade: { compute: slope } } }
                      - { set: { status: { compute: "hex:12 ++ u16(wind) ++ u16(slope) ++ u8(rolling) ++ u8(drag)" } }, notify: status }
                  - opcode: 0x12                # wheel circumference, 0.1 mm
                    parameters: { length: u16 }
                    require: [ *control ]
                    do:
                      - { set: { circumference: { compute: length } } }
                      - { set: { status: { compute: "hex:13 ++ u16(length)" } }, notify: status }
                  # 4.16.2.20: the speeds within which to spin down, 0.01 km/h; the status tells how it goes on: requested, success.
                  - opcode: 0x13                # spin down: start (1) or ignore (2)
                    parameters: { how: u8 }
                    require: [ *control, { parameter: how, in: [1, 2] } ]
                    response: [0x80, opcode, result, u16:2200, u16:3200]
                  - opcode: 0x14                # target cadence, half revolutions per minute
                    parameters: { rate: u16 }
                    require: [ *control, { parameter: rate, from: 0, to: 300 } ]
                    do:
                      - { set: { cadence: { compute: rate } } }
                      - { set: { status: { compute: "hex:15 ++ u16(rate)" } }, notify: status }
              rules:
                - { when: written, if: "octets(written) == hex:0801 and controls", do: { enter: idle } }
                - { when: written, if: "octets(written) == hex:0802 and controls and state == 'riding'", do: { enter: paused } }
                - { when: written, if: "octets(written) == hex:1301 and controls", do: { set: { status: hex:1401 }, notify: status } }
                # A spin down takes three seconds.
                - when: written
                  if: "octets(written) == hex:1301 and controls"
                  after: 3 s
                  do: { set: { status: hex:1402 }, notify: status }

            # 4.17: what was done to the machine, by an app or by hand.
            - id: status
              uuid: fitness-machine-status
              properties: [notify]
              notify: on-demand
              format: hex
              value: hex:01

        - include: device-information
          model-number: Bike 1

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
      group: Health
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
      "govee-hygrometer",
      ##"""
      # A room thermometer as Govee's H5075, which says everything in its advertising.
      #
      #   understudy run govee-hygrometer
      #
      # One number of 24 bits, most significant octet first, holds both values: 10,000 times the temperature in °C, whose last three digits are ten times
      # the humidity in percent. Home Assistant's parser (govee-ble) wants a scan response, because the name tells the model.
      understudy: 1
      name: GVH5075_0A1B
      about: A thermometer and hygrometer that broadcasts both in one number of its manufacturer data, as Govee's H5075 does.
      advertising:
        - id: main
          interval: 546.25 ms
          refresh: 2 s
          data:
            flags: [general]
            services: [environmental-sensing]
            manufacturer-data:
              company: 0xEC88
              format: govee
              data:
                reading: { compute: 'round(temperature * 10) * 1000 + round(humidity * 10)' }
                battery: { compute: battery-level }
          scan-response: { name: complete }
      formats:
        govee:
          struct:
            begin: { format: u8, default: 0x00 }
            reading: { number: u24, order: big }
            battery: { number: u8, unit: "%" }
            end: { format: u8, default: 0x00 }
      services:
        - uuid: environmental-sensing
          characteristics:
            - { uuid: temperature, properties: [read, notify], value: 21.5 }
            - { uuid: humidity, properties: [read, notify], value: 45.3 }
        - include: battery
          level: 87

      """##
    ),
    (
      "health-thermometer",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # An ear thermometer (Health Thermometer Service 1.0), which measures again and again.
      #
      #   understudy run health-thermometer
      #
      # The interval is written by paired clients only: a phone pairs by itself when it tries, without a question.
      understudy: 1
      name: Thermometer
      about: A body temperature every few seconds, as often as the measurement interval says, and its rise while it is measured.
      group: Health
      identity: { address: static, appearance: ear-thermometer }
      security: { pairing: just-works }

      advertising:
        - id: main
          data: { flags: [general], services: [health-thermometer], appearance: true }
          scan-response: { name: complete }

      variables: { seconds: 0 }

      rules:
        # 3.4: an interval of 0 means no measurement at regular times; the button takes one then.
        - { when: { every: 1 s }, do: [ { set: { seconds: { compute: seconds + 1 } } }, { notify: intermediate } ] }
        - when: { every: 1 s }
          if: interval > 0 and seconds >= interval
          do: [ { set: { seconds: 0 } }, { indicate: measurement }, { reset: intermediate } ]
        - { when: { button: measure }, do: [ { set: { seconds: 0 } }, { indicate: measurement }, { reset: intermediate } ] }

      services:
        - uuid: health-thermometer
          characteristics:
            # A fever that comes and goes within an hour.
            - id: measurement
              uuid: temperature-measurement
              properties: [indicate]
              indicate: on-demand
              value:
                temperature: { wave: sine, low: 36.4, high: 39.2, period: 1 h, round: 0.1 }
                time: { clock: local }
                type: ear

            - id: type
              uuid: temperature-type
              properties: [read]
              value: ear

            # What the display shows until the measurement is there.
            - id: intermediate
              uuid: intermediate-temperature
              properties: [notify]
              notify: on-demand
              value:
                temperature: { ramp: { from: 31, to: 37.5, over: 5 s }, round: 0.1 }
                type: ear

            # 3.4.1: what is not within the valid range is refused with 0x80, except 0.
            - id: interval
              uuid: measurement-interval
              properties: [read, write, indicate]
              permissions: { write: encrypted }
              value: 5
              valid-range: { low: 1, high: 3600 }
              on-write:
                - { if: written > 3600, error: 0x80 }

        - include: device-information
          model-number: Thermometer 1
        - include: battery

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
      group: Sport

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
      "hid-consumer-control",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # A remote control for players (HID over GATT 1.0, Consumer Page).
      #
      #   understudy run hid-consumer-control --http 127.0.0.1:8080
      #   curl -X POST localhost:8080/v1/buttons/play-pause
      understudy: 1
      name: HID Remote
      about: A remote control with play-pause, stop, next, previous, mute, volume-up and volume-down, each a button of the control API.
      identity: { address: static, appearance: remote-control }
      security: { pairing: just-works }
      advertising:
        - id: main
          data: { flags: [general], services: [human-interface-device, battery], appearance: true }
          scan-response: { name: complete }
          schedule: [ { interval: 20 ms, for: 30 s }, { interval: 152.5 ms } ]

      rules:
        - { when: { button: play-pause }, do: { set: { control-input: play-pause } } }
        - { when: { button: stop }, do: { set: { control-input: stop } } }
        - { when: { button: next }, do: { set: { control-input: next } } }
        - { when: { button: previous }, do: { set: { control-input: previous } } }
        - { when: { button: mute }, do: { set: { control-input: mute } } }
        - { when: { button: volume-up }, do: { set: { control-input: volume-up } } }
        - { when: { button: volume-down }, do: { set: { control-input: volume-down } } }
        # A finger stays for a while.
        - { when: { becomes: control-input != "released" }, after: 60 ms, do: { set: { control-input: released } } }

      services:
        - include: human-interface-device
          omit: [protocol-mode]
          report-map:
            value: [
              0x05, 0x0C, 0x09, 0x01, 0xA1, 0x01, 0x85, 0x01,  # Consumer, Consumer Control, report 1
              0x19, 0x00, 0x2A, 0xFF, 0x03, 0x15, 0x00, 0x26, 0xFF, 0x03, 0x75, 0x10, 0x95, 0x01, 0x81, 0x00,  # one usage in 16 bits
              0xC0]
          characteristics:
            - id: control-input
              uuid: report
              properties: [read, notify]
              permissions: { read: encrypted, subscribe: encrypted }
              # HID Usage Tables 1.4, chapter 15.
              format:
                names: { released: 0, next: 0xB5, previous: 0xB6, stop: 0xB7, play-pause: 0xCD, mute: 0xE2, volume-up: 0xE9, volume-down: 0xEA }
                as: u16
              value: released
              report-reference: { id: 1, type: input }
        - include: battery
          level: { permissions: { read: encrypted, subscribe: encrypted } }
        - include: device-information
          model-number: Remote 1
          pnp-id: { source: usb, vendor: 0xFFFF, product: 3, version: 0x0100 }

      """##
    ),
    (
      "hid-gamepad",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # A gamepad with two sticks, a hat, 16 buttons and two motors (HID over GATT 1.0).
      #
      #   understudy run hid-gamepad --http 127.0.0.1:8080
      #   curl -X POST localhost:8080/v1/buttons/play     the sticks move around, until the next time
      #   curl -X PUT localhost:8080/v1/characteristics/gamepad-input/value -d '{"value": {"hat": "up"}}'
      understudy: 1
      name: HID Gamepad
      about: A gamepad whose sticks move while it plays, with the buttons a, b, x, y and start, and motors that a game may run.
      identity: { address: static, appearance: gamepad }
      security: { pairing: just-works }
      connection:
        request: { interval: [11.25 ms, 15 ms], latency: 0, timeout: 3 s }
      advertising:
        - id: main
          data: { flags: [general], services: [human-interface-device, battery], appearance: true }
          scan-response: { name: complete }
          schedule: [ { interval: 20 ms, for: 30 s }, { interval: 152.5 ms } ]

      rules:
        - { when: { button: a }, do: { set: { gamepad-input: { buttons: [a] } } } }
        - { when: { button: b }, do: { set: { gamepad-input: { buttons: [b] } } } }
        - { when: { button: x }, do: { set: { gamepad-input: { buttons: [x] } } } }
        - { when: { button: y }, do: { set: { gamepad-input: { buttons: [y] } } } }
        - { when: { button: start }, do: { set: { gamepad-input: { buttons: [start] } } } }
        - { when: { becomes: length(gamepad-input.buttons) > 0 }, after: 80 ms, do: { set: { gamepad-input: { buttons: [] } } } }

      states:
        resting:
          - { when: { button: play }, do: { enter: playing } }
        # The left stick goes around, the right one up and down, each of which takes 4 s.
        playing:
          - when: { every: 50 ms }
            do:
              set:
                gamepad-input:
                  left-x: { compute: 'abs(floor(time * 127) % 508 - 254) - 127' }
                  left-y: { compute: 'abs(floor(time * 127 + 127) % 508 - 254) - 127' }
                  right-y: { compute: 'abs(floor(time * 127) % 508 - 254) - 127' }
          - { when: { button: play }, do: { enter: resting } }
          - { when: left, do: { set: { gamepad-input: { left-x: 0, left-y: 0, right-y: 0 } } } }

      services:
        - include: human-interface-device
          omit: [protocol-mode]
          report-map:
            value: [
              0x05, 0x01, 0x09, 0x05, 0xA1, 0x01, 0x85, 0x01,  # Generic Desktop, Gamepad, report 1
              0x05, 0x09, 0x19, 0x01, 0x29, 0x10, 0x15, 0x00, 0x25, 0x01, 0x75, 0x01, 0x95, 0x10, 0x81, 0x02,  # 16 buttons
              0x05, 0x01, 0x09, 0x39, 0x15, 0x01, 0x25, 0x08, 0x35, 0x00, 0x46, 0x3B, 0x01, 0x65, 0x14, 0x75, 0x04, 0x95, 0x01, 0x81, 0x42,  # the hat, in degrees
              0x35, 0x00, 0x45, 0x00, 0x65, 0x00, 0x95, 0x01, 0x81, 0x01,  # and four bits
              0x09, 0x30, 0x09, 0x31, 0x09, 0x33, 0x09, 0x34, 0x15, 0x81, 0x25, 0x7F, 0x75, 0x08, 0x95, 0x04, 0x81, 0x02,  # x, y, rx, ry
              0x85, 0x02, 0x06, 0x00, 0xFF, 0x09, 0x01, 0x09, 0x02, 0x15, 0x00, 0x26, 0xFF, 0x00, 0x95, 0x02, 0x91, 0x02,  # output: the motors, of a vendor
              0x85, 0x03, 0x09, 0x03, 0x95, 0x01, 0xB1, 0x02,  # feature: how long until it switches itself off
              0xC0]
          characteristics:
            - id: gamepad-input
              uuid: report
              properties: [read, notify]
              permissions: { read: encrypted, subscribe: encrypted }
              format:
                struct:
                  buttons: { flags: { a: 0x0001, b: 0x0002, x: 0x0008, y: 0x0010, left: 0x0040, right: 0x0080, select: 0x0400, start: 0x0800 }, as: u16 }
                  hat: { names: { centred: 0, up: 1, up-right: 2, right: 3, down-right: 4, down: 5, down-left: 6, left: 7, up-left: 8 } }
                  left-x: i8
                  left-y: i8
                  right-x: i8
                  right-y: i8
              value: { buttons: [], hat: centred, left-x: 0, left-y: 0, right-x: 0, right-y: 0 }
              report-reference: { id: 1, type: input }
            # From 0 to 255; a motor stops by itself after 2 s.
            - id: motors
              uuid: report
              properties: [read, write, write-without-response]
              permissions: { read: encrypted, write: encrypted }
              format: { struct: { strong: u8, weak: u8 } }
              value: { strong: 0, weak: 0 }
              report-reference: { id: 2, type: output }
              on-write: [ { when: any, do: log } ]
              rules: [ { when: written, after: 2 s, do: { set: { motors: { strong: 0, weak: 0 } } } } ]
            - id: minutes-until-off
              uuid: report
              properties: [read, write]
              permissions: { read: encrypted, write: encrypted }
              format: u8
              value: 10
              report-reference: { id: 3, type: feature }
              persistent: true
        - include: battery
          level: { permissions: { read: encrypted, subscribe: encrypted } }
        - include: device-information
          model-number: Gamepad 1
          pnp-id: { source: usb, vendor: 0xFFFF, product: 4, version: 0x0100 }

      """##
    ),
    (
      "hid-keyboard",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # A keyboard that types what it is told to (HID over GATT 1.0), in the US layout.
      #
      #   understudy run hid-keyboard --http 127.0.0.1:8080 --set 'text=Good morning!'
      #   curl -X POST localhost:8080/v1/buttons/type
      #   curl -X PUT localhost:8080/v1/characteristics/typewriter/value -d '{"value": "anything else\n"}'
      #
      # It pairs by Just Works, as many do; `--set security.pairing=keyboard` makes somebody type the passkey that the host shows.
      understudy: 1
      parameters:
        text: { default: "Hello, World!\n", about: What the button `type` types. }
      name: HID Keyboard
      about: A keyboard that types a text when the button `type` is pressed, or any text that its typewriter characteristic gets.
      identity: { address: static, appearance: keyboard }
      security: { pairing: just-works }
      connection:
        request: { interval: [11.25 ms, 15 ms], latency: 20, timeout: 3 s }
      advertising:
        - id: main
          data: { flags: [general], services: [human-interface-device, battery], appearance: true }
          scan-response: { name: complete }
          schedule: [ { interval: 20 ms, for: 30 s }, { interval: 152.5 ms } ]

      variables:
        # What is yet to be typed, what the button types, the key that is held down (0 for none), and whether the next step lets it go.
        pending: ""
        line: $text
        key: 0
        down: false
        # The key of each character from space to tilde (HID Usage Tables 1.4, chapter 10); the highest bit stands for shift.
        layout: hex:2c9eb4a0a1a2a434a6a7a5ae362d3738271e1f20212223242526b333b62eb7b89f8485868788898a8b8c8d8e8f909192939495969798999a9b9c9d2f3130a3ad350405060708090a0b0c0d0e0f101112131415161718191a1b1c1dafb1b0b5

      rules:
        - { when: { button: type }, do: { set: { pending: { compute: pending ++ text(line) } } } }
        - { when: { button: enter }, do: { set: { pending: { compute: pending ++ 10 } } } }
        - { when: { becomes: length(typewriter) > 0 }, do: [ { set: { pending: { compute: pending ++ typewriter } } }, { set: { typewriter: "" } } ] }
        - { when: disconnected, do: [ { set: { pending: "", key: 0, down: false } }, { reset: keyboard-input }, { reset: boot-keyboard-input }, { enter: resting } ] }

      states:
        resting:
          - { when: { becomes: 'length(pending) > 0 and hid-control-point == "exit-suspend"' }, do: { enter: typing } }
        # A key goes down, and 20 ms later up.
        typing:
          - { when: { every: 20 ms }, do: { set: { down: { compute: not down } } } }
          - when: { every: 20 ms }
            if: down
            do:
              set:
                key: { compute: 'if(pending[0] >= 32 and pending[0] < 127, layout[pending[0] - 32], if(pending[0] == 10, 0x28, if(pending[0] == 9, 0x2B, 0)))' }
                pending: { compute: 'pending[1..]' }
          - { when: { every: 20 ms }, if: not down, do: { set: { key: 0 } } }
          # In each protocol mode there are reports of its own (HIDS 2.4).
          - { when: { every: 20 ms }, if: protocol-mode == "report", do: { set: { keyboard-input: { compute: 'u8((key >> 7) << 1) ++ 0 ++ (key & 0x7F) ++ repeat(0, 5)' } } } }
          - { when: { every: 20 ms }, if: protocol-mode == "boot", do: { set: { boot-keyboard-input: { compute: 'u8((key >> 7) << 1) ++ 0 ++ (key & 0x7F) ++ repeat(0, 5)' } } } }
          - { when: { every: 20 ms }, if: not down and length(pending) == 0, do: { enter: resting } }

      services:
        - include: human-interface-device
          report-map:
            external-report-reference: battery-level
            value: [
              0x05, 0x01, 0x09, 0x06, 0xA1, 0x01, 0x85, 0x01,  # Generic Desktop, Keyboard, application collection, report 1
              0x05, 0x07, 0x19, 0xE0, 0x29, 0xE7,              # keyboard: left control to right GUI
              0x15, 0x00, 0x25, 0x01, 0x75, 0x01, 0x95, 0x08, 0x81, 0x02,  # eight bits
              0x75, 0x08, 0x95, 0x01, 0x81, 0x01,              # an octet that is reserved
              0x05, 0x08, 0x19, 0x01, 0x29, 0x05, 0x75, 0x01, 0x95, 0x05, 0x91, 0x02,  # output: five LEDs
              0x75, 0x03, 0x95, 0x01, 0x91, 0x01,              # and three bits
              0x05, 0x07, 0x19, 0x00, 0x29, 0x65, 0x15, 0x00, 0x25, 0x65, 0x75, 0x08, 0x95, 0x06, 0x81, 0x00,  # six keys
              0xC0]
          characteristics:
            - id: keyboard-input
              uuid: report
              properties: [read, notify]
              permissions: { read: encrypted, subscribe: encrypted }
              format: boot-keyboard-input-report
              value: { modifiers: [], keys: [0, 0, 0, 0, 0, 0] }
              report-reference: { id: 1, type: input }
            # The host lights the LEDs by either.
            - id: leds
              uuid: report
              properties: [read, write, write-without-response]
              permissions: { read: encrypted, write: encrypted }
              format: boot-keyboard-output-report
              value: []
              report-reference: { id: 1, type: output }
              on-write: [ { when: any, do: [log, { copy: boot-keyboard-output }] } ]
            - id: boot-keyboard-input
              uuid: boot-keyboard-input-report
              properties: [read, notify]
              permissions: { read: encrypted, subscribe: encrypted }
              value: { modifiers: [], keys: [0, 0, 0, 0, 0, 0] }
            - id: boot-keyboard-output
              uuid: boot-keyboard-output-report
              properties: [read, write, write-without-response]
              permissions: { read: encrypted, write: encrypted }
              value: []
              on-write: [ { when: any, do: [log, { copy: leds }] } ]

        - include: battery
          level: { permissions: { read: encrypted, subscribe: encrypted } }
        - include: device-information
          model-number: Keyboard 1
          # Vendor and product of no company.
          pnp-id: { source: usb, vendor: 0xFFFF, product: 1, version: 0x0100 }
        - include: scan-parameters

        # Not of a keyboard: what is written here is typed.
        - id: desk
          uuid: A0000050-7C4D-4B0E-9E4B-1F6E2A1B9C00
          characteristics:
            - id: typewriter
              uuid: A0000051-7C4D-4B0E-9E4B-1F6E2A1B9C00
              properties: [write]
              permissions: { write: encrypted }
              format: utf8
              value: ""

      """##
    ),
    (
      "hid-mouse",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # A mouse with three buttons and a wheel (HID over GATT 1.0).
      #
      #   understudy run hid-mouse --http 127.0.0.1:8080
      #   curl -X POST localhost:8080/v1/buttons/circle     (or click, right-click, scroll-up, scroll-down)
      understudy: 1
      name: HID Mouse
      about: A mouse that draws a circle, clicks and scrolls when its buttons are pressed over the control API.
      identity: { address: static, appearance: mouse }
      security: { pairing: just-works }
      connection:
        request: { interval: [11.25 ms, 15 ms], latency: 20, timeout: 3 s }
      advertising:
        - id: main
          data: { flags: [general], services: [human-interface-device, battery], appearance: true }
          scan-response: { name: complete }
          schedule: [ { interval: 20 ms, for: 30 s }, { interval: 152.5 ms } ]

      variables:
        # The report that comes next: buttons, x, y and the wheel.
        movement: hex:00000000
        step: 0
        # 32 steps around a circle of 60 counts, which end where they began.
        circle-x: hex:fffcfbf8f7f6f5f4f4f5f6f7f8fbfcff01040508090a0b0c0c0b0a0908050401
        circle-y: hex:0c0b0a0908050401fffcfbf8f7f6f5f4f4f5f6f7f8fbfcff01040508090a0b0c

      rules:
        - { when: { button: circle }, do: { enter: circling } }
        - { when: { button: click }, do: [ { set: { movement: hex:01000000 } }, { enter: clicking } ] }
        - { when: { button: right-click }, do: [ { set: { movement: hex:02000000 } }, { enter: clicking } ] }
        - { when: { button: scroll-up }, do: [ { set: { movement: hex:00000001 } }, { enter: clicking } ] }
        - { when: { button: scroll-down }, do: [ { set: { movement: hex:000000ff } }, { enter: clicking } ] }

      # What moves is told each time, although it may be as before; in each protocol mode there are reports of its own (HIDS 2.4).
      states:
        still: []
        circling:
          - { when: entered, do: { set: { step: 0 } } }
          - { when: { every: 20 ms }, if: step == 32, do: { enter: still } }
          - { when: { every: 20 ms }, do: { set: { movement: { compute: '0 ++ circle-x[step] ++ circle-y[step] ++ 0' }, step: { compute: step + 1 } } } }
          - { when: { every: 20 ms }, if: protocol-mode == "report", do: [ { set: { mouse-input: { compute: movement } } }, { notify: mouse-input } ] }
          - { when: { every: 20 ms }, if: protocol-mode == "boot", do: [ { set: { boot-mouse-input: { compute: 'movement[..3]' } } }, { notify: boot-mouse-input } ] }
        # Down, and up again.
        clicking:
          - { when: entered, if: protocol-mode == "report", do: [ { set: { mouse-input: { compute: movement } } }, { notify: mouse-input } ] }
          - { when: entered, if: protocol-mode == "boot", do: [ { set: { boot-mouse-input: { compute: 'movement[..3]' } } }, { notify: boot-mouse-input } ] }
          - { when: entered, after: 50 ms, do: { enter: released } }
        released:
          - { when: entered, if: protocol-mode == "report", do: [ { set: { mouse-input: hex:00000000 } }, { notify: mouse-input } ] }
          - { when: entered, if: protocol-mode == "boot", do: [ { set: { boot-mouse-input: hex:000000 } }, { notify: boot-mouse-input } ] }
          - { when: entered, do: { enter: still } }

      services:
        - include: human-interface-device
          report-map:
            external-report-reference: battery-level
            value: [
              0x05, 0x01, 0x09, 0x02, 0xA1, 0x01, 0x09, 0x01, 0xA1, 0x00,  # Generic Desktop, Mouse, Pointer
              0x05, 0x09, 0x19, 0x01, 0x29, 0x03, 0x15, 0x00, 0x25, 0x01, 0x75, 0x01, 0x95, 0x03, 0x81, 0x02,  # three buttons
              0x75, 0x05, 0x95, 0x01, 0x81, 0x01,              # and five bits
              0x05, 0x01, 0x09, 0x30, 0x09, 0x31, 0x09, 0x38,  # x, y, wheel
              0x15, 0x81, 0x25, 0x7F, 0x75, 0x08, 0x95, 0x03, 0x81, 0x06,  # from -127 to 127, relative
              0xC0, 0xC0]
          characteristics:
            # There is one report, and so it has no id.
            - id: mouse-input
              uuid: report
              properties: [read, notify]
              permissions: { read: encrypted, subscribe: encrypted }
              format: { struct: { buttons: { flags: { left: 1, right: 2, middle: 4 } }, x: i8, y: i8, wheel: i8 } }
              value: { buttons: [], x: 0, y: 0, wheel: 0 }
              report-reference: { id: 0, type: input }
              notify: on-demand
            - id: boot-mouse-input
              uuid: boot-mouse-input-report
              properties: [read, notify]
              permissions: { read: encrypted, subscribe: encrypted }
              value: { buttons: [], x: 0, y: 0 }
              notify: on-demand
        - include: battery
          level: { permissions: { read: encrypted, subscribe: encrypted } }
        - include: device-information
          model-number: Mouse 1
          pnp-id: { source: usb, vendor: 0xFFFF, product: 2, version: 0x0100 }
        - include: scan-parameters

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
      "kitchen-scale",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # A kitchen scale of a vendor with a protocol of its own, in frames with a checksum, as most have.
      #
      #   understudy run kitchen-scale --http 127.0.0.1:8080
      #   curl -X POST localhost:8080/v1/buttons/put     (or take): 250 g more or less
      #
      # Frames to the scale: AA 55, command, length, data, CRC-16/MODBUS of what stands before, low octet first. Commands: 01 tare, 02 unit
      # (0 grams, 1 ounces), 03 switches itself off after so many minutes (1 to 60), 04 version. Frames from it: 81 and so on with a status
      # (0 done, 1 unknown command, 2 wrong checksum, 3 wrong data, 4 not stable), and 80 with the weight: flags (bit 0 stable, bit 1 ounces, bit 2
      # below zero), tenths of the unit in three octets, the highest first. The write of a frame with a wrong checksum succeeds, as of real ones:
      # only the status tells.
      understudy: 1
      name: Kitchen Scale
      about: A kitchen scale with tare, units and a checksum; the weight settles when something is put onto it.
      identity: { address: static, appearance: weight-scale }
      advertising:
        - id: main
          data: { flags: [general], services: [FFF0], manufacturer-data: { company: internal-use, data: hex:5343414C45 } }
          scan-response: { name: complete }
          schedule: [ { interval: 20 ms, for: 30 s }, { interval: 211.25 ms } ]

      variables:
        # Tenths of a gram: what lies on it, what it has weighed so far, and what it calls zero.
        load: 0
        weighed: 0
        zero: 0
        ounces: false
        status: 0
        frame: hex:00

      rules:
        - { when: { button: put }, do: { set: { load: { compute: 'min(50000, load + 2500)' } } } }
        - { when: { button: take }, do: { set: { load: { compute: 'max(0, load - 2500)' } } } }
        # Half of the difference each time, so that it settles in a second.
        - { when: { every: 100 ms }, if: weighed != load, do: { set: { weighed: { compute: 'if(abs(load - weighed) < 4, load, weighed + (load - weighed) / 2)' } } } }
        - when: { every: 200 ms }
          if: subscribed(scale-out)
          do:
            set:
              frame: { compute: 'hex:AA558004 ++ (if(weighed == load, 1, 0) | if(ounces, 2, 0) | if(weighed < zero, 4, 0)) ++ u24-be(if(ounces, round(abs(weighed - zero) / 28.349523), abs(weighed - zero)))' }
        - { when: { every: 200 ms }, if: subscribed(scale-out), do: { reply: { scale-out: { compute: frame ++ u16(crc16-modbus(frame)) } } } }

      services:
        - id: scale
          uuid: FFF0
          characteristics:
            - id: scale-in
              uuid: FFF1
              properties: [write, write-without-response]
              packets: { start: hex:AA55, length: u8, at: 3, plus: 6, longest: 64, within: 1 s }
              on-write:
                - { if: 'u16(crc16-modbus(written[..-2])) != written[-2..]', do: { set: { status: 2 } } }
                - { if: 'written[2] == 1 and written[3] == 0', do: { set: { status: { compute: 'if(weighed == load, 0, 4)' } } } }
                - { if: 'written[2] == 2', do: { set: { status: { compute: 'if(written[3] == 1 and written[4] < 2, 0, 3)' } } } }
                - { if: 'written[2] == 3', do: { set: { status: { compute: 'if(written[3] == 1 and written[4] > 0 and written[4] <= 60, 0, 3)' } } } }
                - { if: 'written[2] == 4 and written[3] == 0', do: { set: { status: 0 } } }
                - { if: 'written[2] == 1 or written[2] == 4', do: { set: { status: 3 } } }
                - { otherwise: { set: { status: 1 } } }
              rules:
                - { when: written, if: 'status == 0 and written[2] == 1', do: { set: { zero: { compute: weighed } } } }
                - { when: written, if: 'status == 0 and written[2] == 2', do: { set: { ounces: { compute: 'written[4] == 1' } } } }
                - { when: written, if: 'status == 0 and written[2] == 3', do: { set: { minutes-until-off: { compute: 'written[4]' } } } }
                - { when: written, do: { set: { frame: { compute: 'hex:AA55 ++ (written[2] | 0x80) ++ if(status == 0 and written[2] == 4, 4, 1) ++ status ++ if(status == 0 and written[2] == 4, hex:010203, "")' } } } }
                - { when: written, do: { reply: { scale-out: { compute: frame ++ u16(crc16-modbus(frame)) } } } }
            - id: scale-out
              uuid: FFF2
              properties: [notify]
              notify: on-demand
            - { id: minutes-until-off, uuid: FFF3, properties: [read], format: u8, value: 5, persistent: true }
        - include: battery
          level: 70

      """##
    ),
    (
      "kuler-sky",
      ##"""
      # A floor lamp as Brightech's Kuler Sky: red, green, blue and white in one characteristic.
      #
      #   understudy run kuler-sky
      #
      # An app writes 02 and the four channels to light it, and 32 FF FF FF FF to turn it off; it reads the same five octets back.
      understudy: 1
      name: Kuler Sky
      about: A floor lamp with four colour channels in one characteristic, as Home Assistant's integration kulersky knows it.
      identity: { address: static, appearance: light-fixtures }
      advertising:
        - id: main
          data: { flags: [general], services: [8D96A001-0002-64C2-0001-9ACC4838521C] }
          scan-response: { name: complete }
          interval: 152.5 ms
      services:
        - id: lamp
          uuid: 8D96A001-0002-64C2-0001-9ACC4838521C
          characteristics:
            - id: light
              uuid: 8D96B002-0002-64C2-0001-9ACC4838521C
              properties: [read, write]
              format: { struct: { mode: u8, red: u8, green: u8, blue: u8, white: u8 } }
              value: { mode: 0x32, red: 255, green: 255, blue: 255, white: 255 }
              description: On (02) or off (32), then red, green, blue and white
              on-write: [ { if: 'written.mode != 2 and written.mode != 50', error: value-not-allowed } ]

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
      group: Data
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
      "l2cap-files",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # A server of files over L2CAP channels: each file has a PSM, which apps read from a characteristic. Who opens a channel gets the file,
      # and then the channel is closed.
      #
      #   understudy run l2cap-files --set readme=README.md --set image=photo.jpg
      #
      # The list says what there is. `upload` takes a file and knows its SHA-256 (GET /v1/channels).
      understudy: 1
      parameters:
        readme: { default: /etc/os-release, about: The file behind the first channel. }
        image: { default: /usr/share/dict/words, about: The file behind the second. }
      name: File Server
      about: Serves two files over L2CAP channels, whose PSMs apps read, and takes uploads.
      identity: { address: static }
      connection: { mtu: 517, data-length: 251, phy: 2M, max-connections: 4 }
      advertising:
        - id: main
          data: { flags: [general], services: [A0000090-7C4D-4B0E-9E4B-1F6E2A1B9C00] }
          scan-response: { name: complete }
          schedule: [ { interval: 20 ms, for: 30 s }, { interval: 152.5 ms } ]
      services:
        - id: files
          uuid: A0000090-7C4D-4B0E-9E4B-1F6E2A1B9C00
          characteristics:
            # In the order of the PSM characteristics behind it.
            - { id: listing, uuid: A0000091-7C4D-4B0E-9E4B-1F6E2A1B9C00, properties: [read], format: utf8, value: "readme\nimage\nupload\n", description: The names of the files }
      # A frame of 247 octets and its header fill one data PDU of 251, and an SDU of 4938 octets fills 20 of them.
      l2cap:
        - { id: readme, mps: 247, psm-characteristic: { service: files }, handler: "file:$readme" }
        - { id: image, mps: 247, psm-characteristic: { service: files }, handler: "file:$image" }
        - { id: upload, mtu: 4938, mps: 247, psm-characteristic: { service: files }, handler: { sink: { hash: true } } }

      """##
    ),
    (
      "led-button",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # A board with an LED and a button: Nordic's LED Button Service.
      #
      #   understudy run led-button --http 127.0.0.1:8080
      #   curl -X POST localhost:8080/v1/buttons/push
      understudy: 1
      name: Nordic_Blinky
      about: An LED that an app switches, and a button that tells the app when it is pushed and let go.
      identity: { address: static }
      advertising:
        - id: main
          data: { flags: [general], services: [00001523-1212-EFDE-1523-785FEABCD123] }
          scan-response: { name: complete }
          schedule: [ { interval: 20 ms, for: 30 s }, { interval: 152.5 ms } ]

      rules:
        - { when: { button: push }, do: { set: { button: pressed } } }
        - { when: { becomes: button == "pressed" }, after: 300 ms, do: { set: { button: released } } }

      services:
        - id: blinky
          uuid: 00001523-1212-EFDE-1523-785FEABCD123
          characteristics:
            - id: button
              uuid: 00001524-1212-EFDE-1523-785FEABCD123
              properties: [read, notify]
              format: { names: { released: 0, pressed: 1 } }
              value: released
            - id: led
              uuid: 00001525-1212-EFDE-1523-785FEABCD123
              properties: [read, write, write-without-response]
              format: { names: { "off": 0, "on": 1 } }
              value: "off"
              on-write:
                - { when: hex:00, do: log }
                - { when: hex:01, do: log }
                - { otherwise: { error: value-not-allowed } }

      """##
    ),
    (
      "light-bulb",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # A lamp with a colour, a brightness and effects.
      #
      #   understudy run light-bulb
      #
      # What the lamp shows is a characteristic of its own, so that an app sees the effects: the colour dimmed by the brightness, or dark.
      understudy: 1
      name: Light Bulb
      about: A lamp with a switch, brightness, colour and the effects blink and rainbow, which an app sees in what it shows.
      identity: { address: static, appearance: light-fixtures }
      advertising:
        - id: main
          data: { flags: [general], services: [A0000080-7C4D-4B0E-9E4B-1F6E2A1B9C00] }
          scan-response: { name: complete }
          schedule: [ { interval: 20 ms, for: 30 s }, { interval: 152.5 ms } ]

      # Whether a blinking lamp is lit, and where the rainbow is.
      variables: { lit: true, hue: 0 }

      rules:
        - { when: { button: switch }, do: { set: { power: { compute: 'power == false' } } } }
        - { when: { written: effect }, if: effect == "none", do: { enter: steady } }
        - { when: { written: effect }, if: effect == "blink", do: { enter: blinking } }
        - { when: { written: effect }, if: effect == "rainbow", do: { enter: rainbow } }

      states:
        steady:
          - { when: entered, do: { set: { lit: true } } }
        blinking:
          - { when: { every: 500 ms }, do: { set: { lit: { compute: not lit } } } }
        # Six colours with what lies between them, in 9 s.
        rainbow:
          - { when: entered, do: { set: { lit: true, hue: 0 } } }
          - { when: { every: 100 ms }, do: { set: { hue: { compute: '(hue + 17) % 1530' } } } }
          - when: { every: 100 ms }
            do:
              set:
                colour:
                  red: { compute: 'max(0, min(255, abs((hue + 765) % 1530 - 765) - 255))' }
                  green: { compute: 'max(0, min(255, abs((hue + 255) % 1530 - 765) - 255))' }
                  blue: { compute: 'max(0, min(255, abs((hue + 1275) % 1530 - 765) - 255))' }

      services:
        - id: lamp
          uuid: A0000080-7C4D-4B0E-9E4B-1F6E2A1B9C00
          characteristics:
            - { id: power, uuid: A0000081-7C4D-4B0E-9E4B-1F6E2A1B9C00, properties: [read, write, notify], format: bool, value: true, persistent: true, description: On or off }
            - id: brightness
              uuid: A0000082-7C4D-4B0E-9E4B-1F6E2A1B9C00
              properties: [read, write, write-without-response, notify]
              format: { number: u8, unit: "%" }
              value: 80
              persistent: true
              description: Brightness in percent
              on-write: [ { if: written < 1 or written > 100, error: out-of-range } ]
            - id: colour
              uuid: A0000083-7C4D-4B0E-9E4B-1F6E2A1B9C00
              properties: [read, write, write-without-response, notify]
              format: { struct: { red: u8, green: u8, blue: u8 } }
              value: { red: 255, green: 180, blue: 100 }
              persistent: true
              description: Red, green and blue
            - id: effect
              uuid: A0000084-7C4D-4B0E-9E4B-1F6E2A1B9C00
              properties: [read, write]
              format: { names: { none: 0, blink: 1, rainbow: 2 } }
              value: none
              description: None (0), blink (1) or rainbow (2)
              on-write: [ { if: 'octets(written)[0] > 2', error: value-not-allowed } ]
            - id: shown
              uuid: A0000085-7C4D-4B0E-9E4B-1F6E2A1B9C00
              properties: [read, notify]
              format: { struct: { red: u8, green: u8, blue: u8 } }
              value: { compute: 'if(power and lit, u8(colour.red * brightness / 100) ++ u8(colour.green * brightness / 100) ++ u8(colour.blue * brightness / 100), hex:000000)' }
              description: The light that it gives, red, green and blue
        - include: device-information
          model-number: Bulb 1

      """##
    ),
    (
      "location-navigation",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # A receiver for a bicycle or a walk (Location and Navigation Service 1.0): it goes in a circle through Berlin.
      #
      #   understudy run location-navigation
      understudy: 1
      name: Location Pod
      about: A place that moves once a second, its quality, and routes that the LN Control Point lists, selects and follows.
      group: Sport
      identity: { address: static, appearance: location-pod }

      advertising:
        - id: main
          data: { flags: [general], services: [location-and-navigation], appearance: true }
          scan-response: { name: complete }

      tables:
        - id: routes
          columns: { route: u16, name: utf8 }
          rows: [ { route: 0, name: Along the river }, { route: 1, name: Three lakes } ]

      # The navigation is off (0), on (1) or paused (2). Elevation and distance as the control point counts them: centimetres, decimetres.
      variables: { navigation-state: 0, route: 0, elevation: 3400, distance: 0, fix-rate: 1 }

      rules:
        - { when: { every: 1 s }, do: { set: { distance: { compute: distance + 50 } } } }

      services:
        - uuid: location-and-navigation
          characteristics:
            - id: feature
              uuid: ln-feature
              properties: [read]
              value:
                - speed
                - distance
                - location
                - elevation
                - heading
                - time
                - remaining-distance
                - satellites-in-solution
                - satellites-in-view
                - horizontal-error
                - fix-rate-setting
                - elevation-setting
                - position-status

            # A circle of 400 m in two minutes, at 5 m/s against the clock.
            - id: location
              uuid: location-and-speed
              properties: [notify]
              notify: { every: 1 s }
              value:
                position: ok
                dimensions: 3d
                elevation-source: barometer
                heading-source: movement
                speed: 5
                distance: { compute: distance / 10.0 }
                latitude: { wave: sine, low: 52.5182, high: 52.5218, period: 120 s }
                longitude: { wave: triangle, low: 13.4020, high: 13.4080, period: 120 s }
                elevation: { compute: elevation / 100.0 }
                heading: { counter: { from: 0, to: 357, step: 3, every: 1 s } }
                time: { clock: utc }

            - id: quality
              uuid: position-quality
              properties: [read]
              value:
                position: ok
                satellites-in-solution: { random: { low: 7, high: 10, every: 5 s } }
                satellites-in-view: 12
                horizontal-error: { wave: random-walk, low: 2, high: 6, period: 1 min }

            # 3.5; opcodes and results as RivieraWaves' lanp_common.h has them, too. A command is under way until its indication is confirmed.
            - id: control-point
              uuid: ln-control-point
              properties: [write, indicate]
              indicate: on-demand
              control-point:
                response: [0x20, opcode, result]
                unknown: { result: 2 }
                malformed: { result: 3 }
                busy: { error: 0xFE }
                unsubscribed: { error: 0xFD }
                commands:
                  - opcode: 1                   # set the distance, in decimetres
                    parameters: { metres: u24 }
                    do: { set: { distance: { compute: metres } } }
                  # 3.5.2.3: stop, start, pause, resume, skip a waypoint, start at the nearest one.
                  - opcode: 3                   # control the navigation
                    parameters: { how: u8 }
                    require:
                      - { parameter: how, from: 0, to: 5 }
                      # Only what goes on can be paused, and only what pauses can be resumed.
                      - { if: "how != 2 and how != 4 or navigation-state == 1", else: { result: 4 } }
                      - { if: how != 3 or navigation-state == 2, else: { result: 4 } }
                    do: { set: { navigation-state: { compute: "if(how == 0, 0, if(how == 2, 2, 1))" } } }
                  - opcode: 4                   # how many routes there are
                    response: [0x20, opcode, result, { count: routes }]
                  - opcode: 5                   # the name of a route
                    parameters: { number: u16 }
                    require: [ { row: routes, key: number } ]
                    response: [0x20, opcode, result, { column: name }]
                  - opcode: 6                   # select a route
                    parameters: { number: u16 }
                    require: [ { row: routes, key: number } ]
                    do: { set: { route: { compute: number }, navigation-state: 0 } }
                  - opcode: 7                   # fixes per second
                    parameters: { rate: u8 }
                    require: [ { parameter: rate, from: 1, to: 10 } ]
                    do: { set: { fix-rate: { compute: rate } } }
                  - opcode: 8                   # set the elevation, in centimetres
                    parameters: { height: i24 }
                    do: { set: { elevation: { compute: height } } }

            # While it navigates.
            - id: navigation
              uuid: navigation
              properties: [notify]
              notify: on-demand
              value:
                position: ok
                heading-source: movement
                indicator: to-destination
                waypoint-reached: false
                destination-reached: false
                bearing: { wave: triangle, low: 30, high: 60, period: 60 s }
                heading: { counter: { from: 0, to: 357, step: 3, every: 1 s } }
                remaining-distance: { ramp: { from: 2400, to: 0, over: 8 min } }
              rules:
                - { when: { every: 1 s }, if: navigation-state == 1, do: { notify: navigation } }

        - include: device-information
          model-number: Pod 2
        - include: battery

      """##
    ),
    (
      "mcumgr-smp",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # A device whose firmware is updated over the Simple Management Protocol, as those with MCUboot and MCUmgr are: upload, test, reset,
      # confirm. An image that was tested and not confirmed is gone after the next reset.
      #
      #   understudy run mcumgr-smp
      #
      # It takes the images of imgtool, and keeps of them the version and the hash. Both versions of the protocol are answered.
      understudy: 1
      name: SMP Device
      about: A device with two image slots, whose firmware an app updates by MCUmgr's protocol.
      identity: { address: static }
      connection: { mtu: 498 }
      advertising:
        - id: main
          data: { flags: [general], services: [8D53DC1D-1DB7-4CD3-868B-8A527460AA84] }
          scan-response: { name: complete }
          schedule: [ { interval: 20 ms, for: 30 s }, { interval: 152.5 ms } ]

      variables:
        # The request that came last: its group, command and operation (0 reads, 2 writes), and what it says.
        command: ""
        request: 0
        # What is answered; or the error, as the first version of the protocol has it, then a group and that group's own.
        answer: 0
        failure: hex:00
        body: hex:00
        # The image that is uploaded, how long it becomes, and its SHA-256 as the client says; its trailer's place.
        incoming: ""
        expected: 0
        digest: ""
        trailer: 0
        # Of the boot loader.
        swapped: false
        aside: hex:00

      # What the boot loader does: it runs an image that is to be tested, or goes back when the last test was not confirmed.
      rules:
        - when: start
          if: secondary.pending != "no"
          do:
            - set: { swapped: true, aside: { compute: octets(primary) } }
            - set: { primary: { confirmed: { compute: secondary.pending == "for-good" }, version: { compute: secondary.version }, hash: { compute: secondary.hash } } }
            - set: { secondary: { pending: "no", version: { compute: 'text(aside[..16])' }, hash: { compute: 'aside[16..48]' } } }
        - when: start
          if: not swapped and not primary.confirmed
          do:
            - set: { aside: { compute: octets(primary) } }
            - set: { primary: { confirmed: true, version: { compute: secondary.version }, hash: { compute: secondary.hash } } }
            - set: { secondary: { pending: "no", version: { compute: 'text(aside[..16])' }, hash: { compute: 'aside[16..48]' } } }

      services:
        - id: smp
          uuid: 8D53DC1D-1DB7-4CD3-868B-8A527460AA84
          characteristics:
            - id: smp-data
              uuid: DA2E7828-FBCE-4E01-AE9E-261174997C48
              properties: [write-without-response, notify]
              notify: on-demand
              # A header of 8 octets: version and operation, flags, length, group, sequence number and command; then CBOR.
              packets: { length: u16, at: 2, order: big, plus: 8, longest: 2475 }
              on-write:
                - when: any
                  do:
                    - set:
                        command: { compute: 'text(text(be(written[4..6])) ++ "/" ++ text(written[7]) ++ "/" ++ text(written[0] & 7))' }
                        request: { compute: 'from-cbor(if(length(written) == 8, hex:A0, written[8..]))' }
                        answer: { compute: fields() }
                        failure: ""
              # These are followed one after the other. Errors: 3 invalid, 6 bad state, 8 not supported, 12 a version that is too new; those
              # of the group of images are 9 no free slot, 20 offset, 21 length, 22 header, 23 magic number, 8 and 24 hash, 30 too large.
              rules:
                - { when: written, if: 'written[0] & 0x18 > 8', do: { set: { failure: hex:0C0000 } } }
                - { when: written, if: length(failure) == 0 and not present(request), do: { set: { failure: hex:030000 } } }
                - when: written
                  if: not (command == "0/0/2" or command == "0/0/0" or command == "0/5/2" or command == "0/6/0" or command == "0/7/0" or command == "1/0/0" or command == "1/0/2" or command == "1/1/2" or command == "1/5/2")
                  do: { set: { failure: hex:080000 } }

                # Operating system: echo, reset, parameters, information.
                - { when: written, if: 'length(failure) == 0 and starts(command, "0/0/") and not present(request.d)', do: { set: { failure: hex:030000 } } }
                - { when: written, if: 'length(failure) == 0 and starts(command, "0/0/")', do: { set: { answer: { compute: 'fields("r", request.d)' } } } }
                - { when: written, if: length(failure) == 0 and command == "0/5/2", after: 250 ms, do: restart }
                - { when: written, if: length(failure) == 0 and command == "0/6/0", do: { set: { answer: { compute: 'fields("buf_size", 2475, "buf_count", 4)' } } } }
                - { when: written, if: length(failure) == 0 and command == "0/7/0", do: { set: { answer: { compute: 'fields("output", "Understudy")' } } } }

                # Image states: a hash is to be tested or, with `confirm`, to stay.
                - { when: written, if: length(failure) == 0 and command == "1/0/2" and not present(request.hash) and not (present(request.confirm) and request.confirm), do: { set: { failure: hex:030118 } } }
                - { when: written, if: length(failure) == 0 and command == "1/0/2" and present(request.hash) and length(request.hash) != 32, do: { set: { failure: hex:030118 } } }
                - { when: written, if: length(failure) == 0 and command == "1/0/2" and present(request.hash) and request.hash != primary.hash and (secondary.version == "" or request.hash != secondary.hash), do: { set: { failure: hex:010108 } } }
                - when: written
                  if: length(failure) == 0 and command == "1/0/2" and present(request.confirm) and request.confirm and (not present(request.hash) or request.hash == primary.hash)
                  do: { set: { primary: { confirmed: true } } }
                - when: written
                  if: length(failure) == 0 and command == "1/0/2" and present(request.hash) and request.hash == secondary.hash and request.hash != primary.hash
                  do: { set: { secondary: { pending: { compute: 'if(present(request.confirm) and request.confirm, "for-good", "test")' } } } }
                - when: written
                  if: length(failure) == 0 and starts(command, "1/0/")
                  do:
                    - set:
                        answer: { compute: 'fields("slot", 0, "version", primary.version, "hash", primary.hash, "bootable", true, "pending", false, "confirmed", primary.confirmed, "active", true, "permanent", false)' }
                    - set:
                        answer: { compute: 'fields("splitStatus", 0, "images", if(secondary.version == "", list(answer), list(answer, fields("slot", 1, "version", secondary.version, "hash", secondary.hash, "bootable", true, "pending", secondary.pending != "no", "confirmed", secondary.pending == "no" and not primary.confirmed, "active", false, "permanent", secondary.pending == "for-good"))))' }

                # Upload: the first part says how long all is, and begins with an image's header. A part that is not the next is passed over,
                # and the answer says where to go on; so an upload that was broken off goes on when it begins with the same SHA-256.
                - { when: written, if: length(failure) == 0 and command == "1/1/2" and (not present(request.off) or not present(request.data)), do: { set: { failure: hex:030114 } } }
                - { when: written, if: length(failure) == 0 and command == "1/1/2" and (secondary.pending != "no" or not primary.confirmed), do: { set: { failure: hex:060109 } } }
                - { when: written, if: length(failure) == 0 and command == "1/1/2" and request.off == 0 and not present(request.len), do: { set: { failure: hex:030115 } } }
                - { when: written, if: length(failure) == 0 and command == "1/1/2" and request.off == 0 and request.len > 1000000, do: { set: { failure: hex:01011E } } }
                - { when: written, if: length(failure) == 0 and command == "1/1/2" and request.off == 0 and length(request.data) < 32, do: { set: { failure: hex:030116 } } }
                - { when: written, if: 'length(failure) == 0 and command == "1/1/2" and request.off == 0 and not starts(request.data, hex:3DB8F396)', do: { set: { failure: hex:010117 } } }
                - when: written
                  if: 'length(failure) == 0 and command == "1/1/2" and request.off == 0 and not (expected == request.len and present(request.sha) and request.sha == digest)'
                  do: { set: { incoming: "", expected: { compute: request.len }, digest: { compute: 'if(present(request.sha), request.sha, "")' }, secondary: { version: "" } } }
                - { when: written, if: length(failure) == 0 and command == "1/1/2" and request.off == length(incoming) and request.off + length(request.data) > expected, do: { set: { failure: hex:01011F } } }
                - when: written
                  if: length(failure) == 0 and command == "1/1/2" and request.off == length(incoming)
                  do: { set: { incoming: { compute: incoming ++ request.data } } }
                - { when: written, if: length(failure) == 0 and command == "1/1/2", do: { set: { answer: { compute: 'fields("off", length(incoming))' } } } }
                # All is there. The hash of an image is in its trailer (type 0x10), behind header, code and protected entries.
                - when: written
                  if: length(failure) == 0 and command == "1/1/2" and expected > 0 and length(incoming) == expected
                  do:
                    - set:
                        answer: { compute: 'if(length(digest) == 32, fields("off", expected, "match", sha256(incoming) == digest), answer)' }
                        trailer: { compute: 'le(incoming[8..10]) + le(incoming[12..16]) + le(incoming[10..12])' }
                    - set:
                        secondary:
                          version: { compute: 'text(text(incoming[20]) ++ "." ++ text(incoming[21]) ++ "." ++ text(le(incoming[22..24])))' }
                          hash: { compute: 'if(incoming[trailer..trailer + 2] == hex:0769 and incoming[trailer + 4..trailer + 8] == hex:10002000 and length(incoming) >= trailer + 40, incoming[trailer + 8..trailer + 40], sha256(incoming))' }
                          pending: "no"
                    - set: { incoming: "", expected: 0, digest: "" }

                # Erase: what waits to be run stays.
                - { when: written, if: length(failure) == 0 and command == "1/5/2" and secondary.pending != "no", do: { set: { failure: hex:060109 } } }
                - { when: written, if: length(failure) == 0 and command == "1/5/2", do: { set: { secondary: { version: "" }, incoming: "", expected: 0, digest: "" } } }

                # The answer: an operation that is one higher, and the rest of the request's header.
                - when: written
                  if: length(failure) > 0
                  do: { set: { answer: { compute: 'if(failure[1] == 0 or written[0] & 0x18 == 0, fields("rc", failure[0]), fields("err", fields("group", failure[1], "rc", failure[2])))' } } }
                - { when: written, do: { set: { body: { compute: cbor(answer) } } } }
                - { when: written, do: { reply: { smp-data: { compute: '(written[0] & 0x18 | (written[0] & 7) + 1) ++ 0 ++ u16-be(length(body)) ++ written[4..8] ++ body' } } } }

        # Not of a device: its flash. The next reset runs the secondary image when that is pending, to test it or for good.
        - id: flash
          uuid: A00000B0-7C4D-4B0E-9E4B-1F6E2A1B9C00
          characteristics:
            - id: primary
              uuid: A00000B1-7C4D-4B0E-9E4B-1F6E2A1B9C00
              properties: [read]
              format: { struct: { version: { text: 16 }, hash: { octets: 32 }, confirmed: bool } }
              # The SHA-256 of "1.0.0".
              value: { version: 1.0.0, hash: hex:92521fc3cbd964bdc9f584a991b89fddaa5754ed1cc96d6d42445338669c1305, confirmed: true }
              persistent: true
            - id: secondary
              uuid: A00000B2-7C4D-4B0E-9E4B-1F6E2A1B9C00
              properties: [read]
              format: { struct: { version: { text: 16 }, hash: { octets: 32 }, pending: { names: { "no": 0, test: 1, for-good: 2 } } } }
              value: { version: "", hash: hex:0000000000000000000000000000000000000000000000000000000000000000, pending: "no" }
              persistent: true
        - include: device-information
          model-number: SMP Device
          firmware-revision: { value: { compute: primary.version } }

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
      group: Data
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
      "object-transfer",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # A data logger whose files are read over an L2CAP channel (Object Transfer Service 1.0).
      #
      #   understudy run object-transfer
      #
      # Open the channel with the PSM 0x0025, select an object by the list control point, and read it by the action control point.
      # Everything is encrypted: a phone pairs by itself, without a question.
      understudy: 1
      name: Data Logger
      about: Three objects that a client lists, selects, checks and reads over a channel; one of them may not be read.
      group: Data
      identity: { address: static, appearance: sensor }
      security: { pairing: just-works }

      advertising:
        - id: main
          data: { flags: [general], services: [object-transfer], appearance: true }
          scan-response: { name: complete }

      variables:
        # The client's current object; 0 before it has selected one.
        object: { value: 0, per: connection }
        readings: "time,celsius\n08:00,19.5\n08:10,19.7\n08:20,20.1\n"
        picture: hex:89504E470D0A1A0A0000000D4948445200000001000000010806000000
        calibration: hex:0102030405060708

      # Whoever reads first opens a channel. What a command sends goes out in SDUs as long as the client takes them.
      l2cap:
        - { id: objects, psm: 0x25, security: encrypted, handler: rules }

      services:
        - uuid: object-transfer
          characteristics:
            - id: feature
              uuid: ots-feature
              properties: [read]
              permissions: { read: encrypted }
              value: { actions: [checksum, read], lists: [go-to, number] }

            # 3.1.2: metadata are those of the current object; without one every read is refused with 0x81.
            - &metadata
              id: name
              uuid: object-name
              properties: [read]
              permissions: { read: encrypted }
              on-read: { if: object == 0, error: 0x81 }
              value: { compute: "if(object == 1, 'readings.csv', if(object == 2, 'picture.png', 'calibration'))" }
            # No type in particular.
            - { <<: *metadata, id: type, uuid: object-type, value: 2ACA }
            - <<: *metadata
              id: size
              uuid: object-size
              value:
                current: &length { compute: "length(if(object == 1, octets(readings), if(object == 2, picture, calibration)))" }
                allocated: *length
            - <<: *metadata
              id: created
              uuid: object-first-created
              value: { compute: "if(object == 1, '2024-02-28T08:00:00', '2024-01-15T12:30:00')" }
            - <<: *metadata
              id: modified
              uuid: object-last-modified
              value: { compute: "if(object == 1, '2024-02-28T08:20:05', '2024-01-15T12:30:00')" }
            # 0x100 is the lowest that objects may have; 0 is for the list of all of them, which is not there.
            - { <<: *metadata, id: object-id, uuid: object-id, value: { compute: 255 + object } }
            - { <<: *metadata, id: properties, uuid: object-properties, value: { compute: "if(object == 3, 0, 4)" } }

            # 3.3. Results: unsupported opcode 2, invalid parameter 3, invalid object 5, channel unavailable 6, not permitted 8.
            - id: actions
              uuid: object-action-control-point
              properties: [write, indicate]
              permissions: { write: encrypted, subscribe: encrypted }
              indicate: on-demand
              control-point:
                response: [0x60, opcode, result]
                unknown: { result: 2 }
                malformed: { result: 3 }
                busy: { error: 0xFE }
                unsubscribed: { error: 0xFD }
                commands:
                  - opcode: 3                   # calculate a checksum: CRC-32 of some octets
                    parameters: &part { offset: u32, size: u32 }
                    require:
                      - &selected { if: object > 0, else: { result: 5 } }
                      - &within { if: "offset + size <= length(if(object == 1, octets(readings), if(object == 2, picture, calibration)))" }
                    response:
                      - 0x60
                      - opcode
                      - result
                      - compute: "u32(crc32(if(object == 1, octets(readings), if(object == 2, picture, calibration))[offset..offset + size]))"
                  - opcode: 5                   # read some octets
                    parameters: *part
                    require:
                      - *selected
                      - { if: object < 3, else: { result: 8 } }
                      - *within
                      - { channel: objects, else: { result: 6 } }
                    do:
                      transmit:
                        objects: { compute: "if(object == 1, octets(readings), picture)[offset..offset + size]" }

            # 3.4. Results: unsupported opcode 2, invalid parameter 3, failed 4, out of bounds 5, no such object 8.
            - id: list
              uuid: object-list-control-point
              properties: [write, indicate]
              permissions: { write: encrypted, subscribe: encrypted }
              indicate: on-demand
              control-point:
                response: [0x70, opcode, result]
                unknown: { result: 2 }
                malformed: { result: 3 }
                busy: { error: 0xFE }
                unsubscribed: { error: 0xFD }
                commands:
                  - { opcode: 1, do: { set: { object: 1 } } }                     # first
                  - { opcode: 2, do: { set: { object: 3 } } }                     # last
                  - opcode: 3                   # previous
                    require: [ &current { if: object > 0, else: { result: 4 } }, { if: object > 1, else: { result: 5 } } ]
                    do: { set: { object: { compute: object - 1 } } }
                  - opcode: 4                   # next
                    require: [ *current, { if: object < 3, else: { result: 5 } } ]
                    do: { set: { object: { compute: object + 1 } } }
                  - opcode: 5                   # go to an identifier
                    parameters: { wanted: u48 }
                    require: [ { parameter: wanted, from: 0x100, to: 0x102, else: { result: 8 } } ]
                    do: { set: { object: { compute: wanted - 255 } } }
                  - opcode: 7                   # how many there are
                    response: [0x70, opcode, result, u32:3]

        - include: device-information
          model-number: Logger 1

      """##
    ),
    (
      "phone-alert-status",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # A phone whose ringer a watch can silence (Phone Alert Status Service 1.0).
      #
      #   understudy run phone-alert-status --http 127.0.0.1:8080
      #   curl -X POST localhost:8080/v1/buttons/call     somebody calls, for 20 s at the most, or until `hang-up`
      understudy: 1
      name: Ringing Phone
      about: A phone that rings when somebody calls, and whose ringer a watch mutes for this call or silences for all.
      identity: { address: static, appearance: phone }
      security: { pairing: just-works }
      advertising:
        - id: main
          data: { flags: [general], services: [phone-alert-status], appearance: true }
          scan-response: { name: complete }
          schedule: [ { interval: 20 ms, for: 30 s }, { interval: 152.5 ms } ]

      variables: { muted: false }

      rules:
        - { when: { button: call }, do: { enter: calling } }
        # The switch at the phone's side.
        - { when: { button: silent-switch }, do: { set: { ringer-setting: { compute: 'if(ringer-setting == "normal", "silent", "normal")' } } } }

      states:
        idle: []
        calling:
          - { when: entered, do: { set: { muted: false } } }
          - { when: { button: hang-up }, do: { enter: idle } }
          - { when: entered, after: 20 s, do: { enter: idle } }

      services:
        - id: phone-alerts
          uuid: phone-alert-status
          characteristics:
            # The ringer is bit 0, vibration bit 1, the display bit 2.
            - id: alert-status
              uuid: alert-status
              properties: [read, notify]
              permissions: { read: encrypted, subscribe: encrypted }
              value: { compute: 'u8(if(state == "calling", 6 | if(ringer-setting == "normal" and not muted, 1, 0), 0))' }
            - id: ringer-setting
              uuid: ringer-setting
              properties: [read, notify]
              permissions: { read: encrypted, subscribe: encrypted }
              value: normal
            # 1 silences the phone, 2 mutes the call that rings, 3 cancels the silence. What is reserved is passed over (PASS 3.3).
            - id: ringer-control-point
              uuid: ringer-control-point
              properties: [write-without-response]
              permissions: { write: encrypted }
              on-write:
                - { when: hex:01, do: [log, { set: { ringer-setting: silent } }] }
                - { when: hex:02, if: state == "calling", do: [log, { set: { muted: true } }] }
                - { when: hex:02, do: log }
                - { when: hex:03, do: [log, { set: { ringer-setting: normal } }] }
                - { otherwise: { error: value-not-allowed } }

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
      group: Phone
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
      "proximity",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # A tag that alerts when it is left behind (Proximity Profile 1.0.1): Link Loss, Immediate Alert and Tx Power.
      #
      #   understudy run proximity
      #
      # A link is lost when nothing is heard of the phone until the supervision timeout. A phone that disconnects is not lost.
      understudy: 1
      name: Proximity Tag
      about: A tag that alerts at the level that a phone has set when it loses the phone, and when the phone finds the path loss too high.
      identity: { address: static, appearance: tag }
      connection:
        request: { interval: [100 ms, 150 ms], latency: 4, timeout: 3 s }
      advertising:
        - id: main
          data: { flags: [general], services: [link-loss, immediate-alert, tx-power, battery], tx-power: true, appearance: true }
          scan-response: { name: complete }
          tx-power: 0
          schedule: [ { interval: 20 ms, for: 30 s }, { interval: 1022.5 ms } ]

      rules:
        - { when: { written: immediate-alert-level }, if: immediate-alert-level == "none", do: { enter: quiet } }
        - { when: { written: immediate-alert-level }, if: immediate-alert-level == "mild", do: { enter: mild-alert } }
        - { when: { written: immediate-alert-level }, if: immediate-alert-level == "high", do: { enter: high-alert } }
        - { when: lost, if: link-loss-level == "mild", do: { enter: mild-alert } }
        - { when: lost, if: link-loss-level == "high", do: { enter: high-alert } }
        # Whoever is back is not lost.
        - { when: connected, do: { enter: quiet } }
        - { when: { button: stop }, do: { enter: quiet } }

      states:
        quiet:
          - { when: entered, do: { set: { immediate-alert-level: none } } }
        mild-alert:
          - { when: entered, after: 30 s, do: { enter: quiet } }
        high-alert:
          - { when: entered, after: 2 min, do: { enter: quiet } }

      services:
        - include: link-loss
        - include: immediate-alert
        - include: tx-power
        - include: battery

      """##
    ),
    (
      "pulse-oximeter",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # A pulse oximeter for a finger (Pulse Oximeter Service 1.0.1): continuous values, and spot-checks that it keeps.
      #
      #   understudy run pulse-oximeter
      understudy: 1
      name: Pulse Oximeter
      about: Oxygen saturation and pulse every second, and a spot-check every 30 s, which is stored for the Record Access Control Point.
      group: Health
      identity: { address: static, appearance: fingertip-pulse-oximeter }

      advertising:
        - id: main
          data: { flags: [general], services: [pulse-oximeter], appearance: true }
          scan-response: { name: complete }

      tables:
        - id: checks
          format: plx-spot-check-measurement
          key: time
          rows:
            - { spo2: 97, pulse: 66, time: 2024-02-28T07:10:00, status: [fully-qualified, from-storage], amplitude: 4.2 }
            - { spo2: 95, pulse: 71, time: 2024-02-28T19:40:00, status: [fully-qualified, from-storage], amplitude: 3.8 }

      rules:
        - when: { every: 30 s }
          do: [ { indicate: spot-check }, { add: { checks: { compute: spot-check } } } ]
        # The finger is taken out, and put in again.
        - when: { button: remove }
          do: { set: { continuous: { spo2: nan, pulse: nan, status: [invalid], device-status: [sensor-unconnected] } } }
        - { when: { button: insert }, do: { reset: continuous } }

      services:
        - uuid: pulse-oximeter
          characteristics:
            - id: spot-check
              uuid: plx-spot-check-measurement
              properties: [indicate]
              indicate: on-demand
              value:
                spo2: { wave: random-walk, low: 93, high: 99, period: 4 min, round: 1 }
                pulse: { wave: random-walk, low: 58, high: 82, period: 2 min, round: 1 }
                time: { clock: local }
                status: [fully-qualified]
                amplitude: { wave: random-walk, low: 2, high: 6, period: 1 min, round: 0.1 }

            - id: continuous
              uuid: plx-continuous-measurement
              properties: [notify]
              notify: { every: 1 s }
              value:
                spo2: { wave: sine, low: 94, high: 98, period: 40 s, round: 1 }
                pulse: { wave: sine, low: 60, high: 78, period: 60 s, round: 1 }
                status: [ongoing]
                amplitude: { wave: sine, low: 2, high: 6, period: 20 s, round: 0.1 }

            - id: features
              uuid: plx-features
              properties: [read]
              value:
                storage: true
                time: true
                amplitude: true
                fast: false
                slow: false
                multiple-bonds: false
                status: [ongoing, fully-qualified, from-storage, invalid]
                device-status: [sensor-unconnected]

            # 3.4: all records at once, and nothing finer. Stored ones are indicated, as every spot-check.
            - id: control-point
              uuid: record-access-control-point
              properties: [write, indicate]
              indicate: on-demand
              control-point:
                response: [hex:0600, opcode, result]
                unknown: { result: 2 }
                malformed: { result: 5 }
                busy: { error: 0xFE }
                unsubscribed: { error: 0xFD }
                commands:
                  - opcode: 1                   # report stored records
                    parameters: &selection
                      selection:
                        records: checks
                        invalid-operator: { result: 3 }
                        unsupported-operator: { result: 4 }
                        unsupported-operand: { result: 4 }
                    require:
                      - &all { if: "written[1] == 1", else: { result: 4 } }
                      - { subscribed: spot-check, else: { error: 0xFD } }
                      - &some { found: selection, else: { result: 6 } }
                    do: { send: { selection: spot-check } }
                  - opcode: 2                   # delete stored records
                    parameters: *selection
                    require: [ *all, *some ]
                    do: { clear: selection }
                  - opcode: 3                   # abort; its operator is Null
                    while-busy: true
                    parameters: { operator: u8 }
                    require: [ { parameter: operator, in: [0], else: { result: 3 } } ]
                    do: stop
                  - opcode: 4                   # report the number of stored records
                    parameters: *selection
                    require: [ *all ]
                    response: [hex:0500, { count: selection }]

        - include: device-information
          model-number: Oximeter 1
        - include: battery

      """##
    ),
    (
      "running-speed",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # A foot pod (Running Speed and Cadence Service 1.0).
      #
      #   understudy run running-speed
      understudy: 1
      name: Foot Pod
      about: Speed, cadence, stride and distance of a runner, who walks for half a minute in every three, with the SC Control Point.
      group: Sport
      identity: { address: static, appearance: on-shoe-running-walking-sensor }

      advertising:
        - id: main
          data: { flags: [general], services: [running-speed-and-cadence], appearance: true }
          scan-response: { name: complete }

      # The distance in decimetres.
      variables: { decimetres: 0 }

      states:
        running:
          - { when: { every: 1 s }, do: { set: { decimetres: { compute: decimetres + 30 } } } }
          - { when: entered, after: 150 s, do: { enter: walking } }
        walking:
          - { when: { every: 1 s }, do: { set: { decimetres: { compute: decimetres + 14 } } } }
          - { when: entered, after: 30 s, do: { enter: running } }

      services:
        - uuid: running-speed-and-cadence
          characteristics:
            # A speed is a stride of half the cadence each: 3 m/s at 170 steps per minute, 1.4 m/s at 110.
            - id: measurement
              uuid: rsc-measurement
              properties: [notify]
              notify: { every: 1 s }
              value:
                speed: { compute: "if(state == 'running', 3.0, 1.4)" }
                cadence: { compute: "if(state == 'running', 170, 110)" }
                stride: { compute: "if(state == 'running', 2.12, 1.53)" }
                distance: { compute: decimetres / 10.0 }
                movement: { compute: "if(state == 'running', 'running', 'walking')" }

            - id: feature
              uuid: rsc-feature
              properties: [read]
              value: [stride, distance, movement, calibration, multiple-locations]

            - id: location
              uuid: sensor-location
              properties: [read]
              value: top-of-shoe

            # 3.4: version 1.0 has errors of its own, 0x80 while a command is under way and 0x81 without indications.
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
                  - opcode: 1                   # set the distance, in decimetres
                    parameters: { distance: u32 }
                    do: { set: { decimetres: { compute: distance } } }
                  - opcode: 2                   # calibrate: while running only
                    require: [ { if: "state == 'running'", else: { result: 4 } } ]
                  - opcode: 3                   # update the sensor location
                    parameters: { location: sensor-location }
                    require: [ { parameter: location, in: [top-of-shoe, in-shoe, hip] } ]
                    do: { assign: { location: location } }
                  - opcode: 4                   # list the locations that are possible
                    response: [0x10, opcode, result, hex:010203]

        - include: device-information
          model-number: Pod 1
        - include: battery

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
      group: Home
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
      "smart-watch",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # A watch that uses what an iPhone offers to accessories: notifications (ANCS), the player (AMS) and the time (CTS). It asks for them in
      # its advertising data, so that the phone's Bluetooth settings show it, and pairs when it is connected.
      #
      #   understudy run smart-watch --http 127.0.0.1:8080
      #   curl -X POST localhost:8080/v1/buttons/play-pause     (or next, and for the latest notification positive and negative)
      #
      # What it shows is in the service `screen`. `understudy run ancs` and `understudy run ams` are phones to try firmware of your own with.
      understudy: 1
      name: Watch
      about: A watch that shows the latest notification, the track and the time of the iPhone that it is connected to, and steers its player.
      identity: { address: static, appearance: smartwatch }
      security: { pairing: just-works, request: on-connection }
      advertising:
        - id: main
          # There is room for one of the services in each.
          data: { flags: [general], services: [current-time], solicitation: [7905F431-B5CE-4E99-A40F-4B1E122D00D0] }
          scan-response: { name: complete, solicitation: [89D3502B-0F36-433A-8EF4-C502AD55F8DC] }
          schedule: [ { interval: 20 ms, for: 30 s }, { interval: 152.5 ms } ]

      variables:
        # The UID of the latest notification, and what has come of the answer that tells of it: command, UID, then attribute, length and text of
        # the title and of the message.
        uid: hex:00000000
        answer: ""
        title-end: 8

      rules:
        - { when: disconnected, do: [ { set: { answer: "" } }, { set: { notification-title: "", notification-message: "", track: "" } } ] }

      client:
        # The phone refuses all of this until it has paired.
        - { after: 1 s, subscribe: 22EAC6E9-24D6-4BB5-BE44-B36ACE7C7BFB, retry: { times: 60, every: 2 s }, do: [
              { set: { answer: { compute: 'if(length(answer) >= title-end + 3 and length(answer) >= title-end + 3 + le(answer[title-end + 1..title-end + 3]), octets(written), answer ++ octets(written))' } } },
              { set: { title-end: { compute: '8 + le(answer[6..8])' } } },
              { set: { notification-title: { compute: 'text(answer[8..title-end])' }, notification-message: { compute: 'text(answer[title-end + 3..])' } } } ] }
        - { after: 1 s, subscribe: 9FBF120D-6301-42D9-8C58-25E699A21DBD, retry: { times: 60, every: 2 s }, do: log }
        # Of what comes or changes it wants the title and the message, each cut to 64 octets.
        - when: { received: 9FBF120D-6301-42D9-8C58-25E699A21DBD }
          if: 'written[0] != 2'
          write: 69D1D8F3-45E1-49A8-9821-9BBDFDAAD9D9
          value: { compute: '0 ++ written[4..8] ++ 1 ++ u16(64) ++ 3 ++ u16(64)' }
          do: { set: { uid: { compute: 'written[1..5]' } } }
        - { when: { button: positive }, write: 69D1D8F3-45E1-49A8-9821-9BBDFDAAD9D9, value: { compute: 2 ++ uid ++ 0 } }
        - { when: { button: negative }, write: 69D1D8F3-45E1-49A8-9821-9BBDFDAAD9D9, value: { compute: 2 ++ uid ++ 1 } }

        # Title of the track (entity 2, attribute 2) and playback (entity 0, attribute 1); a write before the subscription is refused.
        - after: 1 s
          subscribe: 2F7CABCE-808D-411F-9A0C-BB92BA96C102
          retry: { times: 60, every: 2 s }
          do:
            - { set: { track: { compute: 'if(starts(written, hex:0202), text(written[3..]), track)' } } }
            - { set: { is-playing: { compute: 'if(starts(written, hex:0001), written[3] == 0x31, is-playing)' } } }
        - { after: 1500 ms, write: 2F7CABCE-808D-411F-9A0C-BB92BA96C102, value: hex:0202, retry: { times: 60, every: 2 s } }
        - { after: 1500 ms, write: 2F7CABCE-808D-411F-9A0C-BB92BA96C102, value: hex:0001, retry: { times: 60, every: 2 s } }
        - { when: { button: play-pause }, write: 9B3C81D8-57B1-4A8A-B8DF-0E56F7CA51C2, value: hex:02 }
        - { when: { button: next }, write: 9B3C81D8-57B1-4A8A-B8DF-0E56F7CA51C2, value: hex:03 }

        - { after: 1 s, read: current-time, do: { copy: current-time }, retry: { times: 60, every: 2 s } }
        - { after: 1 s, subscribe: current-time, do: { copy: current-time }, retry: { times: 60, every: 2 s } }

      services:
        - id: screen
          uuid: A00000C0-7C4D-4B0E-9E4B-1F6E2A1B9C00
          characteristics:
            - { id: notification-title, uuid: A00000C1-7C4D-4B0E-9E4B-1F6E2A1B9C00, properties: [read, notify], format: utf8, value: "" }
            - { id: notification-message, uuid: A00000C2-7C4D-4B0E-9E4B-1F6E2A1B9C00, properties: [read, notify], format: utf8, value: "" }
            - { id: track, uuid: A00000C3-7C4D-4B0E-9E4B-1F6E2A1B9C00, properties: [read, notify], format: utf8, value: "" }
            - { id: is-playing, uuid: A00000C4-7C4D-4B0E-9E4B-1F6E2A1B9C00, properties: [read, notify], format: bool, value: false }
        - include: current-time
        - include: battery

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
      group: Data

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
      "thermostat",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # A thermostat in a room that warms and cools.
      #
      #   understudy run thermostat
      #
      # Write a set point, and watch the temperature follow it: 0.2 K each second while it heats or cools, and 0.05 K toward the 16 °C of
      # the house while it does not. Off, it does nothing; it keeps its set point and mode at the next start.
      understudy: 1
      name: Thermostat
      about: A thermostat with a set point and a mode; the temperature of its room follows them.
      identity: { address: static, appearance: thermostat }
      security: { pairing: just-works }
      advertising:
        - id: main
          data: { flags: [general], services: [A0000070-7C4D-4B0E-9E4B-1F6E2A1B9C00], appearance: true }
          scan-response: { name: complete }
          schedule: [ { interval: 20 ms, for: 30 s }, { interval: 417.5 ms } ]

      # Hundredths of a degree.
      variables: { room: 1900 }

      rules:
        - when: { every: 1 s }
          do:
            set:
              action: { compute: 'if(mode != "cool" and mode != "off" and room < round(set-point * 100) - 10, "heating", if(mode != "heat" and mode != "off" and room > round(set-point * 100) + 10, "cooling", "idle"))' }
        - { when: { every: 1 s }, if: action == "heating", do: { set: { room: { compute: 'min(room + 20, round(set-point * 100))' } } } }
        - { when: { every: 1 s }, if: action == "cooling", do: { set: { room: { compute: 'max(room - 20, round(set-point * 100))' } } } }
        - { when: { every: 1 s }, if: action == "idle", do: { set: { room: { compute: 'if(room > 1600, max(room - 5, 1600), min(room + 5, 1600))' } } } }
        - { when: { every: 1 s }, do: { set: { temperature: { compute: room / 100.0 } } } }

      services:
        - id: thermostat
          uuid: A0000070-7C4D-4B0E-9E4B-1F6E2A1B9C00
          characteristics:
            - id: temperature
              uuid: temperature
              properties: [read, notify]
              value: 19.0
              notify: { change: 0.1 }
              description: Temperature of the room
            # Half degrees from 5 to 30 °C.
            - id: set-point
              uuid: A0000071-7C4D-4B0E-9E4B-1F6E2A1B9C00
              properties: [read, write, notify]
              permissions: { write: encrypted }
              format: { number: i16, decimals: 2, unit: °C }
              value: 21
              persistent: true
              valid-range: { low: 5, high: 30 }
              description: Set point
              on-write:
                - { if: written < 5 or written > 30, error: out-of-range }
                - { if: round(written * 100) % 50 != 0, error: value-not-allowed }
            - id: mode
              uuid: A0000072-7C4D-4B0E-9E4B-1F6E2A1B9C00
              properties: [read, write, notify]
              permissions: { write: encrypted }
              format: { names: { "off": 0, heat: 1, cool: 2, auto: 3 } }
              value: heat
              persistent: true
              description: Off (0), heat (1), cool (2), auto (3)
              on-write: [ { if: 'octets(written)[0] > 3', error: value-not-allowed } ]
            - id: action
              uuid: A0000073-7C4D-4B0E-9E4B-1F6E2A1B9C00
              properties: [read, notify]
              format: { names: { idle: 0, heating: 1, cooling: 2 } }
              value: idle
              description: What it does, idle (0), heating (1) or cooling (2)
        - include: device-information
          model-number: Thermostat 1

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
      group: Data

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
    (
      "toy-drone",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # A toy drone, as such toys are: packets with a check octet over two characteristics, in whatever pieces.
      #
      #   understudy run toy-drone
      #
      # A packet is A5, the number of octets behind it up to the check octet, a command, its parameters, and the exclusive or of all octets
      # before. Commands: 01 takes off, 02 lands, 03 steers (signed roll, pitch, yaw, climb, each from -100 to 100), 04 stops the motors, 05 asks
      # for the state. The answer is A5, its length, the command with the highest bit, a result (0 done, 1 unknown, 2 bad check, 3 not now, 4 bad
      # parameter), and the check octet. Without a packet for 2 s it hovers, and below 15 % it lands. Five times a second it tells 86, 0, the state
      # (0 landed, 1 starting, 2 flying, 3 landing), its height in centimetres (two octets, the lowest first), percent, and how it is steered.
      understudy: 1
      name: Toy Drone
      about: A toy drone that takes off, is steered and lands by packets with a check octet, and tells its height and battery.
      identity: { address: static }
      advertising:
        - id: main
          data: { flags: [general], services: [FFE0], manufacturer-data: { company: internal-use, data: hex:44524E } }
          scan-response: { name: complete }
          schedule: [ { interval: 20 ms, for: 30 s }, { interval: 152.5 ms } ]

      variables:
        # Millimetres above the ground, millimetres per second upwards, percent × 100, how it is steered, and the result of the last command.
        height: 0
        climb: 0
        charge: 9000
        steering: hex:00000000
        result: 0
        # Seconds since the start at the last packet.
        heard: 0

      rules:
        - { when: { every: 100 ms }, if: state != "landed", do: { set: { height: { compute: 'max(0, min(30000, height + climb / 10))' }, charge: { compute: 'max(0, charge - 2)' } } } }
        - { when: { every: 100 ms }, if: state == "flying" and time - heard > 2, do: { set: { climb: 0, steering: hex:00000000 } } }
        - { when: { becomes: state == "flying" and charge < 1500 }, do: { enter: landing } }
        - { when: { every: 1 s }, if: state == "landed", do: { set: { charge: { compute: 'min(10000, charge + 5)' } } } }
        - { when: disconnected, if: state == "flying" or state == "starting", do: { enter: landing } }
        # Telemetry five times a second: the state, height in centimetres, percent, and how it is steered.
        - when: { every: 200 ms }
          if: subscribed(drone-out)
          do: { set: { telemetry: { compute: 'hex:A50A8600 ++ if(state == "landed", 0, if(state == "starting", 1, if(state == "flying", 2, 3))) ++ u16(height / 10) ++ charge / 100 ++ steering' } } }
        - { when: { every: 200 ms }, if: subscribed(drone-out), do: { reply: { drone-out: { compute: telemetry ++ xor(telemetry) } } } }

      states:
        landed:
          - { when: entered, do: { set: { height: 0, climb: 0, steering: hex:00000000 } } }
        # To a metre, and it hovers.
        starting:
          - { when: entered, do: { set: { climb: 500 } } }
          - { when: { becomes: height >= 1000 }, do: [ { set: { climb: 0 } }, { enter: flying } ] }
        flying: []
        landing:
          - { when: entered, do: { set: { climb: -400, steering: hex:00000000 } } }
          - { when: { becomes: height == 0 }, do: { enter: landed } }

      services:
        - id: drone
          uuid: FFE0
          characteristics:
            - id: drone-in
              uuid: FFE1
              properties: [write, write-without-response]
              packets: { start: hex:A5, length: u8, at: 1, plus: 3, longest: 32, within: 500 ms }
              on-write:
                - { if: 'xor(written[..-1]) != written[-1]', do: { set: { result: 2 } } }
                - { if: 'written[2] == 1 and written[1] == 1', do: { set: { result: { compute: 'if(state == "landed" and charge >= 2000, 0, 3)' } } } }
                - { if: 'written[2] == 2 and written[1] == 1', do: { set: { result: { compute: 'if(state == "landed", 3, 0)' } } } }
                - { if: 'written[2] == 3 and written[1] != 5', do: { set: { result: 4 } } }
                - { if: 'written[2] == 3 and (abs(signed(written[3], 8)) > 100 or abs(signed(written[4], 8)) > 100 or abs(signed(written[5], 8)) > 100 or abs(signed(written[6], 8)) > 100)', do: { set: { result: 4 } } }
                - { if: 'written[2] == 3', do: { set: { result: { compute: 'if(state == "flying", 0, 3)' } } } }
                - { if: 'written[2] == 4 and written[1] == 1', do: { set: { result: 0 } } }
                - { if: 'written[2] == 5 and written[1] == 1', do: { set: { result: 0 } } }
                - { otherwise: { set: { result: 1 } } }
              rules:
                - { when: written, do: { set: { heard: { compute: time } } } }
                - { when: written, if: 'result == 0 and written[2] == 1', do: { enter: starting } }
                - { when: written, if: 'result == 0 and written[2] == 2', do: { enter: landing } }
                # A hundredth of the stick is 10 mm/s.
                - { when: written, if: 'result == 0 and written[2] == 3', do: { set: { steering: { compute: 'written[3..7]' }, climb: { compute: 'signed(written[6], 8) * 10' } } } }
                - { when: written, if: 'result == 0 and written[2] == 4', do: { enter: landed } }
                - { when: written, do: { reply: { drone-out: { compute: 'hex:A502 ++ (written[2] | 0x80) ++ result ++ (0xA5 ^ 2 ^ (written[2] | 0x80) ^ result)' } } } }
            - id: drone-out
              uuid: FFE2
              properties: [notify]
              notify: on-demand
        # Not of a drone: the last telemetry without its check octet.
        - id: recorder
          uuid: A00000D0-7C4D-4B0E-9E4B-1F6E2A1B9C00
          characteristics:
            - { id: telemetry, uuid: A00000D1-7C4D-4B0E-9E4B-1F6E2A1B9C00, properties: [read], value: hex:00 }
        - include: battery
          level: { value: { compute: charge / 100 } }

      """##
    ),
    (
      "user-data",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # A fitness watch that knows two people (User Data Service 1.0), each by a code of consent.
      #
      #   understudy run user-data
      #
      # Anna is user 0, with the code 1234. Everything is encrypted: a phone pairs by itself, without a question.
      understudy: 1
      name: User Data
      about: The data of two users, which an app sees when it has given the code of consent by the User Control Point.
      group: Health
      identity: { address: static, appearance: sports-watch }
      security: { pairing: just-works }

      advertising:
        - id: main
          data: { flags: [general], services: [user-data], appearance: true }
          scan-response: { name: complete }

      variables:
        # Whose data the client sees: 255 for nobody's. And how often it has tried in vain.
        user: { value: 255, per: connection }
        tries: { value: 0, per: connection }
        # The codes of consent; -1 where nobody is registered.
        code-0: 1234
        code-1: -1
        # What is known of each: changes, names, years, birthdays as octets, male (0) or female (1), kilograms, metres.
        changes-0: 1
        changes-1: 0
        first-0: Anna
        first-1: ""
        last-0: Berg
        last-1: ""
        mail-0: anna@example.org
        mail-1: ""
        age-0: 34
        age-1: 0
        birth-0: hex:C6070B18
        birth-1: hex:00000000
        gender-0: 1
        gender-1: 2
        weight-0: 61.5
        weight-1: 0
        height-0: 1.68
        height-1: 0
        pulse-0: 184
        pulse-1: 0

      services:
        - uuid: user-data
          characteristics:
            # 3.1: every field is refused with 0x80 before a consent.
            - &field
              id: first-name
              uuid: first-name
              properties: [read, write]
              permissions: { read: encrypted, write: encrypted }
              value: { compute: "if(user == 0, first-0, first-1)" }
              on-read: &permitted { if: user == 255, error: 0x80 }
              on-write:
                - &refused { if: user == 255, error: 0x80 }
                - { if: user == 0, do: { set: { first-0: { compute: written } } } }
                - { otherwise: { set: { first-1: { compute: written } } } }
            - <<: *field
              id: last-name
              uuid: last-name
              value: { compute: "if(user == 0, last-0, last-1)" }
              on-write:
                - *refused
                - { if: user == 0, do: { set: { last-0: { compute: written } } } }
                - { otherwise: { set: { last-1: { compute: written } } } }
            - <<: *field
              id: email-address
              uuid: email-address
              value: { compute: "if(user == 0, mail-0, mail-1)" }
              on-write:
                - *refused
                - { if: user == 0, do: { set: { mail-0: { compute: written } } } }
                - { otherwise: { set: { mail-1: { compute: written } } } }
            - <<: *field
              id: age
              uuid: age
              value: { compute: "if(user == 0, age-0, age-1)" }
              on-write:
                - *refused
                - { if: user == 0, do: { set: { age-0: { compute: written } } } }
                - { otherwise: { set: { age-1: { compute: written } } } }
            - <<: *field
              id: date-of-birth
              uuid: date-of-birth
              value: { compute: "if(user == 0, birth-0, birth-1)" }
              on-write:
                - *refused
                - { if: user == 0, do: { set: { birth-0: { compute: octets(written) } } } }
                - { otherwise: { set: { birth-1: { compute: octets(written) } } } }
            - <<: *field
              id: gender
              uuid: gender
              value: { compute: "if(user == 0, gender-0, gender-1)" }
              on-write:
                - *refused
                - { if: "octets(written)[0] > 2", error: 0xFF }
                - { if: user == 0, do: { set: { gender-0: { compute: "octets(written)[0]" } } } }
                - { otherwise: { set: { gender-1: { compute: "octets(written)[0]" } } } }
            - <<: *field
              id: weight
              uuid: weight
              value: { compute: "if(user == 0, weight-0, weight-1)" }
              on-write:
                - *refused
                - { if: user == 0, do: { set: { weight-0: { compute: written } } } }
                - { otherwise: { set: { weight-1: { compute: written } } } }
            - <<: *field
              id: height
              uuid: height
              value: { compute: "if(user == 0, height-0, height-1)" }
              on-write:
                - *refused
                - { if: user == 0, do: { set: { height-0: { compute: written } } } }
                - { otherwise: { set: { height-1: { compute: written } } } }
            - <<: *field
              id: heart-rate-max
              uuid: heart-rate-max
              value: { compute: "if(user == 0, pulse-0, pulse-1)" }
              on-write:
                - *refused
                - { if: user == 0, do: { set: { pulse-0: { compute: written } } } }
                - { otherwise: { set: { pulse-1: { compute: written } } } }

            # 3.2.1: who changes data counts on; the watch does so when somebody changes them there (button `edit`).
            - <<: *field
              id: changes
              uuid: database-change-increment
              properties: [read, write, notify]
              notify: on-demand
              permissions: { read: encrypted, write: encrypted, subscribe: encrypted }
              value: { compute: "if(user == 0, changes-0, changes-1)" }
              on-write:
                - *refused
                - { if: user == 0, do: { set: { changes-0: { compute: written } } } }
                - { otherwise: { set: { changes-1: { compute: written } } } }
              rules:
                - when: { button: edit }
                  do:
                    - { set: { weight-0: { compute: weight-0 + 0.5 }, changes-0: { compute: changes-0 + 1 } } }
                    - { reply: { changes: { compute: changes-0 } } }

            - id: user-index
              uuid: user-index
              properties: [read]
              permissions: { read: encrypted }
              value: { compute: user }

            # 3.2.3. Results: unsupported opcode 2, invalid parameter 3, operation failed 4, user not authorized 5.
            - id: control-point
              uuid: user-control-point
              properties: [write, indicate]
              permissions: { write: encrypted, subscribe: encrypted }
              indicate: on-demand
              control-point:
                response: [0x20, opcode, result]
                unknown: { result: 2 }
                malformed: { result: 3 }
                busy: { error: 0xFE }
                unsubscribed: { error: 0xFD }
                commands:
                  - opcode: 1                   # register a new user with a code of consent
                    parameters: { code: u16 }
                    require:
                      - { parameter: code, from: 0, to: 9999 }
                      - { if: code-0 < 0 or code-1 < 0, else: { result: 4 } }
                    response: [0x20, opcode, result, { compute: "if(code-0 < 0, u8(0), u8(1))" }]
                    do:
                      - { set: { tries: { compute: "if(code-0 < 0, 0, 1)" } } }
                      - { set: { code-0: { compute: "if(tries == 0, code, code-0)" }, code-1: { compute: "if(tries == 1, code, code-1)" } } }
                      - { set: { tries: 0 } }
                  - opcode: 2                   # consent; three wrong codes are enough for a connection
                    parameters: { index: u8, code: u16 }
                    require:
                      - { parameter: code, from: 0, to: 9999 }
                      - { if: tries < 3, else: { result: 4 } }
                      - { if: "code == if(index == 0, code-0, if(index == 1, code-1, -1))", else: { result: 5 } }
                    do: { set: { user: { compute: index }, tries: 0 } }
                  - opcode: 3                   # delete the data of the user, and the user
                    require: [ { if: user != 255, else: { result: 5 } } ]
                    do:
                      - set:
                          code-0: { compute: "if(user == 0, -1, code-0)" }
                          first-0: { compute: "if(user == 0, '', first-0)" }
                          last-0: { compute: "if(user == 0, '', last-0)" }
                          mail-0: { compute: "if(user == 0, '', mail-0)" }
                          age-0: { compute: "if(user == 0, 0, age-0)" }
                          birth-0: { compute: "if(user == 0, hex:00000000, birth-0)" }
                          gender-0: { compute: "if(user == 0, 2, gender-0)" }
                          weight-0: { compute: "if(user == 0, 0, weight-0)" }
                          height-0: { compute: "if(user == 0, 0, height-0)" }
                          pulse-0: { compute: "if(user == 0, 0, pulse-0)" }
                          changes-0: { compute: "if(user == 0, 0, changes-0)" }
                      - set:
                          code-1: { compute: "if(user == 1, -1, code-1)" }
                          first-1: { compute: "if(user == 1, '', first-1)" }
                          last-1: { compute: "if(user == 1, '', last-1)" }
                          mail-1: { compute: "if(user == 1, '', mail-1)" }
                          age-1: { compute: "if(user == 1, 0, age-1)" }
                          birth-1: { compute: "if(user == 1, hex:00000000, birth-1)" }
                          gender-1: { compute: "if(user == 1, 2, gender-1)" }
                          weight-1: { compute: "if(user == 1, 0, weight-1)" }
                          height-1: { compute: "if(user == 1, 0, height-1)" }
                          pulse-1: { compute: "if(user == 1, 0, pulse-1)" }
                          changes-1: { compute: "if(user == 1, 0, changes-1)" }
                      - { set: { user: 255 } }
              rules:
                # A wrong code counts, as far as it can be one. A right one has begun the count again before.
                - when: written
                  if: "user == 255 and octets(written)[0] == 2 and length(octets(written)) == 4 and le(octets(written)[2..]) <= 9999"
                  do: { set: { tries: { compute: tries + 1 } } }

        - include: device-information
          model-number: Watch 1

      """##
    ),
    (
      "weight-scale",
      ##"""
      # yaml-language-server: $schema=../Sources/AccessoryProfile/Resources/profile.schema.json
      #
      # A bathroom scale with body composition (Weight Scale Service 1.0, Body Composition Service 1.0), on which two people take turns.
      #
      #   understudy run weight-scale
      #
      # Somebody steps on it every fifteen seconds, or by POST /v1/buttons/step; with /v1/buttons/jump the weighing fails.
      understudy: 1
      name: Weight Scale
      about: A weight with body mass index and body composition every fifteen seconds, of two users in turn.
      group: Health
      identity: { address: static, appearance: weight-scale }

      advertising:
        - id: main
          data: { flags: [general], services: [weight-scale], appearance: true }
          scan-response: { name: complete }

      # The second user is the lighter one. Kilograms, metres, and the share of fat in percent.
      variables: { user: 2, weight: 61.2, height: 1.65, fat: 23.5 }

      rules:
        - { when: { every: 15 s }, do: { enter: weighing } }
        - { when: { button: step }, do: { enter: weighing } }
        # 3.2.1.2, and the same of body composition: 0xFFFF says that nothing could be measured.
        - when: { button: jump }
          do:
            - { set: { measurement: { weight: unsuccessful }, composition: { body-fat: unsuccessful } } }
            - { indicate: measurement }
            - { indicate: composition }
            - { reset: measurement }
            - { reset: composition }

      states:
        empty: []
        weighing:
          - when: entered
            do:
              - { set: { user: { compute: 3 - user } } }
              - set:
                  weight: { compute: "if(user == 1, 78.4, 61.2) + random(-8, 8) / 20.0" }
                  height: { compute: "if(user == 1, 1.82, 1.65)" }
                  fat: { compute: "if(user == 1, 18.4, 23.5)" }
              - { indicate: measurement }
              - { indicate: composition }
              - { enter: empty }

      services:
        # Discovery finds body composition by way of the scale's service, which includes it (3.4).
        - uuid: weight-scale
          includes: [body-composition]
          characteristics:
            - id: feature
              uuid: weight-scale-feature
              properties: [read]
              value: { time: true, multiple-users: true, bmi: true, weight-resolution: 0.05-kg, height-resolution: 0.01-m }

            - id: measurement
              uuid: weight-measurement
              properties: [indicate]
              indicate: on-demand
              value:
                unit: si
                weight: { compute: weight }
                time: { clock: local }
                user: { compute: user }
                bmi: { compute: round(weight / (height * height) * 10) / 10.0 }
                height: { compute: height }

        - include: body-composition
          set:
            measurement.id: composition
            measurement.value:
              unit: si
              body-fat: { compute: fat }
              time: { clock: local }
              user: { compute: user }
              basal-metabolism: { compute: 1550 + weight * 75 }
              muscle-percentage: { compute: 54 - fat / 2 }
              muscle-mass: { compute: weight * (54 - fat / 2) / 100 }
              fat-free-mass: { compute: weight * (100 - fat) / 100 }
              soft-lean-mass: { compute: weight * (100 - fat) / 100 * 0.95 }
              body-water-mass: { compute: weight * (100 - fat) / 100 * 0.73 }
              impedance: 512.5

        - include: device-information
          model-number: Scale 1
        - include: battery

      """##
    ),
  ]
}
