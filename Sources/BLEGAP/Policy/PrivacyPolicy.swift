import BLECore
import BLEHCI

/// Whether a host uses private addresses (Core 5.4 Vol 3 Part C 10.7), and what generates them.
public struct PrivacyPolicy: Hashable, Sendable {
  /// Whether the host advertises with resolvable private addresses instead of its identity address.
  public var isPrivate: Bool
  /// How long a private address is used. The specification recommends 15 minutes (TGAP(private_addr_int), Vol 3 Part C Appendix A).
  public var rotation: Duration
  /// The part that generates resolvable private addresses.
  public var maker = Maker.host

  /// The part that generates resolvable private addresses.
  public enum Maker: String, Hashable, Sendable, CaseIterable {
    /// The host. This works with every controller.
    case host
    /// The controller, with its resolving list. A controller without that ability cannot be used.
    case controller
    /// The controller if it can, otherwise the host.
    case auto
  }

  /// The longest time for which a controller can use an address (Core 5.4 Vol 4 Part E 7.8.45).
  public static let longestControllerRotation = Duration.seconds(0x0E10)

  /// Creates a policy. By default the host advertises with its identity address.
  public init(isPrivate: Bool = false, rotation: Duration = .seconds(15 * 60)) {
    self.isPrivate = isPrivate
    self.rotation = rotation
  }
}

/// The addresses with which a host advertises.
package struct OnAirAddresses: Hashable, Sendable {
  /// The identity address. `identityType` says how commands name it.
  package var identity: DeviceAddress
  package var identityType: OwnAddressType
  /// The resolvable private address that stands for the identity; nil without privacy.
  package var resolvable: DeviceAddress?
  /// The non-resolvable private address; nil when no set needs one.
  package var nonResolvable: DeviceAddress?

  /// Creates the addresses of a host without privacy.
  package init(identity: DeviceAddress, type: OwnAddressType) {
    self.identity = identity
    identityType = type
  }

  /// Returns the address and the address type that a set of this kind uses.
  func address(of kind: AdvertisingSetDefinition.AddressKind) -> (address: DeviceAddress, type: OwnAddressType) {
    switch kind {
    case .host: resolvable.map { ($0, .random) } ?? (identity, identityType)
    case .nonResolvable: nonResolvable.map { ($0, .random) } ?? (identity, identityType)
    }
  }
}

extension DeviceAddress {
  /// Returns a non-resolvable private address whose random part comes from `random` (Core 5.4 Vol 6 Part B 1.3.2.2).
  public static func nonResolvablePrivate(random: inout some RandomNumberGenerator) -> DeviceAddress {
    // The random part must be neither all zeros nor all ones.
    DeviceAddress(bits: UInt64.random(in: 1...0x3FFF_FFFF_FFFE, using: &random))
  }
}
