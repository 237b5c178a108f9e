import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

/// A command with one parameter outside its range, or at its limit.
struct RangeCase: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let command: [UInt8]
  let status: ErrorCode

  init<Command: HCICommand>(
    _ description: String, _ command: Command, _ status: ErrorCode = .invalidHCICommandParameters
  ) {
    testDescription = "\(Command.opcode): \(description)"
    self.command = command.h4
    self.status = status
  }
}

/// The limits in the tables of Core 5.4 Vol 4 Part E 7, parameter by parameter. Both ends of the link have handle 0.
@Suite("Ranges of parameters")
struct ParameterRangeTests {
  private func check(_ row: RangeCase, isCentral: Bool) throws {
    let stage = Stage()
    let pair = try stage.connected()
    let host = isCentral ? pair.central : pair.peripheral
    // The latch for legacy commands would hide the answers of the extended ones.
    host.stage.air.controller(host.id)?.state.family = .undecided
    host.forget()
    host.send(row.command)
    #expect(host.statuses == [row.status])
  }

  /// Returns a valid command with the given change.
  private static func update(_ change: (inout LEConnectionUpdate) -> Void) -> LEConnectionUpdate {
    var command = LEConnectionUpdate()
    command.intervalMinimum.rawValue = 24
    command.intervalMaximum.rawValue = 24
    command.supervisionTimeout.rawValue = 500
    change(&command)
    return command
  }

  /// Returns a valid command with the given change.
  private static func extendedCreation(
    _ change: (inout LEExtendedCreateConnection) -> Void
  ) -> LEExtendedCreateConnection {
    var command = LEExtendedCreateConnection()
    command.parameters = [InitiatingPHYParameters()]
    change(&command)
    return command
  }

  static let linkRows: [RangeCase] = [
    RangeCase("nothing wrong", HCIDisconnect(), .success),
    RangeCase("nothing wrong", update { _ in }, .success),
    RangeCase(
      "nothing wrong",
      LESetDataLength {
        $0.txOctets = 27
        $0.txTime = 328
      }, .success),
    RangeCase("nothing wrong", HCIReadTransmitPowerLevel(), .success),
    RangeCase("reason", HCIDisconnect { $0.reason = .success }),
    RangeCase("reason", HCIDisconnect { $0.reason = .connectionTimeout }),
    RangeCase("interval too short", update { $0.intervalMinimum.rawValue = 5 }),
    RangeCase("interval too long", update { $0.intervalMaximum.rawValue = 0x0C81 }),
    RangeCase(
      "minimum above maximum",
      update {
        $0.intervalMinimum.rawValue = 20
        $0.intervalMaximum.rawValue = 19
      }),
    RangeCase("latency", update { $0.maximumLatency = 0x01F4 }),
    RangeCase("timeout too short", update { $0.supervisionTimeout.rawValue = 9 }),
    RangeCase("timeout too long", update { $0.supervisionTimeout.rawValue = 0x0C81 }),
    RangeCase(
      "timeout within the sleep",
      update {
        $0.intervalMinimum.rawValue = 80
        $0.intervalMaximum.rawValue = 80
        $0.maximumLatency = 9
        $0.supervisionTimeout.rawValue = 200
      }),
    RangeCase(
      "octets too few",
      LESetDataLength {
        $0.txOctets = 26
        $0.txTime = 328
      }),
    RangeCase(
      "octets too many",
      LESetDataLength {
        $0.txOctets = 252
        $0.txTime = 328
      }),
    RangeCase(
      "time too short",
      LESetDataLength {
        $0.txOctets = 27
        $0.txTime = 327
      }),
    RangeCase(
      "time too long",
      LESetDataLength {
        $0.txOctets = 27
        $0.txTime = 17041
      }),
    RangeCase("no PHYs", LESetPHY { $0.rxPHYs = .le1M }),
    RangeCase(
      "reserved PHYs",
      LESetPHY {
        $0.txPHYs = PHYSet(rawValue: 8)
        $0.rxPHYs = .le1M
      }),
    RangeCase("kind", HCIReadTransmitPowerLevel { $0.kind = 2 }),
    RangeCase("timeout of zero", HCIWriteAuthenticatedPayloadTimeout()),
    RangeCase("timeout within the interval", HCIWriteAuthenticatedPayloadTimeout { $0.timeout.rawValue = 2 }),
    RangeCase("timeout", HCIWriteAuthenticatedPayloadTimeout { $0.timeout.rawValue = 3 }, .success),
  ]

