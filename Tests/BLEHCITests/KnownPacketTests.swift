import BLECore
import BLEHCI
import Testing

/// Packets octet by octet, composed from the Core Specification's tables.
@Suite struct KnownPacketTests {
  struct Known: Sendable, CustomTestStringConvertible {
    let name: String
    let octets: String
    let encoded: [UInt8]

    init(_ name: String, _ octets: String, _ encoded: [UInt8]) {
      self.name = name
      self.octets = octets
      self.encoded = encoded
    }

    var testDescription: String { name }
  }

  private static let handle = ConnectionHandle(rawValue: 0x0040)
  private static let peer = DeviceAddress(littleEndianOctets: [0x66, 0x55, 0x44, 0x33, 0x22, 0xC1])

  static let commands: [Known] = [
    Known("Reset", "01 03 0C 00", HCIReset().h4),
    Known("Set Event Mask", "01 01 0C 08 FF FF FF FF FF 1F 00 00", HCISetEventMask().h4),
    Known(
      "Disconnect", "01 06 04 03 40 00 13", HCIDisconnect { $0.connectionHandle = handle }.h4),
    Known("LE Set Event Mask", "01 01 20 08 1F 00 00 00 00 00 00 00", LESetEventMask().h4),
    Known("LE Set Random Address", "01 05 20 06 66 55 44 33 22 C1", LESetRandomAddress { $0.address = peer }.h4),
    Known(
      "LE Set Advertising Parameters", "01 06 20 0F A0 00 F0 00 00 01 00 00 00 00 00 00 00 07 00",
      LESetAdvertisingParameters {
        $0.intervalMinimum = AdvertisingInterval(rounding: .milliseconds(100))
        $0.intervalMaximum = AdvertisingInterval(rounding: .milliseconds(150))
        $0.ownAddressType = .random
      }.h4),
    Known("LE Set Advertising Enable", "01 0A 20 01 01", LESetAdvertisingEnable { $0.enable = true }.h4),
    Known(
      "LE Set Extended Advertising Parameters",
      "01 36 20 19 02 13 00 A0 00 00 F0 00 01 07 01 00 00 00 00 00 00 00 00 7F 01 00 02 05 00",
      LESetExtendedAdvertisingParameters {
        $0.advertisingHandle = 2
        $0.eventProperties = .legacyConnectableScannable
        $0.primaryIntervalMinimum = AdvertisingInterval(rawValue: 0xA0)
        $0.primaryIntervalMaximum = AdvertisingInterval(rawValue: 0x0100F0)
        $0.ownAddressType = .random
        $0.secondaryPHY = .le2M
        $0.advertisingSID = 5
      }.h4),
    Known(
      "LE Set Extended Advertising Data", "01 37 20 07 01 03 01 03 02 01 06",
      LESetExtendedAdvertisingData {
        $0.advertisingHandle = 1
        $0.data = [2, 1, 6]
      }.h4),
    Known(
      "LE Set Extended Advertising Enable", "01 39 20 0A 01 02 00 00 00 00 01 B8 0B 05",
      LESetExtendedAdvertisingEnable {
        $0.enable = true
        $0.sets = [
          AdvertisingSetActivation(advertisingHandle: 0),
          AdvertisingSetActivation(
            advertisingHandle: 1, duration: AdvertisingDuration(rounding: .seconds(30)), maximumEvents: 5),
        ]
      }.h4),
    Known(
      "LE Set Extended Scan Parameters", "01 41 20 0D 01 00 05 01 10 00 10 00 00 10 00 10 00",
      LESetExtendedScanParameters {
        $0.ownAddressType = .random
        $0.phys = [.le1M, .leCoded]
        var active = ScanningPHYParameters()
        active.scanType = .active
        $0.parameters = [active, ScanningPHYParameters()]
      }.h4),
    Known(
      "LE Extended Create Connection",
      "01 43 20 1A 00 01 01 66 55 44 33 22 C1 01 60 00 30 00 18 00 18 00 00 00 F4 01 00 00 00 00",
      LEExtendedCreateConnection {
        $0.ownAddressType = .random
        $0.peerAddressType = .random
        $0.peerAddress = peer
        $0.parameters = [InitiatingPHYParameters()]
      }.h4),
    Known(
      "LE Set Host Channel Classification", "01 14 20 05 FF FF FF FF 1F", LESetHostChannelClassification().h4),
    Known(
      "Host Number Of Completed Packets", "01 35 0C 05 01 40 00 02 00",
      HCIHostNumberOfCompletedPackets { $0.completed = [CompletedPackets(handle, count: 2)] }.h4),
    Known(
      "Zephyr Write Tx Power Level", "01 0E FC 04 02 40 00 F8",
      ZephyrWriteTxPowerLevel {
        $0.handleType = .connection
        $0.handle = 0x40
        $0.txPowerLevel = -8
      }.h4),
  ]

