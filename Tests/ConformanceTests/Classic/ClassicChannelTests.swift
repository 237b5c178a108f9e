import BLECore
import BLEHCI
import BLEL2CAP
import BLELink
import PeripheralHost
import Simulation
import Testing

/// The group L2CAP/COS/CED over BR/EDR: channels are opened, carry data and are closed (Core 5.4 Vol 3 Part A 4, 7). The channels are those
/// of the Service Discovery Server, which answers everything with at least the header of a PDU.
@Suite("L2CAP/COS/CED over BR/EDR")
struct ClassicChannelTests {
  /// A Service Search Request for all records, and a prefix of its answer.
  private static let search = "02 0007 0008 35 03 19 0100 0014 00"
  private static let found = "030007"

  private func exchanges(_ scene: ClassicScene, _ channel: ChannelID) throws {
    try scene.central.send(Self.search, on: channel)
    let answer = try #require(scene.central.next(on: ChannelID(rawValue: 0x70)))
    #expect(answer.hasPrefix(Self.found))
  }

  @Test("L2CAP/COS/CED/BV-05-C: a channel is accepted and configured with an MTU of 48 octets")
  func accepts() throws {
    let scene = try ClassicScene.connected()
    let channel = try scene.open(.serviceDiscovery, mtu: 48)
    try exchanges(scene, channel)
    // All parts of a longer answer fit.
    try scene.central.send("06 0001 000f 35 03 19 0100 ffff 35 05 0a 0000ffff 00", on: channel)
    let answer = try #require(scene.central.next(on: ChannelID(rawValue: 0x70)))
    #expect(answer.hasPrefix("070001") && answer.count / 2 <= 48)
  }

  @Test("L2CAP/COS/CED/BV-03-C: the accessory sends data to the central's CID")
  func sends() throws {
    let scene = try ClassicScene.connected()
    try exchanges(scene, try scene.open(.serviceDiscovery))
    #expect(scene.central.frames.allSatisfy { [1, 0x70].contains($0.channel.rawValue) })
  }

  @Test("L2CAP/COS/CED/BV-04-C: the accessory closes a channel, here because an SDU is too long for it")
  func closes() throws {
    let scene = try ClassicScene.connected()
    let channel = try scene.open(.serviceDiscovery)
    try scene.central.send([UInt8](repeating: 2, count: 1025), on: channel)
    scene.simulation.run(for: .seconds(1))
    let request = try #require(scene.signalling().first { $0.hasPrefix("06") })
    #expect(request.hasSuffix("04007000" + channel.rawValue.littleEndianOctets.hexadecimal))
  }

  @Test("L2CAP/COS/CED/BV-07-C: the central closes a channel")
  func closed() throws {
    let scene = try ClassicScene.connected()
    let channel = try scene.open(.serviceDiscovery).rawValue.littleEndianOctets.hexadecimal
    #expect(try scene.signal("06 05 0400 \(channel) 7000") == ["07050400\(channel)7000"])
    // There is nothing to close any more.
    #expect(try scene.signal("06 06 0400 \(channel) 7000") == ["010606000200\(channel)7000"])
  }

  @Test("L2CAP/COS/CED/BV-08-C: a channel whose configuration is not answered is closed, and unknown then")
  func timeout() throws {
    let scene = try ClassicScene.connected()
    let channel = try scene.configure(.serviceDiscovery, accepts: false).channel
    scene.simulation.run(for: .seconds(125))
    let ends = scene.signalling().filter { $0.hasPrefix("06") }
    #expect(ends.count == 1 && ends[0].hasSuffix("7000" + channel.rawValue.littleEndianOctets.hexadecimal))
    scene.simulation.run(for: .seconds(65))
    let octets = channel.rawValue.littleEndianOctets.hexadecimal
    #expect(try scene.signal("04 02 0400 \(octets) 0000") == ["010206000200\(octets)0000"])
  }

  @Test("L2CAP/COS/CED/BV-09-C: two commands in one frame are both answered")
  func several() throws {
    let scene = try ClassicScene.connected()
    let (channel, request) = try scene.configure(.serviceDiscovery, accepts: false)
    let octets = channel.rawValue.littleEndianOctets.hexadecimal
    let response = "05 \([request[1]].hexadecimal) 0600 \(octets) 0000 0000"
    let answers = try scene.signal(response + " 08 09 0100 aa" + " 04 02 0400 \(octets) 0000")
    #expect(answers.contains("09090100aa") && answers.contains { $0.hasPrefix("0502060070000000") })
    try exchanges(scene, channel)
  }

