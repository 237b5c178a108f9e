import AccessoryProfile
import BLECore
import Testing
import VirtualRadio

@testable import Bench

/// The accessory of the ladder.
func throughputProfile() throws -> Profile {
  try Profile.load(contentsOf: #require(ShippedProfiles.path(named: "throughput")))
}

/// Returns the step with that number.
func step(_ number: Int) throws -> LadderStep { try #require(Ladder.steps.first { $0.number == number }) }

extension SimulatedLadder {
  /// Runs a step that must succeed.
  func transfer(_ number: Int, octets: Int) throws -> Transfer {
    try play(try step(number), octets: octets).outcome.get()
  }
}
