import AccessoryProfile
import BLECore
import Testing

/// The values of shipped profiles at certain times, compared with octets that were computed by hand from the services' specifications.
@Suite("Values of shipped profiles")
struct ShippedValueTests {
  struct Sample: CustomTestStringConvertible, Sendable {
    var profile: String
    var characteristic: String
    /// Seconds after the start, which is 2024-02-29T18:00:00+01:00 in summer time.
    var second: Int64
    var octets: String

    init(_ profile: String, _ characteristic: String, at second: Int64 = 0, _ octets: String) {
      (self.profile, self.characteristic, self.second, self.octets) = (profile, characteristic, second, octets)
    }

    var testDescription: String { "\(profile) \(characteristic) at \(second) s" }
  }

  private static let clock = WallClock(
    nanosecondsAtZero: 1_709_222_400_000_000_000, standardOffsetMinutes: 60, daylightSavingMinutes: 60)

  private static let samples: [Sample] = [
    // Health Thermometer Service 1.0 3.1: flags (time, type), FLOAT in tenths, Date Time, the ear. Half-way up a sine: 37.8 °C;
    // a quarter of an hour later at its top: 39.2 °C.
    Sample("health-thermometer", "measurement", "06 7a0100ff e807021d120000 03"),
    Sample("health-thermometer", "measurement", at: 900, "06 880100ff e807021d120f00 03"),
    // 3.3: flags (type), 31 °C at first.
    Sample("health-thermometer", "intermediate", "04 1f000000 03"),
    Sample("health-thermometer", "intermediate", at: 3, "04 5d0100ff 03"),
    Sample("health-thermometer", "interval", "0500"),
    // Blood Pressure Service 1.0 3.1: time, pulse, user and status; 130, 80.5 (81) and 97 mmHg at the start of a sine.
    Sample("blood-pressure", "cuff", "08 0000 ff07 ff07 01"),
    Sample("blood-pressure", "cuff", at: 15, "08 5a00 ff07 ff07 01"),
    // Weight Scale Service 1.0 3.2: 61.2 kg in steps of 5 g, time, user, body mass index 22.5, 1.65 m.
    Sample("weight-scale", "measurement", "0e d02f e807021d120000 02 e100 7206"),
    // Body Composition Service 1.0 3.2: bits 1 to 9 but not weight and height; 23.5 %, user 2, 1550 + 61.2 * 75 = 6140 kJ,
    // 42.25 (42.2, or 42.3 % if rounded up), 25.857, 46.818, 44.4771 and 34.17714 kg in steps of 5 g, 512.5 ohm.
    Sample("weight-scale", "composition", "fe03 eb00 e807021d120000 02 fc17 a701 3314 9424 bf22 b31a 0514"),
    // Pulse Oximeter Service 1.0.1 3.2: status and amplitude; 96 % and 69 per minute half-way up.
    Sample("pulse-oximeter", "continuous", "14 6000 4500 2000 0400"),
    // Continuous Glucose Monitoring Service 1.0.1 3.1: ten octets, trend and quality, 130 mg/dL in minute 30.
    Sample("continuous-glucose", "measurement", "0a 03 8200 1e00 0200 6100"),
    Sample("continuous-glucose", "measurement", at: 120, "0a 03 8600 2000 0200 6300"),
    // After 60 minutes 190 mg/dL, above the patient's high level of 180.
    Sample("continuous-glucose", "measurement", at: 1800, "0b 23 be00 3c00 02 0200 6100"),
    Sample("continuous-glucose", "status", at: 60, "1f00 00 00 00"),
    // Cycling Speed and Cadence Service 1.0 3.1: five wheel revolutions per second, three crank revolutions per two seconds.
    Sample("cycling", "measurement", at: 10, "03 32000000 0028 0f00 0028"),
    // Event times wrap around after 64 s: 65 s are 1 s.
    Sample("cycling", "measurement", at: 65, "03 45010000 0004 6000 0000"),
    // Cycling Power Service 1.1 3.3: crank, first angle, forces and tangential.
    Sample("cycling-power", "vector", at: 4, "17 0600 0010 0000 2800 b400 2201 d200 3c00 f6ff e7ff fbff"),
    Sample("cycling-power", "feature", "8ffa1e00"),
    // Running Speed and Cadence Service 1.0 3.1: 3 m/s in 1/256, 170 per minute, 2.12 m in cm, 3 m a second in dm.
    Sample("running-speed", "measurement", "07 0003 aa d400 00000000"),
    Sample("running-speed", "measurement", at: 10, "07 0003 aa d400 2c010000"),
    // Walking: 1.4 m/s, 110 per minute, 1.53 m; 149 whole seconds at 3 m and 10 at 1.4 m.
    Sample("running-speed", "measurement", at: 160, "03 6601 6e 9900 02120000"),
    // Fitness Machine Service 1.0 4.9: nothing moves until the ride starts.
    Sample("fitness-machine", "bike", "7609 0000 0000 0000 000000 0200 0000 0000ffffff 0000"),
    Sample("fitness-machine", "training", "00 01"),
    // Location and Navigation Service 1.0 3.2: 5 m/s, at 52.52° and 13.402°, 34 m high, to the north, and the time in UTC.
    Sample("location-navigation", "location", "df06 f401 000000 80ea4d1f a0fbfc07 480d00 0000 e807021d100000"),
    Sample("location-navigation", "feature", "df2c1c00"),
    // Battery Service 1.1 3.2: identifier, level and additional status; discharging, good, not wired, present.
    Sample("battery-status", "battery-level-status", "07 c100 0601 3c 00"),
    Sample("battery-status", "battery-level-status", at: 20, "07 c100 0601 32 00"),
    // At 5 %, after 110 s, it is critical, and 5 s later wired, charging with a constant current from 3 % on.
    Sample("battery-status", "battery-level-status", at: 112, "07 c101 0601 04 00"),
    Sample("battery-status", "battery-critical-status", at: 112, "01"),
    Sample("battery-status", "battery-level-status", at: 160, "07 a302 0601 30 00"),
    // 3.7: minutes until it is empty, on standby, and until it is full.
    Sample("battery-status", "battery-time-status", "03 680100 100e00 280000"),
    // Environmental Sensing Service 1.0 3.1: half-way up: 21 °C, 5 °C; 1,008 hPa in 0.1 Pa.
    Sample("environmental-sensing", "inside", "3408"),
    Sample("environmental-sensing", "outside", "f401"),
    Sample("environmental-sensing", "pressure", "80610f00"),
    // Reference Time Update Service 1.0, Next DST Change Service 1.0.
    Sample("current-time", "time-update-state", "00 05"),
    Sample("current-time", "time-with-dst", "e9070a1a010000 00"),
    Sample("current-time", "current-time", "e807021d120000 04 00 00"),
  ]

  @Test("At a time", arguments: samples)
  func values(_ sample: Sample) throws {
    let path = try #require(ShippedProfiles.path(named: sample.profile))
    var runtime = ProfileRuntime(profile: try Profile.load(contentsOf: path), clock: Self.clock)
    let end = Instant.ms(sample.second * 1000)
    _ = runtime.run(until: end)
    let index = try #require(runtime.index(of: sample.characteristic))
    let octets = try #require(runtime.presentValue(of: index, at: end))
    #expect(octets.hexadecimal == sample.octets.filter { $0 != " " })
    #expect(runtime.takeRuleReports().allSatisfy { if case .failed = $0 { false } else { true } })
  }
}
