import BLECore
import BLEL2CAP
import Testing

/// Core 5.4 Vol 3 Part A 4.25...4.28.
@Suite("Enhanced credit-based channels")
struct EnhancedChannelTests {
  private static let psm = SPSM(rawValue: 0x0080)

  private func request(
    _ sources: [UInt16], psm: UInt16 = 0x0080, mtu: UInt16 = 200, mps: UInt16 = 64, credits: UInt16 = 5
  ) -> CreditBasedConnectionRequest {
    var request = CreditBasedConnectionRequest()
    request.psm = SPSM(rawValue: psm)
    (request.mtu, request.mps, request.initialCredits) = (mtu, mps, credits)
    request.sources = sources.map { ChannelID(rawValue: $0) }
    return request
  }

  private func response(_ octets: String) throws -> CreditBasedConnectionResponse {
    let frame = try #require([UInt8](hexadecimal: octets))
    #expect(frame[0] == 0x18)
    return try CreditBasedConnectionResponse(decoding: Array(frame[4...]))
  }

  private func reconfiguration(mtu: UInt16, mps: UInt16, _ ids: [UInt16]) -> CreditBasedReconfigureRequest {
    var request = CreditBasedReconfigureRequest()
    (request.mtu, request.mps) = (mtu, mps)
    request.destinations = ids.map { ChannelID(rawValue: $0) }
    return request
  }

  // MARK: - Accepting

  @Test("One request opens up to five channels", arguments: 1...5)
  func opensSeveral(count: Int) throws {
    var peer = ChannelPeer([.test()])
    let sources = (0..<count).map { 0x0050 + UInt16($0) }
    let answer = try response(peer.signal(request(sources), identifier: 4))
    #expect(answer.result == .success)
    #expect(answer.destinations.map(\.rawValue) == (0..<count).map { 0x0040 + UInt16($0) })
    #expect((answer.mtu, answer.mps, answer.initialCredits) == (100, 64, 10))
    #expect(peer.takeEvents().count == count)
    #expect(peer.channels.all.map(\.remote.rawValue) == sources)
    #expect(peer.channels.all.allSatisfy { $0.isEnhanced && $0.isOpen && $0.sendMPS == 64 })
  }

  @Test(
    "Some are opened, and the result says why others are not",
    arguments: [
      ([0x0050, 0x003F, 0x0051], [true, false, true], 0x0009, 64), ([0x0050, 0x0080], [true, false], 0x0009, 64),
      ([0x0050, 0x0050], [true, false], 0x000A, 64), ([0x0070, 0x0051], [false, true], 0x000A, 64),
      ([0x0050, 0x0051, 0x0052], [true, true, false], 0x0004, 3),
      ([0x0000, 0x0070], [false, false], 0x0009, 64),
    ] as [([UInt16], [Bool], UInt16, Int)])
  func opensSome(sources: [UInt16], isOpen: [Bool], result: UInt16, maximum: Int) throws {
    var peer = ChannelPeer([.test(maximum: maximum)])
    _ = try peer.accept(source: 0x0070)
    let answer = try response(peer.signal(request(sources)))
    #expect(answer.result.rawValue == result)
    #expect(answer.destinations.map { $0.rawValue != 0 } == isOpen)
    let refusal = ChannelEvent.peerRefused(psm: Self.psm, answer.result, channels: isOpen.count { !$0 })
    #expect(peer.takeEvents().contains(refusal))
    #expect(peer.channels.all.count == 1 + isOpen.count { $0 })
  }

  @Test(
    "None is opened if the request is invalid",
    arguments: [
      (0x0081, 200, 64, [0x0050], 0x0002), (0x0080, 63, 64, [0x0050], 0x000C), (0x0080, 64, 63, [0x0050], 0x000C),
      (0x0080, 64, 65534, [0x0050, 0x0051], 0x000C), (0x0080, 64, 64, [], 0x000C),
    ] as [(UInt16, UInt16, UInt16, [UInt16], UInt16)])
  func opensNone(psm: UInt16, mtu: UInt16, mps: UInt16, sources: [UInt16], result: UInt16) throws {
    var peer = ChannelPeer([.test()])
    let answer = try response(peer.signal(request(sources, psm: psm, mtu: mtu, mps: mps)))
    #expect(answer.result.rawValue == result)
    #expect(answer.destinations == sources.map { _ in ChannelID(rawValue: 0) })
    #expect(peer.channels.all.isEmpty)
  }

