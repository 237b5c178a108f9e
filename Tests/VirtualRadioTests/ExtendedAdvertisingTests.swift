import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

@Suite("Extended advertising and scanning")
struct ExtendedAdvertisingTests {
  let stage = Stage()

  private func advertiser(_ configuration: ControllerConfiguration = .full) throws -> ScriptedHost {
    let host = stage.add(configuration)
    try host.bringUp()
    return host
  }

  private func set(
    _ host: ScriptedHost, _ handle: UInt8 = 0, _ properties: AdvertisingEventProperties = [],
    address: DeviceAddress? = .randomStatic(from: 7),
    _ adjust: (inout LESetExtendedAdvertisingParameters) -> Void = { _ in }
  ) throws {
    try #require(
      try host.status(
        LESetExtendedAdvertisingParameters {
          $0.advertisingHandle = handle
          $0.eventProperties = properties
          $0.primaryIntervalMinimum.rawValue = 0x20
          $0.primaryIntervalMaximum.rawValue = 0x20
          $0.ownAddressType = address == nil ? .publicDevice : .random
          $0.advertisingSID = handle & 0xF
          adjust(&$0)
        }) == .success)
    guard let address else { return }
    try #require(
      try host.status(
        LESetAdvertisingSetRandomAddress {
          $0.advertisingHandle = handle
          $0.address = address
        }) == .success)
  }

  private func fill(_ host: ScriptedHost, _ data: [UInt8], handle: UInt8 = 0, response: Bool = false) throws {
    var offset = 0
    repeat {
      let end = min(offset + 251, data.count)
      let operation: AdvertisingDataOperation =
        data.count <= 251 ? .complete : offset == 0 ? .first : end == data.count ? .last : .intermediate
      let part = Array(data[offset..<end])
      let status =
        response
        ? try host.status(
          LESetExtendedScanResponseData {
            $0.advertisingHandle = handle
            $0.operation = operation
            $0.data = part
          })
        : try host.status(
          LESetExtendedAdvertisingData {
            $0.advertisingHandle = handle
            $0.operation = operation
            $0.data = part
          })
      try #require(status == .success)
      offset = end
    } while offset < data.count
  }

  private func enable(
    _ host: ScriptedHost, _ handles: [UInt8] = [0], duration: UInt16 = 0, maximumEvents: UInt8 = 0
  ) throws -> ErrorCode {
    try host.status(
      LESetExtendedAdvertisingEnable {
        $0.enable = true
        $0.sets = handles.map {
          AdvertisingSetActivation(
            advertisingHandle: $0, duration: AdvertisingDuration(rawValue: duration), maximumEvents: maximumEvents)
        }
      })
  }

  private func scanner(
    active: Bool = false, filterDuplicates: UInt8 = 1, duration: UInt16 = 0, period: UInt16 = 0,
    _ configuration: ControllerConfiguration = .full
  ) throws -> ScriptedHost {
    let host = stage.add(configuration)
    try host.bringUp()
    var track = ScanningPHYParameters()
    track.scanType = active ? .active : .passive
    try #require(try host.status(LESetExtendedScanParameters { $0.parameters = [track] }) == .success)
    try #require(
      try host.status(
        LESetExtendedScanEnable {
          $0.enable = true
          $0.filterDuplicates = filterDuplicates
          $0.duration.rawValue = duration
          $0.period.rawValue = period
        }) == .success)
    return host
  }

  private func reports(_ host: ScriptedHost) -> [ExtendedAdvertisingReport] {
    host.all(LEExtendedAdvertisingReport.self).flatMap(\.reports)
  }

  @Test(
    "data of any length arrives whole, in reports of at most 229 octets", arguments: [0, 1, 229, 230, 251, 458, 1650])
  func data(length: Int) throws {
    let advertiser = try advertiser()
    let scanner = try scanner()
    let data = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 7) }
    try set(advertiser, 5, [.includeTxPower])
    try fill(advertiser, data, handle: 5)
    #expect(try enable(advertiser, [5]) == .success)
    stage.run(.seconds(2))
    let heard = reports(scanner)
    #expect(heard.flatMap(\.data) == data)
    #expect(heard.count == max(1, (length + 228) / 229))
    #expect(heard.dropLast().allSatisfy { $0.reportType.dataStatus == .moreToCome && $0.data.count == 229 })
    let last = try #require(heard.last)
    #expect(last.reportType == [])
    #expect(last.advertisingSID == 5)
    #expect(last.addressType == .random)
    #expect(last.address == .randomStatic(from: 7))
    #expect(last.txPower == 8)
    #expect(last.primaryPHY == .le1M && last.secondaryPHY == .le1M)
  }

  @Test("a scannable set sends its data only to scanners that request it")
  func scannable() throws {
    let advertiser = try advertiser()
    let passive = try scanner()
    let active = try scanner(active: true)
    let data = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
    try set(advertiser, 0, [.scannable])
    #expect(try enable(advertiser) == .commandDisallowed)
    try fill(advertiser, data, response: true)
    #expect(try enable(advertiser) == .success)
    stage.run(.seconds(1))
    #expect(reports(passive).map(\.reportType) == [[.scannable]])
    #expect(reports(active).flatMap(\.data) == data)
    #expect(reports(active).map(\.reportType.dataStatus) == [.complete, .moreToCome, .complete])
    #expect(reports(active)[2].reportType == [.scannable, .scanResponse])
  }

  @Test("legacy PDUs from sets and from legacy advertisers have the legacy bits; legacy scanners hear only those")
  func legacy() throws {
    let advertiser = try advertiser()
    try set(advertiser, 1, .legacyConnectableScannable, address: .randomStatic(from: 1))
    try fill(advertiser, [2, 1, 6], handle: 1)
    try fill(advertiser, [2, 9, 0x41], handle: 1, response: true)
    try set(advertiser, 2, [], address: .randomStatic(from: 2))
    #expect(try enable(advertiser, [1, 2]) == .success)
    let extended = try scanner(active: true)
    let old = stage.add(.zephyrHCIUART)
    try old.bringUp()
    try old.status(
      LESetScanEnable {
        $0.enable = true; $0.filterDuplicates = true
      })
    stage.run(.seconds(2))
    let legacyReports = reports(extended).filter { $0.reportType.contains(.legacy) }
    #expect(legacyReports.map(\.reportType.rawValue) == [0x13, 0x1B])
    #expect(legacyReports.map(\.data) == [[2, 1, 6], [2, 9, 0x41]])
    #expect(legacyReports.allSatisfy { $0.secondaryPHY == .none && $0.advertisingSID == 0xFF })
    #expect(reports(extended).contains { !$0.reportType.contains(.legacy) && $0.address == .randomStatic(from: 2) })
    #expect(old.all(LEAdvertisingReport.self).flatMap(\.reports).map(\.address) == [.randomStatic(from: 1)])
  }

  @Test("a set ends after its duration, and after its number of events")
  func ends() throws {
    let advertiser = try advertiser()
    try set(advertiser, 0)
    try set(advertiser, 1)
    let begin = stage.air.now
    #expect(try enable(advertiser, [0], duration: 50) == .success)
    #expect(try enable(advertiser, [1], maximumEvents: 3) == .success)
    stage.run(.seconds(2))
    let ends = advertiser.timed(LEAdvertisingSetTerminated.self)
    #expect(ends.map(\.event.advertisingHandle) == [1, 0])
    #expect(ends.map(\.event.status) == [.limitReached, .advertisingTimeout])
    #expect(ends[0].event.completedEvents == 3)
    #expect(ends[1].at - begin == .milliseconds(500))
    #expect(stage.air.nextDeadline == nil)
  }

  @Test("a new identifier of the data makes duplicates new again")
  func dataIdentifier() throws {
    let advertiser = try advertiser()
    let scanner = try scanner()
    try set(advertiser)
    try fill(advertiser, [1, 2, 3])
    #expect(try enable(advertiser) == .success)
    stage.run(.seconds(1))
    try fill(advertiser, [4, 5])
    stage.run(.seconds(1))
    #expect(try advertiser.status(LESetExtendedAdvertisingData { $0.operation = .unchanged }) == .success)
    stage.run(.seconds(1))
    #expect(reports(scanner).map(\.data) == [[1, 2, 3], [4, 5], [4, 5]])
  }

  @Test("a scan with a duration ends with Scan Timeout; a periodic one starts again")
  func scanDuration() throws {
    let advertiser = try advertiser()
    try set(advertiser)
    #expect(try enable(advertiser) == .success)
    let begin = stage.air.now
    let once = try scanner(filterDuplicates: 0, duration: 20)
    let periodic = try scanner(filterDuplicates: 2, duration: 20, period: 1)
    stage.run(.seconds(5))
    #expect(once.timed(LEScanTimeout.self).map { $0.at - begin } == [.milliseconds(200)])
    #expect(once.timed(LEExtendedAdvertisingReport.self).allSatisfy { $0.at - begin <= .milliseconds(200) })
    #expect(reports(once).count > 3)
    #expect(periodic.all(LEScanTimeout.self).isEmpty)
    #expect(reports(periodic).count == 4)
  }

  @Test("anonymous sets have no address")
  func anonymous() throws {
    let advertiser = try advertiser()
    let scanner = try scanner()
    try set(advertiser, 0, [.anonymous], address: nil)
    #expect(try enable(advertiser) == .success)
    stage.run(.seconds(1))
    #expect(reports(scanner).map(\.addressType) == [.anonymous])
    #expect(reports(scanner).map(\.address) == [.zero])
  }

  @Test("only scanners that listen on them hear the secondary PHY and the coded primary PHY")
  func phys() throws {
    let advertiser = try advertiser()
    let usual = try scanner()
    let coded = stage.add()
    try coded.bringUp()
    try coded.status(
      LESetExtendedScanParameters {
        $0.phys = .leCoded; $0.parameters = [ScanningPHYParameters()]
      })
    try coded.status(
      LESetExtendedScanEnable {
        $0.enable = true; $0.filterDuplicates = 1
      })
    try set(advertiser, 0, []) { $0.secondaryPHY = .le2M }
    try set(advertiser, 1, []) {
      $0.primaryPHY = .leCoded; $0.secondaryPHY = .leCoded
    }
    #expect(try enable(advertiser, [0, 1]) == .success)
    stage.run(.seconds(3))
    #expect(reports(usual).map(\.secondaryPHY) == [.le2M])
    #expect(reports(coded).map(\.primaryPHY) == [.leCoded])
    #expect(reports(coded).map(\.advertisingSID) == [1])
  }

  @Test("a chain that takes longer than the interval arrives whole before the next begins")
  func longChain() throws {
    let advertiser = try advertiser()
    let scanner = try scanner(filterDuplicates: 0)
    let data = (0..<1650).map { UInt8(truncatingIfNeeded: $0 * 3) }
    try set(advertiser) { $0.secondaryPHY = .leCoded }
    try fill(advertiser, data)
    #expect(try enable(advertiser) == .success)
    stage.run(.seconds(2))
    let heard = reports(scanner)
    #expect(heard.count > 40)
    for chain in stride(from: 0, to: heard.count - 8, by: 8) {
      #expect(heard[chain..<chain + 8].flatMap(\.data) == data)
    }
  }

  @Test("a scanner that misses a part of the chain reports the received data as truncated")
  func truncated() throws {
    let advertiser = try advertiser()
    let scanner = try scanner(filterDuplicates: 0)
    try set(advertiser)
    try fill(advertiser, Array(repeating: 1, count: 1600))
    stage.air.setPacketLoss(from: advertiser.id, to: scanner.id, fraction: 0.1)
    #expect(try enable(advertiser) == .success)
    stage.run(.seconds(5))
    let heard = reports(scanner)
    #expect(heard.contains { $0.reportType.dataStatus == .truncated && $0.data.isEmpty })
    #expect(heard.contains { $0.reportType.dataStatus == .complete })
    for (report, next) in zip(heard, heard.dropFirst()) where report.reportType.dataStatus == .truncated {
      #expect(next.reportType.dataStatus == .moreToCome)
    }
  }

  @Test(
    "the rules for parameters",
    arguments: [
      (
        LESetExtendedAdvertisingParameters { $0.eventProperties = [.connectable, .scannable] },
        ErrorCode.invalidHCICommandParameters
      ),
      (
        LESetExtendedAdvertisingParameters { $0.eventProperties = [.legacy, .connectable] },
        .invalidHCICommandParameters
      ),
      (
        LESetExtendedAdvertisingParameters { $0.eventProperties = [.anonymous, .connectable] },
        .invalidHCICommandParameters
      ),
      (LESetExtendedAdvertisingParameters { $0.advertisingHandle = 0xF0 }, .invalidHCICommandParameters),
      (LESetExtendedAdvertisingParameters { $0.primaryIntervalMinimum.rawValue = 0x1F }, .invalidHCICommandParameters),
      (LESetExtendedAdvertisingParameters { $0.primaryPHY = .le2M }, .invalidHCICommandParameters),
      (LESetExtendedAdvertisingParameters { $0.secondaryPHY = PHY(rawValue: 9) }, .unsupportedFeatureOrParameterValue),
      (LESetExtendedAdvertisingParameters { $0.advertisingSID = 16 }, .invalidHCICommandParameters),
      (LESetExtendedAdvertisingParameters { $0.primaryChannelMap = [] }, .invalidHCICommandParameters),
      (LESetExtendedAdvertisingParameters { $0.scanRequestNotification = true }, .success),
      (LESetExtendedAdvertisingParameters(), .success),
    ])
  func parameters(command: LESetExtendedAdvertisingParameters, status: ErrorCode) throws {
    #expect(try advertiser().status(command) == status)
  }

  @Test("the rules for sets and data")
  func rules() throws {
    let host = try advertiser(.zephyrExtended.conforming)
    for handle in UInt8(0)..<3 { try set(host, handle) }
    let fourth = LESetExtendedAdvertisingParameters { $0.advertisingHandle = 3 }
    #expect(try host.status(fourth) == .memoryCapacityExceeded)
    func data(_ operation: AdvertisingDataOperation, _ count: Int, handle: UInt8 = 0) throws -> ErrorCode {
      try host.status(
        LESetExtendedAdvertisingData {
          $0.advertisingHandle = handle
          $0.operation = operation
          $0.data = Array(repeating: 1, count: count)
        })
    }
    #expect(try data(.complete, 5, handle: 9) == .unknownAdvertisingIdentifier)
    #expect(try data(.complete, 192) == .memoryCapacityExceeded)
    #expect(try data(.complete, 191) == .success)
    #expect(try data(.intermediate, 5) == .commandDisallowed)
    #expect(try data(.first, 100) == .success)
    #expect(try enable(host) == .commandDisallowed)
    #expect(try data(.last, 92) == .memoryCapacityExceeded)
    #expect(try data(.first, 100) == .success)
    #expect(try data(.last, 91) == .success)
    #expect(try data(.unchanged, 0) == .invalidHCICommandParameters)
    #expect(try enable(host, [0, 0]) == .invalidHCICommandParameters)
    #expect(try enable(host, []) == .invalidHCICommandParameters)
    #expect(try enable(host, [7]) == .unknownAdvertisingIdentifier)
    #expect(try enable(host, [0]) == .success)
    #expect(try data(.first, 10) == .commandDisallowed)
    #expect(try data(.complete, 10) == .success)
    #expect(try host.status(LERemoveAdvertisingSet()) == .commandDisallowed)
    #expect(try host.status(LEClearAdvertisingSets()) == .commandDisallowed)
    #expect(try host.status(LESetExtendedAdvertisingParameters()) == .commandDisallowed)
    #expect(try host.status(LESetExtendedAdvertisingEnable()) == .success)
    #expect(try host.status(LERemoveAdvertisingSet()) == .success)
    #expect(try host.status(LERemoveAdvertisingSet()) == .unknownAdvertisingIdentifier)
    #expect(try host.status(fourth) == .success)
    #expect(try host.status(LEClearAdvertisingSets()) == .success)
  }

  @Test("a set with a random address needs its own")
  func setAddress() throws {
    let host = try advertiser()
    try host.status(LESetRandomAddress { $0.address = .randomStatic(from: 3) })
    try host.status(LESetExtendedAdvertisingParameters { $0.ownAddressType = .random })
    #expect(try enable(host) == .invalidHCICommandParameters)
    try host.status(LESetAdvertisingSetRandomAddress { $0.address = .randomStatic(from: 4) })
    #expect(try enable(host) == .success)
  }

  @Test("connectable sets: the link starts on the secondary PHY, and the set ends with its handle")
  func connect() throws {
    let peripheral = try advertiser()
    try set(peripheral, 2, [.connectable]) { $0.secondaryPHY = .le2M }
    try set(peripheral, 3, [])
    #expect(try enable(peripheral, [2, 3]) == .success)
    let central = stage.add()
    try central.bringUp()
    #expect(
      try central.begin(
        LEExtendedCreateConnection {
          $0.peerAddressType = .random
          $0.peerAddress = .randomStatic(from: 7)
          $0.phys = [.le1M, .le2M]
          var first = InitiatingPHYParameters()
          first.intervalMinimum.rawValue = 40
          first.intervalMaximum.rawValue = 40
          var second = first
          second.intervalMinimum.rawValue = 6
          second.intervalMaximum.rawValue = 6
          $0.parameters = [first, second]
        }) == .success)
    stage.run(.seconds(1))
    let link = try #require(central.connections.first)
    #expect(link.interval.rawValue == 6)
    #expect(link.peerAddress == .randomStatic(from: 7))
    let handle = try #require(peripheral.connections.first).connectionHandle
    let ended = peripheral.all(LEAdvertisingSetTerminated.self)
    #expect(ended.map(\.advertisingHandle) == [2])
    #expect(ended.map(\.connectionHandle) == [handle])
    #expect(ended.map(\.status) == [.success])
    let phys = try peripheral.call(LEReadPHY { $0.connectionHandle = handle })
    #expect(phys.txPHY == .le2M && phys.rxPHY == .le2M)
  }
}
