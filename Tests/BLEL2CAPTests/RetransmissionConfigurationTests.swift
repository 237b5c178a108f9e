import BLECore
import BLEL2CAP
import Testing

@Suite("Enhanced Retransmission Mode: configuration")
struct RetransmissionConfigurationTests {
  private static let remote = ChannelID(rawValue: 0x50)
  /// What a peer asks for: a window of 63, 3 transmissions, 2 s, 12 s, and an MPS of 1010.
  private static let asked = "0409033f03d007e02ef203"
  /// What this side asks for: a window of 32, 10 transmissions, and an MPS of 1010; and the check sequence.
  private static let asks = "040903200a00000000f203"
  private static let basic = "0409000000000000000000"

  private static func published(
    _ mode: ClassicChannelMode = .basicOrRetransmission, _ parameters: RetransmissionParameters = .init()
  ) -> PublishedClassicChannel {
    PublishedClassicChannel(
      psm: .serviceDiscovery, parameters: ClassicChannelParameters(mode: mode, retransmission: parameters))
  }

  /// Returns a peer whose request for a channel 0x0040 has been accepted.
  private static func connected(_ published: PublishedClassicChannel = published()) -> ClassicPeer {
    var peer = ClassicPeer([published])
    let answers = peer.signal("02 01 0400 0100 5000")
    #expect(answers.first == "030108004000500000000000")
    #expect(answers.count == (published.parameters.mode == .basicOrRetransmission ? 1 : 2))
    return peer
  }

  /// Sends a Configuration Request with those options.
  private static func request(_ options: String, _ peer: inout ClassicPeer) -> [String] {
    let octets = [UInt8](hexadecimal: options) ?? []
    return peer.signal("04 11 \([UInt8(4 + octets.count), 0].hexadecimal) 4000 0000" + options)
  }

  /// Returns the Configuration Response of this side to that, or its own request.
  private static func packet(_ code: UInt8, _ identifier: UInt8, _ fields: String) -> String {
    let octets = [UInt8](hexadecimal: fields) ?? []
    return ([code, identifier, UInt8(octets.count), 0] + octets).hexadecimal
  }
  private static func success(_ options: String) -> String { packet(5, 0x11, "5000 0000 0000" + options) }
  private static func refusal(_ options: String) -> String { packet(5, 0x11, "5000 0000 0100" + options) }
  private static func own(_ options: String, _ identifier: UInt8 = 1) -> String {
    packet(4, identifier, "5000 0000 0102a002" + options)
  }

  /// The mode of the channel, if it has been reported as open.
  private static func mode(_ peer: inout ClassicPeer) -> ChannelMode? {
    guard case .opened(let status) = peer.takeEvents().last else { return nil }
    return status.mode
  }

  // MARK: The peer chooses

  @Test("A peer that asks for nothing gets Basic Mode, with the packets that it gets without a choice")
  func basicMode() {
    var peer = Self.connected()
    #expect(Self.request("0102c800", &peer) == [Self.success("0102c800"), Self.own("")])
    peer.signal(ConfigurationResponse(source: .first), 1)
    #expect(Self.mode(&peer) == .basic && peer.deadline == nil)
    let submission = peer.send([7], on: .first)
    #expect(submission == .queued && peer.signalling(on: Self.remote) == ["07"])
    let outcome = peer.receive([8], on: .first)
    #expect(outcome == .sdu)
  }

  @Test("A peer that waits for this side's request gets one for Basic Mode, and may still ask for the other mode")
  func waitingPeer() {
    var peer = Self.connected()
    peer.wait(.milliseconds(499))
    #expect(peer.signalling() == [])
    peer.wait(.milliseconds(1))
    #expect(peer.signalling() == [Self.own("")])
    var other = peer
    #expect(Self.request("", &peer) == [Self.success("")])
    peer.signal(ConfigurationResponse(source: .first), 1)
    #expect(Self.mode(&peer) == .basic)
    #expect(Self.request(Self.asked, &other).last == Self.own(Self.asks + "050101", 2))
    // The answer to the former request comes too late.
    other.signal(ConfigurationResponse(source: .first), 1)
    #expect(Self.mode(&other) == nil)
    other.signal(ConfigurationResponse(source: .first), 2)
    #expect(Self.mode(&other) == .enhancedRetransmission)
  }

