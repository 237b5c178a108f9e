import BLECore
import BLEHCI

extension CommandTable {
  static let legacyAdvertisingCommands: [CommandEntry] = [
    plain(LESetAdvertisingParameters.self) { controller, command throws(Refusal) in
      try controller.latch(.legacy)
      try controller.setLegacyParameters(command)
    },
    complete(LEReadAdvertisingPhysicalChannelTxPower.self) { controller, _ throws(Refusal) in
      try controller.latch(.legacy)
      return LEReadAdvertisingPhysicalChannelTxPower.ReturnParameters {
        let legacy = controller.state.sets.first { $0.key == .legacy }
        $0.txPowerLevel = legacy?.transmitPower ?? controller.configuration.maximumTransmitPower
      }
    },
    plain(LESetAdvertisingData.self) { controller, command throws(Refusal) in
      try controller.latch(.legacy)
      guard let data = command.data.significant else { throw Refusal(.invalidHCICommandParameters) }
      controller.changeLegacySet { $0.data = data }
    },
    plain(LESetScanResponseData.self) { controller, command throws(Refusal) in
      try controller.latch(.legacy)
      guard let data = command.data.significant else { throw Refusal(.invalidHCICommandParameters) }
      controller.changeLegacySet { $0.scanResponse = data }
    },
    plain(LESetAdvertisingEnable.self) { controller, command throws(Refusal) in
      try controller.latch(.legacy)
      controller.changeLegacySet { _ in }
      if command.enable {
        guard controller.state.sets.first(where: { $0.key == .legacy })?.isEnabled == false else { return }
        let parameters = controller.state.sets.first { $0.key == .legacy }?.parameters
        try controller.require(parameters?.channelMap.rawValue != 0, .commandDisallowed)
        try controller.requireAddress(of: .legacy)
        try controller.requireConnection(for: .legacy)
        controller.startAdvertising(.legacy, duration: nil, maximumEvents: 0)
      } else {
        controller.stopAdvertising(.legacy)
      }
    },
  ]
}

extension VirtualController {
  /// Changes the legacy set, which is created on first use.
  func changeLegacySet(_ change: (inout AdvertisingSet) -> Void) {
    if let index = state.sets.firstIndex(where: { $0.key == .legacy }) {
      change(&state.sets[index])
    } else {
      var set = AdvertisingSet(
        key: .legacy, AdvertisingParameters(transmitPower: configuration.maximumTransmitPower))
      change(&set)
      state.sets.append(set)
    }
  }

  func setLegacyParameters(_ command: LESetAdvertisingParameters) throws(Refusal) {
    try require(state.sets.first { $0.key == .legacy }?.isEnabled != true, .commandDisallowed)
    var parameters = AdvertisingParameters(transmitPower: configuration.maximumTransmitPower)
    switch command.advertisingType {
    case .connectableScannable: parameters.properties = .legacyConnectableScannable
    case .directedHighDuty: parameters.properties = [.legacy, .connectable, .directed, .highDutyDirected]
    case .scannable: parameters.properties = .legacyScannable
    case .nonConnectable: parameters.properties = .legacyNonConnectable
    case .directedLowDuty: parameters.properties = [.legacy, .connectable, .directed]
    default:
      try require(configuration.has(.takesAnyAdvertisingParameters))
      parameters.properties = .legacyNonConnectable
    }
    let isHighDuty = parameters.properties.contains(.highDutyDirected)
    let range: ClosedRange<UInt32> = 0x0020...0x4000
    let (minimum, maximum) = (command.intervalMinimum, command.intervalMaximum)
    try require(
      isHighDuty || (range.contains(minimum.rawValue) && range.contains(maximum.rawValue) && minimum <= maximum))
    parameters.interval = isHighDuty ? AdvertisingParameters.highDutyInterval : minimum.duration
    parameters.channelMap = command.channelMap
    parameters.ownAddressType = command.ownAddressType
    parameters.peerAddressType = command.peerAddressType
    parameters.peerAddress = command.peerAddress
    parameters.filterPolicy = command.filterPolicy
    try requireWellFormed(&parameters)
    changeLegacySet { $0.parameters = parameters }
  }
}
