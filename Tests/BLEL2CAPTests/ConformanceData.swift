import BLECore
import BLEL2CAP
import Testing

/// Data over LE credit-based channels: Core 5.4 Vol 3 Part A 3.4.
@Suite("Conformance: L2CAP/COS/CFC")
struct ConformanceData {
  private static let sdu = (0..<200).map { UInt8($0) }

  @Test("L2CAP/COS/CFC/BV-01-C: an SDU longer than the peer's MPS is sent in K-frames of at most that MPS")
  func segmentation() throws {
    var peer = ChannelPeer([.test()])
    let id = try peer.accept(mtu: 200, mps: 60, credits: 5)
    #expect(peer.send(Self.sdu, on: id) == .queued)
    let remote = ChannelID(rawValue: 0x0050)
    #expect(peer.next(on: remote) == ([200, 0] + Self.sdu[..<58]).hexadecimal)
    #expect(peer.next(on: remote) == Self.sdu[58..<118].hexadecimal)
    #expect(peer.next(on: remote) == Self.sdu[118..<178].hexadecimal)
    #expect(peer.next(on: remote) == Self.sdu[178...].hexadecimal)
    #expect(peer.nextPDU() == nil)
  }

  @Test("L2CAP/COS/CFC/BV-02-C: an SDU of one octet is sent in one K-frame after its length")
  func noSegmentation() throws {
    var peer = ChannelPeer([.test()])
    let id = try peer.accept()
    #expect(peer.send([0xA5], on: id) == .queued)
    #expect(peer.next(on: ChannelID(rawValue: 0x0050)) == "0100a5")
    #expect(peer.nextPDU() == nil)
  }

  @Test("L2CAP/COS/CFC/BV-03-C: an SDU that arrives in several K-frames is reassembled")
  func reassembly() throws {
    var peer = ChannelPeer([.test()])
    let id = try peer.accept()
    let sdu = Array(Self.sdu.prefix(100))
    #expect(peer.frame(id, [100, 0] + sdu[..<48]) == .partial)
    #expect(peer.frame(id, Array(sdu[48..<98])) == .partial)
    #expect(peer.frame(id, Array(sdu[98...])) == .assembled(sdu))
  }

  @Test("L2CAP/COS/CFC/BV-04-C: an SDU in one K-frame is the frame after the length", arguments: [0, 1, 47, 48])
  func receiving(count: Int) throws {
    var peer = ChannelPeer([.test()])
    let id = try peer.accept()
    let sdu = Array(Self.sdu.prefix(count))
    #expect(peer.frame(id, [UInt8(count), 0] + sdu) == .whole)
    #expect(peer.received[id] == [sdu])
  }

  @Test("L2CAP/COS/CFC/BV-05-C: interleaved SDUs of two channels are kept apart")
  func interleaved() throws {
    var peer = ChannelPeer([.test()])
    let one = try peer.accept(source: 0x0050)
    let two = try peer.accept(source: 0x0051)
    #expect(one != two)
    let (first, second) = (Array(Self.sdu[..<100]), Array(Self.sdu[100...]))
    for (id, sdu) in [(one, first), (two, second)] { #expect(peer.frame(id, [100, 0] + sdu[..<40]) == .partial) }
    for (id, sdu) in [(two, second), (one, first)] { #expect(peer.frame(id, Array(sdu[40..<80])) == .partial) }
    for (id, sdu) in [(one, first), (two, second)] { #expect(peer.frame(id, Array(sdu[80...])) == .assembled(sdu)) }
    #expect(peer.received == [one: [first], two: [second]])
  }
}
