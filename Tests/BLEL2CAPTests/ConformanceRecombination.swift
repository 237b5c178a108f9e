import BLECore
import BLEHCI
import BLEL2CAP
import Testing

/// PDUs that arrive in several ACL packets: Core 5.4 Vol 3 Part A 7.2.2.
@Suite("Conformance: L2CAP/LE/CFC, recombination")
struct ConformanceRecombination {
  /// Returns the payload of a B-frame from ACL packets that end at these positions; nil if there is no frame.
  private func recombined(_ channel: ChannelID, _ payload: [UInt8], at cuts: [Int]) -> [UInt8]? {
    var header = BasicHeader()
    (header.length, header.channel) = (UInt16(payload.count), channel)
    let pdu = header.encoded + payload
    var recombiner = ACLRecombiner()
    var start = 0
    for end in cuts + [pdu.count] {
      let outcome = recombiner.accept(start == 0 ? .firstFromController : .continuing, pdu[start..<end].span)
      start = end
      if case .assembled(let whole) = outcome.pdu { return Array(whole.dropFirst(BasicHeader.octetCount)) }
    }
    return nil
  }

  @Test("L2CAP/LE/CFC/BV-30-C: a request in two fragments is answered like any other", arguments: 1..<18)
  func signalling(cut: Int) throws {
    var peer = ChannelPeer([.test()])
    let request = try #require([UInt8](hexadecimal: "14 07 0a00 8000 5000 c800 3c00 0500"))
    let frame = try #require(recombined(.signalling, request, at: [cut]))
    #expect(peer.signal(frame.hexadecimal) == "15070a00" + "4000" + "6400" + "3200" + "0a00" + "0000")
    #expect(peer.channels.all.map(\.id) == [.first])
  }

  @Test("L2CAP/LE/CFC/BV-31-C: K-frames of 10 octets in two fragments each are received", arguments: 1..<14)
  func data(cut: Int) throws {
    var peer = ChannelPeer([.test()])
    let id = try peer.accept()
    let sdus: [[UInt8]] = (0..<3).map { [1, 2, 3, 4, 5, 6, 7, $0] }
    for sdu in sdus {
      let payload = try #require(recombined(id, [8, 0] + sdu, at: [cut]))
      #expect(peer.frame(id, payload) == .whole)
    }
    #expect(peer.received[id] == sdus)
  }
}
