import AccessoryProfile
import Testing

/// The accessory of the ladder.
func throughputProfile() throws -> Profile {
  try Profile.load(contentsOf: #require(ShippedProfiles.path(named: "throughput")))
}
