import BLECore
import BLEHCI

extension CommandTable {
  static let extendedAdvertisingSetCommands: [CommandEntry] = [
    plain(LESetAdvertisingSetRandomAddress.self) { controller, command throws(Refusal) in
      try controller.latch(.extended)
      let index = try controller.indexOfSet(command.advertisingHandle)
      let set = controller.state.sets[index]
      // The address of a connectable set must not change while an initiator may connect to it (7.8.52).
      let configuration = controller.configuration
      let isProtected =
        configuration.has(.refusesAddressOfEnabledSet)
        || set.parameters.properties.contains(.connectable) && !configuration.has(.takesAddressOfConnectableSet)
      try controller.require(!(set.isEnabled && isProtected), .commandDisallowed)
      controller.state.sets[index].randomAddress = command.address
      controller.setAddresses[set.place] = command.address
    },
    complete(LESetExtendedAdvertisingParameters.self) { controller, command throws(Refusal) in
      try controller.latch(.extended)
      let power = try controller.setExtendedParameters(command)
      return LESetExtendedAdvertisingParameters.ReturnParameters { $0.selectedTxPower = power }
    },
    plain(LESetExtendedAdvertisingEnable.self) { controller, command throws(Refusal) in
      try controller.latch(.extended)
      try controller.enableSets(command)
    },
    complete(LEReadNumberOfSupportedAdvertisingSets.self) { controller, _ throws(Refusal) in
      try controller.latch(.extended)
      return LEReadNumberOfSupportedAdvertisingSets.ReturnParameters {
        $0.count = controller.configuration.advertisingSetCount
      }
    },
    complete(LEReadMaximumAdvertisingDataLength.self) { controller, _ throws(Refusal) in
      try controller.latch(.extended)
      return LEReadMaximumAdvertisingDataLength.ReturnParameters {
        $0.maximumLength = controller.configuration.maximumAdvertisingDataLength
      }
    },
    plain(LERemoveAdvertisingSet.self) { controller, command throws(Refusal) in
      try controller.latch(.extended)
      let index = try controller.indexOfSet(command.advertisingHandle)
      try controller.require(!controller.state.sets[index].isEnabled, .commandDisallowed)
      controller.state.sets.remove(at: index)
    },
    plain(LEClearAdvertisingSets.self) { controller, _ throws(Refusal) in
      try controller.latch(.extended)
      let isIdle = !controller.state.sets.contains(where: \.isEnabled)
      if isIdle || controller.configuration.has(.clearsIdleSets) { controller.state.sets.removeAll { !$0.isEnabled } }
      try controller.require(isIdle, .commandDisallowed)
    },
  ]

  static let extendedAdvertisingDataCommands: [CommandEntry] = [
    plain(LESetExtendedAdvertisingData.self) { controller, command throws(Refusal) in
      try controller.latch(.extended)
      let index = try controller.indexOfSet(command.advertisingHandle)
      let isLegacy = controller.state.sets[index].parameters.properties.contains(.legacy)
      if command.operation.rawValue > 4, isLegacy, controller.configuration.has(.takesAnyDataOperation) {
        controller.failAssertion()
      }
      try controller.state.sets[index].setAdvertisingData(
        command.operation, command.data, on: controller.configuration)
    },
    plain(LESetExtendedScanResponseData.self) { controller, command throws(Refusal) in
      try controller.latch(.extended)
      let index = try controller.indexOfSet(command.advertisingHandle)
      try controller.state.sets[index].setScanResponse(
        command.operation, command.data, limit: Int(controller.configuration.maximumAdvertisingDataLength))
    },
  ]
}

extension VirtualController {
  func indexOfSet(_ handle: UInt8) throws(Refusal) -> Int {
    guard let index = state.sets.firstIndex(where: { $0.key == .set(handle) }) else {
      throw Refusal(.unknownAdvertisingIdentifier)
    }
    return index
  }

  /// Sets the parameters of a set (Core 5.4 Vol 4 Part E 7.8.53), and creates the set if needed. Returns the selected transmit power.
  func setExtendedParameters(_ command: LESetExtendedAdvertisingParameters) throws(Refusal) -> Int8 {
    try require(command.advertisingHandle <= 0xEF || configuration.has(.takesAnyAdvertisingHandle))
    let existing = state.sets.first { $0.key == .set(command.advertisingHandle) }
    try require(existing?.isEnabled != true, .commandDisallowed)
    let parameters = try extendedParameters(command)
    if let index = state.sets.firstIndex(where: { $0.key == .set(command.advertisingHandle) }) {
      if parameters.properties.contains(.legacy) { try fitLegacyData(ofSetAt: index) }
      state.sets[index].parameters = parameters
    } else {
      try require(state.sets.count < Int(configuration.advertisingSetCount), .memoryCapacityExceeded)
      var set = AdvertisingSet(key: .set(command.advertisingHandle), parameters)
      set.dataIdentifier = UInt16(random.upTo(0xFFF))
      let taken = state.sets.map(\.place)
      set.place = (0...taken.count).first { !taken.contains($0) } ?? taken.count
      if configuration.has(.keepsSetAddresses) { set.randomAddress = setAddresses[set.place] }
      state.sets.append(set)
    }
    return configuration.has(.echoesTransmitPower) ? command.txPower : parameters.transmitPower
  }

