import BLECore
import BLEHCI

extension CommandTable {
  static let basebandCommands: [CommandEntry] = [
    plain(HCIReset.self) { controller, _ in controller.resetByHost() },
    plain(HCISetEventMask.self) { controller, command in controller.state.eventMask = command.eventMask },
    plain(HCISetEventMaskPage2.self) { controller, command in controller.state.eventMaskPage2 = command.eventMask },
    complete(HCIReadTransmitPowerLevel.self, handleFirst: true) { controller, command throws(Refusal) in
      let maximum = controller.configuration.maximumTransmitPower
      // Links of BR/EDR have the highest power.
      let isClassic = controller.classic?.link(command.connectionHandle) != nil
      let current = isClassic ? maximum : try controller.existing(command.connectionHandle).end.transmitPower
      try controller.require(command.kind <= 1)
      return HCIReadTransmitPowerLevel.ReturnParameters {
        $0.connectionHandle = command.connectionHandle
        $0.txPowerLevel = command.kind == 0 ? current : maximum
      }
    },
    plain(HCISetControllerToHostFlowControl.self) { controller, command throws(Refusal) in
      try controller.setHostFlowControl(command.flowControl)
    },
    plain(HCIHostBufferSize.self) { controller, command throws(Refusal) in
      try controller.setHostBufferSize(command)
    },
    CommandEntry(opcode: HCIHostNumberOfCompletedPackets.opcode) { controller, parameters in
      controller.hostCompletedPackets(parameters)
    },
  ]

  static let informationalCommands: [CommandEntry] = [
    complete(HCIReadLocalVersionInformation.self) { controller, _ in
      let configuration = controller.configuration
      return HCIReadLocalVersionInformation.ReturnParameters {
        $0.hciVersion = configuration.version
        $0.hciSubversion = configuration.hciSubversion
        $0.lmpVersion = configuration.version
        $0.manufacturer = configuration.manufacturer
        $0.lmpSubversion = configuration.linkLayerSubversion
      }
    },
    complete(HCIReadLocalSupportedCommands.self) { controller, _ in
      HCIReadLocalSupportedCommands.ReturnParameters {
        $0.supportedCommands = controller.configuration.supportedCommands
      }
    },
    complete(HCIReadLocalSupportedFeatures.self) { controller, _ in
      HCIReadLocalSupportedFeatures.ReturnParameters {
        $0.features = controller.classic?.configuration.features ?? [.brEDRNotSupported, .leSupportedController]
      }
    },
    complete(HCIReadBDADDR.self) { controller, _ in
      HCIReadBDADDR.ReturnParameters { $0.address = controller.publicAddress }
    },
    complete(HCIReadRSSI.self, handleFirst: true) { controller, command throws(Refusal) in
      if controller.answersWithZeros(about: command.connectionHandle) { return HCIReadRSSI.ReturnParameters() }
      if let strength = controller.classic?.relativeStrength(of: command.connectionHandle) {
        return HCIReadRSSI.ReturnParameters {
          $0.connectionHandle = command.connectionHandle
          $0.rssi = strength
        }
      }
      let (link, end) = try controller.existing(command.connectionHandle)
      return HCIReadRSSI.ReturnParameters {
        $0.connectionHandle = command.connectionHandle
        $0.rssi = controller.air.strength(of: link[end.side.other], at: controller.id)
      }
    },
  ]
}
