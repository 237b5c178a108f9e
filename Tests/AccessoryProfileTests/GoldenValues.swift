/// Octets and what they mean, one or more for every format that comes with the program: from the examples of the specifications where
/// they have some, else put together by hand from their tables.
enum GoldenValues {
  /// The name of a format, octets, and the value as JSON.
  static let all: [(name: String, octets: String, json: String)] = [
    (
      "date-time", "e8 07 02 1d 17 3b 3a",
      #""2024-02-29T23:59:58""#
    ),
    (
      "day-of-week", "04",
      #""thursday""#
    ),
    (
      "day-date-time", "e8 07 02 1d 17 3b 3a 04",
      #"{"time": "2024-02-29T23:59:58", "day-of-week": "thursday"}"#
    ),
    (
      "date-time", "00 00 00 00 00 00 00",
      #""unknown""#
    ),
    (
      "exact-time-256", "e8 07 02 1d 17 3b 3a 04 80",
      #"{"time": "2024-02-29T23:59:58", "day-of-week": "thursday", "fractions": 128}"#
    ),
    (
      "device-name", "4b c3 b6",
      #""Kö""#
    ),
    (
      "string", "61",
      #""a""#
    ),
    (
      "alert-level", "02",
      #""high""#
    ),
    (
      "tx-power-level", "f8",
      #"-8"#
    ),
    (
      "peripheral-preferred-connection-parameters", "06 00 0c 00 00 00 58 02",
      #"{"shortest": 6, "longest": 12, "latency": 0, "timeout": 600}"#
    ),
    (
      "service-changed", "01 00 ff ff",
      #"{"first": 1, "last": 65535}"#
    ),
    (
      "client-supported-features", "07",
      #"["robust-caching", "enhanced-att", "multiple-notifications"]"#
    ),
    (
      "server-supported-features", "01",
      #"["enhanced-att"]"#
    ),
    (
      "current-time", "e8 07 02 1d 17 3b 3a 04 80 05",
      #"{"time": "2024-02-29T23:59:58", "day-of-week": "thursday", "fractions": 128, "adjust": ["manual", "time-zone"]}"#
    ),
    (
      "current-time", "00 00 00 00 00 00 00 00 00 00",
      #"{"time": "unknown", "day-of-week": "unknown", "fractions": 0, "adjust": []}"#
    ),
    (
      "time-zone", "17",
      #""+05:45""#
    ),
    (
      "dst-offset", "08",
      #""double""#
    ),
    (
      "local-time-information", "04 04",
      #"{"time-zone": "+01:00", "dst": "daylight"}"#
    ),
    (
      "time-source", "06",
      #""cellular""#
    ),
    (
      "time-accuracy", "fe",
      #"254"#
    ),
    (
      "reference-time-information", "01 08 00 01",
      #"{"source": "network", "accuracy": 8, "days-since-update": 0, "hours-since-update": 1}"#
    ),
    (
      "time-with-dst", "e8 07 03 1f 02 00 00 04",
      #"{"time": "2024-03-31T02:00:00", "dst": "daylight"}"#
    ),
    (
      "time-update-control-point", "01",
      #""get""#
    ),
    (
      "time-update-state", "01 04",
      #"{"state": "pending", "result": "timed-out"}"#
    ),
    (
      "heart-rate-measurement", "00 48",
      #"{"contact": "unsupported", "bpm": 72}"#
    ),
    (
      "heart-rate-measurement", "1f 2c 01 ff ff 58 02",
      #"{"contact": "detected", "bpm": 300, "energy": 65535, "rr": [600]}"#
    ),
    (
      "heart-rate-measurement", "14 3c 00 04 ff 03",
      #"{"contact": "not-detected", "bpm": 60, "rr": [1024, 1023]}"#
    ),
    (
      "body-sensor-location", "05",
      #""ear-lobe""#
    ),
    (
      "manufacturer-name-string", "41 63 6d 65",
      #""Acme""#
    ),
    (
      "model-number-string", "41 63 6d 65",
      #""Acme""#
    ),
    (
      "serial-number-string", "41 63 6d 65",
      #""Acme""#
    ),
    (
      "hardware-revision-string", "41 63 6d 65",
      #""Acme""#
    ),
    (
      "firmware-revision-string", "41 63 6d 65",
      #""Acme""#
    ),
    (
      "software-revision-string", "41 63 6d 65",
      #""Acme""#
    ),
    (
      "system-id", "9a 78 56 fe ff 34 12 00",
      #"{"manufacturer": 1099483740314, "organization": 4660}"#
    ),
    (
      "pnp-id", "02 6d 04 77 00 12 01",
      #"{"source": "usb", "vendor": 1133, "product": 119, "version": 274}"#
    ),
    (
      "battery-level", "64",
      #"100"#
    ),
    (
      "battery-level-status", "07 01 00 12 34 64 05",
      #"{"power": {"present": true, "wired": "no", "wireless": "no", "charge": "unknown", "level": "unknown", "type": "unknown", "battery-fault": false, "external-fault": false, "other-fault": false}, "identifier": 13330, "level": 100, "additional": {"service-required": "yes", "fault": true}}"#
    ),
    (
      "battery-level-status", "00 a3 02",
      #"{"power": {"present": true, "wired": "yes", "wireless": "no", "charge": "charging", "level": "good", "type": "constant-current", "battery-fault": false, "external-fault": false, "other-fault": false}}"#
    ),
    (
      "battery-critical-status", "03",
      #"["critical-power", "immediate-service"]"#
    ),
    (
      "battery-health-status", "0f 5a 2c 01 19 02 00",
      #"{"health": 90, "cycles": 300, "temperature": 25, "deep-discharges": 2}"#
    ),
    (
      "battery-health-status", "04 7f",
      #"{"temperature": "above"}"#
    ),
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
    (
      "battery-energy-status", "06 25 f0 0c e0",
      #"{"voltage": 3.7, "energy": 0.12}"#
    ),
    (
      "battery-time-status", "03 3c 00 00 fe ff ff ff ff ff",
      #"{"until-discharged": 60, "until-discharged-on-standby": "longer", "until-recharged": "unknown"}"#
    ),
    (
      "estimated-service-date", "10 4d 00",
      #"19728"#
    ),
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
    (
      "glucose-feature", "20 04",
      #"["result-high-low", "multiple-bonds"]"#
    ),
    (
      "cgm-measurement", "06 00 64 00 0a 00",
      #"[{"concentration": 100, "offset": 10}]"#
    ),
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
    (
      "cgm-session-run-time", "a8 00 34 12",
      #"{"hours": 168, "crc": 4660}"#
    ),
    (
      "temperature-measurement", "04 6c 01 00 ff 02",
      #"{"unit": "celsius", "temperature": 36.4, "type": "body"}"#
    ),
    (
      "temperature-measurement", "03 da 03 00 ff e8 07 02 1d 17 3b 3a",
      #"{"unit": "fahrenheit", "temperature": 98.6, "time": "2024-02-29T23:59:58"}"#
    ),
    (
      "intermediate-temperature", "00 ff ff 7f 00",
      #"{"unit": "celsius", "temperature": "nan"}"#
    ),
    (
      "temperature-type", "06",
      #""mouth""#
    ),
    (
      "measurement-interval", "3c 00",
      #"60"#
    ),
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
    (
      "blood-pressure-feature", "05 00",
      #"["body-movement", "irregular-pulse"]"#
    ),
    (
      "weight-measurement", "00 b0 36",
      #"{"unit": "si", "weight": 70}"#
    ),
    (
      "weight-measurement", "01 54 3d",
      #"{"unit": "imperial", "weight": 157}"#
    ),
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
    (
      "body-composition-measurement", "00 00 32 00",
      #"{"unit": "si", "continues": false, "body-fat": 5}"#
    ),
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
    (
      "csc-measurement", "03 39 30 00 00 00 04 90 01 00 08",
      #"{"wheel": 12345, "wheel-time": 1024, "crank": 400, "crank-time": 2048}"#
    ),
    (
      "csc-measurement", "02 90 01 00 08",
      #"{"crank": 400, "crank-time": 2048}"#
    ),
    (
      "csc-feature", "07 00",
      #"["wheel", "crank", "multiple-locations"]"#
    ),
    (
      "sensor-location", "0c",
      #""rear-wheel""#
    ),
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
    (
      "cycling-power-vector", "18 20 00 c0 ff",
      #"{"direction": "tangential", "torques": [1, -2]}"#
    ),
    (
      "cycling-power-feature", "0c 00 21 00",
      #"{"balance": false, "torque": false, "wheel": true, "crank": true, "extreme-magnitudes": false, "extreme-angles": false, "dead-spots": false, "energy": false, "offset-compensation-indicator": false, "offset-compensation": false, "content-masking": false, "multiple-locations": false, "crank-length": false, "chain-length": false, "chain-weight": false, "span-length": false, "direction": false, "factory-calibration-date": false, "enhanced-offset-compensation": false, "context": "torque", "distributed-system": "possible"}"#
    ),
    (
      "rsc-measurement", "00 80 02 b4",
      #"{"movement": "walking", "speed": 2.5, "cadence": 180}"#
    ),
    (
      "rsc-measurement", "07 80 02 b4 55 00 10 27 00 00",
      #"{"movement": "running", "speed": 2.5, "cadence": 180, "stride": 0.85, "distance": 1000}"#
    ),
    (
      "rsc-feature", "05 00",
      #"["stride", "movement"]"#
    ),
    (
      "indoor-bike-data", "44 00 10 0e b4 00 fa 00",
      #"{"speed": 36, "cadence": 90, "power": 250}"#
    ),
    (
      "indoor-bike-data", "01 00",
      #"{}"#
    ),
    (
      "indoor-bike-data", "fe 1f b8 0b f0 0a a0 00 96 00 10 27 00 07 00 c8 00 be 00 2c 01 58 02 0a 8c 50 08 07 2c 01",
      #"{"speed": 30, "average-speed": 28, "cadence": 80, "average-cadence": 75, "distance": 10000, "resistance": 7, "power": 200, "average-power": 190, "energy": 300, "energy-per-hour": 600, "energy-per-minute": 10, "heart-rate": 140, "metabolic-equivalent": 8, "elapsed": 1800, "remaining": 300}"#
    ),
    (
      "treadmill-data", "02 01 e2 04 b0 04 9b",
      #"{"speed": 12.5, "average-speed": 12, "heart-rate": 155}"#
    ),
    (
      "treadmill-data", "fc 1e 20 03 88 13 00 0f 00 ff 7f 32 00 14 00 05 06 ff ff ff ff ff 50 08 07 2c 01 10 00 ff 7f",
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
    (
      "step-climber-data", "20 00 08 00 96 00 5f",
      #"{"floors": 8, "steps": 150, "heart-rate": 95}"#
    ),
    (
      "stair-climber-data", "12 00 05 00 1e 00 c8 00",
      #"{"floors": 5, "steps-per-minute": 30, "strides": 200}"#
    ),
    (
      "rower-data", "00 00 30 64 00",
      #"{"stroke-rate": 24, "strokes": 100}"#
    ),
    (
      "rower-data", "ff 00 2f 88 13 00 78 00 7d 00 fa 00 f0 00 05 00",
      #"{"average-stroke-rate": 23.5, "distance": 5000, "pace": 120, "average-pace": 125, "power": 250, "average-power": 240, "resistance": 5}"#
    ),
    (
      "training-status", "00 01",
      #"{"extended": false, "status": "idle"}"#
    ),
    (
      "training-status", "01 02 57 61 72 6d",
      #"{"extended": false, "status": "warming-up", "text": "Warm"}"#
    ),
    (
      "fitness-machine-feature", "80 74 00 00 1f 20 00 00",
      #"{"features": ["resistance", "heart-rate", "elapsed", "remaining", "power"], "targets": ["speed", "inclination", "resistance", "power", "heart-rate", "simulation"]}"#
    ),
    (
      "supported-speed-range", "64 00 d0 07 0a 00",
      #"{"lowest": 1, "highest": 20, "step": 0.1}"#
    ),
    (
      "supported-inclination-range", "ce ff 96 00 05 00",
      #"{"lowest": -5, "highest": 15, "step": 0.5}"#
    ),
    (
      "supported-resistance-level-range", "0a 00 e8 03 0a 00",
      #"{"lowest": 1, "highest": 100, "step": 1}"#
    ),
    (
      "supported-heart-rate-range", "3c c8 01",
      #"{"lowest": 60, "highest": 200, "step": 1}"#
    ),
    (
      "supported-power-range", "ce ff 90 01 05 00",
      #"{"lowest": -50, "highest": 400, "step": 5}"#
    ),
    (
      "elevation", "f0 d8 ff",
      #"-100"#
    ),
    (
      "pressure", "02 76 0f 00",
      #"101325"#
    ),
    (
      "temperature", "a6 ff",
      #"-0.9"#
    ),
    (
      "humidity", "88 13",
      #"50"#
    ),
    (
      "uv-index", "05",
      #"5"#
    ),
    (
      "dew-point", "fb",
      #"-5"#
    ),
    (
      "heat-index", "1e",
      #"30"#
    ),
    (
      "wind-chill", "f6",
      #"-10"#
    ),
    (
      "apparent-wind-direction", "28 23",
      #"90"#
    ),
    (
      "apparent-wind-speed", "e8 03",
      #"10"#
    ),
    (
      "true-wind-direction", "9f 8c",
      #"359.99"#
    ),
    (
      "true-wind-speed", "01 00",
      #"0.01"#
    ),
    (
      "gust-factor", "0f",
      #"1.5"#
    ),
    (
      "irradiance", "10 27",
      #"1000"#
    ),
    (
      "magnetic-declination", "c8 00",
      #"2"#
    ),
    (
      "pollen-concentration", "e8 03 01",
      #"66536"#
    ),
    (
      "rainfall", "0a 00",
      #"0.01"#
    ),
    (
      "barometric-pressure-trend", "09",
      #""steady""#
    ),
    (
      "magnetic-flux-density-2d", "64 00 9c ff",
      #"{"x": 1e-05, "y": -1e-05}"#
    ),
    (
      "magnetic-flux-density-3d", "64 00 9c ff 01 00",
      #"{"x": 1e-05, "y": -1e-05, "z": 1e-07}"#
    ),
    (
      "first-name", "64 65",
      #""de""#
    ),
    (
      "last-name", "64 65",
      #""de""#
    ),
    (
      "email-address", "64 65",
      #""de""#
    ),
    (
      "language", "64 65",
      #""de""#
    ),
    (
      "age", "1e",
      #"30"#
    ),
    (
      "date-of-birth", "c3 07 05 00",
      #"{"year": 1987, "month": 5, "day": "unknown"}"#
    ),
    (
      "date-of-threshold-assessment", "e8 07 02 1d",
      #"{"year": 2024, "month": 2, "day": 29}"#
    ),
    (
      "gender", "01",
      #""female""#
    ),
    (
      "weight", "b0 36",
      #"70"#
    ),
    (
      "height", "af 00",
      #"1.75"#
    ),
    (
      "waist-circumference", "50 00",
      #"0.8"#
    ),
    (
      "hip-circumference", "5f 00",
      #"0.95"#
    ),
    (
      "vo2-max", "a0",
      #"160"#
    ),
    (
      "heart-rate-max", "a0",
      #"160"#
    ),
    (
      "resting-heart-rate", "a0",
      #"160"#
    ),
    (
      "maximum-recommended-heart-rate", "a0",
      #"160"#
    ),
    (
      "aerobic-threshold", "a0",
      #"160"#
    ),
    (
      "anaerobic-threshold", "a0",
      #"160"#
    ),
    (
      "aerobic-heart-rate-lower-limit", "a0",
      #"160"#
    ),
    (
      "aerobic-heart-rate-upper-limit", "a0",
      #"160"#
    ),
    (
      "anaerobic-heart-rate-lower-limit", "a0",
      #"160"#
    ),
    (
      "anaerobic-heart-rate-upper-limit", "a0",
      #"160"#
    ),
    (
      "fat-burn-heart-rate-lower-limit", "a0",
      #"160"#
    ),
    (
      "fat-burn-heart-rate-upper-limit", "a0",
      #"160"#
    ),
    (
      "two-zone-heart-rate-limit", "a0",
      #"160"#
    ),
    (
      "three-zone-heart-rate-limits", "78 96",
      #"{"light-moderate": 120, "moderate-hard": 150}"#
    ),
    (
      "five-zone-heart-rate-limits", "64 78 8c a0",
      #"{"very-light-light": 100, "light-moderate": 120, "moderate-hard": 140, "hard-maximum": 160}"#
    ),
    (
      "sport-type-for-aerobic-and-anaerobic-thresholds", "0b",
      #""whole-body""#
    ),
    (
      "database-change-increment", "2a 00 00 80",
      #"2147483690"#
    ),
    (
      "user-index", "ff",
      #""unknown""#
    ),
    (
      "alert-category-id", "07",
      #""schedule""#
    ),
    (
      "alert-category-id-bit-mask", "03",
      #"{"categories": ["simple", "email"]}"#
    ),
    (
      "supported-new-alert-category", "0a 02",
      #"{"categories": ["email", "call"], "further-categories": ["instant-message"]}"#
    ),
    (
      "supported-unread-alert-category", "00 00",
      #"{"categories": [], "further-categories": []}"#
    ),
    (
      "new-alert", "01 03 4a 6f 68 6e",
      #"{"category": "email", "count": 3, "text": "John"}"#
    ),
    (
      "unread-alert-status", "03 ff",
      #"{"category": "call", "count": "more"}"#
    ),
    (
      "alert-notification-control-point", "04 ff",
      #"{"command": "notify-new", "category": "all"}"#
    ),
    (
      "alert-status", "05",
      #"["ringer", "display"]"#
    ),
    (
      "ringer-setting", "01",
      #""normal""#
    ),
    (
      "ringer-control-point", "02",
      #""mute-once""#
    ),
    (
      "ots-feature", "13 00 00 00 07 00 00 00",
      #"{"actions": ["create", "delete", "read"], "lists": ["go-to", "order", "number"]}"#
    ),
    (
      "object-name", "61 2e 62",
      #""a.b""#
    ),
    (
      "object-type", "ca 2a",
      #""2ACA""#
    ),
    (
      "object-size", "10 00 00 00 00 01 00 00",
      #"{"current": 16, "allocated": 256}"#
    ),
    (
      "object-first-created", "e8 07 02 1d 17 3b 3a",
      #""2024-02-29T23:59:58""#
    ),
    (
      "object-last-modified", "e8 07 02 1d 17 3b 3a",
      #""2024-02-29T23:59:58""#
    ),
    (
      "object-id", "00 01 00 00 00 80",
      #"140737488355584"#
    ),
    (
      "object-properties", "0c 00 00 00",
      #"["read", "write"]"#
    ),
    (
      // As four stacks have it, and the table of the service: contents 1, metadata 2, creation 3, deletion 4, behind the source in bit 0.
      "object-changed", "1e ff ff ff ff ff ff",
      #"{"source": "server", "contents": true, "metadata": true, "created": true, "deleted": true, "id": 281474976710655}"#
    ),
    (
      "object-changed", "09 00 01 00 00 00 00",
      #"{"source": "client", "contents": false, "metadata": false, "created": true, "deleted": false, "id": 256}"#
    ),
    (
      "hid-information", "11 01 00 03",
      #"{"version": 273, "country": 0, "flags": ["remote-wake", "normally-connectable"]}"#
    ),
    (
      "protocol-mode", "01",
      #""report""#
    ),
    (
      "hid-control-point", "00",
      #""suspend""#
    ),
    (
      "boot-keyboard-input-report", "22 00 04 05 00 00 00 00",
      #"{"modifiers": ["left-shift", "right-shift"], "reserved": 0, "keys": [4, 5, 0, 0, 0, 0]}"#
    ),
    (
      "boot-keyboard-output-report", "02",
      #"["caps-lock"]"#
    ),
    (
      "boot-mouse-input-report", "05 05 fb",
      #"{"buttons": ["left", "middle"], "x": 5, "y": -5}"#
    ),
    (
      "scan-interval-window", "60 00 30 00",
      #"{"interval": 96, "window": 48}"#
    ),
    (
      "scan-refresh", "00",
      #""refresh-required""#
    ),
    (
      "location-and-speed", "01 00 e8 03",
      #"{"position": "none", "dimensions": "2d", "elevation-source": "positioning", "heading-source": "movement", "speed": 10}"#
    ),
    (
      "location-and-speed", "fe 10 10 27 00 80 ea 4d 1f 30 8f 02 f8 b8 f2 ff 28 23 05 e8 07 02 1d 17 3b 3a",
      #"{"position": "ok", "dimensions": "2d", "elevation-source": "positioning", "heading-source": "compass", "distance": 1000, "latitude": 52.52, "longitude": -13.405, "elevation": -34, "heading": 90, "rolling-time": 5, "time": "2024-02-29T23:59:58"}"#
    ),
    (
      "ln-feature", "81 00 10 00",
      #"["speed", "remaining-distance", "position-status"]"#
    ),
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
    (
      "udi-for-medical-devices", "05 28 30 31 29 00 32 2e 31 36 00",
      #"{"label": "(01)", "issuer": "2.16"}"#
    ),
  ]
}
