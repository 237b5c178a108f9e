import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import PeripheralHost
import Testing

@Suite("Credit-based channels of a host")
struct ChannelTests {
  private static let psm = SPSM(rawValue: 0x80)
  private static let handle = ConnectionHandle(rawValue: 0)
  /// This side's identifier of the first channel of a link.
  private static let first = ChannelID(rawValue: 0x40)

  private func ready(
    _ script: ControllerScript = .basic,
    publishing channels: [PublishedChannel] = [
      PublishedChannel(psm: psm, parameters: ChannelParameters(mtu: 100, mps: 50, credits: .frames(4)))
    ]
  ) throws -> Bench {
    var configuration = TestAccessory.configuration()
    configuration.channels = channels
    let bench = try Bench.ready(script, configuration)
    bench.connect()
    bench.forget()
    return bench
  }

  /// Sends an LE Credit Based Connection Request (Core 5.4 Vol 3 Part A 4.22) from source CID 0x0051 with MTU 100, MPS 30.
  private func open(_ bench: Bench, psm: UInt8 = 0x80, credits: UInt8 = 3) {
    bench.send([0x14, 9, 10, 0, psm, 0, 0x51, 0, 100, 0, 30, 0, credits, 0], channel: 5)
  }

  private func opened(_ bench: Bench) throws {
    open(bench)
    try #require(bench.frames.last?.octets == [14, 0, 5, 0, 0x15, 9, 10, 0, 0x40, 0, 100, 0, 50, 0, 4, 0, 0, 0])
    bench.forget()
  }

  private func channelEvents(_ bench: Bench) -> [ChannelEvent] {
    bench.events.compactMap { if case .channel(_, let event) = $0 { event } else { nil } }
  }

  private func sdus(_ bench: Bench) -> [[UInt8]] {
    bench.events.compactMap { if case .sdu(Self.handle, Self.first, let octets) = $0 { octets } else { nil } }
  }

  /// A packet may have up to 65,535 octets of data if the host has announced no less (Core 5.4 Vol 4 Part E 5.4.2).
  @Test("A frame arrives whole in a packet of any length", arguments: [1020, 1021, 2048, 4000])
  func longPackets(octets: Int) throws {
    let bench = try ready(publishing: [
      PublishedChannel(psm: Self.psm, parameters: ChannelParameters(mtu: 8000, mps: 8000, credits: .frames(4)))
    ])
    open(bench)
    let sdu = (0..<octets).map { UInt8(truncatingIfNeeded: $0) }
    bench.send(ControllerScript.word(UInt16(octets)) + sdu, channel: 0x40, length: 0xFFFF)
    #expect(sdus(bench) == [sdu])
    #expect(bench.events.faults == [])
  }

  @Test("A channel and a stream of notifications take turns with the free buffers")
  func besideStream() throws {
    var script = ControllerScript.basic
    script.bufferCount = 8
    let bench = try ready(script)
    open(bench, credits: 200)
    bench.script.completesPackets = false
    try bench.subscribe(TestAccessory.stream, .notification)
    for _ in 0..<40 {
      try bench.perform(.channel(.send(Self.handle, Self.first, Array(repeating: 1, count: 20))))
    }
    bench.completeAll()
    bench.forget()
    for _ in 0..<4 { bench.completeAll() }
    let ofChannel = bench.frames.count { $0.octets[2] == 0x51 }
    let ofStream = bench.frames.count { $0.octets[2] == 4 }
    #expect(ofChannel > 0 && abs(ofChannel - ofStream) <= 1)
    #expect(bench.violations == [])
  }

  @Test func opensWhatIsPublished() throws {
    let bench = try ready()
    open(bench)
    #expect(bench.frames.map(\.octets) == [[14, 0, 5, 0, 0x15, 9, 10, 0, 0x40, 0, 100, 0, 50, 0, 4, 0, 0, 0]])
    guard case .opened(let status) = channelEvents(bench).first else {
      Issue.record("no channel was opened")
      return
    }
    #expect(status.psm == Self.psm && status.sendMTU == 100 && status.sendMPS == 30 && status.sendCredits == 3)
    #expect(bench.stack.linkStates.first?.channels.map(\.id) == [Self.first])
  }

