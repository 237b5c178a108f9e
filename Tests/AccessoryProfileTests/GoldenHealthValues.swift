extension GoldenValue {
  /// Heart Rate, Glucose, Thermometer, Blood Pressure, Weight Scale, Body Composition, Pulse Oximeter.
  static let health =
    rows(
      .sigFiles,
      [
        ("heart-rate-measurement", "00 48", #"{"contact": "unsupported", "bpm": 72}"#),
        (
          "heart-rate-measurement", "1f 2c 01 ff ff 58 02",
          #"{"contact": "detected", "bpm": 300, "energy": 65535, "rr": [600]}"#
        ),
        ("heart-rate-measurement", "14 3c 00 04 ff 03", #"{"contact": "not-detected", "bpm": 60, "rr": [1024, 1023]}"#),
        (
          "glucose-measurement", "0b 01 00 e8 07 02 1b 07 05 00 00 00 5f b0 11 00 00",
          #"{"unit": "kg-per-litre", "context-follows": false, "sequence": 1, "time": "2024-02-27T07:05:00", "offset": 0, "concentration": 0.00095, "sample": {"type": "capillary-whole-blood", "location": "finger"}, "status": []}"#
        ),
        (
          "glucose-measurement", "12 02 00 e8 07 02 1b 07 05 00 8c b0 11",
          #"{"unit": "kg-per-litre", "context-follows": true, "sequence": 2, "time": "2024-02-27T07:05:00", "concentration": 0.0014, "sample": {"type": "capillary-whole-blood", "location": "finger"}}"#
        ),
        (
          "glucose-measurement", "06 02 00 e8 07 02 1b 07 05 00 35 c0 11",
          #"{"unit": "mol-per-litre", "context-follows": false, "sequence": 2, "time": "2024-02-27T07:05:00", "concentration": 0.0053, "sample": {"type": "capillary-whole-blood", "location": "finger"}}"#
        ),
        (
          "glucose-measurement-context", "03 01 00 01 32 d0 02",
          #"{"medication-unit": "kg", "sequence": 1, "carbohydrate-id": "breakfast", "carbohydrate": 0.05, "meal": "postprandial"}"#
        ),
        (
          "glucose-measurement-context", "7c 02 00 51 ff ff 32 01 14 d0 37 f0",
          #"{"medication-unit": "litre", "sequence": 2, "tester-health": {"tester": "self", "health": "no-issues"}, "exercise-duration": "overrun", "exercise-intensity": 50, "medication-id": "rapid-acting", "medication": 0.02, "hba1c": 5.5}"#
        ),
        ("glucose-feature", "20 04", #"["result-high-low", "multiple-bonds"]"#),
        ("cgm-measurement", "06 00 64 00 0a 00", #"[{"concentration": 100, "offset": 10}]"#),
        (
          "cgm-measurement", "06 00 64 00 0a 00 0d 83 78 00 1e 00 02 02 00 5f 00 34 12",
          #"[{"concentration": 100, "offset": 10}, {"concentration": 120, "offset": 30, "status": ["battery-low"], "trend": 2, "quality": 95, "crc": 4660}]"#
        ),
        (
          "cgm-feature", "01 00 01 59 ff ff",
          #"{"features": ["calibration", "quality"], "sample": {"type": "interstitial-fluid", "location": "subcutaneous-tissue"}, "crc": 65535}"#
        ),
        (
          "cgm-status", "3c 00 01 00 80",
          #"{"offset": 60, "status": ["session-stopped"], "calibration": [], "warning": ["result-too-high"]}"#
        ),
        (
          "cgm-session-start-time", "e8 07 02 1d 17 3b 3a 04 04",
          #"{"time": "2024-02-29T23:59:58", "time-zone": "+01:00", "dst": "daylight"}"#
        ),
        ("cgm-session-run-time", "a8 00 34 12", #"{"hours": 168, "crc": 4660}"#),
        ("temperature-measurement", "04 6c 01 00 ff 02", #"{"unit": "celsius", "temperature": 36.4, "type": "body"}"#),
        (
          "temperature-measurement", "03 da 03 00 ff e8 07 02 1d 17 3b 3a",
          #"{"unit": "fahrenheit", "temperature": 98.6, "time": "2024-02-29T23:59:58"}"#
        ),
        ("intermediate-temperature", "00 ff ff 7f 00", #"{"unit": "celsius", "temperature": "nan"}"#),
        ("temperature-type", "06", #""mouth""#),
        (
          "blood-pressure-measurement", "1e 78 00 50 00 5d 00 e8 07 02 1d 17 3b 3a 48 00 ff 14 00",
          #"{"unit": "mmHg", "systolic": 120, "diastolic": 80, "mean": 93, "time": "2024-02-29T23:59:58", "pulse": 72, "user": "unknown", "status": {"body-movement": false, "cuff-loose": false, "irregular-pulse": true, "pulse-range": "below", "improper-position": false}}"#
        ),
        (
          "blood-pressure-measurement", "01 10 00 6b f0 7c f0",
          #"{"unit": "kPa", "systolic": 16, "diastolic": 10.7, "mean": 12.4}"#
        ),
        (
          "intermediate-cuff-pressure", "00 6e 00 ff 07 ff 07",
          #"{"unit": "mmHg", "pressure": 110, "diastolic": "nan", "mean": "nan"}"#
        ),
        ("blood-pressure-feature", "05 00", #"["body-movement", "irregular-pulse"]"#),
        ("weight-measurement", "00 b0 36", #"{"unit": "si", "weight": 70}"#),
        ("weight-measurement", "01 54 3d", #"{"unit": "imperial", "weight": 157}"#),
        (
          "weight-measurement", "0e b0 36 e8 07 02 1d 17 3b 3a 01 f1 00 a4 06",
          #"{"unit": "si", "weight": 70, "time": "2024-02-29T23:59:58", "user": 1, "bmi": 24.1, "height": 1.7}"#
        ),
        (
          "weight-measurement", "09 ff ff f1 00 9d 02",
          #"{"unit": "imperial", "weight": "unsuccessful", "bmi": 24.1, "height": 66.9}"#
        ),
        (
          "weight-scale-feature", "bf 01 00 00",
          #"{"time": true, "multiple-users": true, "bmi": true, "weight-resolution": "0.005-kg", "height-resolution": "0.001-m"}"#
        ),
        ("body-composition-measurement", "00 00 32 00", #"{"unit": "si", "continues": false, "body-fat": 5}"#),
        (
          "body-composition-measurement", "0c 10 78 00 05 40 06",
          #"{"unit": "si", "continues": true, "body-fat": 12, "user": 5, "basal-metabolism": 1600}"#
        ),
        (
          "body-composition-measurement", "f1 0f 96 00 90 01 10 27 20 4e 30 75 40 9c 88 13 50 c3 bc 02",
          #"{"unit": "imperial", "continues": false, "body-fat": 15, "muscle-percentage": 40, "muscle-mass": 100, "fat-free-mass": 200, "soft-lean-mass": 300, "body-water-mass": 400, "impedance": 500, "weight": 500, "height": 70}"#
        ),
        (
          "body-composition-feature", "01 08 00 00",
          #"{"multiple-users": false, "basal-metabolism": false, "muscle-percentage": false, "muscle-mass": false, "fat-free-mass": false, "soft-lean-mass": false, "body-water-mass": false, "impedance": false, "weight": false, "height": false, "time": true, "mass-resolution": "0.5-kg", "height-resolution": "unspecified"}"#
        ),
        (
          "plx-spot-check-measurement", "02 62 00 48 00 80 00",
          #"{"clock-not-set": false, "spo2": 98, "pulse": 72, "status": ["validated"]}"#
        ),
        (
          "plx-spot-check-measurement", "1d 62 00 48 00 e8 07 02 1d 17 3b 3a 20 00 00 0f f0",
          #"{"clock-not-set": true, "spo2": 98, "pulse": 72, "time": "2024-02-29T23:59:58", "device-status": ["low-perfusion"], "amplitude": 1.5}"#
        ),
        (
          "plx-continuous-measurement", "03 62 00 48 00 61 00 4b 00 63 00 46 00",
          #"{"spo2": 98, "pulse": 72, "fast": {"spo2": 97, "pulse": 75}, "slow": {"spo2": 99, "pulse": 70}}"#
        ),
        (
          "plx-features", "03 00 80 00 20 00 00",
          #"{"storage": false, "time": false, "fast": false, "slow": false, "amplitude": false, "multiple-bonds": false, "status": ["validated"], "device-status": ["low-perfusion"]}"#
        ),
      ])
}
