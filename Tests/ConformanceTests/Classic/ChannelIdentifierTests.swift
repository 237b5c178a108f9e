import BLECore
import BLEHCI
import BLEL2CAP
import BLELink
import PeripheralHost
import Simulation
import Testing

/// The group L2CAP/LE/CID: the same CID on both transports at once (Core 5.4 Vol 3 Part A 2.1). The central, which is connected over both, uses
/// 0x0070 on its side.
@Suite("L2CAP/LE/CID")
struct ChannelIdentifierTests {
  fileprivate static let end = ChannelID(rawValue: 0x70)

  private func id(_ octets: ArraySlice<UInt8>) -> ChannelID {
    ChannelID(rawValue: UInt16(octets[octets.startIndex]) | UInt16(octets[octets.startIndex + 1]) << 8)
  }

  @Test(
    "L2CAP/LE/CID/BV-02-C: a connection-oriented channel and an LE credit-based channel with the same CID at the central"
  )
  func sameSource() throws {
    let pair = try Pair()
    let classic = try pair.scene.open(.serviceDiscovery)
    try pair.send("14 05 0a00 8000 7000 c800 4000 0500", on: .signalling, over: pair.lowEnergy)
    let answer = try pair.next(on: .signalling, over: pair.lowEnergy)
    #expect(Array(answer[12...]) == [0, 0])
    let lowEnergy = id(answer[4...])
    try pair.scene.accessory.perform(.channel(.send(try pair.link(.le), lowEnergy, [1, 2, 3])))
    try pair.send("02 0007 0008 35 03 19 0100 0014 00", on: classic, over: pair.classic)
    #expect(try pair.next(on: Self.end, over: pair.lowEnergy) == [3, 0, 1, 2, 3])
    #expect(try pair.next(on: Self.end, over: pair.classic).prefix(3) == [3, 0, 7])
    try pair.close(classic, .classicSignalling, over: pair.classic)
    try pair.close(lowEnergy, .signalling, over: pair.lowEnergy)
  }

  @Test("Enhanced credit-based channels of both transports with the same CID at the central")
  func sameEnhancedSource() throws {
    let pair = try Pair()
    var ids: [ChannelID] = []
    let ways = [(LinkTransport.le, pair.lowEnergy, ChannelID.signalling), (.classic, pair.classic, .classicSignalling)]
    for (transport, link, signalling) in ways {
      try pair.send("17 05 0a00 8000 c800 4000 0500 7000", on: signalling, over: link)
      let answer = try pair.next(on: signalling, over: link)
      #expect(answer[0] == 0x18 && Array(answer[10..<12]) == [0, 0])
      ids.append(id(answer[12...]))
      let value: UInt8 = transport == .le ? 1 : 2
      try pair.scene.accessory.perform(.channel(.send(try pair.link(transport), ids[ids.count - 1], [value])))
    }
    #expect(try pair.next(on: Self.end, over: pair.lowEnergy) == [1, 0, 1])
    #expect(try pair.next(on: Self.end, over: pair.classic) == [1, 0, 2])
    for ((_, link, signalling), id) in zip(ways, ids) { try pair.close(id, signalling, over: link) }
  }

  @Test(
    "L2CAP/LE/CID/BV-03-C: the accessory opens channels over both transports, to which the central gives the same CID")
  func sameDestination() throws {
    let pair = try Pair()
    var ids: [ChannelID] = []
    let ways = [(LinkTransport.le, pair.lowEnergy, ChannelID.signalling), (.classic, pair.classic, .classicSignalling)]
    for (transport, link, signalling) in ways {
      let parameters = ChannelParameters(mtu: 100, mps: 64)
      try pair.scene.accessory.perform(
        .channel(.openEnhanced(try pair.link(transport), SPSM(rawValue: 0x90), count: 1, parameters)))
      let request = try pair.next(on: signalling, over: link)
      #expect(request[0] == 0x17)
      ids.append(id(request[12...]))
      try pair.send("18 \([request[1]].hexadecimal) 0a00 c800 4000 0500 0000 7000", on: signalling, over: link)
      pair.scene.simulation.run(for: .milliseconds(500))
      let value: UInt8 = transport == .le ? 1 : 2
      try pair.scene.accessory.perform(.channel(.send(try pair.link(transport), ids[ids.count - 1], [value])))
    }
    #expect(try pair.next(on: Self.end, over: pair.lowEnergy) == [1, 0, 1])
    #expect(try pair.next(on: Self.end, over: pair.classic) == [1, 0, 2])
    for ((_, link, signalling), id) in zip(ways, ids) { try pair.close(id, signalling, over: link) }
  }
}

/// A central and the accessory, connected over both transports.
private struct Pair {
  let scene: ClassicScene
  let lowEnergy: ConnectionHandle
  let classic: ConnectionHandle

  init() throws {
    scene = try ClassicScene()
    try scene.central.connectLowEnergy()
    try scene.central.connect()
    lowEnergy = try #require(scene.central.lowEnergyLink)
    classic = try #require(scene.central.link)
    scene.simulation.run(for: .seconds(1))
    scene.central.frames = []
  }

  /// The accessory's name for a link.
  func link(_ transport: LinkTransport) throws -> ConnectionHandle {
    try #require(scene.accessory.stack.linkStates.first { $0.details.transport == transport }?.handle)
  }

  /// Sends a frame in hexadecimal over a link.
  func send(_ payload: String, on channel: ChannelID, over link: ConnectionHandle) throws {
    let octets = try #require([UInt8](hexadecimal: payload))
    let header = UInt16(octets.count).littleEndianOctets + channel.rawValue.littleEndianOctets
    try scene.central.sendFragment(header + octets, isFirst: true, on: link)
  }

  /// Returns the next frame that arrives on a channel over a link.
  func next(on channel: ChannelID, over link: ConnectionHandle) throws -> [UInt8] {
    let fits = { (frame: RawDevice.Frame) in frame.channel == channel && frame.link == link }
    scene.simulation.run(until: { scene.central.frames.contains(where: fits) }, limit: .seconds(2))
    let place = try #require(scene.central.frames.firstIndex(where: fits))
    return scene.central.frames.remove(at: place).payload
  }

  /// Ends a channel over a link.
  func close(_ id: ChannelID, _ signalling: ChannelID, over link: ConnectionHandle) throws {
    let ids = id.rawValue.littleEndianOctets + ChannelIdentifierTests.end.rawValue.littleEndianOctets
    try send("06 40 0400" + ids.hexadecimal, on: signalling, over: link)
    #expect(try next(on: signalling, over: link) == [0x07, 0x40, 4, 0] + ids)
  }
}
