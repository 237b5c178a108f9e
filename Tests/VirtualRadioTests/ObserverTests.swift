import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

@Suite("Watching the air")
struct ObserverTests {
  /// Records what an observer of the air receives.
  private final class Log {
    var packets: [AirPacket] = []

    init(_ stage: Stage) { stage.air.observer = { [unowned self] in packets.append($0) } }
  }

  private func types(_ packets: some Sequence<AirPacket>) throws -> [UInt8] {
    try packets.map { try #require($0.pdu.first) & 0xF }
  }

  // MARK: Advertising

  @Test(
    "every kind of legacy advertising is on all channels with its octets, heard or not",
    arguments: [
      (AdvertisingType.connectableScannable, [0x20, 9], [2, 1, 6]), (.scannable, [0x06, 9], [2, 1, 6]),
      (.nonConnectable, [0x02, 9], [2, 1, 6]),
      (.directedLowDuty, [0xA1, 12], [0x01, 0x00, 0x00, 0xEE, 0xFF, 0xC0]),
    ])
  func legacy(type: AdvertisingType, header: [UInt8], rest: [UInt8]) throws {
    let stage = Stage()
    let log = Log(stage)
    let host = stage.add()
    try stage.advertise(host, type)
    stage.run(.milliseconds(100))
    try #require(log.packets.count == 3)
    #expect(log.packets.map(\.channel) == [37, 38, 39])
    for packet in log.packets {
      #expect(packet.pdu == header + [1, 0, 0, 0x34, 0x12, 0] + rest)
      #expect(packet.accessAddress == 0x8E89_BED6 && packet.crcInit == 0x55_5555)
      #expect(packet.direction == .advertising && packet.auxiliary == nil && packet.linkNumber == nil)
      #expect(packet.sender == host.id && packet.receivers == 0 && packet.strength == nil)
    }
  }

  @Test("scan request and response follow their advertisement at T_IFS, on its channel")
  func scanRequest() throws {
    let stage = Stage()
    let (advertiser, scanner) = (stage.add(), stage.add())
    try stage.advertise(advertiser, .scannable, response: [3, 9, 0x41, 0x42])
    try stage.scan(scanner, isActive: true)
    stage.air.setSignalStrength(from: advertiser.id, to: scanner.id, dBm: -61)
    let log = Log(stage)
    stage.run(.milliseconds(200))
    let asked = try #require(log.packets.firstIndex { $0.sender == scanner.id })
    let (advertisement, request, response) = (log.packets[asked - 1], log.packets[asked], log.packets[asked + 1])
    #expect(request.pdu == [0x03, 12, 2, 0, 0, 0x34, 0x12, 0, 1, 0, 0, 0x34, 0x12, 0])
    #expect(response.pdu == [0x04, 10, 1, 0, 0, 0x34, 0x12, 0, 3, 9, 0x41, 0x42])
    #expect([request.channel, response.channel] == [advertisement.channel, advertisement.channel])
    #expect(request.start - advertisement.start == .microseconds(19 * 8 + 150))
    #expect(response.start - request.start == .microseconds(22 * 8 + 150))
    #expect([advertisement.strength, request.strength, response.strength] == [-61, -50, -61])
    #expect([advertisement.receivers, request.receivers, response.receivers] == [1, 1, 1])
  }

  @Test(
    "extended advertising: every pointer leads to the packet that follows, and the data arrives whole",
    arguments: [PHY.le1M, .le2M, .leCoded], [0, 3, 229, 230, 700])
  func extended(phy: PHY, length: Int) throws {
    let stage = Stage()
    let host = stage.add()
    let log = Log(stage)
    let data = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
    try stage.advertiseExtended(
      host, [.includeTxPower], data: data, secondaryPHY: phy, primaryPHY: phy == .leCoded ? .leCoded : .le1M)
    stage.run(.milliseconds(100))
    let primary = log.packets.prefix(3)
    let auxiliary = Array(log.packets.dropFirst(3))
    #expect(primary.allSatisfy { $0.auxiliary == nil && $0.phy == (phy == .leCoded ? .leCoded : .le1M) })
    #expect(auxiliary.map(\.auxiliary) == [.advertisement] + Array(repeating: .chain, count: max(0, length - 1) / 229))
    let payloads = try log.packets.map { try ExtendedAdvertisingPayload(decoding: Array($0.pdu.dropFirst(2))) }
    for (index, payload) in payloads.enumerated() {
      #expect(payload.dataInfo?.sid == 3 && payload.dataInfo == payloads[0].dataInfo)
      let next = index < 3 ? 3 : index + 1
      guard next < payloads.count else {
        #expect(payload.pointer == nil)
        continue
      }
      let pointer = try #require(payload.pointer)
      let offset = log.packets[next].start - log.packets[index].start
      #expect(pointer.channel == log.packets[next].channel && PHY(pointer.phy) == phy)
      #expect(offset >= .microseconds(30) * Int(pointer.offsetUnits))
      #expect(offset < .microseconds(30) * (Int(pointer.offsetUnits) + 1))
    }
    #expect(payloads.flatMap(\.data) == data)
    #expect(payloads.map { $0.advertiser != nil && $0.transmitPower == 8 }.prefix(4) == [false, false, false, true])
    #expect(log.packets[3].pdu[0] == 0x47)
  }

  @Test("an extended scan request is answered on the auxiliary channel")
  func extendedScan() throws {
    let stage = Stage()
    let (advertiser, scanner) = (stage.add(), stage.add())
    try stage.advertiseExtended(advertiser, [.scannable], data: [UInt8](repeating: 7, count: 300))
    try stage.scanExtended(scanner, isActive: true)
    let log = Log(stage)
    stage.run(.milliseconds(300))
    let start = try #require(log.packets.firstIndex { $0.sender == scanner.id })
    let exchange = log.packets[(start - 1)...(start + 2)]
    #expect(exchange.map(\.auxiliary) == [.advertisement, .exchange, .scanResponse, .chain])
    #expect(Set(exchange.prefix(3).map(\.channel)).count == 1)
    #expect(try types(exchange) == [7, 3, 7, 7])
    #expect(scanner.all(LEExtendedAdvertisingReport.self).flatMap(\.reports).map(\.data.count) == [0, 229, 71])
  }

  // MARK: Connections

  @Test(
    "a connection request identifies the packets of its connection, for both channel selection algorithms",
    arguments: [true, false])
  func connectionRequest(knowsSecond: Bool) throws {
    let stage = Stage(seed: 3)
    let log = Log(stage)
    var configuration = ControllerConfiguration.full
    if !knowsSecond { configuration.features.remove(.channelSelectionAlgorithm2) }
    let pair = try stage.connected(peripheral: configuration)
    stage.run(.milliseconds(500))
    let place = try #require(log.packets.firstIndex { $0.pdu[0] & 0xF == 5 && $0.direction == .advertising })
    let request = log.packets[place]
    #expect(request.pdu[0] == 0xE5 && request.sender == pair.central.id)
    #expect(log.packets[place - 1].pdu[0] == (knowsSecond ? 0x60 : 0x40))
    let content = try ConnectRequestPayload(decoding: Array(request.pdu.dropFirst(2)))
    #expect(content.advertiser == .randomStatic(from: 0x1122_3344))
    #expect(content.timing == LinkTiming(intervalUnits: 24, latency: 0, timeoutUnits: 100))
    #expect(content.accessAddress.isValidForConnections)
    let packets = log.packets.filter { $0.linkNumber == 1 }
    #expect(packets.allSatisfy { $0.accessAddress == content.accessAddress.rawValue && $0.crcInit == content.crcInit })
    // One event every 30 ms, starting 1.25 ms after the request, on the channels that the algorithm selects.
    let selection: ChannelSelection =
      knowsSecond ? .algorithm2(content.accessAddress) : .algorithm1(hopIncrement: content.hopIncrement)
    let first = request.start + RadioPHY.le1M.airTime(payload: 34) + .microseconds(1250)
    for packet in packets {
      let counter = Int((packet.start - first).inNanoseconds / 30_000_000)
      #expect(packet.channel == selection.channel(counter: counter, map: content.channelMap.bits))
    }
    #expect(Set(packets.map(\.channel)).count > 8)
    #expect(packets.count >= 2 * 16)
  }

  @Test("an extended connection request is answered by the advertiser")
  func extendedConnection() throws {
    let stage = Stage()
    let (advertiser, central) = (stage.add(), stage.add())
    let log = Log(stage)
    try stage.advertiseExtended(advertiser, [.connectable], data: [1, 0xFF], secondaryPHY: .le2M)
    try central.bringUp()
    var parameters = InitiatingPHYParameters()
    parameters.scanInterval.rawValue = 0x10
    parameters.scanWindow.rawValue = 0x10
    parameters.intervalMinimum.rawValue = 24
    parameters.intervalMaximum.rawValue = 24
    parameters.supervisionTimeout.rawValue = 100
    try #require(
      try central.begin(
        LEExtendedCreateConnection {
          $0.peerAddressType = .random
          $0.peerAddress = .randomStatic(from: 7)
          $0.phys = .le1M
          $0.parameters = [parameters]
        }) == .success)
    stage.run(.milliseconds(400))
    let place = try #require(log.packets.firstIndex { $0.sender == central.id })
    let exchange = log.packets[(place - 1)...(place + 1)]
    #expect(try types(exchange) == [7, 5, 8])
    #expect(exchange.map(\.auxiliary) == [.advertisement, .exchange, .exchange])
    #expect(Set(exchange.map(\.channel)).count == 1 && exchange.allSatisfy { $0.phy == .le2M })
    let response = try ExtendedAdvertisingPayload(decoding: Array(log.packets[place + 1].pdu.dropFirst(2)))
    #expect(response.target == DeviceAddress(bits: 0x0012_3400_0002) && response.advertiser == .randomStatic(from: 7))
    #expect(log.packets[place + 2].direction == .toPeripheral && log.packets[place + 2].phy == .le2M)
  }