  @Test("of commands for a connection", arguments: linkRows)
  func links(_ row: RangeCase) throws { try check(row, isCentral: true) }

  static let controllerRows: [RangeCase] = [
    RangeCase("octets", LEWriteSuggestedDefaultDataLength { $0.maximumTxOctets = 26 }),
    RangeCase(
      "time",
      LEWriteSuggestedDefaultDataLength {
        $0.maximumTxOctets = 27
        $0.maximumTxTime = 327
      }),
    RangeCase("no PHYs", LESetDefaultPHY()),
    RangeCase("reserved PHYs", LESetDefaultPHY { $0.txPHYs = PHYSet(rawValue: 0x10) }),
    RangeCase(
      "PHYs left open",
      LESetDefaultPHY { $0.noPreference = [.noTxPreference, .noRxPreference] }, .success),
    RangeCase("no channels", LESetHostChannelClassification { $0.channelMap = ChannelMap(bits: 0) }),
    RangeCase("address type", LEAddDeviceToFilterAcceptList { $0.addressType = AddressType(rawValue: 2) }),
    RangeCase("address type", LERemoveDeviceFromFilterAcceptList { $0.addressType = AddressType(rawValue: 4) }),
    RangeCase("key type", LEGenerateDHKeyV2 { $0.keyType = 2 }),
    RangeCase("transmit compensation", LEWriteRFPathCompensation { $0.txCompensation = -1281 }),
    RangeCase("receive compensation", LEWriteRFPathCompensation { $0.rxCompensation = 1281 }),
    RangeCase("timeout too short", LESetResolvablePrivateAddressTimeout { $0.timeout.rawValue = 0 }),
    RangeCase("timeout too long", LESetResolvablePrivateAddressTimeout { $0.timeout.rawValue = 0x0E11 }),
  ]

  @Test("of commands for the controller", arguments: controllerRows)
  func controller(_ row: RangeCase) throws { try check(row, isCentral: true) }

  static let advertisingRows: [RangeCase] = [
    RangeCase("nothing wrong", LESetAdvertisingParameters(), .success),
    RangeCase("nothing wrong", LESetAdvertisingData(), .success),
    RangeCase("nothing wrong", LESetExtendedAdvertisingParameters(), .success),
    RangeCase("interval too short", LESetAdvertisingParameters { $0.intervalMinimum.rawValue = 0x1F }),
    RangeCase("interval too long", LESetAdvertisingParameters { $0.intervalMaximum.rawValue = 0x4001 }),
    RangeCase("minimum above maximum", LESetAdvertisingParameters { $0.intervalMaximum.rawValue = 0x07FF }),
    RangeCase("type", LESetAdvertisingParameters { $0.advertisingType = AdvertisingType(rawValue: 5) }),
    RangeCase("own address type", LESetAdvertisingParameters { $0.ownAddressType = OwnAddressType(rawValue: 4) }),
    RangeCase("peer address type", LESetAdvertisingParameters { $0.peerAddressType = AddressType(rawValue: 2) }),
    RangeCase("no channels", LESetAdvertisingParameters { $0.channelMap = [] }),
    RangeCase("reserved channels", LESetAdvertisingParameters { $0.channelMap = AdvertisingChannelMap(rawValue: 9) }),
    RangeCase("filter policy", LESetAdvertisingParameters { $0.filterPolicy = AdvertisingFilterPolicy(rawValue: 4) }),
    RangeCase("data length", LESetAdvertisingData { $0.data.length = 32 }),
    RangeCase("data length", LESetScanResponseData { $0.data.length = 32 }),
    RangeCase("handle", LESetExtendedAdvertisingParameters { $0.advertisingHandle = 0xF0 }),
    RangeCase("properties", LESetExtendedAdvertisingParameters { $0.eventProperties = [.connectable, .scannable] }),
    RangeCase("interval", LESetExtendedAdvertisingParameters { $0.primaryIntervalMinimum.rawValue = 0x1F }),
    RangeCase("no channels", LESetExtendedAdvertisingParameters { $0.primaryChannelMap = [] }),
    RangeCase("power", LESetExtendedAdvertisingParameters { $0.txPower = 21 }),
    RangeCase("primary PHY", LESetExtendedAdvertisingParameters { $0.primaryPHY = .le2M }),
    RangeCase("SID", LESetExtendedAdvertisingParameters { $0.advertisingSID = 0x10 }),
    RangeCase("unknown set", LESetExtendedAdvertisingData { $0.advertisingHandle = 9 }, .unknownAdvertisingIdentifier),
    RangeCase("no set", LESetExtendedAdvertisingEnable { $0.enable = true }),
    RangeCase(
      "a set twice",
      LESetExtendedAdvertisingEnable {
        $0.enable = true
        $0.sets = [AdvertisingSetActivation(advertisingHandle: 0), AdvertisingSetActivation(advertisingHandle: 0)]
      }),
  ]

