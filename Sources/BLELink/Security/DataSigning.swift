import BLEATT
import BLECore
import BLEGATT
import BLESMP

/// Signed writes over links that are not encrypted (Core 5.4 Vol 3 Part C 10.4, Part F 3.4.5.4). Keys and counters are those of the
/// bond with the peer.
extension HostEngine {
  /// Whether the signature of a Signed Write Command is that of the peer, with a counter that it has not used before.
  mutating func hasValidSignature(_ pdu: Span<UInt8>, on link: LinkID, into out: inout HostOutput) -> Bool {
    let octets = pdu.withUnsafeBytes { Array($0) }
    guard octets.count >= DataSignature.octetCount, var record = bondRecord(of: link),
      var key = record.bond.peerSigning
    else { return false }
    let signature = Array(octets.suffix(DataSignature.octetCount))
    guard key.verify(signature, of: octets.dropLast(DataSignature.octetCount)) else { return false }
    record.bond.peerSigning = key
    keep(record, into: &out)
    return true
  }

  /// The signature of a write of this side; nil when the bond has no key for that.
  mutating func signature(
    ofWriting value: [UInt8], to handle: UInt16, on link: LinkID, into out: inout HostOutput
  ) -> [UInt8]? {
    guard var record = bondRecord(of: link), var key = record.bond.ownSigning,
      let signature = key.sign(GATTClient.signedPart(of: handle, value))
    else { return nil }
    record.bond.ownSigning = key
    keep(record, into: &out)
    return signature
  }

  /// What is kept of the peer of a link. Counters are there alone: a peer can have two links, and a counter of each could be used
  /// twice.
  private func bondRecord(of link: LinkID) -> BondRecord? {
    guard let peer = links[link].security.bond?.peer else { return nil }
    return bonds.first { $0.peer == peer }
  }
}
