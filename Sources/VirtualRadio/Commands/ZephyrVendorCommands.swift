import BLECore
import BLEHCI

extension CommandTable {
  /// Zephyr hci_vs.h.
  static let zephyrVendorCommands: [CommandEntry] = [
    complete(ZephyrReadVersionInformation.self) { _, _ in
      ZephyrReadVersionInformation.ReturnParameters()
    },
    // The commands in this table, as a build with dynamic transmit power reports them.
    complete(ZephyrReadSupportedCommands.self) { _, _ in
      ZephyrReadSupportedCommands.ReturnParameters {
        $0.commands = [0xA3, 0x61] + [UInt8](repeating: 0, count: 62)
      }
    },
    plain(ZephyrWriteBDADDR.self) { controller, command in controller.publicAddress = command.address },
    complete(ZephyrReadBuildInformation.self) { controller, _ in
      ZephyrReadBuildInformation.ReturnParameters {
        $0.text = Array(controller.configuration.buildInformation.utf8) + [0]
      }
    },
    complete(ZephyrReadStaticAddresses.self) { controller, _ in
      ZephyrReadStaticAddresses.ReturnParameters { $0.addresses = [controller.burntInAddress] }
    },
    complete(ZephyrWriteTxPowerLevel.self) { controller, command throws(Refusal) in
      let power = controller.configuration.selectedPower(command.txPowerLevel)
      try controller.setTransmitPower(power, of: command.handleType, command.handle)
      return ZephyrWriteTxPowerLevel.ReturnParameters {
        $0.handleType = command.handleType
        $0.handle = command.handle
        $0.selectedTxPowerLevel = power
      }
    },
    complete(ZephyrReadTxPowerLevel.self) { controller, command throws(Refusal) in
      let power = try controller.transmitPower(of: command.handleType, command.handle)
      return ZephyrReadTxPowerLevel.ReturnParameters {
        $0.handleType = command.handleType
        $0.handle = command.handle
        $0.txPowerLevel = power
      }
    },
  ]
}

extension VirtualController {
  /// The random static address and the identity root that the chip has from the factory.
  fileprivate var burntInAddress: ZephyrStaticAddress {
    var factory = SplitMix64(seed: SplitMix64.seed(air.configuration.seed, for: "chip \(id.rawValue)"))
    var entry = ZephyrStaticAddress()
    entry.address = .randomStatic(from: factory.next())
    entry.identityRoot = (0..<16).map { _ in UInt8(truncatingIfNeeded: factory.next()) }
    return entry
  }

  /// Returns the set with this handle. Handle 0 names legacy advertising where that is in use.
  private func setKey(_ handle: UInt16) throws(Refusal) -> SetKey {
    if state.family != .extended {
      guard handle == 0 else { throw Refusal(.unknownAdvertisingIdentifier) }
      changeLegacySet { _ in }
      return .legacy
    }
    guard let handle = UInt8(exactly: handle) else { throw Refusal(.unknownAdvertisingIdentifier) }
    return state.sets[try indexOfSet(handle)].key
  }

  fileprivate func setTransmitPower(
    _ power: Int8, of type: ZephyrTxPowerHandleType, _ handle: UInt16
  ) throws(Refusal) {
    switch type {
    case .advertising:
      let key = try setKey(handle)
      guard let index = state.sets.firstIndex(where: { $0.key == key }) else { return }
      state.sets[index].vendorPower = power
    case .scanning: state.scanPower = power
    case .connection:
      try existing(ConnectionHandle(rawValue: handle)).end.transmitPower = power
    default: throw Refusal(.invalidHCICommandParameters)
    }
  }

  fileprivate func transmitPower(of type: ZephyrTxPowerHandleType, _ handle: UInt16) throws(Refusal) -> Int8 {
    switch type {
    case .advertising:
      let key = try setKey(handle)
      return state.sets.first { $0.key == key }?.transmitPower ?? configuration.maximumTransmitPower
    case .scanning: return state.scanPower
    case .connection: return try existing(ConnectionHandle(rawValue: handle)).end.transmitPower
    default: throw Refusal(.invalidHCICommandParameters)
    }
  }
}