  @Test(
    "L2CAP/COS/CED/BV-11-C: the accessory says the longest SDU that it accepts, and accepts the central's",
    arguments: [48, 672, 0xFFFF] as [UInt16])
  func mtu(_ mtu: UInt16) throws {
    let scene = try ClassicScene.connected()
    let (channel, request) = try scene.configure(.serviceDiscovery)
    // An MTU option of 1024.
    #expect(Array(request[4...]) == [0x70, 0, 0, 0, 1, 2, 0, 4])
    let option = "0102" + mtu.littleEndianOctets.hexadecimal
    let octets = channel.rawValue.littleEndianOctets.hexadecimal
    #expect(try scene.signal("04 02 0800 \(octets) 0000 \(option)") == ["05020a00700000000000" + option])
  }

  // MARK: Fragments

  /// Sends a frame in ACL packets of these lengths.
  private func send(_ frame: [UInt8], in lengths: [Int], _ scene: ClassicScene) throws {
    var offset = 0
    for length in lengths {
      try scene.central.sendFragment(Array(frame[offset..<offset + length]), isFirst: offset == 0)
      offset += length
    }
    try #require(offset == frame.count)
  }

  private func frame(_ payload: String, on channel: ChannelID) throws -> [UInt8] {
    let octets = try #require([UInt8](hexadecimal: payload))
    return [UInt8(octets.count), 0] + channel.rawValue.littleEndianOctets + octets
  }

  @Test("L2CAP/COS/CED/BV-12-C: signalling that comes in two parts", arguments: 1..<13)
  func dividedSignalling(at place: Int) throws {
    let scene = try ClassicScene.connected()
    let frame = try frame("08 05 0500 0102030405", on: .classicSignalling)
    try send(frame, in: [place, frame.count - place], scene)
    scene.simulation.run(for: .milliseconds(500))
    #expect(scene.signalling() == ["090505000102030405"])
  }

  @Test("L2CAP/COS/CED/BV-13-C: data that comes in two parts", arguments: 1..<17)
  func dividedData(at place: Int) throws {
    let scene = try ClassicScene.connected()
    let frame = try frame(Self.search, on: scene.open(.serviceDiscovery))
    try send(frame, in: [place, frame.count - place], scene)
    #expect(scene.central.next(on: ChannelID(rawValue: 0x70))?.hasPrefix(Self.found) == true)
  }

  /// Sends packets that are no whole frame, which is not answered, and then a frame that is.
  private func discards(_ packets: [(octets: [UInt8], isFirst: Bool)], _ scene: ClassicScene, _ channel: ChannelID)
    throws
  {
    for packet in packets { try scene.central.sendFragment(packet.octets, isFirst: packet.isFirst) }
    #expect(scene.central.next(on: ChannelID(rawValue: 0x70)) == nil)
    try exchanges(scene, channel)
    #expect(scene.state != nil)
  }

  @Test("L2CAP/COS/CED/BI-03-C: data longer than its frame is discarded")
  func longData() throws {
    let scene = try ClassicScene.connected()
    let channel = try scene.open(.serviceDiscovery)
    let whole = try frame(Self.search, on: channel)
    try discards([(Array(whole) + [0], true)], scene, channel)
  }

  @Test("L2CAP/COS/CED/BI-06-C: so is data whose second part is too long")
  func longSecondPart() throws {
    let scene = try ClassicScene.connected()
    let channel = try scene.open(.serviceDiscovery)
    let whole = try frame(Self.search, on: channel)
    try discards([(Array(whole[..<8]), true), (Array(whole[8...]) + [0], false)], scene, channel)
  }

  @Test("L2CAP/COS/CED/BI-07-C: and parts after the end of a frame, which itself arrives")
  func partAfterEnd() throws {
    let scene = try ClassicScene.connected()
    let channel = try scene.open(.serviceDiscovery)
    let whole = try frame(Self.search, on: channel)
    for parts in [[whole.count], [8, whole.count - 8]] {
      try send(whole, in: parts, scene)
      #expect(scene.central.next(on: ChannelID(rawValue: 0x70))?.hasPrefix(Self.found) == true)
      try discards([(Array(whole[4..<12]), false)], scene, channel)
    }
  }

