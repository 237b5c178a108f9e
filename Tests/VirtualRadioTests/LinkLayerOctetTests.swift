import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

@Suite("Link-layer octets")
struct LinkLayerOctetTests {
  @Test("the CRC of the catalogue's check string")
  func crc() {
    #expect(CRC24.checksum(Array("123456789".utf8), initial: CRC24.advertisingInit) == 0xC2_5A56)
    #expect(CRC24.checksum([], initial: 0x00_0001) == 0x80_0000)
  }

  // MARK: Access addresses

  @Test("random access addresses follow every rule of Vol 6 Part B 2.1.2")
  func randomAccessAddresses() {
    var random = SplitMix64(seed: 11)
    var seen: Set<UInt32> = []
    for _ in 0..<500 {
      let address = AccessAddress.random(&random).rawValue
      seen.insert(address)
      let bits = (0..<32).map { address >> UInt32($0) & 1 }
      func transitions(_ range: Range<Int>) -> Int {
        zip(bits[range], bits[range].dropFirst()).count { $0 != $1 }
      }
      let runs = bits.indices.dropLast(6).filter { Set(bits[$0...$0 + 6]).count == 1 }
      #expect(runs.isEmpty)
      #expect(transitions(0..<32) <= 24)
      #expect(transitions(26..<32) >= 2)
      #expect(transitions(0..<16) <= 11)
      #expect(bits[0..<8].reduce(0, +) >= 3)
      #expect((address ^ 0x8E89_BED6).nonzeroBitCount > 1)
      #expect(address.byteSwapped != address || Set([address & 0xFF, address >> 8 & 0xFF]).count > 1)
    }
    #expect(seen.count == 500)
  }

  @Test(
    "access addresses that connections must not have",
    arguments: [
      0x8E89_BED6, 0x8E89_BED7, 0x0E89_BED6, 0x0000_0000, 0xFFFF_FFFF, 0x6B6B_6B6B, 0x5555_5555, 0x71_764180,
      0x7FE4_9D2B, 0x0717_9A2B, 0x5A71_5555,
    ] as [UInt32])
  func badAccessAddress(address: UInt32) {
    #expect(!AccessAddress(rawValue: address).isValidForConnections)
  }

  // MARK: Channel selection (Core 5.4 Vol 6 Part C 3)

  @Test(
    "channel selection algorithm #2 with all channels",
    arguments: [(0, 56857, 25), (1, 1685, 20), (2, 38301, 6), (3, 27475, 21)] as [(Int, UInt16, UInt8)])
  func selection2(counter: Int, number: UInt16, channel: UInt8) {
    let selection = ChannelSelection.algorithm2(.advertising)
    #expect(ChannelSelection.randomNumber(UInt16(counter), .advertising) == number)
    #expect(selection.channel(counter: counter, map: ChannelMap().bits) == channel)
    #expect(selection.channel(counter: counter + 65_536, map: ChannelMap().bits) == channel)
  }

  @Test(
    "channel selection algorithm #2 with nine channels",
    arguments: [(6, 10975, 23), (7, 5490, 9), (8, 46970, 34)] as [(Int, UInt16, UInt8)])
  func selection2Remapped(counter: Int, number: UInt16, channel: UInt8) {
    let map = [9, 10, 21, 22, 23, 33, 34, 35, 36].reduce(UInt64(0)) { $0 | 1 << UInt64($1) }
    #expect(ChannelSelection.randomNumber(UInt16(counter), .advertising) == number)
    #expect(ChannelSelection.algorithm2(.advertising).channel(counter: counter, map: map) == channel)
  }

  @Test("channel selection algorithm #1 hops by its increment, and remaps unused channels to used ones")
  func selection1() {
    let selection = ChannelSelection.algorithm1(hopIncrement: 7)
    let all = (0..<8).map { selection.channel(counter: $0, map: ChannelMap().bits) }
    #expect(all == [7, 14, 21, 28, 35, 5, 12, 19])
    // Of the channels 3, 14 and 20: 7 mod 3 is 1, 14 is used, 21 mod 3 is 0, 28 mod 3 is 1.
    let few: UInt64 = 1 << 3 | 1 << 14 | 1 << 20
    #expect((0..<4).map { selection.channel(counter: $0, map: few) } == [14, 14, 3, 14])
  }

  @Test("every selected channel is in the map, and every channel of the map is selected", arguments: [true, false])
  func selectionStaysInMap(usesSecond: Bool) {
    var random = SplitMix64(seed: 5)
    for _ in 0..<50 {
      let access = LinkAccess(&random, usesChannelSelection2: usesSecond)
      let map = (random.next() | 0b11 << 17) & ChannelMap().bits
      let channels = Set((0..<3700).map { access.channelSelection.channel(counter: $0, map: map) })
      #expect(channels == Set((UInt8(0)..<37).filter { map >> UInt64($0) & 1 != 0 }))
      #expect((5...16).contains(access.hopIncrement) && access.crcInit <= 0xFF_FFFF)
    }
  }

  // MARK: PDUs

