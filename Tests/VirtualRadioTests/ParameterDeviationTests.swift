import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

/// Parameters that some controllers accept and others refuse, each compared with a controller that follows the Core Specification.
@Suite("Deviations in the checks of parameters")
struct ParameterDeviationTests {
  private let stage = Stage()

  /// Returns a host on a controller with only that deviation, or without it.
  private func host(
    _ deviation: ControllerDeviation, _ has: Bool, _ change: (inout ControllerConfiguration) -> Void = { _ in }
  ) throws -> ScriptedHost {
    var configuration = ControllerConfiguration.full
    configuration.deviations = has ? [deviation] : []
    change(&configuration)
    let host = stage.add(configuration)
    try host.bringUp()
    return host
  }

  /// Returns changed parameters of a set with a random address.
  private func parameters(
    _ change: (inout LESetExtendedAdvertisingParameters) -> Void = { _ in }
  ) -> LESetExtendedAdvertisingParameters {
    LESetExtendedAdvertisingParameters {
      $0.eventProperties = [.connectable]
      $0.primaryIntervalMinimum.rawValue = 0x20
      $0.primaryIntervalMaximum.rawValue = 0x20
      $0.ownAddressType = .random
      change(&$0)
    }
  }

  private func enable(_ host: ScriptedHost, duration: UInt16 = 0) throws -> ErrorCode {
    try host.status(
      LESetExtendedAdvertisingEnable {
        $0.enable = true
        $0.sets = [
          AdvertisingSetActivation(
            advertisingHandle: 0, duration: AdvertisingDuration(rawValue: duration), maximumEvents: 0)
        ]
      })
  }

  private func setAddress(_ host: ScriptedHost) throws {
    #expect(try host.status(LESetAdvertisingSetRandomAddress { $0.address = .randomStatic(from: 1) }) == .success)
  }

  private func data(
    _ host: ScriptedHost, _ operation: UInt8, _ count: Int
  ) throws -> ErrorCode {
    try host.status(
      LESetExtendedAdvertisingData {
        $0.operation = AdvertisingDataOperation(rawValue: operation)
        $0.data = Array(repeating: 0, count: count)
      })
  }

  // MARK: Advertising

