import BLECore
import BLEGAP
import BLEHCI
import BLEL2CAP
import BLELink
import CentralHost
import Testing

@Suite("Scanning of a central")
struct CentralScanningTests {
  private func report(
    _ data: [UInt8], kind: ExtendedReportType = [.connectable], status: AdvertisingDataStatus = .complete,
    address: DeviceAddress = CentralBench.peer
  ) -> LEExtendedAdvertisingReport {
    var report = ExtendedAdvertisingReport()
    report.reportType = kind
    report.reportType.dataStatus = status
    (report.address, report.addressType, report.data, report.rssi) = (address, .random, data, -60)
    return LEExtendedAdvertisingReport { $0.reports = [report] }
  }

  private func scanning(_ filter: ScanFilter = ScanFilter()) throws -> CentralBench {
    let bench = try CentralBench()
    bench.start()
    try bench.perform(.scan(ScanRequest(filter: filter)))
    bench.events = []
    return bench
  }

  @Test("Fragments of data are assembled")
  func parts() throws {
    let bench = try scanning()
    bench.say(report([1, 2], status: .moreToCome))
    bench.say(report([9], address: .randomStatic(from: 5)))
    bench.say(report([3], status: .moreToCome))
    bench.say(report([4]))
    #expect(bench.events.advertisements.map(\.octets) == [[9], [1, 2, 3, 4]])
    bench.events = []
    bench.say(report([1], status: .moreToCome))
    bench.say(report([2], status: .truncated))
    #expect(bench.events.advertisements.map(\.isTruncated) == [true])
    #expect(bench.events.advertisements.map(\.octets) == [[1, 2]])
  }

  @Test("Data without an end is truncated")
  func endlessParts() throws {
    let bench = try scanning()
    for _ in 0..<20 { bench.say(report([UInt8](repeating: 1, count: 200), status: .moreToCome)) }
    #expect(bench.events.advertisements.map(\.octets.count) == [1800, 1800])
    #expect(bench.events.advertisements.allSatisfy { $0.isTruncated })
  }

  private static let name: [UInt8] = [5, 9] + Array("Belt".utf8)
  private static let service: [UInt8] = [3, 3, 0x0D, 0x18]

  @Test(
    "A filter accepts what meets all of its conditions",
    arguments: [
      (ScanFilter(), true), (ScanFilter(address: CentralBench.peer), true), (ScanFilter(address: .zero), false),
      (ScanFilter(name: "Belt"), true), (ScanFilter(name: "Bel"), false),
      (ScanFilter(service: BluetoothUUID(0x180D)), true), (ScanFilter(service: BluetoothUUID(0x180F)), false),
      (ScanFilter(name: "Belt", service: BluetoothUUID(0x180D)), true),
      (ScanFilter(address: .zero, name: "Belt"), false),
    ])
  func filter(_ filter: ScanFilter, _ passes: Bool) throws {
    let bench = try scanning(filter)
    bench.say(report(Self.name + Self.service))
    #expect(bench.events.advertisements.count == (passes ? 1 : 0))
    // The name in the scan response and the service in the advertisement also match.
    bench.events = []
    bench.say(report(Self.service, address: .randomStatic(from: 7)))
    bench.say(report(Self.name, kind: [.connectable, .scanResponse], address: .randomStatic(from: 7)))
    let isForAnybody = filter.address == nil
    #expect(bench.events.advertisements.contains { $0.isScanResponse } == (passes && isForAnybody))
  }

  @Test("Legacy reports are converted to extended ones")
  func legacyReports() throws {
    let bench = try CentralBench(isExtended: false)
    bench.start()
    try bench.perform(.scan(ScanRequest()))
    for type in 0...4 as ClosedRange<UInt8> {
      var report = AdvertisingReport()
      report.reportType.rawValue = type
      report.address = CentralBench.peer
      bench.say(LEAdvertisingReport { $0.reports = [report] })
    }
    let heard = bench.events.advertisements
    #expect(heard.map(\.isConnectable) == [true, true, false, false, false])
    #expect(heard.map(\.isScanResponse) == [false, false, false, false, true])
    #expect(heard.allSatisfy { $0.kind.contains(.legacy) })
  }

  @Test("A new scan ends the previous one")
  func rescan() throws {
    let bench = try scanning()
    _ = bench.takeCommands()
    try bench.perform(.scan(ScanRequest(isActive: false, filtersDuplicates: true)))
    #expect(
      bench.takeCommands() == [.leSetExtendedScanEnable, .leSetExtendedScanParameters, .leSetExtendedScanEnable])
    #expect(bench.stack.isScanning)
    try bench.perform(.stopScanning)
    try bench.perform(.stopScanning)
    #expect(bench.takeCommands() == [.leSetExtendedScanEnable] && !bench.stack.isScanning)
  }
}
