extension GoldenValue {
  /// Octets published by others, with their values.
  static let published =
    rows(
      .androidCommonLibrary,
      [
        ("date-time", "e2 07 04 11 0f 33 00", #""2018-04-17T15:51:00""#),
        ("dst-offset", "02", #""half-hour""#),
        ("time-zone", "01", #""+00:15""#),
        ("time-zone", "80", #""unknown""#),
        ("battery-level", "0f", #"15"#),
        (
          "blood-pressure-measurement", "15 bd f0 0b 00 9f f0 3c 00 12 00",
          #"{"unit": "kPa", "systolic": 18.9, "diastolic": 11, "mean": 15.9, "pulse": 60, "status": {"body-movement": false, "cuff-loose": true, "irregular-pulse": false, "pulse-range": "below", "improper-position": false}}"#
        ),
        (
          "blood-pressure-measurement", "00 bd f0 0b 00 9f f0",
          #"{"unit": "mmHg", "systolic": 18.9, "diastolic": 11, "mean": 15.9}"#
        ),
        (
          "cgm-feature", "6e 9e 01 16 8a c1",
          #"{"features": ["patient-alerts", "hypo-alerts", "hyper-alerts", "device-alert", "malfunction", "low-battery", "sensor-type", "device-fault", "e2e-crc", "trend", "quality"], "sample": {"type": "arterial-plasma", "location": "finger"}, "crc": 49546}"#
        ),
        ("cgm-session-run-time", "02 00 08 c3", #"{"hours": 2, "crc": 49928}"#),
        (
          "cgm-session-start-time", "e2 07 04 18 0d 08 18 08 04 e0 c2",
          #"{"time": "2018-04-24T13:08:24", "time-zone": "+02:00", "dst": "daylight", "crc": 49888}"#
        ),
        (
          "cgm-status", "06 00 01 01 01",
          #"{"offset": 6, "status": ["session-stopped"], "calibration": ["time-synchronization"], "warning": ["below-patient-low"]}"#
        ),
        (
          "cgm-measurement", "0f e3 d2 e4 05 00 02 14 ff 02 f0 e5 f3 8e 3f",
          #"[{"concentration": 12.34, "offset": 5, "status": ["battery-low"], "calibration": ["calibration-recommended", "temperature-too-high"], "warning": ["below-patient-low", "above-patient-high", "below-hypo", "above-hyper", "decreases-too-fast", "increases-too-fast", "result-too-low", "result-too-high"], "trend": 0.2, "quality": 99.7, "crc": 16270}]"#
        ),
        (
          "csc-measurement", "03 39 30 00 00 e8 03 59 01 d0 07",
          #"{"wheel": 12345, "wheel-time": 1000, "crank": 345, "crank-time": 2000}"#
        ),
        ("csc-feature", "03 00", #"["wheel", "crank"]"#),
        (
          "glucose-feature", "f0 03",
          #"["strip-type", "result-high-low", "temperature-high-low", "read-interrupt", "device-fault", "time-fault"]"#
        ),
        ("heart-rate-measurement", "00 55", #"{"contact": "unsupported", "bpm": 85}"#),
        (
          "heart-rate-measurement", "1e 55 32 00 21 00",
          #"{"contact": "detected", "bpm": 85, "energy": 50, "rr": [33]}"#
        ),
        (
          "heart-rate-measurement", "1f 01 01 32 01 01 00 02 01 ff ff",
          #"{"contact": "detected", "bpm": 257, "energy": 306, "rr": [1, 258, 65535]}"#
        ),
        ("temperature-type", "03", #""ear""#),
        ("rsc-feature", "0d 00", #"["stride", "movement", "calibration"]"#),
        (
          "rsc-measurement", "07 00 03 12 56 00 01 00 00 f0",
          #"{"movement": "running", "speed": 3, "cadence": 18, "stride": 0.86, "distance": 402653184.1}"#
        ),
        ("measurement-interval", "3c 00", #"60"#),
        ("battery-level", "64", #"100"#),
        ("body-sensor-location", "05", #""ear-lobe""#),
        ("sensor-location", "0c", #""rear-wheel""#),
        ("dst-offset", "08", #""double""#),
        ("alert-level", "02", #""high""#),
      ])
    + rows(
      .bleValueParser,
      [
        (
          "current-time", "e7 07 01 02 14 16 07 01 ff 01",
          #"{"time": "2023-01-02T20:22:07", "day-of-week": "monday", "fractions": 255, "adjust": ["manual"]}"#
        ),
        (
          "current-time", "e7 07 01 04 14 16 07 03 01 04",
          #"{"time": "2023-01-04T20:22:07", "day-of-week": "wednesday", "fractions": 1, "adjust": ["time-zone"]}"#
        ),
        ("local-time-information", "d0 02", #"{"time-zone": "-12:00", "dst": "half-hour"}"#),
        (
          "reference-time-information", "02 2a 00 17",
          #"{"source": "gps", "accuracy": 42, "days-since-update": 0, "hours-since-update": 23}"#
        ),
        ("pnp-id", "01 12 00 23 01 bc aa", #"{"source": "sig", "vendor": 18, "product": 291, "version": 43708}"#),
        ("battery-health-status", "0d 64 81 00 2a", #"{"health": 100, "temperature": -127, "deep-discharges": 10752}"#),
        ("battery-health-status", "05 00 80", #"{"health": 0, "temperature": "below"}"#),
        (
          "battery-health-information", "03 00 2a 81 7e",
          #"{"cycles": 10752, "lowest-temperature": -127, "highest-temperature": 126}"#
        ),
        (
          "battery-time-status", "03 ff ff ff 00 2a 2a 00 00 00",
          #"{"until-discharged": "unknown", "until-discharged-on-standby": 2763264, "until-recharged": 0}"#
        ),
        (
          "battery-time-status", "03 00 00 00 fe ff ff fd ff ff",
          #"{"until-discharged": 0, "until-discharged-on-standby": "longer", "until-recharged": 16777213}"#
        ),
        ("battery-critical-status", "03", #"["critical-power", "immediate-service"]"#),
        ("estimated-service-date", "d8 4b 00", #"19416"#),
        (
          "body-composition-measurement", "00 00 ff ff",
          #"{"unit": "si", "continues": false, "body-fat": "unsuccessful"}"#
        ),
        (
          "body-composition-measurement", "54 15 12 34 2a 34 56 56 78 78 9a 9a bc",
          #"{"unit": "si", "continues": true, "body-fat": 1333, "user": 42, "muscle-percentage": 2206.8, "fat-free-mass": 154.03, "body-water-mass": 197.72, "weight": 241.41}"#
        ),
        (
          "alert-category-id-bit-mask", "ff 03",
          #"{"categories": ["simple", "email", "news", "call", "missed-call", "message", "voice-mail", "schedule"], "further-categories": ["high-priority", "instant-message"]}"#
        ),
        (
          "new-alert", "07 ff 53 6f 6d 65 20 74 65 78 74",
          #"{"category": "schedule", "count": 255, "text": "Some text"}"#
        ),
        ("new-alert", "09 00", #"{"category": "instant-message", "count": 0, "text": ""}"#),
        ("unread-alert-status", "00 ff", #"{"category": "simple", "count": "more"}"#),
        ("alert-notification-control-point", "05 04", #"{"command": "notify-unread", "category": "missed-call"}"#),
        ("alert-notification-control-point", "02 07", #"{"command": "disable-new", "category": "schedule"}"#),
        ("user-index", "2a", #"42"#),
      ])
}
