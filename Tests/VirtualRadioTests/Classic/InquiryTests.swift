import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

@Suite("Inquiry and names")
struct InquiryTests {
  private func inquire(_ host: ScriptedHost, length: UInt8 = 4, responses: UInt8 = 0) throws {
    try #require(
      try host.begin(
        HCIInquiry {
          $0.length.rawValue = length
          $0.maximumResponses = responses
        }) == .success)
  }

  @Test("a device that scans is found, and the inquiry ends after its length")
  func finds() throws {
    let stage = Stage()
    let (first, second) = try stage.classicHosts()
    try second.status(HCIWriteClassOfDevice { $0.classOfDevice = ClassOfDevice(rawValue: 0x0401) })
    let start = stage.air.now
    try inquire(first, length: 8)
    stage.run(.seconds(20))
    let result = try first.last(HCIInquiryResult.self)
    #expect(result.responses.map(\.address) == [try second.address])
    #expect(result.responses.map(\.classOfDevice.rawValue) == [0x0401])
    #expect(result.responses.map(\.repetitionMode) == [.r1])
    #expect(first.timed(HCIInquiryComplete.self).map(\.at) == [start + .milliseconds(8 * 1280)])
    #expect(second.all(HCIInquiryResult.self).isEmpty)
  }

  @Test("the event follows from the inquiry mode and from the device's data", arguments: [0, 1, 2] as [UInt8])
  func modes(mode: UInt8) throws {
    let stage = Stage()
    let (first, second) = try stage.classicHosts()
    let plain = stage.add(.dual)
    try plain.bringUpClassic()
    var data = [UInt8](repeating: 0, count: 240)
    data.replaceSubrange(0..<4, with: [3, 9, 0x48, 0x69])
    try second.status(HCIWriteExtendedInquiryResponse { $0.response = data })
    try first.status(HCIWriteInquiryMode { $0.mode.rawValue = mode })
    stage.air.setSignalStrength(from: second.id, to: first.id, dBm: -71)
    try inquire(first, length: 16)
    stage.run(.seconds(25))
    let counts = [
      first.all(HCIInquiryResult.self).count, first.all(HCIInquiryResultWithRSSI.self).count,
      first.all(HCIExtendedInquiryResult.self).count,
    ]
    #expect(counts == [[2, 0, 0], [0, 2, 0], [0, 1, 1]][Int(mode)])
    if mode == 2 {
      let result = try first.last(HCIExtendedInquiryResult.self)
      #expect(result.count == 1 && result.extendedResponse == data && result.response.rssi == -71)
    }
  }

  @Test("a device answers only the access codes that it scans for")
  func accessCodes() throws {
    let stage = Stage()
    let (first, second) = try stage.classicHosts()
    let limited = HCIInquiry {
      $0.accessCode = .limited
      $0.length.rawValue = 8
    }
    try first.begin(limited)
    stage.run(.seconds(11))
    #expect(first.all(HCIInquiryResult.self).isEmpty)
    try second.status(HCIWriteCurrentIACLAP { $0.accessCodes = [.general, .limited] })
    try first.begin(limited)
    stage.run(.seconds(11))
    #expect(first.all(HCIInquiryResult.self).count == 1)
  }

  @Test("an inquiry ends with its last response, or without a report when it is cancelled")
  func ends() throws {
    let stage = Stage()
    let (first, _) = try stage.classicHosts()
    #expect(try first.status(HCIInquiryCancel()) == .commandDisallowed)
    try inquire(first, length: 0x30, responses: 1)
    #expect(try first.begin(HCIInquiry()) == .commandDisallowed)
    stage.run(.seconds(8))
    #expect(first.events.suffix(2).map(\.code) == [.inquiryResult, .inquiryComplete])
    try inquire(first)
    #expect(try first.status(HCIInquiryCancel()) == .success)
    stage.run(.seconds(10))
    #expect(first.all(HCIInquiryComplete.self).count == 1)
  }

  @Test("a device that begins or ends to scan during an inquiry, or is out of range")
  func changes() throws {
    let stage = Stage()
    let (first, second) = try stage.classicHosts()
    try second.status(HCIWriteScanEnable { $0.scans = .page })
    try inquire(first, length: 0x20)
    stage.run(.seconds(10))
    #expect(first.all(HCIInquiryResult.self).isEmpty)
    try second.status(HCIWriteScanEnable { $0.scans = .inquiry })
    stage.run(.seconds(6))
    #expect(first.all(HCIInquiryResult.self).count == 1)
    stage.run(.seconds(60))
    stage.air.setReachable(first.id, second.id, false)
    first.forget()
    try inquire(first, length: 8)
    stage.run(.seconds(20))
    #expect(first.events.map(\.code) == [.commandStatus, .inquiryComplete])
  }

  @Test("a filter hides devices of other classes and addresses")
  func filters() throws {
    let stage = Stage()
    let (first, second) = try stage.classicHosts()
    try second.status(HCIWriteClassOfDevice { $0.classOfDevice = ClassOfDevice(rawValue: 0x0500) })
    let address = try second.address
    let octets = (0..<6).map { UInt8(truncatingIfNeeded: address.bits >> (8 * $0)) }
    for (condition, count) in [
      ([1, 0, 4, 0, 0, 0x1F, 0], 0), ([1, 0, 5, 0, 0, 0x1F, 0], 1), ([2] + octets, 1),
      ([2] + octets.reversed(), 0), ([], 1), ([0], 1),
    ] as [([UInt8], Int)] {
      try first.status(HCISetEventFilter())
      let filter = HCISetEventFilter {
        $0.type = .inquiryResult
        $0.condition = condition
      }
      #expect(try first.status(filter) == .success)
      first.forget()
      try inquire(first, length: 10)
      stage.run(.seconds(20))
      #expect(first.all(HCIInquiryResult.self).count == count, "\(condition)")
    }
  }

  @Test("finding and paging take as long as the scan takes", arguments: UInt64(0)..<12)
  func bounds(seed: UInt64) throws {
    let stage = Stage(seed: seed)
    let (first, second) = try stage.classicHosts()
    let address = try second.address
    // By default a scan for inquiries comes every 2.56 s, on either half of the frequencies, and is answered after at most 0.64 s.
    let start = stage.air.now
    try inquire(first, length: 8, responses: 1)
    #expect(stage.run { !first.all(HCIInquiryResult.self).isEmpty })
    #expect(stage.air.now - start <= .milliseconds(2 * 2560 + 10 + 641))
    // A scan for pages comes every 1.28 s.
    let page = stage.air.now
    try first.begin(HCIRemoteNameRequest { $0.address = address })
    #expect(stage.run { !first.all(HCIRemoteNameRequestComplete.self).isEmpty })
    #expect(stage.air.now - page <= .milliseconds(2 * 1280 + 10 + 100))
    // Interlaced, it is heard in the first window.
    try second.status(HCIWritePageScanType { $0.type = .interlaced })
    stage.run(.seconds(1))
    let interlaced = stage.air.now
    try first.begin(HCIRemoteNameRequest { $0.address = address })
    #expect(stage.run { first.all(HCIRemoteNameRequestComplete.self).count == 2 })
    #expect(stage.air.now - interlaced <= .milliseconds(1280 + 10 + 100))
    // A scan that never stops is heard within a train.
    try second.status(
      HCIWritePageScanActivity {
        $0.interval.rawValue = 0x12
        $0.window.rawValue = 0x12
      })
    stage.run(.seconds(1))
    let continuous = stage.air.now
    try first.begin(HCIRemoteNameRequest { $0.address = address })
    #expect(stage.run { first.all(HCIRemoteNameRequestComplete.self).count == 3 })
    #expect(stage.air.now - continuous <= .milliseconds(10 + 100))
  }

  @Test("the name of a device, without a link and over one")
  func names() throws {
    let stage = Stage()
    let (first, second) = try stage.classicHosts()
    let name = Array("Headset".utf8) + Array(repeating: 0, count: 241)
    try second.status(HCIWriteLocalName { $0.localName = name })
    let address = try second.address
    let request = HCIRemoteNameRequest { $0.address = address }
    #expect(try first.begin(request) == .success)
    #expect(try first.begin(request) == .commandDisallowed)
    #expect(stage.run { !first.all(HCIRemoteNameRequestComplete.self).isEmpty })
    let complete = try first.last(HCIRemoteNameRequestComplete.self)
    #expect(complete.status == .success && complete.name == name && complete.address == address)
    let features = try first.last(HCIRemoteHostSupportedFeaturesNotification.self)
    #expect(features.address == address)
    #expect(features.features.host == [.secureSimplePairing, .leSupported, .secureConnections])
    // The other host notices nothing.
    #expect(second.events.allSatisfy { $0.code == .commandComplete })
    stage.run(.seconds(1))
    #expect(stage.air.classicLinks.isEmpty)

    let pair = try stage.connectClassic(first, second)
    first.forget()
    #expect(try first.begin(HCIRemoteNameRequest { $0.address = pair.secondAddress }) == .success)
    stage.run(.milliseconds(100))
    #expect(first.all(HCIRemoteNameRequestComplete.self).map(\.name) == [name])
    #expect(first.all(HCIRemoteHostSupportedFeaturesNotification.self).isEmpty)
  }

  @Test("a name that nobody tells, and a request that is cancelled")
  func missingNames() throws {
    let stage = Stage()
    let (first, second) = try stage.classicHosts()
    let address = try second.address
    let cancel = HCIRemoteNameRequestCancel { $0.address = address }
    #expect(try first.status(cancel) == .invalidHCICommandParameters)
    try second.status(HCIWriteScanEnable { $0.scans = [] })
    let request = HCIRemoteNameRequest { $0.address = address }
    try first.begin(request)
    #expect(stage.run { !first.all(HCIRemoteNameRequestComplete.self).isEmpty })
    #expect(try first.last(HCIRemoteNameRequestComplete.self).status == .pageTimeout)
    try first.begin(request)
    #expect(try first.status(cancel) == .success)
    #expect(try first.last(HCIRemoteNameRequestComplete.self).status == .unknownConnectionIdentifier)
    stage.run(.seconds(10))
    #expect(first.all(HCIRemoteNameRequestComplete.self).count == 2)
  }

  @Test("several devices are paged one after the other")
  func queue() throws {
    let stage = Stage()
    let (first, second) = try stage.classicHosts()
    let third = stage.add(.dual)
    try third.bringUpClassic()
    let addresses = [try second.address, try third.address]
    for address in addresses { try first.begin(HCIRemoteNameRequest { $0.address = address }) }
    try first.begin(HCICreateConnection { $0.address = addresses[0] })
    #expect(stage.run { first.all(HCIRemoteNameRequestComplete.self).count == 2 })
    #expect(first.all(HCIRemoteNameRequestComplete.self).map(\.address) == addresses)
    #expect(stage.run { !second.all(HCIConnectionRequest.self).isEmpty })
  }
}