  @Test("An application that answers at once delays nothing", arguments: [true, false])
  func authorizationAtOnce(isGranted: Bool) throws {
    var channels = LinkChannels()
    var events: [ChannelEvent] = []
    var packet = OctetBuffer()
    request([0x0050]).encodePacket(identifier: 3, into: &packet)
    var reply = OctetBuffer()
    let published = PublishedChannel.test(requirement: .init(needsAuthorization: true), authorization: .asked)
    _ = channels.receiveSignalling(
      packet.copy().span, published: [published], security: .open, at: .zero, reply: &reply, events: &events
    ) { _ in isGranted ? .granted : .refused }
    #expect(try response(reply.copy().hexadecimal).result == (isGranted ? .success : .insufficientAuthorization))
    #expect(channels.tickets.isEmpty && channels.all.count == (isGranted ? 1 : 0))
  }

  /// Core 5.4 Vol 3 Part A 4.25: the initial credits are 1...65535.
  @Test("An enhanced request without credits is refused")
  func withoutCredits() throws {
    var peer = ChannelPeer([.test()])
    let answer = try response(peer.signal(request([0x0050], credits: 0)))
    #expect(answer.result == .invalidParameters)
    #expect(answer.destinations == [ChannelID(rawValue: 0)])
    #expect(peer.channels.all.isEmpty)
  }

  @Test("More than five channels do not fit the signalling MTU")
  func tooMany() {
    var peer = ChannelPeer([.test()])
    #expect(peer.signal(request([1, 2, 3, 4, 5, 6])) == "0101040001001700")
  }

  // MARK: - Authorization by the application

