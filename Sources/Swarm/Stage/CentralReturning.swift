import BLECore
import BLECryptography
import BLELink
import BLESMP
import CentralHost
import Simulation
import UnderstudyTesting
import VirtualRadio

/// Joining the air, and coming back.
extension CentralDriver {
  /// Returns the random static address of the central with this number.
  static func address(of number: Int) -> DeviceAddress { .randomStatic(from: 0xCE00 + UInt64(number)) }

  /// Returns the public address of the central with this number, if its controller has BR/EDR.
  static func publicAddress(of number: Int) -> DeviceAddress { DeviceAddress(bits: 0x00A0_9613_0000 + UInt64(number)) }

  /// Returns a controller with that address.
  static func controller(with address: DeviceAddress?, isDual: Bool) -> ControllerConfiguration {
    guard isDual, let address else { return .full }
    return .dual.with(publicAddress: address)
  }

  /// Returns the configuration of the central with this number. `visit` is the number of times that it has come back.
  static func configuration(
    _ kind: CentralKind, number: Int, visit: Int, publicAddress: DeviceAddress? = nil, isDual: Bool = false
  )
    -> CentralConfiguration
  {
    var configuration = CentralConfiguration()
    configuration.usesClassic = isDual
    configuration.randomAddress = address(of: number)
    configuration.security.isPairable = true
    configuration.security.distributes = [.encryption, .identity, .signing]
    configuration.security.wants = [.encryption, .identity, .signing]
    configuration.enhancedBearers = 2
    switch kind {
    case .phone:
      configuration.security.ioCapability = .keyboardDisplay
      configuration.security.prefersAuthentication = true
    case .old: configuration.security.secureConnections = .none
    case .liar: configuration.identityAddress = TypedAddress(address: address(of: 0), isRandom: true)
    case .roamer, .anonymous:
      var random = SplitMix64(seed: UInt64(number)).generator(for: "identity")
      let key = IdentityResolvingKey(random: &random)
      for _ in 0...visit { configuration.randomAddress = key.makeAddress(random: &random) }
      configuration.identityResolvingKey = key.octets
      configuration.identityAddress = TypedAddress(address: address(of: number), isRandom: true)
      if kind == .anonymous {
        configuration.security.distributes?.remove(.identity)
      } else {
        configuration.security.ioCapability = .keyboardDisplay
        configuration.security.prefersAuthentication = true
      }
    case .plain, .hostile: break
    }
    if let publicAddress {
      configuration.identityAddress = TypedAddress(address: publicAddress, isRandom: false)
      configuration.security.distributes?.insert(.link)
      configuration.security.wants.insert(.link)
    }
    return configuration
  }

  /// Leaves the air without disconnecting, and comes back on another controller with the same bonds. The accessory
  /// has two links to one peer until the old one times out.
  func comeBack(on stage: SwarmStage) throws {
    let old = host
    stage.simulation.remove(old)
    visits += 1
    let fresh = try stage.simulation.addCentral(
      Self.configuration(kind, number: number, visit: visits, publicAddress: publicAddress, isDual: isDual),
      on: Self.controller(with: publicAddress, isDual: isDual))
    fresh.stack.bonds = old.stack.bonds
    old.observer = nil
    host = fresh
    linkEnded()
    host.observer = { [unowned self] events in take(events) }
    try host.start()
  }
}