  @Test("of advertising", arguments: advertisingRows)
  func advertising(_ row: RangeCase) throws { try check(row, isCentral: false) }

  static let listeningRows: [RangeCase] = [
    RangeCase("nothing wrong", LESetScanParameters(), .success),
    RangeCase("nothing wrong", LESetExtendedScanParameters(), .success),
    RangeCase("nothing wrong", LECreateConnection(), .success),
    RangeCase("nothing wrong", extendedCreation { _ in }, .success),
    RangeCase("type", LESetScanParameters { $0.scanType = ScanType(rawValue: 2) }),
    RangeCase(
      "interval too short",
      LESetScanParameters {
        $0.interval.rawValue = 3
        $0.window.rawValue = 3
      }),
    RangeCase("interval too long", LESetScanParameters { $0.interval.rawValue = 0x4001 }),
    RangeCase("window above interval", LESetScanParameters { $0.window.rawValue = 0x11 }),
    RangeCase("own address type", LESetScanParameters { $0.ownAddressType = OwnAddressType(rawValue: 4) }),
    RangeCase("filter policy", LESetScanParameters { $0.filterPolicy = ScanFilterPolicy(rawValue: 4) }),
    RangeCase(
      "no PHYs",
      LESetExtendedScanParameters {
        $0.phys = []
        $0.parameters = []
      }),
    RangeCase("2M", LESetExtendedScanParameters { $0.phys = .le2M }),
    RangeCase("duplicates", LESetExtendedScanEnable { $0.filterDuplicates = 3 }),
    RangeCase(
      "duration above period",
      LESetExtendedScanEnable {
        $0.enable = true
        $0.duration.rawValue = 200
        $0.period.rawValue = 1
      }),
    RangeCase("filter policy", LECreateConnection { $0.initiatorFilterPolicy = InitiatorFilterPolicy(rawValue: 2) }),
    RangeCase("peer address type", LECreateConnection { $0.peerAddressType = AddressType(rawValue: 4) }),
    RangeCase("own address type", LECreateConnection { $0.ownAddressType = OwnAddressType(rawValue: 4) }),
    RangeCase("scan window", LECreateConnection { $0.scanWindow.rawValue = 0x61 }),
    RangeCase("interval", LECreateConnection { $0.intervalMaximum.rawValue = 23 }),
    RangeCase("latency", LECreateConnection { $0.maximumLatency = 500 }),
    RangeCase("timeout", LECreateConnection { $0.supervisionTimeout.rawValue = 0 }),
    RangeCase("only 2M", extendedCreation { $0.phys = .le2M }),
    RangeCase("reserved PHYs", extendedCreation { $0.phys = PHYSet(rawValue: 0x09) }),
  ]

  @Test("of scanning and initiating", arguments: listeningRows)
  func listening(_ row: RangeCase) throws { try check(row, isCentral: true) }
}
