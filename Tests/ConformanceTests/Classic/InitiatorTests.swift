import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import BLESDP
import BLESMP
import CentralHost
import Simulation
import Testing

/// The groups L2CAP/COS/CED, CFD, CMC and FIX, on the side that opens channels over BR/EDR: this project's central, for its search of
/// service records and for the Attribute Protocol (Core 5.4 Vol 3 Part A 4.2, 4.4, 4.10, 5, 7.1).
@Suite("L2CAP/COS/CED, L2CAP/COS/CFD, L2CAP/CMC, L2CAP/FIX, initiator")
struct InitiatorTests {
  /// The options of the modes.
  private static let basic = "04 09 000000000000000000"
  private static let retransmission = "04 09 03 08 0a 0000 0000 6400"

  /// A search of the central's, whose channel the device has yet to accept.
  private static func search() throws -> (scene: CallingScene, request: CallingScene.ChannelRequest) {
    let scene = try CallingScene()
    try search(scene, try scene.connect())
    return (scene, try scene.channelRequest())
  }

  private static func search(_ scene: CallingScene, _ link: ConnectionHandle) throws {
    try scene.central.perform(.searchRecords(link, .search(.publicBrowseRoot, limit: 10)))
  }

  /// The results of searches.
  private static func results(_ scene: CallingScene) -> [Result<SDPClient.Answer, RecordSearchFailure>] {
    scene.central.events.compactMap { event in
      if case .serviceRecords(_, let result) = event { result } else { nil }
    }
  }

  /// Expects that a search goes on over its channel: its request comes, and the answer is taken.
  private func exchanges(_ scene: CallingScene, _ request: CallingScene.ChannelRequest) throws {
    let pdu = scene.device.next(on: CallingScene.end)
    let transaction = try #require(pdu).dropFirst(2).prefix(4)
    #expect(pdu?.hasPrefix("02") == true)
    try scene.device.send("03 \(transaction) 0005 0000 0000 00", on: ChannelID(rawValue: request.source))
    scene.simulation.run(for: .milliseconds(500))
    #expect(Self.results(scene) == [.success(.handles([]))])
  }

  // MARK: Opening

  @Test("L2CAP/COS/CED/BV-01-C: the central requests a channel, and configures it with an MTU of 48 octets")
  func opens() throws {
    let (scene, request) = try Self.search()
    #expect(request.psm == 0x0001 && request.source >= 0x40)
    try scene.accept(request)
    try scene.acceptConfiguration(of: request, "01 02 3000")
    #expect(try scene.configure(request, "01 02 3000") == "00000000" + "01023000")
    try exchanges(scene, request)
  }

  @Test("L2CAP/COS/CED/BV-01-C: the channel of the Attribute Protocol, too")
  func opensAttributeProtocol() throws {
    let scene = try CallingScene()
    let link = try scene.connect()
    try scene.central.perform(.openAttributeChannel(link))
    let request = try scene.channelRequest(within: .seconds(40))
    #expect(request.psm == 0x001F && scene.device.isEncrypted)
    try scene.accept(request)
    try scene.acceptConfiguration(of: request, "01 02 3000")
    #expect(try scene.configure(request, "01 02 3000") == "00000000" + "01023000")
    let read = try scene.central.begin(.read(0x0012), on: link)
    #expect(scene.device.next(on: CallingScene.end) == "0a1200")
    try scene.device.send("0b 0102", on: ChannelID(rawValue: request.source))
    #expect(try scene.central.outcome(of: read, .read(0x0012), on: link).get() == .value([1, 2]))
  }

