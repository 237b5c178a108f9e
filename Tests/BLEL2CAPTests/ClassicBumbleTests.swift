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

  /// The digits without spaces.
  private static func plain(_ text: String) -> String { text.filter { $0 != " " } }
}
