import BLECore
import BLEL2CAP
import Testing

/// Conversations with Bumble 0.0.236, an independent implementation: its C-frames, and the ones with which this side answers it, as they
/// were exchanged on a line between the two.
@Suite("Channels on BR/EDR with Bumble")
struct ClassicBumbleTests {
  @Test("Bumble opens a channel, and settles for Basic Mode after it has offered Enhanced Retransmission Mode")
  func bumbleOpens() {
    var peer = ClassicPeer()
    let conversation: [(String, [String])] = [
      ("0201040001004000", ["030108004000400000000000", "04010800400000000102a002"]),
      ("0402130040000000 0102a002 0409033f01d007e02ef203", ["0502110040000000 01000409000000000000000000"]),
      ("05010a004000000000000102a002", []),
      ("04030f00400000000409000000000000000000", ["05030600400000000000"]),
    ]
    for (bumble, ours) in conversation { #expect(peer.signal(bumble) == ours.map(Self.plain)) }
    guard case .opened(let status) = peer.takeEvents().last else { return #expect(Bool(false)) }
    #expect(status.receiveMTU == 672 && status.sendMTU == 672)
    #expect(peer.signal("0604040040004000") == ["0704040040004000"])
    #expect(peer.takeEvents() == [.closed(.first, psm: .serviceDiscovery, .remote, unsent: 0)])
  }

  @Test("This side opens a channel to Bumble, which has a small MTU, and closes it")
  func bumbleAccepts() {
    var peer = ClassicPeer()
    let id = peer.open()
    let conversation: [(String, [String])] = [
      ("030108004000400000000000", ["04020800400000000102a002"]),
      ("040108004000000001023000", ["05010a0040000000000001023000"]), ("05020a004000000000000102a002", []),
    ]
    for (bumble, ours) in conversation { #expect(peer.signal(bumble) == ours) }
    guard case .opened(let status) = peer.takeEvents().last else { return #expect(Bool(false)) }
    #expect(status.receiveMTU == 672 && status.sendMTU == 48)
    peer.close(id)
    #expect(peer.signalling() == ["0603040040004000"])
    #expect(peer.signal("0703040040004000") == [])
    #expect(peer.takeEvents() == [.closed(id, psm: .serviceDiscovery, .local, unsent: 0)])
  }

  @Test("Bumble opens a channel in Enhanced Retransmission Mode, and both send SDUs in segments")
  func bumbleRetransmits() {
    var peer = ClassicPeer([
      PublishedClassicChannel(
        psm: .serviceDiscovery,
        parameters: ClassicChannelParameters(
          mode: .basicOrRetransmission, retransmission: RetransmissionParameters(mps: 60)))
    ])
    let opening: [(String, [String])] = [
      ("0201040001004000", ["030108004000400000000000"]),
      (
        "0402130040000000 0102a002 0409030805d007e02e6400",
        [
          "0502150040000000 0000 0102a002 0409030805d007e02e3c00",
          "0401160040000000 0102a002 040903200a000000003c00 050101",
        ]
      ), ("0501180040000000 0000 0102a002 040903200a000000003c00 050101", []),
    ]
    for (bumble, ours) in opening { #expect(peer.signal(bumble) == ours.map(Self.plain)) }
    let long = (0..<150).map { UInt8($0) }
    let request = Array(long.prefix(130))
    func receive(_ frame: String) -> ClassicFrameOutcome {
      peer.receive([UInt8]([UInt8](hexadecimal: frame)?.dropFirst(4) ?? []), on: .first)
    }
    #expect(receive("070040008000010203768b") == .assembled([1, 2, 3]))
    #expect(peer.signalling(on: .first) == ["0101d414"])
    #expect(receive("420040008240 8200" + request[..<60].hexadecimal + "540d") == .incomplete)
    #expect(receive("4000400084c0" + request[60..<120].hexadecimal + "cd68") == .incomplete)
    #expect(receive("0e0040008680" + request[120...].hexadecimal + "49f9") == .assembled(request))
    // The answer acknowledges the request.
    let submission = peer.send(long, on: .first)
    #expect(submission == .queued)
    #expect(
      peer.signalling(on: .first) == [
        "00449600" + long[..<58].hexadecimal + "34b1", "02c4" + long[58..<118].hexadecimal + "b3df",
        "0484" + long[118...].hexadecimal + "c95a",
      ])
    for frame in ["040040000101d414", "0400400001029415", "04004000010355d5"] { #expect(receive(frame) == .incomplete) }
    #expect(peer.deadline == nil)
  }

  /// The digits without spaces.
  private static func plain(_ text: String) -> String { text.filter { $0 != " " } }
}
