import BLEATT
import BLECore
import BLEGATT
import BLESMP

/// Signed writes over links that are not encrypted (Core 5.4 Vol 3 Part C 10.4, Part F 3.4.5.4). Keys and counters are those of the
/// bond with the peer.
extension HostEngine {
  /// Whether the signature of a Signed Write Command is that of the peer, with a counter that it has not used before.
  mutating func hasValidSignature(_ pdu: Span<UInt8>, on index: Int, into out: inout HostOutput) -> Bool {
    let octets = pdu.withUnsafeBytes { Array($0) }
    guard octets.count >= DataSignature.octetCount, var key = links[index].security.bond?.peerSigning else {
      return false
    }
    let signature = Array(octets.suffix(DataSignature.octetCount))
    guard key.verify(signature, of: octets.dropLast(DataSignature.octetCount)) else { return false }
    links[index].security.bond?.peerSigning = key
    keepSigning(of: index, into: &out)
    return true
  }

  /// The signature of a write of this side; nil when the bond has no key for that.
  mutating func signature(
    ofWriting value: [UInt8], to handle: UInt16, on index: Int, into out: inout HostOutput
  ) -> [UInt8]? {
    guard var key = links[index].security.bond?.ownSigning,
      let signature = key.sign(GATTClient.signedPart(of: handle, value))
    else { return nil }
    links[index].security.bond?.ownSigning = key
    keepSigning(of: index, into: &out)
    return signature
  }

  /// Keeps the counters of a link's bond: they must never begin anew, or a signature could be used twice.
  private mutating func keepSigning(of index: Int, into out: inout HostOutput) {
    guard let bond = links[index].security.bond, let place = bonds.firstIndex(where: { $0.peer == bond.peer }) else {
      return
    }
    var record = bonds[place]
    record.bond.ownSigning = bond.ownSigning
    record.bond.peerSigning = bond.peerSigning
    keep(record, into: &out)
  }
}
