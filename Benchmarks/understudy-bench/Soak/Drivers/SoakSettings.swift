import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT

/// How a soak is run.
struct SoakSettings: Hashable, Sendable {
  /// For how long sessions begin.
  var duration: Duration
  /// What everything random follows from.
  var seed: UInt64
  /// How many centrals there are, 1 to 4.
  var centrals: Int
  /// How much time lies between sessions.
  var pace: SoakPace

  /// Settings.
  init(duration: Duration, seed: UInt64 = 0, centrals: Int = 1, pace: SoakPace = .life) {
    self.duration = duration
    self.seed = seed
    self.centrals = centrals
    self.pace = pace
  }

  /// The most centrals that there can be.
  static var mostCentrals: Int { SoakService.slots }

  /// The profile with PSMs, and with room for the centrals.
  func prepared(_ profile: Profile) -> Profile {
    var random = SplitMix64(seed: seed)
    var profile = profile.assigningPSMs(random: &random)
    profile.connection.maximumConnections = max(centrals, knows(profile) ? 1 : profile.connection.maximumConnections)
    return profile
  }

  /// Whether an accessory is that of the profile `soak`.
  func knows(_ profile: Profile) -> Bool {
    profile.services.contains { $0.characteristics.contains { $0.uuid == SoakService.label } }
  }

  /// How the centrals are.
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
  /// How much time has passed in it.
  var elapsed: Duration
  /// What it has seen.
  var ledger: SoakLedger
}