  @Test(
    "L2CAP/COS/CED/BI-28-C: responses with another identifier and responses that come twice are ignored, and identifiers are used in turn"
  )
  func wrongIdentifiers() throws {
    let scene = try CallingScene()
    let link = try scene.connect()
    scene.simulation.run(for: .seconds(1))
    scene.device.frames = []
    var identifiers: Set<UInt8> = []
    for round in 0..<255 {
      try Self.search(scene, link)
      let request = try scene.channelRequest()
      #expect(identifiers.insert(request.identifier).inserted, "round \(round)")
      let wrong: UInt8 = round == 1 ? (request.identifier > 100 ? 1 : 200) : 0
      try scene.accept(request, identifier: wrong)
      #expect(scene.next(.configurationRequest, within: .milliseconds(500)) == nil)
      scene.simulation.run(until: { Self.results(scene).count == round + 1 }, limit: .seconds(60))
      try #require(Self.results(scene).count == round + 1)
    }
    #expect(Self.results(scene).allSatisfy { $0 == .failure(.noChannel(.unanswered)) })
    scene.central.events = []
    try Self.search(scene, link)
    let request = try scene.channelRequest()
    try scene.accept(request)
    try scene.acceptConfiguration(of: request)
    try scene.accept(request)
    #expect(try scene.configure(request).hasPrefix("00000000"))
    #expect(scene.next(.configurationRequest, within: .milliseconds(500)) == nil)
    try exchanges(scene, request)
  }

  @Test("L2CAP/COS/CED/BI-30-C: a rejected request opens nothing, and the search says so")
  func rejected() throws {
    let (scene, request) = try Self.search()
    try scene.signal("01 \([request.identifier].hexadecimal) 0600 0200 0000 \(request.id)")
    scene.simulation.run(for: .milliseconds(500))
    #expect(Self.results(scene) == [.failure(.noChannel(.rejected))])
  }

  // MARK: Configuration

  @Test("L2CAP/COS/CFD/BV-08-C: the central answers a request for configuration before its own is answered")
  func answersFirst() throws {
    let (scene, request) = try Self.search()
    try scene.accept(request)
    #expect(try scene.configure(request).hasPrefix("00000000"))
    try scene.acceptConfiguration(of: request)
    try exchanges(scene, request)
  }

