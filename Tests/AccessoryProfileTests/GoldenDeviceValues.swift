extension GoldenValue {
  /// Generic Access and Attribute, time, Device Information, Object Transfer, Human Interface Device.
  static let device =
    rows(
      .sigFiles,
      [
        ("date-time", "e8 07 02 1d 17 3b 3a", #""2024-02-29T23:59:58""#),
        ("day-of-week", "04", #""thursday""#),
        ("day-date-time", "e8 07 02 1d 17 3b 3a 04", #"{"time": "2024-02-29T23:59:58", "day-of-week": "thursday"}"#),
        ("date-time", "00 00 00 00 00 00 00", #""unknown""#),
        (
          "exact-time-256", "e8 07 02 1d 17 3b 3a 04 80",
          #"{"time": "2024-02-29T23:59:58", "day-of-week": "thursday", "fractions": 128}"#
        ),
        ("device-name", "4b c3 b6", #""Kö""#),
        ("tx-power-level", "f8", #"-8"#),
        (
          "peripheral-preferred-connection-parameters", "06 00 0c 00 00 00 58 02",
          #"{"shortest": 6, "longest": 12, "latency": 0, "timeout": 600}"#
        ),
        ("service-changed", "01 00 ff ff", #"{"first": 1, "last": 65535}"#),
        (
          "current-time", "e8 07 02 1d 17 3b 3a 04 80 05",
          #"{"time": "2024-02-29T23:59:58", "day-of-week": "thursday", "fractions": 128, "adjust": ["manual", "time-zone"]}"#
        ),
        (
          "current-time", "00 00 00 00 00 00 00 00 00 00",
          #"{"time": "unknown", "day-of-week": "unknown", "fractions": 0, "adjust": []}"#
        ),
        ("time-zone", "17", #""+05:45""#),
        ("local-time-information", "04 04", #"{"time-zone": "+01:00", "dst": "daylight"}"#),
        ("time-source", "06", #""cellular""#),
        ("time-accuracy", "fe", #"254"#),
        (
          "reference-time-information", "01 08 00 01",
          #"{"source": "network", "accuracy": 8, "days-since-update": 0, "hours-since-update": 1}"#
        ),
        ("time-with-dst", "e8 07 03 1f 02 00 00 04", #"{"time": "2024-03-31T02:00:00", "dst": "daylight"}"#),
        ("time-update-control-point", "01", #""get""#),
        ("time-update-state", "01 04", #"{"state": "pending", "result": "timed-out"}"#),
        ("manufacturer-name-string", "41 63 6d 65", #""Acme""#),
        ("model-number-string", "41 63 6d 65", #""Acme""#),
        ("serial-number-string", "41 63 6d 65", #""Acme""#),
        ("hardware-revision-string", "41 63 6d 65", #""Acme""#),
        ("firmware-revision-string", "41 63 6d 65", #""Acme""#),
        ("software-revision-string", "41 63 6d 65", #""Acme""#),
        ("system-id", "9a 78 56 fe ff 34 12 00", #"{"manufacturer": 1099483740314, "organization": 4660}"#),
        ("pnp-id", "02 6d 04 77 00 12 01", #"{"source": "usb", "vendor": 1133, "product": 119, "version": 274}"#),
        ("object-name", "61 2e 62", #""a.b""#),
        ("object-type", "ca 2a", #""2ACA""#),
        ("object-size", "10 00 00 00 00 01 00 00", #"{"current": 16, "allocated": 256}"#),
        ("object-first-created", "e8 07 02 1d 17 3b 3a", #""2024-02-29T23:59:58""#),
        ("object-last-modified", "e8 07 02 1d 17 3b 3a", #""2024-02-29T23:59:58""#),
        ("object-id", "00 01 00 00 00 80", #"140737488355584"#),
        (
          "hid-information", "11 01 00 03",
          #"{"version": 273, "country": 0, "flags": ["remote-wake", "normally-connectable"]}"#
        ),
        ("protocol-mode", "01", #""report""#),
        ("hid-control-point", "00", #""suspend""#),
        ("scan-interval-window", "60 00 30 00", #"{"interval": 96, "window": 48}"#),
        ("scan-refresh", "00", #""refresh-required""#),
      ])
    + rows(
      .zephyr,
      [
        ("client-supported-features", "07", #"["robust-caching", "enhanced-att", "multiple-notifications"]"#),
        ("server-supported-features", "01", #"["enhanced-att"]"#),
        (
          "ots-feature", "13 00 00 00 07 00 00 00",
          #"{"actions": ["create", "delete", "read"], "lists": ["go-to", "order", "number"]}"#
        ),
        ("object-properties", "0c 00 00 00", #"["read", "write"]"#),
        ("udi-for-medical-devices", "05 28 30 31 29 00 32 2e 31 36 00", #"{"label": "(01)", "issuer": "2.16"}"#),
      ])
    + rows(
      .threeStacks,
      [
        (
          "object-changed", "1e ff ff ff ff ff ff",
          #"{"source": "server", "contents": true, "metadata": true, "created": true, "deleted": true, "id": 281474976710655}"#
        ),
        (
          "object-changed", "09 00 01 00 00 00 00",
          #"{"source": "client", "contents": false, "metadata": false, "created": true, "deleted": false, "id": 256}"#
        ),
      ])
    + rows(
      .bootProtocol,
      [
        (
          "boot-keyboard-input-report", "22 00 04 05 00 00 00 00",
          #"{"modifiers": ["left-shift", "right-shift"], "reserved": 0, "keys": [4, 5, 0, 0, 0, 0]}"#
        ),
        ("boot-keyboard-output-report", "02", #"["caps-lock"]"#),
        ("boot-mouse-input-report", "05 05 fb", #"{"buttons": ["left", "middle"], "x": 5, "y": -5}"#),
      ])
    + rows(
      .notFound,
      [
        ("string", "61", #""a""#)
      ])

  /// Alert Notification, Phone Alert Status.
  static let phone =
    rows(
      .sigFiles,
      [
        ("alert-category-id", "07", #""schedule""#),
        ("alert-category-id-bit-mask", "03", #"{"categories": ["simple", "email"]}"#),
        (
          "supported-new-alert-category", "0a 02",
          #"{"categories": ["email", "call"], "further-categories": ["instant-message"]}"#
        ),
        ("supported-unread-alert-category", "00 00", #"{"categories": [], "further-categories": []}"#),
        ("new-alert", "01 03 4a 6f 68 6e", #"{"category": "email", "count": 3, "text": "John"}"#),
        ("unread-alert-status", "03 ff", #"{"category": "call", "count": "more"}"#),
        ("alert-notification-control-point", "04 ff", #"{"command": "notify-new", "category": "all"}"#),
        ("alert-status", "05", #"["ringer", "display"]"#),
        ("ringer-setting", "01", #""normal""#),
        ("ringer-control-point", "02", #""mute-once""#),
      ])

  /// Battery Service 1.1.
  static let battery =
    rows(
      .supplement,
      [
        (
          "battery-level-status", "07 01 00 12 34 64 05",
          #"{"power": {"present": true, "wired": "no", "wireless": "no", "charge": "unknown", "level": "unknown", "type": "unknown", "battery-fault": false, "external-fault": false, "other-fault": false}, "identifier": 13330, "level": 100, "additional": {"service-required": "yes", "fault": true}}"#
        ),
        (
          "battery-level-status", "00 a3 02",
          #"{"power": {"present": true, "wired": "yes", "wireless": "no", "charge": "charging", "level": "good", "type": "constant-current", "battery-fault": false, "external-fault": false, "other-fault": false}}"#
        ),
        (
          "battery-health-status", "0f 5a 2c 01 19 02 00",
          #"{"health": 90, "cycles": 300, "temperature": 25, "deep-discharges": 2}"#
        ),
        ("battery-health-status", "04 7f", #"{"temperature": "above"}"#),
        (
          "battery-health-information", "03 e8 03 ec 3c",
          #"{"cycles": 1000, "lowest-temperature": -20, "highest-temperature": 60}"#
        ),
        (
          "battery-information", "60 00 02 05 25 f0",
          #"{"features": ["rechargeable"], "chemistry": "lithium-ion", "voltage": 3.7}"#
        ),
        (
          "battery-information", "83 00 01 10 4d 00 11 4d 00 07",
          #"{"features": ["replaceable"], "manufactured": 19728, "expires": 19729, "group": 7}"#
        ),
        ("battery-energy-status", "06 25 f0 0c e0", #"{"voltage": 3.7, "energy": 0.12}"#),
        (
          "battery-time-status", "03 3c 00 00 fe ff ff ff ff ff",
          #"{"until-discharged": 60, "until-discharged-on-standby": "longer", "until-recharged": "unknown"}"#
        ),
        ("estimated-service-date", "10 4d 00", #"19728"#),
      ])
}