  /// Checks that the data of a set that becomes a legacy one fits in legacy PDUs. With `dropsDataOfChangedSet`, drops it instead.
  private func fitLegacyData(ofSetAt index: Int) throws(Refusal) {
    let set = state.sets[index]
    guard set.data.count > 31 || set.scanResponse.count > 31 else { return }
    try require(configuration.has(.dropsDataOfChangedSet))
    (state.sets[index].data, state.sets[index].scanResponse) = ([], [])
  }

  private func extendedParameters(
    _ command: LESetExtendedAdvertisingParameters
  ) throws(Refusal) -> AdvertisingParameters {
    var parameters = AdvertisingParameters(transmitPower: configuration.selectedPower(command.txPower))
    let takesAny = configuration.has(.takesAnyAdvertisingParameters)
    parameters.properties = command.eventProperties
    if takesAny { try normalizeProperties(&parameters) }
    try require(parameters.hasValidProperties)
    let (minimum, maximum) = (command.primaryIntervalMinimum, command.primaryIntervalMaximum)
    let isUnsupported = configuration.has(.refusesIntervalsAsUnsupported)
    try require(
      minimum.rawValue >= 0x20 && minimum <= maximum,
      isUnsupported ? .unsupportedFeatureOrParameterValue : .invalidHCICommandParameters)
    try require(maximum <= configuration.maximumAdvertisingInterval, .unsupportedFeatureOrParameterValue)
    let isPower = (-127...20).contains(command.txPower) || command.txPower == 127
    try require(isPower || configuration.has(.echoesTransmitPower))
    try require(command.advertisingSID <= 0x0F || takesAny)
    let primary = RadioPHY(command.primaryPHY).map { takesAny && $0 == .le2M ? .le1M : $0 } ?? (takesAny ? .le1M : nil)
    guard let primary, let secondary = RadioPHY(command.secondaryPHY) ?? (takesAny ? .le1M : nil) else {
      throw Refusal(.unsupportedFeatureOrParameterValue)
    }
    let isLegacy = parameters.properties.contains(.legacy)
    try require(primary != .le2M && (!isLegacy || primary == .le1M))
    let needed = isLegacy ? primary.bit : primary.bit | secondary.bit
    try require(needed & ~configuration.supportedPHYs == 0, .unsupportedFeatureOrParameterValue)
    parameters.interval =
      parameters.properties.contains(.highDutyDirected) ? AdvertisingParameters.highDutyInterval : minimum.duration
    parameters.channelMap = command.primaryChannelMap
    parameters.ownAddressType = command.ownAddressType
    parameters.peerAddressType = command.peerAddressType
    parameters.peerAddress = command.peerAddress
    parameters.filterPolicy = command.filterPolicy
    parameters.primaryPHY = primary
    parameters.secondaryPHY = secondary
    parameters.sid = command.advertisingSID
    parameters.notifiesScanRequests = command.scanRequestNotification
    try requireWellFormed(&parameters)
    return parameters
  }

  /// Makes the few checks of a controller with `takesAnyAdvertisingParameters`, and normalizes the properties.
  private func normalizeProperties(_ parameters: inout AdvertisingParameters) throws(Refusal) {
    let properties = parameters.properties
    if properties.contains(.legacy) {
      try require(!properties.contains(.anonymous), .unsupportedFeatureOrParameterValue)
    } else {
      try require(
        !properties.isSuperset(of: [.connectable, .scannable]) && !properties.contains(.highDutyDirected))
    }
    parameters.properties = parameters.nearestProperties
  }

  /// Checks the ranges of the fields that both families of commands have. A controller that does not check them keeps only the bits that
  /// fit.
  func requireWellFormed(_ parameters: inout AdvertisingParameters) throws(Refusal) {
    if configuration.has(.takesAnyAdvertisingParameters) { return parameters.dropExcessBits() }
    try require(parameters.isWellFormed)
  }

  /// Enables or disables sets (Core 5.4 Vol 4 Part E 7.8.56).
  func enableSets(_ command: LESetExtendedAdvertisingEnable) throws(Refusal) {
    let keys = command.sets.map { SetKey.set($0.advertisingHandle) }
    try require(Set(keys).count == keys.count)
    try require(!command.enable || !keys.isEmpty)
    for activation in command.sets { _ = try indexOfSet(activation.advertisingHandle) }
    guard command.enable else {
      for key in keys.isEmpty ? state.sets.map(\.key) : keys { stopAdvertising(key) }
      return
    }
    if !configuration.has(.enablesSetsOneByOne) {
      for activation in command.sets { try requireReady(activation) }
    }
    for activation in command.sets {
      try requireReady(activation)
      let duration = activation.duration.rawValue == 0 ? nil : activation.duration.duration
      startAdvertising(
        .set(activation.advertisingHandle), duration: duration, maximumEvents: activation.maximumEvents)
    }
  }

  private func requireReady(_ activation: AdvertisingSetActivation) throws(Refusal) {
    let set = state.sets[try indexOfSet(activation.advertisingHandle)]
    let properties = set.parameters.properties
    try require(set.parameters.channelMap.rawValue != 0, .commandDisallowed)
    try require(!set.hasPartialData || configuration.has(.enablesIncompleteData), .commandDisallowed)
    let isExtendedScannable = properties.contains(.scannable) && !properties.contains(.legacy)
    try require(!isExtendedScannable || !set.scanResponse.isEmpty, .commandDisallowed)
    if properties.contains(.highDutyDirected), !configuration.has(.takesAnyHighDutyDuration) {
      try require((1...128).contains(activation.duration.rawValue))
    }
    try require(!set.hasTooMuch(set.data, on: configuration))
    try requireAddress(of: set.key)
    try requireConnection(for: set.key)
  }
}
