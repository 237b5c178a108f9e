import BLECore
import BLEHCI

extension AdvertisingSlot {
  private var interval: Duration { definition.schedule[phase].interval }

  /// Returns the next command that a controller with legacy commands needs before this set can be enabled.
  func missingLegacyCommand(_ addresses: OnAirAddresses, writesPower: Bool) -> (any HCICommand)? {
    let (address, addressType) = addresses.address(of: definition.address)
    if applied.phase != phase { return legacyParameters(addressType) }
    if addressType == .random, address != applied.address ?? addresses.identity {
      return LESetRandomAddress { $0.address = address }
    }
    if writesPower, let command = missingPower(of: 0) { return command }
    // The power is read once, even when the data does not contain it, because it is reported to observers.
    if transmitPower == nil { return LEReadAdvertisingPhysicalChannelTxPower() }
    return missingLegacyData()
  }

  /// Returns the next command for the set's data that a controller with legacy commands needs.
  func missingLegacyData() -> (any HCICommand)? {
    // Directed advertising carries no data (Core 5.4 Vol 6 Part B 2.3.1.2).
    if definition.target != nil { return nil }
    if !applied.hasData {
      var command = LESetAdvertisingData()
      command.data = Self.legacy(data)
      return command
    }
    if !applied.hasResponse && definition.isScannable {
      var command = LESetScanResponseData()
      command.data = Self.legacy(definition.scanResponse)
      return command
    }
    return nil
  }

  /// Returns the parameters of the current phase.
  func legacyParameters(_ addressType: OwnAddressType) -> LESetAdvertisingParameters {
    var command = LESetAdvertisingParameters()
    command.intervalMinimum = AdvertisingInterval(rounding: interval)
    command.intervalMaximum = command.intervalMinimum
    command.advertisingType = legacyType
    command.ownAddressType = addressType
    command.filterPolicy = filterPolicy
    if let target { (command.peerAddressType, command.peerAddress) = (target.type, target.address) }
    return command
  }

  /// Returns the data in its fixed length. The advertiser has ensured that it has at most 31 octets.
  private static func legacy(_ data: [UInt8]) -> LegacyAdvertisingData {
    LegacyAdvertisingData(data) ?? LegacyAdvertisingData()
  }

  /// The devices that the controller responds to. In directed advertising it responds only to the target.
  private var filterPolicy: AdvertisingFilterPolicy {
    guard isFilteredByController, definition.target == nil else { return .all }
    return switch (definition.answersScansOf, definition.connectsTo) {
    case (.everybody, .everybody): .all
    case (.bonded, .everybody): .listedScanners
    case (.everybody, .bonded): .listedInitiators
    case (.bonded, .bonded): .listedBoth
    }
  }

  private var legacyType: AdvertisingType {
    if definition.target != nil { return isHighDuty ? .directedHighDuty : .directedLowDuty }
    if definition.isConnectable { return .connectableScannable }
    return definition.isScannable ? .scannable : .nonConnectable
  }

  /// Returns the next command that a controller with extended advertising needs before this set can be enabled. Legacy PDUs are a
  /// property of the set there (Core 5.4 Vol 4 Part E 7.8.53).
  func missingExtendedCommand(_ addresses: OnAirAddresses, writesPower: Bool) -> (any HCICommand)? {
    let (address, addressType) = addresses.address(of: definition.address)
    if applied.phase != phase { return extendedParameters(addressType) }
    if applied.address != address && (addressType == .random || addressType == .resolvableOrRandom) {
      var command = LESetAdvertisingSetRandomAddress()
      command.advertisingHandle = handle
      command.address = address
      return command
    }
    if writesPower, let command = missingPower(of: UInt16(handle)) { return command }
    return missingExtendedData()
  }

  /// Returns the command that sets the power from the profile, for a set whose parameters the controller already has. Legacy advertising
  /// uses handle 0 (Zephyr hci.c: `vs_write_tx_power_level`).
  private func missingPower(of handle: UInt16) -> ZephyrWriteTxPowerLevel? {
    guard let power = definition.transmitPower, applied.power != power else { return nil }
    return ZephyrWriteTxPowerLevel {
      $0.handleType = .advertising
      $0.handle = handle
      $0.txPowerLevel = power
    }
  }

  /// Returns the next command for the set's data that a controller with extended advertising needs.
  func missingExtendedData() -> (any HCICommand)? {
    if !applied.hasData && (!data.isEmpty || (definition.kind == .legacy && definition.target == nil)) {
      let (operation, fragment) = Self.fragment(of: data, from: applied.dataOctets)
      var command = LESetExtendedAdvertisingData()
      command.advertisingHandle = handle
      command.operation = operation
      command.data = fragment
      return command
    }
    if !applied.hasResponse && definition.isScannable && !definition.scanResponse.isEmpty {
      let (operation, fragment) = Self.fragment(of: definition.scanResponse, from: applied.responseOctets)
      var command = LESetExtendedScanResponseData()
      command.advertisingHandle = handle
      command.operation = operation
      command.data = fragment
      return command
    }
    return nil
  }

  /// Returns the parameters of the current phase.
  func extendedParameters(_ addressType: OwnAddressType) -> LESetExtendedAdvertisingParameters {
    var command = LESetExtendedAdvertisingParameters()
    command.advertisingHandle = handle
    if definition.isConnectable { command.eventProperties.insert(.connectable) }
    if definition.isScannable { command.eventProperties.insert(.scannable) }
    if definition.kind == .legacy { command.eventProperties.insert(.legacy) }
    if let target {
      command.eventProperties.insert(.directed)
      (command.peerAddressType, command.peerAddress) = (target.type, target.address)
    }
    if isHighDuty { command.eventProperties.insert(.highDutyDirected) }
    command.filterPolicy = filterPolicy
    command.primaryIntervalMinimum = AdvertisingInterval(rounding: interval)
    command.primaryIntervalMaximum = command.primaryIntervalMinimum
    command.ownAddressType = addressType
    command.txPower = definition.transmitPower ?? 127
    command.secondaryPHY = definition.kind == .legacy ? .le1M : definition.secondaryPHY
    command.advertisingSID = handle & 0x0F
    return command
  }

  /// The number of octets of data in one command. Longer data is sent in several (Core 5.4 Vol 4 Part E 7.8.54).
  static let longestFragment = 251

  private static func fragment(
    of data: [UInt8], from offset: Int
  ) -> (operation: AdvertisingDataOperation, fragment: [UInt8]) {
    let end = min(offset + longestFragment, data.count)
    let operation: AdvertisingDataOperation =
      switch (offset == 0, end == data.count) {
      case (true, true): .complete
      case (true, false): .first
      case (false, true): .last
      case (false, false): .intermediate
      }
    return (operation, Array(data[offset..<end]))
  }
}

extension AdvertisingDataOperation {
  /// Whether no further fragment follows.
  var isLast: Bool { self == .complete || self == .last }
}
