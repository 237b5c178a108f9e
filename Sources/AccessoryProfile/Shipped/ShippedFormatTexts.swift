// Written by scripts/embed-texts from the files in Profiles and Scenarios; a test holds it against them.

extension ShippedTexts {
  /// The formats of characteristics and of their parts, by their names.
  static let formats: [(name: String, text: String)] = [
    (
      "aerobic-heart-rate-lower-limit",
      ##"""
      u8

      """##
    ),
    (
      "aerobic-heart-rate-upper-limit",
      ##"""
      u8

      """##
    ),
    (
      "aerobic-threshold",
      ##"""
      u8

      """##
    ),
    (
      "age",
      ##"""
      { number: u8, unit: years }

      """##
    ),
    (
      "alert-category-id",
      ##"""
      names:
        simple: 0
        email: 1
        news: 2
        call: 3
        missed-call: 4
        message: 5
        voice-mail: 6
        schedule: 7
        high-priority: 8
        instant-message: 9
        all: 255

      """##
    ),
    (
      "alert-category-id-bit-mask",
      ##"""
      struct:
        categories:
          flags: { simple: 0x01, email: 0x02, news: 0x04, call: 0x08, missed-call: 0x10, message: 0x20, voice-mail: 0x40, schedule: 0x80 }
        further-categories: { flags: { high-priority: 0x01, instant-message: 0x02 }, optional: true }

      """##
    ),
    (
      "alert-level",
      ##"""
      { names: { none: 0, mild: 1, high: 2 } }

      """##
    ),
    (
      "alert-notification-control-point",
      ##"""
      struct:
        command:
          names:
            enable-new: 0
            enable-unread: 1
            disable-new: 2
            disable-unread: 3
            notify-new: 4
            notify-unread: 5
        category: alert-category-id

      """##
    ),
    (
      "alert-status",
      ##"""
      { flags: { ringer: 1, vibration: 2, display: 4 } }

      """##
    ),
    (
      "anaerobic-heart-rate-lower-limit",
      ##"""
      u8

      """##
    ),
    (
      "anaerobic-heart-rate-upper-limit",
      ##"""
      u8

      """##
    ),
    (
      "anaerobic-threshold",
      ##"""
      u8

      """##
    ),
    (
      "apparent-wind-direction",
      ##"""
      { number: u16, decimals: 2, unit: ° }

      """##
    ),
    (
      "apparent-wind-speed",
      ##"""
      { number: u16, decimals: 2, unit: m/s }

      """##
    ),
    (
      "barometric-pressure-trend",
      ##"""
      names:
        unknown: 0
        continuously-falling: 1
        continuously-rising: 2
        falling-then-steady: 3
        rising-then-steady: 4
        falling-before-lesser-rise: 5
        falling-before-greater-rise: 6
        rising-before-greater-fall: 7
        rising-before-lesser-fall: 8
        steady: 9

      """##
    ),
    (
      "battery-critical-status",
      ##"""
      { flags: { critical-power: 1, immediate-service: 2 } }

      """##
    ),
    (
      "battery-energy-status",
      ##"""
      struct:
        flags:
          bits: { external-power: 1, voltage: 1, energy: 1, capacity: 1, charge-rate: 1, energy-at-last-charge: 1 }
        external-power: { number: sfloat, unit: W, if: flags.external-power }
        voltage: { number: sfloat, unit: V, if: flags.voltage }
        energy: { number: sfloat, unit: kWh, if: flags.energy }
        capacity: { number: sfloat, unit: kWh, if: flags.capacity }
        charge-rate: { number: sfloat, unit: W, if: flags.charge-rate }
        energy-at-last-charge: { number: sfloat, unit: kWh, if: flags.energy-at-last-charge }

      """##
    ),
    (
      "battery-health-information",
      ##"""
      struct:
        flags: { bits: { cycles: 1, temperatures: 1 } }
        cycles: { number: u16, if: flags.cycles }
        lowest-temperature: { number: i8, unit: °C, special: { above: 127, below: -128 }, if: flags.temperatures }
        highest-temperature: { number: i8, unit: °C, special: { above: 127, below: -128 }, if: flags.temperatures }

      """##
    ),
    (
      "battery-health-status",
      ##"""
      struct:
        flags: { bits: { health: 1, cycles: 1, temperature: 1, deep-discharges: 1 } }
        health: { number: u8, unit: "%", if: flags.health }
        cycles: { number: u16, if: flags.cycles }
        temperature: { number: i8, unit: °C, special: { above: 127, below: -128 }, if: flags.temperature }
        deep-discharges: { number: u16, if: flags.deep-discharges }

      """##
    ),
    (
      "battery-information",
      ##"""
      struct:
        flags:
          bits:
            manufactured: 1
            expires: 1
            capacity: 1
            low-energy: 1
            critical-energy: 1
            chemistry: 1
            voltage: 1
            group: 1
          as: u16
        features: { flags: { replaceable: 1, rechargeable: 2 } }
        manufactured: { number: u24, if: flags.manufactured }
        expires: { number: u24, if: flags.expires }
        capacity: { number: sfloat, unit: kWh, if: flags.capacity }
        low-energy: { number: sfloat, unit: kWh, if: flags.low-energy }
        critical-energy: { number: sfloat, unit: kWh, if: flags.critical-energy }
        chemistry:
          names:
            unknown: 0
            alkaline: 1
            lead-acid: 2
            lithium-iron-disulfide: 3
            lithium-manganese-dioxide: 4
            lithium-ion: 5
            lithium-polymer: 6
            nickel-oxyhydroxide: 7
            nickel-cadmium: 8
            nickel-metal-hydride: 9
            silver-oxide: 10
            zinc-chloride: 11
            zinc-air: 12
            zinc-carbon: 13
            other: 255
          if: flags.chemistry
        voltage: { number: sfloat, unit: V, if: flags.voltage }
        group: { number: u8, if: flags.group }

      """##
    ),
    (
      "battery-level",
      ##"""
      { number: u8, unit: "%" }

      """##
    ),
    (
      "battery-level-status",
      ##"""
      struct:
        flags: { bits: { identifier: 1, level: 1, additional: 1 } }
        power: { format: battery-power }
        identifier: { number: u16, if: flags.identifier }
        level: { number: u8, unit: "%", if: flags.level }
        additional:
          bits:
            service-required: { names: { "no": 0, "yes": 1, unknown: 2 }, as: u2 }
            fault: 1
          if: flags.additional

      """##
    ),
    (
      "battery-power",
      ##"""
      bits:
        present: 1
        wired: { names: { "no": 0, "yes": 1, unknown: 2 }, as: u2 }
        wireless: { names: { "no": 0, "yes": 1, unknown: 2 }, as: u2 }
        charge: { names: { unknown: 0, charging: 1, discharging: 2, idle: 3 }, as: u2 }
        level: { names: { unknown: 0, good: 1, low: 2, critical: 3 }, as: u2 }
        type: { names: { unknown: 0, constant-current: 1, constant-voltage: 2, trickle: 3, float: 4 }, as: u3 }
        battery-fault: 1
        external-fault: 1
        other-fault: 1
      as: u16

      """##
    ),
    (
      "battery-time",
      ##"""
      { number: u24, unit: min, special: { unknown: 0xFFFFFF, longer: 0xFFFFFE } }

      """##
    ),
    (
      "battery-time-status",
      ##"""
      struct:
        flags: { bits: { until-discharged-on-standby: 1, until-recharged: 1 } }
        until-discharged: battery-time
        until-discharged-on-standby: { format: battery-time, if: flags.until-discharged-on-standby }
        until-recharged: { format: battery-time, if: flags.until-recharged }

      """##
    ),
    (
      "blood-pressure-feature",
      ##"""
      flags:
        body-movement: 0x0001
        cuff-fit: 0x0002
        irregular-pulse: 0x0004
        pulse-range: 0x0008
        position: 0x0010
        multiple-bonds: 0x0020
      as: u16

      """##
    ),
    (
      "blood-pressure-measurement",
      ##"""
      struct:
        flags:
          bits:
            unit: { names: { mmHg: 0, kPa: 1 }, as: u1 }
            time: 1
            pulse: 1
            user: 1
            status: 1
        systolic: { number: sfloat, unit: mmHg or kPa }
        diastolic: { number: sfloat, unit: mmHg or kPa }
        mean: { number: sfloat, unit: mmHg or kPa }
        time: { format: date-time, if: flags.time, clock: time }
        pulse: { number: sfloat, unit: beats per minute, if: flags.pulse }
        user: { number: u8, special: { unknown: 255 }, if: flags.user }
        status: { format: blood-pressure-status, if: flags.status }

      """##
    ),
    (
      "blood-pressure-status",
      ##"""
      bits:
        body-movement: 1
        cuff-loose: 1
        irregular-pulse: 1
        pulse-range: { names: { within: 0, above: 1, below: 2 }, as: u2 }
        improper-position: 1
      as: u16

      """##
    ),
    (
      "body-composition-feature",
      ##"""
      bits:
        time: 1
        multiple-users: 1
        basal-metabolism: 1
        muscle-percentage: 1
        muscle-mass: 1
        fat-free-mass: 1
        soft-lean-mass: 1
        body-water-mass: 1
        impedance: 1
        weight: 1
        height: 1
        mass-resolution: { format: mass-resolution }
        height-resolution: { format: height-resolution }
      as: u32

      """##
    ),
    (
      "body-composition-measurement",
      ##"""
      struct:
        flags:
          bits:
            unit: { names: { si: 0, imperial: 1 }, as: u1 }
            time: 1
            user: 1
            basal-metabolism: 1
            muscle-percentage: 1
            muscle-mass: 1
            fat-free-mass: 1
            soft-lean-mass: 1
            body-water-mass: 1
            impedance: 1
            weight: 1
            height: 1
            continues: 1
        body-fat: { number: u16, decimals: 1, unit: "%", special: { unsuccessful: 65535 } }
        time: { format: date-time, if: flags.time, clock: time }
        user: { number: u8, special: { unknown: 255 }, if: flags.user }
        basal-metabolism: { number: u16, unit: kJ, if: flags.basal-metabolism }
        muscle-percentage: { number: u16, decimals: 1, unit: "%", if: flags.muscle-percentage }
        muscle-mass:
          { number: u16, multiply: 5, exponent: -3, unit: kg, other: mass-in-pounds, other-if: flags.unit, if: flags.muscle-mass }
        fat-free-mass:
          { number: u16, multiply: 5, exponent: -3, unit: kg, other: mass-in-pounds, other-if: flags.unit, if: flags.fat-free-mass }
        soft-lean-mass:
          { number: u16, multiply: 5, exponent: -3, unit: kg, other: mass-in-pounds, other-if: flags.unit, if: flags.soft-lean-mass }
        body-water-mass:
          { number: u16, multiply: 5, exponent: -3, unit: kg, other: mass-in-pounds, other-if: flags.unit, if: flags.body-water-mass }
        impedance: { number: u16, decimals: 1, unit: Ω, if: flags.impedance }
        weight:
          { number: u16, multiply: 5, exponent: -3, unit: kg, other: mass-in-pounds, other-if: flags.unit, if: flags.weight }
        height:
          { number: u16, decimals: 3, unit: m, other: { number: u16, decimals: 1, unit: in }, other-if: flags.unit, if: flags.height }

      """##
    ),
    (
      "body-sensor-location",
      ##"""
      names: { other: 0, chest: 1, wrist: 2, finger: 3, hand: 4, ear-lobe: 5, foot: 6 }

      """##
    ),
    (
      "boot-keyboard-input-report",
      ##"""
      struct:
        modifiers:
          flags:
            left-control: 0x01
            left-shift: 0x02
            left-alt: 0x04
            left-gui: 0x08
            right-control: 0x10
            right-shift: 0x20
            right-alt: 0x40
            right-gui: 0x80
        reserved: { number: u8, default: 0 }
        keys: { list: u8, length: 6 }

      """##
    ),
    (
      "boot-keyboard-output-report",
      ##"""
      { flags: { num-lock: 1, caps-lock: 2, scroll-lock: 4, compose: 8, kana: 16 } }

      """##
    ),
    (
      "boot-mouse-input-report",
      ##"""
      struct:
        buttons: { flags: { left: 1, right: 2, middle: 4 } }
        x: i8
        y: i8

      """##
    ),
    (
      "cgm-feature",
      ##"""
      struct:
        features:
          flags:
            calibration: 0x000001
            patient-alerts: 0x000002
            hypo-alerts: 0x000004
            hyper-alerts: 0x000008
            rate-alerts: 0x000010
            device-alert: 0x000020
            malfunction: 0x000040
            temperature-high-low: 0x000080
            result-high-low: 0x000100
            low-battery: 0x000200
            sensor-type: 0x000400
            device-fault: 0x000800
            e2e-crc: 0x001000
            multiple-bonds: 0x002000
            multiple-sessions: 0x004000
            trend: 0x008000
            quality: 0x010000
          as: u24
        sample: glucose-sample
        crc: { number: u16, default: 0xFFFF }

      """##
    ),
    (
      "cgm-measurement",
      ##"""
      { list: cgm-measurement-record }

      """##
    ),
    (
      "cgm-measurement-record",
      ##"""
      struct:
        size: { number: u8, derive: size }
        flags: { bits: { trend: 1, quality: 1, _1: 3, warning: 1, calibration: 1, status: 1 } }
        concentration: { number: sfloat, unit: mg/dL }
        offset: { number: u16, unit: min }
        status: { format: cgm-sensor-status, if: flags.status }
        calibration: { format: cgm-sensor-calibration, if: flags.calibration }
        warning: { format: cgm-sensor-warning, if: flags.warning }
        trend: { number: sfloat, unit: mg/dL/min, if: flags.trend }
        quality: { number: sfloat, unit: "%", if: flags.quality }
        crc: { number: u16, optional: true }

      """##
    ),
    (
      "cgm-sensor-calibration",
      ##"""
      flags:
        time-synchronization: 0x01
        calibration-not-allowed: 0x02
        calibration-recommended: 0x04
        calibration-required: 0x08
        temperature-too-high: 0x10
        temperature-too-low: 0x20

      """##
    ),
    (
      "cgm-sensor-status",
      ##"""
      flags:
        session-stopped: 0x01
        battery-low: 0x02
        sensor-type: 0x04
        malfunction: 0x08
        device-alert: 0x10
        device-fault: 0x20

      """##
    ),
    (
      "cgm-sensor-warning",
      ##"""
      flags:
        below-patient-low: 0x01
        above-patient-high: 0x02
        below-hypo: 0x04
        above-hyper: 0x08
        decreases-too-fast: 0x10
        increases-too-fast: 0x20
        result-too-low: 0x40
        result-too-high: 0x80

      """##
    ),
    (
      "cgm-session-run-time",
      ##"""
      struct:
        hours: { number: u16, unit: h }
        crc: { number: u16, optional: true }

      """##
    ),
    (
      "cgm-session-start-time",
      ##"""
      struct:
        time: { format: date-time, clock: time }
        time-zone: { format: time-zone, clock: zone }
        dst: { format: dst-offset, clock: daylight-saving }
        crc: { number: u16, optional: true }

      """##
    ),
    (
      "cgm-status",
      ##"""
      struct:
        offset: { number: u16, unit: min }
        status: cgm-sensor-status
        calibration: { format: cgm-sensor-calibration, default: [] }
        warning: { format: cgm-sensor-warning, default: [] }
        crc: { number: u16, optional: true }

      """##
    ),
    (
      "client-supported-features",
      ##"""
      { flags: { robust-caching: 1, enhanced-att: 2, multiple-notifications: 4 } }

      """##
    ),
    (
      "cross-trainer-data",
      ##"""
      struct:
        flags:
          bits: { more: 1, average-speed: 1, distance: 1, steps: 1, strides: 1, elevation-gain: 1, inclination: 1, resistance: 1, power: 1, average-power: 1, energy: 1, heart-rate: 1, metabolic-equivalent: 1, elapsed: 1, remaining: 1, direction: { names: { forward: 0, backward: 1 }, as: u1 } }
          as: u24
        speed: { number: u16, decimals: 2, unit: km/h, unless: flags.more }
        average-speed: { number: u16, decimals: 2, unit: km/h, if: flags.average-speed }
        distance: { number: u24, unit: m, if: flags.distance }
        steps-per-minute: { number: u16, if: flags.steps }
        average-step-rate: { number: u16, if: flags.steps }
        strides: { number: u16, decimals: 1, if: flags.strides }
        positive-elevation-gain: { number: u16, unit: m, if: flags.elevation-gain }
        negative-elevation-gain: { number: u16, unit: m, if: flags.elevation-gain }
        inclination: { number: i16, decimals: 1, unit: "%", special: { not-available: 32767 }, if: flags.inclination }
        ramp-angle: { number: i16, decimals: 1, unit: °, special: { not-available: 32767 }, if: flags.inclination }
        resistance: { number: i16, decimals: 1, if: flags.resistance }
        power: { number: i16, unit: W, if: flags.power }
        average-power: { number: i16, unit: W, if: flags.average-power }
        energy: { number: u16, unit: kcal, special: { not-available: 65535 }, if: flags.energy }
        energy-per-hour: { number: u16, unit: kcal, special: { not-available: 65535 }, if: flags.energy }
        energy-per-minute: { number: u8, unit: kcal, special: { not-available: 255 }, if: flags.energy }
        heart-rate: { number: u8, unit: beats per minute, if: flags.heart-rate }
        metabolic-equivalent: { number: u8, decimals: 1, if: flags.metabolic-equivalent }
        elapsed: { number: u16, unit: s, if: flags.elapsed }
        remaining: { number: u16, unit: s, if: flags.remaining }

      """##
    ),
    (
      "csc-feature",
      ##"""
      { flags: { wheel: 1, crank: 2, multiple-locations: 4 }, as: u16 }

      """##
    ),
    (
      "csc-measurement",
      ##"""
      struct:
        flags: { bits: { wheel: 1, crank: 1 } }
        wheel: { number: u32, if: flags.wheel }
        wheel-time: { number: u16, if: flags.wheel }
        crank: { number: u16, if: flags.crank }
        crank-time: { number: u16, if: flags.crank }

      """##
    ),
    (
      "current-time",
      ##"""
      struct:
        time: { format: date-time, clock: time }
        day-of-week: { format: day-of-week, derive: weekday(time) }
        fractions: { number: u8, default: 0, clock: fractions }
        adjust: { flags: { manual: 1, external: 2, time-zone: 4, dst: 8 }, default: [], clock: adjust }

      """##
    ),
    (
      "cycling-power-feature",
      ##"""
      bits:
        balance: 1
        torque: 1
        wheel: 1
        crank: 1
        extreme-magnitudes: 1
        extreme-angles: 1
        dead-spots: 1
        energy: 1
        offset-compensation-indicator: 1
        offset-compensation: 1
        content-masking: 1
        multiple-locations: 1
        crank-length: 1
        chain-length: 1
        chain-weight: 1
        span-length: 1
        context: { names: { force: 0, torque: 1 }, as: u1 }
        direction: 1
        factory-calibration-date: 1
        enhanced-offset-compensation: 1
        distributed-system: { names: { unspecified: 0, not-possible: 1, possible: 2 }, as: u2 }
      as: u32

      """##
    ),
    (
      "cycling-power-measurement",
      ##"""
      struct:
        flags:
          bits:
            balance: 1
            balance-reference: { names: { unknown: 0, left: 1 }, as: u1 }
            torque: 1
            torque-source: { names: { wheel: 0, crank: 1 }, as: u1 }
            wheel: 1
            crank: 1
            force-extremes: 1
            torque-extremes: 1
            angles: 1
            top-dead-spot: 1
            bottom-dead-spot: 1
            energy: 1
            offset-compensation: 1
        power: { number: i16, unit: W }
        balance: { number: u8, binary-exponent: -1, unit: "%", if: flags.balance }
        torque: { number: u16, binary-exponent: -5, unit: N m, if: flags.torque }
        wheel: { number: u32, if: flags.wheel }
        wheel-time: { number: u16, if: flags.wheel }
        crank: { number: u16, if: flags.crank }
        crank-time: { number: u16, if: flags.crank }
        force-maximum: { number: i16, unit: N, if: flags.force-extremes }
        force-minimum: { number: i16, unit: N, if: flags.force-extremes }
        torque-maximum: { number: i16, binary-exponent: -5, unit: N m, if: flags.torque-extremes }
        torque-minimum: { number: i16, binary-exponent: -5, unit: N m, if: flags.torque-extremes }
        angles: { bits: { maximum: 12, minimum: 12 }, if: flags.angles }
        top-dead-spot: { number: u16, unit: °, if: flags.top-dead-spot }
        bottom-dead-spot: { number: u16, unit: °, if: flags.bottom-dead-spot }
        energy: { number: u16, unit: kJ, if: flags.energy }

      """##
    ),
    (
      "cycling-power-vector",
      ##"""
      struct:
        flags:
          bits:
            crank: 1
            first-angle: 1
            forces: 1
            torques: 1
            direction: { names: { unknown: 0, tangential: 1, radial: 2, lateral: 3 }, as: u2 }
        crank: { number: u16, if: flags.crank }
        crank-time: { number: u16, if: flags.crank }
        first-angle: { number: u16, unit: °, if: flags.first-angle }
        forces: { list: { number: i16, unit: N }, if: flags.forces }
        torques: { list: { number: i16, binary-exponent: -5, unit: N m }, if: flags.torques }

      """##
    ),
    (
      "database-change-increment",
      ##"""
      u32

      """##
    ),
    (
      "date-of-birth",
      ##"""
      { struct: { year: { number: u16, special: { unknown: 0 } }, month: { format: month }, day: { format: day } } }

      """##
    ),
    (
      "date-of-threshold-assessment",
      ##"""
      struct: { year: { number: u16, special: { unknown: 0 } }, month: { format: month }, day: { format: day } }

      """##
    ),
    (
      "date-time",
      ##"""
      date-time

      """##
    ),
    (
      "day",
      ##"""
      { number: u8, special: { unknown: 0 } }

      """##
    ),
    (
      "day-date-time",
      ##"""
      struct:
        time: { format: date-time, clock: time }
        day-of-week: { format: day-of-week, derive: weekday(time) }

      """##
    ),
    (
      "day-of-week",
      ##"""
      names: { unknown: 0, monday: 1, tuesday: 2, wednesday: 3, thursday: 4, friday: 5, saturday: 6, sunday: 7 }

      """##
    ),
    (
      "device-name",
      ##"""
      utf8

      """##
    ),
    (
      "dew-point",
      ##"""
      { number: i8, unit: °C }

      """##
    ),
    (
      "dst-offset",
      ##"""
      { names: { standard: 0, half-hour: 2, daylight: 4, double: 8, unknown: 255 } }

      """##
    ),
    (
      "eddystone-eid",
      ##"""
      struct:
        frame: { format: u8, default: 0x30 }
        measured-power: { number: i8, unit: dBm, default: -18 }
        identifier: { octets: 8 }

      """##
    ),
    (
      "eddystone-tlm",
      ##"""
      struct:
        frame: { format: u8, default: 0x20 }
        version: { format: u8, default: 0 }
        battery: { number: u16, special: { not-known: 0 }, unit: mV, default: not-known }
        temperature: { number: i16, binary-exponent: -8, special: { not-known: 0x8000 }, unit: °C, default: not-known }
        advertisements: u32
        tenths: u32
      order: big

      """##
    ),
    (
      "eddystone-uid",
      ##"""
      struct:
        frame: { format: u8, default: 0x00 }
        measured-power: { number: i8, unit: dBm, default: -18 }
        namespace: { octets: 10 }
        instance: { octets: 6 }
        reserved: { format: u16, default: 0 }

      """##
    ),
    (
      "eddystone-url",
      ##"""
      struct:
        frame: { format: u8, default: 0x10 }
        measured-power: { number: i8, unit: dBm, default: -18 }
        url: hex

      """##
    ),
    (
      "elevation",
      ##"""
      { number: i24, decimals: 2, unit: m }

      """##
    ),
    (
      "email-address",
      ##"""
      utf8

      """##
    ),
    (
      "estimated-service-date",
      ##"""
      { number: u24, special: { unknown: 0 } }

      """##
    ),
    (
      "exact-time-256",
      ##"""
      struct:
        time: { format: date-time, clock: time }
        day-of-week: { format: day-of-week, derive: weekday(time) }
        fractions: { number: u8, default: 0, clock: fractions }

      """##
    ),
    (
      "fat-burn-heart-rate-lower-limit",
      ##"""
      u8

      """##
    ),
    (
      "fat-burn-heart-rate-upper-limit",
      ##"""
      u8

      """##
    ),
    (
      "firmware-revision-string",
      ##"""
      utf8

      """##
    ),
    (
      "first-name",
      ##"""
      utf8

      """##
    ),
    (
      "fitness-machine-feature",
      ##"""
      struct:
        features:
          flags:
            average-speed: 0x00001
            cadence: 0x00002
            distance: 0x00004
            inclination: 0x00008
            elevation-gain: 0x00010
            pace: 0x00020
            steps: 0x00040
            resistance: 0x00080
            strides: 0x00100
            energy: 0x00200
            heart-rate: 0x00400
            metabolic-equivalent: 0x00800
            elapsed: 0x01000
            remaining: 0x02000
            power: 0x04000
            force: 0x08000
            user-data-retention: 0x10000
          as: u32
        targets:
          flags:
            speed: 0x00001
            inclination: 0x00002
            resistance: 0x00004
            power: 0x00008
            heart-rate: 0x00010
            energy: 0x00020
            steps: 0x00040
            strides: 0x00080
            distance: 0x00100
            time: 0x00200
            two-heart-rate-zones: 0x00400
            three-heart-rate-zones: 0x00800
            five-heart-rate-zones: 0x01000
            simulation: 0x02000
            wheel-circumference: 0x04000
            spin-down: 0x08000
            cadence: 0x10000
          as: u32

      """##
    ),
    (
      "five-zone-heart-rate-limits",
      ##"""
      { struct: { very-light-light: u8, light-moderate: u8, moderate-hard: u8, hard-maximum: u8 } }

      """##
    ),
    (
      "gender",
      ##"""
      { names: { male: 0, female: 1, unspecified: 2 } }

      """##
    ),
    (
      "glucose-feature",
      ##"""
      flags:
        low-battery: 0x0001
        malfunction: 0x0002
        sample-size: 0x0004
        strip-insertion: 0x0008
        strip-type: 0x0010
        result-high-low: 0x0020
        temperature-high-low: 0x0040
        read-interrupt: 0x0080
        device-fault: 0x0100
        time-fault: 0x0200
        multiple-bonds: 0x0400
      as: u16

      """##
    ),
    (
      "glucose-measurement",
      ##"""
      struct:
        flags:
          bits:
            offset: 1
            concentration: 1
            unit: { names: { kg-per-litre: 0, mol-per-litre: 1 }, as: u1 }
            status: 1
            context-follows: 1
          as: u8
        sequence: u16
        time: date-time
        offset: { number: i16, if: flags.offset, unit: min }
        concentration:
          number: sfloat
          exponent: -5
          unit: kg/L
          other: { number: sfloat, exponent: -3, unit: mol/L }
          other-if: flags.unit
          if: flags.concentration
        sample: { format: glucose-sample, if: flags.concentration }
        status: { format: glucose-sensor-status, if: flags.status }

      """##
    ),
    (
      "glucose-measurement-context",
      ##"""
      struct:
        flags:
          bits:
            carbohydrate: 1
            meal: 1
            tester-health: 1
            exercise: 1
            medication: 1
            medication-unit: { names: { kg: 0, litre: 1 }, as: u1 }
            hba1c: 1
            extended: 1
        sequence: u16
        extended-flags: { number: u8, if: flags.extended }
        carbohydrate-id:
          names: { breakfast: 1, lunch: 2, dinner: 3, snack: 4, drink: 5, supper: 6, brunch: 7 }
          if: flags.carbohydrate
        carbohydrate: { number: sfloat, exponent: -3, unit: kg, if: flags.carbohydrate }
        meal:
          names: { preprandial: 1, postprandial: 2, fasting: 3, casual: 4, bedtime: 5 }
          if: flags.meal
        tester-health:
          bits:
            tester: { names: { self: 1, professional: 2, lab-test: 3, not-available: 15 }, as: u4 }
            health:
              names: { minor-issues: 1, major-issues: 2, during-menses: 3, under-stress: 4, no-issues: 5, not-available: 15 }
              as: u4
          if: flags.tester-health
        exercise-duration: { number: u16, special: { overrun: 65535 }, unit: s, if: flags.exercise }
        exercise-intensity: { number: u8, unit: "%", if: flags.exercise }
        medication-id:
          names: { rapid-acting: 1, short-acting: 2, intermediate-acting: 3, long-acting: 4, pre-mixed: 5 }
          if: flags.medication
        medication:
          number: sfloat
          exponent: -6
          unit: kg
          other: { number: sfloat, exponent: -3, unit: L }
          other-if: flags.medication-unit
          if: flags.medication
        hba1c: { number: sfloat, unit: "%", if: flags.hba1c }

      """##
    ),
    (
      "glucose-sample",
      ##"""
      bits:
        type:
          names:
            capillary-whole-blood: 1
            capillary-plasma: 2
            venous-whole-blood: 3
            venous-plasma: 4
            arterial-whole-blood: 5
            arterial-plasma: 6
            undetermined-whole-blood: 7
            undetermined-plasma: 8
            interstitial-fluid: 9
            control-solution: 10
          as: u4
        location:
          names: { finger: 1, alternate-site: 2, earlobe: 3, control-solution: 4, subcutaneous-tissue: 5, not-available: 15 }
          as: u4

      """##
    ),
    (
      "glucose-sensor-status",
      ##"""
      flags:
        battery-low: 0x0001
        malfunction: 0x0002
        sample-insufficient: 0x0004
        strip-insertion: 0x0008
        strip-type: 0x0010
        result-too-high: 0x0020
        result-too-low: 0x0040
        temperature-too-high: 0x0080
        temperature-too-low: 0x0100
        read-interrupted: 0x0200
        device-fault: 0x0400
        time-fault: 0x0800
      as: u16

      """##
    ),
    (
      "gust-factor",
      ##"""
      { number: u8, decimals: 1 }

      """##
    ),
    (
      "hardware-revision-string",
      ##"""
      utf8

      """##
    ),
    (
      "heart-rate-max",
      ##"""
      u8

      """##
    ),
    (
      "heart-rate-measurement",
      ##"""
      struct:
        flags:
          bits:
            wide-rate: 1
            contact: { names: { unsupported: 0, not-detected: 2, detected: 3 }, as: u2 }
            energy: 1
            rr: 1
        bpm: { number: u16, narrow: u8, wide-if: flags.wide-rate, unit: beats per minute }
        energy: { number: u16, if: flags.energy, in: every 10th, unit: kJ }
        rr: { list: u16, if: flags.rr }

      """##
    ),
    (
      "heat-index",
      ##"""
      { number: i8, unit: °C }

      """##
    ),
    (
      "height",
      ##"""
      { number: u16, decimals: 2, unit: m }

      """##
    ),
    (
      "height-resolution",
      ##"""
      { names: { unspecified: 0, 0.01-m: 1, 0.005-m: 2, 0.001-m: 3 }, as: u3 }

      """##
    ),
    (
      "hid-control-point",
      ##"""
      { names: { suspend: 0, exit-suspend: 1 } }

      """##
    ),
    (
      "hid-information",
      ##"""
      struct:
        version: u16
        country: { number: u8, default: 0 }
        flags: { flags: { remote-wake: 1, normally-connectable: 2 } }

      """##
    ),
    (
      "hip-circumference",
      ##"""
      { number: u16, decimals: 2, unit: m }

      """##
    ),
    (
      "humidity",
      ##"""
      { number: u16, decimals: 2, unit: "%" }

      """##
    ),
    (
      "ibeacon",
      ##"""
      struct:
        type: { format: u8, default: 2 }
        length: { format: u8, default: 21 }
        uuid: { octets: 16 }
        major: { format: u16, default: 0 }
        minor: { format: u16, default: 0 }
        measured-power: { number: i8, unit: dBm, default: -59 }
      order: big

      """##
    ),
    (
      "indoor-bike-data",
      ##"""
      struct:
        flags:
          bits: { more: 1, average-speed: 1, cadence: 1, average-cadence: 1, distance: 1, resistance: 1, power: 1, average-power: 1, energy: 1, heart-rate: 1, metabolic-equivalent: 1, elapsed: 1, remaining: 1 }
        speed: { number: u16, decimals: 2, unit: km/h, unless: flags.more }
        average-speed: { number: u16, decimals: 2, unit: km/h, if: flags.average-speed }
        cadence: { number: u16, binary-exponent: -1, unit: per minute, if: flags.cadence }
        average-cadence: { number: u16, binary-exponent: -1, unit: per minute, if: flags.average-cadence }
        distance: { number: u24, unit: m, if: flags.distance }
        resistance: { number: i16, if: flags.resistance }
        power: { number: i16, unit: W, if: flags.power }
        average-power: { number: i16, unit: W, if: flags.average-power }
        energy: { number: u16, unit: kcal, special: { not-available: 65535 }, if: flags.energy }
        energy-per-hour: { number: u16, unit: kcal, special: { not-available: 65535 }, if: flags.energy }
        energy-per-minute: { number: u8, unit: kcal, special: { not-available: 255 }, if: flags.energy }
        heart-rate: { number: u8, unit: beats per minute, if: flags.heart-rate }
        metabolic-equivalent: { number: u8, decimals: 1, if: flags.metabolic-equivalent }
        elapsed: { number: u16, unit: s, if: flags.elapsed }
        remaining: { number: u16, unit: s, if: flags.remaining }

      """##
    ),
    (
      "intermediate-cuff-pressure",
      ##"""
      struct:
        flags:
          bits:
            unit: { names: { mmHg: 0, kPa: 1 }, as: u1 }
            time: 1
            pulse: 1
            user: 1
            status: 1
        pressure: { number: sfloat, unit: mmHg or kPa }
        diastolic: { number: sfloat, default: nan }
        mean: { number: sfloat, default: nan }
        time: { format: date-time, if: flags.time, clock: time }
        pulse: { number: sfloat, unit: beats per minute, if: flags.pulse }
        user: { number: u8, special: { unknown: 255 }, if: flags.user }
        status: { format: blood-pressure-status, if: flags.status }

      """##
    ),
    (
      "intermediate-temperature",
      ##"""
      temperature-measurement

      """##
    ),
    (
      "irradiance",
      ##"""
      { number: u16, decimals: 1, unit: W/m² }

      """##
    ),
    (
      "language",
      ##"""
      utf8

      """##
    ),
    (
      "last-name",
      ##"""
      utf8

      """##
    ),
    (
      "ln-feature",
      ##"""
      flags:
        speed: 0x000001
        distance: 0x000002
        location: 0x000004
        elevation: 0x000008
        heading: 0x000010
        rolling-time: 0x000020
        time: 0x000040
        remaining-distance: 0x000080
        remaining-vertical-distance: 0x000100
        arrival: 0x000200
        satellites-in-solution: 0x000400
        satellites-in-view: 0x000800
        time-to-first-fix: 0x001000
        horizontal-error: 0x002000
        vertical-error: 0x004000
        horizontal-dilution: 0x008000
        vertical-dilution: 0x010000
        content-masking: 0x020000
        fix-rate-setting: 0x040000
        elevation-setting: 0x080000
        position-status: 0x100000
      as: u32

      """##
    ),
    (
      "local-time-information",
      ##"""
      struct:
        time-zone: { format: time-zone, clock: zone }
        dst: { format: dst-offset, clock: daylight-saving }

      """##
    ),
    (
      "location-and-speed",
      ##"""
      struct:
        flags:
          bits:
            speed: 1
            distance: 1
            location: 1
            elevation: 1
            heading: 1
            rolling-time: 1
            time: 1
            position: { names: { none: 0, ok: 1, estimated: 2, last-known: 3 }, as: u2 }
            dimensions: { names: { 2d: 0, 3d: 1 }, as: u1 }
            elevation-source: { names: { positioning: 0, barometer: 1, database: 2, other: 3 }, as: u2 }
            heading-source: { names: { movement: 0, compass: 1 }, as: u1 }
        speed: { number: u16, decimals: 2, unit: m/s, if: flags.speed }
        distance: { number: u24, decimals: 1, unit: m, if: flags.distance }
        latitude: { number: i32, exponent: -7, unit: °, if: flags.location }
        longitude: { number: i32, exponent: -7, unit: °, if: flags.location }
        elevation: { number: i24, decimals: 2, unit: m, if: flags.elevation }
        heading: { number: u16, decimals: 2, unit: °, if: flags.heading }
        rolling-time: { number: u8, unit: s, if: flags.rolling-time }
        time: { format: date-time, if: flags.time, clock: time }

      """##
    ),
    (
      "magnetic-declination",
      ##"""
      { number: u16, decimals: 2, unit: ° }

      """##
    ),
    (
      "magnetic-flux-density-2d",
      ##"""
      struct: { x: { number: i16, exponent: -7, unit: T }, y: { number: i16, exponent: -7, unit: T } }

      """##
    ),
    (
      "magnetic-flux-density-3d",
      ##"""
      struct:
        x: { number: i16, exponent: -7, unit: T }
        y: { number: i16, exponent: -7, unit: T }
        z: { number: i16, exponent: -7, unit: T }

      """##
    ),
    (
      "manufacturer-name-string",
      ##"""
      utf8

      """##
    ),
    (
      "mass-in-pounds",
      ##"""
      { number: u16, decimals: 2, unit: lb }

      """##
    ),
    (
      "mass-resolution",
      ##"""
      names: { unspecified: 0, 0.5-kg: 1, 0.2-kg: 2, 0.1-kg: 3, 0.05-kg: 4, 0.02-kg: 5, 0.01-kg: 6, 0.005-kg: 7 }
      as: u4

      """##
    ),
    (
      "maximum-recommended-heart-rate",
      ##"""
      u8

      """##
    ),
    (
      "measurement-interval",
      ##"""
      { number: u16, unit: s }

      """##
    ),
    (
      "model-number-string",
      ##"""
      utf8

      """##
    ),
    (
      "month",
      ##"""
      { number: u8, special: { unknown: 0 } }

      """##
    ),
    (
      "navigation",
      ##"""
      struct:
        flags:
          bits:
            remaining-distance: 1
            remaining-vertical-distance: 1
            arrival: 1
            position: { names: { none: 0, ok: 1, estimated: 2, last-known: 3 }, as: u2 }
            heading-source: { names: { movement: 0, compass: 1 }, as: u1 }
            indicator: { names: { to-waypoint: 0, to-destination: 1 }, as: u1 }
            waypoint-reached: 1
            destination-reached: 1
          as: u16
        bearing: { number: u16, decimals: 2, unit: ° }
        heading: { number: u16, decimals: 2, unit: ° }
        remaining-distance: { number: u24, decimals: 1, unit: m, if: flags.remaining-distance }
        remaining-vertical-distance: { number: i24, decimals: 2, unit: m, if: flags.remaining-vertical-distance }
        arrival: { format: date-time, if: flags.arrival }

      """##
    ),
    (
      "new-alert",
      ##"""
      struct:
        category: alert-category-id
        count: u8
        text: { format: utf8, default: "" }

      """##
    ),
    (
      "object-changed",
      ##"""
      struct:
        flags:
          bits:
            source: { names: { server: 0, client: 1 }, as: u1 }
            contents: 1
            metadata: 1
            created: 1
            deleted: 1
          inline: true
        id: u48

      """##
    ),
    (
      "object-first-created",
      ##"""
      date-time

      """##
    ),
    (
      "object-id",
      ##"""
      u48

      """##
    ),
    (
      "object-last-modified",
      ##"""
      date-time

      """##
    ),
    (
      "object-name",
      ##"""
      utf8

      """##
    ),
    (
      "object-properties",
      ##"""
      flags: { delete: 0x01, execute: 0x02, read: 0x04, write: 0x08, append: 0x10, truncate: 0x20, patch: 0x40, mark: 0x80 }
      as: u32

      """##
    ),
    (
      "object-size",
      ##"""
      { struct: { current: u32, allocated: u32 } }

      """##
    ),
    (
      "object-type",
      ##"""
      uuid

      """##
    ),
    (
      "ots-feature",
      ##"""
      struct:
        actions:
          flags:
            create: 0x001
            delete: 0x002
            checksum: 0x004
            execute: 0x008
            read: 0x010
            write: 0x020
            append: 0x040
            truncate: 0x080
            patch: 0x100
            abort: 0x200
          as: u32
        lists: { flags: { go-to: 1, order: 2, number: 4, clear-marking: 8 }, as: u32 }

      """##
    ),
    (
      "peripheral-preferred-connection-parameters",
      ##"""
      { struct: { shortest: u16, longest: u16, latency: u16, timeout: u16 } }

      """##
    ),
    (
      "plx-continuous-measurement",
      ##"""
      struct:
        flags: { bits: { fast: 1, slow: 1, status: 1, device-status: 1, amplitude: 1 } }
        spo2: { number: sfloat, unit: "%" }
        pulse: { number: sfloat, unit: beats per minute }
        fast: { format: plx-values, if: flags.fast }
        slow: { format: plx-values, if: flags.slow }
        status: { format: plx-measurement-status, if: flags.status }
        device-status: { format: plx-device-status, if: flags.device-status }
        amplitude: { number: sfloat, unit: "%", if: flags.amplitude }

      """##
    ),
    (
      "plx-device-status",
      ##"""
      flags:
        extended-display-update: 0x000001
        equipment-malfunction: 0x000002
        signal-irregularity: 0x000004
        inadequate-signal: 0x000008
        poor-signal: 0x000010
        low-perfusion: 0x000020
        erratic-signal: 0x000040
        nonpulsatile-signal: 0x000080
        questionable-pulse: 0x000100
        signal-analysis-ongoing: 0x000200
        sensor-interference: 0x000400
        sensor-unconnected: 0x000800
        unknown-sensor: 0x001000
        sensor-displaced: 0x002000
        sensor-malfunctioning: 0x004000
        sensor-disconnected: 0x008000
      as: u24

      """##
    ),
    (
      "plx-features",
      ##"""
      struct:
        features:
          bits:
            status: 1
            device-status: 1
            storage: 1
            time: 1
            fast: 1
            slow: 1
            amplitude: 1
            multiple-bonds: 1
          as: u16
        status: { format: plx-measurement-status, if: features.status }
        device-status: { format: plx-device-status, if: features.device-status }

      """##
    ),
    (
      "plx-measurement-status",
      ##"""
      flags:
        ongoing: 0x0020
        early-estimate: 0x0040
        validated: 0x0080
        fully-qualified: 0x0100
        from-storage: 0x0200
        demonstration: 0x0400
        testing: 0x0800
        calibration-ongoing: 0x1000
        unavailable: 0x2000
        questionable: 0x4000
        invalid: 0x8000
      as: u16

      """##
    ),
    (
      "plx-spot-check-measurement",
      ##"""
      struct:
        flags: { bits: { time: 1, status: 1, device-status: 1, amplitude: 1, clock-not-set: 1 } }
        spo2: { number: sfloat, unit: "%" }
        pulse: { number: sfloat, unit: beats per minute }
        time: { format: date-time, if: flags.time, clock: time }
        status: { format: plx-measurement-status, if: flags.status }
        device-status: { format: plx-device-status, if: flags.device-status }
        amplitude: { number: sfloat, unit: "%", if: flags.amplitude }

      """##
    ),
    (
      "plx-values",
      ##"""
      { struct: { spo2: sfloat, pulse: sfloat } }

      """##
    ),
    (
      "pnp-id",
      ##"""
      { struct: { source: { names: { sig: 1, usb: 2 } }, vendor: u16, product: u16, version: u16 } }

      """##
    ),
    (
      "pollen-concentration",
      ##"""
      { number: u24, unit: per m³ }

      """##
    ),
    (
      "position-quality",
      ##"""
      struct:
        flags:
          bits:
            satellites-in-solution: 1
            satellites-in-view: 1
            time-to-first-fix: 1
            horizontal-error: 1
            vertical-error: 1
            horizontal-dilution: 1
            vertical-dilution: 1
            position: { names: { none: 0, ok: 1, estimated: 2, last-known: 3 }, as: u2 }
          as: u16
        satellites-in-solution: { number: u8, if: flags.satellites-in-solution }
        satellites-in-view: { number: u8, if: flags.satellites-in-view }
        time-to-first-fix: { number: u16, decimals: 1, unit: s, if: flags.time-to-first-fix }
        horizontal-error: { number: u32, decimals: 2, unit: m, if: flags.horizontal-error }
        vertical-error: { number: u32, decimals: 2, unit: m, if: flags.vertical-error }
        horizontal-dilution: { number: u8, multiply: 2, exponent: -1, if: flags.horizontal-dilution }
        vertical-dilution: { number: u8, multiply: 2, exponent: -1, if: flags.vertical-dilution }

      """##
    ),
    (
      "pressure",
      ##"""
      { number: u32, decimals: 1, unit: Pa }

      """##
    ),
    (
      "protocol-mode",
      ##"""
      { names: { boot: 0, report: 1 } }

      """##
    ),
    (
      "rainfall",
      ##"""
      { number: u16, decimals: 3, unit: m }

      """##
    ),
    (
      "reference-time-information",
      ##"""
      struct:
        source: time-source
        accuracy: { number: u8, default: 255 }
        days-since-update: { number: u8, default: 255 }
        hours-since-update: { number: u8, default: 255 }

      """##
    ),
    (
      "resting-heart-rate",
      ##"""
      u8

      """##
    ),
    (
      "ringer-control-point",
      ##"""
      { names: { silence: 1, mute-once: 2, cancel-silence: 3 } }

      """##
    ),
    (
      "ringer-setting",
      ##"""
      { names: { silent: 0, normal: 1 } }

      """##
    ),
    (
      "rower-data",
      ##"""
      struct:
        flags:
          bits: { more: 1, average-stroke-rate: 1, distance: 1, pace: 1, average-pace: 1, power: 1, average-power: 1, resistance: 1, energy: 1, heart-rate: 1, metabolic-equivalent: 1, elapsed: 1, remaining: 1 }
        stroke-rate: { number: u8, binary-exponent: -1, unit: strokes per minute, unless: flags.more }
        strokes: { number: u16, unless: flags.more }
        average-stroke-rate: { number: u8, binary-exponent: -1, unit: strokes per minute, if: flags.average-stroke-rate }
        distance: { number: u24, unit: m, if: flags.distance }
        pace: { number: u16, unit: s per 500 m, if: flags.pace }
        average-pace: { number: u16, unit: s per 500 m, if: flags.average-pace }
        power: { number: i16, unit: W, if: flags.power }
        average-power: { number: i16, unit: W, if: flags.average-power }
        resistance: { number: i16, if: flags.resistance }
        energy: { number: u16, unit: kcal, special: { not-available: 65535 }, if: flags.energy }
        energy-per-hour: { number: u16, unit: kcal, special: { not-available: 65535 }, if: flags.energy }
        energy-per-minute: { number: u8, unit: kcal, special: { not-available: 255 }, if: flags.energy }
        heart-rate: { number: u8, unit: beats per minute, if: flags.heart-rate }
        metabolic-equivalent: { number: u8, decimals: 1, if: flags.metabolic-equivalent }
        elapsed: { number: u16, unit: s, if: flags.elapsed }
        remaining: { number: u16, unit: s, if: flags.remaining }

      """##
    ),
    (
      "rsc-feature",
      ##"""
      flags: { stride: 0x01, distance: 0x02, movement: 0x04, calibration: 0x08, multiple-locations: 0x10 }
      as: u16

      """##
    ),
    (
      "rsc-measurement",
      ##"""
      struct:
        flags:
          bits:
            stride: 1
            distance: 1
            movement: { names: { walking: 0, running: 1 }, as: u1 }
        speed: { number: u16, binary-exponent: -8, unit: m/s }
        cadence: { number: u8, unit: steps per minute }
        stride: { number: u16, decimals: 2, unit: m, if: flags.stride }
        distance: { number: u32, decimals: 1, unit: m, if: flags.distance }

      """##
    ),
    (
      "scan-interval-window",
      ##"""
      { struct: { interval: u16, window: u16 } }

      """##
    ),
    (
      "scan-refresh",
      ##"""
      { names: { refresh-required: 0 } }

      """##
    ),
    (
      "sensor-location",
      ##"""
      names:
        other: 0
        top-of-shoe: 1
        in-shoe: 2
        hip: 3
        front-wheel: 4
        left-crank: 5
        right-crank: 6
        left-pedal: 7
        right-pedal: 8
        front-hub: 9
        rear-dropout: 10
        chainstay: 11
        rear-wheel: 12
        rear-hub: 13
        chest: 14
        spider: 15
        chain-ring: 16

      """##
    ),
    (
      "serial-number-string",
      ##"""
      utf8

      """##
    ),
    (
      "server-supported-features",
      ##"""
      { flags: { enhanced-att: 1 } }

      """##
    ),
    (
      "service-changed",
      ##"""
      { struct: { first: u16, last: u16 } }

      """##
    ),
    (
      "software-revision-string",
      ##"""
      utf8

      """##
    ),
    (
      "sport-type-for-aerobic-and-anaerobic-thresholds",
      ##"""
      names:
        unspecified: 0
        running: 1
        cycling: 2
        rowing: 3
        cross-training: 4
        climbing: 5
        skiing: 6
        skating: 7
        arms: 8
        lower-body: 9
        upper-body: 10
        whole-body: 11

      """##
    ),
    (
      "stair-climber-data",
      ##"""
      struct:
        flags:
          bits: { more: 1, steps-per-minute: 1, average-step-rate: 1, elevation-gain: 1, strides: 1, energy: 1, heart-rate: 1, metabolic-equivalent: 1, elapsed: 1, remaining: 1 }
          as: u16
        floors: { number: u16, unless: flags.more }
        steps-per-minute: { number: u16, if: flags.steps-per-minute }
        average-step-rate: { number: u16, if: flags.average-step-rate }
        positive-elevation-gain: { number: u16, unit: m, if: flags.elevation-gain }
        strides: { number: u16, if: flags.strides }
        energy: { number: u16, unit: kcal, special: { not-available: 65535 }, if: flags.energy }
        energy-per-hour: { number: u16, unit: kcal, special: { not-available: 65535 }, if: flags.energy }
        energy-per-minute: { number: u8, unit: kcal, special: { not-available: 255 }, if: flags.energy }
        heart-rate: { number: u8, unit: beats per minute, if: flags.heart-rate }
        metabolic-equivalent: { number: u8, decimals: 1, if: flags.metabolic-equivalent }
        elapsed: { number: u16, unit: s, if: flags.elapsed }
        remaining: { number: u16, unit: s, if: flags.remaining }

      """##
    ),
    (
      "step-climber-data",
      ##"""
      struct:
        flags:
          bits: { more: 1, steps-per-minute: 1, average-step-rate: 1, elevation-gain: 1, energy: 1, heart-rate: 1, metabolic-equivalent: 1, elapsed: 1, remaining: 1 }
          as: u16
        floors: { number: u16, unless: flags.more }
        steps: { number: u16, unless: flags.more }
        steps-per-minute: { number: u16, if: flags.steps-per-minute }
        average-step-rate: { number: u16, if: flags.average-step-rate }
        positive-elevation-gain: { number: u16, unit: m, if: flags.elevation-gain }
        energy: { number: u16, unit: kcal, special: { not-available: 65535 }, if: flags.energy }
        energy-per-hour: { number: u16, unit: kcal, special: { not-available: 65535 }, if: flags.energy }
        energy-per-minute: { number: u8, unit: kcal, special: { not-available: 255 }, if: flags.energy }
        heart-rate: { number: u8, unit: beats per minute, if: flags.heart-rate }
        metabolic-equivalent: { number: u8, decimals: 1, if: flags.metabolic-equivalent }
        elapsed: { number: u16, unit: s, if: flags.elapsed }
        remaining: { number: u16, unit: s, if: flags.remaining }

      """##
    ),
    (
      "string",
      ##"""
      utf8

      """##
    ),
    (
      "supported-heart-rate-range",
      ##"""
      { struct: { lowest: u8, highest: u8, step: u8 } }

      """##
    ),
    (
      "supported-inclination-range",
      ##"""
      struct:
        lowest: { number: i16, decimals: 1, unit: "%" }
        highest: { number: i16, decimals: 1, unit: "%" }
        step: { number: u16, decimals: 1, unit: "%" }

      """##
    ),
    (
      "supported-new-alert-category",
      ##"""
      alert-category-id-bit-mask

      """##
    ),
    (
      "supported-power-range",
      ##"""
      { struct: { lowest: i16, highest: i16, step: u16 } }

      """##
    ),
    (
      "supported-resistance-level-range",
      ##"""
      struct:
        lowest: { number: i16, decimals: 1 }
        highest: { number: i16, decimals: 1 }
        step: { number: u16, decimals: 1 }

      """##
    ),
    (
      "supported-speed-range",
      ##"""
      struct:
        lowest: { number: u16, decimals: 2, unit: km/h }
        highest: { number: u16, decimals: 2, unit: km/h }
        step: { number: u16, decimals: 2, unit: km/h }

      """##
    ),
    (
      "supported-unread-alert-category",
      ##"""
      alert-category-id-bit-mask

      """##
    ),
    (
      "system-id",
      ##"""
      { struct: { manufacturer: u40, organization: u24 } }

      """##
    ),
    (
      "temperature",
      ##"""
      { number: i16, decimals: 2, unit: °C }

      """##
    ),
    (
      "temperature-measurement",
      ##"""
      struct:
        flags:
          bits:
            unit: { names: { celsius: 0, fahrenheit: 1 }, as: u1 }
            time: 1
            type: 1
        temperature: { number: float, unit: °C or °F }
        time: { format: date-time, if: flags.time, clock: time }
        type: { format: temperature-type, if: flags.type }

      """##
    ),
    (
      "temperature-type",
      ##"""
      names:
        armpit: 1
        body: 2
        ear: 3
        finger: 4
        gastrointestinal-tract: 5
        mouth: 6
        rectum: 7
        toe: 8
        tympanum: 9

      """##
    ),
    (
      "three-zone-heart-rate-limits",
      ##"""
      { struct: { light-moderate: u8, moderate-hard: u8 } }

      """##
    ),
    (
      "time-accuracy",
      ##"""
      u8

      """##
    ),
    (
      "time-source",
      ##"""
      names: { unknown: 0, network: 1, gps: 2, radio: 3, manual: 4, atomic: 5, cellular: 6, not-synchronized: 7 }

      """##
    ),
    (
      "time-update-control-point",
      ##"""
      { names: { get: 1, cancel: 2 } }

      """##
    ),
    (
      "time-update-state",
      ##"""
      struct:
        state: { names: { idle: 0, pending: 1 } }
        result:
          names: { successful: 0, canceled: 1, no-connection: 2, error: 3, timed-out: 4, not-attempted: 5 }

      """##
    ),
    (
      "time-with-dst",
      ##"""
      struct:
        time: date-time
        dst: dst-offset

      """##
    ),
    (
      "time-zone",
      ##"""
      time-zone

      """##
    ),
    (
      "training-status",
      ##"""
      struct:
        flags:
          bits:
            text: 1
            extended: 1
        status:
          names:
            other: 0
            idle: 1
            warming-up: 2
            low-intensity-interval: 3
            high-intensity-interval: 4
            recovery-interval: 5
            isometric: 6
            heart-rate-control: 7
            fitness-test: 8
            speed-too-low: 9
            speed-too-high: 10
            cool-down: 11
            watt-control: 12
            manual: 13
            pre-workout: 14
            post-workout: 15
        text: { text: rest, if: flags.text }

      """##
    ),
    (
      "treadmill-data",
      ##"""
      struct:
        flags:
          bits: { more: 1, average-speed: 1, distance: 1, inclination: 1, elevation-gain: 1, pace: 1, average-pace: 1, energy: 1, heart-rate: 1, metabolic-equivalent: 1, elapsed: 1, remaining: 1, force: 1 }
        speed: { number: u16, decimals: 2, unit: km/h, unless: flags.more }
        average-speed: { number: u16, decimals: 2, unit: km/h, if: flags.average-speed }
        distance: { number: u24, unit: m, if: flags.distance }
        inclination: { number: i16, decimals: 1, unit: "%", special: { not-available: 32767 }, if: flags.inclination }
        ramp-angle: { number: i16, decimals: 1, unit: °, special: { not-available: 32767 }, if: flags.inclination }
        positive-elevation-gain: { number: u16, decimals: 1, unit: m, if: flags.elevation-gain }
        negative-elevation-gain: { number: u16, decimals: 1, unit: m, if: flags.elevation-gain }
        pace: { number: u8, decimals: 1, unit: km/min, if: flags.pace }
        average-pace: { number: u8, decimals: 1, unit: km/min, if: flags.average-pace }
        energy: { number: u16, unit: kcal, special: { not-available: 65535 }, if: flags.energy }
        energy-per-hour: { number: u16, unit: kcal, special: { not-available: 65535 }, if: flags.energy }
        energy-per-minute: { number: u8, unit: kcal, special: { not-available: 255 }, if: flags.energy }
        heart-rate: { number: u8, unit: beats per minute, if: flags.heart-rate }
        metabolic-equivalent: { number: u8, decimals: 1, if: flags.metabolic-equivalent }
        elapsed: { number: u16, unit: s, if: flags.elapsed }
        remaining: { number: u16, unit: s, if: flags.remaining }
        force: { number: i16, unit: N, special: { not-available: 32767 }, if: flags.force }
        power: { number: i16, unit: W, special: { not-available: 32767 }, if: flags.force }

      """##
    ),
    (
      "true-wind-direction",
      ##"""
      { number: u16, decimals: 2, unit: ° }

      """##
    ),
    (
      "true-wind-speed",
      ##"""
      { number: u16, decimals: 2, unit: m/s }

      """##
    ),
    (
      "two-zone-heart-rate-limit",
      ##"""
      u8

      """##
    ),
    (
      "tx-power-level",
      ##"""
      { number: i8, unit: dBm }

      """##
    ),
    (
      "udi-for-medical-devices",
      ##"""
      struct:
        flags: { bits: { label: 1, device-identifier: 1, issuer: 1, authority: 1 } }
        label: { text: terminated, if: flags.label }
        device-identifier: { text: terminated, if: flags.device-identifier }
        issuer: { text: terminated, if: flags.issuer }
        authority: { text: terminated, if: flags.authority }

      """##
    ),
    (
      "unread-alert-status",
      ##"""
      struct:
        category: alert-category-id
        count: { number: u8, special: { more: 255 } }

      """##
    ),
    (
      "user-index",
      ##"""
      { number: u8, special: { unknown: 255 } }

      """##
    ),
    (
      "uv-index",
      ##"""
      u8

      """##
    ),
    (
      "vo2-max",
      ##"""
      { number: u8, unit: mL/kg/min }

      """##
    ),
    (
      "waist-circumference",
      ##"""
      { number: u16, decimals: 2, unit: m }

      """##
    ),
    (
      "weight",
      ##"""
      { number: u16, multiply: 5, exponent: -3, unit: kg }

      """##
    ),
    (
      "weight-measurement",
      ##"""
      struct:
        flags:
          bits:
            unit: { names: { si: 0, imperial: 1 }, as: u1 }
            time: 1
            user: 1
            bmi: 1
        weight:
          number: u16
          multiply: 5
          exponent: -3
          unit: kg
          special: { unsuccessful: 65535 }
          other: { number: u16, decimals: 2, unit: lb, special: { unsuccessful: 65535 } }
          other-if: flags.unit
        time: { format: date-time, if: flags.time, clock: time }
        user: { number: u8, special: { unknown: 255 }, if: flags.user }
        bmi: { number: u16, decimals: 1, if: flags.bmi }
        height:
          number: u16
          decimals: 3
          unit: m
          other: { number: u16, decimals: 1, unit: in }
          other-if: flags.unit
          if: flags.bmi

      """##
    ),
    (
      "weight-scale-feature",
      ##"""
      bits:
        time: 1
        multiple-users: 1
        bmi: 1
        weight-resolution: { format: mass-resolution }
        height-resolution: { format: height-resolution }
      as: u32

      """##
    ),
    (
      "wind-chill",
      ##"""
      { number: i8, unit: °C }

      """##
    ),
  ]
}
