import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

@Suite("Legacy advertising and scanning")
struct LegacyAdvertisingTests {
  let stage = Stage()

  private func advertiser(
    _ type: AdvertisingType = .connectableScannable, intervalUnits: UInt32 = 0xA0, data: [UInt8] = [2, 1, 6],
    response: [UInt8] = [3, 9, 0x41, 0x42], _ adjust: (inout LESetAdvertisingParameters) -> Void = { _ in }
  ) throws -> ScriptedHost {
    let host = stage.add()
    try host.bringUp()
    let parameters = LESetAdvertisingParameters {
      $0.intervalMinimum.rawValue = intervalUnits
      $0.intervalMaximum.rawValue = intervalUnits
      $0.advertisingType = type
      adjust(&$0)
    }
    try #require(try host.status(parameters) == .success)
    try host.status(LESetAdvertisingData { $0.data = LegacyAdvertisingData(data) ?? $0.data })
    try host.status(LESetScanResponseData { $0.data = LegacyAdvertisingData(response) ?? $0.data })
    return host
  }

  private func scanner(
    active: Bool, filterDuplicates: Bool = false, interval: UInt16 = 0x10, window: UInt16 = 0x10,
    _ configuration: ControllerConfiguration = .full
  ) throws -> ScriptedHost {
    let host = stage.add(configuration)
    try host.bringUp()
    try host.status(
      LESetScanParameters {
        $0.scanType = active ? .active : .passive
        $0.interval.rawValue = interval
        $0.window.rawValue = window
      })
    try host.status(
      LESetScanEnable {
        $0.enable = true
        $0.filterDuplicates = filterDuplicates
      })
    return host
  }

  private func reports(_ host: ScriptedHost) -> [AdvertisingReport] {
    host.all(LEAdvertisingReport.self).flatMap(\.reports)
  }

  @Test(
    "each type is reported as such; scan responses go only to scanners that request them",
    arguments: [
      (AdvertisingType.connectableScannable, AdvertisingReportType.connectableScannable, true),
      (.scannable, .scannable, true), (.nonConnectable, .nonConnectable, false),
    ], [true, false])
  func types(types: (AdvertisingType, AdvertisingReportType, Bool), isActive: Bool) throws {
    let advertiser = try advertiser(types.0)
    let scanner = try scanner(active: isActive)
    try advertiser.status(LESetAdvertisingEnable { $0.enable = true })
    stage.run(.seconds(1))
    let heard = reports(scanner)
    let expected: Set<AdvertisingReportType> = types.2 && isActive ? [types.1, .scanResponse] : [types.1]
    #expect(Set(heard.map(\.reportType)) == expected)
    #expect(heard.allSatisfy { $0.data == ($0.reportType == .scanResponse ? [3, 9, 0x41, 0x42] : [2, 1, 6]) })
    #expect(heard.allSatisfy { $0.rssi == -50 && $0.address == DeviceAddress(bits: 0x0012_3400_0001) })
  }

  @Test("events come at the interval plus up to 10 ms")
  func interval() throws {
    let advertiser = try advertiser(.nonConnectable, intervalUnits: 0xA0)
    let scanner = try scanner(active: false, interval: 0x4000, window: 0x4000)
    try advertiser.status(LESetAdvertisingEnable { $0.enable = true })
    stage.run(.seconds(9))
    let times = scanner.timed(LEAdvertisingReport.self).map(\.at)
    let gaps = zip(times, times.dropFirst()).map { ($1 - $0).inNanoseconds }
    #expect(gaps.count > 80)
    #expect(gaps.allSatisfy { (100_000_000...110_000_000).contains($0) })
    #expect(Set(gaps).count > 70)
  }

  @Test("a scanner hears only what falls into its window")
  func window() throws {
    let advertiser = try advertiser(.nonConnectable, intervalUnits: 0x20)
    let everything = try scanner(active: false)
    let some = try scanner(active: false, interval: 0x40, window: 0x10)
    try advertiser.status(LESetAdvertisingEnable { $0.enable = true })
    stage.run(.seconds(20))
    let share = Double(reports(some).count) / Double(reports(everything).count)
    #expect((0.15...0.35).contains(share))
  }

  @Test("a scanner that filters duplicates reports each kind of packet of a device once")
  func duplicates() throws {
    let advertiser = try advertiser()
    let scanner = try scanner(active: true, filterDuplicates: true)
    try advertiser.status(LESetAdvertisingEnable { $0.enable = true })
    stage.run(.seconds(3))
    #expect(reports(scanner).map(\.reportType) == [.connectableScannable, .scanResponse])
  }

  @Test("stopping ends advertising; data changed while advertising is on the air")
  func changeAndStop() throws {
    let advertiser = try advertiser(.nonConnectable)
    let scanner = try scanner(active: false)
    try advertiser.status(LESetAdvertisingEnable { $0.enable = true })
    stage.run(.milliseconds(500))
    try advertiser.status(LESetAdvertisingData { $0.data = LegacyAdvertisingData([2, 1, 4]) ?? $0.data })
    scanner.forget()
    stage.run(.milliseconds(500))
    #expect(Set(reports(scanner).map(\.data)) == [[2, 1, 4]])
    try advertiser.status(LESetAdvertisingEnable())
    stage.run(.milliseconds(20))
    scanner.forget()
    stage.run(.seconds(2))
    #expect(reports(scanner).isEmpty)
    #expect(stage.air.nextDeadline == nil)
  }

