extension GoldenValue {
  /// Environmental Sensing.
  static let environment =
    rows(
      .sigFiles,
      [
        ("elevation", "f0 d8 ff", #"-100"#),
        ("pressure", "02 76 0f 00", #"101325"#),
        ("temperature", "a6 ff", #"-0.9"#),
        ("humidity", "88 13", #"50"#),
        ("uv-index", "05", #"5"#),
        ("dew-point", "fb", #"-5"#),
        ("heat-index", "1e", #"30"#),
        ("wind-chill", "f6", #"-10"#),
        ("apparent-wind-direction", "28 23", #"90"#),
        ("apparent-wind-speed", "e8 03", #"10"#),
        ("true-wind-direction", "9f 8c", #"359.99"#),
        ("true-wind-speed", "01 00", #"0.01"#),
        ("gust-factor", "0f", #"1.5"#),
        ("irradiance", "10 27", #"1000"#),
        ("magnetic-declination", "c8 00", #"2"#),
        ("pollen-concentration", "e8 03 01", #"66536"#),
        ("rainfall", "0a 00", #"0.01"#),
        ("barometric-pressure-trend", "09", #""steady""#),
        ("magnetic-flux-density-2d", "64 00 9c ff", #"{"x": 1e-05, "y": -1e-05}"#),
        ("magnetic-flux-density-3d", "64 00 9c ff 01 00", #"{"x": 1e-05, "y": -1e-05, "z": 1e-07}"#),
      ])

  /// User Data.
  static let users =
    rows(
      .sigFiles,
      [
        ("first-name", "64 65", #""de""#),
        ("last-name", "64 65", #""de""#),
        ("email-address", "64 65", #""de""#),
        ("language", "64 65", #""de""#),
        ("age", "1e", #"30"#),
        ("date-of-birth", "c3 07 05 00", #"{"year": 1987, "month": 5, "day": "unknown"}"#),
        ("date-of-threshold-assessment", "e8 07 02 1d", #"{"year": 2024, "month": 2, "day": 29}"#),
        ("gender", "01", #""female""#),
        ("weight", "b0 36", #"70"#),
        ("height", "af 00", #"1.75"#),
        ("waist-circumference", "50 00", #"0.8"#),
        ("hip-circumference", "5f 00", #"0.95"#),
        ("vo2-max", "a0", #"160"#),
        ("heart-rate-max", "a0", #"160"#),
        ("resting-heart-rate", "a0", #"160"#),
        ("maximum-recommended-heart-rate", "a0", #"160"#),
        ("aerobic-threshold", "a0", #"160"#),
        ("anaerobic-threshold", "a0", #"160"#),
        ("aerobic-heart-rate-lower-limit", "a0", #"160"#),
        ("aerobic-heart-rate-upper-limit", "a0", #"160"#),
        ("anaerobic-heart-rate-lower-limit", "a0", #"160"#),
        ("anaerobic-heart-rate-upper-limit", "a0", #"160"#),
        ("fat-burn-heart-rate-lower-limit", "a0", #"160"#),
        ("fat-burn-heart-rate-upper-limit", "a0", #"160"#),
        ("two-zone-heart-rate-limit", "a0", #"160"#),
        ("three-zone-heart-rate-limits", "78 96", #"{"light-moderate": 120, "moderate-hard": 150}"#),
        (
          "five-zone-heart-rate-limits", "64 78 8c a0",
          #"{"very-light-light": 100, "light-moderate": 120, "moderate-hard": 140, "hard-maximum": 160}"#
        ),
        ("sport-type-for-aerobic-and-anaerobic-thresholds", "0b", #""whole-body""#),
        ("database-change-increment", "2a 00 00 80", #"2147483690"#),
        ("user-index", "ff", #""unknown""#),
      ])
}
