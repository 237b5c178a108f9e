import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT

/// How a soak is run.
struct SoakSettings: Hashable, Sendable {
  /// How long new sessions begin.
  var duration: Duration
  /// The seed for everything random.
  var seed: UInt64
  /// How many centrals there are, 1 to 4.
  var centrals: Int
  /// How much time passes between sessions.
  var pace: SoakPace

  /// Makes settings.
  init(duration: Duration, seed: UInt64 = 0, centrals: Int = 1, pace: SoakPace = .life) {
    self.duration = duration
    self.seed = seed
    self.centrals = centrals
    self.pace = pace
  }

  /// The most centrals that a soak can have.
  static var mostCentrals: Int { SoakService.slots }

  /// Returns the profile with PSMs, and with room for the centrals.
  func prepared(_ profile: Profile) -> Profile {
    var random = SplitMix64(seed: seed)
    var profile = profile.assigningPSMs(random: &random)
    profile.connection.maximumConnections = max(centrals, knows(profile) ? 1 : profile.connection.maximumConnections)
    return profile
  }

  /// Returns whether an accessory has the profile `soak`.
  func knows(_ profile: Profile) -> Bool {
    profile.services.contains { $0.characteristics.contains { $0.uuid == SoakService.label } }
  }

  /// Returns the configuration of the centrals.
  func central(
    peer: DeviceAddress, type: AddressType, profile: Profile, ends: [SoakEnd], toleratesLoss: Bool
  ) -> SoakCentral.Configuration {
    SoakCentral.Configuration(
      peer: peer, peerType: type, seed: seed, pace: pace, ends: ends, knowsAccessory: knows(profile),
      toleratesLoss: toleratesLoss, hasRivals: centrals > 1)
  }
}

/// How far a soak has come.
struct SoakProgress: Sendable {
  /// How much time has passed in the soak.
  var elapsed: Duration
  /// What the soak has seen.
  var ledger: SoakLedger
}
