import AccessoryProfile
import BLEGAP
import Testing

@testable import Linting

@Suite("Lint: estimates")
struct EstimateTests {
  private static func cost(_ lines: String, mtu: Int) throws -> DiscoveryCost {
    let text = "understudy: 1\nname: Lamp\nconnection: { mtu: \(mtu) }\n\(lines)"
    return try #require(try Linter().lint(text: text, file: "lamp.yaml").costs.discovery)
  }

  /// GAP with two characteristics, GATT without, and one service with a characteristic, its configuration and a description.
  @Test func requestsAreCounted() throws {
    let lines =
      "services: [ { uuid: FFF0, characteristics: [ { uuid: FFF1, properties: [notify], value: hex:00, description: A } ] } ]"
    // Entries of 16-bit services have 6 octets. The last request for services, and for the characteristics of two services, finds no more.
    #expect(try Self.cost(lines, mtu: 517) == DiscoveryCost(services: 2, characteristics: 4, descriptors: 1))
    // At an MTU of 23, a response holds three services, or five descriptors.
    #expect(try Self.cost(lines, mtu: 23) == DiscoveryCost(services: 2, characteristics: 4, descriptors: 1))
  }

  @Test func oneResponseHasUUIDsOfOneSize() throws {
    let long = { (number: Int) in "{ uuid: A000000\(number)-7C4D-4B0E-9E4B-1F6E2A1B9C00, characteristics: [] }" }
    let short = { (number: Int) in "{ uuid: FFF\(number), characteristics: [] }" }
    let mixed = "services: [ \(long(1)), \(short(1)), \(long(2)), \(short(2)) ]"
    // One response for GAP and GATT, four for the services, and the last one.
    #expect(try Self.cost("gatt: { order: as-declared }\n" + mixed, mtu: 517).services == 6)
    #expect(try Self.cost(mixed, mtu: 517).services == 3)
  }

  /// The charge is the sum of times and currents: 16 octets around 31 octets of data, and 190 µs of listening, on each channel.
  @Test func theCurrentOfAnAdvertisingSet() {
    let set = AdvertisingSetDefinition(id: "main", data: [UInt8](repeating: 0, count: 31))
    let charge = PowerEstimate.charge(ofEventOf: set)
    #expect(abs(charge - (3 * (376 * 5.3 + 190 * 5.4) / 1000 + 3)) < 1e-9)
    let fast = PowerEstimate.current(of: set, interval: .milliseconds(20))
    let slow = PowerEstimate.current(of: set, interval: .microseconds(1_022_500))
    #expect((400...600).contains(fast) && (8...20).contains(slow))
    #expect(PowerEstimate.days(at: 93.75) == 100)
  }
}
