import AccessoryProfile
import BLECore
import BLEGAP
import PeripheralHost

/// The stored identity of an accessory, which does not depend on its controller.
struct StoredIdentity: Hashable, Sendable {
  /// Its random static address; nil if the profile uses the controller's public one.
  var address: DeviceAddress?
  /// Its Identity Resolving Key, 16 octets, least significant first.
  var identityResolvingKey: [UInt8]
  /// How many times the identity was rotated.
  var rotations: Int64 = 0

  /// Creates the identity of an accessory that has none yet: the address from its profile, and a random key.
  init(of profile: Profile, seed: UInt64, random: inout some RandomNumberGenerator) {
    address = profile.identity.randomAddress(seed: seed)
    identityResolvingKey = random.octets(16)
  }

  /// Adopts the stored identity, except the address if the profile fixes it or uses the controller's own.
  mutating func adopt(_ stored: StoredIdentity, policy: IdentityPolicy) {
    let fixed = address
    self = stored
    if case .derivedStatic = policy, stored.address != nil { return }
    address = fixed
  }

  /// Changes to a new identity. An address that the profile fixes or that is the controller's own stays.
  mutating func rotate(_ policy: IdentityPolicy, random: inout some RandomNumberGenerator) {
    rotations += 1
    identityResolvingKey = random.octets(16)
    if case .derivedStatic = policy { address = .randomStatic(from: random.next()) }
  }
}

extension IdentityPolicy {
  /// Why the identity cannot be rotated, and what to do about it; nil if it can.
  package var reasonToStay: String? {
    switch self {
    case .derivedStatic: nil
    case .fixedStatic(let address):
      "the profile sets the address \(address), so there is no new identity: use `identity: { address: static }`, or "
        + "change the address in the profile"
    case .publicAddress:
      "the profile uses the controller's public address, so there is no new identity: use "
        + "`identity: { address: static }`, or another controller"
    }
  }
}

extension StoredIdentity {
  var json: [String: ProfileValue] {
    [
      "address": address.map { .string($0.description) } ?? .null, "irk": .string(identityResolvingKey.hexadecimal),
      "rotations": .int(rotations),
    ]
  }

  init(json fields: [String: ProfileValue]) throws(ProfileValueError) {
    var reading = FieldReading(fields)
    address = try reading.address("address")
    guard let key = try reading.octets("irk", count: 16) else { throw ProfileValueError("irk is missing") }
    if let address, !address.isValidRandomStatic { throw ProfileValueError("address is not a random static address") }
    identityResolvingKey = key
    rotations = try reading.integer("rotations", in: 0...Int64.max)
    // This field is only for people who look into the folder.
    _ = try reading.text("profile")
    try reading.finish()
  }
}

extension Profile {
  /// Returns the name of the folder for the state of an accessory of this profile. It is readable, and
  /// different for each address that the profile can have.
  package func stateFolderName(seed: UInt64) -> String {
    let text =
      switch identity {
      case .derivedStatic(let text): "derived \(text)"
      case .fixedStatic(let address): "fixed \(address)"
      default: "public \(name)"
      }
    let digits = SplitMix64.seed(seed, for: text).littleEndianOctets.prefix(4).hexadecimal
    return "\(Self.slug(name))-\(digits)"
  }

  /// Returns a name in lowercase letters and digits, with single hyphens between them.
  private static func slug(_ name: String) -> String {
    var slug = ""
    for scalar in name.lowercased().unicodeScalars.prefix(40) {
      if scalar.isASCII, scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) {
        slug.unicodeScalars.append(scalar)
      } else if !slug.hasSuffix("-") {
        slug += "-"
      }
    }
    while slug.hasSuffix("-") { slug.removeLast() }
    while slug.hasPrefix("-") { slug.removeFirst() }
    return slug.isEmpty ? "accessory" : slug
  }
}
