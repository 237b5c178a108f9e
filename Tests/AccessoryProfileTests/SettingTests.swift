import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT
import Glibc
import Testing

@Suite("Settings")
struct SettingTests {
  private static let text = """
    understudy: 1
    parameters: { rate: 72, owner: { default: Anna, about: whose it is }, uuids: [180F] }
    name: Belt of $owner
    about: costs $$5
    advertising: [ { id: main, data: { services: $uuids } } ]
    services:
      - include: heart-rate
        measurement: { bpm: $rate }
      - include: battery
    """

  private func load(_ settings: String...) throws -> Profile {
    try Profile.load(text: Self.text, settings: settings.compactMap { ProfileSetting(parsing: $0) })
  }

  private func value(_ id: String, of profile: Profile) -> ProfileValue? {
    let runtime = ProfileRuntime(profile: profile)
    return runtime.index(of: id).map { runtime.typedValue(of: $0, at: .zero) }
  }

  @Test func parametersHaveDefaults() throws {
    let profile = try load()
    #expect(profile.name == "Belt of Anna" && profile.about == "costs $5")
    #expect(
      value("heart-rate-measurement", of: profile) == .object(["bpm": .int(72), "contact": .string("unsupported")]))
    #expect(profile.advertising[0].data.contains(0x0F))
  }

  @Test func theyAndAllOtherKeysCanBeSet() throws {
    let profile = try load(
      "rate=90", "owner=Ben", "connection.mtu=23", "services.battery.level=50", "advertising.main.interval=100 ms",
      "services.0.measurement.description=Pulse", "services.heart-rate.body-sensor-location.value=wrist")
    #expect(profile.name == "Belt of Ben" && profile.connection.mtu == 23)
    #expect(value("battery-level", of: profile) == .int(50))
    #expect(
      value("heart-rate-measurement", of: profile) == .object(["bpm": .int(90), "contact": .string("unsupported")]))
    #expect(value("body-sensor-location", of: profile) == .string("wrist"))
    #expect(profile.services[0].characteristics[0].descriptors.count == 1)
  }

  @Test func oneFieldOfAnIncludeCanBeSetAlone() throws {
    let profile = try profile(
      "services: [ { include: heart-rate, set: { measurement.value.bpm: 61, control-point.on-write.0.do: log } } ]")
    let runtime = ProfileRuntime(profile: profile)
    let index = try #require(runtime.index(of: "heart-rate-measurement"))
    guard case .object(let fields) = runtime.typedValue(of: index, at: .zero) else {
      Issue.record("no fields")
      return
    }
    #expect(fields["bpm"] == .int(61) && fields["contact"] == .string("detected"))
    #expect(profile.behaviors[2].writeRules.first?.effects == [.log])
  }

  @Test(arguments: [
    ("rate=many", "--set rate=many:1:1: error: "),
    ("services.battry.level=5", "this list has no member 'battry', did you mean 'battery'?"),
    ("name.first=x", "there is no 'first' in 'Belt of $owner'"),
    ("connection.mtv=23", "--set connection.mtv=23:1:1: error: unknown key 'mtv'"),
    ("connection.mtu=99999", "--set connection.mtu=99999:1:1: error: 99999 is not within 23...517"),
    ("parameters.rat=1", "unknown"),
  ])
  func mistakesAreToldAtTheSetting(_ setting: String, _ expected: String) {
    do {
      _ = try load(setting)
      #expect(setting == "parameters.rat=1")
    } catch {
      #expect("\(error)".contains(expected), "\(error)")
    }
  }

  @Test func whatIsNoSettingIsNone() {
    for text in ["", "x", "=1", "a..b=1"] { #expect(ProfileSetting(parsing: text) == nil) }
    #expect(ProfileSetting(parsing: "a.b=c=d") == ProfileSetting("a.b", "c=d"))
  }

  @Test func unknownParametersAreErrors() {
    #expect(
      diagnose("understudy: 1\nname: $nam\nparameters: { name: x }") == [
        "2:7: error: there is no parameter 'nam', did you mean 'name'? (known: name)"
      ])
  }
}

