import BLECore
import BLEL2CAP
import BLELink
import PeripheralHost
import Simulation
import Testing

/// The group L2CAP/ECFC over both transports, where the accessory opens the channels (Core 5.4 Vol 3 Part A 4.25, 4.26). The central answers.
@Suite("L2CAP/ECFC, initiator")
struct EnhancedOpeningTests {
  typealias Transport = EnhancedChannelScene.Transport

  @Test(
    "L2CAP/ECFC/BV-01-C, L2CAP/ECFC/BV-45-C: a central that does not know the request opens nothing",
    arguments: Transport.allCases)
  func legacy(_ transport: Transport) throws {
    let opening = try Opening(transport, count: 2)
    try opening.reject()
    opening.scene.simulation.run(for: .seconds(1))
    #expect(opening.scene.refusals == Array(repeating: .refused(.notUnderstood), count: 2) && opening.open == [])
  }

  @Test(
    "L2CAP/ECFC/BV-02-C, L2CAP/ECFC/BV-46-C: channels that the central accepts carry its data",
    arguments: Transport.allCases)
  func accepted(_ transport: Transport) throws {
    let opening = try Opening(transport, count: 2)
    try opening.answer(.success, [0x60, 0x61])
    #expect(opening.open == opening.request.sources)
    for id in opening.request.sources {
      try opening.scene.central.send([2, 0, 7, UInt8(truncatingIfNeeded: id.rawValue)], on: id)
      #expect(opening.scene.sdus(on: id) == [[7, UInt8(truncatingIfNeeded: id.rawValue)]])
    }
  }

  @Test(
    """
    L2CAP/ECFC/BV-04-C, L2CAP/ECFC/BV-10-C, L2CAP/ECFC/BV-12-C, L2CAP/ECFC/BV-14-C, L2CAP/ECFC/BV-21-C, L2CAP/ECFC/BV-31-C, \
    L2CAP/ECFC/BV-48-C, L2CAP/ECFC/BV-52-C, L2CAP/ECFC/BV-57-C, L2CAP/ECFC/BV-67-C, L2CAP/ECFC/BV-68-C: a refusal of all channels opens none
    """,
    arguments: Transport.allCases,
    [
      CreditBasedResult.psmNotSupported, .insufficientAuthentication, .insufficientAuthorization,
      .encryptionKeySizeTooShort, .unacceptableParameters, .insufficientEncryption,
    ])
  func refused(_ transport: Transport, _ result: CreditBasedResult) throws {
    let opening = try Opening(transport, count: 2)
    try opening.answer(result, [0, 0])
    #expect(opening.scene.refusals == Array(repeating: .refused(.result(result)), count: 2) && opening.open == [])
  }

  @Test(
    """
    L2CAP/ECFC/BV-16-C, L2CAP/ECFC/BV-18-C, L2CAP/ECFC/BV-19-C, L2CAP/ECFC/BV-54-C, L2CAP/ECFC/BV-55-C, L2CAP/ECFC/BV-71-C: of channels of \
    which some are refused, the others are open
    """,
    arguments: Transport.allCases,
    [CreditBasedResult.noResources, .invalidSourceCID, .sourceCIDAlreadyAllocated])
  func refusedInPart(_ transport: Transport, _ result: CreditBasedResult) throws {
    let opening = try Opening(transport, count: 3)
    try opening.answer(result, [0x60, 0, 0x62])
    let ids = opening.request.sources
    #expect(opening.scene.refusals == [.refused(.result(result))] && opening.open == [ids[0], ids[2]])
    try opening.scene.send([1, 2], on: ids[2])
    #expect(opening.scene.frames(on: 0x62) == [[2, 0, 1, 2]])
    #expect(throws: HostRequestError.self) { try opening.scene.send([1, 2], on: ids[1]) }
  }

  @Test(
    "L2CAP/ECFC/BV-29-C, L2CAP/ECFC/BV-64-C: two channels to which the central gives the same CID are both given up",
    arguments: Transport.allCases)
  func duplicate(_ transport: Transport) throws {
    let first = try Opening(transport)
    try first.answer(.success, [0x60])
    let second = try Opening(in: first.scene)
    try second.answer(.success, [0x60])
    #expect(second.scene.refusals == Array(repeating: .violation(.duplicateDestination), count: 2))
    for id in first.request.sources + second.request.sources {
      #expect(throws: HostRequestError.self) { try second.scene.send([1], on: id) }
    }
  }

  @Test(
    "L2CAP/ECFC/BV-38-C: each channel has a dynamic CID of its own", arguments: Transport.allCases)
  func sourceCIDs(_ transport: Transport) throws {
    let scene = try EnhancedChannelScene(transport)
    var ids: [UInt16] = []
    for remote in 0x60..<0x65 as Range<UInt16> {
      let opening = try Opening(in: scene)
      try opening.answer(.success, [remote])
      ids += opening.request.sources.map(\.rawValue)
    }
    #expect(Set(ids).count == 5)
    // On BR/EDR the range reaches to 0xFFFF (Core 5.4 Vol 3 Part A 2.1).
    let range = transport == .lowEnergy ? 0x0040...0x007F : 0x0040...0xFFFF as ClosedRange<UInt16>
    #expect(ids.allSatisfy { range.contains($0) })
    for (id, remote) in zip(ids, 0x60..<0x65 as Range<UInt16>) {
      let end = DisconnectionRequest(destination: ChannelID(rawValue: id), source: ChannelID(rawValue: remote))
      let answer = try scene.ask(end, for: DisconnectionResponse.self)
      #expect(answer.destination == end.destination && answer.source == end.source)
    }
  }
}

/// A request of the accessory for channels, and the scene in which the central answers it.
private struct Opening {
  private static let psm = SPSM(rawValue: 0x90)

  let scene: EnhancedChannelScene
  let request: CreditBasedConnectionRequest
  private let identifier: UInt8

  init(_ transport: EnhancedChannelScene.Transport, count: Int = 1) throws {
    try self.init(in: EnhancedChannelScene(transport), count: count)
  }

  init(in scene: EnhancedChannelScene, count: Int = 1) throws {
    self.scene = scene
    let parameters = ChannelParameters(mtu: 100, mps: 64, credits: .frames(4))
    try scene.accessory.perform(.channel(.openEnhanced(try scene.link, Self.psm, count: count, parameters)))
    let found = try scene.next(CreditBasedConnectionRequest.self)
    (request, identifier) = try #require(found)
    #expect(request.psm == Self.psm && request.sources.count == count)
    #expect((request.mtu, request.mps, request.initialCredits) == (100, 64, 4))
  }

  /// Answers with these CIDs at the central.
  func answer(_ result: CreditBasedResult, _ ids: [UInt16]) throws {
    var response = CreditBasedConnectionResponse()
    (response.mtu, response.mps, response.initialCredits) = (200, 64, 5)
    (response.result, response.destinations) = (result, ids.map { ChannelID(rawValue: $0) })
    try scene.tell(response, identifier: identifier)
    scene.simulation.run(for: .milliseconds(500))
  }

  func reject() throws { try scene.tell(CommandReject(reason: .notUnderstood), identifier: identifier) }

  /// The channels that are open on the accessory's side.
  var open: [ChannelID] {
    scene.accessory.events.compactMap { event in
      if case .channel(_, .opened(let status)) = event { status.id } else { nil }
    }
  }
}