  // MARK: Invalid signalling

  @Test("L2CAP/COS/CED/BI-01-C: unknown commands are rejected", arguments: [0x00, 0x1B, 0x7F, 0xFF] as [UInt8])
  func unknown(_ code: UInt8) throws {
    let scene = try ClassicScene.connected()
    #expect(try scene.signal("\([code].hexadecimal) 05 0000") == ["010502000000"])
  }

  @Test(
    "L2CAP/COS/CED/BI-02-C: a frame that is too short is discarded; what follows a command in a longer one is rejected")
  func wrongSizes() throws {
    let scene = try ClassicScene.connected()
    let request = "02 05 0400 0100 7000"
    // The length field says one octet less than there are.
    try scene.central.sendFragment([7, 0, 1, 0] + (try #require([UInt8](hexadecimal: request))), isFirst: true)
    scene.simulation.run(for: .milliseconds(500))
    #expect(scene.signalling().isEmpty)
    let answers = try scene.signal(request + " 000000")
    let response = try #require(answers.first { $0.hasPrefix("0305") })
    #expect(answers.contains("010002000000"))
    let channel = String(response.dropFirst(8).prefix(4))
    #expect(try scene.signal("04 06 0400 \(channel) 0000").contains("05060600700000000000"))
  }

  @Test("L2CAP/COS/CED/BI-04-C: a signalling frame that is longer than it says is discarded")
  func longSignalling() throws {
    let scene = try ClassicScene.connected()
    try scene.central.sendFragment([4, 0, 1, 0, 0x08, 5, 1, 0, 0xAA], isFirst: true)
    scene.simulation.run(for: .milliseconds(500))
    #expect(scene.signalling().isEmpty)
    #expect(try scene.signal("08 05 0100 aa") == ["09050100aa"])
  }

  @Test("L2CAP/COS/CED/BI-08-C: a command that is longer than its frame is rejected")
  func longCommand() throws {
    let scene = try ClassicScene.connected()
    #expect(try scene.signal("08 05 0400 010203") == ["010502000000"])
    #expect(try scene.signal("08 06 0300 010203") == ["09060300010203"])
  }

  @Test("L2CAP/COS/CED/BI-10-C: a command with an octet too many is rejected")
  func longDisconnection() throws {
    let scene = try ClassicScene.connected()
    #expect(try scene.signal("06 05 0500 4000 7000 00") == ["010502000000"])
    #expect(try scene.signal("08 06 0300 010203") == ["09060300010203"])
  }

  @Test("L2CAP/COS/CED/BI-12-C: a command before a stray octet is answered, and the octet is rejected")
  func strayOctet() throws {
    let scene = try ClassicScene.connected()
    #expect(try scene.signal("08 05 0400 01020304 00") == ["0905040001020304", "010002000000"])
    #expect(try scene.signal("08 06 0400 01020304") == ["0906040001020304"])
  }

  @Test(
    "L2CAP/COS/CED/BI-14-C, L2CAP/COS/CED/BI-15-C: a command before a truncated one is answered, and that one is rejected",
    arguments: ["08 06 0100", "06 06 0000"])
  func truncated(second: String) throws {
    let scene = try ClassicScene.connected()
    #expect(try scene.signal("08 05 0000" + second) == ["09050000", "010602000000"])
    #expect(try scene.signal("08 07 0000") == ["09070000"])
  }

  // MARK: Channels that do not exist

  @Test(
    "L2CAP/COS/CID/BI-01-C: frames on channels that BR/EDR does not have are ignored",
    arguments: [0x0004, 0x0005, 0x0006, 0x0008, 0x003E] as [UInt16])
  func unsupportedCID(_ id: UInt16) throws {
    let scene = try ClassicScene.connected()
    scene.accessory.events = []
    // Requests of protocols that would answer.
    for payload in ["0a 1200", "12 03 0800 0600 0600 0000 0a00", "01 03 00 09 10 01 01"] {
      try scene.central.send(payload, on: ChannelID(rawValue: id))
    }
    scene.simulation.run(for: .seconds(1))
    #expect(scene.central.frames.isEmpty && scene.accessory.events.allSatisfy { !$0.isOfData })
    #expect(try scene.signal("08 05 0100 aa") == ["09050100aa"])
  }
}