  static let events: [Known] = [
    Known(
      "Command Complete", "04 0E 04 01 03 0C 00", HCICommandComplete(HCIReset.self, StatusReturn()).h4),
    Known("NOP", "04 0E 03 01 00 00", HCICommandComplete().h4),
    Known("Command Status", "04 0F 04 01 01 6D 0C", HCICommandStatus(.writeLEHostSupport, .unknownHCICommand).h4),
    Known(
      "Disconnection Complete", "04 05 04 00 40 00 13",
      HCIDisconnectionComplete {
        $0.connectionHandle = handle
        $0.reason = .remoteUserTerminatedConnection
      }.h4),
    Known(
      "Number Of Completed Packets", "04 13 09 02 00 00 01 00 40 00 03 00",
      HCINumberOfCompletedPackets {
        $0.completed = [CompletedPackets(.zero, count: 1), CompletedPackets(handle, count: 3)]
      }.h4),
    Known(
      "LE Connection Complete", "04 3E 13 01 00 40 00 01 01 66 55 44 33 22 C1 18 00 04 00 F4 01 05",
      LEConnectionComplete {
        $0.connectionHandle = handle
        $0.role = .peripheral
        $0.peerAddressType = .random
        $0.peerAddress = peer
        $0.interval = ConnectionInterval(rounding: .milliseconds(30))
        $0.latency = 4
        $0.supervisionTimeout = SupervisionTimeout(rounding: .seconds(5))
        $0.centralClockAccuracy = .ppm50
      }.h4),
    Known(
      "LE Data Length Change", "04 3E 0B 07 40 00 FB 00 48 08 1B 00 48 01",
      LEDataLengthChange {
        $0.connectionHandle = handle
        $0.maximumTxOctets = 251
        $0.maximumTxTime = 2120
        $0.maximumRxOctets = 27
        $0.maximumRxTime = 328
      }.h4),
    Known(
      "LE Advertising Report", "04 3E 0F 02 01 04 01 66 55 44 33 22 C1 03 02 01 06 C4",
      LEAdvertisingReport { event in
        var report = AdvertisingReport()
        report.reportType = .scanResponse
        report.addressType = .random
        report.address = peer
        report.data = [2, 1, 6]
        report.rssi = -60
        event.reports = [report]
      }.h4),
    Known(
      "LE Extended Advertising Report",
      "04 3E 1C 0D 01 21 00 01 66 55 44 33 22 C1 01 02 05 7F C4 00 00 00 00 00 00 00 00 00 02 AA BB",
      LEExtendedAdvertisingReport { event in
        var report = ExtendedAdvertisingReport()
        report.reportType = .connectable
        report.reportType.dataStatus = .moreToCome
        report.addressType = .random
        report.address = peer
        report.secondaryPHY = .le2M
        report.advertisingSID = 5
        report.rssi = -60
        report.data = [0xAA, 0xBB]
        event.reports = [report]
      }.h4),
    Known("LE Scan Timeout", "04 3E 01 11", LEScanTimeout().h4),
    Known(
      "LE Advertising Set Terminated", "04 3E 06 12 00 02 40 00 07",
      LEAdvertisingSetTerminated {
        $0.advertisingHandle = 2
        $0.connectionHandle = handle
        $0.completedEvents = 7
      }.h4),
    Known(
      "Zephyr assertion", "04 FF 0B AA 75 6C 6C 2E 63 00 D2 04 00 00",
      ZephyrAssertion(file: "ull.c", line: 1234).event.h4),
  ]