  @Test(
    "L2CAP/COS/CFD/BV-09-C: an MTU of 48 octets is accepted in both directions, without another request",
    arguments: [false, true])
  func shortestMTU(requestsFirst: Bool) throws {
    let (scene, request) = try Self.search()
    try scene.accept(request)
    if requestsFirst { #expect(try scene.configure(request, "01 02 3000") == "00000000" + "01023000") }
    try scene.acceptConfiguration(of: request, "01 02 3000")
    if !requestsFirst { #expect(try scene.configure(request, "01 02 3000") == "00000000" + "01023000") }
    try exchanges(scene, request)
    #expect(scene.next(.configurationRequest, within: .seconds(1)) == nil)
  }

  // MARK: Modes

  @Test("L2CAP/CMC/BV-09-C: the central wants Basic Mode, and says so to a device that requests the other mode")
  func wantsBasicMode() throws {
    let (scene, request) = try Self.search()
    try scene.accept(request)
    let options = try scene.acceptConfiguration(of: request)[8...].hexadecimal
    #expect(!options.contains("0409") || options.contains("040900"))
    let basic = try #require([UInt8](hexadecimal: Self.basic)).hexadecimal
    #expect(try scene.configure(request, Self.retransmission) == "00000100" + basic)
    #expect(try scene.configure(request, Self.basic, identifier: 0x61).hasPrefix("00000000"))
    try exchanges(scene, request)
  }

  @Test("L2CAP/CMC/BI-05-C: the central closes a channel whose device insists on the other mode")
  func insists() throws {
    let (scene, request) = try Self.search()
    try scene.accept(request)
    try scene.acceptConfiguration(of: request)
    #expect(try scene.configure(request, Self.retransmission).hasPrefix("00000100"))
    let length = "04 61 0f00 \(request.id) 0000"
    try scene.signal(length + Self.retransmission)
    let end = scene.next(.disconnectionRequest)
    #expect(end.map { Array($0[4...]) } == [0x70, 0] + request.source.littleEndianOctets)
  }

  @Test("L2CAP/CMC/BI-06-C: the central closes a channel whose device refuses Basic Mode")
  func refusesBasicMode() throws {
    let (scene, request) = try Self.search()
    try scene.accept(request)
    let found = scene.next(.configurationRequest)
    let identifier = try #require(found)[1]
    try scene.signal("05 \([identifier].hexadecimal) 1100 \(request.id) 0000 0100" + Self.retransmission)
    let end = scene.next(.disconnectionRequest)
    #expect(end.map { Array($0[4...]) } == [0x70, 0] + request.source.littleEndianOctets)
  }

  // MARK: Information

  @Test("L2CAP/FIX/BV-01-C: the central asks for the fixed channels before it derives keys, and uses what it hears")
  func fixedChannels() throws {
    for hasSecurityManager in [false, true] {
      let scene = try CallingScene()
      let link = try scene.connect()
      try scene.central.perform(.pair(link))
      let request = try #require(scene.next(.informationRequest, within: .seconds(40)))
      #expect(Array(request[2...]) == [2, 0, 3, 0])
      let mask = hasSecurityManager ? "82" : "02"
      try scene.signal("0b \([request[1]].hexadecimal) 0c00 0300 0000 \(mask)00000000000000")
      let packet = scene.device.next(on: .classicSecurityManager)
      #expect(packet?.hasPrefix("01") ?? false == hasSecurityManager)
    }
  }

  // MARK: Service discovery

  @Test("SDP/CL/SA/BV-01-C: the central asks for attributes of a record, each once, in ascending order")
  func attributes() throws {
    let scene = try CallingScene()
    let link = try scene.connect()
    let selection = AttributeSelection([0x0100...0x0102, 0x0001...0x0001, 0x0009...0x0009, 0x0004...0x0004])
    try scene.central.perform(.searchRecords(link, .attributes(ServiceRecordHandle(rawValue: 0x0001_0002), selection)))
    let request = try scene.open()
    let pdu = try #require(scene.device.next(on: CallingScene.end))
    let transaction = pdu.dropFirst(2).prefix(4)
    #expect(
      pdu == "04\(transaction)0017" + "00010002" + "ffff" + "350e 090001 090004 090009 0a01000102".filter { $0 != " " }
        + "00")
    // A record with one of them, in two parts.
    let client = ChannelID(rawValue: request.source)
    try scene.device.send("05 \(transaction) 0007 0003 350809 01 aa", on: client)
    let second = try #require(scene.device.next(on: CallingScene.end))
    #expect(second.hasPrefix("04") && second.hasSuffix("01aa") && second.dropFirst(2).prefix(4) != transaction)
    try scene.device.send("05 \(second.dropFirst(2).prefix(4)) 000a 0007 0001 3503191101 00", on: client)
    scene.simulation.run(for: .milliseconds(500))
    var record = ServiceRecord()
    record.serviceClasses = [BluetoothUUID(0x1101)]
    #expect(Self.results(scene) == [.success(.records([record]))])
  }

  @Test("SDP/CL/SSA/BV-01-C: the central asks for the attributes of the records that fit")
  func searchAttributes() throws {
    let scene = try CallingScene()
    let link = try scene.connect()
    let pattern = SearchPattern([BluetoothUUID(0x1101), BluetoothUUID(0x0100)])
    let selection = AttributeSelection([.serviceClassIDList, .protocolDescriptorList, .name(.serviceName)])
    try scene.central.perform(.searchRecords(link, .searchAttributes(pattern, selection)))
    let request = try scene.open()
    let pdu = try #require(scene.device.next(on: CallingScene.end))
    let transaction = pdu.dropFirst(2).prefix(4)
    let parameters = "3506 191101 190100 ffff 3509 090001 090004 090100 00".filter { $0 != " " }
    #expect(pdu == "06\(transaction)0016" + parameters)
    try scene.device.send(
      "07 \(transaction) 000f 000c 350a 3508 090001 3503191101 00", on: ChannelID(rawValue: request.source))
    scene.simulation.run(for: .milliseconds(500))
    var record = ServiceRecord()
    record.serviceClasses = [BluetoothUUID(0x1101)]
    #expect(Self.results(scene) == [.success(.records([record]))])
  }
}
