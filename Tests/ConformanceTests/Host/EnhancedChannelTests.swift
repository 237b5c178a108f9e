import BLECore
import BLEL2CAP
import BLELink
import PeripheralHost
import Simulation
import Testing

/// The groups L2CAP/ECFC and L2CAP/COS/ECFC over both transports: enhanced credit-based channels that the central opens (Core 5.4 Vol 3 Part A
/// 3.4, 4.24 to 4.28). Its channel 0x0050 has an MTU of 200, an MPS of 64, and gets 5 credits; the accessory has an MTU of 100, an MPS of 64,
/// and gives 4 credits.
@Suite("L2CAP/ECFC, L2CAP/COS/ECFC, acceptor")
struct EnhancedChannelTests {
  typealias Transport = EnhancedChannelScene.Transport
  private typealias Response = CreditBasedConnectionResponse

  private func credits(_ count: UInt16, _ scene: EnhancedChannelScene) throws {
    try scene.tell(FlowControlCredit(source: ChannelID(rawValue: 0x50), credits: count))
  }

  // MARK: Opening

  @Test(
    "L2CAP/ECFC/BV-03-C, L2CAP/ECFC/BV-47-C: channels are opened, and carry data to the central",
    arguments: Transport.allCases)
  func opens(_ transport: Transport) throws {
    let scene = try EnhancedChannelScene(transport)
    let ids = try scene.open([0x50, 0x51])
    for (id, remote) in zip(ids, [0x50, 0x51] as [UInt16]) {
      try scene.send([1, 2, UInt8(remote)], on: id)
      #expect(scene.frames(on: remote) == [[3, 0, 1, 2, UInt8(remote)]])
    }
  }

  @Test("L2CAP/ECFC/BV-28-C, L2CAP/ECFC/BV-72-C: a PSM that is not published is refused", arguments: Transport.allCases)
  func unsupported(_ transport: Transport) throws {
    let scene = try EnhancedChannelScene(transport)
    let answer = try scene.ask(EnhancedChannelScene.request(psm: SPSM(rawValue: 0x91)), for: Response.self)
    #expect(answer.result == .psmNotSupported && answer.destinations.map(\.rawValue) == [0])
  }

  @Test(
    "L2CAP/ECFC/BV-17-C, L2CAP/ECFC/BV-53-C: channels beyond the limit are refused, and the others are opened",
    arguments: Transport.allCases)
  func noResources(_ transport: Transport) throws {
    let scene = try EnhancedChannelScene(transport)
    _ = try scene.open([0x50, 0x51])
    let answer = try scene.ask(EnhancedChannelScene.request([0x52, 0x53]), for: Response.self)
    #expect(answer.result == .noResources)
    try #require(answer.destinations.count == 2)
    #expect(answer.destinations[0].rawValue != 0 && answer.destinations[1].rawValue == 0)
    try scene.send([7], on: answer.destinations[0])
    #expect(scene.frames(on: 0x52) == [[1, 0, 7]])
  }

  @Test(
    "L2CAP/ECFC/BV-20-C, L2CAP/ECFC/BV-56-C: a channel whose source CID is in use is refused, and the other is opened",
    arguments: Transport.allCases)
  func allocated(_ transport: Transport) throws {
    let scene = try EnhancedChannelScene(transport)
    _ = try scene.open()
    let answer = try scene.ask(EnhancedChannelScene.request([0x50, 0x51]), for: Response.self)
    #expect(answer.result == .sourceCIDAlreadyAllocated)
    #expect(answer.destinations.map { $0.rawValue != 0 } == [false, true])
  }

  @Test(
    "L2CAP/ECFC/BV-26-C, L2CAP/ECFC/BV-62-C: a request with lengths or credits outside their ranges is refused as invalid",
    arguments: Transport.allCases)
  func invalid(_ transport: Transport) throws {
    let scene = try EnhancedChannelScene(transport)
    for (mtu, mps, credits) in [(63, 64, 5), (32, 64, 5), (64, 63, 5), (64, 65_534, 5), (64, 64, 0)]
      as [(UInt16, UInt16, UInt16)]
    {
      let answer = try scene.ask(
        EnhancedChannelScene.request([0x50, 0x51], mtu: mtu, mps: mps, credits: credits), for: Response.self)
      #expect(answer.result == .invalidParameters, "\(mtu), \(mps), \(credits)")
      #expect(answer.destinations.map(\.rawValue) == [0, 0])
    }
  }