  @Test("the accept list of a scanner, and of an advertiser for scan requests")
  func acceptLists() throws {
    let advertiser = try advertiser { $0.filterPolicy = .listedScanners }
    try advertiser.status(LEAddDeviceToFilterAcceptList { $0.address = DeviceAddress(bits: 0x0012_3400_0003) })
    try advertiser.status(LESetAdvertisingEnable { $0.enable = true })
    let stranger = try scanner(active: true, filterDuplicates: true)
    let friend = try scanner(active: true, filterDuplicates: true)
    let choosy = stage.add()
    try choosy.bringUp()
    try choosy.status(LEAddDeviceToFilterAcceptList { $0.address = DeviceAddress(bits: 0x99) })
    try choosy.status(LESetScanParameters { $0.filterPolicy = .listed })
    try choosy.status(LESetScanEnable { $0.enable = true })
    stage.run(.seconds(2))
    #expect(reports(stranger).map(\.reportType) == [.connectableScannable])
    #expect(reports(friend).map(\.reportType) == [.connectableScannable, .scanResponse])
    #expect(reports(choosy).isEmpty)
  }

  @Test("directed advertising is heard only by its target; the high duty kind ends after 1.28 s with 0x3C")
  func directed() throws {
    let advertiser = try advertiser(.directedHighDuty) { $0.peerAddress = DeviceAddress(bits: 0x0012_3400_0002) }
    let target = try scanner(active: false)
    let other = try scanner(active: false)
    let begin = stage.air.now
    try advertiser.status(LESetAdvertisingEnable { $0.enable = true })
    stage.run(.seconds(3))
    #expect(reports(target).count > 100)
    #expect(Set(reports(target).map(\.reportType)) == [.directed])
    #expect(reports(other).isEmpty)
    let failure = try #require(advertiser.timed(LEEnhancedConnectionComplete.self).first)
    #expect(failure.event.status == .advertisingTimeout)
    #expect(failure.at - begin == .milliseconds(1280))
  }

  @Test("event masks suppress unwanted events; by default no LE event comes")
  func masks() throws {
    let advertiser = try advertiser()
    try advertiser.status(LESetAdvertisingEnable { $0.enable = true })
    let host = stage.add()
    try host.status(LESetScanEnable { $0.enable = true })
    stage.run(.seconds(1))
    #expect(host.events.allSatisfy { $0.code == .commandComplete })
    try host.status(HCISetEventMask { $0.eventMask.insert(.leMeta) })
    stage.run(.seconds(1))
    #expect(!reports(host).isEmpty)
    try host.status(LESetEventMask { $0.eventMask = [.connectionComplete] })
    host.forget()
    stage.run(.seconds(1))
    #expect(host.events.isEmpty)
  }

  @Test(
    "parameters out of range",
    arguments: [
      LESetAdvertisingParameters { $0.intervalMinimum.rawValue = 0x1F },
      LESetAdvertisingParameters { $0.intervalMaximum.rawValue = 0x4001 },
      LESetAdvertisingParameters { $0.intervalMinimum.rawValue = 0x900 },
      LESetAdvertisingParameters { $0.channelMap = [] },
      LESetAdvertisingParameters { $0.advertisingType = AdvertisingType(rawValue: 5) },
      LESetAdvertisingParameters { $0.filterPolicy = AdvertisingFilterPolicy(rawValue: 4) },
      LESetAdvertisingParameters { $0.ownAddressType = OwnAddressType(rawValue: 4) },
    ])
  func outOfRange(command: LESetAdvertisingParameters) throws {
    #expect(try stage.add().status(command) == .invalidHCICommandParameters)
  }

  @Test("lost packets are not heard; the RSSI is as set")
  func propagation() throws {
    let advertiser = try advertiser(.nonConnectable, intervalUnits: 0x20)
    let near = try scanner(active: false)
    let far = try scanner(active: false)
    let deaf = try scanner(active: false)
    stage.air.setPacketLoss(from: advertiser.id, to: far.id, fraction: 0.5)
    stage.air.setReachable(advertiser.id, deaf.id, false)
    stage.air.setSignalStrength(from: advertiser.id, to: far.id, dBm: -91)
    try advertiser.status(LESetAdvertisingEnable { $0.enable = true })
    stage.run(.seconds(20))
    // A packet that is lost on one channel may be heard on another, so more than half of the events come through.
    let share = Double(reports(far).count) / Double(reports(near).count)
    #expect((0.4...0.7).contains(share))
    #expect(reports(deaf).isEmpty)
    #expect(Set(reports(far).map(\.rssi)) == [-91])
  }
}
