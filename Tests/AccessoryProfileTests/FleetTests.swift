import BLECore
import BLEGAP
import Testing

@testable import AccessoryProfile

@Suite("Fleets") struct FleetTests {
  private static let words = Fleet.Words(
    controller: { $0.hasPrefix("serial:") || $0 == "virtual" ? nil : "bad address '\($0)'" },
    preset: { $0 == "zephyr" ? nil : "no preset" }, impairment: { $0.hasPrefix("loss=") ? nil : "bad impairment" },
    join: { $0 == "pty" ? nil : "bad place" }, speed: { $0 == "fast" ? nil : "bad speed" })

  private func load(_ text: String, settings: [ProfileSetting] = []) throws(ProfileError) -> Fleet {
    try Fleet.load(text: text, file: "lab.yaml", words: Self.words, settings: settings)
  }

  private func faults(_ text: String) -> [String] {
    do throws(ProfileError) {
      _ = try load(text)
      return []
    } catch {
      return error.diagnostics.map { "\($0.file):\($0.line):\($0.column): \($0.message)" }
    }
  }

  @Test("Accessories have their names, seeds, controllers, faults and settings of their profiles")
  func members() throws {
    let fleet = try load(
      """
      understudy-fleet: 1
      name: Lab
      seed: 7
      controllers: { board: serial:/dev/ttyACM0 }
      accessories:
        - { profile: heart-rate, name: belt, set: { connection.mtu: 23, name: Belt 2 }, controller: board }
        - { profile: battery, name: sensor, count: 3, seed: 40, faults: [ { on: connected, do: { vanish: 1 s } } ] }
        - profile: { services: [ { uuid: FFF0, characteristics: [ { id: a, uuid: FFF1, properties: [read] } ] } ] }
      air: { preset: zephyr, impair: [ loss=20% ], join: [ pty ], speed: fast }
      """)
    #expect(fleet.seed == 7)
    #expect(fleet.members.map(\.name) == ["belt", "sensor-1", "sensor-2", "sensor-3", nil])
    #expect(fleet.members.map(\.seed) == [nil, 40, 41, 42, nil])
    #expect(fleet.members.map(\.controller) == ["serial:/dev/ttyACM0", "virtual", "virtual", "virtual", "virtual"])
    #expect(fleet.members.map(\.faults.count) == [0, 1, 1, 1, 0])
    #expect(fleet.members[0].profile.connection.mtu == 23 && fleet.members[0].profile.name == "Belt 2")
    #expect(fleet.air == Fleet.Air(preset: "zephyr", impairments: ["loss=20%"], joins: ["pty"], speed: "fast"))
  }

  @Test("The command line's settings come last, for every profile")
  func settings() throws {
    let fleet = try load(
      """
      understudy-fleet: 1
      name: Lab
      accessories: [ { profile: heart-rate, set: { connection.mtu: 23 } }, { profile: battery } ]
      """, settings: [ProfileSetting("connection.mtu", "100")])
    #expect(fleet.members.map(\.profile.connection.mtu) == [100, 100])
  }

  @Test("Errors have the right position, including those in settings")
  func errors() {
    let found = faults(
      """
      understudy-fleet: 1
      name: Lab
      controllers: { board: nothing }
      accessories:
        - { profile: heart-rat }
        - { profile: battery, count: 2001 }
        - { profile: battery, controller: bord }
        - { profile: battery, set: { connection.mtu: many } }
        - { profile: battery, set: { services.nothing.value: 1 } }
        - { profile: battery, name: a b }
        - { profil: battery }
        - { profile: battery, faults: [ { on: { read: nothing }, do: disconnect } ] }
      air: { preset: none, impair: [ x ], speed: slow, join: [ here ] }
      """)
    for expected in [
      "lab.yaml:3:23: bad address 'nothing'",
      "lab.yaml:5:16: there is no shipped profile 'heart-rat', did you mean 'heart-rate'?",
      "lab.yaml:6:32: 2001 is not within 1...2000",
      "lab.yaml:7:37: bad address 'bord', did you mean 'board'? (known: board)",
      "lab.yaml:10:31: a name consists of letters, digits, '-' and '_', not 'a b'",
      "lab.yaml:11:7: unknown key 'profil', did you mean 'profile'? (known: profile, name, count, set, seed, controller, faults)",
      "lab.yaml:13:16: no preset",
      "lab.yaml:13:32: bad impairment", "lab.yaml:13:44: bad speed", "lab.yaml:13:58: bad place",
    ] { #expect(found.contains(expected), "\(expected) in \(found.joined(separator: "\n"))") }
    #expect(found.contains { $0.hasPrefix("lab.yaml:8:") && $0.contains("many") })
    #expect(found.contains { $0.hasPrefix("lab.yaml:9:") && $0.contains("nothing") })
    #expect(found.contains { $0.hasPrefix("lab.yaml:12:") })
  }

  @Test("A fleet is not larger than a radio, and not empty")
  func size() {
    let large = faults(
      """
      understudy-fleet: 1
      name: Lab
      accessories:
        - { profile: battery, count: 2000 }
        - { profile: battery }
      """)
    #expect(large == ["lab.yaml:5:5: a fleet has at most 2000 accessories"])
    #expect(faults("understudy-fleet: 1\nname: Lab\naccessories: []\n").count == 1)
  }

  @Test("The schema has the keys of fleets, and of the profiles in them")
  func schema() {
    let json = ProfileSchema.fleet.json
    for word in ["understudy-fleet", "fleet-accessory", "fleet-air", "advertising-set"] { #expect(json.contains(word)) }
  }
}