  @Test(
    "L2CAP/ECFC/BV-27-C, L2CAP/ECFC/BV-63-C: the shortest MTU is acceptable", arguments: Transport.allCases)
  func shortestMTU(_ transport: Transport) throws {
    let scene = try EnhancedChannelScene(transport)
    let id = try #require(try scene.open(mtu: 64).first)
    try scene.send([UInt8](1...64), on: id)
    #expect(scene.frames() == [[64, 0] + [UInt8](1...62), [63, 64]])
    #expect(throws: HostRequestError.sduTooLong(try scene.link, id, limit: 64)) {
      try scene.send([UInt8](1...65), on: id)
    }
  }

  // MARK: Security

  private func result(
    _ psm: SPSM, _ security: LinkSecurity, _ transport: Transport
  ) throws -> (result: CreditBasedResult, ids: [UInt16]) {
    let scene = try EnhancedChannelScene(transport)
    scene.accessory.setSecurity(security, of: try scene.link)
    let answer = try scene.ask(EnhancedChannelScene.request([0x50, 0x51], psm: psm), for: Response.self)
    return (answer.result, answer.destinations.map(\.rawValue))
  }

  @Test(
    "L2CAP/ECFC/BV-11-C: a PSM that needs authentication is refused without it",
    arguments: [LinkSecurity.open, LinkSecurity(protection: .encrypted, keySize: 16)])
  func authentication(_ security: LinkSecurity) throws {
    let refused = try result(EnhancedChannelScene.authenticated, security, .lowEnergy)
    #expect(refused.result == .insufficientAuthentication && refused.ids == [0, 0])
    let link = LinkSecurity(protection: .authenticated, keySize: 16)
    #expect(try result(EnhancedChannelScene.authenticated, link, .lowEnergy).result == .success)
  }

  @Test("L2CAP/ECFC/BV-13-C: a PSM that needs authorization is refused without it")
  func authorization() throws {
    let refused = try result(EnhancedChannelScene.authorized, .open, .lowEnergy)
    #expect(refused.result == .insufficientAuthorization && refused.ids == [0, 0])
  }

  @Test(
    "L2CAP/ECFC/BV-15-C, L2CAP/ECFC/BV-70-C: a PSM that needs a longer key is refused", arguments: Transport.allCases)
  func keySize(_ transport: Transport) throws {
    let short = LinkSecurity(protection: .encrypted, keySize: 15)
    let refused = try result(EnhancedChannelScene.longKey, short, transport)
    #expect(refused.result == .encryptionKeySizeTooShort && refused.ids == [0, 0])
    let long = LinkSecurity(protection: .encrypted, keySize: 16)
    #expect(try result(EnhancedChannelScene.longKey, long, transport).result == .success)
  }

  @Test("L2CAP/ECFC/BV-32-C: a PSM that needs encryption is refused while the key of the bond is not used")
  func encryption() throws {
    let bonded = LinkSecurity(protection: .none, isBonded: true)
    let refused = try result(EnhancedChannelScene.longKey, bonded, .lowEnergy)
    #expect(refused.result == .insufficientEncryption && refused.ids == [0, 0])
  }

  // MARK: Credits

  @Test(
    "L2CAP/ECFC/BV-06-C, L2CAP/ECFC/BV-49-C: as many frames are sent as the central gives credits",
    arguments: Transport.allCases)
  func receivesCredits(_ transport: Transport) throws {
    let scene = try EnhancedChannelScene(transport)
    let id = try #require(try scene.open(credits: 1).first)
    for octet in 0..<8 as Range<UInt8> { try scene.send([octet], on: id) }
    #expect(scene.frames() == [[1, 0, 0]])
    var next: UInt8 = 1
    for count in [1, 1, 3] as [UInt8] {
      try credits(UInt16(count), scene)
      #expect(scene.frames() == (next..<next + count).map { [1, 0, $0] })
      next += count
    }
  }

  @Test(
    "L2CAP/ECFC/BV-07-C, L2CAP/ECFC/BV-50-C: the central gets credits back while it sends",
    arguments: Transport.allCases)
  func givesCredits(_ transport: Transport) throws {
    let scene = try EnhancedChannelScene(transport)
    let id = try #require(try scene.open().first)
    var left = 4
    for octet in 0..<20 as Range<UInt8> {
      if left == 0 {
        let indication = try scene.next(FlowControlCredit.self)
        let given = try #require(indication).packet
        #expect(given.source == id && given.credits > 0)
        left += Int(given.credits)
      }
      try scene.central.send([1, 0, octet], on: id)
      left -= 1
    }
    #expect(scene.sdus(on: id) == (0..<20).map { [$0] })
  }

  @Test(
    "L2CAP/ECFC/BI-01-C, L2CAP/ECFC/BI-10-C: no credits are ignored, and more than 65,535 close the channel",
    arguments: Transport.allCases)
  func wrongCredits(_ transport: Transport) throws {
    let scene = try EnhancedChannelScene(transport)
    let id = try #require(try scene.open(credits: 2).first)
    try credits(0, scene)
    for octet in 0..<3 as Range<UInt8> { try scene.send([octet], on: id) }
    #expect(scene.frames() == [[1, 0, 0], [1, 0, 1]])
    #expect(try !scene.isClosed(id))
    try credits(3, scene)
    #expect(scene.frames() == [[1, 0, 2]])
    try credits(65_534, scene)
    #expect(try scene.isClosed(id))
  }

  @Test(
    "L2CAP/ECFC/BI-02-C, L2CAP/ECFC/BI-11-C: a frame without a credit closes the channel", arguments: Transport.allCases
  )
  func withoutCredits(_ transport: Transport) throws {
    let scene = try EnhancedChannelScene(transport)
    let id = try #require(try scene.open().first)
    try scene.accessory.perform(.channel(.hold(try scene.link, id, true)))
    for octet in 0..<4 as Range<UInt8> { try scene.central.send([1, 0, octet], on: id) }
    #expect(try !scene.isClosed(id))
    try scene.central.send([1, 0, 4], on: id)
    #expect(try scene.isClosed(id))
    #expect(scene.sdus(on: id) == [[0], [1], [2], [3]])
  }

  // MARK: Other lengths

  @Test(
    "L2CAP/ECFC/BV-23-C, L2CAP/ECFC/BV-59-C: the central's MTU grows", arguments: Transport.allCases)
  func longerSDUs(_ transport: Transport) throws {
    let scene = try EnhancedChannelScene(transport)
    let id = try #require(try scene.open(mtu: 64, credits: 100).first)
    for _ in 0..<2 {
      try scene.send([UInt8](1...64), on: id)
      #expect(scene.frames().flatMap { $0 } == [64, 0] + [UInt8](1...64))
    }
    #expect(throws: HostRequestError.self) { try scene.send([UInt8](1...65), on: id) }
    #expect(try scene.reconfigure(mtu: 150) == .success)
    for _ in 0..<2 {
      try scene.send([UInt8](1...150), on: id)
      #expect(scene.frames().flatMap { $0 } == [150, 0] + [UInt8](1...150))
    }
  }

  @Test(
    "L2CAP/ECFC/BI-03-C, L2CAP/ECFC/BI-12-C: the central's MTU does not shrink, and the channel stays",
    arguments: Transport.allCases)
  func shorterSDUs(_ transport: Transport) throws {
    let scene = try EnhancedChannelScene(transport)
    let id = try #require(try scene.open(mtu: 80).first)
    #expect(try scene.reconfigure(mtu: 79) == .mtuReduced)
    try scene.send([UInt8](1...80), on: id)
    #expect(scene.frames().flatMap { $0 } == [80, 0] + [UInt8](1...80))
  }

  @Test(
    "L2CAP/ECFC/BV-25-C, L2CAP/ECFC/BV-61-C: frames become longer and shorter with the central's MPS",
    arguments: Transport.allCases)
  func otherFrames(_ transport: Transport) throws {
    let scene = try EnhancedChannelScene(transport)
    let id = try #require(try scene.open(mps: 70, credits: 100).first)
    for mps in [70, 71, 69] as [UInt16] {
      if mps != 70 { #expect(try scene.reconfigure(mps: mps) == .success) }
      for _ in 0..<5 {
        try scene.send([UInt8](1...180), on: id)
        let frames = scene.frames()
        #expect(frames.flatMap { $0 } == [180, 0] + [UInt8](1...180))
        #expect(frames.map(\.count) == [Int(mps), Int(mps), 182 - 2 * Int(mps)])
      }
    }
  }

  @Test(
    """
    L2CAP/ECFC/BI-04-C, L2CAP/ECFC/BI-07-C, L2CAP/ECFC/BI-13-C, L2CAP/ECFC/BI-16-C: the MPS does not shrink on several channels at once, \
    also if it is between theirs, and the channels stay
    """, arguments: Transport.allCases)
  func shorterFrames(_ transport: Transport) throws {
    let scene = try EnhancedChannelScene(transport)
    let ids = try scene.open([0x50], mps: 70) + scene.open([0x51], mps: 90)
    for mps in [64, 69, 80, 89] as [UInt16] {
      #expect(try scene.reconfigure([0x50, 0x51], mps: mps) == .mpsReducedOnSeveral, "\(mps)")
    }
    for (id, remote) in zip(ids, [0x50, 0x51] as [UInt16]) {
      try scene.send([UInt8](1...100), on: id)
      #expect(scene.frames(on: remote).first?.count == (remote == 0x50 ? 70 : 90))
    }
  }

  @Test(
    "L2CAP/ECFC/BI-05-C, L2CAP/ECFC/BI-14-C: other lengths for a CID that is none of the channels' are refused",
    arguments: Transport.allCases)
  func unknownCID(_ transport: Transport) throws {
    let scene = try EnhancedChannelScene(transport)
    _ = try scene.open([0x50, 0x51])
    #expect(try scene.reconfigure([0x55]) == .invalidDestinationCID)
    #expect(try scene.reconfigure([0x50, 0x55]) == .invalidDestinationCID)
  }

  @Test(
    "L2CAP/ECFC/BI-06-C, L2CAP/ECFC/BI-15-C: an MPS outside its range is refused", arguments: Transport.allCases)
  func unacceptableMPS(_ transport: Transport) throws {
    let scene = try EnhancedChannelScene(transport)
    _ = try scene.open()
    for mps in [0, 63, 65_534] as [UInt16] {
      #expect(try scene.reconfigure(mps: mps) == .unacceptableParameters, "\(mps)")
    }
  }

  // MARK: Closing

  @Test("L2CAP/ECFC/BV-08-C, L2CAP/ECFC/BV-65-C: the accessory closes a channel", arguments: Transport.allCases)
  func closes(_ transport: Transport) throws {
    let scene = try EnhancedChannelScene(transport)
    let id = try #require(try scene.open().first)
    try scene.accessory.perform(.channel(.close(try scene.link, id)))
    let request = try scene.next(DisconnectionRequest.self)
    let (packet, identifier) = try #require(request)
    #expect(packet.destination.rawValue == 0x50 && packet.source == id)
    try scene.tell(
      DisconnectionResponse(destination: packet.destination, source: packet.source), identifier: identifier)
    scene.simulation.run(for: .milliseconds(500))
    #expect(scene.refusals == [.local])
  }

  @Test("L2CAP/ECFC/BV-09-C, L2CAP/ECFC/BV-66-C: the central closes a channel", arguments: Transport.allCases)
  func closed(_ transport: Transport) throws {
    let scene = try EnhancedChannelScene(transport)
    let id = try #require(try scene.open().first)
    let remote = ChannelID(rawValue: 0x50)
    let answer = try scene.ask(DisconnectionRequest(destination: id, source: remote), for: DisconnectionResponse.self)
    #expect(answer.destination == id && answer.source == remote)
    #expect(scene.refusals == [.remote])
  }

  @Test(
    "L2CAP/ECFC/BV-30-C, L2CAP/ECFC/BV-73-C: the end of a channel that does not exist is rejected",
    arguments: Transport.allCases)
  func closesNothing(_ transport: Transport) throws {
    let scene = try EnhancedChannelScene(transport)
    _ = try scene.open()
    let request = DisconnectionRequest(destination: ChannelID(rawValue: 0x7E), source: ChannelID(rawValue: 0x50))
    let answer = try scene.ask(request, for: CommandReject.self)
    #expect(answer.reason == .invalidChannel && answer.data == [0x7E, 0, 0x50, 0])
  }

  // MARK: Data

  @Test(
    "L2CAP/COS/ECFC/BV-01-C, L2CAP/COS/ECFC/BV-05-C: SDUs are divided for the central's MPS",
    arguments: Transport.allCases)
  func divides(_ transport: Transport) throws {
    let scene = try EnhancedChannelScene(transport)
    let id = try #require(try scene.open(credits: 100).first)
    for count in [1, 62, 63, 126, 200] as [UInt8] {
      let sdu = [UInt8](1...count)
      try scene.send(sdu, on: id)
      let frames = scene.frames()
      #expect(frames.flatMap { $0 } == [count, 0] + sdu)
      #expect(frames.dropLast().allSatisfy { $0.count == 64 } && frames.count == (Int(count) + 2 + 63) / 64)
    }
  }

  @Test(
    "L2CAP/COS/ECFC/BV-02-C, L2CAP/COS/ECFC/BV-06-C: SDUs are put together", arguments: Transport.allCases)
  func assembles(_ transport: Transport) throws {
    let scene = try EnhancedChannelScene(transport)
    let id = try #require(try scene.open().first)
    let sdu = [UInt8](1...100)
    try scene.central.send([100, 0] + sdu[..<62], on: id)
    #expect(scene.sdus(on: id) == [])
    try scene.central.send(Array(sdu[62...]), on: id)
    #expect(scene.sdus(on: id) == [sdu])
  }

  @Test(
    "L2CAP/COS/ECFC/BV-03-C, L2CAP/COS/ECFC/BV-07-C: SDUs on two channels whose frames alternate are put together",
    arguments: Transport.allCases)
  func interleaved(_ transport: Transport) throws {
    let scene = try EnhancedChannelScene(transport)
    let ids = try scene.open([0x50, 0x51])
    let sdus = [[UInt8](1...90), [UInt8](101...200)]
    for part in [0..<30, 30..<60, 60..<100] {
      for (id, sdu) in zip(ids, sdus) {
        let octets = Array(sdu[part.clamped(to: 0..<sdu.count)])
        try scene.central.send(part.lowerBound == 0 ? [UInt8(sdu.count), 0] + octets : octets, on: id)
      }
    }
    for (id, sdu) in zip(ids, sdus) { #expect(scene.sdus(on: id) == [sdu]) }
  }

  @Test(
    "L2CAP/COS/ECFC/BV-04-C, L2CAP/COS/ECFC/BV-08-C: an SDU as long as MTU and MPS arrives",
    arguments: Transport.allCases)
  func longest(_ transport: Transport) throws {
    let scene = try EnhancedChannelScene(transport)
    let id = try #require(try scene.open(mtu: 64, mps: 64).first)
    let sdu = [UInt8](1...64)
    try scene.central.send([64, 0] + sdu[..<62], on: id)
    try scene.central.send(Array(sdu[62...]), on: id)
    #expect(scene.sdus(on: id) == [sdu])
  }

  @Test(
    "L2CAP/ECFC/BV-80-C, L2CAP/ECFC/BV-81-C: SDUs about as long as frames, and up to the MTU, close nothing",
    arguments: Transport.allCases)
  func aboutMPS(_ transport: Transport) throws {
    let scene = try EnhancedChannelScene(transport)
    let id = try #require(try scene.open().first)
    var expected: [[UInt8]] = []
    for count in [64, 63, 65, 62, 100] as [UInt8] {
      let sdu = [UInt8](1...count)
      // The length of the SDU does not count.
      try scene.central.send([count, 0] + sdu.prefix(64), on: id)
      if count > 64 { try scene.central.send(Array(sdu[64...]), on: id) }
      expected.append(sdu)
      #expect(scene.sdus(on: id) == expected)
    }
    #expect(try !scene.isClosed(id))
  }

  @Test(
    """
    L2CAP/ECFC/BV-33-C, L2CAP/ECFC/BV-34-C, L2CAP/ECFC/BV-35-C, L2CAP/ECFC/BV-76-C, L2CAP/ECFC/BV-77-C, L2CAP/ECFC/BV-78-C: an SDU beyond \
    the MTU, a frame beyond the MPS and segments beyond their SDU close the channel
    """, arguments: Transport.allCases)
  func violations(_ transport: Transport) throws {
    let zeros = { (count: Int) in [UInt8](repeating: 0, count: count) }
    let cases = [[[101, 0] + zeros(62)], [[80, 0] + zeros(65)], [[70, 0] + zeros(62), zeros(9)]]
    for frames in cases {
      let scene = try EnhancedChannelScene(transport)
      let id = try #require(try scene.open().first)
      for frame in frames { try scene.central.send(frame, on: id) }
      #expect(try scene.isClosed(id))
      #expect(scene.sdus(on: id) == [])
    }
  }

  // MARK: Fragments

  private func frame(_ payload: [UInt8], on channel: ChannelID) -> [UInt8] {
    UInt16(payload.count).littleEndianOctets + channel.rawValue.littleEndianOctets + payload
  }

  @Test(
    "L2CAP/ECFC/BV-39-C, L2CAP/ECFC/BV-40-C: a request that comes in two parts is answered",
    arguments: Transport.allCases)
  func dividedSignalling(_ transport: Transport) throws {
    let scene = try EnhancedChannelScene(transport)
    let octets = frame(
      EnhancedChannelScene.octets(EnhancedChannelScene.request(), identifier: 9), on: scene.signalling)
    try scene.central.sendFragment(Array(octets[..<11]), isFirst: true)
    #expect(try scene.next(Response.self) == nil)
    try scene.central.sendFragment(Array(octets[11...]), isFirst: false)
    let answer = try scene.next(Response.self)
    #expect(answer?.packet.result == .success && answer?.identifier == 9)
  }

  @Test(
    "L2CAP/ECFC/BV-41-C, L2CAP/ECFC/BV-42-C: data that comes in two parts arrives", arguments: Transport.allCases)
  func dividedData(_ transport: Transport) throws {
    let scene = try EnhancedChannelScene(transport)
    let id = try #require(try scene.open().first)
    let octets = frame([8, 0] + [UInt8](1...8), on: id)
    for place in 1..<octets.count {
      try scene.central.sendFragment(Array(octets[..<place]), isFirst: true)
      try scene.central.sendFragment(Array(octets[place...]), isFirst: false)
      #expect(scene.sdus(on: id).count == place)
    }
    #expect(scene.sdus(on: id).allSatisfy { $0 == [UInt8](1...8) })
  }

  @Test(
    "L2CAP/ECFC/BI-09-C: a request longer than its frame is discarded; what follows a request in a longer frame is rejected"
  )
  func wrongSizes() throws {
    let scene = try EnhancedChannelScene(.classic)
    let request = EnhancedChannelScene.octets(EnhancedChannelScene.request(), identifier: 9)
    // The length field says one octet less than there are.
    let length = UInt16(request.count - 1).littleEndianOctets
    try scene.central.sendFragment(length + [1, 0] + request, isFirst: true)
    #expect(try scene.next(Response.self) == nil)
    try scene.central.send(request + [0, 0, 0, 0], on: scene.signalling)
    let answer = try scene.next(Response.self)
    #expect(answer?.packet.result == .success && answer?.identifier == 9)
    #expect(try scene.next(CommandReject.self)?.packet.reason == .notUnderstood)
    _ = try scene.ask(EchoRequest(data: [1]), for: EchoResponse.self)
  }
}