  @Test("A peer that asks for the mode gets it, with this side's limits and timeouts")
  func retransmissionMode() {
    var peer = Self.connected()
    #expect(
      Self.request(Self.asked, &peer) == [
        Self.success("0409032003d007e02ef203"), Self.own(Self.asks + "050101"),
      ])
    peer.signal(ConfigurationResponse(source: .first), 1)
    #expect(Self.mode(&peer) == .enhancedRetransmission)
  }

  @Test("A peer may propose the mode instead of Basic Mode")
  func proposal() {
    var peer = Self.connected()
    peer.wait(.milliseconds(500))
    #expect(peer.signalling() == [Self.own("")])
    #expect(
      peer.signal("05 01 1100 4000 0000 0100" + Self.asked) == [
        Self.packet(4, 2, "5000 0000 0102a002 0409032003 00000000 f203 050101")
      ])
    // A request without the mode contradicts the proposal.
    #expect(Self.request("", &peer) == [Self.refusal(Self.asks)])
    #expect(Self.request(Self.asked, &peer).count == 1)
    peer.signal(ConfigurationResponse(source: .first), 2)
    #expect(Self.mode(&peer) == .enhancedRetransmission)
  }

  @Test(
    "Other modes, and values that make no sense, are refused",
    arguments: [
      ("0409010a03d007e02ef203", basic), ("0409020a03d007e02ef203", basic), ("0409040a03d007e02ef203", basic),
      ("0409030003d007e02ef203", "0409030103d007e02ef203"), ("0409034003d007e02ef203", "0409032003d007e02ef203"),
      ("0409030a03d007e02e0000", "0409030a03d007e02e0100"), (asked + "050102", "050101"),
    ] as [(String, String)])
  func refused(_ options: String, _ proposal: String) {
    var peer = Self.connected()
    #expect(Self.request(options, &peer) == [Self.refusal(proposal)])
    #expect(Self.request(Self.asked, &peer).count == 2)
    peer.signal(ConfigurationResponse(source: .first), 1)
    #expect(Self.mode(&peer) == .enhancedRetransmission)
  }

  @Test("An extended window is unknown, and the mode is not offered with it")
  func extendedWindow() {
    var peer = Self.connected()
    #expect(Self.request(Self.asked + "07020001", &peer) == [Self.packet(5, 0x11, "5000 0000 0300 07020001")])
  }

  @Test("An open channel in the mode is not configured again")
  func again() throws {
    var peer = try ClassicPeer.retransmitting()
    #expect(Self.request("0102c800", &peer) == [Self.packet(5, 0x11, "5000 0000 0200")])
    #expect(peer.channels.status(.first)?.isOpen == true)
  }

  // MARK: This side asks

  @Test("This side asks for the mode if its parameters say so, and refuses another")
  func required() {
    var peer = Self.connected(Self.published(.retransmission))
    #expect(Self.request("", &peer) == [Self.refusal(Self.asks)])
    #expect(Self.request(Self.asked, &peer) == [Self.success("0409032003d007e02ef203")])
    peer.signal(ConfigurationResponse(source: .first), 1)
    #expect(Self.mode(&peer) == .enhancedRetransmission)
    var stubborn = Self.connected(Self.published(.retransmission))
    #expect(Self.request("", &stubborn) == [Self.refusal(Self.asks)])
    #expect(Self.request("", &stubborn).last == "0602040050004000")
  }

  @Test("A peer that refuses the mode loses the channel", arguments: [basic, "0409040a03d007e02ef203"])
  func refusedMode(_ proposal: String) {
    var peer = Self.connected(Self.published(.retransmission))
    #expect(peer.signal("05 01 1100 4000 0000 0100" + proposal) == ["0602040050004000"])
    var other = Self.connected(Self.published(.retransmission))
    #expect(other.signal("05 01 1100 4000 0000 0300" + Self.asks) == ["0602040050004000"])
  }

  @Test("Smaller values that the peer proposes are taken, larger ones are not")
  func values() {
    var peer = Self.connected(Self.published(.retransmission))
    #expect(
      peer.signal("05 01 1100 4000 0000 0100 0409030503 00000000 ff0f") == [
        Self.own("0409030503 00000000 f203 050101", 2)
      ])
    #expect(peer.signal("05 02 1100 4000 0000 0100 0409030503 00000000 ff0f") == ["0603040050004000"])
  }

  @Test("A peer that does not know the option for check sequences has them")
  func unknownCheck() throws {
    var peer = Self.connected(Self.published(.retransmission, RetransmissionParameters(frameCheck: .none)))
    #expect(peer.signal("05 01 0900 4000 0000 0300 050100") == [Self.own(Self.asks, 2)])
    _ = Self.request(Self.asked + "050100", &peer)
    peer.signal(ConfigurationResponse(source: .first), 2)
    #expect(Self.mode(&peer) == .enhancedRetransmission)
    #expect(peer.frames(of: [1]) == ["I0 r0 01"])
  }

  @Test(
    "There is no check sequence only if both sides do without",
    arguments: [
      (FrameCheck.none, "050100", false), (.none, "050101", true), (.none, "", true), (.crc16, "050100", true),
    ])
  func check(_ own: FrameCheck, _ option: String, _ isChecked: Bool) {
    var peer = Self.connected(Self.published(.basicOrRetransmission, RetransmissionParameters(frameCheck: own)))
    _ = Self.request(Self.asked + option, &peer)
    peer.signal(ConfigurationResponse(source: .first), 1)
    #expect(Self.mode(&peer) == .enhancedRetransmission)
    let submission = peer.send([7], on: .first)
    #expect(submission == .queued)
    #expect(peer.signalling(on: Self.remote).first?.count == (isChecked ? 10 : 6))
    let outcome = peer.receive(isChecked ? ClassicPeer.checked([0, 0, 8]) : [0, 0, 8], on: .first)
    #expect(outcome == .assembled([8]))
  }

  @Test("The timeouts of the peer's answer apply, unless this side's are longer", arguments: [(1000, 2), (5000, 5)])
  func timeouts(_ milliseconds: UInt16, _ seconds: Int) {
    var peer = Self.connected()
    _ = Self.request(Self.asked, &peer)
    var answer = RetransmissionOption(mode: .enhancedRetransmission)
    (answer.retransmissionTimeout, answer.monitorTimeout) = (milliseconds, 20_000)
    peer.signal(ConfigurationResponse(source: .first, options: [ConfigurationOption(answer)]), 1)
    #expect(peer.frames(of: [1]) == ["I0 r0 01"] && peer.deadline == peer.now + .seconds(seconds))
    peer.wait(.seconds(seconds))
    #expect(peer.frames() == ["RR r0 P"] && peer.deadline == peer.now + .seconds(20))
  }

  // MARK: Features

  @Test(
    "The features say whether a channel allows the mode", arguments: [ClassicChannelMode.basicOrRetransmission, .basic])
  func features(_ mode: ClassicChannelMode) {
    var peer = ClassicPeer([Self.published(mode)])
    #expect(peer.signal("0a 01 0200 0200") == ["0b01080002000000" + (mode == .basic ? "80000000" : "a8000000")])
    var opener = ClassicPeer([])
    _ = opener.channels.open(.rfcomm, parameters: ClassicChannelParameters(mode: mode))
    _ = opener.signalling()
    #expect(opener.signal("0a 01 0200 0200") == ["0b01080002000000" + (mode == .basic ? "80000000" : "a8000000")])
  }
}