@Suite("Recordings and noise")
struct RecordingTests {
  /// Returns a profile in a folder with a recording.
  private func played(_ recording: String, _ value: String) throws -> ProfileRuntime {
    let folder = "/tmp/understudy-recording-\(UInt32.random(in: 0...(.max)))"
    mkdir(folder, 0o700)
    defer { for name in ["/ride.csv", ""] { remove(folder + name) } }
    try FileText.write(recording, "\(folder)/ride.csv")
    let text =
      "understudy: 1\nname: Ride\nservices: [ { uuid: FFF0, characteristics: [ { id: x, uuid: FFF1, properties: [read], format: i16, value: \(value) } ] } ]"
    return ProfileRuntime(profile: try Profile.load(text: text, file: "\(folder)/ride.yaml"))
  }

  @Test func rowsCountFromTheirTimesOn() throws {
    let recording = "t,watts\n# a comment\n0, 100\n2.5, 200\n4, -3\n"
    var runtime = try played(recording, "{ replay: ride.csv, column: watts, time: t }")
    func value(at milliseconds: Int64) -> Double? {
      runtime.typedValue(of: CharacteristicIndex(0), at: .ms(milliseconds)).number
    }
    #expect([0, 2499, 2500, 4000, 5499, 5500, 8000].map { value(at: $0) } == [100, 100, 200, -3, -3, 100, 200])
    runtime = try played(recording, "{ replay: ride.csv, column: watts, repeat: false, every: 1 s }")
    #expect([0, 1000, 2000, 60_000].map { value(at: $0) } == [100, 200, -3, -3])
  }

  @Test(arguments: [
    ("a,b\n1,2", "{ replay: ride.csv }", "the recording has several columns; name one in 'column' (known: a, b)"),
    ("a,b\n1,2", "{ replay: ride.csv, column: c }", "the recording has no column 'c'"),
    ("a,b\n1", "{ replay: ride.csv, column: a }", "line 2 of the recording has 1 columns, but the first has 2"),
    ("a\n1\nx", "{ replay: ride.csv }", "expected a whole number, not 'x'"),
    ("a\n99999", "{ replay: ride.csv }", "99999 is not within"),
    ("a", "{ replay: ride.csv }", "the recording has no values"),
    (
      "t,a\n1,1\n1,2", "{ replay: ride.csv, column: a, time: t }",
      "line 3 of the recording is not later than the one before"
    ),
    ("a\n1", "{ replay: rode.csv }", "rode.csv: cannot be read"),
  ])
  func mistakes(_ recording: String, _ value: String, _ expected: String) {
    do {
      _ = try played(recording, value)
      Issue.record("it loads")
    } catch {
      #expect("\(error)".contains(expected), "\(error)")
    }
  }

  @Test func noiseStraysNoFartherThanItSays() throws {
    let quiet = ProfileRuntime(
      profile: try characteristic(
        "properties: [read], format: i16, value: { ramp: { from: 0, to: 1000, over: 100 s } }"))
    let noisy = ProfileRuntime(
      profile: try characteristic(
        "properties: [read], format: i16, value: { ramp: { from: 0, to: 1000, over: 100 s }, noise: 20 }"))
    var differences: Set<Double> = []
    for second in 0..<100 {
      let (a, b) = both(quiet, noisy, at: .ms(Int64(second) * 1000))
      #expect(abs(a - b) <= 20)
      differences.insert(a - b)
    }
    #expect(differences.count > 10)
  }

  @Test func aSmallChangeIsNotSent() throws {
    let profile = try characteristic("properties: [read, notify], format: u8, value: 10, notify: { change: 5 }")
    var runtime = ProfileRuntime(profile: profile)
    let x = CharacteristicIndex(0)
    runtime.subscribe("x", notified: 1, at: .zero)
    var sent: [Int64] = []
    for number in [10, 13, 14, 15, 19, 20, 16, 15] as [Int64] {
      if try runtime.set(x, to: .int(number), at: .zero).contains(.notify(x)) { sent.append(number) }
    }
    #expect(sent == [15, 20, 15])
  }
}

private func both(_ first: ProfileRuntime, _ second: ProfileRuntime, at now: Instant) -> (Double, Double) {
  let x = CharacteristicIndex(0)
  return (first.typedValue(of: x, at: now).number ?? .nan, second.typedValue(of: x, at: now).number ?? .nan)
}
