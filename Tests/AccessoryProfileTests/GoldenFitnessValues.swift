extension GoldenValue {
  /// Cycling, running, and climbing.
  static let fitness =
    rows(
      .sigFiles,
      [
        (
          "csc-measurement", "03 39 30 00 00 00 04 90 01 00 08",
          #"{"wheel": 12345, "wheel-time": 1024, "crank": 400, "crank-time": 2048}"#
        ),
        ("csc-measurement", "02 90 01 00 08", #"{"crank": 400, "crank-time": 2048}"#),
        ("csc-feature", "07 00", #"["wheel", "crank", "multiple-locations"]"#),
        (
          "cycling-power-measurement", "00 00 fa 00",
          #"{"balance-reference": "unknown", "torque-source": "wheel", "offset-compensation": false, "power": 250}"#
        ),
        (
          "cycling-power-measurement", "03 00 2c 01 64",
          #"{"balance-reference": "left", "torque-source": "wheel", "offset-compensation": false, "power": 300, "balance": 50}"#
        ),
        (
          "cycling-power-measurement", "30 08 94 01 39 30 00 00 00 08 90 01 00 04 0a 00",
          #"{"balance-reference": "unknown", "torque-source": "wheel", "offset-compensation": false, "power": 404, "wheel": 12345, "crank": 400, "energy": 10, "wheel-time": 2048, "crank-time": 1024}"#
        ),
        (
          "cycling-power-measurement", "cc 17 fa ff 20 00 64 00 9c ff 40 00 c0 ff 5a e0 10 b4 00 0e 01",
          #"{"power": -6, "torque": 1, "balance-reference": "unknown", "torque-source": "crank", "offset-compensation": true, "force-maximum": 100, "force-minimum": -100, "torque-maximum": 2, "torque-minimum": -2, "angles": {"maximum": 90, "minimum": 270}, "top-dead-spot": 180, "bottom-dead-spot": 270}"#
        ),
        (
          "cycling-power-vector", "07 2a 01 80 07 b4 00 64 00 96 00",
          #"{"direction": "unknown", "crank": 298, "crank-time": 1920, "first-angle": 180, "forces": [100, 150]}"#
        ),
        ("cycling-power-vector", "18 20 00 c0 ff", #"{"direction": "tangential", "torques": [1, -2]}"#),
        (
          "cycling-power-feature", "0c 00 21 00",
          #"{"balance": false, "torque": false, "wheel": true, "crank": true, "extreme-magnitudes": false, "extreme-angles": false, "dead-spots": false, "energy": false, "offset-compensation-indicator": false, "offset-compensation": false, "content-masking": false, "multiple-locations": false, "crank-length": false, "chain-length": false, "chain-weight": false, "span-length": false, "direction": false, "factory-calibration-date": false, "enhanced-offset-compensation": false, "context": "torque", "distributed-system": "possible"}"#
        ),
        ("rsc-measurement", "00 80 02 b4", #"{"movement": "walking", "speed": 2.5, "cadence": 180}"#),
        (
          "rsc-measurement", "07 80 02 b4 55 00 10 27 00 00",
          #"{"movement": "running", "speed": 2.5, "cadence": 180, "stride": 0.85, "distance": 1000}"#
        ),
        ("rsc-feature", "05 00", #"["stride", "movement"]"#),
        ("step-climber-data", "20 00 08 00 96 00 5f", #"{"floors": 8, "steps": 150, "heart-rate": 95}"#),
        ("stair-climber-data", "12 00 05 00 1e 00 c8 00", #"{"floors": 5, "steps-per-minute": 30, "strides": 200}"#),
        ("supported-speed-range", "64 00 d0 07 0a 00", #"{"lowest": 1, "highest": 20, "step": 0.1}"#),
        ("supported-inclination-range", "ce ff 96 00 05 00", #"{"lowest": -5, "highest": 15, "step": 0.5}"#),
        ("supported-resistance-level-range", "0a 00 e8 03 0a 00", #"{"lowest": 1, "highest": 100, "step": 1}"#),
        ("supported-heart-rate-range", "3c c8 01", #"{"lowest": 60, "highest": 200, "step": 1}"#),
        ("supported-power-range", "ce ff 90 01 05 00", #"{"lowest": -50, "highest": 400, "step": 5}"#),
      ])

  /// Fitness Machine.
  static let machines =
    rows(
      .pyftms,
      [
        ("indoor-bike-data", "44 00 10 0e b4 00 fa 00", #"{"speed": 36, "cadence": 90, "power": 250}"#),
        ("indoor-bike-data", "01 00", #"{}"#),
        (
          "indoor-bike-data",
          "fe 1f b8 0b f0 0a a0 00 96 00 10 27 00 07 00 c8 00 be 00 2c 01 58 02 0a 8c 50 08 07 2c 01",
          #"{"speed": 30, "average-speed": 28, "cadence": 80, "average-cadence": 75, "distance": 10000, "resistance": 7, "power": 200, "average-power": 190, "energy": 300, "energy-per-hour": 600, "energy-per-minute": 10, "heart-rate": 140, "metabolic-equivalent": 8, "elapsed": 1800, "remaining": 300}"#
        ),
        ("treadmill-data", "02 01 e2 04 b0 04 9b", #"{"speed": 12.5, "average-speed": 12, "heart-rate": 155}"#),
        (
          "treadmill-data",
          "fc 1e 20 03 88 13 00 0f 00 ff 7f 32 00 14 00 05 06 ff ff ff ff ff 50 08 07 2c 01 10 00 ff 7f",
          #"{"speed": 8, "distance": 5000, "inclination": 1.5, "ramp-angle": "not-available", "positive-elevation-gain": 5, "negative-elevation-gain": 2, "pace": 0.5, "average-pace": 0.6, "energy": "not-available", "energy-per-hour": "not-available", "energy-per-minute": "not-available", "metabolic-equivalent": 8, "elapsed": 1800, "remaining": 300, "force": 16, "power": "not-available"}"#
        ),
        (
          "cross-trainer-data", "08 80 00 20 03 78 00 6e 00",
          #"{"direction": "backward", "speed": 8, "steps-per-minute": 120, "average-step-rate": 110}"#
        ),
        (
          "cross-trainer-data", "f1 03 00 0f 00 0a 00 05 00 e2 ff 14 00 0a 00 64 00 5a 00",
          #"{"direction": "forward", "strides": 1.5, "positive-elevation-gain": 10, "negative-elevation-gain": 5, "inclination": -3, "ramp-angle": 2, "resistance": 1, "power": 100, "average-power": 90}"#
        ),
        ("rower-data", "00 00 30 64 00", #"{"stroke-rate": 24, "strokes": 100}"#),
        (
          "rower-data", "ff 00 2f 88 13 00 78 00 7d 00 fa 00 f0 00 05 00",
          #"{"average-stroke-rate": 23.5, "distance": 5000, "pace": 120, "average-pace": 125, "power": 250, "average-power": 240, "resistance": 5}"#
        ),
        ("training-status", "00 01", #"{"extended": false, "status": "idle"}"#),
        ("training-status", "01 02 57 61 72 6d", #"{"extended": false, "status": "warming-up", "text": "Warm"}"#),
        (
          "fitness-machine-feature", "80 74 00 00 1f 20 00 00",
          #"{"features": ["resistance", "heart-rate", "elapsed", "remaining", "power"], "targets": ["speed", "inclination", "resistance", "power", "heart-rate", "simulation"]}"#
        ),
      ])

  /// Location and Navigation.
  static let places =
    rows(
      .sigFiles,
      [
        (
          "location-and-speed", "01 00 e8 03",
          #"{"position": "none", "dimensions": "2d", "elevation-source": "positioning", "heading-source": "movement", "speed": 10}"#
        ),
        (
          "location-and-speed", "fe 10 10 27 00 80 ea 4d 1f 30 8f 02 f8 b8 f2 ff 28 23 05 e8 07 02 1d 17 3b 3a",
          #"{"position": "ok", "dimensions": "2d", "elevation-source": "positioning", "heading-source": "compass", "distance": 1000, "latitude": 52.52, "longitude": -13.405, "elevation": -34, "heading": 90, "rolling-time": 5, "time": "2024-02-29T23:59:58"}"#
        ),
        ("ln-feature", "81 00 10 00", #"["speed", "remaining-distance", "position-status"]"#),
        (
          "position-quality", "8f 00 07 0c 96 00 c8 00 00 00",
          #"{"position": "ok", "satellites-in-solution": 7, "satellites-in-view": 12, "time-to-first-fix": 15, "horizontal-error": 2}"#
        ),
        (
          "position-quality", "70 01 2c 01 00 00 05 07",
          #"{"position": "estimated", "vertical-error": 3, "horizontal-dilution": 1, "vertical-dilution": 1.4}"#
        ),
        (
          "navigation", "c9 00 28 23 50 46 c0 5d 00",
          #"{"position": "ok", "heading-source": "movement", "indicator": "to-destination", "waypoint-reached": true, "destination-reached": false, "bearing": 90, "heading": 180, "remaining-distance": 2400}"#
        ),
        (
          "navigation", "36 01 00 00 00 00 38 ff ff e8 07 02 1d 17 3b 3a",
          #"{"position": "estimated", "heading-source": "compass", "indicator": "to-waypoint", "waypoint-reached": false, "destination-reached": true, "bearing": 0, "heading": 0, "remaining-vertical-distance": -2, "arrival": "2024-02-29T23:59:58"}"#
        ),
      ])
}
