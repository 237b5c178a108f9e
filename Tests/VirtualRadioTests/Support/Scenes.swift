import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

// Hosts that advertise, scan and initiate with legacy commands and their public addresses.
extension Stage {
  func advertise(
    _ host: ScriptedHost, _ type: AdvertisingType = .connectableScannable, data: [UInt8] = [2, 1, 6],
    response: [UInt8] = []
  ) throws {
    try host.bringUp()
    try #require(
      try host.status(
        LESetAdvertisingParameters {
          $0.intervalMinimum.rawValue = 0xA0
          $0.intervalMaximum.rawValue = 0xA0
          $0.advertisingType = type
          $0.peerAddress = DeviceAddress(bits: 0xC0FF_EE00_0001)
          $0.peerAddressType = .random
        }) == .success)
    try host.status(LESetAdvertisingData { $0.data = LegacyAdvertisingData(data) ?? $0.data })
    try host.status(LESetScanResponseData { $0.data = LegacyAdvertisingData(response) ?? $0.data })
    try #require(try host.status(LESetAdvertisingEnable { $0.enable = true }) == .success)
  }

  func scan(_ host: ScriptedHost, isActive: Bool = false) throws {
    try host.bringUp()
    try host.status(LESetScanParameters { $0.scanType = isActive ? .active : .passive })
    try #require(try host.status(LESetScanEnable { $0.enable = true }) == .success)
  }

  func initiate(_ host: ScriptedHost, to peer: ScriptedHost) throws {
    try host.bringUp()
    let address = try peer.call(HCIReadBDADDR()).address
    try #require(
      try host.begin(
        LECreateConnection {
          $0.scanInterval.rawValue = 0x10
          $0.scanWindow.rawValue = 0x10
          $0.peerAddress = address
          $0.intervalMinimum.rawValue = 24
          $0.intervalMaximum.rawValue = 24
          $0.supervisionTimeout.rawValue = 100
        }) == .success)
  }

  /// Starts an extended set with a random address that sends `data`, in scan responses if it is scannable.
  func advertiseExtended(
    _ host: ScriptedHost, _ properties: AdvertisingEventProperties, data: [UInt8], secondaryPHY: PHY = .le1M,
    primaryPHY: PHY = .le1M
  ) throws {
    try host.bringUp()
    try #require(
      try host.status(
        LESetExtendedAdvertisingParameters {
          $0.eventProperties = properties
          $0.primaryIntervalMinimum.rawValue = 0xA0
          $0.primaryIntervalMaximum.rawValue = 0xA0
          $0.ownAddressType = .random
          $0.advertisingSID = 3
          $0.primaryPHY = primaryPHY
          $0.secondaryPHY = secondaryPHY
        }) == .success)
    try host.status(LESetAdvertisingSetRandomAddress { $0.address = .randomStatic(from: 7) })
    for offset in stride(from: 0, to: data.count, by: 251) {
      let end = min(offset + 251, data.count)
      let operation: AdvertisingDataOperation =
        data.count <= 251 ? .complete : offset == 0 ? .first : end == data.count ? .last : .intermediate
      let part = Array(data[offset..<end])
      if properties.contains(.scannable) {
        try host.status(
          LESetExtendedScanResponseData {
            $0.operation = operation
            $0.data = part
          })
      } else {
        try host.status(
          LESetExtendedAdvertisingData {
            $0.operation = operation
            $0.data = part
          })
      }
    }
    try #require(
      try host.status(
        LESetExtendedAdvertisingEnable {
          $0.enable = true
          $0.sets = [
            AdvertisingSetActivation(advertisingHandle: 0, duration: AdvertisingDuration(rawValue: 0), maximumEvents: 0)
          ]
        }) == .success)
  }

  func scanExtended(_ host: ScriptedHost, isActive: Bool = false) throws {
    try host.bringUp()
    var track = ScanningPHYParameters()
    track.scanType = isActive ? .active : .passive
    try #require(try host.status(LESetExtendedScanParameters { $0.parameters = [track] }) == .success)
    try #require(try host.status(LESetExtendedScanEnable { $0.enable = true }) == .success)
  }
}
