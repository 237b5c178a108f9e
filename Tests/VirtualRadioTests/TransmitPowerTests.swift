import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

@Suite("Transmit power")
struct TransmitPowerTests {
  private func write(
    _ host: ScriptedHost, _ type: ZephyrTxPowerHandleType, _ handle: UInt16, _ power: Int8
  ) throws -> ZephyrWriteTxPowerLevel.ReturnParameters {
    try host.call(
      ZephyrWriteTxPowerLevel {
        $0.handleType = type
        $0.handle = handle
        $0.txPowerLevel = power
      })
  }

  private func read(_ host: ScriptedHost, _ type: ZephyrTxPowerHandleType, _ handle: UInt16) throws -> Int8 {
    try host.call(
      ZephyrReadTxPowerLevel {
        $0.handleType = type
        $0.handle = handle
      }
    ).txPowerLevel
  }

  @Test("Zephyr's commands select the nearest available power, or leave it to the controller")
  func levels() throws {
    let host = Stage().add(.zephyrExtended)
    let returned = try write(host, .advertising, 0, -12)
    #expect(returned.status == .success && returned.handleType == .advertising && returned.handle == 0)
    #expect(returned.selectedTxPowerLevel == -12)
    #expect(try read(host, .advertising, 0) == -12)
    #expect(try host.call(LEReadAdvertisingPhysicalChannelTxPower()).txPowerLevel == -12)
    #expect(try write(host, .scanning, 0, -128).selectedTxPowerLevel == -40)
    #expect(try read(host, .scanning, 0) == -40)
    #expect(try write(host, .advertising, 0, 100).selectedTxPowerLevel == 8)
    #expect(try write(host, .scanning, 0, 127).selectedTxPowerLevel == 8)
    #expect(try write(host, .advertising, 1, 0).status == .unknownAdvertisingIdentifier)
    #expect(try write(host, .connection, 0, 0).status == .unknownConnectionIdentifier)
    #expect(
      try write(host, ZephyrTxPowerHandleType(rawValue: 3), 0, 0).status == .invalidHCICommandParameters)
  }

  @Test("the power of advertising determines the RSSI that scanners report")
  func advertising() throws {
    let stage = Stage()
    let beacon = stage.add(.zephyrHCIUART)
    let scanner = stage.add()
    for host in stage.hosts { try host.bringUp() }
    stage.air.setSignalStrength(from: beacon.id, to: scanner.id, dBm: -60)
    try beacon.status(LESetRandomAddress { $0.address = .randomStatic(from: 5) })
    try beacon.status(LESetAdvertisingParameters { $0.ownAddressType = .random })
    try beacon.status(LESetAdvertisingEnable { $0.enable = true })
    try scanner.status(LESetScanEnable { $0.enable = true })
    for (power, strength) in [(Int8(8), Int8(-60)), (-4, -72), (-40, -108), (8, -60)] {
      #expect(try write(beacon, .advertising, 0, power).status == .success)
      stage.run(.seconds(2))
      scanner.forget()
      #expect(stage.run { !scanner.all(LEAdvertisingReport.self).isEmpty })
      #expect(scanner.all(LEAdvertisingReport.self).first?.reports.map(\.rssi) == [strength])
    }
  }

  @Test("so does the power of an extended set")
  func extendedSet() throws {
    let stage = Stage()
    let beacon = stage.add()
    let scanner = stage.add()
    for host in stage.hosts { try host.bringUp() }
    try beacon.call(
      LESetExtendedAdvertisingParameters {
        $0.primaryIntervalMinimum.rawValue = 0x40
        $0.txPower = -2
      })
    try beacon.status(
      LESetExtendedAdvertisingEnable {
        $0.enable = true
        $0.sets = [AdvertisingSetActivation(advertisingHandle: 0)]
      })
    try scanner.status(LESetExtendedScanParameters())
    try scanner.status(LESetExtendedScanEnable { $0.enable = true })
    #expect(stage.run { !scanner.all(LEExtendedAdvertisingReport.self).isEmpty })
    #expect(scanner.all(LEExtendedAdvertisingReport.self).first?.reports.map(\.rssi) == [-60])
  }

  @Test("the power of a link determines the peer's RSSI, and nothing else")
  func link() throws {
    let stage = Stage()
    let pair = try stage.connected(central: .full, peripheral: .zephyrHCIUART)
    func strengths() throws -> [Int8] {
      [
        try pair.central.call(HCIReadRSSI { $0.connectionHandle.rawValue = pair.atCentral }).rssi,
        try pair.peripheral.call(HCIReadRSSI { $0.connectionHandle.rawValue = pair.atPeripheral }).rssi,
      ]
    }
    #expect(try strengths() == [-50, -50])
    #expect(try write(pair.peripheral, .connection, pair.atPeripheral, -22).selectedTxPowerLevel == -22)
    #expect(try strengths() == [-80, -50])
    stage.air.setSignalStrength(from: pair.peripheral.id, to: pair.central.id, dBm: -120)
    #expect(try strengths() == [-127, -50])
    let levels = try [UInt8(0), 1].map { kind in
      try pair.peripheral.call(
        HCIReadTransmitPowerLevel {
          $0.connectionHandle.rawValue = pair.atPeripheral
          $0.kind = kind
        }
      ).txPowerLevel
    }
    #expect(levels == [-22, 8])
  }

  @Test("a chip has one static address from the factory, which neither reset nor power changes")
  func staticAddress() throws {
    let stage = Stage()
    let hosts = [stage.add(.zephyrHCIUART), stage.add(.zephyrHCIUART)]
    let entries = try hosts.map { try #require(try $0.call(ZephyrReadStaticAddresses()).addresses.first) }
    #expect(entries[0] != entries[1])
    #expect(entries.allSatisfy { $0.address.bits >> 46 == 0b11 })
    try hosts[0].status(HCIReset())
    #expect(try hosts[0].call(ZephyrReadStaticAddresses()).addresses == [entries[0]])
  }

  @Test("RF path compensation is kept until the reset")
  func pathCompensation() throws {
    let host = Stage().add()
    func write(_ transmit: Int16, _ receive: Int16) throws -> ErrorCode {
      try host.status(
        LEWriteRFPathCompensation {
          $0.txCompensation = transmit
          $0.rxCompensation = receive
        })
    }
    #expect(try write(-1280, 1280) == .success)
    let returned = try host.call(LEReadRFPathCompensation())
    #expect(returned.txCompensation == -1280 && returned.rxCompensation == 1280)
    #expect(try write(1281, 0) == .invalidHCICommandParameters)
    #expect(try write(0, -1281) == .invalidHCICommandParameters)
    try host.status(HCIReset())
    #expect(try host.call(LEReadRFPathCompensation()).txCompensation == 0)
  }
}
