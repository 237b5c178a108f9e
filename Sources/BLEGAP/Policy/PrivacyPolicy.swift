import BLECore
import BLEHCI

/// Whether a host hides behind private addresses (Core 5.4 Vol 3 Part C 10.7), and who makes them.
public struct PrivacyPolicy: Hashable, Sendable {
  /// Whether it is on the air under resolvable private addresses; else under its identity address.
  public var isPrivate: Bool
  /// How long a private address is used. The specification recommends 15 minutes (TGAP(private_addr_int), Vol 3 Part C Appendix A).
  public var rotation: Duration
  /// Who makes resolvable private addresses.
  public var maker = Maker.host

  /// Who makes resolvable private addresses.
  public enum Maker: String, Hashable, Sendable, CaseIterable {
    /// The host, which works with every controller.
    case host
    /// The controller by its resolving list; one that cannot is of no use.
    case controller
    /// The controller where it can, else the host.
    case auto
  }

  /// The longest time after which a controller can change addresses (Core 5.4 Vol 4 Part E 7.8.45).
  public static let longestControllerRotation = Duration.seconds(0x0E10)

  /// A policy; by default that of a host that is on the air under its identity address.
  public init(isPrivate: Bool = false, rotation: Duration = .seconds(15 * 60)) {
    self.isPrivate = isPrivate
    self.rotation = rotation
  }
}

/// The addresses under which a host is on the air.
package struct OnAirAddresses: Hashable, Sendable {
  /// That of its identity, and the kind of that.
  package var identity: DeviceAddress
  package var identityType: OwnAddressType
  /// What stands for it; nil without privacy.
  package var resolvable: DeviceAddress?
  /// That of sets that nobody is to recognize; nil when there are none.
  package var nonResolvable: DeviceAddress?

  /// The addresses of a host without privacy.
  package init(identity: DeviceAddress, type: OwnAddressType) {
    self.identity = identity
    identityType = type
  }

  /// Under which address a set is on the air, and of which kind that is.
  func address(of kind: AdvertisingSetDefinition.AddressKind) -> (address: DeviceAddress, type: OwnAddressType) {
    switch kind {
    case .host: resolvable.map { ($0, .random) } ?? (identity, identityType)
    case .nonResolvable: nonResolvable.map { ($0, .random) } ?? (identity, identityType)
    }
  }
}

extension DeviceAddress {
  /// A non-resolvable private address whose random part comes from `random` (Core 5.4 Vol 6 Part B 1.3.2.2).
  public static func nonResolvablePrivate(random: inout some RandomNumberGenerator) -> DeviceAddress {
    // Neither all zeros nor all ones.
    DeviceAddress(bits: UInt64.random(in: 1...0x3FFF_FFFF_FFFE, using: &random))
  }
}