  @Test(arguments: commands + events)
  func octets(_ known: Known) { #expect(known.encoded == [UInt8](hexadecimal: known.octets)) }

  @Test("Legacy advertising data always has all 32 octets")
  func legacyData() throws {
    let data = try #require(LegacyAdvertisingData([2, 1, 6]))
    let packet = LESetAdvertisingData { $0.data = data }.h4
    #expect(packet == [0x01, 0x08, 0x20, 0x20, 3, 2, 1, 6] + Array(repeating: 0, count: 28))
    #expect(data.significant == [2, 1, 6])
    #expect(LegacyAdvertisingData(Array(repeating: 1, count: 31))?.length == 31)
    #expect(LegacyAdvertisingData(Array(repeating: 1, count: 32)) == nil)
    let wrong = try LegacyAdvertisingData(decoding: [32] + Array(repeating: 9, count: 31))
    #expect(wrong.length == 32)
    #expect(wrong.significant == nil)
  }

  @Test("Completed packets are read without a list")
  func completedPackets() {
    let parameters: [UInt8] = [2, 0x00, 0x00, 0x01, 0x00, 0x40, 0x00, 0x2C, 0x01]
    var seen: [CompletedPackets] = []
    let fits = HCINumberOfCompletedPackets.forEach(in: parameters.span) { handle, count in
      seen.append(CompletedPackets(handle, count: UInt16(count)))
    }
    #expect(fits)
    #expect(seen == [CompletedPackets(.zero, count: 1), CompletedPackets(Self.handle, count: 300)])
    for length in 0..<parameters.count {
      #expect(!HCINumberOfCompletedPackets.forEach(in: parameters.span.extracting(0..<length)) { _, _ in seen = [] })
    }
    #expect(seen.count == 2)
  }

  @Test("A failure may omit everything except the status")
  func failedReturn() throws {
    let octets: [UInt8] = [0x0C]
    let returned = try LEReadBufferSize.returned(octets.span)
    #expect(returned == LEReadBufferSize.ReturnParameters(status: .commandDisallowed))
    let success: [UInt8] = [0x00]
    #expect(throws: LayoutFault.self) { try LEReadBufferSize.returned(success.span) }
    let more: [UInt8] = [0x00, 0xFB, 0x00, 0x0A, 0x99]
    #expect(try LEReadBufferSize.returned(more.span).aclDataPacketLength == 251)
    #expect(throws: LayoutFault.self) { try LEReadBufferSize.returned([UInt8]().span) }
  }

  @Test("Zephyr's static addresses follow their count, whatever comes after them")
  func zephyrStaticAddresses() throws {
    let stale: [UInt8] = [0x00, 0x00] + Array(repeating: 0xEE, count: 22)
    #expect(try ZephyrReadStaticAddresses.returned(stale.span).addresses.isEmpty)
    let one: [UInt8] = [0x00, 0x01, 0x66, 0x55, 0x44, 0x33, 0x22, 0xC1] + Array(repeating: 0, count: 16)
    let returned = try ZephyrReadStaticAddresses.returned(one.span)
    #expect(returned.addresses.map(\.address) == [Self.peer])
  }

  @Test("Zephyr's assertion event names file and line")
  func zephyrAssertion() throws {
    let event = try HCIVendorEvent(decoding: [0xAA, 0x6C, 0x6C, 0x2E, 0x63, 0x00, 0x10, 0x27, 0x00, 0x00])
    let assertion = try #require(event.zephyrAssertion)
    #expect(assertion == ZephyrAssertion(file: "ll.c", line: 10_000))
    #expect(assertion.description == "ll.c:10000")
    #expect(try HCIVendorEvent(decoding: [0xAA, 1, 0, 0, 0]).zephyrAssertion == ZephyrAssertion(file: "", line: 1))
    #expect(try HCIVendorEvent(decoding: [0xAA, 1, 0, 0]).zephyrAssertion == nil)
    #expect(try HCIVendorEvent(decoding: [0xAB, 1, 0, 0, 0]).zephyrAssertion == nil)
  }
}
