import BLECore
import BLEL2CAP
import Testing

@Suite("Channels on BR/EDR: configuration")
struct ClassicConfigurationTests {
  private static let ertm = "0409030a05d007e02ef203"

  /// A peer whose request for a channel 0x0040 has been accepted.
  private static func connected() -> ClassicPeer {
    var peer = ClassicPeer()
    #expect(peer.signal("02 01 0400 0100 5000").count == 2)
    return peer
  }

  /// Returns the result and the options of the response to a Configuration Request with those options and flags.
  private static func response(
    _ options: String, flags: String = "0000", _ peer: inout ClassicPeer
  ) throws -> ConfigurationResponse {
    let octets = try #require([UInt8](hexadecimal: options))
    let length = UInt16(4 + octets.count).littleEndian
    let head = [UInt8(length & 0xFF), UInt8(length >> 8)].hexadecimal
    let frame = try #require(
      peer.signal("04 11 \(head) 4000 \(flags)" + options).first.flatMap { [UInt8](hexadecimal: $0) })
    let (header, size) = try SignallingHeader.decodePrefix(of: frame.span)
    #expect(header.code == .configurationResponse && header.identifier == 0x11)
    let response = try ConfigurationResponse(decoding: Array(frame[size...]))
    #expect(response.source.rawValue == 0x0050)
    return response
  }

  // MARK: The peer's options

  @Test(
    "Options that are acceptable",
    arguments: [
      ("", 672), ("0102a002", 672), ("01023000", 48), ("0102ffff", 65_535), ("0202ffff", 672), ("02020100", 672),
      ("0316 00 01 00000000 00000000 00000000 ffffffff ffffffff", 672), ("0409 00 00 00 0000 0000 0000", 672),
      ("050100", 672), ("ff00", 672), ("9103010203 01026400", 100), ("8102c800", 200), ("01026400 01026500", 101),
    ] as [(String, Int)])
  func acceptable(_ options: String, _ mtu: Int) throws {
    var peer = Self.connected()
    let response = try Self.response(options, &peer)
    #expect(response.result == .success)
    peer.signal("05 01 0600 4000 0000 0000")
    guard case .opened(let status) = peer.takeEvents().last else { return #expect(Bool(false)) }
    #expect(status.sendMTU == mtu)
    if options.hasPrefix("01023000") { #expect(response.options == [ConfigurationOption(MTUOption(mtu: 48))]) }
  }

  @Test(
    "Options that are not acceptable get acceptable values",
    arguments: [
      ("01022f00", "01023000"), ("01020000", "01023000"), ("02020000", "0202ffff"), (ertm, "0409000000000000000000"),
      (
        "0316 00 02 00000000 00000000 00000000 ffffffff ffffffff",
        "0316 00 01 00000000 00000000 00000000 ffffffff ffffffff"
      ),
      ("0409 04 00 00 0000 0000 0000", "0409000000000000000000"),
    ] as [(String, String)])
  func unacceptable(_ options: String, _ proposal: String) throws {
    var peer = Self.connected()
    let response = try Self.response(options, &peer)
    #expect(response.result == .unacceptableParameters)
    #expect(response.options.map(\.encoded).joined().hexadecimal == [UInt8](hexadecimal: proposal)?.hexadecimal)
    #expect(try Self.response("", &peer).result == .success)
    peer.signal("05 01 0600 4000 0000 0000")
    guard case .opened = peer.takeEvents().last else { return #expect(Bool(false)) }
  }

  @Test("Unknown options are named, unless they are hints")
  func unknown() throws {
    var peer = Self.connected()
    let response = try Self.response("1102aabb 8f0100 0610" + String(repeating: "00", count: 16) + " 01026400", &peer)
    #expect(response.result == .unknownOptions)
    #expect(response.options.map(\.type.rawValue) == [0x11, 0x06])
    #expect(response.options.first?.value == [0xAA, 0xBB])
    // Values that would make the response too long for some peers are left out.
    let long = try Self.response("11ff" + String(repeating: "00", count: 255) + "12001300", &peer)
    #expect(long.options.map(\.type.rawValue) == [0x11, 0x12, 0x13] && long.options.allSatisfy { $0.value.isEmpty })
    #expect(long.encoded.count + 4 <= 48)
  }

  @Test(
    "Options whose lengths are wrong are rejected",
    arguments: ["0101a0", "0103a00200", "01", "0102a0", "02010000", "0301 00", "0400", "11"])
  func rejected(_ options: String) throws {
    var peer = Self.connected()
    let response = try Self.response(options, &peer)
    #expect(response.result == .rejected && response.options.isEmpty)
  }

  @Test("Options may come in several requests")
  func continuation() throws {
    var peer = Self.connected()
    for options in ["01026400", "0202ffff", ""] {
      let response = try Self.response(options, flags: "0100", &peer)
      #expect(response.result == .success && response.flags == .continuation && response.options.isEmpty)
    }
    let last = try Self.response("0102c800", &peer)
    #expect(last.result == .success && last.flags.isEmpty)
    peer.signal("05 01 0600 4000 0000 0000")
    guard case .opened(let status) = peer.takeEvents().last else { return #expect(Bool(false)) }
    #expect(status.sendMTU == 200)
  }

  @Test("Too many options in several requests are rejected")
  func endlessContinuation() throws {
    var peer = Self.connected()
    var results: [ConfigurationResult] = []
    for _ in 0..<10 {
      results.append(try Self.response("ff20" + String(repeating: "00", count: 32), flags: "0100", &peer).result)
    }
    #expect(results == Array(repeating: .success, count: 7) + [.rejected, .success, .success])
  }

  @Test("A peer that insists on another mode, or on other values, loses the channel", arguments: [ertm, "01020000"])
  func insists(_ options: String) throws {
    var peer = Self.connected()
    var rounds = 0
    while peer.channels.status(.first) != nil, rounds < 10 {
      rounds += 1
      #expect(try Self.response(options, &peer).result == .unacceptableParameters)
      if case .disconnecting = stage(peer) { break }
    }
    #expect(rounds == (options == Self.ertm ? 2 : 4))
    #expect(peer.signal("07 02 0400 5000 4000") == [])
    #expect(
      peer.takeEvents() == [
        .closed(.first, psm: .serviceDiscovery, .unconfigurable(.unacceptableParameters), unsent: 0)
      ])
  }

  private enum Stage { case disconnecting, other }

  /// Whether configuration is no longer possible.
  private func stage(_ peer: ClassicPeer) -> Stage {
    var copy = peer
    return copy.signal("04 77 0400 4000 0000").first?.hasPrefix("0177") == true ? .disconnecting : .other
  }

  @Test("A request for a channel that does not exist is rejected, and so is one that is too short")
  func unknownChannel() {
    var peer = Self.connected()
    #expect(peer.signal("04 05 0400 4100 0000") == ["01050600020041000000"])
    #expect(peer.signal("04 05 0300 4000 00") == ["010502000000"])
    #expect(peer.outcome == .rejected(.configurationRequest))
  }

  // MARK: This side's options

  @Test(
    "A proposal within this side's limit is taken",
    arguments: [(48, true), (100, true), (672, true), (47, false), (673, false)])
  func proposal(_ mtu: UInt16, _ isTaken: Bool) throws {
    var peer = Self.connected()
    let option = ConfigurationOption(MTUOption(mtu: mtu))
    let refusal = ConfigurationResponse(source: .first, result: .unacceptableParameters, options: [option])
    let next = peer.signal(refusal, 1)
    #expect(next == [isTaken ? "0402080050000000" + option.encoded.hexadecimal : "0602040050004000"])
    guard isTaken else { return }
    _ = try Self.response("", &peer)
    peer.signal("05 02 0600 4000 0000 0000")
    guard case .opened(let status) = peer.takeEvents().last else { return #expect(Bool(false)) }
    #expect(status.receiveMTU == Int(mtu))
  }

  @Test("A peer that does not know the MTU option uses the default")
  func unknownMTU() throws {
    var peer = ClassicPeer()
    _ = peer.open(mtu: 100)
    peer.signal("03 01 0800 5000 4000 0000 0000")
    #expect(peer.signal("05 02 0900 4000 0000 0300 010264") == [])
    #expect(peer.outcome == .malformed)
    #expect(peer.signal("05 02 0a00 4000 0000 0300 01026400") == ["0403040050000000"])
    // There is nothing more that could be left out.
    #expect(peer.signal("05 03 0a00 4000 0000 0300 01026400") == ["0604040050004000"])
  }

  @Test(
    "Results that leave nothing to try end the channel",
    arguments: [
      ("0200", ""), ("0500", ""), ("0900", ""), ("0100", ""), ("0100", ertm), ("0100", "01026400" + ertm),
    ])
  func hopeless(_ result: String, _ options: String) {
    var peer = Self.connected()
    let length = 6 + options.count / 2
    #expect(
      peer.signal("05 01 \([UInt8(length), 0].hexadecimal) 4000 0000 \(result)" + options) == ["0602040050004000"])
  }

  @Test("A peer that always proposes something else loses the channel")
  func endlessProposals() {
    var peer = Self.connected()
    for identifier in 1...UInt8(3) {
      let next = peer.signal("05 \([identifier].hexadecimal) 0a00 4000 0000 0100 01026400")
      #expect(next.first?.hasPrefix("04") == true)
    }
    #expect(peer.signal("05 04 0a00 4000 0000 0100 01026400") == ["0605040050004000"])
  }

  @Test("Pending and partial responses are followed by others")
  func pending() throws {
    var peer = Self.connected()
    _ = try Self.response("", &peer)
    #expect(peer.signal("05 01 0600 4000 0000 0400") == [])
    peer.wait(.seconds(100))
    #expect(peer.signal("05 01 0a00 4000 0100 0000 01026400") == [])
    #expect(peer.takeEvents().isEmpty)
    #expect(peer.signal("05 01 0600 4000 0000 0000") == [])
    guard case .opened = peer.takeEvents().last else { return #expect(Bool(false)) }
  }

  @Test("A peer that does not answer, or does not configure its side, loses the channel", arguments: [true, false])
  func timeouts(doesAnswer: Bool) {
    var peer = Self.connected()
    if doesAnswer { peer.signal("05 01 0600 4000 0000 0000") }
    peer.wait(.seconds(doesAnswer ? 119 : 29))
    #expect(peer.signalling() == [])
    peer.wait(.seconds(1))
    #expect(peer.signalling() == ["0602040050004000"])
    peer.wait(.seconds(30))
    #expect(peer.takeEvents() == [.closed(.first, psm: .serviceDiscovery, .unanswered, unsent: 0)])
  }

  @Test("A rejected Configuration Request ends the channel")
  func commandReject() {
    var peer = Self.connected()
    #expect(peer.signal("01 01 0200 0000") == ["0602040050004000"])
    #expect(peer.signal("01 02 0600 0200 5000 4000") == [])
    #expect(peer.takeEvents() == [.closed(.first, psm: .serviceDiscovery, .rejected, unsent: 0)])
  }

  // MARK: Again

  @Test("An open channel is configured again, and its data waits")
  func reconfiguration() throws {
    var peer = ClassicPeer()
    let id = peer.accept()
    peer.events = []
    #expect(
      peer.signal("04 09 0800 4000 0000 0102 c800")
        == ["05090a005000000000000102c800", "04020800500000000102a002"])
    let submission = peer.send([1], on: id)
    #expect(submission == .queued)
    #expect(peer.nextPDU() == nil)
    let received = peer.receive([2], on: id)
    #expect(received == .sdu)
    peer.receive("05 02 0600 4000 0000 0000")
    let frame = peer.nextPDU()
    #expect(frame?.hexadecimal == "0100500001")
    guard case .reconfigured(let status) = peer.takeEvents().first else { return #expect(Bool(false)) }
    #expect(status.sendMTU == 200)
    #expect(peer.deadline == nil)
  }
}
