import BLECore
import BLEHCI

/// The commands that bring a set in the controller into its desired state.
extension Advertiser {
  func parameters(of slot: AdvertisingSlot) -> any HCICommand {
    let type = addresses.address(of: slot.definition.address).type
    return capabilities.usesExtendedCommands ? slot.extendedParameters(type) : slot.legacyParameters(type)
  }

  func missingCommand(of slot: AdvertisingSlot) -> (any HCICommand)? {
    capabilities.usesExtendedCommands
      ? slot.missingExtendedCommand(addresses, writesPower: capabilities.writesTransmitPower)
      : slot.missingLegacyCommand(addresses, writesPower: capabilities.writesTransmitPower)
  }

  /// Returns the next command for data that a set on the air lacks.
  func missingData(of index: Int) -> (any HCICommand)? {
    capabilities.usesExtendedCommands ? slots[index].missingExtendedData() : slots[index].missingLegacyData()
  }

  func enabling(_ enable: Bool, _ slot: AdvertisingSlot) -> any HCICommand {
    guard capabilities.usesExtendedCommands else {
      var command = LESetAdvertisingEnable()
      command.enable = enable
      return command
    }
    var activation = AdvertisingSetActivation()
    activation.advertisingHandle = slot.handle
    // The controller accepts at most this duration (Core 5.4 Vol 4 Part E 7.8.56).
    if slot.isHighDuty {
      activation.duration = AdvertisingDuration(rounding: AdvertisingSetDefinition.highDutyDuration)
    }
    if enable, let maximum = slot.definition.maximumEvents { activation.maximumEvents = maximum }
    var command = LESetExtendedAdvertisingEnable()
    command.enable = enable
    command.sets = [activation]
    return command
  }
}