  @Test(arguments: [
    (0x81, AccessRequirement.open, 0x02), (0x80, AccessRequirement(protection: .encrypted), 0x05),
    (0x80, AccessRequirement(needsAuthorization: true), 0x06),
  ])
  func refusesWithTheSpecifiedResult(psm: Int, requirement: AccessRequirement, result: Int) throws {
    let bench = try ready(publishing: [
      PublishedChannel(
        psm: Self.psm, parameters: ChannelParameters(mtu: 100, mps: 50), requirement: requirement)
    ])
    open(bench, psm: UInt8(psm))
    #expect(bench.frames.first?.octets.suffix(2) == [UInt8(result), 0])
    #expect(
      channelEvents(bench) == [
        .peerRefused(
          psm: SPSM(rawValue: UInt16(psm)), CreditBasedResult(rawValue: UInt16(result)), channels: 1)
      ])
  }

  @Test func handsOnSDUsAndReturnsCredits() throws {
    let bench = try ready()
    try opened(bench)
    // One whole SDU, then one of two frames, then an empty one.
    bench.send([3, 0, 1, 2, 3], channel: 0x40)
    bench.send([6, 0, 1, 2, 3, 4], channel: 0x40)
    bench.send([5, 6], channel: 0x40)
    bench.send([0, 0], channel: 0x40)
    #expect(sdus(bench) == [[1, 2, 3], [1, 2, 3, 4, 5, 6], []])
    // Four frames used, four credits returned, in Flow Control Credit packets.
    let credits = bench.frames.filter { $0.octets[4] == 0x16 }.map { Int($0.octets[10]) }
    #expect(credits.reduce(0, +) == 4)
  }

  @Test func sendsWithinCreditsAndMPS() throws {
    let bench = try ready()
    try opened(bench)
    try bench.perform(.channel(.send(Self.handle, Self.first, Array(0..<100))))
    // MPS 30 and three credits: 28 + 30 + 30 octets; the rest waits.
    #expect(bench.frames.map(\.octets.count) == [34, 34, 34])
    #expect(bench.frames[0].octets.prefix(6) == [30, 0, 0x51, 0, 100, 0])
    // One more credit.
    bench.send([0x16, 1, 4, 0, 0x51, 0, 1, 0], channel: 5)
    #expect(bench.frames.map(\.octets.count) == [34, 34, 34, 16])
    #expect(throws: HostRequestError.sduTooLong(Self.handle, Self.first, limit: 100)) {
      try bench.perform(.channel(.send(Self.handle, Self.first, Array(repeating: 0, count: 101))))
    }
  }

  @Test func neverExceedsTheControllersBuffers() throws {
    var script = ControllerScript.basic
    script.completesPackets = false
    let bench = try ready(script)
    open(bench, credits: 200)
    bench.forget()
    for _ in 0..<20 { try bench.perform(.channel(.send(Self.handle, Self.first, Array(0..<100)))) }
    #expect(bench.violations.isEmpty)
    let sent = bench.packets.count
    #expect(sent > 0 && sent < 80)
    // An ATT response does not wait behind all of them.
    #expect(bench.stack.linkStates.first?.channels.first?.queuedOctets ?? 0 > 1000)
  }

  @Test func aViolationClosesItsChannelAlone() throws {
    let bench = try ready()
    try opened(bench)
    // An SDU longer than the MTU.
    bench.send([101, 0, 1], channel: 0x40)
    #expect(bench.frames.map(\.octets) == [[8, 0, 5, 0, 0x06, 1, 4, 0, 0x51, 0, 0x40, 0]])
    bench.send([0x07, 1, 4, 0, 0x51, 0, 0x40, 0], channel: 5)
    #expect(
      channelEvents(bench) == [
        .closed(Self.first, psm: Self.psm, .violation(.sduTooLong(octets: 101)), unsent: 0)
      ])
    #expect(bench.stack.linkStates.count == 1)
    #expect(bench.readsText())
  }

  @Test func closesWhenWhatWaitsIsSent() throws {
    let bench = try ready()
    try opened(bench)
    try bench.perform(.channel(.send(Self.handle, Self.first, Array(0..<100))))
    try bench.perform(.channel(.close(Self.handle, Self.first)))
    #expect(!bench.frames.contains { $0.octets[2] == 5 })
    bench.send([0x16, 1, 4, 0, 0x51, 0, 5, 0], channel: 5)
    #expect(bench.frames.suffix(2).map(\.octets.count) == [16, 12])
    #expect(bench.frames.last?.octets.dropFirst(4).first == 0x06)
  }

  @Test func publishingAtRunTime() throws {
    let bench = try ready()
    let other = PublishedChannel(psm: SPSM(rawValue: 0x90), parameters: ChannelParameters(mtu: 100, mps: 50))
    try bench.perform(.channel(.publish(other)))
    open(bench, psm: 0x90)
    #expect(bench.frames.first?.octets.suffix(2) == [0, 0])
    #expect(throws: HostRequestError.psmTaken(SPSM(rawValue: 0x90))) { try bench.perform(.channel(.publish(other))) }
    bench.forget()
    try bench.perform(.channel(.unpublish(SPSM(rawValue: 0x90))))
    #expect(bench.frames.map { $0.octets[4] } == [0x06])
    bench.send([0x07, 1, 4, 0, 0x51, 0, 0x40, 0], channel: 5)
    #expect(channelEvents(bench) == [.closed(Self.first, psm: SPSM(rawValue: 0x90), .unpublished, unsent: 0)])
    open(bench, psm: 0x90)
    #expect(bench.frames.last?.octets.suffix(2) == [2, 0])
    #expect(throws: HostRequestError.unknownPSM(SPSM(rawValue: 0x90))) {
      try bench.perform(.channel(.unpublish(SPSM(rawValue: 0x90))))
    }
  }

  @Test func opensAChannelToTheCentral() throws {
    let bench = try ready()
    try bench.perform(.channel(.open(Self.handle, Self.psm, ChannelParameters(mtu: 100, mps: 50, credits: .frames(4)))))
    #expect(bench.frames.map(\.octets) == [[14, 0, 5, 0, 0x14, 1, 10, 0, 0x80, 0, 0x40, 0, 100, 0, 50, 0, 4, 0]])
    bench.send([0x15, 1, 10, 0, 0x61, 0, 64, 0, 40, 0, 2, 0, 0, 0], channel: 5)
    guard case .opened(let status) = channelEvents(bench).last else {
      Issue.record("no channel was opened")
      return
    }
    #expect(!status.isIncoming && status.remote.rawValue == 0x61)
  }

  @Test func aLinkTakesItsChannelsAlong() throws {
    let bench = try ready()
    try opened(bench)
    try bench.perform(.channel(.send(Self.handle, Self.first, Array(0..<100))))
    bench.disconnect()
    #expect(channelEvents(bench) == [.closed(Self.first, psm: Self.psm, .linkLost, unsent: 12)])
    #expect(throws: HostRequestError.unknownConnection(Self.handle)) {
      try bench.perform(.channel(.close(Self.handle, Self.first)))
    }
  }
}