  @Test("the header shows what is sent and what waits: LLID, SN, NESN, MD, length")
  func dataHeaders() throws {
    let stage = Stage()
    let pair = try stage.connected()
    stage.run(.seconds(1))
    let log = Log(stage)
    pair.central.sendData(pair.atCentral, [UInt8](repeating: 9, count: 40))
    stage.run(.milliseconds(29))
    let event = try log.packets.map { ($0.direction, try DataPDUHeader(decoding: Array($0.pdu.prefix(2)))) }
    #expect(event.map(\.0) == [.toPeripheral, .toCentral, .toPeripheral, .toCentral])
    #expect(event.map(\.1.length) == [27, 0, 13, 0])
    #expect(event.map(\.1.kind) == [.start, .continuation, .continuation, .continuation])
    #expect(event.map(\.1.hasMoreData) == [true, false, false, false])
    let sequence = event.map(\.1.sequence)
    let expected = event.map(\.1.nextExpected)
    #expect(sequence[0] != sequence[2] && sequence[1] != sequence[3])
    #expect(expected[1] != sequence[0] && expected[2] != sequence[1] && expected[3] != sequence[2])
    for (packet, next) in zip(log.packets, log.packets.dropFirst()) {
      let end = packet.start + RadioPHY.le1M.airTime(payload: packet.pdu.count - 2)
      #expect(next.start - end == .microseconds(150) && next.channel == packet.channel)
    }
  }