  @Test("the parameters of legacy advertising are not checked", arguments: [false, true])
  func legacyParameters(isLax: Bool) throws {
    let host = try host(.takesAnyAdvertisingParameters, isLax)
    let changes: [(inout LESetAdvertisingParameters) -> Void] = [
      { $0.advertisingType = AdvertisingType(rawValue: 5) }, { $0.ownAddressType = OwnAddressType(rawValue: 4) },
      { $0.channelMap = AdvertisingChannelMap(rawValue: 0xFF) }, { $0.peerAddressType = AddressType(rawValue: 2) },
      { $0.filterPolicy = AdvertisingFilterPolicy(rawValue: 4) },
    ]
    for change in changes {
      let status = try host.status(LESetAdvertisingParameters { change(&$0) })
      #expect(status == (isLax ? .success : .invalidHCICommandParameters))
      #expect(try host.status(LESetAdvertisingEnable { $0.enable = true }) == .success)
      #expect(try host.status(LESetAdvertisingEnable()) == .success)
    }
    // These are still checked.
    let tooShort = LESetAdvertisingParameters { $0.intervalMinimum.rawValue = 0x1F }
    #expect(try host.status(tooShort) == .invalidHCICommandParameters)
    #expect(
      try host.status(LESetAdvertisingParameters { $0.channelMap = [] })
        == (isLax ? .success : .invalidHCICommandParameters))
    #expect(
      try host.status(LESetAdvertisingEnable { $0.enable = true }) == (isLax ? .commandDisallowed : .success))
  }

  @Test("the parameters of an advertising set are hardly checked", arguments: [false, true])
  func extendedParameters(isLax: Bool) throws {
    let host = try host(.takesAnyAdvertisingParameters, isLax)
    let changes: [(inout LESetExtendedAdvertisingParameters) -> Void] = [
      { $0.eventProperties = AdvertisingEventProperties(rawValue: 0x11) },
      { $0.eventProperties = AdvertisingEventProperties(rawValue: 0x17) },
      { $0.eventProperties = [.connectable, .anonymous] },
      { $0.eventProperties = AdvertisingEventProperties(rawValue: 0x0101) },
      { $0.advertisingSID = 0x10 }, { $0.primaryPHY = PHY(rawValue: 2) }, { $0.ownAddressType = .init(rawValue: 5) },
      { $0.filterPolicy = AdvertisingFilterPolicy(rawValue: 4) },
    ]
    for change in changes {
      let status = try host.status(parameters(change))
      #expect(status == (isLax ? .success : .invalidHCICommandParameters))
      guard isLax else { continue }
      try setAddress(host)
      #expect(try enable(host) == .success)
      #expect(try host.status(LESetExtendedAdvertisingEnable()) == .success)
    }
    let unknownPHY = parameters { $0.secondaryPHY = PHY(rawValue: 0) }
    #expect(try host.status(unknownPHY) == (isLax ? .success : .unsupportedFeatureOrParameterValue))
    let anonymous = parameters { $0.eventProperties = [.legacy, .connectable, .scannable, .anonymous] }
    #expect(
      try host.status(anonymous)
        == (isLax ? .unsupportedFeatureOrParameterValue : .invalidHCICommandParameters))
    let both = parameters { $0.eventProperties = [.connectable, .scannable] }
    #expect(try host.status(both) == .invalidHCICommandParameters)
  }

  @Test("invalid intervals get a different error", arguments: [false, true])
  func intervals(isOdd: Bool) throws {
    let host = try host(.refusesIntervalsAsUnsupported, isOdd)
    let expected = isOdd ? ErrorCode.unsupportedFeatureOrParameterValue : .invalidHCICommandParameters
    #expect(try host.status(parameters { $0.primaryIntervalMinimum.rawValue = 0x1F }) == expected)
    #expect(try host.status(parameters { $0.primaryIntervalMinimum.rawValue = 0x21 }) == expected)
  }

  @Test("an advertising handle above 0xEF", arguments: [false, true])
  func handle(isLax: Bool) throws {
    let host = try host(.takesAnyAdvertisingHandle, isLax)
    #expect(
      try host.status(parameters { $0.advertisingHandle = 0xF0 })
        == (isLax ? .success : .invalidHCICommandParameters))
  }

  @Test("the requested power is returned as the selected one", arguments: [false, true])
  func power(isOdd: Bool) throws {
    let host = try host(.echoesTransmitPower, isOdd)
    for (asked, selected) in [(Int8(20), Int8(8)), (127, 8), (-100, -40)] {
      #expect(try host.call(parameters { $0.txPower = asked }).selectedTxPower == (isOdd ? asked : selected))
    }
    #expect(
      try host.status(parameters { $0.txPower = 21 }) == (isOdd ? .success : .invalidHCICommandParameters))
  }

  @Test("a set that becomes a legacy one loses its data", arguments: [false, true])
  func changedSet(isLax: Bool) throws {
    let host = try host(.dropsDataOfChangedSet, isLax)
    #expect(try host.status(parameters()) == .success)
    #expect(try data(host, 3, 32) == .success)
    let legacy = parameters { $0.eventProperties = .legacyConnectableScannable }
    #expect(try host.status(legacy) == (isLax ? .success : .invalidHCICommandParameters))
    #expect(stage.air.controller(host.id)?.state.sets.first?.data.count == (isLax ? 0 : 32))
  }

  @Test("operations of LE Set Extended Advertising Data", arguments: [false, true])
  func operations(isLax: Bool) throws {
    let host = try host(.takesAnyDataOperation, isLax)
    #expect(try host.status(parameters()) == .success)
    let refused = ErrorCode.invalidHCICommandParameters
    #expect(try data(host, 4, 0) == (isLax ? .commandDisallowed : refused))
    #expect(try data(host, 3, 5) == .success)
    #expect(try data(host, 4, 0) == (isLax ? .success : refused))
    #expect(try data(host, 5, 5) == (isLax ? .success : refused))
    #expect(try data(host, 1, 0) == (isLax ? .success : refused))
    #expect(
      try host.status(parameters { $0.eventProperties = .legacyConnectableScannable }) == .success)
    #expect(try data(host, 1, 5) == (isLax ? .success : refused))
  }

  @Test("a reserved operation on a legacy set crashes a Zephyr controller")
  func reservedOperation() throws {
    let host = stage.add(.zephyrExtended)
    try host.bringUp()
    #expect(
      try host.status(parameters { $0.eventProperties = .legacyConnectableScannable }) == .success)
    let before = host.transcript.count
    host.send(LESetExtendedAdvertisingData { $0.operation = AdvertisingDataOperation(rawValue: 5) }.h4)
    host.send(HCIReset().h4)
    #expect(host.transcript.count == before)
  }

  @Test("a directed legacy set has no data", arguments: [false, true])
  func directedData(isLax: Bool) throws {
    let host = try host(.takesDataOfDirectedSet, isLax)
    #expect(
      try host.status(parameters { $0.eventProperties = [.legacy, .connectable, .directed] }) == .success)
    #expect(try data(host, 3, 3) == (isLax ? .success : .invalidHCICommandParameters))
  }

  @Test("high duty cycle directed advertising without an end", arguments: [false, true])
  func highDuty(isLax: Bool) throws {
    let host = try host(.takesAnyHighDutyDuration, isLax)
    #expect(
      try host.status(
        parameters { $0.eventProperties = [.legacy, .connectable, .directed, .highDutyDirected] }) == .success)
    try setAddress(host)
    for duration in [UInt16(0), 129] {
      #expect(try enable(host, duration: duration) == (isLax ? .success : .invalidHCICommandParameters))
    }
    #expect(try enable(host, duration: 128) == .success)
  }

  @Test("LE Clear Advertising Sets while one is enabled", arguments: [false, true])
  func clear(isLax: Bool) throws {
    let host = try host(.clearsIdleSets, isLax)
    for handle in UInt8(0)..<3 {
      #expect(try host.status(parameters { $0.advertisingHandle = handle }) == .success)
    }
    try setAddress(host)
    #expect(try enable(host) == .success)
    #expect(try host.status(LEClearAdvertisingSets()) == .commandDisallowed)
    #expect(stage.air.controller(host.id)?.state.sets.count == (isLax ? 1 : 3))
  }

  @Test("advertising with an address of zeros", arguments: [false, true])
  func zeroAddress(isStrict: Bool) throws {
    var configuration = ControllerConfiguration.full
    configuration.deviations = isStrict ? [.refusesZeroAddress] : []
    configuration.publicAddress = .zero
    let id = stage.air.addController(configuration: configuration)
    let controller = try #require(stage.air.controller(id))
    let parameters = LESetAdvertisingParameters()
    #expect(throws: Never.self) { try controller.setLegacyParameters(parameters) }
    if isStrict {
      #expect(throws: Refusal.self) { try controller.requireAddress(of: .legacy) }
    } else {
      #expect(throws: Never.self) { try controller.requireAddress(of: .legacy) }
    }
  }

  // MARK: Scanning and lists

  @Test("the parameters of scanning are not checked", arguments: [false, true])
  func scanning(isLax: Bool) throws {
    let host = try host(.takesAnyScanParameters, isLax)
    let changes: [(inout LESetScanParameters) -> Void] = [
      { $0.scanType = ScanType(rawValue: 2) }, { $0.interval.rawValue = 3 }, { $0.window.rawValue = 0x4000 },
    ]
    for change in changes {
      #expect(
        try host.status(LESetScanParameters { change(&$0) })
          == (isLax ? .success : .invalidHCICommandParameters))
      #expect(try host.status(LESetScanEnable { $0.enable = true }) == .success)
      stage.run(.milliseconds(100))
      #expect(try host.status(LESetScanEnable()) == .success)
    }
  }

  @Test("an invalid address type on the filter accept list", arguments: [false, true])
  func listedType(isLax: Bool) throws {
    let host = try host(.takesAnyListedAddressType, isLax)
    let device = LEAddDeviceToFilterAcceptList { $0.addressType = AddressType(rawValue: 5) }
    #expect(try host.status(device) == (isLax ? .success : .invalidHCICommandParameters))
  }

  @Test("the filter accept list changes while advertising uses it", arguments: [false, true])
  func usedList(isLax: Bool) throws {
    let host = try host(.changesUsedAcceptList, isLax)
    #expect(
      try host.status(
        LESetAdvertisingParameters { $0.filterPolicy = AdvertisingFilterPolicy(rawValue: 3) }) == .success)
    #expect(try host.status(LESetAdvertisingEnable { $0.enable = true }) == .success)
    #expect(try host.status(LEClearFilterAcceptList()) == (isLax ? .success : .commandDisallowed))
    #expect(try host.status(LESetScanParameters { $0.filterPolicy = .listed }) == .success)
    #expect(try host.status(LESetScanEnable { $0.enable = true }) == .success)
    #expect(try host.status(LEClearFilterAcceptList()) == .commandDisallowed)
  }

  // MARK: Links and data

  /// Returns a peripheral with that deviation, linked to a central.
  private func linked(
    _ deviation: ControllerDeviation, _ has: Bool
  ) throws -> (host: ScriptedHost, handle: UInt16) {
    var configuration = ControllerConfiguration.full
    configuration.deviations = has ? [deviation] : []
    let pair = try stage.connected(peripheral: configuration)
    return (pair.peripheral, pair.atPeripheral)
  }

  @Test("an invalid connection update", arguments: [false, true])
  func connectionUpdate(isLax: Bool) throws {
    let (host, handle) = try linked(.beginsInvalidConnectionUpdate, isLax)
    host.forget()
    let status = try host.begin(
      LEConnectionUpdate {
        $0.connectionHandle.rawValue = handle
        $0.intervalMinimum.rawValue = 5
        $0.intervalMaximum.rawValue = 5
      })
    #expect(status == (isLax ? .success : .invalidHCICommandParameters))
    stage.run(.seconds(1))
    #expect(host.all(LEConnectionUpdateComplete.self).map(\.status.rawValue) == (isLax ? [0x1E] : []))
  }

  @Test("a reply without a parameter request", arguments: [false, true])
  func unaskedReply(isLax: Bool) throws {
    let (host, handle) = try linked(.takesUnaskedParameterReply, isLax)
    let expected = isLax ? ErrorCode.success : .commandDisallowed
    let reply = LERemoteConnectionParameterRequestReply { $0.connectionHandle.rawValue = handle }
    #expect(try host.call(reply).status == expected)
    let negative = LERemoteConnectionParameterRequestNegativeReply { $0.connectionHandle.rawValue = handle }
    #expect(try host.call(negative).status == expected)
  }

  @Test("no PHY, or an invalid one, as the default", arguments: [false, true])
  func defaultPHY(isLax: Bool) throws {
    let host = try host(.takesAnyDefaultPHY, isLax)
    for mask in [UInt8(0), 8] {
      let command = LESetDefaultPHY {
        $0.txPHYs = PHYSet(rawValue: mask)
        $0.rxPHYs = PHYSet(rawValue: mask)
      }
      #expect((try host.status(command) == .success) == isLax)
    }
  }

  @Test("data that is too long", arguments: [false, true])
  func longData(isSilent: Bool) throws {
    let (host, handle) = try linked(.discardsLongData, isSilent)
    host.sendData(handle, Array(repeating: 0, count: 252))
    stage.run(.seconds(1))
    #expect(host.all(HCIDataBufferOverflow.self).count == (isSilent ? 0 : 1))
    #expect(host.completed(handle) == 0)
  }

  private static func bufferSize(_ length: UInt16) -> HCIHostBufferSize {
    HCIHostBufferSize {
      $0.aclDataPacketLength = length
      $0.totalACLDataPackets = 9
    }
  }

  @Test("host buffers that are shorter than data PDUs", arguments: [false, true])
  func shortBuffers(isStrict: Bool) throws {
    let host = try host(.refusesShortHostBuffers, isStrict)
    #expect(
      try host.status(Self.bufferSize(250)) == (isStrict ? .invalidHCICommandParameters : .success))
    #expect(try host.status(Self.bufferSize(251)) == .success)
  }

  @Test("Host Buffer Size during a connection", arguments: [false, true])
  func bufferSizeInConnection(isLax: Bool) throws {
    let (host, _) = try linked(.takesHostBufferSizeInConnection, isLax)
    #expect(try host.status(Self.bufferSize(251)) == (isLax ? .success : .commandDisallowed))
  }
}
