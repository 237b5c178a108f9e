import BLECore
import BLEHCI

/// The key of an advertiser within a controller: an advertising set or legacy advertising.
enum SetKey: Hashable, Sendable {
  case legacy
  case set(UInt8)
}

/// The parameters of an advertising set (Core 5.4 Vol 4 Part E 7.8.5, 7.8.53).
struct AdvertisingParameters {
  /// The event properties. Legacy advertising has the legacy bit.
  var properties: AdvertisingEventProperties = .legacyConnectableScannable
  var interval = Duration.milliseconds(1280)
  var channelMap: AdvertisingChannelMap = .all
  var ownAddressType: OwnAddressType = .publicDevice
  var peerAddressType: AddressType = .publicDevice
  var peerAddress: DeviceAddress = .zero
  var filterPolicy: AdvertisingFilterPolicy = .all
  var primaryPHY = RadioPHY.le1M
  var secondaryPHY = RadioPHY.le1M
  var sid: UInt8 = 0
  /// In dBm.
  var transmitPower: Int8
  /// Whether the host wants reports of scan requests.
  var notifiesScanRequests = false

  /// Creates the default parameters of legacy advertising, with this power.
  init(transmitPower: Int8) { self.transmitPower = transmitPower }

  /// The target of directed advertising. Its keys in the resolving list also generate the addresses.
  var peer: ListedDevice { ListedDevice(type: peerAddressType, address: peerAddress) }

  /// The longest time between two events of high duty cycle directed advertising (Core 5.4 Vol 6 Part B 4.4.2.4.3).
  static let highDutyInterval = Duration.microseconds(3750)
  /// The duration after which high duty cycle directed advertising ends.
  static let highDutyDuration = Duration.milliseconds(1280)

  /// Whether all data must fit in one AUX_ADV_IND.
  var isExtendedConnectable: Bool { properties.contains(.connectable) && !properties.contains(.legacy) }

  /// Whether the fields that the legacy and the extended command share are in range.
  var isWellFormed: Bool {
    channelMap.rawValue != 0 && channelMap.isSubset(of: .all) && ownAddressType.rawValue <= 3
      && peerAddressType.rawValue <= 1 && filterPolicy.rawValue <= 3
  }

  /// Clears the bits that exceed the fields, like a controller that does not check them.
  mutating func dropExcessBits() {
    channelMap.formIntersection(.all)
    ownAddressType = OwnAddressType(rawValue: ownAddressType.rawValue & 3)
    peerAddressType = AddressType(rawValue: peerAddressType.rawValue & 1)
    filterPolicy = AdvertisingFilterPolicy(rawValue: filterPolicy.rawValue & 3)
    sid &= 0x0F
  }

  /// The nearest combination that 7.8.53 allows.
  var nearestProperties: AdvertisingEventProperties {
    guard properties.contains(.legacy) else {
      let known = properties.intersection([.connectable, .scannable, .directed, .anonymous, .includeTxPower])
      return known.contains(.connectable) || known.contains(.scannable) ? known.subtracting(.anonymous) : known
    }
    guard properties.contains(.connectable) else {
      return properties.contains(.scannable) ? .legacyScannable : .legacyNonConnectable
    }
    guard properties.contains(.directed) else { return .legacyConnectableScannable }
    return properties.intersection([.legacy, .connectable, .directed, .highDutyDirected])
  }

  /// Whether 7.8.53 allows this combination of properties.
  var hasValidProperties: Bool {
    if properties.contains(.legacy) {
      let kinds: [AdvertisingEventProperties] = [
        .legacyConnectableScannable, .legacyScannable, .legacyNonConnectable, [.legacy, .connectable, .directed],
        [.legacy, .connectable, .directed, .highDutyDirected],
      ]
      return kinds.contains(properties)
    }
    let isAnswered = properties.contains(.connectable) || properties.contains(.scannable)
    return properties.rawValue < 0x80 && !properties.contains(.highDutyDirected)
      && !properties.isSuperset(of: [.connectable, .scannable]) && !(properties.contains(.anonymous) && isAnswered)
  }
}

/// An advertising set or legacy advertising, with its data and progress.
struct AdvertisingSet {
  let key: SetKey
  /// The index among all sets that the controller can have.
  var place = 0
  var parameters: AdvertisingParameters
  /// The power that a vendor command set, in dBm.
  var vendorPower: Int8?
  var data: [UInt8] = []
  var scanResponse: [UInt8] = []
  /// Incomplete data: its last fragment is missing.
  private var partialData: [UInt8]?
  private var partialScanResponse: [UInt8]?
  /// The Advertising DID, 12 bits. It changes with every change of the data (Core 5.4 Vol 6 Part B 2.3.4.4).
  var dataIdentifier: UInt16 = 0
  /// The random address that was set last.
  var randomAddress: DeviceAddress?
  /// The random address in use since the set was enabled.
  var addressOnAir: DeviceAddress?

  var isEnabled = false
  /// The epoch of the valid timeline entries.
  var epoch: UInt32 = 0
  var maximumEvents: UInt8 = 0
  var completedEvents = 0
  /// When the next advertising event begins.
  var nextEvent: Instant = .zero
  /// The number of consecutive advertising events missed because the radio was busy.
  var missedEvents = 0
  /// The advertising event in progress.
  var progress: AdvertisingProgress?