  @Test("an unacknowledged packet is sent again with the same sequence number, and the lost one has no receiver")
  func retransmission() throws {
    let stage = Stage()
    let pair = try stage.connected()
    stage.run(.seconds(1))
    let log = Log(stage)
    stage.air.setImpairment(
      PathImpairment(loss: .pattern([true, false])), from: pair.central.id, to: pair.peripheral.id)
    pair.central.sendData(pair.atCentral, [1, 2, 3])
    stage.run(.milliseconds(59))
    let sent = log.packets.filter { $0.direction == .toPeripheral && $0.pdu.count == 5 }
    #expect(sent.map(\.receivers) == [0, 1])
    #expect(Set(sent.map(\.pdu)).count == 1)
  }

  @Test("the last packet of a connection acknowledges the termination", arguments: [true, false])
  func termination(byCentral: Bool) throws {
    let stage = Stage()
    let pair = try stage.connected()
    stage.run(.seconds(1))
    let log = Log(stage)
    let (host, handle) = byCentral ? (pair.central, pair.atCentral) : (pair.peripheral, pair.atPeripheral)
    try host.begin(HCIDisconnect { $0.connectionHandle.rawValue = handle })
    stage.run(.seconds(1))
    let (terminate, last) = try #require(
      log.packets.count > 1 ? (log.packets[log.packets.count - 2], log.packets.last) : nil)
    #expect(terminate.pdu.dropFirst(2) == [0x02, 0x13])
    #expect(last?.pdu.count == 2 && last?.sender != terminate.sender)
    #expect(last.map { $0.pdu[0] & 0b100 } != (terminate.pdu[0] & 0b1000) >> 1)
  }

  @Test("with data that goes at once, only packets that carry something are seen")
  func immediate() throws {
    let stage = Stage(timing: .immediate)
    let pair = try stage.connected()
    let log = Log(stage)
    pair.peripheral.sendData(pair.atPeripheral, [UInt8](repeating: 1, count: 30))
    stage.run(.seconds(10))
    #expect(log.packets.map { Array($0.pdu.dropFirst(2)).count } == [27, 3])
    #expect(log.packets.map(\.direction) == [.toCentral, .toCentral])
    #expect(log.packets[0].pdu[0] & 0b1000 != log.packets[1].pdu[0] & 0b1000)
  }

  @Test("an idle link with latency shows every event of the central, and the answers that matter")
  func latency() throws {
    let stage = Stage()
    _ = try stage.connected(interval: 24, latency: 4)
    stage.run(.seconds(1))
    let log = Log(stage)
    stage.run(.seconds(3))
    #expect(log.packets.count { $0.direction == .toPeripheral } == 100)
    #expect(log.packets.count { $0.direction == .toCentral } == 20)
    #expect(log.packets.count { $0.receivers == 0 } == 80)
    stage.air.observer = nil
    stage.run(.seconds(60))
    #expect(log.packets.count == 120)
    #expect(stage.air.nextDeadline == nil)
  }

  // MARK: The whole

  /// Runs a scene with a bit of everything; returns what the hosts received and what was on the air.
  private func scene(seed: UInt64, isWatched: Bool) throws -> (transcripts: [[UInt8]], packets: [AirPacket]) {
    let stage = Stage(seed: seed)
    let pair = try stage.connected(interval: 12, latency: 3)
    let (beacon, scanner) = (stage.add(), stage.add())
    try stage.scanExtended(scanner)
    // Only advertising without a listener differs: unobserved, it ends as soon as it begins.
    let log = isWatched ? Log(stage) : nil
    try stage.advertiseExtended(beacon, [], data: [UInt8](repeating: 5, count: 500))
    for round in UInt8(0)..<20 {
      if round == 5 { stage.air.setDefaultImpairment(PathImpairment(loss: .fraction(0.2), bitErrorRate: 1e-5)) }
      if round == 15 { stage.air.setDefaultImpairment(PathImpairment()) }
      pair.central.sendData(pair.atCentral, [UInt8](repeating: round, count: Int(round) * 10 + 1))
      pair.peripheral.sendData(pair.atPeripheral, [round])
      stage.run(.milliseconds(200))
    }
    try pair.central.begin(HCIDisconnect { $0.connectionHandle.rawValue = pair.atCentral })
    stage.run(.seconds(2))
    return (stage.hosts.map(\.transcript), log?.packets ?? [])
  }

  @Test("the same seed gives the same packets, another seed others")
  func seeds() throws {
    let first = try scene(seed: 8, isWatched: true)
    let second = try scene(seed: 8, isWatched: true)
    #expect(first.packets == second.packets && first.transcripts == second.transcripts)
    #expect(first.packets.count > 500)
    #expect(try scene(seed: 9, isWatched: true).packets != first.packets)
  }

  @Test("an observer changes nothing for the hosts", arguments: 1...5 as ClosedRange<UInt64>)
  func watched(seed: UInt64) throws {
    #expect(try scene(seed: seed, isWatched: true).transcripts == scene(seed: seed, isWatched: false).transcripts)
  }

  @Test("packets are reported in the order in which they end")
  func order() throws {
    let packets = try scene(seed: 2, isWatched: true).packets
    let ends = packets.map { packet in
      packet.start + packet.phy.airTime(payload: packet.pdu.count - 2)
    }
    #expect(ends == ends.sorted())
  }
}
