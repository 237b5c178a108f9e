import BLEATT
import BLECore
import BLEGATT
import BLESMP

/// Signed writes on unencrypted links (Core 5.4 Vol 3 Part C 10.4, Part F 3.4.5.4). The keys and counters belong to the bond with the
/// peer.
extension HostEngine {
  /// Returns whether the peer has signed a Signed Write Command, with a counter that it has not used before.
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

  /// Returns the signature of a write of this side; nil if the bond has no key for it.
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

  /// Returns the record of a link's peer. Counters exist only there: a peer can have two links, and with a counter for each, a value could be
  /// used twice.
  private func bondRecord(of link: LinkID) -> BondRecord? {
    guard let peer = links[link].security.bond?.peer else { return nil }
    return bondTable[peer]
  }
}