  init(key: SetKey, _ parameters: AdvertisingParameters) {
    self.key = key
    self.parameters = parameters
  }

  /// In dBm.
  var transmitPower: Int8 { vendorPower ?? parameters.transmitPower }

  var hasPartialData: Bool { partialData != nil || partialScanResponse != nil }

  /// Sets the advertising data or a fragment of it (Core 5.4 Vol 4 Part E 7.8.54).
  mutating func setAdvertisingData(
    _ operation: AdvertisingDataOperation, _ fragment: [UInt8], on configuration: ControllerConfiguration
  ) throws(Refusal) {
    let properties = parameters.properties
    let limit = Int(configuration.maximumAdvertisingDataLength)
    let takesAnyOperation = configuration.has(.takesAnyDataOperation)
    if takesAnyOperation, operation.rawValue >= AdvertisingDataOperation.unchanged.rawValue {
      guard operation != .unchanged || (!data.isEmpty && partialData == nil) else { throw Refusal(.commandDisallowed) }
      renewDataIdentifier()
      return
    }
    if operation == .unchanged {
      guard isEnabled, !data.isEmpty, !properties.contains(.legacy), fragment.isEmpty else {
        throw Refusal(.invalidHCICommandParameters)
      }
      renewDataIdentifier()
      return
    }
    // Scannable extended advertising and directed legacy advertising have no advertising data.
    let takesData =
      properties.contains(.legacy)
      ? !properties.contains(.directed) || configuration.has(.takesDataOfDirectedSet) : !properties.contains(.scannable)
    guard takesData || fragment.isEmpty else { throw Refusal(.invalidHCICommandParameters) }
    if parameters.isExtendedConnectable, fragment.count >= 200, fragment.count > limit,
      configuration.has(.refusesLongDataAsUnspecified)
    {
      throw Refusal(.unspecifiedError)
    }
    guard
      let whole = try collect(
        operation, fragment, in: \.partialData, limit: limit, takesAnyFirst: takesAnyOperation)
    else { return }
    // An enabled set cannot take more data than one event can send.
    guard !isEnabled || !hasTooMuch(whole, on: configuration) else { throw Refusal(.packetTooLong) }
    data = whole
  }

  /// Sets the scan response data or a fragment of it (Core 5.4 Vol 4 Part E 7.8.55).
  mutating func setScanResponse(
    _ operation: AdvertisingDataOperation, _ fragment: [UInt8], limit: Int
  ) throws(Refusal) {
    guard parameters.properties.contains(.scannable) || fragment.isEmpty else {
      throw Refusal(.invalidHCICommandParameters)
    }
    // Enabled scannable extended advertising must keep its scan response data.
    let isNeeded = isEnabled && parameters.properties.isSuperset(of: .scannable) && !isLegacy
    guard !(isNeeded && fragment.isEmpty) else { throw Refusal(.commandDisallowed) }
    if let whole = try collect(operation, fragment, in: \.partialScanResponse, limit: limit) { scanResponse = whole }
  }

  /// Returns whether the data exceeds AUX_ADV_IND. Connectable sets have no AUX_CHAIN_IND (Core 5.4 Vol 6 Part B 2.3.1.6).
  func hasTooMuch(_ data: [UInt8], on configuration: ControllerConfiguration) -> Bool {
    parameters.isExtendedConnectable && !configuration.has(.cutsConnectableData)
      && data.count > Advertisement.connectableCapacity(with: parameters.properties)
  }

  private var isLegacy: Bool { parameters.properties.contains(.legacy) }

  /// Joins the fragments. Returns the complete data with the last one.
  private mutating func collect(
    _ operation: AdvertisingDataOperation, _ fragment: [UInt8], in partial: WritableKeyPath<AdvertisingSet, [UInt8]?>,
    limit: Int, takesAnyFirst: Bool = false
  ) throws(Refusal) -> [UInt8]? {
    // Legacy data has no fragments. Where a first fragment is accepted, it is the complete data.
    let operation = takesAnyFirst && isLegacy && operation == .first ? .complete : operation
    guard operation.rawValue <= 3, !isLegacy || operation == .complete, fragment.count <= 251 else {
      throw Refusal(.invalidHCICommandParameters)
    }
    guard !isLegacy || fragment.count <= 31 else { throw Refusal(.invalidHCICommandParameters) }
    guard operation == .complete || !isEnabled else { throw Refusal(.commandDisallowed) }
    guard operation == .complete || !fragment.isEmpty || (takesAnyFirst && operation == .first) else {
      throw Refusal(.invalidHCICommandParameters)
    }
    let joined: [UInt8]
    switch operation {
    case .complete, .first: joined = fragment
    default:
      guard let before = self[keyPath: partial] else { throw Refusal(.commandDisallowed) }
      joined = before + fragment
    }
    self[keyPath: partial] = nil
    guard joined.count <= limit else { throw Refusal(.memoryCapacityExceeded) }
    guard operation == .complete || operation == .last else {
      self[keyPath: partial] = joined
      return nil
    }
    renewDataIdentifier()
    return joined
  }

  private mutating func renewDataIdentifier() { dataIdentifier = (dataIdentifier + 1) & 0xFFF }
}