  @Test("the extended header encodes its fields in order, and decodes to them")
  func extendedHeader() throws {
    var payload = ExtendedAdvertisingPayload()
    payload.mode = .connectable
    payload.advertiser = DeviceAddress(bits: 0x0605_0403_0201)
    payload.target = DeviceAddress(bits: 0x1615_1413_1211)
    payload.dataInfo = AdvertisingDataInfo()
    payload.dataInfo?.dataIdentifier = 0xABC
    payload.dataInfo?.sid = 5
    payload.pointer = AuxiliaryPointer(channel: 36, after: .microseconds(1234), phy: .leCoded)
    payload.transmitPower = -7
    payload.data = [0xAA]
    let expected: [UInt8] = [
      0x40 | 19, 0b0101_1011, 1, 2, 3, 4, 5, 6, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0xBC, 0x5A, 36, 41, 0x40, 0xF9,
      0xAA,
    ]
    #expect(payload.encoded == expected)
    #expect(payload.length == expected.count)
    #expect(try ExtendedAdvertisingPayload(decoding: expected) == payload)
    #expect(ExtendedAdvertisingPayload().encoded == [0])
  }

  @Test("the connection request encodes its fields in order, and decodes to them")
  func connectRequest() throws {
    let payload = ConnectRequestPayload(
      initiator: DeviceAddress(bits: 0x0605_0403_0201), advertiser: DeviceAddress(bits: 0x1615_1413_1211),
      accessAddress: AccessAddress(rawValue: 0xAF9A_8CB2), crcInit: 0x12_3456,
      timing: LinkTiming(intervalUnits: 24, latency: 3, timeoutUnits: 500), channelMap: ChannelMap(bits: 0x1F00),
      hopIncrement: 9, clockAccuracy: .ppm50)
    let expected: [UInt8] = [
      1, 2, 3, 4, 5, 6, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0xB2, 0x8C, 0x9A, 0xAF, 0x56, 0x34, 0x12, 1, 0, 0, 24, 0, 3,
      0, 0xF4, 1, 0, 0x1F, 0, 0, 0, 5 << 5 | 9,
    ]
    #expect(payload.encoded == expected)
    #expect(expected.count == LinkLayerTime.connectRequestPayload)
    #expect(try ConnectRequestPayload(decoding: expected) == payload)
  }

  @Test(
    "advertising headers and data headers decode to their bits", arguments: [0x00, 0x45, 0xA5, 0xE7, 0x60] as [UInt8])
  func headers(first: UInt8) throws {
    #expect(try AdvertisingPDUHeader(decoding: [first, 9]).encoded == [first, 9])
    let data = first & 0x1F
    #expect(try DataPDUHeader(decoding: [data, 27]).encoded == [data, 27])
  }

  static let controlPDUs: [(ControlPDU, [UInt8])] = [
    (
      .connectionUpdate(LinkTiming(intervalUnits: 6, latency: 1, timeoutUnits: 258), instant: 0x1_0203),
      [0x00, 1, 0, 0, 6, 0, 1, 0, 2, 1, 3, 2]
    ),
    (.channelMap(0x1F_0000_0001, instant: 5), [0x01, 1, 0, 0, 0, 0x1F, 5, 0]),
    (.terminate(.remoteUserTerminatedConnection), [0x02, 0x13]),
    (.unknownResponse(0x14), [0x07, 0x14]),
    (.featureRequest(.channelSelectionAlgorithm2), [0x08, 0, 0x40, 0, 0, 0, 0, 0, 0]),
    (.featureResponse([]), [0x09, 0, 0, 0, 0, 0, 0, 0, 0]),
    (.version(LinkVersion(version: 13, companyIdentifier: 0x05F1, subversion: 7)), [0x0C, 13, 0xF1, 5, 7, 0]),
    (.peripheralFeatureRequest([]), [0x0E, 0, 0, 0, 0, 0, 0, 0, 0]),
    (
      .connectionParameterRequest(
        LinkTimingRange(minimumIntervalUnits: 6, maximumIntervalUnits: 8, latency: 2, timeoutUnits: 100)),
      [0x0F, 6, 0, 8, 0, 2, 0, 100, 0, 0, 0, 0] + Array(repeating: 0xFF, count: 12)
    ),
    (.rejectExtended(0x16, .linkLayerProcedureCollision), [0x11, 0x16, 0x23]),
    (.lengthRequest(LinkDataLength()), [0x14, 27, 0, 0x48, 1, 27, 0, 0x48, 1]),
    (.lengthResponse(LinkDataLength()), [0x15, 27, 0, 0x48, 1, 27, 0, 0x48, 1]),
    (.phyRequest(transmit: 1, receive: 2), [0x16, 1, 2]),
    (.phyResponse(transmit: 3, receive: 4), [0x17, 3, 4]),
    (.phyUpdate(centralToPeripheral: 2, peripheralToCentral: 0, instant: 9), [0x18, 2, 0, 9, 0]),
  ]

  @Test("control PDUs on the air", arguments: controlPDUs)
  func control(pdu: ControlPDU, octets: [UInt8]) {
    #expect(pdu.octets == octets)
    #expect(pdu.octets.first == pdu.opcode)
  }

  @Test("RF channels by channel index", arguments: [(0, 1), (10, 11), (11, 13), (36, 38), (37, 0), (38, 12), (39, 39)])
  func rfChannel(channel: UInt8, rfChannel: UInt8) {
    let packet = AirPacket(
      start: .zero, channel: channel, phy: .le1M, accessAddress: 0, crcInit: 0, pdu: [], direction: .advertising,
      auxiliary: nil, isEncrypted: false, sender: ControllerID(rawValue: 0), linkNumber: nil, receivers: 0,
      strength: nil)
    #expect(packet.rfChannel == rfChannel)
  }
}