  @Test("The application is asked, and answers later", arguments: [true, false])
  func authorization(isGranted: Bool) throws {
    var peer = ChannelPeer([.test(requirement: .init(needsAuthorization: true), authorization: .asked)])
    let pending = try response(peer.signal(request([0x0050, 0x0051]), identifier: 9))
    #expect(pending.result == .authorizationPending)
    #expect(pending.destinations == [ChannelID(rawValue: 0), ChannelID(rawValue: 0)])
    let ticket = try #require(peer.tickets.first)
    #expect(
      peer.takeEvents() == [.authorizationAsked(ChannelAuthorizationRequest(psm: Self.psm, channels: 2), ticket)])
    #expect(peer.channels.tickets == [ticket])
    #expect(peer.nextPDU() == nil)
    let isAwaited = peer.answer(ticket, isAuthorized: isGranted)
    #expect(isAwaited && peer.channels.tickets.isEmpty)
    let (answer, identifier) = try peer.nextPacket(CreditBasedConnectionResponse.self)
    #expect(identifier == 9)
    #expect(answer.result == (isGranted ? .success : .insufficientAuthorization))
    #expect(peer.channels.all.count == (isGranted ? 2 : 0))
    let isAwaitedAgain = peer.answer(ticket, isAuthorized: true)
    #expect(!isAwaitedAgain)
    #expect(peer.nextPDU() == nil)
  }

  @Test("A request for one channel waits for the application, and at most four wait")
  func authorizationOfOne() throws {
    var peer = ChannelPeer([.test(requirement: .init(needsAuthorization: true), authorization: .asked)])
    for identifier in 1...4 as ClosedRange<UInt8> {
      #expect(peer.signal("14 0\(identifier) 0a00 8000 5\(identifier)00 c800 3c00 0500") == "")
    }
    #expect(peer.signal("14 04 0a00 8000 5400 c800 3c00 0500") == "")
    #expect(peer.signal("14 05 0a00 8000 5500 c800 3c00 0500").hasSuffix("0400"))
    #expect(peer.tickets.count == 4)
    for ticket in peer.tickets { _ = peer.answer(ticket, isAuthorized: true) }
    for identifier in 1...4 as ClosedRange<UInt8> {
      let answer = try peer.nextPacket(LECreditBasedConnectionResponse.self)
      #expect(answer.identifier == identifier)
      #expect(answer.packet.result == .success)
    }
    #expect(peer.channels.all.count == 4)
  }

  // MARK: - Opening

  private func open(_ peer: inout ChannelPeer, _ count: Int) throws -> (ids: [ChannelID], identifier: UInt8) {
    let ids = peer.channels.openEnhanced(
      Self.psm, count: count, parameters: ChannelParameters(mtu: 30, mps: 30, credits: .frames(8)))
    let (request, identifier) = try peer.nextPacket(CreditBasedConnectionRequest.self)
    #expect(request.sources == ids && request.psm == Self.psm)
    #expect((request.mtu, request.mps, request.initialCredits) == (64, 64, 8))
    return (ids, identifier)
  }

  private func answer(_ destinations: [UInt16], _ result: CreditBasedResult = .success) -> CreditBasedConnectionResponse
  {
    var response = CreditBasedConnectionResponse()
    (response.mtu, response.mps, response.initialCredits) = (100, 64, 3)
    response.result = result
    response.destinations = destinations.map { ChannelID(rawValue: $0) }
    return response
  }

  @Test("Channels that the peer omits are refused", arguments: [[0x0050, 0, 0x0052], [0x0050]] as [[UInt16]])
  func partialSuccess(destinations: [UInt16]) throws {
    var peer = ChannelPeer()
    let (ids, identifier) = try open(&peer, 3)
    peer.signal(answer(destinations, .noResources), identifier: identifier)
    let opened = zip(ids, destinations).filter { $0.1 != 0 }.map(\.0)
    #expect(peer.channels.all.map(\.id) == opened)
    let refusals = peer.takeEvents().filter { event in
      if case .closed(_, _, .refused(.result(.noResources)), _) = event { true } else { false }
    }
    #expect(refusals.count == 3 - opened.count)
  }

  @Test("A result that refuses all opens none, whatever the response contains")
  func refusesAll() throws {
    var peer = ChannelPeer()
    let (_, identifier) = try open(&peer, 2)
    peer.signal(answer([0x0050, 0x0051], .insufficientEncryption), identifier: identifier)
    #expect(peer.channels.all.isEmpty)
  }

  @Test("A pending response extends the wait for the final one")
  func pending() throws {
    var peer = ChannelPeer()
    let (ids, identifier) = try open(&peer, 2)
    peer.signal(answer([0, 0], .authorizationPending), identifier: identifier)
    #expect(peer.channels.deadline == peer.now + SignallingChannel.extendedTimeout)
    peer.wait(.seconds(200))
    #expect(peer.events.isEmpty)
    peer.signal(answer([0x0050, 0x0051]), identifier: identifier)
    #expect(peer.channels.all.filter(\.isOpen).map(\.id) == ids)
  }

  @Test("A destination CID that another channel has ends both at once")
  func duplicateDestination() throws {
    var peer = ChannelPeer()
    let old = try peer.open(destination: 0x0050)
    let (ids, identifier) = try open(&peer, 2)
    peer.signal(answer([0x0050, 0x0051]), identifier: identifier)
    let closed = peer.takeEvents().compactMap { event in
      if case .closed(let id, _, .violation(.duplicateDestination), _) = event { id } else { nil }
    }
    #expect(Set(closed) == [old, ids[0]])
    #expect(peer.channels.all.map(\.id) == [ids[1]])
    #expect(peer.nextPDU() == nil)
  }

  // MARK: - Reconfiguring

  @Test(
    "The peer changes lengths, within the rules",
    arguments: [
      (300, 64, [0x0050, 0x0051], 0x0000), (200, 100, [0x0050, 0x0051], 0x0000), (199, 64, [0x0050], 0x0001),
      (200, 80, [0x0052], 0x0000), (200, 80, [0x0050, 0x0052], 0x0002), (200, 64, [0x0050, 0x0053], 0x0003),
      (200, 64, [0x0040], 0x0003), (200, 64, [0x0060], 0x0003), (200, 63, [0x0050], 0x0004),
      (63, 64, [0x0050], 0x0004), (200, 65534, [0x0050], 0x0004), (200, 64, [], 0x0004), (200, 64, [0], 0x0003),
    ] as [(UInt16, UInt16, [UInt16], UInt16)])
  func reconfigured(mtu: UInt16, mps: UInt16, ids: [UInt16], result: UInt16) throws {
    var peer = ChannelPeer([.test()])
    _ = try peer.accept(source: 0x0060)
    peer.signal(request([0x0050, 0x0051]))
    peer.signal(request([0x0052], mps: 100))
    _ = peer.takeEvents()
    let before = peer.channels.all
    #expect(peer.signal(reconfiguration(mtu: mtu, mps: mps, ids)) == "1a010200" + [UInt8(result), 0].hexadecimal)
    #expect(peer.takeEvents().count == (result == 0 ? ids.count : 0))
    guard result == 0 else {
      #expect(peer.channels.all == before)
      return
    }
    for status in peer.channels.all where ids.contains(status.remote.rawValue) {
      #expect((status.sendMTU, status.sendMPS) == (Int(mtu), Int(mps)))
    }
  }

  @Test("This side changes lengths if the peer agrees", arguments: [0, 4])
  func reconfigures(result: UInt16) throws {
    var peer = ChannelPeer([.test()])
    peer.signal(request([0x0050, 0x0051]))
    _ = peer.takeEvents()
    let ids: [ChannelID] = [.first, .second]
    #expect(peer.channels.reconfigure(ids, mtu: 99, mps: 64) == .mtuReduced)
    #expect(peer.channels.reconfigure(ids, mtu: 100, mps: 63) == .unacceptableParameters)
    #expect(peer.channels.reconfigure([.third], mtu: 100, mps: 64) == .invalidDestinationCID)
    #expect(peer.channels.reconfigure([], mtu: 100, mps: 64) == .unacceptableParameters)
    #expect(peer.channels.reconfigure(ids, mtu: 300, mps: 128) == nil)
    #expect(peer.channels.reconfigure([.first], mtu: 400, mps: 128) == .unacceptableParameters)
    let (packet, identifier) = try peer.nextPacket(CreditBasedReconfigureRequest.self)
    #expect(packet.destinations == ids && packet.mtu == 300 && packet.mps == 128)
    #expect(peer.channels.status(.first)?.receiveMTU == 100)
    var response = CreditBasedReconfigureResponse()
    response.result = ReconfigureResult(rawValue: result)
    peer.signal(response, identifier: identifier)
    #expect(peer.takeEvents() == [.reconfigurationAnswered(ids, response.result)])
    let limits = peer.channels.all.map { [$0.receiveMTU, $0.receiveMPS] }
    #expect(limits == (result == 0 ? [[300, 128], [300, 128]] : [[100, 64], [100, 64]]))
    #expect(peer.channels.reconfigure(ids, mtu: 300, mps: 64) == (result == 0 ? .mpsReducedOnSeveral : nil))
  }

  @Test(
    "A peer that does not answer a reconfiguration, or does not support it, changes nothing", arguments: [true, false])
  func reconfigurationUnanswered(isRejected: Bool) throws {
    var peer = ChannelPeer([.test()])
    peer.signal(request([0x0050]))
    _ = peer.takeEvents()
    #expect(peer.channels.reconfigure([.first], mtu: 300, mps: 64) == nil)
    let identifier = try peer.nextPacket(CreditBasedReconfigureRequest.self).identifier
    if isRejected {
      peer.signal(CommandReject(reason: .notUnderstood), identifier: identifier)
    } else {
      peer.wait(SignallingChannel.responseTimeout)
    }
    #expect(peer.takeEvents() == [.reconfigurationAnswered([.first], nil)])
    #expect(peer.channels.status(.first)?.receiveMTU == 100)
    #expect(peer.channels.deadline == nil)
  }
}
